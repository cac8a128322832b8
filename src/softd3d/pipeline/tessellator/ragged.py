"""Rows of different lengths behind each other in one array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["joined", "numbered", "starts"]

_Rows = NDArray[np.int64]


def starts(lengths: _Rows) -> _Rows:
    """Return where each row starts."""
    return np.cumsum(lengths) - lengths


def numbered(lengths: _Rows) -> _Rows:
    """Return the place of each item in its row.

    >>> numbered(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(lengths.sum(), dtype=np.int64) - np.repeat(starts(lengths), lengths)


def joined(
    pieces: Sequence[NDArray[np.int32]] | Sequence[_Rows], rows: int, shifts: _Rows
) -> _Rows:
    """Return pieces of some rows behind each other, a shift added to all numbers of each.

    shifts: (pieces,), or (rows, pieces).
    """
    nothing = np.zeros((rows, 0), np.int32)
    lengths = [piece.shape[1] for piece in pieces]
    return np.concatenate([nothing, *pieces], axis=1) + np.repeat(shifts, lengths, axis=-1)
