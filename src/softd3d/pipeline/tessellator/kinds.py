"""Patches with the same numbers of points: what is made for one of them holds for all.

Numbers of points are whole, so that a mesh whose factors are equal, or nearly so, has few kinds.
"""

from __future__ import annotations

import numpy as np

from softd3d.classes import dataclass
from softd3d.pipeline.primitives.records import Bools, Rows
from softd3d.pipeline.tessellator.ragged import joined, starts

__all__ = ["Kinds", "kinds_of"]


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kinds of some patches. first: the first patch of each. which: the kind of each patch."""

    first: Rows
    which: Rows

    def for_all(self, made: Rows, lengths: Rows, sizes: Rows, fixed_rows: int = 0) -> Rows:
        """Return for all patches what was made for one of each kind, (rows, items).

        Args:
            made: numbers, (rows, items), of one kind after another.
            lengths: how many items each patch has.
            sizes: how far numbers go on from one patch to the next, of each patch.
            fixed_rows: last rows, whose numbers do not.
        """
        if self.first.size == self.which.size:
            return made
        ends = np.cumsum(lengths[self.first]).tolist()
        views: list[Rows] = [made[:, a:b] for a, b in zip([0, *ends], ends, strict=False)]
        shift = starts(sizes) - starts(sizes[self.first])[self.which]
        rows = len(made)
        shifts = np.stack([shift] * (rows - fixed_rows) + [np.zeros_like(shift)] * fixed_rows)
        pieces: list[Rows] = [views[n] for n in self.which.tolist()]
        return joined(pieces, rows, shifts)


def kinds_of(counts: Rows, is_single: Bools) -> Kinds:
    """Return the kinds of patches.

    counts: the points of each axis, (patches, axes). is_single: whether all factors are 1.
    """
    numbers: dict[tuple[int, ...], int] = {}
    keys = np.column_stack([counts, is_single]).tolist()
    which = [numbers.setdefault(tuple(key), len(numbers)) for key in keys]
    found: Rows = np.array(which, np.int64)
    return Kinds(np.unique(found, return_index=True)[1], found)
