"""The names of values while a wave function is emitted, and the primitives that make them.

Uniform values are scalars, affine ones the scalar of lane 0 and a step, others vectors of lanes.
A wave may have several parts, vectors of lanes that run in step: a value that differs between them
has a name in each, what they share is emitted once (ir/parts.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from softd3d.algebra.value import F32, U32, DataType
from softd3d.classes import dataclass
from softd3d.errors import InternalError
from softd3d.ir.analysis import UNIFORM, VARYING, Shapes, live_nodes
from softd3d.ir.graph import Graph, Node, viewed
from softd3d.isa.machine import Memory
from softd3d.jit.codegen import strict
from softd3d.jit.codegen.fences import fenced
from softd3d.jit.codegen.processors import Primitives
from softd3d.jit.codegen.types import constant, iota, llvm_type
from softd3d.jit.codegen.wave import Wave
from softd3d.jit.codegen.writer import Writer

__all__ = ["FULL", "Name", "Names", "ValueEmitter"]

FULL = "splat (i1 true)"
_IDEMPOTENT = frozenset(
    {"store", "store_quads", "store_block", "store_column"}
)  # done again, nothing changes


@dataclass(slots=True)
class Name:
    """The LLVM names of a value: a scalar (of lane 0 if affine), a vector, or both."""

    scalar: str | None = None
    vector: str | None = None


class Names:
    """The names of nodes by number: one for all parts of a wave, or one for each part."""

    def __init__(self, apart: frozenset[int]) -> None:
        self.apart = apart
        self.part = 0
        self.found: dict[tuple[int, int], Name] = {}
        self.order: dict[int, int] = {}  # how many nodes had names when this one got its first

    def key(self, number: int) -> tuple[int, int]:
        return number, self.part if number in self.apart else 0

    def __getitem__(self, number: int) -> Name:
        return self.found[self.key(number)]

    def __setitem__(self, number: int, name: Name) -> None:
        self.order.setdefault(number, len(self.order))
        self.found[self.key(number)] = name

    def is_older(self, number: int, count: int) -> bool:
        """True if a node was among the first `count` that got a name."""
        return self.order.get(number, count) < count

    def __contains__(self, number: int) -> bool:
        return self.key(number) in self.found


class ValueEmitter:
    """Knows under which name each value is to be found, and emits pure operations."""

    def __init__(self, graph: Graph, shapes: Shapes, wave: Wave) -> None:
        self.graph = graph
        self.shapes = shapes
        self.wave = wave
        self.lanes = wave.lanes
        self.parts = wave.parts
        self.w = Writer(wave.lanes)
        self.live = live_nodes(graph)
        self.names = Names(wave.apart)
        self.splats: list[dict[tuple[int, int], str]] = [{}]
        self.shifted: list[dict[tuple[int, int], str]] = [{}]
        self.is_strict = graph.uses_double
        self.primitives = Primitives(self.w, wave.processor, flushes=not self.is_strict)

    def each_part(self, node: Node) -> Iterator[int]:
        """Go through the parts that a node is emitted for; `names` and emission follow."""
        if self.parts == 1 or node.number not in self.names.apart:
            yield 0
            return
        yield from self.all_parts()

    def is_apart(self, node: Node) -> bool:
        """Tell whether an effect is another one in each part: not if its operands are the same."""
        whole = self.shapes.whole
        if whole is None or node.op not in _IDEMPOTENT:
            return True
        view = viewed(node)
        if view is not None and view.memory is Memory.INDEXABLE_TEMP:
            return True  # lanes have their own
        apart, of = self.names.apart, whole.of
        return any(a.number in apart or of(a) not in (UNIFORM, VARYING) for a in node.args)

    def all_parts(self) -> Iterator[int]:
        for part in range(self.parts):
            self.names.part = part
            yield part
        self.names.part = 0

    def shift(self, node: Node) -> int:
        """Return what to add to the scalar name: the distance of this part from the first.

        Values that grow by a step from part to part are emitted for the first part only.
        """
        if self.names.part == 0 or self.shapes.whole is None or node.is_const:
            return 0
        return self.growth(node) * self.names.part

    def growth(self, node: Node) -> int:
        """Return by how much a value that is emitted for one part grows from part to part."""
        if self.shapes.whole is None or node.is_const:
            return 0
        step = self.shapes.whole.of(node)
        return step * self.lanes if step else self.wave.shifts.get(node.number, 0)

    def scalar(self, node: Node) -> str:
        """Return the scalar name of a uniform node, or of lane 0 of an affine one."""
        shift = self.shift(node)
        if not shift:
            return self.unshifted(node)
        key = node.number, self.names.part
        for scope in reversed(self.shifted):
            if key in scope:
                return scope[key]
        name = self.w.emit(
            f"add i32 {self.unshifted(node)}, {constant(U32, shift & 0xFFFFFFFF, 0)}"
        )
        self.shifted[-1][key] = name
        return name

    def unshifted(self, node: Node) -> str:
        """Return the scalar name of a uniform node, of an affine one in the part it is made in."""
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
        step, shift = self.shapes.of(node), self.shift(node)
        is_own = step or shift
        key = node.number, self.names.part if is_own else self.names.key(node.number)[1]
        for scope in reversed(self.splats):
            if key in scope:
                return scope[key]
        assert name.scalar is not None  # noqa: S101 - a name has one of both
        result = self.w.splat(llvm_type(node.type, 0), name.scalar)
        if is_own:
            steps = iota(self.lanes, step or 0, start=shift)
            result = self.w.emit(f"add {self.w.vector(U32)} {result}, {steps}")
        self.splats[-1][key] = result
        return result

    def open_scope(self) -> None:
        """Names made from here to `close_scope` are not known behind it."""
        self.splats.append({})
        self.shifted.append({})

    def close_scope(self) -> None:
        self.splats.pop()
        self.shifted.pop()

    def is_uniform(self, node: Node) -> bool:
        return self.shapes.of(node) == UNIFORM

    def keeps_scalar(self, node: Node) -> bool:
        return self.shapes.of(node) is not VARYING

    def held(self, node: Node, like: Node) -> str:
        """Return a node's name in the form (scalar or vector) that `like` is kept in."""
        return self.scalar(node) if self.keeps_scalar(like) else self.vector(node)

    def kept_type(self, node: Node) -> str:
        assert node.type is not None  # noqa: S101 - only values are kept
        return llvm_type(node.type, 0 if self.keeps_scalar(node) else self.lanes)

    def set_name(self, node: Node, name: str) -> None:
        kept = Name(scalar=name) if self.keeps_scalar(node) else Name(vector=name)
        self.names[node.number] = kept

    def full_or_vector(self, node: Node) -> str:
        """Return a mask as a vector; a uniform one is full."""
        return FULL if self.is_uniform(node) else self.vector(node)

    def pure(self, node: Node) -> None:
        """Emit a primitive for the current part."""
        assert node.type is not None  # noqa: S101 - pure nodes are values
        uniform = self.keeps_scalar(node)
        read = self.scalar if uniform else self.vector
        lanes = 0 if uniform else self.lanes
        operands = [(a.type, read(a)) for a in node.args]
        if not self.is_strict:
            for n in fenced(node, self.wave.plain):
                operands[n] = F32, self.apply("fence", F32, [operands[n]], lanes)
        self.set_name(node, self.apply(node.op, node.type, operands, lanes))

    def apply(
        self, op: str, type_: DataType, operands: list[tuple[DataType, str]], lanes: int
    ) -> str:
        if self.is_strict and strict.needs_care(op, type_, operands):
            return strict.apply(self.primitives, op, type_, operands, lanes)
        return self.primitives.apply(op, type_, operands, lanes)
