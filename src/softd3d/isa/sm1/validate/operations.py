"""Groups of opcodes with rules of their own, as the pages of the instructions state them."""

from __future__ import annotations

from collections.abc import Mapping

from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.rows import TABLE

__all__ = [
    "DESTINATION_ALIASES",
    "DOT_PRODUCTS",
    "MATRIX_ROWS",
    "NEVER_SATURATED",
    "SCALAR_RESULTS",
    "SCRATCH_SOURCES",
    "TEMP_RESULTS",
    "TEXTURE_LOADS",
    "VECTOR_RESULTS",
    "WRITE_MASKS",
]

_X, _Y, _XY, _XYZ, _XYZW = 1, 2, 3, 7, 15

MATRIX_ROWS: Mapping[int, int] = {
    opcode: rows[0].sources[1].reads
    for opcode, rows in TABLE.variants.items()
    if rows[0].sources[1:] and rows[0].sources[1].letter == "M"
}
"""How many registers from the second source on a matrix product reads."""

TEXTURE_LOADS = frozenset({Opcode.TEX, Opcode.TEXLDD, Opcode.TEXLDL})
DOT_PRODUCTS = frozenset({Opcode.DP3, Opcode.DP4})

SCRATCH_SOURCES = frozenset({Opcode.SINCOS, Opcode.SGN})
"""Opcodes whose second and third sources are constants of a series or scratch registers."""

WRITE_MASKS: Mapping[Opcode, frozenset[int]] = {
    Opcode.M4X4: frozenset({_XYZW}),
    Opcode.M3X4: frozenset({_XYZW}),
    Opcode.M4X3: frozenset({_XYZ}),
    Opcode.M3X3: frozenset({_XYZ}),
    Opcode.M3X2: frozenset({_XY}),
    Opcode.CRS: frozenset(range(1, 8)),
    Opcode.NRM: frozenset({_XYZ, _XYZW}),
    Opcode.SINCOS: frozenset({_X, _Y, _XY}),
}
"""The write masks of opcodes that do not take any."""

DESTINATION_ALIASES: Mapping[Opcode, tuple[int, ...]] = {
    Opcode.CRS: (0, 1),
    Opcode.NRM: (0,),
    Opcode.POW: (1,),
    Opcode.LRP: (0, 2),
    Opcode.SINCOS: (0,),
    Opcode.M4X4: (0,),
    Opcode.M4X3: (0,),
    Opcode.M3X4: (0,),
    Opcode.M3X3: (0,),
    Opcode.M3X2: (0,),
}
"""The sources that must not be the destination, from 2.0 on and in vs_1_1."""

TEMP_RESULTS = frozenset({Opcode.CRS, Opcode.NRM, Opcode.POW, Opcode.LRP, Opcode.SINCOS})
"""Opcodes of vertex shaders that write r# only."""

SCALAR_RESULTS = frozenset(
    {
        Opcode.DP3, Opcode.DP4, Opcode.DP2ADD, Opcode.RCP, Opcode.RSQ, Opcode.EXP, Opcode.LOG,
        Opcode.EXPP, Opcode.LOGP, Opcode.POW,
    }
)  # fmt: skip
"""Opcodes with one result for all components, whatever their sources."""

VECTOR_RESULTS = frozenset(
    {Opcode.LIT, Opcode.DST, Opcode.CRS, Opcode.NRM, Opcode.SINCOS, *MATRIX_ROWS}
)
"""Opcodes whose results cannot be written to a register of one component."""

NEVER_SATURATED = frozenset(
    {Opcode.FRC, Opcode.SINCOS, Opcode.SETP, Opcode.MOVA, Opcode.TEXKILL, *TEXTURE_LOADS}
)
