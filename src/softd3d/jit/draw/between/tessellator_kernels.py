"""Kernels of the tessellator: axes of patches, points of the domain, triangles; one a lane.

Points and triangles find their patch in an input, and what they are made of by the rules of
`pipeline/tessellator`, in the axes of the patch and in pools.
"""

from __future__ import annotations

from dataclasses import fields
from enum import IntEnum

import numpy as np

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import F32, U32, Value
from softd3d.classes import dataclass
from softd3d.ir.graph import Check, Graph, no_check
from softd3d.isa.machine import View
from softd3d.isa.sm4.enums import Domain, OutputPrimitive, Partitioning, ProgramType
from softd3d.jit.draw.memory import WORD, raw_view
from softd3d.jit.draw.recording import DrawRecording, empty_program
from softd3d.lower.declarations import Declarations
from softd3d.pipeline.primitives.records import Bools, Numbers, Rows
from softd3d.pipeline.tessellator.axis import Axis, axis_of, axis_position
from softd3d.pipeline.tessellator.coordinates import domain_location, third_coordinate, tri_point
from softd3d.pipeline.tessellator.factors import FACTORS, process_factors
from softd3d.pipeline.tessellator.pools import KEYS
from softd3d.pipeline.tessellator.surface import along, surface_point, surface_triangle

__all__ = [
    "CORNERS",
    "LOCATION",
    "PATCH",
    "POINT",
    "PRIMITIVE",
    "SLICE_WORDS",
    "Slot",
    "factor_names",
    "patch_words",
    "record_axes",
    "record_points",
    "record_triangles",
    "row_words",
]

PATCH = "patch"
"""The input of points and triangles: the row of their patch."""
LOCATION, CORNERS = ("x", "y", "z"), ("c0", "c1", "c2")
"""Outputs for points, SV_DomainLocation, and for triangles, rows of points in their slice."""
POINT, PRIMITIVE, SLICE_WORDS = 0, 1, 2
"""Words of where something starts: its first point, its first primitive."""
_AXIS = tuple(field.name for field in fields(Axis))
_FLAGS = 2  # words behind the axes of a patch: whether all factors are 1, whether it is culled


class Slot(IntEnum):
    """Slots of views.

    ROWS: of patches, the words of each axis as `Axis` has them, and two flags. STARTS: where each
    patch starts; one more behind the last. SLICE: where the slice starts. Others as in `Pools`.
    """

    ROWS = 0
    STARTS = 1
    SLICE = 2
    POOL = 3
    ENDS = 4
    FRAMES = 5
    FRAME_STARTS = 6


def row_words(domain: Domain) -> int:
    """Return the words of a patch's row."""
    return len(_AXIS) * FACTORS[domain] + _FLAGS


def factor_names(domain: Domain) -> list[str]:
    """Return the inputs of the kernel of axes, in the order of factors."""
    return [f"f{n}" for n in range(FACTORS[domain])]


def patch_words(domain: Domain, rows: Numbers) -> tuple[Rows, Bools, Bools]:
    """Return of rows the points of each axis, (axes, patches), and both flags."""
    first, size = _AXIS.index("points"), len(_AXIS) * FACTORS[domain]
    counts = rows[:, first : size : len(_AXIS)].T.astype(np.int64)
    return counts, rows[:, size] != 0, rows[:, size + 1] != 0


def _recording(check: Check) -> DrawRecording:
    return DrawRecording(empty_program(ProgramType.VS), check)


def _view(slot: Slot) -> View:
    return raw_view(slot.name.lower(), slot)


def record_axes(
    domain: Domain, partitioning: Partitioning, check: Check = no_check
) -> tuple[Graph, Declarations]:
    """Record what makes rows of factors; a lane is a patch."""
    r = _recording(check)
    factors = [bitcast(r.entry(name), F32) for name in factor_names(domain)]
    found = process_factors(domain, partitioning, factors)
    one, row = r.k.const(U32, 1), r.entry("flat") * (WORD * row_words(domain))
    words = [getattr(axis_of(axis), name) for axis in found.axes for name in _AXIS]
    words += [select(flag, one, 0) for flag in (found.is_single, found.is_culled)]
    for n, word in enumerate(words):
        r.put(_view(Slot.ROWS), row + WORD * n, word, r.true_value())
    return r.finished(), r.bound.declarations


