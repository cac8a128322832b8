"""What a hand-written upper bound is: LLVM text, arrays, phases, and a check of its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["THREADS", "Array", "Limit", "WrongResultError", "check", "check_equal", "empty"]

Array = NDArray[Any]
LINE = 64
THREADS = 2
"""The most threads that a limit is measured with."""


class WrongResultError(Exception):
    """A limit did not do its work, or its inputs are not what it is made for."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Work for functions of LLVM text, and how to see that it was done.

    unit, count: what is counted, and how many of it a run does. arrays: what the text's pointers
    point to, in order. phases: functions and the items that threads share in each, one after the
    other; `shared` ones are left out with one thread. before: what makes arrays fresh, untimed.
    check: of the number of threads that ran; raises a WrongResultError if the arrays do not hold
    what NumPy computes.
    """

    unit: str
    count: int
    arrays: tuple[Array, ...]
    phases: tuple[tuple[str, int], ...]
    check: Callable[[int], None]
    before: Callable[[], None] = lambda: None
    shared: tuple[str, ...] = ()


def empty(shape: tuple[int, ...], dtype: type) -> Array:
    """Return an array whose memory starts at a cache line; its contents are anything."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.empty(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(shape)


def check(condition: object, text: str) -> None:
    """Raise an error with this text unless the condition holds."""
    if not condition:
        raise WrongResultError(text)


def check_equal(found: Array, wanted: Array, what: str) -> None:
    """Raise an error that says how many elements differ, and which first."""
    differs = np.flatnonzero(found.ravel() != wanted.ravel())
    if differs.size:
        first = differs[0]
        raise WrongResultError(
            f"{what}: {differs.size} of {found.size} differ, the first at {first}: "
            f"found {found.ravel()[first]}, wanted {wanted.ravel()[first]}"
        )
