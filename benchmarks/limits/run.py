"""Upper bounds: what hand-written LLVM code needs for the inner part of a workload of the kit.

    python benchmarks/limits/run.py [NAME...] [--rounds N] [--json FILE] [--assembly DIR]

Each limit is a text NAME.ll beside NAME.py, which makes its arrays and knows what NumPy computes of
them; a limit whose result differs is reported, and the exit status is 1. There is no API, nothing
is checked, and inputs are laid out as the code likes them: what a compiler could reach, no more.
Vectors have 16 lanes; processors with shorter ones take several for each.

Times are the best of some rounds, for one thread and for two: wall, and CPU of all threads.
A function of LLVM text is `void NAME(ptr arrays, i64 first, i64 last, i64 thread)`; arrays points
to the addresses of the limit's arrays.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
from limit import THREADS, Limit, WrongResultError
from rich.console import Console
from rich.table import Table

from softd3d.cli.files import INTERRUPTED
from softd3d.cli.progress import progress_bar

HERE = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in HERE.glob("*.ll")))
Function = Callable[[int, int, int, int], None]


class Code:
    """The functions of a text, as machine code for this processor."""

    def __init__(self, name: str) -> None:
        triple = llvm.get_process_triple()
        self._machine = llvm.Target.from_triple(triple).create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3,
            reloc="pic", codemodel="jitdefault", jit=True,
        )  # fmt: skip
        module = llvm.parse_assembly((HERE / f"{name}.ll").read_text(encoding="utf-8"))
        module.triple, module.data_layout = triple, str(self._machine.target_data)
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        llvm.create_pass_builder(self._machine, options).getModulePassManager().run(
            module, llvm.create_pass_builder(self._machine, options)
        )
        self._jit = llvm.create_lljit_compiler(self._machine, use_jit_link=False)
        names = [f.name for f in module.functions if not f.is_declaration]
        builder = llvm.JITLibraryBuilder().add_ir(str(module))
        for function in names:
            builder = builder.export_symbol(function)
        self._tracker = builder.link(self._jit, name)
        self.assembly = self._machine.emit_assembly(module)

    def function(self, name: str) -> Function:
        """Return a function; while it runs, other threads of Python do, too."""
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 3)
        return kind(self._tracker[name])


class Runner:
    """A limit with its code."""

    def __init__(self, name: str) -> None:
        self.code = Code(name)
        self.limit: Limit = importlib.import_module(name).prepare()
        self._table = np.array([a.ctypes.data for a in self.limit.arrays], np.uint64)
        self._phases = [(n, self.code.function(n), size) for n, size in self.limit.phases]

    def run(self, threads: int, pool: ThreadPoolExecutor) -> None:
        """Do the work once; each thread has an equal part of the items of a phase."""
        for name, function, size in self._phases:
            if threads == 1:
                if name not in self.limit.shared:
                    function(self._table.ctypes.data, 0, size, 0)
                continue
            ends = [size * n // threads for n in range(threads + 1)]
            jobs = [
                pool.submit(function, self._table.ctypes.data, ends[n], ends[n + 1], n)
                for n in range(threads)
            ]
            for job in jobs:
                job.result()

    def measured(self, threads: int, rounds: int, pool: ThreadPoolExecutor) -> dict[str, float]:
        """Return the best wall time, and the best CPU time, in milliseconds; the first is checked.

        Raises:
            WrongResultError: its result is wrong.
        """
        self.limit.before()
        self.run(threads, pool)
        self.limit.check(threads)
        wall = cpu = float("inf")
        for _ in range(rounds):
            self.limit.before()
            start, busy = time.perf_counter(), time.process_time()
            self.run(threads, pool)
            wall = min(wall, time.perf_counter() - start)
            cpu = min(cpu, time.process_time() - busy)
        return {"threads": threads, "wall_ms": 1e3 * wall, "cpu_ms": 1e3 * cpu,
                "cpu_ns": 1e9 * cpu / self.limit.count}  # fmt: skip


def show(found: dict[str, dict[str, object]]) -> None:
    """Print a table of all limits."""
    table = Table("limit", "threads", "wall ms", "CPU ms", "CPU ns a unit", "unit")
    for column in table.columns[1:5]:
        column.justify = "right"
    for name, row in found.items():
        for times in row["times"]:
            cells = (f"{times[key]:.2f}" for key in ("wall_ms", "cpu_ms", "cpu_ns"))
            table.add_row(name, str(times["threads"]), *cells, str(row["unit"]))
    Console().print(table)


def main() -> int:
    """Measure what the arguments ask for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", metavar="FILE", help="write the numbers here, too")
    parser.add_argument("--assembly", metavar="DIR", type=Path, help="write NAME.s there")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: no such limit, found {', '.join(NAMES)}")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    names = options.names or NAMES
    found: dict[str, dict[str, object]] = {}
    wrong: list[str] = []
    with ThreadPoolExecutor(THREADS) as pool, progress_bar("limits", "limits") as told:
        for done, name in enumerate(names):
            if told:
                told(done, len(names))
            runner = Runner(name)
            if options.assembly:
                options.assembly.mkdir(parents=True, exist_ok=True)
                (options.assembly / f"{name}.s").write_text(runner.code.assembly)
            try:
                times = [runner.measured(n, options.rounds, pool) for n in range(1, THREADS + 1)]
            except WrongResultError as error:
                wrong.append(f"{name}: {error}")
                continue
            found[name] = {"unit": runner.limit.unit, "count": runner.limit.count, "times": times}
    show(found)
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=2) + "\n")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
