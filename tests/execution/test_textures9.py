"""Textures of Direct3D 9: formats, borders, what is not bound, depth textures, quads and flow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lookups9 import run

import softd3d
from softd3d.device.evaluation import evaluate
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9_FORMATS
from softd3d.formats.d3d9_views import sampled_format
from softd3d.formats.layout import Scheme
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.d3d9.textures import bind_textures
from softd3d.resources.d3d9.surfaces import Texture9, TextureType
from softd3d.resources.transfer.conversion import decode

LOOKUP = "ps_3_0\ndcl_2d s0\ndcl_texcoord v0\ntexld oC0, v0, s0\n"
PLAIN = sorted(
    name for name, f in D3D9_FORMATS.items()
    if f.scheme is not Scheme.BYTES and (f.channels or f.dxgi) and not f.is_depth_stencil
)  # fmt: skip


def readable(name: str) -> bool:
    try:
        Texture9(8, 4, name).description()
    except ResourceError:
        return False
    return True


def centres(width: int, height: int) -> np.ndarray:
    x, y = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    zero = np.zeros(width * height)
    return np.stack([x.ravel(), y.ravel(), zero, zero + 1], axis=-1).astype(np.float32)


@pytest.mark.parametrize("name", [n for n in PLAIN if readable(n)])
@pytest.mark.parametrize("mip", [0, 2], ids=["exact", "filtered"])
def test_every_format_reads_as_it_decodes(name: str, mip: int) -> None:
    """A point filter gives the texel; one that blends levels, too, to the last bit or two."""
    rng = np.random.default_rng([*name.encode()])
    texture = Texture9(8, 4, name)
    texture.memory[:] = rng.integers(0, 256, texture.memory.size)
    found = run(LOOKUP, {"v0": centres(8, 4)}, textures={"s0": (texture, SamplerState9(
        mip_filter=mip))})["oC0"]  # fmt: skip
    wanted = np.asarray(decode(texture.surface().array, D3D9_FORMATS[name], "d3d9"), np.float32)
    wanted = wanted.reshape(-1, 4)
    same = np.isclose(found, wanted, rtol=2e-7 if mip else 0, atol=0, equal_nan=True)
    assert same.all(), (name, found[~same], wanted[~same])


def test_most_formats_are_read() -> None:
    assert {n for n in PLAIN if not readable(n)} <= {
        "A8P8", "P8", "AI44", "IA44", "NV12", "NV11", "P010", "P016", "420O", "420_OPAQUE", "YV12"
    }  # fmt: skip
    with pytest.raises(ResourceError, match="format P8 cannot be read by shaders of Direct3D 9"):
        Texture9(4, 4, "P8").description()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("V8U8", [1, -1, 1, 1]),
        ("X8L8V8U8", [1, -1, 1, 1]),
        ("R32F", [0.25, 1, 1, 1]),
        ("L8", [1, 1, 1, 1]),
        ("A8", [0, 0, 0, 1]),
        ("G16R16", [0, 1, 1, 1]),
        ("X8R8G8B8", [1, 0, 1, 1]),
        ("A8L8", [0, 0, 0, 1]),
    ],
)
def test_missing_components(name: str, wanted: list[float]) -> None:
    words = {"V8U8": 0x817F, "X8L8V8U8": 0xFF817F, "R32F": 0x3E800000, "L8": 0xFF, "A8": 0xFF,
             "G16R16": 0xFFFF0000, "X8R8G8B8": 0x00FF00FF, "A8L8": 0xFF00}  # fmt: skip
    texture = Texture9(1, 1, name)
    size = texture.memory.size
    texture.memory[:] = np.frombuffer(words[name].to_bytes(4, "little"), np.uint8)[:size]
    assert run(LOOKUP, {"v0": [0, 0, 0, 1]}, textures={"s0": texture})["oC0"].tolist() == [wanted]


def test_the_border_has_an_alpha_although_the_format_has_none() -> None:
    texture = Texture9(2, 2, "X8R8G8B8")
    sampler = SamplerState9("BORDER", "BORDER", border_color=0x80FF0000, mag_filter=2, min_filter=2)
    found = run(LOOKUP, {"v0": [[-1, 0.5, 0, 0], [0, 0.5, 0, 0], [0.5, 0.5, 0, 0]]},
                textures={"s0": (texture, sampler)})["oC0"]  # fmt: skip
    alpha = np.float32(128 / 255)
    assert np.allclose(found[0], [1, 0, 0, alpha])
    assert np.allclose(found[1], [0.5, 0, 0, (1 + alpha) / 2])
    assert found[2].tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("name", ["A8R8G8B8", "X8B8G8R8", "DXT1", "DXT5", "R8G8B8"])
def test_srgb_is_decoded_before_the_filter_and_alpha_is_not(name: str) -> None:
    texture = Texture9(4, 4, name)
    rng = np.random.default_rng(7)
    texture.memory[:] = rng.integers(0, 256, texture.memory.size)
    raw = np.asarray(decode(texture.surface().array, D3D9_FORMATS[name], "d3d9"), np.float64)
    linear = np.where(raw <= 0.04045, raw / 12.92, ((raw + 0.055) / 1.055) ** 2.4)
    linear[..., 3] = raw[..., 3]
    sampler = SamplerState9(mag_filter=2, min_filter=2, srgb_texture=True)
    found = run(LOOKUP, {"v0": [[0.5, 0.5, 0, 0]]}, textures={"s0": (texture, sampler)})["oC0"]
    assert np.allclose(found[0], linear.reshape(4, 4, 4)[1:3, 1:3].mean(axis=(0, 1)), atol=2e-6)


def test_formats_that_cannot_be_srgb_ignore_the_state() -> None:
    for name in ("R5G6B5", "R32F", "Q8W8V8U8", "A16B16G16R16", "L8", "A8L8"):
        assert sampled_format(D3D9_FORMATS[name], is_srgb=True) == D3D9_FORMATS[name]


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
@pytest.mark.parametrize(
    "text",
    [
        LOOKUP,
        "ps_1_1\ntex t0\nmov r0, t0\n",
        "ps_1_4\ntexld r0, t0\n",
        "ps_3_0\ndcl_cube s0\ndcl_texcoord v0\ntexldl oC0, v0, s0\n",
        "vs_3_0\ndcl_volume s0\ndcl_texcoord v0\ndcl_texcoord o0\ntexldl o0, v0, s0\n",
    ],
)
def test_what_is_not_bound_is_opaque_black(text: str, engine: str) -> None:
    program = softd3d.load9(softd3d.assemble(text)).program
    found = evaluate(program, {}, engine=engine)
    assert next(iter(found.values())).tolist() == [[0, 0, 0, 1]]


def test_another_kind_than_the_shader_declares_counts_as_nothing_and_is_noted() -> None:
    program = softd3d.load9(softd3d.assemble(LOOKUP)).program
    cube = Texture9(4, 4, "A8R8G8B8", type_=TextureType.CUBE)
    cube.memory[:] = 255
    assert run(LOOKUP, {"v0": [0, 0, 0, 1]}, textures={"s0": cube})["oC0"].tolist() == [
        [0, 0, 0, 1]
    ]
    found = bind_textures(program, {0: (cube, SamplerState9()), 3: (cube, SamplerState9())})
    assert found.views == {}
    assert found.notes == (("s0", "a cube is bound, the shader declares a 2D texture"),)


def test_before_2_0_any_kind_fits() -> None:
    program = softd3d.load9(softd3d.assemble("ps_1_1\ntex t0\nmov r0, t0\n")).program
    for type_, dimension in ((TextureType.CUBE, ResourceDimension.TEXTURECUBE),
                             (TextureType.VOLUME, ResourceDimension.TEXTURE3D)):  # fmt: skip
        texture = Texture9(4, 4, "A8R8G8B8", type_=type_)
        (view,) = bind_textures(program, {0: (texture, SamplerState9())}).views.values()
        assert view.dimension is dimension


# Depth textures


def depth_texture(name: str, depths: list[float]) -> Texture9:
    texture = Texture9(len(depths), 1, name)
    units = texture.surface().array
    match name:
        case "D16" | "DF16":
            units[...] = np.round(np.array(depths) * 65535).astype(np.uint16)
        case "D32F_LOCKABLE":
            units.view(np.float32)[...] = depths
        case "D24S8" | "INTZ":  # stencil in the lowest byte, or in the highest of S8D24
            codes = np.round(np.array(depths) * 0xFFFFFF).astype(np.uint32)
            units[...] = codes << 8 | 0x5A if name == "D24S8" else codes | 0x5A000000
        case _:
            codes = np.round(np.array(depths) * 0xFFFFFF).astype(np.uint32)
            units[...] = codes << 8 if name == "D24X8" else codes
    return texture


@pytest.mark.parametrize("name", ["D16", "D24S8", "D24X8", "D32F_LOCKABLE"])
def test_depth_formats_compare_with_z(name: str) -> None:
    texture = depth_texture(name, [0.25, 0.75])
    rows = [[0.25, 0, 0.25, 1], [0.25, 0, 0.3, 1], [0.75, 0, 0.3, 1], [0.75, 0, 7, 1],
            [0.75, 0, -5, 1], [0.75, 0, np.nan, 1]]  # fmt: skip
    found = run(LOOKUP, {"v0": rows}, textures={"s0": texture})["oC0"]
    near = 1.0 if name == "D32F_LOCKABLE" else float(np.round(0.25 * 65535) / 65535 >= 0.25)
    if name.startswith("D24"):
        near = float(round(0.25 * 0xFFFFFF) / 0xFFFFFF >= 0.25)
    nan = 0.0 if name == "D32F_LOCKABLE" else 1.0  # which is clamped to 0
    assert found[:, 0].tolist() == [near, 0, 1, 0, 1, nan]
    assert (found == found[:, :1]).all()
    linear = SamplerState9("CLAMP", "CLAMP", mag_filter=2, min_filter=2)
    found = run(LOOKUP, {"v0": [[0.5, 0, 0.5, 1], [0.375, 0, 0.5, 1], [0.5, 0, 0.1, 1]]},
                textures={"s0": (texture, linear)})["oC0"]  # fmt: skip
    assert found[:, 3].tolist() == [0.5, 0.25, 1]


def test_projected_comparisons_use_the_quotient() -> None:
    texture = depth_texture("D32F_LOCKABLE", [0.5])
    text = LOOKUP.replace("texld ", "texldp ")
    found = run(text, {"v0": [[0, 0, 1, 2], [0, 0, 1.1, 2], [0, 0, 3, 8]]},
                textures={"s0": texture})["oC0"]  # fmt: skip
    assert found[:, 0].tolist() == [1, 0, 1]


@pytest.mark.parametrize("name", ["INTZ", "DF16", "DF24"])
def test_depth_of_vendors_formats_is_read(name: str) -> None:
    texture = depth_texture(name, [0.25, 0.75])
    found = run(LOOKUP, {"v0": [[0.25, 0, 9, 1], [0.75, 0, 9, 1]]}, textures={"s0": texture})["oC0"]
    assert np.allclose(found, [[0.25] * 4, [0.75] * 4], atol=1e-5)


# Operands, predicates, quads


def steps() -> Texture9:
    """Return a row of 64 texels with their numbers, and their numbers' negatives, and levels."""
    texture = Texture9(64, 1, "A32B32G32R32F", levels=0)
    for level in range(texture.levels):
        row = texture.surface(level).array.view(np.float32).reshape(-1, 4)
        row[...] = np.arange(len(row))[:, None] * [1, -1, 0, 0] + [0, 0, level, 9]
    return texture


