"""Rules of the rasteriser and of interpolation: the NumPy algebra and LLVM agree bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from rows import GROUP, Words, native_words, numpy_words

from softd3d.algebra.operations import bitcast, convert, high32, low32, pack64, select
from softd3d.algebra.value import BOOL, F32, F64, I32, U32, Value
from softd3d.pipeline import interpolation
from softd3d.pipeline.rasterizer import (
    bias,
    blocks,
    clip,
    clip_polygon,
    line,
    point,
    triangle,
    viewport,
    wide_line,
)
from softd3d.pipeline.rasterizer.samples import sample_pattern
from softd3d.pipeline.rasterizer.snap import snap
from softd3d.pipeline.rasterizer.triangle import Corner
from softd3d.pipeline.state.enums import CullMode

COUNT = 16 * GROUP
Values = Sequence[Value]
SPECIAL_FLOATS = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 2.0**-126, 3.4e38,
     -3.4e38, 32767.0, -32768.0, 1.5 / 256, 2.5 / 256, 1 - 2.0**-24, 1e10],
    np.float32,
)  # fmt: skip
SPECIAL_PLACES = np.array(
    [0, 1, -1, 127, 128, 129, -128, 256, 1000, -(1 << 23), (1 << 23) - 1, 1 << 22], np.int32
)
SPECIAL_PIXELS = np.array([0, 1, -1, 31, 32, 63, 16383, -32768, 32767], np.int32)


@dataclass(frozen=True)
class Rule:
    """A rule to compare.

    letters: of operands: f a float, p a place in 1/256 pixel, s one near others, d one as a double,
    x a pixel, w a dword.
    """

    letters: str
    function: Callable[[Values], list[Value]]


def _corners(v: Values) -> triangle.Corners:
    return Corner(v[0], v[1]), Corner(v[2], v[3]), Corner(v[4], v[5])


def _set_up(v: Values) -> triangle.Triangle:
    corners = _corners(v)
    return triangle.set_up(corners, triangle.doubled_area(corners))


def _facing(v: Values) -> list[Value]:
    area = triangle.doubled_area(_corners(v))
    front = triangle.is_front_facing(area, front_counter_clockwise=False)
    box = triangle.bounds(_corners(v), sample_pattern(8).extent)
    both = triangle.intersected(box, triangle.Bounds(v[0], v[1], v[2], v[3]))
    return [
        area, front, triangle.is_culled(front, CullMode.BACK), box.left, box.top, box.right,
        box.bottom, both.left, both.bottom,
    ]  # fmt: skip


def _covered(v: Values) -> list[Value]:
    found = _set_up(v)
    edge = found.edges[1]
    value = triangle.edge_value(edge, v[6], v[7])
    return [triangle.covers(found, v[6], v[7]), edge.covering_c, value]


def _small(v: Values) -> list[Value]:
    corners = _corners(v)
    limits = triangle.bounds(corners, sample_pattern(1).extent)
    box = triangle.Bounds(v[6], v[7], v[6] + 7, v[7] + 3)
    bounds = triangle.intersected(limits, box)
    found = [blocks.small_cover(corners, limits, b, [(0, 0), (-96, 32)]) for b in (limits, bounds)]
    return [
        word for cover in found
        for word in (cover.quads, *(word for pair in cover.samples for word in pair))
    ]  # fmt: skip


def _project(v: Values) -> list[Value]:
    found = viewport.project(
        viewport.ClipPosition(*v[:4]), viewport.ViewportTransform(*v[4:6], v[4], v[5], v[6], v[7])
    )
    return [
        found.x, found.y, found.z, found.clip_z, found.inverse_w, snap(found.x), snap(found.y),
        clip.has_nan([found]), clip.needs_depth_test([found]), clip.is_outside_depth([found]),
        clip.needs_clipping([(viewport.ClipPosition(*v[:4]), found)]),
    ]  # fmt: skip


def _distances(v: Values) -> list[Value]:
    weights = [convert(n, F64) for n in v[3:6]]
    depth = interpolation.double_at(interpolation.set_up_attribute(v[:3]), weights[1:])
    return [
        clip.is_culled_by_distances([v[:3], v[3:6]]), clip.needs_distance_test(v[:3]),
        clip.is_dropped_by_clip_distances([v[:3], v[3:6]]), clip.distance_passes(weights, v[:3]),
        clip.depth_passes(depth), clip.within_ends(weights[0]),
    ]  # fmt: skip


def _clipped(v: Values) -> list[Value]:
    at = [viewport.ClipPosition(*v[n : n + 4]) for n in (0, 4, 8)]
    transform = viewport.ViewportTransform(*(v[0].like(n) for n in (0, 0, 64, 32, 0, 1)))
    band = clip_polygon.guard_band(transform)
    polygon = clip_polygon.clip_triangle((at[0], at[1], at[2]), band, depth_clip=True)
    cut = clip_polygon.clip_line(at[0], at[1], band, depth_clip=True)
    found = [polygon.is_empty, cut.is_empty, clip.is_finite(at)]
    for vertex in (*polygon.vertices, cut.start, cut.end):
        weights = clip_polygon.screen_weights(vertex.weights, (at[0].w, at[1].w, at[2].w))
        p = vertex.position
        found += [p.x, p.y, p.z, p.w, clip_polygon.clipped_attribute(weights, v[:3])]
    return found


def _line(v: Values) -> list[Value]:
    found = line.set_up_line(Corner(v[0], v[1]), Corner(v[2], v[3]))
    # Somewhere between first and last.
    major = found.first + bitcast(v[4] & 3, I32)
    major = select(major < found.last, major, found.last)
    pixel = line.lit_pixel(found, major)
    return [
        found.is_x_major, found.first, found.last, pixel.minor, pixel.is_lit,
        line.line_parameter(found, major),
    ]  # fmt: skip


def _rectangle(v: Values) -> list[Value]:
    start, end = (v[0], v[1]), (v[2], v[3])
    corners = wide_line.rectangle(start, end, wide_line.ALPHA_HALF_WIDTH)
    axis = wide_line.set_up_axis(corners[0], corners[1])
    return [
        *(n for c in corners for n in (c.x, c.y)), wide_line.has_length(start, end),
        wide_line.rectangle_parameter(axis, v[4], v[5]),
    ]  # fmt: skip


def _area(v: Values) -> list[Value]:
    a, b, c = _corners(v)
    corners = a, b, c, Corner(v[6], v[7])
    return [wide_line.coverage_of_pixel(corners, v[8], v[9])]


def _point(v: Values) -> list[Value]:
    box = point.point_bounds(Corner(v[0], v[1]), sample_pattern(16))
    return [point.point_covers(Corner(v[0], v[1]), v[2], v[3]), box.left, box.bottom]


def _bias(state: bias.DepthBias) -> Callable[[Values], list[Value]]:
    def function(v: Values) -> list[Value]:
        corners, depths = _corners(v), (v[6], v[7], v[8])
        found = bias.depth_bias(state, corners, depths, triangle.doubled_area(corners))
        return [found, v[6] + found]

    return function


def _interpolation(v: Values) -> list[Value]:
    found = _set_up(v)
    linear = interpolation.triangle_weights(found, interpolation.inverse_area(found), v[12], v[13])
    terms = interpolation.over_w(linear, [1.0 / convert(w, F64) for w in v[9:12]])
    equal = interpolation.has_equal_bits(v[9:12])
    perspective = interpolation.perspective_weights(linear, terms, equal)
    attribute = interpolation.set_up_attribute(v[6:9])
    return [
        interpolation.value_at(attribute, linear), interpolation.value_at(attribute, perspective),
        interpolation.w_at(terms), *perspective,
    ]  # fmt: skip


def _along(v: Values) -> list[Value]:
    weights = (convert(v[0], F64),)
    terms = interpolation.over_w(weights, [1.0 / convert(w, F64) for w in v[1:3]])
    equal = interpolation.has_equal_bits(v[1:3])
    attribute = interpolation.set_up_attribute(v[3:5])
    perspective = interpolation.perspective_weights(weights, terms, equal)
    return [
        interpolation.value_at(attribute, perspective), interpolation.w_at(terms),
        interpolation.w_at(interpolation.over_w((), [terms[0]])),
    ]  # fmt: skip


def _places(v: Values) -> list[Value]:
    found: list[Value] = [viewport.viewport_index(v[0])]
    for count in (1, 2, 4, 8, 16):
        pattern = sample_pattern(count)
        found += pattern.offset(v[0] & 31)
        found += interpolation.centroid_offset(v[0] & v[1] & pattern.full_mask, v[1], pattern)
    place = interpolation.place(v[2], interpolation.snapped_offset(bitcast(v[0], I32)))
    return [*found, place, interpolation.position(place)]


RULES = {
    "facing and bounds": Rule("pppppp", _facing),
    "coverage": Rule("ppppppdd", _covered),
    "small triangles": Rule("ssssssxx", _small),
    "projection": Rule("ffffffff", _project),
    "distances": Rule("ffffff", _distances),
    "clipping": Rule("f" * 12, _clipped),
    "aliased lines": Rule("ppppw", _line),
    "rectangles": Rule("ffffdd", _rectangle),
    "areas": Rule("ppppppppdd", _area),
    "points": Rule("pppp", _point),
    "bias unorm": Rule("ppppppfff", _bias(bias.DepthBias(5, 0.5, 1.5, 24))),
    "bias float": Rule("ppppppfff", _bias(bias.DepthBias(-77, -0.5, -0.3, None))),
    "interpolation": Rule("ppppppffffffdd", _interpolation),
    "along lines": Rule("fffff", _along),
    "places": Rule("wwx", _places),
}


def _column(random: np.random.Generator, letter: str) -> Any:
    """Return one operand's lanes: every fourth is special, floats are large, small, any bits."""
    is_special = random.random(COUNT) < 0.25
    if letter == "w":
        return random.integers(0, 1 << 32, COUNT).astype(np.uint32) >> random.integers(0, 32, COUNT)
    if letter == "f":
        bits = random.integers(0, 1 << 32, COUNT, np.uint32).view(np.float32)
        usual = random.normal(0, 1, COUNT) * 10.0 ** random.integers(-3, 5, COUNT)
        values = np.where(random.random(COUNT) < 0.15, bits, usual.astype(np.float32))
        return np.where(is_special, random.choice(SPECIAL_FLOATS, COUNT), values)
    if letter == "x":
        values = random.integers(-40, 40, COUNT)
        return np.where(is_special, random.choice(SPECIAL_PIXELS, COUNT), values).astype(np.int32)
    if letter == "s":
        return random.integers(-600, 600, COUNT).astype(np.int32)
    size = np.array([512, 4096, 1 << 20])[random.integers(0, 3, COUNT)]
    values = (random.uniform(-1, 1, COUNT) * size).astype(np.int32)
    values = np.where(is_special, random.choice(SPECIAL_PLACES, COUNT), values).astype(np.int32)
    return values.astype(np.float64) if letter == "d" else values


