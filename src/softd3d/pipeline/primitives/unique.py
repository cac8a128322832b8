"""Which vertices primitives have, each once, and which of them had been there before."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.pipeline.primitives.parts import Part
from softd3d.pipeline.primitives.records import Indices, Numbers, counting, repeated

__all__ = ["SortedVertices", "Unique", "VertexSets", "unique_vertices"]

_INSTANCE_SHIFT = np.uint64(32)


class VertexSets(Protocol):
    """Sets of vertices: of a part, and of what an instance has had so far."""

    def unique(self, vertices: Numbers) -> tuple[Numbers, Indices]:
        """Return vertices in the order of their first use, and their places among these.

        vertices: uint32, (corners, primitives), a primitive's one behind the other. Places have the
        same shape. What is returned holds until the next call.
        """
        ...

    def add(self, instance: int, vertices: Numbers) -> int:
        """Add different vertices to the set of an instance; return how many are new.

        An instance never comes again after another one.
        """
        ...


@dataclass(frozen=True, slots=True)
class Unique:
    """The vertices of a part, each of an instance once, in the order of their first use.

    vertex, instance: SV_VertexID and SV_InstanceID, (n,). where: their places, (corners,
    primitives).
    """

    vertex: Numbers
    instance: Numbers
    where: Indices

    @property
    def count(self) -> int:
        return self.vertex.size

    @property
    def key(self) -> NDArray[np.uint64]:
        """Instance and vertex, one behind the other."""
        return self.instance.astype(np.uint64) << _INSTANCE_SHIFT | self.vertex


def unique_vertices(part: Part, sets: VertexSets) -> Unique:
    """Return the vertices of a part."""
    if part.is_distinct:
        corners, count = part.vertices.shape
        vertex = part.vertices.T.reshape(-1)
        where = counting(0, vertex.size).reshape(count, corners).T
    else:
        vertex, where = sets.unique(part.vertices)
    size, instances = vertex.size, part.instances
    if instances.size > 1:
        first = np.arange(instances.size, dtype=where.dtype) * size
        where = (where[:, None] + first[:, None]).reshape(where.shape[0], -1)
        vertex = np.tile(vertex, instances.size)
    return Unique(vertex, repeated(instances, size), where)


class SortedVertices:
    """Sets as sorted arrays.

    seen: of an instance, arrays of which each is half the one before.
    """

    def __init__(self) -> None:
        self.instance = 0
        self.seen: list[Numbers] = []

    def unique(self, vertices: Numbers) -> tuple[Numbers, Indices]:
        """Return vertices once, and places, as `VertexSets` says."""
        order = vertices.T.reshape(-1)
        found, first, inverse = np.unique(order, return_index=True, return_inverse=True)
        by_use = np.argsort(first, kind="stable")
        place = np.empty(found.size, np.int64)
        place[by_use] = np.arange(found.size)
        corners, count = vertices.shape
        return found[by_use], place[inverse.reshape(-1)].reshape(count, corners).T

    def add(self, instance: int, vertices: Numbers) -> int:
        """Add vertices, as `VertexSets` says."""
        if instance != self.instance:
            self.instance, self.seen = instance, []
        new = np.sort(vertices)
        for run in self.seen:
            place = np.minimum(np.searchsorted(run, new), run.size - 1)
            new = new[run[place] != new]
        count = new.size
        if not count:
            return 0
        while self.seen and self.seen[-1].size < 2 * new.size:
            # They have nothing in common; both are in order, so that sorting is merging.
            new = np.sort(np.concatenate([self.seen.pop(), new]), kind="stable")
        self.seen.append(new)
        return count
