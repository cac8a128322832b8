"""Texture stages against a model in double precision, on both engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fixed_function_runs import run_pixels
from fixed_function_states import random_stages
from fixed_pixel_model import PixelModel
from numpy.typing import NDArray

from softd3d.isa.d3d9.enums import TextureOp
from softd3d.isa.d3d9.states import RenderState, TextureStageState
from softd3d.isa.sm1.enums import TextureType
from softd3d.isa.sm1.validate import validate_program
from softd3d.pipeline.fixed9.programs import pixel_key, pixel_program
from softd3d.pipeline.fixed9.state import FixedFunctionState

T = TextureStageState
LANES = 40
ERROR = 1e-6  # of colours; of what is larger, as a part
PROFILES = ("driver", "documented", "ieee")
FLAT = TextureType.TEXTURE_2D


def _inputs(r: np.random.Generator) -> dict[str, NDArray[Any]]:
    inputs = {f"t{n}": r.uniform(0.1, 1, (LANES, 4)) for n in range(8)}
    inputs |= {f"v{n}": r.uniform(0, 1, (LANES, 4)) for n in range(2)}
    return {name: values.astype(np.float32) for name, values in inputs.items()}


def _check(state: FixedFunctionState, inputs: dict[str, Any], *engines: str) -> None:
    wanted = PixelModel(state, inputs).run()
    runs = [run_pixels(state, inputs, engine) for engine in engines]
    assert (np.abs(runs[0] - wanted) / (1 + np.abs(wanted))).max() < ERROR
    for run in runs[1:]:
        assert np.array_equal(run.view(np.uint32), runs[0].view(np.uint32))


def _random(seed: int, *engines: str) -> None:
    r = np.random.default_rng(seed)
    state = FixedFunctionState(profile=PROFILES[seed % 3])
    random_stages(r, state)
    assert validate_program(pixel_program(pixel_key(state)).program) == []
    _check(state, _inputs(r), *engines)


@pytest.mark.parametrize("seed", range(24))
def test_random_stages(seed: int) -> None:
    _random(seed, "interpreter", "jit")


@pytest.mark.slow
def test_300_random_stages() -> None:
    for seed in range(1000, 1300):
        _random(seed, "interpreter", "jit")


@pytest.mark.parametrize("operation", list(TextureOp)[1:])
def test_every_operation_with_every_argument(operation: TextureOp) -> None:
    """Each argument, with each modifier, takes each place; colour and alpha get different ones."""
    r = np.random.default_rng(operation)
    inputs = _inputs(r)
    arguments = [source | flags for source in range(7) for flags in (0, 0x10, 0x20, 0x30)]
    for start, argument in enumerate(arguments):
        state = FixedFunctionState(textures={0: FLAT, 1: FLAT, 2: FLAT})
        state.render_states[RenderState.TEXTUREFACTOR] = 0xC0306090
        first, second, third = state.texture_stage_states[:3]
        first |= {T.COLOROP: 2, T.ALPHAOP: 4, T.RESULTARG: 5}  # so that TEMP is not 0
        turned = [arguments[(start + n) % len(arguments)] for n in (0, 9, 13, 17, 5)]
        second |= {
            T.COLOROP: operation, T.ALPHAOP: operation, T.CONSTANT: 0x40B01050,
            T.COLORARG0: turned[1], T.COLORARG1: argument, T.COLORARG2: turned[2],
            T.ALPHAARG0: argument, T.ALPHAARG1: turned[3], T.ALPHAARG2: turned[4],
        }  # fmt: skip
        third |= {T.COLOROP: 7, T.ALPHAOP: 3}
        _check(state, inputs, "interpreter", *(["jit"] if start == operation else []))


# Hand-worked cases


def _colors(state: FixedFunctionState, **facts: bool) -> list[float]:
    inputs: dict[str, Any] = {f"t{n}": np.full((1, 4), 0.25, np.float32) for n in range(8)}
    inputs |= {"v0": np.full((1, 4), 0.5, np.float32), "v1": np.full((1, 4), 0.75, np.float32)}
    return run_pixels(state, inputs, "interpreter", **facts)[0].tolist()


def test_a_new_device_multiplies_the_texture() -> None:
    assert _colors(FixedFunctionState(textures={0: FLAT})) == [0.125, 0.125, 0.125, 0.25]


def test_without_a_texture_its_stage_and_all_later_are_off() -> None:
    state = FixedFunctionState(textures={1: FLAT})
    state.texture_stage_states[1].update({T.COLOROP: 2, T.ALPHAOP: 2})
    assert _colors(state) == [0.5] * 4


def test_alpha_may_read_a_missing_texture() -> None:
    state = FixedFunctionState()
    state.texture_stage_states[0].update({T.COLORARG1: 0, T.COLORARG2: 0})
    assert _colors(state) == [0.25, 0.25, 0.25, 1]


def test_a_dot_product_writes_alpha_too() -> None:
    state = FixedFunctionState(textures={0: FLAT})
    state.texture_stage_states[0].update({T.COLOROP: 24, T.COLORARG2: 4, T.ALPHAOP: 3})
    assert _colors(state) == [0, 0, 0, 0]  # 4 * 3 * -1/4 * 1/4, clamped
    state.profile = "ieee"
    assert _colors(state) == [-0.75] * 4


def test_specular_is_added_at_the_end() -> None:
    state = FixedFunctionState()
    state.render_states[RenderState.SPECULARENABLE] = 1
    assert _colors(state) == [1, 1, 1, 0.5]
    assert _colors(state, specular=False) == [0.5] * 4


@pytest.mark.parametrize(("shader", "red"), [(False, 4.0), (True, 0.5)])
def test_who_divides_by_what(*, shader: bool, red: float) -> None:
    """A shader's coordinates are divided by the component of the count, others by w."""
    state = FixedFunctionState(textures={0: FLAT})
    state.texture_stage_states[0].update({T.COLOROP: 2, T.TEXTURETRANSFORMFLAGS: 0x102})
    inputs: dict[str, Any] = {"t0": np.array([[2, 4, 6, 0.5]], np.float32), "v0": np.zeros((1, 4))}
    assert run_pixels(state, inputs, "interpreter", shader=shader)[0, 0] == red


def test_cube_maps_are_not_projected() -> None:
    state = FixedFunctionState(textures={0: TextureType.CUBE})
    state.texture_stage_states[0].update({T.COLOROP: 2, T.TEXTURETRANSFORMFLAGS: 0x100})
    assert _colors(state)[0] == 0.25


def test_the_constant_of_a_stage_is_white_by_the_page() -> None:
    state = FixedFunctionState()
    state.texture_stage_states[0].update(
        {T.COLOROP: 2, T.COLORARG1: 6, T.ALPHAOP: 2, T.ALPHAARG1: 6}
    )
    assert _colors(state) == [0, 0, 0, 0]
    state.profile = "documented"
    assert _colors(state) == [1, 1, 1, 1]


@pytest.mark.parametrize("operation", [0, 1, 27, 0xFFFFFFFF])
def test_what_is_no_operation_ends_the_stages(operation: int) -> None:
    state = FixedFunctionState(textures={0: FLAT})
    state.texture_stage_states[0][T.COLOROP] = operation
    assert _colors(state) == [0.5] * 4
