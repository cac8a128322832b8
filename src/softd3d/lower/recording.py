"""Registers and machine of a program that is being recorded.

The state is an environment: the node that each register component holds, and the execution mask.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeAlias

from softd3d.algebra.value import BOOL, U32, Value
from softd3d.errors import LoweringError
from softd3d.ir.graph import Check, Graph, Node
from softd3d.ir.recorder import Recorder
from softd3d.isa.machine import AtomicOperation, Info, Memory, MipInfo, View
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.shader_message import MessageSite
from softd3d.isa.sm4.enums import OperandType, SyncFlags
from softd3d.isa.sm4.program import Instruction, Operand
from softd3d.lower.bound import BoundProgram
from softd3d.lower.evaluators import evaluator_of
from softd3d.lower.functions import MASK, Sharing
from softd3d.lower.linkage import Linkage
from softd3d.lower.registers import SamplerBody, ViewBody

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
        self.inputs: dict[tuple[OperandType, int], Node] = {}
        self.env: Environment = {MASK: self.k.node("input", BOOL, (), "lane_mask")}
        self.components: tuple[int, ...] = ()
        self.at: Instruction  # the one being recorded
        self.evaluator = evaluator_of(bound, self, self, Sharing(self).carried_out)

    # The registers of the evaluator

    def read(self, file: str, number: int, component: int) -> Value:
        return self.k.value(self.env.get((file, number, component), self.zero))

    def write(self, file: str, number: int, component: int, value: Value) -> None:
        self.env[file, number, component] = value.raw

    def read_input(self, type_: OperandType, component: int) -> Value:
        return self.k.value(self._input(type_, component))

    def view(self, memory: Memory, operand: Operand) -> View:
        return self.bound.view(memory, operand)

    def each_view(
        self, memory: Memory, operand: Operand, register: Value, body: ViewBody
    ) -> tuple[Value, ...]:
        """Record `body` for every view that a computed register number may name."""
        raise NotImplementedError

    def each_sampler(
        self, operand: Operand, register: Value, body: SamplerBody
    ) -> tuple[Value, ...]:
        """Record `body` for every sampler that a computed register number may name."""
        raise NotImplementedError

    def sampler(self, operand: Operand) -> SamplerState:
        return self.bound.sampler(operand)

    @property
    def linkage(self) -> Linkage:
        return self.bound.linkage

    def _input(self, type_: OperandType, component: int) -> Node:
        if type_ is OperandType.INPUT_THREAD_ID:
            size = self.bound.declarations.group_size
            if component >= 3:
                return self.zero
            group = self.k.value(self._input(OperandType.INPUT_THREAD_GROUP_ID, component))
            local = self.k.value(self._input(OperandType.INPUT_THREAD_ID_IN_GROUP, component))
            return (group * size[component] + local).raw
        names = {
            OperandType.INPUT_THREAD_GROUP_ID: "group",
            OperandType.INPUT_THREAD_ID_IN_GROUP: "local",
            OperandType.INPUT_THREAD_ID_IN_GROUP_FLATTENED: "flat",
        }
        if type_ not in names:
            raise LoweringError(f"reading {type_.name} is not supported yet")
        if component >= 3:
            return self.zero
        name = names[type_] if names[type_] == "flat" else f"{names[type_]}.{'xyz'[component]}"
        node = self.k.shared("input", U32, (), name)
        node.bits = (1 << (self._limit(name) - 1).bit_length()) - 1
        return node

    def _limit(self, name: str) -> int:
        """Return a number that an input stays below."""
        if name == "flat":
            return self.bound.declarations.threads
        if name.startswith("group"):
            return 1 << 16
        return self.bound.declarations.group_size["xyz".index(name[-1])]

    # The machine: effects

    @property
    def mask(self) -> Node:
        return self.env[MASK]

    def info(self, view: View, field: Info) -> Value:
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
        args = (self.mask, *_place(view))
        return self.k.value(self.k.node("counter", U32, args, (view, step)))

    def quad(self, value: Value, lanes: tuple[int, int, int, int]) -> Value:
        if value.raw.is_const:
            return value
        return self.k.value(self.k.shared("quad", value.type, (value.raw,), lanes))

    def poison(self, view: View, condition: Value, rule: str) -> None:
        mask = self._active(condition)
        if mask is self.false:
            return
        site = (view.register, rule)
        if site not in self.graph.poison_rules:
            self.graph.poison_rules.append(site)
        self.k.node("poison", None, (mask,), self.graph.poison_rules.index(site))

    def message(self, site: MessageSite, words: tuple[Value, ...]) -> None:
        self.k.node("message", None, (self.mask, *(word.raw for word in words)), site)

    def barrier(self, flags: SyncFlags) -> None:
        if SyncFlags.THREADS in flags:
            self.graph.has_barrier = True
        self.k.node("barrier", None, (self.mask,), (flags, self.at.index))

    def _active(self, condition: Value) -> Node:
        return (self.k.value(self.mask) & condition).raw


def _place(view: View) -> tuple[Node, ...]:
    """Return the last argument of a node that uses a view: its slot, where that is computed."""
    return () if view.at is None else (view.at.raw,)
