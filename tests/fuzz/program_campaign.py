"""Run random compute programs on both engines: every bit agrees, or both give the same error.

Run as a script for long campaigns, of which several processes may each do a range of seeds:
    python tests/fuzz/program_campaign.py --count 100000 [--start N] [--functions] [--json FILE]

A seed decides a program, its resources, the number of lanes and all else; nothing else does. It
stops at the first disagreement and saves the program's listing. `--seed N` prints a program.
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
from unittest.mock import patch

import numpy as np
from random_programs import Generated, random_program
from random_resources import words

from softd3d.device.bind import bind
from softd3d.device.registers import RegisterKind, wanted_registers
from softd3d.errors import ExecutionError, InternalError, Severity, ShaderError
from softd3d.interp import interpret
from softd3d.jit.cache.disk import DiskCache
from softd3d.jit.compiling import compiler
from softd3d.jit.engine import compile_kernel
from softd3d.lower import functions as sharing
from softd3d.lower.bound import BoundProgram
from softd3d.lower.linkage import Linkage, LinkedObject, read_linkage
from softd3d.lower.messages import Message
from softd3d.lower.outcome import Outcome
from softd3d.resources.cases.comparison import compare_dwords
from softd3d.shaders.shader import Shader, load_shader
from softd3d.tools.text.assembler import assemble_tokens
from softd3d.tools.validation.binary import validate

MOST_MEMORY = 4 << 30  # bytes that a campaign's process may take
OPTIMISED = 0.05  # of programs; the others are compiled in a tenth of the time
# A loop that ends is far below these; the JIT counts an endless one's iterations by 16384.
NATIVE_BUDGET, SPARE = 1, 1000
# Waves of several vectors take more code. The widest are for short programs only.
LANES = (4,) * 14 + (8,) * 14 + (16,) * 14 + (32,) * 10 + (64,) * 5 + (256,) * 2
WIDE, MOST_LINES = 64, 70
VALIDATED = 0.125  # of programs, likewise to save time
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
    messages: tuple[Message, ...] = ()
    dropped: int = 0
    aborted: tuple[int, int, int] | None = None


class Runner:
    """A program bound to its resources, which get their first contents back before each run."""

    def __init__(self, program: Generated, tokens: bytes) -> None:
        rng = np.random.default_rng(program.seed)
        buffers = (0, 1, 2, 3) if len(program.constants) > 1 else (0,)
        constants = {n: words(rng, 96) if n in program.constants else None for n in buffers}
        made: dict[str, dict[int, Any]] = {"t": {}, "u": {}}
        for slot in program.slots:
            made[slot.name[0]] |= slot.members(rng)
        shader = load_shader(tokens)
        wanted = wanted_registers(shader.program, shader.declarations, None)
        made |= {"cb": constants, "s": dict(program.samplers)}
        given = [
            {register.number: made[letter][register.number] for register in wanted[kind]}
            for letter, kind in zip(("cb", "t", "u", "s"), RegisterKind, strict=True)
        ]
        with bound_objects(program.objects):
            self.bound = bind(
                shader, constants=given[0], srvs=given[1], uavs=given[2], samplers=given[3]
            )
        # Memory after an abort: which other groups have run is free, and how far up to a barrier.
        self.is_free_after_abort = program.groups != (1, 1, 1) or "sync" in program.text
        self.uavs = {f"u{n}": view for n, view in given[2].items() if view is not None}
        self.first = {
            name: (np.frombuffer(view.tobytes(), np.uint8), getattr(view, "counter", None))
            for name, view in self.uavs.items()
        }

    def run(self, engine: Callable[[BoundProgram], Outcome]) -> Result:
        for name, (contents, counter) in self.first.items():
            self.uavs[name].describe().data[...] = contents
            if counter is not None:
                self.uavs[name].counter = counter
        try:
            outcome = engine(self.bound)
        except InternalError:
            raise
        except ExecutionError as error:
            return Result(type(error).__name__, {}, {}, frozenset())
        said = outcome.messages, outcome.messages_dropped, outcome.aborted
        if outcome.aborted is not None and self.is_free_after_abort:
            return Result("", {}, {}, frozenset(), said[0], 0, said[2])
        return Result(
            "", {name: view.tobytes() for name, view in self.uavs.items()},
            {name: getattr(view, "counter", None) for name, view in self.uavs.items()},
            frozenset(outcome.poisoned), *said,
        )  # fmt: skip


@contextmanager
def bound_objects(tables: tuple[int, ...]) -> Iterator[None]:
    """Let `bind` link objects of these function tables: listings have no names of classes."""
    if not tables:
        yield
        return

    def link(shader: Shader, _: object) -> Linkage:
        objects = {site: LinkedObject(table) for site, table in enumerate(tables)}
        return Linkage(read_linkage(shader.program), objects)

    with patch("softd3d.device.bind._linkage", link):
        yield


def check(program: Generated, *, full: bool | None = None, validated: bool | None = None) -> str:
    """Run a program on both engines; return "done" or the kind of error.

    full: whether to compile with the optimiser; validated: whether to validate it first. None lets
    the seed decide, as it decides lanes and threads.

    Raises:
        Disagreement: with the first difference.
    """
    rng = random.Random(~program.seed)
    lanes, threads = rng.choice(LANES), rng.choice((1, 1, 2))
    if lanes > WIDE and program.text.count("\n") > MOST_LINES:
        lanes = 16
    chosen = rng.random() < OPTIMISED and lanes <= WIDE, rng.random() < VALIDATED
    full = chosen[0] if full is None else full
    tokens = assemble_tokens(program.text)
    if chosen[1] if validated is None else validated:
        broken = [f for f in validate(tokens) if f.severity is Severity.ERROR]
        if broken:
            raise Disagreement(f"the validator says: {broken[0]}")
    most = program.max_messages

    def native(bound: BoundProgram) -> Outcome:
        with optimiser(full=full):
            kernel = compile_kernel(bound, lanes=lanes, cache=NOTHING_KEPT)
        return kernel.run(
            bound, program.groups, threads=threads, budget=NATIVE_BUDGET, max_messages=most
        )

    def interpreted(bound: BoundProgram) -> Outcome:
        return interpret(bound, program.groups, budget=program.cost + SPARE, max_messages=most)

    runner = Runner(program, tokens)
    wanted, found = runner.run(interpreted), runner.run(native)
    _compare(program, wanted, found, f"{lanes} lanes, {threads} threads, optimised: {full}")
    return wanted.error or "done"


def _compare(program: Generated, wanted: Result, found: Result, how: str) -> None:
    if wanted.error != found.error:
        raise Disagreement(
            f"interpreter: {wanted.error or 'done'}, JIT: {found.error or 'done'} ({how})"
        )
    if not program.may_not_end and wanted.error and "sync" not in program.text:
        raise Disagreement(f"both engines: {wanted.error}, though the program ends")
    said = [(r.aborted, r.dropped, r.messages) for r in (wanted, found)]
    if said[0] != said[1]:
        pairs = zip(wanted.messages, found.messages, strict=False)
        first = next(((a, b) for a, b in pairs if a != b), "")
        numbers = [(len(r.messages), r.dropped, r.aborted) for r in (wanted, found)]
        raise Disagreement(f"messages, more, abort: {numbers}, first to differ: {first} ({how})")
    rules = {
        f"u{slot.number + n}": slot.rules
        for slot in program.slots if slot.is_uav for n in range(slot.length)
    }  # fmt: skip
    for name, one in wanted.outputs.items():
        other = found.outputs[name]
        if one == other:
            continue
        differences = compare_dwords(one, other, rules[name])
        if differences:
            raise Disagreement(f"{name}: {differences[0]} and {len(differences) - 1} more ({how})")
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


@contextmanager
def functions() -> Iterator[None]:
    """Make functions of all rows of more than an operation or two, as only large programs do."""
    with patch.multiple(sharing, SHARED_FROM=0, LEAST=2):
        yield


def campaign(first: int, count: int) -> Iterator[tuple[Generated, str]]:
    """Yield each program with how it ended.

    Raises:
        Disagreement: with the seed.
    """
    for seed in range(first, first + count):
        program = random_program(seed)
        try:
            outcome = check(program)
        except Disagreement as error:
            raise Disagreement(f"seed {seed}: {error}") from error
        except Exception as error:
            name = type(error).__name__ if isinstance(error, ShaderError) else "no ShaderError"
            raise Disagreement(f"seed {seed}: {name}: {error!r}") from error
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
    parser.add_argument(
        "--functions", action="store_true", help="make functions of rows, as in large programs"
    )
    options = parser.parse_args()
    if options.functions:
        with functions():
            return _run(options)
    return _run(options)


def _run(options: argparse.Namespace) -> int:
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
                print(_progress(done, outcomes, time.process_time() - start), file=sys.stderr)
    except Disagreement as error:
        path = Path(f"disagreement-{options.start + done}.asm")
        path.write_text(random_program(options.start + done).text)
        print(f"{error}\nlisting saved in {path}")
        print(_progress(done, outcomes, time.process_time() - start))
        return 1
    figures = {
        "programs": done, "first_seed": options.start, "outcomes": dict(outcomes),
        "seconds": round(time.process_time() - start, 1),
        "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "programs_with": dict(sorted(used.items())),
    }  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(_progress(done, outcomes, time.process_time() - start))
    print(
        f"seeds {options.start} to {options.start + done - 1}: {len(used)} mnemonics, "
        f"{figures['memory_mib']} MiB at most"
    )
    return 0


def _progress(done: int, outcomes: Counter[str], seconds: float) -> str:
    """Return a line: programs that agreed, the errors among them by kind, CPU time."""
    errors = {kind: n for kind, n in sorted(outcomes.items()) if kind != "done"}
    rate = 1000 * seconds / max(done, 1)
    return f"{done} agreed, errors {errors}, {seconds:.0f} s CPU, {rate:.1f} ms a program"


if __name__ == "__main__":
    sys.exit(main())
