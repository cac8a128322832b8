"""Evaluate straight-line programs of SM1-3: operands, rows, modifiers, results. Written once.

Both engines drive this class; they differ in the algebra, and in where first contents of registers
come from. Control flow and textures are refused by name.
Spec: Direct3D 9 shader assembly reference, "Registers", "Modifiers", "Predicate Register".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias, cast

from softd3d.algebra import float_rules
from softd3d.algebra.legacy_float import bounded, chosen, nearest_address
from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import BOOL, F32, I32, U32, Algebra, DataType, Value
from softd3d.errors import DecodeError, LoweringError, located
from softd3d.isa.row import Controls, Kind, OperandSpec, Row
from softd3d.isa.sm1.enums import (
    ProgramType,
    RasterizerOutput,
    RegisterType,
    ResultModifier,
    SourceModifier,
)
from softd3d.isa.sm1.modifiers import modified, shifted
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.program import (
    Comment,
    DestinationParameter,
    Instruction,
    Program,
    SourceParameter,
)
from softd3d.isa.sm1.tokens import row_of
from softd3d.lower.sm1_constants import constant_count, flat_number

__all__ = ["TEXTURE_STAGES", "Contents", "Evaluator", "Inputs", "Key", "type_of"]

_T = RegisterType
Key: TypeAlias = tuple[RegisterType, int, int]
"""A register's type and number, and a component."""
Contents: TypeAlias = "dict[Key, Value]"

_WRITABLE = {
    ProgramType.VS: {_T.TEMP, _T.ADDR, _T.RASTOUT, _T.ATTROUT, _T.OUTPUT, _T.PREDICATE},
    ProgramType.PS: {_T.TEMP, _T.TEXTURE, _T.COLOROUT, _T.DEPTHOUT, _T.PREDICATE},
}
_READABLE = {
    ProgramType.VS: {_T.TEMP, _T.INPUT},
    ProgramType.PS: {_T.TEMP, _T.INPUT, _T.TEXTURE, _T.MISCTYPE},
}
TEXTURE_STAGES = 8
_CONSTANT_RANGE = 1.0
_ALPHA_ONLY = 8


class Inputs(Protocol):
    """First contents of registers, in the algebra of an engine."""

    @property
    def k(self) -> Algebra: ...

    def read(self, type_: RegisterType, number: int, component: int) -> Value:
        """Return what a register holds at the start, of the type that `type_of` says."""
        ...

    def constant(self, index: Value, component: int, valid: Value) -> Value:
        """Return a component of constant `index` (uint32); anything where not `valid`."""
        ...

    def bump_matrix(self, stage: int, entry: int) -> Value:
        """Return D3DTSS_BUMPENVMAT00, 01, 10, 11 (entry 0 to 3) of a texture stage."""
        ...


def type_of(register: RegisterType, stage: ProgramType) -> DataType:
    """Return what components of a register are."""
    if register is _T.LOOP or (register is _T.ADDR and stage is ProgramType.VS):
        return I32
    return BOOL if register is _T.PREDICATE else F32


