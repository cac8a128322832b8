"""Decoded SM1-3 programs: frozen records, which the encoder turns back into the same bytes."""

from __future__ import annotations

from dataclasses import dataclass

from softd3d.errors import Location
from softd3d.isa.record import record
from softd3d.isa.sm1.enums import (
    Comparison,
    Opcode,
    ProgramType,
    RegisterType,
    ResultModifier,
    SourceModifier,
    TextureType,
    Usage,
)

__all__ = [
    "FULL_MASK",
    "IDENTITY",
    "Comment",
    "Declaration",
    "DestinationParameter",
    "Instruction",
    "Program",
    "SourceParameter",
]

IDENTITY = (0, 1, 2, 3)
FULL_MASK = 15
_COMMENT_TAG_BYTES = 4


@dataclass(frozen=True, slots=True)
class SourceParameter:
    """A register that is read.

    swizzle: for each of x, y, z, w the component read, 0 to 3. relative: what is added to the
    number; before 2.0 always a0.x, which has no token there. reserved: bits without meaning, as
    differences from their usual values.
    """

    type: RegisterType
    number: int
    swizzle: tuple[int, int, int, int] = IDENTITY
    modifier: SourceModifier = SourceModifier.NONE
    relative: SourceParameter | None = None
    reserved: int = 0


IMPLICIT_ADDRESS = SourceParameter(RegisterType.ADDR, 0, (0, 0, 0, 0))
"""a0.x, which SM1 means by a parameter's relative bit alone."""


@dataclass(frozen=True, slots=True)
class DestinationParameter:
    """A register that is written, declared or defined.

    write_mask: bit 0 for x to bit 3 for w. shift: the result is multiplied by two to this power,
    -8 to 7. relative, reserved: as for sources.
    """

    type: RegisterType
    number: int
    write_mask: int = FULL_MASK
    modifiers: ResultModifier = ResultModifier.NONE
    shift: int = 0
    relative: SourceParameter | None = None
    reserved: int = 0


@dataclass(frozen=True, slots=True)
class Declaration:
    """The usage token of dcl: a semantic, or for samplers the texture's type.

    Which of both counts is up to the declared register.
    """

    usage: Usage | int = Usage.POSITION
    usage_index: int = 0
    texture_type: TextureType | int = TextureType.UNKNOWN
    reserved: int = 0


@record
class Instruction:
    """One instruction.

    controls: bits [23:16] of its token. predicate: what decides, by component, whether the
    destination is written. declaration: of dcl only. immediates: the dwords that def, defi and
    defb assign. reserved: bits of the token without meaning. trailing: dwords inside the
    instruction's length that its row does not explain. index: 0-based position in the program,
    comments included; offset: bytes from the start of the input.
    """

    opcode: Opcode
    destination: DestinationParameter | None = None
    sources: tuple[SourceParameter, ...] = ()
    controls: int = 0
    is_coissued: bool = False
    predicate: SourceParameter | None = None
    declaration: Declaration | None = None
    immediates: tuple[int, ...] = ()
    reserved: int = 0
    trailing: tuple[int, ...] = ()
    index: int = 0
    offset: int = 0

    @property
    def comparison(self) -> Comparison | None:
        """The comparison of ifc, breakc and setp; None for the two codes without meaning."""
        code = self.controls & 7
        return Comparison(code) if Comparison.GT <= code <= Comparison.LE else None

    @property
    def location(self) -> Location:
        return Location(offset=self.offset, instruction=self.index)


@dataclass(frozen=True, slots=True)
class Comment:
    """Data between instructions, such as a constant table; not executed.

    payload: a whole number of dwords. reserved: bit 31 of the token.
    """

    payload: bytes
    reserved: int = 0
    index: int = 0
    offset: int = 0

    @property
    def tag(self) -> bytes:
        """The four characters that say what the payload is, such as b"CTAB"."""
        return self.payload[:_COMMENT_TAG_BYTES]

    @property
    def location(self) -> Location:
        return Location(offset=self.offset, instruction=self.index)


@dataclass(frozen=True, slots=True)
class Program:
    """A token stream: its version, and instructions and comments in order, without the end token.

    minor: 255 for software versions (2_sw, 3_sw); 1 of 2 is 2_x. trailing: bytes after the end
    token, which belong to no program.
    """

    type: ProgramType
    major: int
    minor: int
    instructions: tuple[Instruction | Comment, ...]
    trailing: bytes = b""

    @property
    def version(self) -> tuple[int, int]:
        return self.major, self.minor

    @property
    def profile(self) -> str:
        """The assembler's name of the version, such as `ps_2_x`."""
        minor = {(2, 1): "x", (2, 255): "sw", (3, 255): "sw"}.get(self.version, str(self.minor))
        return f"{self.type.name.lower()}_{self.major}_{minor}"
