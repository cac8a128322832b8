"""`softd3d val`: whether shaders keep to the rules of Direct3D, and which ones they break."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from softd3d.cli.files import FAILED, UNUSABLE, Failures, read_input

if TYPE_CHECKING:
    from softd3d.errors import Finding

__all__ = ["command"]


@click.command("val")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object a file.")
@click.option("--strict", is_flag=True, help="Take warnings for errors.")
@click.option("--quiet", is_flag=True, help="Print errors only, and nothing for files without.")
def command(
    files: tuple[str, ...],
    as_json: bool,  # noqa: FBT001 - click's convention
    strict: bool,  # noqa: FBT001
    quiet: bool,  # noqa: FBT001
) -> None:
    """Check shaders of models 4 and 5 against the rules of Direct3D: errors are what it refuses.

    Exit status: 0 no errors, 1 errors, 2 a file that cannot be read or is no such shader.
    """
    from softd3d.device.validation import NOT_A_SHADER, validate  # noqa: PLC0415 - when needed
    from softd3d.errors import Severity  # noqa: PLC0415

    failures = Failures()
    results: list[dict[str, Any]] = []
    for file in files:
        with failures.guard(file):
            found = validate(read_input(file))
            if strict:
                found = [replace(finding, severity=Severity.ERROR) for finding in found]
            errors = [finding for finding in found if finding.severity is Severity.ERROR]
            if errors:
                unusable = errors[0].code == NOT_A_SHADER
                failures.status = max(failures.status, UNUSABLE if unusable else FAILED)
            shown = errors if quiet else found
            if as_json:
                results.append(
                    {"file": file, "valid": not errors, "findings": [_data(f) for f in shown]}
                )
            else:
                _print(file, shown, quiet=quiet)
    if as_json:
        click.echo(json.dumps(results, indent=2))
    failures.finish()


def _print(file: str, findings: list[Finding], *, quiet: bool) -> None:
    for f in findings:
        where = f" at {f.location}" if str(f.location) else ""
        click.echo(f"{file}: {f.severity} {f.code}{where}: {f.message} [{f.spec}]")
    if not findings and not quiet:
        click.echo(f"{file}: valid")


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
