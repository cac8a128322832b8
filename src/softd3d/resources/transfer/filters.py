"""Averages of components, for resolves, mips and stretches, with the algebra's arithmetic.

All work on float32 arrays along one axis. The order of operations is part of the result and stated
with each function.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import F32, Value

__all__ = ["halved", "items_under", "mean", "stretched"]

_ALGEBRA = NumpyAlgebra()
Components = NDArray[np.float32]


def mean(values: Components, axis: int) -> Components:
    """Return the mean along an axis, which has a power of two of items and goes away.

    Neighbours are averaged, (a + b) * 0.5, then neighbours of what that gives, and so on: so items
    that are all the same give just that.
    """
    while values.shape[axis] > 1:
        values = _pairs(values, axis)
    return np.take(values, 0, axis)


def items_under(first: int, last: int, extent: int) -> slice:
    """Return which of `extent` items lie under items first <= i < last of half as many.

    >>> items_under(1, 3, 8), items_under(1, 3, 7), items_under(0, 1, 1)
    (slice(2, 6, None), slice(2, 7, None), slice(0, 1, None))
    """
    if extent == 1:
        return slice(0, 1)
    return slice(2 * first, 2 * last + extent % 2)


def halved(values: Components, axis: int, extent: int, first: int = 0) -> Components:
    """Return items of an axis at half its extent, rounded down, at least 1: a box filter.

    Of 2 * m items: (a + b) * 0.5 of each pair. Of 2 * m + 1 items: item i is the mean of what lies
    under it, (2 * m + 1) / m items, of which the outer ones count in part:
    (a * (m - i) + b * m + c * (i + 1)) / (2 * m + 1).

    Args:
        values: the items under those that are wanted, see `items_under`.
        axis: which one it is.
        extent: how many items the whole axis has.
        first: the first one that is wanted.
    """
    if extent == 1:
        return values
    if extent % 2 == 0:
        return _pairs(values, axis)
    count, half = values.shape[axis] // 2, extent // 2
    index = first + np.arange(count, dtype=np.float32).reshape(_along(axis, values.ndim))
    a, b, c = (_lanes(_strided(values, axis, start, 2 * count)) for start in (0, 1, 2))
    total = a * _lanes(half - index) + b * float(half) + c * _lanes(index + 1)
    return (total / float(extent)).raw


def stretched(values: Components, axis: int, count: int) -> Components:
    """Return an axis with `count` items, interpolated linearly between those nearest.

    Items are at the centres of equal parts; outside the first and last centre it is these that
    count. Between a and b it is a + (b - a) * t, t the exact fraction rounded once.
    """
    extent = values.shape[axis]
    if count == extent:
        return values
    # Centre i lies at (2 * i + 1) * extent / (2 * count) - 1 / 2, counted in source items.
    places = (2 * np.arange(count, dtype=np.int64) + 1) * extent - count
    places = np.clip(places, 0, 2 * count * (extent - 1))
    lower = places // (2 * count)
    fraction = (places % (2 * count) / (2 * count)).astype(np.float32)
    fraction = fraction.reshape(_along(axis, values.ndim))
    upper = np.minimum(lower + 1, extent - 1)
    a, b = (_lanes(np.take(values, index, axis)) for index in (lower, upper))
    return (a + (b - a) * _lanes(fraction)).raw


def _along(axis: int, axes: int) -> tuple[int, ...]:
    """Return the shape of numbers along one of so many axes, the others 1."""
    return tuple(-1 if number == axis else 1 for number in range(axes))


def _pairs(values: Components, axis: int) -> Components:
    a, b = (_lanes(_strided(values, axis, start, values.shape[axis])) for start in (0, 1))
    return ((a + b) * 0.5).raw


def _strided(values: Components, axis: int, start: int, length: int) -> Components:
    """Return every other item of `length` items from `start` on, as far as there are so many."""
    index: list[Any] = [slice(None)] * values.ndim
    index[axis] = slice(start, start + length, 2)
    return values[tuple(index)]


def _lanes(array: NDArray[Any]) -> Value:
    return _ALGEBRA.lanes(F32, array)
