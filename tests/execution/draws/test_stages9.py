"""Programs of SM1-3 in draws: linkage, elements, fog, alpha test, clip planes, by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from both import compare
from draws9 import (
    FULL_SCREEN,
    POSITION_AND_COLOR,
    WAYS,
    picture,
    prepared,
    program,
    target,
    vertices,
)
from numpy.typing import NDArray

from softd3d.errors import DecodeError, ResourceError
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.isa.d3d9.enums import CmpFunc, DeclType, FogMode
from softd3d.isa.sm1.enums import Usage
from softd3d.isa.sm1.program import Declaration, Instruction
from softd3d.jit.draw.engine import compile_draw
from softd3d.lower.d3d9.state_file import put_alpha_reference, put_clip_planes, put_fog
from softd3d.pipeline.d3d9.elements import VertexElement
from softd3d.pipeline.d3d9.pixel import FogSource, PixelFacts, compares_bytes, pixel_stage
from softd3d.pipeline.d3d9.vertex import vertex_stage
from softd3d.pipeline.prepared import DrawCall, PreparedDraw

CALL = DrawCall(3)
VS_1 = "vs_1_1\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1"
VS_2 = "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1\nmov oT2, v1"
VS_3 = """vs_3_0
dcl_position v0
dcl_color v1
dcl_color o5
dcl_position o3
dcl_texcoord2 o1
mov o3, v0
mov o5, v1
mov o1, v1"""
PS_1 = "ps_1_1\nmov r0, v0"
PS_2 = "ps_2_0\ndcl v0\nmov oC0, v0"
PS_3 = "ps_3_0\ndcl_color v4\nmov oC0, v4"
RAMP = [(0, 0.25, 0.5, 1), (1, 0.25, 0.5, 0.5), (2, 0.25, 0.5, 0)]
"""Colours of `FULL_SCREEN`: red is from 0 to 2 along x and then y, alpha goes down."""


def drawn(draw: PreparedDraw) -> NDArray[Any]:
    """Draw on both engines, compared to the bit; return the first target."""
    compare(draw, CALL, WAYS[1:])
    draw_interpreted(draw, CALL)
    assert draw.targets[0] is not None
    return picture(draw.targets[0])


def constant_color(*color: float) -> NDArray[np.float32]:
    return vertices(FULL_SCREEN, [color] * 3)


@pytest.mark.parametrize("vs", [VS_1, VS_2, VS_3])
@pytest.mark.parametrize("ps", [PS_1, PS_2, PS_3])
def test_colors_go_from_any_vertex_shader_to_any_pixel_shader(vs: str, ps: str) -> None:
    found = drawn(prepared(vs, ps, vertices(FULL_SCREEN, RAMP), targets=(target(),)))
    # Centres are at integers: the left upper pixel has what the first vertex has. The edges of the
    # triangle are 16 pixels long, and red is 1 and 2 at their ends. vs_3_0 does not clamp it
    # before it is interpolated, and ps_3_0 not behind that.
    of_2 = 2.0 if vs is VS_3 else 1.0
    rows, columns = np.mgrid[0:8, 0:8]
    red = columns / 16 + of_2 * rows / 16
    red = red if ps is PS_3 else np.minimum(red, 1)
    np.testing.assert_array_equal(found[..., 0], red.astype(np.float32))
    np.testing.assert_array_equal(found[..., 1], np.float32(0.25))
    np.testing.assert_array_equal(found[..., 3], (1 - columns / 32 - rows / 16).astype(np.float32))


def test_only_pixel_shaders_before_3_0_clamp_colors() -> None:
    data = constant_color(3.0, -1.0, 0.5, 2.0)
    clamped = drawn(prepared(VS_3, PS_2, data, targets=(target(),)))
    whole = drawn(prepared(VS_3, PS_3, data, targets=(target(),)))
    assert clamped[0, 0].tolist() == [1.0, 0.0, 0.5, 1.0]
    assert whole[0, 0].tolist() == [3.0, -1.0, 0.5, 2.0]


@pytest.mark.parametrize(
    ("ps", "profile", "wanted"),
    [
        ("ps_2_0\ndcl v0\nmov oC0, v0", "driver", (1, 1, 1, 1)),
        ("ps_2_0\ndcl v1\nmov oC0, v1", "driver", (0, 0, 0, 1)),
        ("ps_2_0\ndcl v1\nmov oC0, v1", "ieee", (0, 0, 0, 0)),
        ("ps_2_0\ndcl t3\nmov oC0, t3", "documented", (0, 0, 0, 1)),
        ("ps_3_0\ndcl_texcoord3 v0\nmov oC0, v0", "driver", (0, 0, 0, 0)),
        ("ps_3_0\ndcl_color v0\nmov oC0, v0", "driver", (0, 0, 0, 1)),
        ("ps_3_0\ndcl_color v0\nmov oC0, v0", "ieee", (0, 0, 0, 0)),
        ("ps_1_1\nmov r0, v1", "driver", (0, 0, 0, 1)),
    ],
)
def test_what_nobody_writes(ps: str, profile: str, wanted: tuple[float, ...]) -> None:
    vs = "vs_2_0\ndcl_position v0\nmov oPos, v0"
    draw = prepared(vs, ps, constant_color(9, 9, 9, 9), targets=(target(),), profile=profile)
    assert tuple(drawn(draw)[3, 3]) == wanted


def test_components_are_linked_one_by_one() -> None:
    vs = """vs_3_0
