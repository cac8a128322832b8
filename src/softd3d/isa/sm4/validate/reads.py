"""Which components of its registers an instruction reads and writes.

The row's signature says most of it; coordinates depend on the shape of the view.
Spec: D3D11.3 functional specification 22.4; see `isa.row` for the letters.
"""

from __future__ import annotations

from softd3d.isa.machine import ViewKind
from softd3d.isa.row import OperandSpec, Row
from softd3d.isa.sm4.enums import Opcode, OperandType, ResourceDimension
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.rows.resource import COORDINATES
from softd3d.isa.sm4.validate.declared import Declared, constant_index
from softd3d.isa.sm4.validate.facts import View

__all__ = ["read_components", "read_places", "value_mask", "view_of"]

_O, _D = Opcode, ResourceDimension
_ALL = (0, 1, 2, 3)
_LEVEL = 3  # ld reads the mip level from w
_VIEWS = frozenset(
    {
        OperandType.RESOURCE,
        OperandType.UNORDERED_ACCESS_VIEW,
        OperandType.THREAD_GROUP_SHARED_MEMORY,
    }
)
_CUBES = frozenset({_D.TEXTURECUBE, _D.TEXTURECUBEARRAY})
# Sources that read otherwise than their letter says: components before the swizzle
_PLACES: dict[tuple[Opcode, int], tuple[int, ...]] = {
    (_O.EVAL_SNAPPED, 1): (0, 1),
    (_O.GATHER4_PO, 1): (0, 1),
    (_O.GATHER4_PO_C, 1): (0, 1),
    (_O.GATHER4_PO_FEEDBACK, 1): (0, 1),
    (_O.GATHER4_PO_C_FEEDBACK, 1): (0, 1),
}
_SPECIAL = frozenset(opcode for opcode, _ in _PLACES)
_NO_MIPS = frozenset({_O.LD_MS, _O.LD_MS_FEEDBACK})
_WITH_LEVEL = frozenset({_O.LD, _O.LD_FEEDBACK})
_DERIVATIVES = frozenset({_O.SAMPLE_D, _O.SAMPLE_D_CLAMP_FEEDBACK})
_LEVEL_OF_DETAIL = frozenset({_O.LOD})


def view_of(i: Instruction, declared: Declared) -> View | None:
    """Return the declaration of the view that an instruction accesses."""
    for operand in i.operands:
        if operand.type in _VIEWS:
            number = constant_index(operand, 0)
            return None if number is None else declared.view(operand.type, number)
    return None


def value_mask(i: Instruction, row: Row) -> tuple[int, ...]:
    """Return the components that an instruction computes, of all its results together."""
    if len(row.destinations) == 1 and i.operands[0].type is OperandType.TEMP:
        return i.operands[0].mask
    found: set[int] = set()
    for operand in i.operands[: len(row.destinations)]:
        if operand.type is not OperandType.NULL:
            found.update(operand.mask)
    return tuple(sorted(found))


def read_places(i: Instruction, row: Row, source: int, view: View | None) -> tuple[int, ...] | None:
    """Return which components source number `source` reads, before its swizzle.

    None if it is not known: then nothing should be said about the components.
    """
    if i.opcode in _SPECIAL and (i.opcode, source) in _PLACES:
        return _PLACES[i.opcode, source]
    spec = row.sources[source]
    if spec.letter in "VSL#":
        return ()
    if spec.reads:
        return tuple(range(spec.reads))
    if spec.letter == "c":
        return (0,)
    if spec.letter in "ax":
        return _coordinates(i, source, view)
    if _mixes_doubles(row, spec):
        return None
    return value_mask(i, row) if row.destinations else None


def _mixes_doubles(row: Row, spec: OperandSpec) -> bool:
    return (spec.letter == "d") != any([s.letter == "d" for s in row.destinations])  # noqa: C419 - quicker


def _coordinates(i: Instruction, source: int, view: View | None) -> tuple[int, ...] | None:
    """Return the components of an address or of texture coordinates."""
    if view is None:
        return None
    if view.kind is not ViewKind.TYPED:
        return (0,) if view.kind is ViewKind.RAW else (0, 1)
    if view.dimension not in set(COORDINATES):
        return None
    count, is_array = COORDINATES[ResourceDimension(view.dimension)]
    samples = i.opcode not in _WITH_LEVEL | _NO_MIPS and view.type is OperandType.RESOURCE
    if samples and view.dimension in _CUBES:
        count += 1
    is_derivative = i.opcode in _DERIVATIVES and source > 2
    if is_array and not is_derivative and i.opcode not in _LEVEL_OF_DETAIL:
        count += 1
    places = _ALL[:count]
    if i.opcode in _WITH_LEVEL and view.dimension != _D.BUFFER:
        return (*places, _LEVEL)
    return places


def read_components(operand: Operand, places: tuple[int, ...]) -> set[int]:
    """Return the register components that places of a source's swizzle name."""
    return {operand.source(place) for place in places}
