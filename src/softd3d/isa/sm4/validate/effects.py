"""What one instruction does to registers and control flow, found once and then known."""

from __future__ import annotations

from collections.abc import Iterable

from softd3d.isa.record import record
from softd3d.isa.row import Kind, Row
from softd3d.isa.sm4.enums import Opcode, OperandType, SyncFlags
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.validate.declared import constant_index, mask_bits
from softd3d.isa.sm4.validate.reads import read_places
from softd3d.isa.sm4.validate.sources import MOST_REGISTERS, register_bits, source_of

__all__ = [
    "GRADIENTS",
    "OUTPUTS",
    "TEMPORARY",
    "Effects",
    "effects_of",
    "exact_reads",
    "written_outputs",
]

_O, _T = Opcode, OperandType
_ALL = (0, 1, 2, 3)
_BY_VIEW = frozenset("ax")
GRADIENTS = frozenset(
    {
        _O.SAMPLE, _O.SAMPLE_B, _O.SAMPLE_C, _O.LOD, _O.SAMPLE_CLAMP_FEEDBACK,
        _O.SAMPLE_B_CLAMP_FEEDBACK, _O.SAMPLE_C_CLAMP_FEEDBACK, _O.DERIV_RTX, _O.DERIV_RTY,
        _O.DERIV_RTX_COARSE, _O.DERIV_RTX_FINE, _O.DERIV_RTY_COARSE, _O.DERIV_RTY_FINE,
    }
)  # fmt: skip
"""What compares the values of neighbouring lanes."""
TEMPORARY = frozenset({_T.TEMP, _T.INDEXABLE_TEMP})
OUTPUTS = frozenset(
    {
        _T.OUTPUT, _T.OUTPUT_DEPTH, _T.OUTPUT_DEPTH_GREATER_EQUAL, _T.OUTPUT_DEPTH_LESS_EQUAL,
        _T.OUTPUT_COVERAGE_MASK, _T.OUTPUT_STENCIL_REF,
    }
)  # fmt: skip
Output = tuple[OperandType, int]


@record
class Effects:
    """What one instruction does.

    reads: components of r#, as `register_bits`: all that it names; `exact_reads` may be fewer.
    writes: likewise, all that it writes for sure. outputs: what it writes of them, with masks.
    is_watched: whether it wants all lanes. is_flow: whether it is control flow.
    """

    reads: int
    writes: int
    outputs: tuple[tuple[Output, int], ...]
    is_watched: bool
    is_flow: bool


def effects_of(i: Instruction, row: Row) -> Effects:
    """Return what an instruction does."""
    count = len(row.destinations)
    results = i.operands[:count]
    is_watched = (i.opcode in GRADIENTS and i.operands[count].type in TEMPORARY) or (
        i.opcode is _O.SYNC and bool(i.controls & SyncFlags.THREADS)
    )
    outputs = tuple(
        (key, mask_bits(operand.mask)) for operand in results if (key := _output(operand))
    )
    is_flow = row.kind is Kind.FLOW
    return Effects(_reads(i.operands, count), _written(results), outputs, is_watched, is_flow)


def _reads(operands: tuple[Operand, ...], count: int) -> int:
    """Return what is read at most: all components that sources and indices name."""
    bits = 0
    for place, operand in enumerate(operands):
        source = source_of(operand)
        bits |= source.bits if place >= count else source.index_bits
    return bits


def exact_reads(i: Instruction, row: Row) -> int:
    """Return what is read, but for coordinates, of which a view may want fewer components."""
    bits = 0
    count = len(row.destinations)
    for place, operand in enumerate(i.operands):
        source = source_of(operand)
        bits |= source.index_bits
        if place < count or not source.keys:
            continue
        n = place - count
        by_view = row.sources[n].letter in _BY_VIEW
        places = _ALL if by_view else read_places(i, row, n, None) or ()
        bits |= register_bits(source.keys[0] // 4, [source.keys[n] % 4 for n in places])
    return bits


def _written(results: Iterable[Operand]) -> int:
    """Return what is written at least."""
    bits = 0
    for operand in results:
        if operand.type is _T.TEMP and (number := constant_index(operand, 0)) is not None:
            bits |= register_bits(number, operand.mask) if number < MOST_REGISTERS else 0
    return bits


def _output(operand: Operand) -> Output | None:
    if operand.type not in OUTPUTS:
        return None
    number = constant_index(operand, 0) if operand.indices else 0
    return None if number is None else (operand.type, number)


def written_outputs(effects: Iterable[Effects]) -> dict[Output, int]:
    """Return the components of outputs that instructions write."""
    written: dict[Output, int] = {}
    for one in effects:
        for key, mask in one.outputs:
            written[key] = written.get(key, 0) | mask
    return written
