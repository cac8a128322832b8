"""Where LLVM must not see a constant: operations that would keep a denormal if they were left out.

Flush-to-zero is a mode of the processor, so an operation flushes only if it is carried out. LLVM
makes `x * 1`, `x / 1`, `x + -0` and `x - 0` the unflushed x, compares the bits of a loaded number
with those of zero (llvm/llvm-project, pull request 181899), and does not flush what it computes of
constants by intrinsics, whatever a function's attributes say. The constants may be literals, or
come to light in LLVM only because they went through memory, a branch, a loop, or an operation on
integers (the high half of x * 0). A fence costs no instruction, and hides them.
"""

from __future__ import annotations

from collections.abc import Iterator

from softd3d.algebra.value import F32
from softd3d.ir.graph import Graph, Node, viewed, walk
from softd3d.isa.machine import Memory

__all__ = ["fenced", "plain_memory"]

_KEEPING = frozenset({"add", "sub", "mul", "div"})
_COMPARING = frozenset({"eq", "ne", "lt", "ge"})
_INTRINSICS = frozenset({"fma", "sqrt", "floor", "ceil", "trunc", "rint"})
_COMPUTING = _KEEPING | _INTRINSICS
_MOVING = frozenset({"bitcast", "neg", "abs"})
# What LLVM may know the contents of: it sees what was stored before, or filled with zeros.
_KNOWN = frozenset(
    {Memory.IMMEDIATE_CONSTANT, Memory.INDEXABLE_TEMP, Memory.GROUP_SHARED, Memory.UAV}
)
_ONE, _SMALLEST = 0x3F800000, 0x00800000  # bits of 1 and of the smallest normal number
_DEEPEST = 8  # steps back from a value; what is further away may be anything


def fenced(node: Node, plain: frozenset[int] = frozenset()) -> frozenset[int]:
    """Return the positions of a float32 operation's operands that need a fence.

    plain: slots of the program's `plain_memory`.
    """
    if node.op == "bitcast":
        return _looked_into(node)
    if node.op in _COMPARING:
        return _compared(node)
    return _literals(node) | _hidden(node) | _bounded(node, plain)


def plain_memory(graph: Graph) -> frozenset[int]:
    """Return slots of group-shared memory that holds nothing but what LLVM cannot know.

    That is what was loaded from resources, and what float operations computed; and zeros.
    """
    stored: dict[int, bool] = {}
    for node in walk(graph.block):
        if node.op == "call":
            return frozenset()  # a function may store anything
        view = viewed(node)
        if view is not None and view.memory is Memory.GROUP_SHARED and node.op != "load":
            is_plain = node.op == "store" and node.attr[1] == 4 and _is_unknown(node.args[1])
            stored[view.slot] = stored.get(view.slot, True) and is_plain
    return frozenset(slot for slot, is_plain in stored.items() if is_plain)


def _is_unknown(node: Node) -> bool:
    """True for a dword of a resource, and for the outcome of a float operation."""
    while node.op == "bitcast":
        node = node.args[0]
    if node.op == "load":
        return node.attr[0].memory is Memory.RESOURCE and node.attr[1] == 4
    return node.type is F32 and node.op in _COMPUTING


def _looked_into(node: Node) -> frozenset[int]:
    """Return the operand of a bitcast whose bits may be tested: as good as a comparison with 0."""
    (value,) = node.args
    chosen = value.op == "select" or any(True for _ in _merged(value))
    return frozenset({0}) if value.type is F32 and chosen and _is_moved(value) else frozenset()


def _compared(node: Node) -> frozenset[int]:
    """Return the operands of a comparison that may hold a denormal.

    LLVM makes tests of bits of `x == 0`, `-|x| < 0`, `-x != x` and others that come down to these.
    """
    args = node.args
    if args[0].type is not F32 or args[0] is args[1]:
        return frozenset()
    return frozenset(n for n, a in enumerate(args) if not a.is_const and _is_moved(a))


def _literals(node: Node) -> frozenset[int]:
    """Return the positions of literals for which LLVM would take the other operand as it is."""
    if node.type is not F32:
        return frozenset()
    units = frozenset(n for n, a in enumerate(node.args) if _is_unit(a))
    if node.op in ("add", "sub"):
        return frozenset(n for n, a in enumerate(node.args) if _is_zero(a))
    if node.op == "fma":  # the sum with a literal 0: `_hidden`
        return units & {0, 1}
    return units & {"mul": frozenset({0, 1}), "div": frozenset({1})}.get(node.op, frozenset())


