"""The opcodes of shader models 1 to 3."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Opcode"]


class Opcode(IntEnum):
    """D3DSHADER_INSTRUCTION_OPCODE_TYPE (D3DSIO_*): bits [15:0] of an instruction token.

    COMMENT and END have no rows: they are not executed.
    """

    NOP = 0
    MOV = 1
    ADD = 2
    SUB = 3
    MAD = 4
    MUL = 5
    RCP = 6
    RSQ = 7
    DP3 = 8
    DP4 = 9
    MIN = 10
    MAX = 11
    SLT = 12
    SGE = 13
    EXP = 14
    LOG = 15
    LIT = 16
    DST = 17
    LRP = 18
    FRC = 19
    M4X4 = 20
    M4X3 = 21
    M3X4 = 22
    M3X3 = 23
    M3X2 = 24
    CALL = 25
    CALLNZ = 26
    LOOP = 27
    RET = 28
    ENDLOOP = 29
    LABEL = 30
    DCL = 31
    POW = 32
    CRS = 33
    SGN = 34
    ABS = 35
    NRM = 36
    SINCOS = 37
    REP = 38
    ENDREP = 39
    IF = 40
    IFC = 41
    ELSE = 42
    ENDIF = 43
    BREAK = 44
    BREAKC = 45
    MOVA = 46
    DEFB = 47
    DEFI = 48
    TEXCOORD = 64
    TEXKILL = 65
    TEX = 66
    TEXBEM = 67
    TEXBEML = 68
    TEXREG2AR = 69
    TEXREG2GB = 70
    TEXM3X2PAD = 71
    TEXM3X2TEX = 72
    TEXM3X3PAD = 73
    TEXM3X3TEX = 74
    TEXM3X3SPEC = 76
    TEXM3X3VSPEC = 77
    EXPP = 78
    LOGP = 79
    CND = 80
    DEF = 81
    TEXREG2RGB = 82
    TEXDP3TEX = 83
    TEXM3X2DEPTH = 84
    TEXDP3 = 85
    TEXM3X3 = 86
    TEXDEPTH = 87
    CMP = 88
    BEM = 89
    DP2ADD = 90
    DSX = 91
    DSY = 92
    TEXLDD = 93
    SETP = 94
    TEXLDL = 95
    BREAKP = 96
    PHASE = 0xFFFD
    COMMENT = 0xFFFE
    END = 0xFFFF
