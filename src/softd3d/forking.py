"""Forks wait until nobody holds what the child would wait for: locks, and modules being imported.

A forked process has one thread. A lock that another thread held stays locked in it for ever.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import AbstractContextManager
from typing import Any, TypeVar

__all__ = ["held_over_fork"]

_Lock = TypeVar("_Lock", bound=AbstractContextManager[Any])
_outer: list[AbstractContextManager[Any]] = []
_inner: list[AbstractContextManager[Any]] = []
_MOST_SECONDS = 10  # of waiting for imports: the forking thread may be importing itself
_PACKAGE = __name__.partition(".")[0]


def held_over_fork(lock: _Lock, *, is_inner: bool = False) -> _Lock:
    """Let forks wait until a lock is free, and hold it meanwhile; return the lock.

    is_inner: other locks may be held when it is taken, so it is taken last.
    """
    (_inner if is_inner else _outer).append(lock)
    return lock


def _take() -> None:
    end = time.monotonic() + _MOST_SECONDS
    while True:
        while _is_importing() and time.monotonic() < end:
            time.sleep(0.001)
        for lock in (*_outer, *_inner):
            lock.__enter__()
        if not _is_importing() or time.monotonic() >= end:
            return
        _release()


def _release() -> None:
    for lock in reversed((*_outer, *_inner)):
        lock.__exit__(None, None, None)


def _is_importing() -> bool:
    """True while a module of this package is being imported, whose lock a child would wait for."""
    importer = sys.modules.get("_frozen_importlib")
    names: list[str] = list(getattr(importer, "_module_locks", ()))
    return any(name.partition(".")[0] == _PACKAGE for name in names)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take, after_in_parent=_release, after_in_child=_release)
