"""Rules of register numbers and indices: how many, in range, relative only where allowed.

Spec: D3D11.3 functional specification 22.3.30, 7.11; d3d12TokenizedProgramFormat.hpp.
"""

from __future__ import annotations

from collections.abc import Callable

from softd3d.isa.sm4.enums import OperandModifier, OperandType, SelectionMode
from softd3d.isa.sm4.program import Index, Instruction, Operand
from softd3d.isa.sm4.tokens import UNBOUNDED
from softd3d.isa.sm4.validate.declared import constant_index
from softd3d.isa.sm4.validate.facts import Buffer, Sampler, View
from softd3d.isa.sm4.validate.phases import Context
from softd3d.isa.sm4.validate.registers import REGISTERS

__all__ = ["LOOKUPS", "check_indices"]

_T = OperandType
_REGISTERS = frozenset({_T.TEMP, _T.INDEXABLE_TEMP})
_LONG = frozenset({1, 4})  # representations with 64 bits
_SM5, _SM5_1 = (5, 0), (5, 1)
# Where an index may be a register: places that need a declared index range are left to _ranged
_RELATIVE: dict[OperandType, tuple[int, ...]] = {
    _T.INDEXABLE_TEMP: (1,),
    _T.CONSTANT_BUFFER: (1,),
    _T.IMMEDIATE_CONSTANT_BUFFER: (0,),
    _T.INTERFACE: (1,),
    _T.THIS_POINTER: (0, 1),
    _T.INPUT_CONTROL_POINT: (0,),
    _T.OUTPUT_CONTROL_POINT: (0,),
}
# Since 5.0 methods index what their class instance is bound to; since 5.1 ranges are indexed.
_RELATIVE_5_0: dict[OperandType, tuple[int, ...]] = {
    _T.CONSTANT_BUFFER: (0, 1),
    _T.RESOURCE: (0,),
    _T.SAMPLER: (0,),
}
_RELATIVE_5_1: dict[OperandType, tuple[int, ...]] = {
    _T.CONSTANT_BUFFER: (1, 2),
    _T.RESOURCE: (1,),
    _T.SAMPLER: (1,),
    _T.UNORDERED_ACCESS_VIEW: (1,),
}
_RANGED = frozenset(
    {
        _T.INPUT, _T.OUTPUT, _T.INPUT_CONTROL_POINT, _T.OUTPUT_CONTROL_POINT,
        _T.INPUT_PATCH_CONSTANT,
    }
)  # fmt: skip


def check_indices(c: Context, i: Instruction, operand: Operand) -> bool:
    """Check the indices of an operand; tell whether its register can be looked up."""
    counts = REGISTERS[operand.type].counts(c.version)
    if len(operand.indices) not in counts:
        c.add("IDX-005", f": {c.text(operand)} has {len(operand.indices)} "
              f"indices, wanted {' or '.join(map(str, counts))}", i)  # fmt: skip
        return False
    usable = True
    for place, index in enumerate(operand.indices):
        if index.representation in _LONG:
            c.add("IDX-006", f": {c.text(operand)} has a 64-bit index", i)
        if index.relative is not None:
            usable &= _check_relative(c, i, operand, place, index)
    check = LOOKUPS.get(operand.type)
    if usable and check is not None:
        check(c, i, operand)
    return usable


def _check_relative(c: Context, i: Instruction, operand: Operand, place: int, index: Index) -> bool:
    relative = index.relative
    assert relative is not None  # noqa: S101 - the caller has looked
    text = c.text(operand)
    if not _may_be_relative(c, operand, place):
        c.add("IDX-001", f": index {place} of {text} is a register", i)
        return False
    one = relative.components == 1 or (
        relative.components == 4 and relative.mode is SelectionMode.SELECT_1
    )
    if relative.type not in _REGISTERS or not one or relative.modifier is not OperandModifier.NONE:
        c.add("IDX-003", f": an index of {text} is no component of r# or x#", i)
        return False
    if place == len(operand.indices) - 1 and operand.type in _RANGED:
        return _check_range(c, i, operand, index)
    return check_indices(c, i, relative)


def _may_be_relative(c: Context, operand: Operand, place: int) -> bool:
    if operand.type in _RANGED:
        is_vertex = place == 0 and len(operand.indices) == 2
        return is_vertex or not (c.stage == "ps" and operand.type is _T.OUTPUT)
    places = _RELATIVE.get(operand.type, ())
    if c.version >= _SM5_1:
        places = _RELATIVE_5_1.get(operand.type, places)
    elif c.version >= _SM5:
        places = _RELATIVE_5_0.get(operand.type, places)
    return place in places


