"""Draw cases with every build of their shaders: other models, level 9, optimisation off, flags.

The same inputs give the same outputs, though the code is another: emit and cut without streams,
derivatives without coarse and fine, phases that are not split.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from draw_builds import SAMPLES, draw_builds
from test_draw_cases import NOT_AS_EXPECTED

from softd3d.device.verdict import disagreements, run_case
from softd3d.resources.cases.file import Case

WIDTHS = (4, 8, 16)


def builds() -> list[Any]:
    """Return each build once; with its other cases it is slow."""
    found: list[Any] = []
    seen: set[str] = set()
    for name, case in draw_builds():
        build = name.split("-", 1)[1]
        marks = [pytest.mark.slow] if build in seen else []
        found.append(pytest.param(case, WIDTHS[len(found) % 3], marks=marks, id=name))
        seen.add(build)
    return found


@pytest.mark.parametrize(("case", "lanes"), builds())
def test_another_build_draws_the_same(case: Case, lanes: int) -> None:
    reference = run_case(case, "interpreter")
    assert (reference.differences == ()) is (case.name not in NOT_AS_EXPECTED)
    native = run_case(case, "jit", lanes=lanes, threads=2)
    assert not disagreements(case, reference, native)
    assert native.outcome == reference.outcome


@pytest.mark.corpus
def test_builds_of_all_models_are_found(shared: Path) -> None:
    """The list above is not short by accident."""
    names = [name for name, _ in draw_builds()]
    assert shared == SAMPLES.parent
    for part, count in (
        ("_4_0", 30), ("_4_1", 6), ("_5_1", 20), ("level_9", 6), ("Od", 7), ("gs_4_0", 17),
    ):  # fmt: skip
        assert sum(part in name for name in names) >= count, part
