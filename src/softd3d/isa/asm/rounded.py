"""Literals of a listing whose six decimals may not be all of the number that was printed.

Microsoft's disassembler, and `softd3d dis` like it, prints floats with six decimals. Assembled
again such a listing gives other bits wherever more decimals were needed, and the text seldom tells
where. What it tells, by line:

* 0.000000 where the listing does not know the type (mov, movc, swapc, immediate constant buffers)
  was another number: true zero is printed as 0 there.
* A number whose sixth decimal is not 0, and which several floats are printed as, was probably
  longer.
* 0.000000 elsewhere is zero or a small number, and nothing tells which. It is named where the
  instruction uses it; other components of a literal are always zero.

Other numbers that end in 0 are taken for what somebody wrote.
"""

from __future__ import annotations

import re

from softd3d.errors import Finding, Location, Severity
from softd3d.isa.asm.numbers import double_text, float_text
from softd3d.isa.asm.sm4.parse_literal import double_bits, float_bits

__all__ = ["ROUNDED", "rounded_literals"]

ROUNDED = "TEXT-002"
"""The code of what the assembler warns of, among findings."""
_SPEC = "docs/exact-listings.md"

_LAST = 3  # the component w
_GROUP = re.compile(r"\b([ld])\(([^()]{1,2000})\)|\{([^{}]{1,2000})\}", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])[+-]?\d{1,310}\.\d{6}(?:(?![\w.])|(?=l\b))")
_UNTYPED = re.compile(
    r"\s*(?:\d+:?\s+)?(?:0x[0-9a-f]{1,8}:\s*)?(?:mov|movc|swapc)\b|[^/]*\{", re.IGNORECASE
)
_COMMENT = "//"
_MASK = re.compile(
    r"\s*(?:\d+:?\s+)?(?:0x[0-9a-f]{1,8}:\s*)?(\S++)[^,]*?\.([xyzw]{1,4})\s*[,{]", re.IGNORECASE
)


def rounded_literals(text: str) -> list[Finding]:
    r"""Return a warning for each literal of a listing that has probably lost bits, with its place.

    Exact and hexadecimal listings have none. Listings of shader model 1 to 3 have nine digits,
    which are enough.

    >>> [str(f) for f in rounded_literals("ps_4_0\nmov r0.x, l(0.000000)\nret")]
    ['TEXT-002: 0.000000 stands for another number: zero is 0 here (line 2:13)']
    >>> [f.message for f in rounded_literals("ps_4_0\nadd r0.x, r0.x, l(0.000000)\nret")]
    ['0.000000 may stand for a small number']
    >>> rounded_literals("ps_4_0\nadd r0.x, r0.x, l(0.500000)\nret")
    []
    """
    found: list[Finding] = []
    for line, column, number, is_untyped, is_double in _six_decimals(text):
        message = _doubt(number, is_untyped=is_untyped, is_double=is_double)
        if message is not None:
            where = Location(line=line, column=column)
            found.append(Finding(ROUNDED, message, where, _SPEC, Severity.WARNING))
    return found


def _six_decimals(text: str) -> list[tuple[int, int, str, bool, bool]]:
    """Return line, column (1-based), text, whether of unknown type, whether float64."""
    found: list[tuple[int, int, str, bool, bool]] = []
    for line, whole in enumerate(text.splitlines(), 1):
        code = whole.partition(_COMMENT)[0]
        if "." not in code:
            continue
        is_untyped = _UNTYPED.match(code) is not None
        for group in _GROUP.finditer(code):
            is_double = group[1] in ("d", "D")
            start = group.start(2 if group[1] else 3)
            numbers = group[2] or group[3]
            used = None if is_untyped or is_double else _used(code, numbers)
            found += [
                (line, start + match.start() + 1, match[0], is_untyped, is_double)
                for match in _NUMBER.finditer(numbers)
                if used is None or numbers.count(",", 0, match.start()) in used
            ]
    return found


def _used(code: str, numbers: str) -> set[int] | None:
    """Return which of four numbers an instruction uses: those of its mask; None for all."""
    head = _MASK.match(code)
    if head is None or numbers.count(",") != _LAST or head[1].lower().startswith("dp"):
        return None
    return {"xyzw".index(letter) for letter in head[2].lower()}


def _doubt(number: str, *, is_untyped: bool, is_double: bool) -> str | None:
    """Return what may be wrong with a number of six decimals, None if nothing is."""
    if not float(number):
        if is_untyped and not is_double and number[0] != "-":
            return f"{number} stands for another number: zero is 0 here"
        return f"{number} may stand for a small number"
    if number[-1] == "0" or not _is_shared(number, is_double=is_double):
        return None
    return f"{number} has probably lost bits: several numbers are printed like this"


def _is_shared(number: str, *, is_double: bool) -> bool:
    """Tell whether a neighbour of the number that a text gives is printed with the same text."""
    magnitude = number.lstrip("+-")
    if is_double:
        bits = double_bits(magnitude)
        texts = {double_text(n & 0xFFFFFFFF, n >> 32) for n in (bits - 1, bits + 1)}
        return f"{magnitude}l" in texts
    bits = float_bits(magnitude)
    return magnitude in {float_text(bits - 1), float_text(bits + 1)}
