"""The constants of a Direct3D 9 shader: how many there are, and what the shader itself defines.

Both engines read them as constant buffers: c# and i# are vectors, b# words, and the bump
environment of a texture stage eight words: D3DTSS_BUMPENVMAT00, 01, 10, 11, BUMPENVLSCALE,
BUMPENVLOFFSET, and two that are 0. Behind them is the file of states of a draw that
code does not depend on (`lower/d3d9/state_file.py`).
Spec: Direct3D 9 shader assembly reference, "Registers", def, defi and defb.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import DecodeError
from softd3d.isa.asm.sm1.operand import CONSTANT_BANKS
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.roles import Declares
from softd3d.isa.row import Row
from softd3d.isa.sm1.enums import RegisterType
from softd3d.isa.sm1.limits import TEXTURE_STAGES, limits
from softd3d.isa.sm1.program import DestinationParameter, Instruction, Program, SourceParameter
from softd3d.isa.sm1.tokens import row_of
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.d3d9.state_file import STATE_WORDS

__all__ = [
    "BOOLEANS", "BUMP_ENVIRONMENTS", "BUMP_WORDS", "FLOATS", "INTEGERS", "STATES", "define",
    "defined_floats",
    "flat_number", "no_constants",
]  # fmt: skip

BUMP_WORDS = 8  # of a texture stage
_BANKS = {RegisterType.CONST: 0, **CONSTANT_BANKS}


def _file(name: str, slot: int) -> View:
    return View(Memory.CONSTANT, name, slot, ViewKind.RAW, ResourceDimension.BUFFER)


FLOATS, INTEGERS, BOOLEANS, BUMP_ENVIRONMENTS, STATES = (
    _file(name, slot) for slot, name in enumerate(("c", "i", "b", "bump", "state"))
)


def flat_number(p: SourceParameter | DestinationParameter) -> int | None:
    """Return the number of a c# over all banks; None for other registers."""
    bank = _BANKS.get(p.type)
    return None if bank is None else bank + p.number


def no_constants(program: Program) -> tuple[NDArray[np.uint32], ...]:
    """Return zeros for each file, by the slot of its view: uint32 words."""
    most = limits(program.type, program.version)
    sizes = (
        4 * most.float_constants, 4 * most.switches, most.switches, BUMP_WORDS * TEXTURE_STAGES,
        STATE_WORDS,
    )  # fmt: skip
    return tuple(np.zeros(size, np.uint32) for size in sizes)


def define(program: Program, files: tuple[NDArray[np.uint32], ...]) -> None:
    """Put what a shader defines in the place of what was set.

    files: as `no_constants` returns them. Of several definitions of a register the last counts.

    Raises:
        DecodeError: a definition of a register that the version does not have.
    """
    for i, row, view, number in _definitions(program):
        file, width = files[view.slot], len(row.sources)
        if width * (number + 1) > file.size:
            last = file.size // width - 1
            raise DecodeError(
                f"{row.mnemonic} of a register beyond {view.register}0 to {view.register}{last}",
                i.location,
            )
        words = np.array(i.immediates, np.uint32)
        file[width * number : width * (number + 1)] = words != 0 if view is BOOLEANS else words


def defined_floats(program: Program) -> dict[int, tuple[int, ...]]:
    """Return the words of each c# that a shader defines, by its number over all banks.

    Raises:
        DecodeError: a definition is malformed.
    """
    return {n: i.immediates for i, _, view, n in _definitions(program) if view is FLOATS}


def _definitions(program: Program) -> Iterator[tuple[Instruction, Row, View, int]]:
    """Yield the definitions of constants, each with its row, file and register's number."""
    for i in program.instructions:
        row = row_of(i.opcode, program.type, program.version)
        if row is None or row.declares is not Declares.CONSTANT or not isinstance(i, Instruction):
            continue
        view = _FILES[row.destinations[0].letter]
        number = _defined(i, view)
        if number is None or len(i.immediates) != len(row.sources):
            raise DecodeError(f"{row.mnemonic} names no {view.register}#", i.location)
        yield i, row, view, number


def _defined(i: Instruction, view: View) -> int | None:
    """Return which register of a file an instruction defines, None if it is of another file."""
    d = i.destination
    if d is None or view is FLOATS:
        return None if d is None else flat_number(d)
    return d.number if _FILES_OF_FLOW.get(d.type) is view else None


_FILES = {"f": FLOATS, "i": INTEGERS, "b": BOOLEANS}  # by the letter of a definition's row
_FILES_OF_FLOW = {RegisterType.CONSTINT: INTEGERS, RegisterType.CONSTBOOL: BOOLEANS}
