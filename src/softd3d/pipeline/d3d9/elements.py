"""Elements of Direct3D 9 vertices: types as formats, and which input each one is.

Spec: win32 D3DVERTEXELEMENT9, D3DDECLTYPE, "Vertex Declaration", SetStreamSourceFreq.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Channel, ChannelType, Format
from softd3d.isa.d3d9.enums import DeclType
from softd3d.isa.sm1.enums import Usage
from softd3d.pipeline.input_layout import VertexInput

__all__ = ["VertexElement", "element_format", "inputs_of"]

_ALL = 15


@dataclass(frozen=True, slots=True)
class VertexElement:
    """An element of a vertex declaration, and how its stream goes on.

    stream, offset: where it lies; offset in bytes. per_instance: D3DSTREAMSOURCE_INSTANCEDATA;
    divider: instances that share an element of such a stream, else vertices; 1 or more.
    """

    usage: Usage
    usage_index: int
    type: DeclType
    stream: int
    offset: int
    per_instance: bool = False
    divider: int = 1


def element_format(type_: DeclType) -> Format:
    """Return the format of a type of elements; components that it lacks are 0, 0, 1.

    Shaders see integers as floats: who reads elements has to convert them.

    Raises:
        ResourceError: UNUSED, which has no data.

    >>> element_format(DeclType.SHORT2N).name, element_format(DeclType.DEC3N).bytes_per_texel
    ('R16G16_SNORM', 4)
    """
    found = _FORMATS.get(type_)
    if found is None:
        raise ResourceError(f"vertex element: found type {type_.name}, which has no data")
    return found


def inputs_of(
    declared: Iterable[tuple[int, int, VertexElement]],
) -> tuple[VertexInput, ...]:
    """Return what the input assembler reads: of each v# its number, components and element."""
    return tuple(
        VertexInput(
            f"{e.usage.name}{e.usage_index}", number, _ALL, mask, e.stream, e.offset,
            element_format(e.type), e.per_instance, e.divider,
        )
        for number, mask, e in declared
    )  # fmt: skip


def element_of(
    elements: Sequence[VertexElement], usage: int, usage_index: int
) -> VertexElement | None:
    """Return the element of a usage and index; the last one of several, None if there is none."""
    return next(_matching(elements, usage, usage_index), None)


def _matching(
    elements: Sequence[VertexElement], usage: int, usage_index: int
) -> Iterator[VertexElement]:
    for e in reversed(elements):
        if (e.usage, e.usage_index) == (usage, usage_index) and e.type is not DeclType.UNUSED:
            yield e


def _ten_bits(type_: DeclType, channel: ChannelType) -> Format:
    """Return three numbers of ten bits; the two highest bits mean nothing."""
    channels = [Channel(letter, channel, 10, 10 * n) for n, letter in enumerate("rgb")]
    unused = Channel("x", ChannelType.TYPELESS, 2, 30)
    return Format(type_.name, type_, (*channels, unused), 4, reads="rgb1")


_T = DeclType
_NAMES = {
    _T.FLOAT1: "R32_FLOAT",
    _T.FLOAT2: "R32G32_FLOAT",
    _T.FLOAT3: "R32G32B32_FLOAT",
    _T.FLOAT4: "R32G32B32A32_FLOAT",
    _T.D3DCOLOR: "B8G8R8A8_UNORM",
    _T.UBYTE4: "R8G8B8A8_UINT",
    _T.SHORT2: "R16G16_SINT",
    _T.SHORT4: "R16G16B16A16_SINT",
    _T.UBYTE4N: "R8G8B8A8_UNORM",
    _T.SHORT2N: "R16G16_SNORM",
    _T.SHORT4N: "R16G16B16A16_SNORM",
    _T.USHORT2N: "R16G16_UNORM",
    _T.USHORT4N: "R16G16B16A16_UNORM",
    _T.FLOAT16_2: "R16G16_FLOAT",
    _T.FLOAT16_4: "R16G16B16A16_FLOAT",
}
_FORMATS = {
    **{type_: DXGI_FORMATS[name] for type_, name in _NAMES.items()},
    _T.UDEC3: _ten_bits(_T.UDEC3, ChannelType.UINT),
    _T.DEC3N: _ten_bits(_T.DEC3N, ChannelType.SNORM),
}
