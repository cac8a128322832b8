"""Whole draws of the fixed function against models in double precision, on both engines.

A triangle covers the target; its projection is made for that, everything else is random. Pixels
are models of three vertices, interpolated, and of the texture stages, lookups and fog behind.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "pipeline"))

from fixed_function_states import random_stages, random_state, vertices
from fixed_pixel_model import PixelModel
from fixed_vertex_model import Expected, Lanes, Model

from softd3d import assemble
from softd3d.d3d9 import Device, Texture9, VertexElement9
from softd3d.isa.d3d9.defaults import float_word
from softd3d.isa.d3d9.enums import DeclType
from softd3d.isa.d3d9.states import RenderState as R
from softd3d.isa.d3d9.states import SamplerStateType as S
from softd3d.isa.sm1.enums import TextureType, Usage
from softd3d.pipeline.fixed9.state import Element, FixedFunctionState

WIDTH, HEIGHT = 8, 6
EDGE = 4  # of 2D textures
FLOATS = "A32B32G32R32F"
STAGES = list(range(8))
# Corners in x / w and y / w: multiples of 1/256 pixel that cover the target
CORNERS = np.array([(-1.75, -1.5), (4.0, -1.5), (-1.75, 4.0)])
ERROR = 1e-5  # of what is larger than 1, as a part
Data = dict[tuple[int, int], NDArray[Any]]


def _scene(r: np.random.Generator) -> tuple[FixedFunctionState, Data, Expected]:
    """Return a state, three vertices, and what vertex processing makes of them."""
    while True:
        state = random_state(r)
        random_stages(r, state)
        state.profile = "driver"
        state.viewport = (0, 0, WIDTH, HEIGHT)
        state.enabled_lights = {n for n in state.enabled_lights if state.lights[n].type <= 3}
        state.render_states |= {
            R.CULLMODE: 1,
            R.SHADEMODE: int(r.choice([1, 2])),
            R.FOGENABLE: int(r.integers(2)),
            R.FOGTABLEMODE: int(r.choice([0, 0, 1, 2, 3])),
            R.FOGVERTEXMODE: int(r.integers(4)),
            R.FOGCOLOR: int(r.integers(1 << 32)),
            R.FOGSTART: float_word(r.uniform(0, 0.5)),
        }
        data = vertices(r, state, 3)
        state.transforms[3] = np.eye(4, dtype=np.float32)
        eye = Model(state, data).run([], fog=False, points=False).outputs["position"]
        if np.linalg.cond(eye) > 30:
            continue
        w = r.uniform(0.7, 2, (3, 1))
        clip = np.concatenate([CORNERS, r.uniform(0.2, 0.8, (3, 1)), np.ones((3, 1))], axis=1) * w
        state.transforms[3] = (np.linalg.pinv(eye) @ clip).astype(np.float32)
        expected = Model(state, data).run(STAGES, fog=True, points=False)
        if not expected.unsure.any():
            return state, data, expected


def _textures(r: np.random.Generator, state: FixedFunctionState) -> dict[int, Lanes]:
    """Return texels: of 2D textures a picture, of others one colour."""
    return {
        n: r.uniform(0, 1, (EDGE, EDGE, 4) if kind == TextureType.TEXTURE_2D else (4,)).astype(
            np.float32
        )
        for n, kind in state.textures.items()
    }


# The model


def _lookup(texels: Lanes, c: Lanes) -> Lanes:
    """Return the bilinear filter's result, with coordinates clamped."""
    if texels.ndim == 1:
        return np.tile(texels.astype(np.float64), (len(c), 1))
    place = np.clip(np.nan_to_num(np.clip(c[:, :2], -9, 9)) * EDGE - 0.5, -1, EDGE)
    first = np.floor(place)
    part = place - first
    found = np.zeros((len(c), 4))
    for dy in (0, 1):
        for dx in (0, 1):
            at = np.clip(first + np.array([dx, dy]), 0, EDGE - 1).astype(int)
            weight = np.abs(1 - dx - part[:, 0]) * np.abs(1 - dy - part[:, 1])
            found += weight[:, None] * texels[at[:, 1], at[:, 0]]
    return found


