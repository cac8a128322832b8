"""Derivatives: differences in the quad that a pixel belongs to.

Spec: Direct3D 9 shader assembly reference, dsx and dsy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softd3d.algebra.value import Value
from softd3d.isa.derivatives import derivative
from softd3d.isa.row import Controls
from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.rows.table import SM2X, effect

if TYPE_CHECKING:
    from softd3d.isa.machine import Machine

__all__: list[str] = []


@effect(Opcode.DSX, "dsx", "f=f", Controls.QUAD, ps=SM2X)
def dsx(m: Machine, _: Profile, a: Value) -> Value:
    """Difference along x: of the right pixel and the left one in the pixel's row of the quad."""
    return derivative(m, a, 0, is_fine=True, of_all=True)


@effect(Opcode.DSY, "dsy", "f=f", Controls.QUAD, ps=SM2X)
def dsy(m: Machine, _: Profile, a: Value) -> Value:
    """Difference along y: of the lower pixel and the upper one in the pixel's column."""
    return derivative(m, a, 1, is_fine=True, of_all=True)
