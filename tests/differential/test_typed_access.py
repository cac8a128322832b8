"""Typed loads and stores of shaders, on both engines, against conversion of whole arrays.

Both read the same rows of the same tables, so every bit agrees, for each format that a typed view
may have.
"""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.device.assembler import assemble
from softd3d.device.dispatch import dispatch
from softd3d.device.shader import load
from softd3d.formats.dxgi import FORMATS, ChannelType, Format
from softd3d.resources.buffers import TypedBuffer
from softd3d.resources.conversion import decode, encode
from softd3d.resources.texels import natural_dtype

GROUP = 64
COUNT = 4 * GROUP
QUICK = ("R8G8B8A8_UNORM_SRGB", "R24_UNORM_X8_TYPELESS", "R16G16_SINT", "R9G9B9E5_SHAREDEXP")
TEXT = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_buffer ({0},{0},{0},{0}) t0
dcl_uav_typed_buffer ({1},{1},{1},{1}) u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
ld_indexable(buffer)({0},{0},{0},{0}) r0.xyzw, vThreadID.xxxx, t0.xyzw
store_uav_typed u0.xyzw, vThreadID.xxxx, r0.xyzw
ret
"""


def _word(format_: Format) -> str:
    if not format_.is_integer:
        return "float"
    return "sint" if format_.type is ChannelType.SINT else "uint"


def _wide(word: str) -> str:
    return f"R32G32B32A32_{word.upper()}"


def _run(source: TypedBuffer, target: TypedBuffer, engine: str) -> None:
    text = TEXT.format(_word(source.format), _word(target.format))
    shader = load(assemble(text))
    dispatch(shader, (COUNT // GROUP, 1, 1), srvs={0: source}, uavs={0: target}, engine=engine)


def _texels(format_: Format) -> np.ndarray:
    random = np.random.default_rng(format_.number)
    data = random.integers(0, 256, COUNT * format_.bytes_per_texel).astype(np.uint8)
    dtype, items = natural_dtype(format_)
    return data.view(dtype).reshape(COUNT, items) if items > 1 else data.view(dtype)


def _check_load(format_: Format, engine: str) -> None:
    texels = _texels(format_)
    wanted = decode(texels, format_)
    found = np.zeros_like(wanted)
    _run(TypedBuffer(texels, format_), TypedBuffer(found, _wide(_word(format_))), engine)
    np.testing.assert_array_equal(found, wanted)


def _check_store(format_: Format, engine: str) -> None:
    values = decode(_texels(format_), format_)
    if values.dtype == np.float32:
        with np.errstate(all="ignore"):
            values *= np.float32(1.25)  # between codes, and beyond the largest
    wanted = encode(values, format_)
    found = np.zeros_like(wanted)
    _run(TypedBuffer(values, _wide(_word(format_))), TypedBuffer(found, format_), engine)
    if np.issubdtype(wanted.dtype, np.floating):
        np.testing.assert_array_equal(found, wanted)
    else:
        np.testing.assert_array_equal(found.view(np.uint8), wanted.view(np.uint8))


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
@pytest.mark.parametrize("name", QUICK)
def test_some_formats(name: str, engine: str) -> None:
    _check_load(FORMATS[name], engine)
    _check_store(FORMATS[name], engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["interpreter", "jit"])
@pytest.mark.parametrize("name", [name for name in FORMATS if name not in QUICK])
def test_all_other_formats(name: str, engine: str) -> None:
    _check_load(FORMATS[name], engine)
    _check_store(FORMATS[name], engine)
