"""Block decoders for tests: one texel at a time, in plain integers and fractions.

They follow the specification's text, not the array code: fields are read out of one big integer,
indices one by one, and every texel interpolates for itself. Only the tables of partitions and bit
positions are the package's own; those are checked against decoded images of other origin.
"""

from __future__ import annotations

import math
from fractions import Fraction

from softd3d.resources.blocks.bc6h import MODES, Mode
from softd3d.resources.blocks.bits import ANCHORS, PARTITIONS

WEIGHTS = {
    2: [0, 21, 43, 64],
    3: [0, 9, 18, 27, 37, 46, 55, 64],
    4: [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
}
Rgba = tuple[int, int, int, int]


class Bits:
    """A block as one little-endian number, read from the lowest bit up."""

    def __init__(self, block: bytes) -> None:
        self.rest = int.from_bytes(block, "little")

    def take(self, count: int) -> int:
        found = self.rest & (1 << count) - 1
        self.rest >>= count
        return found


def _mixed(a: int, b: int, index: int, bits: int) -> int:
    weight = WEIGHTS[bits][index]
    return (a * (64 - weight) + b * weight + 32) >> 6


def colours(block: bytes, *, always_four: bool = False) -> list[list[Fraction]]:
    """Return the texels of a colour block as exact fractions."""
    bits = Bits(block)
    ends = [bits.take(16), bits.take(16)]
    a, b = (
        [Fraction(end >> 11, 31), Fraction(end >> 5 & 63, 63), Fraction(end & 31, 31), Fraction(1)]
        for end in ends
    )
    palette = [a, b]
    if always_four or ends[0] > ends[1]:
        palette.append([(2 * x + y) / 3 for x, y in zip(a, b, strict=True)])
        palette.append([(x + 2 * y) / 3 for x, y in zip(a, b, strict=True)])
    else:
        palette += [[(x + y) / 2 for x, y in zip(a, b, strict=True)], [Fraction(0)] * 4]
    return [palette[bits.take(2)] for _ in range(16)]


def code(number: Fraction) -> int:
    """Return the nearest 8-bit code, of two the larger."""
    return math.floor(number * 255 + Fraction(1, 2))


def bc1(block: bytes) -> list[list[Fraction]]:
    return colours(block)


def bc2(block: bytes) -> list[list[Fraction]]:
    alpha = Bits(block[:8])
    return [[*c[:3], Fraction(alpha.take(4), 15)] for c in colours(block[8:], always_four=True)]


def bc3(block: bytes) -> list[list[Fraction]]:
    alphas = bc4(block[:8], is_signed=False)
    texels = colours(block[8:], always_four=True)
    return [[*c[:3], a] for c, a in zip(texels, alphas, strict=True)]


def bc4(block: bytes, *, is_signed: bool) -> list[Fraction]:
    bits = Bits(block)
    codes = [bits.take(8), bits.take(8)]
    if is_signed:
        codes = [code - 256 if code > 127 else code for code in codes]
        ends = [Fraction(max(code, -127), 127) for code in codes]
    else:
        ends = [Fraction(code, 255) for code in codes]
    steps = 7 if codes[0] > codes[1] else 5
    palette = [*ends]
    palette += [(ends[0] * (steps - i) + ends[1] * i) / steps for i in range(1, steps)]
    palette += [Fraction(-1 if is_signed else 0), Fraction(1)][: 8 - len(palette)]
    return [palette[bits.take(3)] for _ in range(16)]


def _widened(code: int, bits: int) -> int:
    return code << 8 - bits | code >> 2 * bits - 8


def _index(bits: Bits, width: int, texel: int, anchors: set[int]) -> int:
    return bits.take(width - (texel in anchors))


# Subsets, bits of partition, rotation, selector, colour, alpha; parity bits an endpoint, a subset;
# bits of both indices.
_BC7 = [
    (3, 4, 0, 0, 4, 0, 1, 0, 3, 0), (2, 6, 0, 0, 6, 0, 0, 1, 3, 0), (3, 6, 0, 0, 5, 0, 0, 0, 2, 0),
    (2, 6, 0, 0, 7, 0, 1, 0, 2, 0), (1, 0, 2, 1, 5, 6, 0, 0, 2, 3), (1, 0, 2, 0, 7, 8, 0, 0, 2, 2),
    (1, 0, 0, 0, 7, 7, 1, 0, 4, 0), (2, 6, 0, 0, 5, 5, 1, 0, 2, 0),
]  # fmt: skip


def _bc7_ends(bits: Bits, mode: tuple[int, ...]) -> list[list[int]]:
    subsets, _, _, _, cb, ab, epb, spb, *_ = mode
    ends = [[0, 0, 0, 255] for _ in range(2 * subsets)]
    for channel, width in enumerate((cb, cb, cb, ab)):
        if width:
            for end in ends:
                end[channel] = bits.take(width)
    shared = [bits.take(1) for _ in range(2 * subsets if epb else subsets if spb else 0)]
    for number, end in enumerate(ends):
        for channel, width in enumerate((cb, cb, cb, ab)):
            if not width:
                continue
            code, size = end[channel], width
            if shared:
                code = code << 1 | shared[number if epb else number // 2]
                size += 1
            end[channel] = _widened(code, size)
    return ends


def bc7(block: bytes) -> list[Rgba]:
    if block[0] == 0:
        return [(0, 0, 0, 0)] * 16
    bits = Bits(block)
    mode = 0
    while not bits.take(1):
        mode += 1
    subsets, pb, rb, isb, *_, ib, ib2 = _BC7[mode]
    partition, rotation, selector = bits.take(pb), bits.take(rb), bits.take(isb)
    ends = _bc7_ends(bits, _BC7[mode])
    members = PARTITIONS[subsets][partition].tolist() if subsets > 1 else [0] * 16
    anchors = {0} | (set(ANCHORS[subsets][partition].tolist()) if subsets > 1 else set())
    first = [_index(bits, ib, t, anchors) for t in range(16)]
    second = [_index(bits, ib2, t, {0}) for t in range(16)] if ib2 else first
    texels: list[Rgba] = []
    for texel in range(16):
        a, b = ends[2 * members[texel]], ends[2 * members[texel] + 1]
        colour, alpha = (first[texel], ib), (second[texel], ib2 or ib)
        if selector:
            colour, alpha = alpha, colour
        rgba = [_mixed(a[c], b[c], *(alpha if c == 3 else colour)) for c in range(4)]
        if rotation:
            rgba[rotation - 1], rgba[3] = rgba[3], rgba[rotation - 1]
        texels.append((rgba[0], rgba[1], rgba[2], rgba[3]))
    return texels


def _signed(code: int, bits: int) -> int:
    return code - (1 << bits) if code >> bits - 1 else code


def _unquantized(code: int, bits: int, *, is_signed: bool) -> int:
    if not is_signed:
        if bits >= 15 or code == 0:
            return code
        return 0xFFFF if code == (1 << bits) - 1 else ((code << 16) + 0x8000) >> bits
    if bits >= 16:
        return code
    magnitude = abs(code)
    if magnitude == 0:
        wide = 0
    elif magnitude >= (1 << bits - 1) - 1:
        wide = 0x7FFF
    else:
        wide = ((magnitude << 15) + 0x4000) >> bits - 1
    return -wide if code < 0 else wide


def _bc6h_ends(whole: int, mode: Mode, *, is_signed: bool) -> list[list[int]]:
    ends = [[0, 0, 0] for _ in range(2 * mode.regions)]
    for channel, end, low, at, count in mode.fields:
        ends[end][channel] |= (whole >> at & (1 << count) - 1) << low
    for channel in range(3):
        base = ends[0][channel]
        if is_signed:
            base = ends[0][channel] = _signed(base, mode.precision)
        for end in ends[1:]:
            code = end[channel]
            if is_signed or mode.is_transformed:
                code = _signed(code, mode.widths[channel])
            if mode.is_transformed:
                code = code + base & (1 << mode.precision) - 1
                code = _signed(code, mode.precision) if is_signed else code
            end[channel] = code
    return ends


def _finished(value: int, *, is_signed: bool) -> int:
    if not is_signed:
        return value * 31 >> 6
    scaled = abs(value) * 31 >> 5
    return scaled | 0x8000 if value < 0 and scaled else scaled


def bc6h(block: bytes, *, is_signed: bool) -> list[tuple[int, int, int]]:
    whole = int.from_bytes(block, "little")
    number = whole & 3 if whole & 3 < 2 else whole & 31
    if number not in MODES:
        return [(0, 0, 0)] * 16
    mode = MODES[number]
    ends = _bc6h_ends(whole, mode, is_signed=is_signed)
    width = 3 if mode.regions == 2 else 4
    bits = Bits(block)
    bits.take(82 if mode.regions == 2 else 65)
    shape = whole >> 77 & 31
    members = PARTITIONS[2][shape].tolist() if mode.regions == 2 else [0] * 16
    anchors = {0} | (set(ANCHORS[2][shape].tolist()) if mode.regions == 2 else set())
    texels: list[tuple[int, int, int]] = []
    for texel in range(16):
        index = _index(bits, width, texel, anchors)
        pair = ends[2 * members[texel] : 2 * members[texel] + 2]
        rgb: list[int] = []
        for channel in range(3):
            a, b = (_unquantized(e[channel], mode.precision, is_signed=is_signed) for e in pair)
            value = _mixed(a, b, index, width)
            rgb.append(_finished(value, is_signed=is_signed))
        texels.append((rgb[0], rgb[1], rgb[2]))
    return texels
