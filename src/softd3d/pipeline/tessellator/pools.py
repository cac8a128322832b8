"""What lies inside of the edges of many patches, as tables that are read by number.

Points and triangles inside are ends of a few tables (`points`, `connectivity`), so what a pool has
counts from the end of these: places from the middle of their axis, points back from the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from softd3d.classes import dataclass
from softd3d.isa.sm4.enums import Domain
from softd3d.isa.sm4.limits import MAX_TESSELLATION_FACTOR
from softd3d.pipeline.primitives.records import Bools, Numbers, Rows
from softd3d.pipeline.tessellator.connectivity import SINGLE, inner_triangles
from softd3d.pipeline.tessellator.factors import EDGES, INSIDE_ALONG
from softd3d.pipeline.tessellator.points import Places, inner_points
from softd3d.pipeline.tessellator.stitching import frame
from softd3d.pipeline.tessellator.surface import FROM_MIDDLE

__all__ = ["KEYS", "Pools", "pools_of"]

KEYS = int(MAX_TESSELLATION_FACTOR) + 2
"""A key is two numbers of points: the first of them times this and the second."""
_KEPT = 8


@dataclass(frozen=True, slots=True)
class Pools:
    """Tables, uint32, each with an index by keys.

    points: a word for each point inside: a byte for each place, of triangles also the side.
    triangles: two words: how many points before the patch's end each corner is, 16 bits each.
    point_ends, triangle_ends: where what has the key ends, whose keys are the points of both inside
    axes, of triangles twice the same, and 0 where all factors are 1. frames: a byte for each place.
    frame_starts: by the points of an edge and those of the inside axis along it.
    """

    points: Numbers
    triangles: Numbers
    frames: Numbers
    point_ends: Numbers
    triangle_ends: Numbers
    frame_starts: Numbers


def pools_of(domain: Domain, counts: Rows, is_single: Bools) -> Pools:
    """Return pools that have everything for some patches.

    domain: tri or quad. counts: the points of each axis, (axes, patches). is_single: whether all
    factors are 1, (patches,).
    """
    sides = EDGES[domain]
    insides = counts[sides], counts[-1]
    framed = [counts[n] * KEYS + counts[sides + m] for n, m in enumerate(INSIDE_ALONG[domain])]
    wanted = np.where(is_single, 0, insides[0] * KEYS + insides[1])
    return _pools(domain, _marked([wanted]), _marked(framed))


def _marked(keys: Sequence[Rows]) -> bytes:
    """Return a byte for each key that is there."""
    found = np.zeros(KEYS * KEYS, np.bool_)
    for some in keys:
        found[some] = True
    return found.tobytes()


@lru_cache(maxsize=_KEPT)
def _pools(domain: Domain, insides: bytes, framed: bytes) -> Pools:
    starts, frames = _frames(np.flatnonzero(np.frombuffer(framed, np.bool_)).tolist())
    keys = np.flatnonzero(np.frombuffer(insides, np.bool_)).tolist()
    points, point_ends = _ends(keys, [_points(domain, key) for key in keys], 1)
    triangles, triangle_ends = _ends(keys, [_triangles(domain, key) for key in keys], 3)
    words = np.ascontiguousarray(triangles[:, 1:])
    words[:, 0] = triangles[:, 0] | triangles[:, 1] << np.uint32(16)
    return Pools(
        np.ascontiguousarray(points[:, 0]), words, frames, point_ends, triangle_ends, starts
    )


def _ends(
    keys: Sequence[int], pieces: Sequence[Places], rows: int
) -> tuple[Numbers, Numbers]:  # fmt: skip
    """Return pieces behind each other, (items, rows), and where each ends, by key."""
    ends = np.zeros(KEYS * KEYS, np.uint32)
    ends[list(keys)] = np.cumsum([piece.shape[1] for piece in pieces])
    # There is one item at least, for lanes that want none.
    padding = np.zeros((rows, 1), np.int32)
    found = np.concatenate([*pieces, padding], axis=1).T
    return np.ascontiguousarray(found).astype(np.uint32), ends


def _points(domain: Domain, key: int) -> Places:
    """Return the points inside as words, (1, points)."""
    if not key:
        return np.zeros((1, 0), np.int32)
    insides = _insides(domain, key)
    table, most = inner_points(domain, *insides)
    middles = [n // 2 for n in (most if domain is Domain.QUAD else most * 2)]
    u, v = (table[n] - middle + FROM_MIDDLE for n, middle in enumerate(middles))
    side = table[2] if domain is Domain.TRI else 0
    return (u | v << 8 | side << 16)[None]


def _triangles(domain: Domain, key: int) -> Places:
    """Return the triangles inside, (3, triangles): how far before the end their points are."""
    if not key:
        return EDGES[domain] - SINGLE[domain]
    table, points = inner_triangles(domain, *_insides(domain, key))
    return points - table


def _insides(domain: Domain, key: int) -> tuple[int, ...]:
    both = divmod(key, KEYS)
    return both[:1] if domain is Domain.TRI else both


def _frames(keys: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Return where each frame starts, by key, and the words of all."""
    starts = np.zeros(KEYS * KEYS, np.uint32)
    words = [np.zeros(1, np.int32)]
    at = 1
    for key in keys:
        a, b, c = frame(*divmod(key, KEYS))
        starts[key] = at
        words.append(a | b << 8 | c << 16)
        at += a.size
    return starts, np.concatenate(words).astype(np.uint32)
