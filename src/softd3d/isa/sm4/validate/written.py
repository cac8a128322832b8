"""Keys of what an instruction may write: components of r# and whole arrays.

A component has the key 4 * register + component, an array ARRAYS + its number.
"""

from __future__ import annotations

from softd3d.isa.sm4.enums import Opcode, OperandType
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.validate.declared import constant_index

__all__ = ["ARRAYS", "keys_of_loops", "keys_of_subroutines"]

ARRAYS = 1 << 40
_O, _T = Opcode, OperandType


def _written_keys(i: Instruction) -> set[int]:
    found: set[int] = set()
    for operand in i.operands:
        number = constant_index(operand, 0)
        if number is None or operand.components != 4:
            continue
        if operand.type is _T.TEMP:
            found.update(4 * number + component for component in operand.selection)
        elif operand.type is _T.INDEXABLE_TEMP:
            found.add(ARRAYS + number)
    return found


def keys_of_loops(body: list[Instruction]) -> dict[int, set[int]]:
    """Return for each loop what may be written in it (a few components too many do not matter)."""
    found: dict[int, set[int]] = {}
    open_loops: list[set[int]] = []
    for i in body:
        if i.opcode is _O.LOOP:
            open_loops.append(set())
            found[id(i)] = open_loops[-1]
        elif i.opcode is _O.ENDLOOP and open_loops:
            inner = open_loops.pop()
            if open_loops:
                open_loops[-1] |= inner
        elif open_loops:
            open_loops[-1] |= _written_keys(i)
    return found


def keys_of_subroutines(body: list[Instruction]) -> set[int]:
    """Return what may be written behind the first label."""
    found: set[int] = set()
    in_subroutine = False
    for i in body:
        in_subroutine |= i.opcode is _O.LABEL
        if in_subroutine:
            found |= _written_keys(i)
    return found
