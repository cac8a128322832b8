"""Input, output and errors of all verbs."""

from __future__ import annotations

import errno
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import click

from softd3d.cli.printing import STANDARD_OUTPUT, is_terminal, printable, say
from softd3d.errors import (
    ContainerError,
    ExecutionError,
    InternalError,
    ResourceError,
    ShaderError,
)
from softd3d.source import MAX_INPUT_BYTES, read_stream

__all__ = [
    "FAILED",
    "FINE",
    "INTERRUPTED",
    "UNUSABLE",
    "WRONG_CHECKSUM",
    "Failures",
    "check_extraction",
    "check_folder",
    "check_not_input",
    "check_output",
    "error_text",
    "exit_status",
    "is_folder",
    "is_there",
    "read_input",
    "read_shader",
    "write_output",
]

FINE, FAILED, UNUSABLE = 0, 1, 2
INTERRUPTED = 130  # 128 + SIGINT, as in shells
_SHORT = 40  # characters
# Signals that end a process unless it is prepared for them; Windows lacks one
_ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)
WRONG_CHECKSUM = "the checksum is wrong, Direct3D refuses the file"


class Failures:
    """Prints errors as they come, without a traceback, and knows the exit status they ask for.

    reports: name, message and status of each if they are kept instead, else None.
    """

    def __init__(self) -> None:
        self.status = FINE
        self.reports: list[tuple[str, str, int]] | None = None

    @classmethod
    def collected(cls) -> Failures:
        """Return one that keeps its reports in `reports` and prints nothing."""
        failures = cls()
        failures.reports = []
        return failures

    @contextmanager
    def guard(self, name: str) -> Generator[None]:
        """Turn an error of the input or the system into one line about `name`.

        The system's errors are about the file that they name, whatever `name` is.
        """
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            about = error.filename
            named = os.fsdecode(about) if isinstance(about, (str, bytes)) else name
            self.report(named, error.strerror or str(error), UNUSABLE)
        except ShaderError as error:
            self.report(name, error_text(error, name), exit_status(error))
        except MemoryError:
            self.report(name, "there is not enough memory", FAILED)

    def report(self, name: str, message: str, status: int) -> None:
        """Print a line to standard error and remember the worst status."""
        if self.reports is None:
            say(f"softd3d: {printable(name)}: {message}", err=True)
        else:
            self.reports.append((name, message, status))
        self.status = max(self.status, status)

    def finish(self) -> None:
        """Leave the program unless all went well."""
        if self.status:
            raise SystemExit(self.status)


def is_folder(name: str) -> bool:
    """Tell whether there is such a folder; names that no file can have are of none."""
    return os.path.isdir(name)  # noqa: PTH112 - unlike Path's, it raises no OSError


def is_there(name: str) -> bool:
    """Tell whether there is such a file or folder, as `is_folder` does."""
    return os.path.exists(name)  # noqa: PTH110 - likewise


def read_input(name: str, most: int = MAX_INPUT_BYTES) -> bytes:
    """Return the bytes of a file, or of standard input for `-`.

    Pipes and devices are read to their end, too, which may never come: of them at most
    MAX_INPUT_BYTES are read, of a regular file at most `most`.

    Raises:
        OSError: it cannot be read. ResourceError: it has more bytes than that.
    """
    if name == "-":
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - closed by the shell
            raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard input")
        return read_stream(sys.stdin.buffer, most)
    with Path(name).open("rb", buffering=0) as file:
        return read_stream(file, most)


def read_shader(name: str, failures: Failures, *, strict: bool) -> bytes:
    """Return the bytes of an input; a container's wrong checksum is an error if `strict`.

    Else it is a warning: Direct3D refuses such a file, but what is in it can be looked at.

    Raises:
        OSError: it cannot be read. ContainerError: it is a malformed or wrongly signed container.
    """
    from softd3d.container.dxbc.container import is_container, stored_checksum_kind  # noqa: PLC0415 - lazy

    data = read_input(name)
    if is_container(data) and stored_checksum_kind(data) is None:
        if strict:
            raise ContainerError(WRONG_CHECKSUM)
        failures.report(name, f"warning: {WRONG_CHECKSUM}", failures.status)
    return data


