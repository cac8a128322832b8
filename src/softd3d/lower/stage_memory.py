"""Stage memory: what hull, domain and geometry shaders read of other invocations, and leave.

Each array is a raw view of uint32 words in memory that the draw owns. Their slots follow those of
the shader's own descriptors, in the order of `stage_arrays`:

| stage | arrays |
| --- | --- |
| geometry | `v`, `emitted` |
| hull, control point phase | `v` |
| hull, fork and join phases | `vicp`, `vocp`, `vpc` (read by join phases, and written) |
| domain | `vicp`, `vpc` |

An array without registers or vertices is left out. `v`, `vicp` and `vocp` are dense:
[primitive][vertex][register][4]; `vpc` is [primitive][register][4]. A vertex or register beyond the
array reads 0, also a computed one. All phases of a hull shader have arrays of one name in common.
`emitted` is [lane][vertex][1 + 4 * registers]: a header (`STREAM_BITS` and `STARTS_STRIP`) and the
registers; only components that the vertex's stream declares are written.

Besides registers such as `vPrim.x`, `vOutputControlPointID.x`, `vForkInstanceID.x`,
`vJoinInstanceID.x`, `vGSInstanceID.x` and `vDomain.x`, lanes have the inputs `primitive`, their
first index into all arrays but `emitted`, and of geometry shaders `lane`, that into `emitted`.
A geometry shader's only output is `emitted`, how many vertices it has; fork and join phases have
none; others have their registers, as `o1.x`. Which of the inputs are read is up to the program.

Spec: D3D11.3 sections 10.6 (hull shaders), 13.5 (streams), 22.17 (emit and cut).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from softd3d.classes import dataclass
from softd3d.errors import DecodeError
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sm4.enums import OperandType, Primitive, ProgramType, ResourceDimension
from softd3d.isa.sm4.limits import MAX_STAGE_REGISTERS
from softd3d.lower.declarations import Declarations
from softd3d.lower.primitive_stage import Phase
from softd3d.lower.registers import Key
from softd3d.lower.stage import StageRegister

__all__ = [
    "EMITTED",
    "LANE",
    "PRIMITIVE",
    "STARTS_STRIP",
    "STREAM_BITS",
    "StageArray",
    "StageMemory",
    "array_rows",
    "primitive_vertices",
    "stage_arrays",
]

PRIMITIVE, LANE = "primitive", "lane"
"""Inputs: the first index into arrays, and into emitted vertices."""
EMITTED: Key = ("emitted", 0, 0)
"""How many vertices a lane has emitted; its first word is the name of the output and the array."""
STREAM_BITS = 3
"""Of the header of an emitted vertex: the number of its stream."""
STARTS_STRIP = 1 << 31
"""Of the header of an emitted vertex: set if it is the first one of a strip."""

_T = OperandType
_NAMES: dict[OperandType, str] = {
    _T.INPUT: "v",
    _T.INPUT_CONTROL_POINT: "vicp",
    _T.OUTPUT_CONTROL_POINT: "vocp",
    _T.INPUT_PATCH_CONSTANT: "vpc",
}
_OF_CORNERS = {
    Primitive.POINT: 1,
    Primitive.LINE: 2,
    Primitive.TRIANGLE: 3,
    Primitive.LINE_ADJ: 4,
    Primitive.TRIANGLE_ADJ: 6,
}


@dataclass(frozen=True, slots=True)
class StageArray:
    """The layout of one array. Its first axis is the primitive, of emitted vertices the lane.

    vertices: length of the second axis, 0 if there is none (patch constants). registers: of each
    vertex. words: uint32 words of a vertex, of patch constants those of the primitive.
    """

    name: str
    vertices: int
    registers: int
    words: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape behind the first axis."""
        return (self.vertices, self.words) if self.vertices else (self.words,)

    @property
    def size(self) -> int:
        """Words of one primitive or lane."""
        return self.words * max(self.vertices, 1)


@dataclass(frozen=True, slots=True)
class StageMemory:
    """The arrays of a program that is to run with them. first: slot of the first one."""

    first: int
    arrays: tuple[StageArray, ...]

    def find(self, name: str) -> tuple[StageArray, View] | None:
        """Return an array and a view of it, None if the program has none of the name."""
        for n, array in enumerate(self.arrays):
            if array.name == name:
                return array, View(
                    Memory.UAV, name, self.first + n, ViewKind.RAW, ResourceDimension.RAW_BUFFER
                )
        return None

    def of_file(self, file: OperandType) -> tuple[StageArray, View] | None:
        """Return the array that operands of a register file read."""
        name = _NAMES.get(file)
        return None if name is None else self.find(name)


def stage_arrays(d: Declarations) -> tuple[StageArray, ...]:
    """Return the arrays of a stage, or of a phase of a hull shader, in the order of their slots.

    Other stages, and hull shaders as a whole, have none.

    Raises:
        DecodeError: a register number exceeds Direct3D's limit.
    """
    return tuple(a for a in _arrays(d) if a.words and (a.vertices or a.name == "vpc"))


def _arrays(d: Declarations) -> Iterator[StageArray]:
    p = d.primitives
    if d.stage is ProgramType.GS:
        yield _array(d, _T.INPUT, primitive_vertices(p.primitive))
        every = [r for stream in p.streams.values() for r in stream.outputs]
        rows = array_rows(every)
        yield StageArray(EMITTED[0], p.max_vertices, rows, 1 + 4 * rows)
    elif p.phase is Phase.CONTROL_POINT:
        yield _array(d, _T.INPUT, p.input_points)
    elif p.phase is not None or d.stage is ProgramType.DS:
        yield _array(d, _T.INPUT_CONTROL_POINT, p.input_points)
        if p.phase is not None:
            yield _array(d, _T.OUTPUT_CONTROL_POINT, p.output_points)
        yield _array(d, _T.INPUT_PATCH_CONSTANT, 0)


def _array(d: Declarations, file: OperandType, vertices: int) -> StageArray:
    registers = d.primitives.rows.get(file)
    if registers is None:
        is_constant = file is _T.INPUT_PATCH_CONSTANT
        registers = array_rows(
            r for r in d.inputs if r.file is file and (is_constant or r.vertices)
        )
    return StageArray(_NAMES[file], vertices, registers, 4 * registers)


def array_rows(registers: Iterable[StageRegister]) -> int:
    """Return how many registers an array needs that has some of them.

    Raises:
        DecodeError: a number exceeds Direct3D's limit.
    """
    rows = 0
    for r in registers:
        if r.number >= MAX_STAGE_REGISTERS:
            raise DecodeError(f"{r.name}: at most {MAX_STAGE_REGISTERS} registers", r.location)
        rows = max(rows, r.number + 1)
    return rows


def primitive_vertices(primitive: Primitive) -> int:
    """Return how many vertices a primitive has that a geometry shader takes, 0 if undefined.

    >>> primitive_vertices(Primitive.TRIANGLE_ADJ), primitive_vertices(Primitive.PATCH_5)
    (6, 5)
    """
    if primitive >= Primitive.PATCH_1:
        return primitive - Primitive.PATCH_1 + 1
    return _OF_CORNERS.get(primitive, 0)