def test_the_swizzle_of_a_sampler_comes_before_the_mask() -> None:
    text = "ps_3_0\ndcl_2d s0\ndcl_texcoord v0\nmov r0, c0\ntexld r0.xw, v0, s0.wzyx\nmov oC0, r0\n"
    found = run(text, {"v0": [5.5 / 64, 0, 0, 1]}, constants={"c0": [7, 7, 7, 7]},
                textures={"s0": steps()})["oC0"]  # fmt: skip
    assert found.tolist() == [[9, 7, 7, 5]]


def test_predicated_lookups_write_where_the_predicate_holds() -> None:
    text = ("ps_3_0\ndcl_2d s0\ndcl_texcoord v0\nmov r0, c0\nsetp_gt p0, v0, c0.w\n"
            "(p0) texld r0, v0, s0\nmov oC0, r0\n")  # fmt: skip
    found = run(text, {"v0": [5.5 / 64, -1, 1, -1]}, constants={"c0": [7, 8, 9, 0]},
                textures={"s0": steps()})["oC0"]  # fmt: skip
    assert found.tolist() == [[5, 8, 0, 0]]


def test_derivatives_are_those_of_the_own_row_and_column() -> None:
    rows = np.array([[0, 1, 4, 9], [1, 1, 5, 2], [3, 1, 7, 0], [7, 1, 8, 5]], np.float32)
    text = "ps_3_0\ndcl_texcoord v0\nmov r0, v0\ndsx r1, r0\ndsy r2, -r0\nmov oC0, r1\n"
    found = run(text, {"v0": rows}, quads=True)
    assert found["r1"].tolist() == [
        [1, 0, 1, -7], [1, 0, 1, -7], [4, 0, 1, 5], [4, 0, 1, 5]
    ]  # fmt: skip
    assert found["r2"].tolist() == [
        [-3, 0, -3, 9], [-6, 0, -3, -3], [-3, 0, -3, 9], [-6, 0, -3, -3]
    ]  # fmt: skip


