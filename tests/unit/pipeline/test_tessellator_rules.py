"""The tessellator's rules: the same bits on arrays and in machine code, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from both_engines import check_both, integers
from lane_values import f32, u32
from patch_factors import SPACES, random_factors
from rows import GROUP

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import bitcast, select, urem
from softd3d.algebra.value import BOOL, F32, Value
from softd3d.isa.sm4.enums import Domain, Partitioning
from softd3d.pipeline.tessellator.axis import HALF, axis_of, axis_position
from softd3d.pipeline.tessellator.coordinates import (
    domain_location,
    third_coordinate,
    tri_point,
)
from softd3d.pipeline.tessellator.factors import (
    EDGES,
    FACTORS,
    ONE,
    AxisFactor,
    PatchFactors,
    process_factors,
)

SETS = 313 * GROUP  # of factors: more than 20,000
NAN, INF = float("nan"), float("inf")
ODD, EVEN = Partitioning.FRACTIONAL_ODD, Partitioning.FRACTIONAL_EVEN
INTEGER, POW2 = Partitioning.INTEGER, Partitioning.POW2


def _all_rules(domain: Domain, partitioning: Partitioning, words: list[Value]) -> list[Value]:
    """Return every number on the way from factors to a point; words: factors, two numbers."""
    *factors, first, second = words
    found = process_factors(domain, partitioning, [bitcast(f, F32) for f in factors])
    axes = [axis_of(factor) for factor in found.axes]
    results = [found.is_culled, found.is_single]
    for factor, axis in zip(found.axes, axes, strict=True):
        results += [factor.fixed, factor.is_odd, axis.points, axis.middle, axis.blend]
        results += [axis.split, axis.below, axis.above]
        results.append(axis_position(axis, urem(first, axis.points)))
    running = axis_position(axes[-1], urem(second, axes[-1].points))
    held = axis_position(axes[-1], urem(first, axes[-1].middle))
    u, v = tri_point(held, running, urem(second, second.like(3)))
    w = third_coordinate(u, v)
    return [*results, running, u, v, w, *(domain_location(n) for n in (running, u, v, w))]


@pytest.mark.parametrize(("domain", "partitioning"), SPACES)
def test_both_engines_agree(domain: Domain, partitioning: Partitioning) -> None:
    seed = SPACES.index((domain, partitioning))
    factors = random_factors(domain, seed, SETS).view(np.uint32)
    columns = [np.ascontiguousarray(column) for column in factors.T]
    lanes = (4, 8, 16)[seed % 3]
    check_both(
        lambda words: _all_rules(domain, partitioning, words),
        [*columns, *integers(2, seed, count=SETS)], lanes,
    )  # fmt: skip


def _processed(domain: Domain, partitioning: Partitioning, *factors: float) -> PatchFactors:
    return process_factors(domain, partitioning, [f32([f]) for f in factors])


def _numbers(domain: Domain, partitioning: Partitioning, *factors: float) -> list[float]:
    """Return the factors that the tessellator uses."""
    axes = _processed(domain, partitioning, *factors).axes
    return [float(axis.fixed.raw[0]) / ONE for axis in axes]


@pytest.mark.parametrize("partitioning", [INTEGER, POW2, ODD, EVEN])
@pytest.mark.parametrize("domain", [Domain.ISOLINE, Domain.TRI, Domain.QUAD])
def test_edges_that_are_not_above_0_cull_and_insides_do_not(
    domain: Domain, partitioning: Partitioning
) -> None:
    for at in range(FACTORS[domain]):
        for bad in (NAN, 0.0, -0.0, -3.0, -INF, -1e-45):
            factors = [3.0] * FACTORS[domain]
            factors[at] = bad
            found = _processed(domain, partitioning, *factors)
            assert found.is_culled.raw.all() == (at < EDGES[domain])
    tiny = [1e-45] * FACTORS[domain]
    assert not _processed(domain, partitioning, *tiny).is_culled.raw.any()


@pytest.mark.parametrize(
    ("partitioning", "low", "high"),
    [(INTEGER, 1, 64), (POW2, 1, 64), (ODD, 1, 63), (EVEN, 2, 64)],
)
def test_factors_are_held_within_limits(partitioning: Partitioning, low: int, high: int) -> None:
    for factor in (1e-45, 0.25, 1.0):
        assert _numbers(Domain.TRI, partitioning, *[factor] * 4) == [low] * 4
    for factor in (64.0, 64.5, 1e30, INF):
        assert _numbers(Domain.QUAD, partitioning, *[factor] * 6) == [high] * 6
    for inside in (NAN, -1.0, 0.0, -INF):
        assert _numbers(Domain.TRI, partitioning, low, low, low, inside)[3] == low


def test_whole_partitionings_round_up_and_fractional_ones_to_nearest_even() -> None:
    for partitioning in (INTEGER, POW2):
        assert _numbers(Domain.ISOLINE, partitioning, 2.0000002, 5.5) == [3, 6]
        assert _numbers(Domain.TRI, partitioning, 3, 5, 6.99, 7.01) == [3, 5, 7, 8]
    step = 1 / ONE
    for offset, wanted in ((0.5, 0), (1.5, 2), (2.5, 2), (0.75, 1)):
        for partitioning in (ODD, EVEN):
            found = _numbers(Domain.ISOLINE, partitioning, 1, 3 + offset * step)
            assert found == [1, 3 + wanted * step]


@pytest.mark.parametrize("partitioning", [INTEGER, POW2, ODD, EVEN])
def test_lines_are_whole_in_every_partitioning(partitioning: Partitioning) -> None:
    assert _numbers(Domain.ISOLINE, partitioning, 0.5, 3)[0] == 1
    assert _numbers(Domain.ISOLINE, partitioning, 63.5, 3)[0] == 64


def test_a_split_edge_of_an_odd_patch_splits_its_insides() -> None:
    barely, least = 1 + 2.0**-17, 1 + 2.0**-16
    more = barely + 2.0**-23
    assert _numbers(Domain.TRI, ODD, 1, 1, barely, 1)[3] == 1
    assert _numbers(Domain.TRI, ODD, 1, 1, more, 1)[3] == least
    assert _numbers(Domain.TRI, ODD, 1, 1, 1, more)[3] == least
    assert _numbers(Domain.QUAD, ODD, 1, 1, 1, 1, barely, 1)[4:] == [1, 1]
    assert _numbers(Domain.QUAD, ODD, 1, 1, 1, 1, 1, more)[4:] == [least, least]
    assert _numbers(Domain.QUAD, ODD, 1, 1, 1, more, NAN, -1)[4:] == [least, least]
    assert _numbers(Domain.QUAD, EVEN, 2, 2, 2, more, 1, 2)[4:] == [2, 2]


def test_an_inside_of_1_counts_as_even_and_an_edge_of_1_as_odd() -> None:
    found = _processed(Domain.TRI, INTEGER, 1, 2, 3, 1)
    assert [bool(a.is_odd.raw[0]) for a in found.axes] == [True, False, True, False]
    points = [int(axis_of(a).points.raw[0]) for a in found.axes]
    assert points == [2, 3, 4, 3]
    assert _processed(Domain.TRI, INTEGER, 1, 0.5, 1, NAN).is_single.raw.all()
    assert not _processed(Domain.TRI, INTEGER, 1, 1, 1, 2).is_single.raw.any()


def _positions(factor: float, *, is_odd: bool) -> list[int]:
    k = NumpyAlgebra()
    fixed = round(factor * ONE)
    axis = axis_of(AxisFactor(u32([fixed]), k.lanes(BOOL, np.array([is_odd]))))
    count = int(axis.points.raw[0])
    point: Any = u32(np.arange(count))
    return axis_position(axis, point).raw.tolist()


def test_positions_of_whole_factors_are_equal_steps() -> None:
    assert _positions(1, is_odd=True) == [0, ONE]
    assert _positions(2, is_odd=False) == [0, HALF, ONE]
    assert _positions(3, is_odd=True) == [0, 0x5555, 0xAAAB, ONE]
    assert _positions(6, is_odd=False) == [0, 0x2AAB, 0x5556, HALF, 0xAAAA, 0xD555, ONE]
    assert _positions(1, is_odd=False) == [0, HALF, ONE]  # an inside of 1


def test_a_factor_between_two_blends_their_positions() -> None:
    """Point 1 of 2 is doubled on the way to 4, point 1 of 3 on the way to 5."""
    assert _positions(3, is_odd=False) == [0, (0x8000 + 0x4000) // 2, HALF, 0xA000, ONE]
    first, second = (0x5555 + 0x3333) // 2, (0x5555 + 2 * 0x3333 + 1) // 2
    assert _positions(4, is_odd=True) == [0, first, second, ONE - second, ONE - first, ONE]


@pytest.mark.parametrize("is_odd", [False, True])
def test_positions_ascend_from_0_to_1_and_mirror_to_the_bit(is_odd: bool) -> None:
    random = np.random.default_rng(5)
    for factor in [*random.uniform(2, 63, 300), *range(2 - is_odd, 64, 2)]:
        found = np.array(_positions(float(factor), is_odd=is_odd))
        assert found[0] == 0
        assert found[-1] == ONE
        assert (np.diff(found) >= -1).all()  # doubled points may be a unit apart
        np.testing.assert_array_equal(found[::-1], ONE - found)
        assert found.size - 1 >= factor > found.size - 4


def test_a_ring_holds_two_thirds_of_its_inside_position() -> None:
    inset = (0x2000 * 0xAAAA + HALF) >> 16
    along = 0x5000 - (inset + 1) // 2
    wanted = [(inset, along), (along, inset), (along, ONE - along - inset)]
    for side, pair in enumerate(wanted):
        u, v = tri_point(u32([0x2000]), u32([0x5000]), u32([side]))
        assert (int(u.raw[0]), int(v.raw[0])) == pair
    u, v = tri_point(u32([HALF]), u32([HALF]), u32([0]))
    assert (int(u.raw[0]), int(v.raw[0]), int(third_coordinate(u, v).raw[0])) == (
        0x5555, 0x5555, 0x5556,
    )  # fmt: skip


def test_locations_are_exact() -> None:
    every = np.arange(ONE + 1)
    found = domain_location(select(u32(every).eq(0), 0, u32(every))).raw
    np.testing.assert_array_equal(found, every / ONE)
