"""Run every stream of SM1-3 among the samples and the corpus on both engines, in all profiles.

Run as a script for all of them: python tests/fuzz/streams9.py [--every N]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from shader_inputs9 import differences, on_both_engines, random_given

from softd3d.errors import ShaderError
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.profile import PROFILES
from softd3d.isa.sm1.program import Program

__all__ = ["check_stream", "shader_streams"]

SHARED = Path(__file__).parents[3] / "shared"
LANES = 16


def shader_streams() -> Iterator[tuple[Path, Program]]:
    """Yield the programs that differ, with a file that has each; broken samples are left out."""
    seen: set[bytes] = set()
    folders = (SHARED / "samples/sm1_3", SHARED / "corpus/binaries")
    for path in sorted(p for folder in folders for p in folder.glob("**/*.bin")):
        data = path.read_bytes()
        digest = hashlib.sha256(data).digest()
        if not is_stream(data) or digest in seen or path.name.startswith("m_"):
            continue
        seen.add(digest)
        yield path, decode(data)


def is_stream(data: bytes) -> bool:
    version = int.from_bytes(data[:4], "little")
    return version >> 16 in set(ProgramType) and version & 0xFFFF < 0x400 and not len(data) % 4


def check_stream(path: Path, program: Program, profile: str, number: int) -> str:
    """Return what went wrong; nothing if the engines agree, and a word if both refuse it."""
    rng = np.random.default_rng(number)
    given = random_given(rng, program, LANES)
    lanes = (4, 8, 16)[number % 3]
    try:
        wanted, found = on_both_engines(program, given, profile, lanes)
    except ShaderError as error:
        return f"refused: {type(error).__name__}: {error.message}"
    bad = differences(wanted, found)
    return f"differ: {', '.join(bad)}" if bad else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--part", default="0/1", help="N/M: the N-th of M parts")
    options = parser.parse_args()
    os.environ["SOFTD3D_CACHE"] = "0"
    start, status = time.perf_counter(), Counter[str]()
    part, parts = map(int, options.part.split("/"))
    everything = list(shader_streams())
    mine = [(n, *one) for n, one in enumerate(everything) if n % options.every == 0]
    for n, path, program in mine[part::parts]:
        for profile in PROFILES:
            said = check_stream(path, program, profile, n)
            status[said.partition(":")[0] or "same"] += 1
            status[program.type.name if program.type is ProgramType.PS else "VS"] += 1
            if said:
                print(
                    f"{path.parent.name}/{path.name} {program.profile} {profile}: {said}",
                    flush=True,
                )
    print(f"{len(mine)} of {len(everything)} streams, {dict(status)}, "
          f"{time.perf_counter() - start:.0f} s")  # fmt: skip
    return 1 if status["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
