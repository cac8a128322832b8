"""Clear: rectangles of targets become a colour, depth and stencil numbers.

Spec: win32 IDirect3DDevice9::Clear. Rectangles lie within the viewport and, if it is on, the
scissor rectangle; write masks do not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32
from softd3d.formats.codec import units
from softd3d.formats.layout import Format
from softd3d.isa.d3d9.colors import color_components
from softd3d.pipeline.depth_stencil import depth_code
from softd3d.pipeline.output import encoded
from softd3d.pipeline.prepared import Target
from softd3d.pipeline.state import Rect

__all__ = ["clear_color", "clear_depth_stencil"]

_ALGEBRA = NumpyAlgebra()


def clear_color(target: Target, color: int, rects: Iterable[Rect]) -> None:
    """Set the texels in rectangles to a D3DCOLOR, linear where the target's format is sRGB."""
    bits = [bitcast(_ALGEBRA.const(F32, number), U32) for number in color_components(color)]
    size, _ = units(target.format)
    words = encoded(target.format, bits)
    texel = b"".join(int(word.raw).to_bytes(4, "little")[:size] for word in words)
    texels = _texels(target)
    value = np.frombuffer(texel, texels.dtype)[0]
    for rows, columns in _places(target, rects):
        texels[rows, columns] = value


def clear_depth_stencil(
    target: Target, depth: float | None, stencil: int | None, rects: Iterable[Rect]
) -> None:
    """Set depth, stencil or both in rectangles; None for what stays. depth: 0 to 1."""
    codes = {
        "d": None if depth is None else _depth(target.format, depth),
        "s": None if stencil is None else stencil & 0xFF,
    }
    value = kept = 0
    for channel in target.format.channels:
        mask = (1 << channel.bits) - 1
        code = codes.get(channel.component)
        if code is None:
            kept |= mask << channel.shift
        else:
            value |= (code & mask) << channel.shift
    texels = _texels(target)
    for rows, columns in _places(target, rects):
        part = texels[rows, columns]
        part[...] = (part & texels.dtype.type(kept)) | texels.dtype.type(value)


def _depth(format_: Format, depth: float) -> int | None:
    if not format_.depth_bits:
        return None
    return int(depth_code(format_, _ALGEBRA.const(F32, depth)).raw)


def _places(target: Target, rects: Iterable[Rect]) -> Iterable[tuple[slice, slice]]:
    bounds = Rect(0, 0, target.width, target.height)
    for rect in rects:
        inside = rect & bounds
        if not inside.is_empty:
            columns = slice(inside.left * target.samples, inside.right * target.samples)
            yield slice(inside.top, inside.bottom), columns


def _texels(target: Target) -> NDArray[Any]:
    """Return a target's memory, (height, width * samples) of whole texels."""
    size = target.format.bytes_per_block
    dtype = f"<u{size}" if size in (1, 2, 4, 8) else f"V{size}"
    return np.ndarray(
        (target.height, target.width * target.samples), dtype, cast("Any", target.data),
        target.offset, (target.row_pitch, size),
    )  # fmt: skip
