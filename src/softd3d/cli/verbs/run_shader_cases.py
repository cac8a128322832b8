"""Cases of single shaders of Direct3D 9 on the command line: run, compare, other known answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from softd3d.device.shader_cases import (
    known_answer,
    run_shader_case,
    shader_disagreements,
)
from softd3d.device.verdict import Difference
from softd3d.resources.cases.shader9 import read_shader_case

__all__ = ["judged_shader"]

_SHOWN = 4


def judged_shader(
    path: Path, engines: Sequence[str], *, profile: str, timeout: float | None
) -> tuple[str, bool, list[str]]:
    """Return a case's name, whether it passed, and what there is to say.

    A case passes with the expected result, or another answer that it says is known.

    Raises:
        ShaderError: the case is malformed, or the run failed.
    """
    case = read_shader_case(path)
    results = [run_shader_case(case, e, profile=profile, timeout=timeout) for e in engines]
    bad: list[str] = []
    remarks: list[str] = []
    for result in results:
        answer = known_answer(case, result) if result.differences else None
        if answer is None:
            bad += _lines(f"[{result.engine}]", result.differences)
        else:
            remarks.append(f"[{result.engine}] found another known answer: {answer}")
    if len(results) > 1:
        bad += _lines("[engines disagree]", shader_disagreements(case, *results[:2]))
    return case.name, not bad, [*bad, *remarks]


def _lines(head: str, differences: Sequence[Difference]) -> Iterable[str]:
    for one in differences:
        yield f"{head} {one.register}: {len(one.mismatches)} of {one.dwords} dwords differ"
        for mismatch in one.mismatches[:_SHOWN]:
            yield f"  {mismatch}"
        if len(one.mismatches) > _SHOWN:
            yield f"  and {len(one.mismatches) - _SHOWN} more"
