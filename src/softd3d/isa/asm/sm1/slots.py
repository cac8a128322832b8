"""How many instruction slots D3DDisassemble counts for each instruction of SM1-3.

It counts by its own table, which differs from the slots that the reference pages give.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import Opcode, ProgramType
from softd3d.isa.sm1.program import Instruction, Program

__all__ = ["is_marked_coissued", "slots", "slots_footer", "slots_so_far"]

_ARITHMETIC: Mapping[Opcode, int] = {
    Opcode.NOP: 0,
    Opcode.PHASE: 0,
    Opcode.LABEL: 0,
    Opcode.DCL: 0,
    Opcode.DEF: 0,
    Opcode.DEFI: 0,
    Opcode.DEFB: 0,
    Opcode.M4X4: 4,
    Opcode.M4X3: 3,
    Opcode.M3X4: 4,
    Opcode.M3X3: 3,
    Opcode.M3X2: 2,
    Opcode.POW: 3,
    Opcode.CRS: 2,
    Opcode.SGN: 3,
    Opcode.NRM: 3,
    Opcode.SINCOS: 8,
    Opcode.BEM: 2,
    Opcode.DP2ADD: 2,
    Opcode.DSX: 2,
    Opcode.DSY: 2,
    Opcode.CALL: 2,
    Opcode.CALLNZ: 3,
    Opcode.LOOP: 3,
    Opcode.ENDLOOP: 2,
    Opcode.REP: 3,
    Opcode.ENDREP: 2,
    Opcode.IF: 3,
    Opcode.IFC: 3,
    Opcode.BREAKC: 3,
    Opcode.BREAKP: 3,
    Opcode.TEXLDD: 2,
}
_VS_1_1: Mapping[Opcode, int] = {Opcode.EXP: 10, Opcode.LOG: 10, Opcode.FRC: 3}
_TEXTURE: Mapping[Opcode, int] = {
    Opcode.TEX: 1,
    Opcode.TEXLDD: 1,
    Opcode.TEXLDL: 2,
    Opcode.TEXCOORD: 1,
    Opcode.TEXBEM: 1,
    Opcode.TEXBEML: 1,
    Opcode.TEXREG2AR: 1,
    Opcode.TEXREG2GB: 1,
    Opcode.TEXREG2RGB: 1,
    Opcode.TEXM3X2PAD: 1,
    Opcode.TEXM3X2TEX: 1,
    Opcode.TEXM3X2DEPTH: 1,
    Opcode.TEXM3X3PAD: 1,
    Opcode.TEXM3X3: 1,
    Opcode.TEXM3X3TEX: 1,
    Opcode.TEXM3X3SPEC: 1,
    Opcode.TEXM3X3VSPEC: 1,
    Opcode.TEXDP3: 1,
    Opcode.TEXDP3TEX: 1,
}


def slots(i: Instruction, program: Program) -> tuple[int, int]:
    """Return the texture and arithmetic slots of an instruction; a predicate takes one more."""
    texture, arithmetic = _table(program.type, program.version)[i.opcode]
    return texture, arithmetic + (i.predicate is not None)


@cache
def _table(stage: ProgramType, version: tuple[int, int]) -> dict[Opcode, tuple[int, int]]:
    """Return the texture and arithmetic slots of all opcodes."""
    return {opcode: _slots(opcode, stage, version) for opcode in Opcode}


def _slots(opcode: Opcode, stage: ProgramType, version: tuple[int, int]) -> tuple[int, int]:
    texture = _TEXTURE.get(opcode, 0)
    arithmetic = _ARITHMETIC.get(opcode, 0 if texture else 1)
    if version < (2, 0) and stage is ProgramType.PS:
        arithmetic = min(arithmetic, 1)
    elif version == (1, 1):
        arithmetic = _VS_1_1.get(opcode, arithmetic)
    return texture, arithmetic


def is_marked_coissued(i: Instruction) -> bool:
    """Tell whether D3DDisassemble shows an instruction as co-issued.

    It does where the bit is set, also from 2.0 on, where that has no meaning.
    """
    return i.is_coissued or (i.reserved != 0 and t.COISSUE.get(i.reserved) != 0)


def slots_footer(program: Program) -> str:
    """Return the comment with the sums of slots that ends a listing."""
    texture = arithmetic = 0
    for texture, arithmetic in slots_so_far(program):  # noqa: B007 - the last one counts
        pass
    total = texture + arithmetic
    parts = f" ({texture} texture, {arithmetic} arithmetic)" if texture else ""
    return f"// approximately {total} instruction slot{'' if total == 1 else 's'} used{parts}"


def slots_so_far(program: Program) -> Iterator[tuple[int, int]]:
    """Yield the texture and arithmetic slots that each instruction and those before it take.

    A co-issued instruction takes the place of an arithmetic one, whichever came before.
    """
    texture = arithmetic = 0
    table = _table(program.type, program.version)
    for item in program.instructions:
        if isinstance(item, Instruction):
            more_texture, more_arithmetic = table[item.opcode]
            texture += more_texture
            more_arithmetic += item.predicate is not None
            arithmetic += more_arithmetic - (arithmetic > 0 and is_marked_coissued(item))
            yield texture, arithmetic
