"""A bar for a person who waits for a dispatch."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from softd3d.cli.printing import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["progress_bar"]

_PATIENCE_SECONDS = 0.7


@contextmanager
def progress_bar(label: str) -> Generator[Callable[[int, int], None] | None]:
    """Give a function that takes thread groups done and in all, None without a terminal.

    The bar appears on standard error after a moment, and is gone at the end.
    """
    if not is_terminal(sys.stderr):
        yield None
        return
    start = time.perf_counter()
    with ExitStack() as stack:
        shown: list[Progress] = []

        def show(done: int, total: int) -> None:
            if not shown and time.perf_counter() - start > _PATIENCE_SECONDS:
                shown.append(stack.enter_context(_bar()))
                shown[0].add_task(label, total=total)
            for bar in shown:
                bar.update(bar.task_ids[0], completed=done)

        yield show


def _bar() -> Progress:
    from rich.console import Console  # noqa: PLC0415 - only for runs that take long
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("groups"),
        TimeRemainingColumn(),
    )  # fmt: skip
    return Progress(*columns, console=Console(stderr=True), transient=True)
