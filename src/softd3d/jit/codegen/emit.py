"""Turn a recorded program into LLVM text: the body of a function that runs one wave.

Uniform values become scalars, others vectors. Divergent branches are taken if any lane wants them,
and what both sides wrote is selected by lane. Values that cross blocks go through stack slots,
which LLVM's promotion turns into SSA again.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import field

from softd3d.algebra.value import BOOL, F32, F64
from softd3d.classes import dataclass
from softd3d.ir.analysis import Shapes
from softd3d.ir.graph import Exit, Function, Graph, IfBody, LoopBody, Node, Pace, walk
from softd3d.ir.trips import trip_count
from softd3d.jit.abi import LOOP_CHUNK, LOOP_WORK, STATE
from softd3d.jit.codegen import messages
from softd3d.jit.codegen.calls import CALLS, CallEmitter
from softd3d.jit.codegen.effects import TOGETHER
from softd3d.jit.codegen.values import FULL, Name
from softd3d.jit.codegen.wave import Wave

__all__ = ["WaveEmitter"]

_FLATTEN = 16  # a divergent branch of at most this many plain operations is computed by all lanes

_CHECK_INTERVAL = 1024  # nodes
_LANE_BY_LANE = frozenset({"atomic", "counter", "message"})
_MOST_WORK = 1 << 30


@dataclass(slots=True)
class _Loop:
    """Labels and slots of a loop that is being emitted."""

    end: str
    results: dict[Hashable, tuple[list[str], Node]] = field(
        default_factory=dict[Hashable, tuple[list[str], Node]]
    )


class WaveEmitter(CallEmitter):
    """Emits the body of the wave function."""

    def __init__(self, graph: Graph, shapes: Shapes, wave: Wave) -> None:
        super().__init__(graph, shapes, wave)
        self.loops: dict[int, _Loop] = {}
        self.if_results: dict[int, list[Node]] = {}
        self.loop_results: dict[int, list[Node]] = {}
        # Masks without those who left, (mask, condition), that are known to hold a lane; by scope.
        self.occupied: list[set[tuple[int, ...]]] = [set()]
        self.left = self.w.slot("i32")
        self.emitted = 0
        # An interrupt must not wait long for loops of many operations either.
        nodes = [node for node in walk(graph.block) if node.number in self.live]
        work = _work(nodes, wave.lanes, {}) * wave.parts
        self.chunk = max(1, min(LOOP_CHUNK, LOOP_WORK // max(work, 1)))
        paces = {n.attr.pace for n in nodes if n.op == "loop" and not n.attr.once}
        self.has_long_loops = Pace.BUDGET in paces
        self.work = 0 if self.has_long_loops else min(work, _MOST_WORK)
        self.repeats = bool(paces)

    def run(self) -> None:
        """Emit everything; functions start with nothing but their parameters."""
        self._collect()
        self.w.do(f"store i32 {self.chunk}, ptr {self.left}")
        self.prepare()
        if self.has_long_loops:  # a group may have many waves, each with a chunk of its own
            self._look_at("status", 0)
        self.block(self.graph.block)

    def begin(self) -> None:
        """Emit what a wave starts with."""
        entry, parts = self.wave.entry, self.parts
        self.inputs = [entry.begin(self.w, self.lanes, parts, n) for n in range(parts)]

    def _collect(self) -> None:
        for node in walk(self.graph.block):
            if node.number in self.live and node.op == "if_result":
                self.if_results.setdefault(node.args[0].number, []).append(node)
            elif node.number in self.live and node.op == "loop_result":
                self.loop_results.setdefault(node.args[0].number, []).append(node)

    # Blocks

    def block(self, block: list[Node]) -> None:
        for node in block:
            if self.w.is_terminated:
                return
            if node.number in self.live:
                self.node(node)

    def node(self, node: Node) -> None:
        self.emitted += 1
        if self.emitted % _CHECK_INTERVAL == 0:
            self.graph.check()
        body = node.attr
        if isinstance(body, IfBody):
            self.if_(node, body)
        elif isinstance(body, LoopBody):
            self.loop(node, body)
        elif isinstance(body, Exit):
            self.exit(node, body)
        elif node.op == "barrier":
            self.barrier(node)
        elif node.op not in TOGETHER or not TOGETHER[node.op](self, node):
            self._each(node)

    def _each(self, node: Node) -> None:
        """Emit a value or an effect part by part."""
        if node.type is None:
            for _ in self.all_parts() if self.is_apart(node) else (0,):
                CALLS[node.op](self, node)
        elif node.op not in ("if_result", "loop_result"):
            emit = _VALUES.get(node.op, WaveEmitter.pure)
            for _ in self.each_part(node):
                emit(self, node)

    def mask(self, node: Node) -> None:
        if self.is_uniform(node):
            self.names[node.number] = Name(scalar="true")
            return
        mask, condition = node.args
        if node.op == "mask_else":
            self.set_name(node, self._without(mask, condition))
            return
        name = self.vector(condition)
        if not self.is_uniform(mask):
            name = self.w.emit(f"and {self.w.vector(BOOL)} {self.vector(mask)}, {name}")
        self.set_name(node, name)

    def _any(self, mask: Node) -> str:
        """Return whether a lane of the wave is in a mask."""
        return self.w.any(*[self.full_or_vector(mask) for _ in self.each_part(mask)])

    # Slots: one for each part of a value that differs between parts

    def _slots(self, node: Node, first: str | None = None) -> list[str]:
        """Make the slots of a value; `first` is stored to each."""
        ty = self.kept_type(node)
        slots = [self.w.slot(ty) for _ in self.each_part(node)]
        if first is not None:
            for slot in slots:
                self.w.do(f"store {ty} {first}, ptr {slot}")
        return slots

    def _write(self, node: Node, slots: list[str], value: Node) -> None:
        for part in self.each_part(node):
            held = self.held(value, node)
            self.w.do(f"store {self.kept_type(node)} {held}, ptr {slots[part]}")

    def _read(self, node: Node, slots: list[str]) -> None:
        for part in self.each_part(node):
            self.set_name(node, self.w.emit(f"load {self.kept_type(node)}, ptr {slots[part]}"))

    def open_scope(self) -> None:
        super().open_scope()
        self.occupied.append(set())

    def close_scope(self) -> None:
        super().close_scope()
        self.occupied.pop()

    # If

    def if_(self, node: Node, body: IfBody) -> None:
        results = self.if_results.get(node.number, [])
        if self.is_uniform(node.args[0]):
            self._uniform_if(node, body, results)
        elif not body.is_rare and all(_is_plain(b, self.live) for b in (body.then, body.else_)):
            self.block(body.then)
            self.block(body.else_)
            for r in results:
                for _ in self.each_part(r):
                    then, else_ = (self.held(a, r) if a is not None else None for a in r.args[1:])
                    self._select(r, node, then, else_)
        else:
            self._divergent_if(node, body, results)

    def _select(self, result: Node, node: Node, then: str | None, else_: str | None) -> None:
        if then is None or else_ is None:
            name = then if then is not None else else_
            assert name is not None  # noqa: S101 - one side always counts
        else:
            name = self._selected(result, node, then, else_)
        self.set_name(result, name)

    def _selected(self, result: Node, node: Node, then: str, else_: str) -> str:
        ty, mask = self.kept_type(result), self.full_or_vector(node.args[1])
        return self.w.emit(f"select {self.w.vector(BOOL)} {mask}, {ty} {then}, {ty} {else_}")

    def _branch_side(self, block: list[Node], results: list[Node], side: int,
                     slots: dict[int, list[str]], end: str) -> None:  # fmt: skip
        self.open_scope()
        self.block(block)
        if not self.w.is_terminated:
            for r in results:
                value = r.args[side]
                if value is not None and r.number in slots:
                    self._write(r, slots[r.number], value)
        self.close_scope()
        self.w.jump(end)

    def _uniform_if(self, node: Node, body: IfBody, results: list[Node]) -> None:
        """Take one side. One that all lanes leave hands on zeros: code may go on without a lane."""
        w = self.w
        slots = {
            r.number: self._slots(r, "zeroinitializer" if None in r.args else None) for r in results
        }
        then, else_, end = w.label(), w.label(), w.label()
        w.branch(self.scalar(node.args[0]), then, else_)
        for label, block, side in ((then, body.then, 1), (else_, body.else_, 2)):
            w.is_terminated = True
            w.place(label)
            self._branch_side(block, results, side, slots, end)
        w.place(end)
        for r in results:
            self._read(r, slots[r.number])

    def _divergent_if(self, node: Node, body: IfBody, results: list[Node]) -> None:
        """Skip a side that no lane takes.

        A result that the other side leaves as it was is selected at the side's end, so that
        nothing is left to do where it is skipped. Others are zeros there, which nothing selects.
        """
        w = self.w
        sides: list[dict[int, list[str]]] = []
        known, merged = len(self.names.order), dict[int, list[str]]()
        for side, block in ((1, body.then), (2, body.else_)):
            made = [r for r in results if not self._is_known(r.args[side], known)]
            slots: dict[int, list[str]] = {}
            for r in made:
                if (other := r.args[3 - side]) is not None and self._is_known(other, known):
                    merged[r.number] = self._slots(r)
                    self._write(r, merged[r.number], other)
                else:
                    slots[r.number] = self._slots(r, "zeroinitializer")
            sides.append(slots)
            if any(n.number in self.live for n in block):
                enter, end = w.label(), w.label()
                w.branch(self._any(node.args[side]), enter, end, is_rare=body.is_rare)
                w.place(enter)
                self.open_scope()
                self.block(block)
                if not w.is_terminated:
                    self._leave_side(node, side, made, slots, merged)
                self.close_scope()
                w.jump(end)
                w.place(end)
        for r in results:
            if r.number in merged:
                self._read(r, merged[r.number])
                continue
            for part in self.each_part(r):
                values = [self._of_side(r, side, sides, part) for side in (1, 2)]
                self._select(r, node, values[0], values[1])

    def _is_known(self, value: Node | None, known: int) -> bool:
        """True for what was among the first `known` names, and for what a side does not leave."""
        return value is None or value.is_const or self.names.is_older(value.number, known)

    def _leave_side(self, node: Node, side: int, made: list[Node], slots: dict[int, list[str]],
                    merged: dict[int, list[str]]) -> None:  # fmt: skip
        """Store what a side of a divergent branch has made."""
        for r in made:
            if r.number in slots:
                self._write(r, slots[r.number], r.args[side])
                continue
            for part in self.each_part(r):
                then, else_ = (self.held(a, r) for a in r.args[1:])
                value = self._selected(r, node, then, else_)
                self.w.do(f"store {self.kept_type(r)} {value}, ptr {merged[r.number][part]}")

    def _of_side(
        self, result: Node, side: int, sides: list[dict[int, list[str]]], part: int
    ) -> str | None:
        """Return what one side of a divergent branch gives for a result."""
        slots = sides[side - 1].get(result.number)
        if slots is not None:
            return self.w.emit(f"load {self.kept_type(result)}, ptr {slots[part]}")
        value = result.args[side]
        return self.held(value, result) if value is not None else None

    # Loops

    def loop(self, node: Node, body: LoopBody) -> None:
        w = self.w
        loop = _Loop(w.label())
        self.loops[node.number] = loop
        for r in self.loop_results.get(node.number, []):
            zero = "zeroinitializer" if not self.keeps_scalar(r) else _zero(r)
            loop.results[r.attr] = (self._slots(r, zero), r)
        variables = [v for v in body.variables if v.number in self.live]
        slots = [self._slots(v) for v in variables]
        for v, own in zip(variables, slots, strict=True):
            self._write(v, own, v.args[0])
        trips = self._trips(body)
        if trips:
            self._count(body, trips)
        ahead = self.rows_in_loop(body, trips)
        head = w.label()
        w.place(head)
        self.open_scope()
        for v, own in zip(variables, slots, strict=True):
            if v.type is BOOL and self.is_uniform(v):
                self.names[v.number] = Name(scalar="true")
            else:
                self._read(v, own)
        self.ask_for_rows(*ahead)
        self.block(body.body)
        if not w.is_terminated and not body.once:
            self._repeat(body, variables, slots, head, loop.end, is_counted=trips > 0)
        self.close_scope()
        w.place(loop.end)
        results = [loop.results[r.attr][0] for r in self.loop_results.get(node.number, [])]
        if self.wave.suspends and not body.once and not _has_barrier(body.body):
            self._leave_registers([("i32", self.left)])
            for r, own in zip(self.loop_results.get(node.number, []), results, strict=True):
                self._leave_registers([(self.kept_type(r), slot) for slot in own])
        for r, own in zip(self.loop_results.get(node.number, []), results, strict=True):
            self._read(r, own)

    def _leave_registers(self, slots: list[tuple[str, str]]) -> None:
        """Pass the contents of slots through memory, once, where a loop ends.

        LLVM saves a value that lives across a suspension where it is made: without this, in each
        iteration of the loop (which cost matmul half its time).
        """
        for ty, slot in slots:
            apart = self.w.slot(ty)
            value = self.w.emit(f"load {ty}, ptr {slot}")
            self.w.do(f"store volatile {ty} {value}, ptr {apart}")
            value = self.w.emit(f"load volatile {ty}, ptr {apart}")
            self.w.do(f"store {ty} {value}, ptr {slot}")

    def _repeat(
        self, body: LoopBody, variables: list[Node], slots: list[list[str]], head: str, end: str,
        *, is_counted: bool,
    ) -> None:  # fmt: skip
        """Close an iteration: hand values on, count it, go round while a lane is active."""
        w = self.w
        for v, own in zip(variables, slots, strict=True):
            self._write(v, own, v.args[1])
        mask = next(v.args[1] for v in body.variables if v.type is BOOL)
        if mask.is_const and not mask.attr:
            w.jump(end)
            return
        if body.pace is Pace.STATUS:
            self._look()
        elif body.pace is Pace.BUDGET and not is_counted:
            self._count(body)
        if self.is_uniform(mask) or self._is_occupied(mask):
            w.jump(head)
        else:
            w.branch(self._any(mask), head, end)

    def _look(self) -> None:
        """Stop if the run is to stop, or has aborted."""
        self._look_at("status", 0)
        if messages.aborts(self.graph):
            self._look_at("aborted", -1)

    def _look_at(self, slot: str, usual: int) -> None:
        """Stop unless a slot of the state has its usual value."""
        w, go = self.w, self.w.label()
        at = w.emit(f"getelementptr i64, ptr %state, i64 {STATE[slot]}")
        found = w.emit(f"load atomic i64, ptr {at} monotonic, align 8")
        w.branch(w.emit(f"icmp ne i64 {found}, {usual}"), "bail", go)
        w.place(go)

    def _trips(self, body: LoopBody) -> int:
        """Return how many iterations are counted before the first one; 0: each when it ends.

        Without a call that may follow, values stay in registers: fma and matmul are 1.1 times as
        fast.
        """
        trips = trip_count(body) if body.pace is Pace.BUDGET else None
        return trips if trips is not None and trips <= self.chunk else 0

    def _count(self, body: LoopBody, iterations: int = 1) -> None:
        """Count iterations; look at budget and status after many."""
        w = self.w
        left = w.emit(f"load i32, ptr {self.left}")
        less = w.emit(f"sub i32 {left}, {iterations}")
        w.do(f"store i32 {less}, ptr {self.left}")
        refill, go = w.label(), w.label()
        w.branch(w.emit(f"icmp sle i32 {less}, 0"), refill, go)
        w.place(refill)
        site = self.site(None if body.location is None else body.location.instruction)
        more = w.emit(messages.refill(self.group_that_may_abort(), self.chunk, site))
        w.do(f"store i32 {more}, ptr {self.left}")
        w.branch(w.emit(f"icmp eq i32 {more}, 0"), "bail", go)
        w.place(go)

    def _is_occupied(self, mask: Node) -> bool:
        """True if an exit that made this mask has just found that lanes are left in it."""
        key = tuple(a.number for a in mask.args)
        return mask.op == "mask_else" and any(key in known for known in self.occupied)

    def exit(self, node: Node, body: Exit) -> None:
        w, loop = self.w, self.loops[body.loop.number]
        condition, _, leaving = node.args
        masked = body.loop.number in self.shapes.masked_loops
        if node.number not in self.shapes.jumps:
            self._save(loop, body, leaving)
            if node.number in self.shapes.together and not condition.is_const:
                rest, stays = w.label(), self._remaining(node)
                w.branch(w.any(*stays), rest, loop.end)
                w.place(rest)
                self.occupied[-1].add((node.args[1].number, condition.number))
            return
        if condition.is_const:
            self._save(loop, body, leaving if masked else None)
            w.jump(loop.end)
            return
        leave, stay = w.label(), w.label()
        w.branch(self.scalar(condition), leave, stay)
        w.place(leave)
        self.open_scope()
        self._save(loop, body, leaving if masked else None)
        self.close_scope()
        w.jump(loop.end)
        w.place(stay)

    def _remaining(self, node: Node) -> list[str]:
        """Return masks of the lanes that an exit leaves behind: what `mask_else` makes of it."""
        condition, mask, _ = node.args
        parts = self.all_parts() if self._differs(mask, condition) else [0]
        return [self._without(mask, condition) for _ in parts]

    def _without(self, mask: Node, condition: Node) -> str:
        """Return a mask without the lanes that have a condition, in the current part."""
        ty = self.w.vector(BOOL)
        name = self.w.emit(f"xor {ty} {self.vector(condition)}, {FULL}")
        if not self.is_uniform(mask):
            name = self.w.emit(f"and {ty} {self.vector(mask)}, {name}")
        return name

    def _differs(self, *nodes: Node) -> bool:
        return any(n.number in self.names.apart for n in nodes)

    def _save(self, loop: _Loop, body: Exit, leaving: Node | None) -> None:
        """Hand the values of leaving lanes to the loop's results (all lanes if None)."""
        w = self.w
        for key, (slots, result) in loop.results.items():
            value, ty = body.values[key], self.kept_type(result)
            for part in self.each_part(result):
                name, mask = self.held(value, result), FULL
                if leaving is not None and not self.keeps_scalar(result):
                    mask = self.full_or_vector(leaving)
                if mask != FULL:
                    old = w.emit(f"load {ty}, ptr {slots[part]}")
                    name = w.emit(f"select {w.vector(BOOL)} {mask}, {ty} {name}, {ty} {old}")
                w.do(f"store {ty} {name}, ptr {slots[part]}")


