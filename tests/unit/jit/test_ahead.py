"""One thing is made while another is used."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from softd3d.errors import ExecutionError
from softd3d.jit.draw.ahead import Ahead


def _nothing() -> None:
    pass


def test_things_come_in_order_and_two_are_alive() -> None:
    used: list[int] = []

    def things() -> Iterator[int]:
        for n in range(20):
            assert n - len(used) <= 1
            assert threading.current_thread() is not threading.main_thread()
            yield n

    with closing(Ahead(things()).all(_nothing)) as every:
        for thing in every:
            time.sleep(0.001)
            used.append(thing)
    assert used == list(range(20))


def test_the_next_thing_is_made_while_one_is_used() -> None:
    made = threading.Event()

    def things() -> Iterator[int]:
        yield 1
        made.set()
        yield 2

    with closing(Ahead(things()).all(_nothing)) as every:
        assert next(every) == 1
        assert made.wait(10)


def test_an_error_comes_behind_the_things_before_it() -> None:
    def things() -> Iterator[int]:
        yield 1
        raise ExecutionError("no more")

    found: list[int] = []
    with (
        pytest.raises(ExecutionError, match="no more"),
        closing(Ahead(things()).all(_nothing)) as every,
    ):
        found += every
    assert found == [1]


def test_who_ends_early_waits_for_the_thread() -> None:
    ended: list[bool] = []

    def things() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            ended.append(ahead.is_over)

    ahead = Ahead(things())
    before = threading.active_count()
    with closing(ahead.all(_nothing)) as every:
        next(every)
    assert threading.active_count() == before
    assert ahead.is_over


def test_what_is_asked_meanwhile_may_end_it() -> None:
    def things() -> Iterator[int]:
        while not ahead.is_over:
            time.sleep(0.01)
        yield 1

    def check() -> None:
        raise ExecutionError("cancelled")

    ahead = Ahead(things())
    with (
        pytest.raises(ExecutionError, match="cancelled"),
        closing(ahead.all(check)) as every,
    ):
        next(every)
    assert ahead.is_over
