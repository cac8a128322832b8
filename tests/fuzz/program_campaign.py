"""Run random compute programs on both engines: every bit agrees, or both give the same error.

Run as a script for long campaigns, which can be split by seeds:
    python tests/fuzz/program_campaign.py --count 100000 [--start N] [--json FILE]

It stops at the first disagreement and saves the program's listing. `--seed N` prints a program.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from random_programs import Generated, random_program
from random_resources import words

from softd3d.device.assembler import assemble_tokens
from softd3d.device.bind import bind
from softd3d.device.shader import load
from softd3d.device.validation import validate
from softd3d.errors import ExecutionError, InternalError, Severity, ShaderError
from softd3d.interp import interpret
from softd3d.jit import compiler
from softd3d.jit.cache import DiskCache
from softd3d.jit.engine import compile_kernel
from softd3d.lower.bound import BoundProgram
from softd3d.lower.outcome import Outcome
from softd3d.resources.comparison import compare_dwords

MOST_MEMORY = 4 << 30  # bytes that a campaign's process may take
SLOW_SECONDS = 20.0
OPTIMISED = 0.1  # of programs; the others are compiled in a tenth of the time
# A loop that ends is far below these; the JIT counts an endless one's iterations by 16384.
NATIVE_BUDGET, SPARE = 1, 1000
LANES = (4, 4, 8, 8, 16, 16, 64, 256)  # the last two of several vectors, which takes more code
NOTHING_KEPT = DiskCache(None)  # every program of a campaign is new


class Disagreement(AssertionError):  # noqa: N818 - it is one
    """The engines differ, or one of them failed otherwise than with a ShaderError."""


@dataclass(frozen=True)
class Result:
    """What a run left: the kind of error if any, else the outputs and what is undefined."""

    error: str
    outputs: dict[str, bytes]
    counters: dict[str, int | None]
    poisoned: frozenset[tuple[str, str]]


def run(program: Generated, tokens: bytes, engine: Callable[[BoundProgram], Outcome]) -> Result:
    """Run on fresh resources, the same for every engine."""
    rng = random.Random(program.seed)
    constants = {0: words(rng, 16 * 6)}
    made: dict[str, dict[int, Any]] = {"t": {}, "u": {}}
    for slot in program.slots:
        made[slot.name[0]][slot.number] = slot.make(rng)
    bound = bind(
        load(tokens), constants=constants, srvs=made["t"], uavs=made["u"],
        samplers=dict(program.samplers),
    )  # fmt: skip
    try:
        outcome = engine(bound)
    except InternalError:
        raise
    except ExecutionError as error:
        return Result(type(error).__name__, {}, {}, frozenset())
    uavs = {f"u{number}": view for number, view in made["u"].items()}
    return Result(
        "", {name: view.tobytes() for name, view in uavs.items()},
        {name: getattr(view, "counter", None) for name, view in uavs.items()},
        frozenset(outcome.poisoned),
    )  # fmt: skip


def check(program: Generated, *, full: bool | None = None) -> str:
    """Validate a program and run it on both engines; return "done" or the kind of error.

    full: whether to compile with the optimiser; None lets the seed decide, as it decides lanes and
    threads.

    Raises:
        Disagreement: with the first difference.
    """
    rng = random.Random(~program.seed)
    lanes, threads = rng.choice(LANES), rng.choice((1, 1, 2))
    full = rng.random() < OPTIMISED if full is None else full
    tokens = assemble_tokens(program.text)
    broken = [f for f in validate(tokens) if f.severity is Severity.ERROR]
    if broken:
        raise Disagreement(f"the validator says: {broken[0]}")

    def native(bound: BoundProgram) -> Outcome:
        with optimiser(full=full):
            kernel = compile_kernel(bound, lanes=lanes, cache=NOTHING_KEPT)
        return kernel.run(bound, program.groups, threads=threads, budget=NATIVE_BUDGET)

    def interpreted(bound: BoundProgram) -> Outcome:
        return interpret(bound, program.groups, budget=program.cost + SPARE)

    wanted, found = run(program, tokens, interpreted), run(program, tokens, native)
    _compare(program, wanted, found, f"{lanes} lanes, {threads} threads, optimised: {full}")
    return wanted.error or "done"


def _compare(program: Generated, wanted: Result, found: Result, how: str) -> None:
    if wanted.error != found.error:
        raise Disagreement(
            f"interpreter: {wanted.error or 'done'}, JIT: {found.error or 'done'} ({how})"
        )
    if not program.may_not_end and wanted.error and "sync" not in program.text:
        raise Disagreement(f"both engines: {wanted.error}, though the program ends")
    for slot in program.slots:
        one, other = (result.outputs.get(slot.name, b"") for result in (wanted, found))
        if one == other:
            continue
        differences = compare_dwords(one, other, slot.rules)
        if differences:
            raise Disagreement(
                f"{slot.name}: {differences[0]} and {len(differences) - 1} more ({how})"
            )
    if wanted.counters != found.counters:
        raise Disagreement(f"counters {wanted.counters} and {found.counters} ({how})")
    if wanted.poisoned != found.poisoned:
        one, other = wanted.poisoned - found.poisoned, found.poisoned - wanted.poisoned
        raise Disagreement(f"undefined by interpreter only {one}, by JIT only {other} ({how})")


@contextmanager
def optimiser(*, full: bool) -> Iterator[None]:
    """Let programs of any size be compiled with the optimiser, or quickly without it."""
    old = compiler.LARGE_LINES
    compiler.LARGE_LINES = 1 << 30 if full else 0
    try:
        yield
    finally:
        compiler.LARGE_LINES = old


def campaign(first: int, count: int) -> Iterator[tuple[Generated, str]]:
    """Yield each program with how it ended.

    Raises:
        Disagreement: with the seed.
    """
    for seed in range(first, first + count):
        start = time.monotonic()
        program = random_program(seed)
        try:
            outcome = check(program)
        except Disagreement as error:
            raise Disagreement(f"seed {seed}: {error}") from error
        except Exception as error:
            name = type(error).__name__ if isinstance(error, ShaderError) else "no ShaderError"
            raise Disagreement(f"seed {seed}: {name}: {error!r}") from error
        if time.monotonic() - start > SLOW_SECONDS:
            raise Disagreement(f"seed {seed}: took more than {SLOW_SECONDS} seconds")
        yield program, outcome


def mnemonics(text: str) -> set[str]:
    """Return the first words of a listing's lines."""
    return {line.split(" ", 1)[0].partition("_aoffimmi")[0] for line in text.splitlines()}


