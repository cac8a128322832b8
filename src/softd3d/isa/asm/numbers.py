"""Literals: as Microsoft's disassembler (D3DDisassemble 10.1) writes them, in hex, or exactly."""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from enum import Enum, auto

from softd3d.isa.asm.options import Dialect, Literals

__all__ = [
    "LiteralKind",
    "double_text",
    "double_writer",
    "exact_float_text",
    "float_text",
    "hex_text",
    "integer_text",
    "literal_writer",
    "untyped_text",
]

_LARGEST_DECIMAL = 10000
_EXPONENT = 0x7F800000
_MANTISSA = 0x007FFFFF
_NEGATIVE_ZERO = 0x80000000
_INDEFINITE = 0xFFC00000
_EXPONENT_64 = 0x7FF << 52
_MANTISSA_64 = (1 << 52) - 1
_QUIET_64 = 1 << 51
_MOST_DIGITS = 9  # tell any two float32 apart
_SIX_DECIMALS = Decimal("0.000001")
_ALL_DIGITS = Context(prec=400)  # of any float64 down to its sixth decimal


class LiteralKind(Enum):
    """What the listing takes the components of a 32-bit literal for."""

    FLOAT = auto()
    INTEGER = auto()
    UNTYPED = auto()


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


def untyped_text(bits: int) -> str:
    """Write bits of unknown type: a float if they are a normal one or -0, else an integer.

    >>> untyped_text(0), untyped_text(0x3F800000), untyped_text(0xFFFFFFFF)
    ('0', '1.000000', '-1')
    """
    return float_text(bits) if _looks_like_float(bits) else integer_text(bits)


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
    """Write a float32 as the C library of old does: a tie in the sixth decimal goes up."""
    if bits & _EXPONENT == _EXPONENT:
        is_negative_nan = bits >> 31 and bits & _MANTISSA
        return "-1.#IND00" if is_negative_nan else float_text(bits)
    return _rounded_away(_float32(bits))


def _old_double_text(low: int, high: int) -> str:
    bits = high << 32 | low
    if bits & _EXPONENT_64 == _EXPONENT_64:
        if bits & _MANTISSA_64:
            return "-1.#IND00" if bits >> 63 else "1.#QNAN0"
        return double_text(low, high)[:-1]
    return _rounded_away(_float64(bits))


def _rounded_away(value: float) -> str:
    return f"{Decimal(value).quantize(_SIX_DECIMALS, ROUND_HALF_UP, _ALL_DIGITS):f}"


def _old_untyped_text(bits: int) -> str:
    return _old_float_text(bits) if _looks_like_float(bits) else integer_text(bits)


def _exact_untyped_text(bits: int) -> str:
    return exact_float_text(bits) if _looks_like_float(bits) else integer_text(bits)


def _looks_like_float(bits: int) -> bool:
    return bits & _EXPONENT not in (0, _EXPONENT) or bits == _NEGATIVE_ZERO


def _float32(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def _float64(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


_WRITERS: dict[tuple[Literals, LiteralKind], Callable[[int], str]] = {
    (Literals.PLAIN, LiteralKind.FLOAT): float_text,
    (Literals.PLAIN, LiteralKind.INTEGER): integer_text,
    (Literals.PLAIN, LiteralKind.UNTYPED): untyped_text,
    (Literals.HEX, LiteralKind.FLOAT): hex_text,
    (Literals.HEX, LiteralKind.INTEGER): hex_text,
    (Literals.HEX, LiteralKind.UNTYPED): hex_text,
    (Literals.EXACT, LiteralKind.FLOAT): exact_float_text,
    (Literals.EXACT, LiteralKind.INTEGER): integer_text,
    (Literals.EXACT, LiteralKind.UNTYPED): _exact_untyped_text,
}
_OLD_WRITERS = {LiteralKind.FLOAT: _old_float_text, LiteralKind.UNTYPED: _old_untyped_text}
_DOUBLE_WRITERS: dict[Literals, Callable[[int, int], str]] = {
    Literals.PLAIN: double_text,
    Literals.HEX: _hex_double_text,
    Literals.EXACT: _exact_double_text,
}


def literal_writer(dialect: Dialect, literals: Literals, kind: LiteralKind) -> Callable[[int], str]:
    """Return how one component of a 32-bit literal is written, from its bits."""
    if dialect is Dialect.D3D9_30 and literals is Literals.PLAIN and kind in _OLD_WRITERS:
        return _OLD_WRITERS[kind]
    return _WRITERS[literals, kind]


def double_writer(dialect: Dialect, literals: Literals) -> Callable[[int, int], str]:
    """Return how a double is written, from its low and high dword."""
    if dialect is Dialect.D3D9_30 and literals is Literals.PLAIN:
        return _old_double_text
    return _DOUBLE_WRITERS[literals]
