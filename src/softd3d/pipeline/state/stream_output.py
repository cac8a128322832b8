"""What a geometry shader is made with to stream out: D3D11_SO_DECLARATION_ENTRY and strides.

Spec: D3D11.3 section 14.1; ID3D11Device::CreateGeometryShaderWithStreamOutput.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from softd3d.arguments import instance, integer, items, shown
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.limits import (
    MAX_STREAM_OUTPUT_BUFFERS,
    MAX_STREAM_OUTPUT_BYTES,
    MAX_STREAM_OUTPUT_COMPONENTS,
    MAX_STREAMS,
    MAX_STRUCTURE_STRIDE,
)
from softd3d.pipeline.state.records import settle

__all__ = ["SO_NO_RASTERIZED_STREAM", "SODeclarationEntry", "StreamOutput"]

SO_NO_RASTERIZED_STREAM = 0xFFFFFFFF
"""The number of no stream, where one is rasterised; so is None."""
_UINT32 = range(1 << 32)
_COMPONENT = 4  # bytes
_MOST_ENTRIES = MAX_STREAMS * MAX_STREAM_OUTPUT_COMPONENTS
_WHAT = "stream output"


@dataclass(frozen=True, slots=True)
class SODeclarationEntry:
    """D3D11_SO_DECLARATION_ENTRY: components of an output, and the buffer that they go to.

    semantic_name: None for a gap, whose components are skipped in the buffer. start_component,
    component_count: of the output, counted from the first component that it has.

    Raises:
        ResourceError: a value that Direct3D does not allow; the text says which.

    >>> SODeclarationEntry(0, "TEXCOORD", 1, component_count=2).label
    'TEXCOORD1'
    """

    stream: int = 0
    semantic_name: str | None = None
    semantic_index: int = 0
    start_component: int = 0
    component_count: int = 4
    output_slot: int = 0

    def __post_init__(self) -> None:
        name = instance(self.semantic_name, (str, type(None)), f"{_WHAT} entry semantic_name")
        if name == "":
            raise ResourceError(f"{_WHAT} entry semantic_name: found '', wanted a name or None")
        index = integer(self.semantic_index, f"{_WHAT} entry {shown(name)} semantic_index", _UINT32)
        settle(self, {"semantic_index": index})
        what = f"{_WHAT} entry {self.label}"
        most = MAX_STREAM_OUTPUT_COMPONENTS if name is None else 4
        first = integer(self.start_component, f"{what} start_component", range(4))
        counts = range(1, most + 1 - first)
        values: dict[str, object] = {
            "stream": integer(self.stream, f"{what} stream", range(MAX_STREAMS)),
            "start_component": first,
            "component_count": integer(self.component_count, f"{what} component_count", counts),
            "output_slot": integer(
                self.output_slot, f"{what} output_slot", range(MAX_STREAM_OUTPUT_BUFFERS)
            ),
        }
        settle(self, values)
        if self.is_gap and (index or first):
            raise ResourceError(
                f"{what}: found semantic_index {index} and start_component {first}, wanted 0"
            )

    @property
    def is_gap(self) -> bool:
        return self.semantic_name is None

    @property
    def label(self) -> str:
        """The semantic as HLSL writes it: name and index, which is left out where it is 0."""
        if self.semantic_name is None:
            return "gap"
        return f"{shown(self.semantic_name)[1:-1]}{self.semantic_index or ''}"

    @property
    def components(self) -> range:
        """The components that are written, counted in the output."""
        return range(self.start_component, self.start_component + self.component_count)


@dataclass(frozen=True, slots=True)
class StreamOutput:
    """What CreateGeometryShaderWithStreamOutput takes besides the shader.

    entries: in the order in which each buffer's vertex has them. buffer_strides: bytes from a
    vertex to the next, by slot; by default what the entries take. rasterized_stream: None or
    SO_NO_RASTERIZED_STREAM for none, so that nothing is rasterised.

    Raises:
        TypeError: entries are no SODeclarationEntry.
        ResourceError: what Direct3D does not allow: a buffer with entries of several streams, or of
            more than 512 bytes; more than 128 components of a stream; a component twice; a stride
            that is too small, above 2048, or no multiple of 4.

    >>> StreamOutput([SODeclarationEntry(0, "SV_Position")]).buffer_strides
    (16, 0, 0, 0)
    """

    entries: Iterable[SODeclarationEntry] = ()
    buffer_strides: Sequence[int] | None = None
    rasterized_stream: int | None = 0

    def __post_init__(self) -> None:
        found = items(self.entries, _MOST_ENTRIES)
        if found is None or len(found) > _MOST_ENTRIES:
            raise ResourceError(f"{_WHAT} entries: found {shown(self.entries)}, wanted up to 512")
        entries = tuple(instance(e, SODeclarationEntry, f"{_WHAT} entries") for e in found)
        settle(self, {"entries": entries})
        settle(self, {"rasterized_stream": _stream(self.rasterized_stream)})
        _check(entries)
        sizes = [_bytes_of(entries, slot) for slot in range(MAX_STREAM_OUTPUT_BUFFERS)]
        settle(self, {"buffer_strides": _strides(self.buffer_strides, sizes)})

    @property
    def declared(self) -> tuple[SODeclarationEntry, ...]:
        """The entries as such, which they are once this is made."""
        return cast("tuple[SODeclarationEntry, ...]", self.entries)

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes from a vertex to the next, by slot, 0 where there are no entries."""
        return tuple(self.buffer_strides or ())


