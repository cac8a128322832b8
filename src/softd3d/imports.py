"""Imports while which Python collects no garbage: they make much that stays, and next to none."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["without_collecting"]


@contextmanager
def without_collecting() -> Generator[None]:
    """Let the collector rest inside of a `with` statement, if it is on; then it is on again.

    What has been made is old then, so that the next collection does not look at all of it. That a
    program switches it off in another thread, just meanwhile, is lost.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # or what the program has frozen would thaw
            gc.freeze()
            gc.unfreeze()
        gc.enable()
