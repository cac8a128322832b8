"""Atomics and hidden counters, against lanes that act one after another in ascending order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from program_builder import build

from softd3d.interp import interpret
from softd3d.interp.memory import atomic
from softd3d.isa.machine import AtomicOperation
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.textures.texture import Texture2D

LANES = 96
CELLS = 8


def signed(value: int) -> int:
    return value - (value >> 31 << 32)


MODELS: dict[str, Callable[..., int]] = {
    "and": lambda old, value: old & value,
    "or": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "iadd": lambda old, value: (old + value) % 2**32,
    "imax": lambda old, value: max(signed(old), signed(value)) % 2**32,
    "imin": lambda old, value: min(signed(old), signed(value)) % 2**32,
    "umax": max,
    "umin": min,
    "exch": lambda _, value: value,
    "cmp_exch": lambda old, compare, value: value if old == compare else old,
}


def sequence(name: str, cells: list[int], where: list[int | None], *values: list[int]) -> list[int]:
    """Update `cells` lane by lane; return the old values, 0 for lanes that do nothing."""
    seen = []
    for lane, place in enumerate(where):
        if place is None:
            seen.append(0)
            continue
        old = cells[place]
        seen.append(old)
        cells[place] = MODELS[name](old, *(v[lane] for v in values))
    return seen


def spread_bits(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return numbers of all sizes and signs, so that every operation makes a difference."""
    wide = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    return np.where(rng.integers(0, 2, count), wide, wide >> rng.integers(0, 32, count)).astype(
        np.uint32
    )


TARGETS = {
    # name: (register, address operands for cell number r0.x, declarations)
    "raw": ("u0", "r3.x"),
    "structured": ("u0", "r3.yzyy"),
    "typed buffer": ("u0", "r0.x"),
    "texture": ("u0", "r3.zwzz"),
    "group-shared raw": ("g0", "r3.x"),
    "group-shared structured": ("g0", "r3.yzyy"),
}


