"""Sampling on both engines against the model, which shares no code with them."""

from __future__ import annotations

import numpy as np
import pytest
from sampling_formats import FORMATS
from sampling_runs import Setup, check, run
from sampling_shaders import Probe, records
from sampling_state import BORDER, CLAMP, MIRROR, MIRROR_ONCE, WRAP, Kind, Sampler

import softd3d

f32 = np.float32
TRILINEAR = {"min": True, "mag": True, "mip": True}
BILINEAR = {"min": True, "mag": True}
COLOUR = (0.25, -0.5, 1.5, 0.75)
MODES = (WRAP, MIRROR, CLAMP, BORDER, MIRROR_ONCE)


def setups() -> dict[str, Setup]:
    """Return one setup for each rule."""
    found: dict[str, Setup] = {}
    for number, mode in enumerate(MODES):
        others = MODES[(number + 1) % 5], MODES[(number + 2) % 5]
        found[f"addresses-{mode}"] = Setup(
            Probe("sample_l", offset=(-8, 7, 0)),
            Sampler(**TRILINEAR, address=(mode, *others), border=COLOUR),
        )
    found |= {
        "mixed-filters": Setup(
            Probe("sample_l"), Sampler(min=True, mip=True, bias=0.375, address=(CLAMP,) * 3)
        ),
        "level-limits": Setup(
            Probe("sample_l"), Sampler(mag=True, min_lod=0.75, max_lod=1.75, bias=-0.5)
        ),
        "1d-array": Setup(
            Probe("sample_l", "1d", array=True, status=True),
            Sampler(**BILINEAR, address=(MIRROR,) * 3), "R8G8_SNORM", (11,), slices=3,
        ),
        "2d-array": Setup(
            Probe("sample_d", array=True), Sampler(**TRILINEAR), "R16G16_FLOAT", slices=3
        ),
        "3d": Setup(
            Probe("sample_d", "3d", offset=(1, -2, 3), clamp=True),
            Sampler(**TRILINEAR, address=(WRAP, BORDER, MIRROR), border=COLOUR),
            "R8G8B8A8_UNORM", (9, 5, 3),
        ),
        "cube": Setup(
            Probe("sample_l", "cube"), Sampler(**TRILINEAR), "R8G8B8A8_UNORM_SRGB", (5,)
        ),
        "cube-array": Setup(
            Probe("sample_d", "cube", array=True), Sampler(**TRILINEAR), extent=(6,), slices=2
        ),
        "compare": Setup(
            Probe("sample_c_lz", offset=(2, -3, 0)),
            Sampler(
                **BILINEAR, reduction="compare", comparison=4, address=(BORDER,) * 3, border=COLOUR
            ),
            "R32_FLOAT", grid=4,
        ),
        "gather": Setup(Probe("gather4", component=3, status=True), Sampler(), "A8_UNORM"),
        "gather-cube": Setup(Probe("gather4", "cube", component=1), Sampler(), extent=(3,)),
        "gather-compare": Setup(
            Probe("gather4_po_c"),
            Sampler(reduction="compare", comparison=6, address=(CLAMP, MIRROR, WRAP)),
            "R16_UNORM", (37, 90),
        ),
        "minimum": Setup(Probe("sample_l"), Sampler(**TRILINEAR, reduction="min")),
        "view": Setup(
            Probe("sample_l", array=True), Sampler(**TRILINEAR, min_lod=0.5), "R8G8B8A8_UNORM",
            (23, 15), slices=2, first=(2, 1),
        ),
        "resource-limit": Setup(
            Probe("sample_d", clamp=True), Sampler(**TRILINEAR, max_lod=2.5), "R16G16_FLOAT",
            (16, 16), min_lod=1.25,
        ),
        "resource-limit-of-a-view": Setup(
            Probe("sample_l"), Sampler(**TRILINEAR), "R16G16_FLOAT", (32, 16), min_lod=2.5,
            first=(1, 0),
        ),
        "resource-limit-beyond": Setup(
            Probe("sample_l"), Sampler(address=(BORDER,) * 3, border=COLOUR), "R16G16_FLOAT",
            min_lod=3.5,
        ),
        "gather-limit": Setup(
            Probe("gather4", component=3), Sampler(), "R16G16_FLOAT", min_lod=1.0
        ),
        "gather-limit-below": Setup(Probe("gather4"), Sampler(), "R32_FLOAT", min_lod=0.75),
        "compare-limit": Setup(
            Probe("sample_c_lz"), Sampler(reduction="compare", comparison=3), "R32_FLOAT",
            min_lod=9.0, grid=2,
        ),
        "anisotropic": Setup(
            Probe("sample_d"), Sampler(anisotropic=True, max_anisotropy=5, address=(MIRROR,) * 3),
            extent=(61, 40),
        ),
    }  # fmt: skip
    return found


