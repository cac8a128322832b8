"""The constant file of a Direct3D 9 shader: how large it is, and what the shader itself defines.

Spec: Direct3D 9 shader assembly reference, "Registers" and def.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import DecodeError
from softd3d.isa.asm.sm1.operand import CONSTANT_BANKS
from softd3d.isa.sm1.enums import Opcode, ProgramType, RegisterType
from softd3d.isa.sm1.program import Instruction, Program, SourceParameter
from softd3d.isa.sm1.tokens import SOFTWARE

__all__ = ["constant_count", "constant_file", "flat_number"]

_VERTEX_CONSTANTS, _SOFTWARE_CONSTANTS = 256, 8192
_PIXEL_CONSTANTS = {1: 8, 2: 32, 3: 224}
_BANKS = {RegisterType.CONST: 0, **CONSTANT_BANKS}


def constant_count(program: Program) -> int:
    """Return how many c# a shader of this version can read.

    Vertex shaders: the 256 of all hardware that had shader model 2, also for vs_1_1, which
    promises 96 only.
    """
    if program.minor == SOFTWARE:
        return _SOFTWARE_CONSTANTS
    if program.type is ProgramType.VS:
        return _VERTEX_CONSTANTS
    return _PIXEL_CONSTANTS[program.major]


def flat_number(p: SourceParameter) -> int | None:
    """Return the number of a c# over all banks; None for other registers."""
    bank = _BANKS.get(p.type)
    return None if bank is None else bank + p.number


def constant_file(program: Program, values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return float32 (count, 4): `values`, with what the shader defines in their place.

    values: float32, (count, 4). Of several definitions of a register the last counts.

    Raises:
        DecodeError: a definition of a register that the version does not have.
    """
    found = values.copy()
    for i in program.instructions:
        if not isinstance(i, Instruction) or i.opcode is not Opcode.DEF or i.destination is None:
            continue
        d = i.destination
        number = flat_number(SourceParameter(d.type, d.number))
        if number is None or number >= len(found):
            raise DecodeError(f"def of a register beyond c0 to c{len(found) - 1}", i.location)
        found[number] = np.array(i.immediates, np.uint32).view(np.float32)
    return found
