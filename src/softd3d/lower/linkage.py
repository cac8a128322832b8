"""Dynamic linkage: what a program declares of interfaces, and what it is linked with.

Every element of a declared interface is an object site, numbered from 0. The caller gives a class
instance for each site; its class picks the function table, and its data is what `this[site]` reads.
Spec: D3D11.3 sections 7.19, 22.3.49 to 22.3.51, 22.7.19, 22.7.20.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from softd3d.algebra.operations import select
from softd3d.algebra.value import BOOL, U32, Algebra, Value
from softd3d.classes import dataclass
from softd3d.errors import DecodeError, ResourceError
from softd3d.isa.roles import Declares, Flow
from softd3d.isa.sm4.enums import OperandType
from softd3d.isa.sm4.program import Instruction, Operand, Program
from softd3d.isa.sm4.rows import TABLE

if TYPE_CHECKING:
    from softd3d.isa.sm1.enums import RegisterType

__all__ = [
    "Callee",
    "InterfaceDeclaration",
    "Label",
    "Linkage",
    "LinkageDeclarations",
    "LinkedObject",
    "computed_registers",
    "read_linkage",
    "sites_read",
]

MAX_SITES = 253
Label: TypeAlias = "tuple[OperandType | RegisterType, int]"
"""A subroutine: the type of the operand that names it, a label or function body, and its number."""


@dataclass(frozen=True, slots=True)
class InterfaceDeclaration:
    """A declared fp#, an array of `length` object sites from `first` on.

    tables: the ft# that its objects may have.
    """

    first: int
    length: int
    tables: tuple[int, ...]

    @property
    def sites(self) -> range:
        return range(self.first, self.first + self.length)


@dataclass(frozen=True, slots=True)
class LinkageDeclarations:
    """tables: the fb# numbers of each ft#, by its number. interfaces: in order of declaration."""

    tables: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    interfaces: tuple[InterfaceDeclaration, ...] = ()

    def at(self, site: int) -> InterfaceDeclaration | None:
        """Return the interface that an object site belongs to."""
        return next((i for i in self.interfaces if site in i.sites), None)


@dataclass(frozen=True, slots=True)
class LinkedObject:
    """A class instance at an object site.

    table: ft# of its class. data: the components of `this[site]`: constant buffer slot, offset in
    it in vectors of 16 bytes, first texture, first sampler.
    """

    table: int
    data: tuple[int, int, int, int] = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Callee:
    """A subroutine that a call may run. elements: for which array indices; None: always."""

    label: Label
    elements: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Linkage:
    """A program's declarations with the objects bound to its sites."""

    declared: LinkageDeclarations = field(default_factory=LinkageDeclarations)
    objects: dict[int, LinkedObject] = field(default_factory=dict[int, LinkedObject])

    def callees(self, i: Instruction) -> tuple[Callee, ...]:
        """Return what an `fcall` may run: one body, or one for groups of array indices.

        Indices outside of the array call nothing; Direct3D leaves that undefined.

        Raises:
            DecodeError: the operand names no declared interface, element or call site.
            ResourceError: nothing is bound to a site.
        """
        number, index = _place(i)
        if index is not None:
            site = number + index
            if self.declared.at(site) is None:
                raise DecodeError(f"fcall fp{number}[{index}] is not declared", i.location)
            return (Callee(self._body(site, i)),)
        interface = self.declared.at(number)
        if interface is None:
            raise DecodeError(f"fcall fp{number} is not declared", i.location)
        elements: dict[Label, list[int]] = {}
        for site in interface.sites:
            elements.setdefault(self._body(site, i), []).append((site - number) & 0xFFFFFFFF)
        return tuple(Callee(label, tuple(values)) for label, values in elements.items())

    def _body(self, site: int, i: Instruction) -> Label:
        bound = self.objects.get(site)
        if bound is None:
            raise ResourceError(f"nothing is bound to interface slot {site}", i.location)
        bodies = self.declared.tables.get(bound.table, ())
        call_site = i.extra[0] if i.extra else 0
        if call_site >= len(bodies):
            raise DecodeError(
                f"fcall: ft{bound.table} has {len(bodies)} bodies, wanted number {call_site}",
                i.location,
            )
        return OperandType.FUNCTION_BODY, bodies[call_site]

    def this(self, k: Algebra, site: Value, component: int) -> Value:
        """Return a component of `this[site]`: 0 for sites that do not exist or have no object."""
        by_value: dict[int, list[int]] = {}
        for number, linked in self.objects.items():
            by_value.setdefault(linked.data[component], []).append(number)
        result = k.const(U32, 0)
        for value, sites in by_value.items():
            if value:
                here = k.const(BOOL, 0)
                for number in sites:
                    here = here | site.eq(number)
                result = select(here, k.const(U32, value), result)
        return result


