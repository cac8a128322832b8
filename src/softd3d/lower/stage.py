"""The inputs and outputs of a stage: what its dcl_input* and dcl_output* declare.

Spec: D3D11.3 section 22.3.30 and following (inputs), 22.3.36 and following (outputs).
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.errors import DecodeError, Location
from softd3d.isa.asm.sm4.words import REGISTERS
from softd3d.isa.sm4 import tokens
from softd3d.isa.sm4.enums import (
    InterpolationMode,
    OperandType,
    SystemName,
)
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.declared import declared_operand
from softd3d.lower.registers import Key

__all__ = [
    "COVERED",
    "OUTPUT_FILES",
    "StageRegister",
    "component_name",
    "register_name",
    "stage_register",
]

OUTPUT_FILES = frozenset(
    {
        OperandType.OUTPUT, OperandType.OUTPUT_DEPTH, OperandType.OUTPUT_DEPTH_GREATER_EQUAL,
        OperandType.OUTPUT_DEPTH_LESS_EQUAL, OperandType.OUTPUT_COVERAGE_MASK,
        OperandType.OUTPUT_STENCIL_REF,
    }
)  # fmt: skip
"""What vertex and pixel shaders write."""
COVERED: Key = ("covered", 0, 0)
"""Of pixel shaders: 1 in lanes that are no helpers. An input; and an output, if some discard."""

_NUMBERED = frozenset(
    {
        OperandType.INPUT, OperandType.OUTPUT, OperandType.INPUT_CONTROL_POINT,
        OperandType.OUTPUT_CONTROL_POINT, OperandType.INPUT_PATCH_CONSTANT,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StageRegister:
    """A register that a stage reads or writes, as one instruction declares it.

    file, number: v3 is (INPUT, 3); the number is 0 where there is one register only. components:
    0 to 3, those declared. vertices: of how many vertices or control points there is such a
    register, 0 if only the invocation itself has one. interpolation: UNDEFINED but for pixel
    shaders' inputs. location: of the declaration, None where there is none.
    """

    file: OperandType
    number: int
    components: tuple[int, ...]
    system_value: SystemName = SystemName.UNDEFINED
    interpolation: InterpolationMode = InterpolationMode.UNDEFINED
    vertices: int = 0
    location: Location | None = None

    @property
    def name(self) -> str:
        """The register as listings have it, such as `v3` or `oDepth`."""
        return register_name(self.file, self.number)

    def key(self, component: int) -> Key:
        """Return the key of a component in register files."""
        return REGISTERS[self.file], self.number, component


def register_name(file: OperandType, number: int) -> str:
    """Return a register as listings have it.

    >>> register_name(OperandType.OUTPUT, 1)
    'o1'
    """
    return f"{REGISTERS[file]}{number}" if file in _NUMBERED else REGISTERS[file]


def component_name(register: str, component: int) -> str:
    """Return the name of an input or output of an invocation, such as `v3.y`."""
    return f"{register}.{'xyzw'[component]}"


def stage_register(i: Instruction) -> StageRegister:
    """Read a declaration of an input or output.

    Raises:
        DecodeError: it is malformed.
    """
    operand = declared_operand(i)
    is_pixel = TABLE[i.opcode].stages == "ps"
    value = i.extra[0] & 0xFFFF if i.extra else SystemName.UNDEFINED
    mode = tokens.INTERPOLATION.get(i.controls) if is_pixel else InterpolationMode.UNDEFINED
    if value not in set(SystemName):
        raise DecodeError(f"system value {value} is not defined", i.location)
    if mode not in set(InterpolationMode):
        raise DecodeError(f"interpolation mode {mode} is not defined", i.location)
    *vertices, number = _numbers(i, operand)
    return StageRegister(
        operand.type, number, operand.selection if operand.components == 4 else (0,),
        SystemName(value), InterpolationMode(mode), vertices[0] if vertices else 0, i.location,
    )  # fmt: skip


def _numbers(i: Instruction, operand: Operand) -> list[int]:
    """Return the indices of a declared register; 0 for a register without a number."""
    if any(index.relative is not None for index in operand.indices):
        raise DecodeError("the number of a declared register is computed", i.location)
    if operand.type not in REGISTERS or len(operand.indices) > 2:
        raise DecodeError("an operand that is no input or output is declared as one", i.location)
    return [index.immediate for index in operand.indices] or [0]