def _words(column: Any) -> list[Words]:
    words = np.ascontiguousarray(column).view(np.uint32).reshape(COUNT, -1)
    return [np.ascontiguousarray(words[:, n]) for n in range(words.shape[1])]


def _applied(rule: Rule, types: list[Any], words: list[Value]) -> list[Value]:
    """Apply a rule to raw dwords; the results' types are left in `types`."""
    at = iter(words)
    operands: list[Value] = []
    for letter in rule.letters:
        if letter == "d":
            operands.append(pack64(next(at), next(at)))
        else:
            operands.append(bitcast(next(at), {"f": F32, "w": U32}.get(letter, I32)))
    out: list[Value] = []
    for value in rule.function(operands):
        types.append(value.type)
        if value.type is F64:
            out += [low32(value), high32(value)]
        elif value.type is BOOL:
            out.append(select(value, value.k.const(U32, 1), 0))
        else:
            out.append(bitcast(value, U32))
    return out


@pytest.mark.parametrize("name", RULES)
def test_a_rule_of_the_rasteriser_gives_the_same_bits_on_both_engines(
    name: str,
) -> None:
    rule = RULES[name]
    random = np.random.default_rng(len(name))
    inputs = [w for letter in rule.letters for w in _words(_column(random, letter))]
    types: list[Any] = []
    wanted = numpy_words(lambda v: _applied(rule, types, v), inputs)
    found = native_words(lambda v: _applied(rule, [], v), inputs, 16)
    pairs = iter(zip(wanted, found, strict=True))
    for n, type_ in enumerate(types):
        a, b = (np.stack(side, axis=-1) for side in zip(
            *[next(pairs) for _ in range(2 if type_ is F64 else 1)], strict=True))  # fmt: skip
        equal = (a == b).all(axis=-1)
        if type_.is_float:
            dtype = np.float64 if type_ is F64 else np.float32
            equal |= (np.isnan(a.view(dtype)) & np.isnan(b.view(dtype)))[:, 0]
        lane = int(equal.argmin())
        row = [hex(int(i[lane])) for i in inputs]
        assert equal.all(), f"result {n}, {row}: {a[lane]} is not {b[lane]}"
