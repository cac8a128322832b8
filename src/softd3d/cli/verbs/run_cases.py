"""Execution cases on the command line: run, compare, report."""

from __future__ import annotations

import json
import math
import struct
import time
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from softd3d.classes import dataclass
from softd3d.cli.files import (
    FAILED,
    UNUSABLE,
    Failures,
    check_output,
    error_text,
    exit_status,
    is_folder,
    write_output,
)
from softd3d.cli.printing import say
from softd3d.cli.said import said_as_json, said_lines
from softd3d.cli.verbs.run_cases9 import judged9
from softd3d.cli.verbs.run_shader_cases import judged_shader
from softd3d.device.d3d9.cases.case import is_case9
from softd3d.device.draws.case_places import place_of
from softd3d.device.verdict import CaseResult, Difference, disagreements, run_case
from softd3d.errors import ExecutionError, LoweringError, ShaderError
from softd3d.lower.outcome import Outcome
from softd3d.resources.cases.comparison import Mismatch
from softd3d.resources.cases.file import Case, read_case
from softd3d.resources.cases.json import read_json
from softd3d.resources.cases.shader9 import is_shader_case

__all__ = ["run"]

_SHOWN = 4
_ERRORS = {"stopped": FAILED, "error": UNUSABLE}
_ENGINES = {"both": ("interpreter", "jit"), "interpreter": ("interpreter",), "jit": ("jit",)}


@dataclass(slots=True)
class _Verdict:
    """status: pass, fail, skip, stopped (a run did not end well) or error (unusable).

    notes: lines below the verdict, before the messages.
    outcome: of the first engine, or of the run that ended in an error. picture: a PNG file of how
    render targets differ, where one is wanted and they do, and what is in it.
    """

    name: str
    status: str
    notes: list[str]
    seconds: float = 0.0
    outcome: Outcome = field(default_factory=Outcome)
    picture: tuple[bytes, str] | None = None


def run(
    files: tuple[str, ...], engine: str, failures: Failures, *, threads: int, is_strict: bool,
    as_json: bool, timeout: float | None, profile: str, difference: str | None = None,
) -> None:  # fmt: skip
    """Run the cases of files and folders and print a verdict for each, then a summary.

    profile: of cases of Direct3D 9. difference: where to write a picture of the render targets of
    the first case in which they differ.

    Raises:
        OSError: the picture cannot be written.
    """
    start = time.perf_counter()
    if difference is not None:
        check_output(difference)
    verdicts: list[_Verdict] = []
    for path in _paths(files, failures):
        verdict = _judge(
            path, _ENGINES[engine], threads, timeout, profile, is_strict=is_strict,
            has_picture=difference is not None and not any(v.picture for v in verdicts),
        )  # fmt: skip
        verdicts.append(verdict)
        if verdict.status in _ERRORS:
            for line in said_lines(verdict.outcome):
                say(f"{path}: {line}", err=True)
            failures.report(str(path), verdict.notes[0], _ERRORS[verdict.status])
        elif not as_json:
            _print(verdict)
    if as_json:
        say(json.dumps([_as_json(v) for v in verdicts], indent=2))
    else:
        say(_summary(verdicts, time.perf_counter() - start))
    if difference is not None:
        _leave_picture(difference, next((v.picture for v in verdicts if v.picture), None))
    bad = {"fail", "skip"} if is_strict else {"fail"}
    if any(v.status in bad for v in verdicts):
        failures.status = max(failures.status, FAILED)


def _leave_picture(name: str, picture: tuple[bytes, str] | None) -> None:
    """Write the picture, or take away what a run before has left there, and say so."""
    if picture is not None:
        write_output(name, picture[0])
        say(f"{picture[1]}: written to {name}", err=True)
        return
    has_old = Path(name).is_file()
    if has_old:
        Path(name).unlink()
    say(f"no render target differs: {name} is {'removed' if has_old else 'not written'}", err=True)


def _paths(files: tuple[str, ...], failures: Failures) -> Iterator[Path]:
    """Yield case files; of a folder those in it, or in its `cases` folder."""
    for name in files:
        path = Path(name)
        if not is_folder(name):
            yield path
            continue
        folder = path / "cases" if is_folder(str(path / "cases")) else path
        found = sorted(folder.glob("*.json"))
        if not found:
            failures.report(name, "no cases (*.json) in this folder", UNUSABLE)
        yield from found