def test_lanes_by_themselves_have_no_derivatives() -> None:
    text = "ps_3_0\ndcl_texcoord v0\ndsx r1, v0\nmov oC0, r1\n"
    found = run(text, {"v0": np.arange(12).reshape(3, 4)})
    assert found["r1"].tolist() == [[0] * 4] * 3
    program = softd3d.load9(softd3d.assemble(text)).program
    with pytest.raises(ResourceError, match="quads: found 3 lanes, wanted a multiple of 4"):
        evaluate(program, {"v0": np.zeros((3, 4))}, quads=True)


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_derivatives_see_registers_of_pixels_that_took_another_way(lanes: int) -> None:
    """Lane 3 does not enter the branch, and lane 1 has left the loop: their r0 is as it was."""
    text = ("ps_3_0\ndcl_texcoord v0\ndef c0, 0, 1, 10, 100\ndefi i0, 2, 0, 0, 0\nmov r0, v0\n"
            "if_lt v0.w, c0.y\nadd r0, r0, c0.z\ndsx r1, r0\ndsy r2, r0\nendif\n"
            "rep i0\nbreak_gt v0.z, c0.x\nadd r0, r0, c0.w\ndsx r3, r0\nendrep\n"
            "mov oC0, r1\n")  # fmt: skip
    rows = np.array([[1, 0, 0, 0], [2, 0, 1, 0], [5, 0, 0, 0], [9, 0, 0, 1]], np.float32)
    found = run(text, {"v0": rows}, quads=True, lanes=lanes)
    x = [11, 12, 15, 9]  # after the branch
    assert found["r1"][:, 0].tolist() == [x[1] - x[0], x[1] - x[0], x[3] - x[2], 0]
    assert found["r2"][:, 0].tolist() == [x[2] - x[0], x[3] - x[1], x[2] - x[0], 0]
    x = [211, 12, 215, 209]  # in the loop's second round
    assert found["r3"][:, 0].tolist() == [x[1] - x[0], 0, x[3] - x[2], x[3] - x[2]]


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_levels_in_flow_see_them_as_well(lanes: int) -> None:
    text = ("ps_3_0\ndcl_2d s0\ndcl_texcoord v0\ndef c0, 0, 0.5, 0, 0\nmov r1, c0.x\n"
            "if_lt v0.w, c0.y\ntexld r1, v0, s0\nendif\nmov oC0, r1\n")  # fmt: skip
    u = np.array([0, 4, 1, 1]) / 64
    rows = np.stack([u, [0] * 4, [0] * 4, [0, 0, 1, 1]], axis=-1)
    sampler = SamplerState9("CLAMP", "CLAMP", mip_filter=1)
    found = run(text, {"v0": rows}, quads=True, lanes=lanes, textures={"s0": (steps(), sampler)})
    # 4 texels to the right, 1 and 3 down: level 2 in both
    assert found["oC0"][:, 2].tolist() == [2, 2, 0, 0]


