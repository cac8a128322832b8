"""Co-issue in ps_1_x: which two instructions can run at once on the colour and alpha pipes."""

from __future__ import annotations

from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.program import Instruction
from softd3d.isa.sm1.validate.context import Context, Family
from softd3d.isa.sm1.validate.declarations import DEFINITIONS
from softd3d.isa.sm1.validate.operations import DOT_PRODUCTS
from softd3d.isa.sm1.validate.ports import check_pair_ports

__all__ = ["check_pairs"]

_ALPHA = 8
_ALONE = frozenset({Opcode.NOP, Opcode.DP4, Opcode.BEM, Opcode.PHASE})


def check_pairs(c: Context) -> None:
    """Check every co-issued instruction with the one before."""
    before: Instruction | None = None
    for i in c.items:
        if i.opcode in DEFINITIONS:
            continue
        if i.is_coissued:
            _check_pair(c, before, i)
        before = i


def _check_pair(c: Context, first: Instruction | None, second: Instruction) -> None:
    if first is None or c.is_texture_instruction(first) or c.is_texture_instruction(second):
        c.add("PAIR-001", "there is no arithmetic before it to pair with", second)
        return
    if first.is_coissued:
        c.add("PAIR-002", "the instruction before has a partner", second)
        return
    for i in (first, second):
        if i.opcode in _ALONE:
            c.add("PAIR-003", f"{c.row(i).mnemonic} runs alone", second)
            return
    masks = [0 if i.destination is None else i.destination.write_mask for i in (first, second)]
    if any(mask & _ALPHA and mask != _ALPHA for mask in masks) or (masks.count(_ALPHA) != 1):
        c.add("PAIR-004", "not one of the pair writes colour and the other one alpha", second)
    for i, mask in zip((first, second), masks, strict=True):
        if i.opcode in DOT_PRODUCTS and mask & _ALPHA:
            c.add("PAIR-005", f"{c.row(i).mnemonic} writes alpha", second)
    if c.family is Family.PS_1:
        check_pair_ports(c, first, second)
