"""Damage DDS files and read them in both modes. Only a ShaderError may come back.

Run as a script for long campaigns:  python tests/fuzz/dds_campaign.py --count 1000000 [--start N]
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from softd3d.errors import InternalError, ShaderError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Scheme
from softd3d.resources.dds.file import read_dds, write_dds
from softd3d.resources.dds.header import Dimension
from softd3d.resources.dds.image import DdsImage, slice_bytes
from softd3d.resources.dds.pixel_formats import legacy_of
from softd3d.resources.dds.shape import FACE_NAMES, Shape
from softd3d.resources.dds.texels import decoded_level, to_texture

MOST_MEMORY = 2 << 30  # bytes that a campaign's process may take
HEADER_DWORDS = 37  # with the one of Direct3D 10
VALUES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 24, 32, 64, 124, 2048, 2049, 16384, 16385, 65536,
          0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x200, 0xFE00, 0x200000, 0x800000,
          0x1007, 0x21007, 0x801007, 0x41, 0x20, 0x30315844, 0x31545844, 0x35545844)  # fmt: skip


def dds(data: bytes, *, texels: bool = True) -> None:
    """Read a file tolerantly and strictly; write what was read, which must read the same again.

    texels: whether to decode them, too, which takes most of the time.
    """
    for strict in (True, False):
        try:
            image = read_dds(data, strict=strict)
        except InternalError:
            raise
        except ShaderError:
            if not strict:
                raise
            continue
        assert len(image.data) <= len(data)
        image.subresource(image.mips - 1, image.slices - 1)
        if texels:
            decoded(image)
        again = read_dds(write_dds(image))
        assert (again.shape, again.data) == (image.shape, image.data)


def decoded(image: DdsImage) -> None:
    """Decode the smallest mip, and make a texture of the whole, where its format has numbers."""
    for work in (lambda: decoded_level(image, image.mips - 1), lambda: to_texture(image)):
        try:
            work()
        except InternalError:
            raise
        except ShaderError:
            return


def mutated_dds(data: bytes, rng: random.Random) -> bytes:
    """Return `data` with fields of its header changed, or cut, or lengthened."""
    out = bytearray(data)
    if len(out) < 4:
        return data
    words = min(HEADER_DWORDS, len(out) // 4)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        kind = rng.randrange(8)
        at = 4 * rng.randrange(words)
        if kind < 3:
            out[at : at + 4] = rng.choice(VALUES).to_bytes(4, "little")
        elif kind == 3:
            out[at : at + 4] = rng.randrange(200).to_bytes(4, "little")
        elif kind == 4:
            out[at + rng.randrange(4)] ^= 1 << rng.randrange(8)
        elif kind == 5:
            other = 4 * rng.randrange(words)
            out[at : at + 4] = out[other : other + 4]
        elif kind == 6:
            del out[rng.randrange(len(out)) if rng.random() < 0.5 else len(out) - 1 :]
            words = min(words, len(out) // 4)
            if not words:
                break
        else:
            out += bytes(rng.randrange(1, 40))
    return bytes(out)


def own_samples() -> list[bytes]:
    """Files of many formats and all layouts, made here."""
    rng = random.Random(0)
    formats = [f for f in DXGI_FORMATS.values() if f.scheme not in (Scheme.OPAQUE, Scheme.NOTHING)]
    samples: list[bytes] = []
    for number, format_ in enumerate(formats):
        shape = (
            Shape(format_, Dimension.TEXTURE2D, 9, 6, mips=4),
            Shape(format_, Dimension.TEXTURE2D, 4, 4, mips=3, faces=FACE_NAMES),
            Shape(format_, Dimension.TEXTURE3D, 5, 2, 4, mips=3),
            Shape(format_, Dimension.TEXTURE1D, 7, array_size=3),
        )[number % 4]
        data = rng.randbytes(shape.slices * slice_bytes(shape))
        samples.append(write_dds(DdsImage(shape, data), legacy=False))
        row = legacy_of(format_)
        if row is not None and not row.has_palette and number % 4 != 3:
            samples.append(write_dds(DdsImage(shape, data), legacy=True))
    assert len(samples) > 100
    return samples


def campaign(
    samples: list[bytes], first: int, count: int, *, texels_every: int = 1
) -> Iterator[tuple[int, str]]:
    """Yield (seed, outcome) for `count` mutations; texels of every so many are decoded."""
    for seed in range(first, first + count):
        rng = random.Random(seed)
        data = mutated_dds(rng.choice(samples), rng)
        outcome = "read"
        try:
            dds(data, texels=seed % texels_every == 0)
        except InternalError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
        except ShaderError as error:
            outcome = str(getattr(error, "problem", type(error).__name__))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
        yield seed, outcome


def main() -> int:
    """Run a campaign over files made here and the shared ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--texels-every", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    shared = Path(__file__).parents[3] / "shared/dds"
    samples = own_samples() + [f.read_bytes() for f in sorted(shared.glob("*/*.dds"))]
    run = campaign(samples, options.start, options.count, texels_every=options.texels_every)
    counts = Counter(outcome for _, outcome in run)
    print(f"{options.count} mutations of {len(samples)} files from seed {options.start}")
    for outcome, number in counts.most_common():
        print(f"{number:8} {outcome}")
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB of memory at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