dcl_position v0
dcl_color v1
dcl_position o0
dcl_texcoord o1.xy
dcl_color o1.zw
mov o0, v0
mov o1, v1"""
    ps = """ps_3_0
dcl_color v0.zw
dcl_texcoord v0.xy
mov oC0, v0.wzyx"""
    found = drawn(prepared(vs, ps, constant_color(1, 2, 3, 4), targets=(target(),)))
    assert found[0, 0].tolist() == [4, 3, 2, 1]


def test_place_and_face() -> None:
    ps = "ps_3_0\ndcl vPos.xy\ndcl vFace\nmov r0, vFace\nmov r0.xy, vPos\nmov oC0, r0"
    front = drawn(prepared(VS_3, ps, constant_color(1, 1, 1, 1), targets=(target(),)))
    rows, columns = np.mgrid[0:8, 0:8]
    np.testing.assert_array_equal(front[..., 0], columns)
    np.testing.assert_array_equal(front[..., 1], rows)
    assert set(front[..., 2].flat) == {1.0}
    back = vertices([FULL_SCREEN[n] for n in (0, 2, 1)], [(1, 1, 1, 1)])
    assert set(drawn(prepared(VS_3, ps, back, targets=(target(),)))[..., 2].flat) == {-1.0}


def test_a_position_is_no_input_of_a_pixel_shader() -> None:
    vertex = vertex_stage(program(VS_3), POSITION_AND_COLOR)
    sound = program("ps_3_0\ndcl_normal v0\nmov oC0, v0")
    dcl, mov = sound.instructions
    assert isinstance(dcl, Instruction)
    dcl = replace(dcl, declaration=Declaration(Usage.POSITION))
    positioned = replace(sound, instructions=(dcl, mov))
    with pytest.raises(ResourceError, match="POSITION0"):
        pixel_stage(positioned, vertex.outputs)
    with pytest.raises(ResourceError, match="found vs_3_0, wanted a ps program"):
        pixel_stage(program(VS_3), vertex.outputs)


# Vertex elements

ELEMENTS = [
    (DeclType.FLOAT1, np.array([2.5], "<f4"), (2.5, 0, 0, 1)),
    (DeclType.FLOAT2, np.array([2.5, -1], "<f4"), (2.5, -1, 0, 1)),
    (DeclType.FLOAT3, np.array([2.5, -1, 8], "<f4"), (2.5, -1, 8, 1)),
    (DeclType.D3DCOLOR, np.array([0x80FF3300], "<u4"), (1, 0x33 / 255, 0, 128 / 255)),
    (DeclType.UBYTE4, np.array([1, 2, 3, 255], "u1"), (1, 2, 3, 255)),
    (DeclType.SHORT2, np.array([-3, 32767], "<i2"), (-3, 32767, 0, 1)),
    (DeclType.SHORT4, np.array([-32768, 1, 0, -1], "<i2"), (-32768, 1, 0, -1)),
    (DeclType.UBYTE4N, np.array([0, 51, 255, 1], "u1"), (0, 0.2, 1, 1 / 255)),
    (DeclType.SHORT2N, np.array([-32768, 32767], "<i2"), (-1, 1, 0, 1)),
    (DeclType.SHORT4N, np.array([1, -1, 0, 32767], "<i2"), (1 / 32767, -1 / 32767, 0, 1)),
    (DeclType.USHORT2N, np.array([65535, 1], "<u2"), (1, 1 / 65535, 0, 1)),
    (DeclType.USHORT4N, np.array([65535, 1, 0, 2], "<u2"), (1, 1 / 65535, 0, 2 / 65535)),
    (DeclType.UDEC3, np.array([1023 | 5 << 10 | 512 << 20 | 3 << 30], "<u4"), (1023, 5, 512, 1)),
    (DeclType.DEC3N, np.array([511 | 512 << 10 | 1023 << 20], "<u4"), (1, -1, -1 / 511, 1)),
    (DeclType.FLOAT16_2, np.array([1.5, -2], "<f2"), (1.5, -2, 0, 1)),
    (DeclType.FLOAT16_4, np.array([1.5, -2, 0.25, 4], "<f2"), (1.5, -2, 0.25, 4)),
]


@pytest.mark.parametrize(
    ("type_", "value", "wanted"), ELEMENTS, ids=lambda v: getattr(v, "name", "")
)
def test_types_of_elements(type_: DeclType, value: NDArray[Any], wanted: tuple[float, ...]) -> None:
    size = value.nbytes
    data = np.zeros((3, 16 + size), np.uint8)
    data[:, :16] = np.array(FULL_SCREEN, "<f4").view(np.uint8)
    data[:, 16:] = value.view(np.uint8)
    elements = (POSITION_AND_COLOR[0], VertexElement(Usage.COLOR, 0, type_, 0, 16))
    draw = prepared(VS_3, PS_3, data, elements=elements, targets=(target(),))
    np.testing.assert_array_equal(drawn(draw)[0, 0], np.array(wanted, np.float32))


def test_elements_that_are_not_there() -> None:
    elements = POSITION_AND_COLOR[:1]
    for profile, wanted in (("driver", [0, 0, 0, 1]), ("ieee", [0, 0, 0, 0])):
        draw = prepared(
            VS_3, PS_3, constant_color(9, 9, 9, 9), elements=elements, targets=(target(),),
            profile=profile,
        )  # fmt: skip
        assert drawn(draw)[0, 0].tolist() == wanted


# Fog

FOGGED = "ps_2_0\ndef c0, 0.5, 0.25, 1, 0.75\nmov oC0, c0"


def fogged(facts: PixelFacts, vs: str = VS_2, **more: Any) -> NDArray[Any]:
    def states(words: NDArray[np.uint32]) -> None:
        put_fog(words, 0x00FF0000, 0.25, 0.75, 2.0)

    return drawn(prepared(vs, FOGGED, more.pop("data"), facts=facts, states=states,
                          targets=(target(),), **more))  # fmt: skip


def with_depth(z: float, w: float = 1.0) -> NDArray[np.float32]:
    return vertices([(x * w, y * w, z * w, w) for x, y, _, _ in FULL_SCREEN], [(1, 1, 1, 1)])


def mixed(factor: float) -> list[float]:
    color, fog = np.array([0.5, 0.25, 1]), np.array([1.0, 0, 0])
    return [*(fog + factor * (color - fog)), 0.75]


@pytest.mark.parametrize(
    ("mode", "depth", "factor"),
    [
        (FogMode.LINEAR, 0.5, 0.5), (FogMode.LINEAR, 0.125, 1.0), (FogMode.LINEAR, 0.875, 0.0),
        (FogMode.EXP, 0.5, np.exp(-1.0)), (FogMode.EXP2, 0.25, np.exp(-0.25)),
    ],
)  # fmt: skip
def test_fog_by_depth(mode: FogMode, depth: float, factor: float) -> None:
    by_z = fogged(PixelFacts(FogSource.TABLE_Z, mode), data=with_depth(depth))
    by_w = fogged(PixelFacts(FogSource.TABLE_W, mode), data=with_depth(0.5, depth))
    for found in (by_z, by_w):
        np.testing.assert_allclose(found[2, 5], mixed(factor), rtol=1e-6)


def test_fog_of_vertices() -> None:
    vs = VS_1.replace("mov oD0, v1", "mov oFog, v1.x")
    for given, factor in ((0.25, 0.25), (7.0, 1.0), (-7.0, 0.0)):
        found = fogged(PixelFacts(FogSource.VERTEX), vs, data=constant_color(given, 0, 0, 0))
        np.testing.assert_allclose(found[1, 1], mixed(factor), rtol=1e-6)
    missing = fogged(PixelFacts(FogSource.VERTEX), VS_1, data=constant_color(1, 1, 1, 1))
    assert missing[0, 0].tolist() == mixed(0.0)


def test_a_factor_that_is_no_number_is_no_fog() -> None:
    vs = VS_3.replace("mov o3, v0", "dcl_fog o6\nmov o3, v0\nmov o6, v1.x")
    found = fogged(PixelFacts(FogSource.VERTEX), vs, data=constant_color(np.nan, 0, 0, 0))
    assert found[0, 0].tolist() == mixed(1.0)


@pytest.mark.parametrize(("profile", "at"), [("driver", 0.0), ("ieee", 1.0)])
def test_fog_that_starts_where_it_ends(profile: str, at: float) -> None:
    def states(words: NDArray[np.uint32]) -> None:
        put_fog(words, 0x00FF0000, 0.5, 0.5, 1.0)

    facts = PixelFacts(FogSource.TABLE_Z, FogMode.LINEAR)
    for depth, factor in ((0.25, 1.0), (0.5, at), (0.75, 0.0)):
        draw = prepared(
            VS_2, FOGGED, with_depth(depth), facts=facts, profile=profile, states=states,
            targets=(target(),),
        )  # fmt: skip
        assert drawn(draw)[0, 0].tolist() == mixed(factor)


def test_pixel_shaders_of_3_0_have_no_fog() -> None:
    draw = prepared(
        VS_3, PS_3, constant_color(0.5, 0.5, 0.5, 1), targets=(target(),),
        facts=PixelFacts(FogSource.VERTEX),
    )  # fmt: skip
    assert drawn(draw)[0, 0].tolist() == [0.5, 0.5, 0.5, 1]


# Alpha test


def shown(function: CmpFunc, reference: int, alpha: float, *, in_bytes: bool) -> bool:
    def states(words: NDArray[np.uint32]) -> None:
        put_alpha_reference(words, reference)

    draw = prepared(
        VS_3, PS_3, constant_color(0.5, 0.5, 0.5, alpha), targets=(target(),), states=states,
        facts=PixelFacts(alpha_func=function, alpha_in_bytes=in_bytes),
    )  # fmt: skip
    return bool(drawn(draw)[0, 0, 0])


@pytest.mark.parametrize("function", CmpFunc)
def test_alpha_functions(function: CmpFunc) -> None:
    holds = {
        CmpFunc.NEVER: (0, 0, 0), CmpFunc.LESS: (1, 0, 0), CmpFunc.EQUAL: (0, 1, 0),
        CmpFunc.LESSEQUAL: (1, 1, 0), CmpFunc.GREATER: (0, 0, 1), CmpFunc.NOTEQUAL: (1, 0, 1),
        CmpFunc.GREATEREQUAL: (0, 1, 1), CmpFunc.ALWAYS: (1, 1, 1),
    }[function]  # fmt: skip
    for alpha, wanted in zip((127 / 255, 128 / 255, 129 / 255), holds, strict=True):
        for in_bytes in (True, False):
            assert shown(function, 0x180, alpha, in_bytes=in_bytes) == wanted


def test_alpha_is_rounded_where_bytes_are_compared() -> None:
    assert shown(CmpFunc.EQUAL, 128, 128.4 / 255, in_bytes=True)
    assert not shown(CmpFunc.EQUAL, 128, 128.4 / 255, in_bytes=False)
    assert shown(CmpFunc.EQUAL, 255, 3.0, in_bytes=True)  # clamped
    assert not shown(CmpFunc.EQUAL, 255, 3.0, in_bytes=False)
    assert [compares_bytes("driver", bits) for bits in (8, 10, 32)] == [True, False, False]
    assert compares_bytes("documented", 16)
    assert not compares_bytes("ieee", 8)


# Clip planes


def test_clip_planes_of_clip_space() -> None:
    def states(words: NDArray[np.uint32]) -> None:
        put_clip_planes(words, {1: (1.0, 0.0, 0.0, 0.25), 4: (0.0, -1.0, 0.0, 0.5)})

    draw = prepared(
        VS_2, PS_2, constant_color(1, 1, 1, 1), targets=(target(),), clip_planes=0b10010,
        states=states,
    )  # fmt: skip
    found = drawn(draw)[..., 0]
    # x is -1 + column / 4, y is 1 - row / 4: x >= -0.25 and y <= 0.5 stay.
    rows, columns = np.mgrid[0:8, 0:8]
    np.testing.assert_array_equal(found, (columns >= 3) & (rows >= 2))


def test_vertex_shaders_have_no_quads() -> None:
    pixel = program("ps_3_0\ndcl_color v0\ndsx r0, v0\nmov oC0, r0")
    vertex = program(VS_3)
    ends = pixel.instructions[1]
    assert isinstance(ends, Instruction)
    damaged = replace(vertex, instructions=(*vertex.instructions, ends))
    draw = prepared(damaged, PS_3, constant_color(1, 1, 1, 1), targets=(target(),))
    with pytest.raises(DecodeError, match="dsx is no instruction of vs_3_0"):
        draw_interpreted(draw, CALL)
    with pytest.raises(DecodeError, match="dsx is no instruction of vs_3_0"):
        compile_draw(draw)
