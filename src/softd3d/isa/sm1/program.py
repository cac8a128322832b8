"""Decoded SM1-3 programs: frozen records, which the encoder turns back into the same bytes."""

from __future__ import annotations

from dataclasses import field, fields
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

from softd3d.classes import dataclass
from softd3d.errors import Location
from softd3d.isa.record import by_hand, by_hand_plain, record, short
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

if TYPE_CHECKING:
    from softd3d.isa.layout import Token, TokenLayout

__all__ = [
    "FULL_MASK",
    "IDENTITY",
    "Comment",
    "Declaration",
    "DestinationParameter",
    "Instruction",
    "Parameter",
    "Part",
    "Program",
    "SourceParameter",
    "Target",
]

IDENTITY = (0, 1, 2, 3)
FULL_MASK = 15
_COMMENT_TAG_BYTES = 4
TEXT = b"TEXT"
"""The tag of comments that listings show."""
_SHOWN_WORDS = 4


@dataclass(frozen=True, slots=True)
class Target:
    """What code is for: stage and version, as the version token has them.

    minor: 255 for software versions (2_sw, 3_sw); 1 of 2 is 2_x.
    """

    type: ProgramType
    major: int
    minor: int

    @property
    def version(self) -> tuple[int, int]:
        return self.major, self.minor

    @property
    @by_hand_plain
    def profile(self) -> str:
        """The assembler's name of the target, such as `ps_2_x`."""
        minor = {(2, 1): "x", (2, 255): "sw", (3, 255): "sw"}.get(self.version, str(self.minor))
        return f"{self.type.name.lower()}_{self.major}_{minor}"


class _Parameter:
    """What parameters have in common: one line that tells what is not as usual."""

    __slots__ = ()

    @by_hand
    def __repr__(self) -> str:
        told: list[str] = []
        for place, known in enumerate(fields(self)):  # pyright: ignore[reportArgumentType]
            value = getattr(self, known.name)
            text = value.name if isinstance(value, IntEnum) else repr(value)
            if place < _SHOWN_ALWAYS:
                told.append(text)
            elif value != known.default:
                told.append(f"{known.name}={text}")
        return short(f"{type(self).__name__}({', '.join(told)}", ")")


_SHOWN_ALWAYS = 2  # type and number


@dataclass(frozen=True, slots=True, repr=False)
class SourceParameter(_Parameter):
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


@dataclass(frozen=True, slots=True, repr=False)
class DestinationParameter(_Parameter):
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
    instruction's length that its row does not explain; before 2.0, more tokens of parameters.
    index: 0-based position in the program, comments included; offset: bytes from the start of the
    input. target: what the program is for, on which text and tokens depend; None, of instructions
    made by hand: vs_3_0. It is not compared.
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
    target: Target | None = field(default=None, compare=False)

    @property
    @by_hand_plain
    def mnemonic(self) -> str:
        """The opcode's name in listings, such as `mad`, without what is added to it."""
        from softd3d.isa.sm1.tokens import row_of  # noqa: PLC0415 - rows take records

        target = self.target or _DEFAULT_TARGET
        row = row_of(self.opcode, target.type, target.version)
        return self.opcode.name.lower() if row is None else row.mnemonic

    @property
    @by_hand
    def operands(self) -> tuple[Parameter, ...]:
        """The parameters in the order of their tokens: destination, predicate, sources."""
        first = [p for p in (self.destination, self.predicate) if p is not None]
        return (*first, *self.sources)

    @property
    @by_hand
    def words(self) -> tuple[int, ...]:
        """The instruction's dwords.

        Raises:
            AssemblyError: a number, of an instruction made by hand, does not fit its field.
        """
        from softd3d.isa.sm1.encode import encode_item  # noqa: PLC0415 - it takes records

        return encode_item(self, self.target or _DEFAULT_TARGET)

    @property
    @by_hand
    def parts(self) -> tuple[Part, ...]:
        """What the instruction's dwords are, in order; together they are `words`.

        Raises:
            AssemblyError: as `words`.
        """
        from softd3d.isa.sm1.parts import instruction_parts  # noqa: PLC0415 - it takes records

        return instruction_parts(self, self.target or _DEFAULT_TARGET)

    @by_hand
    def __str__(self) -> str:
        """Return the instruction as the listing has it, without indentation.

        The mark of co-issue, `+`, counts as indentation: it stands before the mnemonic.
        """
        from softd3d.isa.asm.sm1.listing import format_instruction  # noqa: PLC0415 - stands above

        return format_instruction(self, self.target or _DEFAULT_TARGET)

    @by_hand
    def __repr__(self) -> str:
        return short(f"<Instruction {self.index} at {self.offset:#x}: {self}", ">")

    @property
    @by_hand_plain
    def comparison(self) -> Comparison | None:
        """The comparison of ifc, breakc and setp; None for the two codes without meaning."""
        code = self.controls & 7
        return Comparison(code) if Comparison.GT <= code <= Comparison.LE else None

    @property
    @by_hand_plain
    def location(self) -> Location:
        return Location(offset=self.offset, instruction=self.index)


