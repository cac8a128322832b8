"""Everything that calls set on a device, and which parts of a draw a change touches."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.buffers import IndexBuffer9, VertexBuffer9
from softd3d.device.d3d9.declarations import VertexDeclaration9
from softd3d.device.d3d9.shaders import PixelShader9, VertexShader9
from softd3d.isa.d3d9.defaults import (
    RENDER_STATE_DEFAULTS,
    SAMPLER_STATE_DEFAULTS,
    texture_stage_defaults,
)
from softd3d.isa.d3d9.states import RenderState
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.limits import MAX_RENDER_TARGETS, MAX_STREAMS, SOFTWARE, limits
from softd3d.isa.sm1.profile import DOCUMENTED
from softd3d.pipeline.fixed9.state import FixedFunctionState
from softd3d.pipeline.state import Rect
from softd3d.resources.d3d9.surfaces import Surface9, Texture9

__all__ = [
    "OUTPUT_STATES", "SAMPLERS", "ConstantFiles", "DeviceState", "Part", "StreamSource",
    "Viewport9", "new_state", "parts_of_render_state",
]  # fmt: skip

SAMPLERS = (*range(16), *range(256, 261))
"""The samplers of pixel shaders, of displacement maps, and of vertex shaders."""
_SAMPLER_STATES, _STAGE_STATES = 14, 33
"""How many numbers of states a sampler and a texture stage have, used or not."""
_NUMBERS = 256
_R = RenderState


class Part(IntEnum):
    """Bits of what must be made again before the next draw.

    OUTPUT: rasteriser, depth, stencil, blending. PROGRAMS: which programs run. WORDS: numbers that
    they read besides constants. FIXED: constants of the fixed function. VERTEX, PIXEL: constants of
    shaders. TEXTURES: what is bound, and sampler states. BUFFERS: streams and indices. TARGETS:
    targets, viewport and scissor rectangle.
    """

    OUTPUT = 1
    PROGRAMS = 2
    WORDS = 4
    FIXED = 8
    VERTEX = 16
    PIXEL = 32
    TEXTURES = 64
    BUFFERS = 128
    TARGETS = 256
    ALL = 511


OUTPUT_STATES = (
    _R.FILLMODE, _R.ZENABLE, _R.ZWRITEENABLE, _R.SRCBLEND, _R.DESTBLEND, _R.CULLMODE, _R.ZFUNC,
    _R.ALPHABLENDENABLE, _R.STENCILENABLE, _R.STENCILFAIL, _R.STENCILZFAIL, _R.STENCILPASS,
    _R.STENCILFUNC, _R.STENCILREF, _R.STENCILMASK, _R.STENCILWRITEMASK, _R.MULTISAMPLEANTIALIAS,
    _R.MULTISAMPLEMASK, _R.COLORWRITEENABLE, _R.BLENDOP, _R.SCISSORTESTENABLE,
    _R.SLOPESCALEDEPTHBIAS, _R.TWOSIDEDSTENCILMODE, _R.CCW_STENCILFAIL, _R.CCW_STENCILZFAIL,
    _R.CCW_STENCILPASS, _R.CCW_STENCILFUNC, _R.COLORWRITEENABLE1, _R.COLORWRITEENABLE2,
    _R.COLORWRITEENABLE3, _R.BLENDFACTOR, _R.DEPTHBIAS, _R.SEPARATEALPHABLENDENABLE,
    _R.SRCBLENDALPHA, _R.DESTBLENDALPHA, _R.BLENDOPALPHA,
)  # fmt: skip
"""The render states that `output_states` looks at."""
_WORDS = (
    _R.ALPHAREF, _R.FOGCOLOR, _R.FOGSTART, _R.FOGEND, _R.FOGDENSITY, _R.POINTSIZE,
    _R.POINTSIZE_MIN, _R.POINTSIZE_MAX, _R.POINTSCALE_A, _R.POINTSCALE_B, _R.POINTSCALE_C,
    _R.TEXTUREFACTOR, _R.AMBIENT, _R.TWEENFACTOR,
)  # fmt: skip
_OF_CODES = _R.ADAPTIVETESS_X, _R.ADAPTIVETESS_Y  # for vendors' codes alone
_IGNORED = (
    _R.LASTPIXEL, _R.DITHERENABLE, _R.CLIPPING, _R.PATCHEDGESTYLE, _R.DEBUGMONITORTOKEN,
    _R.POSITIONDEGREE, _R.NORMALDEGREE, _R.ANTIALIASEDLINEENABLE, _R.MINTESSELLATIONLEVEL,
    _R.MAXTESSELLATIONLEVEL, _R.ADAPTIVETESS_Z, _R.ADAPTIVETESS_W, _R.ENABLEADAPTIVETESSELLATION,
)  # fmt: skip


def _parts() -> list[int]:
    """Return the parts that each render state touches, by its number; 0 of what has no effect."""
    found = [0] * _NUMBERS
    for state in _R:
        found[state] = Part.PROGRAMS | Part.WORDS | Part.FIXED
    for states, parts in (
        (OUTPUT_STATES, Part.OUTPUT),
        (_OF_CODES, Part.OUTPUT),
        (_WORDS, Part.WORDS | Part.FIXED),
        (_IGNORED, 0),
    ):
        for state in states:
            found[state] = int(parts)
    found[_R.FILLMODE] |= Part.PROGRAMS
    found[_R.SRGBWRITEENABLE] |= Part.TARGETS
    found[_R.FOGSTART] |= Part.PROGRAMS  # where they are equal, the formula is another
    found[_R.FOGEND] |= Part.PROGRAMS
    return found


_PARTS = _parts()


def parts_of_render_state(number: int) -> int:
    """Return the bits of `Part` that a render state touches."""
    return _PARTS[number]


@dataclass(frozen=True, slots=True)
class Viewport9:
    """D3DVIEWPORT9: where clip space lies in the targets, in pixels, and in depth."""

    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0
    min_z: float = 0.0
    max_z: float = 1.0


@dataclass(frozen=True, slots=True)
class StreamSource:
    """What SetStreamSource binds. offset, stride: bytes."""

    buffer: VertexBuffer9 | None = None
    offset: int = 0
    stride: int = 0


class ConstantFiles:
    """The constants of a stage that the application sets: c#, i#, b#, as uint32 words.

    version: counts changes. Files are as large as any version's.
    """

    def __init__(self, stage: ProgramType) -> None:
        most = limits(stage, (3, SOFTWARE))
        self.floats = np.zeros(4 * most.float_constants, np.uint32)
        self.integers = np.zeros(4 * most.switches, np.uint32)
        self.booleans = np.zeros(most.switches, np.uint32)
        self.version = 0

    @property
    def files(self) -> tuple[NDArray[np.uint32], ...]:
        """The words of c#, i# and b#."""
        return self.floats, self.integers, self.booleans


