"""What was made before, by its key: as much as fits, the least recently asked for goes first."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

__all__ = ["Kept"]

_K = TypeVar("_K")
_V = TypeVar("_V")


class Kept(Generic[_K, _V]):
    """A dictionary of limited size.

    >>> kept = Kept[int, str](2)
    >>> for n in (1, 2, 1, 3):
    ...     gone = kept.get(n) or kept.put(n, str(n))
    >>> [kept.get(n) for n in (1, 2, 3)]
    ['1', None, '3']
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[_K, _V] = OrderedDict()

    def get(self, key: _K) -> _V | None:
        """Return a value, which is the last to go then; None if it is not there."""
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
        return found

    def put(self, key: _K, value: _V) -> _V | None:
        """Keep a value; return one that has to go for it, None if none has."""
        self._values[key] = value
        if len(self._values) > self._most:
            return self._values.popitem(last=False)[1]
        return None

    def drop(self, key: _K) -> None:
        """Keep a value no longer, if it is there."""
        self._values.pop(key, None)

    def __len__(self) -> int:
        return len(self._values)
