"""Buffers and group-shared memory: ld_raw, ld_structured, their stores, and the rules they share.

What Direct3D leaves undefined has one deterministic meaning here, and a poison note for tools:
loads outside are 0, stores outside are dropped, the low two bits of a byte address are ignored.
Spec: D3D11.3 section 22.17; out-of-bounds tables in sections 7.14 and 16.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from softd3d.algebra.value import U32, Value
from softd3d.errors import DecodeError
from softd3d.isa.machine import Info, Machine, Memory, View, ViewKind
from softd3d.isa.roles import Counts
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__ = [
    "Components",
    "Place",
    "address_raw",
    "address_structured",
    "constant",
    "expect",
    "per_component",
    "poison_offset",
    "poison_outside",
]

Components: TypeAlias = "tuple[Value | None, ...]"
_DWORDS = 0xFFFFFFFC  # rounds bytes down to whole dwords
Place: TypeAlias = "tuple[Value, Value]"  # byte offset, and where it may be accessed


def per_component(m: Machine, function: Callable[[int], Value]) -> Components:
    """Compute the components of a result that are needed, leave out the others."""
    return tuple(function(i) if i in m.components else None for i in range(4))


def expect(view: View, kind: ViewKind, what: str) -> None:
    """Refuse a view of another kind than an instruction needs."""
    if view.kind is not kind:
        raise DecodeError(f"{what} needs a {kind} view, {view.register} is {view.kind}")


def _size_of(m: Machine, view: View) -> Value:
    """Return the bytes of a view's whole dwords: a group-shared register has its own bounds."""
    size = constant(m, view.size) if view.memory is Memory.GROUP_SHARED else m.info(view, Info.SIZE)
    return size & _DWORDS


def constant(m: Machine, value: int) -> Value:
    """Return a uint32 constant."""
    return m.k.const(U32, value)


def address_raw(m: Machine, view: View, offset: Value, what: str) -> Callable[[int], Place]:
    """Return dword number -> place of a raw access at byte `offset`."""
    expect(view, ViewKind.RAW, what)
    aligned = offset & _DWORDS
    size = _size_of(m, view)
    first = aligned < size
    m.poison(view, (offset & 3).ne(0), f"{what}: byte offset is not a multiple of 4")

    def place(dword: int) -> Place:
        # The first test keeps an offset near 2**32 from wrapping round to the start.
        at = aligned + 4 * dword
        return at, first if dword == 0 else first & (at < size)

    return place


def address_structured(
    m: Machine, view: View, index: Value, offset: Value, what: str
) -> Callable[[int], Place]:
    """Return dword number -> place of a structured access."""
    expect(view, ViewKind.STRUCTURED, what)
    if view.memory is Memory.GROUP_SHARED:
        count = constant(m, view.size // view.stride)
    else:
        count = m.info(view, Info.COUNT)
    exists = index < count
    aligned = offset & _DWORDS
    base = index * view.stride
    m.poison(view, (offset & 3).ne(0), f"{what}: byte offset is not a multiple of 4")

    def place(dword: int) -> Place:
        at = aligned + 4 * dword
        inside = (at < view.stride) & (aligned < view.stride)
        return base + at, exists & inside

    return place


def poison_outside(m: Machine, view: View, valid: Value, what: str) -> None:
    """A store or atomic outside a g# makes all group-shared memory undefined."""
    if view.memory is Memory.GROUP_SHARED:
        m.poison(view, ~valid, f"{what}: outside the group-shared register")


def poison_offset(m: Machine, view: View, offset: Value, what: str) -> None:
    """A byte offset beyond the structure makes a whole UAV undefined."""
    if view.memory is Memory.UAV and view.kind is ViewKind.STRUCTURED:
        m.poison(view, offset >= view.stride, f"{what}: byte offset beyond the structure")


@TABLE.effect(Opcode.LD_RAW, "ld_raw", "b=cV", counts=Counts.TEXTURE_LOAD, spec="inst_LD_RAW")
def ld_raw(m: Machine, offset: Value, view: View) -> Components:
    """Read one to four dwords at a byte offset of a raw buffer or group-shared block.

    Each dword outside is 0. The resource operand's swizzle selects dwords.
    """
    place = address_raw(m, view, offset, "ld_raw")
    return per_component(m, lambda i: m.load(view, *place(i)))


@TABLE.effect(
    Opcode.STORE_RAW, "store_raw", "U=cb", counts=Counts.TEXTURE_STORE, spec="inst_STORE_RAW"
)
def store_raw(m: Machine, view: View, offset: Value, value: Components) -> None:
    """Write one to four dwords at a byte offset; each dword outside is dropped."""
    place = address_raw(m, view, offset, "store_raw")
    for i, component in enumerate(value):
        if component is not None:
            at, valid = place(i)
            poison_outside(m, view, valid, "store_raw")
            m.store(view, at, component, valid)


@TABLE.effect(
    Opcode.LD_STRUCTURED, "ld_structured", "b=ccV", counts=Counts.TEXTURE_LOAD,
    spec="inst_LD_STRUCTURED",
)  # fmt: skip
def ld_structured(m: Machine, index: Value, offset: Value, view: View) -> Components:
    """Read one to four dwords at a byte offset inside structure `index`; 0 outside."""
    place = address_structured(m, view, index, offset, "ld_structured")
    return per_component(m, lambda i: m.load(view, *place(i)))


@TABLE.effect(
    Opcode.STORE_STRUCTURED, "store_structured", "U=ccb", counts=Counts.TEXTURE_STORE,
    spec="inst_STORE_STRUCTURED",
)  # fmt: skip
def store_structured(
    m: Machine, view: View, index: Value, offset: Value, value: Components
) -> None:
    """Write one to four dwords at a byte offset inside structure `index`; outside is dropped."""
    place = address_structured(m, view, index, offset, "store_structured")
    for i, component in enumerate(value):
        if component is not None:
            at, valid = place(i)
            poison_outside(m, view, valid, "store_structured")
            poison_offset(m, view, offset + 4 * i, "store_structured")
            m.store(view, at, component, valid)
