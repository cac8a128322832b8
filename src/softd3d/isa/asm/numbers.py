"""Literals: as Microsoft's disassembler writes them, in hex, or exactly."""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from enum import Enum, auto
from functools import cache

from softd3d.isa.asm.options import Dialect, Habits, Literals

__all__ = [
    "LiteralKind",
    "double_text",
    "double_writer",
    "exact_float_text",
    "float_text",
    "hex_text",
    "integer_text",
    "literal_writer",
]

_LARGEST_DECIMAL = 10000
_EXPONENT = 0x7F800000
_MANTISSA = 0x007FFFFF
_NEGATIVE_ZERO = 0x80000000
_NEGATIVE_INFINITY = 0xFF800000
_INDEFINITE = 0xFFC00000
_EXPONENT_64 = 0x7FF << 52
_MANTISSA_64 = (1 << 52) - 1
_QUIET_64 = 1 << 51
_MOST_DIGITS = 9  # tell any two float32 apart
_SIX_DECIMALS = Decimal("0.000001")
_ALL_DIGITS = Context(prec=400)  # of any float64 down to its sixth decimal
_OLD_DIGITS = Context(prec=17, rounding=ROUND_HALF_UP)


class LiteralKind(Enum):
    """What the listing takes the components of a 32-bit literal for.

    STORED: of unknown type too, in an immediate constant buffer.
    """

    FLOAT = auto()
    INTEGER = auto()
    UNTYPED = auto()
    STORED = auto()


def float_text(bits: int) -> str:
    """Write a float32 with six decimals, and infinities and NaNs as the old C library does.

    >>> float_text(0x3F800000), float_text(0x80000000), float_text(0xFF800000)
    ('1.000000', '-0.000000', '-1.#INF00')
    """
    if bits & _EXPONENT == _EXPONENT:
        sign = "-" if bits >> 31 else ""
        if not bits & _MANTISSA:
            return f"{sign}1.#INF00"
        return "-1.#IND00" if bits == _INDEFINITE else f"{sign}1.#QNAN0"
    return f"{_float32(bits):f}"


def integer_text(bits: int) -> str:
    """Write a 32-bit integer: up to 10000 either way in decimal, others in hex.

    >>> integer_text(10000), integer_text(10001), integer_text(0xFFFFFFFB)
    ('10000', '0x00002711', '-5')
    """
    value = bits - (bits >> 31 << 32)
    return str(value) if abs(value) <= _LARGEST_DECIMAL else hex_text(bits)


def hex_text(bits: int) -> str:
    """Write 32 bits in hex."""
    return f"0x{bits:08x}"


def exact_float_text(bits: int) -> str:
    """Write a float32 with as few digits as tell it from all others; infinities and NaNs in hex.

    >>> exact_float_text(0x3F800000), exact_float_text(0x3DCCCCCD), exact_float_text(0x7FC00000)
    ('1.0', '0.1', '0x7fc00000')
    """
    if bits & _EXPONENT == _EXPONENT:
        return hex_text(bits)
    value = _float32(bits)
    for digits in range(6, _MOST_DIGITS + 1):
        text = f"{value:.{digits}g}"
        if struct.unpack("<I", struct.pack("<f", float(text)))[0] == bits:
            break
    return text if "." in text or "e" in text else f"{text}.0"  # pyright: ignore[reportPossiblyUnboundVariable] - nine digits always suffice


def double_text(low: int, high: int) -> str:
    """Write the float64 of two dwords with six decimals.

    >>> double_text(0, 0x3FF80000), double_text(1, 0x7FF00000)
    ('1.500000l', '1.#SNAN0l')
    """
    bits = high << 32 | low
    if bits & _EXPONENT_64 == _EXPONENT_64:
        sign = "-" if bits >> 63 else ""
        mantissa = bits & _MANTISSA_64
        if not mantissa:
            return f"{sign}1.#INF00l"
        if sign and mantissa == _QUIET_64:
            return "-1.#IND00l"
        return f"{sign}1.#{'Q' if mantissa & _QUIET_64 else 'S'}NAN0l"
    return f"{_float64(bits):f}l"


def _hex_double_text(low: int, high: int) -> str:
    return f"{hex_text(low)}, {hex_text(high)}"


def _exact_double_text(low: int, high: int) -> str:
    bits = high << 32 | low
    if bits & _EXPONENT_64 == _EXPONENT_64:
        return f"0x{bits:016x}l"
    return f"{_float64(bits)!r}l"


