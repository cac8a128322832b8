"""Depth-stencil conversion once more, in unlimited precision and with other methods.

`exact_texel` works on one texel with integers and fractions; the functions below it do the same for
arrays of codes in 64-bit integers, where nothing is rounded either. No code of the package is used.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint64]

UMAX = 2**32 - 1
# name: bits of a texel, depth (kind, lowest bit), stencil (bits, lowest bit)
LAYOUTS: dict[str, tuple[int, tuple[str, int] | None, tuple[int, int] | None]] = {
    "D16_LOCKABLE": (16, ("u16", 0), None),
    "D32": (32, ("u32", 0), None),
    "S1D15": (16, ("u15", 0), (1, 15)),
    "D15S1": (16, ("u15", 1), (1, 0)),
    "S8D24": (32, ("u24", 0), (8, 24)),
    "D24S8": (32, ("u24", 8), (8, 0)),
    "X8D24": (32, ("u24", 0), None),
    "D24X8": (32, ("u24", 8), None),
    "X4S4D24": (32, ("u24", 0), (4, 24)),
    "D24X4S4": (32, ("u24", 8), (4, 0)),
    "D16": (16, ("u16", 0), None),
    "D32F_LOCKABLE": (32, ("f32", 0), None),
    "D24FS8": (32, ("f24", 8), (8, 0)),
    "D32_LOCKABLE": (32, ("u32", 0), None),
    "S8_LOCKABLE": (8, None, (8, 0)),
}
# bits of the mantissa, bias, largest exponent code that is a number
FLOATS = {"f32": (23, 127, 254), "f24": (20, 15, 15)}


def width_of(kind: str) -> int:
    return int(kind[1:])


# One texel


def number_of(kind: str, code: int) -> Fraction | float:
    """Return what a float code stands for; infinities and NaN as floats."""
    mantissa_bits, bias, last = FLOATS[kind]
    sign = -1 if kind == "f32" and code >> 31 else 1
    exponent = code >> mantissa_bits & (0xFF if kind == "f32" else 0xF)
    mantissa = code & (1 << mantissa_bits) - 1
    if exponent > last:
        return math.nan if mantissa else sign * math.inf
    if exponent == 0:
        return sign * Fraction(mantissa) / 2 ** (bias - 1 + mantissa_bits)
    return (
        sign
        * Fraction(mantissa + 2**mantissa_bits)
        * Fraction(2) ** (exponent - bias - mantissa_bits)
    )


def integer_of(kind: str, code: int) -> int:
    """Return the 32-bit integer of a depth code."""
    if kind[0] == "u":
        pattern = f"{code:0{width_of(kind)}b}"
        return int((pattern * 32)[:32], 2)
    z = number_of(kind, code)
    if isinstance(z, float):
        return UMAX if z == math.inf else 0
    return math.floor(min(max(z, Fraction(0)), Fraction(1)) * UMAX + Fraction(1, 2))


def float_code(kind: str, q: Fraction) -> int:
    """Return the code of the float nearest to q in [0, 1]; ties to even."""
    mantissa_bits, bias, _ = FLOATS[kind]
    exponent = 1 - bias  # of the denormals
    while q >= Fraction(2) ** (exponent + 1):
        exponent += 1
    units = round(q / Fraction(2) ** (exponent - mantissa_bits))
    return units + ((exponent + bias - 1) << mantissa_bits) if q else 0


def exact_depth(source: str, code: int, destination: str) -> int:
    u = integer_of(source, code)
    if destination[0] == "u":
        return u >> (32 - width_of(destination))
    return float_code(destination, Fraction(u, UMAX))


def exact_texel(source: str, destination: str, texel: int, old: int) -> int:
    """Return what the destination's texel `old` becomes."""
    if source == destination:
        return texel
    _, depth, stencil = LAYOUTS[source]
    _, to_depth, to_stencil = LAYOUTS[destination]
    if depth and to_depth:
        code = texel >> depth[1] & (1 << width_of(depth[0])) - 1
        old = _put(
            old, exact_depth(depth[0], code, to_depth[0]), width_of(to_depth[0]), to_depth[1]
        )
    if stencil and to_stencil:
        code = texel >> stencil[1] & (1 << stencil[0]) - 1
        old = _put(old, code % (1 << to_stencil[0]), *to_stencil)
    return old