def _model(
    state: FixedFunctionState, expected: Expected, texels: dict[int, Lanes]
) -> tuple[Lanes, NDArray[np.bool_]]:
    """Return the pixels, (height * width, 4), and which are unsure."""
    weights, w = _weights(expected.outputs["position"])
    flat = np.tile([1.0, 0.0, 0.0], (len(w), 1))
    of_colors = flat if state.render(R.SHADEMODE) == 1 else weights
    inputs = {
        f"v{n}": of_colors @ expected.outputs[name] for n, name in enumerate(("color", "color1"))
    }
    inputs |= {f"t{n}": weights @ expected.outputs[f"texcoord{n or ''}"] for n in STAGES}
    model = PixelModel(state, inputs, lambda stage, c: _lookup(texels[stage], c))
    pixels = model.run()
    if state.render(R.FOGENABLE):
        f = _fog(state, w, weights @ expected.outputs["fog"][:, 0])[:, None]
        word = state.render(R.FOGCOLOR)
        color = np.array([word >> 16 & 255, word >> 8 & 255, word & 255]) / 255
        pixels[:, :3] = color + f * (pixels[:, :3] - color)
    return pixels, model.unsure


def _weights(position: Lanes) -> tuple[Lanes, Lanes]:
    """Return the parts of the vertices in each pixel, (height * width, 3), and its w."""
    x, y = np.meshgrid(np.arange(WIDTH) * 2 / WIDTH - 1, 1 - np.arange(HEIGHT) * 2 / HEIGHT)
    second = (x.ravel() - CORNERS[0, 0]) / (CORNERS[1, 0] - CORNERS[0, 0])
    third = (y.ravel() - CORNERS[0, 1]) / (CORNERS[2, 1] - CORNERS[0, 1])
    parts = np.stack([1 - second - third, second, third], axis=1)
    parts = parts / position[:, 3]
    w = 1 / parts.sum(axis=1)
    return parts * w[:, None], w


def _fog(state: FixedFunctionState, w: Lanes, of_vertices: Lanes) -> Lanes:
    density = state.number(R.FOGDENSITY)
    start, end = state.number(R.FOGSTART), state.number(R.FOGEND)
    match state.render(R.FOGTABLEMODE):
        case 1:
            found = np.exp(-density * w)
        case 2:
            found = np.exp(-((density * w) ** 2))
        case 3:
            found = (end - w) / (end - start)
        case _:
            found = of_vertices
    return np.clip(found, 0, 1)


# The draw


def _packed(kind: int, values: NDArray[Any]) -> bytes:
    """Return an element's bytes of one vertex."""
    counts = {DeclType.FLOAT1: 1, DeclType.FLOAT2: 2, DeclType.FLOAT3: 3, DeclType.FLOAT4: 4}
    if kind in counts:
        return values[: counts[DeclType(kind)]].astype(np.float32).tobytes()
    if kind == DeclType.SHORT2:
        return values[:2].astype(np.int16).tobytes()
    if kind == DeclType.UBYTE4:
        return values.astype(np.uint8).tobytes()
    return np.rint(values * 255).astype(np.uint8)[[2, 1, 0, 3]].tobytes()


def _draw(
    state: FixedFunctionState, data: Data, texels: dict[int, Lanes], engine: str
) -> NDArray[np.float32]:
    device = Device(WIDTH, HEIGHT, FLOATS, engine=engine, profile=state.profile)
    _set(device, state, texels)
    return _drawn(device, state, data)


def _drawn(device: Device, state: FixedFunctionState, data: Data) -> NDArray[np.float32]:
    device.clear(None, "TARGET", 0)
    elements: list[VertexElement9] = []
    offset = 0
    rows = [b""] * 3
    for usage, index, kind in state.elements:
        element = VertexElement9(0, offset, DeclType(kind), Usage(usage), index)
        elements.append(element)
        offset = element.end
        rows = [row + _packed(kind, data[usage, index][n]) for n, row in enumerate(rows)]
    device.set_vertex_declaration(device.create_vertex_declaration(elements))
    device.draw_primitive_up("TRIANGLELIST", 1, b"".join(rows), offset)
    return device.back_buffer.array.view(np.float32).reshape(-1, 4).copy()


