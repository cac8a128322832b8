"""Texture sampling by the letter: one coordinate at a time, in plain Python, to test engines by.

It shares nothing with the package. A filter here is a *footprint*: the texels with weights that are
not zero. Coordinates are float32 as the specification's are, everything after is exact in float64:
weights have 8 fraction bits an axis. Where the specification leaves a choice, this one takes what
docs/numbers.md says: coordinates and levels of detail are rounded to 8 fraction bits, to nearest.

Spec: D3D11.3 sections 5.8 (level clamps of resources), 7.18 (sampling), 22.4 (instructions).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sampling_cube import FACES, face_of, fold, project
from sampling_state import (
    BORDER,
    CLAMP,
    MIRROR,
    MIRROR_ONCE,
    WRAP,
    Kind,
    Result,
    Sampler,
    Texture,
    fixed,
    flushed,
    least,
    most,
)

__all__ = ["clamped_lod", "gather", "level_taps", "lod_pair", "sample", "sample_d"]

Array = np.ndarray[Any, Any]
Vector = Sequence[Any]  # float32 numbers
Footprint = list[tuple[float, Array]]
f32 = np.float32

# What a level of detail computed from derivatives may be off by, through roots and logarithms.
LOD_ERROR = 1e-5


# Addresses: sections 7.18.6 to 7.18.9


def reduce_range(u: Any, mode: int) -> Any:
    """Bring a coordinate near the texture, without changing which texels it means."""
    if mode == WRAP:
        return f32(u - np.floor(u))
    if mode == MIRROR:
        half = f32(u * f32(0.5))
        return f32((half - np.trunc(half)) * f32(2))
    if mode == CLAMP and np.isnan(u):
        return f32(-10)  # a NaN loses against a limit
    return f32(-10) if u <= -10 else f32(10) if u >= 10 else u


def address(t: int, size: int, mode: int) -> int | None:
    """Return the texel that a number outside stands for; None is the border."""
    if 0 <= t < size:
        return t
    if mode == WRAP:
        return t % size
    if mode == BORDER:
        return None
    if t < 0 and mode in {MIRROR, MIRROR_ONCE}:
        t = -t - 1
    if mode == MIRROR:
        tile, t = divmod(t, size)
        return size - 1 - t if tile % 2 else t
    return max(0, min(t, size - 1))


def axis_taps(position: Any, linear: bool) -> list[tuple[float, int]]:
    """Return weights and texel numbers along an axis; weights of zero are left out."""
    steps = fixed(position)
    if not linear:
        return [(1.0, steps >> 8)]
    steps -= 128
    weight, texel = (steps & 255) / 256, steps >> 8
    return [(w, t) for w, t in ((1 - weight, texel), (weight, texel + 1)) if w]


def texel_at(
    texture: Texture, sampler: Sampler, level: int, slice_: int, place: Sequence[int]
) -> Array:
    """Return the texel, or the border colour, for texel numbers that may lie outside."""
    numbers = [
        address(t, size, mode)
        for t, size, mode in zip(place, texture.extent(level), sampler.address, strict=False)
    ]
    if None in numbers:
        return border_colour(texture, sampler)
    x, y, z = (*numbers, 0, 0)[:3]
    return texture.levels[level][slice_, z, y, x]


def border_colour(texture: Texture, sampler: Sampler) -> Array:
    """Return the border colour as the format could hold it."""
    return texture.completed([least(most(c, texture.low), texture.high) for c in sampler.border])


# Cubes: section 7.18.12


def cube_corners(
    texture: Texture, level: int, cube: int, face: int, places: Sequence[Sequence[int]]
) -> list[Array | None]:
    """Return the texels at places on a face and around it; None for one beyond a corner."""
    size = texture.extent(level)[0]
    found = [fold(face, x, y, size) for x, y in places]
    texels = texture.levels[level]
    return [None if f is None else texels[6 * cube + f[0], 0, f[2], f[1]] for f in found]


# Footprints of one level


def slice_of(number: Any, count: int) -> int:
    """Return the array slice: to nearest even, clamped."""
    if math.isnan(number):
        return 0
    return int(least(most(np.rint(number), 0.0), count - 1.0))


def footprint(
    texture: Texture, sampler: Sampler, coordinate: Vector, array: Any, level: int,
    linear: bool, offset: Sequence[int], seen: Callable[[Array], Array],
) -> Footprint:  # fmt: skip
    """Return the weighted texels of one level; seen: what becomes of each before the filter."""
    slices = texture.levels[level].shape[0]
    extent = texture.extent(level)
    if texture.kind == Kind.CUBE:
        return cube_footprint(texture, coordinate, array, level, linear, seen)
    taps = [
        [(w, t + o) for w, t in axis_taps(f32(reduce_range(u, mode) * f32(size)), linear)]
        for u, size, mode, o in zip(
            coordinate[: texture.axes], extent, sampler.address, offset, strict=False
        )
    ]
    slice_ = slice_of(array, slices)
    chosen: list[tuple[float, tuple[int, ...]]] = [(1.0, ())]
    for axis in taps:
        chosen = [(w * v, (*p, t)) for w, p in chosen for v, t in axis]
    return [(w, seen(texel_at(texture, sampler, level, slice_, p))) for w, p in chosen]


def cube_footprint(
    texture: Texture, direction: Vector, array: Any, level: int,
    linear: bool, seen: Callable[[Array], Array],
) -> Footprint:  # fmt: skip
    """Return the weighted texels of a cube; a missing one's weight goes to the three others."""
    size = texture.extent(level)[0]
    cube = slice_of(array, texture.levels[level].shape[0] // 6)
    face = face_of(direction)
    u, v = (axis_taps(f32(c * f32(size)), linear) for c in project(direction, face))
    if not linear:
        x, y = (max(0, min(t, size - 1)) for ((_, t),) in (u, v))
        return [(1.0, seen(texture.levels[level][6 * cube + face, 0, y, x]))]
    weights = [a * b for b, _ in v for a, _ in u]
    found = cube_corners(texture, level, cube, face, [(x, y) for _, y in v for _, x in u])
    spread = sum(w for w, t in zip(weights, found, strict=True) if t is None) / 3
    return [(w + spread, seen(t)) for w, t in zip(weights, found, strict=True) if t is not None]


# Levels of detail: sections 5.8, 7.18.10, 7.18.11


def clamped_lod(texture: Texture, sampler: Sampler, lod: Any, least_lod: Any = None) -> Any:
    """Return the level of detail between all clamps, or None where they leave none."""
    limits = [] if least_lod is None else [float(least_lod)]
    if texture.min_lod > 0:
        limits.append(texture.min_lod)
    if any(limit > texture.last for limit in limits):
        return None
    clamped = most(f32(sampler.min_lod), least(f32(sampler.max_lod), lod))
    for limit in limits:
        clamped = most(clamped, f32(limit))
    return clamped


def level_taps(texture: Texture, lod: Any, linear: bool) -> list[tuple[float, int]]:
    """Return weights and levels."""
    steps = fixed(lod)
    if not linear:
        taps = [(1.0, (steps + 128) >> 8)]
    else:
        weight, level = (steps & 255) / 256, steps >> 8
        taps = [(w, n) for w, n in ((1 - weight, level), (weight, level + 1)) if w]
    return [(w, max(0, min(n, texture.last))) for w, n in taps]


@dataclass
class Ellipse:
    """What derivatives say: the level, and the taps' number and spread in coordinates."""

    lod: float
    ratio: float = 1.0
    line: tuple[float, float] = (0.0, 0.0)


def scaled_derivatives(
    texture: Texture, coordinate: Vector, dx: Vector, dy: Vector
) -> tuple[list[float], list[float]]:
    """Return derivatives in texels of the first level."""
    extent = texture.extent(0)
    if texture.kind != Kind.CUBE:
        along = range(texture.axes)
        scaled = [[float(d[n]) * extent[n] for n in along] for d in (dx, dy)]
    else:
        axis, _, *minors = FACES[face_of(coordinate)]
        major = np.float64(abs(coordinate[axis]))
        sign = -1.0 if np.signbit(coordinate[axis]) else 1.0
        scaled = [
            [
                (major * s * float(d[a]) - s * float(coordinate[a]) * sign * float(d[axis]))
                / (major * major)
                * 0.5
                * extent[0]
                for a, s in minors
            ]
            for d in (dx, dy)
        ]
    return scaled[0], scaled[1]


def log2(number: float) -> float:
    """Return the logarithm, of 0 too."""
    return -math.inf if number == 0 else math.log2(number)


def isotropic(dx: list[float], dy: list[float]) -> Ellipse:
    """Return the level of the longer derivative."""
    return Ellipse(log2(most(math.hypot(*dx), math.hypot(*dy))))


def anisotropic(dx: list[float], dy: list[float], limit: int) -> Ellipse:
    """Return the level of the ellipse's minor axis, and its major one as a line in texels."""
    (ux, vx), (uy, vy) = dx, dy
    square_x, square_y = ux * ux + vx * vx, uy * uy + vy * vy
    determinant = abs(ux * vy - vx * uy)
    square = max(square_x, square_y)
    if square == 0:
        return Ellipse(-math.inf)
    length = math.sqrt(square)
    line = (ux / length, vx / length) if square_x > square_y else (uy / length, vy / length)
    ratio = square / determinant if determinant else math.inf
    if ratio > limit:
        ratio = float(limit)
        minor = length / ratio
    else:
        minor = determinant / length
    if minor < 1:
        ratio = max(1.0, ratio * minor)
    return Ellipse(log2(minor), ratio, (line[0] * length, line[1] * length))


# Instructions


def comparison(function: int, reference: Any, texel: float) -> bool:
    """Compare by D3D11_COMPARISON_FUNC: 1 never, then less, equal, their union, and so on."""
    if function in {1, 8}:
        return function == 8
    if math.isnan(reference) or math.isnan(texel):
        return function == 6
    less, equal, greater = reference < texel, reference == texel, reference > texel
    bits = function - 1
    return bool((bits & 1 and less) or (bits & 2 and equal) or (bits & 4 and greater))


def viewer(texture: Texture, sampler: Sampler, reference: Any) -> Callable[[Array], Array]:
    """Return what a texel becomes before it is filtered: itself, or the result of comparing."""
    if reference is None:
        return lambda texel: texel
    value = float(reference)
    if texture.bits:
        top = 2**texture.bits - 1
        clamped = 0.0 if math.isnan(value) else min(max(value, 0.0), 1.0)
        value = math.floor(clamped * top + 0.5) / top
    return lambda texel: np.full(4, float(comparison(sampler.comparison, value, float(texel[0]))))


def reduce(taps: Footprint, reduction: str) -> Result:
    """Make one value of a footprint."""
    texels = np.array([texel for _, texel in taps])
    scale = np.max(np.where(np.isnan(texels), 0.0, np.abs(texels)), axis=0)
    if len({tuple(t.tolist()) for t in texels}) == 1:
        return Result(texels[0], scale, exact=True)
    if reduction == "min":
        return Result(np.fmin.reduce(texels), scale, exact=True)
    if reduction == "max":
        return Result(np.fmax.reduce(texels), scale, exact=True)
    weights = np.array([weight for weight, _ in taps])
    with np.errstate(invalid="ignore"):
        return Result((texels * weights[:, None]).sum(axis=0), scale, exact=False)


def sample(
    texture: Texture, sampler: Sampler, coordinate: Vector, lod: Any, *, array: Any = 0.0,
    offset: Sequence[int] = (0, 0, 0), reference: Any = None, least_lod: Any = None,
    biased: bool = False, ellipse: Ellipse | None = None,
) -> Result:  # fmt: skip
    """Sample at a level; biased: the level includes the sampler's bias already."""
    seen = viewer(texture, sampler, reference)
    clamped = clamped_lod(
        texture, sampler, lod if biased else flushed(f32(lod) + f32(sampler.bias)), least_lod
    )
    if clamped is None:
        value = seen(texture.empty())
        return Result(value, np.abs(value), exact=True)
    linear = sampler.anisotropic or (sampler.mag if clamped <= 0 else sampler.min)
    taps: Footprint = []
    places = walk(texture, coordinate, ellipse)
    for share, place in places:
        for weight, level in level_taps(texture, clamped, sampler.mip or sampler.anisotropic):
            found = footprint(texture, sampler, place, array, level, linear, offset, seen)
            taps += [(share * weight * w, texel) for w, texel in found]
    result = reduce(taps, sampler.reduction)
    result.error = 2.0**-8 if len(places) > 1 else 0.0
    return result


def walk(
    texture: Texture, coordinate: Vector, ellipse: Ellipse | None
) -> list[tuple[float, Vector]]:
    """Return the places of an anisotropic filter, evenly spaced along the major axis."""
    count = 1 if ellipse is None else math.ceil(most(1.0, ellipse.ratio) - 1e-6)
    if ellipse is None or count == 1:
        return [(1.0, coordinate)]
    steps = [(n + 0.5) / count - 0.5 for n in range(count)]
    size = texture.extent(0)
    return [
        (1 / count, [f32(u + s * d / e) for u, d, e in zip(coordinate, ellipse.line, size)])  # noqa: B905
        for s in steps
    ]


def derived(
    texture: Texture, sampler: Sampler, coordinate: Vector, dx: Vector, dy: Vector
) -> Ellipse:
    """Return what derivatives in normalised coordinates ask for."""
    scaled = scaled_derivatives(texture, coordinate, dx, dy)
    if sampler.anisotropic and texture.kind == Kind.TWO:
        return anisotropic(*scaled, max(1, sampler.max_anisotropy))
    return isotropic(*scaled)


def sample_d(
    texture: Texture, sampler: Sampler, coordinate: Vector, dx: Vector, dy: Vector, *,
    array: Any = 0.0, offset: Sequence[int] = (0, 0, 0), reference: Any = None,
    least_lod: Any = None, bias: float = 0.0,
) -> list[Result]:  # fmt: skip
    """Sample with derivatives: two results where the level's last bit is too close to tell."""
    ellipse = derived(texture, sampler, coordinate, dx, dy)
    exact = ellipse.lod + sampler.bias + bias
    levels = {fixed(exact + e) for e in (-LOD_ERROR, LOD_ERROR)}
    signs = {exact + e <= 0 for e in (-LOD_ERROR, LOD_ERROR)}
    errors = (-LOD_ERROR, LOD_ERROR) if len(levels) + len(signs) > 2 else (0.0,)
    return [
        sample(
            texture, sampler, coordinate, f32(exact + e), array=array, offset=offset,
            reference=reference, least_lod=least_lod, biased=True, ellipse=ellipse,
        )
        for e in errors
    ]  # fmt: skip


def lod_pair(
    texture: Texture, sampler: Sampler, coordinate: Vector, dx: Vector, dy: Vector
) -> tuple[float, float]:
    """Return what the lod instruction gives: the clamped level, the unclamped one.

    The former is also clamped to the texture's levels, as sampling would.
    """
    lod = derived(texture, sampler, coordinate, dx, dy).lod + sampler.bias
    clamped = clamped_lod(texture, sampler, lod)
    return (0.0 if clamped is None else float(most(0.0, least(texture.last, clamped)))), lod


def gather(
    texture: Texture, sampler: Sampler, coordinate: Vector, component: int, *,
    array: Any = 0.0, offset: Sequence[int] = (0, 0), reference: Any = None,
) -> Result:  # fmt: skip
    """Return a component of the four texels of the first level: lower left, then anticlockwise."""
    seen = viewer(texture, sampler, reference)
    if texture.min_lod >= 1 or texture.min_lod > texture.last:
        texels: list[Array | None] = [seen(texture.empty())] * 4
    else:
        texels = gathered(texture, sampler, coordinate, array, offset, seen)
    known = [texel[component] for texel in texels if texel is not None]
    mean = sum(known) / len(known)
    value = np.array([mean if texel is None else texel[component] for texel in texels])
    return Result(value, np.full(4, np.max(np.abs(known))), exact=len(known) == len(texels))


def gathered(
    texture: Texture, sampler: Sampler, coordinate: Vector, array: Any, offset: Sequence[int],
    seen: Callable[[Array], Array],
) -> list[Array | None]:  # fmt: skip
    """Return the four texels, None for one beyond a cube's corner."""
    extent = texture.extent(0)
    order = ((0, 1), (1, 1), (1, 0), (0, 0))
    slices = texture.levels[0].shape[0]
    if texture.kind == Kind.CUBE:
        face = face_of(coordinate)
        left, top = ((fixed(f32(c * f32(extent[0]))) - 128) >> 8 for c in project(coordinate, face))
        places = [(left + x, top + y) for x, y in order]
        found = cube_corners(texture, 0, slice_of(array, slices // 6), face, places)
        return [None if t is None else seen(t) for t in found]
    left, top = (
        ((fixed(f32(reduce_range(u, mode) * f32(size))) - 128) >> 8) + o
        for u, mode, size, o in zip(coordinate, sampler.address, extent, offset)  # noqa: B905
    )
    slice_ = slice_of(array, slices)
    return [seen(texel_at(texture, sampler, 0, slice_, (left + x, top + y))) for x, y in order]
