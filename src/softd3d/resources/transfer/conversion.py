"""Texels to components and back, on whole arrays: decode, encode, convert.

Components are arrays (..., 4) of x, y, z, w: uint32 or int32 for formats of integers, float32 for
all others. Texels are arrays of the dtypes that textures take, or bytes: uint8 with a last axis of
`bytes_per_block` (none for formats of one byte). Blocks are (..., rows, columns, bytes) and give
(..., 4 * rows, 4 * columns, 4); 4:2:2 units and bits are (..., units, bytes) and give as many
texels as they hold. Planar formats take and give a list of planes, each an array of its own.

The rules are those of the codec: channels of up to 16 bits go through tables that the codec fills,
wider ones and all writing through the codec itself. Work is done in pieces of bounded size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.layout import ChannelType, Format, Scheme
from softd3d.formats.rules import Rules, rules_named
from softd3d.resources.blocks.decoding import decode_units, same_codes
from softd3d.resources.blocks.encoding import encode_units
from softd3d.resources.texels.arrays import any_format, from_units, to_units, unit_shape
from softd3d.resources.texels.codec import components_of, converted, read_units, write_units
from softd3d.resources.texels.planes import joined_planes, split_planes

__all__ = ["convert", "decode", "encode"]

_PIECE = 1 << 16  # texels at a time: temporaries stay in the cache
_PIECE_OF_BLOCKS = 1 << 14  # work on blocks has more steps, each of which costs a call
_AS_THEY_ARE = (ChannelType.FLOAT, ChannelType.UINT, ChannelType.SINT)
Texels = NDArray[Any] | Sequence[NDArray[Any]]


def decode(
    array: Texels,
    format: str | int | Format,  # noqa: A002 - Direct3D's word
    rules: str | Rules = "d3d10",
    palette: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the components of texels.

    Args:
        array: texels, units or blocks; a list of planes for a planar format.
        format: what they are, of either API, by name or number; the rules say which is meant where
            both have it.
        rules: "d3d10" or "d3d9".
        palette: for formats of indices: uint8 (entries, 4) RGBA, or float32 components.

    Returns:
        float32, uint32 or int32, (..., 4). Stencil beside depth is a float32 whole number. Video
        formats give Y, U, V and alpha as they are stored, normalised to [0, 1].

    Raises:
        ResourceError: array, palette and format do not fit, or the format has no texels.

    >>> decode(np.array([[255, 0, 51]], np.uint8), "R8_UNORM")[0, 2].tolist()
    [0.20000000298023224, 0.0, 0.0, 1.0]
    """
    chosen = rules_named(rules)
    format_ = any_format(format, chosen)
    if format_.scheme is Scheme.PLANES:
        return joined_planes(_planes(array, format_), format_, chosen)
    units, shape = to_units(_one_array(array, format_), format_)
    _check_readable(format_)
    texels = format_.block_width * format_.block_height
    out = np.empty((len(units) * texels, 4), components_of(format_))
    step = _PIECE_OF_BLOCKS if format_.scheme is Scheme.BLOCKS else _PIECE // texels
    for start in range(0, len(units), step):
        piece = units[start : start + step]
        target = out[start * texels : (start + len(piece)) * texels]
        if format_.scheme is Scheme.BLOCKS:
            decode_units(piece, format_, target)
        else:
            read_units(piece, format_, chosen, target, palette)
    return _texel_order(out, shape, format_)


def encode(
    values: NDArray[Any],
    format: str | int | Format,  # noqa: A002 - Direct3D's word
    rules: str | Rules = "d3d10",
) -> Any:
    """Return texels that hold these components.

    Args:
        values: float32, uint32 or int32, (..., 4). Integers become the nearest float32 for formats
            of numbers, numbers the nearest integer for formats of integers; both are clamped.
        format: see `decode`; one with blocks wants extents that are multiples of theirs. Chroma of
            4:2:2 formats and planes is not averaged: it comes from the texel that `pack_block`
            names, or from the upper left one.
        rules: see `decode`.

    Returns:
        an array of the format's natural dtype, uint8 (..., bytes) for blocks, or a list of planes.

    Raises:
        ResourceError: values and format do not fit; BC6H and BC7 are not encoded.
    """
    chosen = rules_named(rules)
    values = _checked(values)
    format_ = any_format(format, chosen)
    found = _encoded(values, format_, chosen)
    return found.copy() if _is_plain(format_) and np.may_share_memory(found, values) else found


