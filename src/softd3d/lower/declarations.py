"""What a program declares: registers, memory, thread group size, in one typed object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from softd3d.errors import DecodeError, LoweringError
from softd3d.isa.limits import MAX_STRUCTURE_STRIDE
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.roles import Declares
from softd3d.isa.row import Kind
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    GlobalFlags,
    ProgramType,
    ResourceDimension,
    SamplerMode,
)
from softd3d.isa.sm4.limits import MAX_TEMPS, limits
from softd3d.isa.sm4.program import Instruction, Operand, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.isa.sm4.tokens import UNBOUNDED

__all__ = [
    "BufferDeclaration",
    "Declarations",
    "SamplerDeclaration",
    "ViewDeclaration",
    "declared_registers",
    "read_declarations",
]

_K = TypeVar("_K")
_V = TypeVar("_V")


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


@dataclass(slots=True)
class Declarations:
    """Everything that the dcl_* instructions and custom data of a program say."""

    temps: int = 0
    indexable: dict[int, View] = field(default_factory=dict[int, View])
    shared: dict[int, View] = field(default_factory=dict[int, View])
    views: dict[tuple[Memory, int], ViewDeclaration] = field(
        default_factory=dict[tuple[Memory, int], ViewDeclaration]
    )
    buffers: dict[int, BufferDeclaration] = field(default_factory=dict[int, BufferDeclaration])
    samplers: dict[int, SamplerDeclaration] = field(default_factory=dict[int, SamplerDeclaration])
    immediate_constants: tuple[int, ...] = ()
    group_size: tuple[int, int, int] = (0, 0, 0)
    flags: GlobalFlags = field(default_factory=lambda: GlobalFlags(0))

    @property
    def shared_bytes(self) -> int:
        return sum(v.size for v in self.shared.values())

    def ranges(
        self, memory: Memory, id_: int | None
    ) -> list[ViewDeclaration] | list[BufferDeclaration]:
        """Return the declaration of a t#, u# or cb range, or all of the kind if `id_` is None.

        Raises:
            DecodeError: there is none.
        """
        if memory is Memory.CONSTANT:
            found = [b for b in self.buffers.values() if id_ in (None, b.id)]
        else:
            found = [v for v in self.views.values() if v.memory is memory and id_ in (None, v.id)]
        if not found:
            number = "#" if id_ is None else id_
            raise DecodeError(f"{memory.value}{number} is not declared")
        return found

    @property
    def threads(self) -> int:
        x, y, z = self.group_size
        return x * y * z


_VIEWS = frozenset({Declares.TYPED_VIEW, Declares.RAW_VIEW, Declares.STRUCTURED_VIEW})
_MEMORIES = {"V": Memory.RESOURCE, "U": Memory.UAV}  # by the letter of a view's row


def read_declarations(program: Program) -> Declarations:
    """Collect the declarations of a compute program and check their limits.

    Raises:
        LoweringError: a stage other than compute.
        DecodeError: a declaration that contradicts another or exceeds a limit of Direct3D.
    """
    if program.type is not ProgramType.CS:
        raise LoweringError(f"{program.profile}: only compute shaders can be run yet")
    d = Declarations()
    for instruction in program.instructions:
        _check_stage(program, instruction)
        _read(d, program, instruction)
    _check(d, program)
    return d


def declared_registers(
    program: Program,
) -> list[BufferDeclaration | ViewDeclaration | SamplerDeclaration]:
    """Return what a program of any stage declares to be bound, in its order; nothing is checked.

    Raises:
        DecodeError: a declaration is malformed.
    """
    found: list[BufferDeclaration | ViewDeclaration | SamplerDeclaration] = []
    for i in program.instructions:
        role = TABLE[i.opcode].declares
        if role in _VIEWS:
            found.append(_view(program, i))
        elif role is Declares.CONSTANT_BUFFER:
            found.append(_buffer(program, i))
        elif role is Declares.SAMPLER:
            found.append(_sampler(program, i))
    return found


def _check_stage(program: Program, i: Instruction) -> None:
    row = TABLE[i.opcode]
    if row.kind in (Kind.PURE, Kind.EFFECT) and row.stages != "all":
        stage = program.type.name.lower()
        if stage not in row.stages.split():
            raise DecodeError(f"{row.mnemonic} is no instruction of {program.profile}", i.location)


def _read(d: Declarations, program: Program, i: Instruction) -> None:
    role = TABLE[i.opcode].declares
    if role in _VIEWS:
        view = _view(program, i)
        _once(d.views, (view.memory, view.id), view, i)
    elif role is Declares.CONSTANT_BUFFER:
        buffer = _buffer(program, i)
        _once(d.buffers, buffer.id, buffer, i)
    elif role is Declares.TEMPS:
        d.temps = max(d.temps, _extra(i, 0))
    elif role is Declares.INDEXABLE_TEMP:
        number, count, components = (_extra(i, n) for n in range(3))
        _once(d.indexable, number, _indexable(number, count, components, i), i)
    elif role is Declares.THREAD_GROUP:
        d.group_size = (_extra(i, 0), _extra(i, 1), _extra(i, 2))
    elif role in (Declares.RAW_SHARED_MEMORY, Declares.STRUCTURED_SHARED_MEMORY):
        view = _shared(i, len(d.shared))
        _once(d.shared, _number(i), view, i)
    elif role is Declares.GLOBAL_FLAGS:
        d.flags = GlobalFlags(i.controls)
    elif role is Declares.SAMPLER:
        sampler = _sampler(program, i)
        _once(d.samplers, sampler.id, sampler, i)
    elif i.custom_class == CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER:
        d.immediate_constants = i.custom


def _once(table: dict[_K, _V], key: _K, value: _V, i: Instruction) -> None:
    if key in table:
        raise DecodeError("a register is declared twice", i.location)
    table[key] = value


def _extra(i: Instruction, number: int) -> int:
    if number >= len(i.extra):
        raise DecodeError(f"declaration {i.opcode.name} is too short", i.location)
    return i.extra[number]


def _operand(i: Instruction) -> Operand:
    if not i.operands:
        raise DecodeError(f"declaration {i.opcode.name} has no operand", i.location)
    return i.operands[0]


def _number(i: Instruction) -> int:
    indices = _operand(i).indices
    if not indices:
        raise DecodeError(f"declaration {i.opcode.name} has no register number", i.location)
    return indices[0].immediate


def _range(program: Program, i: Instruction, first_extra: int) -> tuple[int, int, int, int]:
    """Return (id, lower bound, upper bound, space); before 5.1 all bounds are the number."""
    indices = _operand(i).indices
    number = _number(i)
    if (program.major, program.minor) >= (5, 1):
        if len(indices) < 3:
            raise DecodeError("declaration without a register range", i.location)
        return number, indices[1].immediate, indices[2].immediate, _extra(i, first_extra)
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
        types = tuple(_extra(i, 0) >> 4 * n & 15 for n in range(4))
    elif has_stride:
        kind, dimension = ViewKind.STRUCTURED, ResourceDimension.STRUCTURED_BUFFER
        stride = _extra(i, 0)
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
        size = _extra(i, 0)
    else:
        indices = _operand(i).indices
        size = indices[1].immediate if len(indices) > 1 else 0
    return BufferDeclaration(number, lower, upper, space, size, i)


def _sampler(program: Program, i: Instruction) -> SamplerDeclaration:
    return SamplerDeclaration(*_range(program, i, 0), i.controls >> 11 & 15, i)


def _indexable(number: int, count: int, components: int, i: Instruction) -> View:
    if not 1 <= components <= 4 or not 0 < count <= MAX_TEMPS:
        raise DecodeError(f"x{number}[{count}] of {components} components", i.location)
    return View(
        Memory.INDEXABLE_TEMP, f"x{number}", number, ViewKind.STRUCTURED,
        ResourceDimension.BUFFER, stride=16, size=16 * count,
    )  # fmt: skip


def _shared(i: Instruction, slot: int) -> View:
    name = f"g{_number(i)}"
    if TABLE[i.opcode].declares is Declares.RAW_SHARED_MEMORY:
        size, stride, kind = _extra(i, 0), 1, ViewKind.RAW
        dimension = ResourceDimension.RAW_BUFFER
    else:
        stride, size = _extra(i, 0), _extra(i, 0) * _extra(i, 1)
        kind, dimension = ViewKind.STRUCTURED, ResourceDimension.STRUCTURED_BUFFER
    if size == 0 or size % 4 or stride == 0 or (kind is ViewKind.STRUCTURED and stride % 4):
        raise DecodeError(f"{name}: {size} bytes of stride {stride}", i.location)
    return View(Memory.GROUP_SHARED, name, slot, kind, dimension, stride, size=size)


def _check(d: Declarations, program: Program) -> None:
    most = limits(program.type, (program.major, program.minor))
    if not 0 < d.threads <= most.group_threads or d.group_size[2] > most.group_size[2]:
        raise DecodeError(
            f"thread group {d.group_size} is not 1 to {most.group_threads} threads in "
            f"{program.profile}"
        )
    if d.shared_bytes > most.shared_bytes:
        raise DecodeError(
            f"{d.shared_bytes} bytes of group-shared memory, at most {most.shared_bytes}"
        )
    total = d.temps + sum(v.size // 16 for v in d.indexable.values())
    if total > MAX_TEMPS:
        raise DecodeError(f"{total} temps, at most {MAX_TEMPS}")
