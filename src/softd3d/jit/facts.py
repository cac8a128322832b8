"""What a run needs to know of a kernel: kept beside its code, in memory and on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any, cast

from softd3d.classes import dataclass

__all__ = ["Facts"]

_MOST = 1 << 30  # bytes, or instructions: no kernel's facts have larger numbers
_MOST_WAVES = 1024


@dataclass(frozen=True, slots=True)
class Facts:
    """What a run needs to know of a kernel besides its code.

    frame_bytes: of one wave's coroutine, 0 without barriers. poison_rules: (register, rule) by bit
    of the state's `poison` slot. sites: the index of the instruction behind each number that code
    may leave in the state's `detail` slot. message_bytes: of a message record, 0 if it makes none.
    work: operations of a wave, those of loops and branches counted once; 0 if it has loops that may
    last. repeats: whether it has other loops. stack_bytes: what it takes of a thread's stack.
    width, inputs, outputs: of code for batches, lanes of a wave, and names in the order of arrays.
    """

    waves: int
    shared_bytes: int
    frame_bytes: int
    poison_rules: tuple[tuple[str, str], ...] = ()
    sites: tuple[int, ...] = ()
    message_bytes: int = 0
    work: int = 0
    repeats: bool = False
    stack_bytes: int = 0
    width: int = 0
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    def encode(self) -> bytes:
        """Return the facts as JSON."""
        return json.dumps(asdict(self), separators=(",", ":")).encode()

    @classmethod
    def decode(cls, data: bytes) -> Facts | None:
        """Return facts that `encode` wrote, None if it is something else."""
        try:
            found: Any = json.loads(data)
        except (ValueError, RecursionError, MemoryError):
            return None
        names = [f.name for f in fields(cls)]
        if not isinstance(found, dict) or sorted(cast("dict[str, Any]", found)) != sorted(names):
            return None
        facts = cls(*(_frozen(found[name]) for name in names))
        return facts if facts._is_sane() else None

    def _is_sane(self) -> bool:
        """True if all types are right and the numbers can be those of a kernel."""
        counts = (
            self.waves, self.shared_bytes, self.frame_bytes, self.message_bytes, self.work,
            self.stack_bytes, self.width,
        )  # fmt: skip
        return (
            all(_is_count(n) for n in counts)
            and type(self.repeats) is bool
            and 1 <= self.waves <= _MOST_WAVES
            and _is_tuple_of(self.sites, _is_count)
            and _is_tuple_of(self.poison_rules, _is_rule)
            and _is_tuple_of(self.inputs, _is_word)
            and _is_tuple_of(self.outputs, _is_word)
        )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _is_rule(value: Any) -> bool:
    return _is_tuple_of(value, _is_word) and len(value) == 2


def _is_word(value: object) -> bool:
    return isinstance(value, str)


def _is_tuple_of(value: object, is_one: Callable[[Any], bool]) -> bool:
    return isinstance(value, tuple) and all(map(is_one, cast("tuple[Any, ...]", value)))


def _frozen(value: Any) -> Any:
    """Return JSON's lists as the tuples that they were."""
    return tuple(map(_frozen, cast("list[Any]", value))) if isinstance(value, list) else value
