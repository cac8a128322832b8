"""Statements of random programs that say something, abort, or call a method of an interface.

Operands of messages are exact, so texts are the same on every engine. A thread that aborts ends as
by `ret`, so programs whose barriers it might miss have no abort, nor those that may not end: which
groups an abort spares is free.
"""

from __future__ import annotations

from random_operands import EXACT
from random_sampling import SamplingStatements

__all__ = ["MessageStatements"]

_CONVERSIONS = (
    "%u",
    "%d",
    "%i",
    "%x",
    "%08X",
    "%o",
    "%f",
    "%g",
    "%.2e",
    "%c",
    "%p",
    "%5u",
    "%-4d|",
)
_LIMITS = (0, 1, 7, 40, 1000, 1000)
SITES = 4  # of the interface, in slots


class MessageStatements(SamplingStatements):
    """Messages, aborts and calls of methods."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        modern = self.version >= (5, 0)
        self.has_messages = modern and self.chance(0.06)
        self.has_methods = modern and self.chance(0.03)
        self.max_messages = self.random.choice(_LIMITS) if self.has_messages else 1000
        self.may_abort = self.has_messages and not self.has_barriers and self.chance(0.3)
        self.aborts = False

    def say(self) -> None:
        """Emit a message of all active threads."""
        if self.chance(0.15):
            self.emit("debug_break")
            return
        count = self.random.randint(0, 3)
        texts = [self.random.choice(_CONVERSIONS) for _ in range(count)]
        operands = "".join(f", {self.exact(1)}" for _ in range(count))
        name = self.random.choice(("printf", "errorf"))
        self.emit(f'{name} "{" ".join([*texts, "100%%"])}"{operands}')

    def abort(self) -> None:
        """Emit an abort of some threads."""
        self.aborts = True
        mask = self.random.choice((3, 15, 0x80000000))
        self.emit(f"and r9.w, {self.exact(1)}, l({mask})")
        self.emit("if_z r9.w")
        self.emit("abort")
        self.emit("endif")

    def method(self) -> None:
        """Call a method of a class instance, whose number may be computed."""
        if self.chance(0.4):
            self.emit(f"fcall fp0[{self.random.randrange(SITES)}][0]")
            return
        source = f"{self.random.choice(EXACT)}.{self.random.choice('xyzw')}"
        self.emit(f"and r10.w, {source}, l({self.random.choice((1, 3))})")
        self.emit("fcall fp0[r10.w + 0][0]")
