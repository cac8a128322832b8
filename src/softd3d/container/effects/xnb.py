"""Compiled content files of XNA (.xnb), of which the effects are taken and replaced.

A file is a header and an asset: a table of the readers it needs, then objects, each after the
number of its reader. Only the first object, the asset itself, is looked at.

Spec: "Compiled (XNB) Content Format" of XNA Game Studio 4.0.
"""

from __future__ import annotations

from dataclasses import replace
from enum import IntFlag

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.pool import fitting
from softd3d.container.effects.magic import XNB as MAGIC
from softd3d.container.effects.magic import XNB_HEADER_SIZE as HEADER_SIZE
from softd3d.container.effects.magic import is_xnb
from softd3d.errors import ContainerError

__all__ = [
    "MAGIC",
    "TypeReader",
    "Xnb",
    "XnbFlags",
    "build_xnb",
    "effect_code",
    "is_xnb",
    "parse_xnb",
    "type_readers",
    "with_effect_code",
]

MAX_READERS = 256
_SIZE_OFFSET = 6
_EFFECT_READER = "Microsoft.Xna.Framework.Content.EffectReader"
_LONGEST_VARIABLE = 5  # bytes of a number of 32 bits, 7 a byte


class XnbFlags(IntFlag):
    """The flags of the header. LZ4 is MonoGame's."""

    NONE = 0
    HIDEF = 0x01
    LZ4 = 0x40
    LZX = 0x80


@dataclass(frozen=True, slots=True)
class Xnb:
    """A content file that is not compressed.

    platform: a letter, such as `w` for Windows, `x` for Xbox 360. version: 5 for XNA 4. asset: what
    follows the header. trailing: what follows the size that the header states.
    """

    platform: str
    version: int
    flags: XnbFlags
    asset: bytes
    trailing: bytes = b""


@dataclass(frozen=True, slots=True)
class TypeReader:
    """Which class reads objects of a kind: its full name, and the version of what it reads."""

    name: str
    version: int


def parse_xnb(data: bytes) -> Xnb:
    """Read a content file.

    Raises:
        ContainerError: it is none, it is compressed, or its size is wrong.
    """
    reader = ByteReader(data, 0, "XNB")
    if reader.bytes(0, len(MAGIC)) != MAGIC:
        raise ContainerError("XNB: no XNB at the start", reader.location(0))
    platform, version, flags = reader.bytes(len(MAGIC), 3)
    for method in (XnbFlags.LZX, XnbFlags.LZ4):
        if flags & method:
            raise ContainerError(
                f"XNB: compressed with {method.name}, which is not supported", reader.location(5)
            )
    size = reader.u32(_SIZE_OFFSET)
    if not HEADER_SIZE <= size <= len(data):
        raise ContainerError(
            f"XNB: size is {size}, wanted {HEADER_SIZE} to {len(data)}",
            reader.location(_SIZE_OFFSET),
        )
    return Xnb(chr(platform), version, XnbFlags(flags), data[HEADER_SIZE:size], data[size:])


def build_xnb(xnb: Xnb) -> bytes:
    """Write a content file; one that was read gives the same bytes.

    Raises:
        ContainerError: a number does not fit.
    """
    head = (
        fitting(ord(xnb.platform), 8, "XNB: platform"),
        fitting(xnb.version, 8, "XNB: version"),
        fitting(xnb.flags, 8, "XNB: flags"),
    )
    size = fitting(HEADER_SIZE + len(xnb.asset), 32, "XNB: size")
    return MAGIC + bytes(head) + size.to_bytes(4, "little") + xnb.asset + xnb.trailing


def type_readers(xnb: Xnb) -> tuple[TypeReader, ...]:
    """Return the readers that the asset needs.

    Raises:
        ContainerError: the table is malformed, or has more than `MAX_READERS`.
    """
    return _Asset(xnb).readers


def effect_code(xnb: Xnb) -> bytes:
    """Return the effect that is the asset, for `parse_effect9`.

    Raises:
        ContainerError: the asset is malformed, or no effect.
    """
    start, size = _Asset(xnb).effect()
    return xnb.asset[start : start + size]


def with_effect_code(xnb: Xnb, code: bytes) -> Xnb:
    """Return the file with another effect for its asset.

    Raises:
        ContainerError: the asset is malformed, or no effect.
    """
    start, size = _Asset(xnb).effect()
    length = fitting(len(code), 32, "XNB: size of the effect").to_bytes(4, "little")
    asset = xnb.asset[: start - 4] + length + code + xnb.asset[start + size :]
    return replace(xnb, asset=asset)


class _Asset:
    """Reads an asset from its start; position: the next byte."""

    def __init__(self, xnb: Xnb) -> None:
        self.reader = ByteReader(xnb.asset, HEADER_SIZE, "XNB")
        self.position = 0
        count = self.number()
        if count > MAX_READERS:
            raise self.error(f"{count} readers, wanted at most {MAX_READERS}")
        self.readers = tuple([self.type_reader() for _ in range(count)])
        self.number()  # of shared resources, which follow the asset

    def error(self, message: str) -> ContainerError:
        return ContainerError(f"XNB: {message}", self.reader.location(self.position))

    def take(self, size: int) -> bytes:
        self.position += size
        return self.reader.bytes(self.position - size, size)

    def number(self) -> int:
        """Return a number of which each byte gives seven bits, the low ones first."""
        value = 0
        for n in range(_LONGEST_VARIABLE):
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << 7 * n
            if not byte & 0x80:
                return value
        raise self.error(f"a number of more than {_LONGEST_VARIABLE} bytes")

    def type_reader(self) -> TypeReader:
        name = self.take(self.number()).decode("utf-8", "replace")
        return TypeReader(name, int.from_bytes(self.take(4), "little", signed=True))

    def effect(self) -> tuple[int, int]:
        """Return where the effect starts and how many bytes it has."""
        which = self.number()
        if not 1 <= which <= len(self.readers):
            raise self.error(f"the asset is read by reader {which} of {len(self.readers)}")
        name = self.readers[which - 1].name.partition(",")[0]
        if name != _EFFECT_READER:
            raise self.error(f"the asset is for {name[:80]}, wanted {_EFFECT_READER}")
        size = int.from_bytes(self.take(4), "little")
        self.take(size)
        return self.position - size, size
