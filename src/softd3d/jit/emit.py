"""Turn a recorded program into LLVM text: one function that runs one wave of a thread group.

Uniform values become scalars, others vectors. Divergent branches are taken if any lane wants them,
and what both sides wrote is selected by lane. Values that cross blocks go through stack slots,
which LLVM's promotion turns into SSA again.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from softd3d.algebra.value import BOOL, F32, F64, U32, DataType
from softd3d.errors import InternalError
from softd3d.ir.analysis import UNIFORM, VARYING, Shapes, live_nodes
from softd3d.ir.graph import Exit, Graph, IfBody, LoopBody, Node, walk
from softd3d.isa.machine import Info, Memory, MipInfo, View
from softd3d.isa.sm4.enums import SyncFlags
from softd3d.jit import memory, strict
from softd3d.jit.abi import INFO_SLOT, LOOP_CHUNK, STATE, VIEW_SLOTS, Status
from softd3d.jit.types import constant, iota, llvm_type, primitive
from softd3d.jit.writer import Writer

__all__ = ["WaveEmitter"]

_FLATTEN = 16  # a divergent branch of at most this many plain operations is computed by all lanes
_FULL = "splat (i1 true)"


@dataclass(slots=True)
class _Loop:
    """Labels and slots of a loop that is being emitted."""

    end: str
    results: dict[Hashable, tuple[str, Node]] = field(
        default_factory=dict[Hashable, tuple[str, Node]]
    )


@dataclass(slots=True)
class _Name:
    """The LLVM names of a value: a scalar (of lane 0 if affine), a vector, or both."""

    scalar: str | None = None
    vector: str | None = None


class WaveEmitter:
    """Emits the body of the wave function."""

    def __init__(
        self, graph: Graph, shapes: Shapes, lanes: int, shared_offsets: dict[int, int]
    ) -> None:
        self.graph = graph
        self.shapes = shapes
        self.lanes = lanes
        self.shared_offsets = shared_offsets
        self.w = Writer(lanes)
        self.live = live_nodes(graph)
        self.names: dict[int, _Name] = {}
        self.splats: list[dict[int, str]] = [{}]
        self.loops: dict[int, _Loop] = {}
        self.if_results: dict[int, list[Node]] = {}
        self.loop_results: dict[int, list[Node]] = {}
        self.bases: dict[tuple[Memory, int], str] = {}
        self.barriers = 0
        self.is_strict = graph.uses_double
        self.left = self.w.slot("i32")

    def run(self, inputs: dict[str, tuple[str | None, str | None]]) -> None:
        """Emit everything; `inputs` holds (scalar, vector) names of the program's inputs."""
        self.inputs = inputs
        self._collect()
        self.w.do(f"store i32 {LOOP_CHUNK}, ptr {self.left}")
        self._prepare()
        self.block(self.graph.block)

    def _collect(self) -> None:
        for node in walk(self.graph.block):
            if node.number in self.live and node.op == "if_result":
                self.if_results.setdefault(node.args[0].number, []).append(node)
            elif node.number in self.live and node.op == "loop_result":
                self.loop_results.setdefault(node.args[0].number, []).append(node)

    def _prepare(self) -> None:
        """Load run-time facts and base addresses once, clear indexable temps."""
        for node in walk(self.graph.block):
            if node.number not in self.live:
                continue
            if node.op == "info" and node.number not in self.names:
                self.names[node.number] = _Name(self._info(*node.attr))
            elif node.op in ("load", "store"):
                self._base(node.attr[0])
            elif node.op == "atomic":
                self._base(node.attr[1])

    # Names

    def scalar(self, node: Node) -> str:
        """Return the scalar name of a uniform node, or of lane 0 of an affine one."""
        if node.is_const:
            assert node.type is not None  # noqa: S101 - constants are typed
            return constant(node.type, node.attr, 0)
        name = self.names[node.number].scalar
        if name is None:
            raise InternalError(f"{node!r} has no scalar")
        return name

    def vector(self, node: Node) -> str:
        """Return the vector name of a node, splatting a uniform one where it is needed."""
        assert node.type is not None  # noqa: S101 - only values are asked for
        if node.is_const:
            return constant(node.type, node.attr, self.lanes)
        name = self.names[node.number]
        if name.vector is not None:
            return name.vector
        for scope in reversed(self.splats):
            if node.number in scope:
                return scope[node.number]
        assert name.scalar is not None  # noqa: S101 - a name has one of both
        result = self.w.splat(llvm_type(node.type, 0), name.scalar)
        step = self.shapes.of(node)
        if step:
            steps = iota(self.lanes, step)
            result = self.w.emit(f"add {self.w.vector(U32)} {result}, {steps}")
        self.splats[-1][node.number] = result
        return result

    def is_uniform(self, node: Node) -> bool:
        return self.shapes.of(node) == UNIFORM

    def _keeps_scalar(self, node: Node) -> bool:
        return self.shapes.of(node) is not VARYING

    def _held(self, node: Node, like: Node) -> str:
        """Return a node's name in the form (scalar or vector) that `like` is kept in."""
        return self.scalar(node) if self._keeps_scalar(like) else self.vector(node)

    def _kept_type(self, node: Node) -> str:
        assert node.type is not None  # noqa: S101 - only values are kept
        return llvm_type(node.type, 0 if self._keeps_scalar(node) else self.lanes)

    def _set(self, node: Node, name: str) -> None:
        kept = _Name(scalar=name) if self._keeps_scalar(node) else _Name(vector=name)
        self.names[node.number] = kept

    def _mask(self, node: Node) -> str:
        """Return a mask as a vector; a uniform one is full."""
        return _FULL if self.is_uniform(node) else self.vector(node)

    # Blocks

    def block(self, block: list[Node]) -> None:
        for node in block:
            if self.w.is_terminated:
                return
            if node.number in self.live:
                self.node(node)

    def node(self, node: Node) -> None:
        body = node.attr
        if isinstance(body, IfBody):
            self.if_(node, body)
        elif isinstance(body, LoopBody):
            self.loop(node, body)
        elif isinstance(body, Exit):
            self.exit(node, body)
        elif node.op in ("mask_then", "mask_else"):
            self.mask(node)
        elif node.op in _EFFECTS:
            _EFFECTS[node.op](self, node)
        elif node.op not in ("info", "if_result", "loop_result"):
            self.pure(node)

    def pure(self, node: Node) -> None:
        assert node.type is not None  # noqa: S101 - pure nodes are values
        uniform = self._keeps_scalar(node)
        read = self.scalar if uniform else self.vector
        operands = [(a.type, read(a)) for a in node.args]
        self._set(node, self.apply(node.op, node.type, operands, 0 if uniform else self.lanes))

    def apply(
        self, op: str, type_: DataType, operands: list[tuple[DataType, str]], lanes: int
    ) -> str:
        if self.is_strict and strict.needs_care(op, type_, operands):
            return strict.apply(self.w, op, type_, operands, lanes)
        return primitive(self.w.emit, self.w.declare, op, type_, operands, lanes)

    def mask(self, node: Node) -> None:
        if self.is_uniform(node):
            self.names[node.number] = _Name(scalar="true")
            return
        mask, condition = node.args
        ty, name = self.w.vector(BOOL), self.vector(condition)
        if node.op == "mask_else":
            name = self.w.emit(f"xor {ty} {name}, {_FULL}")
        if not self.is_uniform(mask):
            name = self.w.emit(f"and {ty} {self.vector(mask)}, {name}")
        self._set(node, name)

    # If

    def if_(self, node: Node, body: IfBody) -> None:
        results = self.if_results.get(node.number, [])
        if self.is_uniform(node.args[0]):
            self._uniform_if(node, body, results)
        elif _is_plain(body.then, self.live) and _is_plain(body.else_, self.live):
            self.block(body.then)
            self.block(body.else_)
            for r in results:
                then, else_ = (self.vector(a) if a is not None else None for a in r.args[1:])
                self._select(r, node, then, else_)
        else:
            self._divergent_if(node, body, results)

    def _select(self, result: Node, node: Node, then: str | None, else_: str | None) -> None:
        if then is None or else_ is None:
            name = then if then is not None else else_
            assert name is not None  # noqa: S101 - one side always counts
        else:
            ty, mask = self._kept_type(result), self._mask(node.args[1])
            name = self.w.emit(f"select {self.w.vector(BOOL)} {mask}, {ty} {then}, {ty} {else_}")
        self.names[result.number] = _Name(vector=name)

    def _branch_side(self, block: list[Node], results: list[Node], side: int,
                     slots: dict[int, str], end: str) -> None:  # fmt: skip
        self.splats.append({})
        self.block(block)
        if not self.w.is_terminated:
            for r in results:
                value = r.args[side]
                if value is not None and r.number in slots:
                    ty = self._kept_type(r)
                    self.w.do(f"store {ty} {self._held(value, r)}, ptr {slots[r.number]}")
        self.splats.pop()
        self.w.jump(end)

    def _uniform_if(self, node: Node, body: IfBody, results: list[Node]) -> None:
        w = self.w
        slots = {r.number: w.slot(self._kept_type(r)) for r in results}
        then, else_, end = w.label(), w.label(), w.label()
        w.branch(self.scalar(node.args[0]), then, else_)
        for label, block, side in ((then, body.then, 1), (else_, body.else_, 2)):
            w.is_terminated = True
            w.place(label)
            self._branch_side(block, results, side, slots, end)
        w.place(end)
        for r in results:
            self._set(r, w.emit(f"load {self._kept_type(r)}, ptr {slots[r.number]}"))

    def _divergent_if(self, node: Node, body: IfBody, results: list[Node]) -> None:
        """Skip a side that no lane takes; its results are zeros then, which nothing selects."""
        w = self.w
        sides: list[dict[int, str]] = []
        known = set(self.names)
        for side, block in ((1, body.then), (2, body.else_)):
            slots: dict[int, str] = {}
            for r in results:
                value = r.args[side]
                if value is None or value.is_const or value.number in known:
                    continue
                slots[r.number] = w.slot(self._kept_type(r))
                w.do(f"store {self._kept_type(r)} zeroinitializer, ptr {slots[r.number]}")
            sides.append(slots)
            if any(n.number in self.live for n in block):
                enter, end = w.label(), w.label()
                w.branch(w.any(self._mask(node.args[side])), enter, end)
                w.is_terminated = True
                w.place(enter)
                self._branch_side(block, results, side, slots, end)
                w.place(end)
        for r in results:
            values: list[str | None] = []
            for side, slots in ((1, sides[0]), (2, sides[1])):
                value = r.args[side]
                if r.number in slots:
                    values.append(w.emit(f"load {self._kept_type(r)}, ptr {slots[r.number]}"))
                else:
                    values.append(self.vector(value) if value is not None else None)
            self._select(r, node, values[0], values[1])

    # Loops

    def loop(self, node: Node, body: LoopBody) -> None:
        w = self.w
        loop = _Loop(w.label())
        self.loops[node.number] = loop
        for r in self.loop_results.get(node.number, []):
            slot = w.slot(self._kept_type(r))
            loop.results[r.attr] = (slot, r)
            zero = "zeroinitializer" if not self._keeps_scalar(r) else _zero(r)
            w.do(f"store {self._kept_type(r)} {zero}, ptr {slot}")
        variables = [v for v in body.variables if v.number in self.live]
        slots = [w.slot(self._kept_type(v)) for v in variables]
        for v, slot in zip(variables, slots, strict=True):
            w.do(f"store {self._kept_type(v)} {self._held(v.args[0], v)}, ptr {slot}")
        head = w.label()
        w.place(head)
        self.splats.append({})
        for v, slot in zip(variables, slots, strict=True):
            if v.type is BOOL and self.is_uniform(v):
                self.names[v.number] = _Name(scalar="true")
            else:
                self._set(v, w.emit(f"load {self._kept_type(v)}, ptr {slot}"))
        self.block(body.body)
        if not w.is_terminated and not body.once:
            self._repeat(body, variables, slots, head, loop.end)
        self.splats.pop()
        w.place(loop.end)
        for r in self.loop_results.get(node.number, []):
            slot = loop.results[r.attr][0]
            self._set(r, w.emit(f"load {self._kept_type(r)}, ptr {slot}"))

    def _repeat(
        self, body: LoopBody, variables: list[Node], slots: list[str], head: str, end: str
    ) -> None:
        """Close an iteration: hand values on, count it, go round while a lane is active."""
        w = self.w
        for v, slot in zip(variables, slots, strict=True):
            w.do(f"store {self._kept_type(v)} {self._held(v.args[1], v)}, ptr {slot}")
        mask = next(v.args[1] for v in body.variables if v.type is BOOL)
        if mask.is_const and not mask.attr:
            w.jump(end)
            return
        left = w.emit(f"load i32, ptr {self.left}")
        less = w.emit(f"sub i32 {left}, 1")
        w.do(f"store i32 {less}, ptr {self.left}")
        refill, go = w.label(), w.label()
        w.branch(w.emit(f"icmp eq i32 {less}, 0"), refill, go)
        w.is_terminated = True
        w.place(refill)
        more = w.emit("call i32 @softd3d_refill(ptr %state)")
        w.do(f"store i32 {more}, ptr {self.left}")
        w.branch(w.emit(f"icmp eq i32 {more}, 0"), "bail", go)
        w.is_terminated = True
        w.place(go)
        if self.is_uniform(mask):
            w.jump(head)
        else:
            w.branch(w.any(self.vector(mask)), head, end)

    def exit(self, node: Node, body: Exit) -> None:
        w, loop = self.w, self.loops[body.loop.number]
        condition, _, leaving = node.args
        masked = body.loop.number in self.shapes.masked_loops
        if node.number not in self.shapes.jumps:
            self._save(loop, body, self._mask(leaving))
            if node.number in self.shapes.together and not condition.is_const:
                mask, rest = self._mask(node.args[1]), w.label()
                stays = w.emit(f"xor {w.vector(BOOL)} {self._mask(leaving)}, {mask}")
                w.branch(w.any(stays), rest, loop.end)
                w.is_terminated = True
                w.place(rest)
            return
        if condition.is_const:
            self._save(loop, body, self._mask(leaving) if masked else None)
            w.jump(loop.end)
            return
        leave, stay = w.label(), w.label()
        w.branch(self.scalar(condition), leave, stay)
        w.is_terminated = True
        w.place(leave)
        self.splats.append({})
        self._save(loop, body, self._mask(leaving) if masked else None)
        self.splats.pop()
        w.jump(loop.end)
        w.place(stay)

    def _save(self, loop: _Loop, body: Exit, mask: str | None) -> None:
        """Hand the values of leaving lanes to the loop's results (all lanes if mask is None)."""
        w = self.w
        for key, (slot, result) in loop.results.items():
            value, ty = body.values[key], self._kept_type(result)
            name = self._held(value, result)
            if mask is not None and mask != _FULL and not self._keeps_scalar(result):
                old = w.emit(f"load {ty}, ptr {slot}")
                name = w.emit(f"select {w.vector(BOOL)} {mask}, {ty} {name}, {ty} {old}")
            w.do(f"store {ty} {name}, ptr {slot}")

    # Inputs and facts

    def input(self, node: Node) -> None:
        scalar, vector = self.inputs[node.attr]
        self.names[node.number] = _Name(scalar, vector)

    def _view_slot(self, view: View, slot: int) -> str:
        at = VIEW_SLOTS * view.slot + slot
        return self.w.emit(f"getelementptr i64, ptr %views, i64 {at}")

    def _info(self, view: View, field_: Info) -> str:
        w = self.w
        if view.memory is Memory.CONSTANT:
            p = w.emit(f"getelementptr i64, ptr %constants, i64 {2 * view.slot + 1}")
        else:
            p = self._view_slot(view, INFO_SLOT[field_])
        return w.emit(f"load i32, ptr {p}")

    def mip(self, node: Node) -> None:
        view, field_ = node.attr
        w = self.w
        table = w.emit(f"load ptr, ptr {self._view_slot(view, 2)}")
        number = list(MipInfo).index(field_)
        (level,) = node.args
        if self.is_uniform(level):
            wide = w.emit(f"zext i32 {self.scalar(level)} to i64")
            at = w.emit(f"add i64 {w.emit(f'mul i64 {wide}, 12')}, {4 * number}")
            p = w.emit(f"getelementptr i8, ptr {table}, i64 {at}")
            self._set(node, w.emit(f"load i32, ptr {p}"))
            return
        ty = w.vector(U32)
        twelve, offset = (constant(U32, v, self.lanes) for v in (12, 4 * number))
        at = w.emit(f"add {ty} {w.emit(f'mul {ty} {self.vector(level)}, {twelve}')}, {offset}")
        address = memory.Address(table, None, at, None)
        self._set(node, memory.load(w, address, _FULL, is_valid_scalar=False, size=4))

    # Memory

    def _base(self, view: View) -> str:
        """Return the pointer to a view's first byte, made at the start of the function."""
        key = view.memory, view.slot
        if key not in self.bases:
            self.bases[key] = self._make_base(view)
        return self.bases[key]

    def _make_base(self, view: View) -> str:
        w = self.w
        if view.memory is Memory.GROUP_SHARED:
            return w.emit(f"getelementptr i8, ptr %shared, i64 {self.shared_offsets[view.slot]}")
        if view.memory is Memory.CONSTANT:
            p = w.emit(f"getelementptr i64, ptr %constants, i64 {2 * view.slot}")
            return w.emit(f"load ptr, ptr {p}")
        if view.memory is Memory.IMMEDIATE_CONSTANT:
            return "@softd3d_icb"
        if view.memory is Memory.INDEXABLE_TEMP:
            ty = f"[{view.size // 4} x {w.vector(U32)}]"
            slot = w.slot(ty)
            w.do(f"store {ty} zeroinitializer, ptr {slot}, align 64")
            return slot
        return w.emit(f"load ptr, ptr {self._view_slot(view, 0)}")

    def _address(self, view: View, offset: Node) -> memory.Address:
        step = self.shapes.of(offset)
        scalar = self.scalar(offset) if step is not VARYING else None
        vector = self.vector(offset)
        return memory.Address(self._base(view), scalar, vector, step)

    def load(self, node: Node) -> None:
        view, size = node.attr
        offset, valid, mask = node.args
        if view.memory is Memory.INDEXABLE_TEMP:
            self._set(node, self._load_temp(view, offset, valid))
            return
        address = self._address(view, offset)
        is_scalar = self.is_uniform(valid)
        name = self.scalar(valid) if is_scalar else self.vector(valid)
        irregular = address.step not in (0, size) or (address.step == 0 and not is_scalar)
        if irregular and not self.is_uniform(mask):  # do not fetch for lanes that are off
            both = f"{self.vector(valid)}, {self.vector(mask)}"
            name, is_scalar = self.w.emit(f"and {self.w.vector(BOOL)} {both}"), False
        self._set(node, memory.load(self.w, address, name, is_valid_scalar=is_scalar, size=size))

    def _temp_index(self, offset: Node, valid: Node) -> tuple[str, bool]:
        """Return a place in an indexable temp, 0 where outside, and whether it is a scalar.

        A scalar counts vectors of lanes, a vector counts bytes.
        """
        w = self.w
        if self.is_uniform(offset) and self.is_uniform(valid):
            index = w.emit(f"lshr i32 {self.scalar(offset)}, 2")
            return w.emit(f"select i1 {self.scalar(valid)}, i32 {index}, i32 0"), True
        ty, two = w.vector(U32), constant(U32, 2, self.lanes)
        index = w.emit(f"lshr {ty} {self.vector(offset)}, {two}")
        bools = w.vector(BOOL)
        index = w.emit(f"select {bools} {self.vector(valid)}, {ty} {index}, {ty} zeroinitializer")
        lanes = constant(U32, self.lanes, self.lanes)
        at = w.emit(f"add {ty} {w.emit(f'mul {ty} {index}, {lanes}')}, {iota(self.lanes)}")
        return w.emit(f"shl {ty} {at}, {two}"), False

    def _load_temp(self, view: View, offset: Node, valid: Node) -> str:
        w, ty = self.w, self.w.vector(U32)
        index, is_scalar = self._temp_index(offset, valid)
        if not is_scalar:
            address = memory.Address(self._base(view), None, index, None)
            return memory.load(w, address, self.vector(valid), is_valid_scalar=False, size=4)
        p = w.emit(f"getelementptr {ty}, ptr {self._base(view)}, i32 {index}")
        value = w.emit(f"load {ty}, ptr {p}, align 64")
        return w.emit(f"select i1 {self.scalar(valid)}, {ty} {value}, {ty} zeroinitializer")

    def store(self, node: Node) -> None:
        view, size = node.attr
        offset, value, mask = node.args
        if view.memory is Memory.INDEXABLE_TEMP:
            self._store_temp(view, offset, self.vector(value), mask)
            return
        name = self.vector(mask)  # active and valid
        memory.store(self.w, self._address(view, offset), self.vector(value), name, size=size)

    def _store_temp(self, view: View, offset: Node, value: str, mask: Node) -> None:
        w, ty = self.w, self.w.vector(U32)
        name = self.vector(mask)
        if not self.is_uniform(offset):
            index, _ = self._temp_index(offset, mask)
            address = memory.Address(self._base(view), None, index, None)
            memory.store(w, address, value, name, size=4)
            return
        # A uniform offset that is outside is outside for every lane: clamp it, select nothing.
        index = w.emit(f"lshr i32 {self.scalar(offset)}, 2")
        inside = w.emit(f"icmp ult i32 {index}, {view.size // 4}")
        index = w.emit(f"select i1 {inside}, i32 {index}, i32 0")
        p = w.emit(f"getelementptr {ty}, ptr {self._base(view)}, i32 {index}")
        old = w.emit(f"load {ty}, ptr {p}, align 64")
        new = w.emit(f"select {w.vector(BOOL)} {name}, {ty} {value}, {ty} {old}")
        w.do(f"store {ty} {new}, ptr {p}, align 64")

    def atomic(self, node: Node) -> None:
        operation, view, returns = node.attr
        offset, mask, *operands = node.args
        shared = view.memory is Memory.GROUP_SHARED
        update = memory.atomic_shared if shared else memory.atomic_global
        address = self._address(view, offset)
        values = [self.vector(o) for o in operands]
        name = update(self.w, operation, address, self.vector(mask), values, returns=returns)
        self.names[node.number] = _Name(vector=name)

    def counter(self, node: Node) -> None:
        """Add the number of active lanes at once; lanes get their old values in lane order."""
        view, step = node.attr
        w, n = self.w, self.lanes
        p = w.emit(f"load ptr, ptr {self._view_slot(view, 1)}")
        bits = w.bits(self._mask(node.args[0]))
        w.declare(f"declare i{n} @llvm.ctpop.i{n}(i{n})")
        small = w.emit(f"call i{n} @llvm.ctpop.i{n}(i{n} {bits})")
        count = w.emit(f"zext i{n} {small} to i32")
        change = w.emit(f"mul i32 {count}, {step}")
        old = w.emit(f"atomicrmw add ptr {p}, i32 {change} monotonic, align 4")
        below = "<" + ", ".join(f"i{n} {(1 << k) - 1}" for k in range(n)) + ">"
        vector = f"<{n} x i{n}>"
        before = w.emit(f"and {vector} {w.splat(f'i{n}', bits)}, {below}")
        w.declare(f"declare {vector} @llvm.ctpop.v{n}i{n}({vector})")
        rank = w.emit(f"call {vector} @llvm.ctpop.v{n}i{n}({vector} {before})")
        ranks = w.emit(f"zext {vector} {rank} to {w.vector(U32)}")
        steps = w.emit(f"mul {w.vector(U32)} {ranks}, {constant(U32, step & 0xFFFFFFFF, n)}")
        result = w.emit(f"add {w.vector(U32)} {w.splat('i32', old)}, {steps}")
        self.names[node.number] = _Name(vector=result)

    def poison(self, node: Node) -> None:
        w = self.w
        (mask,) = node.args
        hit = self.scalar(mask) if self.is_uniform(mask) else w.any(self.vector(mask))
        note, go = w.label(), w.label()
        w.branch(hit, note, go)
        w.is_terminated = True
        w.place(note)
        p = w.emit(f"getelementptr i64, ptr %state, i64 {STATE['poison']}")
        bit = 1 << min(node.attr, 62)
        w.emit(f"atomicrmw or ptr {p}, i64 {bit} monotonic")
        w.place(go)

    def barrier(self, node: Node) -> None:
        flags: SyncFlags = node.attr
        w = self.w
        # A group runs on one thread: only what the device must see needs more than order of code.
        is_global = SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GLOBAL in flags
        w.do("fence acq_rel" if is_global else 'fence syncscope("singlethread") acq_rel')
        if SyncFlags.THREADS not in flags:
            return
        self.barriers += 1
        (mask,) = node.args
        if not self.is_uniform(mask):
            first = self.inputs["lane_mask"][1] or _FULL
            stray = w.emit(f"xor {w.vector(BOOL)} {self.vector(mask)}, {first}")
            error, go = w.label(), w.label()
            w.branch(w.any(stray), error, go)
            w.is_terminated = True
            w.place(error)
            w.do(f"call void @softd3d_stop(ptr %state, i64 {Status.DIVERGENT_BARRIER})")
            w.jump("bail")
            w.place(go)
        w.do(f"store i32 {self.barriers}, ptr %site")
        again, resumed = w.emit("call i8 @llvm.coro.suspend(token none, i1 false)"), w.label()
        w.do(f"switch i8 {again}, label %suspend [i8 0, label %{resumed} i8 1, label %cleanup]")
        w.is_terminated = True
        w.place(resumed)


def _zero(node: Node) -> str:
    return {F32: "0.0", F64: "0.0", BOOL: "false"}.get(node.type, "0")  # type: ignore[arg-type]


def _is_plain(block: list[Node], live: set[int]) -> bool:
    """True if a branch is so short and harmless that all lanes may compute it."""
    needed = [n for n in block if n.number in live]
    harmful = ("store", "atomic", "counter", "poison", "barrier", "if", "loop", "exit", "load")
    return len(needed) <= _FLATTEN and not any(n.op in harmful for n in needed)


_EFFECTS = {
    "input": WaveEmitter.input,
    "mip": WaveEmitter.mip,
    "load": WaveEmitter.load,
    "store": WaveEmitter.store,
    "atomic": WaveEmitter.atomic,
    "counter": WaveEmitter.counter,
    "poison": WaveEmitter.poison,
    "barrier": WaveEmitter.barrier,
}
