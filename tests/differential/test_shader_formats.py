"""Every DXGI format as a shader's SRV: it gives what `decode` gives, or is refused by name.

The texture is an array of two slices with three mips, whose sizes are no multiples of a block's but
for the first. A group has a thread for each texel of each mip and slice, and some outside.
"""

from __future__ import annotations

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

import softd3d
from softd3d.errors import ResourceError
from softd3d.formats.casts import view_formats
from softd3d.formats.d3d9 import D3D9_FORMATS
from softd3d.formats.dxgi import DXGI_FORMATS, ChannelType, Format
from softd3d.formats.layout import Scheme
from softd3d.formats.shader_views import is_readable
from softd3d.formats.support import Use, uses
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.texels.decoded import DecodedCopy, Part, plain_format
from softd3d.resources.textures.subresources import Layout
from softd3d.resources.textures.texture import (
    Texture,
    Texture2D,
    Texture2DArray,
    Texture3D,
    TextureCube,
)
from softd3d.resources.textures.views import TextureView
from softd3d.resources.transfer.conversion import convert, decode
from softd3d.resources.views.descriptor import refresh

ENGINES = ["interpreter", "jit"]
WIDTH, HEIGHT, MIPS, SLICES = 12, 8, 3, 2
GROUP = (13, 9, 6)  # z: the slice times 3 plus the mip
TEXT = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_texture2darray ({0},{0},{0},{0}) t0
dcl_uav_raw u0
dcl_input vThreadIDInGroup.xyz
dcl_input vThreadIDInGroupFlattened
dcl_temps 3
dcl_thread_group 13, 9, 6
udiv r0.z, r0.w, vThreadIDInGroup.z, l(3)
mov r0.xy, vThreadIDInGroup.xyxx
ld_indexable(texture2darray)({0},{0},{0},{0}) r1.xyzw, r0.xyzw, t0.xyzw
ishl r2.x, vThreadIDInGroupFlattened.x, l(4)
store_raw u0.xyzw, r2.x, r1.xyzw
ret
"""
SIZES = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_texture2darray (float,float,float,float) t0
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 4, 1, 1
resinfo_indexable(texture2darray)(float,float,float,float)_uint r0.xyzw, vThreadID.x, t0.xyzw
ishl r1.x, vThreadID.x, l(4)
store_raw u0.xyzw, r1.x, r0.xyzw
ret
"""
SAMPLING = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2darray (float,float,float,float) t0
dcl_uav_raw u0
dcl_input vThreadIDInGroup.xyz
dcl_input vThreadIDInGroupFlattened
dcl_temps 3
dcl_thread_group 13, 9, 6
utof r0.xyz, vThreadIDInGroup.xyzx
mul r0.xyz, r0.xyzx, l(0.083, 0.117, 0.4, 0)
sample_l_indexable(texture2darray)(float,float,float,float) r1.xyzw, r0.xyzx, t0.xyzw, s0, r0.z
ishl r2.x, vThreadIDInGroupFlattened.x, l(4)
store_raw u0.xyzw, r2.x, r1.xyzw
ret
"""
SHARED_BY = (Scheme.BLOCKS, Scheme.PACKED_422)
SHARED = [f for f in DXGI_FORMATS.values() if f.scheme in SHARED_BY]
SHARING = [f.name for f in SHARED if is_readable(f)]
READABLE = [f.name for f in DXGI_FORMATS.values() if is_readable(f)]


def _word(format_: Format) -> str:
    if not format_.is_integer:
        return "float"
    return "sint" if format_.type is ChannelType.SINT else "uint"


def _random(format_: Format, across: int = WIDTH) -> Texture2DArray:
    """Return a texture of random bytes."""
    width, height = format_.block_width, format_.block_height
    units = sum(
        -(-(across >> m) // width) * -(-(HEIGHT >> m) // height) for m in range(MIPS)
    )  # fmt: skip
    random = np.random.default_rng(format_.number)
    data = random.integers(0, 256, SLICES * units * format_.bytes_per_block, np.uint8)
    return Texture2DArray.from_bytes(data.tobytes(), format_, across, HEIGHT, 1, SLICES, MIPS)


def _run(view: object, word: str, engine: str) -> NDArray[np.uint32]:
    """Return the bits that the threads read, (slices, mips, y, x, 4)."""
    found = np.zeros((SLICES, 3, GROUP[1], GROUP[0], 4), np.uint32)
    shader = softd3d.load(softd3d.assemble(TEXT.format(word)))
    softd3d.dispatch(
        shader, (1, 1, 1), srvs={0: view}, uavs={0: softd3d.RawBuffer(found)}, engine=engine
    )
    return found


def _wanted(levels: list[NDArray[np.generic]], reads: str, word: str) -> NDArray[np.uint32]:
    """Return what they should: components of (slices, height, width) texels, 0 outside."""
    one = np.uint32(1) if word != "float" else np.float32(1).view(np.uint32)
    wanted = np.zeros((SLICES, 3, GROUP[1], GROUP[0], 4), np.uint32)
    wanted[..., [i for i, c in enumerate(reads) if c == "1"]] = one
    for mip, level in enumerate(levels):
        _, height, width, _ = level.shape
        wanted[: len(level), mip, :height, :width] = np.ascontiguousarray(level).view(np.uint32)
    return wanted


def _levels(texture: Texture2DArray, format_: Format) -> list[NDArray[np.generic]]:
    """Return the components of each mip, cut to its size."""
    found = []
    for mip in range(MIPS):
        width, height, _ = texture.layout.extent(mip)
        level = decode(texture.mip(mip), format_)
        found.append(level[:, :height, :width])
    return found


def _same(found: NDArray[np.uint32], wanted: NDArray[np.uint32], word: str) -> None:
    if word == "float":  # a NaN is a NaN
        np.testing.assert_array_equal(found.view(np.float32), wanted.view(np.float32))
        is_nan = np.isnan(wanted.view(np.float32))
        found, wanted = np.where(is_nan, 0, found), np.where(is_nan, 0, wanted)
    np.testing.assert_array_equal(found, wanted)


def _check(name: str, engine: str) -> None:
    format_ = DXGI_FORMATS[name]
    texture, word = _random(format_), _word(format_)
    wanted = _wanted(_levels(texture, format_), format_.reads, word)
    _same(_run(texture, word, engine), wanted, word)
    if format_.parent:
        typeless = Texture2DArray.from_bytes(
            texture.tobytes(), format_.parent, WIDTH, HEIGHT, 1, SLICES, MIPS
        )
        _same(_run(typeless.view(format=name), word, engine), wanted, word)


@pytest.mark.parametrize("name", READABLE)
def test_what_shaders_read_is_what_decode_gives(name: str) -> None:
    _check(name, "interpreter")


@pytest.mark.parametrize("name", SHARING)
def test_the_jit_reads_blocks_and_pairs(name: str) -> None:
    _check(name, "jit")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in READABLE if name not in SHARING])
def test_the_jit_reads_all_other_formats(name: str) -> None:
    _check(name, "jit")


def test_the_tables_of_support_say_which_formats_these_are() -> None:
    """What is not in them itself is seen through views in others."""
    through_others = {
        f.name for f in DXGI_FORMATS.values() if Use.SHADER_LOAD in uses(f) and not is_readable(f)
    }
    video = {"AYUV", "Y410", "Y416", "YUY2", "Y210", "Y216"}
    assert through_others == video | {"NV12", "P010", "P016", "NV11"}
    without = {name for name in READABLE if Use.SHADER_LOAD not in uses(DXGI_FORMATS[name])}
    assert without == {"A4B4G4R4_UNORM"}  # of Direct3D 12
    assert {"BC1_UNORM", "BC6H_SF16", "R8G8_B8G8_UNORM", "X24_TYPELESS_G8_UINT"} <= set(READABLE)


@pytest.mark.parametrize("name", [n for n, f in DXGI_FORMATS.items() if not is_readable(f)])
def test_all_others_are_refused_by_name(name: str) -> None:
    format_ = DXGI_FORMATS[name]
    if format_.scheme in (Scheme.PLANES, Scheme.OPAQUE, Scheme.NOTHING):
        with pytest.raises(ResourceError) as raised:
            Texture2D(np.zeros((4, 4), np.uint8), name)
    else:
        texture = _random(format_, 2 * WIDTH if format_.scheme is Scheme.BITS else WIDTH)
        with pytest.raises(ResourceError) as raised:
            _run(texture, "float", "interpreter")
    assert f"format {name} " in raised.value.message
    for word in _reason(format_):
        assert word in raised.value.message


def _reason(format_: Format) -> tuple[str, ...]:
    """Return what the refusal of a format says."""
    if format_.scheme in (Scheme.OPAQUE, Scheme.NOTHING):
        return ("cannot be a texture's", format_.scheme.value)
    if format_.scheme is Scheme.PLANES:
        return ("cannot be a texture's", "apart, wanted a texture of each plane (0: R", "; 1: R")
    if format_.name in ("R1_UNORM", "AI44", "IA44", "P8", "A8P8"):
        return ("cannot be read by shaders",)
    first = {"R32G32B32A32_TYPELESS": "R32G32B32A32_FLOAT", "AYUV": "R8G8B8A8_UNORM"}
    names = [first[format_.name]] if format_.name in first else []
    wanted = ", wanted a view in one of "
    kind = "has no component type" if format_.is_typeless else "cannot be read by shaders"
    return (kind + wanted, *names)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["AYUV", "Y410", "Y416", "YUY2", "Y210", "Y216"])
def test_packed_video_is_read_through_views(name: str, engine: str) -> None:
    """All texels, and pairs as texels but for R8G8_B8G8, which has the full width."""
    format_ = DXGI_FORMATS[name]
    texture = _random(format_)
    columns = WIDTH // format_.block_width
    for seen in map(DXGI_FORMATS.__getitem__, view_formats(format_)):
        width = WIDTH if seen.scheme is Scheme.PACKED_422 else columns
        bits = texture.mip(0).view(np.uint8).reshape(SLICES, HEIGHT, columns, -1)
        wanted = _wanted([decode(bits, seen)], seen.reads, _word(seen))
        view = texture.view(mip_levels=1, format=seen)
        assert view.describe().width == width
        _same(_run(view, _word(seen), engine), wanted, _word(seen))


@pytest.mark.parametrize("name", ["NV12", "P010", "NV11"])
def test_planes_are_read_as_textures_of_their_own(name: str) -> None:
    format_ = DXGI_FORMATS[name]
    for number, plane in enumerate(format_.planes):
        for seen in map(DXGI_FORMATS.__getitem__, view_formats(format_, number)):
            assert seen.bytes_per_texel == plane.bytes_per_element
            texels = _random(seen)
            wanted = _wanted(_levels(texels, seen), seen.reads, _word(seen))
            _same(_run(texels, _word(seen), "interpreter"), wanted, _word(seen))


@pytest.mark.parametrize("name", [n for n, f in D3D9_FORMATS.items() if f.scheme in SHARED_BY])
def test_blocks_and_pairs_of_direct3d_9(name: str) -> None:
    format_ = D3D9_FORMATS[name]
    texture = _random(format_)
    wanted = _wanted(_levels(texture, format_), format_.reads, "float")
    _same(_run(texture, "float", "interpreter"), wanted, "float")


def test_bits_of_direct3d_9() -> None:
    bits = Texture2D(np.array([[0b10110001]], np.uint8), D3D9_FORMATS["A1"]).describe()
    refresh([bits])
    assert (bits.data.reshape(8, 4) == 255).all(axis=1).tolist() == [1, 0, 1, 1, 0, 0, 0, 1]
    assert (bits.data.reshape(8, 4) == 0).all(axis=1).tolist() == [0, 1, 0, 0, 1, 1, 1, 0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("first_mip", "first_slice"), [(1, 0), (0, 1), (2, 1)])
def test_views_of_blocks_see_their_subresources(
    first_mip: int, first_slice: int, engine: str
) -> None:
    format_ = DXGI_FORMATS["BC3_UNORM_SRGB"]
    texture = _random(format_)
    view = texture.view(most_detailed_mip=first_mip, first_array_slice=first_slice)
    levels = [level[first_slice:] for level in _levels(texture, format_)[first_mip:]]
    _same(_run(view, "float", engine), _wanted(levels, "rgba", "float"), "float")
    sizes = np.zeros((4, 4), np.uint32)
    softd3d.dispatch(
        softd3d.load(softd3d.assemble(SIZES)), (1, 1, 1), srvs={0: view},
        uavs={0: softd3d.RawBuffer(sizes)}, engine=engine,
    )  # fmt: skip
    mips, slices = MIPS - first_mip, SLICES - first_slice
    for mip, found in enumerate(sizes.tolist()):
        width, height = WIDTH >> first_mip + mip, HEIGHT >> first_mip + mip
        assert found == ([width, height, slices, mips] if mip < mips else [0, 0, 0, mips])


@pytest.mark.parametrize("engine", ENGINES)
def test_each_run_reads_the_blocks_as_they_are(engine: str) -> None:
    format_ = DXGI_FORMATS["BC7_UNORM"]
    texture = _random(format_)
    found = np.zeros((SLICES, 3, GROUP[1], GROUP[0], 4), np.uint32)
    prepared = softd3d.Dispatch(
        softd3d.load(softd3d.assemble(TEXT.format("float"))), (1, 1, 1), srvs={0: texture},
        uavs={0: softd3d.RawBuffer(found)}, engine=engine,
    )  # fmt: skip
    prepared()
    before = _wanted(_levels(texture, format_), "rgba", "float")
    _same(found, before, "float")
    texture.mip(1, 1)[0, 1] ^= 0x5A
    after = _wanted(_levels(texture, format_), "rgba", "float")
    assert (before != after).any()
    prepared()
    _same(found, after, "float")


def test_only_what_has_changed_is_decoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    texture = _random(DXGI_FORMATS["BC1_UNORM"])
    copy = texture.describe().decoded
    assert isinstance(copy, DecodedCopy)
    copy.refresh()
    texture.mip(2, 1)[...] ^= 1
    decoded: list[tuple[int, ...]] = []
    monkeypatch.setattr(DecodedCopy, "_decode", lambda _, units, __: decoded.append(units.shape))
    copy.refresh()
    copy.refresh()
    assert decoded == [(1, 1, 8)]


def test_what_an_interrupt_cuts_off_is_decoded_later(monkeypatch: pytest.MonkeyPatch) -> None:
    texture = _random(DXGI_FORMATS["BC1_UNORM"])
    copy = texture.describe().decoded
    assert isinstance(copy, DecodedCopy)
    decode_piece = DecodedCopy._decode

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for change in (0, 1):  # at the first call, and where something has changed
        texture.mip(2, 1)[...] ^= change
        monkeypatch.setattr(DecodedCopy, "_decode", interrupted)
        with pytest.raises(KeyboardInterrupt):
            copy.refresh()
        monkeypatch.setattr(DecodedCopy, "_decode", decode_piece)
        copy.refresh()
        fresh = texture.view().describe().decoded
        assert isinstance(fresh, DecodedCopy)
        assert fresh is not copy
        fresh.refresh()
        assert np.array_equal(copy.data, fresh.data)


def test_a_run_waits_for_what_another_thread_decodes(monkeypatch: pytest.MonkeyPatch) -> None:
    copy = _random(DXGI_FORMATS["BC1_UNORM"]).describe().decoded
    assert isinstance(copy, DecodedCopy)
    decoding, go_on, returned = threading.Event(), threading.Event(), threading.Event()

    def slow(*_: object) -> None:
        decoding.set()
        assert go_on.wait(10)

    monkeypatch.setattr(DecodedCopy, "_decode", slow)
    first = threading.Thread(target=copy.refresh)
    second = threading.Thread(target=lambda: (copy.refresh(), returned.set()))
    first.start()
    assert decoding.wait(10)
    second.start()
    assert not returned.wait(0.05)
    go_on.set()
    for thread in (first, second):
        thread.join(10)
    assert returned.is_set()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["BC1_UNORM_SRGB", "BC4_SNORM", "BC6H_UF16", "R8G8_B8G8_UNORM"])
def test_what_is_filtered_is_what_was_decoded(name: str, engine: str) -> None:
    """Linear between texels and mips, the same as of a texture that was decoded beforehand."""
    format_ = DXGI_FORMATS[name]
    texture = _random(format_)
    plain = plain_format(format_)
    levels = []
    for mip in range(MIPS):
        width, height, _ = texture.layout.extent(mip)
        level = convert(texture.mip(mip), format_, plain)[:, :height, :width]
        levels.append(np.ascontiguousarray(level))
    shader = softd3d.load(softd3d.assemble(SAMPLING))
    found, wanted = (np.zeros((*GROUP, 4), np.uint32) for _ in range(2))
    for bound, out in ((texture, found), (Texture2DArray(levels, plain), wanted)):
        softd3d.dispatch(
            shader, (1, 1, 1), srvs={0: bound}, uavs={0: softd3d.RawBuffer(out)},
            samplers={0: None}, engine=engine,
        )  # fmt: skip
    assert len(np.unique(found)) > 400
    _same(found, wanted, "float")


def test_volumes_and_cubes_of_blocks() -> None:
    random = np.random.default_rng(3)
    blocks = random.integers(0, 256, (6, 2, 2, 8), np.uint8)
    wanted = decode(blocks, "BC4_SNORM")[..., 0]
    for texture in (Texture3D(blocks, "BC4_SNORM"), TextureCube(blocks, "BC4_SNORM")):
        seen = texture.describe()
        refresh([seen])
        np.testing.assert_array_equal(seen.data.view(np.float32).reshape(6, 8, 8), wanted)
    faces = TextureCube(blocks, "BC4_SNORM").view(dimension=ResourceDimension.TEXTURE2DARRAY)
    assert (faces.describe().array_size, faces.describe().depth) == (6, 1)


def test_memory_is_that_of_the_part_that_is_seen() -> None:
    layout = Layout(Texture2DArray.kind, 16384, 16384, 1, 4, 1, 1, 8, 4, 4)
    nothing = np.zeros(0, np.uint8)
    with pytest.raises(ResourceError) as raised:
        DecodedCopy(nothing, layout, Part(0, 1, 0, 2), DXGI_FORMATS["BC7_UNORM"])
    assert raised.value.message == (
        "Texture2DArray: found 2147483648 bytes when decoded from BC7_UNORM, wanted at most "
        "2147483644; views of fewer mips or slices can be bound"
    )
    texture = _random(DXGI_FORMATS["BC1_UNORM"])
    assert texture.view(most_detailed_mip=2, first_array_slice=1).describe().data.size == 3 * 2 * 16


def test_a_shader_must_want_what_blocks_hold() -> None:
    """Numbers of another type are read, with a note; integers are not numbers."""
    numbers, integers = (softd3d.load(softd3d.assemble(TEXT.format(t))) for t in ("snorm", "uint"))
    out = softd3d.RawBuffer(np.zeros(4 * 13 * 9 * 6, np.uint32))
    for name in ("BC5_SNORM", "BC5_UNORM", "BC6H_SF16", "BC7_UNORM_SRGB"):
        texture = _random(DXGI_FORMATS[name])
        outcome = softd3d.dispatch(numbers, (1, 1, 1), srvs={0: texture}, uavs={0: out})
        assert bool(outcome.poisoned) == (name != "BC5_SNORM")
        with pytest.raises(ResourceError, match=f"found format {name}, the shader wants uint"):
            softd3d.dispatch(integers, (1, 1, 1), srvs={0: texture}, uavs={0: out})


def test_blocks_may_not_be_written_meanwhile() -> None:
    texture = Texture2DArray(np.zeros((2, 2, 3, 8), np.uint8), "BC1_UNORM")
    with pytest.raises(ResourceError, match="u0: shares memory with t0"):
        softd3d.dispatch(
            softd3d.load(softd3d.assemble(TEXT.format("float"))), (1, 1, 1), srvs={0: texture},
            uavs={0: softd3d.RawBuffer(texture.array)},
        )  # fmt: skip


def test_views_are_named_by_their_formats() -> None:
    view = _random(DXGI_FORMATS["BC2_TYPELESS"]).view(most_detailed_mip=1, format="BC2_UNORM")
    assert isinstance(view, TextureView)
    assert repr(view) == "TextureView(TEXTURE2DARRAY, 6 x 4 x 1, 2 slices, 2 mips, BC2_UNORM)"


def test_a_texture_has_one_copy() -> None:
    texture: Texture = _random(DXGI_FORMATS["BC1_UNORM"])
    assert texture.describe() is texture.describe()
