"""Run damaged streams of SM1-3 with textures: a result or a ShaderError, of both engines the same.

Run as a script for long campaigns, of which several processes may each do a range of seeds:
    python tests/fuzz/stream9_campaign.py --count 200000 [--start N] [--every N]

A seed decides stream, damage, textures and all else. The interpreter runs each one, the JIT one of
`every`, whose results must be the same. It stops at the first failure; `--seed N` repeats one.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from mutate import mutated
from program_campaign import optimiser
from shader_inputs9 import differences, random_given
from streams9 import shader_streams

from softd3d.device.evaluation import evaluate
from softd3d.errors import ExecutionError, InternalError, ShaderError
from softd3d.isa.roles import Flow
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.profile import PROFILES
from softd3d.isa.sm1.program import Program
from softd3d.isa.sm1.tokens import row_of
from softd3d.lower.watch import Watch

LANES = 8
BUDGET = {"interpreter": 2_000, "jit": 20_000}
SECONDS = 5.0
EVERY = 10  # of the mutations, one runs on both engines
_OWN = sorted((Path(__file__).parents[1] / "unit/isa/data/sm1").glob("*.bin"))
_VERSION_BYTES = 4


class Failure(AssertionError):  # noqa: N818 - it is one
    """The engines differ, or one of them failed otherwise than with a ShaderError."""


@cache
def seeds() -> Sequence[bytes]:
    """Return the streams that are damaged: those of the samples where they are, or our own."""
    shared = [path.read_bytes() for path, _ in shader_streams()]
    return shared or [path.read_bytes() for path in _OWN]


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return a stream with some damage behind its version, or rarely in that, too."""
    if rng.random() < 0.5:
        return damaged_words(data, rng)
    start = 0 if rng.random() < 0.05 else _VERSION_BYTES
    return data[:start] + mutated(data[start:], rng)


def damaged_words(data: bytes, rng: random.Random) -> bytes:
    """Return a stream in which fields of some tokens are those of others: most of these decode."""
    words = np.frombuffer(data[: len(data) & ~3], np.uint32).copy()
    for _ in range(rng.randrange(1, 5)):
        if len(words) < 4:
            break
        at, other = rng.randrange(1, len(words)), rng.randrange(1, len(words))
        mask = rng.choice((0x0000FFFF, 0x00FF0000, 0x0F000000, 0x70001800, 0x7FF, 0x000F0000, 0xFF))
        value = words[other] if rng.random() < 0.6 else np.uint32(rng.getrandbits(32))
        words[at] = (words[at] & np.uint32(~mask & 0xFFFFFFFF)) | (value & np.uint32(mask))
    return words.tobytes()


def has_flow(program: Program) -> bool:
    rows = (row_of(i.opcode, program.type, program.version) for i in program.instructions)
    return any(
        row is not None and row.flow in (Flow.IF, Flow.LOOP, Flow.REP, Flow.CALL) for row in rows
    )


def executed(
    program: Program, given: dict[str, object], profile: str, engine: str, lanes: int
) -> dict[str, np.ndarray] | str:
    """Return results, or the kind of error; what ran out of budget is 'stopped'.

    Raises:
        Failure: another error than a ShaderError.
    """
    try:
        with optimiser(full=False):
            return evaluate(
                program, **given, profile=profile, engine=engine, lanes=lanes,
                budget=BUDGET[engine], watch=Watch(seconds=SECONDS),
            )  # fmt: skip
    except InternalError:
        raise
    except ExecutionError:
        return "stopped"
    except ShaderError as error:
        return type(error).__name__


def check(seed: int, *, both: bool) -> str:
    """Run a damaged stream; return how it ended.

    Raises:
        Failure: with what differs. Exception: what no error of ours is.
    """
    rng = random.Random(seed)
    data = damaged(rng.choice(seeds()), rng)
    numbers = np.random.default_rng(seed)
    profile = rng.choice(list(PROFILES))
    try:
        program = decode(data)
        given = random_given(numbers, program, LANES)
    except InternalError:
        raise
    except ShaderError as error:
        return type(error).__name__
    wanted = executed(program, given, profile, "interpreter", 0)
    if not both:
        return wanted if isinstance(wanted, str) else "done"
    found = executed(program, given, profile, "jit", rng.choice((4, 8, 16)))
    if isinstance(wanted, str) or isinstance(found, str):
        ends = {end if isinstance(end, str) else "done" for end in (wanted, found)}
        # Only the JIT looks at what no lane reaches.
        is_unreached = not isinstance(wanted, str) and found == "DecodeError" and has_flow(program)
        is_excused = is_unreached or ends & {"stopped", "LoweringError"}
        if len(ends) > 1 and not is_excused:
            raise Failure(f"seed {seed}: interpreter and JIT end with {ends} ({profile})")
        return f"both: {min(ends)}"
    bad = differences(wanted, found)
    if bad:
        raise Failure(f"seed {seed}: {', '.join(bad)} differ ({profile})")
    return "both: done"


def campaign(first: int, count: int, every: int = EVERY) -> Iterator[str]:
    """Yield how each damaged stream ended.

    Raises:
        Failure: with the seed.
    """
    for seed in range(first, first + count):
        try:
            yield check(seed, both=seed % every == 0)
        except Failure:
            raise
        except Exception as error:
            raise Failure(f"seed {seed}: {type(error).__name__}: {error}") from error


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--every", type=int, default=EVERY)
    parser.add_argument("--seed", type=int, help="repeat one")
    options = parser.parse_args()
    warnings.simplefilter("error")
    os.environ["SOFTD3D_CACHE"] = "0"
    if options.seed is not None:
        print(check(options.seed, both=True))
        return 0
    start, ends = time.perf_counter(), Counter[str]()
    try:
        for n, end in enumerate(campaign(options.start, options.count, options.every)):
            ends[end] += 1
            if n % 5000 == 4999:
                print(n + 1, dict(ends), f"{time.perf_counter() - start:.0f} s", flush=True)
    except Failure:
        traceback.print_exc()
        return 1
    print(dict(ends), f"{time.perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
