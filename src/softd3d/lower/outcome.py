"""What a finished run reports."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """poisoned: (register, rule) wherever Direct3D leaves contents undefined, in no order.

    instructions: instructions executed by the interpreter, each once for a batch of lanes; 0 from
    the JIT, which does not count them.
    """

    poisoned: tuple[tuple[str, str], ...] = ()
    instructions: int = 0
