"""Compiled kernels on disk, under the hash of everything that their code depends on.

A kernel's key is made before it is lowered (`key.py`), so a hit costs a file's reading and linking.
What is read here will run as native code: `folder.py` opens only what belongs to this user and
nobody else may write. Anything else that is wrong with an entry is a miss, never an error. When the
folder has grown beyond its limit, the files that were not used for longest go.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Protocol

from softd3d.jit.cache.folder import NEW, CacheFolder, opened_folder
from softd3d.jit.facts import Facts

__all__ = ["DiskCache", "Store", "default_store"]

VARIABLE = "SOFTD3D_CACHE"
LIMIT_BYTES = 128 << 20
_MAGIC = b"softd3d4"
_NAME_DIGITS = 64
_SECONDS_A_DAY = 86400
_PUTS_A_SWEEP = 32


class Store(Protocol):
    """Where kernels are kept between processes."""

    def get(self, key: str) -> tuple[bytes, Facts] | None: ...

    def put(self, key: str, code: bytes, facts: Facts) -> None: ...


class DiskCache:
    """Object files in a folder of their own, by key.

    folder: made when it is first written to; None keeps nothing. One that belongs to somebody else,
    or that others may write, is not used. limit_bytes: of all files.
    """

    def __init__(self, folder: Path | None, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes

    def get(self, key: str) -> tuple[bytes, Facts] | None:
        """Return a kernel's object file and facts; None if it is not there, or damaged."""
        if self.folder is None:
            return None
        with suppress(Exception), opened_folder(self.folder) as folder:  # whatever fails: a miss
            return _unpacked(key, self._read(folder, key))
        return None

    def _read(self, folder: CacheFolder, key: str) -> bytes:
        with folder.opened(key) as file:
            status = os.fstat(file.fileno())
            data = file.read() if status.st_size <= self.limit_bytes else b""
        if time.time() - status.st_mtime > _SECONDS_A_DAY:
            with suppress(OSError):
                folder.touch(key)  # used: it is not among the oldest
        return data

    def put(self, key: str, code: bytes, facts: Facts) -> None:
        """Keep a kernel. A folder that cannot be written is not an error, only slower."""
        if self.folder is None:
            return
        with suppress(OSError), opened_folder(self.folder, make=True) as folder:
            folder.write(key, _packed(key, code, facts))
            if int(key[:8], 16) % _PUTS_A_SWEEP == 0:  # keys are random: no state, little work
                self._sweep(folder)

    def _sweep(self, folder: CacheFolder) -> None:
        """Delete the oldest of our files until three quarters of the limit are left."""
        found = [entry for entry in folder.files() if _is_ours(entry[2])]
        total = sum(size for _, size, _ in found)
        if total <= self.limit_bytes:
            return
        for _, size, name in sorted(found):
            with suppress(OSError):
                folder.remove(name)
            total -= size
            if total <= self.limit_bytes * 3 // 4:
                return


def default_store() -> DiskCache:
    """Return the folder that SOFTD3D_CACHE names, or else the user's cache; empty or 0: none."""
    return _store(os.environ.get(VARIABLE), os.environ.get("XDG_CACHE_HOME"))


@cache
def _store(chosen: str | None, _base: str | None) -> DiskCache:
    if chosen is None:
        import platformdirs  # noqa: PLC0415 - unless the folder is known

        return DiskCache(Path(platformdirs.user_cache_dir("softd3d")) / "kernels")
    return DiskCache(None if chosen in ("", "0") else Path(chosen))


def _packed(key: str, code: bytes, facts: Facts) -> bytes:
    head = facts.encode()
    rest = len(head).to_bytes(4, "little") + head + code
    return _MAGIC + _checksum(key, rest) + rest


def _unpacked(key: str, data: bytes) -> tuple[bytes, Facts] | None:
    magic, checksum, rest = data[:8], data[8:40], data[40:]
    if magic != _MAGIC or _checksum(key, rest) != checksum:
        return None
    end = 4 + int.from_bytes(rest[:4], "little")
    facts = Facts.decode(rest[4:end])
    return None if facts is None else (rest[end:], facts)


def _checksum(key: str, rest: bytes) -> bytes:
    """Return a hash of an entry and its name: one that was copied to another name is none."""
    return hashlib.sha256(key.encode() + rest).digest()


def _is_ours(name: str) -> bool:
    if name.startswith(NEW):
        return True
    return len(name) == _NAME_DIGITS and not name.strip("0123456789abcdef")
