"""Lets the tests here import the program builder beside them, and runs most on both engines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from softd3d.errors import LoweringError
from softd3d.jit.engine import compile_kernel
from softd3d.lower.bound import BoundProgram
from softd3d.lower.outcome import Outcome

sys.path.insert(0, str(Path(__file__).parent))

# What these modules expect holds for the JIT too; the others look inside the interpreter.
BOTH_ENGINES = {"test_flow": (4, 64), "test_memory": (4, 64), "test_atomic": (8,),
                "test_random_flow": (4,)}  # fmt: skip
NATIVE_BUDGET = 1 << 22
QUICK_SEEDS = 40


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrise the tests of those modules over the engines."""
    widths = BOTH_ENGINES.get(metafunc.module.__name__)
    if widths is not None:
        engines = ["interpreter", *widths]
        names = ["interpreter", *(f"jit{n}" for n in widths)]
        metafunc.parametrize("engine", engines, ids=names, indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most random programs, whose calls unfold to much code, to the slow run on the JIT."""
    for item in items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        if parameters.get("seed", 0) >= QUICK_SEEDS and parameters.get("engine") in (4, 16):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the module's `interpret` be the JIT of some width."""
    lanes = getattr(request, "param", "interpreter")
    if lanes == "interpreter":
        return

    def run(bound: BoundProgram, groups: tuple[int, int, int], **options: Any) -> Outcome:
        options.pop("budget", None)  # it counts something else there
        try:
            kernel = compile_kernel(bound, lanes=lanes)
        except LoweringError as error:
            if "unfold" in error.message:  # a limit of the JIT, which copies calls
                pytest.skip(error.message)
            raise
        return kernel.run(bound, groups, budget=NATIVE_BUDGET, **options)

    for module in (request.module, sys.modules.get("per_thread")):
        if hasattr(module, "interpret"):
            monkeypatch.setattr(module, "interpret", run)
