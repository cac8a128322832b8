r"""Mutants of the package: one small mistake at a time, and whether a test notices.

    python tests/mutation/campaign.py src/softd3d/jit/values.py --count 20 --seed 1 \
        -- tests/differential/test_rows.py tests/execution/test_engines.py

Each mutant swaps one operator, comparison, constant or condition of a module, in a copy of the
source tree, so that the checkout stays as it is. The tests named behind `--` run on it, in a
process that is ended after `--timeout` seconds. A mutant that all of them pass is printed as a
survivor: a test is missing, or the change means nothing. Exit status: 0 if none survived, else 1.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
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


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of one module. start, end: offsets in its text."""

    start: int
    end: int
    text: str
    line: int


def mutants(source: str) -> list[Mutant]:
    """Return every mutant of a module, in the order of the text."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        text = source[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(text.encode()[:column].decode())

    found: list[Mutant] = []
    for node in _code(ast.parse(source)):
        found += _of_node(node, source, offset)
    return sorted(set(found), key=lambda m: (m.start, m.text))


def _code(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk what runs: no annotations, no `__all__`, no guards for type checkers."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from (node.value, *_code(node.value))
            continue
        if isinstance(node, ast.arguments):
            for default in (*node.defaults, *(d for d in node.kw_defaults if d is not None)):
                yield from (default, *_code(default))
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for statement in node.body:
                yield from (statement, *_code(statement))
            continue
        yield node
        yield from _code(node)


def _of_node(node: ast.AST, source: str, offset: object) -> list[Mutant]:
    place = offset
    if isinstance(node, ast.BinOp):
        return _between(node.left, node.right, node.op, source, place)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _between(node.left, node.comparators[0], node.ops[0], source, place)
    if isinstance(node, ast.BoolOp):
        pairs = zip(node.values, node.values[1:], strict=False)
        return [m for a, b in pairs for m in _between(a, b, node.op, source, place)]
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        start, end = _span(node.test, place)
        return [Mutant(start, end, f"(not ({source[start:end]}))", node.test.lineno)]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        start, end = _span(node, place)
        return [Mutant(start, end, str(node.value + 1), node.lineno)]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        start, end = _span(node, place)
        return [Mutant(start, end, str(not node.value), node.lineno)]
    return []


def _span(node: ast.expr, offset: object) -> tuple[int, int]:
    return (
        offset(node.lineno, node.col_offset),  # type: ignore[operator]
        offset(node.end_lineno, node.end_col_offset),  # type: ignore[operator]
    )


def _between(
    left: ast.expr, right: ast.expr, operator: ast.AST, source: str, offset: object
) -> list[Mutant]:
    """Return the mutant that has another operator between two expressions."""
    kind = type(operator)
    if kind not in _SWAPS:
        return []
    low, high = _span(left, offset)[1], _span(right, offset)[0]
    at = source.find(_TOKENS[kind], low, high)
    if at < 0:
        return []
    return [Mutant(at, at + len(_TOKENS[kind]), _SWAPS[kind], right.lineno)]


def survives(folder: Path, tests: list[str], seconds: float) -> bool:
    """Run the tests on a copy of the package; return whether all of them pass."""
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "SOFTD3D_CACHE": "0"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(  # noqa: S603 - our own tests
            command, cwd=ROOT, env=environment, timeout=seconds, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False  # an endless loop is noticed
    return done.returncode == 0


def campaign(module: Path, count: int, seed: int, tests: list[str], seconds: float) -> int:
    """Try mutants of a module; return how many survived."""
    source = module.read_text()
    every = mutants(source)
    chosen = random.Random(seed).sample(every, min(count, len(every)))
    survivors = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        target = folder / module.resolve().relative_to(ROOT)
        for mutant in sorted(chosen, key=lambda m: m.start):
            target.write_text(source[: mutant.start] + mutant.text + source[mutant.end :])
            if survives(folder, tests, seconds):
                survivors += 1
                old = source[mutant.start : mutant.end]
                line = source.splitlines()[mutant.line - 1].strip()
                print(
                    f"{module}:{mutant.line}: {old} -> {mutant.text} survives: {line}", flush=True
                )
        target.write_text(source)
    print(f"{module}: {len(chosen)} of {len(every)} mutants, {survivors} survived", flush=True)
    return survivors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("modules", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=10, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for each mutant")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:split])
    tests = sys.argv[split + 1 :] or ["tests"]
    found = sum(
        campaign(module, options.count, options.seed, tests, options.timeout)
        for module in options.modules
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
