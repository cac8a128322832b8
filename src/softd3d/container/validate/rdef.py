"""Rules of resource definitions: bindings and buffers are those that the program declares.

Spec: d3d11shader.h, D3D11_SHADER_INPUT_BIND_DESC.
"""

from __future__ import annotations

from bisect import bisect_right

from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk
from softd3d.container.reflection.enums import CbufferType, ShaderInputType, SrvDimension
from softd3d.container.reflection.resources import Binding, ResourceDefinitions
from softd3d.errors import Location
from softd3d.isa.machine import ViewKind
from softd3d.isa.report import Report
from softd3d.isa.sm4.enums import OperandType, ResourceDimension
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.validate.phases import Phase

__all__ = ["check_definitions"]

_I, _T, _D = ShaderInputType, OperandType, ResourceDimension
_TYPED, _RAW, _STRUCTURED = ViewKind.TYPED, ViewKind.RAW, ViewKind.STRUCTURED
# Which register a binding is of, and the kind of its view
_KINDS: dict[ShaderInputType, tuple[OperandType, ViewKind | None]] = {
    _I.CBUFFER: (_T.CONSTANT_BUFFER, None),
    _I.TBUFFER: (_T.RESOURCE, _TYPED),
    _I.TEXTURE: (_T.RESOURCE, _TYPED),
    _I.SAMPLER: (_T.SAMPLER, None),
    _I.UAV_RWTYPED: (_T.UNORDERED_ACCESS_VIEW, _TYPED),
    _I.STRUCTURED: (_T.RESOURCE, _STRUCTURED),
    _I.UAV_RWSTRUCTURED: (_T.UNORDERED_ACCESS_VIEW, _STRUCTURED),
    _I.BYTEADDRESS: (_T.RESOURCE, _RAW),
    _I.UAV_RWBYTEADDRESS: (_T.UNORDERED_ACCESS_VIEW, _RAW),
    _I.UAV_APPEND_STRUCTURED: (_T.UNORDERED_ACCESS_VIEW, _STRUCTURED),
    _I.UAV_CONSUME_STRUCTURED: (_T.UNORDERED_ACCESS_VIEW, _STRUCTURED),
    _I.UAV_RWSTRUCTURED_WITH_COUNTER: (_T.UNORDERED_ACCESS_VIEW, _STRUCTURED),
    _I.BETA_CONSUME_STRUCTURED: (_T.UNORDERED_ACCESS_VIEW, _STRUCTURED),
}
_DIMENSIONS: dict[ResourceDimension, SrvDimension] = {
    _D.BUFFER: SrvDimension.BUFFER,
    _D.TEXTURE1D: SrvDimension.TEXTURE1D,
    _D.TEXTURE2D: SrvDimension.TEXTURE2D,
    _D.TEXTURE2DMS: SrvDimension.TEXTURE2DMS,
    _D.TEXTURE3D: SrvDimension.TEXTURE3D,
    _D.TEXTURECUBE: SrvDimension.TEXTURECUBE,
    _D.TEXTURE1DARRAY: SrvDimension.TEXTURE1DARRAY,
    _D.TEXTURE2DARRAY: SrvDimension.TEXTURE2DARRAY,
    _D.TEXTURE2DMSARRAY: SrvDimension.TEXTURE2DMSARRAY,
    _D.TEXTURECUBEARRAY: SrvDimension.TEXTURECUBEARRAY,
}
_NAMES = {
    _T.CONSTANT_BUFFER: "cb", _T.RESOURCE: "t", _T.SAMPLER: "s", _T.UNORDERED_ACCESS_VIEW: "u",
}  # fmt: skip
_VECTOR_BYTES = 16


@dataclass(frozen=True, slots=True)
class _Range:
    """Declared registers. size: bytes of a constant buffer, 0 if not known."""

    instruction: Instruction
    type: OperandType
    space: int
    lower: int
    upper: int
    kind: ViewKind | None = None
    dimension: int = 0
    stride: int = 0
    size: int = 0