def read_linkage(program: Program) -> LinkageDeclarations:
    """Collect the function tables and interfaces that a program declares.

    Raises:
        DecodeError: a declaration is too short, repeats or overlaps another, names a table that
            is not declared, or there are more than 253 object sites.
    """
    tables: dict[int, tuple[int, ...]] = {}
    interfaces: list[InterfaceDeclaration] = []
    for i in program.instructions:
        role = TABLE[i.opcode].declares
        if role is Declares.FUNCTION_TABLE:
            number, bodies = _listed(i, 2)
            if number[0] in tables:
                raise DecodeError(f"ft{number[0]} is declared twice", i.location)
            tables[number[0]] = bodies
        elif role is Declares.INTERFACE:
            interfaces.append(_interface(i, tables, interfaces))
    return LinkageDeclarations(tables, tuple(interfaces))


def sites_read(program: Program, declared: LinkageDeclarations) -> Iterator[int]:
    """Yield the object sites that a program calls or reads, some of them several times."""
    every = [site for interface in declared.interfaces for site in interface.sites]
    for i in program.instructions:
        if TABLE[i.opcode].flow is Flow.METHOD_CALL:
            number, index = _place(i)
            interface = declared.at(number) if index is None else None
            yield from interface.sites if interface else [number + (index or 0)]
        for operand in i.operands:
            for inner in _this_operands(operand):
                is_static = all(index.relative is None for index in inner.indices)
                yield from [_sum(inner)] if is_static else every


def computed_registers(program: Program, bodies: Iterable[int]) -> set[OperandType]:
    """Return the types of operands with a computed first index in some function bodies (fb#)."""
    wanted, found, is_in = set(bodies), set[OperandType](), False
    for i in program.instructions:
        if TABLE[i.opcode].flow is Flow.LABEL:
            label = i.operands[0] if i.operands else None
            is_in = (
                label is not None
                and label.type is OperandType.FUNCTION_BODY
                and label.number in wanted
            )
        elif is_in:
            found |= {o.type for o in i.operands if o.indices and o.indices[0].relative is not None}
    return found


def _this_operands(operand: Operand) -> Iterator[Operand]:
    if operand.type is OperandType.THIS_POINTER:
        yield operand
    for index in operand.indices:
        if index.relative is not None:
            yield from _this_operands(index.relative)


def _sum(operand: Operand) -> int:
    return sum(index.immediate for index in operand.indices)


def _place(i: Instruction) -> tuple[int, int | None]:
    """Return the fp# that an `fcall` names and its array index, None if that is computed."""
    operand = i.operands[0] if i.operands else None
    if operand is None or operand.type is not OperandType.INTERFACE or len(operand.indices) != 2:
        raise DecodeError("fcall has no fp#[index] operand", i.location)
    index = operand.indices[1]
    return operand.number, index.immediate if index.relative is None else None


def _listed(i: Instruction, head: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the fixed dwords of a declaration and its list, whose length the last of them has."""
    fixed, listed = i.extra[:head], i.extra[head:]
    if len(fixed) < head or fixed[-1] & 0xFFFF > len(listed):
        raise DecodeError(f"declaration {i.opcode.name} is too short", i.location)
    return fixed, listed[: fixed[-1] & 0xFFFF]


def _interface(
    i: Instruction, tables: dict[int, tuple[int, ...]], others: list[InterfaceDeclaration]
) -> InterfaceDeclaration:
    (first, _, counts), choices = _listed(i, 3)
    found = InterfaceDeclaration(first, counts >> 16, choices)
    unknown = [table for table in choices if table not in tables]
    if unknown:
        raise DecodeError(f"fp{first}: ft{unknown[0]} is not declared", i.location)
    if any(o.first < first + found.length and first < o.first + o.length for o in others):
        raise DecodeError(f"fp{first} overlaps another interface", i.location)
    if first + found.length > MAX_SITES:
        raise DecodeError(
            f"fp{first}[{found.length}]: more than {MAX_SITES} object sites", i.location
        )
    return found
