"""Registers whose number is computed: on both engines, at every width, against NumPy.

`indexing/arrays.hlsl` is compiled by Microsoft's compiler; other programs are listings below.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.device.dispatch import dispatch
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer
from softd3d.resources.textures.texture import Texture2D
from softd3d.shaders.shader import Shader, load_shader
from softd3d.tools.text.assembler import assemble_tokens

ARRAYS = Path(__file__).parent / "indexing/arrays.cs_5_1.dxbc"
ENGINES = [("interpreter", 0), ("jit", 4), ("jit", 8), ("jit", 16), ("jit", 64)]
EVERY_ENGINE = pytest.mark.parametrize(("engine", "lanes"), ENGINES)
THREADS = 37  # not a multiple of any width
OUTSIDE = 0xFFFFFFF0


def assembled(text: str) -> Shader:
    return load_shader(assemble_tokens(text))


def numbers_of(kind: str, count: int) -> np.ndarray:
    """Return one number a thread: all the same, all alike in a wave of 4, or anything."""
    i = np.arange(THREADS)
    if kind == "uniform":
        return np.full(THREADS, 3, np.uint32)
    if kind == "stepping":
        return i.astype(np.uint32)
    found = np.random.default_rng(5).integers(0, count + 2, THREADS).astype(np.uint32)
    found[::11] = OUTSIDE
    return found


class Arrays:
    """The bindings of arrays.hlsl, and what it must answer.

    Each array has an element without resource; `far` has gaps besides.
    """

    def __init__(self, numbers: np.ndarray, one: int) -> None:
        rng = np.random.default_rng(1)
        self.numbers, self.one = numbers, one
        unorm, halves = rng.integers(0, 256, (2, 2, 4, 4)), rng.random((2, 4, 4))
        self.tex: dict[int, tuple[np.ndarray, str]] = {
            0: (rng.random((2, 4, 4)).astype(np.float32), "R32G32B32A32_FLOAT"),
            1: (unorm[0].astype(np.uint8), "R8G8B8A8_UNORM"),
            2: (rng.random((2, 4)).astype(np.float32), "R32_FLOAT"),
            4: (unorm[1].astype(np.uint8), "R8G8B8A8_UNORM"),
            5: (halves.astype(np.float16), "R16G16B16A16_FLOAT"),
        }
        self.far = {n: rng.random((2, 4, 4)).astype(np.float32) for n in (1, 2, 4, 9, 1 << 20)}
        self.raw = {n: rng.integers(0, 1 << 32, 90 + 8 * n, np.uint32) for n in (0, 1, 3, 4)}
        self.cbs = {n: rng.integers(0, 1 << 32, (3, 4), np.uint32) for n in (0, 1, 3)}
        self.outs = {n: np.arange(4 + n, dtype=np.uint32) * 100 for n in (0, 2, 3, 700)}
        self.images = {0: np.zeros((8, 8, 4), np.uint8), 2: np.zeros((8, 8, 4), np.uint16)}
        for image in self.images.values():
            image[:2] = rng.integers(0, 255, (2, 8, 4)) * (257 if image.itemsize == 2 else 1)
        self.result = np.zeros((THREADS * 10, 4), np.uint32)

    def run(self, engine: str, lanes: int) -> None:
        srvs: dict[Any, Any] = {0: StructuredBuffer(self.numbers, 4)}
        for n in range(6):
            srvs[f"tex[{n}]"] = Texture2D(*self.tex[n]) if n in self.tex else None
        for n, texels in self.far.items():
            srvs[2 + n, 7] = Texture2D(texels, "R32G32B32A32_FLOAT")
        for n in range(5):
            srvs[3 + n, 1] = RawBuffer(self.raw[n]) if n in self.raw else None
        uavs: dict[Any, Any] = {0: StructuredBuffer(self.result, 16)}
        uavs |= {f"outs[{n}]": RawBuffer(words) for n, words in self.outs.items()}
        formats = {0: "R8G8B8A8_UNORM", 2: "R16G16B16A16_UNORM"}
        for n in range(3):
            uavs[4 + n] = Texture2D(self.images[n], formats[n]) if n in self.images else None
        constants: dict[Any, Any] = {0: np.array([self.one, 0, 0, 0], np.uint32)}
        constants |= {(2 + n, 4): self.cbs.get(n) for n in range(4)}
        dispatch(
            load_shader(ARRAYS.read_bytes()), (1, 1, 1), constants=constants, srvs=srvs, uavs=uavs,
            engine=engine, lanes=lanes,
        )  # fmt: skip

    def texel(self, n: int, i: int) -> np.ndarray:
        if n not in self.tex:
            return np.zeros(4, np.float32)
        texels, format_ = self.tex[n]
        texel = texels[i >> 2 & 1, i & 3]
        if format_ == "R32_FLOAT":
            return np.array([texel, 0, 0, 1], np.float32)
        scale = np.float32(255) if texels.dtype == np.uint8 else np.float32(1)
        return texel.astype(np.float32) / scale

    def row(self, i: int) -> np.ndarray:
        """Return the ten vectors of thread i, and do what it does to memory."""
        n, one = int(self.numbers[i]), self.one
        y, x = i >> 2 & 1, i & 3
        rows = np.zeros((10, 4), np.uint32)
        rows[0] = self.texel(n, i).view(np.uint32)
        rows[1] = self.texel(one, i).view(np.uint32)
        for row, element in ((2, n), (3, one + 1)):
            if element in self.far:
                rows[row] = self.far[element][y, x].view(np.uint32)
        rows[4, 2] = 1 if n in self.tex else 0  # there is no second mip: no size
        if n in self.raw:
            words = np.append(self.raw[n], np.zeros(40, np.uint32))
            rows[5] = words[i : i + 4]
        if n in self.cbs:
            rows[6] = self.cbs[n][i % 3]
        if one in self.cbs and i % 4 < 3:
            rows[7] = self.cbs[one][i % 4]
        if n in self.outs:
            rows[8, 0], rows[8, 1] = self.outs[n][i & 1], self.outs[n].nbytes
            self.outs[n][i & 1] += i + 1
        if n in self.images:
            image = self.images[n]
            per_step = 257 if image.itemsize == 2 else 1
            rows[8, 2] = np.float32(image[y, x, 0]) / np.float32(255 * per_step) * np.float32(255)
            image[2 + (i >> 3), i & 7] = np.arange(i, i + 4) * per_step
        if one in self.outs:
            rows[9] = self.outs[one][2]
        return rows


@EVERY_ENGINE
@pytest.mark.parametrize("kind", ["uniform", "stepping", "random"])
@pytest.mark.parametrize("one", [0, 3, 700, OUTSIDE])
def test_arrays_of_every_kind(engine: str, lanes: int, kind: str, one: int) -> None:
    """Bounded and unbounded, mixed formats, gaps, the same numbers in several spaces."""
    numbers = numbers_of(kind, 6)
    found, wanted = Arrays(numbers, one), Arrays(numbers, one)
    found.run(engine, lanes)
    rows = np.concatenate([wanted.row(i) for i in range(THREADS)])
    bad = np.flatnonzero((found.result != rows).any(axis=1))
    assert not bad.size, f"thread {bad[0] // 10} vector {bad[0] % 10}: {found.result[bad[0]]}"
    for ours, theirs in ((found.outs, wanted.outs), (found.images, wanted.images)):
        for n, words in ours.items():
            np.testing.assert_array_equal(words, theirs[n], err_msg=str(n))
