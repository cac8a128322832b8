"""BC7 blocks to RGBA, bit for bit. Spec: win32 direct3d11 bc7-format; D3D11.3 section 19.5."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.resources.blocks.bits import (
    ANCHORS,
    PARTITIONS,
    WEIGHTS,
    Blocks,
    looked_up,
    texel_indices,
)

__all__ = ["decode_bc7"]

_TEXELS = 16
_HALVES = np.uint64(0x0020002000200020)  # 32, which rounds, in each part


@dataclass(frozen=True, slots=True)
class _Mode:
    """Widths of the fields of a mode, in their order in the block, behind number + 1 mode bits."""

    number: int
    subsets: int
    partition: int
    rotation: int
    selector: int
    colour: int
    alpha: int
    parities: int  # of the whole block: one an endpoint, one a subset, or none
    index: int
    second_index: int

    @property
    def endpoints(self) -> int:
        return 2 * self.subsets


_MODES = (
    _Mode(0, 3, 4, 0, 0, 4, 0, 6, 3, 0),
    _Mode(1, 2, 6, 0, 0, 6, 0, 2, 3, 0),
    _Mode(2, 3, 6, 0, 0, 5, 0, 0, 2, 0),
    _Mode(3, 2, 6, 0, 0, 7, 0, 4, 2, 0),
    _Mode(4, 1, 0, 2, 1, 5, 6, 0, 2, 3),
    _Mode(5, 1, 0, 2, 0, 7, 8, 0, 2, 2),
    _Mode(6, 1, 0, 0, 0, 7, 7, 2, 4, 0),
    _Mode(7, 2, 6, 0, 0, 5, 5, 4, 2, 0),
)


def decode_bc7(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Decode blocks (blocks, 16) to RGBA codes, uint8, (blocks, 16 texels, 4).

    The reserved mode, a first byte of 0, gives 0 in all components.
    """
    texels = np.zeros((len(blocks), _TEXELS), np.uint32)
    first = blocks[:, 0]
    lowest = first & (~first + np.uint8(1))  # the lowest set bit says the mode
    for mode in _MODES:
        chosen = np.flatnonzero(lowest == 1 << mode.number)
        if len(chosen):
            texels[chosen] = _decode_mode(Blocks(blocks[chosen]), mode)
    return texels.view(np.uint8).reshape(-1, _TEXELS, 4)


def _decode_mode(blocks: Blocks, mode: _Mode) -> NDArray[np.uint32]:
    """Return RGBA texels, (blocks, 16), of blocks that all have one mode."""
    at = mode.number + 1
    partition = blocks.number(at, mode.partition)
    at += mode.partition
    rotation = blocks.number(at, mode.rotation)
    at += mode.rotation
    selector = blocks.number(at, mode.selector)
    at += mode.selector
    endpoints, at = _endpoints(blocks, mode, at)
    if mode.second_index:
        return _two_indices(blocks, mode, endpoints, at, rotation, selector)
    anchors = ANCHORS[mode.subsets][partition] if mode.subsets > 1 else None
    used = _TEXELS * mode.index - mode.subsets
    index = texel_indices(blocks.bits(at, used), mode.index, anchors)
    palette = _palette(endpoints[:, :, 0], endpoints[:, :, 1], mode.index)
    if mode.subsets > 1:
        index = index | PARTITIONS[mode.subsets][partition] << np.uint8(mode.index)
    return looked_up(palette.reshape(len(index), -1), index)


def _endpoints(blocks: Blocks, mode: _Mode, at: int) -> tuple[NDArray[np.uint16], int]:
    """Return endpoints of 8 bits, (blocks, subsets, 2, 4), and the offset of what follows."""
    count = mode.endpoints
    shape = (len(blocks.low), count, 4)
    values = np.full(shape, 255, np.uint16)
    widths = (mode.colour, mode.colour, mode.colour, mode.alpha)
    for channel, width in enumerate(widths):
        for endpoint in range(count if width else 0):
            values[:, endpoint, channel] = blocks.bits(at, width)
            at += width
    parity = [blocks.bits(at + i, 1).astype(np.uint16) for i in range(mode.parities)]
    at += mode.parities
    for channel, width in enumerate(widths):
        if not width:
            continue
        codes = values[:, :, channel]
        bits = width + bool(parity)
        if parity:
            share = count // len(parity)
            codes = codes << 1 | np.stack([parity[i // share] for i in range(count)], 1)
        values[:, :, channel] = codes << (8 - bits) | codes >> (2 * bits - 8)
    return values.reshape(-1, mode.subsets, 2, 4), at


def _two_indices(
    blocks: Blocks, mode: _Mode, endpoints: NDArray[np.uint16], at: int,
    rotation: NDArray[np.int32], selector: NDArray[np.int32],
) -> NDArray[np.uint32]:  # fmt: skip
    """Return texels of modes that have an index for colour and one for alpha."""
    used = _TEXELS * mode.index - 1
    first = texel_indices(blocks.bits(at, used), mode.index)
    second_used = _TEXELS * mode.second_index - 1
    second = texel_indices(blocks.bits(at + used, second_used), mode.second_index)
    texels = np.empty(first.shape, np.uint32)
    for selected in range(2 if mode.selector else 1):
        rows = np.flatnonzero(selector == selected)
        indices = ((first[rows], mode.index), (second[rows], mode.second_index))
        (colour, colour_bits), (alpha, alpha_bits) = indices[::-1] if selected else indices
        low, high = endpoints[rows, 0, 0], endpoints[rows, 0, 1]
        colours = looked_up(_palette(low, high, colour_bits), colour)
        alphas = looked_up(_palette(low, high, alpha_bits), alpha)
        texels[rows] = colours & np.uint32(0x00FFFFFF) | alphas & np.uint32(0xFF000000)
    return _rotated(texels, rotation)


def _rotated(texels: NDArray[np.uint32], rotation: NDArray[np.int32]) -> NDArray[np.uint32]:
    """Exchange alpha with red (1), green (2) or blue (3)."""
    components = texels.view(np.uint8).reshape(-1, _TEXELS, 4)
    for number in (1, 2, 3):
        rows = np.flatnonzero(rotation == number)
        order = [0, 1, 2, 3]
        order[number - 1], order[3] = 3, number - 1
        components[rows] = components[rows][..., order]
    return texels


def _palette(
    first: NDArray[np.uint16], second: NDArray[np.uint16], index_bits: int
) -> NDArray[np.uint32]:
    """Return packed RGBA palettes: endpoints (..., 4) give (..., entries).

    The four components lie in the 16-bit parts of one number; no part overflows, and what shifts
    into a part from above is masked away.
    """
    weights = WEIGHTS[index_bits].astype(np.uint64)
    a, b = (np.ascontiguousarray(end).view("<u8") for end in (first, second))
    parts = a * (np.uint64(64) - weights)
    parts += b * weights
    parts += _HALVES
    parts >>= np.uint64(6)
    return parts.view("<u2").astype(np.uint8).view("<u4")
