"""What the IR claims of integers: results, bits that may be set, steps from lane to lane."""

# ruff: noqa: ARG005, PLR0124 - rows take all inputs; a value compared with itself is meant
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from softd3d.algebra.numpy_algebra import NumpyAlgebra, dtype_of
from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, I32, U32, Value
from softd3d.ir.analysis import Shape, analyse_shapes
from softd3d.ir.graph import Graph, Node
from softd3d.ir.recorder import Recorder

LANES = 8
INPUTS: dict[str, Shape] = {"lane": 1, "wave": 0, "any": None}
EDGES = [
    0, 1, 2, 3, 4, 12, 16, 31, 255, 256, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0,
    0xFFFFFFFC, 0xFFFFFFFE, 0xFFFFFFFF,
]  # fmt: skip
TWO: list[Callable[[Value, Any], Value]] = [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a & b,
    lambda a, b: a | b, lambda a, b: a ^ b,
]  # fmt: skip
COMPARE: list[Callable[[Value, Any], Value]] = [
    lambda a, b: a < b, lambda a, b: a >= b, lambda a, b: a > b, lambda a, b: a <= b,
    lambda a, b: a.eq(b), lambda a, b: a.ne(b),
]  # fmt: skip
ONE: list[Callable[[Value], Value]] = [lambda a: ~a, lambda a: -a]


def steps_of(random: np.random.Generator, count: int) -> list[tuple[Any, ...]]:
    """Choose operations by number, so that several algebras can carry out the same ones."""
    return [tuple(int(n) for n in random.integers(0, 1 << 30, 6)) for _ in range(count)]


def run(steps: list[tuple[Any, ...]], inputs: list[Value]) -> list[Value]:
    """Carry out operations on values made so far; return all of them."""
    values, conditions = list(inputs), []
    for kind, x, y, edge, which, sign in steps:
        a, b = values[-1 - x % min(len(values), 6)], values[y % len(values)]
        if sign % 3 == 0:
            a, b = (bitcast(v, I32) for v in (a, b))
        other = b if edge % 2 else a.like(EDGES[edge % len(EDGES)])
        if kind % 8 < 3:
            made = TWO[which % 6](a, other) if edge % 4 < 3 else TWO[which % 6](other, a)
        elif kind % 8 == 3:
            made = a << which % 32 if which % 3 else a << (b & 31)
        elif kind % 8 == 4:
            made = a >> which % 32 if which % 3 else a >> (b & 31)
        elif kind % 8 == 5:
            made = ONE[which % 2](a)
        elif kind % 8 == 6 and conditions:
            made = select(conditions[x % len(conditions)], a, other)
        else:
            conditions.append(_condition(a, other, conditions, which))
            continue
        values.append(bitcast(made, U32))
    return [*values, *conditions]


