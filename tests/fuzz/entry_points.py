"""Damage files and texts and give them to every entry point that reads them.

Only a ShaderError may come back, soon. Run as a script for long campaigns:
    python tests/fuzz/entry_points.py --count 1000000 [--start N] [--family d3d9]
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from mutate import mutated

from softd3d.container.dxbc.carve import carve
from softd3d.container.dxbc.chunks import read_chunk, write_chunk
from softd3d.container.dxbc.container import parse
from softd3d.container.dxbc.hashes import hashes
from softd3d.container.dxbc.parts import BlobPart, get_part
from softd3d.container.dxbc.strip import StripFlags, strip
from softd3d.container.effects.d3d9.effect import build_effect9
from softd3d.container.effects.d3d10.effect import build_effect
from softd3d.errors import InternalError, ShaderError
from softd3d.isa.asm.options import Dialect, ListingOptions, Literals
from softd3d.shaders.effects.d3d9 import load_effect9
from softd3d.shaders.effects.d3d10 import Effect10
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.loading import load
from softd3d.shaders.shader import load_shader
from softd3d.shaders.token_stream import load9
from softd3d.tools.reflection.shader import reflect
from softd3d.tools.summary.inputs import summarise
from softd3d.tools.text.assembler import assemble, assemble_tokens
from softd3d.tools.text.disassembler import disassemble, disassemble_exact
from softd3d.tools.validation.binary import validate

MOST_MEMORY = 4 << 30  # bytes that a campaign's process may take
OPTIONS = (
    ListingOptions(),
    ListingOptions(dialect=Dialect.D3D9_30),
    ListingOptions(dialect=Dialect.D3D9_29),
    ListingOptions(literals=Literals.HEX, numbers=True, offsets=True, debug=False),
)


def listings(data: bytes) -> None:
    for options in OPTIONS:
        disassemble(data, options)


def exact(data: bytes) -> None:
    text = disassemble_exact(data)
    if data[:4] == b"DXBC":
        assert assemble(text) == data
    else:
        assert assemble_tokens(text) == data


def reassembled(data: bytes) -> None:
    """Assemble the plain listing, and with the file itself as template."""
    text = disassemble(data)
    try:
        assemble(text)
    except ShaderError:
        assemble(text, data)


def reflection(data: bytes) -> None:
    shader = load_shader(data)
    reflect(shader)
    assert isinstance(shader.dtypes, dict)


def chunks(data: bytes) -> None:
    """Read every chunk; write what was read; it must read the same again."""
    for chunk in parse(data).chunks:
        try:
            read = read_chunk(chunk)
        except InternalError:
            raise
        except ShaderError:
            continue
        write_chunk(chunk.fourcc, read)


def edits(data: bytes) -> None:
    for flags in (StripFlags.REFLECTION_DATA, StripFlags.DEBUG_INFO | StripFlags.PRIVATE_DATA):
        parse(strip(data, flags))
    for part in BlobPart:
        try:
            get_part(data, part)
        except InternalError:
            raise
        except ShaderError:
            continue


def digests(data: bytes) -> None:
    hashes(data)
    for hit in carve(data, nested=True):
        assert data[hit.offset : hit.end]


BINARY: dict[str, Callable[[bytes], object]] = {
    "info": summarise,
    "dis": listings,
    "dis --exact": exact,
    "as of dis": reassembled,
    "reflect": reflection,
    "val": validate,
    "chunks": chunks,
    "dxbc": edits,
    "hash, scan": digests,
}


def constants(data: bytes) -> None:
    """Read what the constant table of a Direct3D 9 shader says."""
    load9(data).constant_table  # noqa: B018 - read when it is asked for


def effects(data: bytes) -> None:
    effect = load_effect9(data)
    assert build_effect9(effect.records)
    assert effect.listing


D3D9: dict[str, Callable[[bytes], object]] = {
    "info": summarise,
    "dis": listings,
    "dis --exact": exact,
    "as of dis": reassembled,
    "constants": constants,
    "val": validate,
    "hash, scan": digests,
}
EFFECTS: dict[str, Callable[[bytes], object]] = {"effect": effects, "info": summarise}


def effects10(data: bytes) -> None:
    effect = load(data)
    assert isinstance(effect, Effect10)
    assert build_effect(effect.records)
    for index, shader in enumerate(effect.shaders):
        assert shader.place
        effect.with_shader(index, shader.data)


EFFECTS10: dict[str, Callable[[bytes], object]] = {
    "effect": effects10,
    "info": summarise,
    "dis": listings,
    "val": validate,
    "chunks": chunks,
    "hash, scan": digests,
}


def mutated_text(text: str, rng: random.Random) -> str:
    """Return a text with characters, words or lines changed, moved or doubled."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(lines))
        line = lines[at]
        kind = rng.randrange(7)
        spot = rng.randrange(len(line) + 1)
        if kind == 0:
            lines[at] = (
                line[:spot] + chr(rng.choice((32, 44, 46, 48, 91, 123, 255, 0x3B1))) + line[spot:]
            )
        elif kind == 1:
            lines[at] = line[:spot] + line[spot + rng.randrange(1, 4) :]
        elif kind == 2:
            del lines[at]
            lines = lines or [""]
        elif kind == 3:
            lines.insert(at, rng.choice(lines))
        elif kind == 4:
            words = line.split(" ")
            words[rng.randrange(len(words))] = rng.choice(rng.choice(lines).split(" "))
            lines[at] = " ".join(words)
        elif kind == 5:
            lines[at] = line[:spot] + str(rng.choice((0, -1, 2**31, 2**64, 1e40))) + line[spot:]
        else:
            lines[at] = line.swapcase()
    return "\n".join(lines)


