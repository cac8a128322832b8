"""Loads of lanes from memory, on NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNITS", "gather", "units"]

UNITS = {1: np.uint8, 2: np.uint16, 4: np.uint32}
"""What accesses of so many bytes move."""


def units(data: NDArray[np.uint8], size: int) -> NDArray[Any]:
    """Return memory as units of `size` bytes, without copying."""
    return data[: data.size // size * size].view(UNITS[size])


def gather(
    data: NDArray[np.uint8], offset: NDArray[np.int64], valid: NDArray[np.bool_], size: int
) -> NDArray[np.uint32]:
    """Return the unit at each byte offset as uint32, (lanes,); 0 where not valid."""
    found = units(data, size)
    if not found.size:
        return np.zeros(valid.shape, np.uint32)
    values = found[np.where(valid, offset // size, 0)]
    return np.where(valid, values, 0).astype(np.uint32)
