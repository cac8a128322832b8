"""Topologies against a slow model: which vertices make which primitive, cuts at every position."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from both_engines import check_both, integers

from softd3d.algebra.value import Value
from softd3d.errors import ResourceError
from softd3d.pipeline.assembly import assemble, assemble_indexed
from softd3d.pipeline.state import PrimitiveTopology as Topology
from softd3d.pipeline.topology import (
    completed,
    corners,
    primitive_count,
    primitive_size,
    topology_named,
    used_vertices,
    vertices_of,
)

PLAIN = [t for t in Topology if 0 < t < Topology.PATCHLIST_1]
SOME = [
    *PLAIN,
    Topology.PATCHLIST_1,
    Topology.PATCHLIST_3,
    Topology.PATCHLIST_7,
    Topology.PATCHLIST_32,
]
CUT = 0xFFFF
T = Topology


def _listed(strip: list[int], size: int) -> list[list[int]]:
    return [strip[n : n + size] for n in range(0, len(strip) - size + 1, size)]


def _triangles(strip: list[int]) -> list[list[int]]:
    found = [strip[n : n + 3] for n in range(len(strip) - 2)]
    return [t if n % 2 == 0 else [t[0], t[2], t[1]] for n, t in enumerate(found)]


def _adjacent_triangles(v: list[int]) -> list[list[int]]:
    """Return what a geometry shader sees: the tables of the specification, row by row."""
    count = max((len(v) - 4) // 2, 0)
    found: list[list[int]] = []
    for i in range(count):
        b = 2 * i
        after = v[b + 5] if i == count - 1 else v[b + 6]
        if i % 2 == 0:
            before = v[1] if i == 0 else v[b - 2]
            found.append([v[b], before, v[b + 2], after, v[b + 4], v[b + 3]])
        else:
            found.append([v[b], v[b + 3], v[b + 4], after, v[b + 2], v[b - 2]])
    return found


def _of_strip(topology: Topology, v: list[int], *, adjacency: bool) -> list[list[int]]:
    if topology.control_points:
        return _listed(v, topology.control_points)
    whole = {
        T.POINTLIST: lambda: _listed(v, 1),
        T.LINELIST: lambda: _listed(v, 2),
        T.LINESTRIP: lambda: [v[n : n + 2] for n in range(len(v) - 1)],
        T.TRIANGLELIST: lambda: _listed(v, 3),
        T.TRIANGLESTRIP: lambda: _triangles(v),
        T.LINELIST_ADJ: lambda: _listed(v, 4),
        T.LINESTRIP_ADJ: lambda: [v[n : n + 4] for n in range(len(v) - 3)],
        T.TRIANGLELIST_ADJ: lambda: _listed(v, 6),
        T.TRIANGLESTRIP_ADJ: lambda: _adjacent_triangles(v),
    }[topology]()
    if adjacency or not topology.has_adjacency:
        return whole
    return [p[1:3] if len(p) == 4 else [p[0], p[2], p[4]] for p in whole]


def _model(topology: Topology, raw: list[int], *, adjacency: bool) -> tuple[list[list[int]], int]:
    """Return the primitives of a list of indices, and the vertices that they are made of."""
    strips: list[list[int]] = [[]]
    for index in raw:
        if index == CUT:
            strips.append([])
        else:
            strips[-1].append(index)
    found: list[list[int]] = []
    used = 0
    for strip in strips:
        part = _of_strip(topology, strip, adjacency=adjacency)
        found += part
        if part:
            whole = _of_strip(topology, list(range(len(strip))), adjacency=True)
            used += len({n for p in whole for n in p})
    return found, used


def _drawn(
    topology: Topology, raw: list[int], most: int, *, adjacency: bool
) -> tuple[list[list[int]], int]:
    array = np.array(raw, np.uint32)
    parts = assemble_indexed(
        topology, len(raw), lambda at, n: array[at : at + n], CUT, adjacency=adjacency, most=most
    )
    found: list[list[int]] = []
    fetched = 0
    for part in parts:
        assert part.first == len(found)
        found += part.vertices.T.tolist()
        fetched += part.fetched
    return found, fetched


@pytest.mark.parametrize("topology", SOME, ids=lambda t: t.name)
@pytest.mark.parametrize("adjacency", [False, True])
def test_cuts_at_every_position_and_pair_of_positions(topology: Topology, adjacency: bool) -> None:
    count = 14
    places = [
        (),
        *itertools.combinations(range(count), 1),
        *itertools.combinations(range(count), 2),
    ]
    for number, cuts in enumerate(places):
        raw = [CUT if n in cuts else 100 + n for n in range(count)]
        most = (3, 64)[number % 2]
        wanted = _model(topology, raw, adjacency=adjacency)
        assert _drawn(topology, raw, most, adjacency=adjacency) == wanted, (cuts, most)


@pytest.mark.parametrize("topology", SOME, ids=lambda t: t.name)
def test_no_part_size_changes_random_strips(topology: Topology) -> None:
    random = np.random.default_rng(topology)
    for most in (1, 2, 5, 16, 1000):
        raw = random.integers(0, 9, 120)
        raw = np.where(random.random(120) < random.choice([0.1, 0.01]), CUT, raw).tolist()
        for adjacency in (False, True):
            wanted = _model(topology, raw, adjacency=adjacency)
            assert _drawn(topology, raw, most, adjacency=adjacency) == wanted


@pytest.mark.parametrize("topology", SOME, ids=lambda t: t.name)
@pytest.mark.parametrize("adjacency", [False, True])
def test_draws_without_indices(topology: Topology, adjacency: bool) -> None:
    for count in range(20):
        for most in (1, 4, 100):
            parts = list(assemble(topology, count, adjacency=adjacency, most=most))
            found = [v for part in parts for v in part.vertices.T.tolist()]
            fetched = sum(part.fetched for part in parts)
            wanted = _model(topology, list(range(count)), adjacency=adjacency)
            assert (found, fetched) == wanted
            assert primitive_count(topology, count) == len(found)
            assert used_vertices(topology, len(found)) == fetched
            assert [p.first for p in parts] == list(range(0, len(found), most))


def test_the_largest_draw_is_cut_in_parts_too() -> None:
    parts = assemble(Topology.TRIANGLESTRIP, 0xFFFFFFFF)
    first = next(parts)
    assert first.vertices[:, :2].T.tolist() == [[0, 1, 2], [1, 3, 2]]
    assert first.vertices.shape[1] < 1 << 16
    assert primitive_count(Topology.TRIANGLESTRIP, 0xFFFFFFFF) == 0xFFFFFFFD


def test_an_undefined_topology_draws_nothing() -> None:
    assert not list(assemble(Topology.UNDEFINED, 10))
    assert not list(assemble_indexed(Topology.UNDEFINED, 3, lambda _, n: np.zeros(n, "u4"), CUT))


def test_only_the_other_format_s_value_is_no_cut() -> None:
    array = np.array([0, 0xFFFF, 2], np.uint32)
    parts = assemble_indexed(T.TRIANGLELIST, 3, lambda at, n: array[at : at + n], 0xFFFFFFFF)
    assert [p.vertices.T.tolist() for p in parts] == [[[0, 0xFFFF, 2]]]


def test_both_engines_give_the_same_vertices() -> None:
    columns = [*integers(1, 1), *integers(1, 2, bits=1)]

    def rules(words: list[Value]) -> list[Value]:
        number, last = words
        found: list[Value] = []
        for topology in SOME:
            found += completed(topology, number)
            found += corners(topology, number)
            found += vertices_of(topology, number, last.ne(0))
        return found

    check_both(rules, columns)


def test_sizes_of_primitives() -> None:
    assert primitive_size(T.TRIANGLESTRIP_ADJ) == 3
    assert primitive_size(T.TRIANGLESTRIP_ADJ, adjacency=True) == 6
    assert primitive_size(T.LINESTRIP_ADJ, adjacency=True) == 4
    assert primitive_size(T.PATCHLIST_32) == 32


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("trianglelist", T.TRIANGLELIST),
        ("D3D11_PRIMITIVE_TOPOLOGY_LINESTRIP_ADJ", T.LINESTRIP_ADJ),
        ("D3D_PRIMITIVE_TOPOLOGY_32_CONTROL_POINT_PATCHLIST", T.PATCHLIST_32),
        ("PATCHLIST_1", T.PATCHLIST_1),
        (33, T.PATCHLIST_1),
        (np.int64(5), T.TRIANGLESTRIP),
        (T.UNDEFINED, T.UNDEFINED),
    ],
)
def test_names_and_numbers_of_topologies(given: object, found: Topology) -> None:
    assert topology_named(given) is found


@pytest.mark.parametrize(
    "given", ["TRIANGLEFAN", 6, 7, 14, 32, 65, -1, True, None, 4.0, "33_CONTROL_POINT_PATCHLIST"]
)
def test_what_is_no_topology(given: object) -> None:
    with pytest.raises(ResourceError, match="topology: found "):
        topology_named(given)