def entries_for(sample: bytes) -> dict[str, Callable[[bytes], object]]:
    """Return the entry points for a kind of sample."""
    kind = identify(sample).kind
    if kind in (Kind.EFFECT, Kind.XNB):
        return EFFECTS
    if kind is Kind.EFFECT10 or (kind is Kind.CONTAINER and parse(sample).find("FX10")):
        return EFFECTS10
    return D3D9 if kind is Kind.SM1_TOKENS else BINARY


def campaign(samples: list[bytes], first: int, count: int) -> Iterator[tuple[int, str, str]]:
    """Yield (seed, entry point, outcome); every fifth input is a damaged text."""
    texts: dict[int, list[str]] = {}
    for seed in range(first, first + count):
        rng = random.Random(seed)
        index = rng.randrange(len(samples))
        sample = samples[index]
        try:
            entries = entries_for(sample)
            if seed % 5 == 0 and entries in (BINARY, D3D9):
                name = "as"
                if index not in texts:
                    texts[index] = [disassemble(sample), disassemble_exact(sample)]
                text = mutated_text(rng.choice(texts[index]), rng)
                outcome = ended(lambda _: assemble(text), sample)  # noqa: B023 - called at once
            else:
                name = rng.choice(list(entries))
                outcome = ended(entries[name], mutated(sample, rng))
        except Exception as error:
            raise AssertionError(f"seed {seed}: {type(error).__name__}: {error}") from error
        yield seed, name, outcome


def ended(work: Callable[[bytes], object], data: bytes) -> str:
    """Return how an entry point ended. Anything but a ShaderError propagates."""
    try:
        work(data)
    except InternalError:
        raise
    except ShaderError as error:
        return type(error).__name__
    return "done"


def modern_samples(root: Path) -> list[bytes]:
    files = sorted(root.glob("src/softd3d/samples/*.dxbc"))
    files += sorted(root.glob("tests/unit/container/data/*.dxbc"))
    files += sorted((root.parent / "shared/samples/sm4_5").glob("*.dxbc"))
    samples = [file.read_bytes() for file in files]
    return samples + [c.data for data in samples if (c := parse(data).find("SHEX", "SHDR"))]


def effect_samples(root: Path) -> list[bytes]:
    files = sorted(root.glob("tests/unit/container/data/effects10/*.*x*"))
    return [file.read_bytes() for file in files if file.suffix in (".dxbc", ".fxo")]


def legacy_samples(root: Path) -> list[bytes]:
    files = sorted(root.glob("tests/unit/container/data/effect9/*.fxo"))
    files += sorted((root.parent / "shared/samples/sm1_3").rglob("*.bin"))
    samples = [file.read_bytes() for file in files]
    return [data for data in samples if ended(disassemble, data) == "done"]


FAMILIES: dict[str, Callable[[Path], list[bytes]]] = {
    "dxbc": modern_samples,
    "d3d9": legacy_samples,
    "effects10": effect_samples,
}


def main() -> int:
    """Run a campaign over the shared samples."""
    from rich.progress import track

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--family", choices=tuple(FAMILIES), default="dxbc")
    options = parser.parse_args()
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    root = Path(__file__).parents[2]
    samples = FAMILIES[options.family](root)
    counts: Counter[tuple[str, str]] = Counter()
    run = campaign(samples, options.start, options.count)
    for _, name, outcome in track(run, "mutations", total=options.count):
        counts[name, outcome] += 1
    print(f"{options.count} mutations of {len(samples)} inputs from seed {options.start}")
    for (name, outcome), number in sorted(counts.items()):
        print(f"{number:8} {name}: {outcome}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