def _check_range(c: Context, i: Instruction, operand: Operand, index: Index) -> bool:
    if (operand.type, index.immediate) in c.declared.ranged:
        return index.relative is None or check_indices(c, i, index.relative)
    c.add("IDX-002", f": {c.text(operand)} is in no dcl_indexrange", i)
    return False


def _temp(c: Context, i: Instruction, operand: Operand) -> None:
    number = constant_index(operand, 0)
    if number is not None and number >= c.declared.temps:
        c.add("REG-001", f": r{number}, declared are {c.declared.temps}", i)


def _array(c: Context, i: Instruction, operand: Operand) -> None:
    number, at = constant_index(operand, 0), constant_index(operand, 1)
    array = None if number is None else c.declared.arrays.get(number)
    if array is None:
        c.add("REG-002", f": x{number} is not declared", i)
    elif at is not None and at >= array.count:
        c.add("REG-003", f": x{number}[{at}], declared are {array.count}", i)
    elif at is None and operand.indices[1].immediate >= array.count:
        c.add("REG-017", f": x{number} is indexed from {operand.indices[1].immediate} on, declared "
              f"are {array.count}", i)  # fmt: skip


def _buffer(c: Context, i: Instruction, operand: Operand) -> None:
    number = constant_index(operand, 0)
    if number is None:
        return
    buffer = c.declared.buffer(number)
    if buffer is None:
        c.add("REG-009", f": {_name('cb', c)}{number} is not declared", i)
        return
    if c.version >= _SM5_1:
        _check_bounds(c, i, operand, buffer)
    at = constant_index(operand, len(operand.indices) - 1)
    if at is None:
        if not buffer.is_dynamic:
            c.add("IDX-004", f": cb{number} is indexed, but declared immediateIndexed", i)
    elif buffer.size and at >= buffer.size:
        c.add("REG-010", f": vector {at} of cb{number}, declared are {buffer.size}", i)


def _name(prefix: str, c: Context) -> str:
    return prefix.upper() if c.version >= _SM5_1 else prefix


def _constants(c: Context, i: Instruction, operand: Operand) -> None:
    count = c.declared.constants
    at = operand.indices[0].immediate
    if not count:
        c.add("REG-011", ": there is no immediate constant buffer", i)
    elif at >= count:
        c.add("REG-011", f": icb[{at}], there are {count} vectors", i)


def _view(c: Context, i: Instruction, operand: Operand) -> None:
    number = constant_index(operand, 0)
    if number is None:
        return
    view = c.declared.view(operand.type, number)
    if view is None:
        c.add("REG-012", f": {c.text(operand)} is not declared", i)
    elif c.version >= _SM5_1 and view.type is not _T.THREAD_GROUP_SHARED_MEMORY:
        _check_bounds(c, i, operand, view)


def _sampler(c: Context, i: Instruction, operand: Operand) -> None:
    number = constant_index(operand, 0)
    if number is None:
        return
    sampler = c.declared.sampler(number)
    if sampler is None:
        c.add("REG-012", f": {c.text(operand)} is not declared", i)
    elif c.version >= _SM5_1:
        _check_bounds(c, i, operand, sampler)


def _check_bounds(
    c: Context, i: Instruction, operand: Operand, declared: View | Sampler | Buffer
) -> None:
    at = constant_index(operand, 1)
    if at is not None and not declared.lower <= at <= declared.upper:
        upper = "unbounded" if declared.upper == UNBOUNDED else str(declared.upper)
        c.add("REG-013", f": register {at} of range {declared.register}, declared are "
              f"{declared.lower} to {upper}", i)  # fmt: skip


def _vertex(c: Context, i: Instruction, operand: Operand) -> None:
    if len(operand.indices) != 2:
        return
    at, count = constant_index(operand, 0), c.declared.vertices.get(operand.type)
    if at is not None and count is not None and at >= count:
        c.add("REG-014", f": vertex {at} of {c.text(operand)}, there are "
              f"{count}", i)  # fmt: skip


def _stream(c: Context, i: Instruction, operand: Operand) -> None:
    number = constant_index(operand, 0)
    if number not in c.declared.streams:
        c.add("REG-015", f": m{number} is not declared", i)


LOOKUPS: dict[OperandType, Callable[[Context, Instruction, Operand], None]] = {
    _T.TEMP: _temp,
    _T.INDEXABLE_TEMP: _array,
    _T.CONSTANT_BUFFER: _buffer,
    _T.IMMEDIATE_CONSTANT_BUFFER: _constants,
    _T.RESOURCE: _view,
    _T.UNORDERED_ACCESS_VIEW: _view,
    _T.THREAD_GROUP_SHARED_MEMORY: _view,
    _T.SAMPLER: _sampler,
    _T.INPUT: _vertex,
    _T.INPUT_CONTROL_POINT: _vertex,
    _T.OUTPUT_CONTROL_POINT: _vertex,
    _T.STREAM: _stream,
}
