"""Batches of fragments in which no quad of pixels comes twice."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.interp.draw.order import batches
from softd3d.interp.draw.quads import Fragments


def fragments(places: list[int]) -> Fragments:
    """Quads in a row, by their number in it."""
    x = (np.array(places, np.int64)[:, None] * 2 + np.array([0, 1, 0, 1])).reshape(-1)
    y = np.tile([0, 0, 1, 1], len(places)).astype(np.int64)
    zero = np.zeros(x.size, np.uint32)
    return Fragments(x, x, y, zero, zero)


@pytest.mark.parametrize(
    ("places", "most", "wanted"),
    [
        ([], 4, []),
        ([0, 1, 2], 4, [3]),
        ([0, 1, 2, 3, 4], 2, [2, 2, 1]),
        ([0, 1, 0, 1, 2, 0], 8, [2, 3, 1]),
        ([5, 5, 5], 8, [1, 1, 1]),
        ([0, 1, 1, 0, 2, 3], 3, [2, 3, 1]),
    ],
)
def test_batches_are_as_long_as_they_can_be(places: list[int], most: int, wanted: list[int]):
    given = fragments(places)
    rows = list(batches(given, most, is_ordered=True))
    assert [r.size // 4 for r in rows] == wanted
    assert np.concatenate([*rows, np.arange(0)]).tolist() == list(range(given.count))


def test_without_order_only_the_number_of_quads_counts():
    rows = list(batches(fragments([5, 5, 5]), 2, is_ordered=False))
    assert [r.size // 4 for r in rows] == [2, 1]
