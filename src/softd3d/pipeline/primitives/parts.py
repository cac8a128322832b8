"""Parts of a draw: primitives of one instance, or all primitives of several small instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softd3d.pipeline.assembly import Primitives, ReadIndices, assemble, assemble_indexed
from softd3d.pipeline.prepared import DrawCall, IndexStream, PreparedDraw
from softd3d.pipeline.primitives.buffers import BufferReader, raw_view
from softd3d.pipeline.primitives.records import Numbers, Rows, lanes, spread
from softd3d.pipeline.topology import primitive_count
from softd3d.pipeline.vertex_fetch import cut_value, fetch_index

__all__ = ["MOST_PRIMITIVES", "Part", "Unique", "part_count", "parts_of", "unique_vertices"]

MOST_PRIMITIVES = 1 << 12
"""In a part; of an indexed draw, indices."""
_INSTANCE_SHIFT = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Part:
    """Primitives in order. (primitives,) each but vertices: SV_VertexID, (corners, primitives).

    vertices: also adjacent ones, but for geometry shaders only. number: SV_PrimitiveID. instance:
    SV_InstanceID. fetched: vertices that the input assembler reads for them. is_whole: whether its
    instances are there with all their primitives. done: how many parts of the draw there are up to
    this one, those of `part_count`.
    """

    vertices: Numbers
    number: Numbers
    instance: Numbers
    fetched: int
    is_whole: bool
    done: int

    @property
    def count(self) -> int:
        return self.number.size


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
    count = part.vertices.shape[1]
    number = np.arange(count, dtype=np.uint32) + np.uint32(part.first)
    return Part(
        np.tile(part.vertices, instances.size), np.tile(number, instances.size),
        np.repeat(instances, count), part.fetched * instances.size, is_whole, done,
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

    def read(first: int, count: int) -> Numbers:
        if stream is None:
            return np.zeros(count, np.uint32)
        number = lanes(np.arange(first, first + count, dtype=np.uint32))
        start = call.start & 0xFFFFFFFF
        value = fetch_index(reader, view, stream.format, stream.offset, start, number)
        return np.array(spread(value, count))

    return read


@dataclass(frozen=True, slots=True)
class Unique:
    """The vertices of a part, each once, in the order of their first use.

    key: instance and vertex, one behind the other, uint64, (n,). where: their places, shaped as the
    part's vertices.
    """

    key: NDArray[np.uint64]
    where: Rows

    @property
    def count(self) -> int:
        return self.key.size

    @property
    def vertex(self) -> Numbers:
        """SV_VertexID, (n,)."""
        return self.key.astype(np.uint32)

    @property
    def instance(self) -> Numbers:
        """SV_InstanceID, (n,)."""
        return (self.key >> _INSTANCE_SHIFT).astype(np.uint32)


def unique_vertices(part: Part) -> Unique:
    """Return the vertices of a part, each of an instance once."""
    instance = part.instance.astype(np.uint64) << _INSTANCE_SHIFT
    order = (part.vertices.astype(np.uint64) | instance).T.reshape(-1)
    found, first, inverse = np.unique(order, return_index=True, return_inverse=True)
    by_use = np.argsort(first, kind="stable")
    place = np.empty(found.size, np.int64)
    place[by_use] = np.arange(found.size)
    corners, count = part.vertices.shape
    where = place[inverse.reshape(-1)].reshape(count, corners).T
    return Unique(found[by_use], where)
