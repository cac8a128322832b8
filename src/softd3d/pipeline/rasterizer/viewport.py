"""Division by w, the viewport transform, and the boxes that pixels must lie in.

Spec: D3D11.3 sections 15.5 to 15.8.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from softd3d.algebra.operations import convert, select
from softd3d.algebra.value import F64, Value

__all__ = [
    "MAX_VIEWPORTS",
    "Box",
    "ClipPosition",
    "ScreenPosition",
    "ViewportTransform",
    "implicit_scissor",
    "pixel_box",
    "project",
    "viewport_index",
    "viewport_problem",
]

MAX_VIEWPORTS = 16
BOUNDS = (-32768.0, 32767.0)
"""D3D11_VIEWPORT_BOUNDS_MIN and _MAX."""


@dataclass(frozen=True, slots=True)
class Box:
    """Whole pixels of a target; right and bottom are exclusive.

    >>> Box(0, 0, 8, 8).intersected(Box(4, -1, 20, 3))
    Box(left=4, top=0, right=8, bottom=3)
    """

    left: int
    top: int
    right: int
    bottom: int

    @property
    def is_empty(self) -> bool:
        return self.right <= self.left or self.bottom <= self.top

    def intersected(self, other: Box) -> Box:
        """Return the pixels of both."""
        return Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )


def viewport_problem(
    left: float, top: float, width: float, height: float, min_depth: float, max_depth: float
) -> str | None:
    """Return what is wrong with a viewport, None if Direct3D takes it; NaN is always wrong.

    A call with a viewport that is wrong is skipped whole. Widths and heights of 0 are allowed.
    Spec: D3D11.3 15.6; win32 D3D11_VIEWPORT.

    >>> viewport_problem(0, 0, 640, -1, 0, 1)
    'height: found -1, wanted 0 or more'
    """
    low, high = BOUNDS
    for name, start, size_name, size in (
        ("top left x", left, "width", width),
        ("top left y", top, "height", height),
    ):
        if not start >= low:
            return f"{name}: found {start}, wanted {low:g} or more"
        if not size >= 0:
            return f"{size_name}: found {size}, wanted 0 or more"
        if not start + size <= high:
            return f"{name} + {size_name}: found {start + size}, wanted {high:g} or less"
    if not 0 <= min_depth <= 1:
        return f"min depth: found {min_depth}, wanted 0 to 1"
    if not min_depth <= max_depth <= 1:
        return f"max depth: found {max_depth}, wanted min depth ({min_depth}) to 1"
    return None


def implicit_scissor(left: float, top: float, width: float, height: float) -> Box:
    """Return the pixels of a valid viewport: its edges rounded down.

    A fractional edge clips nothing else, which Direct3D leaves free. Spec: D3D11.3 15.7.
    """
    return Box(
        math.floor(left), math.floor(top), math.floor(left + width), math.floor(top + height)
    )


def pixel_box(viewport: Box, scissor: Box | None, width: int, height: int) -> Box:
    """Return the pixels that primitives may touch; it may be empty.

    Args:
        viewport: the viewport's implicit scissor.
        scissor: the rectangle with the same index if ScissorEnable is set.
        width: of the target, in pixels.
        height: of the target, in pixels.

    Spec: D3D11.3 15.7, 15.8; right <= left is empty.
    """
    box = viewport.intersected(Box(0, 0, width, height))
    return box if scissor is None else box.intersected(scissor)


def viewport_index(index: Value) -> Value:
    """Return the viewport of SV_ViewportArrayIndex (U32) of the leading vertex; 0 if beyond.

    Spec: D3D11.3 15.8.1.
    """
    return select(index < MAX_VIEWPORTS, index, 0)


@dataclass(frozen=True, slots=True)
class ViewportTransform:
    """A viewport, all F32. depth_range: MaxDepth - MinDepth, rounded to float32."""

    left: Value
    top: Value
    width: Value
    height: Value
    min_depth: Value
    depth_range: Value


@dataclass(frozen=True, slots=True)
class ClipPosition:
    """A vertex's SV_Position as a shader wrote it, F32."""

    x: Value
    y: Value
    z: Value
    w: Value


@dataclass(frozen=True, slots=True)
class ScreenPosition:
    """A vertex after the viewport. x, y: pixels; z: depth; clip_z: z / w before the viewport; F32.

    inverse_w: 1 / w, F64.
    """

    x: Value
    y: Value
    z: Value
    clip_z: Value
    inverse_w: Value


def project(position: ClipPosition, viewport: ViewportTransform) -> ScreenPosition:
    """Divide by w and apply a viewport, each operation rounded to float32, in this order.

    Spec: D3D11.3 15.5, 15.6. Factoring Width / 2 out would snap differently.
    """
    w = position.w
    clip_z = position.z / w
    return ScreenPosition(
        x=((position.x / w + 1.0) * viewport.width) * 0.5 + viewport.left,
        y=((1.0 - position.y / w) * viewport.height) * 0.5 + viewport.top,
        z=viewport.min_depth + clip_z * viewport.depth_range,
        clip_z=clip_z,
        inverse_w=1.0 / convert(w, F64),
    )
