"""Record a straight-line program of SM1-3 as a graph: one lane a thread, a buffer a component.

Every component that is read comes from a buffer of its own, and goes to one where it is written, so
that neighbouring lanes are neighbours in memory. Constants lie in one buffer of vectors. The code
depends on the program and the profile only, not on values or the number of lanes.
"""

from __future__ import annotations

from dataclasses import dataclass

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, F32, U32, Value
from softd3d.ir.graph import Graph
from softd3d.ir.recorder import Recorder
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sm1.enums import RegisterType
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.program import Program
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.declarations import Declarations
from softd3d.lower.sm1_evaluate import Evaluator, Key, type_of

__all__ = ["GROUP", "Recording", "record"]

GROUP = 64
"""Lanes a thread group: buffers hold a multiple of them."""
_CONSTANTS, _BUMP_MATRICES = 0, 1
_VECTOR_BYTES = 16


@dataclass(frozen=True, slots=True)
class Recording:
    """A graph and its buffers, by slot: constants, bump matrices, inputs, then outputs.

    constants: uint32, (4 * count,). bump matrices: uint32, (4 * stages,). inputs, outputs: the
    component in each of the buffers of uint32, (lanes,); BOOL outputs are 0 or 1.
    """

    graph: Graph
    declarations: Declarations
    inputs: tuple[Key, ...]
    outputs: tuple[Key, ...]


def record(program: Program, profile: Profile) -> Recording:
    """Record a program.

    Raises:
        LoweringError, DecodeError: as `Evaluator.run`.
    """
    inputs = _Inputs(program)
    contents = Evaluator(program, profile, inputs).run()
    first = len(inputs.slots) + 2
    for slot, value in enumerate(contents.values(), first):
        inputs.store(slot, value)
    graph = Graph(inputs.k.blocks[0], uses_double=inputs.k.uses_double)
    declarations = Declarations(group_size=(GROUP, 1, 1))
    return Recording(graph, declarations, tuple(inputs.slots), tuple(contents))


class _Inputs:
    """First contents as loads from buffers."""

    def __init__(self, program: Program) -> None:
        self.k = Recorder()
        self.stage = program.type
        self.slots: dict[Key, None] = {}
        self.true = self.k.const(BOOL, 1)
        group = self.k.value(self.k.shared("input", U32, (), "group.x"))
        flat = self.k.value(self.k.shared("input", U32, (), "flat"))
        self.offset = (group * GROUP + flat) * 4

    def read(self, type_: RegisterType, number: int, component: int) -> Value:
        """Load a component from the next buffer; the caller keeps what it has read."""
        self.slots[type_, number, component] = None
        bits = self._load(Memory.RESOURCE, len(self.slots) + 1, self.offset, self.true)
        wanted = type_of(type_, self.stage)
        return bits.ne(0) if wanted is BOOL else bitcast(bits, wanted)

    def constant(self, index: Value, component: int, valid: Value) -> Value:
        place = index * _VECTOR_BYTES + 4 * component
        return bitcast(self._load(Memory.RESOURCE, _CONSTANTS, place, valid), F32)

    def bump_matrix(self, stage: int, entry: int) -> Value:
        place = self.k.const(U32, _VECTOR_BYTES * stage + 4 * entry)
        return bitcast(self._load(Memory.RESOURCE, _BUMP_MATRICES, place, self.true), F32)

    def _load(self, memory: Memory, slot: int, place: Value, valid: Value) -> Value:
        args = (place.raw, valid.raw, self.true.raw)
        return self.k.value(self.k.node("load", U32, args, (_view(memory, slot), 4)))

    def store(self, slot: int, value: Value) -> None:
        """Store a component to its buffer."""
        if value.type is BOOL:
            value = select(value, self.k.const(U32, 1), 0)
        args = (self.offset.raw, bitcast(value, U32).raw, self.true.raw)
        self.k.node("store", None, args, (_view(Memory.UAV, slot), 4))


def _view(memory: Memory, slot: int) -> View:
    return View(memory, f"{memory.value}{slot}", slot, ViewKind.RAW, ResourceDimension.RAW_BUFFER)
