"""Components to BC1, BC2, BC3, BC4 and BC5 blocks: plain endpoints, the nearest of their colours.

Endpoints are the extremes of a block: for colour, the two texels farthest apart. What was decoded
from a block that uses both of its endpoints comes back unchanged; this is no encoder for pictures
that matter. Spec: D3D11.3 section 19.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.layout import ChannelType, Format
from softd3d.formats.rules import D3D10
from softd3d.resources.blocks.bc1_5 import decode_bc1, decode_bc3, decode_bc4
from softd3d.resources.blocks.decoding import block_format
from softd3d.resources.texels.code_tables import codes_of

__all__ = ["encode_units"]

_TEXELS = 16
_INDICES_2 = np.arange(0, 2 * _TEXELS, 2, dtype=np.uint64)
_INDICES_3 = np.arange(0, 3 * _TEXELS, 3, dtype=np.uint64)
_OPAQUE_FROM = 128  # alpha codes below become transparent in BC1
Codes = NDArray[np.int32]  # (blocks, 16, channels)


def encode_units(values: NDArray[Any], format_: Format) -> NDArray[np.uint8]:
    """Return blocks, (blocks, bytes), of components, (blocks * 16, 4).

    Raises:
        ResourceError: the format is not one of BC1 to BC5.
    """
    kind, _, type_ = block_format(format_).partition("_")
    texels = values.astype(np.float32).reshape(-1, _TEXELS, 4)
    if kind in ("BC4", "BC5"):
        order = [format_.reads.index(component) for component in "rg"[: int(kind[2]) - 3]]
        halves = [_number_blocks(texels[..., i], is_signed=type_ == "SNORM") for i in order]
        return np.concatenate(halves, axis=1)
    if kind not in ("BC1", "BC2", "BC3"):
        raise ResourceError(f"format {format_.name} can be read only; BC1 to BC5 can be written")
    curve = ChannelType.SRGB if type_.endswith("SRGB") else ChannelType.UNORM
    rgb = _codes(texels[..., :3], curve)
    alpha = _codes(texels[..., 3], ChannelType.UNORM)
    if kind == "BC1":
        return _colour_blocks(rgb, alpha < _OPAQUE_FROM)
    colours = _colour_blocks(rgb, None)
    if kind == "BC3":
        return np.concatenate([_alpha_blocks(alpha), colours], axis=1)
    explicit = (alpha * 2 + 17) // 34  # the nearest of 16
    packed = explicit[:, ::2] | explicit[:, 1::2] << 4
    return np.concatenate([packed.astype(np.uint8), colours], axis=1)


def _codes(numbers: NDArray[np.float32], type_: ChannelType) -> NDArray[np.int32]:
    return codes_of(numbers, type_, 8, D3D10).astype(np.int32)


def _colour_blocks(rgb: Codes, transparent: NDArray[np.bool_] | None) -> NDArray[np.uint8]:
    """Return colour blocks, (blocks, 8); transparent: which texels are to be black and clear."""
    low, high = _extremes(rgb, transparent)
    first, second = _as_565(high), _as_565(low)
    three = np.zeros(len(rgb), bool) if transparent is None else transparent.any(1)
    swap = np.where(three, first > second, first < second)
    ends = np.stack([np.where(swap, second, first), np.where(swap, first, second)], 1)
    blocks = np.zeros((len(rgb), 8), np.uint8)
    blocks[:, :4] = ends.astype("<u2").view(np.uint8)
    palette = _palettes(blocks, decode_bc1 if transparent is not None else _four_colours)
    usable = np.where((ends[:, 0] > ends[:, 1]) | (transparent is None), 4, 3)
    index = _nearest(palette[..., :3], rgb, usable)
    if transparent is not None:
        index = np.where(transparent, 3, index)
    blocks[:, 4:] = _packed(index, _INDICES_2)[:, :4]
    return blocks


def _four_colours(blocks: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return decode_bc3(np.concatenate([np.zeros_like(blocks), blocks], axis=1))


def _palettes(blocks: NDArray[np.uint8], decoder: Any) -> NDArray[np.int32]:
    """Return the four colours of blocks, by decoding one texel of each index."""
    probes = blocks.copy()
    probes[:, 4:] = 0b11100100
    return decoder(probes)[:, :4].astype(np.int32)


def _extremes(rgb: Codes, ignored: NDArray[np.bool_] | None) -> tuple[Codes, Codes]:
    """Return the two texels of each block that are farthest apart, (blocks, 3) each."""
    distance = np.zeros((len(rgb), _TEXELS, _TEXELS), np.int32)
    for channel in range(3):
        one = rgb[..., channel]
        distance += (one[:, :, None] - one[:, None, :]) ** 2
    if ignored is not None:
        distance += 1  # so that a pair of texels that count is farther than any other
        distance[ignored[:, :, None] | ignored[:, None, :]] = 0
    first, second = np.divmod(distance.reshape(len(rgb), -1).argmax(1), _TEXELS)
    rows = np.arange(len(rgb))
    return rgb[rows, first], rgb[rows, second]


def _as_565(rgb: NDArray[np.int32]) -> NDArray[np.int32]:
    red, green, blue = rgb[:, 0], rgb[:, 1], rgb[:, 2]
    return (red * 31 + 127) // 255 << 11 | (green * 63 + 127) // 255 << 5 | (blue * 31 + 127) // 255


def _nearest(palette: Codes, texels: Codes, usable: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the index of the nearest entry, among the first `usable` of each block."""
    distance = ((palette[:, None] - texels[:, :, None]) ** 2).sum(-1)
    unusable = np.arange(4)[None, None, :] >= usable[:, None, None]
    distance[unusable.repeat(_TEXELS, 1)] = np.iinfo(np.int32).max
    return distance.argmin(-1)


