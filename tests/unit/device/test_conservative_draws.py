"""Conservative rasterisation through the API, with values worked by hand.

Several are the conformance tests that the specification describes. Positions are given in pixels:
`u` is the rasteriser's unit, 1/256 pixel.
"""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import draw_shaders as scene
import numpy as np
import pytest
from draw_shaders import POSITION, VERTEX, arguments, pixel_shader, shader

import softd3d
from softd3d.errors import ResourceError

F4 = np.float32
U = 1 / 256
ON = softd3d.RasterizerState(cull_mode="NONE", conservative_raster="ON")
ADD = softd3d.BlendState(
    render_target=softd3d.RenderTargetBlendDesc(True, src_blend="ONE", dest_blend="ONE")
)


@pytest.fixture(autouse=True, params=["interpreter", "jit"])
def engine(request, monkeypatch) -> str:
    monkeypatch.setattr(scene, "ENGINE", request.param)
    return request.param


def pixel(body: str, declarations: str, inputs: tuple[str, ...] = ()) -> softd3d.Shader:
    """A pixel shader that writes o0."""
    return shader(
        (POSITION, *inputs), ("SV_Target 0 xyzw 0 float",),
        f"ps_5_0\n{declarations}dcl_output o0.xyzw\n{body}ret\n",
    )  # fmt: skip


COVERAGE = pixel("utof o0.xyzw, vCoverage.xxxx\n", "dcl_input vCoverage\n")
INNER = pixel(
    "utof o0.x, vInnerCoverage.x\nmov o0.yzw, l(0,1.0,1.0,1.0)\n", "dcl_input vInnerCoverage\n"
)
FRONT = pixel(
    "mov o0.xyz, v1.xyzx\nmovc o0.w, v2.x, l(1.0), l(0.5)\n",
    "dcl_input_ps linear v1.xyz\ndcl_input_ps_sgv constant v2.x, is_front_face\n",
    ("COLOR 0 xyzw 1 float", "SV_IsFrontFace 0 x 2 uint"),
)


def at(size: tuple[int, int], *places: tuple[float, ...], colors: Any = 1.0) -> np.ndarray:
    """Return vertices: x, y in pixels, z, w after them if not 0.5 and 1 (z of z / w)."""
    found = np.zeros(len(places), VERTEX)
    for n, (x, y, *rest) in enumerate(places):
        z, w = [*rest, *(0.5, 1.0)[len(rest) :]]
        ndc = 2 * x / size[0] - 1, 1 - 2 * y / size[1]
        found["POSITION"][n] = ndc[0] * w, ndc[1] * w, z * w, w
    found["COLOR"] = colors
    return found


def multisampled(
    vertices: np.ndarray, size: tuple[int, int], ps: Any, samples: int = 4, **changes: Any
) -> tuple[np.ndarray, softd3d.DrawResult]:
    """Draw to several samples: height x width x samples x 4."""
    image = np.zeros((size[1], size[0], samples, 4), F4)
    target = softd3d.Texture2DMS(image, "R32G32B32A32_FLOAT")
    given = {"vertex_buffers": [vertices], "ps": ps, "render_targets": [target], "rasterizer": ON}
    return image, softd3d.draw(len(vertices), **arguments(**(given | changes)))


def drawn(
    vertices: np.ndarray, size: tuple[int, int], state: Any = ON, ps: Any = None, **changes: Any
) -> np.ndarray:
    """Draw and return the target, height x width x 4; colours add up."""
    image = np.zeros((size[1], size[0], 4), F4)
    given: dict[str, Any] = {
        "render_targets": [image], "rasterizer": state, "ps": ps or pixel_shader(), "blend": ADD,
    }  # fmt: skip
    softd3d.draw(len(vertices), **arguments(vertex_buffers=[vertices], **(given | changes)))
    return image


