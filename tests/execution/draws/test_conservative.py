"""Random draws with conservative rasterisation: both engines, and what holds for any triangle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from both import compare, drawn_by_reference
from random_draws import RandomDraw, bound, random_draw
from stage_draws import WAYS, stage_draw
from test_geometry_shaders import shader, vertex
from test_random_draws import CONFIGURATIONS

from softd3d.device.draws.checks import conservative_notes
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.state import DepthStencilState, RasterizerState, Rect
from softd3d.pipeline.state.enums import PrimitiveTopology

HEAD = "dcl_globalFlags refactoringAllowed\n"
COUNTING = f"""ps_5_0
{HEAD}dcl_uav_raw u0
dcl_input_ps_siv linear noperspective v0.xy, position
dcl_input_ps_sgv constant v1.x, primitive_id
dcl_input vInnerCoverage
dcl_temps 1
ftou r0.xy, v0.xyxx
imad r0.x, r0.y, l(44), r0.x
imad r0.x, v1.x, l(1936), r0.x
ishl r0.x, r0.x, l(3)
atomic_iadd u0, r0.x, l(1)
iadd r0.x, r0.x, l(4)
atomic_iadd u0, r0.x, vInnerCoverage.x
ret
"""
"""Counts invocations for each primitive and pixel, and those with inner coverage behind them."""
MOST = 40


def conservative(draw: RandomDraw) -> PreparedDraw:
    prepared = draw.prepared
    state = replace(prepared.rasterizer, fill_mode="SOLID", conservative_raster="ON")
    changes = {"vCoverage": "vInnerCoverage"} if draw.texts[1].count("vCoverage") else {}
    text = draw.texts[1]
    for old, new in changes.items():
        text = text.replace(old, new)
    pixel = prepared.pixel
    if changes and pixel is not None and not pixel.descriptors:
        pixel = bound(text)
    return replace(prepared, rasterizer=state, pixel=pixel)


@pytest.mark.parametrize("seed", range(600, 616))
def test_random_conservative_draws_are_the_same_on_both_engines(seed: int) -> None:
    for mesh in range(4):
        draw = random_draw(seed, mesh)
        ways = CONFIGURATIONS[seed % len(CONFIGURATIONS) :][:1]
        compare(conservative(draw), draw.call, ways, f"seed {seed}, mesh {mesh}\n{draw.texts}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(616, 760))
def test_a_thousand_random_conservative_draws_are_the_same(seed: int) -> None:
    for mesh in range(8):
        draw = random_draw(seed, mesh)
        compare(
            conservative(draw),
            draw.call,
            CONFIGURATIONS[seed % len(CONFIGURATIONS) :][:1],
            f"seed {seed}",
        )


@pytest.mark.parametrize("makes", ["trianglestrip", "linestrip", "pointlist"])
def test_what_a_geometry_shader_makes(makes: str) -> None:
    """Triangles are conservative; lines and points, noted as undefined, are as ever."""
    body = "".join(vertex(str(n)) for n in (0, 1, 2))
    draw = stage_draw(PrimitiveTopology.TRIANGLELIST, geometry=shader(body, makes=makes))
    on = replace(draw, rasterizer=RasterizerState(cull_mode="NONE", conservative_raster="ON"))
    compare(on, DrawCall(12), WAYS[:1])
    found, result = drawn_by_reference(on, DrawCall(12))
    usual, as_ever = drawn_by_reference(draw, DrawCall(12))
    is_triangle = makes == "trianglestrip"
    assert (result.samples_passed > as_ever.samples_passed) is is_triangle
    if not is_triangle:
        assert [m.tobytes() for m in found] == [m.tobytes() for m in usual]
    assert [name for name, _ in conservative_notes(on)] == (
        [] if is_triangle else ["rasterizer conservative_raster"]
    )


def counted(draw: RandomDraw, state: RasterizerState) -> np.ndarray:
    """Return invocations and those inside: primitives x height x width x 2."""
    memory = np.zeros(MOST * 44 * 44 * 2, np.uint32)
    topology = max(draw.prepared.topology, PrimitiveTopology.TRIANGLELIST)
    ps = bound(COUNTING, uavs={0: memory.view(np.uint8)})
    prepared = replace(
        draw.prepared, rasterizer=state, pixel=ps, targets=(), depth=None, topology=topology,
        depth_stencil=DepthStencilState(False), scissors=(Rect(0, 0, 44, 44),) * 3,
        pattern=replace(draw.prepared.pattern, offsets=((0, 0),)),
    )  # fmt: skip
    (after,), _ = drawn_by_reference(prepared, replace(draw.call, instances=1))
    return after.view(np.uint32).reshape(MOST, 44, 44, 2)


@pytest.mark.parametrize("seed", range(8))
def test_primitives_run_once_in_all_that_they_touch(seed: int) -> None:
    """No pixel twice, none missing that is covered without, inner ones among them."""
    for mesh in range(3):
        draw = random_draw(700 + seed, mesh)
        off = replace(draw.prepared.rasterizer, fill_mode="SOLID", depth_clip_enable=seed % 2 == 0)
        on = replace(off, conservative_raster="ON")
        runs, inner = np.moveaxis(counted(draw, on), -1, 0)
        usual, none = np.moveaxis(counted(draw, off), -1, 0)
        assert runs.max() <= 1
        assert not none.any()
        assert not (usual > runs).any()
        assert not (inner > usual).any()
