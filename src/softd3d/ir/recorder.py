"""The algebra that records: evaluating a program's instructions makes nodes of the IR."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from softd3d.algebra.numpy_algebra import NumpyAlgebra, dtype_of
from softd3d.algebra.value import BOOL, F32, F64, U32, DataType, Value
from softd3d.errors import LoweringError
from softd3d.ir.flushed import is_flushed
from softd3d.ir.graph import ALL_BITS, IfBody, Node
from softd3d.ir.simplify import possible_bits, simplify_integer, simplify_select

__all__ = ["Recorder"]

MAX_NODES = 400_000  # a program that unfolds to more (calls of calls of calls) is refused
_COMMUTATIVE = frozenset({"add", "mul", "and", "or", "xor", "eq", "ne"})
_NUMPY = NumpyAlgebra()
_SIGN_BIT = 0x80000000


class Recorder:
    """The recording algebra: values hold nodes, appended to the current block."""

    def __init__(self) -> None:
        self.count = 0
        self.blocks: list[list[Node]] = [[]]
        self.scopes: list[dict[Hashable, Node]] = [{}]
        self.outer: list[list[dict[Hashable, Node]]] = []  # of what calls the functions
        self.constants: dict[tuple[DataType, int], Node] = {}
        self.uses_double = False
        self.functions = 0

    # Building

    def node(
        self, op: str, type_: DataType | None, args: tuple[Any, ...], attr: Any = None
    ) -> Node:
        """Append a node to the current block."""
        node = self.detached(op, type_, args, attr)
        self.blocks[-1].append(node)
        return node

    def detached(
        self, op: str, type_: DataType | None, args: tuple[Any, ...], attr: Any = None
    ) -> Node:
        """Make a node that is in no block (constants, loop variables)."""
        self.count += 1
        if self.count > MAX_NODES:
            raise LoweringError(
                f"program unfolds to more than {MAX_NODES} operations; "
                "use engine='interpreter' (--engine interpreter)"
            )
        return Node(self.count, op, type_, args, attr)

    def shared(self, op: str, type_: DataType, args: tuple[Any, ...], attr: Any = None) -> Node:
        """Return an equal pure node that dominates this place, or append a new one."""
        ids = tuple(a.number for a in args)
        if op in _COMMUTATIVE:
            ids = tuple(sorted(ids))
        key = (op, type_, ids, attr)
        for scope in reversed(self.scopes):
            found = scope.get(key)
            if found is not None:
                return found
        node = self.node(op, type_, args, attr)
        node.bits = possible_bits(node)
        self.scopes[-1][key] = node
        return node

    def open_block(self, block: list[Node]) -> None:
        """Record into `block` until `close_block`."""
        self.blocks.append(block)
        self.scopes.append({})

    def close_block(self) -> None:
        self.blocks.pop()
        self.scopes.pop()

    def open_function(self, block: list[Node]) -> None:
        """Record into `block` until `close_function`, with nothing shared but constants."""
        self.blocks.append(block)
        self.outer.append(self.scopes)
        self.scopes = [{}]

    def close_function(self) -> None:
        self.blocks.pop()
        self.scopes = self.outer.pop()

    # The algebra

    def const(self, type_: DataType, value: float) -> Value:
        if type(value) is int and 0 <= value <= ALL_BITS and type_ is U32:
            return Value(self, U32, self._constant_of_bits(U32, value))  # most are so
        raw = _NUMPY.const(type_, value).raw
        return Value(self, type_, self._constant(type_, raw))

    def _constant(self, type_: DataType, raw: Any) -> Node:
        bits = int.from_bytes(np.asarray(raw).tobytes(), "little")
        return self._constant_of_bits(type_, bits)

    def _constant_of_bits(self, type_: DataType, bits: int) -> Node:
        node = self.constants.get((type_, bits))
        if node is None:
            node = self.detached("const", type_, (), bits)
            node.bits = bits & ALL_BITS
            self.constants[type_, bits] = node
        return node

    def apply(self, name: str, type_: DataType, args: tuple[Value, ...]) -> Value:
        nodes: tuple[Node, ...] = tuple(a.raw for a in args)
        if type_ is F64 or nodes[0].type is F64:
            self.uses_double = True
        simple = self._simplify(name, type_, nodes)
        if simple is not None:
            return Value(self, type_, simple)
        return Value(self, type_, self.shared(name, type_, nodes))

    def _simplify(self, name: str, type_: DataType, args: tuple[Node, ...]) -> Node | None:
        if all(a.is_const for a in args):
            return self._fold(name, type_, args)
        if name == "bitcast":
            inner = args[0]
            while inner.op == "bitcast" and inner.type is not type_:
                inner = inner.args[0]
            return inner if inner.type is type_ else self._sign_by_bits(type_, args[0])
        if name == "select":
            return simplify_select(args)
        if type_.is_float or args[0].type in (F32, F64):
            return None
        if name in ("or", "xor") and type_ is not BOOL and args[0].bits & args[1].bits == 0:
            values = tuple(self.value(a) for a in args)
            return self.apply("add", type_, values).raw  # shapes know more of sums
        outcome = simplify_integer(name, args)
        if isinstance(outcome, int):
            return self.const(type_, outcome).raw
        return outcome

    def _sign_by_bits(self, type_: DataType, node: Node) -> Node | None:
        """Return the bits of -x or |x|, for x of raw bits, by integer operations.

        LLVM takes a test of a float's bits for a comparison, and that for another test of bits.
        """
        if node.op not in ("neg", "abs") or node.type is not F32 or type_.is_float:
            return None
        bits = self.apply("bitcast", type_, (self.value(node.args[0]),))
        if bits.raw.op == "bitcast" and bits.raw.args[0].type is F32:
            return None  # the result of an operation, which is no denormal
        return (bits ^ _SIGN_BIT if node.op == "neg" else bits & ~_SIGN_BIT).raw

    def _fold(self, name: str, type_: DataType, args: tuple[Node, ...]) -> Node:
        values = [Value(_NUMPY, a.type, _array(a)) for a in args if a.type is not None]
        return self._constant(type_, _NUMPY.apply(name, type_, tuple(values)).raw)

    def rarely(
        self, condition: Value, usual: tuple[Value, ...],
        function: Callable[[], tuple[Value, ...]],
    ) -> tuple[Value, ...]:  # fmt: skip
        """Record a branch that is taken if any lane of a wave has the condition."""
        if condition.raw.is_const:
            return function() if condition.raw.attr else usual
        otherwise = ~condition
        body = IfBody(is_rare=True)
        self.open_block(body.then)
        values = function()
        self.close_block()
        node = self.node("if", None, (condition.raw, condition.raw, otherwise.raw), body)
        return tuple(
            self.value(self.node("if_result", a.type, (node, a.raw, b.raw)))
            for a, b in zip(values, usual, strict=True)
        )

    def number_of(self, value: Value) -> float | None:
        """Return the number that a value is in every lane, if it is a constant."""
        return float(_array(value.raw)) if value.raw.is_const else None

    def is_flushed(self, value: Value) -> bool:
        """Tell whether a float32 is known to be no denormal."""
        return is_flushed(value.raw)

    def value(self, node: Node) -> Value:
        """Wrap a node."""
        assert node.type is not None  # noqa: S101 - only typed nodes are values
        return Value(self, node.type, node)


def _array(node: Node) -> Any:
    assert node.type is not None  # noqa: S101 - constants are typed
    dtype = dtype_of(node.type)
    return np.frombuffer(node.attr.to_bytes(dtype.itemsize, "little"), dtype)[0]
