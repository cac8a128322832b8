"""What dcl_* instructions want to be bound: views, constant buffers, samplers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from softd3d.classes import dataclass
from softd3d.errors import DecodeError
from softd3d.isa.limits import MAX_STRUCTURE_STRIDE
from softd3d.isa.machine import Memory, ViewKind
from softd3d.isa.roles import Declares
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import ResourceDimension, SamplerMode, UavFlags
from softd3d.isa.sm4.program import Instruction, Operand, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.isa.sm4.tokens import UNBOUNDED

__all__ = [
    "BOUND",
    "BoundDeclaration",
    "BufferDeclaration",
    "SamplerDeclaration",
    "ViewDeclaration",
    "declared_number",
    "declared_operand",
    "declared_registers",
    "extra",
]


@dataclass(frozen=True, slots=True)
class ViewDeclaration:
    """A declared t# or u#. id: the register's number in operands; lower, upper: bind points."""

    memory: Memory
    id: int
    lower: int
    upper: int
    space: int
    kind: ViewKind
    dimension: ResourceDimension
    stride: int
    return_types: tuple[int, ...]
    has_counter: bool
    instruction: Instruction

    @property
    def register(self) -> str:
        space = f",space{self.space}" if self.space else ""
        return f"{self.memory.value}{self.lower}{space}"

    @property
    def is_rasterizer_ordered(self) -> bool:
        """Whether a u# is a rasteriser ordered view, `_rov`."""
        flag = UavFlags.RASTERIZER_ORDERED_ACCESS
        return self.memory is Memory.UAV and bool(self.instruction.controls & flag)

    @property
    def range(self) -> str:
        """All registers of the declaration, such as `u[2:5],space1`."""
        return self.memory.value + _range_text(self)


@dataclass(frozen=True, slots=True)
class BufferDeclaration:
    """A declared constant buffer; size in vectors of 16 bytes."""

    id: int
    lower: int
    upper: int
    space: int
    size: int
    instruction: Instruction

    @property
    def register(self) -> str:
        return f"b{self.lower}" + (f",space{self.space}" if self.space else "")

    @property
    def range(self) -> str:
        """All registers of the declaration, such as `b[2:5],space1`."""
        return "b" + _range_text(self)


def _range_text(d: ViewDeclaration | BufferDeclaration) -> str:
    upper = "*" if d.upper == UNBOUNDED else d.upper
    return f"[{d.lower}:{upper}]" + (f",space{d.space}" if d.space else "")


@dataclass(frozen=True, slots=True)
class SamplerDeclaration:
    """A declared sampler; mode: a number of SamplerMode."""

    id: int
    lower: int
    upper: int
    space: int
    mode: int
    instruction: Instruction

    @property
    def is_comparison(self) -> bool:
        return self.mode == SamplerMode.COMPARISON

    @property
    def default(self) -> SamplerState:
        """The state of a register without sampler: Direct3D's default, but comparing if it must."""
        name = "COMPARISON_MIN_MAG_MIP_LINEAR" if self.is_comparison else "MIN_MAG_MIP_LINEAR"
        return SamplerState(filter=name)

    @property
    def register(self) -> str:
        return f"s{self.lower}" + (f",space{self.space}" if self.space else "")


BoundDeclaration: TypeAlias = "BufferDeclaration | ViewDeclaration | SamplerDeclaration"
_MEMORIES = {"V": Memory.RESOURCE, "U": Memory.UAV}  # by the letter of a view's row


def declared_registers(
    program: Program,
) -> list[BoundDeclaration]:
    """Return what a program of any stage declares to be bound, in its order; nothing is checked.

    Raises:
        DecodeError: a declaration is malformed.
    """
    found: list[BoundDeclaration] = []
    for i in program.instructions:
        role = TABLE[i.opcode].declares
        if role in BOUND:
            found.append(BOUND[role](program, i))
    return found


