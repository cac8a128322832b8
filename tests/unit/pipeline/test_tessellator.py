"""Tessellated patches: the reference's data, counts, coverage, shared edges, slices."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from patch_factors import SPACES, SURFACES, TRIANGLE, plain_factors, random_factors
from tessellator_model import Patch

import softd3d
from softd3d.isa.sm4.enums import Domain, OutputPrimitive, Partitioning
from softd3d.pipeline.tessellator import connectivity, stitching
from softd3d.pipeline.tessellator import points as point_tables
from softd3d.pipeline.tessellator.factors import EDGES, ONE
from softd3d.pipeline.tessellator.patches import (
    POINTS_AT_ONCE,
    DomainPoints,
    TessellatedPatches,
    Tessellator,
)

OUTPUTS = [o for o in OutputPrimitive if o]


@pytest.mark.corpus
def test_the_reference_tessellator_gives_the_same(shared: Path) -> None:
    """Points, locations and indices of 472 patches, in order."""
    data = json.loads(gzip.decompress((shared / "samples/tessellator/cases.json.gz").read_bytes()))
    cases = data["cases"]
    assert len(cases) == 472
    for case in cases:
        bits = np.array([int(text, 16) for text in case["factor_bits"]], np.uint32)
        factors, edges = bits.view(np.float32), EDGES[Domain[case["domain"].upper()]]
        found = softd3d.tessellate(
            case["domain"], case["partitioning"], case["output"], factors[:edges], factors[edges:]
        )
        assert len(found.fixed) == case["points"], case["name"]
        assert len(found.indices) == case["indices"], case["name"]
        for array, name in (
            (found.fixed, "points"), (found.locations, "locations"), (found.indices, "indices"),
        ):  # fmt: skip
            wanted = case[f"{name}_sha256"]
            assert hashlib.sha256(array.tobytes()).hexdigest() == wanted, case["name"]


def whole(tessellator: Tessellator, factors: Any) -> DomainPoints:
    """Return what all patches are made into at once."""
    patches = tessellator.process(factors)
    return patches.generate(slice(0, factors.shape[0]))


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("domain", "partitioning"), SPACES)
def test_counts_are_known_before_the_points_are_made(
    domain: Domain, partitioning: Partitioning, output: OutputPrimitive
) -> None:
    factors = random_factors(domain, 11, 60, most=20)
    tessellator = Tessellator(domain, partitioning, output)
    patches = tessellator.process(factors)
    made = whole(tessellator, factors)
    count = factors.shape[0]
    np.testing.assert_array_equal(np.bincount(made.patch, minlength=count), patches.points)
    found = np.bincount(made.primitive_patch, minlength=count)
    np.testing.assert_array_equal(found, patches.primitives)
    assert made.primitives.shape == (tessellator.corners, patches.primitives.sum())
    np.testing.assert_array_equal(made.patch[made.primitives[0]], made.primitive_patch)
    np.testing.assert_array_equal(made.patch[made.primitives[-1]], made.primitive_patch)
    assert (np.diff(made.patch) >= 0).all()


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(("domain", "partitioning"), SPACES)
def test_patches_in_slices_of_any_size_are_patches_by_themselves(
    domain: Domain, partitioning: Partitioning, output: OutputPrimitive
) -> None:
    factors = random_factors(domain, 12, 30, most=9)
    factors[7:10] = np.nan
    factors[-1] = 0
    tessellator = Tessellator(domain, partitioning, output)
    patches = tessellator.process(factors)
    single = [whole(tessellator, factors[n : n + 1]) for n in range(len(factors))]
    for most in (1, 40, 200, POINTS_AT_ONCE):
        seen = 0
        for part in patches.slices(most):
            made = patches.generate(part)
            assert made.patch.size > 0
            assert made.patch.size <= most or np.unique(made.patch).size == 1
            assert not patches.points[seen : part.start].any()
            seen = part.stop
            parts = single[part]
            starts = np.cumsum([0, *(p.patch.size for p in parts)])
            rows = [p.primitives + first for p, first in zip(parts, starts, strict=False)]
            np.testing.assert_array_equal(made.primitives, np.concatenate(rows, axis=1))
            wanted = np.concatenate([p.positions for p in parts], axis=1)
            np.testing.assert_array_equal(made.positions, wanted)
            wanted = np.concatenate([p.locations for p in parts])
            np.testing.assert_array_equal(made.locations, wanted)
        assert not patches.points[seen:].any()


def test_slices_hold_few_points_however_many_patches() -> None:
    factors = np.full((200, 6), 64, np.float32)
    patches = Tessellator(Domain.QUAD, Partitioning.INTEGER, TRIANGLE).process(factors)
    assert patches.points.max() == 4225
    assert patches.primitives.max() == 8192
    parts = list(patches.slices())
    assert all(patches.points[p].sum() <= POINTS_AT_ONCE for p in parts)
    assert sum(p.stop - p.start for p in parts) == 200


def test_no_patches_and_culled_patches_are_made_into_nothing() -> None:
    for domain, partitioning in SPACES:
        tessellator = Tessellator(domain, partitioning, OutputPrimitive.POINT)
        columns = random_factors(domain, 1, 1).shape[1]
        for count in (0, 5):
            patches = tessellator.process(np.zeros((count, columns), np.float32))
            assert list(patches.slices()) == []
            made = patches.generate(slice(0, count))
            assert made.locations.shape == (0, 3 if domain is Domain.TRI else 2)
            assert made.primitives.shape == (1, 0)
            assert made.patch.size == made.primitive_patch.size == 0


def doubled_areas(made: DomainPoints) -> Any:
    """Return twice the area of each triangle, positive if it is clockwise."""
    u, v = made.positions[:2].astype(np.int64)
    (u0, u1, u2), (v0, v1, v2) = u[made.primitives], v[made.primitives]
    return (u1 - u0) * (v2 - v0) - (u2 - u0) * (v1 - v0)


@pytest.mark.parametrize(("domain", "partitioning"), SURFACES)
def test_triangles_cover_the_domain_once(domain: Domain, partitioning: Partitioning) -> None:
    """Areas sum to the domain's; in whole partitionings none turns over, so nothing lies twice."""
    factors = plain_factors(domain, 13, 60)
    made = whole(Tessellator(domain, partitioning, TRIANGLE), factors)
    areas = doubled_areas(made)
    domain_area = ONE * ONE * (1 if domain is Domain.TRI else 2)
    for patch in range(60):
        assert areas[made.primitive_patch == patch].sum() == domain_area
    if partitioning in (Partitioning.INTEGER, Partitioning.POW2):
        assert areas.min() > 0
    assert (areas < 0).sum() <= areas.size // 1000  # slivers near whole factors, by rounding


