"""Damage shaders and use them as a user would: look, list, run. Only a ShaderError may come back.

Run as a script for long campaigns:  python tests/fuzz/mutate.py --count 200000 [--seed N]
An interrupted campaign goes on with --start; a failure prints the seed that repeats it.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from softd3d import Dispatch, RawBuffer, StructuredBuffer, TypedBuffer, load
from softd3d.errors import InternalError, ShaderError
from softd3d.formats.dxgi import format_named
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import ResourceDimension as D
from softd3d.isa.sm4.enums import ReturnType
from softd3d.lower.declarations import Declarations
from softd3d.lower.declared import ViewDeclaration
from softd3d.resources.textures import texture as textures
from softd3d.tools.summary.inputs import summarise

BUDGET = {"interpreter": 3_000, "jit": 200_000}
FORMATS = {ReturnType.SINT: "R32_SINT", ReturnType.UINT: "R32_UINT", ReturnType.UNORM: "R8_UNORM",
           ReturnType.SNORM: "R8_SNORM"}  # fmt: skip
TEXTURES = {
    D.TEXTURE1D: textures.Texture1D, D.TEXTURE1DARRAY: textures.Texture1DArray,
    D.TEXTURE2D: textures.Texture2D, D.TEXTURE2DARRAY: textures.Texture2DArray,
    D.TEXTURE3D: textures.Texture3D, D.TEXTURECUBE: textures.TextureCube,
    D.TEXTURECUBEARRAY: textures.TextureCubeArray, D.TEXTURE2DMS: textures.Texture2DMS,
    D.TEXTURE2DMSARRAY: textures.Texture2DMSArray,
}  # fmt: skip


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return `data` with a few bytes, bits or dwords changed, moved, cut or doubled.

    Half of the time only inside the program, without changing lengths: that gets furthest.
    """
    out = bytearray(data)
    start = max(data.find(b"SHEX"), data.find(b"SHDR"))
    if start > 0 and rng.random() < 0.5:
        size = int.from_bytes(data[start + 4 : start + 8], "little")
        return (
            data[: start + 16]
            + scrambled(data[start + 16 : start + 8 + size], rng)
            + (data[start + 8 + size :])
        )
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if len(out) < 8:
            return bytes(out)
        at = rng.randrange(len(out))
        word = at & ~3
        kind = rng.randrange(7)
        if kind == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            out[at] = rng.randrange(256)
        elif kind == 2:
            value = rng.choice((0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, rng.getrandbits(32)))
            out[word : word + 4] = value.to_bytes(4, "little")
        elif kind == 3:
            other = rng.randrange(len(out)) & ~3
            out[word : word + 4] = out[other : other + 4]
        elif kind == 4:
            del out[word : word + 4 * rng.randrange(1, 5)]
        elif kind == 5:
            out[word:word] = out[word : word + 4 * rng.randrange(1, 5)]
        else:
            del out[rng.randrange(len(out)) :]
    return bytes(out)