SETUPS = setups()
# What the engines do not do yet; a mark goes when its test passes.


@pytest.mark.parametrize("name", SETUPS)
def test_engines_follow_the_model(name: str) -> None:
    check(SETUPS[name], seed=len(name), count=128)


@pytest.mark.parametrize("name", ["addresses-4", "cube-array"])
def test_every_width(name: str) -> None:
    check(SETUPS[name], seed=7, count=64, lanes=(4, 8, 16))


def sampled(setup: Setup, texture: object, given: np.ndarray) -> list[np.ndarray]:
    """Return what both engines give."""
    return [run(setup, texture, given, engine)[0] for engine in ("interpreter", "jit")]


def test_infinities_are_summed_with_their_weights() -> None:
    """Section 7.18.8 has a sum of products: no difference of texels, which could be inf - inf."""
    texels = np.array([np.inf, 1, -np.inf, np.inf, np.nan, 2], np.float32)
    places = (np.arange(1, 6, dtype=np.float32) / 6)[:, None]  # midway between two texels
    setup = Setup(
        Probe("sample_l", "1d"), Sampler(**BILINEAR, address=(CLAMP,) * 3), "R32_FLOAT", (6,)
    )
    given = records(np.resize(places, (32, 1)) * np.array([[1, 0, 0, 0]], np.float32))
    for found in sampled(setup, softd3d.Texture1D(texels, "R32_FLOAT"), given):
        np.testing.assert_array_equal(found[:5, 0], [np.inf, -np.inf, np.nan, np.nan, np.nan])


@pytest.mark.parametrize(
    "place",
    [8, 9, 12, 13],
)
def test_a_nan_derivative_loses(place: int) -> None:
    """Section 7.18.11: the larger of two lengths, by Direct3D's max."""
    levels = [np.full((32 >> n, 32 >> n), n, np.float32) for n in range(6)]
    given = records(np.full((32, 4), 0.5, np.float32), dx=[0.125, 0, 0], dy=[0, 0.125, 0])
    given[:, place] = np.nan
    setup = Setup(Probe("sample_d"), Sampler(**TRILINEAR), "R32_FLOAT", (32, 32))
    for found in sampled(setup, softd3d.Texture2D(levels, "R32_FLOAT"), given):
        np.testing.assert_allclose(found[:, 0], 2, atol=2.0**-8)


def test_neighbouring_depths_stay_apart() -> None:
    """References are rounded to codes as depths are: 24 bits are as many as float32 has."""
    codes = np.array([0, 1, 2, 2**23, 2**24 - 3, 2**24 - 2, 2**24 - 1, 12345678], np.uint32)
    texture = softd3d.Texture1D(codes, "R24_UNORM_X8_TYPELESS")
    pairs = [(n, m) for n in range(len(codes)) for m in range(len(codes))][:64]
    place = np.zeros((64, 4), np.float32)
    place[:, 0] = [(n + 0.5) / 8 for n, _ in pairs]
    references = np.array([codes[m] / (2**24 - 1) for _, m in pairs])
    given = records(place, reference=references)
    for function, name in ((2, "less"), (3, "equal"), (4, "less_equal")):
        sampler = Sampler(reduction="compare", comparison=function)
        setup = Setup(Probe("sample_c_lz", "1d"), sampler, "R24_UNORM_X8_TYPELESS", (8,))
        # What float32 makes of the reference, rounded to a code again
        rounded = np.floor(references.astype(np.float32).astype(np.float64) * (2**24 - 1) + 0.5)
        wanted = getattr(np, name)(rounded, codes[[n for n, _ in pairs]])
        for found in sampled(setup, texture, given):
            np.testing.assert_array_equal(found[:, 0], wanted)


def test_nothing_bound_is_nothing() -> None:
    """Section 7.18.17: all components are 0, the fourth too."""
    given = records(np.full((32, 4), 0.5, np.float32), reference=-1.0)
    for opcode in ("sample_l", "gather4", "sample_c_lz", "gather4_c"):
        sampler = Sampler(reduction="compare" if "_c" in opcode else "blend", comparison=2)
        for found in sampled(Setup(Probe(opcode), sampler), None, given):
            assert not found.any(), opcode


