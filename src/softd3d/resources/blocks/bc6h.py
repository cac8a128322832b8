"""BC6H blocks to half-precision RGB, bit for bit.

Spec: win32 direct3d11 bc6h-format; D3D11.3 section 19.5. Its listing of the signed `unquantize`
never sets its sign flag; here magnitude and sign are told apart first, as was meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.resources.blocks.bits import (
    ANCHORS,
    PARTITIONS,
    WEIGHTS,
    Blocks,
    interpolated,
    looked_up,
    texel_indices,
)

__all__ = ["MODES", "Mode", "decode_bc6h"]

_TEXELS = 16
_ONE = 0x3C00  # as a half
_SIGN = 0x8000
_TWO_REGION_INDICES_AT, _ONE_REGION_INDICES_AT = 82, 65
_SHAPE_AT = 77

# Mode bits, precision of the base endpoint, bits of the others' red, green and blue; then the
# fields in their order: colour (r g b), endpoint (w x y z), bits. Endpoints w and x are those of
# the first region, y and z those of the second. Modes with a * store no differences.
_LAYOUTS = """
00 10 5 5 5 gy4 by4 bz4 rw0-9 gw0-9 bw0-9 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-4 \
  bz2 rz0-4 bz3
01 7 6 6 6 gy5 gz4-5 rw0-6 bz0-1 by4 gw0-6 by5 bz2 gy4 bw0-6 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 gz0-3 \
  bx0-5 by0-3 ry0-5 rz0-5
02 11 5 4 4 rw0-9 gw0-9 bw0-9 rx0-4 rw10 gy0-3 gx0-3 gw10 bz0 gz0-3 bx0-3 bw10 bz1 by0-3 ry0-4 \
  bz2 rz0-4 bz3
06 11 4 5 4 rw0-9 gw0-9 bw0-9 rx0-3 rw10 gz4 gy0-3 gx0-4 gw10 gz0-3 bx0-3 bw10 bz1 by0-3 ry0-3 \
  bz0 bz2 rz0-3 gy4 bz3
0a 11 4 4 5 rw0-9 gw0-9 bw0-9 rx0-3 rw10 by4 gy0-3 gx0-3 gw10 bz0 gz0-3 bx0-4 bw10 by0-3 ry0-3 \
  bz1-2 rz0-3 bz4 bz3
0e 9 5 5 5 rw0-8 by4 gw0-8 gy4 bw0-8 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 ry0-4 \
  bz2 rz0-4 bz3
12 8 6 5 5 rw0-7 gz4 by4 gw0-7 bz2 gy4 bw0-7 bz3-4 rx0-5 gy0-3 gx0-4 bz0 gz0-3 bx0-4 bz1 by0-3 \
  ry0-5 rz0-5
16 8 5 6 5 rw0-7 bz0 by4 gw0-7 gy5 gy4 bw0-7 gz5 bz4 rx0-4 gz4 gy0-3 gx0-5 gz0-3 bx0-4 bz1 by0-3 \
  ry0-4 bz2 rz0-4 bz3
1a 8 5 5 6 rw0-7 bz1 by4 gw0-7 by5 gy4 bw0-7 bz5 bz4 rx0-4 gz4 gy0-3 gx0-4 bz0 gz0-3 bx0-5 by0-3 \
  ry0-4 bz2 rz0-4 bz3
1e 6 6 6 6 * rw0-5 gz4 bz0-1 by4 gw0-5 gy5 by5 bz2 gy4 bw0-5 gz5 bz3 bz5 bz4 rx0-5 gy0-3 gx0-5 \
  gz0-3 bx0-5 by0-3 ry0-5 rz0-5
03 10 10 10 10 * rw0-9 gw0-9 bw0-9 rx0-9 gx0-9 bx0-9
07 11 9 9 9 rw0-9 gw0-9 bw0-9 rx0-8 rw10 gx0-8 gw10 bx0-8 bw10
0b 12 8 8 8 rw0-9 gw0-9 bw0-9 rx0-7 rw11 rw10 gx0-7 gw11 gw10 bx0-7 bw11 bw10
0f 16 4 4 4 rw0-9 gw0-9 bw0-9 rx0-3 rw15 rw14 rw13 rw12 rw11 rw10 gx0-3 gw15 gw14 gw13 gw12 gw11 \
  gw10 bx0-3 bw15 bw14 bw13 bw12 bw11 bw10
"""
_FIELD = re.compile(r"([rgb])([wxyz])(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode: its bits, precision of the base endpoint, bits of the others' red, green and blue.

    is_transformed: whether the others are differences to the base.
    fields: (channel, endpoint, lowest bit of the value, offset in the block, width).
    """

    bits: int
    precision: int
    widths: tuple[int, int, int]
    is_transformed: bool
    regions: int
    fields: tuple[tuple[int, int, int, int, int], ...]


