"""The folder of compiled kernels, and files in it, as far as they can be trusted.

Their contents run as native code. So a folder or file counts only if it belongs to this user and
nobody else may write it. That is asked of what has been opened, not of a path that may mean
something else a moment later; the last part of the path may be no symbolic link. What lies above
the folder need not be trusted: who replaces the folder cannot make one that belongs to this user.

Windows has no such modes: there the folder is protected by the user's profile that it lies in.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

__all__ = ["NEW", "CacheFolder", "opened_folder"]

NEW = ".new-"  # what the names of files begin with while they are written
_HAS_OWNERS = hasattr(os, "geteuid") and os.open in os.supports_dir_fd
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
# O_NONBLOCK: a pipe of this name must not hold us up.
_READ = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class CacheFolder:
    """An open folder. descriptor: None where the system opens files by their paths only."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self.path = path
        self.descriptor = descriptor

    def opened(self, name: str) -> BinaryIO:
        """Open a file of the folder for reading.

        Raises:
            OSError: it is not there, no plain file, not this user's, or others may write it.
        """
        descriptor = os.open(self._place(name), _READ, dir_fd=self.descriptor)
        try:
            _check(descriptor, stat.S_ISREG)
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise

    def write(self, name: str, data: bytes) -> None:
        """Write a file as a whole or not at all.

        Raises:
            OSError: it could not be written; nothing is left behind.
        """
        import secrets  # noqa: PLC0415 - what was compiled before is only read

        new = NEW + secrets.token_hex(8)
        descriptor = os.open(self._place(new), _WRITE, _PRIVATE_FILE, dir_fd=self.descriptor)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if _HAS_OWNERS:
                    os.fchmod(descriptor, _PRIVATE_FILE)  # whatever the umask
                file.write(data)
            os.replace(  # atomic on every system
                self._place(new), self._place(name),
                src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor,
            )  # fmt: skip
        except BaseException:
            with suppress(OSError):
                self.remove(new)
            raise

    def files(self) -> Iterator[tuple[float, int, str]]:
        """Yield the time of change, size in bytes, and name of each entry."""
        where = self.path if self.descriptor is None else self.descriptor
        with os.scandir(where) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                yield status.st_mtime, status.st_size, entry.name

    def touch(self, name: str) -> None:
        os.utime(self._place(name), dir_fd=self.descriptor)

    def remove(self, name: str) -> None:
        os.unlink(self._place(name), dir_fd=self.descriptor)

    def _place(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.path / name)


@contextmanager
def opened_folder(path: Path, *, make: bool = False) -> Generator[CacheFolder]:
    """Open the folder at a path.

    make: make it if it is not there, and what is above it, for this user only.

    Raises:
        OSError: it is not there, no folder, not this user's, or others may write it.
    """
    if make:
        _make(path)
    if not _HAS_OWNERS:
        yield CacheFolder(path, None)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _check(descriptor, stat.S_ISDIR)
        yield CacheFolder(path, descriptor)
    finally:
        os.close(descriptor)


def _make(path: Path) -> None:
    missing: list[Path] = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for folder in reversed(missing):
        with suppress(FileExistsError):  # another process was quicker
            folder.mkdir(_PRIVATE_FOLDER)
            if _HAS_OWNERS:
                folder.chmod(_PRIVATE_FOLDER)  # whatever the umask


def _check(descriptor: int, is_kind: Callable[[int], bool]) -> None:
    """Refuse what others may have written.

    Raises:
        PermissionError: as said. OSError: something else of this name.
    """
    status = os.fstat(descriptor)
    if not is_kind(status.st_mode):
        raise OSError("not a file of the cache")
    if _HAS_OWNERS and (status.st_uid != os.geteuid() or status.st_mode & _OTHERS_WRITE):
        raise PermissionError("others may have written this")
