"""Run hostile draws on both engines: a result or a ShaderError, the same bits, in bounded time.

Run as a script for long campaigns:
    python tests/fuzz/draw_campaign.py --count 20000 [--start N] [--json FILE] [--keep-on]

Draws are of one kind 100 at a time, and kernels are compiled once for a kind; the numbers of a kind
and a draw decide all else. Memory lies beside protected pages, so that an access outside ends the
process: --trace FILE holds the number of the draw under way. It stops at the first failure, unless
told to keep on; `--seed N` repeats one draw.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import re
import resource
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from hostile_draws import HostileDraw, Kind, hostile_draw, random_kind
from numpy.typing import NDArray
from program_campaign import NOTHING_KEPT, optimiser

from softd3d.device.draw import Draw
from softd3d.errors import InternalError, ShaderError
from softd3d.formats.layout import Format
from softd3d.pipeline.queries import DrawResult
from softd3d.resources.transfer.conversion import decode

DRAWS = 100  # of a kind
TIMEOUT, STAGED, SHORT = 5.0, 2.0, 0.05  # seconds; of draws that nobody would wait for
OVERDUE = 4.0  # seconds that stopping may take on a busy machine
MOST_MEMORY = 6 << 30  # bytes of addresses that a campaign's process may take
_NUMBERS = re.compile(r"\d+")
_STOPPED = re.compile("timeout|budget|took longer|time")


class Failure(AssertionError):  # noqa: N818 - it is one
    """The engines differ, memory was touched that must not be, or a draw went on for too long."""


@dataclass
class Left:
    """What a draw left. error: the kind of error, and whether it ran out of time.

    filled: how far buffers of stream output are filled.
    """

    error: str
    stopped: bool
    result: DrawResult | None
    memory: dict[str, NDArray[np.uint8]]
    filled: list[int]
    seconds: float
    message: str = ""


@dataclass
class Figures:
    """What a campaign reports."""

    outcomes: Counter[str] = field(default_factory=Counter[str])
    shaded: int = 0
    with_stages: Counter[str] = field(default_factory=Counter[str])
    refusals: Counter[str] = field(default_factory=Counter[str])
    failures: list[str] = field(default_factory=list[str])
    worst: dict[str, tuple[float, int]] = field(default_factory=dict[str, tuple[float, int]])

    def time(self, engine: str, seconds: float, number: int) -> None:
        self.worst[engine] = max(self.worst.get(engine, (0.0, 0)), (seconds, number))

    def count(self, result: DrawResult | None) -> None:
        """Count which stages did anything."""
        if result is not None:
            found = result.statistics
            self.shaded += found.ps_invocations > 0
            ran = {
                "hs": found.hs_invocations,
                "ds": found.ds_invocations,
                "gs": found.gs_invocations,
            }
            ran["so"] = sum(s.num_primitives_written for s in result.so_statistics)
            self.with_stages.update(word for word, number in ran.items() if number)


def run(draw: HostileDraw, engine: str, **options: Any) -> Left:
    """Draw on an engine, and undo it."""
    before = {name: data.copy() for name, (data, _) in draw.written.items()}
    sizes = [buffer.filled_size for buffer in draw.filled]
    start, result, error, message = time.perf_counter(), None, "", ""
    timeout = SHORT if draw.is_huge else STAGED if draw.is_staged else TIMEOUT
    try:
        made = Draw(engine=engine, timeout=timeout + 60, **options, **draw.arguments)
        made._options.timeout = timeout  # compiling is not what is timed
        start = time.perf_counter()
        result = draw.call(made)
    except InternalError:
        raise
    except ShaderError as caught:
        error, message = type(caught).__name__, str(caught)
    seconds = time.perf_counter() - start
    memory = {name: data.copy() for name, (data, _) in draw.written.items()}
    filled = [buffer.filled_size for buffer in draw.filled]
    for name, old in before.items():
        draw.written[name][0][...] = old
    for buffer, size in zip(draw.filled, sizes, strict=True):
        buffer.filled_size = size
    stopped = error == "ExecutionError" and _STOPPED.search(message) is not None
    if seconds > timeout + OVERDUE:
        raise Failure(f"{engine}: {seconds:.1f} s, with a timeout of {timeout} s")
    return Left(error, stopped, result, memory, filled, seconds, message)


def check(kind: Kind, draw: HostileDraw, figures: Figures) -> str:
    """Run a draw on both engines; return "done", "stopped" or the kind of error.

    Raises:
        Failure: with the first difference.
    """
    read = {name: data.copy() for name, data in draw.read.items()}
    reference = run(draw, "interpreter")
    native = run(draw, "jit", lanes=kind.lanes, threads=1 + draw.seed % 2)
    figures.time("interpreter", reference.seconds, draw.seed)
    figures.time("jit", native.seconds, draw.seed)
    for name, data in read.items():
        if not np.array_equal(data, draw.read[name]):
            raise Failure(f"{name} was written")
    if not all(guard.is_intact for guard in draw.guards):
        raise Failure("bytes beside a buffer or target were written")
    if reference.stopped or native.stopped:
        return "stopped"
    if reference.error != native.error:
        if kind.damage and native.error in ("DecodeError", "LoweringError"):
            return "not compiled"  # the interpreter finds what is wrong where it gets there
        raise Failure(
            f"interpreter: {reference.error or 'done'} {reference.message}, "
            f"JIT: {native.error or 'done'} {native.message}"
        )
    if reference.error:  # what was drawn before it is free
        figures.refusals[_NUMBERS.sub("#", reference.message)[:90]] += 1
        return reference.error
    _compare(draw, reference, native)
    figures.count(reference.result)
    return "done"


def _compare(draw: HostileDraw, reference: Left, native: Left) -> None:
    for name, (_, format_) in draw.written.items():
        difference = _difference(reference.memory[name], native.memory[name], format_)
        if difference:
            raise Failure(f"{name}: {difference}")
    if reference.filled != native.filled:
        raise Failure(f"filled to {reference.filled} and {native.filled}")
    if reference.result != native.result:
        raise Failure(f"{reference.result} and {native.result}")


def _difference(one: NDArray[np.uint8], other: NDArray[np.uint8], format_: Format | None) -> str:
    """Return what differs; any NaN is as good as any."""
    if np.array_equal(one, other):
        return ""
    if format_ is None or one.size % format_.bytes_per_block:
        a, b = one, other
        is_same = a == b
    else:
        size = format_.bytes_per_block
        shape = (-1, size) if size > 1 else (-1,)
        a, b = (np.asarray(decode(m.reshape(shape), format_)) for m in (one, other))
        is_same = a == b
        if a.dtype.kind == "f":
            is_same |= np.isnan(a) & np.isnan(b)
    places = np.argwhere(~is_same)
    if not places.size:
        return ""
    first = tuple(places[0].tolist())
    return f"{len(places)} components, first at {first}: {a[first]} and {b[first]}"


def campaign(
    numbers: Iterable[int],
    figures: Figures,
    *,
    samples: bool = True,
    stages: bool | None = None,
    trace: Path | None = None,
) -> Iterator[tuple[int, str]]:
    """Yield each draw's number with how it ended: "FAILURE" if figures.failures has another.

    samples, stages: as for `random_kind`.
    """
    kind: Kind | None = None
    number = -1
    for seed in numbers:
        if seed // DRAWS != number:
            number, kind = seed // DRAWS, _kind(seed // DRAWS, samples=samples, stages=stages)
        if kind is None:
            yield seed, "refused state"
            continue
        if trace is not None:
            trace.write_text(f"{seed} {dict(figures.outcomes)} {_memory()} MiB\n")
        try:
            outcome = _attempt(kind, seed, figures)
        except Exception as error:  # noqa: BLE001 - whatever it is, it should not have been
            where = traceback.extract_tb(error.__traceback__)[-1]
            figures.failures.append(
                f"draw {seed}: {error!r} ({Path(where.filename).name}:{where.lineno})"
            )
            outcome = "FAILURE"
        figures.outcomes[outcome] += 1
        yield seed, outcome


def _kind(number: int, *, samples: bool, stages: bool | None) -> Kind | None:
    try:
        return random_kind(number, samples=samples, stages=stages)
    except InternalError:
        raise
    except ShaderError:
        return None


def _attempt(kind: Kind, seed: int, figures: Figures) -> str:
    try:
        draw = hostile_draw(kind, seed)
    except InternalError:
        raise
    except ShaderError:
        return "refused argument"
    with optimiser(full=False), patch("softd3d.jit.engine.default_store", lambda: NOTHING_KEPT):
        return check(kind, draw, figures)


def main() -> int:
    """Run a campaign; the exit status is 1 after a failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--every", type=int, default=1, help="draw only each n-th number")
    parser.add_argument("--seed", type=int, help="repeat one draw")
    parser.add_argument("--own-shaders", action="store_true", help="without those of samples")
    parser.add_argument("--stages", action="store_true", help="all with hs, ds, gs or streams")
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    parser.add_argument("--trace", type=Path, help="keep the number of the draw in a file")
    parser.add_argument("--keep-on", action="store_true", help="do not stop at a failure")
    options = parser.parse_args()
    warnings.simplefilter("error")
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    if options.seed is not None:
        kind = random_kind(
            options.seed // DRAWS, samples=not options.own_shaders, stages=options.stages or None
        )
        draw = hostile_draw(kind, options.seed)
        print(kind, draw.arguments, draw.said, sep="\n")
        print(_attempt(kind, options.seed, Figures()))
        return 0
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    figures, start = Figures(), time.process_time()
    numbers = range(options.start, options.start + options.count * options.every, options.every)
    for _, outcome in campaign(
        numbers,
        figures,
        samples=not options.own_shaders,
        stages=options.stages or None,
        trace=options.trace,
    ):
        if outcome == "FAILURE":
            print(figures.failures[-1], flush=True)
            if not options.keep_on:
                break
    found = {
        "draws": sum(figures.outcomes.values()), "first": options.start,
        "outcomes": dict(figures.outcomes.most_common()), "with_pixels": figures.shaded,
        "with_stages": dict(figures.with_stages),
        "failures": figures.failures, "refusals": dict(figures.refusals.most_common()),
        "worst": figures.worst, "seconds": round(time.process_time() - start, 1),
        "memory_mib": _memory(),
    }  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps({k: v for k, v in found.items() if k not in ("failures", "refusals")}))
    return 1 if figures.failures else 0


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


if __name__ == "__main__":
    sys.exit(main())
