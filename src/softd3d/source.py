"""What callers give where a file is wanted: one rule for all functions that take one."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from softd3d.errors import ResourceError

__all__ = [
    "MAX_ARRAY_BYTES",
    "MAX_INPUT_BYTES",
    "Source",
    "decode_text",
    "read_source",
    "read_stream",
]

Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview"

_BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_SHOWN = 60
MAX_INPUT_BYTES = 1 << 28
"""What is read at most: of shaders, effects and listings, and of all that is no regular file."""
MAX_ARRAY_BYTES = 1 << 32
"""What is read at most of a regular file with an array or a texture."""
_BLOCK = 1 << 20  # bytes


def read_source(source: object) -> bytes:
    """Return the contents of a file: of the one that a path names, or the bytes themselves.

    A str is a path, as a `pathlib.Path` is, and never the contents. Whatever has the buffer
    protocol (bytes, bytearray, memoryview, mmap, uint8 arrays) is the contents.

    Raises:
        OSError: the file cannot be read.
        ResourceError: the str can be no path; it has several lines, for one. The file has more
            than MAX_ARRAY_BYTES, or is a pipe or device that goes on after MAX_INPUT_BYTES.
        TypeError: it is something else.

    >>> read_source(bytearray(b"DXBC"))
    b'DXBC'
    """
    if isinstance(source, bytes):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _read_file(source)  # pyright: ignore[reportUnknownArgumentType]
    try:
        found = memoryview(source)  # pyright: ignore[reportArgumentType]
        if found.nbytes > MAX_ARRAY_BYTES:
            raise ResourceError(
                f"found {found.nbytes} bytes, wanted at most {_limit(MAX_ARRAY_BYTES)}"
            )
        return found.tobytes()
    except (TypeError, ValueError, BufferError):
        raise TypeError(
            f"found {type(source).__name__}, wanted a path (str or pathlib.Path) or bytes"
        ) from None


def _read_file(path: str | os.PathLike[Any]) -> bytes:
    name = os.fsdecode(path)
    if "\n" in name or "\0" in name:
        raise ResourceError(
            f"found the text {name[:_SHOWN]!r}, wanted a path: a str is one; contents are given as "
            "bytes, a text as text.encode()"
        )
    try:
        with Path(name).open("rb", buffering=0) as file:
            return read_stream(file, MAX_ARRAY_BYTES)
    except ValueError as error:  # a lone surrogate
        raise ResourceError(f"found {name[:_SHOWN]!r}, which is no path ({error})") from None


def read_stream(file: BinaryIO | io.FileIO, most: int) -> bytes:
    """Return what comes until the end of an open file.

    Pipes and devices may have none: of them at most MAX_INPUT_BYTES are read, of a regular file at
    most `most`.

    Raises:
        OSError: it cannot be read. ResourceError: it has more bytes than that.
    """
    size = _regular_size(file)
    if size is None:
        most = min(most, MAX_INPUT_BYTES)
    elif size > most:
        raise ResourceError(f"found {size} bytes, wanted at most {_limit(most)}")
    blocks: list[bytes] = []
    count = 0
    while block := file.read(max(_BLOCK, (size or 0) + 1)):
        blocks.append(block)
        count += len(block)
        if count > most:
            raise ResourceError(f"it goes on after {_limit(most)}, the most that is read")
    return blocks[0] if len(blocks) == 1 else b"".join(blocks)


def _regular_size(file: BinaryIO | io.FileIO) -> int | None:
    """Return the size in bytes of a regular file, None of a pipe or device."""
    try:
        status = os.fstat(file.fileno())
    except OSError:  # standard input that is no file of the system
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _limit(most: int) -> str:
    return f"{most} bytes ({most >> 20} MiB)"


def decode_text(data: bytes) -> str:
    r"""Return a text in UTF-8, in UTF-16, or else in Latin-1, in which Microsoft's tools write.

    A byte order mark is left out; without one, UTF-16 is what has a zero in most of its words.

    >>> decode_text("\ufeffps_2_0".encode("utf-16-le")), decode_text("cs_5_0".encode("utf-16-be"))
    ('ps_2_0', 'cs_5_0')
    """
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    zeros = data[::2].count(0), data[1::2].count(0)
    if max(zeros) > len(data) // 4:  # of more than half of the words
        return data.decode("utf-16-be" if zeros[0] > zeros[1] else "utf-16-le", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
