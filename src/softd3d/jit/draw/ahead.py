"""One thing is made while another is used: by a thread of its own."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["Ahead"]

_T = TypeVar("_T")
_POLL_SECONDS = 0.05


@dataclass(slots=True)
class _End:
    """What comes last. error: what was raised instead of another thing."""

    error: BaseException | None = None


@dataclass(slots=True)
class Ahead(Generic[_T]):
    """Takes things from an iterator in another thread, one more than are used.

    is_over: whether nobody wants more; the iterator had better stop then.
    """

    things: Iterator[_T]
    is_over: bool = False
    _made: queue.SimpleQueue[_T | _End] = field(default_factory=queue.SimpleQueue["_T | _End"])
    _room: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(2))

    def all(self, check: Callable[[], None]) -> Generator[_T]:
        """Yield the things. A thing is over when the next one is asked for.

        check: called now and then while there is nothing to yield. To be closed before anything
        ends that the iterator uses: the thread has ended then.
        """
        context = copy_context()
        thread = threading.Thread(target=context.run, args=(self._make,), daemon=True)
        thread.start()
        try:
            while not isinstance(thing := self._next(check), _End):
                yield thing
                self._room.release()
            if thing.error is not None:
                raise thing.error
        finally:
            self.is_over = True
            self._room.release()
            thread.join()

    def _next(self, check: Callable[[], None]) -> _T | _End:
        while True:
            try:
                return self._made.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                check()

    def _make(self) -> None:
        end = _End()
        try:
            self._room.acquire()
            while not self.is_over:
                try:
                    thing = next(self.things)
                except StopIteration:
                    break
                self._made.put(thing)
                del thing
                self._room.acquire()
        except BaseException as error:  # noqa: BLE001 - raised again by who uses the things
            end.error = error
        self._made.put(end)
