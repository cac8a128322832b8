"""Wild states of the fixed function: any DWORD, number and matrix gives a program that runs."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from fixed_function_runs import run_pixels, run_vertices
from fixed_function_states import random_stages, random_state, vertices
from numpy.typing import NDArray

from softd3d.isa.d3d9.states import RenderState, TextureStageState
from softd3d.isa.sm1.enums import TextureType
from softd3d.pipeline.fixed9.programs import (
    clip_planes,
    pixel_constants,
    pixel_key,
    pixel_program,
    vertex_constants,
    vertex_key,
    vertex_program,
)
from softd3d.pipeline.fixed9.state import Element, FixedFunctionState, Light, Material

Random = np.random.Generator
STAGES = list(range(8))
LANES = 8
PROFILES = ("driver", "documented", "ieee")
NUMBERS = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, 1e-40, 1e30, 255.0, 7.5)


def _number(r: Random) -> float:
    return float(r.choice(NUMBERS)) if r.random() < 0.6 else float(r.normal())


def _numbers(r: Random, count: int) -> tuple[Any, ...]:
    return tuple(_number(r) for _ in range(count))


def _word(r: Random) -> int:
    """Return a DWORD: small, all bits, a float's bits, or anything."""
    kinds = (
        int(r.integers(30)), 0xFFFFFFFF, int(np.float32(_number(r)).view(np.uint32)),
        int(r.integers(1 << 32)), 1 << int(r.integers(32)),
    )  # fmt: skip
    return kinds[r.integers(len(kinds))]


def _matrix(r: Random) -> NDArray[np.float32]:
    found = np.array(_numbers(r, 16)).reshape(4, 4)
    if r.random() < 0.3:
        found[r.integers(4)] = found[r.integers(4)]
    return found.astype(np.float32)


def _wild_words(r: Random, state: FixedFunctionState) -> None:
    for name in RenderState:
        if r.random() < 0.3:
            state.render_states[name] = _word(r)
    for stage in state.texture_stage_states:
        for name in TextureStageState:
            if r.random() < 0.2:
                stage[name] = _word(r)


def _wild_lights(r: Random, state: FixedFunctionState) -> None:
    for number in r.integers(1 << 20, size=int(r.integers(12))).tolist():
        state.enabled_lights.add(number)
        if r.random() < 0.8:
            state.lights[number] = Light(
                int(r.integers(5)),
                *(_numbers(r, 4) for _ in range(3)),
                *(_numbers(r, 3) for _ in range(2)),
                *_numbers(r, 7),
            )
    if r.random() < 0.5:
        state.material = Material(*(_numbers(r, 4) for _ in range(4)), _number(r))


def wild_state(r: Random) -> FixedFunctionState:
    """Return a state of which any part may be nonsense."""
    state = random_state(r)
    random_stages(r, state)
    state.profile = str(r.choice(PROFILES))
    _wild_words(r, state)
    _wild_lights(r, state)
    for number in list(state.transforms):
        if r.random() < 0.4:
            state.transforms[number] = _matrix(r)
    extra = tuple(
        Element(int(r.integers(14)), int(r.integers(9)), int(r.integers(18))) for _ in range(3)
    )
    state.elements = extra if r.random() < 0.1 else state.elements + extra
    state.clip_planes = {int(r.integers(8)): _numbers(r, 4)}
    state.viewport = _numbers(r, 4)
    state.textures[int(r.integers(12))] = TextureType.TEXTURE_2D
    return state


def _wild_vertices(r: Random, state: FixedFunctionState) -> dict[tuple[int, int], NDArray[Any]]:
    data = vertices(r, state, LANES)
    for values in data.values():
        values[r.random(values.shape) < 0.2] = _number(r)
    return data


@pytest.mark.parametrize("seed", range(12))
def test_wild_states_run_alike_on_both_engines(seed: int) -> None:
    r = np.random.default_rng(seed)
    for engines in (("interpreter",), ("interpreter",), ("interpreter", "jit")):
        state = wild_state(r)
        data = _wild_vertices(r, state)
        pixels: dict[str, Any] = {
            name: np.array([_numbers(r, 4) for _ in range(LANES)], np.float32)
            for name in ("v0", "v1", *(f"t{n}" for n in STAGES))
        }
        runs = [
            run_vertices(state, data, engine, stages=STAGES, fog=True, points=True)
            | {"oC0": run_pixels(state, pixels, engine)}
            for engine in engines
        ]
        for name, values in runs[0].items():
            for run in runs[1:]:
                alike = (run[name].view(np.uint32) == values.view(np.uint32)) | (
                    np.isnan(run[name]) & np.isnan(values)
                )
                assert alike.all(), (seed, name)


def _make(r: Random) -> None:
    state = wild_state(r)
    vertex = vertex_program(vertex_key(state, fog=r.random() < 0.5, points=r.random() < 0.5))
    vertex_constants(vertex, state)
    pixel = pixel_program(pixel_key(state, shader=r.random() < 0.5))
    pixel_constants(pixel, state)
    clip_planes(state)


def test_wild_states_make_programs() -> None:
    r = np.random.default_rng(1)
    for _ in range(200):
        _make(r)


@pytest.mark.slow
def test_20_000_wild_states_make_programs() -> None:
    r = np.random.default_rng(2)
    for _ in range(20_000):
        _make(r)


def test_a_new_state_costs_milliseconds_once() -> None:
    """The largest programs: eight spot lights, eight stages with all there is."""
    state = random_state(np.random.default_rng(3))
    random_stages(np.random.default_rng(3), state)
    state.textures = dict.fromkeys(STAGES, TextureType.TEXTURE_2D)
    state.lights = dict.fromkeys(STAGES, Light(2))
    state.enabled_lights = set(STAGES)
    state.render_states |= {RenderState.LIGHTING: 1, RenderState.SPECULARENABLE: 1}
    best = 1.0
    for number in range(5):
        state.texture_stage_states[0][TextureStageState.TEXCOORDINDEX] = number
        state.texture_stage_states[0][TextureStageState.COLORARG1] = number
        start = time.process_time()
        vertex_program(vertex_key(state, fog=True, points=True))
        pixel_program(pixel_key(state))
        best = min(best, time.process_time() - start)
    assert best < 0.05
