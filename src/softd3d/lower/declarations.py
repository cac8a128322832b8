"""What a program declares: its stage, registers, memory and bindings, in one typed object."""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

from softd3d.classes import dataclass
from softd3d.errors import DecodeError
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.roles import Declares
from softd3d.isa.row import Kind
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    GlobalFlags,
    ProgramType,
    ResourceDimension,
)
from softd3d.isa.sm4.limits import MAX_TEMPS, limits
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.declared import (
    BOUND,
    BoundDeclaration,
    BufferDeclaration,
    SamplerDeclaration,
    ViewDeclaration,
    declared_number,
    extra,
)
from softd3d.lower.primitive_stage import PrimitiveDeclarations, read_primitive_declaration
from softd3d.lower.stage import StageRegister, stage_register

__all__ = ["Declarations", "read_declarations"]

_K = TypeVar("_K")
_V = TypeVar("_V")


@dataclass(slots=True)
class Declarations:
    """Everything that the dcl_* instructions and custom data of a program say.

    inputs, outputs: in their order; a register may be declared in several pieces, and in each phase
    of a hull shader. group_size: the thread group of a compute shader; others have none.
    primitives: what hull, domain and geometry shaders say of theirs; index ranges of all stages.
    """

    stage: ProgramType = ProgramType.CS
    inputs: list[StageRegister] = field(default_factory=list[StageRegister])
    outputs: list[StageRegister] = field(default_factory=list[StageRegister])
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
    primitives: PrimitiveDeclarations = field(default_factory=PrimitiveDeclarations)

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


def read_declarations(program: Program) -> Declarations:
    """Collect the declarations of a program of any stage and check their limits.

    Raises:
        DecodeError: a declaration that contradicts another or exceeds a limit of Direct3D.
    """
    d = Declarations(program.type)
    for instruction in program.instructions:
        _check_stage(program, instruction)
        _read(d, program, instruction)
    _check(d, program)
    return d


def _check_stage(program: Program, i: Instruction) -> None:
    row = TABLE[i.opcode]
    if row.kind in (Kind.PURE, Kind.EFFECT) and row.stages != "all":
        stage = program.type.name.lower()
        if stage not in row.stages.split():
            raise DecodeError(f"{row.mnemonic} is no instruction of {program.profile}", i.location)


def _read(d: Declarations, program: Program, i: Instruction) -> None:
    role = TABLE[i.opcode].declares
    read_primitive_declaration(d.primitives, d.stage, i)
    if role in BOUND:
        _read_bound(d, BOUND[role](program, i), i)
    elif role is Declares.INPUT:
        d.inputs.append(stage_register(i))
    elif role is Declares.OUTPUT:
        d.outputs.append(stage_register(i))
    elif role in (Declares.TEMPS, Declares.INDEXABLE_TEMP):
        _read_temps(d, role, i)
    elif role is Declares.THREAD_GROUP:
        d.group_size = (extra(i, 0), extra(i, 1), extra(i, 2))
    elif role in (Declares.RAW_SHARED_MEMORY, Declares.STRUCTURED_SHARED_MEMORY):
        view = _shared(i, len(d.shared))
        _once(d.shared, declared_number(i), view, i)
    elif role is Declares.GLOBAL_FLAGS:
        d.flags = GlobalFlags(i.controls)
    elif i.custom_class == CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER:
        d.immediate_constants = i.custom


def _read_bound(d: Declarations, found: BoundDeclaration, i: Instruction) -> None:
    if isinstance(found, ViewDeclaration):
        _once(d.views, (found.memory, found.id), found, i)
    elif isinstance(found, BufferDeclaration):
        _once(d.buffers, found.id, found, i)
    else:
        _once(d.samplers, found.id, found, i)


def _read_temps(d: Declarations, role: Declares, i: Instruction) -> None:
    if role is Declares.TEMPS:
        d.temps = max(d.temps, extra(i, 0))
        return
    number, count, components = (extra(i, n) for n in range(3))
    if d.stage is ProgramType.HS:  # each phase has its own
        d.indexable.pop(number, None)
    _once(d.indexable, number, _indexable(number, count, components, i), i)


def _once(table: dict[_K, _V], key: _K, value: _V, i: Instruction) -> None:
    if key in table:
        raise DecodeError("a register is declared twice", i.location)
    table[key] = value


def _indexable(number: int, count: int, components: int, i: Instruction) -> View:
    if not 1 <= components <= 4 or not 0 < count <= MAX_TEMPS:
        raise DecodeError(f"x{number}[{count}] of {components} components", i.location)
    return View(
        Memory.INDEXABLE_TEMP, f"x{number}", number, ViewKind.STRUCTURED,
        ResourceDimension.BUFFER, stride=16, size=16 * count,
    )  # fmt: skip


def _shared(i: Instruction, slot: int) -> View:
    name = f"g{declared_number(i)}"
    if TABLE[i.opcode].declares is Declares.RAW_SHARED_MEMORY:
        size, stride, kind = extra(i, 0), 1, ViewKind.RAW
        dimension = ResourceDimension.RAW_BUFFER
    else:
        stride, size = extra(i, 0), extra(i, 0) * extra(i, 1)
        kind, dimension = ViewKind.STRUCTURED, ResourceDimension.STRUCTURED_BUFFER
    if size == 0 or size % 4 or stride == 0 or (kind is ViewKind.STRUCTURED and stride % 4):
        raise DecodeError(f"{name}: {size} bytes of stride {stride}", i.location)
    return View(Memory.GROUP_SHARED, name, slot, kind, dimension, stride, size=size)


def _check(d: Declarations, program: Program) -> None:
    if d.stage is ProgramType.CS:
        _check_group(d, program)
    total = d.temps + sum(v.size // 16 for v in d.indexable.values())
    if total > MAX_TEMPS:
        raise DecodeError(f"{total} temps, at most {MAX_TEMPS}")


def _check_group(d: Declarations, program: Program) -> None:
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
