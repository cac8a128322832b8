"""Clears of whole views, and of rectangles where Direct3D has them (ClearView of 11.1).

They ignore viewports, scissors, masks and blending. Colours are encoded as a pixel shader's are.
Spec: ClearRenderTargetView, ClearDepthStencilView, ClearUnorderedAccessViewUint and -Float,
ClearView; D3D11.3 section 17.13.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32, Value
from softd3d.arguments import integer, integers, items, real, shown
from softd3d.device.draws.targets import (
    ShownTarget,
    depth_stencil_view,
    render_target,
    unordered_target,
)
from softd3d.device.filling import color_texel, fill, fill_depth_stencil
from softd3d.errors import ResourceError
from softd3d.formats.layout import ChannelType, Format
from softd3d.pipeline.state import Rect
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer
from softd3d.resources.predicate import Predicate, is_skipped

__all__ = [
    "clear_depth_stencil_view",
    "clear_render_target_view",
    "clear_uav_float",
    "clear_uav_uint",
    "rectangles",
]

Rects = Sequence["Rect | Sequence[int]"]
_ALGEBRA = NumpyAlgebra()
_LARGEST = 0xFFFFFFFF
_SIGN = 0x7FFFFFFF
_LETTERS = "rgba"
_FLAGS = {"DEPTH": "d", "STENCIL": "s"}
_MOST_RECTS = 1 << 16


def clear_render_target_view(
    view: object, color: Sequence[float], rects: Rects | None = None, *,
    predicate: Predicate | None = None,
) -> None:  # fmt: skip
    """Set all texels of a render target to a colour, or those in rectangles.

    Args:
        view: what `Draw` takes as a render target; all its slices and samples are cleared.
        color: red, green, blue, alpha; linear, for sRGB formats too. Integer formats take the
            numbers without their fractions. Numbers out of a format's range are clamped.
        rects: `Rect`s, or (left, top, right, bottom); what lies outside of the view is left out.
        predicate: may skip the clear.

    Raises:
        ResourceError: no such view, a read-only array, no four numbers, or rectangles of a 3D
            texture, which Direct3D has not.

    >>> target = np.zeros((2, 2, 4), np.uint8)
    >>> clear_render_target_view(target, (1, 0.5, 0, 1), [(0, 0, 1, 1)])
    >>> target[0].tolist()
    [[255, 128, 0, 255], [0, 0, 0, 0]]
    """
    if is_skipped(predicate):
        return
    found = render_target(view, "clear_render_target_view")
    format_ = found.target.format
    values = _numbers(color, "color", 4)
    bits = [_component(format_, value) for value in values]
    _fill(found, color_texel(format_, bits), rects)


def clear_depth_stencil_view(
    view: object, clear_flags: str = "DEPTH | STENCIL", depth: float = 1.0, stencil: int = 0, *,
    predicate: Predicate | None = None,
) -> None:  # fmt: skip
    """Set depth, stencil or both of a depth-stencil view.

    Args:
        view: what `Draw` takes as one. Its read-only parts are left as they are.
        clear_flags: "DEPTH", "STENCIL", or both, joined by "|".
        depth: is clamped to 0 to 1.
        stencil: its low 8 bits count.
        predicate: may skip the clear.

    Raises:
        ResourceError: no such view, a read-only array, or another flag.

    >>> depth = np.zeros((1, 2), np.uint32)
    >>> clear_depth_stencil_view(depth, stencil=7)
    >>> hex(depth[0, 0])
    '0x7ffffff'
    """
    if is_skipped(predicate):
        return
    found = depth_stencil_view(view, "clear_depth_stencil_view")
    parts = _parts(clear_flags)
    number = min(max(real(depth, "depth"), 0.0), 1.0)
    code = integer(stencil, "stencil")
    fill_depth_stencil(
        found.target,
        number if "d" in parts and not found.read_only_depth else None,
        code if "s" in parts and not found.read_only_stencil else None,
    )


def clear_uav_uint(
    view: object, values: Sequence[int], rects: Rects | None = None, *,
    predicate: Predicate | None = None,
) -> None:  # fmt: skip
    """Set all texels of an unordered access view to bits, or those in rectangles.

    Args:
        view: a texture or a view of one, of which the first level is cleared, or a buffer; or an
            array of texels: of one axis, or of height, width and channels.
        values: four integers. Of each the low bits are stored in a component, whatever number
            they stand for there; in raw and structured buffers the first, in all dwords.
        rects: as of `clear_render_target_view`; not of raw and structured buffers.
        predicate: may skip the clear.

    Raises:
        ResourceError: no such view, a read-only array, or no four integers.

    >>> buffer = RawBuffer(np.zeros(2, np.uint32))
    >>> clear_uav_uint(buffer, (9, 0, 0, 0))
    >>> buffer.array.tolist()
    [9, 9]
    """
    if is_skipped(predicate):
        return
    numbers = integers(values, 4, "values", "four integers")
    if isinstance(view, (RawBuffer, StructuredBuffer)):
        if rects is not None:
            raise ResourceError("rects: found some for a raw or structured buffer, wanted None")
        found = view.describe()
        if not found.writable:
            raise ResourceError(f"{view!r}: the array must be writable, found a read-only one")
        found.data.view(np.uint32)[...] = numbers[0] & _LARGEST
        return
    target = unordered_target(view, "clear_uav_uint", is_float=False)
    texel = 0
    for channel in target.target.format.channels:
        code = numbers[_LETTERS.index(channel.component)] & (1 << channel.bits) - 1
        texel |= code << channel.shift
    size = target.target.format.bytes_per_block
    _fill(target, texel.to_bytes(size, "little"), rects)


def clear_uav_float(
    view: object, values: Sequence[float], rects: Rects | None = None, *,
    predicate: Predicate | None = None,
) -> None:  # fmt: skip
    """Set all texels of an unordered access view to numbers, or those in rectangles.

    Args:
        view: a texture or a view of one, of which the first level is cleared, or a typed buffer;
            of a FLOAT, UNORM or SNORM format. Or an array of texels, as of `clear_uav_uint`, where
            integers of 8 and 16 bits are normalised.
        values: four numbers, encoded as stores of shaders are.
        rects: as of `clear_render_target_view`.
        predicate: may skip the clear.

    Raises:
        ResourceError: no such view, an integer format, a read-only array, or no four numbers.

    >>> from softd3d.resources.textures.texture import Texture2D
    >>> texture = Texture2D(np.zeros((1, 1), np.float32), "R32_FLOAT")
    >>> clear_uav_float(texture, (0.5, 0, 0, 0))
    >>> texture.array.item()
    0.5
    """
    if is_skipped(predicate):
        return
    name = "clear_uav_float"
    target = unordered_target(view, name, is_float=True)
    format_ = target.target.format
    if format_.is_integer:
        raise ResourceError(f"{name}: found format {format_.name}, wanted one of no integers")
    bits = [_component(format_, value) for value in _numbers(values, "values", 4)]
    _fill(target, color_texel(format_, bits), rects)


def _numbers(given: object, what: str, count: int) -> tuple[float, ...]:
    found = items(given, count)
    if found is None or len(found) != count:
        raise ResourceError(f"{what}: found {shown(given)}, wanted {count} numbers")
    return tuple(real(number, what) for number in found)


def _component(format_: Format, number: float) -> Value:
    """Return the bits of a number as a pixel shader would write it to a format."""
    if not format_.is_integer:
        return bitcast(_ALGEBRA.const(F32, number), U32)
    low, high = (0, _LARGEST) if format_.type is ChannelType.UINT else (-_SIGN - 1, _SIGN)
    whole = int(min(max(number, low), high))
    return _ALGEBRA.const(U32, whole & _LARGEST)


def _fill(found: ShownTarget, texel: bytes, rects: Rects | None) -> None:
    if rects is not None and found.kind == "3D texture":
        raise ResourceError("rects: found some for a 3D texture, wanted None")
    fill(found.target, texel, None if rects is None else rectangles(rects, "rects"))


def rectangles(given: object, what: str) -> list[Rect]:
    """Return the rectangles that a caller names.

    Args:
        given: `Rect`s, or left, top, right and bottom of each.
        what: the argument, for errors.

    Raises:
        ResourceError: no list, more than 65,536, or one that is no rectangle.
    """
    found = items(given, _MOST_RECTS)
    if found is None or len(found) > _MOST_RECTS:
        raise ResourceError(
            f"{what}: found {shown(given)}, wanted a list of up to {_MOST_RECTS} rectangles"
        )
    names = "a Rect, or left, top, right, bottom as integers"
    return [
        one if isinstance(one, Rect) else Rect(*integers(one, 4, f"{what}[{number}]", names))
        for number, one in enumerate(found)
    ]


def _parts(flags: object) -> set[str]:
    """Return the components ("d", "s") that words name."""
    words = [word.strip().upper() for word in flags.split("|")] if isinstance(flags, str) else [""]
    words = [word.removeprefix("D3D11_CLEAR_") for word in words]
    if not all(word in _FLAGS for word in words):
        raise ResourceError(
            f"clear_flags: found {shown(flags)}, wanted DEPTH, STENCIL, or both, joined by |"
        )
    return {_FLAGS[word] for word in words}
