"""Every format of render targets, depth buffers and vertices once through the API; all views."""

from __future__ import annotations

from typing import Any

import draw_shaders as scene
import numpy as np
import pytest
from draw_shaders import (
    POSITION,
    arguments,
    constant_pixel,
    full_screen,
    pixel_shader,
    quad,
    shader,
)

import softd3d
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import ChannelType
from softd3d.formats.pipeline_views import (
    is_depth_stencil,
    is_render_target,
    is_vertex_element,
)
from softd3d.resources.texels.dtypes import natural_dtype

F4 = np.float32
TARGETS = [name for name, f in DXGI_FORMATS.items() if is_render_target(f)]
DEPTHS = [name for name, f in DXGI_FORMATS.items() if is_depth_stencil(f)]
ELEMENTS = [name for name, f in DXGI_FORMATS.items() if is_vertex_element(f)]
COLOR = np.array([0.25, 0.5, 1.0, 0.75], F4)
WHOLE = np.array([3, 2, 1, 1], np.uint32)


@pytest.fixture(autouse=True, params=["interpreter", pytest.param("jit", marks=pytest.mark.slow)])
def engine(request, monkeypatch) -> str:
    monkeypatch.setattr(scene, "ENGINE", request.param)
    return request.param


def texture(kind: str, name: str, *shape: int) -> Any:
    dtype, items = natural_dtype(DXGI_FORMATS[name])
    tail = (items,) if items > 1 else ()
    return getattr(softd3d, kind)(np.zeros((*shape, *tail), dtype), name)


def kind_of(name: str) -> str:
    type_ = DXGI_FORMATS[name].type
    return {ChannelType.UINT: "uint", ChannelType.SINT: "int"}.get(type_, "float")


@pytest.mark.parametrize("name", TARGETS)
def test_every_render_target_format(name):
    kind = kind_of(name)
    color = COLOR if kind == "float" else WHOLE
    vertices = quad()
    vertices["COLOR"] = color.view(F4)
    target = texture("Texture2D", name, 3, 5)
    softd3d.draw(6, **arguments(
        ps=pixel_shader(kind), vertex_buffers=[vertices], render_targets=[target]
    ))  # fmt: skip
    found = softd3d.decode(target.array, name)
    assert (found == found[0, 0]).all()
    format_ = DXGI_FORMATS[name]
    for letter, component, value in zip("rgba", found[0, 0], color, strict=True):
        if format_.channel(letter):
            assert abs(component - value) <= (0.26 if kind == "float" else 0)
    expected = softd3d.encode(color.view(np.int32 if kind == "int" else color.dtype), name)
    if not format_.channel("x"):
        assert target.tobytes()[: format_.bytes_per_block] == expected.tobytes()


@pytest.mark.parametrize("name", DEPTHS)
def test_every_depth_format(name):
    depth = texture("Texture2D", name, 3, 5)
    softd3d.clear_depth_stencil_view(depth, stencil=9)
    state = softd3d.DepthStencilState(
        stencil_enable=True, front_face=softd3d.DepthStencilOpDesc("KEEP", "KEEP", "INCR")
    )
    softd3d.draw(6, **arguments(
        render_targets=[], depth_stencil_view=depth, depth_stencil=state,
        vertex_buffers=[quad(z=0.25)],
    ))  # fmt: skip
    format_ = DXGI_FORMATS[name]
    found = softd3d.decode(depth.array, name)[0, 0]
    assert found[0] == pytest.approx(0.25, abs=1e-4)
    if format_.channel("s"):
        assert (
            int.from_bytes(depth.tobytes()[:8], "little") >> format_.channel("s").shift & 255 == 10
        )


@pytest.mark.parametrize("name", ["R16_TYPELESS", "R32_TYPELESS", "R24G8_TYPELESS",
                                  "R32G8X24_TYPELESS"])  # fmt: skip
def test_typeless_textures_are_depth_buffers_through_views(name):
    depth = texture("Texture2D", name, 4, 4)
    format_ = next(n for n in DEPTHS if DXGI_FORMATS[n].parent == name)
    view = softd3d.DepthStencilView(depth, format_)
    softd3d.clear_depth_stencil_view(view)
    outcome = softd3d.draw(6, **arguments(render_targets=[], depth_stencil_view=view))
    assert outcome.samples_passed == 16
    assert softd3d.draw(6, **arguments(render_targets=[], depth_stencil_view=view)) \
        .samples_passed == 0  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTS)