def write_output(name: str | None, data: str | bytes) -> None:
    """Write to standard output (None or `-`), or to a file that appears at once and complete.

    A link stays one, and what it leads to is written; a pipe or device is written to directly.

    Raises:
        OSError: it cannot be written, and has its name; an existing file is as it was.
    """
    try:
        if name is None or name == "-":
            if isinstance(data, str) and is_terminal(sys.stdout):
                say(data.removesuffix("\n"))
            else:
                click.echo(data, nl=False)
        else:
            raw = data.encode() if isinstance(data, str) else data
            _write_file(name, raw)
    except OSError as error:  # which may be about the file that only was to become this one
        about = STANDARD_OUTPUT if name in (None, "-") else name
        raise OSError(error.errno, error.strerror or str(error), about) from error


def check_output(name: str | None) -> None:
    """Find out beforehand whether `write_output` has a place for its file, as far as one can.

    Raises:
        OSError: there is no such folder, it or the file cannot be written, or that is a folder.
    """
    if name is None or name == "-":
        return
    target = Path(os.path.realpath(name))
    parent = target.parent
    try:
        if target.is_dir():
            problem = errno.EISDIR
        elif _is_stream(name):  # which is written to directly
            problem = 0 if os.access(name, os.W_OK) else errno.EACCES
        elif not parent.is_dir():
            problem = errno.ENOTDIR if parent.exists() else errno.ENOENT
        else:
            problem = 0 if os.access(parent, os.W_OK | os.X_OK) else errno.EACCES
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), name) from error
    if problem:
        raise OSError(problem, os.strerror(problem), name)


def check_folder(name: str) -> None:
    """Find out beforehand whether files can be written below a folder, which may not be there yet.

    Raises:
        OSError: it is a file, or it or the folder where it would be made cannot be written.
    """
    place = Path(os.path.realpath(name))
    while not is_there(str(place)) and place != place.parent:
        place = place.parent
    if not is_folder(str(place)):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
    if not os.access(place, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)


def check_extraction(file: str, output: str | None, folder: str | None, failures: Failures) -> None:
    """Leave the program if what comes out of a file cannot be written, to one file or several."""
    with failures.guard(output or folder or file):
        check_output(output)
        check_not_input(output, file)
        if folder is not None:
            check_folder(folder)
    failures.finish()


def check_not_input(output: str | None, *inputs: str) -> None:
    """Refuse to write over an input, of which the output is no new version.

    Raises:
        ResourceError: they are the same file.
    """
    if output in (None, "-"):
        return
    for name in inputs:
        with suppress(OSError):
            if name != "-" and Path(output).samefile(name):
                raise ResourceError("the output is the input, wanted another file")


def _write_file(name: str, raw: bytes) -> None:
    if is_folder(name):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if _is_stream(name):
        with open(name, "wb") as file:  # noqa: PTH123 - a plain name
            file.write(raw)
    else:
        _write_at_once(Path(os.path.realpath(name)), raw)


def _is_stream(name: str) -> bool:
    """Tell whether it is a pipe or device; what links such as /dev/stdout lead to has no name."""
    return is_there(name) and not os.path.isfile(name)  # noqa: PTH113 - as in `is_folder`


def _write_at_once(target: Path, raw: bytes) -> None:
    # The temporary name is short: only the target's can be too long.
    with _signals_raise():
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:_SHORT]}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(raw)
            os.chmod(temporary, _mode(target))  # noqa: PTH101 - a plain name
            Path(temporary).replace(target)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise


@contextmanager
def _signals_raise() -> Generator[None]:
    """Let signals that would end the process end the block first, so that it can clean up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [n for n in _ENDING if signal.getsignal(n) is signal.SIG_DFL]
    received: list[int] = []

    def leave(number: int, _frame: object) -> None:
        received.append(number)
        raise SystemExit(128 + number)

    for number in numbers:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        for number in received:
            signal.raise_signal(number)


def _mode(target: Path) -> int:
    """Return the permissions that writing the file directly would have left."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def exit_status(error: ShaderError) -> int:
    """Return the exit status of an error: a run that was stopped has failed, all else is input."""
    return FAILED if isinstance(error, (ExecutionError, InternalError)) else UNUSABLE


def error_text(error: ShaderError, name: str) -> str:
    """Return an error's text, without the file's name if that is `name`, as it stands before it."""
    where, text = error.location, str(error)
    if where is not None and where.source == name:
        rest = str(replace(where, source=None))
        text = f"{error.message} ({rest})" if rest else error.message
    if isinstance(error, InternalError):
        return f"internal error, please report it with the input: {text}"
    return text
