"""The listing's tables: resource bindings, signatures, tessellation."""

from __future__ import annotations

from softd3d.container.dxbc.container import Chunk
from softd3d.container.reflection.enums import (
    MinPrecision,
    RegisterComponentType,
    ResourceReturnType,
    ShaderInputFlags,
    ShaderInputType,
    SrvDimension,
    SystemValue,
)
from softd3d.container.reflection.resources import Binding, ResourceDefinitions
from softd3d.container.reflection.signature import SignatureElement, parse_signature
from softd3d.container.reflection.stat import Statistics
from softd3d.isa.asm.options import Dialect
from softd3d.isa.record import Bounded

__all__ = ["binding_lines", "signature_lines", "tessellation_lines"]

_HAS_SPACES = 0x0501
_FULL_MASK = 15
_T = ShaderInputType
_STRUCTURED = {
    _T.STRUCTURED: "r/o",
    _T.UAV_RWSTRUCTURED: "r/w",
    _T.UAV_APPEND_STRUCTURED: "append",
    _T.UAV_CONSUME_STRUCTURED: "consume",
    _T.UAV_RWSTRUCTURED_WITH_COUNTER: "r/w+cnt",
}
_BYTES = {_T.BYTEADDRESS: "r/o", _T.UAV_RWBYTEADDRESS: "r/w"}
_KINDS = {
    _T.CBUFFER: ("cbuffer", "CB"),
    _T.TBUFFER: ("tbuffer", "T"),
    _T.SAMPLER: ("sampler", "S"),
    _T.TEXTURE: ("texture", "T"),
    _T.STRUCTURED: ("texture", "T"),
    _T.BYTEADDRESS: ("texture", "T"),
    _T.BETA_CONSUME_STRUCTURED: ("void", "bug"),  # a number that Microsoft's tables do not have
}
_DIMENSIONS = {
    SrvDimension.UNKNOWN: "NA",
    SrvDimension.BUFFER: "buf",
    SrvDimension.TEXTURE1D: "1d",
    SrvDimension.TEXTURE1DARRAY: "1darray",
    SrvDimension.TEXTURE2D: "2d",
    SrvDimension.TEXTURE2DARRAY: "2darray",
    SrvDimension.TEXTURE2DMS: "2dMS",
    SrvDimension.TEXTURE2DMSARRAY: "2darrayMS",
    SrvDimension.TEXTURE3D: "3d",
    SrvDimension.TEXTURECUBE: "cube",
    SrvDimension.TEXTURECUBEARRAY: "cubearray",
    SrvDimension.BUFFEREX: "bufex",
}
_MULTISAMPLED = (SrvDimension.TEXTURE2DMS, SrvDimension.TEXTURE2DMSARRAY)
SYSTEM_VALUES = {
    SystemValue.UNDEFINED: "NONE",
    SystemValue.POSITION: "POS",
    SystemValue.CLIP_DISTANCE: "CLIPDST",
    SystemValue.CULL_DISTANCE: "CULLDST",
    SystemValue.RENDER_TARGET_ARRAY_INDEX: "RTINDEX",
    SystemValue.VIEWPORT_ARRAY_INDEX: "VPINDEX",
    SystemValue.VERTEX_ID: "VERTID",
    SystemValue.PRIMITIVE_ID: "PRIMID",
    SystemValue.INSTANCE_ID: "INSTID",
    SystemValue.IS_FRONT_FACE: "FFACE",
    SystemValue.SAMPLE_INDEX: "SAMPLE",
    SystemValue.FINAL_QUAD_EDGE_TESSFACTOR: "QUADEDGE",
    SystemValue.FINAL_QUAD_INSIDE_TESSFACTOR: "QUADINT",
    SystemValue.FINAL_TRI_EDGE_TESSFACTOR: "TRIEDGE",
    SystemValue.FINAL_TRI_INSIDE_TESSFACTOR: "TRIINT",
    SystemValue.FINAL_LINE_DETAIL_TESSFACTOR: "LINEDET",
    SystemValue.FINAL_LINE_DENSITY_TESSFACTOR: "LINEDEN",
    SystemValue.TARGET: "TARGET",
    SystemValue.DEPTH: "DEPTH",
    SystemValue.COVERAGE: "COVERAGE",
    SystemValue.DEPTH_GREATER_EQUAL: "DEPTHGE",
    SystemValue.DEPTH_LESS_EQUAL: "DEPTHLE",
    SystemValue.STENCIL_REF: "STENCILREF",
    SystemValue.INNER_COVERAGE: "INNERCOVERAGE",
}
_REGISTERS = {
    SystemValue.DEPTH: "oDepth",
    SystemValue.DEPTH_GREATER_EQUAL: "oDepthGE",
    SystemValue.DEPTH_LESS_EQUAL: "oDepthLE",
    SystemValue.COVERAGE: "oMask",
    SystemValue.STENCIL_REF: "   oStencilRef",
    SystemValue.PRIMITIVE_ID: "primID",
}
FORMATS = {
    RegisterComponentType.UINT32: "uint",
    RegisterComponentType.SINT32: "int",
    RegisterComponentType.FLOAT32: "float",
}
PRECISIONS = {
    MinPrecision.FLOAT_16: "min16f",
    MinPrecision.FLOAT_2_8: "min2_8f",
    MinPrecision.SINT_16: "min16i",
    MinPrecision.UINT_16: "min16u",
}
# By the numbers of D3D_TESSELLATOR_DOMAIN, _OUTPUT_PRIMITIVE and _PARTITIONING
_DOMAINS = ("Undefined", "Isoline", "Triangle", "Quadrilateral")
_OUTPUT_PRIMITIVES = (
    "Undefined", "Point", "Line", "Clockwise Triangles", "Counter-Clockwise Triangles",
)  # fmt: skip
_PARTITIONINGS = (
    "Undefined", "Integer", "Integer Power of 2", "Odd Fractional", "Even Fractional",
)  # fmt: skip


