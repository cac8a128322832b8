"""LLVM's spelling of constants: the bits of what is written are the bits that are meant."""

from __future__ import annotations

import re
import struct

import numpy as np

from softd3d.algebra.value import BOOL, F32, F64, I32, U32
from softd3d.jit.codegen.types import constant, iota

EDGES = [
    0, 1, 2, 3, 0x400000, 0x7FFFFF, 0x7FFFFE, 0x800000, 0x800001, 0xFFFFFF, 0x1000000, 0x3F800000,
    0x3F7FFFFF, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7FC12345,
]  # fmt: skip
BITS = [b | sign for b in EDGES for sign in (0, 0x80000000)]
BITS += [1 << n for n in range(32)]
BITS += [int(b) for b in np.random.default_rng(5).integers(0, 1 << 32, 500)]


def test_float32_constants_are_written_as_float64_of_the_same_value() -> None:
    """LLVM reads a float constant as the bits of a double, which must be exact."""
    for bits in BITS:
        text = constant(F32, bits, 0)
        (number,) = struct.unpack("<d", int(text, 16).to_bytes(8, "little"))
        (wanted,) = struct.unpack("<f", bits.to_bytes(4, "little"))
        assert re.fullmatch("0x[0-9A-F]{16}", text)
        if wanted == wanted:  # noqa: PLR0124 - not a NaN
            assert number == wanted, hex(bits)
        assert int(text, 16) >> 63 == bits >> 31
        assert int(text, 16) >> 29 & 0x7FFFFF == bits & 0x7FFFFF or 0 < bits & 0x7FFFFFFF < 1 << 23
        assert (number == number) == (wanted == wanted)  # noqa: PLR0124 - NaNs stay NaNs


def test_integer_constants_wrap_as_they_are_read() -> None:
    for bits in BITS:
        for type_ in (I32, U32):
            assert int(constant(type_, bits, 0)) & 0xFFFFFFFF == bits
            assert -(1 << 31) <= int(constant(type_, bits, 0)) < 1 << 31


def test_other_constants() -> None:
    assert constant(F64, 0x3FF0000000000001, 0) == "0x3FF0000000000001"
    assert [constant(BOOL, n, 0) for n in (0, 1)] == ["false", "true"]
    assert constant(U32, 7, 8) == "splat (i32 7)"
    assert constant(F32, 0x3F800000, 4) == "splat (float 0x3FF0000000000000)"


def test_iota() -> None:
    assert iota(4) == "<i32 0, i32 1, i32 2, i32 3>"
    assert iota(3, 5, start=2) == "<i32 2, i32 7, i32 12>"
    assert iota(2, -4) == "<i32 0, i32 4294967292>"
