"""State blocks: items of a device's state and the values that they get back.

Spec: win32 IDirect3DDevice9::CreateStateBlock, IDirect3DStateBlock9, "Saving Vertex States",
"Saving Pixel States".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any

from softd3d.arguments import named
from softd3d.device.d3d9.creation_calls import CreationCalls
from softd3d.device.d3d9.recording import Item, Key, Recorded
from softd3d.device.d3d9.state import SAMPLERS
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.states import (
    RenderState,
    SamplerStateType,
    TextureStageState,
    TransformState,
)
from softd3d.isa.sm1.limits import MAX_CLIP_PLANES, MAX_STREAMS, TEXTURE_STAGES

__all__ = ["StateBlock9", "StateBlockCalls", "StateBlockType"]

_R, _S, _T = RenderState, SamplerStateType, TextureStageState


class StateBlockType(IntEnum):
    """D3DSTATEBLOCKTYPE."""

    ALL = 1
    PIXELSTATE = 2
    VERTEXSTATE = 3


class StateBlock9:
    """IDirect3DStateBlock9: items of a device's state with values."""

    def __init__(self, device: Recorded, values: dict[Key, Any]) -> None:
        self._device = device
        self._values = values

    def capture(self) -> None:
        """Take the values that the device has now."""
        for key in self._values:
            self._values[key] = self._device.value_of(key)

    def apply(self) -> None:
        """Give the device these values."""
        for key, value in self._values.items():
            self._device.put(key, value)

    def __repr__(self) -> str:
        return f"<StateBlock9 of {len(self._values)} items>"


class StateBlockCalls(CreationCalls):
    """Make state blocks, of groups of states or of what calls set."""

    def create_state_block(self, type_: object = StateBlockType.ALL) -> StateBlock9:
        """Make a block of all states, or of those of pixels or vertices, with their values now.

        Raises:
            ResourceError: no such type.
        """
        found = named(StateBlockType, type_, "state block", "D3DSBT_")
        keys: Iterable[Key] = _KEYS[found]
        if found is not StateBlockType.PIXELSTATE:
            keys = (*keys, *self._lights())
        if found is StateBlockType.ALL:
            keys = (*keys, *((Item.TRANSFORM, n) for n in sorted(self._transforms())))
        return StateBlock9(self, {key: self.value_of(key) for key in keys})

    def begin_state_block(self) -> None:
        """Record calls that set states, until `end_state_block`; they have no other effect.

        Raises:
            ResourceError: calls are recorded already.
        """
        if self.recording is not None:
            raise ResourceError("begin_state_block: a state block is being recorded already")
        self.recording = {}

    def end_state_block(self) -> StateBlock9:
        """Return a block of what was recorded.

        Raises:
            ResourceError: nothing is being recorded.
        """
        if self.recording is None:
            raise ResourceError("end_state_block: found no begin_state_block before")
        values, self.recording = self.recording, None
        return StateBlock9(self, values)

    def _lights(self) -> Iterator[Key]:
        for number in sorted(self.state.fixed.lights):
            yield Item.LIGHT, number
            yield Item.LIGHT_ENABLE, number

    def _transforms(self) -> set[int]:
        return {*self.state.fixed.transforms, *(int(n) for n in TransformState)}


def _numbers(first: RenderState, last: RenderState) -> list[RenderState]:
    return [state for state in _R if first <= state <= last]


