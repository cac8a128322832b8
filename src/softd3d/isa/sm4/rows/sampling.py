"""Filtered reads of textures: sample*, gather4*, lod, and their forms that give a mapping status.

Layouts only, no semantics yet. The `_s` forms have a second destination for the status; those with
`_cl` also take a lower limit of the level of detail. Spec: D3D11.3 sections 7.18 and 22.4.
"""

from __future__ import annotations

from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_OFFSETS = Controls.OFFSETS | Controls.PRECISE
_STATUS = _OFFSETS | Controls.FEEDBACK
_SM41, _SM5 = (4, 1), (5, 0)


def _sample(
    code: Opcode, mnemonic: str, signature: str, controls: Controls, doc: str,
    since: tuple[int, int] = (4, 0), stages: str = "all",
) -> None:  # fmt: skip
    TABLE.later(
        code, mnemonic, signature, controls, spec=f"inst_{code.name}", doc=doc, since=since,
        stages=stages,
    )  # fmt: skip


_sample(Opcode.SAMPLE, "sample", "f=xVS", _OFFSETS, "Sample; quads give the level.", stages="ps")
_sample(
    Opcode.SAMPLE_B, "sample_b", "f=xVSf1", _OFFSETS, "Sample with a bias added to the level.",
    stages="ps",
)  # fmt: skip
_sample(Opcode.SAMPLE_L, "sample_l", "f=xVSf1", _OFFSETS, "Sample at a given level.")
_sample(Opcode.SAMPLE_D, "sample_d", "f=xVSxx", _OFFSETS, "Sample with given derivatives.")
_sample(
    Opcode.SAMPLE_C, "sample_c", "f=xVSf1", _OFFSETS,
    "Compare texels with a reference value, and filter the results.", stages="ps",
)  # fmt: skip
_sample(Opcode.SAMPLE_C_LZ, "sample_c_lz", "f=xVSf1", _OFFSETS, "Compare and filter at level zero.")
_sample(
    Opcode.LOD, "lod", "f=xVS", Controls.PRECISE,
    "Give the level that sample would use, clamped in x and unclamped in y.", _SM41, "ps",
)  # fmt: skip
_sample(
    Opcode.GATHER4, "gather4", "f=xVS", _OFFSETS,
    "Give one component of the four texels that bilinear filtering would blend.", _SM41,
)  # fmt: skip
_sample(
    Opcode.GATHER4_C, "gather4_c", "f=xVSf1", _OFFSETS,
    "Compare the four texels with a reference value.", _SM5,
)  # fmt: skip
_sample(
    Opcode.GATHER4_PO, "gather4_po", "f=xiVS", _OFFSETS,
    "Gather with offsets from a register.", _SM5,
)  # fmt: skip
_sample(
    Opcode.GATHER4_PO_C, "gather4_po_c", "f=xiVSf1", _OFFSETS,
    "Gather and compare with offsets from a register.", _SM5,
)  # fmt: skip

_MAPPED = "The second result says whether all texels are mapped."
_sample(Opcode.GATHER4_FEEDBACK, "gather4_s", "fb=xVS", _STATUS, f"gather4. {_MAPPED}", _SM5)
_sample(
    Opcode.GATHER4_C_FEEDBACK, "gather4_c_s", "fb=xVSf1", _STATUS, f"gather4_c. {_MAPPED}", _SM5
)
_sample(
    Opcode.GATHER4_PO_FEEDBACK, "gather4_po_s", "fb=xiVS", _STATUS, f"gather4_po. {_MAPPED}", _SM5
)
_sample(
    Opcode.GATHER4_PO_C_FEEDBACK, "gather4_po_c_s", "fb=xiVSf1", _STATUS,
    f"gather4_po_c. {_MAPPED}", _SM5,
)  # fmt: skip
_sample(Opcode.SAMPLE_L_FEEDBACK, "sample_l_s", "fb=xVSf1", _STATUS, f"sample_l. {_MAPPED}", _SM5)
_sample(
    Opcode.SAMPLE_C_LZ_FEEDBACK, "sample_c_lz_s", "fb=xVSf1", _STATUS,
    f"sample_c_lz. {_MAPPED}", _SM5,
)  # fmt: skip
_LIMIT = f"with a least level as last source. {_MAPPED}"
_sample(
    Opcode.SAMPLE_CLAMP_FEEDBACK, "sample_cl_s", "fb=xVSf1", _STATUS, f"sample {_LIMIT}", _SM5,
    "ps",
)  # fmt: skip
_sample(
    Opcode.SAMPLE_B_CLAMP_FEEDBACK, "sample_b_cl_s", "fb=xVSf1f1", _STATUS, f"sample_b {_LIMIT}",
    _SM5, "ps",
)  # fmt: skip
_sample(
    Opcode.SAMPLE_D_CLAMP_FEEDBACK, "sample_d_cl_s", "fb=xVSxxf1", _STATUS, f"sample_d {_LIMIT}",
    _SM5,
)  # fmt: skip
_sample(
    Opcode.SAMPLE_C_CLAMP_FEEDBACK, "sample_c_cl_s", "fb=xVSf1f1", _STATUS, f"sample_c {_LIMIT}",
    _SM5, "ps",
)  # fmt: skip
