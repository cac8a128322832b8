"""Depth bias of triangles. Spec: D3D11.3 section 15.10; win32 D3DRS_DEPTHBIAS.

Computed once for each triangle and added to each vertex's depth after the viewport, also for the
edges of wireframe; not for lines and points. The sum may leave 0 to 1: the output merger clamps.
"""

from __future__ import annotations

from softd3d.algebra import integer
from softd3d.algebra.operations import bitcast, convert, pack64, select
from softd3d.algebra.value import F32, F64, U32, Value
from softd3d.classes import dataclass
from softd3d.pipeline.rasterizer.snap import PIXEL
from softd3d.pipeline.rasterizer.triangle import Corners

__all__ = ["NO_DEPTH_BUFFER_BITS", "DepthBias", "depth_bias", "depth_slope"]

NO_DEPTH_BUFFER_BITS = 24
"""The UNORM bits that count where no depth buffer is bound."""
_MAGNITUDE = 0x7FFFFFFF
_MANTISSA_BITS = 23

_Depths = tuple[Value, Value, Value]


@dataclass(frozen=True, slots=True)
class DepthBias:
    """What the rasteriser state and the depth buffer say; numbers of a state, not lanes.

    unorm_bits: of the depth buffer's format, None for float formats. offset: Direct3D 9's
    DEPTHBIAS, a float that is added as it is in the place of depth_bias; None elsewhere.
    """

    depth_bias: int = 0
    depth_bias_clamp: float = 0.0
    slope_scaled_depth_bias: float = 0.0
    unorm_bits: int | None = NO_DEPTH_BUFFER_BITS
    offset: float | None = None

    @property
    def is_zero(self) -> bool:
        """Whether there is none; it is then left out wholly."""
        constant = self.depth_bias if self.offset is None else self.offset
        return constant == 0 and self.slope_scaled_depth_bias == 0


def depth_bias(state: DepthBias, corners: Corners, depths: _Depths, signed_area: Value) -> Value:
    """Return what is added to the depths of a triangle, F32. Not for a state that `is_zero`.

    Args:
        state: the parameters.
        corners: the snapped vertices.
        depths: after the viewport, F32.
        signed_area: of `triangle.doubled_area`.
    """
    bias = _constant_term(state, depths)
    if state.slope_scaled_depth_bias != 0:
        bias = bias + depth_slope(corners, depths, signed_area) * state.slope_scaled_depth_bias
    clamp = state.depth_bias_clamp
    if clamp > 0:
        return select(bias < clamp, bias, clamp)
    return select(bias > clamp, bias, clamp) if clamp < 0 else bias


def depth_slope(corners: Corners, depths: _Depths, signed_area: Value) -> Value:
    """Return the greater of |dz/dx| and |dz/dy| a pixel, F32; 0 for a triangle without area.

    How the slope is computed is left free: in double from snapped positions, rounded once.
    """
    p, q, r = corners
    qx, qy, rx, ry = (convert(n, F64) for n in (q.x - p.x, q.y - p.y, r.x - p.x, r.y - p.y))
    z0, z1, z2 = (convert(z, F64) for z in depths)
    qz, rz = z1 - z0, z2 - z0
    along_x, along_y = abs(qz * ry - rz * qy), abs(rz * qx - qz * rx)
    steeper = select(along_x < along_y, along_y, along_x)
    has_area = signed_area.ne(0.0)
    area = select(has_area, abs(signed_area), 1.0)
    return convert(select(has_area, steeper * float(PIXEL) / area, 0.0), F32)


def _constant_term(state: DepthBias, depths: _Depths) -> Value:
    """Return DepthBias in units of the depth buffer, F32; of Direct3D 9 the float itself."""
    if state.offset is not None:
        return depths[0].like(state.offset)
    if state.unorm_bits is not None:
        unit = depths[0].like(1 / ((1 << state.unorm_bits) - 1))
        return depths[0].like(state.depth_bias) * unit
    # The unit of a float is that of the last bit of the greatest depth, 2**-149 for denormals.
    first, second, third = (bitcast(z, U32) & _MAGNITUDE for z in depths)
    greatest = integer.maximum(integer.maximum(first, second), third)
    exponent = integer.maximum(greatest >> _MANTISSA_BITS, greatest.like(1))
    unit = pack64(greatest.like(0), (exponent + (1023 - 127 - _MANTISSA_BITS)) << 20)
    return convert(unit * float(state.depth_bias), F32)