def _judge(
    path: Path, engines: tuple[str, ...], threads: int, timeout: float | None, profile: str, *,
    is_strict: bool, has_picture: bool,
) -> _Verdict:  # fmt: skip
    start = time.perf_counter()
    name = path.stem
    engine = ""
    try:
        data = read_json(path)
        if is_case9(data):
            name, passed, notes = judged9(
                path, engines, profile=profile, threads=threads, timeout=timeout
            )
            status = "pass" if passed else "fail"
            return _Verdict(name, status, notes, time.perf_counter() - start)
        if is_shader_case(data):
            name, passed, notes = judged_shader(path, engines, profile=profile, timeout=timeout)
            status = "pass" if passed else "fail"
            return _Verdict(name, status, notes, time.perf_counter() - start)
        case = read_case(path)
        name = case.name
        results: list[CaseResult] = []
        for engine in engines:
            results.append(
                run_case(case, engine, threads=threads, strict=is_strict, timeout=timeout)
            )
        notes = _notes(case, results)
        return _Verdict(
            name, "fail" if notes else "pass", notes, time.perf_counter() - start,
            results[0].outcome, _picture(case, results) if notes and has_picture else None,
        )  # fmt: skip
    except LoweringError as error:
        return _Verdict(name, "skip", [error_text(error, str(path))])
    except ShaderError as error:
        what = f"[{engine}] " if engine else ""
        said = error.outcome if isinstance(error, ExecutionError) else None
        notes = [f"{what}{error_text(error, str(path))}"]
        status = "stopped" if exit_status(error) == FAILED else "error"
        return _Verdict(name, status, notes, outcome=said or Outcome())


def _notes(case: Case, results: list[CaseResult]) -> list[str]:
    notes: list[str] = []
    for result in results:
        for difference in result.differences:
            notes += _lines(f"[{result.engine}]", difference, "expected", result)
    if len(results) > 1:
        for difference in disagreements(case, *results[:2]):
            notes += _lines("[engines disagree]", difference, results[0].engine, results[0])
        if any(r.outcome.messages != results[0].outcome.messages for r in results):
            notes.append("[engines disagree] messages of threads")
    return notes


def _picture(case: Case, results: list[CaseResult]) -> tuple[bytes, str] | None:
    """Return a picture of the render targets that differ, from each other or from files."""
    from softd3d.cli.difference_picture import Panel, difference_picture  # noqa: PLC0415 - rare

    one, other = results[0], results[-1]
    panels: list[Panel] = []
    for output in case.outputs:
        name = output.register
        wanted, bad = output.expected.read_bytes(), other if _is_bad(other, name) else one
        if not _is_bad(bad, name):
            wanted, bad = one.outputs[name], other
        if name in one.targets and wanted != bad.outputs[name]:
            panels.append(Panel(one.targets[name], name, wanted, bad.outputs[name]))
    data = difference_picture(panels)
    names = ", ".join(panel.register for panel in panels)
    what = f"{case.name}, {names}, each as wanted, as found, and the difference"
    return None if data is None else (data, what)


def _is_bad(result: CaseResult, register: str) -> bool:
    return any(difference.register == register for difference in result.differences)


def _lines(head: str, difference: Difference, wanted: str, result: CaseResult) -> list[str]:
    bad = difference.mismatches
    lines = [f"{head} {difference.register}: {len(bad)} of {difference.dwords} dwords differ"]
    for m in bad[:_SHOWN]:
        place = _place(result, difference.register, m)
        lines.append(f"  {place}{': ' if place else ''}{_mismatch(m, wanted)}")
    if len(bad) > _SHOWN:
        lines.append(f"  and {len(bad) - _SHOWN} more")
    return lines


def _place(result: CaseResult, register: str, m: Mismatch) -> str:
    """Return where a dword lies in a target or a buffer of stream output, if that is known."""
    target = result.targets.get(register)
    if target is not None:
        return place_of(target, register, m)
    return "" if result.streams is None else result.streams.place_of(register, m.index)


def _mismatch(m: Mismatch, wanted: str) -> str:
    has_floats = m.rule == "float32"
    expected, found = _number(m.expected, has_floats), _number(m.found, has_floats)
    distance = "" if m.ulp is None or not _is_finite(m) else f", {m.ulp} ULP apart"
    return f"dword {m.index}: {wanted} {expected}, found {found} ({m.rule}{distance})"


def _is_finite(m: Mismatch) -> bool:
    return all(math.isfinite(_float(n)) for n in (m.expected, m.found))


def _float(bits: int) -> float:
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def _number(bits: int, is_float: bool) -> str:  # noqa: FBT001 - private, named where it is called
    return f"{bits:#010x}" + (f" = {_float(bits):.9g}" if is_float else "")


def _print(verdict: _Verdict) -> None:
    if verdict.status == "skip":
        say(f"SKIP  {verdict.name}: {verdict.notes[0]}")
        return
    say(f"{verdict.status.upper()}  {verdict.name}")
    for note in (*verdict.notes, *said_lines(verdict.outcome)):
        say(f"      {note}")


def _summary(verdicts: list[_Verdict], seconds: float) -> str:
    words = {"pass": "passed", "fail": "failed", "stopped": "stopped", "skip": "not supported yet",
             "error": "unusable"}  # fmt: skip
    counts = {status: sum(v.status == status for v in verdicts) for status in words}
    parts = [f"{n} {words[s]}" for s, n in counts.items() if n or s in ("pass", "fail")]
    return f"{', '.join(parts)} in {seconds:.1f} s"


def _as_json(verdict: _Verdict) -> dict[str, Any]:
    return {
        "case": verdict.name,
        "status": verdict.status,
        "seconds": round(verdict.seconds, 4),
        "notes": verdict.notes,
        **said_as_json(verdict.outcome),
    }