def _fixed(profile: str) -> FixedFunctionState:
    """Return the states of a new device with all of them there."""
    found = FixedFunctionState(profile=profile)
    found.render_states = dict.fromkeys(range(_NUMBERS), 0)
    found.render_states.update((int(n), value) for n, value in RENDER_STATE_DEFAULTS.items())
    # The page of D3DTA has white, runtimes have 0.
    constant = 0xFFFFFFFF if profile == DOCUMENTED.name else 0
    for number, stage in enumerate(found.texture_stage_states):
        stage.update(dict.fromkeys(range(_STAGE_STATES), 0))
        states = texture_stage_defaults(number, constant=constant)
        stage.update((int(n), int(v)) for n, v in states.items())
    return found


def _samplers() -> dict[int, list[int]]:
    first = [0] * _SAMPLER_STATES
    for state, value in SAMPLER_STATE_DEFAULTS.items():
        first[state] = value
    return {number: first.copy() for number in SAMPLERS}


@dataclass(slots=True)
class DeviceState:
    """The state of a device. What the fixed function looks at, too, is in `fixed`.

    samplers: DWORDs by sampler and state.
    """

    fixed: FixedFunctionState
    samplers: dict[int, list[int]] = field(default_factory=_samplers)
    textures: dict[int, Texture9 | None] = field(
        default_factory=lambda: dict[int, Texture9 | None].fromkeys(SAMPLERS)
    )
    viewport: Viewport9 = field(default_factory=Viewport9)
    scissor: Rect = field(default_factory=Rect)
    targets: list[Surface9 | None] = field(
        default_factory=lambda: list[Surface9 | None]([None] * MAX_RENDER_TARGETS)
    )
    depth: Surface9 | None = None
    declaration: VertexDeclaration9 | None = None
    streams: list[StreamSource] = field(default_factory=lambda: [StreamSource()] * MAX_STREAMS)
    frequencies: list[int] = field(default_factory=lambda: [1] * MAX_STREAMS)
    indices: IndexBuffer9 | None = None
    vertex_shader: VertexShader9 | None = None
    pixel_shader: PixelShader9 | None = None
    n_patch_mode: float = 0.0
    vertex_constants: ConstantFiles = field(default_factory=lambda: ConstantFiles(ProgramType.VS))
    pixel_constants: ConstantFiles = field(default_factory=lambda: ConstantFiles(ProgramType.PS))

    @property
    def render(self) -> dict[int, int]:
        """DWORDs of render states, by number; all are there."""
        return self.fixed.render_states


def new_state(profile: str) -> DeviceState:
    """Return the state of a new device; profile: decides what is in dispute of it."""
    return DeviceState(_fixed(profile))
