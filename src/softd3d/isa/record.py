"""What makes reading long programs quick: records that cost little, and remembered results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

__all__ = ["Memo", "record"]

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Make a slotted dataclass that type checkers take for a frozen one.

    A truly frozen one takes seven times as long to make, which would be a sixth of the time that
    decoding takes. Records are hashed and shared, so nothing may change them.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


class Memo(dict[K, V]):
    """Results of a function by its argument; all are forgotten before there are too many."""

    __slots__ = ("_function", "_limit")

    def __init__(self, function: Callable[[K], V], limit: int) -> None:
        super().__init__()
        self._function = function
        self._limit = limit

    def __missing__(self, key: K) -> V:
        if len(self) >= self._limit:
            self.clear()
        value = self[key] = self._function(key)
        return value