def _alpha_blocks(alpha: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return alpha blocks, (blocks, 8), of codes (blocks, 16)."""
    blocks = np.zeros((len(alpha), 16), np.uint8)
    blocks[:, 0], blocks[:, 1] = alpha.max(1), alpha.min(1)
    blocks[:, 2:8] = _probe_bytes()
    palette = decode_bc3(blocks)[:, :8, 3].astype(np.int32)
    index = np.abs(palette[:, None] - alpha[:, :, None]).argmin(-1)
    blocks[:, 2:8] = _packed(index, _INDICES_3)[:, :6]
    return blocks[:, :8]


def _number_blocks(numbers: NDArray[np.float32], *, is_signed: bool) -> NDArray[np.uint8]:
    """Return BC4 blocks, (blocks, 8), of numbers (blocks, 16)."""
    inside = np.clip(np.nan_to_num(numbers), -1.0 if is_signed else 0.0, 1.0)
    type_ = ChannelType.SNORM if is_signed else ChannelType.UNORM
    blocks = np.zeros((len(numbers), 8), np.uint8)
    blocks[:, 0] = _codes(inside.max(1), type_)
    blocks[:, 1] = _codes(inside.min(1), type_)
    blocks[:, 2:] = _probe_bytes()
    palette = decode_bc4(blocks, is_signed=is_signed)[:, :8]
    index = np.abs(palette[:, None] - inside[:, :, None]).argmin(-1)
    blocks[:, 2:] = _packed(index, _INDICES_3)[:, :6]
    return blocks


def _probe_bytes() -> NDArray[np.uint8]:
    """Return six bytes of 3-bit indices whose first eight texels have the indices 0 to 7."""
    index = np.array([[*range(8), *[0] * 8]], np.int64)
    return _packed(index, _INDICES_3)[0, :6]


def _packed(index: NDArray[np.int64], shifts: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return indices (blocks, 16) as the bytes of 64-bit numbers, (blocks, 8)."""
    words = np.bitwise_or.reduce(index.astype(np.uint64) << shifts, axis=1)
    return words.astype("<u8").view(np.uint8).reshape(-1, 8)
