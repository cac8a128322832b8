"""Threads that run native code, and what may stop them: an interrupt, the caller, an error."""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Protocol, TypeAlias

from softd3d.classes import dataclass
from softd3d.errors import ExecutionError
from softd3d.forking import held_over_fork

__all__ = ["ThreadRun", "can_run_here", "run_on_threads"]

_POLL_SECONDS = 0.05
# A wave needs 16 MiB for the largest indexable temps, 256 lanes wide, and some for what registers
# do not hold. Systems give memory when it is touched; Windows commits a stack as a whole.
_STACK_BYTES = (24 if sys.platform == "win32" else 64) << 20
# What a thread that is not ours has left for certain: Python asks for more before it calls C code.
_FOREIGN_STACK_BYTES = 64 << 10
_USUAL_STACK_BYTES = 512 << 10  # that threads have at least, unless the program chooses a size

NativeCode: TypeAlias = Callable[[int], object]


class Memory(Protocol):
    """What one thread's run of native code reads and writes; alive as long as the thread runs."""

    @property
    def address(self) -> int: ...


@dataclass(slots=True)
class _Job:
    """One call of native code. wake: told when it has returned."""

    code: NativeCode
    memory: Memory
    wake: queue.SimpleQueue[None]
    is_finished: bool = False


_Worker: TypeAlias = "queue.SimpleQueue[_Job]"


@dataclass(slots=True)
class _Pool:
    """Threads that wait for calls; made when there are not enough."""

    idle: list[_Worker] = field(default_factory=list["_Worker"])

    def take(self, count: int) -> list[_Worker]:
        """Return `count` workers that nobody else has.

        Raises:
            ExecutionError: the system refuses a thread, for lack of memory or because of a limit.
        """
        taken: list[_Worker] = []
        try:
            for _ in range(count):
                try:
                    taken.append(self.idle.pop())
                except IndexError:
                    taken.append(_new_worker())
        except RuntimeError as error:
            self.idle += taken
            raise ExecutionError(
                f"the system starts only {len(taken)} of {count} threads, each with "
                f"{_STACK_BYTES >> 20} MiB for its stack: {error}"
            ) from None
        return taken

    def forget(self) -> None:
        """Forget all threads: a forked process has none of its parent's."""
        self.idle.clear()


_POOL = _Pool()
# The stack size of new threads is a setting of the process.
_STARTING = held_over_fork(threading.Lock())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_POOL.forget)


def _new_worker() -> _Worker:
    jobs: _Worker = queue.SimpleQueue()
    with _STARTING:
        old = threading.stack_size(_STACK_BYTES)
        try:
            threading.Thread(target=_serve, args=(jobs,), daemon=True).start()
        finally:
            threading.stack_size(old)
    return jobs


def _serve(jobs: _Worker) -> None:
    while True:
        job = jobs.get()
        if not job.is_finished:  # an interrupt may have put it twice
            job.code(job.memory.address)
            job.is_finished = True
            _POOL.idle.append(jobs)
            job.wake.put(None)
        del job  # its memory is the caller's again


def can_run_here(stack_bytes: int) -> bool:
    """Whether the caller's own thread has enough stack for native code."""
    chosen = threading.stack_size()
    return stack_bytes <= _FOREIGN_STACK_BYTES and not 0 < chosen < _USUAL_STACK_BYTES


class ThreadRun:
    """Calls of native code side by side, one for each memory, alive until `wait` returns."""

    def __init__(self, code: NativeCode, memories: Sequence[Memory]) -> None:
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._jobs = [_Job(code, memory, self._wake) for memory in memories]
        self._workers = _POOL.take(len(self._jobs))
        self._started = 0

    def start(self, *, spares: int = 0) -> None:
        """Let the calls begin, but some, which begin when they are waited for.

        An interrupt may come between any two steps. One before the count goes up gives a worker its
        job twice, who does it once.
        """
        while self._started < len(self._jobs) - spares:
            self._workers[self._started].put(self._jobs[self._started])
            self._started += 1

    @property
    def _is_over(self) -> bool:
        return self._started == len(self._jobs) and all(job.is_finished for job in self._jobs)

    def wait(self, watch: Callable[[], None], stop: Callable[[], None]) -> None:
        """Wait until all calls have returned, and begin those that have not.

        watch: called now and then. What it raises, an interrupt too, is raised here after `stop`
        has been called and the threads have ended.
        """
        error: BaseException | None = None
        while not self._is_over:  # nothing counts what has ended, so no end is missed
            try:
                self.start()
                with suppress(queue.Empty):
                    self._wake.get(timeout=_POLL_SECONDS)
                if error is None:
                    watch()
            except BaseException as raised:  # noqa: BLE001 - raised again below
                error = raised
                stop()
        if error is not None:
            raise error


def run_on_threads(
    code: NativeCode,
    memories: Sequence[Memory],
    watch: Callable[[], None],
    stop: Callable[[], None],
) -> None:
    """Call native code once for each memory, side by side, and wait until all have returned.

    watch, stop: as for `ThreadRun.wait`.
    """
    ThreadRun(code, memories).wait(watch, stop)
