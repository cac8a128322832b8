"""What a picture must not depend on: how a draw is divided, who comes first in a triangle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from softd3d.interp.draw import engine, quads
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.state import BlendState, RasterizerState, RenderTargetBlendDesc

from draws import HEAD, picture, prepared, target, vertices  # isort: skip

ADDED = BlendState(render_target=RenderTargetBlendDesc(True, src_blend="ONE", dest_blend="ONE"))
OVER = BlendState(
    render_target=RenderTargetBlendDesc(True, src_blend="SRC_ALPHA", dest_blend="INV_SRC_ALPHA")
)
ONE = f"ps_5_0\n{HEAD}dcl_output o0.xyzw\nmov o0.xyzw, l(1.0, 1.0, 1.0, 1.0)\nret\n"
SHIFTED = f"""vs_5_0
{HEAD}dcl_input v0.xyzw
dcl_input v1.xyzw
dcl_input_sgv v2.x, instance_id
dcl_output_siv o0.xyzw, position
dcl_output o1.xyzw
dcl_temps 1
utof r0.x, v2.x
mad o0.xy, r0.xxxx, l(0.1, 0.05, 0.0, 0.0), v0.xyxx
mov o0.zw, v0.zzzw
mov o1.xyzw, v1.xyzw
ret
"""
DIVIDED = [("TRIANGLELIST", False), ("TRIANGLESTRIP", False), ("TRIANGLESTRIP", True),
           ("LINESTRIP_ADJ", True), ("POINTLIST", False)]  # fmt: skip


def cloud(seed: int, count: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    where = rng.uniform(-1.4, 1.4, (count, 4))
    where[:, 2] = rng.uniform(-0.2, 1.2, count)
    where[:, 3] = np.where(rng.random(count) < 0.1, -0.5, rng.uniform(0.3, 2, count))
    return vertices(where * [1, 1, 1, 1], rng.uniform(0, 1, (count, 4)))


def drawn(draw: PreparedDraw, call: DrawCall) -> tuple[bytes, bytes, DrawResult]:
    """Return colour, depth and report of a draw into targets of its own."""
    targets = tuple(None if t is None else replace(t, data=t.data.copy()) for t in draw.targets)
    depth = None if draw.depth is None else replace(draw.depth, data=draw.depth.data.copy())
    result = draw_interpreted(replace(draw, targets=targets, depth=depth), call)
    return (
        b"".join(t.data.tobytes() for t in targets if t is not None),
        b"" if depth is None else depth.data.tobytes(),
        result,
    )


@pytest.mark.parametrize(("topology", "is_indexed"), DIVIDED)
def test_how_a_draw_is_divided_changes_nothing(
    topology: str, is_indexed: bool, monkeypatch: pytest.MonkeyPatch
):
    rng = np.random.default_rng(len(topology))
    indices = rng.integers(0, 12, 24).astype(np.uint16)
    indices[rng.integers(0, 24, 3)] = 0xFFFF
    depth = target("D32_FLOAT", 8, 8, samples=2)
    depth.data.view(np.float32)[:] = 1.0
    draw = prepared(
        cloud(3, 12), topology=topology, targets=(target(width=8, height=8, samples=2),),
        depth=depth, blend=OVER,
        indices=indices if is_indexed else None, vs=SHIFTED,
    )  # fmt: skip
    call = DrawCall(24 if is_indexed else 12, 2, is_indexed=is_indexed)
    wanted = drawn(draw, call)
    for most_primitives, most_quads in ((1, 64), (5, 3), (100, 7)):
        monkeypatch.setattr(engine, "MOST_PRIMITIVES", most_primitives)
        monkeypatch.setattr(quads, "MOST_QUADS", most_quads)
        assert drawn(draw, call) == wanted
    assert np.frombuffer(wanted[0], np.float32).any()


@pytest.mark.parametrize("fill_mode", ["SOLID", "WIREFRAME"])
def test_instances_are_what_repeated_draws_would_be(fill_mode: str):
    state = RasterizerState(fill_mode, "NONE")
    draw = prepared(
        cloud(5, 12), vs=SHIFTED, targets=(target(),), blend=OVER, rasterizer=state
    )  # fmt: skip
    together, _, result = drawn(draw, DrawCall(12, 4))
    whole = target()
    for instance in range(4):
        moved = SHIFTED.replace("utof r0.x, v2.x", f"mov r0.x, l({float(instance)})")
        one = prepared(cloud(5, 12), vs=moved, targets=(whole,), blend=OVER, rasterizer=state)
        draw_interpreted(one, DrawCall(12))
    assert whole.data.tobytes() == together
    assert result.statistics.vs_invocations == 48
    assert result.statistics.ia_primitives == 16


def test_rotating_the_vertices_of_triangles_covers_the_same_samples():
    data = cloud(7, 30)
    data[:, 3] = 1.0
    found: list[bytes] = []
    for turn in range(3):
        order = np.arange(30).reshape(-1, 3)
        turned = np.ascontiguousarray(data[np.roll(order, turn, axis=1).reshape(-1)])
        draw = prepared(turned, ps=ONE, targets=(target(samples=8),), blend=ADDED)
        found.append(drawn(draw, DrawCall(30))[0])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("samples", [1, 4, 16])
def test_a_jittered_mesh_covers_every_sample_once(samples: int):
    rng = np.random.default_rng(samples)
    side = 9
    x, y = np.meshgrid(np.linspace(-1.25, 1.25, side), np.linspace(-1.25, 1.25, side))
    where = np.stack([x, y, np.full_like(x, 0.5), np.ones_like(x)], -1)
    where[1:-1, 1:-1, :2] += rng.uniform(-0.08, 0.08, (side - 2, side - 2, 2))
    corner = np.arange(side * (side - 1)).reshape(-1, side)[:, :-1].reshape(-1)
    quads_ = np.stack([corner, corner + 1, corner + side, corner + side, corner + 1,
                       corner + side + 1], 1)  # fmt: skip
    draw = prepared(
        vertices(where), ps=ONE, targets=(target(samples=samples),), blend=ADDED,
        indices=quads_.reshape(-1).astype(np.uint32),
    )  # fmt: skip
    result = draw_interpreted(draw, DrawCall(quads_.size, is_indexed=True))
    assert (picture(draw.targets[0]) == 1.0).all()
    assert result.samples_passed == 16 * 16 * samples
    assert result.statistics.vs_invocations == side * side


def test_strips_are_the_lists_that_their_pieces_make():
    data = cloud(11, 16)
    strip = prepared(data, topology="TRIANGLESTRIP", targets=(target(),), blend=OVER)
    order = [(i, i + 1, i + 2) if i % 2 == 0 else (i, i + 2, i + 1) for i in range(14)]
    listed = prepared(
        data, targets=(target(),), blend=OVER, indices=np.array(order, np.uint32).reshape(-1)
    )  # fmt: skip
    first, second = drawn(strip, DrawCall(16)), drawn(listed, DrawCall(42, is_indexed=True))
    assert first[0] == second[0]
    assert first[2].statistics.ia_vertices == 16
    assert second[2].statistics.ia_vertices == 42
    assert first[2].statistics.vs_invocations == second[2].statistics.vs_invocations == 16


def test_how_sample_frequency_is_divided_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    ps = f"""ps_5_0
{HEAD}dcl_input_ps linear sample v1.xyzw
dcl_input_ps_sgv constant v2.x, sampleIndex
dcl_output o0.xyzw
dcl_temps 1
utof r0.x, v2.x
add o0.xyzw, v1.xyzw, r0.xxxx
ret
"""
    draw = prepared(
        cloud(3, 12), ps=ps, targets=(target(width=8, height=8, samples=4),), blend=OVER
    )
    wanted = drawn(draw, DrawCall(12))
    assert wanted[2].statistics.ps_invocations == wanted[2].samples_passed > 0
    for most in (1, 5):
        monkeypatch.setattr(quads, "MOST_QUADS", most)
        assert drawn(draw, DrawCall(12)) == wanted