def test_max_mip_level_without_a_mip_filter_counts_in_documented() -> None:
    sampler = SamplerState9("CLAMP", "CLAMP", max_mip_level=3)
    for profile, level in (("driver", 0), ("documented", 3), ("ieee", 0)):
        texture = steps()
        more: dict[str, Any] = {"textures": {"s0": (texture, sampler)}, "profile": profile}
        assert run(LOOKUP, {"v0": [0, 0, 0, 1]}, **more)["oC0"][0, 2] == level
        texture.lod = 2
        assert run(LOOKUP, {"v0": [0, 0, 0, 1]}, **more)["oC0"][0, 2] == max(level, 2)


def test_texel_memory_is_shared_with_surfaces_and_read_anew() -> None:
    for name in ("A8R8G8B8", "DXT1"):
        texture = Texture9(4, 4, name)
        before = run(LOOKUP, {"v0": [0, 0, 0, 1]}, textures={"s0": texture})["oC0"]
        texture.surface().array[...] = 255
        after = run(LOOKUP, {"v0": [0, 0, 0, 1]}, textures={"s0": texture})["oC0"]
        assert before.tolist() != after.tolist()


def test_anisotropic_filters_average_along_the_longer_derivative() -> None:
    """Eight texels across, one down: without anisotropy level 3, with eight probes level 0."""
    sampler = SamplerState9("CLAMP", "CLAMP", mag_filter=2, min_filter=3, mip_filter=1,
                            max_anisotropy=8)  # fmt: skip
    texture = Texture9(64, 64, "A32B32G32R32F", levels=0)
    for level in range(texture.levels):
        texture.surface(level).array.view(np.float32).reshape(-1, 4)[:, 2] = level
    u, v = np.array([0.5, 0.5 + 8 / 64, 0.5, 0.5 + 8 / 64]), np.array([0.5, 0.5, 0.53, 0.53])
    rows = np.stack([u, v, u * 0, u * 0], axis=-1)
    found = run(LOOKUP, {"v0": rows}, quads=True, textures={"s0": (texture, sampler)})["oC0"]
    assert (found[:, 2] <= 1).all()
    plain = SamplerState9("CLAMP", "CLAMP", mag_filter=2, min_filter=2, mip_filter=1)
    found = run(LOOKUP, {"v0": rows}, quads=True, textures={"s0": (texture, plain)})["oC0"]
    assert found[:, 2].tolist() == [3] * 4
