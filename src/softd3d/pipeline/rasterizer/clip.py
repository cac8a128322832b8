"""What happens to primitives before they are snapped: cull and clip distances, guard band, depth.

Nearly all primitives lie within the guard band and need no new vertices: the scissor bounds x and
y, and depth and clip distances are tested sample by sample where a vertex is outside. What is left
goes to `clip_polygon`.

Spec: D3D11.3 section 15.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from softd3d.algebra.operations import convert, select
from softd3d.algebra.value import F64, Value
from softd3d.pipeline.rasterizer.viewport import ClipPosition, ScreenPosition

__all__ = [
    "GUARD_BAND",
    "all_of",
    "any_of",
    "depth_passes",
    "distance_passes",
    "has_nan",
    "is_culled_by_distances",
    "is_dropped_by_clip_distances",
    "is_finite",
    "is_out_of_sight",
    "is_outside_depth",
    "needs_clipping",
    "needs_depth_test",
    "needs_distance_test",
    "within_ends",
]

_MUCH_LESS = 2.0**-20
GUARD_BAND = 32767.0
"""How far from the origin, in pixels, vertices may lie without the primitive being clipped."""


def any_of(conditions: Iterable[Value]) -> Value:
    """Return whether one of the conditions is true."""
    first, *others = conditions
    for condition in others:
        first = first | condition
    return first


def all_of(conditions: Iterable[Value]) -> Value:
    """Return whether all conditions are true."""
    first, *others = conditions
    for condition in others:
        first = first & condition
    return first


def is_culled_by_distances(components: Sequence[Sequence[Value]]) -> Value:
    """Return whether cull distances drop a primitive: one component is negative at all vertices.

    NaN counts as negative. Spec: D3D11.3 15.4.2.

    Args:
        components: for each component of SV_CullDistance, F32 at each vertex; at least one.
    """
    return any_of(~any_of(d >= 0.0 for d in vertices) for vertices in components)


def is_dropped_by_clip_distances(components: Sequence[Sequence[Value]]) -> Value:
    """Return whether clip distances drop a primitive whole: a NaN, or one negative everywhere.

    Spec: D3D11.3 15.4.1. Args as for `is_culled_by_distances`.
    """
    has_no_number = any_of(d.ne(d) for vertices in components for d in vertices)
    return has_no_number | is_culled_by_distances(components)


def needs_distance_test(vertices: Sequence[Value]) -> Value:
    """Return whether a component of SV_ClipDistance (F32 at each vertex) is to be tested."""
    return any_of(d < 0.0 for d in vertices)


def distance_passes(weights: Sequence[Value], vertices: Sequence[Value]) -> Value:
    """Return whether a sample is kept by a clip distance that is to be tested.

    The sign of the interpolated distance is that of its numerator, in double.

    Args:
        weights: l_i / w_i of the sample for each vertex, F64 (`interpolation.over_w`); those of a
            line with its parameter held `within_ends`; none for points.
        vertices: the distance at each vertex, F32.
    """
    if not weights:
        return vertices[0] >= 0.0
    first, *others = (q * convert(d, F64) for q, d in zip(weights, vertices, strict=True))
    for term in others:
        first = first + term
    return first >= 0.0


def needs_clipping(
    vertices: Sequence[tuple[ClipPosition, ScreenPosition]], *, at_depth: bool = False
) -> Value:
    """Return whether a primitive is for `clip_polygon`: a w <= 0, or outside of the guard band.

    at_depth: or outside of the depth range. So it is with conservative rasterisation and
    DepthClipEnable, where testing samples would lose pixels that the rest of a triangle touches.
    """
    needs = ~all_of(
        (clip.w > 0.0) & (abs(screen.x) <= GUARD_BAND) & (abs(screen.y) <= GUARD_BAND)
        for clip, screen in vertices
    )
    return needs | needs_depth_test([screen for _, screen in vertices]) if at_depth else needs


def has_nan(vertices: Sequence[ScreenPosition]) -> Value:
    """Return whether a primitive goes because of a NaN after the viewport. Spec: 15.4, 15.16.1."""
    return any_of(n.ne(n) for v in vertices for n in (v.x, v.y, v.z))


def is_finite(vertices: Sequence[ClipPosition]) -> Value:
    """Return whether a primitive can be clipped; one that has to be and cannot is dropped.

    Direct3D drops NaN and lets infinities be dropped.
    """
    return all_of(abs(n) < float("inf") for v in vertices for n in (v.x, v.y, v.z, v.w))


def is_out_of_sight(
    vertices: Sequence[tuple[ClipPosition, ScreenPosition]], *, depth_clip: bool
) -> Value:
    """Return whether `clip_polygon` would leave nothing, or nothing that a target could have.

    So it is with most of what lies behind the viewer, which needs no clipping then. It may be said
    of fewer primitives than it holds for. depth_clip: whether depths outside of 0 to 1 are clipped.
    """
    clips, screens = [clip for clip, _ in vertices], [screen for _, screen in vertices]
    least = greatest = clips[0].w
    for c in clips[1:]:
        least, greatest = select(c.w < least, c.w, least), select(c.w > greatest, c.w, greatest)
    sides = [
        all_of(sign * n > GUARD_BAND for n in numbers)
        for numbers in ([s.x for s in screens], [s.y for s in screens]) for sign in (1.0, -1.0)
    ]  # fmt: skip
    beyond = any_of(sides)
    if depth_clip:
        beyond = beyond | is_outside_depth(screens)
    # The plane w = 0, which is clipped at first, cuts nothing where w is about the same.
    return (greatest < 0.0) | ((least > 0.0) & (least > greatest * _MUCH_LESS) & beyond)


def is_outside_depth(vertices: Sequence[ScreenPosition]) -> Value:
    """Return whether DepthClipEnable drops a primitive whole: all in front of 0, or beyond 1."""
    return all_of(v.clip_z < 0.0 for v in vertices) | all_of(v.clip_z > 1.0 for v in vertices)


def needs_depth_test(vertices: Sequence[ScreenPosition]) -> Value:
    """Return whether samples are to be tested if DepthClipEnable is set.

    Where no vertex is outside, the test is left out: rounding would drop samples of z = 1.
    Primitives that were clipped need none either.
    """
    return ~all_of((v.clip_z >= 0.0) & (v.clip_z <= 1.0) for v in vertices)


def depth_passes(z: Value) -> Value:
    """Return whether a sample is kept; z: z / w interpolated in double, before the viewport.

    On lines the parameter is held `within_ends` first.
    """
    return (z >= 0.0) & (z <= 1.0)


def within_ends(parameter: Value) -> Value:
    """Hold a line's parameter (F64) within 0 to 1: an end pixel's centre may lie beyond the end."""
    parameter = select(parameter >= 0.0, parameter, 0.0)
    return select(parameter <= 1.0, parameter, 1.0)
