"""Record an access to a register whose number is computed.

The number becomes a place among the bound registers of the range, lane by lane: its offset where
they follow each other, else a binary search in a table. From there on the view's slot is a value
like any other, uniform or not; only what code depends on, the class of the register, is a branch.
So code grows with the number of classes, not with that of registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from softd3d.algebra.operations import select
from softd3d.algebra.value import BOOL, U32, Value
from softd3d.classes import dataclass
from softd3d.ir.graph import Graph
from softd3d.ir.recorder import Recorder
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.candidates import Candidates
from softd3d.lower.registers import SamplerBody, ViewBody

__all__ = ["Branching", "record_each_sampler", "record_each_view"]

_M = TypeVar("_M")
_TABLE = View(
    Memory.IMMEDIATE_CONSTANT, "icb", 0, ViewKind.RAW, ResourceDimension.BUFFER, stride=16
)


class Branching(Protocol):
    """What recording needs: nodes, loads, branches, and results that branches hand on."""

    k: Recorder
    graph: Graph

    @property
    def constants(self) -> int:
        """Dwords of the program's own immediate constants."""
        ...

    def load(self, view: View, offset: Value, valid: Value, size: int = 4) -> Value: ...

    def switch_values(
        self, cases: Sequence[tuple[Value, Callable[[], tuple[Value, ...]]]]
    ) -> tuple[Value, ...]:
        """Record each case for the lanes where its condition holds; return the lanes' values."""
        ...


@dataclass(frozen=True, slots=True)
class _Place:
    """Where lanes find their register. exists: it is bound; rank: its place, 0 where it is not."""

    exists: Value
    rank: Value


def record_each_view(
    machine: Branching, found: Candidates[View], register: Value, body: ViewBody
) -> tuple[Value, ...]:
    """Record `body` for each class of registers that `register` may name, and for none of them.

    register: uint32. Returns each lane's values.
    """
    if not found.members:
        return body(found.missing)
    place = _place(machine, found, register)
    at = place.rank + found.members[0].slot
    views = [replace(view, at=at) for view in found.classes]
    return _record_classes(machine, found, place, views, body)


def record_each_sampler(
    machine: Branching, found: Candidates[SamplerState], register: Value, body: SamplerBody
) -> tuple[Value, ...]:
    """Record `body` for each different state that `register` may name, and for the default one."""
    if not found.members:
        return body(found.missing)
    place = _place(machine, found, register)
    return _record_classes(machine, found, place, found.classes, body)


def _record_classes(
    machine: Branching, found: Candidates[_M], place: _Place, classes: Sequence[_M],
    body: Callable[[_M], tuple[Value, ...]],
) -> tuple[Value, ...]:  # fmt: skip
    """Record a case for each class, and one for registers that are missing."""
    missing = ~place.exists, partial(body, found.missing)
    if len(classes) == 1:
        return machine.switch_values(((place.exists, partial(body, classes[0])), missing))
    number = _looked_up(machine, found.class_of.tolist(), place.rank)
    cases = [
        (place.exists & number.eq(n), partial(body, member)) for n, member in enumerate(classes)
    ]
    return machine.switch_values((*cases, missing))


def _place(machine: Branching, found: Candidates[_M], register: Value) -> _Place:
    count = len(found.members)
    if found.is_dense:
        rank = register - int(found.registers[0])
        exists = rank < count
        return _Place(exists, select(exists, rank, 0))
    rank = _search(machine, found.registers.tolist(), register)
    exists = _looked_up(machine, found.registers.tolist(), rank).eq(register)
    return _Place(exists, rank)


def _search(machine: Branching, registers: list[int], register: Value) -> Value:
    """Return the place of the last of the registers that is not above `register`, else 0."""
    rank = machine.k.const(U32, 0)
    count = len(registers)
    step = 1 << count.bit_length() - 1
    # Behind the end the table repeats its last entry, so that every probe is inside it.
    table = registers + registers[-1:] * (2 * step - count)
    while step:
        probe = rank + step
        rank = select(_looked_up(machine, table, probe) <= register, probe, rank)
        step >>= 1
    return select(rank < count, rank, count - 1)


def _looked_up(machine: Branching, table: list[int], index: Value) -> Value:
    """Return an entry of a table of constants; the index must be inside."""
    words = machine.graph.words
    start = _find(words, table)
    if start < 0:
        start = len(words)
        words += table
    offset = index * 4 + 4 * (machine.constants + start)
    return machine.load(_TABLE, offset, machine.k.const(BOOL, 1))


def _find(words: list[int], table: list[int]) -> int:
    """Return where a table already is among the words, -1 if it is not."""
    first, count = table[0], len(table)
    at = -1
    while True:
        try:
            at = words.index(first, at + 1)
        except ValueError:
            return -1
        if words[at : at + count] == table:
            return at