@dataclass(frozen=True, slots=True)
class _Patch:
    """The patch of each lane."""

    r: DrawRecording
    domain: Domain
    row: Value

    @classmethod
    def of(cls, r: DrawRecording, domain: Domain) -> _Patch:
        return cls(r, domain, r.entry(PATCH))

    def word(self, at: Value | int) -> Value:
        row = self.row * (WORD * row_words(self.domain))
        return self.r.word(_view(Slot.ROWS), row + (at if isinstance(at, Value) else WORD * at))

    @property
    def counts(self) -> list[Value]:
        """The points of each axis."""
        place = _AXIS.index("points")
        return [self.word(len(_AXIS) * n + place) for n in range(FACTORS[self.domain])]

    @property
    def is_single(self) -> Value:
        return self.word(len(_AXIS) * FACTORS[self.domain]).ne(0)

    def start(self, which: int, *, of_next: bool = False) -> Value:
        """Return the number of the patch's first point or primitive, or of the next patch's."""
        place = self.row * (WORD * SLICE_WORDS) + WORD * (which + SLICE_WORDS * of_next)
        return self.r.word(_view(Slot.STARTS), place)

    def axis(self, number: Value) -> Axis:
        first = number * (WORD * len(_AXIS))
        return Axis(*(self.word(first + WORD * n) for n in range(len(_AXIS))))

    def key(self, counts: list[Value]) -> Value:
        """Return the place of what is inside in an index of pools."""
        a, b = (along(self.domain, counts)[n] for n in (1, 0))
        return select(self.is_single, a.like(0), a * KEYS + b)


def record_points(domain: Domain, check: Check = no_check) -> tuple[Graph, Declarations]:
    """Record what makes SV_DomainLocation of points, of tri or quad patches."""
    r = _recording(check)
    patch = _Patch.of(r, domain)
    counts = patch.counts
    number = r.entry("flat") + r.word(_view(Slot.SLICE), WORD * POINT)
    first, end = patch.start(POINT), patch.start(POINT, of_next=True)

    def inside(is_inside: Value) -> Value:
        last = r.word(_view(Slot.ENDS), patch.key(counts) * WORD)
        place = select(is_inside, last - (end - number), 0)
        return r.word(_view(Slot.POOL), place * WORD)

    found = surface_point(domain, number - first, counts, patch.is_single, inside)
    a, b = (
        axis_position(patch.axis(axis), place)
        for axis, place in zip(found.axes, found.places, strict=True)
    )
    if domain is Domain.TRI:
        a, b = tri_point(a, b, found.side)
    located = (a, b, third_coordinate(a, b)) if domain is Domain.TRI else (a, b)
    for name, value in zip(LOCATION, located, strict=False):
        location = bitcast(domain_location(value), U32)
        r.k.node("output", None, (location.raw,), name)
    return r.finished(), r.bound.declarations


def record_triangles(
    domain: Domain, output: OutputPrimitive, check: Check = no_check
) -> tuple[Graph, Declarations]:
    """Record what makes triangles: rows of points in their slice, as outputs `CORNERS`."""
    r = _recording(check)
    patch = _Patch.of(r, domain)
    counts = patch.counts
    number = r.entry("flat") + r.word(_view(Slot.SLICE), WORD * PRIMITIVE)
    end = patch.start(PRIMITIVE, of_next=True)

    def frame(edge: Value, beside: Value, place: Value) -> Value:
        start = r.word(_view(Slot.FRAME_STARTS), (edge * KEYS + beside) * WORD)
        return r.word(_view(Slot.FRAMES), (start + place) * WORD)

    def inside(left: Value) -> tuple[Value, Value]:
        last = r.word(_view(Slot.ENDS), patch.key(counts) * WORD)
        # Those on frames have more triangles behind them than there are inside.
        place = select(last >= left, last - left, 0) * (2 * WORD)
        return r.word(_view(Slot.POOL), place), r.word(_view(Slot.POOL), place + WORD)

    base = r.word(_view(Slot.SLICE), WORD * POINT)
    points = patch.start(POINT) - base, patch.start(POINT, of_next=True) - base
    place, left = number - patch.start(PRIMITIVE), end - number
    corners = surface_triangle(domain, place, left, counts, patch.is_single, points, frame, inside)
    if output is OutputPrimitive.TRIANGLE_CCW:
        corners = [corners[n] for n in (0, 2, 1)]
    for name, corner in zip(CORNERS, corners, strict=True):
        r.k.node("output", None, (corner.raw,), name)
    return r.finished(), r.bound.declarations
