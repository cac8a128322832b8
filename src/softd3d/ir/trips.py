"""How many iterations a loop has, where constants decide that."""

from __future__ import annotations

from collections.abc import Callable

from softd3d.algebra.value import I32, U32
from softd3d.ir.graph import LoopBody, Node

__all__ = ["trip_count"]

_MOST = 4096  # iterations that are counted
_LONGEST = 8  # operations from one value of a counter to the next
_SIZE = 1 << 32

_STEPS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "shl": lambda a, b: a << (b & 31),
    "and": lambda a, b: a & b,
}
_TESTS: dict[str, Callable[[int, int], bool]] = {
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def trip_count(body: LoopBody) -> int | None:
    """Return how many iterations a loop begins, None if that is not known or too many.

    Known are loops with one exit, at their outermost level, whose condition compares a constant
    with a counter that starts at a constant and goes on by operations with constants.
    """
    if body.once or body.escaped or len(body.exits) != 1 or body.exits[0] not in body.body:
        return None
    condition = body.exits[0].args[0]
    if condition.op not in _TESTS or condition.args[0].type not in (U32, I32):
        return None
    counters = [v for v in map(_plain, condition.args) if v in body.variables]
    if len(counters) != 1 or not counters[0].args[0].is_const:
        return None
    (counter,) = counters
    steps = _steps(counter)
    if steps is None or any(not a.is_const for a in condition.args if _plain(a) is not counter):
        return None
    value = counter.args[0].attr
    for number in range(1, _MOST + 1):
        if _leaves(condition, counter, value):
            return number
        for operation, constant in steps:
            value = operation(value, constant) % _SIZE
    return None


def _leaves(condition: Node, counter: Node, value: int) -> bool:
    numbers = [value if _plain(a) is counter else a.attr for a in condition.args]
    if condition.args[0].type is I32:
        numbers = [(n + _SIZE // 2) % _SIZE for n in numbers]  # the same order
    return _TESTS[condition.op](numbers[0], numbers[1])


def _steps(counter: Node) -> list[tuple[Callable[[int, int], int], int]] | None:
    """Return the operations from a value of a counter to the next one, with their constants."""
    steps: list[tuple[Callable[[int, int], int], int]] = []
    node = _plain(counter.args[1])
    while node is not counter:
        operation = _operation(node)
        if operation is None or len(steps) == _LONGEST:
            return None
        steps.append((operation, node.args[1].attr))
        node = _plain(node.args[0])
    return steps[::-1]


def _operation(node: Node) -> Callable[[int, int], int] | None:
    if node.type not in (U32, I32) or len(node.args) != 2 or not node.args[1].is_const:
        return None
    if node.op == "shr" and node.type is U32:
        return lambda a, b: a >> (b & 31)
    return _STEPS.get(node.op)


def _plain(node: Node) -> Node:
    while node.op == "bitcast":
        node = node.args[0]
    return node
