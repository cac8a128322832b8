r"""Mutants of the package: one small mistake at a time, and whether a test notices.

    python tests/mutation/campaign.py src/softd3d/jit/codegen/values.py --count 20 --seed 1 \
        -- tests/differential/test_rows.py tests/execution/test_engines.py

Each mutant swaps one operator, comparison, constant or condition of a module, in a copy of the
source tree, so that the checkout stays as it is. First the tests named behind `--` run once on the
module as it is; this tells which lines each test runs and how long it takes. On a mutant only the
tests that run its line are tried, the quickest first, for about `--budget` seconds. A mutant that
all of them pass is printed as a survivor: a test is missing, or the change means nothing. Changes
that mean nothing are listed in equivalent.txt, each with its reason, and are not tried again. Exit
status: 0 if none survived, else 1. Needs `fork`, so not Windows.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import importlib.util
import multiprocessing
import os
import queue
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import pytest

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.txt")
# What every run needs, loaded once; the package itself is loaded anew for each mutant.
_PRELOADED = ("numpy", "llvmlite.binding", "hypothesis", "click", "rich.console")
_SWAPS: dict[type[ast.AST], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Div: "*", ast.Mod: "*",
    ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "|",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
    ast.And: "or", ast.Or: "and",
}  # fmt: skip
_TOKENS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Div: "/", ast.Mod: "%",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip


Offset = Callable[[int, int], int]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of one module. start, end: offsets in its text. lines: of what is changed.

    function: the lines of the innermost function around it; None for what runs at import.
    """

    start: int
    end: int
    text: str
    lines: range
    function: range | None = None

    def change(self, source: str) -> str:
        """Return what is changed, as equivalent.txt and the report say it."""
        line = source.splitlines()[self.lines.stop - 2].strip()
        return f"{source[self.start : self.end]} -> {self.text} in: {line}"


def mutants(source: str) -> list[Mutant]:
    """Return every mutant of a module, in the order of the text."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        text = source[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(text.encode()[:column].decode())

    found = {m for node, inside in _code(ast.parse(source), None)
             for m in _of_node(node, inside, source, offset)}  # fmt: skip
    return sorted(found, key=lambda m: (m.start, m.text))


def _lines(node: ast.AST) -> range:
    return range(node.lineno, node.end_lineno + 1)  # type: ignore[attr-defined]


def _code(tree: ast.AST, function: range | None) -> Iterator[tuple[ast.AST, range | None]]:
    """Walk what runs and may be wrong, with the function around it."""
    for node in ast.iter_child_nodes(tree):
        if _means_nothing(node):
            continue
        if isinstance(node, ast.AnnAssign):
            children: list[ast.AST] = [] if node.value is None else [node.value]
        elif isinstance(node, ast.arguments):
            children = [*node.defaults, *(d for d in node.kw_defaults if d is not None)]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outside = [*node.decorator_list, node.args]
            yield from _code(ast.Module(outside, []), function)  # type: ignore[arg-type]
            yield from _code(ast.Module(node.body, []), _lines(node))
            continue
        else:
            yield node, function
            yield from _code(node, _lines(node) if isinstance(node, ast.Lambda) else function)
            continue
        yield from _code(ast.Module(children, []), function)  # type: ignore[arg-type]


def _means_nothing(node: ast.AST) -> bool:
    """True for assertions, methods of protocols, and what `zip` and `dataclass` check."""
    if isinstance(node, ast.FunctionDef):
        last = node.body[-1]
        return isinstance(last, ast.Expr) and ast.unparse(last) == "..."
    keywords = ("strict", "frozen", "slots")
    return isinstance(node, ast.Assert) or (isinstance(node, ast.keyword) and node.arg in keywords)


def _of_node(node: ast.AST, function: range | None, source: str, offset: Offset) -> list[Mutant]:
    changes: list[tuple[int, int, str]] = []
    if isinstance(node, ast.BinOp):
        changes = _between(node.left, node.right, node.op, source, offset)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        changes = _between(node.left, node.comparators[0], node.ops[0], source, offset)
    elif isinstance(node, ast.BoolOp):
        pairs = zip(node.values, node.values[1:], strict=False)
        changes = [c for a, b in pairs for c in _between(a, b, node.op, source, offset)]
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        node = node.test
        start, end = _span(node, offset)
        changes = [(start, end, f"(not ({source[start:end]}))")]
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        value = not node.value if isinstance(node.value, bool) else node.value + 1
        changes = [(*_span(node, offset), str(value))]
    return [Mutant(*c, _lines(node), function) for c in changes]


def _span(node: ast.expr, offset: Offset) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)


def _between(
    left: ast.expr, right: ast.expr, operator: ast.AST, source: str, offset: Offset
) -> list[tuple[int, int, str]]:
    """Return the change that puts another operator between two expressions."""
    kind = type(operator)
    if kind not in _SWAPS:
        return []
    low, high = _span(left, offset)[1], _span(right, offset)[0]
    at = source.find(_TOKENS[kind], low, high)
    return [] if at < 0 else [(at, at + len(_TOKENS[kind]), _SWAPS[kind])]


@dataclass(slots=True)
class Watch:
    """Notes how long each test takes and which lines of some files it runs (a pytest plugin)."""

    files: frozenset[str]
    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[tuple[str, str], set[int]] = field(default_factory=dict)  # by test and file

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        def local(frame: FrameType, event: str, arg: object) -> object:
            key = item.nodeid, frame.f_code.co_filename
            self.lines.setdefault(key, set()).add(frame.f_lineno)
            return local

        def enter(frame: FrameType, event: str, arg: object) -> object:
            return local if frame.f_code.co_filename in self.files else None

        start = time.process_time()
        sys.settrace(enter)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self.seconds[item.nodeid] = time.process_time() - start

    def tests_of(self, file: str, mutant: Mutant, budget: float) -> list[str]:
        """Return the tests that run what is changed, the quickest first, up to the budget."""
        for where in (mutant.lines, mutant.function):
            tests = [
                test
                for (test, path), lines in self.lines.items()
                if where and path == file and lines.intersection(where)
            ]
            if tests:
                break
        else:
            tests = [] if mutant.function else list(self.seconds)
        tests.sort(key=lambda t: self.seconds[t])
        chosen: list[str] = []
        for test in tests:
            chosen.append(test)
            budget -= self.seconds[test]
            if budget < 0:
                break
        return chosen


class Only:
    """Runs these tests alone, in this order (a pytest plugin)."""

    def __init__(self, tests: list[str]) -> None:
        self.order = {test: n for n, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [i for i in items if i.nodeid in self.order]
        items.sort(key=lambda i: self.order[i.nodeid])


def _pytest(folder: Path, tests: list[str], plugin: Watch | Only, answer: object) -> None:
    """Run tests in this process on a copy of the package; put the status and the plugin."""
    with (folder / "output").open("w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    os.environ |= {"PYTHONPATH": str(folder / "src"), "SOFTD3D_CACHE": "0"}
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
    sys.path.insert(0, str(folder / "src"))
    sys.dont_write_bytecode = isinstance(plugin, Only)  # what a mutant compiles to is not kept
    options = ["-q", "-x", "--assert=plain", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
    status = int(pytest.main([*options, *tests], plugins=[plugin]))
    answer.put((status, plugin if isinstance(plugin, Watch) else None))  # type: ignore[attr-defined]


def _run(
    folder: Path, tests: list[str], plugin: Watch | Only, seconds: float
) -> tuple[int, Watch | None]:
    """Run tests in a process of their own; return pytest's status, -1 for a process that died."""
    fork = multiprocessing.get_context("fork")
    answer = fork.Queue()
    process = fork.Process(target=_pytest, args=(folder, tests, plugin, answer))
    process.start()
    end = time.monotonic() + seconds
    while process.is_alive() and answer.empty() and time.monotonic() < end:
        time.sleep(0.05)
    try:
        result = answer.get(timeout=1)
    except queue.Empty:
        result = -1, None
    process.kill()
    process.join()
    return result


