"""What only pixel shaders can do: derivatives over a quad, and interpolation at other places.

Layouts only, no semantics yet. Spec: D3D11.3 section 22.4.
"""

from __future__ import annotations

from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_FLOAT = Controls.SATURATE | Controls.PRECISE
_PRECISE = Controls.PRECISE


def _pixel(
    code: Opcode, mnemonic: str, signature: str, controls: Controls, doc: str,
    since: tuple[int, int] = (5, 0),
) -> None:  # fmt: skip
    TABLE.later(
        code, mnemonic, signature, controls, spec=f"inst_{code.name}", doc=doc, since=since,
        stages="ps",
    )  # fmt: skip


_SM4 = (4, 0)
_pixel(Opcode.DERIV_RTX, "deriv_rtx", "f=f", _FLOAT, "Difference along x in the quad.", _SM4)
_pixel(Opcode.DERIV_RTY, "deriv_rty", "f=f", _FLOAT, "Difference along y in the quad.", _SM4)
_pixel(
    Opcode.DERIV_RTX_COARSE, "deriv_rtx_coarse", "f=f", _FLOAT,
    "Difference along x, one for the whole quad.",
)  # fmt: skip
_pixel(
    Opcode.DERIV_RTX_FINE, "deriv_rtx_fine", "f=f", _FLOAT,
    "Difference along x in the pixel's own row.",
)  # fmt: skip
_pixel(
    Opcode.DERIV_RTY_COARSE, "deriv_rty_coarse", "f=f", _FLOAT,
    "Difference along y, one for the whole quad.",
)  # fmt: skip
_pixel(
    Opcode.DERIV_RTY_FINE, "deriv_rty_fine", "f=f", _FLOAT,
    "Difference along y in the pixel's own column.",
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
