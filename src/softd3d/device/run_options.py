"""How a run is carried out, whatever it runs: engine, threads, limits, callbacks."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any, TypeAlias, TypedDict

from softd3d.arguments import instance, integer, one_of, real, shown
from softd3d.classes import dataclass
from softd3d.errors import ExecutionError, LoweringError, ResourceError
from softd3d.jit.abi import MAX_THREADS
from softd3d.lower.messages import DEFAULT_MESSAGES, MAX_MESSAGES
from softd3d.lower.tree import Program
from softd3d.lower.watch import Watch

__all__ = [
    "ENGINES",
    "SIDE_BY_SIDE",
    "Cancel",
    "Limit",
    "Progress",
    "RunArguments",
    "RunOptions",
    "located",
    "needs_llvmlite",
    "run_options",
]

ENGINES = ("jit", "interpreter")
SIDE_BY_SIDE = (0, 4, 8, 16)
"""Lanes that native code runs at once where no group of threads wants more; 0 is its choice."""
_LANES = (*SIDE_BY_SIDE, 32, 64, 128, 256)
Progress: TypeAlias = "Callable[[int, int], None]"
Cancel: TypeAlias = "threading.Event | Callable[[], bool]"


class Limit(TypedDict, total=False):
    """The budget, where one is given: each engine has its own default."""

    budget: int


class RunArguments(TypedDict, total=False):
    """What callers may say about a run."""

    engine: str
    threads: int
    lanes: int
    budget: int | None
    timeout: float | None
    progress: Progress | None
    cancel: Cancel | None
    max_messages: int
    strict: bool


@dataclass(slots=True)
class RunOptions:
    """The same, checked. should_stop: a function that says so. timeout: in seconds."""

    engine: str
    threads: int
    lanes: int
    budget: int | None
    timeout: float | None
    progress: Progress | None
    should_stop: Callable[[], bool] | None
    max_messages: int
    strict: bool

    def watch(self) -> Watch:
        """Return what a run, or making it ready, asks whether to stop; the time starts now."""
        return Watch(self.should_stop, self.timeout)

    @property
    def limit(self) -> Limit:
        return {} if self.budget is None else {"budget": self.budget}


def run_options(
    *, engine: str = "jit", threads: int = 0, lanes: int = 0, budget: int | None = None,
    timeout: float | None = None, progress: Progress | None = None, cancel: Cancel | None = None,
    max_messages: int = DEFAULT_MESSAGES, strict: bool = False,
) -> RunOptions:  # fmt: skip
    """Check how a run is to be carried out.

    Raises:
        ResourceError: a value that is not allowed. TypeError: strict is no bool.
    """
    return RunOptions(
        engine=one_of(engine, "engine", ENGINES),
        threads=integer(threads, "threads", range(MAX_THREADS + 1)),
        lanes=one_of(lanes, "lanes", _LANES),
        budget=None if budget is None else integer(budget, "budget", range(1, 1 << 62)),
        timeout=_seconds(timeout),
        progress=_callback("progress", progress),
        should_stop=_callback("cancel", getattr(cancel, "is_set", cancel)),
        max_messages=integer(max_messages, "max_messages", range(MAX_MESSAGES + 1)),
        strict=instance(strict, bool, "strict"),
    )


def needs_llvmlite(error: ImportError) -> LoweringError:
    """Return the error for a JIT without llvmlite, which is optional."""
    return LoweringError(f"engine jit needs llvmlite ({error}); use engine='interpreter'")


def located(error: ExecutionError, program: Program) -> ExecutionError:
    """Return an error of native code, which names an instruction by its index, with its place."""
    place = error.location
    if place is not None and place.instruction is not None:
        place = program.instructions[place.instruction].location
    return ExecutionError(error.message, place, error.outcome)


def _seconds(timeout: object) -> float | None:
    if timeout is None:
        return None
    seconds = 0.0 if isinstance(timeout, bool) else real(timeout, "timeout")
    if not 0 < seconds < math.inf:
        raise ResourceError(f"timeout: found {shown(timeout)}, wanted seconds above 0, or None")
    return seconds


def _callback(name: str, value: object) -> Callable[..., Any] | None:
    if value is not None and not callable(value):
        wanted = "an event or a function" if name == "cancel" else "a function"
        raise ResourceError(f"{name}: found {type(value).__name__}, wanted {wanted}")
    return value
