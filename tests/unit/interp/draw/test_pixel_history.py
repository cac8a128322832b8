"""Pixel history: every fragment at a sample, in order, with what stopped it."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.interp.draw.engine import draw_interpreted
from softd3d.interp.draw.history import pixel_history_interpreted
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilOpDesc,
    DepthStencilState,
    RenderTargetBlendDesc,
)
from softd3d.resources.buffers.buffer import RawBuffer

from draws import HEAD, picture, prepared, shader, target, vertices  # isort: skip

OVER = BlendState(
    render_target=RenderTargetBlendDesc(True, src_blend="SRC_ALPHA", dest_blend="INV_SRC_ALPHA")
)
WHOLE = np.array([[-1, 1], [3, 1], [-1, -3]])
DISCARDS = f"""ps_5_0
{HEAD}dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_temps 1
lt r0.x, v1.w, l(0.3)
discard_nz r0.x
mov o0.xyzw, v1.xyzw
ret
"""
MASKED = f"""ps_5_0
{HEAD}dcl_input_ps linear v1.xyzw
dcl_output o0.xyzw
dcl_output oMask
ftou oMask, v1.x
mov o0.xyzw, v1.xyzw
ret
"""


def layers(*depths_and_colors: tuple[float, tuple[float, ...]]) -> np.ndarray:
    """Return triangles over the whole target, one behind the other in the order of drawing."""
    where = [(x, y, z, 1) for z, _ in depths_and_colors for x, y in WHOLE]
    return vertices(where, [color for _, color in depths_and_colors for _ in range(3)])


def scene(ps: str = DISCARDS, **changes: object) -> PreparedDraw:
    depth = target("D24_UNORM_S8_UINT", 4, 4)
    depth.data.view(np.uint32)[:] = 0xFFFFFF
    data = layers((0.5, (1, 0, 0, 1)), (0.75, (0, 1, 0, 1)), (0.25, (0, 0, 1, 0.5)),
                  (0.125, (1, 1, 1, 0.25)))  # fmt: skip
    return prepared(data, ps=ps, targets=(target(width=4, height=4),), depth=depth, blend=OVER,
                    **changes)  # type: ignore[arg-type]  # fmt: skip


def test_fragments_come_in_order_with_their_fate():
    draw = scene()
    found = pixel_history_interpreted(draw, DrawCall(12), 2, 1)
    assert [f.fate for f in found] == ["written", "depth test", "written", "discard"]
    assert [f.primitive for f in found] == [0, 1, 2, 3]
    assert [f.passed_depth for f in found] == [True, False, True, None]
    assert [f.passed_stencil for f in found] == [None] * 4
    assert found[2].before.colors == ((1.0, 0.0, 0.0, 1.0),)
    assert found[2].after.colors == ((0.5, 0.0, 0.5, 0.5),)
    assert found[2].colors == {"o0": (0.0, 0.0, 1.0, 0.5)}
    assert found[0].before.depth == 1.0
    assert found[1].before == found[1].after == found[0].after
    assert found[2].after.depth == pytest.approx(0.25, abs=1e-6)


def test_nothing_of_the_draw_is_changed_and_the_end_is_that_of_the_draw():
    draw = scene()
    before = draw.targets[0].data.copy(), draw.depth.data.copy()
    found = pixel_history_interpreted(draw, DrawCall(12), 0, 3)
    assert (draw.targets[0].data == before[0]).all()
    assert (draw.depth.data == before[1]).all()
    draw_interpreted(draw, DrawCall(12))
    assert tuple(picture(draw.targets[0])[0, 3, 0, 0].tolist()) == found[-1].after.colors[0]


def test_masks_stencil_and_instances():
    state = DepthStencilState(
        depth_enable=False, stencil_enable=True,
        front_face=DepthStencilOpDesc("KEEP", "KEEP", "INCR", "GREATER_EQUAL"),
    )  # fmt: skip
    draw = scene(depth_stencil=state, stencil_ref=1)
    found = pixel_history_interpreted(draw, DrawCall(3, 3), 1, 1)
    assert [f.fate for f in found] == ["written", "written", "stencil test"]
    assert [f.instance for f in found] == [0, 1, 2]
    assert [(f.before.stencil, f.after.stencil) for f in found] == [(0, 1), (1, 2), (2, 2)]
    masked = pixel_history_interpreted(scene(sample_mask=2), DrawCall(3), 1, 1)
    assert [f.fate for f in masked] == ["sample mask"]
    assert masked[0].outputs == {}


def test_one_sample_of_a_multisampled_pixel():
    data = layers((0.5, (2, 0, 0, 1)), (0.5, (1, 0, 0, 1)))
    draw = prepared(data, ps=MASKED, targets=(target(width=4, height=4, samples=4),))
    found = pixel_history_interpreted(draw, DrawCall(6), 0, 0, sample=1)
    assert [f.fate for f in found] == ["written", "output coverage"]
    assert found[0].coverage == 15
    assert pixel_history_interpreted(draw, DrawCall(6), 0, 0, slice_=1) == ()
    half = prepared(vertices([(-1, 1, 0, 1), (3, 1, 0, 1), (-1, 0.7, 0, 1)]),
                    targets=(target(width=4, height=4, samples=4),))  # fmt: skip
    samples = [pixel_history_interpreted(half, DrawCall(3), 0, 0, sample=n) for n in range(4)]
    assert [len(s) for s in samples] == [1, 1, 0, 0]


def test_shaders_that_write_to_views_run_on_copies():
    memory = np.zeros(4, np.uint32)
    counting = f"""ps_5_0
{HEAD}dcl_uav_raw u1
dcl_output o0.xyzw
dcl_temps 1
imm_atomic_iadd r0.x, u1, l(0), l(1)
utof o0.xyzw, r0.xxxx
ret
"""
    ps = shader(counting, uavs={1: RawBuffer(memory)})
    draw = prepared(layers((0.5, (1, 1, 1, 1))), ps=ps, targets=(target(width=4, height=4),))
    (only,) = pixel_history_interpreted(draw, DrawCall(3), 3, 3)
    assert not memory.any()
    assert only.colors["o0"] == (15.0,) * 4  # fifteen pixels came before
