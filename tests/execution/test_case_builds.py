"""Execution cases with every build of their shader: other models, optimisation off, flags.

The same inputs give the same outputs, though the code is another: shader model 4.0 and 4.1 with
their rules for views and group-shared memory, 5.1 with ranges, unoptimised code with arrays.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from test_engines import SHARED, check

from softd3d.device.verdict import disagreements, run_case
from softd3d.resources.cases.file import Case, read_case

LIBRARY = SHARED.parent
WIDTHS = (4, 8, 16, 64)  # one for each build, by turns: test_engines runs all of them
# Builds that do not compute quite the same, and the dwords of a thread's result where it shows.
# Unoptimised, x + 0.0 flushes denormals, and y * 1.0 + z * 0.0 is not y if z is not finite.
COMPUTED = {"cs_float_arith.cs_5_0.Od": (12, {8, 9})}
# The flag for row-major matrices lays out the constant buffer in another way than the case does.
OTHER_INPUTS = {"cs_cbuffer_packing.cs_5_0.Zpr"}


def builds() -> list[object]:
    """Return cases with the builds that are not theirs, and what is special about these."""
    found: list[object] = []
    for path in sorted(SHARED.glob("cs_*.json")):
        case = read_case(path)
        own = case.shaders["cs"].name
        for shader in sorted(LIBRARY.glob(f"{case.name}.cs_*.dxbc")):
            if shader.name != own:
                name = shader.name.removesuffix(".dxbc")
                other = replace(case, shaders={"cs": shader})
                width = WIDTHS[len(found) % len(WIDTHS)]
                found.append(pytest.param(other, name, width, id=name))
    return found


@pytest.mark.parametrize(("case", "name", "lanes"), builds())
def test_another_build_does_the_same(case: Case, name: str, lanes: int) -> None:
    reference = run_case(case, "interpreter")
    if name in COMPUTED:
        size, dwords = COMPUTED[name]
        (difference,) = reference.differences
        assert {m.index % size for m in difference.mismatches} == dwords
    elif name in OTHER_INPUTS:
        assert reference.differences
    else:
        check(case, reference)
    native = run_case(case, "jit", lanes=lanes, threads=2)
    if any(o.row_bytes for o in case.outputs):  # rows of any order are compared as sets
        check(case, native)
    else:
        assert not disagreements(case, reference, native)


@pytest.mark.corpus
def test_builds_of_all_models_are_found(shared: Path) -> None:
    """The list above is not short by accident."""
    names = [p.values[1] for p in builds()]  # type: ignore[attr-defined]
    assert shared == LIBRARY.parents[1]
    for part, count in ((".cs_4_0", 20), (".cs_4_1", 1), (".cs_5_1", 10), ("Od", 15)):
        assert sum(part in name for name in names) >= count, part