def test_a_triangle_between_the_centres_covers_all_that_it_touches():
    """(0, 1), (2, 1), (1, 0.5) pixels: its base lies on the edge between the rows."""
    vertices = at((2, 2), (0, 1), (2, 1), (1, 0.5))
    assert drawn(vertices, (2, 2))[..., 0].tolist() == [[1, 1], [1, 1]]
    off = softd3d.RasterizerState(cull_mode="NONE")
    assert not drawn(vertices, (2, 2), off).any()


@pytest.mark.parametrize(("gap", "wanted"), [(0, 9), (1, 1), (2, 1)])
def test_one_unit_from_its_edges_a_pixel_is_covered_alone(gap: int, wanted: int):
    """Half a pixel of 3 x 3, `gap` units from its edges; on the edge its neighbours are touched."""
    low, high = 1 + gap * U, 2 - gap * U
    vertices = at((3, 3), (low, low), (low, high), (high, low), (low, high), (high, high),
                  (high, low))  # fmt: skip
    covered = drawn(vertices, (3, 3))[..., 0] > 0
    assert covered[1, 1]
    assert covered.sum() == wanted


def test_corners_that_the_region_touches_are_covered():
    """Thirteen pixels: the left side, x + y = 3 + u, comes as near as can be to two corners.

    Grown by half a unit in x and y it is x + y = 3, which goes through the lower right corners of
    pixels (0, 1) and (1, 0).
    """
    vertices = at((4, 4), (U, 3), (2 + U, 1), (3, 3))
    assert drawn(vertices, (4, 4))[..., 0].tolist() == [
        [0, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1],
    ]  # fmt: skip


def test_triangles_that_snapping_flattens_are_drawn_as_back_faces_with_vertex_0():
    places = [(0, 0), (3, 1 / 4096), (3, 0)]
    colors = [(0.1, 0.2, 0.3, 1), (np.inf, 1, 1, 1), (1, np.nan, 1, 1)]
    vertices = at((3, 1), *places, colors=np.array(colors, F4))
    image = drawn(vertices, (3, 1), ps=FRONT)
    assert (image == np.array([0.1, 0.2, 0.3, 0.5], F4)).all()
    for mode, count in (("BACK", 0), ("FRONT", 3)):
        state = softd3d.RasterizerState(cull_mode=mode, conservative_raster="ON")
        assert np.count_nonzero(drawn(vertices, (3, 1), state, FRONT)[..., 3]) == count


def test_depth_and_w_of_triangles_without_area_are_those_of_vertex_0():
    """Depth is 0.25 throughout, SV_Position.w 2: although other vertices have others."""
    vertices = at((4, 2), (0.5, 0.5, 0.25, 2), (3.5, 0.5, 0.75, 1), (3.5, 0.5, 1, 4))
    depth = np.ones((2, 4), F4)
    ps = pixel("mov o0.xyzw, v0.zwww\n", "dcl_input_ps_siv linear noperspective v0.zw, position\n")
    image = drawn(vertices, (4, 2), ps=ps, depth_stencil_view=depth)
    assert image[0, :, :2].tolist() == [[0.25, 2]] * 4
    assert depth.tolist() == [[0.25] * 4, [1] * 4]


def test_a_segment_on_the_edge_of_pixels_touches_both_and_a_point_four():
    """Three vertices in one place are a point; indices may repeat."""
    segment = at((2, 1), (1, 1), (1, 0), (1 - 1 / 1024, 0))
    assert drawn(segment, (2, 1))[..., 0].tolist() == [[1, 1]]
    point = at((4, 4), (2, 2), (1, 1), (1, 1))
    indices = np.zeros(3, np.uint16)
    image = np.zeros((4, 4, 4), F4)
    softd3d.draw(index_count=3, index_buffer=indices, **arguments(
        vertex_buffers=[point], render_targets=[image], rasterizer=ON))  # fmt: skip
    assert np.argwhere(image[..., 0]).tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]


