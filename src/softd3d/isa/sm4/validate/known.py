"""What has been found sound before: compilers write the same instructions over and over.

Most rules look at nothing but an instruction, the version, the stage, the kind of phase and the
global flags. What broke none of them need not be looked at again, which halves the time that a
program takes. Rules about declarations are not among them: each program declares anew.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from softd3d.isa.record import Bounded, Memo, record
from softd3d.isa.row import Row
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.validate.effects import Effects

__all__ = ["Check", "Known", "Remaining", "Sound", "SoundOperand", "known_in"]

_LookUp = Callable[[Any, Instruction, Operand], None]
Check = Callable[[Any, Instruction, Row, int], object]
SoundOperand = tuple[Operand, int, _LookUp | None, Check | None]
"""An operand, and what still depends on declarations.

The number of its r#, or one above all; what looks its register up if there are not more r# than
that number; what checks its components, by its place.
"""
Remaining = tuple[int, _LookUp | None, Check | None]
"""What depends on declarations of the operand at a place of a sound instruction."""


@record
class Sound:
    """An instruction whose opcode and operands break no rule by themselves.

    temps: how many r# it wants. rest: what else depends on declarations. effects: what it does.
    """

    operands: tuple[Operand, ...]
    row: Row
    temps: int
    rest: tuple[Remaining, ...]
    effects: Effects


class Known:
    """What has been found sound in one setting: version, stage, kind of phase, global flags.

    Operands, which equal instructions share, live as long as their identities are in a key.
    """

    def __init__(self) -> None:
        self._number = next(_NUMBERS)

    def has_head(self, i: Instruction) -> bool:
        """Tell whether an opcode is sound with its control bits and extended tokens."""
        return (self._number, i.opcode, i.controls, i.extended) in _HEADS

    def add_head(self, i: Instruction) -> None:
        _HEADS[self._number, i.opcode, i.controls, i.extended] = True

    def operand(self, i: Instruction, place: int) -> SoundOperand | None:
        """Return what is known of an operand, if it is sound at this place of the opcode."""
        return _OPERANDS.get((self._number, i.opcode, place, id(i.operands[place])))

    def add_operand(self, i: Instruction, place: int, sound: SoundOperand) -> SoundOperand:
        _OPERANDS[self._number, i.opcode, place, id(sound[0])] = sound
        return sound

    def instruction(self, i: Instruction) -> Sound | None:
        """Return what is known of an instruction, if it is sound (and nothing trails it)."""
        key = self._number, id(i.operands), i.opcode, i.controls, i.extended
        return None if i.trailing else _SOUND.get(key)

    def add_instruction(self, i: Instruction, sound: Sound) -> Sound:
        key = self._number, id(i.operands), i.opcode, i.controls, i.extended
        _SOUND[key] = sound
        return sound


def known_in(setting: tuple[object, ...]) -> Known:
    """Return what is known in a setting."""
    return _KNOWN[setting]


_KNOWN: Memo[tuple[object, ...], Known] = Memo(lambda _: Known(), 1 << 10)
# One table for all settings, so that the limit holds for all together
_NUMBERS = count()
_HEADS: Bounded[tuple[object, ...], bool] = Bounded(1 << 14)
_OPERANDS: Bounded[tuple[object, ...], SoundOperand] = Bounded(1 << 16)
_SOUND: Bounded[tuple[object, ...], Sound] = Bounded(1 << 16)
