"""The entry point of draws whose pixel shaders have messages: groups are tiles.

Messages are in the order of invocations: blocks of pixels as they follow each other, in them quads,
samples, pixels. Code says where it is (the effect `invocation`) before anything can be said.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.jit.codegen.writer import Writer
from softd3d.jit.entries.entry import Inputs
from softd3d.jit.entries.thread_groups import ThreadGroupEntry
from softd3d.lower.messages import PLACE_SHIFT

__all__ = ["BLOCK", "PART", "TileEntry"]

BLOCK, PART = "block", "part"
"""Names of a wave's block, and of each lane's invocation in it."""
_PART_BITS = 12  # in a block: up to 256 lanes, 16 samples


@dataclass(frozen=True, slots=True)
class TileEntry(ThreadGroupEntry):
    """As for thread groups, but for messages each invocation is a group of its own."""

    def group(self, w: Writer, inputs: Inputs, lanes: str | None = None) -> str:
        if BLOCK not in inputs:
            return "0"  # between blocks: nothing is said here
        block = w.emit(f"zext i32 {inputs[BLOCK][0]} to i64")
        number = w.emit(f"shl i64 {block}, {_PART_BITS}")
        if lanes is None:
            return number
        bits = w.emit(f"zext i{w.lanes} {lanes} to i64")
        w.declare("declare i64 @llvm.cttz.i64(i64, i1)")
        lowest = w.emit(f"call i64 @llvm.cttz.i64(i64 {bits}, i1 true)")
        return w.emit(f"or i64 {number}, {self._part(w, inputs, f'i64 {lowest}')}")

    def place(self, w: Writer, inputs: Inputs, group: str, lane: str) -> str:
        del group  # of the lowest lane; each is one
        number = self.group(w, inputs)
        own = w.emit(f"or i64 {number}, {self._part(w, inputs, f'i32 {lane}')}")
        return w.emit(f"shl i64 {own}, {PLACE_SHIFT}")

    def _part(self, w: Writer, inputs: Inputs, lane: str) -> str:
        part = w.emit(f"extractelement <{w.lanes} x i32> {inputs[PART][1]}, {lane}")
        return w.emit(f"zext i32 {part} to i64")
