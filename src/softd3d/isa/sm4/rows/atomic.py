"""Atomics on raw, structured and typed UAVs and on group-shared memory, and hidden counters.

Spec: D3D11.3 section 22.17.6 and following; atomic_cmp_store (sm5 - asm) in the Direct3D 11
reference. Lanes that are inactive do nothing; an address outside a u# writes nothing, and makes
the whole UAV undefined if the byte offset inside a structure is to blame; outside a g# all
group-shared memory is undefined. Undefined memory keeps its contents here and is noted as poisoned;
an imm_ form returns 0 for an address outside.
"""

from __future__ import annotations

from collections.abc import Callable

from softd3d.algebra.value import Value
from softd3d.errors import DecodeError
from softd3d.isa.machine import AtomicOperation, Machine, View, ViewKind
from softd3d.isa.roles import Counts
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.memory import (
    Place,
    address_raw,
    address_structured,
    poison_offset,
    poison_outside,
)
from softd3d.isa.sm4.rows.resource import texel_place
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_VERSION = (5, 0)


def place_of(m: Machine, view: View, address: tuple[Value, ...], what: str) -> Place:
    """Return the dword that an atomic's address means; its length depends on the view."""
    if view.kind is ViewKind.TYPED:
        if view.format is not None and view.format.bytes_per_texel != 4:
            raise DecodeError(f"{what} needs R32_UINT or R32_SINT, {view.register} is not")
        return texel_place(m, view, address, None)
    if view.kind is ViewKind.RAW:
        at, valid = address_raw(m, view, address[0], what)(0)
    else:
        at, valid = address_structured(m, view, address[0], address[1], what)(0)
        poison_offset(m, view, address[1], what)
    poison_outside(m, view, valid, what)
    return at, valid


def _define(suffix: AtomicOperation, plain: Opcode | None, immediate: Opcode, doc: str) -> None:
    """Register `atomic_X` (nothing returned) and `imm_atomic_X` (old value returned)."""
    values = "cc" if suffix is AtomicOperation.CMP_EXCH else "c"

    def update(m: Machine, view: View, address: tuple[Value, ...], *operands: Value) -> None:
        m.atomic(suffix, view, *place_of(m, view, address, plain_name), operands, returns=False)

    def exchange(m: Machine, view: View, address: tuple[Value, ...], *operands: Value) -> Value:
        place = place_of(m, view, address, immediate_name)
        return m.atomic(suffix, view, *place, operands, returns=True)

    plain_name = "atomic_cmp_store" if values == "cc" else f"atomic_{suffix}"
    immediate_name = f"imm_atomic_{suffix}"
    update.__doc__ = f"{doc} Nothing is returned."
    exchange.__doc__ = f"{doc} The old value is returned."
    if plain is not None:
        _register(plain, plain_name, f"U=a{values}", update)
    _register(immediate, immediate_name, f"bU=a{values}", exchange)


def _register(code: Opcode, name: str, signature: str, row: Callable[..., Value | None]) -> None:
    TABLE.effect(
        code, name, signature, counts=Counts.INTERLOCKED, spec=f"inst_{code.name}", since=_VERSION
    )(row)


_REPLACE = "Replace a dword by "
for _suffix, _doc in {
    AtomicOperation.AND: f"{_REPLACE}its bitwise and with the value.",
    AtomicOperation.OR: f"{_REPLACE}its bitwise or with the value.",
    AtomicOperation.XOR: f"{_REPLACE}its bitwise exclusive or with the value.",
    AtomicOperation.IADD: "Add the value to a dword, modulo 2**32.",
    AtomicOperation.IMAX: f"{_REPLACE}the larger of itself and the value, signed.",
    AtomicOperation.IMIN: f"{_REPLACE}the smaller of itself and the value, signed.",
    AtomicOperation.UMAX: f"{_REPLACE}the larger of itself and the value, unsigned.",
    AtomicOperation.UMIN: f"{_REPLACE}the smaller of itself and the value, unsigned.",
}.items():
    _name = _suffix.upper()
    _define(_suffix, Opcode[f"ATOMIC_{_name}"], Opcode[f"IMM_ATOMIC_{_name}"], _doc)
_define(AtomicOperation.EXCH, None, Opcode.IMM_ATOMIC_EXCH, f"{_REPLACE}the value.")
_define(
    AtomicOperation.CMP_EXCH, Opcode.ATOMIC_CMP_STORE, Opcode.IMM_ATOMIC_CMP_EXCH,
    f"{_REPLACE}the second value if it equals the first, all 32 bits compared.",
)  # fmt: skip


@TABLE.effect(
    Opcode.IMM_ATOMIC_ALLOC, "imm_atomic_alloc", "bU=", counts=Counts.INTERLOCKED,
    spec="inst_IMM_ATOMIC_ALLOC", since=_VERSION,
)  # fmt: skip
def imm_atomic_alloc(m: Machine, view: View) -> Value:
    """Return the hidden counter of an append UAV, then add 1 to it."""
    return m.counter(view, 1)


@TABLE.effect(
    Opcode.IMM_ATOMIC_CONSUME, "imm_atomic_consume", "bU=", counts=Counts.INTERLOCKED,
    spec="inst_IMM_ATOMIC_CONSUME", since=_VERSION,
)  # fmt: skip
def imm_atomic_consume(m: Machine, view: View) -> Value:
    """Subtract 1 from the hidden counter of a consume UAV, then return the new value."""
    return m.counter(view, -1) - 1