def _condition(a: Value, b: Value, conditions: list[Value], which: int) -> Value:
    made = COMPARE[which % 6](a, b)
    if conditions and which % 4 == 0:
        made = [made & conditions[-1], made | conditions[-1], ~conditions[-1]][which // 4 % 3]
    elif conditions and which % 4 == 1:
        true = made.like(1)
        made = [made & true, made | true, select(made, true, made.like(0))][which // 4 % 3]
    return made


def by_node(graph: list[Node], inputs: dict[str, Any]) -> dict[int, Any]:
    """Carry out every node as the table of primitives defines it."""
    k = NumpyAlgebra()
    found: dict[int, Value] = {}

    def value(node: Node) -> Value:
        if not node.is_const:
            return found[node.number]
        assert node.type is not None
        dtype = dtype_of(node.type)
        raw = np.frombuffer(node.attr.to_bytes(dtype.itemsize, "little"), dtype)
        return k.lanes(node.type, np.broadcast_to(raw, LANES))

    for node in graph:
        assert node.type is not None
        if node.op == "input":
            found[node.number] = inputs[node.attr]
        else:
            args = tuple(value(a) for a in node.args)
            found[node.number] = k.apply(node.op, node.type, args)
    return {n: np.broadcast_to(v.raw, LANES) for n, v in found.items()}


def lanes_of(random: np.random.Generator) -> dict[str, Value]:
    """Return values of the inputs that have the shapes said of them."""
    k = NumpyAlgebra()
    first, wave = random.choice(EDGES, 2)
    arrays = {
        "lane": first + np.arange(LANES), "wave": np.full(LANES, wave),
        "any": random.choice([*EDGES, *random.integers(0, 1 << 32, 8)], LANES),
    }  # fmt: skip
    return {name: k.lanes(U32, a.astype(np.uint32)) for name, a in arrays.items()}


@pytest.mark.parametrize("seed", range(150))
def test_what_is_recorded_and_said_of_it_is_true(seed: int) -> None:
    random = np.random.default_rng(seed)
    steps = steps_of(random, 40)
    inputs = lanes_of(random)
    recorder = Recorder()
    names = [recorder.value(recorder.shared("input", U32, (), name)) for name in INPUTS]
    recorded = run(steps, names)
    block = recorder.blocks[0]
    shapes = analyse_shapes(Graph(block), INPUTS)
    lanes = by_node(block, inputs)
    wanted = run(steps, list(inputs.values()))
    for number, (node, value) in enumerate(zip((v.raw for v in recorded), wanted, strict=True)):
        found = node.attr if node.is_const else lanes[node.number]
        found = np.broadcast_to(np.asarray(found), LANES).astype(value.raw.dtype)
        assert np.array_equal(found, np.broadcast_to(value.raw, LANES)), (number, node)
    for node in block:
        raw, step = lanes[node.number], shapes.of(node)
        if node.type is not BOOL:
            raw = raw.view(np.uint32)
            assert not (raw & ~np.uint32(node.bits)).any(), node
        if step is not None:
            grown = (int(raw[0]) + np.arange(LANES) * step) % (1 << 32)
            assert np.array_equal(raw, grown), (node, step)


# The steps that matter to the speed of reads and writes are found.
X: dict[str, tuple[Callable[[Value, Value, Value], Value], Shape]] = {
    "x + c": (lambda x, u, v: x + 12, 1),
    "x + u": (lambda x, u, v: x + u, 1),
    "x + x": (lambda x, u, v: x * 4 + x, 5),
    "u - x": (lambda x, u, v: u - x, -1),
    "4x - x": (lambda x, u, v: x * 4 - x, 3),
    "-x": (lambda x, u, v: -x, -1),
    "12x": (lambda x, u, v: x * 12, 12),
    "c * x": (lambda x, u, v: x.like(12) * x, 12),
    "x << 4": (lambda x, u, v: x << 4, 16),
    "c << x": (lambda x, u, v: x.like(4) << (x & 31), None),
    "x << u": (lambda x, u, v: x << (u & 31), None),
    "x * u": (lambda x, u, v: x * u, None),
    "u + u": (lambda x, u, v: u * u + u, 0),
    "x + v": (lambda x, u, v: x + v, None),
    "v": (lambda x, u, v: v ^ 1, None),
    "signed": (lambda x, u, v: bitcast(bitcast(x, I32) * 4, U32), 4),
    "one of two": (lambda x, u, v: select(u.eq(3), x + 1, x + 7), 1),
    "one of two steps": (lambda x, u, v: select(u.eq(3), x, x * 2), None),
    "by lane": (lambda x, u, v: select(v.eq(3), x + 1, x + 7), None),
    "rounded down": (lambda x, u, v: (x * 8 + u) & 0xFFFFFFF8, 8),
    "rounded down, first": (lambda x, u, v: x.like(0xFFFFFFFC) & (x * 8 + u), 8),
    "too coarse": (lambda x, u, v: (x * 8 + u) & 0xFFFFFFF0, None),
    "no rounding": (lambda x, u, v: (x * 8 + u) & 0x7FFFFFF8, None),
    "largest": (lambda x, u, v: x * 0xFFFF, 0xFFFF),
    "too large": (lambda x, u, v: x * 0x10000, None),
    "shift too large": (lambda x, u, v: x << 16, None),
    "wraps": (lambda x, u, v: x * 0x80000000 * 2, None),
    "or of other bits": (lambda x, u, v: (x * 4 + u * 4) | 3, 4),
    "xor of other bits": (lambda x, u, v: (x * 4 + u * 4) ^ 2, 4),
    "or": (lambda x, u, v: x | 4, None),
    "comparison": (lambda x, u, v: select(x < u, u, u + 1), None),
}


@pytest.mark.parametrize("name", X)
def test_steps(name: str) -> None:
    function, step = X[name]
    k = Recorder()
    x, u, v = (k.value(k.shared("input", U32, (), name)) for name in INPUTS)
    node = function(x, u, v).raw
    assert analyse_shapes(Graph(k.blocks[0]), INPUTS).of(node) == step


# Operations that change nothing are not recorded: what each comes to, a constant or a value.
SIMPLE: dict[str, tuple[Callable[[Value, Value, Value], Value], Any]] = {
    "a + 0": (lambda a, b, p: a + 0, "a"),
    "0 + a": (lambda a, b, p: a.like(0) + a, "a"),
    "a - 0": (lambda a, b, p: a - 0, "a"),
    "a - a": (lambda a, b, p: a - a, 0),
    "a * 1": (lambda a, b, p: a * 1, "a"),
    "1 * a": (lambda a, b, p: a.like(1) * a, "a"),
    "a * 0": (lambda a, b, p: a * 0, 0),
    "a & a": (lambda a, b, p: a & a, "a"),
    "a & 0": (lambda a, b, p: a & 0, 0),
    "a & all": (lambda a, b, p: a & 0xFFFFFFFF, "a"),
    "bits that cannot be set": (lambda a, b, p: (a << 8) & 0xFF, 0),
    "bits that are all kept": (lambda a, b, p: ((a & 0xFF) & 0x1FF) - (a & 0xFF), 0),
    "sums of small numbers": (lambda a, b, p: ((a & 7) + (b & 7)) & 16, 0),
    "sums that carry": (lambda a, b, p: ((a & 7) + (b & 7)) & 8, None),
    "products of small numbers": (lambda a, b, p: ((a & 7) * (b & 7)) & 64, 0),
    "products' low bits": (lambda a, b, p: ((a << 2) * (b << 3)) & 31, 0),
    "differences' low bits": (lambda a, b, p: ((a << 2) - (b << 3)) & 3, 0),
    "shifted down": (lambda a, b, p: (a >> 28) & 16, 0),
    "shifted down with sign": (lambda a, b, p: (bitcast(a, I32) >> 28) & 16, None),
    "selected bits": (lambda a, b, p: select(p, a & 3, b & 4) & 8, 0),
    "a | a": (lambda a, b, p: a | a, "a"),
    "a | 0": (lambda a, b, p: a | 0, "a"),
    "a ^ 0": (lambda a, b, p: a ^ 0, "a"),
    "a << 0": (lambda a, b, p: a << 0, "a"),
    "a >> 0": (lambda a, b, p: a >> 0, "a"),
    "a == a": (lambda a, b, p: a.eq(a), 1),
    "a != a": (lambda a, b, p: a.ne(a), 0),
    "a < a": (lambda a, b, p: a < a, 0),
    "a >= a": (lambda a, b, p: a >= a, 1),
    "a < 0": (lambda a, b, p: a < 0, 0),
    "a >= 0": (lambda a, b, p: a >= 0, 1),
    "signed < 0": (lambda a, b, p: bitcast(a, I32) < 0, None),
    "a < 1": (lambda a, b, p: a < 1, None),
    "p & true": (lambda a, b, p: p & 1, "p"),
    "p & false": (lambda a, b, p: p & 0, 0),
    "p | true": (lambda a, b, p: p | 1, 1),
    "p | false": (lambda a, b, p: p | 0, "p"),
    "not not p": (lambda a, b, p: ~~p, "p"),
    "one of the same": (lambda a, b, p: select(p, a, a), "a"),
    "one of true": (lambda a, b, p: select(p.like(1), a, b), "a"),
    "one of false": (lambda a, b, p: select(p.like(0), b, a), "a"),
    "p as a choice": (lambda a, b, p: select(p, p.like(1), p.like(0)), "p"),
    "p as a tested mask": (lambda a, b, p: select(p, a.like(0xFFFFFFFF), a.like(0)).ne(0), "p"),
    "same bits twice": (lambda a, b, p: bitcast(bitcast(a, I32), U32), "a"),
}


@pytest.mark.parametrize("name", SIMPLE)
def test_what_is_not_recorded(name: str) -> None:
    function, wanted = SIMPLE[name]
    k = Recorder()
    a, b = (k.value(k.shared("input", U32, (), n)) for n in ("a", "b"))
    p = k.value(k.shared("input", BOOL, (), "p"))
    node = function(a, b, p).raw
    if wanted is None:
        assert not node.is_const
        assert node.op != "input"
    elif isinstance(wanted, int):
        assert node.is_const
        assert node.attr == wanted
    else:
        assert (node.op, node.attr) == ("input", wanted)
