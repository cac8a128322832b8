"""Lookups of Direct3D 9 against the model: filters, addresses, levels, kinds, gradients."""

from __future__ import annotations

import numpy as np
import pytest
import texture9_model as model
from lookups9 import filled, run, sampler_of, texels_of
from texture9_model import Sampling

from softd3d.isa.sm1.profile import PROFILES
from softd3d.resources.d3d9.surfaces import Texture9, TextureType

_T = TextureType
WORDS = {_T.TEXTURE: "2d", _T.CUBE: "cube", _T.VOLUME: "volume"}
QUADS = 24
ODD = np.array(
    [np.nan, np.inf, -np.inf, -0.0, 0, 1, -1, 1e-9, -1e-9, 0.5, 2.5, 1e6, -3e4], np.float32
)
BORDER = (1.0, 51 / 255, 0.0, 102 / 255)


def random_sampling(rng: np.random.Generator, profile: str) -> Sampling:
    addresses = tuple(int(n) for n in rng.integers(1, 6, 3))
    mag, min_, mip = (int(n) for n in (*rng.integers(1, 3, 2), rng.integers(0, 3)))
    return Sampling(
        (addresses[0], addresses[1], addresses[2]), mag, min_, mip,
        float(rng.choice([0, 0.75, -0.5])), int(rng.choice([0, 1, 2, 9])), int(rng.choice([0, 1])),
        BORDER, uses_max_level=profile == "documented",
    )  # fmt: skip


def random_texture(rng: np.random.Generator, type_: TextureType) -> Texture9:
    width, height, depth = (int(n) for n in rng.integers(1, 9, 3))
    return filled(rng, type_, (width, height, max(depth, 2)))


def coordinates(rng: np.random.Generator, type_: TextureType) -> np.ndarray:
    """Return (quads, 4, 4) coordinates near each other, with odd ones in some lanes."""
    middle = rng.normal(0.5, 1, (QUADS, 1, 4))
    spread = 2.0 ** rng.integers(-7, 1, (QUADS, 1, 1))
    found = (middle + spread * rng.normal(0, 1, (QUADS, 4, 4))).astype(np.float32)
    if type_ is not _T.CUBE:
        odd = rng.random((QUADS, 1, 1)) < 0.15
        found = np.where(odd, rng.choice(ODD, found.shape), found)
    found[..., 3] = rng.uniform(-2, 3, (QUADS, 4))
    return found


def compare(found: np.ndarray, wanted: list[np.ndarray | None], what: object) -> int:
    """Compare what lanes found with the model; return how many could be."""
    counted = 0
    for lane, (one, other) in enumerate(zip(found, wanted, strict=True)):
        if other is None:
            continue
        counted += 1
        assert np.allclose(one, other, rtol=0, atol=2e-4), (what, lane, one, other)
    return counted


def is_odd(quad: np.ndarray) -> bool:
    return not (np.abs(quad) < 1e4).all()


@pytest.mark.parametrize("type_", list(_T), ids=lambda t: WORDS[t])
@pytest.mark.parametrize("profile", list(PROFILES))
@pytest.mark.parametrize("seed", range(4))
def test_implicit_levels(type_: TextureType, profile: str, seed: int) -> None:
    rng = np.random.default_rng([seed, *profile.encode(), *WORDS[type_].encode()])
    text = f"ps_3_0\ndcl_{WORDS[type_]} s0\ndcl_texcoord v0\n{{}} oC0, v0, s0\n"
    counted = 0
    for kind in ("texld", "texldb"):
        texture, s = random_texture(rng, type_), random_sampling(rng, profile)
        texture.lod = s.lod
        at = coordinates(rng, type_)
        found = run(
            text.format(kind), {"v0": at.reshape(-1, 4)}, textures={"s0": (texture, sampler_of(s))},
            quads=True, profile=profile,
        )["oC0"]  # fmt: skip
        texels = texels_of(texture)
        for quad, colours in zip(at, found.reshape(QUADS, 4, 4), strict=True):
            needs_level = s.mip or s.mag != s.min
            if needs_level and is_odd(quad):
                assert np.isfinite(colours).all()
                continue
            is_cube, bias = type_ is _T.CUBE, quad[:, 3] if kind == "texldb" else (0, 0, 0, 0)
            if needs_level:
                wanted = model.lookup_in_quad(texels, s, quad[:, :3], bias, is_cube=is_cube)
            else:
                wanted = [model.lookup(texels, s, c[:3], None, is_cube=is_cube) for c in quad]
            counted += compare(colours, wanted, (kind, s, quad, texture))
    assert counted > QUADS


