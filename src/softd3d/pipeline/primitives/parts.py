"""Parts of a draw: primitives of one instance, or all primitives of several small instances."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.value import U32
from softd3d.classes import dataclass
from softd3d.pipeline.assembly import Primitives, ReadIndices, assemble, assemble_indexed
from softd3d.pipeline.prepared import DrawCall, IndexStream, PreparedDraw
from softd3d.pipeline.primitives.buffers import BufferReader, raw_view
from softd3d.pipeline.primitives.records import K, Numbers, counting, lanes, repeated, spread
from softd3d.pipeline.topology import primitive_count
from softd3d.pipeline.vertex_fetch import cut_value, fetch_index, index_place

__all__ = ["MOST_PRIMITIVES", "Part", "part_count", "parts_of"]

MOST_PRIMITIVES = 1 << 12
"""In a part; of an indexed draw, indices."""


@dataclass(frozen=True, slots=True)
class Part:
    """Primitives in order: the same ones of each of some instances.

    vertices: SV_VertexID, (corners, primitives of one instance); also of adjacent vertices, but for
    geometry shaders only. first: SV_PrimitiveID of the first. instances: SV_InstanceID of each,
    consecutive. fetched: vertices that the input assembler reads for them. is_whole: whether its
    instances are there with all their primitives. is_distinct: whether no vertex is there twice,
    as far as known. done: how many parts of the draw there are up to this one, those of
    `part_count`.
    """

    vertices: Numbers
    first: int
    instances: Numbers
    fetched: int
    is_whole: bool
    is_distinct: bool
    done: int

    @property
    def count(self) -> int:
        return self.vertices.shape[1] * self.instances.size

    @property
    def number(self) -> Numbers:
        """SV_PrimitiveID, (primitives,)."""
        number = counting(self.first, self.vertices.shape[1])
        return np.tile(number, self.instances.size) if self.instances.size > 1 else number

    @property
    def instance(self) -> Numbers:
        """SV_InstanceID, (primitives,)."""
        return repeated(self.instances, self.vertices.shape[1])


def part_count(draw: PreparedDraw, call: DrawCall, most: int = MOST_PRIMITIVES) -> int:
    """Return into how many parts each instance of a draw is divided."""
    count = call.count if call.is_indexed else primitive_count(draw.topology, call.count)
    return -(-count // most)


def parts_of(draw: PreparedDraw, call: DrawCall, most: int = MOST_PRIMITIVES) -> Iterator[Part]:
    """Return the parts of a draw in order; none is empty."""
    in_instance = part_count(draw, call, most)
    if in_instance == 1:
        yield from _small_instances(next(_assembled(draw, call, most)), call.instances, most)
        return
    for instance in range(call.instances if in_instance else 0):
        is_empty = True
        for n, part in enumerate(_assembled(draw, call, most)):
            if part.vertices.shape[1]:
                is_empty = False
                done = instance * in_instance + n + 1
                yield _part(part, np.array([instance], np.uint32), done, is_whole=False)
        if is_empty:  # so is every other instance
            return


def _small_instances(part: Primitives, instances: int, most: int) -> Iterator[Part]:
    count = part.vertices.shape[1]
    if not count:
        return
    together = max(1, most // count)
    for first in range(0, instances, together):
        end = min(first + together, instances)
        yield _part(part, np.arange(first, end, dtype=np.uint32), end, is_whole=True)


def _part(part: Primitives, instances: Numbers, done: int, *, is_whole: bool) -> Part:
    """Return the same primitives of some instances."""
    return Part(
        part.vertices, part.first, instances, part.fetched * instances.size, is_whole,
        part.is_distinct, done,
    )  # fmt: skip


def _assembled(draw: PreparedDraw, call: DrawCall, most: int) -> Iterator[Primitives]:
    adjacency = draw.geometry is not None
    if not call.is_indexed:
        return assemble(draw.topology, call.count, adjacency=adjacency, most=most)
    stream = draw.index_buffer
    cut = 0xFFFFFFFF if stream is None else cut_value(stream.format)
    read = _index_reader(stream, call)
    return assemble_indexed(
        draw.topology, call.count, read, cut, adjacency=adjacency, most=most
    )  # fmt: skip


def _index_reader(stream: IndexStream | None, call: DrawCall) -> ReadIndices:
    """Return a function from (first, count) to the raw indices of a draw: 0 without a buffer."""
    view = raw_view("index buffer", 0)
    reader = BufferReader({} if stream is None else {0: stream.data})

    start = call.start & 0xFFFFFFFF
    whole = None if stream is None else _whole(stream, start, call.count)

    def read(first: int, count: int) -> Numbers:
        if whole is not None:
            return whole[first : first + count].astype(np.uint32, copy=False)
        if stream is None:
            return np.zeros(count, np.uint32)
        number = lanes(np.arange(first, first + count, dtype=np.uint32))
        value = fetch_index(reader, view, stream.format, stream.offset, start, number)
        return np.array(spread(value, count))

    return read


def _whole(stream: IndexStream, start: int, count: int) -> NDArray[np.unsignedinteger[Any]] | None:
    """Return all indices of a draw as they lie in their buffer; None if some lie beyond it."""
    size = stream.format.bytes_per_texel
    ends = lanes(np.array([0, max(count, 1) - 1], np.uint32))
    end = K.const(U32, stream.data.size)
    place, valid = index_place(end, size, stream.offset, start, ends)
    if not np.all(valid.raw):
        return None
    at = int(place.raw[0])
    return stream.data[at : at + count * size].view(f"<u{size}")