def scrambled(data: bytes, rng: random.Random) -> bytes:
    """Return `data` with one to three dwords changed, its length kept."""
    out = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        word, other = (rng.randrange(len(out) // 4) * 4 for _ in range(2))
        kind = rng.randrange(4)
        if kind == 0:
            out[word + rng.randrange(4)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            value = rng.choice((0, 1, 2, 3, 4, 16, 0xFFFFFFFF, 0x80000000, rng.getrandbits(32)))
            out[word : word + 4] = value.to_bytes(4, "little")
        elif kind == 2:
            out[word : word + 4] = out[other : other + 4]
        else:
            out[word + rng.randrange(4)] = rng.randrange(256)
    return bytes(out)


def resource(view: ViewDeclaration) -> object:
    """Return something small that fits a declaration."""
    if view.kind is ViewKind.RAW:
        return RawBuffer(np.zeros(64, np.uint32))
    if view.kind is ViewKind.STRUCTURED:
        return StructuredBuffer(np.zeros(view.stride * 8, np.uint8), view.stride, counter=3)
    kinds = [ReturnType(t) for t in view.return_types[:1] if t in set(ReturnType)]
    row = format_named(FORMATS.get(kinds[0], "R32_FLOAT") if kinds else "R32_FLOAT")
    if view.dimension is D.BUFFER:
        dtype = {"R32_FLOAT": "f4", "R32_SINT": "i4", "R32_UINT": "u4", "R8_UNORM": "u1",
                 "R8_SNORM": "i1"}[row.name]  # fmt: skip
        return TypedBuffer(np.zeros(32, dtype), row)
    cls = TEXTURES[view.dimension]
    slices = 6 if "CUBE" in view.dimension.name else 2 if "ARRAY" in view.dimension.name else 1
    flat = "1D" in view.dimension.name
    samples = 2 if "MS" in view.dimension.name else 1
    depth = 2 if view.dimension is D.TEXTURE3D else 1
    height = 1 if flat else 4
    size = 4 * height * depth * slices * samples * row.bytes_per_texel
    return cls.from_bytes(
        bytes(size),
        row,
        width=4,
        height=height,
        depth=depth,
        array_size=slices,
        sample_count=samples,
    )


def bindings(d: Declarations) -> dict[str, dict[object, object]]:
    """Return resources for everything that a program declares."""
    tables: dict[str, dict[object, object]] = {"constants": {}, "srvs": {}, "uavs": {}}
    for view in d.views.values():
        table = tables["srvs" if view.memory.value == "t" else "uavs"]
        for register in range(view.lower, min(view.upper, view.lower + 3) + 1):
            table[register, view.space] = resource(view)
    for buffer in d.buffers.values():
        for register in range(buffer.lower, min(buffer.upper, buffer.lower + 3) + 1):
            tables["constants"][register, buffer.space] = bytes(range(256)) * 2
    return tables


def attempt(data: bytes, engines: tuple[str, ...]) -> str:
    """Use an input in every way; return how it ended. Anything but a ShaderError propagates."""
    outcome = "looked at"
    try:
        summarise(data)
    except InternalError:
        raise
    except ShaderError:
        outcome = "refused"
    try:
        shader = load(data)
        str(shader)
        tables = bindings(shader.declarations)
        for engine in engines:
            Dispatch(shader, (1, 1, 1), engine=engine, budget=BUDGET[engine], **tables)()
            outcome = "run"
    except InternalError:
        raise
    except ShaderError as error:
        outcome = type(error).__name__
    return outcome


def campaign(
    samples: list[bytes], first: int, count: int, *, jit_every: int
) -> Iterator[tuple[int, str]]:
    """Yield (seed, outcome) for `count` mutations; every `jit_every`-th also runs compiled."""
    for seed in range(first, first + count):
        rng = random.Random(seed)
        data = mutated(rng.choice(samples), rng)
        compiled = jit_every > 0 and seed % jit_every == 0
        engines = ("interpreter", "jit") if compiled else ("interpreter",)
        try:
            outcome = attempt(data, engines)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
        yield seed, outcome


def main() -> int:
    """Run a campaign over the shipped and the shared samples."""
    from rich.progress import track

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--jit-every", type=int, default=100)
    options = parser.parse_args()
    warnings.simplefilter("error")
    root = Path(__file__).parents[2]
    files = sorted(root.glob("src/softd3d/samples/*.dxbc"))
    files += sorted((root.parent / "shared/samples/sm4_5").glob("*.dxbc"))
    samples = [f.read_bytes() for f in files]
    counts: Counter[str] = Counter()
    run = campaign(samples, options.start, options.count, jit_every=options.jit_every)
    for _, outcome in track(run, "mutations", total=options.count):
        counts[outcome] += 1
    print(f"{options.count} mutations of {len(samples)} files from seed {options.start}")
    for outcome, number in counts.most_common():
        print(f"{number:8} {outcome}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
