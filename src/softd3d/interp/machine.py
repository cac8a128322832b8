"""Registers and machine of one batch of lanes: whole thread groups, or lanes with inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from itertools import accumulate
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32, Value
from softd3d.classes import dataclass
from softd3d.errors import ExecutionError, ResourceError
from softd3d.interp import memory
from softd3d.isa.machine import (
    AtomicOperation,
    Info,
    InputComponent,
    Memory,
    MipInfo,
    Place,
    View,
)
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.shader_message import MessageSite
from softd3d.isa.sm4.enums import OperandType, ProgramType, SyncFlags
from softd3d.isa.sm4.program import Operand
from softd3d.lower.bound import BoundProgram
from softd3d.lower.candidates import Candidates
from softd3d.lower.inputs import (
    input_value,
    not_in_a_draw,
    outputs_of,
    rasterizer_fact,
    registers_given,
)
from softd3d.lower.invocations import Invocations, lanes_together
from softd3d.lower.linkage import Linkage
from softd3d.lower.messages import PLACE_SHIFT, MessageLog
from softd3d.lower.registers import Key, SamplerBody, ViewBody
from softd3d.lower.stage import COVERED
from softd3d.resources.gather import gather

__all__ = ["Batch", "Plan", "Run"]

_M = TypeVar("_M")
Bools: TypeAlias = NDArray[np.bool_]
Offsets: TypeAlias = NDArray[np.int64]
_BATCH_LANES = 1 << 15
_BATCH_BYTES = 1 << 28
_MIP_COLUMNS = tuple(MipInfo)


class Plan:
    """What all batches of a run share: how many groups one holds, and memory layouts.

    groups: of invocations in a batch, so many that registers and shared memory stay bounded, and
    no quad is torn apart. threads: of a group. outputs: registers by name. shared_starts:
    byte offset of each g# in a group's memory, by slot.
    """

    def __init__(self, bound: BoundProgram, invocations: Invocations) -> None:
        self.bound = bound
        self.invocations = invocations
        d = bound.declarations
        x, y, z = invocations.group_size
        self.threads = x * y * z
        self.together = lanes_together(d.stage)
        self.outputs = outputs_of(bound)
        of_lane = 16 * d.temps + sum(v.size for v in d.indexable.values())
        of_group = self.threads * max(of_lane, 1) + d.shared_bytes
        groups = min(_BATCH_LANES // self.threads, _BATCH_BYTES // of_group)
        self.groups = max(self.together, groups // self.together * self.together)
        sizes = [v.size for v in sorted(d.shared.values(), key=lambda v: v.slot)]
        self.shared_starts = tuple(accumulate(sizes, initial=0))
        self.immediate = np.array(d.immediate_constants, np.uint32).view(np.uint8)
        self.mips = [np.array(x.mips or [(0, 0, 0)], np.uint32) for x in bound.descriptors]


@dataclass(slots=True)
class Run:
    """What the batches of a dispatch note. aborted: number of the first group that has an abort."""

    messages: MessageLog
    poisoned: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    aborted: int | None = None


class Batch:
    """Lanes of consecutive groups of invocations: `Registers` and `Machine` of the evaluator.

    active: bool, (lanes,), the execution mask, kept by the walker of control flow; lanes that have
    retired never come back. covered: of pixel shaders, bool, (lanes,): lanes that are no helpers,
    whose effects count; those that fill up the last quad are helpers from the start. held: the
    registers met so far; given: inputs, by name; uint32, (lanes,) each component. shared,
    indexable: bytes of each group, and of each lane by register.
    """

    def __init__(self, plan: Plan, first_group: int, groups: int, run: Run) -> None:
        self.plan = plan
        self.bound = plan.bound
        self.k = NumpyAlgebra()
        self.components: tuple[int, ...] = ()
        self.executing: Bools | None = None  # while `active` are those that name one register
        self.run = run
        self.groups = groups
        d = self.bound.declarations
        wanted = groups * plan.threads
        self.lanes = -(-wanted // plan.together) * plan.together
        lane = np.arange(self.lanes, dtype=np.int64)
        self._active: Bools = np.ones(self.lanes, np.bool_)
        self._retired: Bools | None = None  # lanes that have ended, if any has
        self.held: dict[Key, NDArray[np.uint32]] = {}
        self.shared = np.zeros(groups * d.shared_bytes, np.uint8)
        self.indexable = {
            n: np.zeros(self.lanes * v.size, np.uint8) for n, v in d.indexable.items()
        }
        self.shared_start = lane // plan.threads * d.shared_bytes
        self.indexable_start = {n: lane * v.size for n, v in d.indexable.items()}
        self.first_group = first_group
        self.given = plan.invocations.inputs(first_group, self.lanes)
        self.covered: Bools | None = None
        if d.stage is ProgramType.PS:
            given = self.given.get(COVERED[0])
            self._cover((lane < wanted) & (given is None or given != 0))
        self.inputs: dict[tuple[OperandType, int, int], Value] = {}
        for name, key in registers_given(self.bound):
            self.held[key] = self.named(name).raw.copy()

    @property
    def active(self) -> Bools:
        return self._active

    @active.setter
    def active(self, lanes: Bools) -> None:
        self._active = lanes if self._retired is None else lanes & ~self._retired

    @property
    def visible(self) -> Bools:
        """The lanes whose effects count."""
        return self._active if self.covered is None else self._active & self.covered

    def retire(self, lanes: Bools) -> None:
        """End lanes for good, the groups after theirs, and the dispatch after this batch.

        Of helpers nobody sees that they end.
        """
        self._retired = lanes | (False if self._retired is None else self._retired)
        seen = lanes if self.covered is None else lanes & self.covered
        if seen.any():
            threads = self.plan.threads
            first = int(np.argmax(seen)) // threads
            self._retired[(first + 1) * threads :] = True
            known = self.run.aborted
            first += self.first_group
            self.run.aborted = first if known is None else min(known, first)
        self.active = self._active

    # Registers

    def read(self, file: str, number: int, component: int) -> Value:
        # A copy: the register may be written while its old value is still wanted.
        return Value(self.k, U32, self._held((file, number, component)).copy())

    def write(self, file: str, number: int, component: int, value: Value) -> None:
        np.copyto(self._held((file, number, component)), value.raw, where=self.active)

    def _held(self, key: Key) -> NDArray[np.uint32]:
        found = self.held.get(key)
        if found is None:
            found = self.held[key] = np.zeros(self.lanes, np.uint32)
        return found

    def read_input(self, file: OperandType, number: int, component: int) -> Value:
        key = file, number, component
        found = self.inputs.get(key)
        if found is None:
            d = self.bound.declarations
            found = self.inputs[key] = input_value(self.k, d, *key, self.named)
        return found

    def named(self, name: str) -> Value:
        if name not in self.given:
            raise ResourceError(f"{name} is read, but is not among the inputs")
        return Value(self.k, U32, self.given[name])

    def discard(self, lanes: Bools) -> None:
        """Make helpers of the active ones among lanes: they go on, without effects."""
        assert self.covered is not None  # noqa: S101 - only pixel shaders discard
        self._cover(self.covered & ~(self.active & lanes))

    def _cover(self, lanes: Bools) -> None:
        self.covered = lanes
        self.held[COVERED] = lanes.astype(np.uint32)

    @property
    def outputs(self) -> dict[str, NDArray[np.uint32]]:
        """What the outputs hold, by name; uint32, (lanes,) each."""
        return {name: self._held(key) for name, key in self.plan.outputs.items()}

    def view(self, memory: Memory, operand: Operand) -> View:
        return self.bound.view(memory, operand)

    def each_view(
        self, memory: Memory, operand: Operand, register: Value, body: ViewBody
    ) -> tuple[Value, ...]:
        return self._each(self.bound.candidates(memory, operand), register, body)

    def each_sampler(
        self, operand: Operand, register: Value, body: SamplerBody
    ) -> tuple[Value, ...]:
        return self._each(self.bound.sampler_candidates(operand), register, body)

    def _each(
        self, found: Candidates[_M], register: Value, body: Callable[[_M], tuple[Value, ...]]
    ) -> tuple[Value, ...]:
        """Run `body` once for each register that active lanes name, in ascending order."""
        ranks = found.ranks(self._spread(register))
        active, outer = self.active, self.executing
        if outer is None:
            self.executing = active
        results: list[NDArray[np.uint32]] = []
        for rank in np.unique(ranks[active]).tolist() or [-1]:
            here = ranks == rank
            self.active = active & here
            values = body(found.members[rank] if rank >= 0 else found.missing)
            results = results or [np.zeros(self.lanes, np.uint32) for _ in values]
            for result, value in zip(results, values, strict=True):
                np.copyto(result, value.raw, where=here)
        self.active, self.executing = active, outer
        return tuple(Value(self.k, U32, result) for result in results)

    def sampler(self, operand: Operand) -> SamplerState:
        return self.bound.sampler(operand)

    @property
    def linkage(self) -> Linkage:
        return self.bound.linkage

    # Machine

    def info(self, view: View, field: Info) -> Value:
        if view.memory is Memory.RASTERIZER:
            return self.named(rasterizer_fact(field))
        if not view.is_bound:
            return self.k.const(U32, 0)
        if view.memory is Memory.CONSTANT:
            return self.k.const(U32, self.bound.constants[view.slot].size // 4)
        return self.k.const(U32, getattr(self.bound.descriptors[view.slot], field.value))

    def mip(self, view: View, field: MipInfo, level: Value) -> Value:
        if not view.is_bound:
            return self.k.const(U32, 0)
        column = self.plan.mips[view.slot][:, _MIP_COLUMNS.index(field)]
        return Value(self.k, U32, column[level.raw])

    def load(self, view: View, offset: Value, valid: Value, size: int = 4) -> Value:
        if not view.is_bound:
            return self.k.const(U32, 0)
        if view.memory is Memory.CONSTANT and np.ndim(offset.raw) == np.ndim(valid.raw) == 0:
            found = self.bound.constants[view.slot][offset.raw >> 2] if valid.raw else 0
            return self.k.const(U32, int(found))  # what all lanes share
        data, at = self._place(view, offset)
        return Value(self.k, U32, gather(data, at, self._spread(valid), size))

    def load_pair(self, view: View, offset: Value, valid: Value) -> tuple[Value, Value]:
        return self.load(view, offset, valid), self.load(view, offset + 4, valid)

    def store(self, view: View, offset: Value, value: Value, valid: Value, size: int = 4) -> None:
        if not view.is_bound:
            return
        data, at = self._place(view, offset)
        mask = self.visible & self._spread(valid)
        memory.scatter(data, at, self._spread(value), mask, size)

    def store_row(self, view: View, offset: Value, values: Sequence[Value], valid: Value) -> None:
        for n, value in enumerate(values):
            self.store(view, offset + 4 * n, value, valid)

    def atomic(
        self, operation: AtomicOperation, view: View, offset: Value, valid: Value,
        operands: tuple[Value, ...], *, returns: bool,
    ) -> Value:  # fmt: skip
        del returns  # old values are a by-product
        if not view.is_bound:
            return self.k.const(U32, 0)
        data, at = self._place(view, offset)
        mask = self.visible & self._spread(valid)
        values = tuple(self._spread(o) for o in operands)
        return Value(self.k, U32, memory.atomic(operation, data, at, mask, values))

    def counter(self, view: View, step: int) -> Value:
        if not view.is_bound:
            return self.k.const(U32, 0)
        self.bound.check_counter(view)
        cell = self.bound.descriptors[view.slot].counter
        assert cell is not None  # noqa: S101 - checked above
        first = int(cell[0])
        counted = self.visible
        lower = np.cumsum(counted) - counted  # lanes that count below each lane
        cell[0] = first + step * int(np.count_nonzero(counted)) & 0xFFFFFFFF
        return Value(self.k, U32, (first + step * lower & 0xFFFFFFFF).astype(np.uint32))

    def quad(
        self, value: Value, lanes: tuple[int, int, int, int], *, of_all: bool = False
    ) -> Value:
        own = self._spread(value)
        moved = own.reshape(-1, len(lanes))[:, lanes].reshape(-1)
        if of_all:
            return Value(self.k, value.type, moved)
        executing = self.active if self.executing is None else self.executing
        there = executing.reshape(-1, len(lanes))[:, lanes].reshape(-1)
        return Value(self.k, value.type, np.where(there, moved, own))

    def interpolate(
        self, source: InputComponent, place: Place, numbers: tuple[Value, ...]
    ) -> Value:
        evaluate = self.plan.invocations.interpolate
        if evaluate is None:
            raise not_in_a_draw(source, place)
        rows = slice(self.first_group, self.first_group + self.lanes)
        return evaluate(rows, source, place, numbers)

    def poison(self, view: View, condition: Value, rule: str) -> None:
        if bool(np.any(self.visible & condition.raw)):
            self.run.poisoned.add((view.register, rule))

    def message(self, site: MessageSite, words: tuple[Value, ...]) -> None:
        lanes = np.flatnonzero(self.visible)
        group, thread = np.divmod(lanes, self.plan.threads)
        places = (group + self.first_group << PLACE_SHIFT) + thread
        self.run.messages.add(site, places, [self._spread(word)[lanes] for word in words])

    def barrier(self, flags: SyncFlags) -> None:
        """Check that each group is here as a whole, or not at all: lanes run in lock step.

        A lane that has returned never comes: the group would wait for ever. If one has aborted, the
        group ends here.
        """
        if SyncFlags.THREADS not in flags:
            return
        waiting = self.active.reshape(self.groups, -1)
        stray = waiting.any(axis=1) & ~waiting.all(axis=1)
        if self._retired is not None:
            ended = stray & self._retired.reshape(self.groups, -1).any(axis=1)
            stray &= ~ended
            self.retire(np.repeat(ended, waiting.shape[1]))
        if stray.any():
            group = int(np.argmax(stray))
            lane = group * waiting.shape[1] + int(np.argmin(waiting[group]))
            thread = ", ".join(str(n) for n in self._thread_id(lane))
            raise ExecutionError(
                f"sync_t in divergent control flow: thread ({thread}) does not reach it"
            )

    def _thread_id(self, lane: int) -> list[int]:
        """Return SV_DispatchThreadID of a lane."""
        size = self.plan.invocations.group_size
        return [
            int(self.given[f"group.{c}"][lane]) * s + int(self.given[f"local.{c}"][lane])
            for c, s in zip("xyz", size, strict=True)
        ]

    def _place(self, view: View, offset: Value) -> tuple[NDArray[np.uint8], Offsets]:
        """Return the memory of a view, and where in it each lane's byte offset is."""
        at = self._spread(offset).astype(np.int64)
        if view.memory is Memory.GROUP_SHARED:
            return self.shared, at + (self.shared_start + self.plan.shared_starts[view.slot])
        if view.memory is Memory.INDEXABLE_TEMP:
            return self.indexable[view.slot], at + self.indexable_start[view.slot]
        if view.memory is Memory.CONSTANT:
            return self.bound.constants[view.slot].view(np.uint8), at
        if view.memory is Memory.IMMEDIATE_CONSTANT:
            return self.plan.immediate, at
        return self.bound.descriptors[view.slot].data, at

    def _spread(self, value: Value) -> NDArray[Any]:
        return np.broadcast_to(value.raw, (self.lanes,))