def binding_lines(
    definitions: ResourceDefinitions, dialect: Dialect = Dialect.D3D10_1
) -> list[str]:
    """Return the section on resource bindings, nothing if there are none."""
    if not definitions.bindings:
        return []
    has_spaces = definitions.target & 0xFFFF >= _HAS_SPACES
    write, heads, dashes = _slot_place, "Slot Elements", "---- --------"
    if has_spaces:
        write, heads = _range_place, "     ID      HLSL Bind  Count"
        dashes = "------- -------------- ------"
    elif dialect.habits.has_register_names:
        write, heads, dashes = _register_place, "     HLSL Bind  Count", "-------------- ------"
    return [
        "// Resource Bindings:",
        "//",
        f"// {'Name':<30} {'Type':>10} {'Format':>7} {'Dim':>11} {heads}",
        f"// ------------------------------ ---------- ------- ----------- {dashes}",
        *(f"{_resource(binding)} {write(binding)}" for binding in definitions.bindings),
        "//",
        "//",
    ]


def _resource(b: Binding) -> str:
    """Return the columns that say what is bound."""
    kind, _ = _kind(b)
    if b.type is _T.SAMPLER and b.flags & ShaderInputFlags.COMPARISON_SAMPLER:
        kind = "sampler_c"
    shape, dimension = _shape(b)
    return f"// {b.name:<30} {kind:>10} {shape:>7} {dimension:>11}"


def _slot_place(b: Binding) -> str:
    return f"{b.bind_point:4} {b.bind_count:8}"


def _register_place(b: Binding) -> str:
    place = f"{_kind(b)[1].lower()}{b.bind_point}" + (f",space{b.space}" if b.space else "")
    count = str(b.bind_count) if b.bind_count else "unbounded"
    return f"{place:>14} {count:>6} "


def _range_place(b: Binding) -> str:
    return f"{f'{_kind(b)[1]}{b.id}':>7} {_register_place(b)}"


def _kind(b: Binding) -> tuple[str, str]:
    """Return the word for a binding's type and the letters of its register."""
    return _KINDS.get(b.type, ("UAV", "U"))


