"""Speed of converting formats, in millions of texels and GB a second of one thread.

    python benchmarks/formats.py [--extent N] [--rounds N]

Images are N x N random texels or blocks (4096 unless given), so that blocks have all modes. GB
count what is read and what is written. Pillow and texture2ddecoder are measured beside where they
are installed; both decode to 8 bits a channel.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.resources.transfer.conversion import convert, decode, encode

GIGA, MEGA = 1e9, 1e6
DECODED = ("R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB", "B5G6R5_UNORM", "R16G16B16A16_UNORM",
           "R16G16B16A16_FLOAT", "R11G11B10_FLOAT", "R9G9B9E5_SHAREDEXP")  # fmt: skip
BLOCKS = {"BC1_UNORM": 8, "BC3_UNORM": 16, "BC7_UNORM": 16}
ENCODED = ("R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB", "R16G16B16A16_FLOAT", "R16G16B16A16_UNORM",
           "BC1_UNORM", "BC3_UNORM", "BC4_UNORM")  # fmt: skip
BYTES = {"R16G16B16A16_UNORM": 8, "R16G16B16A16_FLOAT": 8, "B5G6R5_UNORM": 2}


def measure(name: str, work: Callable[[], Any], texels: int, size: int, rounds: int) -> None:
    """Print the best speed of some rounds; size: bytes read and, beside arrays, written."""
    best = min(_seconds(work) for _ in range(rounds))
    gigabytes = f"{size / best / GIGA:8.2f}" if size else "       -"
    print(f"{name:<44} {texels / best / MEGA:10.1f} {gigabytes}")


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ours(extent: int, rounds: int) -> None:
    """Measure this package."""
    random = np.random.default_rng(1)
    texels = extent * extent
    for name in DECODED:
        size = BYTES.get(name, 4)
        data = random.integers(0, 256, (extent, extent, size), dtype=np.uint8)
        measure(f"{name} to floats", lambda d=data, n=name: decode(d, n), texels,
                texels * (size + 16), rounds)  # fmt: skip
    data = random.integers(0, 256, (extent, extent, 4), dtype=np.uint8)
    measure("R8G8B8A8_UNORM to R32G32B32A32_FLOAT",
            lambda: convert(data, "R8G8B8A8_UNORM", "R32G32B32A32_FLOAT"), texels, texels * 20,
            rounds)  # fmt: skip
    for name, size in BLOCKS.items():
        blocks = _blocks(random, extent, size)
        measure(f"{name} to R8G8B8A8_UNORM",
                lambda b=blocks, n=name: convert(b, n, "R8G8B8A8_UNORM"), texels,
                texels * size // 16 + texels * 4, rounds)  # fmt: skip
    blocks = _blocks(random, extent, 16)
    measure("BC6H_UF16 to R16G16B16A16_FLOAT",
            lambda: convert(blocks, "BC6H_UF16", "R16G16B16A16_FLOAT"), texels, texels * 9,
            rounds)  # fmt: skip
    small = extent // 4
    values = random.random((small, small, 4), dtype=np.float32)
    for name in ENCODED:
        measure(f"floats to {name}", lambda n=name: encode(values, n), small * small, 0, rounds)


def _blocks(random: np.random.Generator, extent: int, size: int) -> NDArray[np.uint8]:
    return random.integers(0, 256, (extent // 4, extent // 4, size), dtype=np.uint8)


def others(extent: int, rounds: int) -> None:
    """Measure Pillow's and texture2ddecoder's block decoders on blocks of the same kind."""
    random = np.random.default_rng(1)
    numbers = {"BC1_UNORM": 1, "BC3_UNORM": 3, "BC7_UNORM": 7}
    for name, number in numbers.items():
        data = _blocks(random, extent, BLOCKS[name]).tobytes()
        texels = extent * extent
        image = _optional("PIL.Image")
        if image is not None:
            measure(f"{name}, Pillow", lambda d=data, n=number, i=image: i.frombytes(
                "RGBA", (extent, extent), d, "bcn", n), texels, 0, rounds)  # fmt: skip
        decoder = _optional("texture2ddecoder")
        if decoder is not None:
            work = getattr(decoder, f"decode_bc{number}")
            measure(f"{name}, texture2ddecoder", lambda d=data, w=work: w(d, extent, extent),
                    texels, 0, rounds)  # fmt: skip


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def main() -> None:
    """Measure all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extent", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{'':<44} {'Mtexels/s':>10} {'GB/s':>8}")
    ours(arguments.extent, arguments.rounds)
    others(arguments.extent, arguments.rounds)


if __name__ == "__main__":
    main()