def extra(i: Instruction, number: int) -> int:
    """Return a dword behind the operands of a declaration."""
    if number >= len(i.extra):
        raise DecodeError(f"declaration {i.opcode.name} is too short", i.location)
    return i.extra[number]


def declared_operand(i: Instruction) -> Operand:
    """Return what an instruction declares."""
    if not i.operands:
        raise DecodeError(f"declaration {i.opcode.name} has no operand", i.location)
    return i.operands[0]


def declared_number(i: Instruction) -> int:
    """Return the number of the register that an instruction declares."""
    indices = declared_operand(i).indices
    if not indices:
        raise DecodeError(f"declaration {i.opcode.name} has no register number", i.location)
    return indices[0].immediate


def _range(program: Program, i: Instruction, first_extra: int) -> tuple[int, int, int, int]:
    """Return (id, lower bound, upper bound, space); before 5.1 all bounds are the number."""
    indices = declared_operand(i).indices
    number = declared_number(i)
    if (program.major, program.minor) >= (5, 1):
        if len(indices) < 3:
            raise DecodeError("declaration without a register range", i.location)
        return number, indices[1].immediate, indices[2].immediate, extra(i, first_extra)
    return number, number, number, 0


def _view(program: Program, i: Instruction) -> ViewDeclaration:
    row = TABLE[i.opcode]
    has_stride = row.declares is Declares.STRUCTURED_VIEW
    is_typed = row.declares is Declares.TYPED_VIEW
    memory = _MEMORIES[row.sources[0].letter]
    number, lower, upper, space = _range(program, i, 1 if has_stride or is_typed else 0)
    dimension, types, stride = ResourceDimension.RAW_BUFFER, (), 1
    kind = ViewKind.RAW
    if is_typed:
        kind, dimension = ViewKind.TYPED, _dimension(i)
        types = tuple(extra(i, 0) >> 4 * n & 15 for n in range(4))
    elif has_stride:
        kind, dimension = ViewKind.STRUCTURED, ResourceDimension.STRUCTURED_BUFFER
        stride = extra(i, 0)
        if stride % 4 or not 0 < stride <= MAX_STRUCTURE_STRIDE:
            raise DecodeError(
                f"structure stride {stride} is not a multiple of 4 up to {MAX_STRUCTURE_STRIDE}",
                i.location,
            )
    counter = has_stride and memory is Memory.UAV and bool(i.controls >> 23 & 1)
    return ViewDeclaration(
        memory, number, lower, upper, space, kind, dimension, stride, types, counter, i
    )


def _dimension(i: Instruction) -> ResourceDimension:
    value = i.controls >> 11 & 31
    buffers = (ResourceDimension.RAW_BUFFER, ResourceDimension.STRUCTURED_BUFFER)
    if value not in set(ResourceDimension) or value == 0 or value in buffers:
        raise DecodeError(f"resource dimension {value} is not defined", i.location)
    return ResourceDimension(value)


def _buffer(program: Program, i: Instruction) -> BufferDeclaration:
    number, lower, upper, space = _range(program, i, 1)
    if (program.major, program.minor) >= (5, 1):
        size = extra(i, 0)
    else:
        indices = declared_operand(i).indices
        size = indices[1].immediate if len(indices) > 1 else 0
    return BufferDeclaration(number, lower, upper, space, size, i)


def _sampler(program: Program, i: Instruction) -> SamplerDeclaration:
    return SamplerDeclaration(*_range(program, i, 0), i.controls >> 11 & 15, i)


BOUND: dict[Declares | None, Callable[[Program, Instruction], BoundDeclaration]] = {
    Declares.TYPED_VIEW: _view,
    Declares.RAW_VIEW: _view,
    Declares.STRUCTURED_VIEW: _view,
    Declares.CONSTANT_BUFFER: _buffer,
    Declares.SAMPLER: _sampler,
}
"""How to read the declarations of what is bound."""
