"""Random programs in which every instruction has the operands that its row asks for."""

from __future__ import annotations

from hypothesis import strategies as st

from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sm4.enums import (
    Opcode,
    OperandModifier,
    OperandType,
    ProgramType,
    ResourceDimension,
    ReturnType,
    SelectionMode,
)
from softd3d.isa.sm4.program import Index, Instruction, Operand, Program
from softd3d.isa.sm4.rows import TABLE

__all__ = ["programs"]

_T = OperandType
_VERSIONS = [(4, 0), (4, 1), (5, 0), (5, 1)]
# Registers with how many indices they have; ranges one more in 5.1
_REGISTERS = {
    _T.TEMP: 1, _T.INPUT: 1, _T.OUTPUT: 1, _T.INDEXABLE_TEMP: 2, _T.CONSTANT_BUFFER: 2,
    _T.IMMEDIATE_CONSTANT_BUFFER: 1, _T.RESOURCE: 1, _T.SAMPLER: 1, _T.UNORDERED_ACCESS_VIEW: 1,
    _T.THREAD_GROUP_SHARED_MEMORY: 1, _T.INPUT_THREAD_ID: 0, _T.INPUT_CONTROL_POINT: 2,
    _T.OUTPUT_CONTROL_POINT: 2, _T.INPUT_PATCH_CONSTANT: 1, _T.INPUT_DOMAIN_POINT: 0,
}  # fmt: skip
_RANGES = (_T.CONSTANT_BUFFER, _T.RESOURCE, _T.SAMPLER, _T.UNORDERED_ACCESS_VIEW)
_LITERALS = st.integers(0, 0xFFFFFFFF) | st.sampled_from([0, 1, 0x3F800000, 0x7FC00001, 1 << 31])
_ROWS: list[Row] = [
    row
    for row in TABLE.rows.values()
    if row.kind is not Kind.DECLARATION
    and Opcode(row.opcode) not in (Opcode.INTERFACE_CALL, Opcode.SAMPLE_POS)
]
_DIMENSIONS = st.sampled_from([d for d in ResourceDimension if d])
_TYPES = st.sampled_from([kind for kind in ReturnType if kind < ReturnType.CONTINUED])


def _selections() -> st.SearchStrategy[tuple[SelectionMode, tuple[int, ...]]]:
    component = st.integers(0, 3)
    swizzle = st.tuples(st.just(SelectionMode.SWIZZLE), st.tuples(*[component] * 4))
    return swizzle | st.tuples(st.just(SelectionMode.SELECT_1), st.tuples(component))


def _masks() -> st.SearchStrategy[tuple[SelectionMode, tuple[int, ...]]]:
    sets = st.sets(st.integers(0, 3), min_size=1).map(lambda found: tuple(sorted(found)))
    return st.tuples(st.just(SelectionMode.MASK), sets)


@st.composite
def _indices(draw: st.DrawFn, count: int) -> tuple[Index, ...]:
    found = [Index(draw(st.integers(0, 4095))) for _ in range(count)]
    if count and draw(st.booleans()):
        register = Operand(_T.TEMP, 4, SelectionMode.SELECT_1, (draw(st.integers(0, 3)),),
                           (Index(draw(st.integers(0, 99))),))  # fmt: skip
        offset = draw(st.integers(0, 3))
        found[-1] = Index(offset, register, 3 if offset else 2)
    return tuple(found)


@st.composite
def _operands(draw: st.DrawFn, is_source: bool, version: tuple[int, int]) -> Operand:
    if is_source and draw(st.integers(0, 3)) == 0:
        count = draw(st.sampled_from([1, 4]))
        immediate = tuple(draw(_LITERALS) for _ in range(count))
        return Operand(_T.IMMEDIATE32, count, immediate=immediate)
    kind = draw(st.sampled_from(list(_REGISTERS)))
    count = _REGISTERS[kind] + (version >= (5, 1) and kind in _RANGES)
    mode, selection = draw(_selections() if is_source else _masks())
    modifier, non_uniform = OperandModifier.NONE, False
    if is_source:
        modifier = draw(st.sampled_from(OperandModifier))
        non_uniform = draw(st.integers(0, 9)) == 0
    precision = draw(st.sampled_from([0] * 9 + [1, 2, 4, 5]))
    indices = draw(_indices(count))
    return Operand(kind, 4, mode, selection, indices, modifier, precision, non_uniform)


@st.composite
def _instructions(draw: st.DrawFn, version: tuple[int, int]) -> Instruction:
    row = draw(st.sampled_from(_ROWS))
    operands = [draw(_operands(False, version)) for _ in row.destinations]
    operands += [draw(_operands(True, version)) for _ in row.sources]
    controls = 0
    if Controls.SATURATE in row.controls:
        controls |= draw(st.integers(0, 1)) << 13
    if Controls.PRECISE in row.controls:
        controls |= draw(st.integers(0, 15)) << 19
    if Controls.TEST in row.controls:
        controls |= draw(st.integers(0, 1)) << 18
        if Opcode(row.opcode) is Opcode.DISCARD:
            controls |= 1 << 18  # the old dialect does not tell
    if Controls.RESINFO_TYPE in row.controls:
        controls |= draw(st.integers(0, 2)) << 11
    instruction = Instruction(Opcode(row.opcode), tuple(operands), controls)
    if Controls.OFFSETS not in row.controls:
        return instruction
    offsets = draw(st.just((0, 0, 0)) | st.tuples(*[st.integers(-8, 7)] * 3))
    dimension = draw(st.none() | _DIMENSIONS)
    types = draw(st.tuples(*[_TYPES] * 4)) if dimension is not None else ()
    return Instruction(
        Opcode(row.opcode), tuple(operands), controls, (), None, (), offsets, dimension,
        0, types,
    )  # fmt: skip


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Return a program of up to six instructions of any version and stage."""
    version = draw(st.sampled_from(_VERSIONS))
    stage = draw(st.sampled_from(ProgramType))
    instructions = draw(st.lists(_instructions(version), max_size=6))
    return Program(stage, *version, tuple(instructions))
