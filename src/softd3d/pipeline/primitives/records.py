"""Records of values as tables: rows picked out, and tables put behind each other.

A record is a value, an array, or a dataclass, tuple or dict of records; what is anything else is
the same for all rows. A value with no dimension holds in all rows, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import BOOL, F32, F64, I32, U32, DataType, Value

__all__ = [
    "Bools",
    "Indices",
    "K",
    "Numbers",
    "Rows",
    "chosen",
    "counting",
    "integers",
    "joined",
    "lanes",
    "repeated",
    "spread",
    "taken",
]  # fmt: skip

_R = TypeVar("_R")
Numbers: TypeAlias = NDArray[np.uint32]
Rows: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.int64] | NDArray[np.uint32]
Bools: TypeAlias = NDArray[np.bool_]
K = NumpyAlgebra()
"""The algebra that the rules of the pipeline are evaluated in."""
_COUNTED: Numbers = np.arange(1 << 16, dtype=np.uint32)  # of most parts of draws
_COUNTED.flags.writeable = False
_TYPES: dict[np.dtype[Any], DataType] = {
    np.dtype(np.float32): F32, np.dtype(np.float64): F64, np.dtype(np.int32): I32,
    np.dtype(np.uint32): U32, np.dtype(np.bool_): BOOL,
}  # fmt: skip


def lanes(array: NDArray[Any]) -> Value:
    """Return an array of float32, float64, int32, uint32 or bool as a value."""
    return K.lanes(_TYPES[array.dtype], array)


def integers(array: NDArray[Any]) -> Value:
    """Return whole numbers as I32."""
    return lanes(array.astype(np.int32))


def spread(value: Value, count: int) -> NDArray[Any]:
    """Return what a value holds in each of `count` rows; not to be written to."""
    return np.broadcast_to(value.raw, (count,))


def counting(first: int, count: int) -> Numbers:
    """Return uint32 numbers from a first one on; do not write to them."""
    if count > _COUNTED.size:
        return np.arange(count, dtype=np.uint32) + np.uint32(first)
    return _COUNTED[:count] + np.uint32(first) if first else _COUNTED[:count]


def repeated(values: Numbers, count: int) -> Numbers:
    """Return each value so many times; of a single one, all are in its place in memory."""
    return np.repeat(values, count) if values.size != 1 else np.broadcast_to(values, count)


def taken(record: _R, rows: NDArray[Any]) -> _R:
    """Return a record with only some rows: their numbers, or a bool for each."""

    def pick(raw: NDArray[Any]) -> NDArray[Any]:
        return raw[rows] if raw.ndim else raw

    return cast("_R", _mapped(record, pick))


def joined(records: Sequence[_R], counts: Sequence[int]) -> _R:
    """Return records of the same form behind each other; counts: the rows of each."""
    if len(records) == 1:
        return records[0]

    def join(parts: list[NDArray[Any]]) -> NDArray[Any]:
        spread_out = zip(parts, counts, strict=True)
        return np.concatenate([np.broadcast_to(p, (n,)) for p, n in spread_out])

    return cast("_R", _zipped(records, join))


def chosen(records: Sequence[_R], choice: Rows) -> _R:
    """Return a record that has in each row that of the record with this number."""
    row = np.arange(choice.size)

    def choose(parts: list[NDArray[Any]]) -> NDArray[Any]:
        return np.stack([np.broadcast_to(p, (choice.size,)) for p in parts])[choice, row]

    return cast("_R", _zipped(records, choose))


def _mapped(record: Any, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Any:
    if isinstance(record, Value):
        return Value(record.k, record.type, change(np.asarray(record.raw)))
    if isinstance(record, np.ndarray):
        return change(cast("NDArray[Any]", record))
    if isinstance(record, tuple):
        return tuple(_mapped(one, change) for one in cast("tuple[Any, ...]", record))
    if isinstance(record, dict):
        return {key: _mapped(one, change) for key, one in cast("dict[Any, Any]", record).items()}
    if is_dataclass(record) and not isinstance(record, type):
        parts = {f.name: _mapped(getattr(record, f.name), change) for f in fields(record)}
        return replace(record, **parts)
    return record


def _zipped(records: Sequence[Any], merge: Callable[[list[NDArray[Any]]], NDArray[Any]]) -> Any:
    first = records[0]
    if isinstance(first, Value):
        return Value(first.k, first.type, merge([np.asarray(one.raw) for one in records]))
    if isinstance(first, np.ndarray):
        return merge(list(records))
    if isinstance(first, tuple):
        return tuple(_zipped(column, merge) for column in zip(*records, strict=True))
    if isinstance(first, dict):
        keys = cast("dict[Any, Any]", first)
        return {key: _zipped([one[key] for one in records], merge) for key in keys}
    if is_dataclass(first) and not isinstance(first, type):
        parts = {
            f.name: _zipped([getattr(one, f.name) for one in records], merge) for f in fields(first)
        }
        return replace(first, **parts)
    return first
