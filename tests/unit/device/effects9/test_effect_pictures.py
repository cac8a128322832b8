"""Effects drawn: the same bits on both engines, and what pictures show.

data/pictures has effects of our own that use what effects can do, compiled by d3dcompiler_47.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.container.comments.ctab import ParameterType
from softd3d.device.effects9.effect import Effect
from softd3d.device.effects9.scene import EffectScene
from softd3d.device.effects9.textures import default_texture
from softd3d.errors import ResourceError
from softd3d.samples import sample

DATA = Path(__file__).parent / "data"
CONTAINERS = Path(__file__).parents[2] / "container/data/effect9"
FILES = {
    path.stem: path
    for folder in (DATA, DATA / "pictures", CONTAINERS)
    for path in sorted(folder.glob("*.fxo"))
}
TECHNIQUES = [
    (name, number)
    for name, path in FILES.items()
    for number in range(len(Effect(path).techniques))
]  # fmt: skip
MESHES = {
    "plasma.47": "quad",
    "stencil.47": "quad",
    "choice.47": "quad",
    "outline.47": "sphere",
    "fixed.47": "sphere",
}
REFUSED = {
    "conversions.47": "CULLMODE: found 0x0, wanted 1",
    "values.47": "FVF 0x80ff4020: found no position",
}
SIZE = 32, 24


def squashed_bones() -> NDArray[Any]:
    bones = np.zeros((4, 4, 3))
    bones[:, :3] = np.diag([0.7, 1.1, 1])
    return bones


VALUES: dict[str, dict[str, Any]] = {
    "skin.47": {"Bones": squashed_bones()},
    "lights.47": {
        "Lights": [
            {"position": (2, 2, -2), "range": 5, "color": (1, 0.8, 0.6, 1), "on": True},
            {"position": (-2, 0, -2), "range": 4, "color": (0.2, 0.4, 1, 1), "on": True},
            {"position": (0, -2, -1), "range": 4, "color": (0.2, 1, 0.3, 1), "on": True},
            {},
        ]
    },
}


def pixels() -> list[NDArray[Any]]:
    """Return texture coordinates on the quad: pixel centres are at whole numbers."""
    return np.meshgrid(np.arange(SIZE[0]) / SIZE[0], np.arange(SIZE[1]) / SIZE[1])


def scene_of(name: str, technique: int | str = 0, **options: Any) -> EffectScene:
    options = {"mesh": MESHES.get(name, "cube"), "size": SIZE, **options}
    return EffectScene(FILES[name], technique, values=VALUES.get(name), **options)


def test_there_are_enough() -> None:
    assert len(FILES) >= 24


@pytest.mark.parametrize(("name", "technique"), TECHNIQUES)
def test_both_engines_draw_the_same(name: str, technique: int) -> None:
    scenes = [scene_of(name, technique, engine=engine) for engine in ("jit", "interpreter")]
    if name in REFUSED:
        for scene in scenes:
            with pytest.raises(ResourceError, match=REFUSED[name]):
                scene.render()
        return
    first, second = (scene.render() for scene in scenes)
    assert np.array_equal(first.codes, second.codes)
    assert (first.codes != 0x40).any() or not scenes[0].technique.passes[0]


def test_a_second_picture_is_the_same() -> None:
    scene = scene_of("outline.47")
    assert np.array_equal(scene.render().codes, scene.render().codes)


def test_a_preshader_gives_the_colours_of_its_formula() -> None:
    time = 0.7
    codes = scene_of("plasma.47").render({"Time": time}).codes
    x, y = pixels()
    center = 0.3 + 0.2 * np.sin(time), 0.6 + 0.2 * np.cos(time * 1.3)
    distance = np.hypot(x - center[0], y - center[1]) * (10 + 3 * 2 ** (np.sin(time) * 0.5))
    m = (0.5 + 0.5 * np.sin(distance + np.arctan2(time, 2)))[..., None]
    a, b = np.array([1, 0.2, 0.1, 1]), np.array([0.1, 0.3, 1, 1])
    color = a * 2 / np.sqrt(1 + time**2) * (1 - m) + b * m + time * 3 % 1 * 0.1
    assert np.abs(np.clip(color, 0, 1) * 255 - codes).max() < 0.51


def test_the_stencil_keeps_passes_apart() -> None:
    codes = scene_of("stencil.47").render().codes
    x, y = pixels()
    inside = np.hypot(x - 0.5, y - 0.5) < 0.55 / 2
    assert (codes[inside, 2] == 255).all()
    assert (codes[~inside, 2] <= 0.2 * 255 + 1).all()


def test_an_expression_chooses_the_shader() -> None:
    scene = scene_of("choice.47")
    pictures = [scene.render({"Quality": quality}).codes for quality in (0, 1, 2)]
    assert not np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[1], pictures[2])
    with pytest.raises(ResourceError, match="element 3 is chosen of Levels, which has 3"):
        scene.render({"Quality": 3})


def test_vectors_as_columns_are_seen() -> None:
    scene = scene_of("columns.47")
    camera = scene.effect["WorldViewProjection"]
    phong = EffectScene(sample("phong.fx_2_0.fxo"), size=SIZE, mesh="cube")
    assert np.array_equal(camera.T, phong.effect["ViewProjection"])


def test_what_was_chosen_is_told() -> None:
    said = EffectScene(sample("phong.fx_2_0.fxo"), mesh="sphere", size=SIZE).said
    assert said == [
        "technique Phong, passes P",
        "matrix World: the identity",
        "matrix ViewProjection: view x projection",
        "Eye: the eye's position",
        "LightDirection: the direction to a light above the viewer's left shoulder",
        "texture Diffuse: a checker of 128 x 128",
    ]


def test_values_and_samples_are_the_callers() -> None:
    white = {"Gain": 0, "Shine": 1e9, "Tint": (1, 1, 1, 1), "Diffuse": None}
    scene = EffectScene(
        sample("phong.fx_2_0.fxo"), mesh="sphere", size=SIZE, values=white, samples=4
    )
    assert not any("Diffuse" in line or "Tint" in line for line in scene.said)
    image = scene.render().image()
    assert image.shape == (SIZE[1], SIZE[0], 3)
    edge = np.unique(image[..., 0])
    assert len(edge) > 3  # mixed from the background and the black ball


@pytest.mark.parametrize(
    ("kind", "slices"),
    [(ParameterType.TEXTURE2D, 1), (ParameterType.SAMPLERCUBE, 6), (ParameterType.TEXTURE3D, 32)],
)
def test_checkers_are_of_the_kind_that_is_read(kind: ParameterType, slices: int) -> None:
    texture = default_texture("sky", kind)
    assert texture.slices(0) == slices
    assert not np.array_equal(
        texture.surface().array, default_texture("bump", kind).surface().array
    )
