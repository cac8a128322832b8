"""What a large program does in many places is recorded once, as a function that is called.

The function of a row, a filter above all, may take hundreds of operations. Where a program has
grown large, a row that takes many is recorded with parameters for its operands; equal uses of it
are calls. What it depends on besides, as formats and states of samplers, tells functions apart.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Protocol, cast

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32, Value
from softd3d.classes import dataclass
from softd3d.ir.graph import Function, Node, walk
from softd3d.ir.recorder import Recorder
from softd3d.isa.machine import Machine, Memory, View
from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sampling.state import Sampler
from softd3d.lower.evaluate import carry_out
from softd3d.lower.registers import Registers
from softd3d.lower.stage import COVERED

__all__ = ["MASK", "Recorded", "Shared", "Sharing", "share"]

MASK = "mask"
SHARED_FROM = 8192  # operations; programs that stay below have no functions
LEAST = 16  # operations that are worth a call
_EFFECTS = frozenset({"store", "store_row", "atomic", "counter", "poison"})


class Recorded(Machine, Registers, Protocol):
    """The machine and registers of a recording, and the environment of execution masks."""

    env: dict[Hashable, Node]

    @property
    def k(self) -> Recorder: ...


@dataclass(frozen=True, slots=True)
class Shared:
    """A function and its use. used: which of the values offered are its parameters."""

    function: Function
    used: tuple[int, ...]

    def called(self, recording: Recorded, values: Sequence[Value]) -> list[Value]:
        """Record a call; return its results."""
        k = recording.k
        given = tuple(_as_bits(values[n]).raw for n in self.used)
        node = k.node("call", None, given, self.function)
        results = [
            k.node("call_result", r.type, (node,), n) for n, r in enumerate(self.function.results)
        ]
        return [k.value(r) for r in results]


def share(
    recording: Recorded, values: Sequence[Value], uniform: frozenset[int],
    body: Callable[[Sequence[Value]], Sequence[Value]],
) -> Shared:  # fmt: skip
    """Record what `body` does with values as a function of them; the last ones are the masks.

    uniform: the values that are the same for all lanes. Float32 comes and goes as bits: what is
    known of the operations that made it, as that they flush, is known on one side only.
    """
    k, outside = recording.k, recording.env
    k.functions += 1
    function = Function(k.functions)
    k.open_function(function.block)
    parameters: list[Node] = []
    for n, value in enumerate(values):
        type_ = U32 if value.type is F32 else value.type
        parameters.append(k.node("parameter", type_, (), n in uniform))
    masks = _masks(outside)
    recording.env = dict(zip(masks, parameters[-len(masks) :], strict=True))
    given = [bitcast(k.value(p), v.type) for p, v in zip(parameters, values, strict=True)]
    function.results = tuple(_as_bits(v).raw for v in body(given))
    k.node("return", None, function.results)
    k.close_function()
    recording.env = outside
    nodes = list(walk(function.block))
    read = {a.number for n in nodes for a in n.args if isinstance(a, Node)}
    used = tuple(n for n, p in enumerate(parameters) if p.number in read)
    function.parameters = [parameters[n] for n in used]
    function.has_effects = any(n.op in _EFFECTS for n in nodes)
    return Shared(function, used)


def _masks(env: Mapping[Hashable, Node]) -> list[Hashable]:
    """Return the keys of masks in an environment: of helpers, if there may be any, and of flow."""
    return [key for key in (COVERED, MASK) if key in env]


def _as_bits(value: Value) -> Value:
    return bitcast(value, U32) if value.type is F32 else value


class Sharing:
    """Carries out the rows of a recording, and makes functions of them in large programs."""

    def __init__(self, recording: Recorded) -> None:
        self.recording = recording
        self.short: set[IntEnum] = set()  # rows that are not worth calls, whatever their operands
        self.shared: dict[Hashable, tuple[Shared, object] | None] = {}

    def carried_out(self, row: Row, arguments: Sequence[object]) -> object:
        """Return what a row's function gives, or a call of it."""
        is_apart = Controls.SYNC in row.controls or row.opcode in self.short
        if self.recording.k.count < SHARED_FROM or is_apart:
            return carry_out(row, arguments)
        operands = _Operands(self.recording, arguments)
        key = row.opcode, operands.key, self.recording.components
        if key not in self.shared:
            self.shared[key] = self._share(row, arguments, operands)
        found = self.shared[key]
        if found is None:
            if row.kind is Kind.PURE:
                self.short.add(row.opcode)
            return carry_out(row, arguments)
        shared, outcome = found
        results = iter(shared.called(self.recording, operands.values))
        return _mapped(outcome, lambda v: v if v.raw.is_const else bitcast(next(results), v.type))

    def _share(
        self, row: Row, arguments: Sequence[object], operands: _Operands
    ) -> tuple[Shared, object] | None:
        """Record a row as a function; return it and its outcome, None if it is short."""
        outcome: object = None

        def body(parameters: Sequence[Value]) -> list[Value]:
            nonlocal outcome
            outcome = carry_out(row, operands.replaced(arguments, parameters))
            results: list[Value] = []
            _mapped(outcome, results.append)
            return [value for value in results if not value.raw.is_const]

        shared = share(self.recording, operands.values, operands.uniform, body)
        size = sum(1 for _ in walk(shared.function.block)) - len(operands.values)
        return (shared, outcome) if size >= LEAST else None


