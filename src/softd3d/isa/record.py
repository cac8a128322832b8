"""What makes reading long programs quick: records that cost little, and remembered results."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import field, fields, is_dataclass
from functools import cache, wraps
from typing import (
    Any,
    ParamSpec,
    TypeVar,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from softd3d.arguments import shown
from softd3d.classes import dataclass
from softd3d.errors import AssemblyError

__all__ = ["Bounded", "Memo", "by_hand", "by_hand_plain", "record", "short"]

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")

P = ParamSpec("P")

_LONGEST_LINE = 100
_DEEPEST = 8  # records inside of each other that are looked at


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Make a slotted dataclass that type checkers take for a frozen one.

    A truly frozen one takes seven times as long to make, which would be a sixth of the time that
    decoding takes. Records are hashed and shared, so nothing may change them.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)


def by_hand(function: Callable[P, V]) -> Callable[P, V]:
    """Make errors of what fails for a record with wrong fields, one made by hand.

    Fields are not checked when records are made, as decoders make them by the hundred thousand. So
    they are looked at when something has failed; only that tuples are tuples, which end, is looked
    at before.

    Raises:
        TypeError: a field is of another type than its annotation says.
        AssemblyError: the fields contradict each other.
    """
    return _guarded(function, looks_at_tuples=True)


def by_hand_plain(function: Callable[P, V]) -> Callable[P, V]:
    """Do as `by_hand` for a function that walks no field: nothing is looked at before.

    What is asked of every instruction of a run must not cost a look at all its tuples; and of a
    program, whose instructions are one, that look is a walk of them all.
    """
    return _guarded(function, looks_at_tuples=False)


def _guarded(function: Callable[P, V], *, looks_at_tuples: bool) -> Callable[P, V]:
    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> V:
        given = next(iter((*args, *kwargs.values())), None)
        if looks_at_tuples:
            _check_tuples(given)
        try:
            return function(*args, **kwargs)
        except _FAILURES as error:
            _check_fields(given)
            name = type(given).__name__
            raise AssemblyError(
                f"{name}: its fields contradict each other ({shown(error)})"
            ) from error

    return checked


_FAILURES = (
    ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError,
    ValueError, struct.error,
)  # fmt: skip


def _check_tuples(value: object, depth: int = 0) -> None:
    names = _tuple_fields(type(value))
    for name in names:
        found = getattr(value, name)
        if type(found) is not tuple:
            raise TypeError(f"{type(value).__name__}: {name} is {shown(found)}, wanted a tuple")
        if depth < _DEEPEST:
            for item in cast("tuple[object, ...]", found):
                if not isinstance(item, int):
                    _check_tuples(item, depth + 1)


@cache
def _tuple_fields(cls: type) -> tuple[str, ...]:
    """Return the names of a record's fields that are tuples; none of what is no record."""
    if not is_dataclass(cls):
        return ()
    return tuple(known.name for known in fields(cls) if str(known.type).startswith("tuple["))


def _check_fields(value: object, depth: int = 0) -> None:
    """Refuse a record with a field of the wrong type, in it or in what it holds."""
    if isinstance(value, tuple):
        for item in cast("tuple[object, ...]", value):
            _check_fields(item, depth)
        return
    cls = type(value)
    if not is_dataclass(cls) or depth > _DEEPEST:
        return
    hints = _hints(cls)
    for known in fields(cls):
        found = getattr(value, known.name)
        if not _fits(found, hints.get(known.name, Any)):
            raise TypeError(f"{cls.__name__}: {known.name} is {shown(found)}, wanted {known.type}")
        _check_fields(found, depth + 1)


def _hints(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls)
    except NameError:  # imported for type checkers alone
        return {}


def _fits(value: object, hint: Any) -> bool:
    args = get_args(hint)
    if get_origin(hint) is tuple:
        if not isinstance(value, tuple):
            return False
        found = cast("tuple[object, ...]", value)
        if args[-1] is Ellipsis:
            return all(_fits(item, args[0]) for item in found)
        return len(found) == len(args) and all(map(_fits, found, args))
    if args:
        return any(_fits(value, choice) for choice in args)
    return not isinstance(hint, type) or isinstance(value, hint)


def short(text: str, end: str = "") -> str:
    """Return a text with its end, on one line of at most 100 characters."""
    line = " ".join(text.split())
    room = _LONGEST_LINE - len(end)
    return (line if len(line) <= room else f"{line[: room - 3]}...") + end


class Bounded(dict[K, V]):
    """A dictionary that forgets all it holds before it gets more than `limit` entries."""

    __slots__ = ("_limit",)

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self._limit:
            self.clear()
        dict.__setitem__(self, key, value)  # quicker than by super()


class Memo(Bounded[K, V]):
    """Results of a function by its argument."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[K], V], limit: int) -> None:
        super().__init__(limit)
        self._function = function

    def __missing__(self, key: K) -> V:
        value = self[key] = self._function(key)
        return value
