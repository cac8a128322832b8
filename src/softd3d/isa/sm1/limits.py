"""How much a program of each version of SM1-3 may use: instruction slots, read ports, nesting.

Numbers: Direct3D 9 shader reference, the pages "Instructions" and "Registers" of each version and
"Flow Control Limitations", as Microsoft's shader validator applies them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from softd3d.classes import dataclass
from softd3d.isa.sm1.enums import Opcode, ProgramType
from softd3d.isa.sm1.tokens import REGISTER_NUMBER, SOFTWARE

__all__ = [
    "FIRST_VERTEX_SAMPLER",
    "LOOP_COUNTS",
    "LOOP_STARTS",
    "LOOP_STEPS",
    "MAX_ACTIVE_LIGHTS",
    "MAX_CLIP_PLANES",
    "MAX_DEPENDENT_ORDER",
    "MAX_DEPENDENT_READS",
    "MAX_DOUBLED_Z",
    "MAX_PAIR_PORTS",
    "MAX_RENDER_TARGETS",
    "MAX_SAMPLES",
    "MAX_STREAMS",
    "TEXTURE_STAGES",
    "WORLD_MATRICES",
    "Limits",
    "limits",
    "slots",
]

# Of Direct3D 9, whatever the version

MAX_RENDER_TARGETS = 4  # D3DCAPS9.NumSimultaneousRTs; level 9 of later versions has as many
TEXTURE_STAGES = 8  # D3DCAPS9.MaxTextureBlendStages; what has a bump environment matrix
MAX_SAMPLES = 16  # D3DMULTISAMPLE_16_SAMPLES
MAX_STREAMS = 16  # D3DCAPS9.MaxStreams
MAX_CLIP_PLANES = 6  # D3DCAPS9.MaxUserClipPlanes
MAX_ACTIVE_LIGHTS = 8  # D3DCAPS9.MaxActiveLights
WORLD_MATRICES = 256  # D3DTS_WORLDMATRIX takes 0 to 255
FIRST_VERTEX_SAMPLER = 257  # D3DVERTEXTEXTURESAMPLER0

# Numbers of i# in loop and rep, but of software versions: "loop - vs" and "rep - vs"

LOOP_COUNTS = range(256)
LOOP_STARTS = range(256)
LOOP_STEPS = range(-128, 128)

# Of single versions of pixel shaders, as Microsoft's shader validator counts

MAX_DEPENDENT_READS = 2  # ps_1_0 to ps_1_3: texture reads of which the last depends on the first
MAX_DEPENDENT_ORDER = 3  # ps_2_0: how often a texture read may depend on one before it
MAX_DOUBLED_Z = 2  # ps_1_4: the modifier _dz
MAX_PAIR_PORTS = 3  # different registers of one file that two co-issued instructions read

_ALL_NUMBERS = REGISTER_NUMBER.mask + 1
_ALL_CONSTANTS = 4 * _ALL_NUMBERS  # CONST to CONST4


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a program may use; None: any number.

    arithmetic, texture, slots: instruction slots of each kind and together; in ps_1_4 of each
    phase. constants, inputs, textures, temps: different registers that an instruction reads.
    constant_reads: how often it reads constants, the same ones included. loops, calls, branches:
    blocks in blocks. static_flow: conditional blocks and calls. labels: one more than the largest.
    float_constants: c# that there are; vertex shaders: of all hardware that had shader model 2,
    also in vs_1_1, which promises 96 only. switches: i#, and b#.
    """

    arithmetic: int | None = None
    texture: int | None = None
    slots: int | None = None
    constants: int | None = None
    inputs: int | None = None
    textures: int | None = None
    temps: int | None = None
    constant_reads: int | None = None
    loops: int = 4
    calls: int = 4
    branches: int = 24
    static_flow: int | None = None
    labels: int | None = None
    float_constants: int = 256
    switches: int = 16