_VERTEX_RENDER = (
    _R.SHADEMODE, _R.SPECULARENABLE, _R.FOGENABLE, _R.FOGCOLOR, _R.FOGTABLEMODE, _R.FOGSTART,
    _R.FOGEND, _R.FOGDENSITY, _R.RANGEFOGENABLE, _R.CULLMODE, _R.AMBIENT, _R.COLORVERTEX,
    _R.FOGVERTEXMODE, _R.CLIPPING, _R.LIGHTING, _R.LOCALVIEWER, _R.EMISSIVEMATERIALSOURCE,
    _R.AMBIENTMATERIALSOURCE, _R.DIFFUSEMATERIALSOURCE, _R.SPECULARMATERIALSOURCE, _R.VERTEXBLEND,
    _R.CLIPPLANEENABLE, _R.POINTSIZE, _R.POINTSIZE_MIN, _R.POINTSPRITEENABLE,
    _R.POINTSCALEENABLE, _R.POINTSCALE_A, _R.POINTSCALE_B, _R.POINTSCALE_C,
    _R.MULTISAMPLEANTIALIAS, _R.MULTISAMPLEMASK, _R.PATCHEDGESTYLE, _R.POINTSIZE_MAX,
    _R.INDEXEDVERTEXBLENDENABLE, _R.TWEENFACTOR, _R.POSITIONDEGREE, _R.NORMALDEGREE,
    _R.MINTESSELLATIONLEVEL, _R.MAXTESSELLATIONLEVEL, _R.ADAPTIVETESS_X, _R.ADAPTIVETESS_Y,
    _R.ADAPTIVETESS_Z, _R.ADAPTIVETESS_W, _R.ENABLEADAPTIVETESSELLATION, _R.NORMALIZENORMALS,
)  # fmt: skip
_PIXEL_RENDER = (
    _R.ZENABLE, _R.SPECULARENABLE, _R.FILLMODE, _R.SHADEMODE, _R.ZWRITEENABLE, _R.ALPHATESTENABLE,
    _R.LASTPIXEL, _R.SRCBLEND, _R.DESTBLEND, _R.ZFUNC, _R.ALPHAREF, _R.ALPHAFUNC, _R.DITHERENABLE,
    _R.FOGSTART, _R.FOGEND, _R.FOGDENSITY, _R.ALPHABLENDENABLE, _R.DEPTHBIAS, _R.STENCILENABLE,
    _R.STENCILFAIL, _R.STENCILZFAIL, _R.STENCILPASS, _R.STENCILFUNC, _R.STENCILREF,
    _R.STENCILMASK, _R.STENCILWRITEMASK, _R.TEXTUREFACTOR, *_numbers(_R.WRAP0, _R.WRAP7),
    *_numbers(_R.WRAP8, _R.WRAP15), _R.COLORWRITEENABLE, _R.BLENDOP, _R.SCISSORTESTENABLE,
    _R.SLOPESCALEDEPTHBIAS, _R.ANTIALIASEDLINEENABLE, _R.TWOSIDEDSTENCILMODE, _R.CCW_STENCILFAIL,
    _R.CCW_STENCILZFAIL, _R.CCW_STENCILPASS, _R.CCW_STENCILFUNC, _R.COLORWRITEENABLE1,
    _R.COLORWRITEENABLE2, _R.COLORWRITEENABLE3, _R.BLENDFACTOR, _R.SRGBWRITEENABLE,
    _R.SEPARATEALPHABLENDENABLE, _R.SRCBLENDALPHA, _R.DESTBLENDALPHA, _R.BLENDOPALPHA,
)  # fmt: skip
_FLOATS = {"VERTEX": 4 * 256, "PIXEL": 4 * 224}  # those of hardware


def _constants(stage: str) -> Iterator[Key]:
    yield Item[f"{stage}_FLOATS"], 0, _FLOATS[stage]
    yield Item[f"{stage}_INTEGERS"], 0, 64
    yield Item[f"{stage}_BOOLEANS"], 0, 16


def _stages(states: Iterable[TextureStageState]) -> Iterator[Key]:
    wanted = list(states)
    for stage in range(TEXTURE_STAGES):
        for state in wanted:
            yield Item.STAGE, stage, int(state)


def _vertex_keys() -> Iterator[Key]:
    yield from ((Item.RENDER, int(state)) for state in _VERTEX_RENDER)
    yield from _stages((_T.TEXCOORDINDEX, _T.TEXTURETRANSFORMFLAGS))
    yield from ((Item.SAMPLER, sampler, int(_S.DMAPOFFSET)) for sampler in SAMPLERS)
    yield from ((Item.FREQUENCY, stream) for stream in range(MAX_STREAMS))
    yield (Item.DECLARATION,)
    yield (Item.VERTEX_SHADER,)
    yield from _constants("VERTEX")


def _pixel_keys() -> Iterator[Key]:
    yield from ((Item.RENDER, int(state)) for state in _PIXEL_RENDER)
    yield from _stages(_T)
    states = [int(state) for state in _S if state is not _S.DMAPOFFSET]
    yield from ((Item.SAMPLER, sampler, state) for sampler in SAMPLERS for state in states)
    yield (Item.PIXEL_SHADER,)
    yield from _constants("PIXEL")


def _all_keys() -> Iterator[Key]:
    yield from ((Item.RENDER, int(state)) for state in _R)
    yield from _vertex_keys()
    yield from _pixel_keys()
    yield from ((Item.TEXTURE, sampler) for sampler in SAMPLERS)
    yield from ((Item.STREAM, stream) for stream in range(MAX_STREAMS))
    yield from ((Item.CLIP_PLANE, plane) for plane in range(MAX_CLIP_PLANES))
    yield (Item.INDICES,)
    yield (Item.MATERIAL,)
    yield (Item.VIEWPORT,)
    yield (Item.SCISSOR,)
    yield (Item.N_PATCH_MODE,)


_KEYS = {
    StateBlockType.ALL: tuple(dict.fromkeys(_all_keys())),
    StateBlockType.PIXELSTATE: tuple(_pixel_keys()),
    StateBlockType.VERTEXSTATE: tuple(_vertex_keys()),
}
