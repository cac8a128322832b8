"""Rules of declared inputs, outputs, index ranges and of what a whole phase or program declares.

Spec: D3D11.3 functional specification 22.3.10 to 22.3.33, 10.10, chapters 23 and 24.
"""

from __future__ import annotations

from itertools import pairwise

from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    InterpolationMode,
    Opcode,
    OperandType,
    Primitive,
    PrimitiveTopology,
    ProgramType,
    SystemName,
)
from softd3d.isa.sm4.limits import (
    MAX_CLIP_AND_CULL_DISTANCES,
    MAX_CLIP_AND_CULL_REGISTERS,
    MAX_GS_OUTPUT_SCALARS,
    MAX_GS_OUTPUT_VERTICES,
    MAX_TEMPS,
)
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.validate.declared import Declared, is_output
from softd3d.isa.sm4.validate.facts import Element, IndexRange
from softd3d.isa.sm4.validate.phases import Context, Phase, PhaseKind

__all__ = ["check_elements", "check_limits", "check_needed", "check_ranges"]

_O, _T, _N = Opcode, OperandType, SystemName
_FACTORS = frozenset(name for name in SystemName if name >= _N.FINAL_QUAD_U_EQ_0_EDGE_TESSFACTOR)
_RASTERIZED = frozenset(
    {
        _N.POSITION, _N.CLIP_DISTANCE, _N.CULL_DISTANCE, _N.RENDER_TARGET_ARRAY_INDEX,
        _N.VIEWPORT_ARRAY_INDEX,
    }
)  # fmt: skip
# System values by stage and side; outputs of hull shaders are checked by phase
_ALLOWED: dict[tuple[ProgramType, bool], frozenset[SystemName]] = {
    (ProgramType.VS, False): frozenset({_N.VERTEX_ID, _N.INSTANCE_ID}),
    (ProgramType.VS, True): _RASTERIZED,
    (ProgramType.HS, False): _RASTERIZED | {_N.PRIMITIVE_ID},
    (ProgramType.HS, True): _RASTERIZED | _FACTORS,
    (ProgramType.DS, False): _RASTERIZED | _FACTORS | {_N.PRIMITIVE_ID},
    (ProgramType.DS, True): _RASTERIZED,
    (ProgramType.GS, False): _RASTERIZED | {_N.PRIMITIVE_ID, _N.INSTANCE_ID, _N.VERTEX_ID},
    (ProgramType.GS, True): _RASTERIZED | {_N.PRIMITIVE_ID, _N.IS_FRONT_FACE},
    (ProgramType.PS, False): _RASTERIZED
    | {_N.PRIMITIVE_ID, _N.IS_FRONT_FACE, _N.SAMPLE_INDEX, _N.INSTANCE_ID, _N.VERTEX_ID},
}
_GENERATED = frozenset(
    {_N.VERTEX_ID, _N.INSTANCE_ID, _N.PRIMITIVE_ID, _N.IS_FRONT_FACE, _N.SAMPLE_INDEX}
)
_DISTANCES = frozenset({_N.CLIP_DISTANCE, _N.CULL_DISTANCE})
_POSITION_MASK = 0xF
_DEPTHS = frozenset({_T.OUTPUT_DEPTH, _T.OUTPUT_DEPTH_GREATER_EQUAL, _T.OUTPUT_DEPTH_LESS_EQUAL})
_NUMBERED = frozenset(
    {
        _T.INPUT, _T.OUTPUT, _T.INPUT_CONTROL_POINT, _T.OUTPUT_CONTROL_POINT,
        _T.INPUT_PATCH_CONSTANT,
    }
)  # fmt: skip


def check_elements(c: Context) -> None:
    """Check the inputs and outputs of a phase, each and against each other."""
    registers: dict[tuple[OperandType, int, int], list[Element]] = {}
    for element in c.declared.elements:
        _check_element(c, element)
        key = element.type, element.register, element.stream
        registers.setdefault(key, []).append(element)
    for elements in registers.values():
        _check_register(c, elements)
    _check_distances(c)
    _check_factors(c)
    depths = [e for e in c.declared.elements if e.type in _DEPTHS]
    for e in depths[1:]:
        c.add("DCL-044", f": {depths[0].type.name} is declared already", e.instruction)
    coverage = {(_T.INPUT_COVERAGE_MASK, 0), (_T.INNER_COVERAGE, 0)}
    if coverage <= c.declared.masks.keys():
        where = next(e for e in c.declared.elements if e.type is _T.INNER_COVERAGE)
        c.add("DCL-037", ": vCoverage is declared too", where.instruction)


