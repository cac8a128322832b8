"""Bit fields of SM1-3 tokens, and what follows an instruction token, for decoder and encoder alike.

Layouts: d3d9types.h; WDK "Direct3D Shader Codes".
"""

from __future__ import annotations

from functools import lru_cache

from softd3d.bits import Field, SignedField, SplitField
from softd3d.classes import dataclass
from softd3d.isa.row import Row
from softd3d.isa.sm1.enums import Opcode, ProgramType
from softd3d.isa.sm1.rows import TABLE

__all__ = ["InstructionFields", "Layout", "instruction_fields", "layout", "row_of"]

# Version token
VERSION_MINOR = Field(7, 0)
VERSION_MAJOR = Field(15, 8)
VERSION_TYPE = Field(31, 16)
SOFTWARE = 0xFF  # the minor version of 2_sw and 3_sw
VERSIONS = {
    ProgramType.VS: frozenset(
        {(1, 0), (1, 1), (2, 0), (2, 1), (2, SOFTWARE), (3, 0), (3, SOFTWARE)}
    ),
    ProgramType.PS: frozenset(
        {(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 0), (2, 1), (2, SOFTWARE)}
        | {(3, 0), (3, SOFTWARE)}
    ),
}

# Instruction token
OPCODE = Field(15, 0)
CONTROLS = Field(23, 16)
LENGTH = Field(27, 24)  # from 2.0 on
PREDICATED = Field(28, 28)  # from 2.0 on
COISSUE = Field(30, 30)  # before 2.0
COMPARISON = Field(18, 16)  # among the controls
END_TOKEN = 0x0000FFFF

# Comment token
COMMENT_LENGTH = Field(30, 16)
COMMENT_RESERVED = Field(31, 31)

# Destination and source parameter tokens
REGISTER_NUMBER = Field(10, 0)
RELATIVE = Field(13, 13)
REGISTER_TYPE = SplitField(Field(12, 11), Field(30, 28))
PARAMETER = Field(31, 31)  # 1 in every such token; a few shipped shaders leave it out in dcl
PARAMETER_RESERVED = 0x8000C000  # with PARAMETER; kept as a difference from PARAMETER_BITS
PARAMETER_BITS = 0x80000000
WRITE_MASK = Field(19, 16)
RESULT_MODIFIER = Field(23, 20)
SHIFT = SignedField(27, 24)
SWIZZLE = (Field(17, 16), Field(19, 18), Field(21, 20), Field(23, 22))
SOURCE_MODIFIER = Field(27, 24)

# Usage token of dcl
USAGE = Field(3, 0)
USAGE_INDEX = Field(19, 16)
TEXTURE_TYPE = Field(30, 27)
USAGE_RESERVED = 0x87F0FFF0  # kept as a difference from PARAMETER_BITS


@dataclass(frozen=True, slots=True)
class InstructionFields:
    """How a version uses the bits of instruction tokens.

    has_length: from 2.0 on: a length, a predicate bit, and address tokens. reserved: bits that
    have no meaning.
    """

    has_length: bool
    reserved: int


_SM1_FIELDS = InstructionFields(has_length=False, reserved=0xBF000000)
_SM2_FIELDS = InstructionFields(has_length=True, reserved=0xE0000000)


def instruction_fields(version: tuple[int, int]) -> InstructionFields:
    """Return the fields of instruction tokens in a version."""
    return _SM1_FIELDS if version < (2, 0) else _SM2_FIELDS


@dataclass(frozen=True, slots=True)
class Layout:
    """What follows an instruction token, in this order but for the predicate.

    has_usage: a usage token; has_destination: a destination parameter; sources: how many source
    parameters; immediates: how many dwords of constants.
    """

    mnemonic: str
    has_usage: bool
    has_destination: bool
    sources: int
    immediates: int


@lru_cache(maxsize=2048)
def row_of(opcode: Opcode, type_: ProgramType, version: tuple[int, int]) -> Row | None:
    """Return the row of an opcode; where the version lacks it, one of another version.

    That a version has an opcode is for a validator to check: real tools list such programs.
    """
    found = TABLE.select(opcode, type_.name.lower(), version)
    if found is not None:
        return found
    rows = TABLE.variants.get(opcode, [])
    older = [row for row in rows if row.since <= version]
    return max(older, key=lambda row: row.since, default=rows[0] if rows else None)


@lru_cache(maxsize=2048)
def layout(opcode: Opcode, type_: ProgramType, version: tuple[int, int]) -> Layout | None:
    """Return what follows the token of `opcode`; None for what has no row."""
    row = row_of(opcode, type_, version)
    if row is None:
        return None
    immediates = sum(spec.letter == "#" for spec in row.sources)
    return Layout(
        row.mnemonic,
        opcode is Opcode.DCL,
        bool(row.destinations),
        len(row.sources) - immediates,
        immediates,
    )
