"""Every texture instruction of ps_1_x against a model in float64, in all profiles, on both engines.

Coordinates are chosen so that no lookup is near the edge of a texel; what the model leaves open is
skipped. Products are finite, so that profiles differ in what their pages say only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import texture9_model as model
from lookups9 import filled, run, texels_of
from texture9_model import Sampling

from softd3d.isa.row import Controls
from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.profile import PROFILES
from softd3d.isa.sm1.rows import TABLE
from softd3d.resources.d3d9.surfaces import Texture9, TextureType

_T = TextureType
LANES = 64
S = Sampling()
BUMP = np.array([0.5, -1.0, 0.25, 1.5, 2.0, 0.25], np.float32)
EDGE = 1e-4


@dataclass
class World:
    """Coordinate sets (lanes, 4) and textures by stage, and what c0 is."""

    sets: dict[int, np.ndarray]
    textures: dict[int, Texture9]
    c0: np.ndarray

    def lookup(self, stage: int, at: np.ndarray) -> list[np.ndarray | None]:
        """Return the texel of each lane; None at an edge."""
        texture = self.textures[stage]
        texels, is_cube = texels_of(texture), texture.type is _T.CUBE
        found: list[np.ndarray | None] = []
        for place in at:
            sizes = texels[0].shape[2::-1]
            scaled = [place[n] * sizes[n] for n in range(2 if len(texels[0]) == 1 else 3)]
            near = not is_cube and any(c and not abs(c - round(c)) >= EDGE for c in scaled)
            one = None if near else model.lookup(texels, S, place[:3].astype(np.float32), None,
                                                 is_cube=is_cube)  # fmt: skip
            found.append(one)
        return found


def world(seed: int, kinds: str) -> World:
    """kinds: a letter a stage: 2 a texture, c a cube, v a volume, l a texture of one row."""
    rng = np.random.default_rng(seed)
    types = {"2": (_T.TEXTURE, (8, 4, 1)), "c": (_T.CUBE, (4, 4, 1)), "v": (_T.VOLUME, (4, 2, 8)),
             "l": (_T.TEXTURE, (16, 1, 1))}  # fmt: skip
    sets = {n: rng.uniform(-1.5, 1.5, (LANES, 4)).astype(np.float32) for n in range(4)}
    textures = {n: filled(rng, *types[kind], 1) for n, kind in enumerate(kinds)}
    return World(sets, textures, rng.uniform(-1, 1, 4).astype(np.float32))


def wide(a: np.ndarray) -> np.ndarray:
    return a.astype(np.float64)


def padded(*columns: np.ndarray) -> np.ndarray:
    """Return coordinates of these components; others are 0."""
    return np.stack([*columns, *[np.zeros(LANES)] * (3 - len(columns))], axis=-1)


def source(w: World, stage: int = 0) -> np.ndarray:
    """Return the texel that t0 holds, as nan where it is left open."""
    found = w.lookup(stage, wide(w.sets[stage]))
    return np.array([np.full(4, np.nan) if one is None else one for one in found])


def dot(w: World, stage: int, a: np.ndarray) -> np.ndarray:
    return (wide(w.sets[stage])[:, :3] * a[:, :3]).sum(axis=1)


def reflected(normal: np.ndarray, eye: np.ndarray) -> np.ndarray:
    scale = 2 * (normal * eye).sum(1) / (normal * normal).sum(1)
    return scale[:, None] * normal - eye


def bumped(w: World, stage: int, a: np.ndarray) -> np.ndarray:
    u = w.sets[stage][:, 0] + BUMP[0] * a[:, 0] + BUMP[2] * a[:, 1]
    v = w.sets[stage][:, 1] + BUMP[1] * a[:, 0] + BUMP[3] * a[:, 1]
    return padded(u, v)


def texbeml(w: World) -> list[np.ndarray | None]:
    a = source(w)
    factor = a[:, 2] * BUMP[4] + BUMP[5]
    found = w.lookup(1, bumped(w, 1, a))
    return [None if one is None else one * f for one, f in zip(found, factor, strict=True)]


def rows(w: World, count: int) -> np.ndarray:
    a = source(w)
    return np.stack([dot(w, stage, a) for stage in range(1, count + 1)], axis=-1)


def vspec(w: World) -> list[np.ndarray | None]:
    eye = np.stack([wide(w.sets[n])[:, 3] for n in (1, 2, 3)], axis=-1)
    return w.lookup(3, reflected(rows(w, 3), eye))


def colour(*columns: np.ndarray) -> list[np.ndarray]:
    return list(np.stack([*columns, *[np.ones(LANES)] * (4 - len(columns))], axis=-1))


PADS = "texm3x3pad t1, t0\ntexm3x3pad t2, t0\n"
CASES: dict[str, tuple[str, str, str, Callable[[World], Any]]] = {
    "tex": ("2", "1_1", "mov r0, t0", lambda w: w.lookup(0, wide(w.sets[0]))),
    "tex-cube": ("c", "1_1", "mov r0, t0", lambda w: w.lookup(0, wide(w.sets[0]))),
    "texcoord": ("2", "1_1", "texcoord t1\nmov r0, t1",
                 lambda w: colour(*np.clip(wide(w.sets[1])[:, :3], 0, 1).T)),
    "texbem": ("22", "1_1", "texbem t1, t0\nmov r0, t1",
               lambda w: w.lookup(1, bumped(w, 1, source(w)))),
    "texbeml": ("22", "1_1", "texbeml t1, t0\nmov r0, t1", texbeml),
    "texreg2ar": ("22", "1_1", "texreg2ar t1, t0\nmov r0, t1",
                  lambda w: w.lookup(1, padded(*source(w)[:, [3, 0]].T))),
    "texreg2gb": ("22", "1_1", "texreg2gb t1, t0\nmov r0, t1",
                  lambda w: w.lookup(1, padded(*source(w)[:, [1, 2]].T))),
    "texreg2rgb": ("2v", "1_2", "texreg2rgb t1, t0\nmov r0, t1",
                   lambda w: w.lookup(1, source(w)[:, :3])),
    "texreg2rgb-cube": ("2c", "1_2", "texreg2rgb t1, t0\nmov r0, t1",
                        lambda w: w.lookup(1, source(w)[:, :3])),
    "texm3x2pad+texm3x2tex": ("222", "1_1", "texm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2",
                              lambda w: w.lookup(2, padded(*rows(w, 2).T))),
    "texm3x3pad+texm3x3tex": ("222c", "1_1", f"{PADS}texm3x3tex t3, t0\nmov r0, t3",
                              lambda w: w.lookup(3, rows(w, 3))),
    "texm3x3tex-volume": ("222v", "1_1", f"{PADS}texm3x3tex t3, t0\nmov r0, t3",
                          lambda w: w.lookup(3, rows(w, 3))),
    "texm3x3": ("222", "1_2", f"{PADS}texm3x3 t3, t0\nmov r0, t3",
                lambda w: colour(*rows(w, 3).T)),
    "texm3x3spec": ("222c", "1_1", f"{PADS}texm3x3spec t3, t0, c0\nmov r0, t3",
                    lambda w: w.lookup(3, reflected(rows(w, 3), wide(w.c0)[None, :3]))),
    "texm3x3vspec": ("222c", "1_1", f"{PADS}texm3x3vspec t3, t0\nmov r0, t3", vspec),
    "texdp3": ("2", "1_2", "texdp3 t1, t0\nmov r0, t1",
               lambda w: list(np.repeat(dot(w, 1, source(w))[:, None], 4, axis=1))),
    "texdp3tex": ("2l", "1_2", "texdp3tex t1, t0\nmov r0, t1",
                  lambda w: w.lookup(1, padded(dot(w, 1, source(w))))),
}  # fmt: skip


@pytest.mark.parametrize("profile", list(PROFILES))
@pytest.mark.parametrize("name", CASES)
def test_address_instructions(name: str, profile: str) -> None:
    kinds, version, rest, expected = CASES[name]
    counted = 0
    for seed in range(2):
        w = world(seed, kinds)
        found = run(
            f"ps_{version}\ntex t0\n{rest}\n", {f"t{n}": s for n, s in w.sets.items()},
            constants={"c0": w.c0, **{f"bump{n}": BUMP for n in (1,)}},
            textures={f"s{n}": t for n, t in w.textures.items()}, profile=profile,
        )["r0"]  # fmt: skip
        with np.errstate(all="ignore"):
            wanted = expected(w)
        for lane, one in enumerate(wanted):
            if one is not None and np.isfinite(one).all():
                counted += 1
                limits = (-1, 1) if profile == "documented" else (-np.inf, np.inf)
                assert np.allclose(found[lane], np.clip(one, *limits), rtol=1e-4, atol=1e-4), lane
    assert counted > LANES


def test_every_texture_instruction_of_ps_1_is_here() -> None:
    flags = Controls.STAGE_TEXTURE | Controls.COORDINATES
    tested = {name for case in CASES for name in case.partition("-")[0].split("+")}
    wanted = {
        row.mnemonic for variants in TABLE.variants.values() for row in variants
        if row.controls & flags and row.since < (2, 0)
    }  # fmt: skip
    assert wanted - tested == {"texld", "texm3x2depth"}  # below


@pytest.mark.parametrize("profile", list(PROFILES))
def test_depth_of_two_rows(profile: str) -> None:
    """Depth is z / w of two dot products; 1 where w is 0, and clamped to 0 to 1."""
    texture = Texture9(1, 1, "A32B32G32R32F")
    texture.memory[:] = np.array([1, 1, 1, 1], np.float32).view(np.uint8)
    z = np.array([[0.5, 0, 0, 9], [1, 1, 1, 0], [-1, 0, 0, 0], [2, 0, 0, 0], [0.25, 0, 0.5, 0]])
    w = np.array([[2, 0, 0, 9], [1, 2, 3, 0], [1, 0, 0, 0], [1, 0, -1, 0], [0.75, 0, 0.75, 0]])
    found = run(
        "ps_1_3\ntex t0\ntexm3x2pad t1, t0\ntexm3x2depth t2, t0\nmov r0, c0\n",
        {"t1": z, "t2": w}, textures={"s0": texture}, profile=profile,
    )  # fmt: skip
    assert found["oDepth"][:, 0].tolist() == [0.25, 0.5, 0, 1, 0.5]


@pytest.mark.parametrize("profile", list(PROFILES))
def test_texdepth(profile: str) -> None:
    """R / min(g, 1) clamped; g = 0 gives 1."""
    rows = [[0.5, 1], [0.5, 4], [0.25, 0.5], [3, 0.5], [-1, 0.5], [0.3, 0], [0, 0], [0.5, -2]]
    at = np.pad(np.array(rows, np.float32), ((0, 0), (0, 2)))
    text = "ps_1_4\ntexcrd r5.xyz, t0\nphase\ntexdepth r5\nmov r0, c0\n"
    found = run(text, {"t0": at}, profile=profile)
    wanted = [0.5, 0.5, 0.5, 1, 0, 1, 1, 0]
    assert found["oDepth"][:, 0].tolist() == wanted
    assert found["r5"][:, :2].tolist() == at[:, :2].tolist()  # which is not changed


def test_projection_of_a_stage_divides_coordinates_only() -> None:
    w = world(3, "22")
    scaled = {n: s * s[:, 3:] for n, s in w.sets.items()}
    for stage, rows_of in scaled.items():
        rows_of[:, 3] = w.sets[stage][:, 3]
    textures = {f"s{n}": t for n, t in w.textures.items()}
    more = {"constants": {"bump1": BUMP}, "textures": textures}
    text = "ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1\n"
    found = run(text, {f"t{n}": s for n, s in scaled.items()}, projected={0: 3, 1: 3}, **more)["r0"]
    for lane, one in enumerate(w.lookup(1, bumped(w, 1, source(w)))):
        if one is not None and np.isfinite(one).all():
            assert np.allclose(found[lane], one, atol=1e-4), lane


@pytest.mark.parametrize(("divisor", "kept"), [(1, 1), (2, 2), (3, 3)])
def test_the_divisor_is_the_component_after_the_last(divisor: int, kept: int) -> None:
    """Of COUNT2 x / y, of COUNT3 xy / z, of COUNT4 xyz / w."""
    texture = Texture9(8, 1, "R32F")
    texture.surface().array[...] = np.arange(8)
    at = np.array([[3.25, 8, 8, 8], [6.5, 8, 8, 8]], np.float32)
    found = run("ps_1_1\ntex t0\nmov r0, t0\n", {"t0": at}, textures={"s0": texture},
                projected={0: divisor})["r0"]  # fmt: skip
    assert found[:, 0].tolist() == [3, 6]
    assert kept == divisor


def test_bem_of_ps_1_4_uses_the_matrix_of_its_destination() -> None:
    rng = np.random.default_rng(8)
    a, b = (rng.uniform(-1, 1, (LANES, 4)).astype(np.float32) for _ in range(2))
    text = "ps_1_4\ntexcrd r0.xyz, t0\ntexcrd r1.xyz, t1\nbem r2.rg, r0, r1\nphase\nmov r0, r2\n"
    found = run(text, {"t0": a, "t1": b}, constants={"bump2": BUMP})["r2"]
    wanted = np.stack([a[:, 0] + BUMP[0] * b[:, 0] + BUMP[2] * b[:, 1],
                       a[:, 1] + BUMP[1] * b[:, 0] + BUMP[3] * b[:, 1]], axis=-1)  # fmt: skip
    assert np.allclose(found[:, :2], wanted, atol=1e-6)


@pytest.mark.parametrize("profile", list(PROFILES))
@pytest.mark.parametrize(("modifier", "divisor"), [("", None), ("_dz", 2), ("_dw", 3)])
def test_texld_of_ps_1_4(profile: str, modifier: str, divisor: int | None) -> None:
    w = world(9, "22222")
    w.sets[1][:, 2:] = np.abs(w.sets[1][:, 2:]) + 0.5
    swizzle = {None: "", 2: ".xyz", 3: ".xyw"}[divisor]
    text = f"ps_1_4\ntexld r3, t1{modifier}{swizzle}\nphase\ntexld r4, r3\nmov r0, r4\n"
    found = run(
        text, {"t1": w.sets[1]}, textures={f"s{n}": t for n, t in w.textures.items()},
        profile=profile,
    )  # fmt: skip
    at = wide(w.sets[1])
    first = w.lookup(3, at / (1 if divisor is None else at[:, divisor : divisor + 1]))
    counted = 0
    for lane, one in enumerate(first):
        if one is not None:
            counted += 1
            assert np.allclose(found["r3"][lane], one, atol=1e-6)
    second = w.lookup(4, wide(found["r3"]))
    for lane, one in enumerate(second):
        if one is not None:
            assert np.allclose(found["r4"][lane], one, atol=1e-6)
    assert counted > LANES // 2
    assert Opcode.TEX in TABLE.rows


@pytest.mark.parametrize(
    ("profile", "wanted"), [("driver", 1), ("documented", 1), ("ieee", np.inf)]
)
def test_texcrd_divides_and_keeps_w(profile: str, wanted: float) -> None:
    text = "ps_1_4\ntexcrd r0.xy, t0_dw.xyw\ntexcrd r1.xyz, t1\nphase\nmov r2, r0\nadd r0, r0, r1\n"
    found = run(text, {"t0": [[3, 6, 0, 2], [3, 6, 0, 0]], "t1": [5, -9, 7, 8]}, profile=profile)
    limit = 8 if profile == "documented" else np.inf
    assert found["r1"].tolist() == [[5, max(-9, -limit), 7, 0]] * 2
    assert found["r2"][:, :2].tolist() == [[1.5, 3], [min(wanted, limit)] * 2]


TEXKILL = [
    ("ps_1_1\ntexkill t0\nmov r0, c0", "t0", 3), ("ps_1_4\ntexkill t0\nmov r0, c0", "t0", 3),
    ("ps_2_0\ndcl t0\ntexkill t0\nmov oC0, c0", "t0", 4),
    ("ps_2_0\ndcl t0.xy\nmov r0, t0\ntexkill r0\nmov oC0, r0", "t0", 4),
    ("ps_3_0\ndcl_texcoord v0\nmov r0, v0\ntexkill r0.xz\nmov oC0, c0", "v0", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "register", "count"), TEXKILL)
def test_texkill(text: str, register: str, count: int | None) -> None:
    """Below 0 is negative; -0 and NaN are not. SM1 looks at xyz, later versions at the mask."""
    rows = np.zeros((10, 4), np.float32)
    for n in range(4):
        rows[n, n] = -1e-6
    rows[4] = -0.0
    rows[5] = np.nan
    rows[6, :3] = (np.nan, -1, 0)
    rows[7] = np.inf
    rows[8] = -np.inf
    found = run(f"{text}\n", {register: rows})["killed"]
    places = [0, 2] if count is None else range(count)
    with np.errstate(invalid="ignore"):
        assert found.tolist() == (rows[:, places] < 0).any(axis=1).tolist()


def test_texkill_of_ps_1_looks_at_coordinates_although_the_texel_is_there() -> None:
    texture = Texture9(1, 1, "A32B32G32R32F")
    texture.memory[:] = np.full(4, -1, np.float32).view(np.uint8)
    text = "ps_1_1\ntex t0\ntexkill t0\nmov r0, t0\n"
    found = run(text, {"t0": [[1, 1, 1, -1], [1, 1, -1, 1]]}, textures={"s0": texture})
    assert found["killed"].tolist() == [False, True]
    assert found["r0"][1].tolist() == [-1] * 4  # a killed pixel goes on