def bindings(target: str, cells: np.ndarray, name: str) -> dict[str, Any]:
    format_ = "R32_SINT" if name in ("imax", "imin") else "R32_UINT"
    match target:
        case "raw":
            return {"uavs": {0: RawBuffer(cells)}}
        case "structured":
            return {"uavs": {0: StructuredBuffer(cells, 8)}}
        case "typed buffer":
            return {"uavs": {0: TypedBuffer(cells, format_)}}
        case "texture":
            return {"uavs": {0: Texture2D(cells.reshape(2, 4), format_)}}
        case "group-shared raw":
            return {"shared": {0: (4 * CELLS,)}, "uavs": {0: RawBuffer(cells)}}
    return {"shared": {0: (8, CELLS // 2)}, "uavs": {0: RawBuffer(cells)}}


# r3: byte offset; structure and offset inside it; (texture x, y) in zw come from the cell number.
ADDRESS = """
    ishl r7.x, vThreadID.x, l(4)
    ld_raw r0.xyzw, r7.x, t0.xyzw      // cell, two values, whether active
    ishl r3.x, r0.x, l(2)
    {address}
"""
BY_TARGET = {
    "structured": "ushr r3.y, r0.x, l(1)\nand r3.z, r0.x, l(1)\nishl r3.z, r3.z, l(2)",
    "texture": "and r3.z, r0.x, l(3)\nushr r3.w, r0.x, l(2)",
}
COPY_IN = """
    ishl r6.x, vThreadIDInGroupFlattened.x, l(2)
    ult r6.y, r6.x, l(32)
    if_nz r6.y
      ld_raw r6.z, r6.x, u0.x
      {store_in}
    endif
    sync_g_t
"""
COPY_OUT = """
    sync_g_t
    if_nz r6.y
      {load_out}
      store_raw u0.x, r6.x, r6.z
    endif
"""


def text_for(target: str, name: str, *, returns: bool) -> str:
    register, address = TARGETS[target]
    operands = "r0.y, r0.z" if name == "cmp_exch" else "r0.y"
    plain = "atomic_cmp_store" if name == "cmp_exch" else f"atomic_{name}"
    operation = (
        f"imm_atomic_{name} r1.x, {register}, {address}, {operands}"
        if returns
        else f"{plain} {register}, {address}, {operands}"
    )
    kind = "structured" if "structured" in target else target
    update = ADDRESS.format(address=BY_TARGET.get(kind, "")) + f"if_nz r0.w\n{operation}\nendif\n"
    if register == "g0":
        place = "r6.x"
        words = "raw"
        before = after = ""
        if kind == "structured":
            before = after = "ushr r6.w, r6.x, l(3)\nand r7.y, r6.x, l(4)\n"
            place, words = "r6.w, r7.y", "structured"
        store = f"{before}store_{words} g0.x, {place}, r6.z"
        load = f"{after}ld_{words} r6.z, {place}, g0.x"
        update = COPY_IN.format(store_in=store) + update + COPY_OUT.format(load_out=load)
    return update + "ishl r7.x, vThreadID.x, l(2)\nstore_raw u1.x, r7.x, r1.x\n"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("returns", [False, True])
def test_lanes_act_in_order(target: str, name: str, returns: bool):
    if name == "exch" and not returns:
        return  # there is no such instruction
    rng = np.random.default_rng(sum(map(ord, target + name)) + returns)
    cells = spread_bits(rng, CELLS)
    work = np.zeros((LANES, 4), np.uint32)
    work[:, 0] = rng.integers(0, CELLS, LANES)
    work[:, 1], work[:, 2] = spread_bits(rng, LANES), spread_bits(rng, LANES)
    work[:, 3] = rng.integers(0, 4, LANES) > 0
    values = [work[:, 1].tolist()]
    if name == "cmp_exch":  # small numbers, so that comparisons often succeed
        cells = rng.integers(0, 3, CELLS).astype(np.uint32)
        work[:, 1:3] = rng.integers(0, 3, (LANES, 2))
        values = [work[:, 1].tolist(), work[:, 2].tolist()]
    expected = cells.tolist()
    where = [int(c) if a else None for c, a in zip(work[:, 0], work[:, 3], strict=True)]
    seen = sequence(name, expected, where, *values)
    old = np.full(LANES, 77, np.uint32)
    arguments = bindings(target, cells, name)
    arguments["uavs"][1] = RawBuffer(old)
    interpret(
        build(
            text_for(target, name, returns=returns), group=(LANES, 1, 1),
            srvs={0: RawBuffer(work)}, **arguments,
        ),
        (1, 1, 1),
    )  # fmt: skip
    assert cells.tolist() == expected
    assert old.tolist() == (seen if returns else [0] * LANES)


@pytest.mark.parametrize("operation", AtomicOperation)
@pytest.mark.parametrize("cells", [1, 3, 1000, 50_000])
def test_order_from_full_conflict_to_none(operation: AtomicOperation, cells: int):
    rng = np.random.default_rng(cells)
    lanes = 3000
    memory = rng.integers(0, 4, cells).astype(np.uint32)
    place = rng.permutation(cells)[:lanes] if cells > lanes else rng.integers(0, cells, lanes)
    mask = rng.integers(0, 8, lanes) > 0
    count = 2 if operation is AtomicOperation.CMP_EXCH else 1
    small = count == 2
    values = [
        rng.integers(0, 4, lanes).astype(np.uint32) if small else spread_bits(rng, lanes)
        for _ in range(count)
    ]
    expected = memory.tolist()
    where = [int(p) if m else None for p, m in zip(place, mask, strict=True)]
    seen = sequence(operation.value, expected, where, *(v.tolist() for v in values))
    old = atomic(operation, memory.view(np.uint8), place * 4, mask, tuple(values))
    assert old.tolist() == seen
    assert memory.tolist() == expected


def test_addresses_outside_update_nothing_and_return_zero():
    cells = np.arange(1, 6, dtype=np.uint32)
    out = np.zeros(4, np.uint32)
    text = """
        imm_atomic_iadd r0.x, u0, l(20), l(1)
        imm_atomic_iadd r0.y, u0, l(-4), l(1)
        imm_atomic_cmp_exch r0.z, u0, l(16), l(5), l(50)
        imm_atomic_exch r0.w, u2, l(1, 4, 0, 0), l(9)    // inside the buffer, outside its structure
        store_raw u1.xyzw, l(0), r0.xyzw
    """
    second = np.arange(1, 7, dtype=np.uint32)
    uavs = {0: RawBuffer(cells), 1: RawBuffer(out), 2: StructuredBuffer(second, 4)}
    outcome = interpret(build(text, group=(1, 1, 1), uavs=uavs), (1, 1, 1))
    assert cells.tolist() == [1, 2, 3, 4, 50]
    assert second.tolist() == [1, 2, 3, 4, 5, 6]
    assert out.tolist() == [0, 0, 5, 0]
    assert outcome.poisoned == (("u2", "imm_atomic_exch: byte offset beyond the structure"),)


def test_group_shared_atomics_outside_are_noted():
    text = "atomic_iadd g0, l(16), l(1)\natomic_or g0, l(12), l(1)"
    outcome = interpret(build(text, group=(2, 1, 1), shared={0: (16,), 1: (16,)}), (1, 1, 1))
    assert outcome.poisoned == (("g0", "atomic_iadd: outside the group-shared register"),)


@pytest.mark.parametrize(("step", "first"), [(1, 5), (1, 0xFFFFFFFE), (-1, 40), (-1, 3)])
def test_counters_count_active_lanes_in_order_and_wrap(step: int, first: int):
    mnemonic = "imm_atomic_alloc" if step == 1 else "imm_atomic_consume"
    buffer = StructuredBuffer(np.zeros(4, np.uint32), 4, counter=first)
    out = np.full(40, 9, np.uint32)
    text = f"""
        and r0.x, vThreadID.x, l(3)
        if_nz r0.x
          {mnemonic} r0.y, u0
          ishl r0.z, vThreadID.x, l(2)
          store_raw u1.x, r0.z, r0.y
        endif
    """
    uavs = {0: buffer, 1: RawBuffer(out)}
    interpret(build(text, group=(20, 1, 1), uavs=uavs), (2, 1, 1))
    expected, counter = [], first
    for lane in range(40):
        if lane & 3 == 0:
            expected.append(9)
        elif step == 1:
            expected.append(counter)
            counter = (counter + 1) % 2**32
        else:
            counter = (counter - 1) % 2**32
            expected.append(counter)
    assert out.tolist() == expected
    assert buffer.counter == counter
