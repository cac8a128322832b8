"""Rules of operands: which registers, how many components, modifiers, masks, declared or not.

Spec: D3D11.3 functional specification 22.3, 22.14, 22.18; d3d12TokenizedProgramFormat.hpp.
"""

from __future__ import annotations

from softd3d.isa.row import OperandSpec, Row
from softd3d.isa.sm4.enums import Opcode, OperandModifier, OperandType, SelectionMode
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.isa.sm4.rows import TABLE
from softd3d.isa.sm4.validate.declared import constant_index, mask_bits
from softd3d.isa.sm4.validate.indices import LOOKUPS, check_indices
from softd3d.isa.sm4.validate.known import Check, Remaining, SoundOperand
from softd3d.isa.sm4.validate.phases import PHASE_LETTERS, Context, row_of
from softd3d.isa.sm4.validate.reads import read_components, read_places, view_of
from softd3d.isa.sm4.validate.registers import REGISTERS

__all__ = ["check_operands"]

_T, _M = OperandType, SelectionMode
_VALUES = frozenset("fdiubmacx")
_FLOATS = frozenset("fdx")
# Moves take modifiers as float operations do; integers are negated but have no absolute value.
_ABSOLUTE = _FLOATS | {"b"}
_NEGATED = _ABSOLUTE | {"i"}
_MIN_PRECISIONS = frozenset({0, 1, 2, 4, 5})
_LITERALS = frozenset({_T.IMMEDIATE32, _T.IMMEDIATE64})
# Which registers an operand of a letter that is no value names
_NAMED: dict[str, frozenset[OperandType]] = {
    "V": frozenset(
        {
            _T.RESOURCE, _T.UNORDERED_ACCESS_VIEW, _T.THREAD_GROUP_SHARED_MEMORY, _T.RASTERIZER,
        }
    ),
    "U": frozenset({_T.UNORDERED_ACCESS_VIEW, _T.THREAD_GROUP_SHARED_MEMORY}),
    "S": frozenset({_T.SAMPLER}),
    "L": frozenset({_T.LABEL, _T.FUNCTION_BODY, _T.INTERFACE}),
    "#": frozenset({_T.STREAM}),
}  # fmt: skip
_COMPONENTS = "xyzw"
_PAIRS = ((0, 1), (2, 3), (0, 1, 2, 3))
_DECLARED_INPUTS = frozenset(
    {
        _T.INPUT, _T.INPUT_CONTROL_POINT, _T.OUTPUT_CONTROL_POINT, _T.INPUT_PATCH_CONSTANT,
        _T.INPUT_PRIMITIVEID, _T.OUTPUT_CONTROL_POINT_ID, _T.INPUT_FORK_INSTANCE_ID,
        _T.INPUT_JOIN_INSTANCE_ID, _T.INPUT_DOMAIN_POINT, _T.INPUT_THREAD_ID,
        _T.INPUT_THREAD_GROUP_ID, _T.INPUT_THREAD_ID_IN_GROUP, _T.INPUT_COVERAGE_MASK,
        _T.INPUT_THREAD_ID_IN_GROUP_FLATTENED, _T.CYCLE_COUNTER, _T.INNER_COVERAGE,
    }
)  # fmt: skip
_DECLARED_SOURCES = _DECLARED_INPUTS | {_T.INDEXABLE_TEMP}
_ABOVE_ALL = 1 << 32
_SCALARS = frozenset(kind for kind, file in REGISTERS.items() if 1 in file.components)


def check_operands(c: Context, i: Instruction) -> tuple[int, tuple[Remaining, ...]]:
    """Check all operands of an instruction.

    Return how many r# they want, and what else depends on declarations if all of them are sound.
    """
    row = row_of(i, c.stage, c.version)
    declared, wanted = c.declared.temps, 0
    rest: list[Remaining] = []
    for place, operand in enumerate(i.operands):
        known = c.known.operand(i, place)
        if known is None:
            known = _check_operand(c, i, row, place)
        else:
            _, number, look_up, check = known
            if look_up is not None and number >= declared:
                look_up(c, i, operand)
            if check is not None:
                check(c, i, row, place)
        if known is None:  # operands with a relative index are not remembered
            if operand.type is not _T.NULL:
                rest.append((place, None, _check_operand))
        elif operand.type is _T.TEMP:
            wanted = max(wanted, known[1] + 1)
        elif known[2] is not None or known[3] is not None:
            rest.append((place, known[2], known[3]))
    if i.opcode is Opcode.SWAPC and _same(i.operands[0], i.operands[1]):
        c.add("OPD-019", ": both results are the same", i)
    return wanted, tuple(rest)


