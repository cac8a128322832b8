"""Which decoder a block format has, and what its codes are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import dxgi_format
from softd3d.formats.layout import ChannelType, Format, Scheme
from softd3d.formats.rules import D3D10
from softd3d.resources.blocks.bc1_5 import (
    decode_bc1,
    decode_bc2,
    decode_bc3,
    decode_bc4,
    decode_bc5,
    numbers_of,
)
from softd3d.resources.blocks.bc6h import decode_bc6h
from softd3d.resources.blocks.bc7 import decode_bc7
from softd3d.resources.texels.code_tables import decoding_table, read_bytes

__all__ = ["block_format", "decode_units", "same_codes"]

_PIECE = 1 << 14  # blocks at a time
_COLOURS = {"BC1": decode_bc1, "BC2": decode_bc2, "BC3": decode_bc3}
_RGBA8 = {**_COLOURS, "BC7": decode_bc7}


def block_format(format_: Format) -> str:
    """Return which block format it is, and its type: "BC1_UNORM_SRGB" for DXT1 in no other way.

    Raises:
        ResourceError: it is none, or typeless.
    """
    name = getattr(format_, "dxgi", "") or format_.name
    if format_.scheme is not Scheme.BLOCKS or format_.is_typeless:
        raise ResourceError(f"format {format_.name} has no blocks with a type")
    return name


def decode_units(blocks: NDArray[np.uint8], format_: Format, out: NDArray[np.float32]) -> None:
    """Write the components of blocks, (blocks, bytes), to `out`, (blocks * 16, 4)."""
    name = block_format(format_)
    kind, _, type_ = name.partition("_")
    target = out.reshape(len(blocks), 16, 4)
    curve = ChannelType.SRGB if type_.endswith("SRGB") else ChannelType.UNORM
    if kind in _COLOURS:
        target[...] = _COLOURS[kind](blocks, numbers_of(curve))
    elif kind == "BC7":
        codes = decode_bc7(blocks).reshape(-1, 4)
        read_bytes(codes, (curve, curve, curve, ChannelType.UNORM), D3D10, out)
    elif kind == "BC6H":
        halves = decode_bc6h(blocks, is_signed=type_ == "SF16")
        target[...] = decoding_table(ChannelType.FLOAT, 16, D3D10).view(np.float32)[halves]
    else:
        _decode_numbers(blocks, kind, format_, target, is_signed=type_ == "SNORM")


def same_codes(
    units: NDArray[np.uint8], source: Format, destination: Format
) -> NDArray[np.uint8] | None:
    """Return the bytes of each texel where the destination has the codes of the blocks, else None.

    (blocks * 16, bytes). That is RGBA8 with the same curve, or half-precision RGBA for BC6H.
    """
    if source.scheme is not Scheme.BLOCKS or source.is_typeless:
        return None
    kind, _, type_ = block_format(source).partition("_")
    if kind in _RGBA8 and destination == dxgi_format(f"R8G8B8A8_{type_}"):
        out = np.empty((len(units), 16, 4), np.uint8)
        for start in range(0, len(units), _PIECE):
            out[start : start + _PIECE] = _RGBA8[kind](units[start : start + _PIECE])
        return out.reshape(-1, 4)
    if kind == "BC6H" and destination == dxgi_format("R16G16B16A16_FLOAT"):
        halves = np.empty((len(units), 16, 4), np.uint16)
        for start in range(0, len(units), _PIECE):
            piece = units[start : start + _PIECE]
            halves[start : start + _PIECE] = decode_bc6h(piece, is_signed=type_ == "SF16")
        return halves.view(np.uint8).reshape(-1, 8)
    return None


def _decode_numbers(
    blocks: NDArray[np.uint8], kind: str, format_: Format, target: NDArray[Any], *,
    is_signed: bool,
) -> None:  # fmt: skip
    """Write what BC4 and BC5 give, in the order in which the format reads them."""
    if kind == "BC4":
        found = decode_bc4(blocks, is_signed=is_signed)[..., None]
    else:
        found = decode_bc5(blocks, is_signed=is_signed)
    for i, component in enumerate(format_.reads):
        if component in "01":
            target[..., i] = int(component)
        else:
            target[..., i] = found[..., "rg".index(component)]