def _shape(b: Binding) -> tuple[str, str]:
    """Return a binding's texel format and dimension."""
    if b.type in _STRUCTURED:
        return "struct", _STRUCTURED[b.type]
    if b.type in _BYTES:
        return "byte", _BYTES[b.type]
    if b.type not in (_T.TEXTURE, _T.UAV_RWTYPED):
        return "NA", "NA"
    shape = b.return_type.name.lower() if b.return_type is not ResourceReturnType.NONE else "NA"
    components = b.component_count
    dimension = _DIMENSIONS[b.dimension]
    if b.dimension in _MULTISAMPLED and b.sample_count:
        dimension += str(b.sample_count)
    return shape + (str(components) if components > 1 else ""), dimension


# Tables of signatures by what decides them: shaders of one program have the same few
_SEEN: Bounded[tuple[object, ...], list[str]] = Bounded(1 << 10)
_MOST_KEPT = 1024  # bytes of a chunk


def signature_lines(
    title: str, chunk: Chunk, dialect: Dialect = Dialect.D3D10_1, *, rw_is_read: bool
) -> list[str]:
    """Return one signature. rw_is_read: of the elements' masks, see `SignatureElement`.

    Raises:
        ContainerError: the chunk is malformed.
    """
    key = title, chunk.fourcc, chunk.data, dialect, rw_is_read
    lines = _SEEN.get(key)
    if lines is None:
        lines = _signature_lines(title, chunk, dialect, rw_is_read=rw_is_read)
        if len(chunk.data) <= _MOST_KEPT:
            _SEEN[key] = lines
    return lines


def _signature_lines(title: str, chunk: Chunk, dialect: Dialect, *, rw_is_read: bool) -> list[str]:
    signature = parse_signature(chunk)
    width = dialect.habits.format_width
    has_streams = any(element.stream for element in signature.elements)
    if dialect.habits.has_streams_by_chunk:
        has_streams = chunk.fourcc == "OSG5"
    lines = [
        f"// {title} signature:",
        "//",
        f"// Name                 Index   Mask Register SysValue {'Format':>{width}}   Used",
        f"// -------------------- ----- ------ -------- -------- {'-' * width} ------",
    ]
    if not signature.elements:
        return [*lines, f"// no {title}"]
    for element in signature.elements:
        prefix = f"m{element.stream}:" if has_streams else ""
        lines.append(_element(element, prefix, width, rw_is_read=rw_is_read))
    return [*lines, "//"]


def _element(e: SignatureElement, prefix: str, width: int, *, rw_is_read: bool) -> str:
    used = e.rw_mask if rw_is_read else ~e.rw_mask & _FULL_MASK
    if e.register is None:
        mask, register = "N/A", _REGISTERS.get(e.meaning, "special")
        use = "YES" if used else "NO"
    else:
        mask, register, use = _mask_text(e.mask), str(e.register), _mask_text(used)
    value = SYSTEM_VALUES.get(e.meaning, e.meaning.name)
    shape = PRECISIONS.get(e.min_precision) or FORMATS.get(e.component_type, "unknown")
    name = f"{prefix}{e.name}"
    return (
        f"// {name:<20} {e.semantic_index:5}   {mask:>4} {register:>8} {value:>8} {shape:>{width}}"
        f"   {use:>4}"
    )


def _mask_text(mask: int) -> str:
    """Write components in their places.

    >>> _mask_text(0b1010)
    ' y w'
    """
    return "".join(c if mask >> n & 1 else " " for n, c in enumerate("xyzw"))


def tessellation_lines(stage: str, statistics: Statistics) -> list[str]:
    """Return the tables of a hull or domain shader."""
    if stage not in ("hs", "ds") or not statistics.tessellator_domain:
        return []
    lines = [
        "// Tessellation Domain   # of control points",
        "// -------------------- --------------------",
        f"// {_named(_DOMAINS, statistics.tessellator_domain):<20} {statistics.control_points:20}",
        "//",
    ]
    if stage == "ds":
        return lines
    primitive = _named(_OUTPUT_PRIMITIVES, statistics.hs_output_primitive)
    partitioning = _named(_PARTITIONINGS, statistics.hs_partitioning)
    return [
        *lines,
        "// Tessellation Output Primitive  Partitioning Type ",
        "// ------------------------------ ------------------",
        f"// {primitive:<30} {partitioning:<18}",
        "//",
    ]


def _named(names: tuple[str, ...], number: int) -> str:
    return names[number] if number < len(names) else names[0]
