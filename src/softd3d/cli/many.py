"""Many files at once: those below folders, on all cores, with a progress bar."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import TypeVar

from softd3d.cli.files import UNUSABLE, Failures, is_folder, write_output
from softd3d.cores import available_cores
from softd3d.errors import ExecutionError

__all__ = ["InputFile", "convert_many", "files_below", "for_each"]

_SMALL_CONVERSION = 1 << 20  # bytes that take no longer than starting processes
_WAITING = 4  # files handed out in advance, for each process

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to work on. name: its path from where the search began on; size: in bytes."""

    path: Path
    name: PurePath
    size: int


def files_below(paths: Iterable[str], problems: list[tuple[str, str]]) -> Iterator[InputFile]:
    """Yield the regular files among `paths` and in folders among them, in order of their names.

    Links in folders are not followed. `problems` gets name and text of what cannot be read.
    """
    for text in paths:
        path = Path(text)
        if is_folder(text):
            yield from _files_of_folder(path, problems)
        else:
            found = _input_file(path, PurePath(path.name), problems, follow=True)
            if found is not None:
                yield found


def for_each(
    files: list[InputFile],
    work: Callable[[InputFile], R],
    failures: Failures,
    small_bytes: int,
) -> Iterator[tuple[InputFile, R]]:
    """Yield each file with what `work` makes of it, in order.

    All cores work, each in its own process, unless the files have fewer than `small_bytes` bytes:
    starting processes takes time too. `work` and its results must be picklable. An interrupt ends
    all processes at once.
    """
    processes = min(len(files), available_cores())
    is_small = sum(file.size for file in files) < small_bytes
    run = _alone(files, work) if processes < 2 or is_small else _shared(files, work, processes)
    with failures.guard("softd3d"), _progress(files) as advance:
        for file, result in run:
            yield file, result
            advance(file.size)


def convert_many(
    paths: Iterable[str],
    convert: Callable[[str, Failures], tuple[str, str | bytes] | None],
    folder: str,
    failures: Failures,
) -> None:
    """Convert every file among and below `paths` to a file below `folder`, with the same folders.

    convert: takes a file's path, and where to report warnings; returns the name and the contents of
    the new file, None to leave it out. It must be picklable.
    """
    problems: list[tuple[str, str]] = []
    files = list(files_below(paths, problems))
    for name, problem in problems:
        failures.report(name, problem, UNUSABLE)
    work = partial(_convert, convert=convert, folder=folder)
    for _, reports in for_each(files, work, failures, _SMALL_CONVERSION):
        for report in reports:
            failures.report(*report)


def _convert(
    file: InputFile,
    convert: Callable[[str, Failures], tuple[str, str | bytes] | None],
    folder: str,
) -> list[tuple[str, str, int]]:
    """Convert a file; return what is to be reported."""
    failures = Failures.collected()
    with failures.guard(str(file.path)):
        converted = convert(str(file.path), failures)
        if converted is not None:
            name, contents = converted
            target = Path(folder, file.name).with_name(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_output(str(target), contents)
    return failures.reports or []


def _alone(
    files: Iterable[InputFile], work: Callable[[InputFile], R]
) -> Iterator[tuple[InputFile, R]]:
    for file in files:
        yield file, work(file)


def _shared(
    files: Iterable[InputFile], work: Callable[[InputFile], R], processes: int
) -> Iterator[tuple[InputFile, R]]:
    waiting: deque[tuple[InputFile, Future[R]]] = deque()
    pool = ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), _die_when_interrupted
    )
    try:
        for file in files:
            # A process that starts here has Ctrl-C blocked until it is ready to end quietly.
            _block_interrupts(signal.SIG_BLOCK)
            try:
                waiting.append((file, pool.submit(work, file)))
            finally:
                _block_interrupts(signal.SIG_UNBLOCK)
            if len(waiting) >= _WAITING * processes:
                first, future = waiting.popleft()
                yield first, future.result()
        for file, future in waiting:
            yield file, future.result()
    except BrokenExecutor as error:
        raise ExecutionError(f"a process ended early, the rest was not done: {error}") from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _die_when_interrupted() -> None:
    """Let Ctrl-C, which reaches all processes, end this one without a traceback.

    Where it is ignored, as in background jobs of scripts, it stays so.
    """
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    _block_interrupts(signal.SIG_UNBLOCK)


def _block_interrupts(how: int) -> None:
    """Block or unblock Ctrl-C; not on Windows, which has no such thing."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(how, {signal.SIGINT})


def _files_of_folder(root: Path, problems: list[tuple[str, str]]) -> Iterator[InputFile]:
    def note(error: OSError) -> None:
        problems.append((str(error.filename), error.strerror or str(error)))

    for folder, subfolders, names in os.walk(root, onerror=note):
        subfolders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            found = _input_file(path, path.relative_to(root), problems, follow=False)
            if found is not None:
                yield found


def _input_file(
    path: Path, name: PurePath, problems: list[tuple[str, str]], *, follow: bool
) -> InputFile | None:
    try:
        status = path.stat(follow_symlinks=follow)
    except OSError as error:
        problems.append((str(path), error.strerror or str(error)))
        return None
    if stat.S_ISREG(status.st_mode):
        return InputFile(path, name, status.st_size)
    if follow:
        problems.append((str(path), "neither a file nor a folder"))
    return None


@contextmanager
def _progress(files: list[InputFile]) -> Generator[Callable[[int], None]]:
    """Give a function that takes bytes done; there is a bar if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 - only for a person who looks on
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        DownloadColumn,
        Progress,
        TimeRemainingColumn,
    )

    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=Console(stderr=True), transient=True,
        redirect_stdout=sys.stdout.isatty(), redirect_stderr=True,
    ) as progress:  # fmt: skip
        task = progress.add_task("", total=sum(file.size for file in files))

        def advance(done: int) -> None:
            progress.advance(task, done)

        yield advance
