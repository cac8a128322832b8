"""Filling of targets, in whole or in rectangles: what clears of every version come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import F32, Value
from softd3d.formats.codec import units
from softd3d.formats.layout import Format
from softd3d.pipeline.depth_stencil import depth_code
from softd3d.pipeline.output import encoded
from softd3d.pipeline.prepared import Target
from softd3d.pipeline.state import Rect

__all__ = ["color_texel", "fill", "fill_depth_stencil"]

_ALGEBRA = NumpyAlgebra()
_STENCIL_BITS = 0xFF


def color_texel(format_: Format, bits: Sequence[Value]) -> bytes:
    """Return a texel that has the bits of red, green, blue and alpha (uint32) as components."""
    size, _ = units(format_)
    return b"".join(int(word.raw).to_bytes(4, "little")[:size] for word in encoded(format_, bits))


def fill(target: Target, texel: bytes, rects: Iterable[Rect] | None = None) -> None:
    """Make all texels of a target the same, or those in rectangles, of all slices and samples."""
    for texels in _parts(target, rects):
        texels[...] = np.frombuffer(texel, texels.dtype)[0]


def fill_depth_stencil(
    target: Target, depth: float | None, stencil: int | None, rects: Iterable[Rect] | None = None
) -> None:
    """Set depth, stencil or both, in all of a target or in rectangles; None for what stays.

    depth: 0 to 1. stencil: its low 8 bits count, or fewer where the format has fewer.
    """
    format_ = target.format
    codes: dict[str, int] = {}
    if depth is not None and format_.depth_bits:
        codes["d"] = int(depth_code(format_, _ALGEBRA.const(F32, depth)).raw)
    if stencil is not None:
        codes["s"] = stencil & _STENCIL_BITS
    value = kept = 0
    for channel in format_.channels:
        mask = (1 << channel.bits) - 1
        if channel.component in codes:
            value |= (codes[channel.component] & mask) << channel.shift
        else:
            kept |= mask << channel.shift
    for texels in _parts(target, rects):
        if kept:  # in their places: fresh memory costs more than the texels
            np.bitwise_and(texels, texels.dtype.type(kept), out=texels)
            np.bitwise_or(texels, texels.dtype.type(value), out=texels)
        else:
            texels[...] = value


def _parts(target: Target, rects: Iterable[Rect] | None) -> Iterator[NDArray[Any]]:
    """Yield a target's texels, or those in each rectangle: (slices, height, width * samples)."""
    size, samples = target.format.bytes_per_block, target.samples
    texels = np.ndarray(
        (target.slices, target.height, target.width * samples),
        f"<u{size}" if size in (1, 2, 4, 8) else f"V{size}", cast("Any", target.data),
        target.offset, (target.slice_pitch, target.row_pitch, size),
    )  # fmt: skip
    if rects is None:
        yield texels
        return
    whole = Rect(0, 0, target.width, target.height)
    for rect in rects:
        inside = rect & whole
        if not inside.is_empty:
            columns = slice(inside.left * samples, inside.right * samples)
            yield texels[:, inside.top : inside.bottom, columns]