@pytest.mark.parametrize("samples", [1, 4])
def test_all_samples_are_covered_or_none(samples: int):
    """SV_Coverage has all bits, also of a pixel whose corner only is touched."""
    vertices = at((2, 2), (0, 1), (2, 1), (1, 0.5))
    image, result = multisampled(vertices, (2, 2), COVERAGE, samples)
    assert (image == (1 << samples) - 1).all()
    assert result.samples_passed == 4 * samples
    assert result.statistics.ps_invocations == 4


def test_forced_samples_and_the_sample_mask_count_as_ever():
    vertices = at((2, 2), (0, 1), (2, 1), (1, 0.5))
    state = softd3d.RasterizerState(
        cull_mode="NONE", conservative_raster="ON", forced_sample_count=4
    )
    assert (drawn(vertices, (2, 2), state, COVERAGE) == 15).all()
    image, _ = multisampled(vertices, (2, 2), COVERAGE, sample_mask=0b0110)
    assert image[..., 0].tolist() == [[[0, 6, 6, 0]] * 2] * 2


@pytest.mark.parametrize(("d", "inner"), [(1, []), (2, [[1, 1]])])
def test_inner_coverage_is_of_pixels_a_unit_inside(d: int, inner: list[list[int]]):
    """The left side is x = -d + (768 - y) / 2 in units; the corner (255, 255) is inside from 2 on.

    That is the corner of the middle pixel's square grown by a unit: x is 256.5 - d there.
    """
    vertices = at((3, 3), (-d * U, 3), (1.5, -2 * d * U), (3 + d * U, 3))
    image = drawn(vertices, (3, 3), ps=INNER)
    assert np.argwhere(image[..., 0]).tolist() == inner
    assert image[..., 1].tolist() == [[1, 1, 1]] * 3


def test_inner_coverage_ignores_the_sample_mask_and_depth():
    """Bit 0 of it, where SV_Coverage would be 2."""
    vertices = at((1, 1), (-1, -1), (9, -1), (-1, 9))
    image, _ = multisampled(vertices, (1, 1), INNER, sample_mask=0b0010)
    assert image[0, 0, :, 0].tolist() == [0, 1, 0, 0]


def test_a_scissor_takes_pixels_away_and_makes_none_less_inner():
    state = softd3d.RasterizerState(cull_mode="NONE", conservative_raster="ON", scissor_enable=True)
    vertices = at((4, 4), (-1, -1), (20, -1), (-1, 20))
    image = drawn(vertices, (4, 4), state, INNER, scissors=[softd3d.Rect(1, 1, 3, 2)])
    assert np.argwhere(image[..., 0]).tolist() == [[1, 1], [1, 2]]
    assert np.count_nonzero(image[..., 1]) == 2


BEHIND = (8, -40, 0.5, -1)
"""A vertex behind the eye; by its w it lies below the picture."""


@pytest.mark.parametrize(
    "places",
    [
        [(1, 15), (15, 15), BEHIND],
        [(-70000, 3), (8, 5), (70000, 13)],  # beyond the guard band on both sides
        [(-1e6, -1e6), (1e6, -1e6), (2.5, 1e6)],
        [(3, 3, -0.5), (14, 4, 0.5), (5, 13, 1.5)],  # through both ends of the depth range
        [(2, 2, -1), (2, 14, -1), (14, 8, 3)],
        [(-70000, 8, 0.5), (70000, 8, 0.5), (70000, 8, 0.5)],  # no area
    ],
)
def test_a_clipped_primitive_covers_each_pixel_once(places: list[tuple[float, ...]]):
    """Pixels that several triangles of a fan touch, too; all that is covered without is covered."""
    vertices = at((16, 16), *places)
    image = drawn(vertices, (16, 16))[..., 0]
    usual = drawn(vertices, (16, 16), softd3d.RasterizerState(cull_mode="NONE"))[..., 0]
    assert set(np.unique(image)) <= {0, 1}
    assert image.any()
    assert not (usual.astype(bool) & (image == 0)).any()


