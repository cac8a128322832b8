"""What the fixed function of Direct3D 9 looks at: states as the device has them, lights, material.

Spec: win32 D3DMATERIAL9, D3DLIGHT9, D3DVERTEXELEMENT9, D3DTRANSFORMSTATETYPE.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.isa.d3d9.defaults import RENDER_STATE_DEFAULTS, texture_stage_defaults
from softd3d.isa.d3d9.enums import LightType
from softd3d.isa.d3d9.states import RenderState, TextureStageState
from softd3d.isa.sm1.enums import TextureType
from softd3d.isa.sm1.limits import TEXTURE_STAGES
from softd3d.isa.sm1.profile import DEFAULT

__all__ = ["Color", "Element", "FixedFunctionState", "Light", "Material", "Vector", "float_of"]

Color: TypeAlias = tuple[float, float, float, float]
Vector: TypeAlias = tuple[float, float, float]
_BLACK: Color = (0.0, 0.0, 0.0, 0.0)
_ORIGIN: Vector = (0.0, 0.0, 0.0)
_IDENTITY = np.eye(4, dtype=np.float32)
_ALL_BITS = 0xFFFFFFFF
_DEFAULTS = tuple(texture_stage_defaults(stage) for stage in range(TEXTURE_STAGES))
# The page of D3DTA has white as the first D3DTSS_CONSTANT, runtimes have 0
_DEFAULTS_OF_PAGES = tuple(
    texture_stage_defaults(stage, constant=_ALL_BITS) for stage in range(TEXTURE_STAGES)
)


class Element(NamedTuple):
    """What counts of a D3DVERTEXELEMENT9: numbers of D3DDECLUSAGE and D3DDECLTYPE."""

    usage: int
    usage_index: int
    type: int


@dataclass(frozen=True, slots=True)
class Material:
    """D3DMATERIAL9; all is 0 until it is set."""

    diffuse: Color = _BLACK
    ambient: Color = _BLACK
    specular: Color = _BLACK
    emissive: Color = _BLACK
    power: float = 0.0


@dataclass(frozen=True, slots=True)
class Light:
    """D3DLIGHT9. The defaults are those of a light that is enabled before it is set."""

    type: int = LightType.DIRECTIONAL
    diffuse: Color = (1.0, 1.0, 1.0, 0.0)
    specular: Color = _BLACK
    ambient: Color = _BLACK
    position: Vector = _ORIGIN
    direction: Vector = (0.0, 0.0, 1.0)
    range: float = 0.0
    falloff: float = 0.0
    attenuation0: float = 0.0
    attenuation1: float = 0.0
    attenuation2: float = 0.0
    theta: float = 0.0
    phi: float = 0.0


def _no_stages() -> tuple[dict[int, int], ...]:
    return tuple({} for _ in range(TEXTURE_STAGES))


@dataclass(slots=True)
class FixedFunctionState:
    """States that make vertex processing and texture stages; a new one is that of a new device.

    render_states, texture_stage_states (by stage): DWORDs by number; what is absent has its
    default. transforms: float32 (4, 4), for row vectors, by D3DTRANSFORMSTATETYPE; others are
    the identity. enabled_lights: their numbers; one that is not in `lights` is as new. elements:
    the vertex declaration. textures: what kind of texture is bound, by stage. viewport: x, y,
    width, height.
    """

    render_states: dict[int, int] = field(default_factory=dict[int, int])
    texture_stage_states: tuple[dict[int, int], ...] = field(default_factory=_no_stages)
    transforms: dict[int, NDArray[np.float32]] = field(
        default_factory=dict[int, NDArray[np.float32]]
    )
    material: Material = Material()
    lights: dict[int, Light] = field(default_factory=dict[int, Light])
    enabled_lights: set[int] = field(default_factory=set[int])
    clip_planes: dict[int, Color] = field(default_factory=dict[int, Color])
    elements: tuple[Element, ...] = ()
    textures: dict[int, TextureType] = field(default_factory=dict[int, TextureType])
    viewport: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    profile: str = DEFAULT.name

    def render(self, state: RenderState) -> int:
        """Return the DWORD of a render state."""
        found = self.render_states.get(state)
        return RENDER_STATE_DEFAULTS[state] if found is None else found

    def number(self, state: RenderState) -> float:
        """Return a render state whose DWORD has the bits of a float."""
        return float_of(self.render(state))

    def stage(self, stage: int, state: TextureStageState) -> int:
        """Return the DWORD of a texture stage's state."""
        found = self.texture_stage_states[stage].get(state)
        if found is not None:
            return found
        return (_DEFAULTS_OF_PAGES if self.profile == "documented" else _DEFAULTS)[stage][state]

    def transform(self, number: int) -> NDArray[np.float32]:
        """Return a matrix by its D3DTRANSFORMSTATETYPE: float32, (4, 4)."""
        return self.transforms.get(number, _IDENTITY)

    def lit_by(self, most: int) -> Iterator[Light]:
        """Yield the first enabled lights of a known type, at most so many, by their numbers."""
        for number in sorted(self.enabled_lights):
            light = self.lights.get(number, _NEW_LIGHT)
            if light.type in _LIGHT_TYPES and most > 0:
                most -= 1
                yield light

    def components(self) -> Mapping[tuple[int, int], int]:
        """Return which type each element has, by usage and index; the first of equal ones."""
        return {(e.usage, e.usage_index): e.type for e in reversed(self.elements)}


_NEW_LIGHT = Light()
_LIGHT_TYPES = frozenset(LightType)


def float_of(word: int) -> float:
    """Return the number whose bits a DWORD has.

    >>> float_of(0x3FC00000)
    1.5
    """
    return struct.unpack("<f", struct.pack("<I", word & _ALL_BITS))[0]
