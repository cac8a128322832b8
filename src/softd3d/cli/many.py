"""Many files at once: those below folders, on all cores, with a progress bar."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import TypeVar

import click

from softd3d.classes import dataclass
from softd3d.cli.files import UNUSABLE, Failures, is_folder, write_output
from softd3d.cli.printing import is_terminal, printable
from softd3d.cores import available_cores
from softd3d.errors import ExecutionError, ResourceError

__all__ = ["InputFile", "convert_many", "file_progress", "files_below", "for_each", "jobs_option"]

_SMALL_CONVERSION = 1 << 20  # bytes that take no longer than starting processes
_WAITING = 4  # shares handed out in advance, for each process
_SHARES = 8  # that each process gets at least, so that all end at about the same time
_LARGEST_SHARE = 1 << 18  # bytes
_MOST_IN_A_SHARE = 64
_MOST_PROCESSES = 60  # Windows cannot wait for more

R = TypeVar("R")

jobs_option = click.option(
    "--jobs", type=click.IntRange(0), default=0, metavar="N",
    help="Processes for several files; by default one for each core, if there is much to do.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to work on. name: its path from where the search began on; size: in bytes."""

    path: Path
    name: PurePath
    size: int


def files_below(paths: Iterable[str], problems: list[tuple[str, str]]) -> Iterator[InputFile]:
    """Yield the files among `paths` and in folders among them, in order of their names.

    In folders only regular files are meant, and links are not followed. `problems` gets name and
    text of what cannot be read.
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
    jobs: int = 0,
) -> Iterator[tuple[InputFile, R]]:
    """Yield each file with what `work` makes of it, in order.

    All cores work, each in its own process, unless the files have fewer than `small_bytes` bytes:
    starting processes takes time too. `work` and its results must be picklable. An interrupt ends
    all processes at once, and none outlives this one.

    jobs: how many processes, however little there is to do; 0 leaves it to this function.
    """
    size = sum(file.size for file in files)
    processes = min(len(files), jobs or available_cores(), _MOST_PROCESSES)
    if processes < 2 or (not jobs and size < small_bytes):
        run = _alone(files, work)
    else:
        run = _shared(_shares(files, size // (processes * _SHARES)), work, processes)
    with failures.guard("softd3d"), file_progress(files) as advance:
        for file, result in run:
            yield file, result
            advance(file.size)


def convert_many(
    paths: Iterable[str],
    convert: Callable[[str, Failures], tuple[str, str | bytes] | None],
    folder: str,
    failures: Failures,
    jobs: int = 0,
) -> None:
    """Convert every file among and below `paths` to a file below `folder`, with the same folders.

    convert: takes a file's path, and where to report warnings; returns the name and the contents of
    the new file, None to leave it out. It must be picklable. Of files of the same name, from
    different folders, the first one is converted, and the others are errors.
    """
    problems: list[tuple[str, str]] = []
    files = list(files_below(paths, problems))
    for name, problem in problems:
        failures.report(name, problem, UNUSABLE)
    work = partial(_convert, convert=convert, folder=folder, earlier=_namesakes(files))
    for _, reports in for_each(files, work, failures, _SMALL_CONVERSION, jobs):
        for report in reports:
            failures.report(*report)


def _namesakes(files: Iterable[InputFile]) -> dict[Path, Path]:
    """Return for each file whose name an earlier one has that one, by their paths."""
    first: dict[str, Path] = {}
    found: dict[Path, Path] = {}
    for file in files:
        earlier = first.setdefault(os.path.normcase(file.name), file.path)
        if earlier != file.path:
            found[file.path] = earlier
    return found


def _convert(
    file: InputFile,
    convert: Callable[[str, Failures], tuple[str, str | bytes] | None],
    folder: str,
    earlier: dict[Path, Path],
) -> list[tuple[str, str, int]]:
    """Convert a file; return what is to be reported."""
    failures = Failures.collected()
    with failures.guard(str(file.path)):
        converted = convert(str(file.path), failures)
        if converted is not None and file.path in earlier:
            other = printable(str(earlier[file.path]))
            raise ResourceError(f"it is left out: in the output folder it is named as {other} is")
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


def _shares(files: list[InputFile], size: int) -> Iterator[list[InputFile]]:
    """Yield files that one process does in one go: handing each over costs as much as a small one.

    size: in bytes, after which a share is full.
    """
    share: list[InputFile] = []
    left = size = min(size, _LARGEST_SHARE)
    for file in files:
        share.append(file)
        left -= file.size
        if left <= 0 or len(share) >= _MOST_IN_A_SHARE:
            yield share
            share, left = [], size
    if share:
        yield share


def _do_share(
    share: list[InputFile], work: Callable[[InputFile], R]
) -> tuple[list[R], Exception | None]:
    """Return what `work` makes of files, up to one where it fails."""
    done: list[R] = []
    try:
        for file in share:
            done.append(work(file))  # noqa: PERF401 - what was done before a failure counts
    except Exception as error:  # noqa: BLE001 - raised again where the results go
        return done, error
    return done, None


def _results(
    share: list[InputFile], future: Future[tuple[list[R], Exception | None]]
) -> Iterator[tuple[InputFile, R]]:
    done, error = future.result()
    yield from zip(share, done, strict=False)
    if error is not None:
        raise error


def _shared(
    shares: Iterator[list[InputFile]], work: Callable[[InputFile], R], processes: int
) -> Iterator[tuple[InputFile, R]]:
    waiting: deque[tuple[list[InputFile], Future[tuple[list[R], Exception | None]]]] = deque()
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _begin_process)
    try:
        for share in shares:
            # A process that starts here has Ctrl-C blocked until it is ready to end quietly.
            _block_interrupts(signal.SIG_BLOCK)
            try:
                waiting.append((share, pool.submit(_do_share, share, work)))
            finally:
                _block_interrupts(signal.SIG_UNBLOCK)
            if len(waiting) >= _WAITING * processes:
                yield from _results(*waiting.popleft())
        for found in waiting:
            yield from _results(*found)
    except BaseException as error:
        # They need not finish what nobody waits for any more.
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        if isinstance(error, BrokenExecutor):
            message = f"a process ended early, the rest was not done: {error}"
            raise ExecutionError(message) from None
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin_process() -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _die_when_interrupted()


def _end_with_parent() -> None:
    """End this process when the one that gives it work has ended, however that came about."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)  # which lets a file half written be removed


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
    """Return a file to work on. follow: it is named by the caller, not found in a folder."""
    try:
        status = path.stat(follow_symlinks=follow)
    except OSError as error:
        problems.append((str(path), error.strerror or str(error)))
        return None
    if stat.S_ISREG(status.st_mode):
        return InputFile(path, name, status.st_size)
    # Nobody may ever write to a pipe that has a name of its own; those of shells are links.
    if follow and not stat.S_ISFIFO(path.lstat().st_mode):
        return InputFile(path, name, 0)
    if follow:
        problems.append((str(path), "neither a file nor a folder"))
    return None


@contextmanager
def file_progress(files: list[InputFile]) -> Generator[Callable[[int], None]]:
    """Give a function that takes bytes done; there is a bar if standard error is a terminal."""
    if not is_terminal(sys.stderr):
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
        redirect_stdout=is_terminal(sys.stdout), redirect_stderr=True,
    ) as progress:  # fmt: skip
        task = progress.add_task("", total=sum(file.size for file in files))

        def advance(done: int) -> None:
            progress.advance(task, done)

        yield advance