def convert(
    array: Texels,
    source_format: str | int | Format,
    destination_format: str | int | Format,
    rules: str | Rules = "d3d10",
    palette: NDArray[Any] | None = None,
) -> Any:
    """Return texels of one format as texels of another: `encode` of what `decode` gives.

    Where source and destination are one format, or hold the same codes in other places, the codes
    themselves are moved.

    Raises:
        ResourceError: see `decode` and `encode`.

    >>> convert(np.array([0x7C1F], np.uint16), "B5G5R5A1_UNORM", "R8G8B8A8_UNORM").tolist()
    [[255, 0, 255, 0]]
    """
    chosen = rules_named(rules)
    source = any_format(source_format, chosen)
    destination = any_format(destination_format, chosen)
    if Scheme.PLANES not in (source.scheme, destination.scheme):
        units, shape = to_units(_one_array(array, source), source)
        if source == destination:
            return from_units(units.copy(), shape, source)
        codes = same_codes(units, source, destination)
        if codes is not None:
            moved = _texel_order(codes, shape, source)
            whole = np.ascontiguousarray(moved).reshape(-1, moved.shape[-1])
            return from_units(whole, moved.shape[:-1], destination)
    return _encoded(decode(array, source, chosen, palette), destination, chosen)


def _encoded(values: NDArray[Any], format_: Format, chosen: Rules) -> Any:
    """Return texels; of 32 bits a channel, perhaps the components themselves."""
    shape = unit_shape(values.shape[:-1], format_)
    if format_.scheme is Scheme.PLANES:
        return split_planes(values, format_, chosen)
    _check_readable(format_)
    if not format_.bytes_per_block:
        raise ResourceError(f"format {format_.name} has no texels: {format_.scheme.value}")
    if _is_plain(format_) and values.dtype == components_of(format_):
        items = len(format_.channels)
        return np.ascontiguousarray(values[..., :items] if items > 1 else values[..., 0])
    flat = _unit_order(values, shape, format_)
    texels = format_.block_width * format_.block_height
    units = np.empty((len(flat) // texels, format_.bytes_per_block), np.uint8)
    step = _PIECE // texels
    for start in range(0, len(units), step):
        piece = flat[start * texels : (start + step) * texels]
        if format_.scheme is Scheme.BLOCKS:
            units[start : start + step] = encode_units(piece, format_)
        else:
            units[start : start + step] = write_units(piece, format_, chosen)
    return from_units(units, shape, format_)


def _is_plain(format_: Format) -> bool:
    """Whether texels are the first components as they are, 32 bits each."""
    components = "".join(c.component for c in format_.channels)
    return (
        bool(components)
        and all(c.bits == 32 and c.type in _AS_THEY_ARE for c in format_.channels)
        and format_.reads.startswith(components)
    )


def _one_array(array: Texels, format_: Format) -> NDArray[Any]:
    if isinstance(array, np.ndarray):
        return array
    raise ResourceError(f"found {type(array).__name__}, wanted an array for {format_.name}")


def _planes(array: Texels, format_: Format) -> list[NDArray[Any]]:
    planes: list[NDArray[Any]] = [] if isinstance(array, np.ndarray) else list(array)
    if len(planes) != len(format_.planes):
        raise ResourceError(
            f"found no list of {len(format_.planes)} planes, which {format_.name} has"
        )
    return planes


def _check_readable(format_: Format) -> None:
    if format_.is_typeless:
        raise ResourceError(f"format {format_.name} has no component type")
    if format_.scheme in (Scheme.OPAQUE, Scheme.BYTES):
        raise ResourceError(f"format {format_.name} has no texels: {format_.scheme.value}")


def _checked(values: object) -> NDArray[Any]:
    if not isinstance(values, np.ndarray):
        raise ResourceError(f"found {type(values).__name__}, wanted an array of components")
    array = cast("NDArray[Any]", values)
    if array.ndim < 1 or array.shape[-1] != 4 or array.dtype not in converted:
        raise ResourceError(
            f"found {array.dtype} {array.shape}, wanted float32, uint32 or int32 (..., 4)"
        )
    return array


def _texel_order(flat: NDArray[Any], shape: tuple[int, ...], format_: Format) -> NDArray[Any]:
    """Return what is unit by unit (units * texels, last) as texels (..., last)."""
    last = flat.shape[-1]
    if format_.block_height == 1:
        if format_.block_width == 1:
            return flat.reshape(*shape, last)
        if not shape:
            return flat
        return flat.reshape(*shape[:-1], shape[-1] * format_.block_width, last)
    if len(shape) < 2:
        raise ResourceError(f"found blocks {shape}, wanted (..., rows, columns) for {format_.name}")
    *outer, rows, columns = shape
    height, width = format_.block_height, format_.block_width
    whole = flat.reshape(math.prod(outer), rows, columns, height, width, last).swapaxes(2, 3)
    return whole.reshape(*outer, rows * height, columns * width, last)


def _unit_order(values: NDArray[Any], shape: tuple[int, ...], format_: Format) -> NDArray[Any]:
    """Return texels (..., 4) unit by unit: (units * texels, 4)."""
    if format_.block_height == 1:
        return np.ascontiguousarray(values).reshape(-1, 4)
    rows, columns = shape[-2:]
    height, width = format_.block_height, format_.block_width
    count = math.prod(shape[:-2])
    whole = values.reshape(count, rows, height, columns, width, 4).swapaxes(2, 3)
    return np.ascontiguousarray(whole).reshape(-1, 4)
