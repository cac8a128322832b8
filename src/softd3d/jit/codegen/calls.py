"""Calls of functions: what a large program does in many places, once, for a vector of lanes."""

from __future__ import annotations

from collections.abc import Iterable

from softd3d.algebra.value import BOOL
from softd3d.ir.analysis import Shapes
from softd3d.ir.graph import Function, Graph, Node
from softd3d.jit.codegen.quads import QUADS, QuadEmitter
from softd3d.jit.codegen.types import llvm_type
from softd3d.jit.codegen.values import Name
from softd3d.jit.codegen.wave import Wave

__all__ = ["CALLS", "CallEmitter", "in_use"]

_TABLES = "ptr %context, ptr %state, ptr %views, ptr %constants, ptr %shared"


class CallEmitter(QuadEmitter):
    """Emits calls. called: the functions, by number."""

    def __init__(self, graph: Graph, shapes: Shapes, wave: Wave) -> None:
        super().__init__(graph, shapes, wave)
        self.called: dict[int, Function] = {}
        self.outcomes: dict[tuple[int, int], str] = {}  # of calls, by part

    def call(self, node: Node) -> None:
        function: Function = node.attr
        self.called[function.number] = function
        arguments = [_TABLES]
        for value, parameter in zip(node.args, function.parameters, strict=True):
            name = self.scalar(value) if parameter.attr else self._passed(value)
            arguments.append(f"{self.passed_type(parameter)} {name}")
        called = f"{_name(function)}({', '.join(arguments)})"
        self.outcomes[node.number, self.names.part] = self.w.emit(
            f"call {self._outcome_type(function.results)} {called}"
        )

    def call_result(self, node: Node) -> None:
        (call,) = node.args
        outcome = self.outcomes[call.number, self.names.part]
        ty = self._outcome_type(call.attr.results)
        self.take(node, self.w.emit(f"extractvalue {ty} {outcome}, {node.attr}"))

    def take(self, node: Node, name: str) -> None:
        """Give a parameter or result its name."""
        if node.attr is True:
            self.names[node.number] = Name(scalar=name)
            return
        if node.type is BOOL:
            name = self.w.emit(f"bitcast i{self.lanes} {name} to {self.w.vector(BOOL)}")
        self.names[node.number] = Name(vector=name)

    def _passed(self, value: Node) -> str:
        """Return what is passed for a vector: the bits of a mask.

        LLVM 22 reads a mask register that nobody has set where a vector of i1 is a parameter.
        """
        name = self.vector(value)
        return self.w.bits(name) if value.type is BOOL else name

    def passed_type(self, node: Node) -> str:
        assert node.type is not None  # noqa: S101 - it is a value
        if node.type is BOOL:
            return f"i{self.lanes}"
        return llvm_type(node.type, 0 if node.attr is True else self.lanes)

    def _outcome_type(self, results: tuple[Node, ...]) -> str:
        """Return the type of what a function returns: a structure of vectors."""
        return f"{{ {', '.join(self.passed_type(r) for r in results) or 'i32'} }}"

    # Inside of a function

    def parameter(self, node: Node) -> None:
        """Do nothing: `take` gave it its name."""

    def return_(self, node: Node) -> None:
        ty, outcome = self._outcome_type(node.args), "zeroinitializer"
        for n, value in enumerate(node.args):
            passed = f"{self.passed_type(value)} {self._passed(value)}"
            outcome = self.w.emit(f"insertvalue {ty} {outcome}, {passed}, {n}")
        self.w.do(f"ret {ty} {outcome}")
        self.w.is_terminated = True

    def function(self, function: Function) -> str:
        """Return the text of a function whose block has been emitted."""
        parameters = [f"{self.passed_type(p)} %p{n}" for n, p in enumerate(function.parameters)]
        head = f"{_name(function)}({', '.join((_TABLES, *parameters))})"
        body = "\n".join((*self.w.allocas, *self.w.lines))
        ty = self._outcome_type(function.results)
        return f"define internal {ty} {head} #2 {{\nentry:\n{body}\n}}\n"


def in_use(functions: Iterable[Function]) -> str:
    """Return text that makes LLVM believe that functions are called from elsewhere, too.

    It looks into calls otherwise: a parameter that is the same in all of them would be a constant,
    and operations on it left out that flush (`jit/codegen/fences.py`).
    """
    names = [f"ptr {_name(function)}" for function in functions]
    size = f"[{len(names)} x ptr]"
    section = 'section "llvm.metadata"'
    return f"@llvm.compiler.used = appending global {size} [{', '.join(names)}], {section}\n"


def _name(function: Function) -> str:
    return f"@softd3d_function{function.number}"


CALLS = {
    **QUADS,
    "call": CallEmitter.call,
    "call_result": CallEmitter.call_result,
    "parameter": CallEmitter.parameter,
    "return": CallEmitter.return_,
}
