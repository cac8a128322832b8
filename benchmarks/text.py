"""Speed of decoding, disassembling, assembling and reflecting, in MB/s of one core.

    python benchmarks/text.py [--rounds N] [PATH...]

The paths are ../shared/corpus and ../shared/samples unless given.

Every distinct container with a program of shader model 4 to 5.1 below the paths is read first. The
first round is cold: what is remembered from shader to shader has to be learned. Megabytes are of
the containers, for `decode` and `encode` of the programs alone, for `as` of the text. Times are of
this process's CPU; run nothing else beside it.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from softd3d.container.assembly import assemble, assemble_tokens
from softd3d.container.checksum import computed_checksum
from softd3d.container.dxbc import MAGIC, parse
from softd3d.container.listing import container_listing
from softd3d.device.assembler import assemble as assemble_any
from softd3d.device.identify import Kind, identify
from softd3d.device.reflection import reflect
from softd3d.device.reflection9 import reflect9
from softd3d.device.shader import load_shader
from softd3d.device.shader9 import load9
from softd3d.device.text import disassemble, disassemble_exact
from softd3d.device.validation import validate
from softd3d.errors import ShaderError
from softd3d.isa.sm1.decode import decode as decode9
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.encode import encode

MEGA = 1e6


def streams(paths: list[Path]) -> list[bytes]:
    """Return every distinct token stream of shader model 1 to 3 below the paths that is sound."""
    found: dict[bytes, bytes] = {}
    for path in paths:
        for file in sorted(path.rglob("*.bin")) if path.is_dir() else [path]:
            data = file.read_bytes()
            if identify(data).kind is Kind.SM1_TOKENS:
                try:
                    disassemble(data)
                    assemble_any(disassemble(data))
                except ShaderError:
                    continue
                found.setdefault(hashlib.sha256(data).digest(), data)
    return list(found.values())


def measure_legacy(files: list[bytes], rounds: int) -> None:
    """Measure shader model 1 to 3."""
    size = sum(map(len, files))
    print(f"{len(files)} token streams of shader model 1 to 3, {size / MEGA:.2f} MB")
    measure("decode", decode9, files, size, rounds)
    measure("dis", disassemble, files, size, rounds)
    measure("reflect", lambda data: reflect9(load9(data)), files, size, rounds)
    measure("dis --exact", disassemble_exact, files, size, rounds)
    measure("val", validate, files, size, rounds)
    listings = [disassemble(data) for data in files]
    measure("as", assemble_any, listings, sum(map(len, listings)), rounds)
    exact = [disassemble_exact(data) for data in files]
    measure("as (exact)", assemble_any, exact, sum(map(len, exact)), rounds)


def containers(paths: list[Path]) -> list[bytes]:
    """Return every distinct container below the paths that has a program of SM4.0 to 5.1."""
    found: dict[bytes, bytes] = {}
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            data = file.read_bytes() if file.is_file() else b""
            if data[:4] == MAGIC and parse(data).find("SHEX", "SHDR"):
                found.setdefault(hashlib.sha256(data).digest(), data)
    return list(found.values())


def measure(
    name: str, work: Callable[[Any], object], items: list[Any], size: int, rounds: int
) -> None:
    """Print the speed of the first round and of the best later one."""
    speeds: list[float] = []
    for _ in range(rounds):
        start = time.process_time()
        for item in items:
            work(item)
        speeds.append(size / (time.process_time() - start) / MEGA)
    warm = f"{max(speeds[1:]):8.2f}" if rounds > 1 else "       -"
    print(f"{name:<12} {size / MEGA:8.2f} {speeds[0]:8.2f} {warm}")


def texts_that_assemble(texts: list[str]) -> list[str]:
    """Return the listings that stand for themselves: with signatures, without a refusal."""
    good: list[str] = []
    for text in texts:
        try:
            assemble(text)
        except ShaderError:
            continue
        good.append(text)
    return good


def main() -> None:
    """Measure everything once."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    shared = Path(__file__).parents[2] / "shared"
    paths = arguments.paths or [shared / "corpus", shared / "samples"]
    files = containers(paths)
    whole = sum(map(len, files))
    programs = [parse(data).program_chunk.data for data in files]
    code = sum(map(len, programs))
    print(f"{len(files)} containers, {whole / MEGA:.2f} MB")
    print(f"{'':<12} {'MB':>8} {'cold':>8} {'warm':>8}  MB/s")
    rounds = arguments.rounds
    measure("decode", decode, programs, code, rounds)
    measure("encode", encode, [decode(program) for program in programs], code, rounds)
    measure("dis", lambda data: container_listing(parse(data)), files, whole, rounds)
    measure("reflect", lambda data: reflect(load_shader(data)), files, whole, rounds)
    measure("checksum", computed_checksum, files, whole, rounds)
    measure("dis --exact", disassemble_exact, files, whole, rounds)
    listings = [container_listing(parse(data)) for data in files]
    measure("as --tokens", assemble_tokens, listings, sum(map(len, listings)), rounds)
    good = texts_that_assemble(listings)
    measure("as", assemble, good, sum(map(len, good)), rounds)
    exact = [disassemble_exact(data) for data in files]
    measure("as (exact)", assemble, exact, sum(map(len, exact)), rounds)
    measure("val", validate, files, whole, rounds)
    measure_legacy(streams(paths), rounds)


if __name__ == "__main__":
    main()
