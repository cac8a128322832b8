"""The inputs of commands that tell of files: one by one, those in folders too, with a bar."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from softd3d.cli.files import UNUSABLE, Failures, is_folder, read_input
from softd3d.cli.many import InputFile, file_progress, files_below
from softd3d.source import MAX_INPUT_BYTES

if TYPE_CHECKING:
    from softd3d.shaders.identify import Kind

__all__ = ["begins_as", "each_input"]

_IDENTIFYING = 8  # bytes


def each_input(
    paths: Sequence[str], failures: Failures, kinds: Collection[Kind], most: int = MAX_INPUT_BYTES
) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of every input in order; what cannot be read is reported.

    kinds: the files in folders that are meant; others there are left out. most: as `read_input`
    has it.
    """
    files = [file for path in paths for file in _files(path, failures, kinds)]
    with file_progress(files) as advance:
        for file in files:
            name = str(file.path)
            data: bytes | None = None
            with failures.guard(name):
                data = read_input(name, most)
            if data is not None:  # pyright: ignore[reportUnnecessaryComparison] - after an error
                yield name, data
            advance(file.size)


def _files(path: str, failures: Failures, kinds: Collection[Kind]) -> list[InputFile]:
    """Return what a path names: one input, or those of the wanted kinds in a folder."""
    if not is_folder(path):
        return [InputFile(Path(path), Path(path), 0)]
    problems: list[tuple[str, str]] = []
    files = [file for file in files_below([path], problems) if begins_as(file.path, kinds)]
    for name, problem in problems:
        failures.report(name, problem, UNUSABLE)
    if not files and not problems:
        failures.report(path, "no shaders in this folder", UNUSABLE)
    return files


def begins_as(path: Path, kinds: Collection[Kind]) -> bool:
    """Tell whether a file begins as one of a kind; what cannot be read is left to who reads it."""
    from softd3d.shaders.identify import identify  # noqa: PLC0415 - only when it is needed

    try:
        with path.open("rb") as file:
            return identify(file.read(_IDENTIFYING)).kind in kinds
    except OSError:
        return True
