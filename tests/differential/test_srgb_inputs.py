"""sRGB over all inputs: every float32 in [0, 1] becomes the code that the formula allows.

Codes never fall as numbers rise, which all 1,065,353,217 numbers show; so it is enough to look at
the 255 places where they rise. Spec: D3D11.3 section 3.2.3.8 (0.6 ULP of the code).
"""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from rows import native_words

from softd3d.algebra.value import Value
from softd3d.formats.layout import ChannelType
from softd3d.formats.rules import D3D10

ONE = 0x3F800000
PIECE = 1 << 26
LANES = 16


def _encode(values: list[Value]) -> list[Value]:
    return [D3D10.from_component[ChannelType.SRGB](values[0], 8)]


def _exact_code(bits: int) -> Decimal:
    """Return the code of a number in exact arithmetic, before it is rounded."""
    x = Decimal(float(np.array([bits], np.uint32).view(np.float32)[0]))
    with localcontext() as context:
        context.prec = 40
        if x <= Decimal("0.0031308"):
            return x * Decimal("12.92") * 255
        power = x ** (Decimal(1) / Decimal("2.4"))
        return (Decimal("1.055") * power - Decimal("0.055")) * 255


def _check_rises(first: int, codes: np.ndarray) -> int:
    """Check where codes rise, and that they never fall; return how often they rise."""
    steps = np.flatnonzero(codes[1:] != codes[:-1])
    for at in steps.tolist():
        before, after = int(codes[at]), int(codes[at + 1])
        assert after == before + 1
        for bits, code in ((first + at, before), (first + at + 1, after)):
            assert abs(_exact_code(bits) - code) <= Decimal("0.6")
    return len(steps)


@pytest.mark.slow
def test_every_number_from_0_to_1() -> None:
    rises, last = 0, 0
    for start in range(0, ONE + 1, PIECE):
        count = min(PIECE, -(-(ONE + 1 - start) // 64) * 64)
        words = np.arange(start, start + count, dtype=np.uint32)
        (codes,) = native_words(_encode, [words], LANES)
        assert int(codes[0]) in (last, last + 1)
        rises += int(codes[0]) - last + _check_rises(start, codes)
        last = int(codes[-1])
    assert (rises, last) == (255, 255)