class Evaluator:
    """One evaluation of one program.

    contents: what was read or written so far; written: the keys of what was written, in order.
    """

    def __init__(self, program: Program, profile: Profile, inputs: Inputs) -> None:
        self.program = program
        self.profile = profile
        self.inputs = inputs
        self.k = inputs.k
        self.contents: Contents = {}
        self.written: dict[Key, None] = {}
        self.constants = constant_count(program)
        is_pixel = program.type is ProgramType.PS
        self.clamps_constants = is_pixel and program.version < (2, 0)
        self.limit = profile.temporary_limit(program.version) if is_pixel else None

    def run(self) -> Contents:
        """Evaluate all instructions; return the last contents of what they write.

        Raises:
            LoweringError: flow control, a texture instruction, or a register that is indexed.
            DecodeError: operands do not fit.
        """
        for pair in _pairs(self.program):
            pending: list[tuple[Key, Value]] = []
            for i in pair:
                with located(i.location):
                    pending += self._instruction(i)
            for key, value in pending:
                self.contents[key] = value
                self.written[key] = None
        return {key: self._clamped(key, self.contents[key]) for key in self.written}

    def _clamped(self, key: Key, value: Value) -> Value:
        """Clamp colours and fog of vertex shaders before 3.0 to [0, 1]."""
        type_, number, _ = key
        is_fog = type_ is _T.RASTOUT and number == RasterizerOutput.FOG
        return float_rules.saturate(value) if is_fog or type_ is _T.ATTROUT else value

    # Registers

    def _held(self, key: Key) -> Value:
        """Return the contents of a component."""
        value = self.contents.get(key)
        if value is None:
            value = self.contents[key] = self.inputs.read(*key)
        return value

    def _register(self, p: SourceParameter, component: int, offset: int = 0) -> Value:
        """Return a component of a source register, or of one `offset` numbers on."""
        flat = flat_number(p)
        if flat is not None:
            return self._constant(flat + offset, p.relative, component)
        if p.type not in _READABLE[self.program.type]:
            raise DecodeError(f"arithmetic cannot read {p.type.name}")
        if p.relative is not None:
            raise LoweringError(f"an indexed {p.type.name} is not supported yet")
        return self._held((p.type, p.number + offset, component))

    def _constant(self, number: int, relative: SourceParameter | None, component: int) -> Value:
        """Return a component of a constant: 0 outside of the file."""
        index = self.k.const(U32, number)
        if relative is not None:
            if type_of(relative.type, self.program.type) is not I32:
                raise DecodeError(f"{relative.type.name} cannot be an index")
            address = self._held((relative.type, relative.number, relative.swizzle[0]))
            index = index + bitcast(address, U32)
        elif number >= self.constants:
            return self.k.const(F32, 0.0)
        valid = index < self.constants
        value = self.inputs.constant(index, component, valid)
        if self.clamps_constants:
            value = bounded(value, _CONSTANT_RANGE)
        return chosen(valid, value, value.like(0.0)) if relative is not None else value

    # Sources

    def _source(self, p: SourceParameter, position: int, offset: int = 0) -> Value:
        """Return component 0 to 3 of a source, after modifier and swizzle."""
        if p.modifier is SourceModifier.NOT:
            raise DecodeError("the modifier ! is for predicates")

        def read(component: int) -> Value:
            return self._register(p, component, offset)

        return modified(self.profile, p.modifier, read, p.swizzle[position])

    def _argument(self, spec: OperandSpec, p: SourceParameter, component: int) -> object:
        if spec.letter == "M":
            return tuple(self._vector(p, 4, offset) for offset in range(spec.reads))
        if spec.letter == "x":
            return self._vector(p, 4)
        if spec.reads == 1:
            return self._source(p, self.profile.scalar_position)
        if spec.reads:
            return self._vector(p, spec.reads)
        return self._source(p, component)

    def _vector(self, p: SourceParameter, count: int, offset: int = 0) -> tuple[Value, ...]:
        return tuple(self._source(p, position, offset) for position in range(count))

    def _controls(self, row: Row, i: Instruction, d: DestinationParameter) -> list[object]:
        """Return what a row takes after its sources."""
        found: list[object] = []
        if Controls.COMPARISON in row.controls:
            if i.comparison is None:
                raise DecodeError(f"comparison {i.controls & 7} is not defined")
            found.append(i.comparison)
        if Controls.COISSUE in row.controls:
            found.append(i.is_coissued and d.write_mask != _ALPHA_ONLY)
        if Controls.BUMP_MATRIX in row.controls:
            if d.number >= TEXTURE_STAGES:
                raise DecodeError(f"there is no texture stage {d.number}")
            found.append(tuple(self.inputs.bump_matrix(d.number, entry) for entry in range(4)))
        return found

    # Instructions

    def _instruction(self, i: Instruction) -> list[tuple[Key, Value]]:
        """Return what an instruction writes, after modifiers and predicate."""
        row = row_of(i.opcode, self.program.type, self.program.version)
        if row is None:
            raise DecodeError(f"{i.opcode.name} has no meaning in {self.program.profile}")
        if row.kind is Kind.DECLARATION:
            return []
        if row.kind is Kind.FLOW:
            raise LoweringError(f"{row.mnemonic}: control flow is not supported yet")
        if row.semantics is None:
            raise LoweringError(f"{row.mnemonic} is not supported yet")
        d = i.destination
        if d is None:
            return []
        self._check(row, i, d)
        results = self._results(row, i, d)
        return [self._result(i, d, component, value) for component, value in results]

    def _check(self, row: Row, i: Instruction, d: DestinationParameter) -> None:
        if len(i.sources) != len(row.sources):
            raise DecodeError(
                f"{row.mnemonic} takes {len(row.sources)} sources, found {len(i.sources)}"
            )
        if d.type not in _WRITABLE[self.program.type]:
            raise DecodeError(f"{row.mnemonic} cannot write {d.type.name}")
        if (d.type is _T.PREDICATE) != (row.destinations[0].letter == "m"):
            raise DecodeError(f"{row.mnemonic} cannot write {d.type.name}")
        if d.relative is not None:
            raise LoweringError(f"{row.mnemonic}: an indexed {d.type.name} is not supported yet")

    def _results(
        self, row: Row, i: Instruction, d: DestinationParameter
    ) -> list[tuple[int, Value]]:
        """Apply the row; return the components that it and the mask have in common."""
        assert row.semantics is not None  # noqa: S101 - the caller has looked
        mask = [component for component in range(4) if d.write_mask >> component & 1]
        extra = self._controls(row, i, d)
        if any(not spec.reads and spec.letter != "x" for spec in row.sources):
            return [(c, self._apply(row, i, extra, c)) for c in mask]
        value = self._apply(row, i, extra, 0)
        if not isinstance(value, tuple):
            return [(c, value) for c in mask]
        values = cast("tuple[Value, ...]", value)
        return [(c, values[c]) for c in mask if c < len(values)]

    def _apply(self, row: Row, i: Instruction, extra: list[object], component: int) -> Any:
        assert row.semantics is not None  # noqa: S101 - the caller has looked
        arguments = [
            self._argument(spec, p, component)
            for spec, p in zip(row.sources, i.sources, strict=True)
        ]
        return row.semantics(self.profile, *arguments, *extra)

    # Results

    def _result(
        self, i: Instruction, d: DestinationParameter, component: int, value: Value
    ) -> tuple[Key, Value]:
        key = (d.type, d.number, component)
        if value.type is F32:
            value = self._converted(d, value)
        elif type_of(d.type, self.program.type) is not value.type:
            raise DecodeError(f"{d.type.name} holds no integers")
        if i.predicate is not None:
            value = chosen(self._predicate(i.predicate, component), value, self._held(key))
        return key, value

    def _converted(self, d: DestinationParameter, value: Value) -> Value:
        """Return a float result after shift, saturation and range, or as an address."""
        value = shifted(value, d.shift)
        if ResultModifier.SATURATE in d.modifiers:
            value = float_rules.saturate(value)
        if type_of(d.type, self.program.type) is I32:
            before_2_0 = self.program.version < (2, 0)
            return self.profile.address_of_mov(value) if before_2_0 else nearest_address(value)
        return value if self.limit is None else bounded(value, self.limit)

    def _predicate(self, p: SourceParameter, component: int) -> Value:
        """Return where an instruction's predicate lets a component be written."""
        if p.type is not _T.PREDICATE or p.modifier not in (
            SourceModifier.NONE, SourceModifier.NOT,
        ):  # fmt: skip
            raise DecodeError(f"{p.type.name} with modifier {p.modifier.name} is no predicate")
        value = self._held((p.type, p.number, p.swizzle[component]))
        return ~value if p.modifier is SourceModifier.NOT else value


def _pairs(program: Program) -> Iterator[list[Instruction]]:
    """Yield the instructions that happen at once: one, or co-issued ones."""
    pair: list[Instruction] = []
    for i in program.instructions:
        if isinstance(i, Comment):
            continue
        if pair and not i.is_coissued:
            yield pair
            pair = []
        pair.append(i)
    if pair:
        yield pair
