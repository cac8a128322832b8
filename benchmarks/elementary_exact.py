"""Errors of single results in decimal arithmetic of 400 digits: exact for all that is printed.

The largest float32 has 39 digits before the point, so the reduction of angles leaves more than 300.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import cache

__all__ = ["EXACT", "error_in_ulp"]

_DIGITS = 400
_STOP = Decimal(10) ** -(_DIGITS - 40)


def _float(bits: int) -> float:
    value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return 0.0 if abs(value) < 2.0**-126 else value


def error_in_ulp(result: int, exact: Callable[..., Decimal], operands: list[int]) -> float:
    """Return |result - exact| in units of the last place of the exact result.

    result, operands: bits of finite float32; denormal operands count as zeros. The exact result
    must not be 0.
    """
    with localcontext(prec=_DIGITS):
        wanted = exact(*(Decimal(_float(bits)) for bits in operands))
        unit = Decimal(2) ** (_exponent(abs(wanted)) - 23)
        return float(abs(Decimal(_float(result)) - wanted) / unit)


def _exponent(x: Decimal) -> int:
    """Return n with 2**n <= x < 2**(n + 1)."""
    n = int((x.ln() / Decimal(2).ln()).to_integral_value())
    while Decimal(2) ** n > x:
        n -= 1
    while Decimal(2) ** (n + 1) <= x:
        n += 1
    return n


def _inverse_tangent(n: int) -> Decimal:
    """Return arctan(1 / n)."""
    power = total = Decimal(1) / n
    k = 1
    while abs(power) > _STOP:
        power /= -n * n
        k += 2
        total += power / k
    return total


@cache
def _pi() -> Decimal:
    return 4 * (4 * _inverse_tangent(5) - _inverse_tangent(239))


def _sine(x: Decimal) -> Decimal:
    turns = (x / _pi()).to_integral_value()
    r = x - turns * _pi()
    term, total, n = r, r, 1
    while abs(term) > _STOP:
        term *= -r * r / ((n + 1) * (n + 2))
        total += term
        n += 2
    return -total if int(turns) & 1 else total


EXACT: dict[str, Callable[..., Decimal]] = {
    "exp2": lambda x: Decimal(2) ** x,
    "log2": lambda x: x.ln() / Decimal(2).ln(),
    "rcp": lambda x: 1 / x,
    "rsq": lambda x: 1 / x.sqrt(),
    "sqrt": lambda x: x.sqrt(),
    "div": lambda a, b: a / b,
    "sin": _sine,
    "cos": lambda x: _sine(x + _pi() / 2),
}
"""The functions, by the name of what the benchmark measures."""