def _check_element(c: Context, e: Element) -> None:
    i = e.instruction
    if i.operands[0].components == 4 and not e.mask:
        c.add("DCL-009", ": no components", i)
    if e.type in _NUMBERED and not c.is_library:
        out = e.type is _T.OUTPUT
        limit = c.limits.outputs if out else c.limits.inputs
        if e.register >= limit:
            c.add("DCL-006", f": register {e.register}, wanted one below {limit}", i)
    if c.program.type is ProgramType.PS and not is_output(e) and i.opcode is not _O.DCL_INPUT:
        _check_interpolation(c, e)
    if i.extra:
        _check_system_value(c, e)


def _check_interpolation(c: Context, e: Element) -> None:
    if e.interpolation > max(InterpolationMode) or (
        e.interpolation == InterpolationMode.UNDEFINED and e.instruction.opcode is _O.DCL_INPUT_PS
    ):
        c.add("DCL-012", f": interpolation mode {e.interpolation} is not defined", e.instruction)
    elif e.interpolation >= InterpolationMode.LINEAR_SAMPLE and c.version < (4, 1):
        c.add("DCL-012", ": interpolation at samples needs version 4.1", e.instruction)


def _check_system_value(c: Context, e: Element) -> None:
    i = e.instruction
    allowed = _ALLOWED.get((c.program.type, is_output(e)), frozenset())
    if e.type is _T.OUTPUT_DEPTH:
        return
    if e.name not in allowed:
        name = SystemName(e.name).name if e.name in set(SystemName) else str(e.name)
        side = "an output" if is_output(e) else "an input"
        c.add("DCL-011", f": {name} is no system value of {side} of {c.program.profile}", i)
    elif e.name in _GENERATED and e.mask.bit_count() > 1:
        c.add("DCL-009", f": {SystemName(e.name).name} is one component, found "
              f"{e.mask.bit_count()}", i)  # fmt: skip
    elif e.name == _N.POSITION and is_output(e) and e.mask != _POSITION_MASK:
        c.add("DCL-009", ": POSITION is four components", i)


def _check_register(c: Context, elements: list[Element]) -> None:
    """Check declarations of one register: no shared components, plain ones to the left."""
    taken = 0
    mode = None
    for e in elements:
        if e.mask & taken and e.type in _NUMBERED:
            c.add("DCL-008", ": a component is declared already", e.instruction)
        taken |= e.mask
        if c.program.type is ProgramType.PS and not is_output(e):
            if mode is not None and e.interpolation != mode:
                c.add("DCL-012", ": the register has another interpolation mode already",
                      e.instruction)  # fmt: skip
            mode = e.interpolation if mode is None else mode
    plain = max((e.mask.bit_length() for e in elements if e.name == _N.UNDEFINED), default=0)
    for e in elements:
        lowest = (e.mask & -e.mask).bit_length()
        if e.name != _N.UNDEFINED and e.name not in _FACTORS and lowest < plain:
            c.add("DCL-010", ": a plain component lies right of it", e.instruction)


def _check_distances(c: Context) -> None:
    groups: dict[tuple[bool, int], list[Element]] = {}
    for e in c.declared.elements:
        if e.name in _DISTANCES:
            groups.setdefault((is_output(e), e.stream), []).append(e)
    for mine in groups.values():
        count = sum(e.mask.bit_count() for e in mine)
        registers = len({e.register for e in mine})
        if count > MAX_CLIP_AND_CULL_DISTANCES or registers > MAX_CLIP_AND_CULL_REGISTERS:
            c.add("DCL-036", f": {count} clip and cull distances in {registers} registers",
                      mine[-1].instruction)  # fmt: skip


def _check_factors(c: Context) -> None:
    """Check that factors of one group lie in one component of registers that follow each other."""
    groups = (
        range(_N.FINAL_QUAD_U_EQ_0_EDGE_TESSFACTOR, _N.FINAL_QUAD_U_INSIDE_TESSFACTOR),
        range(_N.FINAL_QUAD_U_INSIDE_TESSFACTOR, _N.FINAL_TRI_U_EQ_0_EDGE_TESSFACTOR),
        range(_N.FINAL_TRI_U_EQ_0_EDGE_TESSFACTOR, _N.FINAL_TRI_INSIDE_TESSFACTOR),
    )
    for group in groups:
        found = sorted(
            (e for e in c.declared.elements if e.name in group), key=lambda e: (e.name, e.register)
        )
        for before, after in pairwise(found):
            apart = after.register - before.register, after.name - before.name
            if apart[0] != apart[1] or before.mask != after.mask:
                c.add("DCL-038", ": it is not in the component and register after the one before",
                      after.instruction)  # fmt: skip