@pytest.mark.parametrize(("domain", "partitioning"), SURFACES)
def test_triangles_are_joined_at_every_side(domain: Domain, partitioning: Partitioning) -> None:
    """Each side inside is that of two triangles, once in each direction; those around, of one."""
    factors = plain_factors(domain, 14, 40)
    patches = Tessellator(domain, partitioning, TRIANGLE).process(factors)
    for patch in range(40):
        made = patches.generate(slice(patch, patch + 1))
        a, b, c = made.primitives.tolist()
        sides = Counter([*zip(a, b, strict=True), *zip(b, c, strict=True), *zip(c, a, strict=True)])
        assert set(sides.values()) == {1}
        boundary = int(patches.counts[patch, : EDGES[domain]].sum()) - EDGES[domain]
        free = {side for side in sides if side[::-1] not in sides}
        around = list(range(boundary))
        assert free == set(zip(around, around[1:] + around[:1], strict=True))
        assert {*a, *b, *c} == set(range(made.patch.size))
        assert len(a) == 2 * made.patch.size - boundary - 2


def edge_points(patches: TessellatedPatches, patch: int, edge: int) -> list[int]:
    """Return where on an edge of a quad or triangle its points are, in ascending order."""
    domain, made = patches.tessellator.domain, patches.generate(slice(patch, patch + 1))
    segments = [int(n) - 1 for n in patches.counts[patch, : EDGES[domain]]]
    first = sum(segments[:edge])
    if domain is Domain.QUAD and patches.is_single[patch]:  # begins with the other end of edge 0
        first -= 1
    row = [n % sum(segments) for n in range(first, first + segments[edge] + 1)]
    held = edge if domain is Domain.TRI else edge % 2
    on_edge = made.positions[:, row]
    assert (on_edge[held] == (ONE if domain is Domain.QUAD and edge >= 2 else 0)).all()
    return sorted(on_edge[1 if held == 0 else 0].tolist())


@pytest.mark.parametrize("partitioning", list(Partitioning)[1:])
def test_neighbours_share_the_points_of_their_edge(partitioning: Partitioning) -> None:
    """Whichever edges meet, of quads or triangles, in either direction, whatever is inside."""
    shared = plain_factors(Domain.QUAD, 15, 40)[:, 0]
    seen: list[list[list[int]]] = []
    for domain in (Domain.QUAD, Domain.TRI):
        for edge in range(EDGES[domain]):
            factors = plain_factors(domain, 16 + edge, shared.size)
            factors[:, edge] = shared
            patches = Tessellator(domain, partitioning, TRIANGLE).process(factors)
            seen.append([edge_points(patches, n, edge) for n in range(shared.size)])
    for found in seen:
        assert found == seen[0]
    for points in seen[0]:
        assert points == [ONE - p for p in reversed(points)]


