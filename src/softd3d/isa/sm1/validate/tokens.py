"""What instruction tokens say: the opcode's version, controls, and bits without a meaning."""

from __future__ import annotations

from functools import lru_cache

from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import Opcode, ProgramType, TexldControl
from softd3d.isa.sm1.program import Instruction
from softd3d.isa.sm1.rows import TABLE
from softd3d.isa.sm1.validate.context import Context

__all__ = ["check_tokens", "is_known"]

_COMPARING = frozenset({Opcode.IFC, Opcode.BREAKC, Opcode.SETP})


def is_known(c: Context, i: Instruction) -> bool:
    """Tell whether the program's stage and version have the opcode."""
    return _exists(i.opcode, c.program.type, c.version)


@lru_cache(maxsize=2048)
def _exists(opcode: Opcode, stage: ProgramType, version: tuple[int, int]) -> bool:
    return TABLE.select(opcode, stage.name.lower(), version) is not None


def check_tokens(c: Context, i: Instruction) -> None:
    """Check an instruction's opcode token, and that its length holds its operands only."""
    if not is_known(c, i):
        c.add("TOK-001", f"{c.program.profile} has no such instruction", i)
    if i.opcode in _COMPARING:
        if i.comparison is None:
            c.add("TOK-002", f"the comparison is {t.COMPARISON.get(t.CONTROLS.put(i.controls))}", i)
    elif i.opcode is Opcode.TEX and c.version >= (2, 0):
        if i.controls > max(TexldControl):
            c.add("TOK-003", f"the controls are {i.controls:#x}", i)
    elif i.controls:
        c.add("TOK-005", f"the controls are {i.controls:#x}", i)
    if i.is_coissued and not c.is_ps:
        c.add("TOK-004", "it is co-issued", i)
    if i.trailing:
        c.add("TOK-006", f"{len(i.trailing)} dwords follow its operands", i)
    parameters = [p for p in (i.destination, i.predicate, *i.sources) if p is not None]
    if i.reserved or any([p.reserved for p in parameters]):  # noqa: C419 - quicker
        c.add("TOK-005", "bits without a meaning are set", i)
