"""A slow tessellator of one patch: numbers, lists and loops, point by point."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

ONE, HALF = 1 << 16, 1 << 15
Point = tuple[int, int]
Row = list[int]
LIMITS = {
    "integer": (1, 64), "pow2": (1, 64), "fractional_odd": (1, 63), "fractional_even": (2, 64),
}  # fmt: skip
RULER = sorted(
    range(1, 33), key=lambda v: (2 * (v - 2 ** (v.bit_length() - 1)) + 1) / 2 ** v.bit_length()
)


def held(x: float, low: float, high: float) -> float:
    return low if math.isnan(x) else min(max(x, low), high)


class Axis:
    """A factor on its way to positions."""

    def __init__(self, factor: float, partitioning: str, *, is_inside: bool) -> None:
        is_whole = partitioning in ("integer", "pow2")
        factor = math.ceil(factor) if is_whole else factor
        fixed = round(Fraction(factor) * ONE)  # ties to even
        self.is_one = fixed == ONE
        self.is_odd = partitioning == "fractional_odd"
        if is_whole:
            self.is_odd = factor % 2 == 1 and not (is_inside and factor == 1)
        half = (fixed + 1) // 2
        if self.is_odd or half == HALF:
            half += HALF
        self.low, self.high, self.blend = half // ONE, -(-half // ONE), half % ONE
        self.count = 2 * self.high + (not self.is_odd)
        self.positions = [self.position(p) for p in range(self.count)]

    def position(self, point: int) -> int:
        if point >= self.high and not (point == self.high and not self.is_odd):
            return ONE - self.position(self.count - 1 - point)
        if point == self.high:
            return HALF
        below = point - 1 if self.blend and point > self.split() else point
        segments = [2 * n - self.is_odd for n in (self.low, self.high)]
        a, c = (math.floor(Fraction(ONE, m) + Fraction(1, 2)) for m in segments)
        return (below * a * (ONE - self.blend) + point * c * self.blend + HALF) // ONE

    def split(self) -> int:
        number = self.low - self.is_odd
        return 2 * (number - 2 ** (number.bit_length() - 1)) + 1 if number else 0


def axes_of(domain: str, partitioning: str, factors: list[float]) -> list[Axis] | None:
    """Return the axes of a patch, None if it is culled."""
    edges = {"isoline": 2, "tri": 3, "quad": 4}[domain]
    if any(not f > 0 for f in factors[:edges]):
        return None
    low, high = LIMITS[partitioning]
    outer = [held(f, low, high) for f in factors[:edges]]
    if domain == "isoline":
        density = Axis(held(factors[0], 1, 64), "integer", is_inside=False)
        return [density, Axis(outer[1], partitioning, is_inside=False)]
    seen = outer + (factors[edges:] if domain == "quad" else [])
    if partitioning == "fractional_odd" and any(f > 1 + 2**-17 for f in seen):
        low = 1 + 2**-16
    inner = [held(f, low, high) for f in factors[edges:]]
    return [
        *(Axis(f, partitioning, is_inside=False) for f in outer),
        *(Axis(f, partitioning, is_inside=True) for f in inner),
    ]


class Patch:
    """Points and clockwise triangles, or lines of isolines; none of a patch that is culled."""

    def __init__(self, domain: str, partitioning: str, factors: list[float]) -> None:
        self.points: list[Point] = []
        self.primitives: list[tuple[int, ...]] = []
        axes = axes_of(domain, partitioning, factors)
        if axes is None:
            return
        if domain == "isoline":
            self.lines(axes[0].positions[:-1], axes[1].positions)
        elif all(axis.is_one for axis in axes):
            single = domain == "tri"
            self.points = [(0, ONE), (0, 0), (ONE, 0)] if single else [
                (0, 0), (ONE, 0), (ONE, ONE), (0, ONE)]  # fmt: skip
            self.primitives = [(0, 1, 2)] if single else [(0, 1, 3), (1, 2, 3)]
        elif domain == "tri":
            self.tri(axes[:3], axes[3])
        else:
            self.quad(axes[:4], axes[4], axes[5])

    def lines(self, rows: Row, columns: Row) -> None:
        for v in rows:
            for n, u in enumerate(columns):
                self.points.append((u, v))
                if n:
                    self.primitives.append((len(self.points) - 2, len(self.points) - 1))

    def ring(self, sides: list[list[Point]]) -> list[Row]:
        """Add a ring, given as sides that end where the next begins; return the rows of sides."""
        first = len(self.points)
        rows: list[Row] = []
        for side in sides:
            rows.append(list(range(len(self.points), len(self.points) + len(side))))
            self.points += side[:-1]
        rows[-1][-1] = first
        return rows

    def tri(self, edges: list[Axis], inside: Axis) -> None:
        e0, e1, e2 = (axis.positions for axis in edges)
        sides = [[(0, v) for v in e0[::-1]], [(u, 0) for u in e1], [(u, ONE - u) for u in e2[::-1]]]
        rings = [self.ring(sides)]
        for j in range(1, inside.count // 2):
            p = (inside.positions[j] * 0xAAAA + HALF) // ONE
            w = [x - (p + 1) // 2 for x in inside.positions[j : inside.count - j]]
            sides = [[(p, x) for x in w[::-1]], [(x, p) for x in w]]
            rings.append(self.ring([*sides, [(x, ONE - x - p) for x in w[::-1]]]))
        if not inside.is_odd:
            self.points.append((0x5555, 0x5555))
            rings.append([[len(self.points) - 1]] * 3)
        self.connect(rings, edges, [inside] * 3)
        if inside.is_odd:
            self.primitives.append(tuple(row[0] for row in rings[-1]))

    def quad(self, edges: list[Axis], across: Axis, down: Axis) -> None:
        x, y = across.positions, down.positions
        rings = [self.ring(rectangle(0, ONE, 0, ONE, *(axis.positions for axis in edges)))]
        middle = min(len(x), len(y)) // 2
        for j in range(1, middle):
            u, v = x[j : len(x) - j], y[j : len(y) - j]
            rings.append(self.ring(rectangle(u[0], u[-1], v[0], v[-1], v, u, v, u)))
        is_wide = len(x) > len(y)
        if not (down if is_wide else across).is_odd:
            start = len(self.points)
            u, v = x[middle : len(x) - middle], y[middle : len(y) - middle]
            self.points += [(n, HALF) for n in u] if is_wide else [(HALF, n) for n in v[::-1]]
            line = list(range(start, len(self.points)))
            rows = [line, line[-1:], line[::-1], line[:1]]
            rings.append(rows[-1:] + rows[:-1] if is_wide else rows)
            self.connect(rings, edges, [down, across] * 2)
            return
        self.connect(rings, edges, [down, across] * 2)
        last = rings[-1]
        p, q = (last[1], last[3][::-1]) if is_wide else (last[0], last[2][::-1])
        for k in range(len(p) - 1):
            self.fill(p[k : k + 2], q[k : k + 2], is_split=not is_wide and down.is_odd,
                      is_middle=k == (len(p) - 1) // 2)  # fmt: skip

    def fill(self, p: Row, q: Row, *, is_split: bool, is_middle: bool) -> None:
        if is_split and is_middle:
            self.primitives += [(p[0], q[1], q[0]), (p[0], p[1], q[1])]
        elif is_split:
            self.primitives += [(p[0], p[1], q[0]), (q[0], p[1], q[1])]
        else:
            self.primitives += [(q[0], p[0], p[1]), (q[0], p[1], q[1])]

    def connect(self, rings: list[list[Row]], edges: list[Axis], along: list[Axis]) -> None:
        for edge, inside, outer, inner in zip(edges, along, rings[0], rings[1], strict=True):
            self.primitives += frame(outer, inner, edge, inside)
        for around, within in pairwise(rings[1:]):
            for outer, inner in zip(around, within, strict=True):
                self.primitives += band(outer, inner)


def rectangle(
    left: int, right: int, top: int, bottom: int, e0: Row, e1: Row, e2: Row, e3: Row
) -> list[list[Point]]:
    return [
        [(left, v) for v in e0[::-1]], [(u, top) for u in e1],
        [(right, v) for v in e2], [(u, bottom) for u in e3[::-1]],
    ]  # fmt: skip


def frame(outer: Row, inner: Row, edge: Axis, inside: Axis) -> Iterator[tuple[int, int, int]]:
    halves = [(axis.count - 1) // 2 for axis in (edge, inside)]
    steps = "o" if halves[0] else ""
    for v in RULER:
        steps += "i" * (v < halves[1]) + "o" * (v < halves[0])
    middle = "i" * inside.is_odd + "O" * edge.is_odd
    o = i = 0
    for step in [*steps, *middle, *steps[::-1]]:
        if step == "i":
            yield inner[i], outer[o], inner[i + 1]
            i += 1
        else:
            rest = outer[o], outer[o + 1]
            yield (*rest, inner[i]) if step == "o" else (inner[i], *rest)
            o += 1
    assert (o, i) == (len(outer) - 1, len(inner) - 1)


def band(outer: Row, inner: Row) -> Iterator[tuple[int, int, int]]:
    yield outer[0], outer[1], inner[0]
    for g in range(len(inner) - 1):
        o, p, i, k = outer[g + 1], outer[g + 2], inner[g], inner[g + 1]
        if g < len(inner) // 2:
            yield from ((o, k, i), (o, p, k))
        else:
            yield from ((i, o, p), (i, p, k))
    yield outer[-2], outer[-1], inner[-1]