def test_every_vertex_format(name):
    """The shader hands the bits of each component to an integer target."""
    kind = kind_of(name)
    color = (COLOR if kind == "float" else WHOLE).copy()
    data = np.frombuffer(
        softd3d.encode(color.view(np.int32 if kind == "int" else color.dtype), name).tobytes() * 6,
        np.uint8,
    )
    layout = [
        softd3d.InputElement("POSITION", 0, "R32G32B32A32_FLOAT"),
        softd3d.InputElement("COLOR", 0, name, 1, 0),
    ]
    bits = np.zeros((4, 4, 4), np.uint32)
    stride = DXGI_FORMATS[name].bytes_per_texel
    softd3d.draw(6, **arguments(
        ps=pixel_shader("uint"), input_layout=layout, render_targets=[bits],
        vertex_buffers=[np.ascontiguousarray(quad()["POSITION"]),
                        softd3d.VertexBuffer(data.copy(), stride)],
    ))  # fmt: skip
    expected = softd3d.decode(data[:stride], name)
    assert np.array_equal(bits[0, 0], np.asarray(expected).reshape(4).view(np.uint32))


def test_a_layout_comes_from_a_dtype():
    vertex = np.dtype([("COLOR", "u1", 4), ("unused", "f4"), ("POSITION", "f2", 4)])
    vertices = np.zeros(6, vertex)
    vertices["POSITION"] = quad()["POSITION"]
    vertices["COLOR"] = 255, 0, 51, 255
    image = np.zeros((2, 2, 4), F4)
    softd3d.draw(6, **arguments(vertex_buffers=[vertices], render_targets=[image]))
    assert (image == np.array([1, 0, 0.2, 1], F4)).all()


def test_a_layout_comes_from_the_dtypes_of_two_slots():
    positions, colors = (np.zeros(6, [(n, "f4", 4)]) for n in ("POSITION", "COLOR"))
    positions["POSITION"], colors["COLOR"] = quad()["POSITION"], COLOR
    image = np.zeros((2, 2, 4), F4)
    softd3d.draw(6, **arguments(vertex_buffers=[positions, colors], render_targets=[image]))
    assert (image == COLOR).all()


@pytest.mark.parametrize(
    ("dtype", "shape", "expected"),
    [
        (np.float32, (2, 3), 0.25), (np.float16, (2, 3, 2), 0.25), (np.uint8, (2, 3), 64),
        (np.uint8, (2, 3, 4), 64), (np.uint16, (2, 3, 4), 16384), (np.int8, (2, 3, 2), 32),
        (np.int16, (2, 3), 8192),
    ],
)  # fmt: skip
def test_bare_arrays_are_targets_of_the_format_that_suits_them(dtype, shape, expected):
    image = np.zeros(shape, dtype)
    softd3d.draw(3, vs=full_screen(), ps=constant_pixel(), constants={0: COLOR},
                 render_targets=[image], engine=scene.ENGINE)  # fmt: skip
    assert (image.reshape(2, 3, -1)[..., 0] == expected).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_bare_arrays_of_integers_take_integers_as_they_are(dtype):
    image = np.zeros((2, 2, 4), dtype)
    vertices = quad()
    vertices["COLOR"] = WHOLE.view(F4)
    softd3d.draw(6, **arguments(
        ps=pixel_shader("uint"), vertex_buffers=[vertices], render_targets=[image]
    ))  # fmt: skip
    assert (image == WHOLE).all()


def drawn(view: Any) -> None:
    softd3d.draw(3, vs=full_screen(), ps=constant_pixel(), constants={0: COLOR},
                 render_targets=[view], engine=scene.ENGINE, strict=True)  # fmt: skip


