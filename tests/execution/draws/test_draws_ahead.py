"""Batches that are made while tiles of the one before are drawn, in memory of their own."""

from __future__ import annotations

import time

import pytest
from both import compare, written
from random_draws import random_draw

from softd3d.errors import ExecutionError
from softd3d.jit.draw import bins
from softd3d.jit.draw.engine import compile_draw
from softd3d.lower.outcome import Outcome
from softd3d.lower.watch import Watch


class _Impatient(Watch):
    """Stops at a look."""

    def __init__(self, looks: int) -> None:
        super().__init__(should_stop=lambda: self.looks < 0)
        self.looks = looks

    def check(self, doing: str = "") -> None:
        self.looks -= 1
        if self.looks < 0:
            raise ExecutionError(f"stopped{doing}", None, Outcome())


@pytest.mark.parametrize("seed", range(5))
def test_lists_that_take_turns_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So little room that each batch has several lists."""
    monkeypatch.setattr(bins, "_MOST_ENTRIES", 3)
    draw = random_draw(seed, 2)
    ways = [{"threads": n, "chunk": c, "tile": (16, 16)} for n in (0, 2, 3) for c in (4, 9)]
    compare(draw.prepared, draw.call, ways, f"seed {seed}\n{draw.texts}")


@pytest.mark.parametrize("seed", range(3))
def test_a_draw_that_is_stopped_leaves_no_thread_behind(seed: int) -> None:
    draw = random_draw(seed, 2)
    memory = written(draw.prepared)
    before = [m.copy() for m in memory]
    compiled = compile_draw(draw.prepared, chunk=3)
    for looks in range(2, 40, 3):
        try:
            compiled.draw(draw.call, threads=2, watch=_Impatient(looks))
        except ExecutionError as error:
            assert error.outcome is not None
        left = [m.copy() for m in memory]
        time.sleep(0.002)
        assert all((m == old).all() for m, old in zip(memory, left, strict=True))
        for m, old in zip(memory, before, strict=True):
            m[...] = old
    compare(draw.prepared, draw.call, [{"threads": 2, "chunk": 3}], f"seed {seed}")
