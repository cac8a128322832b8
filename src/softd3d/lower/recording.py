"""Registers and machine of a program that is being recorded.

The state is an environment: the node that each register component holds, and the execution mask;
of pixel shaders also which lanes are no helpers.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from softd3d.algebra.operations import select
from softd3d.algebra.value import BOOL, U32, Value
from softd3d.ir.graph import Check, Graph, Node
from softd3d.ir.recorder import Recorder
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
from softd3d.lower.functions import MASK
from softd3d.lower.inputs import (
    input_limit,
    input_value,
    not_in_a_draw,
    rasterizer_fact,
    registers_given,
)
from softd3d.lower.linkage import Linkage
from softd3d.lower.stage import COVERED
from softd3d.lower.tree import Instruction

__all__ = ["MASK", "Environment", "Recording"]

Environment: TypeAlias = "dict[Hashable, Node]"


class Recording:
    """`Registers` and `Machine` of the evaluator, over the recording algebra."""

    def __init__(self, bound: BoundProgram, check: Check) -> None:
        self.bound = bound
        self.k = Recorder()
        self.graph = Graph(self.k.blocks[0], check=check)
        self.true: Node = self.k.const(BOOL, 1).raw
        self.false: Node = self.k.const(BOOL, 0).raw
        self.zero: Node = self.k.const(U32, 0).raw
        self.started = self.k.node("input", BOOL, (), "lane_mask")
        self.env: Environment = {MASK: self.started}
        if bound.declarations.stage is ProgramType.PS:
            self.env[COVERED] = self.named(COVERED[0]).raw
        for name, key in registers_given(bound):
            self.env[key] = self.named(name).raw
        self.components: tuple[int, ...] = ()
        self.executing: Node | None = None  # while the mask is that of lanes that name one register
        self.keeps_inactive = False  # whether registers of other lanes are kept, as quads see them
        self.at: Instruction  # the one being recorded

    # The registers of the evaluator

    def read(self, file: str, number: int, component: int) -> Value:
        return self.k.value(self.env.get((file, number, component), self.zero))

    def write(self, file: str, number: int, component: int, value: Value) -> None:
        if self.keeps_inactive and self.mask is not self.started:
            held = self.read(file, number, component)
            value = select(self.k.value(self.mask), value, held)
        self.env[file, number, component] = value.raw

    def read_input(self, file: OperandType, number: int, component: int) -> Value:
        return input_value(self.k, self.bound.declarations, file, number, component, self.named)

    def named(self, name: str) -> Value:
        node = self.k.shared("input", U32, (), name)
        limit = input_limit(self.bound.declarations, name)
        node.bits = (1 << (limit - 1).bit_length()) - 1
        return self.k.value(node)

    def view(self, memory: Memory, operand: Operand) -> View:
        return self.bound.view(memory, operand)

    def sampler(self, operand: Operand) -> SamplerState:
        return self.bound.sampler(operand)

    @property
    def linkage(self) -> Linkage:
        return self.bound.linkage

    # The machine: effects

    @property
    def mask(self) -> Node:
        return self.env[MASK]

    @property
    def visible(self) -> Node:
        """The lanes whose effects count: those that are executing, but no helpers."""
        return self._active(self.k.value(self.true))

    def info(self, view: View, field: Info) -> Value:
        if view.memory is Memory.RASTERIZER:
            return self.named(rasterizer_fact(field))
        if not view.is_bound:
            return self.k.const(U32, 0)
        return self.k.value(self.k.shared("info", U32, _place(view), (view, field)))

    def mip(self, view: View, field: MipInfo, level: Value) -> Value:
        if not view.is_bound:
            return self.k.const(U32, 0)
        return self.k.value(self.k.shared("mip", U32, (level.raw, *_place(view)), (view, field)))

    def load(self, view: View, offset: Value, valid: Value, size: int = 4) -> Value:
        if not view.is_bound or valid.raw is self.false:
            return self.k.const(U32, 0)
        args = (offset.raw, valid.raw, self.mask, *_place(view))
        node = self.k.node("load", U32, args, (view, size))
        return self.k.value(node)

    def load_pair(self, view: View, offset: Value, valid: Value) -> tuple[Value, Value]:
        first = self.load(view, offset, valid, 8)
        if first.raw.is_const:
            return first, first
        return first, self.k.value(self.k.shared("second", U32, (first.raw,)))

    def store(self, view: View, offset: Value, value: Value, valid: Value, size: int = 4) -> None:
        mask = self._active(valid)
        if view.is_bound and mask is not self.false:
            args = (offset.raw, value.raw, mask, *_place(view))
            self.k.node("store", None, args, (view, size))

    def store_row(self, view: View, offset: Value, values: Sequence[Value], valid: Value) -> None:
        mask = self._active(valid)
        if mask is not self.false:
            args = (offset.raw, mask, *(value.raw for value in values))
            self.k.node("store_row", None, args, (view, len(values)))

    def atomic(
        self, operation: AtomicOperation, view: View, offset: Value, valid: Value,
        operands: tuple[Value, ...], *, returns: bool,
    ) -> Value:  # fmt: skip
        mask = self._active(valid)
        if not view.is_bound or mask is self.false:
            return self.k.const(U32, 0)
        args = (offset.raw, mask, *(o.raw for o in operands), *_place(view))
        node = self.k.node("atomic", U32, args, (operation, view, returns))
        return self.k.value(node)

    def counter(self, view: View, step: int) -> Value:
        if not view.is_bound:
            return self.k.const(U32, 0)
        self.bound.check_counter(view)
        args = (self.visible, *_place(view))
        return self.k.value(self.k.node("counter", U32, args, (view, step)))

    def quad(
        self, value: Value, lanes: tuple[int, int, int, int], *, of_all: bool = False
    ) -> Value:
        if value.raw.is_const:
            return value
        moved = self.k.value(self.k.shared("quad", value.type, (value.raw,), lanes))
        executing = self.executing or self.mask
        if of_all or executing is self.started:
            return moved
        there = self.k.value(self.k.shared("quad", BOOL, (executing,), lanes))
        return select(there, moved, value)

    def interpolate(
        self, source: InputComponent, place: Place, numbers: tuple[Value, ...]
    ) -> Value:
        del numbers
        raise not_in_a_draw(source, place)

    def poison(self, view: View, condition: Value, rule: str) -> None:
        mask = self._active(condition)
        if mask is self.false:
            return
        site = (view.register, rule)
        if site not in self.graph.poison_rules:
            self.graph.poison_rules.append(site)
        self.k.node("poison", None, (mask,), self.graph.poison_rules.index(site))

    def message(self, site: MessageSite, words: tuple[Value, ...]) -> None:
        self.k.node("message", None, (self.visible, *(word.raw for word in words)), site)

    def barrier(self, flags: SyncFlags) -> None:
        if SyncFlags.THREADS in flags:
            self.graph.has_barrier = True
        self.k.node("barrier", None, (self.mask,), (flags, self.at.index))

    def _active(self, condition: Value) -> Node:
        covered = self.env.get(COVERED)
        if covered is not None:
            condition = self.k.value(covered).ne(0) & condition
        return (self.k.value(self.mask) & condition).raw


def _place(view: View) -> tuple[Node, ...]:
    """Return the last argument of a node that uses a view: its slot, where that is computed."""
    return () if view.at is None else (view.at.raw,)
