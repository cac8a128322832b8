"""Dependent texture reads of ps_2_0: how many may lead to one another.

A texture instruction is dependent if its coordinates come from an r#, or if it writes an r# that
was written before. It is of the n-th order if what it reads or overwrites depends on one of the
order before; ps_2_0 goes up to the third.
"""

from __future__ import annotations

from softd3d.isa.sm1.enums import Opcode, RegisterType
from softd3d.isa.sm1.limits import MAX_DEPENDENT_ORDER
from softd3d.isa.sm1.program import Instruction
from softd3d.isa.sm1.validate.context import Context
from softd3d.isa.sm1.validate.declarations import DEFINITIONS
from softd3d.isa.sm1.validate.operations import TEXTURE_LOADS

__all__ = ["check_chains"]

_T = RegisterType


def check_chains(c: Context) -> None:
    """Check the order of every texture instruction of a ps_2_0 program."""
    orders: dict[int, int] = {}  # of what each r# that has been written holds
    for i in c.items:
        if i.opcode not in DEFINITIONS:
            _step(c, i, orders)


def _step(c: Context, i: Instruction, orders: dict[int, int]) -> None:
    read = [orders.get(p.number, 0) for p in i.sources if p.type is _T.TEMP]
    d = i.destination
    number = d.number if d is not None and d.type is _T.TEMP else None
    order = max(read, default=0)
    if i.opcode in TEXTURE_LOADS or i.opcode is Opcode.TEXKILL:
        is_rewritten = number is not None and number in orders
        if is_rewritten and number is not None:
            order = max(order, orders[number])
        reads_temp = bool(read) or (i.opcode is Opcode.TEXKILL and number is not None)
        if reads_temp or is_rewritten:
            order += 1
        if order > MAX_DEPENDENT_ORDER:
            c.add("TEX-014", f"it is dependent of order {order}", i)
    if number is not None:  # what an r# once depended on counts for ever, and what kills with it
        orders[number] = max(order, orders.get(number, 0))
