"""Draws of few primitives go a way of their own, to the same result."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from draw_shaders import VERTEX, constant_pixel, pixel_shader, vertex_shader
from hypothesis import given
from hypothesis import strategies as st

import softd3d
from softd3d.jit import engine
from softd3d.jit.draw import small
from softd3d.jit.running.kernel import CompiledKernel

SIZE = 80  # some tiles


def vertices(seed: int, count: int) -> np.ndarray:
    """Return vertices anywhere around the target, some behind it."""
    chance = np.random.default_rng(seed)
    found = np.zeros(count, VERTEX)
    found["POSITION"] = chance.uniform(-1.2, 1.2, (count, 4))
    found["POSITION"][:, 2] = chance.uniform(0, 1, count)
    found["POSITION"][:, 3] = chance.choice([1.0, 1.0, 1.0, 2.0], count)
    found["COLOR"] = chance.uniform(0, 1, (count, 4))
    return found


def made(data: np.ndarray, indices: np.ndarray | None = None, **changes: Any) -> softd3d.Draw:
    target = softd3d.Texture2D(np.zeros((SIZE, SIZE, 4), np.float32), "R32G32B32A32_FLOAT")
    return softd3d.Draw(
        **{
            "vs": vertex_shader(), "ps": pixel_shader(), "vertex_buffers": [data],
            "index_buffer": indices, "render_targets": [target],
            "rasterizer": softd3d.RasterizerState(cull_mode="NONE"), **changes,
        }
    )  # fmt: skip


def pixels(draw: softd3d.Draw) -> np.ndarray:
    target = draw.prepared.targets[0]
    assert target is not None
    return target.data


def counted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return, for each draw from now on, whether it went the short way."""
    found: list[bool] = []
    draw = small.SmallDraws.draw

    def noted(self: small.SmallDraws, *rest: Any) -> Any:
        result = draw(self, *rest)
        found.append(result is not None)
        return result

    monkeypatch.setattr(small.SmallDraws, "draw", noted)
    return found


@pytest.mark.parametrize("topology", ["TRIANGLELIST", "TRIANGLESTRIP", "LINESTRIP", "POINTLIST"])
@given(seed=st.integers(0, 1 << 20), count=st.integers(0, 12), instances=st.integers(1, 3))
def test_both_ways_lead_to_the_same(topology: str, seed: int, count: int, instances: int):
    data = vertices(seed, 12)
    draws = [made(data, topology=topology) for _ in range(2)]
    results = []
    for draw, chunk in zip(draws, (0, 1 << 14), strict=True):
        compiled = softd3d_draw(draw, chunk)
        results += [compiled.draw(call(count, instances, start=1)) for _ in range(2)]
    assert results[0] == results[1] == results[2] == results[3]
    assert (pixels(draws[0]) == pixels(draws[1])).all()


def softd3d_draw(draw: softd3d.Draw, chunk: int) -> Any:
    from softd3d.jit.draw.engine import compile_draw

    return compile_draw(draw.prepared, chunk=chunk)


def call(count: int, instances: int = 1, **rest: Any) -> Any:
    from softd3d.pipeline.prepared import DrawCall

    return DrawCall(count, instances, **rest)


@given(seed=st.integers(0, 1 << 20), count=st.integers(1, 20), wide=st.booleans())
def test_both_ways_take_indices_as_they_are_now(seed: int, count: int, wide: bool):
    data, chance = vertices(seed, 12), np.random.default_rng(seed)
    kind = np.uint32 if wide else np.uint16
    indices = chance.integers(0, 14, 24).astype(kind)
    indices[chance.integers(0, 24, 2)] = np.iinfo(kind).max
    draws = [made(data, indices, topology="TRIANGLESTRIP") for _ in range(2)]
    ways = [softd3d_draw(draw, chunk) for draw, chunk in zip(draws, (0, 1 << 14), strict=True)]
    for start in (0, 6, 0):
        one, other = (
            way.draw(call(count, start=start, base_vertex=1, is_indexed=True)) for way in ways
        )
        assert one == other
        indices[:] = indices[::-1].copy()
    assert (pixels(draws[0]) == pixels(draws[1])).all()


def test_a_triangle_goes_the_short_way_and_a_clipped_one_the_long(
    monkeypatch: pytest.MonkeyPatch,
):
    data = vertices(1, 3)
    data["POSITION"] = [(-1, 1, 0.5, 1), (1, 1, 0.5, 1), (-1, -1, 0.5, 1)]
    draw, ways = made(data), counted(monkeypatch)
    assert draw(3).samples_passed == SIZE * (SIZE - 1) // 2
    data["POSITION"][0] = (-1, 1, 0.5, -0.5)  # behind the eye
    draw(3)
    assert ways == [True, False]


