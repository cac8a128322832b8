"""Unpacking and packing of every format: the NumPy algebra and LLVM agree, under both rules."""

from __future__ import annotations

import numpy as np
import pytest
from rows import GROUP, Words, native_words, numpy_words
from test_rows import SPECIAL

from softd3d.algebra.value import Value
from softd3d.formats.codec import pack_block, units, unpack
from softd3d.formats.d3d9 import D3D9_FORMATS
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Format, Scheme
from softd3d.formats.rules import D3D9, D3D10, Rules

LANES = 16
COUNT = 32 * GROUP
CODED = (Scheme.TEXELS, Scheme.PACKED_422, Scheme.BITS)
CASES = [
    (format_, rules)
    for table, rules in ((DXGI_FORMATS, D3D10), (D3D9_FORMATS, D3D9))
    for format_ in table.values()
    if format_.scheme in CODED and not format_.is_typeless
]
# One of each kind of number, and those whose code is unlike that of others.
QUICK = {
    "R8G8B8A8_UNORM_SRGB", "R16G16_SNORM", "R11G11B10_FLOAT", "R9G9B9E5_SHAREDEXP",
    "D24_UNORM_S8_UINT", "R10G10B10_XR_BIAS_A2_UNORM", "R8G8_B8G8_UNORM", "R1_UNORM",
    "R16G16B16A16_SINT", "R8_UINT", "L6V5U5", "CxV8U8", "D24FS8", "D32", "A16B16G16R16F", "R8G8B8",
}  # fmt: skip


def _named(case: tuple[Format, Rules]) -> str:
    return f"{case[1].name}-{case[0].name}"


def _inputs(count: int, bits: int, seed: int) -> list[Words]:
    random = np.random.default_rng(seed)
    columns: list[Words] = []
    for _ in range(count):
        column = random.integers(0, 1 << 32, COUNT, dtype=np.uint32)
        near_one = random.random(COUNT) < 0.4  # numbers around [-2, 2] matter most
        column[near_one] = random.uniform(-2, 2, int(near_one.sum())).astype(np.float32).view("<u4")
        column[: len(SPECIAL)] = random.permutation(SPECIAL)
        columns.append(column >> np.uint32(32 - bits) if bits < 32 else column)
    return columns


def _compare(wanted: list[Words], found: list[Words], *, is_float: bool) -> None:
    for number, (a, b) in enumerate(zip(wanted, found, strict=True)):
        equal = a == b
        if is_float:
            equal |= np.isnan(a.view(np.float32)) & np.isnan(b.view(np.float32))
        lane = int(np.argmin(equal))
        assert equal.all(), f"result {number}: NumPy {a[lane]:#x}, LLVM {b[lane]:#x}"


def _check(format_: Format, rules: Rules) -> None:
    size, count = units(format_)
    words = _inputs(count, 8 * size, format_.number)
    texels = format_.block_width

    def read(values: list[Value]) -> list[Value]:
        found = [unpack(format_, values, rules, texel) for texel in {0, texels - 1}]
        return [component for texel in found for component in texel]

    _compare(
        numpy_words(read, words), native_words(read, words, LANES), is_float=not format_.is_integer
    )

    def written(values: list[Value]) -> list[Value]:
        return list(pack_block(format_, [values] * texels, rules))

    components = _inputs(4, 32, format_.number + 1)
    _compare(
        numpy_words(written, components), native_words(written, components, LANES), is_float=False
    )


@pytest.mark.parametrize("case", [c for c in CASES if c[0].name in QUICK], ids=_named)
def test_kinds_of_numbers(case: tuple[Format, Rules]) -> None:
    _check(*case)


@pytest.mark.slow
@pytest.mark.parametrize("case", [c for c in CASES if c[0].name not in QUICK], ids=_named)
def test_all_other_formats(case: tuple[Format, Rules]) -> None:
    _check(*case)


def test_the_quick_formats_exist() -> None:
    assert {format_.name for format_, _ in CASES} >= QUICK
