"""Execution cases on both engines, at every lane width and with one and two threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from softd3d.device.verdict import CaseResult, disagreements, run_case
from softd3d.resources.cases.file import Case, read_case
from softd3d.samples import sample

SHIPPED = Path(str(sample("cases/cs_mandelbrot.json"))).parent
SHARED = Path(__file__).parents[3] / "shared/samples/sm4_5/cases"
# Dwords of outputs that are llvmpipe's and not Direct3D's: a level halfway between two is rounded
# up (D3D11.3 section 7.18.10), not to the even one. Threads 8 and 24, with their point mip filters.
ELSEWHERE = {
    "cs_samplelevel_filters": {
        12 * thread + 4 * sampler + n for thread in (8, 24) for sampler in (0, 2) for n in range(4)
    }
}
NATIVE = [
    (0, 1),
    (0, 2),
    (256, 2),
    (64, 2),
    (32, 1),
    (16, 1),
    (16, 2),
    (8, 1),
    (8, 2),
    (4, 1),
    (4, 2),
]


def compute_cases() -> list[object]:
    """Return every compute case that is at hand; the shipped ones always are."""
    paths = sorted(SHIPPED.glob("*.json")) + sorted(SHARED.glob("*.json"))
    cases = [read_case(p) for p in paths]
    return [
        pytest.param(c, id=f"{c.path.parent.parent.name}/{c.name}")
        for c in cases
        if c.kind == "compute"
    ]


def check(case: Case, result: CaseResult) -> None:
    if case.name in ELSEWHERE:
        found = {m.index for d in result.differences for m in d.mismatches}
        assert found == ELSEWHERE[case.name]
        return
    assert not result.differences, "\n".join(
        f"{result.engine} {d.register}: {d.mismatches[0]}" for d in result.differences
    )


@pytest.mark.parametrize("case", compute_cases())
def test_case_passes_and_the_engines_agree(case: Case) -> None:
    reference = run_case(case, "interpreter")
    check(case, reference)
    for lanes, threads in NATIVE:
        native = run_case(case, "jit", lanes=lanes, threads=threads)
        check(case, native)
        if not any(o.row_bytes for o in case.outputs):  # rows of any order are compared as sets
            differing = disagreements(case, reference, native)
            assert not differing, f"{lanes} lanes, {threads} threads: {differing[0]}"


@pytest.mark.corpus
def test_all_shared_compute_cases_are_found(shared: Path) -> None:
    """The list above is not short by accident."""
    names = {read_case(p).name for p in (shared / "samples/sm4_5/cases").glob("*.json")}
    assert len([n for n in names if n.startswith("cs_")]) >= 45