def _mode(line: str) -> Mode:
    words = line.split()
    number = int(words[0], 16)
    precision, *widths = map(int, words[1:5])
    at = 2 if number < 2 else 5
    fields: list[tuple[int, int, int, int, int]] = []
    for colour, endpoint, first, last in _FIELD.findall(line):
        count = int(last or first) - int(first) + 1
        fields.append(("rgb".index(colour), "wxyz".index(endpoint), int(first), at, count))
        at += count
    regions = 2 if any(endpoint > 1 for _, endpoint, *_ in fields) else 1
    red, green, blue = widths
    return Mode(number, precision, (red, green, blue), "*" not in words, regions, tuple(fields))


MODES = {mode.bits: mode for mode in map(_mode, _LAYOUTS.strip().splitlines())}
"""Modes by their mode bits; others are reserved."""


def decode_bc6h(blocks: NDArray[np.uint8], *, is_signed: bool) -> NDArray[np.uint16]:
    """Decode blocks (blocks, 16) to RGBA half codes, uint16, (blocks, 16 texels, 4).

    Alpha is 1. Reserved modes give 0 in red, green and blue.
    """
    texels = np.full((len(blocks), _TEXELS), _ONE << 48, np.uint64)
    five = blocks[:, 0] & np.uint8(31)
    bits = np.where(five & np.uint8(3) < 2, five & np.uint8(3), five)
    for number, mode in MODES.items():
        chosen = np.flatnonzero(bits == number)
        if len(chosen):
            texels[chosen] = _decode_mode(Blocks(blocks[chosen]), mode, is_signed=is_signed)
    return texels.view(np.uint16).reshape(-1, _TEXELS, 4)


def _decode_mode(blocks: Blocks, mode: Mode, *, is_signed: bool) -> NDArray[np.uint64]:
    endpoints = _endpoints(blocks, mode, is_signed=is_signed)
    wide = _unquantized(endpoints, mode.precision, is_signed=is_signed)
    pairs = wide.reshape(-1, mode.regions, 2, 3)
    bits = 3 if mode.regions == 2 else 4
    palette = _finished(
        interpolated(pairs[:, :, 0], pairs[:, :, 1], WEIGHTS[bits]), is_signed=is_signed
    ).reshape(len(wide), -1)
    if mode.regions == 1:
        index = texel_indices(blocks.bits(_ONE_REGION_INDICES_AT, _TEXELS * bits - 1), bits)
    else:
        shape = blocks.number(_SHAPE_AT, 5)
        stream = blocks.bits(_TWO_REGION_INDICES_AT, _TEXELS * bits - 2)
        index = texel_indices(stream, bits, ANCHORS[2][shape])
        index = index | PARTITIONS[2][shape] << np.uint8(bits)
    return looked_up(palette, index)


def _endpoints(blocks: Blocks, mode: Mode, *, is_signed: bool) -> NDArray[np.int32]:
    """Return endpoints in the base's precision, (blocks, 2 * regions, 3), differences resolved."""
    values = np.zeros((len(blocks.low), 2 * mode.regions, 3), np.int32)
    for channel, endpoint, low, at, count in mode.fields:
        values[:, endpoint, channel] |= blocks.number(at, count) << low
    base, others = values[:, :1], values[:, 1:]
    if is_signed:
        base[...] = _sign_extended(base, [mode.precision] * 3)
    if is_signed or mode.is_transformed:
        others[...] = _sign_extended(others, mode.widths)
    if mode.is_transformed:
        others[...] = (others + base) & ((1 << mode.precision) - 1)
        if is_signed:
            others[...] = _sign_extended(others, [mode.precision] * 3)
    return values


def _sign_extended(values: NDArray[np.int32], widths: Sequence[int]) -> NDArray[np.int32]:
    shift = 32 - np.array(widths, np.int32)
    return values << shift >> shift


def _unquantized(
    values: NDArray[np.int32], precision: int, *, is_signed: bool
) -> NDArray[np.int32]:
    """Spread numbers of `precision` bits over 16 bits."""
    if not is_signed:
        if precision >= 15:
            return values
        wide = ((values << 16) + 0x8000) >> precision
        wide = np.where(values == (1 << precision) - 1, 0xFFFF, wide)
        return np.where(values == 0, 0, wide).astype(np.int32)
    if precision >= 16:
        return values
    magnitude = np.abs(values)
    wide = ((magnitude << 15) + 0x4000) >> (precision - 1)
    wide = np.where(magnitude >= (1 << (precision - 1)) - 1, 0x7FFF, wide)
    wide = np.where(magnitude == 0, 0, wide)
    return np.where(values < 0, -wide, wide).astype(np.int32)


def _finished(palette: NDArray[np.int32], *, is_signed: bool) -> NDArray[np.uint64]:
    """Scale palettes (..., 3) into the range of halves and pack each colour, with alpha 1."""
    if is_signed:
        magnitude = np.abs(palette) * 31 >> 5
        codes = np.where((palette < 0) & (magnitude > 0), magnitude | _SIGN, magnitude)
    else:
        codes = palette * 31 >> 6
    halves = np.full((*palette.shape[:-1], 4), _ONE, np.uint16)
    halves[..., :3] = codes
    return halves.view("<u8")[..., 0]
