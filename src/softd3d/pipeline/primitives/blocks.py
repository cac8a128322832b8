"""Blocks of primitives whose vertices are shaded: what each stage hands to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.pipeline.primitives.records import Indices, Numbers

__all__ = ["Block"]


@dataclass(frozen=True, slots=True)
class Block:
    """Primitives in order.

    number, instance: SV_PrimitiveID and SV_InstanceID, (primitives,). outputs: of vertices, by name
    such as `o1.x`, (vertices,) each. where: which of them are a primitive's, (corners, primitives);
    the leading vertex first. in_order: whether these are all vertices, one behind the other.
    """

    number: Numbers
    instance: Numbers
    outputs: Mapping[str, Numbers]
    where: Indices
    in_order: bool = False

    @property
    def count(self) -> int:
        """Primitives."""
        return self.number.size

    @property
    def corners(self) -> int:
        return self.where.shape[0]

    def some(self, rows: NDArray[np.int64] | slice) -> Block:
        """Return only some of the primitives."""
        return replace(
            self, number=self.number[rows], instance=self.instance[rows],
            where=self.where[:, rows], in_order=False,
        )  # fmt: skip

    def parts(self, most: int) -> Iterator[Block]:
        """Yield the primitives in blocks of at most `most`; none is empty."""
        if 0 < self.count <= most:
            yield self
            return
        for start in range(0, self.count, most):
            yield self.some(slice(start, start + most))