@pytest.mark.parametrize("type_", list(_T), ids=lambda t: WORDS[t])
@pytest.mark.parametrize("stage", ["ps_3_0", "vs_3_0"])
@pytest.mark.parametrize("seed", range(3))
def test_given_levels(type_: TextureType, stage: str, seed: int) -> None:
    rng = np.random.default_rng([seed, *stage.encode(), *WORDS[type_].encode()])
    texture, s = random_texture(rng, type_), random_sampling(rng, "driver")
    texture.lod = s.lod
    at = coordinates(rng, type_).reshape(-1, 4)
    target = "oC0" if stage == "ps_3_0" else "r1"
    text = f"{stage}\ndcl_{WORDS[type_]} s2\ndcl_texcoord v0\ntexldl {target}, v0, s2\n"
    found = run(text, {"v0": at}, textures={"s2": (texture, sampler_of(s))})[target]
    texels = texels_of(texture)
    wanted = [model.lookup(texels, s, c[:3], float(c[3]), is_cube=type_ is _T.CUBE) for c in at]
    assert compare(found, wanted, (s, texture)) > QUADS


@pytest.mark.parametrize("type_", list(_T), ids=lambda t: WORDS[t])
@pytest.mark.parametrize("seed", range(3))
def test_given_gradients(type_: TextureType, seed: int) -> None:
    rng = np.random.default_rng([seed, *WORDS[type_].encode()])
    texture, s = random_texture(rng, type_), random_sampling(rng, "driver")
    texture.lod = s.lod
    at = rng.normal(0.5, 1, (4 * QUADS, 4)).astype(np.float32)
    dx, dy = (
        (rng.normal(0, 1, at.shape) * 2.0 ** rng.integers(-6, 1, (len(at), 1))).astype(np.float32)
        for _ in range(2)
    )
    text = f"ps_3_0\ndcl_{WORDS[type_]} s0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_texcoord2 v2\n"
    text += "texldd oC0, v0, s0, v1, v2\n"
    found = run(
        text, {"v0": at, "v1": dx, "v2": dy}, textures={"s0": (texture, sampler_of(s))}
    )["oC0"]  # fmt: skip
    texels, is_cube = texels_of(texture), type_ is _T.CUBE
    numbers = [a[:, :3].astype(np.float64) for a in (at, dx, dy)]
    wanted = [
        model.lookup(
            texels, s, at[n, :3],
            model.level_of(texels, *(a[n] for a in numbers), is_cube=is_cube), is_cube=is_cube,
        )
        for n in range(len(at))
    ]  # fmt: skip
    assert compare(found, wanted, (s, texture)) > QUADS


def test_projected_lookups_divide_all_three() -> None:
    rng = np.random.default_rng(5)
    texture = filled(rng, _T.VOLUME, (4, 4, 4), 1)
    at = rng.uniform(0.1, 4, (4 * QUADS, 4)).astype(np.float32)
    text = "ps_2_0\ndcl_volume s0\ndcl t0\ntexldp r0, t0, s0\nmov oC0, r0\n"
    found = run(text, {"t0": at}, textures={"s0": texture})["oC0"]
    s = Sampling()
    divided = (at[:, :3] / at[:, 3:]).astype(np.float32)
    wanted = [model.lookup(texels_of(texture), s, c, None) for c in divided]
    assert compare(found, wanted, s) == len(at)


def test_directions_in_cubes_are_not_divided() -> None:
    rng = np.random.default_rng(6)
    texture = filled(rng, _T.CUBE, (4, 4, 1), 1)
    at = np.array([[1, 0.2, 0.3, -2], [0.1, -1, 0.3, 0], [0, 0, 2, 5]], np.float32)
    text = "ps_2_0\ndcl_cube s0\ndcl t0\ntexld{} r0, t0, s0\nmov oC0, r0\n"
    plain, divided = (
        run(text.format(p), {"t0": at}, textures={"s0": texture})["oC0"] for p in ("", "p")
    )
    assert plain.tobytes() == divided.tobytes()


def test_no_direction_is_the_middle_of_the_last_face_but_one() -> None:
    texture = Texture9(3, 3, "R32F", type_=_T.CUBE)
    for number in range(6):
        texture.surface(0, number).array[...] = 10 * number + np.arange(9).reshape(3, 3)
    text = "ps_2_0\ndcl_cube s0\ndcl t0\ntexld r0, t0, s0\nmov oC0, r0\n"
    found = run(text, {"t0": [0, 0, 0, 0]}, textures={"s0": texture})["oC0"]
    assert found.tolist() == [[44, 1, 1, 1]]
