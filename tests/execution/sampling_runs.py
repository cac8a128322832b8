"""Run a sampling instruction on both engines and hold it to the model, bit by bit to each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sampling_formats import FORMATS, make_texture
from sampling_model import gather, lod_pair, sample, sample_d
from sampling_shaders import GROUP, Probe, records, text_of
from sampling_state import Kind, Result, Sampler, Texture

import softd3d

__all__ = ["Setup", "check", "coordinates", "differences", "expected", "inputs", "run"]

Array = np.ndarray[Any, Any]
COORDINATES = {Kind.ONE: 1, Kind.TWO: 2, Kind.THREE: 3, Kind.CUBE: 3}
SPECIAL = np.array(
    [0, -0.0, 1, -1, 0.5, 10, -10, 9.9999, 1e-40, -1e-40, 1e6, 1e30, -1e30, 3e38, np.inf, -np.inf,
     np.nan],
    np.float32,
)  # fmt: skip
# The blending arithmetic may round a few times, relative to the largest texel.
BLENDED = 8 * 2.0**-24
SMALLEST = 2.0**-126


@dataclass(frozen=True)
class Setup:
    """A texture, a sampler and an instruction, and how its inputs are drawn.

    slices, mips: of the view; the texture has as many more as the view leaves out. slope: the
    largest derivative, in the whole texture's extent.
    """

    probe: Probe
    sampler: Sampler = field(default_factory=Sampler)
    format: str = "R32G32B32A32_FLOAT"
    extent: tuple[int, ...] = (13, 7)
    slices: int = 0
    mips: int = 0
    min_lod: float = 0.0  # of the resource, counted from its own first mip
    first: tuple[int, int] = (0, 0)  # mip and slice (or cube) where the view begins
    slope: float = 0.5
    grid: int = 0  # texels and references are multiples of 1 / grid, so that they meet


def coordinates(setup: Setup, count: int, random: np.random.Generator) -> Array:
    """Return float32, (count, 4): of the texture, then of the array."""
    found = np.zeros((count, 4), np.float32)
    axes = COORDINATES[setup.probe.kind]
    for axis in range(axes):
        if setup.probe.kind == Kind.CUBE:
            found[:, axis] = random.uniform(-1, 1, count)
        else:
            found[:, axis] = _along(setup.extent[axis], count, random)
    if setup.probe.kind == Kind.CUBE:
        _towards_edges(found[:, :3], random)
    special = random.random((count, axes)) < 0.04
    found[:, :axes][special] = random.choice(SPECIAL, np.count_nonzero(special))
    if setup.probe.array:
        slices = random.uniform(-2, setup.slices + 1, count).astype(np.float32)
        halves = np.round(slices) + np.float32(0.5)
        slices = np.where(random.random(count) < 0.3, halves, slices)
        found[:, axes] = np.where(random.random(count) < 0.1, random.choice(SPECIAL, count), slices)
    return found


def _along(size: int, count: int, random: np.random.Generator) -> Array:
    """Return coordinates of an axis: any, texels' centres and edges, and what is next to them."""
    places = (random.integers(-5 * size, 6 * size, count) / (2 * size)).astype(np.float32)
    towards = np.where(random.random(count) < 0.5, np.inf, -np.inf).astype(np.float32)
    near = (places + random.integers(-2, 3, count) / (512 * size)).astype(np.float32)
    far = random.uniform(-1, 1, count) * 10.0 ** random.integers(0, 7, count)
    kinds = [
        random.uniform(0, 1, count), random.uniform(-3, 3, count), places,
        np.nextafter(places, towards), near, far,
    ]  # fmt: skip
    return np.choose(random.integers(0, len(kinds), count), kinds).astype(np.float32)


def _towards_edges(directions: Array, random: np.random.Generator) -> None:
    """Make many directions meet edges, corners and middles of faces."""
    count = len(directions)
    signs = np.where(random.random((count, 3)) < 0.5, -1, 1)
    close = signs * (1 - 0.3 * random.random((count, 3)) ** 3)
    equal = random.random((count, 3)) < 0.2
    close[equal] = signs[equal]
    close[random.random((count, 3)) < 0.1] = 0
    chosen = random.random(count) < 0.6
    directions[chosen] = close[chosen]
    directions *= np.exp2(random.integers(-9, 9, (count, 1))).astype(np.float32)


def inputs(setup: Setup, count: int, random: np.random.Generator) -> Array:
    """Return the records that the shader reads."""
    lods = random.uniform(-2, 6, count).astype(np.float32)
    ties = (np.round(lods * 512) / 512).astype(np.float32)
    lods = np.choose(random.integers(0, 3, count), [lods, ties, np.round(lods * 2) / 2])
    lods = np.where(random.random(count) < 0.05, random.choice(SPECIAL, count), lods)
    references = random.uniform(-0.5, 1.5, count)
    if setup.grid:
        references = random.integers(-1, setup.grid + 2, count) / setup.grid
    steepness = 2.0 ** random.uniform(-8, 0, (count, 1)) * setup.slope
    return records(
        coordinates(setup, count, random), lod=lods, reference=references,
        clamp=random.uniform(-1, 5, count), bias=random.uniform(-3, 3, count),
        dx=random.uniform(-1, 1, (count, 3)) * steepness,
        dy=random.uniform(-1, 1, (count, 3)) * steepness,
        offsets=random.integers(-100, 100, (count, 2)),
    )  # fmt: skip


