"""Draw cases of Direct3D 9 on the command line: run, compare, what other answers there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from softd3d.device.d3d9.cases.case import Case9, Found9, read_case9, run_case9
from softd3d.device.d3d9.cases.verdict import (
    Difference9,
    candidates9,
    differences9,
    disagreements9,
)

__all__ = ["judged9"]

_SHOWN = 4


def judged9(
    path: Path, engines: Sequence[str], *, profile: str, threads: int, timeout: float | None
) -> tuple[str, bool, list[str]]:
    """Return a case's name, whether it passed, and what there is to say.

    Raises:
        ShaderError: the case is malformed, or a call failed.
    """
    case = read_case9(path)
    found = {
        engine: run_case9(case, profile=profile, engine=engine, threads=threads, timeout=timeout)
        for engine in engines
    }
    notes: list[str] = []
    for engine, one in found.items():
        notes += _lines(f"[{engine}]", differences9(case, one))
    if len(found) > 1:
        notes += _lines("[engines disagree]", disagreements9(*tuple(found.values())[:2]))
    return case.name, not notes, [*notes, *_remarks(case, found[engines[0]])]


def _lines(head: str, differences: Sequence[Difference9]) -> Iterable[str]:
    for one in differences[:_SHOWN]:
        yield f"{head} {one}"
    if len(differences) > _SHOWN:
        yield f"{head} and {len(differences) - _SHOWN} more"


def _remarks(case: Case9, found: Found9) -> Iterable[str]:
    """Yield which other known answer was found, and whether Wine agrees with the expected one."""
    for source in candidates9(case, found):
        yield f"found is another known answer: {source}"
    if case.entry.data.get("wine_agrees") is False:
        yield f"Wine differs: {case.entry.data.get('wine_note', '')}"
