"""Draws of lots, the same for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

__all__ = ["Chance"]

_T = TypeVar("_T")


class Chance:
    """Draws of lots."""

    def __init__(self, *seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def often(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def one(self, items: Sequence[_T]) -> _T:
        return items[int(self.rng.integers(len(items)))]

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high))