def _put(texel: int, code: int, bits: int, shift: int) -> int:
    return texel & ~((1 << bits) - 1 << shift) | code << shift


# Arrays of codes


def integers(kind: str, codes: Codes) -> Codes:
    """Return the 32-bit integers of depth codes."""
    if kind == "f24":
        return integers("f32", float32_bits_of_float24(codes))
    if kind == "f32":
        return _integers_of_float32(codes)
    bits = width_of(kind)
    copies = -(-32 // bits)
    repeated = codes * np.uint64(sum(1 << bits * n for n in range(copies)))
    return repeated >> np.uint64(bits * copies - 32)


def _integers_of_float32(codes: Codes) -> Codes:
    exponents = codes >> np.uint64(23)  # with the sign
    significands = codes & np.uint64(0x7FFFFF) | np.uint64(0x800000)
    shifts = np.uint64(150) - np.clip(exponents, 90, 150).astype(np.uint64)
    products = significands * np.uint64(UMAX)
    halves = np.uint64(1) << np.maximum(shifts, 1) - np.uint64(1)
    found = (products + halves) >> shifts
    found = np.where(exponents < 94, 0, found)  # below 2**-33
    found = np.where(exponents >= 127, UMAX, found)
    return np.where(codes > 0x7F800000, 0, found).astype(np.uint64)


def float32_bits_of_float24(codes: Codes) -> Codes:
    exponents = (codes >> np.uint64(20)).astype(np.int32)
    mantissas = (codes & np.uint64(0xFFFFF)).astype(np.float64)
    normal = np.ldexp(mantissas + 2.0**20, exponents - 35)
    number = np.where(exponents == 0, np.ldexp(mantissas, -34), normal)
    return number.astype(np.float32).view(np.uint32).astype(np.uint64)


def depth_codes(kind: str, u: Codes) -> Codes:
    """Return the codes that 32-bit integers become."""
    if kind[0] == "u":
        return u // np.uint64(2 ** (32 - width_of(kind)))
    mantissa_bits, bias, _ = FLOATS[kind]
    lengths = np.frexp(u.astype(np.float64))[1]  # u < 2**lengths
    # The quotient is in [2**(lengths - 33), 2**(lengths - 32)]; its last place is this power of 2:
    places = np.maximum(lengths - 33 - mantissa_bits, 1 - bias - mantissa_bits)
    scaled = u << (-places).astype(np.uint64)
    units = scaled // np.uint64(UMAX)
    units += (2 * (scaled - units * np.uint64(UMAX)) > UMAX).astype(np.uint64)
    # units has a hidden bit, or is above it by rounding; it carries into the exponent's code.
    exponents = (places + mantissa_bits + bias - 1).astype(np.uint64)
    return np.where(u == 0, 0, units + (exponents << np.uint64(mantissa_bits))).astype(np.uint64)


def packed(name: str, depth: Codes | None, stencil: Codes | None, old: Codes) -> Codes:
    """Return texels of a format with new codes of some channels in old texels."""
    _, to_depth, to_stencil = LAYOUTS[name]
    result = old
    if depth is not None and to_depth:
        bits, shift = width_of(to_depth[0]), to_depth[1]
        result = result & np.uint64(~((1 << bits) - 1 << shift) % 2**64) | depth << np.uint64(shift)
    if stencil is not None and to_stencil:
        bits, shift = to_stencil
        result = result & np.uint64(~((1 << bits) - 1 << shift) % 2**64)
        result = result | (stencil % np.uint64(1 << bits)) << np.uint64(shift)
    return result
