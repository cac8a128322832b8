"""Little-endian readers over bytes and named bit fields, with positions for errors."""

from __future__ import annotations

import struct
from typing import Protocol

from softd3d.classes import dataclass
from softd3d.errors import ContainerError, Location

__all__ = ["Bits", "ByteReader", "Field", "SignedField", "SplitField", "sign_extend"]


class Bits(Protocol):
    """A number in a DWORD, wherever its bits lie.

    mask: its bits; lowest: the place of bit 0 of the number; range: its least and greatest value.
    """

    @property
    def mask(self) -> int: ...

    @property
    def lowest(self) -> int: ...

    @property
    def range(self) -> tuple[int, int]: ...

    def get(self, token: int) -> int: ...

    def put(self, value: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Field:
    """Bits [hi:lo] of a DWORD, written as the token format headers write them."""

    hi: int
    lo: int

    @property
    def mask(self) -> int:
        return (1 << self.hi + 1) - (1 << self.lo)

    @property
    def lowest(self) -> int:
        return self.lo

    @property
    def range(self) -> tuple[int, int]:
        return 0, (1 << self.hi - self.lo + 1) - 1

    def get(self, token: int) -> int:
        return token >> self.lo & ((1 << self.hi - self.lo + 1) - 1)

    def put(self, value: int) -> int:
        if not 0 <= value < 1 << self.hi - self.lo + 1:
            raise ValueError(f"{value} does not fit bits [{self.hi}:{self.lo}]")
        return value << self.lo

    def __str__(self) -> str:
        return f"[{self.hi}:{self.lo}]" if self.hi != self.lo else f"[{self.lo}]"


@dataclass(frozen=True, slots=True)
class SignedField(Field):
    """Bits [hi:lo] as a two's complement number."""

    @property
    def range(self) -> tuple[int, int]:
        half = 1 << self.hi - self.lo
        return -half, half - 1

    def get(self, token: int) -> int:
        return sign_extend(token >> self.lo, self.hi - self.lo + 1)

    def put(self, value: int) -> int:
        half = 1 << self.hi - self.lo
        if not -half <= value < half:
            raise ValueError(f"{value} is outside {-half} to {half - 1}")
        return value << self.lo & self.mask


@dataclass(frozen=True, slots=True)
class SplitField:
    """A number whose high and low bits lie apart."""

    high: Field
    low: Field

    @property
    def mask(self) -> int:
        return self.high.mask | self.low.mask

    @property
    def lowest(self) -> int:
        return self.high.lo

    @property
    def range(self) -> tuple[int, int]:
        return 0, (self.high.range[1] + 1 << self._low_width()) - 1

    def get(self, token: int) -> int:
        return self.high.get(token) << self._low_width() | self.low.get(token)

    def put(self, value: int) -> int:
        width = self.low.hi - self.low.lo + 1
        try:
            return self.high.put(value >> width) | self.low.put(value & (1 << width) - 1)
        except ValueError:
            raise ValueError(f"{value} does not fit bits {self}") from None

    def _low_width(self) -> int:
        return self.low.hi - self.low.lo + 1

    def __str__(self) -> str:
        return f"{self.high}{self.low}"


def sign_extend(value: int, bits: int) -> int:
    """Read the low `bits` bits of `value` as a two's complement number."""
    sign = 1 << bits - 1
    return ((value & (sign << 1) - 1) ^ sign) - sign


class ByteReader:
    """Bounds-checked little-endian access to `data`; `base` is its offset in the whole input."""

    def __init__(self, data: bytes | memoryview, base: int = 0, what: str = "data") -> None:
        self.data = memoryview(data)
        self.base = base
        self.what = what

    def __len__(self) -> int:
        return len(self.data)

    def location(self, offset: int) -> Location:
        return Location(offset=self.base + offset)

    def bytes(self, offset: int, size: int) -> bytes:
        """Return `size` bytes at `offset`.

        Raises:
            ContainerError: the range leaves the data.
        """
        if offset < 0 or size < 0 or offset + size > len(self.data):
            raise ContainerError(
                f"{self.what}: {size} bytes at {offset:#x} leave the {len(self.data)} there are",
                self.location(min(max(offset, 0), len(self.data))),
            )
        return bytes(self.data[offset : offset + size])

    def u32(self, offset: int) -> int:
        return int.from_bytes(self.bytes(offset, 4), "little")

    def dwords(self, offset: int, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}I", self.bytes(offset, 4 * count))

    def string(self, offset: int) -> str:
        """Return the NUL-terminated string at `offset` (Latin-1, so that any byte survives)."""
        if not 0 <= offset < len(self.data):
            raise ContainerError(f"{self.what}: no string at {offset:#x}", self.location(0))
        rest = bytes(self.data[offset : offset + 4096])
        end = rest.find(0)
        if end < 0:
            raise ContainerError(f"{self.what}: string without end", self.location(offset))
        return rest[:end].decode("latin-1")
