"""Typed loads and stores of shaders, on both engines, against conversion of whole arrays.

Both read the same rows of the same tables, so every bit agrees, for each format that a typed view
may have. Formats that cannot be UAVs on any device are refused.
"""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.device.dispatch import dispatch
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS, FORMATS, ChannelType, Format
from softd3d.formats.shader_views import is_readable, is_unordered
from softd3d.formats.support import Use, uses
from softd3d.resources.buffers.buffer import TypedBuffer
from softd3d.resources.texels.dtypes import natural_dtype
from softd3d.resources.transfer.conversion import decode, encode
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble

GROUP = 64
COUNT = 4 * GROUP
QUICK = (
    "R8G8B8A8_UNORM_SRGB",
    "R24_UNORM_X8_TYPELESS",
    "R16G16_SINT",
    "R9G9B9E5_SHAREDEXP",
    "B8G8R8A8_UNORM",
    "R11G11B10_FLOAT",
    "B5G6R5_UNORM",
)
READABLE = [name for name, format_ in FORMATS.items() if is_readable(format_)]
# Those of which Direct3D 11.3 has typed loads, and B8G8R8A8 and A4B4G4R4, of which it has stores.
UAVS = [
    "R32_FLOAT", "R32_UINT", "R32_SINT", "R32G32B32A32_FLOAT", "R32G32B32A32_UINT",
    "R32G32B32A32_SINT", "R16G16B16A16_FLOAT", "R16G16B16A16_UINT", "R16G16B16A16_SINT",
    "R8G8B8A8_UNORM", "R8G8B8A8_UINT", "R8G8B8A8_SINT", "R16_FLOAT", "R16_UINT", "R16_SINT",
    "R8_UNORM", "R8_UINT", "R8_SINT", "R16G16B16A16_UNORM", "R16G16B16A16_SNORM", "R32G32_FLOAT",
    "R32G32_UINT", "R32G32_SINT", "R10G10B10A2_UNORM", "R10G10B10A2_UINT", "R11G11B10_FLOAT",
    "R8G8B8A8_SNORM", "R16G16_FLOAT", "R16G16_UNORM", "R16G16_UINT", "R16G16_SNORM", "R16G16_SINT",
    "R8G8_UNORM", "R8G8_UINT", "R8G8_SNORM", "R8G8_SINT", "R16_UNORM", "R16_SNORM", "R8_SNORM",
    "A8_UNORM", "B5G6R5_UNORM", "B5G5R5A1_UNORM", "B4G4R4A4_UNORM", "B8G8R8A8_UNORM",
    "A4B4G4R4_UNORM",
]  # fmt: skip
_DTYPES = {"float": np.float32, "uint": np.uint32, "sint": np.int32}
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

UAV_TEXT = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_typed_buffer ({1},{1},{1},{1}) u0
dcl_uav_typed_buffer ({0},{0},{0},{0}) u1
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
ld_uav_typed_indexable(buffer)({0},{0},{0},{0}) r0.xyzw, vThreadID.xxxx, u1.xyzw
store_uav_typed u0.xyzw, vThreadID.xxxx, r0.xyzw
ret
"""


def _word(format_: Format) -> str:
    if not format_.is_integer:
        return "float"
    return "sint" if format_.type is ChannelType.SINT else "uint"


def _wide(word: str) -> str:
    return f"R32G32B32A32_{word.upper()}"


def _run(
    source: TypedBuffer, target: TypedBuffer, engine: str, *, through_uav: bool = False
) -> None:
    text = (UAV_TEXT if through_uav else TEXT).format(_word(source.format), _word(target.format))
    shader = load_shader(assemble(text))
    srvs, uavs = ({}, {0: target, 1: source}) if through_uav else ({0: source}, {0: target})
    dispatch(shader, (COUNT // GROUP, 1, 1), srvs=srvs, uavs=uavs, engine=engine)


def _texels(format_: Format) -> np.ndarray:
    random = np.random.default_rng(format_.number)
    data = random.integers(0, 256, COUNT * format_.bytes_per_texel).astype(np.uint8)
    dtype, items = natural_dtype(format_)
    return data.view(dtype).reshape(COUNT, items) if items > 1 else data.view(dtype)


def _check_load(format_: Format, engine: str, *, through_uav: bool = False) -> None:
    texels = _texels(format_)
    wanted = decode(texels, format_)
    found = np.zeros_like(wanted)
    target = TypedBuffer(found, _wide(_word(format_)))
    _run(TypedBuffer(texels, format_), target, engine, through_uav=through_uav)
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


def _check(name: str, engine: str) -> None:
    format_ = FORMATS[name]
    _check_load(format_, engine)
    if is_unordered(format_):
        _check_load(format_, engine, through_uav=True)
        _check_store(format_, engine)


@pytest.mark.parametrize("name", READABLE)
def test_the_interpreter(name: str) -> None:
    _check(name, "interpreter")


@pytest.mark.parametrize("name", QUICK)
def test_the_jit_on_some_formats(name: str) -> None:
    _check(name, "jit")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in READABLE if name not in QUICK])
def test_the_jit_on_all_other_formats(name: str) -> None:
    _check(name, "jit")


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
@pytest.mark.parametrize("name", [name for name in READABLE if name not in UAVS])
def test_other_formats_are_no_uavs(name: str, engine: str) -> None:
    format_ = FORMATS[name]
    values = np.zeros((COUNT, 4), _DTYPES[_word(format_)])
    source, target = (
        TypedBuffer(values, _wide(_word(format_))),
        TypedBuffer(_texels(format_), format_),
    )
    with pytest.raises(ResourceError, match=f"u0: format {name} cannot be a UAV"):
        _run(source, target, engine)
    with pytest.raises(ResourceError, match=f"u1: format {name} cannot be a UAV"):
        _run(target, source, engine, through_uav=True)


def test_which_formats_are_uavs() -> None:
    """The digest of the tables of support says the same; Direct3D 11.3 lists typed loads."""
    found = {name for name, format_ in DXGI_FORMATS.items() if is_unordered(format_)}
    assert found == set(UAVS)
    by_table = {n for n, f in FORMATS.items() if Use.UNORDERED_ACCESS in uses(f)}
    assert found == by_table | {"A4B4G4R4_UNORM"}


def test_a_format_that_nothing_reads() -> None:
    biased = TypedBuffer(np.zeros(COUNT, np.uint32), "R10G10B10_XR_BIAS_A2_UNORM")
    target = TypedBuffer(np.zeros((COUNT, 4), np.float32), "R32G32B32A32_FLOAT")
    with pytest.raises(ResourceError, match="t0: format R10G10B10_XR_BIAS_A2_UNORM cannot be read"):
        _run(biased, target, "interpreter")