def _check_operand(c: Context, i: Instruction, row: Row, place: int) -> SoundOperand | None:
    """Check an operand by all rules; remember and return it if it breaks none."""
    operand, count, before = i.operands[place], len(row.destinations), c.report.count
    check: Check | None = None
    if place >= count:
        spec = row.sources[place - count]
        if _check_file(c, i, spec, operand, is_result=False):
            _check_source(c, i, spec, operand)
            if spec.letter in _VALUES and operand.type in _DECLARED_SOURCES:
                check = _check_declared_source
    elif operand.type is _T.NULL:
        _check_null(c, i, row, operand)
        return None
    elif _check_file(c, i, row.destinations[place], operand, is_result=True):
        is_fit = _check_result(c, i, row.destinations[place], operand)
        check = _check_declared_result if is_fit and operand.type is not _T.TEMP else None
    if check is not None:
        check(c, i, row, place)
    if c.report.count > before or any([index.relative for index in operand.indices]):  # noqa: C419 - quicker
        return None
    number = operand.number if operand.type is _T.TEMP else _ABOVE_ALL
    return c.known.add_operand(i, place, (operand, number, LOOKUPS.get(operand.type), check))


def _same(a: Operand, b: Operand) -> bool:
    return a.type is b.type and a.indices == b.indices and bool(set(a.mask) & set(b.mask))


def _check_null(c: Context, i: Instruction, row: Row, operand: Operand) -> None:
    """A result can be dropped where there are several, but not all of them."""
    results = i.operands[: len(row.destinations)]
    if len(results) < 2 or i.opcode is Opcode.SWAPC or row.destinations[1].letter == "U":
        c.add("OPD-003", ": its result cannot be dropped", i)
    elif operand is results[0] and all(o.type is _T.NULL for o in results):
        c.add("OPD-018", ": all its results are dropped", i)
    if operand.components:
        c.add("OPD-004", f": null has {operand.components} components, wanted none", i)


def _check_file(
    c: Context, i: Instruction, spec: OperandSpec, operand: Operand, *, is_result: bool
) -> bool:
    """Check that the register may stand here; tell whether the rest makes sense."""
    file = REGISTERS.get(operand.type)
    wanted = _NAMED.get(spec.letter)
    if file is None:
        c.add("OPD-001", f": {operand.type.name} is no register of programs", i)
        return False
    fits = operand.type in wanted if wanted else ("w" if is_result else "r") in file.access
    if not fits:
        use = "written" if is_result else "read"
        c.add("OPD-001", f": {c.text(operand)} cannot be {use} here", i)
        return False
    letter = PHASE_LETTERS.get(c.phase.kind, "")
    exists = c.is_for(file.stages) and c.version >= file.since
    if not exists or (letter and letter not in file.phases):
        where = f"{c.phase.kind} of {c.program.profile}" if letter else c.program.profile
        c.add("OPD-002", f": {c.text(operand)} does not exist in {where}", i)
        return False
    if operand.components not in file.components:
        c.add("OPD-004", f": {c.text(operand)} has {operand.components} components, wanted "
              f"{' or '.join(map(str, file.components))}", i)  # fmt: skip
        return False
    if operand.min_precision not in _MIN_PRECISIONS:
        c.add("OPD-014", f": minimum precision {operand.min_precision} is not defined", i)
    if operand.non_uniform and c.version < (5, 1):
        c.add("OPD-015", f": {c.text(operand)} is non-uniform in {c.program.profile}", i)
    return check_indices(c, i, operand)


def _check_result(c: Context, i: Instruction, spec: OperandSpec, operand: Operand) -> bool:
    """Check modifier and mask of a result; tell whether its components can be looked up."""
    if operand.modifier is not OperandModifier.NONE:
        c.add("OPD-010", f": the result {c.text(operand)} has a modifier", i)
    if spec.letter == "U":
        _check_target(c, i, operand)
        return False
    if operand.components == 0 or (
        operand.components == 4 and (operand.mode is not _M.MASK or not operand.selection)
    ):
        c.add("OPD-005", f": {c.text(operand)} has no write mask", i)
    elif spec.letter == "d" and operand.mask not in _PAIRS:
        c.add("OPD-011", f": the mask of {c.text(operand)} is no pair", i)
    else:
        return True
    return False


def _check_target(c: Context, i: Instruction, operand: Operand) -> None:
    """Check the mask of a store or of an atomic's target."""
    row = TABLE[i.opcode]
    is_store = row.destinations[0].letter == "U" and row.sources[-1].letter == "b"
    if not is_store:
        if operand.components:
            c.add("OPD-017", f": {c.text(operand)} has components, wanted none", i)
        return
    mask = operand.selection if operand.components == 4 and operand.mode is _M.MASK else ()
    if not mask or mask != tuple(range(len(mask))):
        c.add("OPD-016", f": mask of {c.text(operand)}, wanted x, xy, xyz or xyzw", i)
    elif i.opcode is Opcode.STORE_UAV_TYPED and len(mask) != len("xyzw"):
        # d3dcompiler_40 and 41 name as many as the format has.
        c.add("OPD-020", f": mask of {c.text(operand)}, wanted xyzw", i)


