"""A function under construction: LLVM text, names, labels, and cached splats by scope."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from softd3d.algebra.value import BOOL, DataType
from softd3d.jit.codegen.types import llvm_type, splat_of

__all__ = ["Writer"]

_RARE = '!prof !{!"branch_weights", i32 1, i32 4000}'


class Writer:
    """Collects the body of one LLVM function."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.declarations: set[str] = set()
        self.count = 0
        self.is_terminated = False

    def name(self) -> str:
        self.count += 1
        return f"%t{self.count}"

    def emit(self, text: str) -> str:
        """Append an instruction with a result; return its name."""
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(f"  {text}")

    def label(self) -> str:
        self.count += 1
        return f"L{self.count}"

    def place(self, label: str) -> None:
        """Start a basic block; a block that has not ended falls through to it."""
        if not self.is_terminated:
            self.lines.append(f"  br label %{label}")
        self.lines.append(f"{label}:")
        self.is_terminated = False

    def jump(self, label: str) -> None:
        if not self.is_terminated:
            self.lines.append(f"  br label %{label}")
        self.is_terminated = True

    def branch(self, condition: str, yes: str, no: str, *, is_rare: bool = False) -> None:
        """End a block. is_rare: `yes` is hardly ever taken, so its code had better be elsewhere."""
        end = f", {_RARE}" if is_rare else ""
        self.lines.append(f"  br i1 {condition}, label %{yes}, label %{no}{end}")
        self.is_terminated = True

    @contextmanager
    def each_bit(self, bits: str) -> Generator[tuple[str, str]]:
        """Repeat what is emitted inside for each set bit of a mask of `bits`, lowest first.

        Gives the bit's number, an i32, and the slot of those that are left, where more may be set.
        """
        self.declare("declare i32 @llvm.cttz.i32(i32, i1)")
        left = self.slot("i32")
        self.do(f"store i32 {self.emit(f'zext i{self.lanes} {bits} to i32')}, ptr {left}")
        head, work, done = self.label(), self.label(), self.label()
        self.place(head)
        now = self.emit(f"load i32, ptr {left}")
        self.branch(self.emit(f"icmp ne i32 {now}, 0"), work, done)
        self.place(work)
        number = self.emit(f"call i32 @llvm.cttz.i32(i32 {now}, i1 true)")
        rest = self.emit(f"and i32 {now}, {self.emit(f'sub i32 {now}, 1')}")
        self.do(f"store i32 {rest}, ptr {left}")
        yield number, left
        self.jump(head)
        self.place(done)

    def declare(self, text: str) -> None:
        self.declarations.add(text)

    def slot(self, type_: str) -> str:
        """Return a stack slot, made in the entry block."""
        name = self.name()
        self.allocas.append(f"  {name} = alloca {type_}, align 64")
        return name

    def splat(self, scalar_type: str, value: str) -> str:
        """Return a vector with the same value in every lane."""
        if not value.startswith("%"):
            return splat_of(scalar_type, value)
        vector = f"<{self.lanes} x {scalar_type}>"
        one = self.emit(f"insertelement {vector} poison, {scalar_type} {value}, i32 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.emit(f"shufflevector {vector} {one}, {vector} poison, {zeros}")

    def bits(self, mask: str) -> str:
        """Return a vector mask as an integer with one bit a lane."""
        return self.emit(f"bitcast {llvm_type(BOOL, self.lanes)} {mask} to i{self.lanes}")

    def any(self, *masks: str) -> str:
        """Return whether any lane of some vector masks is set, an i1."""
        first, *others = dict.fromkeys(masks)
        for mask in others:
            first = self.emit(f"or {llvm_type(BOOL, self.lanes)} {first}, {mask}")
        return self.emit(f"icmp ne i{self.lanes} {self.bits(first)}, 0")

    def vector(self, type_: DataType) -> str:
        return llvm_type(type_, self.lanes)