def _set(device: Device, state: FixedFunctionState, texels: dict[int, Lanes]) -> None:
    for name, word in state.render_states.items():
        device.set_render_state(name, word)
    for number, stage in enumerate(state.texture_stage_states):
        for name, word in stage.items():
            device.set_texture_stage_state(number, name, word)
    for number, matrix in state.transforms.items():
        device.set_transform(number, matrix)
    device.set_material(state.material)
    for number, light in state.lights.items():
        if number in state.enabled_lights:
            device.set_light(number, light)
            device.light_enable(number, enable=True)
    for number in texels.keys() & state.textures.keys():
        texture = _texture(device, state.textures[number], texels[number])
        device.set_texture(number, texture)
        for name in (S.ADDRESSU, S.ADDRESSV):
            device.set_sampler_state(number, name, "CLAMP")
        for name in (S.MAGFILTER, S.MINFILTER):
            device.set_sampler_state(number, name, "LINEAR")


def _texture(device: Device, kind: TextureType, texels: Lanes) -> Texture9:
    if kind == TextureType.CUBE:
        texture = device.create_cube_texture(1, format=FLOATS)
    elif kind == TextureType.VOLUME:
        texture = device.create_volume_texture(1, 1, 1, format=FLOATS)
    else:
        texture = device.create_texture(EDGE, EDGE, format=FLOATS)
    memory = texture.memory.view(np.float32)
    memory[:] = np.resize(texels, memory.shape)
    return texture


def _check(seed: int, engines: tuple[str, ...]) -> None:
    r = np.random.default_rng(seed)
    state, data, expected = _scene(r)
    texels = _textures(r, state)
    wanted, unsure = _model(state, expected, texels)
    runs = [_draw(state, data, texels, engine) for engine in engines]
    error = np.abs(runs[0] - wanted) / (1 + np.abs(wanted))
    assert error[~unsure].max(initial=0) < ERROR, seed
    for run in runs[1:]:
        assert np.array_equal(run.view(np.uint32), runs[0].view(np.uint32)), seed


@pytest.mark.parametrize("seed", range(8))
def test_random_draws(seed: int) -> None:
    _check(seed, ("interpreter", "jit"))


@pytest.mark.slow
def test_300_random_draws() -> None:
    for seed in range(1000, 1300):
        _check(seed, ("interpreter", "jit"))


def test_a_pixel_shader_gets_what_vertex_processing_makes() -> None:
    """Coordinates of all stages and both colours, whether a stage is on or not."""
    for seed in range(12):
        r = np.random.default_rng(seed)
        state, data, expected = _scene(r)
        state.render_states |= {R.FOGENABLE: 0, R.SHADEMODE: 2}
        weights, _ = _weights(expected.outputs["position"])
        device = Device(WIDTH, HEIGHT, FLOATS, engine="interpreter")
        _set(device, state, {})
        names = {"v0": "color", "v1": "color1", "t0": "texcoord", "t5": "texcoord5"}
        register = str(r.choice(list(names)))
        text = f"ps_2_0\ndcl {register}\nmov oC0, {register}"
        device.set_pixel_shader(device.create_pixel_shader(assemble(text)))
        wanted = weights @ expected.outputs[names[register]]
        scale = expected.scales.get(names[register], np.ones((3, 4))).max() + 1
        assert np.abs(_drawn(device, state, data) - wanted).max() < ERROR * scale, seed


