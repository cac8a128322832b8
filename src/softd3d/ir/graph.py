"""Nodes and blocks of the intermediate representation, and the algebra that records them.

The IR is SSA with structured control flow. A block is a list of nodes in execution order. Execution
masks are ordinary BOOL nodes; divergent control flow becomes selections and masks when code is
generated, once the shapes of values are known.

    if           args (condition, mask_then, mask_else); attr IfBody
    if_result    args (if, then value or None, else value or None)
    loop         attr LoopBody; an `once` loop is a region that is left, never repeated
    loop_var     args (first value, next value); attr the loop
    exit         args (condition, mask, exit mask); attr Exit: lanes leave a loop
    loop_result  args (loop,); attr the variable's key

Everything else is a primitive of the algebra, a `const`, an `input`, or an effect (`info mip load
quad store atomic counter poison message barrier`). The last argument of an effect on a view whose
slot is computed (`View.at`) is the slot.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from softd3d.algebra.numpy_algebra import NumpyAlgebra, dtype_of
from softd3d.algebra.value import BOOL, F32, F64, U32, DataType, Value
from softd3d.errors import LoweringError
from softd3d.isa.machine import View
from softd3d.isa.shader_message import MessageSite

__all__ = [
    "Exit",
    "Graph",
    "IfBody",
    "LoopBody",
    "Node",
    "Recorder",
    "computed_slot",
    "viewed",
    "walk",
]

ALL_BITS = 0xFFFFFFFF
MAX_NODES = 400_000  # a program that unfolds to more (calls of calls of calls) is refused


class Node:
    """One value or effect. bits: those of an integer value that may be set."""

    __slots__ = ("args", "attr", "bits", "number", "op", "type")

    def __init__(
        self, number: int, op: str, type_: DataType | None, args: tuple[Any, ...], attr: Any = None
    ) -> None:
        self.number = number
        self.op = op
        self.type = type_
        self.args = args
        self.attr = attr
        self.bits = ALL_BITS

    def __repr__(self) -> str:
        args = ", ".join(f"%{a.number}" if isinstance(a, Node) else repr(a) for a in self.args)
        suffix = f" {self.attr:#x}" if self.is_const else ""
        return f"%{self.number} = {self.op}({args}){suffix}"

    @property
    def is_const(self) -> bool:
        return self.op == "const"


@dataclass(slots=True)
class IfBody:
    """The branches of an if."""

    then: list[Node] = field(default_factory=list[Node])
    else_: list[Node] = field(default_factory=list[Node])


@dataclass(slots=True)
class LoopBody:
    """A loop or region. variables: its loop_var nodes; exits: the nodes by which lanes leave it.

    once: executed a single time (subroutine, switch, loop body with `continue`). escaped: lanes
    may leave it for an outer loop. location: the instruction that opened it.
    """

    once: bool
    body: list[Node] = field(default_factory=list[Node])
    variables: list[Node] = field(default_factory=list[Node])
    exits: list[Node] = field(default_factory=list[Node])
    escaped: bool = False
    location: Any = None


@dataclass(slots=True)
class Exit:
    """Where an exit leads, and the values of variables for the lanes that leave."""

    loop: Node
    values: dict[Hashable, Node]


@dataclass(slots=True)
class Graph:
    """A recorded program: its top block and tables that code generation needs.

    words: dwords that code looks up, kept behind the program's immediate constants.
    """

    block: list[Node]
    words: list[int] = field(default_factory=list[int])
    poison_rules: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    messages: tuple[MessageSite, ...] = ()
    uses_double: bool = False
    has_barrier: bool = False


def viewed(node: Node) -> View | None:
    """Return the view that an effect uses, None if it uses none."""
    if not isinstance(node.attr, tuple):
        return None
    facts = cast("tuple[Any, ...]", node.attr)
    return next((fact for fact in facts if isinstance(fact, View)), None)


def computed_slot(node: Node, view: View) -> Node | None:
    """Return the slot of the view that a node uses, None unless it is computed."""
    return None if view.at is None else node.args[-1]


_COMMUTATIVE = frozenset({"add", "mul", "and", "or", "xor", "eq", "ne"})
_NUMPY = NumpyAlgebra()
_ZERO_BITS = frozenset({0, 0x80000000})
_EXPONENT_BITS = 0x7F800000


class Recorder:
    """The recording algebra: values hold nodes, appended to the current block."""

    def __init__(self) -> None:
        self.count = 0
        self.blocks: list[list[Node]] = [[]]
        self.scopes: list[dict[Hashable, Node]] = [{}]
        self.constants: dict[tuple[DataType, int], Node] = {}
        self.uses_double = False

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
            raise LoweringError(f"program unfolds to more than {MAX_NODES} operations")
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
        node.bits = _possible_bits(node)
        self.scopes[-1][key] = node
        return node

    def open_block(self, block: list[Node]) -> None:
        """Record into `block` until `close_block`."""
        self.blocks.append(block)
        self.scopes.append({})

    def close_block(self) -> None:
        self.blocks.pop()
        self.scopes.pop()

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
        if name in ("eq", "ne") and nodes[0].type is F32 and any(_is_zero(n) for n in nodes):
            return self._compared_with_zero(name, nodes)
        return Value(self, type_, self.shared(name, type_, nodes))

    def _compared_with_zero(self, name: str, nodes: tuple[Node, ...]) -> Value:
        """Look at the exponent: LLVM may fold x == 0 to a test of bits that denormals fail."""
        node = next(n for n in nodes if not _is_zero(n))
        bits = self.apply("bitcast", U32, (Value(self, F32, node),))
        return self.apply(name, BOOL, (bits & _EXPONENT_BITS, self.const(U32, 0)))

    def _simplify(self, name: str, type_: DataType, args: tuple[Node, ...]) -> Node | None:
        if all(a.is_const for a in args):
            return self._fold(name, type_, args)
        if name == "bitcast":
            inner = args[0]
            while inner.op == "bitcast" and inner.type is not type_:
                inner = inner.args[0]
            return inner if inner.type is type_ else None
        if name == "select":
            return _simplify_select(args)
        if type_.is_float or args[0].type in (F32, F64):
            return None
        if name in ("or", "xor") and type_ is not BOOL and args[0].bits & args[1].bits == 0:
            values = tuple(self.value(a) for a in args)
            return self.apply("add", type_, values).raw  # shapes know more of sums
        rule = _INTEGER_RULES.get(name)
        outcome = rule(*args) if rule is not None else None
        if isinstance(outcome, int):
            return self.const(type_, outcome).raw
        return outcome

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
        body = IfBody()
        self.open_block(body.then)
        values = function()
        self.close_block()
        node = self.node("if", None, (condition.raw, condition.raw, otherwise.raw), body)
        return tuple(
            self.value(self.node("if_result", a.type, (node, a.raw, b.raw)))
            for a, b in zip(values, usual, strict=True)
        )

    def value(self, node: Node) -> Value:
        """Wrap a node."""
        assert node.type is not None  # noqa: S101 - only typed nodes are values
        return Value(self, node.type, node)


def _array(node: Node) -> Any:
    assert node.type is not None  # noqa: S101 - constants are typed
    dtype = dtype_of(node.type)
    return np.frombuffer(node.attr.to_bytes(dtype.itemsize, "little"), dtype)[0]


def _is_zero(node: Node) -> bool:
    return node.is_const and node.attr in _ZERO_BITS


def _simplify_select(args: tuple[Node, ...]) -> Node | None:
    condition, a, b = args
    if a is b:
        return a
    if condition.is_const:
        return a if condition.attr else b
    if a.type is BOOL and a.is_const and b.is_const:
        return condition if a.attr else None
    return None


def _const_of(a: Node, b: Node) -> tuple[Node, int | None]:
    """Return (other, constant) of a commutative pair."""
    if b.is_const:
        return a, b.attr
    return (b, a.attr) if a.is_const else (a, None)


def _simplify_add(a: Node, b: Node) -> Node | int | None:
    other, c = _const_of(a, b)
    return other if c == 0 else None


def _simplify_sub(a: Node, b: Node) -> Node | int | None:
    if a is b:
        return 0
    return a if b.is_const and b.attr == 0 else None


def _simplify_mul(a: Node, b: Node) -> Node | int | None:
    other, c = _const_of(a, b)
    return other if c == 1 else 0 if c == 0 else None


def _simplify_and(a: Node, b: Node) -> Node | int | None:
    if a is b:
        return a
    other, c = _const_of(a, b)
    if c is None:
        return None
    if other.type is BOOL:
        return other if c else 0
    if c & other.bits == 0:
        return 0
    return other if other.bits & ~c == 0 else None


def _simplify_or(a: Node, b: Node) -> Node | int | None:
    if a is b:
        return a
    other, c = _const_of(a, b)
    if c is None:
        return None
    if c == 0:
        return other
    return 1 if other.type is BOOL else None


def _simplify_shift(a: Node, b: Node) -> Node | int | None:
    return a if b.is_const and b.attr == 0 else None


def _simplify_not(a: Node) -> Node | int | None:
    return a.args[0] if a.op == "not" else None


def _simplify_eq(a: Node, b: Node) -> Node | int | None:
    return 1 if a is b else None


def _simplify_ne(a: Node, b: Node) -> Node | int | None:
    if a is b:
        return 0
    return None


def _simplify_lt(a: Node, b: Node) -> Node | int | None:
    if a is b or (a.type is U32 and b.is_const and b.attr == 0):
        return 0
    return None


def _simplify_ge(a: Node, b: Node) -> Node | int | None:
    if a is b or (a.type is U32 and b.is_const and b.attr == 0):
        return 1
    return None


_INTEGER_RULES: dict[str, Any] = {
    "add": _simplify_add, "sub": _simplify_sub, "mul": _simplify_mul, "and": _simplify_and,
    "or": _simplify_or, "xor": _simplify_add, "shl": _simplify_shift, "shr": _simplify_shift,
    "not": _simplify_not, "eq": _simplify_eq, "ne": _simplify_ne, "lt": _simplify_lt,
    "ge": _simplify_ge,
}  # fmt: skip


def _possible_bits(node: Node) -> int:
    """Return a mask of the bits of an integer node that may be set."""
    if node.type is None or node.type.is_float or node.type is BOOL:
        return ALL_BITS
    op, args = node.op, node.args
    if op in _BITS_OF_TWO:
        return _BITS_OF_TWO[op](args[0].bits, args[1].bits) & ALL_BITS
    if op == "select":
        return args[1].bits | args[2].bits
    if op == "shl" and args[1].is_const:
        return args[0].bits << args[1].attr & ALL_BITS
    if op == "shr" and args[1].is_const and node.type is U32:
        return args[0].bits >> args[1].attr
    if op == "bitcast" and args[0].type is not F32:
        return args[0].bits
    return ALL_BITS - 3 if op == "info" and node.attr[1] == "size" else ALL_BITS


def _up_to(maximum: int, zeros: int) -> int:
    """Return the bits of numbers up to `maximum` whose low `zeros` bits are 0."""
    maximum = min(maximum, ALL_BITS)
    return (1 << maximum.bit_length()) - 1 >> zeros << zeros


def _trailing_zeros(bits: int) -> int:
    return (bits & -bits).bit_length() - 1 if bits else 32


def _bits_of_sum(a: int, b: int) -> int:
    if a & b == 0:
        return a | b
    return _up_to(a + b, min(_trailing_zeros(a), _trailing_zeros(b)))


def _bits_of_product(a: int, b: int) -> int:
    return _up_to(a * b, min(_trailing_zeros(a) + _trailing_zeros(b), 32))


_BITS_OF_TWO: dict[str, Callable[[int, int], int]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a | b,
    "add": _bits_of_sum,
    "mul": _bits_of_product,
    "sub": lambda a, b: _up_to(ALL_BITS, min(_trailing_zeros(a), _trailing_zeros(b))),
}


def walk(block: list[Node]) -> Iterator[Node]:
    """Yield every node of a block and its nested blocks, in order."""
    pending = [iter(block)]  # not recursive: each node would pass through all levels above it
    while pending:
        for node in pending[-1]:
            yield node
            body = node.attr
            if isinstance(body, IfBody):
                pending += (iter(body.else_), iter(body.then))
                break
            if isinstance(body, LoopBody):
                pending.append(iter(body.body))
                break
        else:
            pending.pop()