def test_the_inner_edges_of_a_clipped_primitive_bound_nothing():
    """All of the picture lies inside of it, far from the guard band's corner that is cut off."""
    vertices = at((16, 16), (-40000, -40000), (40000, -30000), (-30000, 40000))
    image = drawn(vertices, (16, 16), ps=INNER)
    assert (image[..., :2] == 1).all()


def test_what_touches_a_pixel_within_the_depth_range_covers_it():
    """The near plane cuts at x = 2.75: pixel 2 is touched, though its centre is in front of it."""
    vertices = at((8, 2), (0, -9, -0.275), (9, 1, 0.625), (0, 11, -0.275))
    row = drawn(vertices, (8, 2), depth_stencil_view=np.ones((2, 8), F4))[0, :, 0]
    assert row.tolist() == [0, 0, 1, 1, 1, 1, 1, 1]
    off = softd3d.RasterizerState(cull_mode="NONE")
    assert drawn(vertices, (8, 2), off)[0, :, 0].tolist() == [0, 0, 0, 1, 1, 1, 1, 1]


def test_depth_is_that_of_the_centre_held_within_the_viewport():
    """Depth is x / 8 - 1 / 16; the centre of pixel 3 is beyond the triangle's end at 3.25."""
    vertices = at((4, 1), (0.5, -1, 0), (3.25, 0.5, 0.34375), (0.5, 2, 0))
    depth = np.ones((1, 4), F4)
    drawn(vertices, (4, 1), depth_stencil_view=depth)
    assert depth.tolist() == [[0, 0.125, 0.25, 0.375]]
    depth[...] = 1
    viewport = softd3d.Viewport(0, 0, 4, 1, 0.0, 0.34375)
    steep = at((4, 1), (0.5, -1, 0), (3.25, 0.5, 1), (0.5, 2, 0))
    drawn(steep, (4, 1), depth_stencil_view=depth, viewports=[viewport])
    assert depth.tolist() == [[0, 0.125, 0.25, 0.34375]]


def test_attributes_are_extrapolated_and_centroid_is_the_centre():
    colors = np.array([(0.5, 0, 0, 0), (3.25, 0, 0, 0), (0.5, 0, 0, 0)], F4)
    vertices = at((4, 1), (0.5, -1), (3.25, 0.5), (0.5, 2), colors=colors)
    for mode in ("linear", "linear centroid", "linear noperspective centroid"):
        ps = pixel("mov o0.xyzw, v1.xyzw\n", f"dcl_input_ps {mode} v1.xyzw\n",
                   ("COLOR 0 xyzw 1 float",))  # fmt: skip
        assert drawn(vertices, (4, 1), ps=ps)[0, :, 0].tolist() == [0.5, 1.5, 2.5, 3.5]
        image, _ = multisampled(vertices, (4, 1), ps, sample_mask=0b1000)
        assert image[0, :, 3, 0].tolist() == [0.5, 1.5, 2.5, 3.5]


def _clipping_vertices() -> softd3d.Shader:
    return shader(
        ("POSITION 0 xyzw 0 float", "COLOR 0 xyzw 1 float"),
        (POSITION, "COLOR 0 xyzw 1 float", "SV_ClipDistance 0 x 2 float"),
        "vs_5_0\ndcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_output_siv o0.xyzw, position\n"
        "dcl_output o1.xyzw\ndcl_output_siv o2.x, clip_distance\nmov o0.xyzw, v0.xyzw\n"
        "mov o1.xyzw, v1.xyzw\nmov o2.x, v1.w\nret\n",
    )  # fmt: skip


