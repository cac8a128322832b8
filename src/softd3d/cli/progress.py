"""A bar for a person who waits for a run."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from softd3d.cli.printing import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["progress_bar"]

_PATIENCE_SECONDS = 0.7


@contextmanager
def progress_bar(label: str, unit: str = "groups") -> Generator[Callable[[int, int], None] | None]:
    """Give a function that takes work done and in all, None without a terminal.

    The bar appears on standard error after a moment, whether or not anything is done by then, and
    is gone at the end. unit: what is counted.
    """
    if not is_terminal(sys.stderr):
        yield None
        return
    waiting = _Waiting(label, unit)
    try:
        yield waiting.show
    finally:
        waiting.end()


class _Waiting:
    """The bar, its moment of patience, and what is done."""

    def __init__(self, label: str, unit: str) -> None:
        self._label, self._unit = label, unit
        self._bar: Progress | None = None
        self._has_ended = False
        self._lock = threading.Lock()  # the bar may appear by the timer while the work ends
        self._end_of_patience = time.perf_counter() + _PATIENCE_SECONDS
        self._timer = threading.Timer(_PATIENCE_SECONDS, self._appear)
        self._timer.daemon = True
        self._timer.start()

    def show(self, done: int, total: int) -> None:
        """Tell how much is done."""
        if time.perf_counter() > self._end_of_patience:
            self._appear()
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done, total=total)

    def end(self) -> None:
        """Take the bar away."""
        self._timer.cancel()
        with self._lock:
            self._has_ended = True
            if self._bar is not None:
                self._bar.stop()

    def _appear(self) -> None:
        with self._lock:
            if self._bar is None and not self._has_ended:
                bar = _bar(self._unit)
                bar.add_task(self._label, total=None)
                bar.start()
                self._bar = bar


def _bar(unit: str) -> Progress:
    from rich.console import Console  # noqa: PLC0415 - only for runs that take long
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit),
        TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    return Progress(*columns, console=Console(stderr=True), transient=True)