def check_ranges(c: Context) -> None:
    """Check index ranges: declared registers, no overlap, no pixel shader outputs."""
    outputs = [r for r in c.declared.ranges if r.type is _T.OUTPUT]
    if c.program.type is ProgramType.PS:
        for r in outputs:
            c.add("DCL-032", ": outputs of pixel shaders have no index ranges", r.instruction)
    for r in c.declared.ranges:
        missing = _missing(c.declared, r)
        if r.count < 2:
            c.add("DCL-032", f": {r.count} registers, wanted at least 2", r.instruction)
        elif missing is not None:
            c.add("DCL-032", f": register {missing} is not declared", r.instruction)
    ordered = sorted(c.declared.ranges, key=lambda r: (r.type, r.first))
    for before, after in pairwise(ordered):
        shares = before.type is after.type and before.mask & after.mask
        if shares and before.first + before.count > after.first:
            c.add("DCL-032", ": it overlaps another range", after.instruction)


def _missing(declared: Declared, r: IndexRange) -> int | None:
    """Return an end of a range that is not declared; between them there may be gaps."""
    ends = r.first, r.first + r.count - 1
    return next((n for n in ends if (r.type, n) not in declared.masks), None)


_NEEDED: dict[ProgramType, tuple[Opcode, ...]] = {
    ProgramType.GS: (
        _O.DCL_GS_INPUT_PRIMITIVE, _O.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY,
        _O.DCL_MAX_OUTPUT_VERTEX_COUNT,
    ),
    ProgramType.HS: (
        _O.DCL_INPUT_CONTROL_POINT_COUNT, _O.DCL_OUTPUT_CONTROL_POINT_COUNT, _O.DCL_TESS_DOMAIN,
        _O.DCL_TESS_PARTITIONING, _O.DCL_TESS_OUTPUT_PRIMITIVE,
    ),
    ProgramType.DS: (_O.DCL_TESS_DOMAIN,),
    ProgramType.CS: (_O.DCL_THREAD_GROUP,),
}  # fmt: skip


_EMITS = frozenset(
    {
        _O.EMIT, _O.CUT, _O.EMITTHENCUT, _O.EMIT_STREAM, _O.CUT_STREAM, _O.EMITTHENCUT_STREAM,
    }
)  # fmt: skip


def check_needed(c: Context) -> None:
    """Check that the program's first phase declares what its stage needs."""
    if c.phase.kind not in (PhaseKind.MAIN, PhaseKind.DECLARATIONS):
        return
    for opcode in _NEEDED.get(c.program.type, ()):
        if opcode not in c.declared.counts and not _is_without_output(c, opcode):
            message = f"{c.program.profile}: {opcode.name.lower()} is missing"
            c.report.add("SM4-DCL-003", message, c.phase.start.location)


def _is_without_output(c: Context, opcode: Opcode) -> bool:
    """Tell whether a declaration is of what a geometry shader emits, and it emits nothing."""
    if opcode is not _O.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY:
        return False
    return not any(i.opcode in _EMITS for i in c.phase.body)


_VERTICES: dict[int, int] = {
    Primitive.POINT: 1, Primitive.LINE: 2, Primitive.TRIANGLE: 3, Primitive.LINE_ADJ: 4,
    Primitive.TRIANGLE_ADJ: 6,
}  # fmt: skip


def check_limits(c: Context, phases: list[Phase]) -> None:
    """Check totals: temporary storage, shared memory, emitted scalars, vertices, views."""
    d = c.declared
    arrays = sum(array.count for array in d.arrays.values())
    if d.temps <= MAX_TEMPS < d.temps + arrays and c.phase.kind is not PhaseKind.FUNCTIONS:
        last = list(d.arrays.values())[-1].instruction
        c.add("DCL-019", f": {d.temps} registers and {arrays} vectors of arrays, wanted "
              f"{MAX_TEMPS} at most", last)  # fmt: skip
    shared = [view for view in d.views if view.type is _T.THREAD_GROUP_SHARED_MEMORY]
    total, limit = sum(view.size for view in shared), c.limits.shared_bytes
    if total > limit:
        c.add("DCL-018", f": {total} bytes altogether, wanted {limit} at most",
              shared[-1].instruction)  # fmt: skip
    if c.program.type is ProgramType.GS:
        _check_emitted(c)
        _check_streams(c)
    if c.program.type is ProgramType.CS and c.version < (5, 0):
        _check_views_of_4(c)
    _check_vertices(c, phases)


