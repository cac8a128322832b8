"""Textures of blocks, 4:2:2 units or bits as shaders read them: decoded copies in plain formats.

A view of such a format gets memory of its own with one texel after another, in a format that holds
every decoded number exactly and reads as the same component: 8-bit codes for BC7 and 4:2:2 formats
(sRGB ones as sRGB, so that the curve is applied by the load), half floats for BC6H, float32 for BC1
to BC5 (linear for sRGB ones). So loads and samples of both engines know nothing of blocks, and what
they read is what `decode` gives.

The copy holds the view's subresources only. It is made when a shader first runs, and before each
run those parts are decoded again whose memory has changed; for that a copy of the source's bytes is
kept as well. Both live as long as the view or texture does: 4 to 16 bytes a texel, at most 4 more
for the source, and temporaries of some megabytes.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.forking import held_over_fork
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Format, Scheme
from softd3d.resources.textures.subresources import Layout, mip_extent
from softd3d.resources.views.descriptor import MAX_BYTES

__all__ = ["DecodedCopy", "Part", "plain_format"]

_PIECE = 1 << 13  # units that are compared and decoded at once
_OF_BLOCKS = {
    **dict.fromkeys(("BC1", "BC2", "BC3"), "R32G32B32A32_FLOAT"),
    "BC4": "R32_FLOAT", "BC5": "R32G32_FLOAT", "BC6H": "R16G16B16A16_FLOAT",
}  # fmt: skip
_BYTE = 8
_DWORD = 4
Bytes = NDArray[np.uint8]
_REFRESHING = held_over_fork(
    threading.Lock()
)  # dispatches of several threads may have the same view


class Part(NamedTuple):
    """Which subresources of a texture: `mips` levels from `mip` on of `slices` from `slice_` on."""

    mip: int
    mips: int
    slice_: int
    slices: int


class _Piece(NamedTuple):
    """Some rows of units: where they start in the source, their shape, and their texels."""

    start: int
    shape: tuple[int, int, int]  # rows, columns, bytes
    texels: Bytes  # (rows, width, bytes)

    @property
    def bytes(self) -> slice:
        rows, columns, size = self.shape
        return slice(self.start, self.start + rows * columns * size)


def plain_format(format_: Format) -> Format:
    """Return a format of single texels that holds all numbers of one whose texels share units.

    >>> plain_format(DXGI_FORMATS["BC7_UNORM_SRGB"]).name
    'R8G8B8A8_UNORM_SRGB'
    """
    if format_.scheme is Scheme.BLOCKS:
        # Most textures have single texels, and need no decoders.
        from softd3d.resources.blocks.decoding import block_format  # noqa: PLC0415

        kind, _, type_ = block_format(format_).partition("_")
        name = _OF_BLOCKS.get(kind, f"R8G8B8A8_{type_}")
    else:
        bits = max(channel.bits for channel in format_.channels)
        name = "R8G8B8A8_UNORM" if bits <= _BYTE else "R16G16B16A16_UNORM"
    return DXGI_FORMATS[name]


class DecodedCopy:
    """Part of a texture, decoded; see the module.

    source: uint8, the texture's memory from the first to the last byte of the part. plain: the
    format of the copy, with the constants of the view's. data: uint8, the decoded texels: slice by
    slice, each with its mips, as `levels` (offset, row pitch, slice pitch in bytes) and
    `array_pitch` say.
    """

    def __init__(self, memory: Bytes, layout: Layout, part: Part, format_: Format) -> None:
        """Take a texture's memory, which is neither copied nor read before `refresh`.

        Raises:
            ResourceError: the copy would be larger than a view may be.
        """
        self.format = format_
        self._stored = plain_format(format_)
        # What the format lacks is constant outside the texture, too.
        parts = (c if c in "01" else "rgba"[i] for i, c in enumerate(format_.reads))
        self.plain = replace(self._stored, reads="".join(parts))
        self.levels, self.array_pitch = _levels(layout, part, self.plain.bytes_per_texel)
        total = part.slices * self.array_pitch
        if total > MAX_BYTES:
            raise ResourceError(
                f"{layout.kind.name}: found {total} bytes when decoded from {format_.name}, wanted "
                f"at most {MAX_BYTES}; views of fewer mips or slices can be bound"
            )
        self.data = np.zeros(total, np.uint8)
        start = part.slice_ * layout.slice_bytes
        last = part.mip + part.mips - 1
        first = start + layout.levels()[part.mip][0]
        end = start + (part.slices - 1) * layout.slice_bytes + layout.levels()[last][0]
        self.source = memory[first : end + layout.level_bytes(last)]
        self._seen: Bytes | None = None
        self._pieces = [
            piece
            for slice_ in range(part.slices)
            for level in range(part.mips)
            for piece in self._of_level(layout, part, slice_, level)
        ]

    def _of_level(self, layout: Layout, part: Part, slice_: int, level: int) -> list[_Piece]:
        starts, mip = layout.levels(), part.mip + level
        columns, rows, depth = layout.units(mip)
        width, height, _ = layout.extent(mip)
        start = slice_ * self.array_pitch + self.levels[level][0]
        size = width * height * depth * self.plain.bytes_per_texel
        texels = self.data[start : start + size].reshape(depth, height, width, -1)
        start = slice_ * layout.slice_bytes + starts[mip][0] - starts[part.mip][0]
        pitch, step, high = columns * layout.texel, max(1, _PIECE // columns), layout.block_height
        pieces: list[_Piece] = []
        for z in range(depth):
            for row in range(0, rows, step):
                count = min(step, rows - row)
                shape = (count, columns, layout.texel)
                pieces.append(_Piece(start, shape, texels[z, row * high : (row + count) * high]))
                start += count * pitch
        return pieces

    def refresh(self) -> None:
        """Decode what has changed since the last call; everything at the first."""
        with _REFRESHING:
            seen, self._seen = self._seen, None  # what an interrupt cuts off is done again
            self._seen = self._refreshed(seen)

    def _refreshed(self, seen: Bytes | None) -> Bytes:
        """Decode what differs from `seen`; return what is decoded now."""
        if seen is None:
            seen = self.source.copy()
            changed = self._pieces
        elif _are_equal(self.source, seen):
            return seen
        else:
            changed = [
                p for p in self._pieces if not _are_equal(self.source[p.bytes], seen[p.bytes])
            ]
        for piece in changed:
            # What is decoded is what is remembered, whoever writes meanwhile.
            seen[piece.bytes] = self.source[piece.bytes]
            self._decode(seen[piece.bytes].reshape(piece.shape), piece.texels)
        return seen

    def _decode(self, units: Bytes, texels: Bytes) -> None:
        from softd3d.resources.transfer.conversion import convert  # noqa: PLC0415 - as above

        rows, width, size = texels.shape
        items: Any = units if self.format.bytes_per_block > 1 else units[..., 0]
        found = np.ascontiguousarray(convert(items, self.format, self._stored)[:rows, :width])
        texels[...] = found.view(np.uint8).reshape(rows, width, size)


def _are_equal(a: Bytes, b: Bytes) -> bool:
    if a.size % _DWORD == 0:  # a dword at a time
        return np.array_equal(a.view(np.uint32), b.view(np.uint32))
    return np.array_equal(a, b)


def _levels(layout: Layout, part: Part, texel: int) -> tuple[tuple[tuple[int, int, int], ...], int]:
    """Return (offset, row pitch, slice pitch) of each level of plain texels, and all bytes."""
    found: list[tuple[int, int, int]] = []
    offset = 0
    for level in range(part.mip, part.mip + part.mips):
        width, height, depth = mip_extent((layout.width, layout.height, layout.depth), level)
        row = width * texel
        found.append((offset, row, row * height))
        offset += row * height * depth
    return tuple(found), offset
