"""Format strings of shader messages, applied to operands that are bits.

The rules are those of C's printf on a machine whose `int` and `float` have 32 bits: an operand is
what its conversion takes it for, as nothing says its type. The compiler lets any string through.

* `%d %i` signed, `%u %x %X %o` unsigned, `%p` eight hexadecimal digits, `%c` the low byte;
  `%f %F %e %E %g %G` a float32, or a float64 if the operand is a double.
* `%s`: shaders have no strings; the operand is written in hexadecimal. `%n` takes an operand and
  writes nothing.
* Flags, width, precision (both up to 1024) and `*` work; length modifiers (`h l ll L q j z t I64
  I32`) are passed over. A conversion that is not known, or has no operand left, stays as it is.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from softd3d.classes import dataclass
from softd3d.isa.shader_message import MessageSite

__all__ = ["format_message"]

MAX_WIDTH = 1024
_MAX_DIGITS = 9
_Bits: TypeAlias = "tuple[int, bool]"  # of an operand, and whether it is a double
_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?:\.(?P<precision>\*|\d*))?"
    r"(?:hh|h|ll|l|L|q|j|z|t|I64|I32)?(?P<letter>[a-zA-Z%])"
)


@dataclass(frozen=True, slots=True)
class _Spec:
    """A conversion: flags, width, precision (None: not given) and its letter."""

    flags: str
    width: int
    precision: int | None
    letter: str

    def padded(self, sign: str, body: str, *, zeros: bool) -> str:
        """Return sign and body in the width; zeros: whether the flag `0` counts."""
        if "-" in self.flags:
            return (sign + body).ljust(self.width)
        if "0" in self.flags and zeros:
            return sign + body.rjust(self.width - len(sign), "0")
        return (sign + body).rjust(self.width)

    def sign(self, *, is_negative: bool) -> str:
        if is_negative:
            return "-"
        return "+" if "+" in self.flags else " " if " " in self.flags else ""


def format_message(site: MessageSite, words: Sequence[int]) -> str:
    """Return the text of a message. words: the operands' dwords, low before high for doubles."""
    if not site.is_format:
        return site.text
    operands = _operands(site.wide, words)
    return _CONVERSION.sub(lambda found: _converted(found, operands), site.text)


def _operands(wide: Sequence[bool], words: Sequence[int]) -> Iterator[_Bits]:
    at = 0
    for is_double in wide:
        bits = int(words[at])
        if is_double:
            bits |= int(words[at + 1]) << 32
        yield bits, is_double
        at += 1 + is_double


def _converted(found: re.Match[str], operands: Iterator[_Bits]) -> str:
    letter = found["letter"]
    if letter == "%":
        return "%"
    convert = _LETTERS.get(letter)
    if convert is None:
        return found[0]
    try:
        spec = _spec(found, operands)
        return convert(next(operands), spec)
    except StopIteration:
        return found[0]


def _spec(found: re.Match[str], operands: Iterator[_Bits]) -> _Spec:
    flags = found["flags"]
    width = _number(found["width"], operands) or 0
    if width < 0:
        flags += "-"
    precision = _number(found["precision"], operands)
    if precision is not None:
        precision = None if precision < 0 else min(precision, MAX_WIDTH)
    return _Spec(flags, min(abs(width), MAX_WIDTH), precision, found["letter"])


def _number(text: str | None, operands: Iterator[_Bits]) -> int | None:
    """Return a width or precision: written, an operand for `*`, 0 if empty, None if missing."""
    if text == "*":
        return _signed(next(operands)[0])
    return None if text is None else int(text[:_MAX_DIGITS] or 0)


def _signed(bits: int) -> int:
    bits &= 0xFFFFFFFF
    return bits - (bits >> 31 << 32)


def _integer(operand: _Bits, spec: _Spec) -> str:
    value = operand[0] & 0xFFFFFFFF
    sign = ""
    if spec.letter in "di":
        sign = spec.sign(is_negative=bool(value >> 31))
        value = abs(_signed(value))
    digits = format(value, spec.letter if spec.letter in "xXo" else "d")
    if spec.precision is not None:
        digits = digits.rjust(spec.precision, "0") if value or spec.precision else ""
    if "#" in spec.flags:
        if spec.letter == "o" and not digits.startswith("0"):
            digits = "0" + digits
        elif spec.letter in "xX" and value:
            sign = f"0{spec.letter}"
    return spec.padded(sign, digits, zeros=spec.precision is None)


def _float(operand: _Bits, spec: _Spec) -> str:
    bits, is_double = operand
    layout, raw = ("<d", "<Q") if is_double else ("<f", "<I")
    value: float = struct.unpack(layout, struct.pack(raw, bits))[0]
    is_negative = math.copysign(1, value) < 0 and not math.isnan(value)  # a NaN's sign is free
    precision = "" if spec.precision is None else f".{spec.precision}"
    alternate = "#" if "#" in spec.flags else ""
    body = f"%{alternate}{precision}{spec.letter}" % abs(value)
    return spec.padded(spec.sign(is_negative=is_negative), body, zeros=math.isfinite(value))


def _character(operand: _Bits, spec: _Spec) -> str:
    return spec.padded("", chr(operand[0] & 0xFF), zeros=False)


def _string(operand: _Bits, spec: _Spec) -> str:
    return spec.padded("", f"{operand[0] & 0xFFFFFFFF:#010x}", zeros=False)


def _pointer(operand: _Bits, spec: _Spec) -> str:
    return spec.padded("", f"{operand[0] & 0xFFFFFFFF:08X}", zeros=False)


def _nothing(operand: _Bits, spec: _Spec) -> str:
    del operand, spec
    return ""


_LETTERS: dict[str, Callable[[_Bits, _Spec], str]] = {
    **dict.fromkeys("diuxXo", _integer),
    **dict.fromkeys("fFeEgG", _float),
    "c": _character,
    "s": _string,
    "p": _pointer,
    "n": _nothing,
}
