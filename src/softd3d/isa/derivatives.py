"""Derivatives: differences between the four lanes of a quad.

Lanes 0 and 1 of a quad are its upper row, 2 and 3 the lower one. Spec: D3D11.3 sections 22.4.23
and following, 22.5; Direct3D 9 shader assembly reference, dsx and dsy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softd3d.algebra.value import Value

if TYPE_CHECKING:
    from softd3d.isa.machine import Machine

__all__ = ["derivative"]

# By axis (x, y) and whether it is fine: the lanes whose difference each lane of a quad gets.
_LANES = {
    (0, False): ((1, 1, 1, 1), (0, 0, 0, 0)),
    (1, False): ((2, 2, 2, 2), (0, 0, 0, 0)),
    (0, True): ((1, 1, 3, 3), (0, 0, 2, 2)),
    (1, True): ((2, 3, 2, 3), (0, 1, 0, 1)),
}


def derivative(
    m: Machine, value: Value, axis: int, *, is_fine: bool, of_all: bool = False
) -> Value:
    """Return the difference along x (axis 0) or y (1) in the quad.

    Coarse is that of the upper row or left column for the whole quad, fine that of the own ones.
    of_all: as for `Machine.quad`.
    """
    further, nearer = _LANES[axis, is_fine]
    return m.quad(value, further, of_all=of_all) - m.quad(value, nearer, of_all=of_all)
