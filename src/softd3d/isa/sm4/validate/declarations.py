"""Rules of single declarations: registers, views, samplers, buffers, numbers within their limits.

Spec: D3D11.3 functional specification 22.3.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import pairwise

from softd3d.isa.limits import MAX_CONSTANT_VECTORS, MAX_STRUCTURE_STRIDE
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    Domain,
    Opcode,
    OperandType,
    OutputPrimitive,
    Partitioning,
    Primitive,
    PrimitiveTopology,
    ResourceDimension,
    ReturnType,
    SamplerMode,
)
from softd3d.isa.sm4.limits import (
    MAX_CONTROL_POINTS,
    MAX_GS_INSTANCES,
    MAX_GS_OUTPUT_VERTICES,
    MAX_IMMEDIATE_VECTORS,
    MAX_SHARED_BYTES,
    MAX_TEMPS,
    MAX_TESSELLATION_FACTOR,
)
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.validate.declared import constant_index
from softd3d.isa.sm4.validate.facts import Buffer, Sampler, View
from softd3d.isa.sm4.validate.phases import PHASE_LETTERS, Context
from softd3d.isa.sm4.validate.registers import DECLARED_FILES, REGISTERS

__all__ = ["check_declaration", "check_declared_views", "check_one_of_each"]

_O, _T, _D = Opcode, OperandType, ResourceDimension
_RANGE = 3  # indices of a range in 5.1: its number, lower and upper bound

# What a program or phase declares once at most
_ONCE = (
    _O.DCL_TEMPS, _O.DCL_GLOBAL_FLAGS, _O.DCL_GS_INPUT_PRIMITIVE, _O.DCL_MAX_OUTPUT_VERTEX_COUNT,
    _O.DCL_GS_INSTANCE_COUNT, _O.DCL_INPUT_CONTROL_POINT_COUNT, _O.DCL_OUTPUT_CONTROL_POINT_COUNT,
    _O.DCL_TESS_DOMAIN, _O.DCL_TESS_PARTITIONING, _O.DCL_TESS_OUTPUT_PRIMITIVE,
    _O.DCL_HS_MAX_TESSFACTOR, _O.DCL_HS_FORK_PHASE_INSTANCE_COUNT,
    _O.DCL_HS_JOIN_PHASE_INSTANCE_COUNT, _O.DCL_THREAD_GROUP,
)  # fmt: skip


def check_declaration(c: Context, i: Instruction) -> None:
    """Check one declaration by itself."""
    names = DECLARED_FILES.get(i.opcode)
    if names is not None and not _check_register(c, i, names):
        return
    check = _CHECKS.get(i.opcode)
    if check is not None:
        check(c, i)


def check_one_of_each(c: Context) -> None:
    """Check that a phase declares single things once."""
    seen: set[Opcode] = set()
    arrays: set[int] = set()
    constants = False
    for i in c.phase.declarations:
        if i.opcode in _ONCE and i.opcode in seen:
            c.add("DCL-002", " is there twice", i)
        seen.add(i.opcode)
        if i.opcode is _O.DCL_INDEXABLE_TEMP:
            if i.extra[0] in arrays:
                c.add("DCL-007", f": x{i.extra[0]} is declared twice", i)
            arrays.add(i.extra[0])
        if i.custom_class == CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER:
            if constants:
                c.add("DCL-022", ": a second immediate constant buffer", i)
            constants = True


def check_declared_views(c: Context) -> None:
    """Check that views, samplers and buffers do not share registers."""
    d = c.declared
    kinds: dict[str, list[View | Sampler | Buffer]] = {}
    for view in d.views:
        kinds.setdefault(view.type.name, []).append(view)
    kinds["SAMPLER"] = list(d.samplers)
    kinds["CONSTANT_BUFFER"] = list(d.buffers)
    for found in kinds.values():
        _check_shared_registers(c, found)


def _check_shared_registers(c: Context, found: list[View | Sampler | Buffer]) -> None:
    numbers: set[int] = set()
    for one in found:
        if one.register in numbers:
            c.add("DCL-007", f": register {one.register} is declared twice", one.instruction)
        numbers.add(one.register)
    if c.version < (5, 1):
        return
    for before, after in pairwise(sorted(found, key=_by_space)):
        if _space(before) == _space(after) and after.lower <= before.upper:
            c.add(
                "DCL-007", f": registers from {after.lower} on are declared twice in space "
                f"{_space(after)}", after.instruction,
            )  # fmt: skip


def _space(one: View | Sampler | Buffer) -> int:
    return 0 if isinstance(one, View) and one.type is _T.THREAD_GROUP_SHARED_MEMORY else one.space


def _by_space(one: View | Sampler | Buffer) -> tuple[int, int, int]:
    return _space(one), one.lower, one.upper


def _check_register(c: Context, i: Instruction, names: set[OperandType]) -> bool:
    """Check the declared register; tell whether the rest of the declaration makes sense."""
    operand = i.operands[0]
    file = REGISTERS.get(operand.type)
    if file is None or operand.type not in names:
        c.add("DCL-004", f": a {operand.type.name} register cannot be declared so", i)
        return False
    letter = PHASE_LETTERS.get(c.phase.kind, "")
    if not c.is_for(file.stages) or c.version < file.since or (
        letter and letter not in file.phases
    ):  # fmt: skip
        c.add("OPD-002", f": {operand.type.name} does not exist in {_where(c)}", i)
        return False
    counts = file.counts(c.version)
    if c.version >= (5, 1) and file.indices_5_1:
        counts = (_RANGE,)
    if len(operand.indices) not in counts or any(x.relative is not None for x in operand.indices):
        wanted = " or ".join(map(str, counts))
        c.add("DCL-005", f": {len(operand.indices)} indices, wanted {wanted} constant ones", i)
        return False
    _check_slot(c, i)
    return True


def _where(c: Context) -> str:
    letter = PHASE_LETTERS.get(c.phase.kind)
    return f"{c.phase.kind} of {c.program.profile}" if letter else c.program.profile


def _check_slot(c: Context, i: Instruction) -> None:
    operand = i.operands[0]
    limit = c.limits.declared.get(operand.type)
    number = constant_index(operand, 0)
    if limit is not None and number is not None and number >= limit:
        code = "DCL-027" if operand.type is _T.STREAM else "DCL-006"
        c.add(code, f": register {number}, wanted one below {limit}", i)
    if len(operand.indices) == _RANGE:
        lower, upper = constant_index(operand, 1), constant_index(operand, 2)
        if lower is not None and upper is not None and lower > upper:
            c.add("DCL-034", f": lower bound {lower} is above upper bound {upper}", i)


_TYPED = frozenset(
    {
        _D.BUFFER, _D.TEXTURE1D, _D.TEXTURE2D, _D.TEXTURE2DMS, _D.TEXTURE3D, _D.TEXTURECUBE,
        _D.TEXTURE1DARRAY, _D.TEXTURE2DARRAY, _D.TEXTURE2DMSARRAY, _D.TEXTURECUBEARRAY,
    }
)  # fmt: skip
_WRITABLE = _TYPED - {
    _D.TEXTURE2DMS, _D.TEXTURE2DMSARRAY, _D.TEXTURECUBE, _D.TEXTURECUBEARRAY,
}  # fmt: skip
_SINCE_4_1 = frozenset({_D.TEXTURECUBEARRAY})
_RETURN_FIELDS = (0, 4, 8, 12)


def _typed_view(c: Context, i: Instruction) -> None:
    dimension = t.DECLARED_DIMENSION.get(i.controls)
    is_uav = i.opcode is _O.DCL_UNORDERED_ACCESS_VIEW_TYPED
    if dimension not in (_WRITABLE if is_uav else _TYPED):
        c.add("DCL-013", f": dimension {_name(ResourceDimension, dimension)} is none of it", i)
    elif dimension in _SINCE_4_1 and c.version < (4, 1):
        c.add("DCL-013", ": cube arrays need version 4.1", i)
    types = [i.extra[0] >> shift & 0xF for shift in _RETURN_FIELDS]
    if any(not ReturnType.UNORM <= kind <= ReturnType.UNUSED for kind in types):
        c.add("DCL-014", f": return types {i.extra[0]:#x} are not all defined", i)


def _structured_view(c: Context, i: Instruction) -> None:
    _check_stride(c, i, i.extra[0])


def _check_stride(
    c: Context, i: Instruction, stride: int, limit: int = MAX_STRUCTURE_STRIDE
) -> None:
    if stride % 4 or not 0 < stride <= limit:
        c.add("DCL-015", f": stride {stride}, wanted a multiple of 4 from 4 to {limit}", i)


def _sampler(c: Context, i: Instruction) -> None:
    mode = t.SAMPLER_MODE.get(i.controls)
    if mode > max(SamplerMode):
        c.add("DCL-016", f": mode {mode} is not defined", i)


def _buffer(c: Context, i: Instruction) -> None:
    buffer = c.declared.buffer_of.get(constant_index(i.operands[0], 0) or 0)
    if buffer is not None and buffer.size > MAX_CONSTANT_VECTORS:
        c.add("DCL-021", f": {buffer.size} vectors, wanted {MAX_CONSTANT_VECTORS} at most", i)


def _array(c: Context, i: Instruction) -> None:
    _, count, components = i.extra
    if not 1 <= components <= 4 or count == 0:
        c.add("DCL-020", f": {count} vectors of {components} components", i)


def _temps(c: Context, i: Instruction) -> None:
    if i.extra[0] > MAX_TEMPS:
        c.add("DCL-019", f": {i.extra[0]} registers, wanted {MAX_TEMPS} at most", i)


def _custom(c: Context, i: Instruction) -> None:
    if i.custom_class != CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER:
        return
    dwords = len(i.custom)
    if dwords % 4 or not 0 < dwords <= 4 * MAX_IMMEDIATE_VECTORS:
        c.add("DCL-022", f": {dwords} dwords, wanted 1 to {MAX_IMMEDIATE_VECTORS} vectors of 4", i)


def _thread_group(c: Context, i: Instruction) -> None:
    sides, total = c.limits.group_size, c.limits.group_threads
    x, y, z = i.extra
    if any(not 1 <= size <= side for size, side in zip(i.extra, sides, strict=True)):
        c.add("DCL-017", f": {x} x {y} x {z} threads, wanted 1 to {sides[0]}, {sides[1]}, "
              f"{sides[2]} a side", i)  # fmt: skip
    elif x * y * z > total:
        c.add("DCL-017", f": {x * y * z} threads, wanted {total} at most", i)


def _shared_memory(c: Context, i: Instruction) -> None:
    view = c.declared.view_of.get((_T.THREAD_GROUP_SHARED_MEMORY, i.operands[0].number))
    if view is None:
        return
    if view.kind is ViewKind.STRUCTURED:
        _check_stride(c, i, view.stride, MAX_SHARED_BYTES)
    elif view.size % 4 or not view.size:
        c.add("DCL-018", f": {view.size} bytes, wanted a multiple of 4", i)


def _max_vertices(c: Context, i: Instruction) -> None:
    if not 1 <= i.extra[0] <= MAX_GS_OUTPUT_VERTICES:
        c.add("DCL-023", f": {i.extra[0]} vertices, wanted 1 to {MAX_GS_OUTPUT_VERTICES}", i)


def _instances(c: Context, i: Instruction) -> None:
    if not 1 <= i.extra[0] <= MAX_GS_INSTANCES:
        c.add("DCL-026", f": {i.extra[0]} instances, wanted 1 to {MAX_GS_INSTANCES}", i)


def _primitive(c: Context, i: Instruction) -> None:
    number = t.INPUT_PRIMITIVE.get(i.controls)
    patches = number >= Primitive.PATCH_1
    if number not in set(Primitive) - {0} or (patches and c.version < (5, 0)):
        c.add("DCL-024", f": primitive {number} is not defined in {c.program.profile}", i)


_STRIPS = (
    PrimitiveTopology.POINTLIST,
    PrimitiveTopology.LINESTRIP,
    PrimitiveTopology.TRIANGLESTRIP,
)


def _topology(c: Context, i: Instruction) -> None:
    number = t.OUTPUT_TOPOLOGY.get(i.controls)
    if number not in _STRIPS:
        c.add("DCL-025", f": topology {_name(PrimitiveTopology, number)}, wanted a point list, "
              "line strip or triangle strip", i)  # fmt: skip


def _control_points(c: Context, i: Instruction) -> None:
    count = t.CONTROL_POINTS.get(i.controls)
    least = 1 if i.opcode is _O.DCL_INPUT_CONTROL_POINT_COUNT else 0
    if not least <= count <= MAX_CONTROL_POINTS:
        c.add("DCL-028", f": {count}, wanted {least} to {MAX_CONTROL_POINTS}", i)


def _tessellator(c: Context, i: Instruction) -> None:
    enum, number = {
        _O.DCL_TESS_DOMAIN: (Domain, t.DOMAIN.get(i.controls)),
        _O.DCL_TESS_PARTITIONING: (Partitioning, t.PARTITIONING.get(i.controls)),
        _O.DCL_TESS_OUTPUT_PRIMITIVE: (OutputPrimitive, t.OUTPUT_PRIMITIVE.get(i.controls)),
    }[i.opcode]
    if number not in set(enum) - {0}:
        c.add("DCL-029", f": {number} is not defined", i)


def _max_factor(c: Context, i: Instruction) -> None:
    (factor,) = struct.unpack("<f", struct.pack("<I", i.extra[0] & 0xFFFFFFFF))
    if not 1.0 <= factor <= MAX_TESSELLATION_FACTOR:
        c.add("DCL-030", f": {factor:g}, wanted 1 to {MAX_TESSELLATION_FACTOR:g}", i)


def _phase_instances(c: Context, i: Instruction) -> None:
    if i.extra[0] == 0:
        c.add("DCL-031", ": 0 instances, wanted at least 1", i)


def _table(c: Context, i: Instruction) -> None:
    missing = [body for body in i.extra[2:] if not _declares_body(c, body)]
    if missing:
        c.add("DCL-035", f": fb{missing[0]} is not declared", i)


def _declares_body(c: Context, body: int) -> bool:
    d = c.declared
    return body in d.bodies or (d.outer is not None and body in d.outer.bodies)


def _interface(c: Context, i: Instruction) -> None:
    sites = i.extra[1]
    for number in i.extra[3:]:
        bodies = c.declared.table(number)
        if bodies is None:
            c.add("DCL-035", f": ft{number} is not declared", i)
            return
        if len(bodies) != sites:
            c.add("DCL-035", f": ft{number} has {len(bodies)} bodies, wanted {sites}", i)
            return


def _name(enum: type[ResourceDimension | PrimitiveTopology], number: int) -> str:
    return enum(number).name.lower() if number in set(enum) else str(number)


_CHECKS: dict[Opcode, Callable[[Context, Instruction], None]] = {
    _O.DCL_RESOURCE: _typed_view,
    _O.DCL_UNORDERED_ACCESS_VIEW_TYPED: _typed_view,
    _O.DCL_RESOURCE_STRUCTURED: _structured_view,
    _O.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED: _structured_view,
    _O.DCL_SAMPLER: _sampler,
    _O.DCL_CONSTANT_BUFFER: _buffer,
    _O.DCL_INDEXABLE_TEMP: _array,
    _O.DCL_TEMPS: _temps,
    _O.CUSTOMDATA: _custom,
    _O.DCL_THREAD_GROUP: _thread_group,
    _O.DCL_THREAD_GROUP_SHARED_MEMORY_RAW: _shared_memory,
    _O.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED: _shared_memory,
    _O.DCL_MAX_OUTPUT_VERTEX_COUNT: _max_vertices,
    _O.DCL_GS_INSTANCE_COUNT: _instances,
    _O.DCL_GS_INPUT_PRIMITIVE: _primitive,
    _O.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY: _topology,
    _O.DCL_INPUT_CONTROL_POINT_COUNT: _control_points,
    _O.DCL_OUTPUT_CONTROL_POINT_COUNT: _control_points,
    _O.DCL_TESS_DOMAIN: _tessellator,
    _O.DCL_TESS_PARTITIONING: _tessellator,
    _O.DCL_TESS_OUTPUT_PRIMITIVE: _tessellator,
    _O.DCL_HS_MAX_TESSFACTOR: _max_factor,
    _O.DCL_HS_FORK_PHASE_INSTANCE_COUNT: _phase_instances,
    _O.DCL_HS_JOIN_PHASE_INSTANCE_COUNT: _phase_instances,
    _O.DCL_FUNCTION_TABLE: _table,
    _O.DCL_INTERFACE: _interface,
}
