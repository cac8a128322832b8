"""What callers give as arguments: looked at in one place, shown in errors in one way."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from enum import Enum, IntEnum, IntFlag
from itertools import islice
from typing import SupportsFloat, SupportsIndex, TypeVar, cast

from softd3d.errors import ResourceError

__all__ = [
    "buffer_of",
    "close_words",
    "flag",
    "flags",
    "float32",
    "instance",
    "integer",
    "integers",
    "items",
    "member",
    "named",
    "numbered",
    "one_of",
    "real",
    "records",
    "shown",
    "whole",
]

_T = TypeVar("_T")
_Member = TypeVar("_Member", bound=Enum)
_Number = TypeVar("_Number", bound=IntEnum)
_SHOWN = 60
_LISTED = 8
_LARGEST_FLOAT = 3.4028234663852886e38  # FLT_MAX
_MOST_RECORDS = 1 << 22
_LARGEST = 1 << 64  # of counts, offsets and numbers of registers; also what errors may print


def shown(value: object) -> str:
    """Return what a caller gave, for an error: on one line, at most 60 characters.

    >>> shown([1, "a"]), shown(1 << 100000)
    ("[1, 'a']", 'an int')
    """
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - the caller's own __repr__, or a number with too many digits
        text = f"an {type(value).__name__}" if isinstance(value, int) else type(value).__name__
    return " ".join(text[: 2 * _SHOWN].split())[:_SHOWN]


def instance(value: object, kind: type[_T] | tuple[type[_T], ...], what: str) -> _T:
    """Return a value that is of the class that is wanted, or of one of them.

    Raises:
        TypeError: it is something else.

    >>> instance(None, bytes, "Shader9: data")
    Traceback (most recent call last):
    TypeError: Shader9: data: found NoneType, wanted bytes
    """
    if isinstance(value, kind):
        return value
    kinds = kind if isinstance(kind, tuple) else (kind,)
    wanted = " or ".join("None" if k is type(None) else k.__name__ for k in kinds)
    raise TypeError(f"{what}: found {type(value).__name__}, wanted {wanted}")


def member(enum: type[_Member], value: object, what: str) -> _Member:
    """Return a member of an enumeration, given as itself or by its value.

    Raises:
        ResourceError: it has no such member.
    """
    if isinstance(value, Hashable):  # an array would be compared item by item
        with suppress(TypeError, ValueError):
            return enum(value)
    raise ResourceError(f"{what}: found {shown(value)}, wanted a member of {enum.__name__}")


def named(enum: type[_Number], value: object, what: str, *prefixes: str) -> _Number:
    """Return a member of an enumeration of Direct3D for itself, its number or its name.

    prefixes: of the C names, which may be there or not.

    Raises:
        ResourceError: it has no such member.
    """
    if isinstance(value, str):
        word = value.upper()
        for prefix in prefixes:
            word = word.removeprefix(prefix)
        if word in enum.__members__:
            return enum[word]
    else:
        with suppress(TypeError, ValueError):
            return enum(whole(value))
    words = list(enum.__members__)
    wanted = f"one of {', '.join(words)}" if len(words) <= _LISTED else f"a name like {words[0]}"
    close = close_words(value, words) if len(words) > _LISTED else ""
    numbers = "" if isinstance(value, str) else f", {min(enum)} to {max(enum)}"
    raise ResourceError(
        f"{what}: found {shown(value)}, wanted {wanted}, or its number{numbers}{close}"
    )


def flags(kind: type[IntFlag], value: object, what: str, prefix: str) -> int:
    """Return the bits of flags of Direct3D, given by their number (uint32) or by names.

    value: names are joined by "|", each with or without the C names' prefix.

    Raises:
        ResourceError: no such number, or no such name.
    """
    if not isinstance(value, str):
        with suppress(TypeError):
            found = whole(value)
            if 0 <= found < 1 << 32:
                return found
        words = list(kind.__members__)
        raise ResourceError(
            f"{what}: found {shown(value)}, wanted a DWORD, or names such as {words[0]}"
        )
    found = 0
    for word in value.upper().split("|"):
        name = word.strip().removeprefix(prefix)
        if name not in kind.__members__:
            wanted = ", ".join(m.name for m in kind if m.name)
            raise ResourceError(f"{what}: found {shown(value)}, wanted {wanted}, joined by |")
        found |= int(kind[name])
    return found


def close_words(value: object, words: Iterable[str]) -> str:
    """Return `; close: ` and the words that are most like a text, empty if none are.

    >>> close_words("triangles", ["TRIANGLELIST", "LINELIST"])
    '; close: TRIANGLELIST'
    """
    import difflib  # noqa: PLC0415 - errors only

    text = value[:_SHOWN].upper() if isinstance(value, str) else ""
    close = difflib.get_close_matches(text, words, n=3)
    return f"; close: {', '.join(close)}" if close else ""


def flag(value: object, what: str) -> bool:
    """Return True or False, also given as 1 or 0 or as NumPy's.

    Raises:
        ResourceError: it is something else.

    >>> flag(1, "rasterizer scissor_enable")
    True
    """
    if isinstance(value, bool):
        return value
    with suppress(TypeError):
        number = whole(value)
        if number in (0, 1):
            return bool(number)
    # NumPy's bool is no whole number, but it is equal to one.
    if type(value).__name__ in ("bool", "bool_") and type(value).__module__ == "numpy":
        return bool(value)
    raise ResourceError(f"{what}: found {shown(value)}, wanted True or False")


def float32(value: object, what: str) -> float:
    """Return the nearest float32 of a number; what is beyond the largest is the largest.

    Raises:
        ResourceError: it is no number, or NaN.

    >>> float32(float("inf"), "sampler max_lod") == float32(1e39, "sampler max_lod")
    True
    """
    try:
        number = float(cast("SupportsFloat", value))
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or isinstance(value, (str, bytes)):
        raise ResourceError(f"{what}: found {shown(value)}, wanted a number")
    clamped = max(-_LARGEST_FLOAT, min(number, _LARGEST_FLOAT))
    return struct.unpack("<f", struct.pack("<f", clamped))[0]


def one_of(value: object, what: str, allowed: Sequence[_T]) -> _T:
    """Return the choice that a value is equal to.

    Raises:
        ResourceError: it is none of those.

    >>> one_of("gpu", "engine", ["jit", "interpreter"])
    Traceback (most recent call last):
    softd3d.errors.ResourceError: engine: found 'gpu', wanted jit or interpreter
    """
    if isinstance(value, Hashable):  # an array would be compared item by item
        for choice in allowed:
            if value == choice:
                return choice
    *words, last = map(str, allowed)
    wanted = f"{', '.join(words)} or {last}" if words else last
    raise ResourceError(f"{what}: found {shown(value)}, wanted {wanted}")


def whole(value: object) -> int:
    """Return a whole number, also NumPy's; True and False, which Python counts as such, are none.

    Raises:
        TypeError: it is none, or one of more than 64 bits, which nothing here has.
    """
    if type(value) is int and -_LARGEST < value < _LARGEST:  # by far the most; protocols are slow
        return value
    if not isinstance(value, bool) and isinstance(value, SupportsIndex):
        with suppress(TypeError):  # an array is asked as well, and may be no index
            number = operator.index(value)
            if -_LARGEST < number < _LARGEST:
                return number
    raise TypeError(f"found {shown(value)}, wanted a whole number")


def integer(value: object, what: str, allowed: range | None = None) -> int:
    """Return a whole number, within a range if there is one.

    Raises:
        ResourceError: it is none, or out of range.

    >>> integer(7, "threads", range(5))
    Traceback (most recent call last):
    softd3d.errors.ResourceError: threads: found 7, wanted 0 to 4
    """
    try:
        number = whole(value)
    except TypeError:
        raise ResourceError(f"{what}: found {shown(value)}, wanted a whole number") from None
    if allowed is not None and number not in allowed:
        wanted = f"{allowed[0]} to {allowed[-1]}" if allowed else "nothing, as there are none"
        raise ResourceError(f"{what}: found {number}, wanted {wanted}")
    return number


def numbered(values: Sequence[_T], index: object, what: str) -> _T:
    """Return one of several things by its number.

    Raises:
        ResourceError: there is no such one.

    >>> numbered("ab", 2, "effect: shader")
    Traceback (most recent call last):
    softd3d.errors.ResourceError: effect: shader: found 2, wanted 0 to 1
    """
    return values[integer(index, what, range(len(values)))]


def real(value: object, what: str) -> float:
    """Return a number that is no text, no complex one and not too large for a float64.

    Raises:
        ResourceError: as said, or NaN.

    >>> real(1, "timeout")
    1.0
    """
    number = math.nan
    if isinstance(value, SupportsFloat) and not isinstance(value, (str, bytes)):
        with suppress(TypeError, ValueError, OverflowError):
            number = float(value)
    if math.isnan(number):
        raise ResourceError(f"{what}: found {shown(value)}, wanted a number")
    return number


def buffer_of(value: object, what: str) -> memoryview:
    r"""Return the bytes of an object that has a contiguous buffer: bytes, memoryview, array.

    Raises:
        TypeError: it has none.

    >>> bytes(buffer_of(bytearray(2), "data"))
    b'\x00\x00'
    """
    try:
        return memoryview(cast("bytes", value)).cast("B")
    except (TypeError, ValueError, BufferError):
        raise TypeError(
            f"{what}: found {type(value).__name__}, wanted bytes, a memoryview or an array"
        ) from None


def items(values: object, most: int) -> tuple[object, ...] | None:
    """Return the items of an ordered iterable, of a longer one `most + 1`; None of anything else.

    Texts and bytes count as something else; an iterable may be endless.

    >>> items([1, 2], 2), items("xy", 2), items(iter(int, 1), 2)
    ((1, 2), None, (0, 0, 0))
    """
    unordered = (str, bytes, bytearray, AbstractSet, Mapping)
    if not isinstance(values, Iterable) or isinstance(values, unordered):
        return None
    try:
        return tuple(islice(cast("Iterable[object]", values), most + 1))
    except TypeError:  # an array without axes
        return None


def records(values: object, kinds: tuple[type[_T], ...], what: str) -> tuple[_T, ...]:
    """Return all items of an iterable, each of which must be of one of some classes.

    Raises:
        TypeError: no iterable, or an item of another class. ResourceError: more than 2**22 items.

    >>> records([1, None], (int,), "numbers")
    Traceback (most recent call last):
    TypeError: numbers: found a NoneType, wanted int
    """
    names = " or ".join(kind.__name__ for kind in kinds)
    if not isinstance(values, Iterable):
        raise TypeError(f"{what}: found {type(values).__name__}, wanted an iterable of {names}")
    found: list[_T] = []
    for value in cast("Iterable[object]", values):
        if not isinstance(value, kinds):
            raise TypeError(f"{what}: found a {type(value).__name__}, wanted {names}")
        found.append(value)
        if len(found) > _MOST_RECORDS:
            raise ResourceError(f"{what}: found more than {_MOST_RECORDS}, the most there may be")
    return tuple(found)


def integers(values: object, count: int, what: str, names: str) -> tuple[int, ...]:
    """Return a sequence of so many whole numbers.

    Raises:
        ResourceError: it is something else.

    >>> integers([1, 2], 2, "point", "x, y as integers")
    (1, 2)
    """
    found = items(values, count)
    try:
        numbers = tuple(whole(number) for number in found or ())
    except TypeError:
        numbers = ()
    if found is None or len(numbers) != count:
        raise ResourceError(f"{what}: found {shown(values)}, wanted {names}")
    return numbers