def test_several_threads_may_call_a_draw_at_once():
    data = vertices(2, 3)
    data["POSITION"] = [(-1, 1, 0.5, 1), (1, 1, 0.5, 1), (-1, -1, 0.5, 1)]
    draw = made(data)
    found: list[int] = []
    callers = [
        threading.Thread(target=lambda: found.extend(draw(3).samples_passed for _ in range(20)))
        for _ in range(6)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [SIZE * (SIZE - 1) // 2] * 120


def test_progress_is_told_and_a_draw_can_be_cancelled():
    told: list[tuple[int, int]] = []
    stop = threading.Event()
    draw = made(vertices(3, 6), progress=lambda *n: told.append(n), cancel=stop)
    draw.instanced(3, 2)
    assert told == [(2, 2)]
    stop.set()
    with pytest.raises(softd3d.ExecutionError, match="cancelled"):
        draw(3)


def test_what_is_set_beside_the_states_compiles_nothing(monkeypatch: pytest.MonkeyPatch):
    """Viewports, scissors, references, factors, constants and buffers are read when code runs."""
    blend = softd3d.BlendState(
        render_target=softd3d.RenderTargetBlendDesc(
            blend_enable=True, src_blend="BLEND_FACTOR", dest_blend="ZERO"
        )
    )
    stencil = softd3d.DepthStencilState(
        depth_enable=False, stencil_enable=True,
        front_face=softd3d.DepthStencilOpDesc(stencil_pass_op="REPLACE"),  # noqa: S106 - an operation
    )  # fmt: skip
    depth = softd3d.Texture2D(np.zeros((SIZE, SIZE), np.uint32), "D24_UNORM_S8_UINT")

    def drawn(shade: float, **changes: Any) -> None:
        made(
            vertices(4, 6), ps=constant_pixel(), constants={"ps": {0: np.full(4, shade, "f4")}},
            blend=blend, depth_stencil=stencil, depth_stencil_view=depth,
            rasterizer=softd3d.RasterizerState(cull_mode="NONE", scissor_enable=True), **changes,
        )(3)  # fmt: skip

    drawn(0.5, scissors=softd3d.Rect(0, 0, 9, 9))
    built: list[str] = []
    stored, loaded = engine._stored, engine.load_object
    monkeypatch.setattr(engine, "_stored", lambda *a: built.append("stored") or stored(*a))
    monkeypatch.setattr(engine, "load_object", lambda *a: built.append("linked") or loaded(*a))
    drawn(
        0.25, viewports=softd3d.Viewport(1, 2, 30, 40, 0.1, 0.9),
        scissors=softd3d.Rect(1, 1, 70, 50), blend_factor=(0.5, 0.25, 1, 1), stencil_ref=7,
    )  # fmt: skip
    assert not built


def test_draws_of_other_shaders_and_targets_share_the_setup(monkeypatch: pytest.MonkeyPatch):
    """What becomes of primitives depends on states, not on what else vertices have."""
    from softd3d.jit.draw import kernels

    made(vertices(5, 3))
    named: list[object] = []
    kernel_of, meanwhile = kernels.kernel_of, kernels.kernel_meanwhile

    def noted(kernel: CompiledKernel) -> CompiledKernel:
        named.append(kernel)
        return kernel

    def noted_later(*args: Any) -> Callable[[], CompiledKernel]:
        kernel = noted(meanwhile(*args)())
        return lambda: kernel

    monkeypatch.setattr(kernels, "kernel_of", lambda *a: noted(kernel_of(*a)))
    monkeypatch.setattr(kernels, "kernel_meanwhile", noted_later)
    depth = softd3d.Texture2D(np.zeros((SIZE, SIZE), np.float32), "D32_FLOAT")
    for changes in ({}, {"ps": constant_pixel(), "constants": {"ps": {0: np.zeros(4, "f4")}}}):
        made(vertices(5, 3), depth_stencil_view=depth, **changes)
    (vertex, setup, tiles), (other_vertex, other_setup, other_tiles) = named[:3], named[3:]
    assert setup is other_setup
    assert vertex is not other_vertex
    assert tiles is not other_tiles


def test_kernels_are_compiled_in_a_thread_meanwhile_or_where_there_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One core, a system without threads, and an error in the thread: the same for the caller."""
    monkeypatch.setenv("SOFTD3D_CACHE", "0")
    data, places = vertices(5, 3), list[str]()
    load = engine.load_object

    def noted(code: bytes) -> Any:
        is_main = threading.current_thread() is threading.main_thread()
        places.append("here" if is_main else "thread")
        return load(code)

    def no_thread(*_: object, **__: object) -> threading.Thread:
        raise RuntimeError("can't start new thread")

    def picture() -> bytes:
        engine.forget_kernels()
        target = softd3d.Texture2D(np.zeros((SIZE, SIZE, 4), np.float32), "R32G32B32A32_FLOAT")
        made(data, render_targets=[target])(3)
        return target.array.tobytes()

    monkeypatch.setattr(engine, "load_object", noted)
    monkeypatch.setattr(engine, "available_cores", lambda: 2)
    pictures = {picture()}
    assert sorted(places) == ["here", "thread", "thread"]
    for name, instead in (("available_cores", lambda: 1), ("threading.Thread", no_thread)):
        places.clear()
        with monkeypatch.context() as patch:
            patch.setattr(f"softd3d.jit.engine.{name}", instead)
            pictures.add(picture())
        assert places == ["here", "here", "here"]
    assert len(pictures) == 1
    monkeypatch.setattr(engine, "load_object", lambda _: 1 / 0)
    engine.forget_kernels()
    with pytest.raises(ZeroDivisionError):
        made(data)