def _stream(given: object) -> int | None:
    what = f"{_WHAT} rasterized_stream"
    if given is None or integer(given, what) == SO_NO_RASTERIZED_STREAM:
        return None
    return integer(given, what, range(MAX_STREAMS))


def _check(entries: Sequence[SODeclarationEntry]) -> None:
    """Refuse entries that do not go together."""
    streams: dict[int, int] = {}  # by slot
    components: dict[int, int] = {}  # of each stream
    sizes: dict[int, int] = {}  # of each slot
    seen: set[tuple[int, str, int, int]] = set()
    for e in entries:
        what = f"{_WHAT} entry {e.label}"
        if streams.setdefault(e.output_slot, e.stream) != e.stream:
            raise ResourceError(
                f"{what}: found stream {e.stream} in slot {e.output_slot}, wanted stream "
                f"{streams[e.output_slot]} as of the entries before: a buffer takes one stream"
            )
        components[e.stream] = components.get(e.stream, 0) + e.component_count
        sizes[e.output_slot] = sizes.get(e.output_slot, 0) + _COMPONENT * e.component_count
        if components[e.stream] > MAX_STREAM_OUTPUT_COMPONENTS:
            raise ResourceError(
                f"{_WHAT}: found more than {MAX_STREAM_OUTPUT_COMPONENTS} components of stream "
                f"{e.stream}, wanted at most so many"
            )
        if sizes[e.output_slot] > MAX_STREAM_OUTPUT_BYTES:
            raise ResourceError(
                f"{_WHAT}: found more than {MAX_STREAM_OUTPUT_BYTES} bytes of entries in slot "
                f"{e.output_slot}, wanted at most so many"
            )
        _note(e, seen, what)


def _note(e: SODeclarationEntry, seen: set[tuple[int, str, int, int]], what: str) -> None:
    """Note the components of an entry; refuse those that were noted before."""
    if e.semantic_name is None:
        return
    for component in e.components:
        key = e.stream, e.semantic_name.upper(), e.semantic_index, component
        if key in seen:
            raise ResourceError(f"{what}: found component {component} twice, wanted it once")
        seen.add(key)


def _bytes_of(entries: Sequence[SODeclarationEntry], slot: int) -> int:
    """Return how many bytes the entries of a slot take, gaps included."""
    return _COMPONENT * sum(e.component_count for e in entries if e.output_slot == slot)


def _strides(given: Sequence[int] | None, sizes: Sequence[int]) -> tuple[int, ...]:
    if given is None:
        return tuple(sizes)
    found = items(given, MAX_STREAM_OUTPUT_BUFFERS)
    if found is None or len(found) > MAX_STREAM_OUTPUT_BUFFERS:
        raise ResourceError(f"{_WHAT} buffer_strides: found {shown(given)}, wanted up to 4 numbers")
    every = (*found, *(0,) * (MAX_STREAM_OUTPUT_BUFFERS - len(found)))
    strides: list[int] = []
    for slot, (value, size) in enumerate(zip(every, sizes, strict=True)):
        what = f"{_WHAT} stride of slot {slot}"
        stride = integer(value, what, range(MAX_STRUCTURE_STRIDE + 1))
        if stride < size or stride % _COMPONENT:
            raise ResourceError(f"{what}: found {stride}, wanted a multiple of 4, at least {size}")
        strides.append(stride)
    return tuple(strides)
