"""The entry point of batches: lanes whose inputs and outputs are arrays, one for each component.

CPU threads claim chunks of waves. Lanes beyond the last one neither load nor store; where lanes
come in quads, those that fill up the last quad execute, as helpers.
"""

from __future__ import annotations

from softd3d.algebra.value import BOOL, U32
from softd3d.classes import dataclass
from softd3d.ir.analysis import VARYING, Shape
from softd3d.ir.graph import Graph, walk
from softd3d.jit.codegen import memory
from softd3d.jit.codegen.types import constant, iota
from softd3d.jit.codegen.writer import Writer
from softd3d.jit.entries.entry import Inputs, claims
from softd3d.lower.messages import PLACE_SHIFT
from softd3d.lower.stage import COVERED

__all__ = ["LanesEntry", "lanes_entry"]

_EXISTING = "existing"  # lanes of the batch: those whose outputs count
_COVERED, *_ = COVERED
_OWN = frozenset({"lane_mask", "flat"})


@dataclass(frozen=True, slots=True)
class LanesEntry:
    """inputs, outputs: names, in the order of the arrays. together: lanes of a quad, or 1."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    together: int

    @property
    def arguments(self) -> tuple[str, ...]:
        return "i32 %first", "i32 %count", "ptr %inputs", "ptr %outputs"

    def waves(self, width: int) -> int:
        del width
        return 1  # no wave waits for another

    def is_full(self, width: int) -> bool:
        del width
        return True  # but the last one

    def row(self, lanes: int) -> int:
        return lanes

    def shapes(self, lanes: int) -> dict[str, Shape]:
        del lanes
        shapes: dict[str, Shape] = dict.fromkeys((*self.inputs, "lane_mask"), VARYING)
        return shapes | {"flat": 1}

    def differing(self, lanes: int, parts: int) -> frozenset[str]:
        del parts
        return frozenset(self.shapes(lanes))

    def between(self, lanes: int, parts: int) -> dict[str, Shape]:
        del parts
        return self.shapes(lanes) | {"flat": lanes}

    def begin(self, w: Writer, lanes: int, parts: int, part: int) -> Inputs:
        del parts
        first = w.emit(f"add i32 %first, {lanes * part}") if part else "%first"
        ty = w.vector(U32)
        number = w.emit(f"add {ty} {w.splat('i32', first)}, {iota(lanes)}")
        existing = w.emit(f"icmp ult {ty} {number}, {w.splat('i32', '%count')}")
        names: Inputs = {"flat": (first, None), _EXISTING: (None, existing)}
        if self.together == 1:
            return names | {"lane_mask": (None, existing)}
        quad = w.emit(f"and {ty} {number}, {constant(U32, -self.together & 0xFFFFFFFF, lanes)}")
        mask = w.emit(f"icmp ult {ty} {quad}, {w.splat('i32', '%count')}")
        return names | {"lane_mask": (None, mask)}

    def read(self, w: Writer, inputs: Inputs, name: str) -> tuple[str | None, str | None]:
        address = self._address(w, inputs, "%inputs", self.inputs.index(name))
        mask = str(inputs[_EXISTING][1])
        value = memory.load(w, address, mask, is_valid_scalar=False, size=4)
        if name == _COVERED:
            ty = w.vector(U32)
            some = w.emit(f"icmp ne {ty} {value}, zeroinitializer")
            value = w.emit(f"zext {w.vector(BOOL)} {some} to {ty}")
        return None, value

    def take(self, w: Writer, inputs: Inputs, name: str, value: str) -> None:
        address = self._address(w, inputs, "%outputs", self.outputs.index(name))
        memory.store(w, address, value, str(inputs[_EXISTING][1]), size=4)

    def _address(self, w: Writer, inputs: Inputs, table: str, number: int) -> memory.Address:
        """Return where the part's lanes are in an array."""
        p = w.emit(f"getelementptr ptr, ptr {table}, i64 {number}")
        base = w.emit(f"load ptr, ptr {p}, !invariant.load !{{}}")
        first = w.emit(f"zext i32 {inputs['flat'][0]} to i64")
        own = w.emit(f"getelementptr i32, ptr {base}, i64 {first}")
        return memory.Address(own, "0", "", 4)

    def group(self, w: Writer, inputs: Inputs, lanes: str | None = None) -> str:
        first, _ = inputs["flat"]
        number = w.emit(f"zext i32 {first} to i64")
        if lanes is None:
            return number
        bits, ty = w.emit(f"zext i{w.lanes} {lanes} to i64"), "i64"
        w.declare("declare i64 @llvm.cttz.i64(i64, i1)")
        lowest = w.emit(f"call i64 @llvm.cttz.i64({ty} {bits}, i1 true)")
        return w.emit(f"add i64 {number}, {lowest}")

    def place(self, w: Writer, inputs: Inputs, group: str, lane: str) -> str:
        del group  # each lane is one
        first, _ = inputs["flat"]
        number = w.emit(f"zext i32 {w.emit(f'add i32 {first}, {lane}')} to i64")
        return w.emit(f"shl i64 {number}, {PLACE_SHIFT}")

    def loops(self, width: int, *, suspends: bool, says: bool, aborts: bool) -> str:
        del suspends, says
        further = ("count", "inputs", "outputs")
        return claims("call_lanes", "%lane", further, aborts=aborts, wave=width)


def lanes_entry(graph: Graph, together: int) -> LanesEntry:
    """Return the entry point for what a graph reads and gives."""
    names: dict[str, None] = {}
    outputs: dict[str, None] = {}
    for node in walk(graph.block):
        if node.op == "input" and node.attr not in _OWN:
            names[node.attr] = None
        elif node.op == "output":
            outputs[node.attr] = None
    return LanesEntry(tuple(names), tuple(outputs), together)