def expected(setup: Setup, texture: Texture, record: Array) -> list[Result]:
    """Return what the model allows for one record."""
    probe, sampler = setup.probe, setup.sampler
    axes = COORDINATES[probe.kind]
    place = list(record[:axes])
    array = record[axes] if probe.array else 0.0
    offset = probe.offset or (0, 0, 0)
    lod, reference, clamp, bias = record[4:8]
    seen = reference if probe.compares else None
    if probe.gathers:
        if "_po" in probe.opcode:
            offset = tuple(_six_bits(int(o)) for o in record[16:18].view(np.int32))
        found = gather(
            texture, sampler, place, probe.component, array=array, offset=offset, reference=seen
        )
        return [found]
    if probe.opcode in {"sample_l", "sample_c_lz"}:
        level = lod if probe.opcode == "sample_l" else np.float32(0)
        return [sample(texture, sampler, place, level, array=array, offset=offset, reference=seen)]
    if probe.opcode == "lod":
        pair = lod_pair(texture, sampler, place, record[8:11], record[12:15])
        return [Result(np.array([*pair, 0.0, 0.0]), np.full(4, 64.0), exact=False)]
    return sample_d(
        texture, sampler, place, record[8:11], record[12:15], array=array, offset=offset,
        reference=seen, least_lod=clamp if probe.clamp else None,
        bias=float(bias) if probe.opcode == "sample_b" else 0.0,
    )  # fmt: skip


def _six_bits(number: int) -> int:
    """Return the low six bits as a signed number."""
    return (number & 63 ^ 32) - 32


def explains(found: Array, result: Result, rounding: float) -> bool:
    """Whether a result is the model's, as far as the arithmetic may round."""
    want = result.value
    error = result.error + rounding + (0 if result.exact else BLENDED)
    with np.errstate(invalid="ignore"):
        close = np.abs(found - want) <= error * result.scale + SMALLEST
    same = (found == want) | (np.isnan(found) & np.isnan(want))
    return bool(np.all(same | close))


def differences(
    setup: Setup, texture: Texture, given: Array, found: Array
) -> list[tuple[Array, Array, list[Array]]]:
    """Return inputs, results and the model's results where these differ."""
    rounding = FORMATS[setup.format].error
    bad: list[tuple[Array, Array, list[Array]]] = []
    with np.errstate(invalid="ignore", over="ignore", divide="ignore", under="ignore"):
        for record, row in zip(given, found, strict=True):
            wanted = expected(setup, texture, record)
            if not any(explains(row.astype(np.float64), w, rounding) for w in wanted):
                bad.append((record, row, [w.value for w in wanted]))
    return bad


def state_of(sampler: Sampler) -> softd3d.SamplerState:
    """Return the package's sampler state."""
    return softd3d.SamplerState(
        sampler.filter, *sampler.address, mip_lod_bias=sampler.bias,
        max_anisotropy=sampler.max_anisotropy, comparison_func=sampler.comparison,
        border_color=sampler.border, min_lod=sampler.min_lod, max_lod=sampler.max_lod,
    )  # fmt: skip


def run(
    setup: Setup, texture: Any, given: Array, engine: str, lanes: int = 0
) -> tuple[Array, Array]:
    """Return float32, (count, 4), and the words of the mapping status."""
    out = np.zeros((len(given), 8), np.float32)
    softd3d.dispatch(
        softd3d.load(softd3d.assemble(text_of(setup.probe))), (len(given) // GROUP, 1, 1),
        srvs={0: texture, 1: softd3d.StructuredBuffer(given)},
        uavs={0: softd3d.StructuredBuffer(out)}, samplers={0: state_of(setup.sampler)},
        engine=engine, lanes=lanes,
    )  # fmt: skip
    return out[:, :4], out[:, 4].view(np.uint32)


def check(
    setup: Setup, seed: int, count: int = 256, lanes: Sequence[int] = (0,),
    draw: Callable[[Setup, int, np.random.Generator], Array] = inputs,
) -> None:  # fmt: skip
    """Draw inputs, run both engines, and compare."""
    random = np.random.default_rng(seed)
    change = None if not setup.grid else lambda items, _: np.round(items * setup.grid) / setup.grid
    mip, slice_ = setup.first
    texture, plain = make_texture(
        setup.format, setup.probe.kind, setup.extent, random,
        slices=setup.slices + slice_ if setup.slices else 0, mips=setup.mips, change=change,
    )  # fmt: skip
    faces = 6 if setup.probe.kind == Kind.CUBE else 1
    levels = [level[faces * slice_ :] for level in plain.levels[mip:]]
    plain = replace(plain, levels=levels, min_lod=setup.min_lod - mip)
    if setup.first != (0, 0) or setup.min_lod:
        texture = texture.view(
            most_detailed_mip=mip, first_array_slice=faces * slice_, min_lod=setup.min_lod
        )
    given = draw(setup, count, random)
    found, mapped = run(setup, texture, given, "interpreter")
    assert np.all(mapped == 0xFFFFFFFF)
    bad = differences(setup, plain, given, found)
    assert not bad, f"{len(bad)} of {count}: {setup}\n" + "\n".join(
        f"record {record.tolist()}\nfound  {row.tolist()}\nwanted {[w.tolist() for w in want]}"
        for record, row, want in bad[:3]
    )
    for width in lanes:
        native, mapped = run(setup, texture, given, "jit", width)
        assert np.all(mapped == 0xFFFFFFFF)
        same = (native.view(np.uint32) == found.view(np.uint32)) | (
            np.isnan(native) & np.isnan(found)
        )
        where = np.argwhere(~same)
        assert not len(where), (
            f"{setup}: width {width} differs at {given[where[0][0]].tolist()}: "
            f"{native[where[0][0]]} and {found[where[0][0]]}"
        )
