"""Codes of vendors that programs write to states of another purpose.

What they ask for is done, or refused at the next draw by its name; a code without either would draw
something else than its program wants. Codes are numbers of POINTSIZE and of states of the
tessellator that no program would set else.

Spec: notes of vendors: "Advanced DX9 Capabilities for ATI Radeon Cards" (RESZ, Fetch4, R2VB, A2M),
"NVIDIA GPU Programming Guide" (ATOC, SSAA, depth bounds, instancing).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.state import DeviceState
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9Format, fourcc_number
from softd3d.isa.d3d9.states import RenderState, SamplerStateType
from softd3d.resources.d3d9.surfaces import Surface9

__all__ = ["COMMANDS", "carry_out", "refuse_codes", "refuse_fetch4"]

_R = RenderState
_RESZ = 0x7FA05000
# Instancing in shader model 2 is always on; alpha to coverage is always off.
COMMANDS = frozenset([_RESZ, fourcc_number("INST"), fourcc_number("A2M0")])
"""Values of POINTSIZE that are no sizes, and are known."""
_FETCH4 = fourcc_number("GET4")
_R2VB, _R2VB_MASK = 0x7FA00000, 0xFFFF0000
_REFUSED = {
    _R.POINTSIZE: {fourcc_number("A2M1"): "A2M1, alpha to coverage"},
    _R.ADAPTIVETESS_X: {fourcc_number("NVDB"): "NVDB, the depth bounds test"},
    _R.ADAPTIVETESS_Y: {
        fourcc_number("ATOC"): "ATOC, alpha to coverage",
        fourcc_number("SSAA"): "SSAA, supersampling of transparent texels",
    },
}


def refuse_codes(render: Mapping[int, int]) -> None:
    """Refuse codes among render states (DWORDs by number) that ask for what is not there.

    Raises:
        ResourceError: there is one; its text names it.
    """
    for state, codes in _REFUSED.items():
        word = render[state]
        if word in codes:
            raise ResourceError(f"{state.name}: found {word:#x}, {codes[word]}: not supported")
    word = render[_R.POINTSIZE]
    if word & _R2VB_MASK == _R2VB:
        raise ResourceError(
            f"POINTSIZE: found {word:#x}, R2VB, rendering to vertex buffers, or RESZ in "
            "a state block: not supported"
        )


def carry_out(word: int, state: DeviceState) -> None:
    """Do what one of COMMANDS says.

    RESZ copies sample 0 of the bound depth surface to the texture of sampler 0.

    Raises:
        ResourceError: RESZ, and no depth surface or texture of depths is bound, or they differ in
            size or in what texels hold.
    """
    if word != _RESZ:
        return
    source, texture = state.depth, state.textures[0]
    if source is None or texture is None:
        missing = "depth-stencil surface" if source is None else "texture at sampler 0"
        raise ResourceError(f"POINTSIZE: found RESZ, but no {missing}")
    target = texture.surface(0)
    same = [(s.width, s.height, s.format.bytes_per_block, _kind(s)) for s in (source, target)]
    if not target.format.is_depth_stencil or same[0] != same[1]:
        raise ResourceError(
            f"POINTSIZE: RESZ found {source} and {target}, wanted a texture of depths of the same "
            "size and kind"
        )
    texels = source.units if source.samples == 1 else source.units[:, :, 0]
    target.units[...] = _moved(np.ascontiguousarray(texels), source.format, target.format)


def _kind(surface: Surface9) -> tuple[object, int] | None:
    depth = surface.format.channel("d")
    return None if depth is None else (depth.type, depth.bits)


def _moved(texels: NDArray[np.uint8], source: D3D9Format, target: D3D9Format) -> NDArray[np.uint8]:
    """Return texels, (height, width, bytes), with depth and stencil where another format has them.

    What only one of the formats has is 0.
    """
    words = texels.view(f"<u{source.bytes_per_block}")
    found = np.zeros_like(words)
    for name in "ds":
        here, there = source.channel(name), target.channel(name)
        if here is not None and there is not None:
            found |= (words >> here.shift & ((1 << here.bits) - 1)) << there.shift
    return found.view(np.uint8)


def refuse_fetch4(sampler: int, words: Sequence[int]) -> None:
    """Refuse a sampler whose MIPMAPLODBIAS asks for Fetch4.

    Raises:
        ResourceError: it does.
    """
    if words[SamplerStateType.MIPMAPLODBIAS] == _FETCH4:
        raise ResourceError(f"sampler {sampler}: MIPMAPLODBIAS: found GET4, Fetch4: not supported")
