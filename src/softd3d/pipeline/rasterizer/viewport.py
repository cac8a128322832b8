"""Division by w and the viewport transform. Spec: D3D11.3 sections 15.5, 15.6 and 15.8."""

from __future__ import annotations

from softd3d.algebra.operations import convert, select
from softd3d.algebra.value import F64, Value
from softd3d.classes import dataclass
from softd3d.isa.limits import MAX_VIEWPORTS

__all__ = [
    "ClipPosition",
    "ScreenPosition",
    "ViewportTransform",
    "project",
    "viewport_index",
]


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
