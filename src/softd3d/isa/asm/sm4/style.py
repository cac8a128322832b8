"""Choices of Microsoft's disassembler that the opcodes' meanings do not give away.

Found by giving it programs with every opcode: it knows three kinds of literals, one for all
operands of an opcode, and which sources are converted to the precision of the result.
"""

from __future__ import annotations

from functools import lru_cache

from softd3d.isa.asm.numbers import LiteralKind
from softd3d.isa.asm.options import Habits
from softd3d.isa.row import Kind, Row
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["converted_sources", "literal_kind", "literal_separator"]

_O = Opcode
_UNTYPED = frozenset(
    {_O.MOV, _O.MOVC, _O.SWAPC, _O.STORE_UAV_TYPED, _O.STORE_RAW, _O.STORE_STRUCTURED}
)
_PIXEL = frozenset(
    {
        _O.DERIV_RTX, _O.DERIV_RTY,
        _O.DERIV_RTX_COARSE, _O.DERIV_RTX_FINE, _O.DERIV_RTY_COARSE, _O.DERIV_RTY_FINE,
        _O.EVAL_SNAPPED, _O.EVAL_SAMPLE_INDEX, _O.EVAL_CENTROID,
    }
)  # fmt: skip
# Float operations whose literals it writes as integers all the same
_INTEGER = frozenset(
    {
        _O.RCP, _O.LOD, _O.DFMA, _O.DRCP, _O.DTOI, _O.DTOU,
        _O.GATHER4_PO, _O.GATHER4_PO_C, _O.GATHER4_PO_FEEDBACK, _O.GATHER4_PO_C_FEEDBACK,
    }
) | (_PIXEL - {_O.DERIV_RTX, _O.DERIV_RTY})  # fmt: skip
_FLOAT_LETTERS = frozenset("fdx")

_FIRST_SOURCE_ONLY = frozenset(
    {
        _O.ISHL, _O.ISHR, _O.USHR, _O.UBFE, _O.IBFE, _O.BFI,
        _O.EVAL_SNAPPED, _O.EVAL_SAMPLE_INDEX,
    }
)  # fmt: skip
_NOT_FIRST_SOURCE = frozenset({_O.MOVC, _O.DMOVC})
_NO_SOURCE = frozenset(
    {
        _O.SWAPC, _O.FTOI, _O.FTOU, _O.ITOF, _O.UTOF, _O.F32TOF16, _O.F16TOF32, _O.FTOD,
        _O.DTOI, _O.DTOU, _O.ITOD, _O.UTOD, _O.CHECK_ACCESS_FULLY_MAPPED,
    }
)  # fmt: skip


def literal_kind(opcode: Opcode, habits: Habits) -> LiteralKind:
    """Return what the components of an opcode's literals are written as."""
    if opcode in _UNTYPED:
        return LiteralKind.UNTYPED
    if opcode in _INTEGER or (opcode is _O.GATHER4_C and habits.has_integer_comparands):
        return LiteralKind.INTEGER
    letters = {spec.letter for spec in TABLE[opcode].sources}
    return LiteralKind.FLOAT if letters & _FLOAT_LETTERS else LiteralKind.INTEGER


def literal_separator(opcode: Opcode) -> str:
    """Return what stands between the components of an opcode's literals."""
    return "," if opcode in _UNTYPED else ", "


@lru_cache(maxsize=512)
def converted_sources(opcode: Opcode) -> tuple[bool, ...]:
    """Tell for each source whether it is converted to the first result's minimum precision."""
    row = TABLE[opcode]
    count = len(row.sources)
    if not _has_converted(row):
        return (False,) * count
    if opcode in _FIRST_SOURCE_ONLY:
        return (True,) + (False,) * (count - 1)
    return (opcode not in _NOT_FIRST_SOURCE,) + (True,) * (count - 1)


def _has_converted(row: Row) -> bool:
    if row.opcode in _NO_SOURCE or not row.destinations or not row.sources:
        return False
    is_comparison = row.destinations[0].letter == "m"
    return row.opcode in _PIXEL or (row.kind is Kind.PURE and not is_comparison)