def _check_emitted(c: Context) -> None:
    count = c.declared.counts.get(_O.DCL_MAX_OUTPUT_VERTEX_COUNT)
    if count is None:
        return
    registers: dict[tuple[int, int], int] = {}
    for e in c.declared.elements:
        if e.type is _T.OUTPUT:
            key = e.stream, e.register
            registers[key] = registers.get(key, 0) | e.mask
    totals: dict[int, int] = {}
    for (stream, _), mask in registers.items():
        totals[stream] = totals.get(stream, 0) + mask.bit_count()
    scalars = max(totals.values(), default=0)
    vertices = count.extra[0]
    if vertices <= MAX_GS_OUTPUT_SCALARS < vertices * scalars:
        c.add("DCL-023", f": {vertices} vertices of {scalars} scalars, wanted "
              f"{MAX_GS_OUTPUT_SCALARS} scalars at most", count)  # fmt: skip
    instances = c.declared.counts.get(_O.DCL_GS_INSTANCE_COUNT)
    if instances and vertices <= MAX_GS_OUTPUT_VERTICES < vertices * instances.extra[0]:
        c.add("DCL-023", f": {vertices} vertices times {instances.extra[0]} instances, wanted "
              f"{MAX_GS_OUTPUT_VERTICES} at most", count)  # fmt: skip


def _check_streams(c: Context) -> None:
    seen: set[int] = set()
    has_outputs = False
    for i in c.phase.declarations:
        if i.opcode is _O.DCL_STREAM:
            number = i.operands[0].indices[0].immediate if i.operands[0].indices else 0
            if number in seen:
                c.add("DCL-027", f": stream {number} is declared twice", i)
            if has_outputs and not seen:
                c.add("DCL-027", ": outputs or a topology come before the first stream", i)
            seen.add(number)
        has_outputs |= i.opcode in _STREAMED
    if len(seen) > 1:
        _check_topologies(c)


def _check_topologies(c: Context) -> None:
    """Check that each of several streams emits points."""
    for i in c.phase.declarations:
        if i.opcode is _O.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY:
            number = t.OUTPUT_TOPOLOGY.get(i.controls)
            if number != PrimitiveTopology.POINTLIST:
                c.add("DCL-043", f": topology {_topology_name(number)} with several streams, "
                      "wanted pointlist", i)  # fmt: skip


def _topology_name(number: int) -> str:
    known = number in set(PrimitiveTopology)
    return PrimitiveTopology(number).name.lower() if known else str(number)


_STREAMED = frozenset(
    {
        _O.DCL_OUTPUT, _O.DCL_OUTPUT_SIV, _O.DCL_OUTPUT_SGV, _O.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY,
    }
)  # fmt: skip


def _check_views_of_4(c: Context) -> None:
    d = c.declared
    uavs = [view for view in d.views if view.type is _T.UNORDERED_ACCESS_VIEW]
    for view in uavs[1:]:
        c.add("MEM-012", ": a second view to write", view.instruction)
    group = d.counts.get(_O.DCL_THREAD_GROUP)
    if group is None:
        return
    threads = group.extra[0] * group.extra[1] * group.extra[2]
    for view in d.views:
        if view.type is not _T.THREAD_GROUP_SHARED_MEMORY or view.kind is ViewKind.RAW:
            continue
        count = view.instruction.extra[1]
        if count != threads:
            c.add("DCL-018", f": {count} structures, wanted one for each of {threads} threads",
                  view.instruction)  # fmt: skip


def _check_vertices(c: Context, phases: list[Phase]) -> None:
    wanted = _wanted_vertices(c, phases)
    for e in c.declared.elements:
        count = wanted.get(e.type)
        if e.type is _T.INPUT and c.program.type in (ProgramType.GS, ProgramType.HS):
            if len(e.instruction.operands[0].indices) != 2:
                c.add("DCL-033", ": no vertex index", e.instruction)
                continue
        elif e.type is _T.INPUT and len(e.instruction.operands[0].indices) != 1:
            c.add("DCL-033", f": a vertex index in {c.program.profile}", e.instruction)
            continue
        if count is not None and e.vertices != count:
            c.add("DCL-033", f": {e.vertices} vertices, wanted {count}", e.instruction)


def _wanted_vertices(c: Context, phases: list[Phase]) -> dict[OperandType, int]:
    if c.program.type is ProgramType.GS:
        i = c.declared.counts.get(_O.DCL_GS_INPUT_PRIMITIVE)
        if i is None:
            return {}
        number = t.INPUT_PRIMITIVE.get(i.controls)
        patch = number - Primitive.PATCH_1 + 1
        count = patch if patch > 0 else _VERTICES.get(number)
        return {} if count is None else {_T.INPUT: count}
    first = phases[0].declared.counts
    wanted: dict[OperandType, int] = {}
    points = _points(first.get(_O.DCL_INPUT_CONTROL_POINT_COUNT))
    if points is not None:
        wanted[_T.INPUT_CONTROL_POINT] = points
        if c.program.type is ProgramType.HS:
            wanted[_T.INPUT] = points
    points = _points(first.get(_O.DCL_OUTPUT_CONTROL_POINT_COUNT))
    if points is not None and c.program.type is ProgramType.HS:
        wanted[_T.OUTPUT_CONTROL_POINT] = points
    return wanted


def _points(i: Instruction | None) -> int | None:
    return None if i is None else t.CONTROL_POINTS.get(i.controls)
