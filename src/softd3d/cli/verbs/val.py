"""`softd3d val`: whether shaders keep to the rules of Direct3D, and which ones they break."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from softd3d.classes import dataclass
from softd3d.cli.files import FAILED, UNUSABLE, Failures, read_input
from softd3d.cli.inputs import begins_as
from softd3d.cli.many import InputFile, files_below, for_each, jobs_option
from softd3d.cli.printing import printable, say

if TYPE_CHECKING:
    from softd3d.errors import Finding

__all__ = ["command"]

_SMALL = 1 << 21  # bytes that take no longer than starting processes
_INPUT = "-"


@dataclass(frozen=True, slots=True)
class _Result:
    """What was found in a file. findings: None if it could not be read, or is to be left out."""

    findings: list[Finding] | None = None
    reports: tuple[tuple[str, str, int], ...] = ()


@click.command("val")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object per file.")
@click.option("--strict", is_flag=True, help="Treat warnings as errors.")
@click.option("--quiet", is_flag=True, help="Print only errors, and nothing for files without any.")
@jobs_option
def command(paths: tuple[str, ...], jobs: int, *, as_json: bool, strict: bool, quiet: bool) -> None:
    """Check shaders against the rules of Direct3D. Errors are what it rejects.

    Several files, or all shaders in folders, are checked on all cores, and counted in a last line.

    Exit status: 0 no errors, 1 errors, 2 a file that cannot be read or is not a shader.
    """
    from softd3d.errors import Severity  # noqa: PLC0415
    from softd3d.tools.validation.binary import NOT_A_SHADER  # noqa: PLC0415 - when it is needed

    failures = Failures()
    listed: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    for name, found in _checked(paths, failures, jobs):
        if strict:
            found = [replace(finding, severity=Severity.ERROR) for finding in found]  # noqa: PLW2901
        errors = [finding for finding in found if finding.severity is Severity.ERROR]
        if errors:
            unusable = errors[0].code == NOT_A_SHADER
            failures.status = max(failures.status, UNUSABLE if unusable else FAILED)
        counts["with errors" if errors else "with warnings" if found else "valid"] += 1
        shown = errors if quiet else found
        if as_json:
            listed.append(
                {"file": name, "valid": not errors, "findings": [_data(f) for f in shown]}
            )
        else:
            _print(name, shown, quiet=quiet)
    if as_json:
        say(json.dumps(listed, indent=2))
    elif counts.total() > 1 and not quiet:
        kinds = ", ".join(f"{counts[kind]} {kind}" for kind in ("valid", "with warnings",
                                                                "with errors"))  # fmt: skip
        say(f"{counts.total()} files: {kinds}")
    failures.finish()


def _checked(
    paths: tuple[str, ...], failures: Failures, jobs: int
) -> Iterator[tuple[str, list[Finding]]]:
    """Yield the name and the findings of each file that can be checked, in order."""
    for is_input, group in groupby(paths, lambda path: path == _INPUT):
        for name, result in _of_input() if is_input else _of_files(list(group), failures, jobs):
            for report in result.reports:
                failures.report(*report)
            if result.findings is not None:
                yield name, result.findings


def _of_input() -> Iterator[tuple[str, _Result]]:
    yield _INPUT, _validated(_INPUT)


def _of_files(paths: list[str], failures: Failures, jobs: int) -> Iterator[tuple[str, _Result]]:
    problems: list[tuple[str, str]] = []
    files = list(files_below(paths, problems))
    for name, problem in problems:
        failures.report(name, problem, UNUSABLE)
    named = frozenset(Path(path) for path in paths)
    for file, result in for_each(files, partial(_work, named=named), failures, _SMALL, jobs):
        yield str(file.path), result


def _work(file: InputFile, named: frozenset[Path]) -> _Result:
    """Validate a file; one in a folder that is no shader is left out."""
    from softd3d.shaders.identify import SHADER_KINDS  # noqa: PLC0415 - only when it is needed
    from softd3d.tools.validation.binary import NOT_A_SHADER  # noqa: PLC0415

    if file.path not in named and not begins_as(file.path, SHADER_KINDS):
        return _Result()
    result = _validated(str(file.path))
    is_other = any(finding.code == NOT_A_SHADER for finding in result.findings or ())
    return _Result() if is_other and file.path not in named else result


def _validated(name: str) -> _Result:
    from softd3d.tools.validation.binary import validate  # noqa: PLC0415 - only when it is needed

    failures = Failures.collected()
    findings: list[Finding] | None = None
    with failures.guard(name):
        findings = validate(read_input(name))
    return _Result(findings, tuple(failures.reports or ()))


def _print(name: str, findings: list[Finding], *, quiet: bool) -> None:
    for f in findings:
        where = f" at {f.location}" if str(f.location) else ""
        say(f"{printable(name)}: {f.severity} {f.code}{where}: {f.message} [{f.spec}]")
    if not findings and not quiet:
        say(f"{printable(name)}: valid")


def _data(f: Finding) -> dict[str, Any]:
    return {
        "code": f.code,
        "severity": f.severity.value,
        "message": f.message,
        "offset": f.location.offset,
        "instruction": f.location.instruction,
        "chunk": f.location.chunk,
        "spec": f.spec,
    }
