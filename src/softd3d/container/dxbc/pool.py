"""The bytes of a chunk under construction, laid out as Microsoft's compiler does it.

What a record points to lies where it was first needed. Equal bytes are stored once, whatever they
mean: the default value of an int may be the name of a variable.
"""

from __future__ import annotations

from softd3d.errors import ContainerError

__all__ = ["ALIGNMENT", "FILLER", "MAX_NAME_LENGTH", "DataPool", "dwords", "fitting"]

ALIGNMENT = 4
FILLER = b"\xab"
MAX_NAME_LENGTH = 4095
"""Longest name in bytes; `ByteReader.string` reads no longer ones."""


class DataPool:
    """Grows the bytes of one chunk; offsets count from its start. what: the chunk, for errors."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.data = bytearray()
        self.offsets: dict[bytes, int] = {}

    def align(self, filler: bytes = FILLER) -> None:
        self.data += filler * (-len(self.data) % ALIGNMENT)

    def reserve(self, size: int) -> int:
        """Return the aligned offset of `size` zeros, to be replaced by `write`."""
        self.align()
        self.data += bytes(size)
        return len(self.data) - size

    def write(self, offset: int, data: bytes) -> None:
        self.data[offset : offset + len(data)] = data

    def share(self, data: bytes) -> int:
        """Return the offset of `data`, aligned unless a name has the same bytes."""
        if data not in self.offsets:
            self.align()
        return self._place(data)

    def name(self, text: str, owner: str) -> int:
        """Return the offset of the NUL-terminated text.

        Raises:
            ContainerError: it is too long or has characters that no name can have; says `owner`.
        """
        if len(text) > MAX_NAME_LENGTH:
            raise ContainerError(
                f"{self.what}: the name {text[:40]!r}... of {owner} has {len(text)} characters, "
                f"the limit is {MAX_NAME_LENGTH}"
            )
        if any(not 0 < ord(character) < 256 for character in text):
            raise ContainerError(
                f"{self.what}: the name {text[:40]!r} of {owner} has a NUL or a character outside "
                "Latin-1"
            )
        return self._place(text.encode("latin-1") + b"\0")

    def _place(self, data: bytes) -> int:
        offset = self.offsets.setdefault(data, len(self.data))
        if offset == len(self.data):
            self.data += data
        return offset


def fitting(value: int, bits: int, what: str) -> int:
    """Return the value.

    Raises:
        ContainerError: it is negative or needs more than `bits` bits; says `what` it is.

    >>> fitting(256, 8, "ISGN: mask")
    Traceback (most recent call last):
    softd3d.errors.ContainerError: ISGN: mask 256 does not fit 8 bits
    """
    if not 0 <= value < 1 << bits:
        raise ContainerError(f"{what} {int(value)} does not fit {bits} bits")
    return value


def dwords(what: str, **values: int) -> bytes:
    """Return the values as little-endian dwords.

    Raises:
        ContainerError: one does not fit; says `what` and its name.

    >>> dwords("STAT", def_count=1, dcl_count=2).hex()
    '0100000002000000'
    """
    return b"".join(
        fitting(value, 32, f"{what}: {name}").to_bytes(4, "little")
        for name, value in values.items()
    )
