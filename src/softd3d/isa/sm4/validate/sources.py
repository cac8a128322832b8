"""Sources as the walk over the data needs them: taken apart once, then known by their identity."""

from __future__ import annotations

from collections.abc import Iterable

from softd3d.isa.record import Bounded, record
from softd3d.isa.sm4.enums import OperandType, SelectionMode
from softd3d.isa.sm4.program import Operand
from softd3d.isa.sm4.validate.dataflow import UNIFORM, VARYING
from softd3d.isa.sm4.validate.declared import constant_index
from softd3d.isa.sm4.validate.written import ARRAYS

__all__ = ["EVERYTHING", "MOST_REGISTERS", "Source", "register_bits", "source_of"]

_T = OperandType
_UNIFORM_FILES = frozenset(
    {
        _T.IMMEDIATE32, _T.IMMEDIATE64, _T.CONSTANT_BUFFER, _T.IMMEDIATE_CONSTANT_BUFFER,
        _T.RESOURCE, _T.SAMPLER, _T.THIS_POINTER, _T.INPUT_THREAD_GROUP_ID, _T.RASTERIZER,
        _T.STREAM, _T.LABEL, _T.FUNCTION_BODY, _T.INTERFACE, _T.NULL,
    }
)  # fmt: skip
_PLACES = range(4)
MOST_REGISTERS = 256
"""How many r# have bits; of further ones all may be read."""
EVERYTHING = -1
"""The bits of all components that there can be."""


@record
class Source:
    """Where the components of an operand come from.

    keys: of an r#, what its swizzle's four places name, and then its first component; else none.
    array: the key of an x#, or -1. input: the number of a v#, or -1. node: of all others. relative:
    the registers of its indices. bits: what it names, with its indices; index_bits: its indices.
    """

    operand: Operand
    keys: tuple[int, ...]
    array: int
    input: int
    node: int
    relative: tuple[Operand, ...]
    bits: int
    index_bits: int


def register_bits(number: int, components: Iterable[int]) -> int:
    """Return components of an r# as bits: 4 * number + component is the place of each."""
    if number >= MOST_REGISTERS:
        return EVERYTHING
    bits = 0
    for component in components:
        bits |= 1 << 4 * number + component
    return bits


def source_of(operand: Operand) -> Source:
    """Return an operand taken apart."""
    found = _SOURCES.get(id(operand))
    if found is None:
        found = _SOURCES[id(operand)] = _taken_apart(operand)
    return found


# Each has its operand, which lives as long as its identity is a key.
_SOURCES: Bounded[int, Source] = Bounded(1 << 15)


def _taken_apart(operand: Operand) -> Source:
    number = constant_index(operand, 0)
    keys: tuple[int, ...] = ()
    array = -1
    if number is not None and operand.type is _T.TEMP:
        keys = (*(4 * number + _component(operand, place) for place in _PLACES), 4 * number)
    elif number is not None and operand.type is _T.INDEXABLE_TEMP:
        array = ARRAYS + number
    is_input = number is not None and operand.type is _T.INPUT
    relative = tuple(index.relative for index in operand.indices if index.relative is not None)
    own_bits = register_bits(keys[0] // 4, [key % 4 for key in keys]) if keys else 0
    index_bits = 0
    for register in relative:
        index_bits |= source_of(register).bits
    return Source(
        operand, keys, array, number if is_input and number is not None else -1,
        UNIFORM if operand.type in _UNIFORM_FILES else VARYING,
        relative, index_bits | own_bits, index_bits,
    )  # fmt: skip


def _component(operand: Operand, place: int) -> int:
    """Return what a place names, itself if there is no such place in an operand made by hand."""
    wanted = place if operand.mode is SelectionMode.SWIZZLE else 0
    is_there = operand.mode is SelectionMode.MASK or wanted < len(operand.selection)
    return operand.source(place) if operand.components != 4 or is_there else place
