"""What only pixel shaders can do: derivatives over a quad, and interpolation at other places.

Inputs are evaluated by the machine, which knows the primitive. Spec: D3D11.3 sections 16.5, 22.4.23
and following, 22.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import U32, Value
from softd3d.isa.derivatives import derivative
from softd3d.isa.machine import InputComponent, Machine, Place
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["eval_centroid", "eval_sample_index", "eval_snapped"]

_FLOAT = Controls.SATURATE | Controls.PRECISE


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


def _evaluation(code: Opcode, mnemonic: str, signature: str) -> Callable[..., Any]:
    return TABLE.effect(
        code, mnemonic, signature, Controls.PRECISE, counts=Counts.NONE, spec=f"inst_{code.name}",
        since=(5, 0), stages="ps",
    )  # fmt: skip


@_evaluation(Opcode.EVAL_SNAPPED, "eval_snapped", "f=ei2")
def eval_snapped(m: Machine, source: InputComponent, offset: tuple[Value, Value]) -> Value:
    """An input at an offset of sixteenths of a pixel from the centre."""
    return m.interpolate(source, Place.SNAPPED, offset)


@_evaluation(Opcode.EVAL_SAMPLE_INDEX, "eval_sample_index", "f=ei1")
def eval_sample_index(m: Machine, source: InputComponent, index: tuple[Value]) -> Value:
    """An input at a sample's place; at the centre if there is no such sample."""
    return m.interpolate(source, Place.SAMPLE, (bitcast(index[0], U32),))


@_evaluation(Opcode.EVAL_CENTROID, "eval_centroid", "f=e")
def eval_centroid(m: Machine, source: InputComponent) -> Value:
    """An input at the centroid."""
    return m.interpolate(source, Place.CENTROID, ())
