"""Plain accesses of the interpreter: scatters and atomics over lanes of NumPy arrays.

Lanes act in ascending order: of two lanes that store to one place the higher wins, and an atomic
sees what lower lanes have done.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.machine import AtomicOperation
from softd3d.resources.gather import UNITS, units

__all__ = ["atomic", "scatter"]

Bytes: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint32]
Offsets: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]


def scatter(data: Bytes, offset: Offsets, value: Words, mask: Bools, size: int) -> None:
    """Write the low `size` bytes of each lane's value where `mask` is set."""
    place = units(data, size)
    # NumPy keeps the last value that is assigned to a repeated index: the highest lane wins.
    place[offset[mask] // size] = value[mask].astype(UNITS[size])


def _signed(function: np.ufunc) -> Callable[[Words, Words], Words]:
    def compare(old: Words, value: Words) -> Words:
        return function(old.view(np.int32), value.view(np.int32)).view(np.uint32)

    return compare


def _exchange(_: Words, value: Words) -> Words:
    return value


# old, value -> new. All are associative, which the scan below relies on.
_UPDATES: dict[AtomicOperation, Callable[[Words, Words], Words]] = {
    AtomicOperation.AND: np.bitwise_and,
    AtomicOperation.OR: np.bitwise_or,
    AtomicOperation.XOR: np.bitwise_xor,
    AtomicOperation.IADD: np.add,
    AtomicOperation.IMAX: _signed(np.maximum),
    AtomicOperation.IMIN: _signed(np.minimum),
    AtomicOperation.UMAX: np.maximum,
    AtomicOperation.UMIN: np.minimum,
    AtomicOperation.EXCH: _exchange,
}


def atomic(
    operation: AtomicOperation, data: Bytes, offset: Offsets, mask: Bools,
    operands: tuple[Words, ...],
) -> Words:  # fmt: skip
    """Update one dword for each lane in `mask`, in lane order; return old values (0 elsewhere).

    operands: the value, or compare and value for CMP_EXCH.
    """
    words: Words = units(data, 4)
    result = np.zeros(mask.shape, np.uint32)
    lanes = np.flatnonzero(mask)
    if not lanes.size:
        return result
    # Lanes of one place become neighbours; a stable sort keeps their order.
    lanes = lanes[np.argsort(offset[lanes], kind="stable")]
    index = offset[lanes] // 4
    values = [o[lanes] for o in operands]
    if operation is AtomicOperation.CMP_EXCH:
        result[lanes] = _compare_exchange(words, index, *values)
    else:
        result[lanes] = _update(_UPDATES[operation], words, index, values[0])
    return result


def _update(
    update: Callable[[Words, Words], Words], words: Words, index: Offsets, value: Words
) -> Words:
    """Apply an associative update to sorted places; a segmented scan gives what each lane saw."""
    number = np.arange(index.size)
    is_first = np.diff(index, prepend=-1) != 0
    rank = number - np.maximum.accumulate(np.where(is_first, number, 0))
    combined = value.copy()  # of the lanes of one place up to this one
    distance, longest = 1, int(rank.max())
    while distance <= longest:
        reached = np.flatnonzero(rank >= distance)
        combined[reached] = update(combined[reached - distance], combined[reached])
        distance *= 2
    before = words[index]
    after = update(before, combined)
    old = before.copy()
    later = np.flatnonzero(~is_first)
    old[later] = after[later - 1]
    words[index] = after  # the last lane of a place wins
    return old


def _compare_exchange(words: Words, index: Offsets, compare: Words, value: Words) -> Words:
    """Compare and exchange at sorted places, one after another where lanes share one."""
    if bool((np.diff(index) != 0).all()):
        old = words[index]
        words[index] = np.where(old == compare, value, old)
        return old
    seen: list[int] = []
    place, current = -1, 0
    for at, wanted, new in zip(index.tolist(), compare.tolist(), value.tolist(), strict=True):
        if at != place:
            if place >= 0:
                words[place] = current
            place, current = at, int(words[at])
        seen.append(current)
        if current == wanted:
            current = new
    words[place] = current
    return np.array(seen, np.uint32)
