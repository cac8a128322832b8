"""Fixed-function vertex processing against a model in double precision, on both engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fixed_function_runs import run_vertices
from fixed_function_states import random_state, vertices
from fixed_vertex_model import Model
from numpy.typing import NDArray

from softd3d.isa.d3d9.defaults import float_word
from softd3d.isa.d3d9.enums import DeclType
from softd3d.isa.d3d9.states import RenderState, TextureStageState, TransformState
from softd3d.isa.sm1.enums import Usage
from softd3d.isa.sm1.validate import validate_program
from softd3d.pipeline.fixed9.programs import (
    clip_planes,
    vertex_constants,
    vertex_key,
    vertex_program,
)
from softd3d.pipeline.fixed9.state import Element, FixedFunctionState, Light, Material

STAGES = list(range(8))
LANES = 40
# Of colours and fog (0 to 1), and of what was added up for positions, coordinates and sizes
ERROR = 4e-6
R, T = RenderState, TextureStageState
Data = dict[tuple[int, int], NDArray[Any]]


def _check(seed: int, engines: tuple[str, ...]) -> None:
    r = np.random.default_rng(seed)
    state = random_state(r)
    data = vertices(r, state, LANES)
    expected = Model(state, data).run(STAGES, fog=True, points=True)
    sure = ~expected.unsure
    assert sure.mean() > 0.5
    runs = [
        run_vertices(state, data, engine, stages=STAGES, fog=True, points=True)
        for engine in engines
    ]
    assert set(runs[0]) == set(expected.outputs)
    for name, wanted in expected.outputs.items():
        scale = expected.scales.get(name, np.ones_like(wanted))
        components = 1 if name in {"fog", "psize"} else 4
        error = (np.abs(runs[0][name] - wanted) / scale)[sure, :components]
        assert error.max() < ERROR, (seed, name)
        for run in runs[1:]:
            assert np.array_equal(run[name].view(np.uint32), runs[0][name].view(np.uint32)), seed


@pytest.mark.parametrize("seed", range(24))
def test_random_states(seed: int) -> None:
    _check(seed, ("interpreter", "jit"))


@pytest.mark.slow
def test_300_random_states() -> None:
    for seed in range(1000, 1300):
        _check(seed, ("interpreter", "jit"))


def test_generated_programs_are_valid() -> None:
    for seed in range(40):
        state = random_state(np.random.default_rng(seed))
        key = vertex_key(state, stages=STAGES, fog=True, points=True)
        assert validate_program(vertex_program(key).program) == []


# Hand-worked cases


def _vertex(*values: float) -> NDArray[np.float32]:
    return np.array([values], np.float32)


def _lit(state: FixedFunctionState, normal: tuple[float, ...] = (0, 0, -1)) -> NDArray[Any]:
    """Return COLOR0 of a vertex at the origin of the world, one unit before the eye."""
    state.elements = (
        Element(Usage.POSITION, 0, DeclType.FLOAT3),
        Element(Usage.NORMAL, 0, DeclType.FLOAT3),
    )
    view = np.eye(4, dtype=np.float32)
    view[3, 2] = 1
    state.transforms[TransformState.VIEW] = view
    data: Data = {(Usage.POSITION, 0): _vertex(0, 0, 0, 1), (Usage.NORMAL, 0): _vertex(*normal, 1)}
    return run_vertices(state, data, "interpreter", stages=[])["color"][0]


def _white(**members: Any) -> FixedFunctionState:
    state = FixedFunctionState(material=Material(diffuse=(1, 1, 1, 0.5)))
    state.lights[3] = Light(diffuse=(0.5, 0.25, 1, 0), **members)
    state.enabled_lights.add(3)
    return state


def test_a_directional_light_from_the_eye() -> None:
    assert _lit(_white(type=3, direction=(0, 0, 9))).tolist() == [0.5, 0.25, 1, 0.5]


def test_a_light_without_direction_gives_nothing() -> None:
    assert _lit(_white(type=3, direction=(0, 0, 0))).tolist() == [0, 0, 0, 0.5]


@pytest.mark.parametrize(("range_", "red"), [(2.0, 0.25), (1.999, 0.0)])
def test_a_point_light_ends_behind_its_range(range_: float, red: float) -> None:
    light = {"position": (0, 0, -2), "attenuation1": 1.0, "range": range_}
    assert _lit(_white(type=1, **light))[0] == red


def test_a_light_without_attenuation_is_as_bright_as_can_be() -> None:
    state = _white(type=1, position=(0, 0, -2), range=10)
    assert _lit(state).tolist() == [1, 1, 1, 0.5]


def test_a_light_at_the_vertex_has_no_direction() -> None:
    state = _white(type=1, ambient=(1, 0, 0, 0), attenuation0=2.0, range=10)
    state.material = Material(ambient=(1, 1, 1, 1), diffuse=(1, 1, 1, 0))
    assert _lit(state).tolist() == [0.5, 0, 0, 0]


@pytest.mark.parametrize(("phi", "red"), [(3.0, 0.5), (1.0, 0.0)])
def test_a_spot_light(phi: float, red: float) -> None:
    """The vertex is 45 degrees off the axis: inside of the inner cone, or out of the outer."""
    spot = {"position": (0, 0, -1), "direction": (1, 0, 1), "attenuation0": 1.0, "range": 9.0}
    assert _lit(_white(type=2, theta=min(phi, 2.0), phi=phi, falloff=1.0, **spot))[0] == red


def test_only_eight_lights_of_known_types_count() -> None:
    state = _white(type=7)
    for number in range(10, 30):
        state.lights[number] = Light(ambient=(1 / 16, 0, 0, 0), diffuse=(0, 0, 0, 0))
        state.enabled_lights.add(number)
    state.material = Material(ambient=(1, 1, 1, 1))
    assert _lit(state)[0] == 0.5


def test_vertices_without_normal_have_ambient_light_only() -> None:
    state = _white(type=3, ambient=(0.25, 0, 0, 0))
    state.material = Material(ambient=(1, 1, 1, 1), diffuse=(1, 1, 1, 1))
    state.elements = (Element(Usage.POSITION, 0, DeclType.FLOAT3),)
    data: Data = {(Usage.POSITION, 0): _vertex(0, 0, 0, 1)}
    found = run_vertices(state, data, "interpreter", stages=[])["color"]
    assert found.tolist() == [[0.25, 0, 0, 1]]


def test_normals_take_the_inverse_of_a_scale() -> None:
    state = _white(type=3, direction=(0, 0, 1))
    state.transforms[256] = np.diag([1, 1, 4, 1]).astype(np.float32)
    assert _lit(state)[2] == 0.25
    state.render_states[R.NORMALIZENORMALS] = 1
    assert _lit(state)[2] == 1


def test_a_singular_matrix_turns_normals_by_itself() -> None:
    state = _white(type=3, direction=(0, 0, 1))
    state.transforms[256] = np.diag([0, 1, 0.5, 1]).astype(np.float32)
    assert _lit(state)[2] == 0.5


PROCESSED = (
    Element(Usage.POSITIONT, 0, DeclType.FLOAT4),
    Element(Usage.TEXCOORD, 1, DeclType.FLOAT2),
    Element(Usage.COLOR, 1, DeclType.D3DCOLOR),
)


@pytest.mark.parametrize(("rhw", "w"), [(0.5, 2.0), (0.0, 1.0)])
def test_processed_vertices_go_back_to_clip_space(rhw: float, w: float) -> None:
    """Pixel (30, 10) of a viewport at (10, 0), 80 by 20: a quarter to the right, the middle."""
    state = FixedFunctionState(elements=PROCESSED, viewport=(10, 0, 80, 20))
    state.texture_stage_states[0].update({T.TEXCOORDINDEX: 0x20001, T.TEXTURETRANSFORMFLAGS: 0x103})
    data: Data = {
        (Usage.POSITIONT, 0): _vertex(30, 10, 0.75, rhw),
        (Usage.TEXCOORD, 1): _vertex(3, 5, 0, 1),
        (Usage.COLOR, 1): _vertex(1, 0, 0, 0.25),
    }
    found = run_vertices(state, data, "interpreter", stages=[0, 1], fog=True)
    assert found["position"].tolist() == [[-0.5 * w, 0, 0.75 * w, w]]
    assert found["color"].tolist() == [[1, 1, 1, 1]]
    assert found["color1"].tolist() == [[1, 0, 0, 0.25]]
    assert found["texcoord"].tolist() == [[3, 5, 0, 5]]  # no generator, no matrix, but a divisor
    assert found["texcoord1"].tolist() == [[3, 5, 0, 0]]
    assert found["fog"][0, 0] == 0.25


def _one_set(flags: int, profile: str = "driver") -> list[float]:
    """Return the coordinates of a vertex with (3, 5), whose matrix adds (10, 20) and doubles z."""
    state = FixedFunctionState(profile=profile)
    state.elements = (
        Element(Usage.POSITION, 0, DeclType.FLOAT3),
        Element(Usage.TEXCOORD, 0, DeclType.FLOAT2),
    )
    state.texture_stage_states[0][T.TEXTURETRANSFORMFLAGS] = flags
    state.transforms[16] = np.array(
        [[1, 0, 0, 0], [0, 1, 0, 0], [10, 20, 2, 0], [0, 0, 0, 1]], np.float32
    )
    data: Data = {
        (Usage.POSITION, 0): _vertex(0, 0, 0, 1), (Usage.TEXCOORD, 0): _vertex(3, 5, 0, 1)
    }  # fmt: skip
    return run_vertices(state, data, "interpreter", stages=[0])["texcoord"][0].tolist()


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (0, [3, 5, 0, 0]), (1, [3, 5, 0, 0]), (2, [13, 25, 0, 0]), (3, [13, 25, 2, 0]),
        (4, [13, 25, 2, 0]), (7, [3, 5, 0, 0]), (0x100, [3, 5, 0, 5]), (0x102, [13, 25, 0, 25]),
        (0x103, [13, 25, 2, 2]), (0xFFFFFFFF, [3, 5, 0, 5]),
    ],
)  # fmt: skip
def test_counts_of_texture_transforms(flags: int, wanted: list[float]) -> None:
    assert _one_set(flags) == wanted


def test_a_count_of_one_is_one_component_by_the_page() -> None:
    assert _one_set(1, "documented") == [13, 0, 0, 0]


@pytest.mark.parametrize(("profile", "near", "far"), [("driver", 0, 0), ("ieee", 1, 0)])
def test_fog_that_starts_where_it_ends(profile: str, near: float, far: float) -> None:
    state = FixedFunctionState(profile=profile)
    state.elements = (Element(Usage.POSITION, 0, DeclType.FLOAT3),)
    state.render_states |= {
        R.FOGVERTEXMODE: 3, R.FOGSTART: float_word(2.0), R.FOGEND: float_word(2.0)
    }  # fmt: skip
    places = np.array([[0, 0, z, 1] for z in (-1, 2, 2.5)], np.float32)
    data: Data = {(Usage.POSITION, 0): places}
    found = run_vertices(state, data, "interpreter", stages=[], fog=True)["fog"][:, 0]
    assert found.tolist() == [near, near, far]


def test_clip_planes_keep_the_same_side_in_clip_space() -> None:
    r = np.random.default_rng(5)
    state = random_state(r)
    plane = (0.3, -1.0, 0.5, 0.2)
    state.clip_planes |= {2: plane, 9: plane}
    points = np.concatenate([r.uniform(-2, 2, (50, 3)), np.ones((50, 1))], axis=1)
    view, projection = (state.transform(n).astype(np.float64) for n in (2, 3))
    found = (points @ view @ projection) @ clip_planes(state)[2].astype(np.float64)
    assert np.allclose(found, points @ np.array(plane), atol=1e-4)
    assert not clip_planes(state)[[0, 1, 3, 4, 5]].any()


def test_clip_planes_of_a_flat_projection_count_where_they_can() -> None:
    state = FixedFunctionState(clip_planes={0: (1.0, 0.0, 0.0, -0.5)})
    state.transforms[TransformState.PROJECTION] = np.diag([1, 1, 0, 1]).astype(np.float32)
    assert clip_planes(state)[0].round(6).tolist() == [1, 0, 0, -0.5]


def test_positions_are_rounded_once() -> None:
    """Products of matrices are not rounded between: this one would lose the small part."""
    state = FixedFunctionState(elements=(Element(Usage.POSITION, 0, DeclType.FLOAT3),))
    for number, scale in ((256, 1e30), (2, 1e30), (3, 1e-30)):
        state.transforms[number] = (np.eye(4) * scale).astype(np.float32)
    generated = vertex_program(vertex_key(state, stages=[]))
    matrix = generated.constants[0]
    assert np.allclose(vertex_constants(generated, state)[matrix.register, 0], 1e30)
