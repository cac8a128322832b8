"""The instructions of a phase one by one: tokens, operands, views and samplers.

Two instructions of three have been sound before; of these only what depends on declarations is
looked at, which takes a fifth of the time.
"""

from __future__ import annotations

from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.validate.effects import effects_of
from softd3d.isa.sm4.validate.known import Sound
from softd3d.isa.sm4.validate.memory import ACCESSES, check_memory
from softd3d.isa.sm4.validate.operands import check_operands
from softd3d.isa.sm4.validate.phases import Context, row_of
from softd3d.isa.sm4.validate.structure import check_instruction_tokens

__all__ = ["check_instructions"]


def check_instructions(c: Context) -> list[Sound] | None:
    """Check the instructions of a phase; return what is known of them if all are sound."""
    found: list[Sound] = []
    known, temps = c.known, c.declared.temps
    for i in c.phase.body:
        sound = known.instruction(i)
        if sound is None or sound.temps > temps:
            sound = _check(c, i)
        else:
            if sound.rest:
                _check_rest(c, i, sound)
            if i.opcode in ACCESSES:
                check_memory(c, i)
        if sound is not None:
            found.append(sound)
    return found if len(found) == len(c.phase.body) else None


def _check_rest(c: Context, i: Instruction, sound: Sound) -> None:
    """Check what depends on declarations in a sound instruction."""
    for place, look_up, check in sound.rest:
        if look_up is not None:
            look_up(c, i, i.operands[place])
        if check is not None:
            check(c, i, sound.row, place)


def _check(c: Context, i: Instruction) -> Sound | None:
    """Check an instruction by all rules, and remember it if opcode and operands break none."""
    before = c.report.count
    check_instruction_tokens(c, i)
    temps, rest = check_operands(c, i)
    is_sound = c.report.count == before and not i.trailing
    check_memory(c, i)
    if not is_sound:
        return None
    row = row_of(i, c.stage, c.version)
    sound = Sound(i.operands, row, temps, rest, effects_of(i, row))
    return c.known.add_instruction(i, sound)
