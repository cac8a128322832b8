"""The states of a new device: each is a DWORD, whether it says a number, a float or a colour.

Spec: win32 D3DRENDERSTATETYPE, D3DSAMPLERSTATETYPE, D3DTEXTURESTAGESTATETYPE.
"""

from __future__ import annotations

import struct
from types import MappingProxyType

from softd3d.isa.d3d9 import enums as e
from softd3d.isa.d3d9.states import RenderState, SamplerStateType, TextureStageState

__all__ = [
    "FLOAT_RENDER_STATES", "FLOAT_SAMPLER_STATES", "FLOAT_TEXTURE_STAGE_STATES",
    "RENDER_STATE_DEFAULTS", "SAMPLER_STATE_DEFAULTS", "float_word", "texture_stage_defaults",
]  # fmt: skip

_R, _S, _T = RenderState, SamplerStateType, TextureStageState
_ALL_BITS = 0xFFFFFFFF
_POINT_SIZE = 64.0  # the page's; drivers answer with what they can

FLOAT_RENDER_STATES = frozenset(
    {
        _R.FOGSTART, _R.FOGEND, _R.FOGDENSITY, _R.POINTSIZE, _R.POINTSIZE_MIN, _R.POINTSIZE_MAX,
        _R.POINTSCALE_A, _R.POINTSCALE_B, _R.POINTSCALE_C, _R.TWEENFACTOR, _R.SLOPESCALEDEPTHBIAS,
        _R.DEPTHBIAS, _R.MINTESSELLATIONLEVEL, _R.MAXTESSELLATIONLEVEL, _R.ADAPTIVETESS_X,
        _R.ADAPTIVETESS_Y, _R.ADAPTIVETESS_Z, _R.ADAPTIVETESS_W,
    }
)  # fmt: skip
"""Render states whose DWORD has the bits of a float."""
FLOAT_SAMPLER_STATES = frozenset({_S.MIPMAPLODBIAS})
FLOAT_TEXTURE_STAGE_STATES = frozenset(
    {
        _T.BUMPENVMAT00, _T.BUMPENVMAT01, _T.BUMPENVMAT10, _T.BUMPENVMAT11, _T.BUMPENVLSCALE,
        _T.BUMPENVLOFFSET,
    }
)  # fmt: skip


def float_word(number: float) -> int:
    """Return the bits of a float32.

    >>> hex(float_word(1.0))
    '0x3f800000'
    """
    return int.from_bytes(struct.pack("<f", number), "little")


_RENDER = {
    _R.FILLMODE: e.FillMode.SOLID, _R.SHADEMODE: e.ShadeMode.GOURAUD, _R.ZWRITEENABLE: 1,
    _R.LASTPIXEL: 1, _R.SRCBLEND: e.Blend.ONE, _R.DESTBLEND: e.Blend.ZERO,
    _R.CULLMODE: e.Cull.CCW, _R.ZFUNC: e.CmpFunc.LESSEQUAL, _R.ALPHAFUNC: e.CmpFunc.ALWAYS,
    _R.FOGEND: float_word(1.0), _R.FOGDENSITY: float_word(1.0),
    _R.STENCILFAIL: e.StencilOp.KEEP, _R.STENCILZFAIL: e.StencilOp.KEEP,
    _R.STENCILPASS: e.StencilOp.KEEP, _R.STENCILFUNC: e.CmpFunc.ALWAYS, _R.STENCILMASK: _ALL_BITS,
    _R.STENCILWRITEMASK: _ALL_BITS, _R.TEXTUREFACTOR: _ALL_BITS, _R.CLIPPING: 1, _R.LIGHTING: 1,
    _R.COLORVERTEX: 1, _R.LOCALVIEWER: 1, _R.DIFFUSEMATERIALSOURCE: e.MaterialColorSource.COLOR1,
    _R.SPECULARMATERIALSOURCE: e.MaterialColorSource.COLOR2, _R.POINTSIZE: float_word(1.0),
    _R.POINTSIZE_MIN: float_word(1.0), _R.POINTSIZE_MAX: float_word(_POINT_SIZE),
    _R.POINTSCALE_A: float_word(1.0), _R.MULTISAMPLEANTIALIAS: 1, _R.MULTISAMPLEMASK: _ALL_BITS,
    _R.COLORWRITEENABLE: 15, _R.BLENDOP: e.BlendOp.ADD, _R.POSITIONDEGREE: e.DegreeType.CUBIC,
    _R.NORMALDEGREE: e.DegreeType.LINEAR, _R.MINTESSELLATIONLEVEL: float_word(1.0),
    _R.MAXTESSELLATIONLEVEL: float_word(1.0), _R.ADAPTIVETESS_Z: float_word(1.0),
    _R.CCW_STENCILFAIL: e.StencilOp.KEEP, _R.CCW_STENCILZFAIL: e.StencilOp.KEEP,
    _R.CCW_STENCILPASS: e.StencilOp.KEEP, _R.CCW_STENCILFUNC: e.CmpFunc.ALWAYS,
    _R.COLORWRITEENABLE1: 15, _R.COLORWRITEENABLE2: 15, _R.COLORWRITEENABLE3: 15,
    _R.BLENDFACTOR: _ALL_BITS, _R.SRCBLENDALPHA: e.Blend.ONE, _R.DESTBLENDALPHA: e.Blend.ZERO,
    _R.BLENDOPALPHA: e.BlendOp.ADD,
}  # fmt: skip
RENDER_STATE_DEFAULTS = MappingProxyType({state: int(_RENDER.get(state, 0)) for state in _R})
"""Of a device without a depth buffer of its own; with one, ZENABLE is 1."""

_SAMPLER = {
    _S.ADDRESSU: e.TextureAddress.WRAP, _S.ADDRESSV: e.TextureAddress.WRAP,
    _S.ADDRESSW: e.TextureAddress.WRAP, _S.MAGFILTER: e.TextureFilterType.POINT,
    _S.MINFILTER: e.TextureFilterType.POINT, _S.MAXANISOTROPY: 1,
}  # fmt: skip
SAMPLER_STATE_DEFAULTS = MappingProxyType({state: int(_SAMPLER.get(state, 0)) for state in _S})


def texture_stage_defaults(stage: int, *, constant: int = 0) -> dict[TextureStageState, int]:
    """Return the states of a stage (0 to 7); constant: of D3DTSS_CONSTANT, which sources differ on.

    >>> texture_stage_defaults(0)[TextureStageState.COLOROP]
    <TextureOp.MODULATE: 4>
    """
    on = stage == 0
    given = {
        _T.COLOROP: e.TextureOp.MODULATE if on else e.TextureOp.DISABLE,
        _T.ALPHAOP: e.TextureOp.SELECTARG1 if on else e.TextureOp.DISABLE,
        _T.COLORARG1: e.TextureArgument.TEXTURE, _T.ALPHAARG1: e.TextureArgument.TEXTURE,
        _T.COLORARG2: e.TextureArgument.CURRENT, _T.ALPHAARG2: e.TextureArgument.CURRENT,
        _T.COLORARG0: e.TextureArgument.CURRENT, _T.ALPHAARG0: e.TextureArgument.CURRENT,
        _T.RESULTARG: e.TextureArgument.CURRENT, _T.TEXCOORDINDEX: stage, _T.CONSTANT: constant,
    }  # fmt: skip
    return {state: given.get(state, 0) for state in _T}