def _has_barrier(block: list[Node]) -> bool:
    return any(n.op == "barrier" for n in walk(block))


def _zero(node: Node) -> str:
    return {F32: "0.0", F64: "0.0", BOOL: "false"}.get(node.type, "0")  # type: ignore[arg-type]


def _is_plain(block: list[Node], live: set[int]) -> bool:
    """True if a branch is so short and harmless that all lanes may compute it."""
    needed = [n for n in block if n.number in live]
    harmful = (
        "store", "atomic", "counter", "poison", "message", "barrier", "if", "loop", "exit", "load",
        "call", "output", "invocation", "store_quads", "load_quads", "store_block", "load_block",
        "load_row", "store_row", "load_column", "store_column",
    )  # fmt: skip
    return len(needed) <= _FLATTEN and not any(n.op in harmful for n in needed)


def _work(nodes: Iterable[Node], lanes: int, known: dict[int, int]) -> int:
    """Return how many operations nodes are. known: functions by their numbers."""
    total = 0
    for node in nodes:
        if node.op != "call":
            total += lanes if node.op in _LANE_BY_LANE else 1
            continue
        function: Function = node.attr
        if function.number not in known:
            known[function.number] = _work(walk(function.block), lanes, known)
        total += known[function.number]
    return total


_VALUES = {**CALLS, "mask_then": WaveEmitter.mask, "mask_else": WaveEmitter.mask}