class _Operands:
    """The values among a row's arguments, and what else its function depends on.

    Filters depend on the memory of a view by its slot alone, which is a value like others.
    """

    def __init__(self, recording: Recorded, arguments: Sequence[object]) -> None:
        self.recording = recording
        self.values: list[Value] = []
        self.slots: list[int] = []
        self.is_filter = any(isinstance(_first(a), Sampler) for a in arguments)
        self.key = tuple(self._key(a) for a in arguments)
        masks = _masks(recording.env)
        self.values += [recording.k.value(recording.env[key]) for key in masks]
        self.uniform = frozenset(self.slots)

    def _key(self, argument: object) -> Hashable:
        if isinstance(argument, Value):
            if argument.raw.is_const and argument.raw.attr == 0:
                return argument.raw.number
            self.values.append(argument)
            return argument.type
        if isinstance(argument, tuple):
            return tuple(self._key(item) for item in cast("tuple[object, ...]", argument))
        if isinstance(argument, View):
            return self._view_key(argument)
        if isinstance(argument, Sampler):
            return repr(argument)  # which tells -0 from 0
        return None if argument is self.recording else cast("Hashable", argument)

    def _view_key(self, view: View) -> Hashable:
        if view.at is not None:
            self.values.append(view.at)
            return view, True
        if not self._is_movable(view):
            return view, False
        self.slots.append(len(self.values))
        self.values.append(self.recording.k.const(U32, view.slot))
        return replace(view, slot=0, register=""), True

    def _is_movable(self, view: View) -> bool:
        return self.is_filter and view.is_bound and view.memory is Memory.RESOURCE

    def replaced(self, arguments: Sequence[object], parameters: Sequence[Value]) -> list[object]:
        """Return the arguments with parameters in place of the values."""
        given = iter(parameters)
        return [self._replaced(a, given) for a in arguments]

    def _replaced(self, argument: object, given: Iterator[Value]) -> object:
        if isinstance(argument, Value):
            is_zero = argument.raw.is_const and argument.raw.attr == 0
            return argument if is_zero else next(given)
        if isinstance(argument, tuple):
            items = cast("tuple[object, ...]", argument)
            return tuple(self._replaced(item, given) for item in items)
        if isinstance(argument, View) and (argument.at is not None or self._is_movable(argument)):
            return replace(argument, at=next(given))
        return argument


def _first(argument: object) -> object:
    items = cast("tuple[object, ...]", argument) if isinstance(argument, tuple) else (argument,)
    return items[0] if items else None


def _mapped(outcome: object, change: Callable[[Value], object]) -> object:
    """Return a row's outcome with each value changed."""
    if isinstance(outcome, tuple):
        items = cast("tuple[object, ...]", outcome)
        return tuple(_mapped(item, change) for item in items)
    return change(outcome) if isinstance(outcome, Value) else outcome
