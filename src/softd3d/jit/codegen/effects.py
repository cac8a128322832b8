"""The effects of a wave: inputs and facts, loads, stores, atomics, counters, barriers."""

from __future__ import annotations

from softd3d.algebra.value import BOOL, U32
from softd3d.ir.analysis import VARYING, Shapes
from softd3d.ir.graph import Graph, Node, computed_slot, walk
from softd3d.isa.machine import AtomicOperation, Memory, MipInfo, View
from softd3d.isa.sm4.enums import SyncFlags
from softd3d.jit.abi import CONSTANT_SLOTS, INFO_SLOT, MIP_ROW, STATE, VIEW_SLOTS
from softd3d.jit.codegen import memory
from softd3d.jit.codegen.messages import aborts, divergence, emit_message
from softd3d.jit.codegen.prefetches import PrefetchEmitter
from softd3d.jit.codegen.types import constant, iota, llvm_type
from softd3d.jit.codegen.values import FULL, Name
from softd3d.jit.codegen.wave import Wave
from softd3d.jit.entries.entry import Inputs
from softd3d.jit.entries.tiles import BLOCK, PART

__all__ = ["EFFECTS", "TOGETHER", "EffectEmitter"]

_PAIR = 8  # bytes


class EffectEmitter(PrefetchEmitter):
    """Emits what touches memory or the group.

    inputs: names of what each part starts with. bases: pointers to views' first bytes. sites: the
    instruction of each place that may stop the run, numbered from 1.
    """

    def __init__(self, graph: Graph, shapes: Shapes, wave: Wave) -> None:
        super().__init__(graph, shapes, wave)
        self.inputs: list[Inputs] = []
        self.bases: dict[tuple[Memory, int, int], str] = {}
        self.pairs: dict[tuple[int, int], str] = {}  # names of both dwords of a load together
        self.sites: list[int] = []

    def site(self, instruction: int | None) -> int:
        """Return a number for a place in the program; 0 if it has none."""
        if instruction is None:
            return 0
        self.sites.append(instruction)
        return len(self.sites)

    def prepare(self) -> None:
        """Load run-time facts and base addresses once, clear indexable temps."""
        for node in walk(self.graph.block):
            if node.number not in self.live:
                continue
            if node.op == "info" and not node.args and node.number not in self.names:
                self._info(node)
            elif node.op in ("load", "store", "load_row", "store_row") and node.attr[0].at is None:
                for _ in self.all_parts():
                    self._base(node.attr[0])
            elif node.op in ("load_quads", "store_quads"):
                self._base(node.attr)
            elif node.op in ("load_block", "store_block", "load_column", "store_column"):
                self._base(node.attr[0])
            elif node.op == "atomic" and node.attr[1].at is None:
                self._base(node.attr[1])

    # Inputs and facts

    def input(self, node: Node) -> None:
        inputs = self.inputs[self.names.part]
        found = inputs.get(node.attr) or self.wave.entry.read(self.w, inputs, node.attr)
        self.names[node.number] = Name(*found)

    def output(self, node: Node) -> None:
        inputs = self.inputs[self.names.part]
        self.wave.entry.take(self.w, inputs, node.attr, self.vector(node.args[0]))

    def _field(self, view: View, slot: Node | None, number: int, type_: str) -> str:
        """Load a field of a view's row in the table of views (or of constant buffers).

        slot: where the row is, if that is computed. Returns a vector unless it is uniform.
        """
        w = self.w
        is_constant = view.memory is Memory.CONSTANT
        table, row = ("%constants", CONSTANT_SLOTS) if is_constant else ("%views", VIEW_SLOTS)
        if slot is None:
            p = w.emit(f"getelementptr i64, ptr {table}, i64 {row * view.slot + number}")
        elif self.is_uniform(slot):
            wide = w.emit(f"zext i32 {self.scalar(slot)} to i64")
            at = w.emit(f"add i64 {w.emit(f'mul i64 {wide}, {row}')}, {number}")
            p = w.emit(f"getelementptr i64, ptr {table}, i64 {at}")
        else:
            ty, size = w.vector(U32), constant(U32, row, self.lanes)
            at = w.emit(f"mul {ty} {self.vector(slot)}, {size}")
            at = w.emit(f"add {ty} {at}, {constant(U32, number, self.lanes)}")
            return memory.gather(w, type_, w.emit(f"getelementptr i64, ptr {table}, {ty} {at}"))
        return w.emit(f"load {type_}, ptr {p}")

    def info(self, node: Node) -> None:
        """Load a fact where the slot is computed; the others are loaded at the start."""
        if node.args:
            self._info(node)

    def _info(self, node: Node) -> None:
        view, field_ = node.attr
        number = 1 if view.memory is Memory.CONSTANT else INFO_SLOT[field_]
        self.set_name(node, self._field(view, computed_slot(node, view), number, "i32"))

    def mip(self, node: Node) -> None:
        view, field_ = node.attr
        w = self.w
        slot = computed_slot(node, view)
        table, is_many = self._field(view, slot, 2, "ptr"), self._is_many(slot)
        first = MIP_ROW * list(MipInfo).index(field_)
        level = node.args[0]
        if self.is_uniform(level) and not is_many:
            at = w.emit(f"add i32 {self.scalar(level)}, {first}")
            self.set_name(node, memory.load_fact(w, table, at, "i32"))
            return
        ty = w.vector(U32)
        if self.wave.permutes and not is_many:
            row = memory.load_fact(w, table, str(first), ty)
            self.set_name(node, memory.permuted(w, row, self.vector(level)))
            return
        at = w.emit(f"add {ty} {self.vector(level)}, {constant(U32, first, self.lanes)}")
        at = w.emit(f"shl {ty} {at}, {constant(U32, 2, self.lanes)}")
        address = memory.Address(table, None, at, None, is_many=is_many)
        self.set_name(node, memory.load(w, address, FULL, is_valid_scalar=False, size=4))

    def quad(self, node: Node) -> None:
        """Emit a shuffle within each quad; what is alike in all lanes stays as it is."""
        assert node.type is not None  # noqa: S101 - it has its operand's
        (value,) = node.args
        if self.is_uniform(value):
            self.set_name(node, self.scalar(value))
            return
        order = ", ".join(
            f"i32 {lane // 4 * 4 + node.attr[lane % 4]}" for lane in range(self.lanes)
        )
        ty, name = llvm_type(node.type, self.lanes), self.vector(value)
        indices = f"<{self.lanes} x i32> <{order}>"
        self.names[node.number] = Name(
            vector=self.w.emit(f"shufflevector {ty} {name}, {ty} poison, {indices}")
        )

    # Memory

    def _base(self, view: View) -> str:
        """Return the pointer to a view's first byte, made at the start of the function.

        Indexable temps belong to a lane, so each part of a wave has its own.
        """
        private = view.memory is Memory.INDEXABLE_TEMP
        key = view.memory, view.slot, self.names.part if private else 0
        if key not in self.bases:
            self.bases[key] = self._make_base(view)
        return self.bases[key]

    def _make_base(self, view: View) -> str:
        w = self.w
        if view.memory is Memory.GROUP_SHARED:
            offset = self.wave.shared_offsets[view.slot]
            return w.emit(f"getelementptr i8, ptr %shared, i64 {offset}")
        if view.memory is Memory.IMMEDIATE_CONSTANT:
            return "@softd3d_icb"
        if view.memory is Memory.INDEXABLE_TEMP:
            ty = f"[{view.size // 4} x {w.vector(U32)}]"
            slot = w.slot(ty)
            # Not a store of the whole array: LLVM would take it apart into its elements.
            size = view.size * self.lanes
            w.do(f"call void @llvm.memset.p0.i64(ptr align 64 {slot}, i8 0, i64 {size}, i1 false)")
            return slot
        return self._field(view, None, 0, "ptr")

    def _is_many(self, slot: Node | None) -> bool:
        """Tell whether lanes may look at different views."""
        return slot is not None and not self.is_uniform(slot)

    def _address(
        self, node: Node, view: View, offset: Node, steps: tuple[int, ...] = ()
    ) -> memory.Address:
        """Return where an access goes; for a step that is one of `steps` without a vector."""
        slot = computed_slot(node, view)
        if self._is_many(slot):
            bases = self._field(view, slot, 0, "ptr")
            return memory.Address(bases, None, self.vector(offset), None, is_many=True)
        base = self._base(view) if slot is None else self._field(view, slot, 0, "ptr")
        step = self.shapes.of(offset)
        scalar = self.unshifted(offset) if step is not VARYING else None
        vector = "" if step in steps else self.vector(offset)
        return memory.Address(base, scalar, vector, step, self.shift(offset))

    def load(self, node: Node) -> None:
        view, size = node.attr
        offset, valid, mask = node.args[:3]
        if view.memory is Memory.INDEXABLE_TEMP:
            self.set_name(node, self._load_temp(view, offset, valid))
            return
        is_scalar = self.is_uniform(valid)
        address = self._address(node, view, offset, (0, size) if is_scalar else (size,))
        if view.memory in (Memory.RESOURCE, Memory.UAV) and address.step == size:
            self.look_ahead(address, node)
        name = self.scalar(valid) if is_scalar else self.vector(valid)
        irregular = address.step not in (0, size) or (address.step == 0 and not is_scalar)
        if irregular and not self.is_uniform(mask):  # do not fetch for lanes that are off
            both = f"{self.vector(valid)}, {self.vector(mask)}"
            name, is_scalar = self.w.emit(f"and {self.w.vector(BOOL)} {both}"), False
        value = memory.load(self.w, address, name, is_valid_scalar=is_scalar, size=size)
        if size == _PAIR:
            if irregular and not address.is_many:
                memory.prefetch_beyond(self.w, address, self.wave.row)
            self.pairs[self.names.key(node.number)] = value
            value = memory.half(self.w, value, 0, is_scalar=self.is_uniform(node))
        self.set_name(node, value)

    def load_together(self, node: Node) -> bool:
        """Emit a load for all parts, where that is simpler than one part after the other."""
        view, size = node.attr
        offset, valid = node.args[:2]
        everywhere = self._everywhere(node, view, offset, valid, size)
        if everywhere is None:
            return False
        w, addresses = self.w, self._addresses(node, view, offset)
        if view.memory in (Memory.RESOURCE, Memory.UAV):
            for address in addresses:
                self.look_ahead(address, node)
            self.note_rows(addresses[0].base, offset, node)
        full, some, done = w.label(), w.label(), w.label()
        w.branch(w.emit(f"xor i1 {everywhere}, true"), some, full, is_rare=True)
        w.place(full)
        plain = [memory.load(w, a, "true", is_valid_scalar=True, size=size) for a in addresses]
        w.jump(done)
        w.place(some)
        self.open_scope()
        masked = [
            memory.load(w, addresses[part], self.vector(valid), is_valid_scalar=False, size=size)
            for part in self.all_parts()
        ]
        self.close_scope()
        w.place(done)
        for part in self.all_parts():
            both = f"[{plain[part]}, %{full}], [{masked[part]}, %{some}]"
            self.set_name(node, w.emit(f"phi {w.vector(U32)} {both}"))
        return True

    def store_together(self, node: Node) -> bool:
        """Emit a store for all parts, as `load_together` does a load."""
        view, size = node.attr
        offset, value, mask = node.args[:3]
        everywhere = self._everywhere(node, view, offset, mask, size)
        if everywhere is None:
            return False
        w, addresses = self.w, self._addresses(node, view, offset)
        values = [self.vector(value) for _ in self.all_parts()]
        full, some, done = w.label(), w.label(), w.label()
        w.branch(w.emit(f"xor i1 {everywhere}, true"), some, full, is_rare=True)
        w.place(full)
        for address, name in zip(addresses, values, strict=True):
            memory.store(w, address, name, FULL, size=size)
        w.jump(done)
        w.place(some)
        self.open_scope()
        for part in self.all_parts():
            memory.store(w, addresses[part], values[part], self.vector(mask), size=size)
        self.close_scope()
        w.place(done)
        return True

    def _everywhere(
        self, node: Node, view: View, offset: Node, valid: Node, size: int
    ) -> str | None:
        """Return whether an access of all parts may do without masks; None if it is not asked."""
        if (
            self.parts == 1 or view.memory is Memory.INDEXABLE_TEMP or view.at is not None
            or self.shapes.of(offset) != size or offset.number in self.names.apart
            or valid.number not in self.names.apart
            or (node.type is not None and node.number not in self.names.apart)
        ):  # fmt: skip
            return None
        return self.everywhere(valid)

    def _addresses(self, node: Node, view: View, offset: Node) -> list[memory.Address]:
        """Return where all parts of a unit-stride access go, from one pointer."""
        size = node.attr[1]
        first = self._address(node, view, offset, (size,))
        assert first.scalar is not None  # noqa: S101 - unit-stride addresses have a scalar
        base = memory.pointer(self.w, first.base, first.scalar)
        return [memory.Address(base, "0", "", size, self.shift(offset)) for _ in self.all_parts()]

    def second(self, node: Node) -> None:
        (load,) = node.args
        pair = self.pairs[self.names.key(load.number)]
        self.set_name(node, memory.half(self.w, pair, 1, is_scalar=self.is_uniform(node)))

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
        value = w.emit(f"load {ty}, ptr {p}, align {4 * self.lanes}")
        return w.emit(f"select i1 {self.scalar(valid)}, {ty} {value}, {ty} zeroinitializer")

    def store(self, node: Node) -> None:
        view, size = node.attr
        offset, value, mask = node.args[:3]
        if view.memory is Memory.INDEXABLE_TEMP:
            self._store_temp(view, offset, self.vector(value), mask)
            return
        name = self.vector(mask)  # active and valid
        address = self._address(node, view, offset, (size,))
        memory.store(self.w, address, self.vector(value), name, size=size)

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
        old = w.emit(f"load {ty}, ptr {p}, align {4 * self.lanes}")
        new = w.emit(f"select {w.vector(BOOL)} {name}, {ty} {value}, {ty} {old}")
        w.do(f"store {ty} {new}, ptr {p}, align {4 * self.lanes}")

    def atomic(self, node: Node) -> None:
        operation, view, returns = node.attr
        offset, mask, *operands = node.args if view.at is None else node.args[:-1]
        shared = view.memory is Memory.GROUP_SHARED
        update = memory.atomic_shared if shared else memory.atomic_global
        address = self._address(node, view, offset)
        values = [self.vector(o) for o in operands]
        name = update(self.w, operation, address, self.vector(mask), values, returns=returns)
        self.names[node.number] = Name(vector=name)

    def counter(self, node: Node) -> None:
        """Add the number of active lanes at once; lanes get their old values in lane order."""
        view, step = node.attr
        w, n = self.w, self.lanes
        slot = computed_slot(node, view)
        p = self._field(view, slot, 1, "ptr")
        if self._is_many(slot):
            self._count_in_many(node, p, step)
            return
        bits = w.bits(self.full_or_vector(node.args[0]))
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
        self.names[node.number] = Name(vector=result)

    def _count_in_many(self, node: Node, counters: str, step: int) -> None:
        """Add to the counters of different views, lane by lane."""
        change, mask = constant(U32, step & 0xFFFFFFFF, self.lanes), self.vector(node.args[0])
        address = memory.Address(counters, None, "zeroinitializer", None, is_many=True)
        add = AtomicOperation.IADD
        old = memory.atomic_global(self.w, add, address, mask, [change], returns=True)
        self.names[node.number] = Name(vector=old)

    def poison(self, node: Node) -> None:
        w = self.w
        (mask,) = node.args
        hit = self.scalar(mask) if self.is_uniform(mask) else w.any(self.vector(mask))
        note, go = w.label(), w.label()
        w.branch(hit, note, go)
        w.place(note)
        p = w.emit(f"getelementptr i64, ptr %state, i64 {STATE['poison']}")
        bit = 1 << min(node.attr, 62)
        w.emit(f"atomicrmw or ptr {p}, i64 {bit} monotonic")
        w.place(go)

    def message(self, node: Node) -> None:
        mask, *words = node.args
        inputs = self.inputs[self.names.part]
        vectors = [self.vector(word) for word in words]
        emit_message(self.w, self.wave.entry, inputs, node.attr, self.full_or_vector(mask), vectors)

    def invocation(self, node: Node) -> None:
        """Note who says what follows, or, without arguments, that nobody does."""
        inputs = self.inputs[self.names.part]
        inputs.pop(BLOCK, None)
        if node.args:
            block, part = node.args
            inputs |= {BLOCK: (self.scalar(block), None), PART: (None, self.vector(part))}

    def group_that_may_abort(self) -> str | None:
        """Emit the number of the wave's group, if what follows depends on groups that abort."""
        return self.wave.entry.group(self.w, self.inputs[0]) if aborts(self.graph) else None

    def barrier(self, node: Node) -> None:
        flags: SyncFlags
        flags, instruction = node.attr
        w = self.w
        # A group runs on one thread: only what the device must see needs more than order of code.
        is_global = SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GLOBAL in flags
        w.do("fence acq_rel" if is_global else 'fence syncscope("singlethread") acq_rel')
        if SyncFlags.THREADS not in flags:
            return
        site = self.site(instruction)
        (mask,) = node.args
        if not self.is_uniform(mask):
            strays: list[str] = []
            for part in self.all_parts():
                first = self.inputs[part]["lane_mask"][1] or FULL
                strays.append(w.emit(f"xor {w.vector(BOOL)} {self.vector(mask)}, {first}"))
            error, go = w.label(), w.label()
            w.branch(w.any(*strays), error, go)
            w.place(error)
            w.do(divergence(str(site), self.group_that_may_abort()))
            w.jump("bail")
            w.place(go)
        if not self.wave.suspends:
            return
        w.do(f"store i64 {site}, ptr %site")
        again, resumed = w.emit("call i8 @llvm.coro.suspend(token none, i1 false)"), w.label()
        w.do(f"switch i8 {again}, label %suspend [i8 0, label %{resumed} i8 1, label %cleanup]")
        w.is_terminated = True
        w.place(resumed)


TOGETHER = {"load": EffectEmitter.load_together, "store": EffectEmitter.store_together}
"""Emits an access for all parts, or returns False."""
EFFECTS = {
    "input": EffectEmitter.input,
    "output": EffectEmitter.output,
    "info": EffectEmitter.info,
    "mip": EffectEmitter.mip,
    "load": EffectEmitter.load,
    "second": EffectEmitter.second,
    "store": EffectEmitter.store,
    "atomic": EffectEmitter.atomic,
    "counter": EffectEmitter.counter,
    "quad": EffectEmitter.quad,
    "poison": EffectEmitter.poison,
    "message": EffectEmitter.message,
    "invocation": EffectEmitter.invocation,
    "barrier": EffectEmitter.barrier,
}
