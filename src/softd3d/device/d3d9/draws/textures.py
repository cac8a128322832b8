"""Textures and sampler states of the programs of a draw.

Spec: win32 IDirect3DDevice9::SetTexture, ::SetSamplerState.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache

from softd3d.device.d3d9.draws.vendor_codes import refuse_fetch4
from softd3d.device.d3d9.shaders import ProgramShader9
from softd3d.device.d3d9.state import DeviceState
from softd3d.isa.d3d9.states import SamplerStateType
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sm1.enums import ProgramType, TextureType
from softd3d.isa.sm1.limits import FIRST_VERTEX_SAMPLER, TEXTURE_STAGES
from softd3d.lower.bound import BoundProgram
from softd3d.lower.d3d9.textures import bind_textures
from softd3d.resources.d3d9.surfaces import Texture9
from softd3d.resources.d3d9.surfaces import TextureType as Interface
from softd3d.resources.views.origin import Held

__all__ = ["held_textures", "kinds_of", "texture_key", "textures_in", "with_textures"]

_KINDS = {
    Interface.TEXTURE: TextureType.TEXTURE_2D, Interface.CUBE: TextureType.CUBE,
    Interface.VOLUME: TextureType.VOLUME,
}  # fmt: skip
_STAGES = range(TEXTURE_STAGES)


def kinds_of(state: DeviceState) -> dict[int, TextureType]:
    """Return of what kind the textures of stages are; those that are unbound are left out."""
    found = {n: state.textures[n] for n in _STAGES}
    return {n: _KINDS[t.type] for n, t in found.items() if t is not None}


def texture_key(state: DeviceState, numbers: Sequence[int]) -> Hashable:
    """Return what samplers read, as a key with the identities of textures."""
    found: list[Hashable] = []
    for number in numbers:
        texture = state.textures.get(number)  # the device has not all that code may name
        if texture is not None:
            words = tuple(state.samplers[number])
            found.append((number, id(texture), texture.lod, words))
    return tuple(found)


def textures_in(state: DeviceState, numbers: Sequence[int]) -> Iterator[Texture9]:
    """Yield the textures that samplers read."""
    for number in numbers:
        texture = state.textures.get(number)
        if texture is not None:
            yield texture


def with_textures(bound: BoundProgram, shader: ProgramShader9, state: DeviceState) -> BoundProgram:
    """Return a program with what its samplers read.

    shader: whose program it is.

    Raises:
        ResourceError: shaders cannot read a texture's format, or a sampler's state is none, or
            asks for Fetch4.
    """
    first = FIRST_VERTEX_SAMPLER if shader.stage is ProgramType.VS else 0
    given: dict[int, tuple[Texture9, SamplerState9]] = {}
    for number in shader.samplers:
        texture = state.textures.get(number)
        if texture is not None:
            refuse_fetch4(number, state.samplers[number])
            given[number - first] = texture, _sampler(tuple(state.samplers[number]))
    if not given:
        return bound
    return bind_textures(shader.program, given).put_into(bound)


def held_textures(bound: BoundProgram) -> Iterator[Held]:
    """Yield the memory of a program's textures."""
    for descriptor in bound.descriptors:
        if descriptor.origin is not None:
            yield Held(descriptor.origin, "texture", is_written=False)


@lru_cache(maxsize=1024)
def _sampler(words: tuple[int, ...]) -> SamplerState9:
    return SamplerState9.from_words({state: words[state] for state in SamplerStateType})
