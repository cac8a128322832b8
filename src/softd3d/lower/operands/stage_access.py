"""Operands that are stage memory, and the vertices that a geometry shader emits.

Spec: D3D11.3 sections 22.17 (emit and cut), 10.6 (phases of hull shaders).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from softd3d.algebra.operations import select
from softd3d.algebra.value import BOOL, U32, Value
from softd3d.errors import DecodeError
from softd3d.isa.machine import Machine, View
from softd3d.isa.sm4.enums import OperandType
from softd3d.isa.sm4.program import Instruction
from softd3d.lower.bound import BoundProgram
from softd3d.lower.inputs import is_declared
from softd3d.lower.primitive_stage import Phase
from softd3d.lower.registers import Key, Registers
from softd3d.lower.stage_memory import EMITTED, LANE, PRIMITIVE, STARTS_STRIP, StageArray

__all__ = ["StageAccess"]

_WORD, _VECTOR = 4, 16  # bytes
_MOST_IN_ROWS = 128
_JOINED = "joined"  # the file of registers that tell whether a stream's next vertex goes on a strip


class StageAccess:
    """Reads and writes stage memory; the `Strips` of rows that emit.

    keeps_outputs: whether outputs are patch constants, which phases share in memory.
    """

    def __init__(self, machine: Machine, registers: Registers, bound: BoundProgram) -> None:
        self.m = machine
        self.registers = registers
        self.declarations = bound.declarations
        self.memory = bound.stage_memory
        self.in_rows = 0  # words that vertices have so far, each emit counted once
        self.keeps_outputs = bound.declarations.primitives.phase in (Phase.FORK, Phase.JOIN)

    # Arrays

    def read(
        self, file: OperandType, vertex: Value | None, number: Value | int, component: int
    ) -> Value:
        """Read an array; beyond it, or what is not declared, is 0.

        vertex: None of patch constants.

        Raises:
            DecodeError: the register is not declared, or the stage has no such array.
        """
        if self.memory is None:
            raise DecodeError(f"{file.name} of other invocations is read")
        nothing = self.m.k.const(U32, 0)
        if isinstance(number, int) and not is_declared(
            self.declarations, file, number, component, of_vertices=vertex is not None
        ):
            return nothing
        found = self.memory.of_file(file)
        if found is None or bool(found[0].vertices) is not (vertex is not None):
            return nothing
        array, view = found
        at = self._start(array) + _WORD * component
        valid = self.m.k.const(BOOL, 1)
        if vertex is not None:
            at, valid = at + vertex * (_WORD * array.words), vertex < array.vertices
        if isinstance(number, int):
            return self.m.load(view, at + _VECTOR * number, valid)
        return self.m.load(view, at + number * _VECTOR, valid & (number < array.registers))

    def _start(self, array: StageArray) -> Value:
        """Return where the part of a lane's primitive begins."""
        return self.registers.named(PRIMITIVE) * (_WORD * array.size)

    def keep(self, keys: Sequence[Key], number: Value | None, bits: Value) -> None:
        """Write a patch constant. keys: what it may be; number: which it is, if that is computed.

        Other computed numbers write nothing.
        """
        found = None if self.memory is None else self.memory.of_file(_CONSTANTS)
        if found is None or not keys:
            return
        array, view = found
        _, first, component = keys[0]
        at = self._start(array) + _WORD * component
        if number is None:
            self.m.store(view, at + _VECTOR * first, bits, self.m.k.const(BOOL, 1))
            return
        valid = self.m.k.const(BOOL, 0)
        for key in keys:
            valid = valid | number.eq(key[1])
        self.m.store(view, at + number * _VECTOR, bits, valid)

    # Strips

    def streams(self, i: Instruction) -> tuple[int, ...]:
        """Return the streams that an instruction names."""
        return tuple(operand.number for operand in i.operands)

    def counted(self, i: Instruction) -> Iterator[Key]:
        """Yield the registers that an instruction which emits or cuts may change."""
        yield EMITTED
        for stream in self.streams(i) or (0,):
            yield _JOINED, stream, 0

    def emit(self, stream: int) -> None:
        declared = self.declarations.primitives.streams.get(stream)
        if declared is None:
            raise DecodeError(f"m{stream} is not declared")
        found = None if self.memory is None else self.memory.find(EMITTED[0])
        if found is None:
            return
        array, view = found
        k, registers = self.m.k, self.registers
        count, joined = registers.read(*EMITTED), registers.read(_JOINED, stream, 0)
        valid = count < array.vertices
        at = registers.named(LANE) * (_WORD * array.size) + count * (_WORD * array.words)
        header = select(joined.ne(0), k.const(U32, stream), stream | STARTS_STRIP)
        words = {0: header}
        for r in declared.outputs:
            for component in r.components:
                _, number, place = key = r.key(component)
                words[1 + 4 * number + place] = registers.read(*key)
        self._append(view, at, words, valid)
        registers.write(*EMITTED, select(valid, count + 1, count))
        registers.write(_JOINED, stream, 0, k.const(U32, 1))

    def _append(self, view: View, at: Value, words: Mapping[int, Value], valid: Value) -> None:
        """Store words of a vertex: as a row, if none lacks and the code gets not too long."""
        count = max(words) + 1
        self.in_rows += count
        if self.in_rows > _MOST_IN_ROWS or len(words) < count:
            for n, word in words.items():
                self.m.store(view, at + _WORD * n, word, valid)
            return
        self.m.store_row(view, at, [words[n] for n in range(count)], valid)

    def cut(self, stream: int) -> None:
        if stream not in self.declarations.primitives.streams:
            raise DecodeError(f"m{stream} is not declared")
        self.registers.write(_JOINED, stream, 0, self.m.k.const(U32, 0))


_CONSTANTS = OperandType.INPUT_PATCH_CONSTANT
