"""Numbers written to files: the conversion vectors beside the project, all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.formats.rules import D3D10
from softd3d.resources.texels.arrays import any_format
from softd3d.resources.transfer.conversion import encode

FOLDER = Path(__file__).parents[4] / "shared/dds/conv"
# A format with a channel of the kind, and which component and bits of it that is.
FORMATS = {
    "unorm1": ("D3DFMT_A1R5G5B5", 3, 15, 1), "unorm3": ("D3DFMT_R3G3B2", 0, 5, 3),
    "unorm4": ("B4G4R4A4_UNORM", 3, 12, 4), "unorm6": ("B5G6R5_UNORM", 1, 5, 6),
    "unorm10": ("R10G10B10A2_UNORM", 1, 10, 10), "unorm16": ("R16_UNORM", 0, 0, 16),
    "unorm32": ("D3DFMT_D32", 0, 0, 32), "snorm8": ("R8_SNORM", 0, 0, 8),
    "snorm10": ("D3DFMT_A2W10V10U10", 1, 10, 10), "snorm16": ("R16_SNORM", 0, 0, 16),
    "uint8": ("R8_UINT", 0, 0, 8), "uint16": ("R16_UINT", 0, 0, 16),
    "sint8": ("R8_SINT", 0, 0, 8), "sint16": ("R16_SINT", 0, 0, 16),
    "float16": ("R16_FLOAT", 0, 0, 16), "float10": ("R11G11B10_FLOAT", 2, 22, 10),
    "xr_bias10": ("R10G10B10_XR_BIAS_A2_UNORM", 0, 0, 10),
}  # fmt: skip
MANTISSAS = {16: 10, 10: 5}


def vectors(name: str) -> list[dict[str, Any]]:
    path = FOLDER / f"{name}.json"
    if not path.exists():
        pytest.skip("no ../shared/dds/conv")
    return json.loads(path.read_text())["vectors"]


def words(values: np.ndarray, format_: str) -> np.ndarray:
    """The texels of components (texels, 4), as numbers."""
    texels = np.ascontiguousarray(encode(values, any_format(format_, D3D10)))
    raw = texels.reshape(len(values), -1).view(np.uint8)
    return (raw.astype(object) * [1 << 8 * i for i in range(raw.shape[1])]).sum(1)


@pytest.mark.corpus
def test_every_kind_of_vector_is_tested(shared: Path) -> None:
    if not FOLDER.is_dir():
        pytest.skip("no ../shared/dds/conv")
    assert {path.stem for path in FOLDER.glob("*.json")} == {*FORMATS, "r9g9b9e5"}


@pytest.mark.corpus
@pytest.mark.parametrize("name", FORMATS)
def test_numbers_become_the_stated_codes(name: str) -> None:
    stated = vectors(name)
    format_, component, shift, bits = FORMATS[name]
    values = np.zeros((len(stated), 4), np.float32)
    values.view(np.uint32)[:, component] = [int(v["x"], 16) for v in stated]
    for vector, word in zip(stated, words(values, format_), strict=True):
        code = word >> shift & (1 << bits) - 1
        if vector.get("any_nan"):
            mantissa = MANTISSAS[bits]
            assert code >> mantissa & 31 == 31, vector
            assert code & (1 << mantissa) - 1, vector
        else:
            assert code == vector["expected"], vector


@pytest.mark.corpus
def test_colours_become_the_stated_shared_exponents() -> None:
    stated = vectors("r9g9b9e5")
    values = np.zeros((len(stated), 4), np.float32)
    values.view(np.uint32)[:, :3] = [[int(x, 16) for x in v["rgb"]] for v in stated]
    for vector, word in zip(stated, words(values, "R9G9B9E5_SHAREDEXP"), strict=True):
        if vector.get("zero_any_exponent"):
            assert not word & 0x07FFFFFF, vector
        else:
            assert word == int(vector["expected"], 16), vector
