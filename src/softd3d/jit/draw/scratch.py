"""Memory that draws need for a while: kept from batch to batch, and from draw to draw."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

__all__ = ["Scratch", "scratch_memory"]

_MOST_KEPT = 56 << 20  # bytes
_LEAST = 1 << 10  # dwords
_LINE = 16
_idle: list[Scratch] = []  # of draws that are over; a list is safe between threads


class Scratch:
    """Arrays of dwords by name, as large as was ever needed. What they hold is not cleared."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[np.uint32]] = {}

    def dwords(self, name: str, count: int) -> NDArray[np.uint32]:
        """Return so many dwords with any contents; the same ones for the same name."""
        found = self._arrays.get(name)
        if found is None or found.size < count:
            self._arrays.pop(name, None)
            del found
            found = self._arrays[name] = _aligned(max(count + count // 8, _LEAST))
        return found[:count]

    def extended(self, array: NDArray[np.uint32], more: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return rows with more rows behind them: in their own memory, if that has room."""
        size = array.size + more.size
        for found in list(self._arrays.values()):  # another thread may add some
            if found.ctypes.data == array.ctypes.data and found.size >= size:
                found[array.size : size] = more.reshape(-1)
                return found[:size].reshape(-1, *array.shape[1:])
        return np.concatenate([array, more])

    def zeros(self, name: str, count: int) -> NDArray[np.uint32]:
        """Return dwords that are 0, if whoever had them under this name has left them so."""
        found = self._arrays.get(name)
        if found is None or found.size < count:
            found = self._arrays[name] = np.zeros(max(count, _LEAST), np.uint32)
        return found[:count]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(array.nbytes for array in self._arrays.values())


def _aligned(count: int) -> NDArray[np.uint32]:
    """Return dwords from the start of a cache line on."""
    memory = np.empty(count + _LINE, np.uint32)
    start = -(memory.ctypes.data >> 2) % _LINE
    return memory[start : start + count]


@contextmanager
def scratch_memory() -> Generator[Scratch]:
    """Lend memory that nobody else has until the end of a `with` statement."""
    try:
        scratch = _idle.pop()
    except IndexError:
        scratch = Scratch()
    yield scratch
    # Not after an error: native code may have left counts that are not 0.
    if not _idle and scratch.size <= _MOST_KEPT:
        _idle.append(scratch)
