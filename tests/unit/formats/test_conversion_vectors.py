"""Float to format, against vectors of an exact converter that shares no code with this package."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from softd3d.formats.conversions import snorm_from_number, unorm_from_number
from softd3d.formats.dxgi import FORMATS

VECTORS = Path("../shared/dds/conv")
# Channels that a format has; the others are tested as bare conversions.
FORMAT_OF = {
    "float16": ("R16_FLOAT", 0, 16), "float10": ("R11G11B10_FLOAT", 22, 10),
    "snorm8": ("R8_SNORM", 0, 8), "snorm16": ("R16_SNORM", 0, 16),
    "unorm4": ("B4G4R4A4_UNORM", 8, 4), "unorm6": ("B5G6R5_UNORM", 5, 6),
    "unorm10": ("R10G10B10A2_UNORM", 0, 10), "unorm16": ("R16_UNORM", 0, 16),
    "unorm1": ("B5G5R5A1_UNORM", 15, 1), "xr_bias10": ("R10G10B10_XR_BIAS_A2_UNORM", 0, 10),
}  # fmt: skip


def _vectors(name: str) -> list[dict]:
    path = VECTORS / f"{name}.json"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return json.loads(path.read_text())["vectors"]


@pytest.mark.parametrize("name", FORMAT_OF)
def test_formats(texels, name: str) -> None:
    vectors = _vectors(name)
    format_name, shift, bits = FORMAT_OF[name]
    x = np.array([int(v["x"], 16) for v in vectors], np.uint32)
    (word,) = texels.packed(FORMATS[format_name], [x] * 4)
    codes = word >> np.uint32(shift) & np.uint32((1 << bits) - 1)
    for vector, code in zip(vectors, codes, strict=True):
        if vector.get("any_nan"):
            mantissa_bits = {16: 10, 10: 5}[bits]
            assert code >> mantissa_bits & 31 == 31, vector
            assert code & ((1 << mantissa_bits) - 1), vector
        else:
            assert code == vector["expected"], vector


@pytest.mark.parametrize("name", ["unorm3", "snorm10"])
def test_bare_conversions(texels, name: str) -> None:
    vectors = _vectors(name)
    x = texels.number(np.array([int(v["x"], 16) for v in vectors], np.uint32).view(np.float32))
    convert = unorm_from_number if name.startswith("unorm") else snorm_from_number
    codes = convert(x, int(name[5:])).raw
    for vector, code in zip(vectors, np.asarray(codes), strict=True):
        assert code == vector["expected"], vector


def test_shared_exponent(texels) -> None:
    vectors = _vectors("r9g9b9e5")
    rgb = np.array([[int(x, 16) for x in v["rgb"]] for v in vectors], np.uint32)
    columns = [np.ascontiguousarray(rgb[:, i]) for i in range(3)]
    (words,) = texels.packed(FORMATS["R9G9B9E5_SHAREDEXP"], [*columns, columns[0]])
    for vector, word in zip(vectors, words, strict=True):
        wanted = int(vector["expected"], 16)
        if vector.get("zero_any_exponent"):
            assert word & 0x07FFFFFF == 0, vector
        else:
            assert word == wanted, (vector, hex(word))


def test_shared_exponent_round_trip(texels) -> None:
    """Unpacking is exact, and packing gives the same number back."""
    format_ = FORMATS["R9G9B9E5_SHAREDEXP"]
    words = np.random.default_rng(9).integers(0, 1 << 32, 20_000).astype(np.uint32)
    words[:2] = 0x999320C8, 0xFFFFFFFF
    x, y, z, w = texels.unpacked(format_, [words])
    assert (texels.floats(w) == 1.0).all()
    assert [texels.floats(c)[0] for c in (x, y, z)] == [6.25, 12.5, 3.125]
    assert texels.floats(x)[1] == 65408.0
    for shift, component in ((0, x), (9, y), (18, z)):
        exact = (words >> np.uint32(shift) & 511) * 2.0 ** ((words >> 27).astype(float) - 24)
        np.testing.assert_array_equal(texels.floats(component), exact)
    (again,) = texels.packed(format_, [x, y, z, w])
    for before, after in zip((x, y, z), texels.unpacked(format_, [again]), strict=False):
        np.testing.assert_array_equal(before, after)