def _hidden(node: Node) -> frozenset[int]:
    """Return the positions of operands that are constant in LLVM's eyes only."""
    args = node.args
    if node.op in _INTRINSICS and node.type is F32:
        return _fenced_intrinsic(args)
    if len(args) != 2 or args[0] is args[1] or args[0].type is not F32:
        return frozenset()
    if node.op in _KEEPING and any(_is_moved(a) for a in args):
        return frozenset(n for n, a in enumerate(args) if _may_be_constant(a))
    return frozenset()


def _bounded(node: Node, plain: frozenset[int]) -> frozenset[int]:
    """Return the positions of operands that integer operations made.

    LLVM may know that such a number is a denormal, and what comes of it, without knowing it.
    """
    if node.type is not F32 or node.op not in _COMPUTING:
        return frozenset()
    return frozenset(n for n, a in enumerate(node.args) if _is_integer(a, plain))


def _is_integer(node: Node, plain: frozenset[int], depth: int = 0) -> bool:
    """True for bits that come out of integer operations, not of memory or float operations."""
    if depth > _DEEPEST:
        return True
    if node.op == "bitcast" and node.args[0].type is not F32:
        (source,) = node.args
        return not source.is_const and not (source.op == "load" and _holds_any(source, plain))
    if node.op in _MOVING or node.op == "select":
        return any(_is_integer(a, plain, depth + 1) for a in node.args[node.op == "select" :])
    return any(_is_integer(a, plain, depth + 1) for a in _merged(node))


def _holds_any(load: Node, plain: frozenset[int]) -> bool:
    """True for loads from memory that may hold any numbers in LLVM's eyes."""
    view = load.attr[0]
    is_plain = view.memory is Memory.GROUP_SHARED and view.slot in plain
    return is_plain or view.memory not in _KNOWN


def _is_unit(node: Node) -> bool:
    return node.is_const and node.attr & 0x7FFFFFFF == _ONE


def _fenced_intrinsic(args: tuple[Node, ...]) -> frozenset[int]:
    """Keep one of operands that are all constant hidden; and of x * 1 + -0 the sum."""
    hidden = [n for n, a in enumerate(args) if _may_be_constant(a)]
    if hidden and all(a.is_const or n in hidden for n, a in enumerate(args)):
        return frozenset(hidden[-1:])
    *factors, addend = args
    is_zero = _is_zero(addend) or _may_be_constant(addend)
    return frozenset({2}) if is_zero and any(n < len(factors) for n in hidden) else frozenset()


def _is_zero(node: Node) -> bool:
    """True for constants that an operation takes for zero: LLVM writes one for a denormal."""
    return node.is_const and node.attr & 0x7FFFFFFF < _SMALLEST


def _is_moved(node: Node, depth: int = 0) -> bool:
    """True if a value may be a denormal: no operation has flushed it."""
    if depth > _DEEPEST:
        return True
    if node.op in _MOVING or node.op == "select":
        return any(_is_moved(a, depth + 1) for a in node.args[node.op == "select" :])
    sources = list(_merged(node))
    if sources:
        return any(_is_moved(a, depth + 1) for a in sources)
    if node.is_const and node.type is F32:
        return _is_zero(node) and node.attr & 0x7FFFFFFF != 0
    return node.type is not F32  # float operations are what is left of F32


def _may_be_constant(node: Node, depth: int = 0) -> bool:
    """True if LLVM, unlike the recorder, may find out that a value is always the same."""
    if depth > _DEEPEST:
        return True
    if node.op == "load":
        return node.attr[0].memory in _KNOWN
    if node.op == "call_result":
        return True  # LLVM looks into functions
    sources = node.args[1:] if node.op == "select" else tuple(_merged(node)) or node.args
    if node.type is F32 and node.op in _COMPUTING:  # folds to what is flushed, or is fenced
        return False
    return any(a.is_const or _may_be_constant(a, depth + 1) for a in sources)


def _merged(node: Node) -> Iterator[Node]:
    """Yield the values of which one is a node's, as a branch or loop decides."""
    if node.op == "if_result":
        yield from (a for a in node.args[1:] if isinstance(a, Node))
    elif node.op == "loop_var":
        yield from node.args
    elif node.op == "loop_result":
        yield from (e.attr.values[node.attr] for e in node.args[0].attr.exits)