def test_anisotropy_blurs_along_its_line_only() -> None:
    """Whatever the taps are: along v nothing changes, along u a ramp keeps its value."""
    column, row = np.random.default_rng(5).random((64, 1)), np.arange(64.0)[None]
    place = np.zeros((64, 4), np.float32)
    place[:, :2] = np.random.default_rng(6).uniform(0.3, 0.7, (64, 2))
    given = records(place, dx=np.array([8 / 64, 0, 0]), dy=np.array([0, 1 / 64, 0]))
    near = records(place)
    setup = Setup(
        Probe("sample_d"), Sampler(anisotropic=True, max_anisotropy=8, address=(CLAMP,) * 3),
        "R32_FLOAT", (64, 64), mips=1,
    )  # fmt: skip
    for texels in (column + 0 * row, row + 0 * column):
        texture = softd3d.Texture2D(texels.astype(np.float32), "R32_FLOAT")
        for blurred, sharp in zip(
            sampled(setup, texture, given), sampled(setup, texture, near), strict=True
        ):
            assert np.max(np.abs(blurred[:, 0] - sharp[:, 0])) < 1 / 64
    noise = np.random.default_rng(7).integers(0, 2, (64, 64)).astype(np.float32)
    texture = softd3d.Texture2D(noise, "R32_FLOAT")
    for blurred, sharp in zip(
        sampled(setup, texture, given), sampled(setup, texture, near), strict=True
    ):
        assert np.std(blurred[:, 0]) < 0.6 * np.std(sharp[:, 0])


@pytest.mark.slow
@pytest.mark.parametrize("name", SETUPS)
def test_many_coordinates(name: str) -> None:
    check(SETUPS[name], seed=1, count=2048, lanes=(4, 8, 16))


@pytest.mark.slow
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("opcode", ["sample_l", "gather4"])
def test_formats(format_: str, opcode: str) -> None:
    sampler = Sampler(**TRILINEAR, address=(BORDER, WRAP, WRAP), border=COLOUR)
    check(Setup(Probe(opcode, component=1), sampler, format_), seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("function", range(1, 9))
@pytest.mark.parametrize("format_", ["R32_FLOAT", "R16_UNORM", "R24_UNORM_X8_TYPELESS"])
def test_comparisons(function: int, format_: str) -> None:
    for opcode in ("sample_c_lz", "gather4_c"):
        sampler = Sampler(**BILINEAR, reduction="compare", comparison=function)
        grid = 3 if format_ == "R32_FLOAT" else 0
        check(Setup(Probe(opcode), sampler, format_, grid=grid), seed=function)


def any_setup(random: np.random.Generator) -> Setup:
    """Draw a setup of any kind."""
    opcode = str(
        random.choice(
            ["sample_l", "sample_l", "sample_d", "sample_d", "sample_c_lz", "gather4", "gather4_c",
             "gather4_po", "gather4_po_c"]
        )
    )  # fmt: skip
    kinds = [Kind.TWO, Kind.CUBE] if "gather" in opcode else [Kind.ONE, Kind.TWO, Kind.CUBE]
    kinds = [Kind.TWO] if "_po" in opcode else kinds
    kind = str(random.choice([*kinds, Kind.THREE] if opcode in {"sample_l", "sample_d"} else kinds))
    array = kind != Kind.THREE and random.random() < 0.4
    compares = "_c" in opcode
    axes = {Kind.ONE: 1, Kind.TWO: 2, Kind.THREE: 3, Kind.CUBE: 1}[kind]
    extent = tuple(int(n) for n in random.integers(1, 18, axes))
    offset = tuple(int(n) for n in random.integers(-8, 8, 3))
    probe = Probe(
        opcode, kind, array, component=0 if compares else int(random.integers(4)),
        offset=None if kind == Kind.CUBE or "_po" in opcode or random.random() < 0.5 else offset,
        status=random.random() < 0.3 and opcode != "sample_d",
        clamp=random.random() < 0.3 and opcode == "sample_d",
    )  # fmt: skip
    formats = ["R32_FLOAT", "R16_UNORM", "R24_UNORM_X8_TYPELESS"] if compares else list(FORMATS)
    low, high = sorted(random.uniform(-1, 6, 2))
    limits = {"min_lod": float(f32(low)), "max_lod": float(f32(high))}
    plain = ["compare"] if compares else ["blend", "blend", "blend", "min", "max"]
    bits = random.random(5) < 0.5
    sampler = Sampler(
        bool(bits[0]), bool(bits[1]), bool(bits[2]), bool(random.random() < 0.15),
        str(random.choice(plain)), tuple(int(m) for m in random.integers(1, 6, 3)),
        bias=float(random.choice([0, 0, 0.5, -1.25])), max_anisotropy=int(random.integers(1, 17)),
        comparison=int(random.integers(1, 9)), border=COLOUR, **(limits if bits[3] else {}),
    )  # fmt: skip
    slices = int(random.integers(1, 4)) if array else 0
    return Setup(probe, sampler, str(random.choice(formats)), extent, slices)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300))
def test_any_setup(seed: int) -> None:
    setup = any_setup(np.random.default_rng(seed))
    check(setup, seed, count=96, lanes=(0,) if seed % 10 else (4, 8, 16))
