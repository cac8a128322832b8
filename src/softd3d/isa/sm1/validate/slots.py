"""Instruction slots: how many a program uses, and how many its version has."""

from __future__ import annotations

from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.limits import slots
from softd3d.isa.sm1.validate.context import Context

__all__ = ["check_slots"]


def check_slots(c: Context) -> None:
    """Check the slots of a program; those of ps_1_4 phase by phase."""
    texture = arithmetic = 0
    for i in c.items:
        if i.opcode is Opcode.PHASE:
            _check(c, texture, arithmetic)
            texture = arithmetic = 0
        more_texture, more_arithmetic = slots(i.opcode, c.program.type, c.version)
        texture += more_texture
        arithmetic += more_arithmetic - i.is_coissued + (i.predicate is not None)
    _check(c, texture, arithmetic)


def _check(c: Context, texture: int, arithmetic: int) -> None:
    found = (
        (arithmetic, c.limits.arithmetic, "arithmetic slots"),
        (texture, c.limits.texture, "texture slots"),
        (texture + arithmetic, c.limits.slots, "slots"),
    )
    for used, most, what in found:
        if most is not None and used > most:
            c.add_at_end("LIM-001", f"{used} {what} are used, {most} allowed")