def _old_float_text(bits: int) -> str:
    """Write a float32 with the digits of the C library of old."""
    is_finite = bits & _EXPONENT != _EXPONENT
    return _old_number_text(_float32(bits)) if is_finite else float_text(bits)


def _old_number_text(value: float) -> str:
    """Write a finite number as the C library of old does.

    It has 17 digits, then zeros, and rounds those once more; both times, ties go away from zero.

    >>> _old_number_text(0.0078125), _old_number_text(2.0**70)
    ('0.007813', '1180591620717411300000.000000')
    """
    digits = _OLD_DIGITS.create_decimal_from_float(value)
    return f"{digits.quantize(_SIX_DECIMALS, ROUND_HALF_UP, _ALL_DIGITS):f}"


def _negative_nan_text(write: Callable[[int], str]) -> Callable[[int], str]:
    """Return a writer of float32 which takes all negative NaNs for the indefinite one."""
    return lambda bits: write(_INDEFINITE if bits > _NEGATIVE_INFINITY else bits)


def _untyped_writer(write: Callable[[int], str]) -> Callable[[int], str]:
    """Return a writer of bits of unknown type: a float if they are a normal one or -0.

    >>> [_untyped_writer(float_text)(bits) for bits in (0, 0x3F800000, 0xFFFFFFFF)]
    ['0', '1.000000', '-1']
    """
    return lambda bits: write(bits) if _looks_like_float(bits) else integer_text(bits)


def _hex_zero_writer(write: Callable[[int], str]) -> Callable[[int], str]:
    """Return a writer of bits of unknown type which takes -0 for an integer."""
    return lambda bits: hex_text(bits) if bits == _NEGATIVE_ZERO else write(bits)


def _exact_untyped_text(bits: int) -> str:
    return exact_float_text(bits) if _looks_like_float(bits) else integer_text(bits)


def _looks_like_float(bits: int) -> bool:
    return bits & _EXPONENT not in (0, _EXPONENT) or bits == _NEGATIVE_ZERO


def _float32(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def _float64(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


_WRITERS: dict[Literals, dict[LiteralKind, Callable[[int], str]]] = {
    Literals.HEX: dict.fromkeys(LiteralKind, hex_text),
    Literals.EXACT: {
        LiteralKind.FLOAT: exact_float_text,
        LiteralKind.INTEGER: integer_text,
        LiteralKind.UNTYPED: _exact_untyped_text,
        LiteralKind.STORED: _exact_untyped_text,
    },
}
_DOUBLE_WRITERS: dict[Literals, Callable[[int, int], str]] = {
    Literals.HEX: _hex_double_text,
    Literals.EXACT: _exact_double_text,
}


def literal_writer(dialect: Dialect, literals: Literals, kind: LiteralKind) -> Callable[[int], str]:
    """Return how one component of a 32-bit literal is written, from its bits."""
    return (_plain_writers(dialect) if literals is Literals.PLAIN else _WRITERS[literals])[kind]


@cache
def _plain_writers(dialect: Dialect) -> dict[LiteralKind, Callable[[int], str]]:
    habits = dialect.habits
    write = _old_float_text if habits.has_old_numbers else float_text
    if habits.takes_nans_for_indefinite:
        write = _negative_nan_text(write)
    untyped = _untyped_writer(write)
    return {
        LiteralKind.FLOAT: write,
        LiteralKind.INTEGER: integer_text,
        LiteralKind.UNTYPED: untyped,
        LiteralKind.STORED: _hex_zero_writer(untyped) if habits.has_hex_negative_zeros else untyped,
    }


@cache
def double_writer(dialect: Dialect, literals: Literals) -> Callable[[int, int], str]:
    """Return how a double is written, from its low and high dword."""
    if literals is not Literals.PLAIN:
        return _DOUBLE_WRITERS[literals]
    habits = dialect.habits
    if not habits.has_old_numbers:
        return double_text
    return lambda low, high: _old_double_text(high << 32 | low, habits)


def _old_double_text(bits: int, habits: Habits) -> str:
    """Write a float64 with the digits of the C library of old."""
    if bits & _EXPONENT_64 != _EXPONENT_64:
        return _old_number_text(_float64(bits)) + habits.double_end
    text = double_text(bits & 0xFFFFFFFF, bits >> 32).removesuffix("l")
    if habits.takes_nans_for_indefinite and bits & _MANTISSA_64:
        text = "-1.#IND00" if bits >> 63 else "1.#QNAN0"
    return text + habits.double_end