def check_definitions(
    chunk: Chunk, definitions: ResourceDefinitions, program: Program, phases: list[Phase],
    report: Report,
) -> None:  # fmt: skip
    """Compare the bindings with the declarations, both ways."""
    place = Location(offset=chunk.offset, chunk=chunk.fourcc)
    if definitions.profile != program.profile:
        message = f"the target is {definitions.profile}, the program {program.profile}"
        report.add("DXBC-RDEF-004", message, place)
    declared = [found for phase in phases for found in _declared(phase)]
    bindings = {_key(binding): binding for binding in definitions.bindings}
    order = sorted(bindings)
    starts = {(r.type, r.space, r.lower): r for r in declared}
    sizes = _sizes(definitions)
    held = set[_Key]()
    for key, found in starts.items():
        holder = _holder(key, bindings, order)
        if holder is None:
            message = f"{_NAMES[found.type]}{found.lower} is declared, but has no binding"
            report.add("DXBC-RDEF-002", message, found.instruction.location)
        else:
            held.add(holder)
            _check_binding(found, bindings[holder], sizes, report)
    for key, binding in bindings.items():
        if key not in held:
            name = f"{_NAMES[key[0]]}{binding.bind_point}"
            message = f"{name} ({binding.name}) is bound, but not declared"
            report.add("DXBC-RDEF-001", message, place)


_Key = tuple[OperandType, int, int]


def _key(binding: Binding) -> _Key:
    return _KINDS[binding.type][0], binding.space, binding.bind_point


def _holder(key: _Key, bindings: dict[_Key, Binding], order: list[_Key]) -> _Key | None:
    """Return the key of the binding that has a register; in effects one may have an array's."""
    position = bisect_right(order, key)
    if position == 0:
        return None
    found = order[position - 1]
    count = max(bindings[found].bind_count, 1)
    return found if found[:2] == key[:2] and key[2] - found[2] < count else None


def _declared(phase: Phase) -> list[_Range]:
    d = phase.declared
    found = [
        _Range(v.instruction, v.type, v.space, v.lower, v.upper, v.kind, v.dimension, v.stride)
        for v in d.views if v.type is not _T.THREAD_GROUP_SHARED_MEMORY
    ]  # fmt: skip
    found += [_Range(s.instruction, _T.SAMPLER, s.space, s.lower, s.upper) for s in d.samplers]
    for b in d.buffers:
        size = b.size * _VECTOR_BYTES
        found.append(
            _Range(b.instruction, _T.CONSTANT_BUFFER, b.space, b.lower, b.upper, size=size)
        )
    return found


def _sizes(definitions: ResourceDefinitions) -> dict[str, int]:
    return {
        buffer.name: buffer.size for buffer in definitions.constant_buffers
        if buffer.type is CbufferType.CBUFFER
    }  # fmt: skip


def _check_binding(found: _Range, binding: Binding, sizes: dict[str, int], report: Report) -> None:
    place = found.instruction.location
    name = f"{_NAMES[found.type]}{found.lower} ({binding.name})"
    kind = _KINDS[binding.type][1]
    if kind is not found.kind:
        message = f"{name} is declared {found.kind}, its binding is {binding.type.name}"
        report.add("DXBC-RDEF-003", message, place)
    elif kind is _TYPED and binding.type is not _I.TBUFFER:
        wanted = _DIMENSIONS.get(_D(found.dimension)) if found.dimension in set(_D) else None
        if binding.dimension is not wanted:
            message = f"{name} has another dimension than its binding, {binding.dimension.name}"
            report.add("DXBC-RDEF-003", message, place)
    elif kind is _STRUCTURED and binding.sample_count not in (None, found.stride):
        message = f"{name} has stride {found.stride}, its binding {binding.sample_count}"
        report.add("DXBC-RDEF-003", message, place)
    size = sizes.get(binding.name)
    if found.size and size is not None and found.size > _rounded(size):
        message = f"{name} is declared with {found.size} bytes, the buffer has {size}"
        report.add("DXBC-RDEF-005", message, place)


def _rounded(size: int) -> int:
    return -(-size // _VECTOR_BYTES) * _VECTOR_BYTES