def _check_source(c: Context, i: Instruction, spec: OperandSpec, operand: Operand) -> None:
    _check_modifier(c, i, spec, operand)
    if operand.type in _LITERALS:
        _check_literal(c, i, spec, operand)
        return
    if operand.components == 4 and operand.mode is _M.MASK and spec.letter != "L":
        c.add("OPD-006", f": {c.text(operand)} has a write mask, wanted a swizzle", i)
    elif _is_one(spec) and operand.components == 4 and operand.mode is not _M.SELECT_1:
        c.add("OPD-007", f": {c.text(operand)} has a swizzle, wanted one component", i)
    elif spec.letter == "d":
        _check_double(c, i, operand)


def _is_one(spec: OperandSpec) -> bool:
    return spec.letter == "c" or spec.reads == 1


def _check_literal(c: Context, i: Instruction, spec: OperandSpec, operand: Operand) -> None:
    is_double = operand.type is _T.IMMEDIATE64
    if is_double != (spec.letter == "d"):
        c.add("OPD-013", f": {operand.type.name}, wanted "
              f"{'IMMEDIATE64' if spec.letter == 'd' else 'IMMEDIATE32'}", i)  # fmt: skip
    elif _is_one(spec) and operand.components != 1:
        c.add("OPD-007", f": a literal of {operand.components} components, wanted 1", i)


def _check_modifier(c: Context, i: Instruction, spec: OperandSpec, operand: Operand) -> None:
    modifier = operand.modifier
    if modifier is OperandModifier.NONE:
        return
    if spec.letter not in _VALUES:
        c.add("OPD-010", f": {c.text(operand)} has a modifier", i)
        return
    store = TABLE[i.opcode].destinations[:1] == (OperandSpec("U"),)
    if modifier in (OperandModifier.ABS, OperandModifier.ABSNEG):
        if spec.letter not in _ABSOLUTE or store:
            c.add("OPD-008", f": |{c.text(operand)}| is no float", i)
    elif spec.letter not in _NEGATED or store:
        c.add("OPD-009", f": -{c.text(operand)} is no float or signed integer", i)


def _check_double(c: Context, i: Instruction, operand: Operand) -> None:
    if operand.components != 4 or operand.mode is not _M.SWIZZLE:
        c.add("OPD-012", f": {c.text(operand)} selects one component, wanted pairs", i)
        return
    pairs = operand.selection[:2], operand.selection[2:]
    if any(pair not in _PAIRS for pair in pairs):
        c.add("OPD-012", f": the swizzle of {c.text(operand)} is not of pairs", i)


def _check_declared_result(c: Context, i: Instruction, row: Row, place: int) -> None:
    del row
    operand = i.operands[place]
    if operand.type is _T.INDEXABLE_TEMP:
        _check_array_components(c, i, operand, set(operand.mask))
    else:
        _check_element(c, i, operand, set(operand.mask), ("REG-007", "REG-008"))


def _check_declared_source(c: Context, i: Instruction, row: Row, place: int) -> None:
    operand = i.operands[place]
    places = read_places(i, row, place - len(row.destinations), view_of(i, c.declared))
    components = set[int]() if places is None else read_components(operand, places)
    if operand.type is _T.INDEXABLE_TEMP:
        _check_array_components(c, i, operand, components)
    else:
        _check_element(c, i, operand, components, ("REG-005", "REG-006"))


def _check_array_components(
    c: Context, i: Instruction, operand: Operand, components: set[int]
) -> None:
    number = constant_index(operand, 0)
    array = None if number is None else c.declared.arrays.get(number)
    if array is not None and components and max(components) >= array.components:
        c.add("REG-004", f": {c.text(operand)}.{_COMPONENTS[max(components)]}, declared with "
              f"{array.components} components", i)  # fmt: skip


def _check_element(
    c: Context, i: Instruction, operand: Operand, components: set[int], codes: tuple[str, str]
) -> None:
    """Check that an input or output is declared, with the components that are used."""
    number = 0
    if operand.indices:
        last = operand.indices[-1]
        if last.relative is not None:  # its range is checked with the indices
            return
        number = last.immediate
    mask = c.declared.masks.get((operand.type, number))
    if mask is None:
        c.add(codes[0], f": {c.text(operand)} is not declared", i)
        return
    if operand.type in _SCALARS:
        return
    missing = mask_bits(tuple(components)) & ~mask
    if missing:
        component = _COMPONENTS[(missing & -missing).bit_length() - 1]
        c.add(codes[1], f": {c.text(operand)}.{component} is not declared", i)