@dataclass(frozen=True, slots=True)
class Options:
    """How many mutants of a module are tried, and with what.

    lines: of the module, those that mutants are made of. budget: seconds of tests for a mutant.
    timeout: seconds until a run is given up; such a mutant is noticed.
    """

    count: int = 10
    seed: int = 0
    lines: range = range(1, sys.maxsize)
    budget: float = 20.0
    timeout: float = 300.0


def campaign(
    modules: list[Path], tests: list[str], options: Options, root: Path = ROOT
) -> list[str]:
    """Try mutants of modules below `root`; return the survivors, as lines of the report."""
    survivors: list[str] = []
    modules = [module.resolve() for module in modules]
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(root):
        folder = Path(name).resolve()
        shutil.copytree(root / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        copies = [folder / module.relative_to(root) for module in modules]
        watch = Watch(frozenset(str(copy) for copy in copies))
        status, watch = _run(folder, tests, watch, 10 * options.timeout)
        if status or watch is None:
            said = (folder / "output").read_text()[-4000:]
            raise SystemExit(f"the tests fail on the package as it is:\n{said}")
        for copy in copies:
            survivors += _of_module(copy, folder, watch, options)
    return survivors


def _of_module(copy: Path, folder: Path, watch: Watch, options: Options) -> list[str]:
    source = copy.read_text()
    path = copy.relative_to(folder).as_posix()
    known = _equivalent(path)
    every = [m for m in mutants(source) if m.lines.start in options.lines]
    every = [m for m in every if m.change(source) not in known]
    chosen = random.Random(options.seed).sample(every, min(options.count, len(every)))
    survivors: list[str] = []
    for mutant in sorted(chosen, key=lambda m: m.start):
        tests = watch.tests_of(str(copy), mutant, options.budget)
        copy.write_text(source[: mutant.start] + mutant.text + source[mutant.end :])
        Path(importlib.util.cache_from_source(str(copy))).unlink(missing_ok=True)
        files = sorted({test.split("::")[0] for test in tests})
        if tests and _run(folder, files, Only(tests), options.timeout)[0]:
            continue
        what = "survives" if tests else "is run by no test"
        survivors.append(f"{path}:{mutant.lines.start} {what}: {mutant.change(source)}")
        print(survivors[-1], flush=True)
    copy.write_text(source)
    print(f"{path}: {len(chosen)} of {len(every)} mutants, {len(survivors)} survived", flush=True)
    return survivors


def _equivalent(path: str) -> set[str]:
    """Return the changes of a module that mean nothing, which equivalent.txt lists."""
    found: set[str] = set()
    section = ""
    for line in EQUIVALENT.read_text().splitlines():
        if line.startswith("src/"):
            section = line.strip()
        elif section == path and line.strip() and not line.startswith("#"):
            found.add(line.strip())
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("modules", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=10, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lines", default="1-1000000", help="of the module, as in 20-40")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of tests for each")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds until one is ended")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given = parser.parse_args(sys.argv[1:split])
    first, _, last = given.lines.partition("-")
    lines = range(int(first), int(last or first) + 1)
    options = Options(given.count, given.seed, lines, given.budget, given.timeout)
    for name in _PRELOADED:
        importlib.import_module(name)
    tests = sys.argv[split + 1 :] or ["tests"]
    return 1 if campaign(given.modules, tests, options) else 0


if __name__ == "__main__":
    sys.exit(main())
