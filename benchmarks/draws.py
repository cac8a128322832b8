"""How the time of a draw on the JIT grows, and what each thing costs.

    python benchmarks/draws.py [--only triangles,pixels] [--rounds N] [--json FILE] [--charts DIR]
    python benchmarks/draws.py --from FILE --charts DIR

Against triangles, pixels, overdraw, samples, interpolated attributes and threads: the best of some
rounds, wall and CPU. Each point has a process of its own, which tells how much memory the draw took
at most beyond what it had when it was prepared, buffers and targets among that. Code is compiled
beforehand. A line a + b * n is fitted to the CPU times, each error counted relative to its time: b
is the constant of a thing, and the largest error of the line says how linear the growth is.

--charts needs matplotlib: `pip install '.[bench]'`. Linux only: memory is read from /proc.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from draw_scenes import SERIES
from rich.console import Console
from rich.table import Table

from softd3d.cli.files import INTERRUPTED
from softd3d.cli.progress import progress_bar

THREADED = {
    "triangles": 1_000_000,
    "pixels": 4096,
    "overdraw": 30,
    "lit samples": 4,
    "attributes": 8,
}
THREADS = "threads"
SECONDS = 4.0  # of rounds at a point, at least two
Row = dict[str, Any]


def child(name: str, value: int, rounds: int) -> Row:
    """Measure a point. No rounds: draw once, so that all code is in the cache."""
    if name == THREADS:
        return _threads(rounds)
    work = SERIES[name].make(value, 0)
    work.before()
    if not rounds:
        work.run()
        return {}
    _give_back()
    before = _memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is from now on
    work.run()
    peak = _memory("VmHWM")
    best = _best([work.run], work.before, rounds)[0]
    return {"value": value, "count": work.count, **best, "memory_mb": (peak - before) / 1024}


def _threads(rounds: int) -> Row:
    """Measure one thread and two in turn, for each scene."""
    row: Row = {}
    for name, value in THREADED.items():
        works = [SERIES[name].make(value, threads) for threads in (1, 2)]
        if not rounds:
            works[0].run()
        else:
            both = _best([w.run for w in works], works[0].before, rounds)
            row[name] = {"value": value, "one": both[0], "two": both[1]}
    return row


def _best(runs: list[Callable[[], object]], before: Callable[[], object], rounds: int) -> list[Row]:
    """Return the best wall and CPU time of each run; they take turns."""
    best = [{"wall_ms": float("inf"), "cpu_ms": float("inf")} for _ in runs]
    end = time.perf_counter() + SECONDS
    for n in range(rounds):
        for run, row in zip(runs, best, strict=True):
            before()
            start, busy = time.perf_counter(), time.process_time()
            run()
            row["wall_ms"] = min(row["wall_ms"], 1e3 * (time.perf_counter() - start))
            row["cpu_ms"] = min(row["cpu_ms"], 1e3 * (time.process_time() - busy))
        if n > 0 and time.perf_counter() > end:
            break
    return best


def _give_back() -> None:
    """Give the system the memory that making the scene has left behind, or draws would reuse it."""
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):  # of glibc
        trim(0)


def _memory(field: str) -> int:
    """Return a field of /proc/self/status, KiB."""
    text = Path("/proc/self/status").read_text(encoding="ascii")
    return int(text.split(f"{field}:")[1].split()[0])


def in_a_process(name: str, value: int, rounds: int, folder: str) -> Row:
    """Measure a point in a process of its own.

    Raises:
        SystemExit: the process failed; its text is on standard error.
    """
    command = [sys.executable, __file__, "--child", name, str(value), str(rounds)]
    done = subprocess.run(  # noqa: S603 - this script
        command, stdout=subprocess.PIPE, check=False, start_new_session=True,
        env={**os.environ, "SOFTD3D_CACHE": folder},
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"draws: {name} {value} ended with status {done.returncode}")
    return json.loads(done.stdout)


def measure(names: list[str], rounds: int) -> Row:
    """Measure series, each point after a process that compiles for it."""
    points = [(n, v) for n in names for v in ((0,) if n == THREADS else SERIES[n].values)]
    found: Row = {"machine": machine(), "series": {}}
    with tempfile.TemporaryDirectory() as folder, progress_bar("draws", "points") as told:
        for done, (name, value) in enumerate(points):
            if told:
                told(done, len(points))
            in_a_process(name, value, 0, folder)
            row = in_a_process(name, value, rounds, folder)
            if name == THREADS:
                found[THREADS] = row
            else:
                found["series"].setdefault(name, {"points": []})["points"].append(row)
    for series in found["series"].values():
        series["line"] = line(series["points"])
    return found


def machine() -> Row:
    """Say what the times were measured on."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name = text.split("model name")[-1].split("\n")[0].strip("\t :") if "model name" in text else ""
    return {"processor": name or platform.processor(), "cores": len(os.sched_getaffinity(0)),
            "system": platform.system(), "python": platform.python_version()}  # fmt: skip


