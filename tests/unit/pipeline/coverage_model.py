"""What is covered, in exact integers, by other means than the code: shifted points, half squares.

A sample on an edge counts as the point moved right by an infinitesimal, and down by one that is
infinitely smaller: that is the top-left rule. A diamond with the boundary that belongs to it is a
half-open square in x + y and x - y, so a line is clipped to it by comparing fractions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]


def triangle_covers(vertices: Any, x: Any, y: Any) -> Bools:
    """Vertices: int64, (..., 3, 2); x, y: int64, broadcasting with them."""
    sides = []
    for n in range(3):
        ax, ay = vertices[..., n, 0], vertices[..., n, 1]
        bx, by = vertices[..., (n + 1) % 3, 0], vertices[..., (n + 1) % 3, 1]
        turn = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        along_x, along_y = ay - by + 0 * turn, bx - ax + 0 * turn
        sides.append(np.sign(np.where(turn != 0, turn, np.where(along_x != 0, along_x, along_y))))
    return (sides[0] != 0) & (sides[0] == sides[1]) & (sides[1] == sides[2])


def line_covers(ends: Any, pixel_x: Any, pixel_y: Any) -> Bools:
    """Ends: int64, (..., 2, 2); whether a line leaves the diamond of pixels."""
    cx, cy = pixel_x * 256 + 128, pixel_y * 256 + 128
    ax, ay, bx, by = (ends[..., n, m] - c for n in (0, 1) for m, c in ((0, cx), (1, cy)))
    y_major = np.abs(by - ay) > np.abs(bx - ax)
    # In x + y the diamond is (-128, 128], in y - x likewise, for lower edges belong to it.
    spans = [_span(ax + ay, bx + by), _span(ay - ax, by - bx)]
    lows = [(0, 1, True), *(low for low, _ in spans)]
    highs = [(1, 1, True), *(high for _, high in spans)]
    meets = np.ones(np.broadcast(ax, ay).shape, bool)
    for low, low_den, low_closed in lows:
        for high, high_den, high_closed in highs:
            left, right = low * high_den, high * low_den
            meets &= (left < right) | ((left == right) & low_closed & high_closed)
    on_line = (bx - ax) * (0 - ay) == (by - ay) * (128 - ax)
    between = (np.minimum(ay, by) <= 0) & (np.maximum(ay, by) >= 0)
    meets |= y_major & on_line & between  # passes the right corner
    ends_inside = (bx + by > -128) & (bx + by <= 128) & (by - bx > -128) & (by - bx <= 128)
    ends_inside |= y_major & (bx == 128) & (by == 0)
    return meets & ~ends_inside & ((ax != bx) | (ay != by))


def _span(start: Any, end: Any) -> tuple[Any, Any]:
    """Return the part of 0..1 in (-128, 128] as two bounds: numerator, denominator, closed."""
    step = end - start
    den = np.where(step == 0, 1, np.abs(step))
    to_low, to_high = -128 - start, 128 - start
    grows, stays = step > 0, step == 0
    inside = (start > -128) & (start <= 128)
    low = np.where(grows, to_low, -to_high)
    high = np.where(grows, to_high, -to_low)
    low = np.where(stays, np.where(inside, -1, 2), low)
    high = np.where(stays, np.where(inside, 2, -1), high)
    return (low, den, stays | ~grows), (high, den, stays | grows)


def point_covers(center: Any, x: Any, y: Any) -> Bools:
    """Center: int64, (..., 2)."""
    return ((x - center[..., 0] + 128) // 256 == 0) & ((y - center[..., 1] + 128) // 256 == 0)