Parameter: TypeAlias = "DestinationParameter | SourceParameter"


@record
class Part:
    """One or more adjacent dwords of an instruction, and what they are.

    name: "instruction", "usage", "dst", "dst address", "predicate", "src0", "src0 address",
    "immediate", "trailing"; of a comment: "comment", "payload". offset: bytes from the start of the
    input. layout: the fields of each dword, None of those without. parameter: the record, if they
    are one. text: what the listing writes for it.
    """

    name: str
    offset: int
    words: tuple[int, ...]
    layout: TokenLayout | None = None
    parameter: Parameter | None = None
    text: str = ""

    @property
    @by_hand
    def tokens(self) -> tuple[Token, ...]:
        """The dwords taken apart, if they have fields."""
        return () if self.layout is None else tuple(map(self.layout.decode, self.words))

    @by_hand
    def __repr__(self) -> str:
        words = " ".join([f"{word:08x}" for word in self.words[:_SHOWN_WORDS]])
        return short(f"<Part {self.name} at {self.offset:#x}: {words} {self.text}".rstrip(), ">")


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
    def opcode(self) -> Opcode:
        return Opcode.COMMENT

    @property
    @by_hand_plain
    def mnemonic(self) -> str:
        return "comment"

    @property
    @by_hand
    def words(self) -> tuple[int, ...]:
        """The comment's dwords: its token and the payload.

        Raises:
            AssemblyError: the payload, of a comment made by hand, is too long or no whole number
                of dwords.
        """
        from softd3d.isa.sm1.encode import encode_item  # noqa: PLC0415 - it takes records

        return encode_item(self, _DEFAULT_TARGET)

    @property
    @by_hand
    def parts(self) -> tuple[Part, ...]:
        """The token and the payload.

        Raises:
            AssemblyError: as `words`.
        """
        from softd3d.isa.sm1.parts import comment_parts  # noqa: PLC0415 - it takes records

        return comment_parts(self)

    @by_hand
    def __str__(self) -> str:
        """Return the comment as a line; listings show those with the tag TEXT only."""
        if self.tag == TEXT:
            text = self.payload[len(TEXT) :].partition(b"\0")[0]
            return f"// {text.decode('latin-1')}"
        return f"// comment: {self._summary()}"

    @by_hand
    def __repr__(self) -> str:
        return short(f"<Comment {self.index} at {self.offset:#x}: {self._summary()}", ">")

    def _summary(self) -> str:
        tag = self.tag.decode("latin-1")
        shown = f"{tag}, " if len(tag) == _COMMENT_TAG_BYTES and tag.isalnum() else ""
        return f"{shown}{len(self.payload)} bytes"

    @property
    @by_hand
    def tag(self) -> bytes:
        """The four characters that say what the payload is, such as b"CTAB"."""
        return self.payload[:_COMMENT_TAG_BYTES]

    @property
    @by_hand_plain
    def location(self) -> Location:
        return Location(offset=self.offset, instruction=self.index)


@dataclass(frozen=True, slots=True)
class Program(Target):
    """A token stream: its version, and instructions and comments in order, without the end token.

    trailing: bytes after the end token, which belong to no program.
    """

    instructions: tuple[Instruction | Comment, ...]
    trailing: bytes = b""

    @by_hand
    def __repr__(self) -> str:
        return f"<Program {self.profile}, {len(self.instructions)} instructions and comments>"


_DEFAULT_TARGET = Target(ProgramType.VS, 3, 0)