VIEWS: dict[str, tuple[Any, Any, Any]] = {
    "texture": (("Texture2D", 2, 3), lambda t: t, lambda a: a),
    "1D": (("Texture1D", 5), lambda t: t, lambda a: a),
    "slice of 1D": (
        ("Texture1DArray", 3, 5),
        lambda t: softd3d.RenderTargetView(t, first_array_slice=1, array_size=1), lambda a: a[1],
    ),
    "slice": (
        ("Texture2DArray", 4, 2, 3),
        lambda t: softd3d.RenderTargetView(t, first_array_slice=2, array_size=1), lambda a: a[2],
    ),
    "first slice of several": (
        ("Texture2DArray", 4, 2, 3), lambda t: softd3d.RenderTargetView(t, first_array_slice=1),
        lambda a: a[1],
    ),
    "view of shaders": (
        ("Texture2DArray", 4, 2, 3), lambda t: t.view(first_array_slice=3), lambda a: a[3],
    ),
    "face": (
        ("TextureCube", 6, 3, 3),
        lambda t: softd3d.RenderTargetView(t, first_array_slice=5), lambda a: a[5],
    ),
    "depth slice": (
        ("Texture3D", 4, 2, 3),
        lambda t: softd3d.RenderTargetView(t, first_array_slice=2, array_size=2), lambda a: a[2],
    ),
    "samples": (("Texture2DMS", 2, 3, 4), lambda t: t, lambda a: a),
    "slice with samples": (
        ("Texture2DMSArray", 2, 2, 3, 4),
        lambda t: softd3d.RenderTargetView(t, first_array_slice=1), lambda a: a[1],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
def test_views_show_where_they_say_and_nothing_else(name):
    (kind, *shape), view, part = VIEWS[name]
    target = texture(kind, "R32_FLOAT", *shape)
    drawn(view(target))
    assert (part(target.array) == 0.25).all()
    assert np.count_nonzero(target.array) == part(target.array).size


@pytest.mark.parametrize("make", [
    lambda t: softd3d.RenderTargetView(t, mip_slice=1, first_array_slice=1),
    lambda t: t.view(1, None, 1),
])  # fmt: skip
def test_a_mip_of_a_slice(make):
    levels = [np.zeros((2, 4, 4), F4), np.zeros((2, 2, 2), F4), np.zeros((2, 1, 1), F4)]
    target = softd3d.Texture2DArray(levels, "R32_FLOAT")
    drawn(make(target))
    assert (target.mip(1, 1) == 0.25).all()
    assert sum(np.count_nonzero(target.mip(n)) for n in range(3)) == 4


def test_a_mip_of_a_volume():
    levels = [np.zeros((4, 4, 4), F4), np.zeros((2, 2, 2), F4)]
    target = softd3d.Texture3D(levels, "R32_FLOAT")
    drawn(softd3d.RenderTargetView(target, mip_slice=1, first_array_slice=1))
    assert (target.mip(1)[1] == 0.25).all()
    assert np.count_nonzero(target.mip(1)) == 4


def test_a_buffer_is_a_row():
    texels = np.zeros(5, F4)
    drawn(softd3d.TypedBuffer(texels, "R32_FLOAT"))
    assert (texels == 0.25).all()


def test_a_view_reads_the_texels_in_its_own_format():
    target = texture("Texture2D", "R8G8B8A8_TYPELESS", 2, 2)
    drawn(softd3d.RenderTargetView(target, "R8G8B8A8_UNORM_SRGB"))
    assert softd3d.decode(target.array.view("u1").reshape(2, 2, 4), "R8G8B8A8_UNORM_SRGB")[0, 0] \
        == pytest.approx(COLOR, abs=0.005)  # fmt: skip
    array = np.zeros((2, 2, 4), np.uint8)
    drawn(softd3d.RenderTargetView(array, "B8G8R8A8_UNORM"))
    assert array[0, 0].tolist() == [255, 128, 64, 191]


def test_slices_are_chosen_by_the_vertex_shader_and_slice_0_stands_for_others():
    vertex = shader(
        ("SV_VertexID 0 x 0 uint", "SV_InstanceID 0 x 1 uint"),
        ("SV_Position 0 xyzw 0 float", "SV_RenderTargetArrayIndex 0 x 1 uint"),
        "vs_5_0\ndcl_input_sgv v0.x, vertex_id\ndcl_input_sgv v1.x, instance_id\n"
        "dcl_output_siv o0.xyzw, position\n"
        "dcl_output_siv o1.x, rendertarget_array_index\ndcl_temps 1\n"
        "ishl r0.x, v0.x, l(1)\nand r0.x, r0.x, l(2)\nand r0.y, v0.x, l(2)\n"
        "utof r0.xy, r0.xyxx\nmad o0.xy, r0.xyxx, l(2.0, -2.0, 0, 0), l(-1.0, 1.0, 0, 0)\n"
        "mov o0.zw, l(0, 0, 0.5, 1.0)\niadd o1.x, v1.x, l(1)\nret\n",
    )  # fmt: skip
    target = texture("Texture2DArray", "R32_FLOAT", 4, 2, 2)
    add = softd3d.BlendState(render_target=softd3d.RenderTargetBlendDesc(True, dest_blend="ONE"))
    job = softd3d.Draw(vs=vertex, ps=constant_pixel(), constants={0: COLOR}, blend=add,
                       render_targets=[target], engine=scene.ENGINE)  # fmt: skip
    job.instanced(3, 5)
    assert target.array[:, 0, 0].tolist() == [0.5, 0.25, 0.25, 0.25]


SAMPLES_ASKED = """ps_4_1
dcl_output o0.xyzw
dcl_temps 1
samplepos o0.xy, rasterizer.xyxx, l(1)
sampleinfo r0.x, rasterizer.x
mov o0.z, r0.x
mov o0.w, l(1.0)
ret
"""


@pytest.mark.parametrize(
    ("quality", "covered", "place"),
    [
        (0, 2, (0.375, -0.125)),
        ("STANDARD_MULTISAMPLE_PATTERN", 2, (0.375, -0.125)),
        (softd3d.SampleQuality.CENTER_MULTISAMPLE_PATTERN, 0, (0.0, 0.0)),
        (0xFFFFFFFE, 0, (0.0, 0.0)),
    ],
)
def test_samples_are_where_the_quality_says(quality: Any, covered: int, place: tuple[float, float]):
    """An edge at x = 0.4 pixels has two standard samples of four to its left, but no centre."""
    samples = np.zeros((1, 1, 4, 4), F4)
    target = softd3d.Texture2DMS(samples, "R32G32B32A32_FLOAT", sample_quality=quality)
    left = quad()
    left["POSITION"][:, 0] = np.where(left["POSITION"][:, 0] > 0, -0.2, left["POSITION"][:, 0])
    ps = shader((POSITION,), ("SV_Target 0 xyzw 0 float",), SAMPLES_ASKED)
    given = arguments(ps=ps, vertex_buffers=[left], render_targets=[target])
    assert softd3d.draw(6, **given).samples_passed == covered
    drawn = samples[samples[..., 3] == 1]
    assert (drawn == (*place, 4, 1)).all()
    if covered == 0:
        given["vertex_buffers"] = [quad()]
        assert softd3d.draw(6, **given).samples_passed == 4
        assert (samples == (*place, 4, 1)).all()


def test_targets_have_one_sample_pattern():
    one = softd3d.Texture2DMS(np.zeros((1, 1, 4), np.uint32), "R8G8B8A8_UNORM")
    two = softd3d.Texture2DMS(
        np.zeros((1, 1, 4), F4), "D32_FLOAT", sample_quality="CENTER_MULTISAMPLE_PATTERN"
    )
    with pytest.raises(softd3d.ResourceError, match="found sample pattern of the centre, wanted"):
        softd3d.draw(6, **arguments(
            vertex_buffers=[quad()], render_targets=[one], depth_stencil_view=two
        ))  # fmt: skip


def test_qualities_that_no_texture_has():
    data = np.zeros((1, 1, 4), np.uint32)
    with pytest.raises(softd3d.ResourceError, match="sample_quality: found 5, wanted one of"):
        softd3d.Texture2DMS(data, "R8G8B8A8_UNORM", sample_quality=5)
    with pytest.raises(softd3d.ResourceError, match="wanted 0: there is one sample"):
        softd3d.Texture2D(data[..., 0], "R8G8B8A8_UNORM", sample_quality=0xFFFFFFFF)