VERTEX_SHADER = "vs_2_0\ndcl_position v0\ndcl_color v1\ndcl_color1 v2\n" + "".join(
    f"dcl_texcoord{n} v{n + 3}\nmov oT{n}, v{n + 3}\n" for n in STAGES
) + "mov oPos, v0\nmov oD0, v1\nmov oD1, v2"  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_texture_stages_take_what_a_vertex_shader_makes(seed: int) -> None:
    """Sets by their stage, whatever TEXCOORDINDEX says; counts say which component divides."""
    r = np.random.default_rng(seed)
    state, _, _ = _scene(r)
    state.render_states |= {R.FOGENABLE: 0, R.SHADEMODE: 2}
    usages = [(Usage.POSITION, 0), (Usage.COLOR, 0), (Usage.COLOR, 1)]
    usages += [(Usage.TEXCOORD, n) for n in STAGES]
    state.elements = tuple(Element(*usage, DeclType.FLOAT4) for usage in usages)
    data: Data = {usage: r.uniform(0.1, 1, (3, 4)).astype(np.float32) for usage in usages}
    corners = np.concatenate([CORNERS, np.full((3, 1), 0.5), np.ones((3, 1))], axis=1)
    data[Usage.POSITION, 0] = (corners * r.uniform(0.7, 2, (3, 1))).astype(np.float32)
    weights, _ = _weights(data[Usage.POSITION, 0].astype(np.float64))
    inputs = {f"v{n}": weights @ data[Usage.COLOR, n] for n in (0, 1)}
    inputs |= {f"t{n}": weights @ data[Usage.TEXCOORD, n] for n in STAGES}
    texels = _textures(r, state)
    device = Device(WIDTH, HEIGHT, FLOATS, engine="interpreter")
    _set(device, state, texels)
    device.set_vertex_shader(device.create_vertex_shader(assemble(VERTEX_SHADER)))
    model = PixelModel(state, inputs, lambda stage, c: _lookup(texels[stage], c), shader=True)
    wanted = model.run()
    error = np.abs(_drawn(device, state, data) - wanted) / (1 + np.abs(wanted))
    assert error[~model.unsure].max() < ERROR


def _changes(
    r: np.random.Generator, device: Device, state: FixedFunctionState, other: FixedFunctionState
) -> None:
    """Give a device and its state some of the values that another state has."""
    for name in r.choice(list(other.render_states), 2).tolist():
        state.render_states[name] = other.render_states[name]
        device.set_render_state(name, other.render_states[name])
    stage = int(r.integers(4))
    for name in r.choice(list(other.texture_stage_states[stage]), 2).tolist():
        word = other.texture_stage_states[stage][name]
        state.texture_stage_states[stage][name] = word
        device.set_texture_stage_state(stage, name, word)
    match int(r.integers(5)):
        case 0:
            number = int(r.choice([n for n in other.transforms if n != 3]))
            state.transforms[number] = other.transforms[number]
            device.set_transform(number, other.transforms[number])
        case 1:
            state.material = other.material
            device.set_material(other.material)
        case 2 if other.enabled_lights:
            number = min(other.enabled_lights)
            state.lights[number] = other.lights[number]
            state.enabled_lights.add(number)
            device.set_light(number, other.lights[number])
            device.light_enable(number, enable=True)
        case 3 if state.enabled_lights:
            number = state.enabled_lights.pop()
            device.light_enable(number, enable=False)
        case _:
            number = int(r.integers(4))
            state.textures.pop(number, None)
            device.set_texture(number, None)


def _check_changes(seed: int, engine: str, steps: int) -> None:
    r = np.random.default_rng(seed)
    state, data, _ = _scene(r)
    texels = _textures(r, state)
    device = Device(WIDTH, HEIGHT, FLOATS, engine=engine, profile=state.profile)
    _set(device, state, texels)
    for step in range(steps):
        found = _drawn(device, state, data)
        assert np.array_equal(
            found.view(np.uint32), _draw(state, data, texels, engine).view(np.uint32)
        ), (seed, step)
        _changes(r, device, state, _scene(r)[0])


@pytest.mark.parametrize("seed", range(4))
def test_a_used_device_draws_as_a_new_one(seed: int) -> None:
    _check_changes(seed, "interpreter", 12)


@pytest.mark.slow
def test_used_devices_draw_as_new_ones() -> None:
    for seed in range(100, 112):
        _check_changes(seed, "interpreter", 30)
