"""What modifiers do to values: of sources, and the shift of results.

Spec: Direct3D 9 shader assembly reference, "Source Register Modifiers", "Instruction Modifiers".
"""

from __future__ import annotations

from collections.abc import Callable

from softd3d.algebra.value import Value
from softd3d.isa.sm1.enums import SourceModifier
from softd3d.isa.sm1.profile import Profile

__all__ = ["modified", "shifted"]

_M = SourceModifier


def _bias(x: Value) -> Value:
    return x - 0.5


def _sign(x: Value) -> Value:
    return (x - 0.5) * 2.0


def _double(x: Value) -> Value:
    return x * 2.0


_FUNCTIONS: dict[SourceModifier, Callable[[Value], Value]] = {
    _M.NONE: lambda x: x,
    _M.NEG: lambda x: -x,
    _M.BIAS: _bias,
    _M.BIASNEG: lambda x: -_bias(x),
    _M.SIGN: _sign,
    _M.SIGNNEG: lambda x: -_sign(x),
    _M.COMP: lambda x: 1.0 - x,
    _M.X2: _double,
    _M.X2NEG: lambda x: -_double(x),
    _M.ABS: abs,
    _M.ABSNEG: lambda x: -abs(x),
}
_DIVISORS = {_M.DZ: 2, _M.DW: 3}
_DIVIDED = (0, 1)


def modified(
    profile: Profile, modifier: SourceModifier, read: Callable[[int], Value], component: int
) -> Value:
    """Return a component of a register after a modifier; `read` gives the register's components.

    Negation and absolute value act on the bits; the others round once a step: the bias first, the
    doubling next, the sign last. _dz and _dw divide x and y before any swizzle, and leave z and w.

    Raises:
        KeyError: the modifier is `!`, which is for predicates.
    """
    divisor = _DIVISORS.get(modifier)
    if divisor is None:
        return _FUNCTIONS[modifier](read(component))
    if component not in _DIVIDED:
        return read(component)
    return profile.project(read(component), read(divisor))


def shifted(value: Value, shift: int) -> Value:
    """Return a result after _x2, _x4, _x8 (shift 1, 2, 3) or _d2, _d4, _d8 (-1, -2, -3)."""
    return value * 2.0**shift if shift else value
