"""What only pixel shaders can do: derivatives over a quad, and interpolation at other places.

A quad is four adjacent lanes: 0 and 1 are its upper row, 2 and 3 the lower one. Evaluation of
inputs has layouts only, no semantics yet. Spec: D3D11.3 sections 22.4.23 and following, 22.5.
"""

from __future__ import annotations

from softd3d.algebra.value import Value
from softd3d.isa.machine import Machine
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["derivative"]

_FLOAT = Controls.SATURATE | Controls.PRECISE
_PRECISE = Controls.PRECISE
# By axis (x, y) and whether it is fine: the lanes whose difference each lane of a quad gets.
_LANES = {
    (0, False): ((1, 1, 1, 1), (0, 0, 0, 0)),
    (1, False): ((2, 2, 2, 2), (0, 0, 0, 0)),
    (0, True): ((1, 1, 3, 3), (0, 0, 2, 2)),
    (1, True): ((2, 3, 2, 3), (0, 1, 0, 1)),
}


def derivative(m: Machine, value: Value, axis: int, *, is_fine: bool) -> Value:
    """Return the difference along x (axis 0) or y (1) in the quad.

    Coarse is that of the upper row or left column for the whole quad, fine that of the own ones.
    """
    further, nearer = _LANES[axis, is_fine]
    return m.quad(value, further) - m.quad(value, nearer)


def _pixel(
    code: Opcode, mnemonic: str, signature: str, controls: Controls, doc: str,
    since: tuple[int, int] = (5, 0),
) -> None:  # fmt: skip
    TABLE.later(
        code, mnemonic, signature, controls, counts=Counts.NONE, spec=f"inst_{code.name}", doc=doc,
        since=since, stages="ps",
    )  # fmt: skip


def _derivative(
    code: Opcode, mnemonic: str, axis: int, doc: str, since: tuple[int, int] = (5, 0), *,
    is_fine: bool,
) -> None:  # fmt: skip
    def row(m: Machine, value: Value) -> Value:
        return derivative(m, value, axis, is_fine=is_fine)

    row.__doc__ = doc
    TABLE.effect(
        code, mnemonic, "f=f", _FLOAT, counts=Counts.FLOAT, spec=f"inst_{code.name}", since=since,
        stages="ps",
    )(row)  # fmt: skip


_SM4 = (4, 0)
_ROW, _COLUMN = "Difference along x", "Difference along y"
_derivative(Opcode.DERIV_RTX, "deriv_rtx", 0, f"{_ROW}, as coarse.", _SM4, is_fine=False)
_derivative(Opcode.DERIV_RTY, "deriv_rty", 1, f"{_COLUMN}, as coarse.", _SM4, is_fine=False)
_derivative(
    Opcode.DERIV_RTX_COARSE, "deriv_rtx_coarse", 0, f"{_ROW} in the upper row, for the whole quad.",
    is_fine=False,
)  # fmt: skip
_derivative(
    Opcode.DERIV_RTX_FINE, "deriv_rtx_fine", 0, f"{_ROW} in the pixel's own row.", is_fine=True
)
_derivative(
    Opcode.DERIV_RTY_COARSE, "deriv_rty_coarse", 1,
    f"{_COLUMN} in the left column, for the whole quad.", is_fine=False,
)  # fmt: skip
_derivative(
    Opcode.DERIV_RTY_FINE, "deriv_rty_fine", 1, f"{_COLUMN} in the pixel's own column.",
    is_fine=True,
)  # fmt: skip
_pixel(
    Opcode.EVAL_SNAPPED, "eval_snapped", "f=fi", _PRECISE,
    "An input at an offset of sixteenths of a pixel from the centre.",
)  # fmt: skip
_pixel(
    Opcode.EVAL_SAMPLE_INDEX, "eval_sample_index", "f=fi1", _PRECISE,
    "An input at a sample's place.",
)  # fmt: skip
_pixel(Opcode.EVAL_CENTROID, "eval_centroid", "f=f", _PRECISE, "An input at the centroid.")
