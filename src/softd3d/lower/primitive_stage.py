"""What hull, domain and geometry shaders declare of the primitives that they work on.

Spec: D3D11.3 sections 10.6 (phases), 13.5 (streams), 22.3.2 to 22.3.8 and 22.3.13 to 22.3.20.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import IntEnum, StrEnum
from typing import TypeVar

from softd3d.classes import dataclass
from softd3d.errors import DecodeError
from softd3d.isa.limits import MAX_STREAMS
from softd3d.isa.roles import Declares
from softd3d.isa.sm4 import tokens
from softd3d.isa.sm4.enums import (
    Domain,
    OperandType,
    OutputPrimitive,
    Partitioning,
    Primitive,
    PrimitiveTopology,
    ProgramType,
)
from softd3d.isa.sm4.limits import (
    MAX_CONTROL_POINTS,
    MAX_GS_INSTANCES,
    MAX_GS_OUTPUT_VERTICES,
    MAX_STAGE_REGISTERS,
)
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.declared import declared_number, declared_operand, extra
from softd3d.lower.stage import StageRegister, stage_register

__all__ = ["IndexRange", "Phase", "PrimitiveDeclarations", "Stream", "read_primitive_declaration"]

_E = TypeVar("_E", bound=IntEnum)


class Phase(StrEnum):
    """A kind of phase of a hull shader."""

    CONTROL_POINT = "control_point"
    FORK = "fork"
    JOIN = "join"


@dataclass(frozen=True, slots=True)
class IndexRange:
    """Registers of a file that a computed number may name, `count` of them from `first` on."""

    file: OperandType
    first: int
    count: int
    components: tuple[int, ...]


@dataclass(slots=True)
class Stream:
    """A stream of a geometry shader. outputs: in their order; its vertices have these registers."""

    number: int
    topology: PrimitiveTopology = PrimitiveTopology.UNDEFINED
    outputs: list[StageRegister] = field(default_factory=list[StageRegister])


@dataclass(slots=True)
class PrimitiveDeclarations:
    """Declarations about primitives; what a stage does not have is undefined, 0 or empty.

    phase: of a program that is one phase of a hull shader (`lower/hull.py`). instances: how often
    the phase, or the geometry shader, runs for each primitive. input_points, output_points: control
    points of a patch. primitive, max_vertices, streams: of geometry shaders; before shader model
    5, and without declaration, all outputs are stream 0. ranges: of all stages. rows: of a phase,
    how many registers its whole program has of each file.
    """

    phase: Phase | None = None
    instances: int = 1
    input_points: int = 0
    output_points: int = 0
    domain: Domain = Domain.UNDEFINED
    partitioning: Partitioning = Partitioning.UNDEFINED
    output: OutputPrimitive = OutputPrimitive.UNDEFINED
    primitive: Primitive = Primitive.UNDEFINED
    max_vertices: int = 0
    streams: dict[int, Stream] = field(default_factory=dict[int, Stream])
    ranges: list[IndexRange] = field(default_factory=list[IndexRange])
    rows: Mapping[OperandType, int] = field(default_factory=dict[OperandType, int])
    _stream: int = field(default=0, init=False, repr=False)

    def stream(self) -> Stream:
        """Return the stream that declarations are about."""
        return self.streams.setdefault(self._stream, Stream(self._stream))

    def begin_stream(self, number: int) -> None:
        """Let the declarations that follow be about a stream."""
        self._stream = number
        self.stream()

    def in_range(self, file: OperandType, component: int) -> tuple[int, ...]:
        """Return the registers that a computed number may name, in ascending order."""
        numbers = {
            n for r in self.ranges if r.file is file and component in r.components
            for n in range(r.first, r.first + r.count)
        }  # fmt: skip
        return tuple(sorted(numbers))


def read_primitive_declaration(
    p: PrimitiveDeclarations, stage: ProgramType, i: Instruction
) -> None:
    """Read an instruction that may be such a declaration.

    Raises:
        DecodeError: it is malformed, or exceeds a limit of Direct3D.
    """
    role = TABLE[i.opcode].declares
    if role is Declares.OUTPUT and stage is ProgramType.GS:
        p.stream().outputs.append(stage_register(i))
        return
    read = _READ.get(role)
    if read is not None:
        read(p, i)


def _index_range(p: PrimitiveDeclarations, i: Instruction) -> None:
    operand, count = declared_operand(i), extra(i, 0)
    indices = operand.indices
    if not indices or any(index.relative is not None for index in indices):
        raise DecodeError("a range of registers has no number", i.location)
    first = indices[-1].immediate
    if not 0 < count <= MAX_STAGE_REGISTERS or first + count > MAX_STAGE_REGISTERS:
        raise DecodeError(
            f"a range of {count} registers from {first} on, at most {MAX_STAGE_REGISTERS} in all",
            i.location,
        )
    p.ranges.append(IndexRange(operand.type, first, count, operand.mask))


def _output_vertices(p: PrimitiveDeclarations, i: Instruction) -> None:
    p.max_vertices = _at_most(i, extra(i, 0), MAX_GS_OUTPUT_VERTICES, "vertices")


def _instances(p: PrimitiveDeclarations, i: Instruction) -> None:
    p.instances = extra(i, 0)
    if TABLE[i.opcode].stages == "gs":
        _at_most(i, p.instances, MAX_GS_INSTANCES, "instances")


def _input_points(p: PrimitiveDeclarations, i: Instruction) -> None:
    p.input_points = _control_points(i)


def _output_points(p: PrimitiveDeclarations, i: Instruction) -> None:
    p.output_points = _control_points(i)


def _control_points(i: Instruction) -> int:
    found = tokens.CONTROL_POINTS.get(i.controls)
    return _at_most(i, found, MAX_CONTROL_POINTS, "control points")


def _domain(p: PrimitiveDeclarations, i: Instruction) -> None:
    p.domain = _member(Domain, i, tokens.DOMAIN.get(i.controls))


def _partitioning(p: PrimitiveDeclarations, i: Instruction) -> None:
    p.partitioning = _member(Partitioning, i, tokens.PARTITIONING.get(i.controls))


def _output(p: PrimitiveDeclarations, i: Instruction) -> None:
    p.output = _member(OutputPrimitive, i, tokens.OUTPUT_PRIMITIVE.get(i.controls))


def _primitive(p: PrimitiveDeclarations, i: Instruction) -> None:
    p.primitive = _member(Primitive, i, tokens.INPUT_PRIMITIVE.get(i.controls))


def _topology(p: PrimitiveDeclarations, i: Instruction) -> None:
    found = _member(PrimitiveTopology, i, tokens.OUTPUT_TOPOLOGY.get(i.controls))
    p.stream().topology = found


def _begin_stream(p: PrimitiveDeclarations, i: Instruction) -> None:
    number = declared_number(i)
    if number >= MAX_STREAMS:
        raise DecodeError(f"stream m{number}, at most {MAX_STREAMS} streams", i.location)
    p.begin_stream(number)


def _at_most(i: Instruction, found: int, most: int, what: str) -> int:
    if found > most:
        raise DecodeError(f"{TABLE[i.opcode].mnemonic}: {found}, at most {most} {what}", i.location)
    return found


def _member(kind: type[_E], i: Instruction, value: int) -> _E:
    if value not in set(kind):
        raise DecodeError(f"{TABLE[i.opcode].mnemonic}: {value} is not defined", i.location)
    return kind(value)


_READ: dict[Declares | None, Callable[[PrimitiveDeclarations, Instruction], None]] = {
    Declares.INDEX_RANGE: _index_range,
    Declares.INPUT_PRIMITIVE: _primitive,
    Declares.OUTPUT_TOPOLOGY: _topology,
    Declares.OUTPUT_VERTICES: _output_vertices,
    Declares.STREAM: _begin_stream,
    Declares.INSTANCES: _instances,
    Declares.INPUT_CONTROL_POINTS: _input_points,
    Declares.OUTPUT_CONTROL_POINTS: _output_points,
    Declares.DOMAIN: _domain,
    Declares.PARTITIONING: _partitioning,
    Declares.OUTPUT_PRIMITIVE: _output,
}