@pytest.mark.parametrize(("domain", "partitioning"), SURFACES)
def test_outputs_of_a_patch_have_the_same_points(
    domain: Domain, partitioning: Partitioning
) -> None:
    factors = random_factors(domain, 17, 30)
    made = {o: whole(Tessellator(domain, partitioning, o), factors) for o in OUTPUTS}
    clockwise = made[TRIANGLE]
    for other in made.values():
        np.testing.assert_array_equal(other.positions, clockwise.positions)
    turned = made[OutputPrimitive.TRIANGLE_CCW].primitives
    np.testing.assert_array_equal(turned, clockwise.primitives[[0, 2, 1]])
    points = made[OutputPrimitive.POINT].primitives
    np.testing.assert_array_equal(points[0], np.arange(clockwise.patch.size))
    lines = made[OutputPrimitive.LINE].primitives
    np.testing.assert_array_equal(lines[0] + 1, lines[1])


@pytest.mark.parametrize("output", ["line", "triangle_cw", "triangle_ccw"])
def test_isolines_are_lines_along_u_that_are_not_joined(output: str) -> None:
    found = softd3d.tessellate("isoline", "fractional_odd", output, edges=[2.5, 3])
    steps = [0, 0x5555, 0xAAAB, ONE]
    assert found.fixed.tolist() == [[u, v] for v in steps[:3] for u in steps]
    lines = [[0, 1], [1, 2], [2, 3], [4, 5], [5, 6], [6, 7], [8, 9], [9, 10], [10, 11]]
    assert found.indices.reshape(-1, 2).tolist() == lines


def test_a_quad_of_whole_factors_by_hand() -> None:
    """Two segments each way: ring 0 anticlockwise from (0, 1), then the centre."""
    found = softd3d.tessellate("quad", "integer", "triangle_cw", [2, 2, 2, 2], [2, 2])
    half = [[0, 2], [0, 1], [0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [1, 1]]
    assert (found.fixed // (ONE // 2)).tolist() == half
    triangles = [[n, (n + 1) % 8, 8] for n in range(8)]
    assert found.indices.reshape(-1, 3).tolist() == triangles


def test_kept_tables_are_bounded() -> None:
    for kept in (
        point_tables._edge, point_tables._inside, point_tables._table, connectivity._inside,
        connectivity._table, stitching.frame, stitching.regular_band,
    ):  # fmt: skip
        assert kept.cache_info().maxsize is not None


def check_with_the_model(domain: Domain, partitioning: Partitioning, factors: Any) -> None:
    """Compare patches with those of the slow model, one after another."""
    output = OutputPrimitive.LINE if domain is Domain.ISOLINE else TRIANGLE
    made = whole(Tessellator(domain, partitioning, output), factors)
    for number, row in enumerate(factors.tolist()):
        wanted = Patch(domain.name.lower(), partitioning.name.lower(), row)
        points = made.positions[:2, made.patch == number]
        assert points.T.tolist() == [list(p) for p in wanted.points], row
        first = int(np.searchsorted(made.patch, number))
        rows = made.primitives[:, made.primitive_patch == number] - first
        assert rows.T.tolist() == [list(p) for p in wanted.primitives], row


@pytest.mark.parametrize(("domain", "partitioning"), SPACES)
def test_random_patches_are_those_of_a_slow_model(
    domain: Domain, partitioning: Partitioning
) -> None:
    check_with_the_model(domain, partitioning, random_factors(domain, 18, 12))
    check_with_the_model(domain, partitioning, random_factors(domain, 19, 40, most=6))


@pytest.mark.parametrize(("x", "y"), [(64, 1), (1, 64), (63, 2), (2, 63), (64, 63), (3, 64)])
def test_long_quads_are_those_of_a_slow_model(x: int, y: int) -> None:
    factors = np.array([[1, 2, 3, 4, x, y], [64, 63, 1, 2, x, y]], np.float32)
    check_with_the_model(Domain.QUAD, Partitioning.INTEGER, factors)


@pytest.mark.slow
@pytest.mark.parametrize(("domain", "partitioning"), SPACES)
def test_many_random_patches_are_those_of_a_slow_model(
    domain: Domain, partitioning: Partitioning
) -> None:
    for seed in range(100, 110):
        check_with_the_model(domain, partitioning, random_factors(domain, seed, 60))
