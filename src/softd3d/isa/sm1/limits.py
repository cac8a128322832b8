"""How much a program of each version of SM1-3 may use: instruction slots, read ports, nesting.

Numbers: Direct3D 9 shader reference, the pages "Instructions" and "Registers" of each version and
"Flow Control Limitations", as Microsoft's shader validator applies them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from softd3d.isa.sm1.enums import Opcode, ProgramType
from softd3d.isa.sm1.tokens import SOFTWARE

__all__ = ["Limits", "limits", "slots"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a program may use; None: any number.

    arithmetic, texture, slots: instruction slots of each kind and together; in ps_1_4 of each
    phase. constants, inputs, textures, temps: different registers that an instruction reads.
    constant_reads: how often it reads constants, the same ones included. loops, calls, branches:
    blocks in blocks. static_flow: conditional blocks and calls. labels: one more than the largest.
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


_NONE = Limits()
_PS_1 = Limits(arithmetic=8, texture=4, constants=2, textures=3, temps=2)
_PS: Mapping[tuple[int, int], Limits] = {
    (1, 0): Limits(arithmetic=8, texture=4, constants=2, textures=2, temps=2),
    (1, 1): Limits(arithmetic=8, texture=4, constants=2, textures=2, temps=2),
    (1, 2): _PS_1,
    (1, 3): _PS_1,
    (1, 4): Limits(arithmetic=8, texture=6, constants=2, textures=1, temps=3),
    (2, 0): Limits(arithmetic=64, texture=32, constants=1, inputs=1, constant_reads=2),
    (2, 1): Limits(arithmetic=512, texture=512, slots=512, constants=1, inputs=1, constant_reads=2),
    (2, SOFTWARE): _NONE,
    (3, 0): Limits(constants=1, inputs=1),
    (3, SOFTWARE): _NONE,
}
_VS_1 = Limits(slots=128, constants=1, inputs=1)
_VS: Mapping[tuple[int, int], Limits] = {
    (1, 0): _VS_1,
    (1, 1): _VS_1,
    (2, 0): Limits(
        slots=256, constants=1, inputs=1, constant_reads=2, loops=1, calls=1, static_flow=16,
        labels=16,
    ),
    (2, 1): Limits(slots=256, constants=1, inputs=1, constant_reads=2, static_flow=16, labels=16),
    (2, SOFTWARE): Limits(labels=16),
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