_NONE = Limits(float_constants=_ALL_CONSTANTS, switches=_ALL_NUMBERS)
_PS_1 = Limits(arithmetic=8, texture=4, constants=2, textures=3, temps=2, float_constants=8)
_PS_1_0 = replace(_PS_1, textures=2)
_PS: Mapping[tuple[int, int], Limits] = {
    (1, 0): _PS_1_0,
    (1, 1): _PS_1_0,
    (1, 2): _PS_1,
    (1, 3): _PS_1,
    (1, 4): Limits(arithmetic=8, texture=6, constants=2, textures=1, temps=3, float_constants=8),
    (2, 0): Limits(
        arithmetic=64, texture=32, constants=1, inputs=1, constant_reads=2, float_constants=32
    ),
    (2, 1): Limits(
        arithmetic=512, texture=512, slots=512, constants=1, inputs=1, constant_reads=2,
        float_constants=32,
    ),
    (2, SOFTWARE): _NONE,
    (3, 0): Limits(constants=1, inputs=1, float_constants=224),
    (3, SOFTWARE): _NONE,
}  # fmt: skip
_VS_1 = Limits(slots=128, constants=1, inputs=1)
_VS: Mapping[tuple[int, int], Limits] = {
    (1, 0): _VS_1,
    (1, 1): _VS_1,
    (2, 0): Limits(
        slots=256, constants=1, inputs=1, constant_reads=2, loops=1, calls=1, static_flow=16,
        labels=16,
    ),
    (2, 1): Limits(slots=256, constants=1, inputs=1, constant_reads=2, static_flow=16, labels=16),
    (2, SOFTWARE): Limits(labels=16, float_constants=_ALL_CONSTANTS, switches=_ALL_NUMBERS),
    (3, 0): Limits(constants=1, inputs=1),
    (3, SOFTWARE): _NONE,
}  # fmt: skip
_LIMITS = {ProgramType.VS: _VS, ProgramType.PS: _PS}


def limits(stage: ProgramType, version: tuple[int, int]) -> Limits:
    """Return what a version allows.

    >>> limits(ProgramType.PS, (2, 0)).arithmetic
    64
    """
    return _LIMITS[stage][version]


_FREE = frozenset({Opcode.PHASE, Opcode.LABEL, Opcode.DCL, Opcode.DEF, Opcode.DEFI, Opcode.DEFB})
_TEXTURE = frozenset(
    {
        Opcode.TEX, Opcode.TEXLDD, Opcode.TEXLDL, Opcode.TEXCOORD, Opcode.TEXKILL,
        Opcode.TEXDEPTH, Opcode.TEXBEM, Opcode.TEXBEML, Opcode.TEXREG2AR, Opcode.TEXREG2GB,
        Opcode.TEXREG2RGB, Opcode.TEXM3X2PAD, Opcode.TEXM3X2TEX, Opcode.TEXM3X2DEPTH,
        Opcode.TEXM3X3PAD, Opcode.TEXM3X3, Opcode.TEXM3X3TEX, Opcode.TEXM3X3SPEC,
        Opcode.TEXM3X3VSPEC, Opcode.TEXDP3, Opcode.TEXDP3TEX,
    }
)  # fmt: skip
_ARITHMETIC: Mapping[Opcode, int] = {
    Opcode.LRP: 2, Opcode.LIT: 3, Opcode.POW: 3, Opcode.CRS: 2, Opcode.SGN: 3, Opcode.NRM: 3,
    Opcode.SINCOS: 8, Opcode.DP2ADD: 2, Opcode.DSX: 2, Opcode.DSY: 2, Opcode.TEXLDD: 2,
    Opcode.M4X4: 4, Opcode.M4X3: 3, Opcode.M3X4: 4, Opcode.M3X3: 3, Opcode.M3X2: 2,
    Opcode.CALL: 2, Opcode.CALLNZ: 3, Opcode.LOOP: 3, Opcode.ENDLOOP: 2, Opcode.REP: 3,
    Opcode.ENDREP: 2, Opcode.IF: 3, Opcode.IFC: 3, Opcode.BREAKC: 3, Opcode.BREAKP: 3,
}  # fmt: skip
# Where a version counts otherwise
_VS_1_1: Mapping[Opcode, int] = {
    Opcode.NOP: 0, Opcode.LIT: 1, Opcode.EXP: 10, Opcode.LOG: 10, Opcode.FRC: 3
}  # fmt: skip
_PS_1_1: Mapping[Opcode, int] = {Opcode.NOP: 0, Opcode.LRP: 1, Opcode.DP4: 2, Opcode.CMP: 2}
_PS_1_4: Mapping[Opcode, int] = {Opcode.NOP: 0, Opcode.LRP: 1, Opcode.BEM: 2}


@lru_cache(maxsize=2048)
def slots(opcode: Opcode, stage: ProgramType, version: tuple[int, int]) -> tuple[int, int]:
    """Return the texture and arithmetic slots of an instruction without a predicate.

    >>> slots(Opcode.NRM, ProgramType.PS, (2, 0))
    (0, 3)
    """
    if opcode in _FREE:
        return 0, 0
    texture = int(opcode in _TEXTURE)
    usual = _ARITHMETIC.get(opcode, 0 if texture else 1)
    if version >= (2, 0):
        return texture, usual
    if stage is ProgramType.VS:
        return texture, _VS_1_1.get(opcode, usual)
    special = _PS_1_4 if version == (1, 4) else _PS_1_1
    return texture, special.get(opcode, usual)