def main() -> int:
    """Run a campaign; the exit status is 1 after a disagreement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    parser.add_argument("--seed", type=int, help="print the program of one seed and check it")
    options = parser.parse_args()
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    if options.seed is not None:
        program = random_program(options.seed)
        print(program.text)
        print(check(program))
        return 0
    outcomes: Counter[str] = Counter()
    used: Counter[str] = Counter()
    start, done = time.process_time(), 0
    try:
        for program, outcome in campaign(options.start, options.count):
            outcomes[outcome] += 1
            used.update(mnemonics(program.text))
            done += 1
            if done % 1000 == 0:
                rate = (time.process_time() - start) / done
                print(f"seed {program.seed}: {1000 * rate:.1f} ms a program", file=sys.stderr)
    except Disagreement as error:
        path = Path(f"disagreement-{options.start + done}.asm")
        path.write_text(random_program(options.start + done).text)
        print(f"{error}\nlisting saved in {path}; programs before it that agreed: {done}")
        return 1
    figures = {
        "programs": done, "first_seed": options.start, "outcomes": dict(outcomes),
        "seconds": round(time.process_time() - start, 1),
        "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "programs_with": dict(sorted(used.items())),
    }  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(f"{done} programs from seed {options.start} agree: {dict(outcomes)}")
    print(f"{len(used)} mnemonics, {figures['seconds']} s, {figures['memory_mib']} MiB at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
