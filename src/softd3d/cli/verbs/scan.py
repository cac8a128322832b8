"""`softd3d scan`: find shader binaries in files of any kind."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from softd3d.classes import dataclass
from softd3d.cli.files import (
    UNUSABLE,
    Failures,
    check_folder,
    is_there,
    read_input,
    write_output,
)
from softd3d.cli.many import InputFile, files_below, for_each
from softd3d.cli.printing import printable, say
from softd3d.cli.safe_names import safe_path

if TYPE_CHECKING:
    from softd3d.tools.scan.files import FoundBinary

__all__ = ["command"]

_PARALLEL_BYTES = 1 << 25  # below that, starting processes takes longer than scanning
_EXTENSIONS = {"SM1-3": "bin"}


@dataclass(frozen=True, slots=True)
class _Job:
    """What a process needs to know."""

    nested: bool
    decompress: bool
    folder: str | None


@dataclass(frozen=True, slots=True)
class _Result:
    """What is in a file, and what is to be reported.

    is_packed: whether it has compressed members that were not looked into.
    """

    found: list[FoundBinary]
    reports: list[tuple[str, str, int]]
    is_packed: bool = False


@click.command("scan")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--extract", metavar="DIR", help="Write each find to a file in this folder.")
@click.option("--nested", is_flag=True, help="Include finds inside other finds.")
@click.option("--decompress", is_flag=True, help="Also look into zip, gzip and zlib files.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, one object per find.")
def command(
    paths: tuple[str, ...], extract: str | None, *, nested: bool, decompress: bool, as_json: bool
) -> None:
    """Find shader binaries in files of any kind, and in all files of folders.

    Finds DXBC containers and token streams of shader model 1 to 3, at any offset.
    """
    failures = Failures()
    if extract is not None:
        with failures.guard(extract):
            check_folder(extract)
        failures.finish()
    job = _Job(nested, decompress, extract)
    listed: list[dict[str, Any]] = []
    is_empty = True
    packed: list[str] = []
    for name, result in _results(paths, job, failures):
        for report in result.reports:
            failures.report(*report)
        is_empty &= not result.found
        if result.is_packed:
            packed.append(name)
        for found in result.found:
            if as_json:
                listed.append(_as_dict(name, found))
            else:
                say(_line(name, found))
    if as_json:
        say(json.dumps(listed, indent=2))
    if is_empty:
        say("softd3d: no shaders found", err=True)
    if packed:
        which = (
            f"{printable(packed[0])} is compressed"
            if len(packed) == 1
            else (f"{len(packed)} files are compressed, {printable(packed[0])} is the first")
        )
        say(f"softd3d: {which}: --decompress looks into such files", err=True)
    failures.finish()


def _results(
    paths: tuple[str, ...], job: _Job, failures: Failures
) -> Iterator[tuple[str, _Result]]:
    """Yield name and result of each file, in order."""
    if "-" in paths:
        yield "-", _scan_stream("-", PurePath("stdin"), job)
    problems: list[tuple[str, str]] = []
    files = list(files_below([path for path in paths if path != "-"], problems))
    for name, problem in problems:
        failures.report(name, problem, UNUSABLE)
    for file, result in for_each(files, partial(_scan, job=job), failures, _PARALLEL_BYTES):
        yield str(file.path), result


def _scan(file: InputFile, job: _Job) -> _Result:
    from softd3d.tools.scan.archives import is_compressed  # noqa: PLC0415 - only when it is needed
    from softd3d.tools.scan.files import scan_file  # noqa: PLC0415

    if not os.path.isfile(file.path):  # noqa: PTH113 - a pipe or device, which has no pages
        return _scan_stream(str(file.path), file.name, job)
    problems: list[str] = []
    finds = scan_file(file.path, problems, nested=job.nested, decompress=job.decompress)
    found = _collected(finds, str(file.path), file.name, job, problems)
    if not job.decompress:
        with suppress(OSError):  # which has been reported
            return replace(found, is_packed=is_compressed(file.path))
    return found


def _scan_stream(source: str, name: PurePath, job: _Job) -> _Result:
    """Scan what is read to its end: standard input, a pipe, a device."""
    from softd3d.tools.scan.files import scan_source  # noqa: PLC0415 - only when it is needed

    failures = Failures.collected()
    with failures.guard(source):
        finds = scan_source(read_input(source), nested=job.nested)
        return _collected(finds, source, name, job, [])
    return _Result([], failures.reports or [])


def _collected(
    finds: Iterable[tuple[FoundBinary, bytes]], source: str, name: PurePath, job: _Job,
    problems: list[str],
) -> _Result:  # fmt: skip
    """Return what is found in `source`. problems: filled with texts while `finds` is read."""
    failures = Failures.collected()
    listed: list[FoundBinary] = []
    taken: dict[str, PurePath] = {}  # some systems take names that differ by case for the same
    with failures.guard(source):
        for found, data in finds:
            listed.append(found)
            if job.folder is not None:
                target = _file_name(name, found)
                if taken.setdefault(str(target).casefold(), target) != target:
                    target = _file_name(name, found, mark=found.sha256[:8])
                _extract(Path(job.folder, target), data, problems, failures)
    reports = [(source, problem, UNUSABLE) for problem in problems]
    return _Result(listed, [*reports, *(failures.reports or [])])


def _extract(target: Path, data: bytes, problems: list[str], failures: Failures) -> None:
    """Write a file that is not there yet, or has the same bytes already; go on after errors."""
    with failures.guard(str(target)):
        if not is_there(str(target)):
            target.parent.mkdir(parents=True, exist_ok=True)
            write_output(str(target), data)
        elif target.read_bytes() != data:
            problems.append(f"{target} exists with other contents and is left as it is")


def _file_name(name: PurePath, found: FoundBinary, mark: str = "") -> PurePath:
    """Return `FILE@OFFSET.PROFILE.dxbc`, with the folders of file and member but none above."""
    extension = _EXTENSIONS.get(found.kind, "dxbc")
    suffix = f"{mark and '~'}{mark}@{found.offset:#x}.{found.profile or 'unknown'}.{extension}"
    return safe_path([*name.parts, *found.member.replace("\\", "/").split("/")], suffix)


def _as_dict(name: str, found: FoundBinary) -> dict[str, Any]:
    return {
        "file": name,
        "member": found.member or None,
        "offset": found.offset,
        "bytes": found.size,
        "kind": found.kind.value,
        "profile": found.profile,
        "checksum": found.checksum,
        "checksum_ok": found.is_signed,
        "sha256": found.sha256,
        "parent": found.parent,
    }


def _line(name: str, found: FoundBinary) -> str:
    where = f"{name}!{found.member}" if found.member else name
    facts = [found.kind.value, found.profile, f"{found.size} bytes"]
    if not found.is_signed:
        facts.append("checksum WRONG")
    elif found.checksum is not None:
        facts.append(f"{found.checksum} checksum")
    if found.parent is not None:
        facts.append(f"in {found.parent:#x}")
    text = f"{where}@{found.offset:#x}: {', '.join(filter(None, facts))}, SHA-256 {found.sha256}"
    return printable(text)
