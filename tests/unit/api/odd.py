"""Arguments that nobody should give, of every kind, and callables with arguments that fit."""

from __future__ import annotations

import io
import itertools
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import softd3d


class Hostile:
    """Says that it is an index, a number, a sequence and a path, and fails each time."""

    def __index__(self) -> int:
        raise TypeError("no index")

    def __len__(self) -> int:
        return 3

    def __getitem__(self, at: int) -> Any:
        raise IndexError(at)

    def __repr__(self) -> str:
        return "odd " * 1000


class Endless:
    """An iterable without end, with no length."""

    def __iter__(self) -> Iterator[int]:
        return itertools.count()


def scalars() -> list[Any]:
    return [
        None, True, False, 0, 1, -1, 3, 7, 255, -(1 << 31), 1 << 31, 1 << 32, 1 << 63, 1 << 64,
        1 << 200, -(1 << 200), 1 << 20000, [1 << 20000], (0, -(1 << 20000)), 0.0, 1.5, -1.0, 1e308,
        float("nan"), float("inf"), -float("inf"), 1j, Fraction(1, 3), Ellipsis, NotImplemented,
    ]  # fmt: skip


def texts() -> list[Any]:
    return [
        "", " ", "x", "ps_2_0", "cs_5_0\nret\n", "\n", "\0", "é\udc80", "x" * 5000, "[" * 2000,
        "R32_FLOAT", "t0", "u0", "b0", "nowhere/at/all", ".", "\ud800",
    ]  # fmt: skip


def bytes_like() -> list[Any]:
    dxbc = b"DXBC" + bytes(28)
    found: list[Any] = [bytes(n) for n in (*range(9), 15, 16, 31, 32, 64, 255, 1024)]
    found += [b"\xff" * n for n in (1, 4, 8, 32, 256)]
    found += [dxbc, b"DDS " + bytes(124), bytes.fromhex("0002ffff0000ffff"), b"\x01\x09\xff\xfe"]
    return [*found, bytearray(5), memoryview(bytes(12))[::2], memoryview(bytes(8)).cast("I")]


def containers() -> list[Any]:
    nested: list[Any] = []
    for _ in range(50):
        nested = [nested]
    return [
        [], (), {}, set(), frozenset({1}), [None], [1], [1, 2], (1, 2, 3), [1, 2, 3, 4], [1] * 6,
        [1, 1 << 70], [-1, -1], ["x"], [b"x"], [1.5, 2.5], [[1, 2], [3, 4]], nested, {"x": 1},
        {0: None}, {0: 1}, {None: None}, {"t0": "u0"}, {1.5: 2}, {(): ()}, {-1: 0}, {1 << 70: 1},
        range(0), range(1 << 60), range(3), [np.zeros(2)], [np.zeros(4, np.uint32), None],
        {0: np.zeros(3)}, {0: np.zeros(3, object)},
    ]  # fmt: skip


def objects() -> list[Any]:
    return [
        object(), object, int, str, type, Hostile(), Hostile, Endless(), itertools.count(),
        itertools.repeat("x"), iter([]), (n for n in (1, 2, 3)), len, lambda: 1, np, softd3d,
        io.BytesIO(b"abc"), io.StringIO("abc"), Path("nowhere"), Path(), ValueError("x"),
        threading.Event(), np.dtype(np.float32), np.float32, np.uint64(1 << 63), np.float32("nan"),
        np.int8(-1), np.datetime64("2020"), np.bool_(True), softd3d.Filter.ANISOTROPIC,
        softd3d.Box(0, 0, 0, 1, 1, 1), softd3d.SamplerState(), softd3d.Texture2D, softd3d.Shader,
        softd3d.Readings(),
    ]  # fmt: skip


def arrays() -> list[Any]:
    types = (
        "?", "i1", "u1", "<i2", "<u2", "<f2", "<i4", "<u4", "<f4", "<i8", "<u8", "<f8", "<c8",
        "<c16", "g", ">u4", ">f4", "S3", "U3", "V4", "V0", "M8[s]", "m8[s]", "O",
    )  # fmt: skip
    found: list[Any] = []
    for dtype in types:
        found += [np.zeros(shape, dtype) for shape in ((), (0,), (4,), (4, 4))]
    u4 = np.zeros((4, 4), np.uint32)
    locked = np.zeros((4, 4), np.uint32)
    locked.flags.writeable = False
    fields = np.dtype([("a", "<f4", 3), ("b", [("c", "<u2"), ("d", "O")])])
    packed = np.dtype([("a", "u1"), ("b", "<f4")])
    shapes = ((0, 4), (2, 2, 2), (6, 4, 4), (2, 2, 4, 4), (1,) * 32)
    found += [np.zeros(shape, np.float32) for shape in shapes]
    found += [u4[::2], u4[:, ::2], u4[::-1], u4.T[1:], locked, np.zeros(3, packed)]
    found += [np.zeros(2, fields), np.broadcast_to(np.zeros(1, np.float32), (1 << 40,))]
    found += [np.ma.masked_array(u4, u4 == 0), np.matrix([[1, 2]]), np.rec.array([(1, 2.0)])]
    found += [np.frombuffer(bytes(17), np.uint8)[1:], np.full((4, 4), np.nan, np.float32)]
    return found


def all_odd() -> list[Any]:
    """Return odd values; iterators among them are used up, so each call makes new ones."""
    return [*scalars(), *texts(), *bytes_like(), *containers(), *objects(), *arrays()]
