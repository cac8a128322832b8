"""Compiled kernels on disk, under the hash of everything that their code depends on.

A kernel's key is made before it is lowered (`jit/key.py`), so a hit costs a file's reading and
linking. Files that are damaged, cut off or not ours are ignored; writes are atomic; when the folder
has grown beyond its limit, the files that were not used for longest go.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Protocol, cast

import platformdirs

__all__ = ["DiskCache", "Facts", "Store", "default_store"]

VARIABLE = "SOFTD3D_CACHE"
LIMIT_BYTES = 128 << 20
_MAGIC = b"softd3d2"
_NAME_DIGITS = 64
_NEW = ".new-"  # what files are called while they are written
_SECONDS_A_DAY = 86400
_PUTS_A_SWEEP = 32


@dataclass(frozen=True, slots=True)
class Facts:
    """What a run needs to know of a kernel besides its code.

    frame_bytes: of one wave's coroutine, 0 without barriers. poison_rules: (register, rule) by bit
    of the state's `poison` slot. sites: the index of the instruction behind each number that code
    may leave in the state's `detail` slot. message_bytes: of a message record, 0 if it makes none.
    """

    waves: int
    shared_bytes: int
    frame_bytes: int
    poison_rules: tuple[tuple[str, str], ...] = ()
    sites: tuple[int, ...] = ()
    message_bytes: int = 0

    def encode(self) -> bytes:
        """Return the facts as JSON."""
        return json.dumps(asdict(self), separators=(",", ":")).encode()

    @classmethod
    def decode(cls, data: bytes) -> Facts | None:
        """Return facts that `encode` wrote, None if it is something else."""
        try:
            found: Any = json.loads(data)
        except ValueError:
            return None
        names = [f.name for f in fields(cls)]
        if not isinstance(found, dict) or sorted(cast("dict[str, Any]", found)) != sorted(names):
            return None
        return cls(*(_frozen(found[name]) for name in names))


def _frozen(value: Any) -> Any:
    """Return JSON's lists as the tuples that they were."""
    return tuple(map(_frozen, cast("list[Any]", value))) if isinstance(value, list) else value


class Store(Protocol):
    """Where kernels are kept between processes."""

    def get(self, key: str) -> tuple[bytes, Facts] | None: ...

    def put(self, key: str, code: bytes, facts: Facts) -> None: ...


class DiskCache:
    """Object files in a folder of their own, by key.

    folder: made when it is first written to; None keeps nothing. limit_bytes: of all files.
    """

    def __init__(self, folder: Path | None, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes

    def get(self, key: str) -> tuple[bytes, Facts] | None:
        """Return a kernel's object file and facts; None if it is not there, or damaged."""
        if self.folder is None:
            return None
        path = self.folder / key
        try:
            with path.open("rb") as file:
                data = file.read()
                if time.time() - os.fstat(file.fileno()).st_mtime > _SECONDS_A_DAY:
                    os.utime(path)  # used: it is not among the oldest
        except OSError:
            return None
        return _unpacked(data)

    def put(self, key: str, code: bytes, facts: Facts) -> None:
        """Keep a kernel. A folder that cannot be written is not an error, only slower."""
        if self.folder is None:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(self.folder / key, _packed(code, facts))
        except OSError:
            return
        if int(key[:8], 16) % _PUTS_A_SWEEP == 0:  # keys are random: no state, little work
            self._sweep(self.folder)

    def _sweep(self, folder: Path) -> None:
        """Delete the oldest of our files until three quarters of the limit are left."""
        found: list[tuple[float, int, str]] = []
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if _is_ours(entry.name):
                    status = entry.stat(follow_symlinks=False)
                    found.append((status.st_mtime, status.st_size, entry.path))
        total = sum(size for _, size, _ in found)
        if total <= self.limit_bytes:
            return
        for _, size, path in sorted(found):
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108 - a DirEntry's path is a string
            total -= size
            if total <= self.limit_bytes * 3 // 4:
                return


def default_store() -> DiskCache:
    """Return the folder that SOFTD3D_CACHE names, or else the user's cache; empty or 0: none."""
    return _store(os.environ.get(VARIABLE), os.environ.get("XDG_CACHE_HOME"))


@cache
def _store(chosen: str | None, _base: str | None) -> DiskCache:
    if chosen is None:
        return DiskCache(Path(platformdirs.user_cache_dir("softd3d")) / "kernels")
    return DiskCache(None if chosen in ("", "0") else Path(chosen))


def _packed(code: bytes, facts: Facts) -> bytes:
    head = facts.encode()
    rest = len(head).to_bytes(4, "little") + head + code
    return _MAGIC + hashlib.sha256(rest).digest() + rest


def _unpacked(data: bytes) -> tuple[bytes, Facts] | None:
    magic, checksum, rest = data[:8], data[8:40], data[40:]
    if magic != _MAGIC or hashlib.sha256(rest).digest() != checksum:
        return None
    end = 4 + int.from_bytes(rest[:4], "little")
    facts = Facts.decode(rest[4:end])
    return None if facts is None else (rest[end:], facts)


def _write(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all.

    Raises:
        OSError: it could not be written; nothing is left behind.
    """
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_NEW, delete=False) as file:
        try:
            file.write(data)
            file.flush()
            file.close()
            os.replace(file.name, path)  # noqa: PTH105 - atomic on every system
        except BaseException:
            file.close()
            with suppress(OSError):
                os.unlink(file.name)  # noqa: PTH108 - its name is a string
            raise


def _is_ours(name: str) -> bool:
    if name.startswith(_NEW):
        return True
    return len(name) == _NAME_DIGITS and not name.strip("0123456789abcdef")