def line(points: list[Row]) -> Row:
    """Return a + b * count through the CPU times; neither is negative, errors are relative."""
    counts, times = (np.array([p[key] for p in points], float) for key in ("count", "cpu_ms"))
    columns = np.stack([1 / times, counts / times], 1)
    (a, b), *_ = np.linalg.lstsq(columns, np.ones_like(times))
    if a < 0:
        a, b = 0.0, np.linalg.lstsq(columns[:, 1:], np.ones_like(times))[0][0]
    errors = np.abs((a + b * counts) / times - 1)
    return {"fixed_us": 1e3 * a, "each_ns": 1e6 * b, "error": float(errors.max())}


def show(found: Row) -> None:
    """Print a table of each series, the constants, and what two threads gain."""
    console = Console()
    for name, series in found["series"].items():
        about = SERIES[name]
        table = Table(about.axis, "wall ms", "CPU ms", f"CPU ns a {about.unit}", "memory MB",
                      title=about.title, title_justify="left")  # fmt: skip
        for p in series["points"]:
            table.add_row(
                f"{p['value']:,}", f"{p['wall_ms']:.2f}", f"{p['cpu_ms']:.2f}",
                f"{1e6 * p['cpu_ms'] / p['count']:.2f}", f"{p['memory_mb']:.1f}",
            )  # fmt: skip
        console.print(table)
        fit = series["line"]
        print(f"CPU: {fit['fixed_us']:.0f} us + {fit['each_ns']:.3g} ns a {about.unit}, "
              f"within {fit['error']:.0%}\n")  # fmt: skip
    for name, row in found.get(THREADS, {}).items():
        gain = row["one"]["wall_ms"] / row["two"]["wall_ms"]
        print(f"{name} {row['value']:,}: one thread {row['one']['wall_ms']:.2f} ms, "
              f"two {row['two']['wall_ms']:.2f} ms: {gain:.2f}x")  # fmt: skip


def main() -> None:
    """Measure what the arguments ask for."""
    names = [*SERIES, THREADS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default=",".join(names), metavar="NAMES",
                        help=f"of {', '.join(names)}")  # fmt: skip
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the numbers here, too")
    parser.add_argument("--from", metavar="FILE", type=Path, dest="given",
                        help="take the numbers of an earlier --json")  # fmt: skip
    parser.add_argument("--charts", metavar="DIR", type=Path, help="write a chart of each, SVG")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        name, value, rounds = options.child
        print(json.dumps(child(name, int(value), int(rounds))))
        return
    wanted = [name for name in options.only.split(",") if name]
    if unknown := set(wanted) - set(names):
        parser.error(f"{', '.join(sorted(unknown))}: no such series, found {', '.join(names)}")
    if options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: wanted 1 or more")
    found = (
        json.loads(options.given.read_text()) if options.given else measure(wanted, options.rounds)
    )
    show(found)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    if options.charts:
        from draw_charts import write_charts  # noqa: PLC0415 - matplotlib is for charts only

        write_charts(found, options.charts)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
