"""sRGB: close to the defining formulas, exact at both ends, no code changed by a round trip."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32
from softd3d.formats.conversions import linear_to_srgb, number_from_srgb, srgb_to_linear
from softd3d.formats.dxgi import FORMATS


def _decoded(c: np.ndarray) -> np.ndarray:
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def _encoded(x: np.ndarray) -> np.ndarray:
    return np.where(x <= 0.0031308, 12.92 * x, 1.055 * x ** (1 / 2.4) - 0.055)


def test_decoding_is_within_a_few_ulp(texels) -> None:
    codes = np.arange(256, dtype=np.uint32)
    words = [codes | codes << np.uint32(8) | codes << np.uint32(16) | codes << np.uint32(24)]
    x, y, z, w = (texels.floats(c) for c in texels.unpacked(FORMATS["R8G8B8A8_UNORM_SRGB"], words))
    exact = _decoded(codes / 255.0)
    np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(x, z)
    np.testing.assert_array_equal(w, (codes / 255.0).astype(np.float32))  # alpha is linear
    assert (x[0], x[255]) == (0.0, 1.0)
    assert np.abs(x / np.where(exact == 0, 1, exact) - (exact != 0)).max() < 3 * 2.0**-23
    assert (np.diff(x) > 0).all()


def test_decoding_of_all_codes_is_within_2_ulp() -> None:
    k = NumpyAlgebra()
    codes = np.arange(256, dtype=np.uint32)
    numbers = np.asarray(number_from_srgb(k.lanes(U32, codes), 8).raw)
    with localcontext() as context:
        context.prec = 30
        for code, x in zip(codes.tolist(), numbers, strict=True):
            v = Decimal(code) / 255
            low = v <= Decimal("0.04045")
            exact = (
                v / Decimal("12.92") if low else _power((v + Decimal("0.055")) / Decimal("1.055"))
            )
            unit = Decimal(float(np.spacing(np.float32(exact))))
            assert abs(Decimal(float(x)) - exact) <= 2 * unit + unit / 2, code
    # The specification measures on the other side: half a code is allowed.
    assert np.abs(_encoded(numbers.astype(np.float64)) * 255 - codes).max() < 0.001


def _power(x: Decimal) -> Decimal:
    return x ** Decimal("2.4")


def test_encoding_rounds_to_the_nearest_code(texels) -> None:
    """The curve's own error is below 1/1000 of a code."""
    xs = np.linspace(0, 1, 200_001, dtype=np.float32)
    bits = xs.view(np.uint32)
    (word,) = texels.packed(FORMATS["R8G8B8A8_UNORM_SRGB"], [bits] * 4)
    exact = _encoded(xs.astype(np.float64)) * 255
    assert np.abs((word & 255) - exact).max() < 0.501
    assert (np.diff((word & 255).astype(int)) >= 0).all()


def test_curves_on_floats(texels) -> None:
    xs = np.linspace(0, 1, 100_003, dtype=np.float32)
    with np.errstate(all="ignore"):
        linear = np.asarray(srgb_to_linear(texels.number(xs)).raw)
        encoded = np.asarray(linear_to_srgb(texels.number(xs)).raw)
    assert np.abs(linear - _decoded(xs.astype(np.float64))).max() < 2.5e-7
    assert np.abs(encoded - _encoded(xs.astype(np.float64))).max() < 7e-7


def test_special_values(texels) -> None:
    bits = np.array([0x7FC00000, 0xFF800000, 0x7F800000, 0x80000000, 1], np.uint32)
    (word,) = texels.packed(FORMATS["R8G8B8A8_UNORM_SRGB"], [bits] * 4)
    assert (word & 255).tolist() == [0, 0, 255, 0, 0]