def test_clip_distances_keep_no_pixel_behind_the_horizon():
    """1 / w is 1, 100, 100 at the vertices: at the centre (8.5, 8.5) it is 1 - 198 * 0.4 / 5.5 < 0.

    There l1 = l2 = -0.4 / 5.5, so the numerator of the distance, l0 - 100 * l1 + 10 * l2, is
    positive.
    """
    places = [(8.9, 8.9, 0.5, 1), (14.4, 8.9, 0.5, 0.01), (8.9, 14.4, 0.5, 0.01)]
    colors = np.zeros((3, 4), F4)
    colors[:, 0], colors[:, 3] = 1, (1, -1, 0.1)
    vertices = at((16, 16), *places, colors=colors)
    assert drawn(vertices, (16, 16))[8, 8, 0] == 1
    image = drawn(vertices, (16, 16), vs=_clipping_vertices())[..., 0]
    assert image[8, 8] == 0
    assert image[9:, 8:].any()


@pytest.mark.parametrize("topology", ["POINTLIST", "LINELIST", "LINESTRIP"])
def test_points_and_lines_are_drawn_as_ever_and_noted(topology: str):
    vertices = at((8, 8), (1.5, 1.5), (6.2, 3.1), (2, 7))
    given = {"vertex_buffers": [vertices], "topology": topology, "rasterizer": ON}
    image, usual = (np.zeros((8, 8, 4), F4) for _ in range(2))
    result = softd3d.draw(2, **arguments(render_targets=[image], **given))
    softd3d.draw(2, **arguments(render_targets=[usual], **(given | {"rasterizer": None})))
    assert (image == usual).all()
    assert image.any()
    name, _ = result.poisoned[0]
    assert name == "rasterizer conservative_raster"
    with pytest.raises(ResourceError, match="conservative_raster: points and lines"):
        softd3d.Draw(**arguments(**given, strict=True))


def test_the_history_of_a_pixel_has_what_touches_it():
    """Three triangles: one touches pixel (0, 0) in its corner, one not at all, one covers it."""
    vertices = np.concatenate([
        at((2, 2), (1, 1), (2, 1), (1, 2)), at((2, 2), (1.5, 1.5), (2, 1.5), (1.5, 2)),
        at((2, 2), (0, 0), (2, 0), (0, 2)),
    ])  # fmt: skip
    job = softd3d.Draw(**arguments(
        vertex_buffers=[vertices], render_targets=[np.zeros((2, 2, 4), F4)], rasterizer=ON
    ))  # fmt: skip
    job(9)
    found = softd3d.pixel_history(job, 0, 0)
    assert [(f.primitive, f.coverage, f.fate) for f in found] == [
        (0, 1, "written"), (2, 1, "written"),
    ]  # fmt: skip


def test_an_undefined_topology_draws_nothing():
    given = arguments(topology="UNDEFINED", rasterizer=ON, strict=True)
    assert softd3d.draw(3, **given).samples_passed == 0


def test_inner_coverage_without_conservative_rasterization_is_zero_and_noted():
    note = ("ps vInnerCoverage", "read without conservative rasterization: it is 0")
    given = arguments(ps=INNER, rasterizer=softd3d.RasterizerState())
    assert note in softd3d.draw(6, **given).poisoned
    assert not given["render_targets"][0][..., 0].any()
    assert given["render_targets"][0][..., 1].all()
    with pytest.raises(ResourceError, match="vInnerCoverage"):
        softd3d.Draw(**given, strict=True)


def test_what_the_compiler_makes_of_inner_coverage_runs():
    """`float4 main(uint a : SV_InnerCoverage) : SV_Target { return a; }`."""
    image = drawn(at((2, 2), (-1, -1), (5, -1), (-1, 5)), (2, 2), ps=_compiled())
    assert (image == [[[1] * 4, [1] * 4], [[1] * 4, [0] * 4]]).all()


def _compiled() -> softd3d.Shader:
    path = Path(__file__).parents[1] / "container/data/compiler_counts.json"
    probes = {probe["name"]: probe for probe in json.loads(path.read_bytes())}
    packed = probes["feature: inner"]["container"]
    loaded = softd3d.load(zlib.decompress(base64.b64decode(packed)))
    assert isinstance(loaded, softd3d.Shader)
    return loaded
