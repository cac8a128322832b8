"""The names of values while a wave function is emitted, and the primitives that make them.

Uniform values are scalars, affine ones the scalar of lane 0 and a step, others vectors of lanes.
"""

from __future__ import annotations

from dataclasses import dataclass

from softd3d.algebra.value import U32, DataType
from softd3d.errors import InternalError
from softd3d.ir.analysis import UNIFORM, VARYING, Shapes, live_nodes
from softd3d.ir.graph import Graph, Node
from softd3d.jit import strict
from softd3d.jit.types import constant, iota, llvm_type, primitive
from softd3d.jit.writer import Writer

__all__ = ["FULL", "Name", "ValueEmitter"]

FULL = "splat (i1 true)"


@dataclass(slots=True)
class Name:
    """The LLVM names of a value: a scalar (of lane 0 if affine), a vector, or both."""

    scalar: str | None = None
    vector: str | None = None


class ValueEmitter:
    """Knows under which name each value is to be found, and emits pure operations."""

    def __init__(self, graph: Graph, shapes: Shapes, lanes: int) -> None:
        self.graph = graph
        self.shapes = shapes
        self.lanes = lanes
        self.w = Writer(lanes)
        self.live = live_nodes(graph)
        self.names: dict[int, Name] = {}
        self.splats: list[dict[int, str]] = [{}]
        self.is_strict = graph.uses_double

    def scalar(self, node: Node) -> str:
        """Return the scalar name of a uniform node, or of lane 0 of an affine one."""
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
        for scope in reversed(self.splats):
            if node.number in scope:
                return scope[node.number]
        assert name.scalar is not None  # noqa: S101 - a name has one of both
        result = self.w.splat(llvm_type(node.type, 0), name.scalar)
        step = self.shapes.of(node)
        if step:
            steps = iota(self.lanes, step)
            result = self.w.emit(f"add {self.w.vector(U32)} {result}, {steps}")
        self.splats[-1][node.number] = result
        return result

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
        assert node.type is not None  # noqa: S101 - pure nodes are values
        uniform = self.keeps_scalar(node)
        read = self.scalar if uniform else self.vector
        operands = [(a.type, read(a)) for a in node.args]
        self.set_name(node, self.apply(node.op, node.type, operands, 0 if uniform else self.lanes))

    def apply(
        self, op: str, type_: DataType, operands: list[tuple[DataType, str]], lanes: int
    ) -> str:
        if self.is_strict and strict.needs_care(op, type_, operands):
            return strict.apply(self.w, op, type_, operands, lanes)
        return primitive(self.w.emit, self.w.declare, op, type_, operands, lanes)
