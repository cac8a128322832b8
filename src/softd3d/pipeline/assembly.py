"""Primitives of a draw, in order and in parts: bookkeeping on arrays around the topologies' rules.

A part has so many primitives that memory is bounded however large the draw is. Cuts (0xFFFF or
0xFFFFFFFF among the indices) end strips; what is incomplete then vanishes. Spec: D3D11.3 8.12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import BOOL, U32
from softd3d.classes import dataclass
from softd3d.pipeline.state.enums import PrimitiveTopology
from softd3d.pipeline.topology import (
    completed,
    corners,
    listed,
    primitive_count,
    primitive_size,
    used_vertices,
    vertices_of,
)

__all__ = ["Primitives", "ReadIndices", "assemble", "assemble_indexed"]

Numbers: TypeAlias = NDArray[np.uint32]
ReadIndices: TypeAlias = Callable[[int, int], Numbers]
"""From (first, count) to the raw indices of a draw, counted from its first."""

_MOST = 1 << 14
_BEHIND, _AHEAD = 31, 2  # how far back a primitive reaches; what tells whether it is the last
_K = NumpyAlgebra()


@dataclass(frozen=True, slots=True)
class Primitives:
    """Consecutive primitives of one instance.

    first: SV_PrimitiveID of the first of them. vertices: SV_VertexID, (vertices of a primitive,
    primitives); the leading vertex is in row 0, or, with adjacency, where topology.vertices_of
    has it. fetched: vertices that the input assembler reads for them and had not read before.
    is_distinct: whether it is known that all vertices are different.
    """

    first: int
    vertices: Numbers
    fetched: int
    is_distinct: bool = False


def assemble(
    topology: PrimitiveTopology, count: int, *, adjacency: bool = False, most: int = _MOST
) -> Iterator[Primitives]:
    """Return the primitives of `count` vertices without indices, at most `most` in a part.

    adjacency: with adjacent vertices, as a geometry shader that takes them sees them.
    """
    total = primitive_count(topology, count)
    size, which = listed(topology, adjacency=adjacency)
    for first in range(0, total, most):
        end = min(first + most, total)
        if size:
            every = np.arange(first * size, end * size, dtype=np.uint32)
            rows = every.reshape(-1, size).T[slice(None) if len(which) == size else list(which)]
            yield Primitives(first, rows, every.size, is_distinct=True)
            continue
        number = np.arange(first, end, dtype=np.uint32)
        is_last = number == np.uint32(total - 1)
        fetched = used_vertices(topology, end) - used_vertices(topology, first)
        yield Primitives(first, _vertices(topology, number, is_last, adjacency=adjacency), fetched)


def assemble_indexed(
    topology: PrimitiveTopology, count: int, read: ReadIndices, cut: int,
    *, adjacency: bool = False, most: int = _MOST,
) -> Iterator[Primitives]:  # fmt: skip
    """Return the primitives of `count` indices, at most `most` in a part; parts may be empty.

    cut: the index that ends a strip, the largest that there is. Vertices may be a view of what
    `read` has returned.
    """
    if topology is PrimitiveTopology.UNDEFINED:
        return
    size, which = listed(topology, adjacency=adjacency)
    number = start = 0  # of primitives so far; where the current strip starts
    for first in range(0, count, most):
        end = min(first + most, count)
        if size and not start and not first % size:
            raw = read(first, end - first)
            if int(raw.max()) != cut:
                rows = raw[: raw.size // size * size].reshape(-1, size).T
                rows = rows if len(which) == size else rows[list(which)]
                yield Primitives(number, rows, rows.shape[1] * size)
                number = number + rows.shape[1] & 0xFFFFFFFF
                continue
        behind, ahead = max(first - _BEHIND, 0), min(end + _AHEAD, count)
        raw = read(behind, ahead - behind)
        is_cut = np.concatenate([raw == np.uint32(cut), np.ones(_AHEAD, np.bool_)])
        here = slice(first - behind, end - behind)
        starts = _strip_starts(is_cut[here], first, start)
        start = int(starts[-1])
        part = _complete(topology, starts, is_cut, here, behind)
        rows = _vertices(topology, part.primitive, part.is_last, adjacency=adjacency)
        rows = raw[part.start + rows.astype(np.int64) - behind]
        begun = int(np.count_nonzero(part.primitive == 0))
        more = rows.shape[1] - begun
        step = used_vertices(topology, 2) - used_vertices(topology, 1)
        yield Primitives(number, rows, begun * used_vertices(topology, 1) + more * step)
        number = number + rows.shape[1] & 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class _Complete:
    """Where the strip of each complete primitive starts, which of the strip it is, if the last."""

    start: NDArray[np.int64]
    primitive: Numbers
    is_last: NDArray[np.bool_]


def _strip_starts(is_cut: NDArray[np.bool_], first: int, start: int) -> NDArray[np.int64]:
    """Return where the strip of each place starts; of a cut, the strip behind it."""
    place = np.arange(first + 1, first + 1 + is_cut.size, dtype=np.int64)
    marks = np.where(is_cut, place, start)
    return np.maximum.accumulate(marks)


def _complete(
    topology: PrimitiveTopology, starts: NDArray[np.int64], is_cut: NDArray[np.bool_],
    here: slice, behind: int,
) -> _Complete:  # fmt: skip
    place: NDArray[np.int64] = np.arange(here.start, here.stop, dtype=np.int64)
    vertex = (place + behind - starts).astype(np.uint32)  # of a cut 0xFFFFFFFF
    is_complete, primitive = completed(topology, _K.lanes(U32, vertex))
    found = np.flatnonzero(is_complete.raw & ~is_cut[here])
    at = place[found]
    is_last = is_cut[at + 1] | is_cut[at + 2]
    return _Complete(starts[found], np.asarray(primitive.raw)[found], is_last)


def _vertices(
    topology: PrimitiveTopology, primitive: Numbers, is_last: NDArray[np.bool_],
    *, adjacency: bool,
) -> Numbers:  # fmt: skip
    number = _K.lanes(U32, primitive)
    if adjacency and topology.has_adjacency:
        rows = vertices_of(topology, number, _K.lanes(BOOL, is_last))
    else:
        rows = corners(topology, number)
    size = primitive_size(topology, adjacency=adjacency)
    found = np.empty((size, primitive.size), np.uint32)
    for row, value in zip(found, rows, strict=True):
        row[:] = value.raw
    return found
