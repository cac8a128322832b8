"""What has been found sound before: compilers write the same opcodes and operands over and over.

Most rules look at nothing but an instruction, the version, the stage, the kind of phase and the
global flags. What broke none of them need not be looked at again, which halves the time that a
program takes. Rules about declarations are not among them: each program declares anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softd3d.isa.record import Memo
from softd3d.isa.row import Row
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.program import Instruction, Operand

__all__ = ["Check", "Known", "SoundOperand", "known_in"]

_MOST_OPERANDS = 1 << 15  # in each setting
_MOST_SETTINGS = 32

_LookUp = Callable[[Any, Instruction, Operand], None]
Check = Callable[[Any, Instruction, Row, int], None]
SoundOperand = tuple[Operand, int, _LookUp | None, Check | None]
"""An operand, and what still depends on declarations.

The number of its r#, or one above all; what looks its register up if there are not more r# than
that number; what checks its components, by its place.
"""


class Known:
    """What has been found sound in one setting: version, stage, kind of phase, global flags.

    heads: opcodes with their control bits and extended tokens.
    """

    def __init__(self) -> None:
        self.heads: set[tuple[object, ...]] = set()
        self._operands: dict[Opcode, list[dict[int, SoundOperand]]] = {}
        self._count = 0

    def operands(self, i: Instruction) -> list[dict[int, SoundOperand]]:
        """Return the sound operands of an opcode by their identity, for each place of one."""
        found = self._operands.get(i.opcode)
        if found is None:
            found = self._operands[i.opcode] = [{} for _ in i.operands]
        return found

    def add(self, i: Instruction, place: int, sound: SoundOperand) -> None:
        """Remember an operand, which lives as long as its identity is a key."""
        self._count += 1
        if self._count > _MOST_OPERANDS:
            self._operands.clear()
            self._count = 1
        self.operands(i)[place][id(sound[0])] = sound


def known_in(setting: tuple[object, ...]) -> Known:
    """Return what is known in a setting."""
    return _KNOWN[setting]


_KNOWN: Memo[tuple[object, ...], Known] = Memo(lambda _: Known(), _MOST_SETTINGS)
