"""What may stop work on its way: the caller's `cancel`, or a time limit."""

from __future__ import annotations

import time
from collections.abc import Callable

from softd3d.errors import ExecutionError
from softd3d.lower.outcome import Outcome

__all__ = ["Watch"]

_SECONDS_BETWEEN = 0.01  # two looks at the caller's function


class Watch:
    """Tells whether work has to stop.

    should_stop: the caller's function, True to stop. seconds: of time from now on, for compiling
    and running together; None for no limit.
    """

    def __init__(
        self, should_stop: Callable[[], bool] | None = None, seconds: float | None = None
    ) -> None:
        self.should_stop = should_stop
        self.seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds
        self._next_look = 0.0

    @property
    def is_idle(self) -> bool:
        """True if nothing but an interrupt can stop the work."""
        return self.should_stop is None and self._end is None

    def reason(self, doing: str = "") -> str | None:
        """Return why the work has to stop, None if it need not. doing: what is going on."""
        if self._end is not None and time.monotonic() >= self._end:
            return f"the time limit of {self.seconds:g} s has passed{doing} (timeout, --timeout)"
        if self.should_stop is not None and self.should_stop():
            return "cancelled"
        return None

    def check(self, doing: str = "") -> None:
        """Stop the work if it has to; to be called often.

        Raises:
            ExecutionError: as said; it has no place, since which one is chance.
        """
        if self.is_idle or time.monotonic() < self._next_look:
            return
        reason = self.reason(doing)
        self._next_look = time.monotonic() + _SECONDS_BETWEEN
        if reason is not None:
            raise ExecutionError(reason, None, Outcome())

    def check_compiling(self) -> None:
        """Stop compiling, as `check`."""
        self.check(" while compiling")
