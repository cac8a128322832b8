"""Instructions of SM1-3: registers, swizzles, modifiers, masks, predicates, what loops count.

Every register is read and written by key; a0, aL and counts hold int32, p0 masks, others float32.
Spec: Direct3D 9 shader assembly reference, "Registers", "Modifiers", "Predicate Register",
"Flow Control". What the pages leave open is in docs/numbers-d3d9.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import cast

from softd3d.algebra import float_rules
from softd3d.algebra.legacy_float import bounded, chosen, nearest_address
from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, F32, I32, U32, DataType, Value
from softd3d.errors import DecodeError, located
from softd3d.isa.machine import Machine
from softd3d.isa.roles import Flow
from softd3d.isa.row import Controls, Kind, OperandSpec, Row
from softd3d.isa.sm1.comparison import compared
from softd3d.isa.sm1.enums import (
    ProgramType,
    RegisterType,
    ResultModifier,
    SourceModifier,
)
from softd3d.isa.sm1.limits import LOOP_COUNTS
from softd3d.isa.sm1.modifiers import modified, shifted
from softd3d.isa.sm1.profile import profile_named
from softd3d.isa.sm1.program import DestinationParameter, Instruction, Program, SourceParameter
from softd3d.isa.sm1.tokens import row_of
from softd3d.lower.bound import BoundProgram, RegisterInterface
from softd3d.lower.d3d9.constant_files import (
    BOOLEANS,
    FLOATS,
    INTEGERS,
    defined_floats,
    flat_number,
)
from softd3d.lower.d3d9.ends import begin, end
from softd3d.lower.d3d9.register_files import Place, RegisterFiles, component_type
from softd3d.lower.evaluate import CarryOut, Evaluator, Result, carry_out
from softd3d.lower.operands.texture_stages import TextureStages
from softd3d.lower.registers import Key, Registers
from softd3d.lower.tree import Item, Loop, Operation

__all__ = ["Sm1Evaluator"]

_T = RegisterType
_CONSTANT_RANGE = 1.0
_ALPHA_ONLY = 8
_MOST_ITERATIONS = LOOP_COUNTS[-1]
_LOOP = ("aL", 0, 0)
_CLAMPED = frozenset({"oD", "oFog"})
_XYZ = 7
_OF_TEXTURES = Controls.COORDINATES | Controls.STAGE_TEXTURE | Controls.DEPTH


class Sm1Evaluator(Evaluator):
    """Evaluates the instructions of one program of SM1-3."""

    def __init__(
        self, machine: Machine, registers: Registers, bound: BoundProgram,
        program: Program, interface: RegisterInterface, carried_out: CarryOut = carry_out,
    ) -> None:  # fmt: skip
        super().__init__(machine, registers, carried_out)
        self.program = program
        self.profile = profile_named(interface.profile)
        self.surroundings = interface.surroundings
        self.files = RegisterFiles(program)
        self.stages = TextureStages(bound, interface, machine, registers)
        self.is_pixel = program.type is ProgramType.PS
        self.clamps_constants = self.is_pixel and program.version < (2, 0)
        self.limit = self.profile.temporary_limit(program.version) if self.is_pixel else None
        self.defined = defined_floats(program)
        self.looks_at_neighbours = any(
            Controls.QUAD in self._row(i).controls for i in self.files.instructions()
        )

    def _row(self, i: Instruction) -> Row:
        found = row_of(i.opcode, self.program.type, self.program.version)
        assert found is not None  # noqa: S101 - instructions without a row are refused before
        return found

    # Registers

    def _held(self, place: Place, component: int) -> Value:
        """Return a component of a register, of its type."""
        bits = self.registers.read(*place, component)
        type_ = component_type(place)
        return bits.ne(0) if type_ is BOOL else bitcast(bits, type_)

    def _register(self, p: SourceParameter, component: int, offset: int) -> Value:
        """Return a component of a source register, or of one `offset` numbers on."""
        flat = flat_number(p)
        if flat is not None:
            return self._constant(flat + offset, p.relative, component)
        place = self.files.readable(p.type, p.number + offset)
        if p.relative is None:
            return self._held(place, component)
        index = self._relative(p.relative) + place[1]
        found = self.k.const(F32, 0.0)
        for number in range(self.files.indexed(p.type)):
            found = select(index.eq(number), self._held((place[0], number), component), found)
        return found

    def _relative(self, p: SourceParameter) -> Value:
        """Return what is added to a register's number: uint32."""
        place = self.files.place(p.type, p.number)
        if component_type(place) is not I32:
            raise DecodeError(f"{p.type.name} cannot be an index")
        return self.registers.read(*place, 0 if p.type is _T.LOOP else p.swizzle[0])

    def _constant(self, number: int, relative: SourceParameter | None, component: int) -> Value:
        """Return a component of a c#: 0 outside of the file.

        What the program itself defines is known, and so is whether it is 0, which products ask.
        """
        defined = self.defined.get(number) if relative is None else None
        if defined is not None:
            value = bitcast(self.k.const(U32, defined[component]), F32)
            return bounded(value, _CONSTANT_RANGE) if self.clamps_constants else value
        place = self.k.const(U32, 16 * number + 4 * component)
        exists = self.k.const(BOOL, number < self.files.constants)
        if relative is not None:
            index = self._relative(relative) + number
            place, exists = index * 16 + 4 * component, index < self.files.constants
        value = bitcast(self.m.load(FLOATS, place, exists), F32)
        return bounded(value, _CONSTANT_RANGE) if self.clamps_constants else value

    # Sources

    def _source(self, p: SourceParameter, position: int, offset: int = 0) -> Value:
        """Return component 0 to 3 of a source, after modifier and swizzle."""
        if p.modifier is SourceModifier.NOT:
            raise DecodeError("the modifier ! is for predicates")

        def read(component: int) -> Value:
            return self._register(p, component, offset)

        return modified(self.profile, p.modifier, read, p.swizzle[position])

    def _vector(self, p: SourceParameter, count: int, offset: int = 0) -> tuple[Value, ...]:
        return tuple(self._source(p, position, offset) for position in range(count))

    def argument(self, spec: OperandSpec, operand: SourceParameter, component: int) -> object:
        if spec.letter == "S":
            return self.stages.texture(operand)
        if spec.letter == "M":
            return tuple(self._vector(operand, 4, offset) for offset in range(spec.reads))
        if spec.letter == "x":
            return self._vector(operand, 4)
        if spec.reads == 1:
            return self._source(operand, self.profile.scalar_position)
        if spec.reads:
            return self._vector(operand, spec.reads)
        return self._source(operand, component)

    def leading(self, row: Row) -> tuple[object, ...]:
        return (self.m, self.profile) if row.kind is Kind.EFFECT else (self.profile,)

    def trailing(self, row: Row, i: Instruction) -> tuple[object, ...]:
        found: list[object] = []
        d = i.destination
        if Controls.COMPARISON in row.controls:
            if i.comparison is None:
                raise DecodeError(f"comparison {i.controls & 7} is not defined")
            found.append(i.comparison)
        if Controls.COISSUE in row.controls:
            found.append(i.is_coissued and d is not None and d.write_mask != _ALPHA_ONLY)
        if Controls.CONTENTS in row.controls and d is not None:
            place = self.files.readable(d.type, d.number)
            found.append(tuple(self._held(place, component) for component in range(4)))
        return (*found, *self.stages.given(row, i))

    # Destinations

    def results(self, row: Row, i: Instruction) -> Sequence[Result]:
        return self.applied(row, i)

    def applied(self, row: Row, i: Instruction) -> list[Result]:
        if row.kind is Kind.EFFECT and i.destination is not None:
            if self.program.type.name.lower() not in row.stages.split():  # quads are of pixels
                raise DecodeError(f"{row.mnemonic} is no instruction of {self.program.profile}")
            written = self.components(i.destination)
            self.m.components = tuple(sorted({self.picked(row, i, c) for c in written}))
        found = super().applied(row, i)
        if i.destination is None or i.destination.relative is None:
            return found
        index = self._relative(i.destination.relative) + i.destination.number
        return [result for d, c, bits in found for result in self._indexed(i, d, index, c, bits)]

    def _indexed(
        self, i: Instruction, d: DestinationParameter, index: Value, component: int, bits: Value
    ) -> Iterator[Result]:
        """Yield what an indexed write leaves in each register; one outside is dropped."""
        file, _ = self.files.place(d.type, d.number)
        for number in range(self.files.indexed(d.type)):
            here = index.eq(number)
            if i.predicate is not None:
                here = here & self._predicate(i.predicate, component)
            held = self.registers.read(file, number, component)
            yield replace(d, number=number, relative=None), component, select(here, bits, held)

    def picked(self, row: Row, i: Instruction, component: int) -> int:
        """Return which component of a texel is written, as the sampler's swizzle has it."""
        for spec, p in zip(row.sources, i.sources, strict=False):
            if spec.letter == "S":
                return p.swizzle[component]
        return component

    def write(self, destination: DestinationParameter, component: int, bits: Value) -> None:
        place = self.files.place(destination.type, destination.number)
        self.stages.overwritten((*place, component))
        self.registers.write(*place, component, bits)

    def start(self) -> None:
        """Make what registers begin with in a draw of what the invocation is given."""
        if self.surroundings is not None:
            begin(self.surroundings, self.registers, self.k)

    def finish(self) -> None:
        """Clamp colours and fog of vertex shaders before 3.0 to [0, 1]; end as a draw says."""
        written = (key for i in self.files.instructions() for key in self.files.written(i))
        for key in dict.fromkeys(written):
            if key[0] in _CLAMPED:
                value = float_rules.saturate(bitcast(self.registers.read(*key), F32))
                self.registers.write(*key, bitcast(value, U32))
        if self.surroundings is not None:
            end(self.surroundings, self.registers, self.m)

    def targets(self, item: Item) -> Iterable[Key]:
        if isinstance(item, Operation):
            for i in (item.instruction, *(i for i, _ in item.paired)):
                with located(i.location):
                    yield from self.files.written(cast("Instruction", i))
        elif isinstance(item, Loop):
            yield from (_LOOP, *_hidden(item))

    def split(
        self, row: Row, i: Instruction
    ) -> tuple[Sequence[DestinationParameter], Sequence[SourceParameter]]:
        d = i.destination
        if len(i.sources) != len(row.sources):
            raise DecodeError(
                f"{row.mnemonic} takes {len(row.sources)} sources, found {len(i.sources)}"
            )
        if (d is None) != (not row.destinations):
            raise DecodeError(f"{row.mnemonic} has {'no' if d is None else 'a'} destination")
        d = self.files.target(i)
        if d is None:
            return (), i.sources
        is_predicate = d.type is _T.PREDICATE
        if not self.files.is_writable(d) or is_predicate != (row.destinations[0].letter == "m"):
            raise DecodeError(f"{row.mnemonic} cannot write {d.type.name}")
        return (d,), i.sources

    def components(self, destination: DestinationParameter) -> tuple[int, ...]:
        return tuple(c for c in range(4) if destination.write_mask >> c & 1)

    def finished(
        self, spec: OperandSpec, i: Instruction, destination: DestinationParameter,
        component: int, value: Value,
    ) -> Value:  # fmt: skip
        """Return the bits of a result after shift, saturation and range, or of an address."""
        del spec
        place = self.files.place(destination.type, destination.number)
        type_ = component_type(place)
        if value.type is F32:
            value = self._converted(i, destination, type_, value)
        elif type_ is not value.type:
            raise DecodeError(f"{destination.type.name} holds no integers")
        if i.predicate is not None and destination.relative is None:  # else `applied` does it
            predicate = self._predicate(i.predicate, component)
            value = chosen(predicate, value, self._held(place, component))
        return self.bits(value)

    def _converted(
        self, i: Instruction, d: DestinationParameter, type_: DataType, value: Value
    ) -> Value:
        value = shifted(value, d.shift)
        if ResultModifier.SATURATE in d.modifiers:
            value = float_rules.saturate(value)
        if type_ is I32:
            before_2_0 = self.program.version < (2, 0)
            return self.profile.address_of_mov(value) if before_2_0 else nearest_address(value)
        is_texel = d.type is not _T.TEMP and bool(self._row(i).controls & _OF_TEXTURES)
        return value if self.limit is None or is_texel else bounded(value, self.limit)

    def _predicate(self, p: SourceParameter, component: int) -> Value:
        """Return a component of a predicate, perhaps inverted."""
        if p.type is not _T.PREDICATE or p.modifier not in (
            SourceModifier.NONE, SourceModifier.NOT,
        ):  # fmt: skip
            raise DecodeError(f"{p.type.name} with modifier {p.modifier.name} is no predicate")
        value = self._held(self.files.place(p.type, p.number), p.swizzle[component])
        return ~value if p.modifier is SourceModifier.NOT else value

    # Flow

    def condition(self, row: Row, i: Instruction) -> Value:
        with located(i.location):
            if row.destinations:
                return self._is_killed(i)
            tested = [
                (spec, p)
                for spec, p in zip(row.sources, i.sources, strict=True)
                if spec.letter != "L"
            ]
            if len(tested) == 1:
                return self._truth(tested[0][1])
            if i.comparison is None:
                raise DecodeError(f"comparison {i.controls & 7} is not defined")
            a, b = (cast("Value", self.argument(spec, p, 0)) for spec, p in tested)
            return compared(i.comparison, a, b)

    def _is_killed(self, i: Instruction) -> Value:
        """Return where a component that texkill looks at is negative, which -0 and NaN are not.

        Up to ps_1_3 those are coordinates. Where its predicate is false, one is not looked at.
        """
        d = i.destination
        if d is None or d.relative is not None:
            raise DecodeError("texkill names no register, or its number is computed")
        place = self.files.readable(d.type, d.number)
        before_2_0, before_1_4 = (self.program.version < v for v in ((2, 0), (1, 4)))
        mask = _XYZ if before_2_0 else d.write_mask
        found = self.k.const(BOOL, 0)
        for component in (c for c in range(4) if mask >> c & 1):
            value = self._held(place, component)
            if before_1_4:
                value = self.stages.coordinates(d.number)[component]
            negative = value < 0.0
            if i.predicate is not None:
                negative = negative & self._predicate(i.predicate, component)
            found = found | negative
        return found

    def _truth(self, p: SourceParameter) -> Value:
        """Return what a b# or a component of p0 says, perhaps inverted."""
        if p.type is not _T.CONSTBOOL:
            return self._predicate(p, 0)
        if p.modifier not in (SourceModifier.NONE, SourceModifier.NOT) or p.relative is not None:
            raise DecodeError(f"{p.type.name} with modifier {p.modifier.name} is no condition")
        exists = self.k.const(BOOL, p.number < self.files.switches)
        value = self.m.load(BOOLEANS, self.k.const(U32, 4 * p.number), exists).ne(0)
        return ~value if p.modifier is SourceModifier.NOT else value

    def enter_loop(self, item: Loop) -> None:
        """Set the count, within its legal range, and aL, whose outer value is kept."""
        i, row = cast("Instruction", item.instruction), item.row
        with located(i.location):
            count, saved = _hidden(item)
            given = bitcast(self._integer(i, 0), I32)
            given = select(given < 0, 0, given)
            given = select(given > _MOST_ITERATIONS, _MOST_ITERATIONS, given)
            self.registers.write(*count, bitcast(given, U32))
            if row.flow is Flow.LOOP:
                if i.sources[0].type is not _T.LOOP:
                    raise DecodeError(f"{row.mnemonic} counts aL, not {i.sources[0].type.name}")
                self.registers.write(*saved, self.registers.read(*_LOOP))
                self.registers.write(*_LOOP, self._integer(i, 1))

    def has_iteration(self, item: Loop) -> Value:
        return self.registers.read(*_hidden(item)[0]).ne(0)

    def end_iteration(self, item: Loop) -> None:
        count, _ = _hidden(item)
        self.registers.write(*count, self.registers.read(*count) - 1)
        if item.row.flow is Flow.LOOP:
            step = self._integer(cast("Instruction", item.instruction), 2)
            self.registers.write(*_LOOP, self.registers.read(*_LOOP) + step)

    def leave_loop(self, item: Loop) -> None:
        if item.row.flow is Flow.LOOP:
            self.registers.write(*_LOOP, self.registers.read(*_hidden(item)[1]))

    def _integer(self, i: Instruction, component: int) -> Value:
        """Return a component of the i# that a loop names: uint32."""
        p = i.sources[-1]
        if p.type is not _T.CONSTINT or p.relative is not None:
            raise DecodeError(f"a loop takes its counts from i#, not {p.type.name}")
        exists = self.k.const(BOOL, p.number < self.files.switches)
        return self.m.load(INTEGERS, self.k.const(U32, 16 * p.number + 4 * component), exists)


def _hidden(item: Loop) -> tuple[Key, Key]:
    """Return where a loop keeps its count and the outer aL; it is never entered inside itself."""
    return ("iterations", item.number, 0), ("outer aL", item.number, 0)
