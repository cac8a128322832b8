"""A decoded SM4-5.1 program: plain frozen data, complete enough to be encoded again.

Layouts: D3D11.3 functional specification section 22; d3d12TokenizedProgramFormat.hpp.
"""

from __future__ import annotations

import struct
from dataclasses import field
from typing import TYPE_CHECKING

from softd3d.classes import dataclass
from softd3d.errors import AssemblyError, DecodeError, Location, ShaderError
from softd3d.isa.record import by_hand, by_hand_plain, record, short
from softd3d.isa.sm4.controls import PRECISE, SATURATE, TEST
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    GlobalFlags,
    Opcode,
    OperandModifier,
    OperandType,
    ProgramType,
    ResourceDimension,
    ReturnType,
    SelectionMode,
)

if TYPE_CHECKING:
    from softd3d.isa.layout import Token

__all__ = ["Index", "Instruction", "Operand", "Part", "Program", "Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """What code is for: stage and version, as the version token has them."""

    type: ProgramType
    major: int
    minor: int

    @property
    @by_hand_plain
    def profile(self) -> str:
        """The compiler's name of the target, such as `cs_5_0`."""
        return f"{self.type.name.lower()}_{self.major}_{self.minor}"


@record
class Index:
    """One index of an operand: an immediate, a register, or their sum.

    immediate: the constant part (0 if there is none). relative: a one-component operand.
    representation: D3D10_SB_OPERAND_INDEX_REPRESENTATION (0 imm32, 1 imm64, 2 relative,
    3 imm32 + relative, 4 imm64 + relative).
    """

    immediate: int = 0
    relative: Operand | None = None
    representation: int = 0

    @by_hand
    def __repr__(self) -> str:
        return f"<Index {self}>"

    @by_hand
    def __str__(self) -> str:
        from softd3d.isa.asm.sm4.operand import index_text  # noqa: PLC0415 - text stands above

        return index_text(self)


@record
class Operand:
    """One operand of an instruction.

    components: 0, 1 or 4 (D3D10_SB_OPERAND_NUM_COMPONENTS). mode and selection belong to 4:
    MASK: selection holds the written components in ascending order, e.g. (0, 1, 3);
    SWIZZLE: four source components; SELECT_1: one. For 0 and 1 components selection is ().
    immediate: the dwords of IMMEDIATE32 (1 or 4) and IMMEDIATE64 (4: low, high, low, high).
    extended: raw extended operand tokens, kept for the encoder. padding: bits of the first token
    that mean nothing here (such as a selection mode without four components), kept likewise.
    """

    type: OperandType
    components: int = 4
    mode: SelectionMode = SelectionMode.MASK
    selection: tuple[int, ...] = ()
    indices: tuple[Index, ...] = ()
    modifier: OperandModifier = OperandModifier.NONE
    min_precision: int = 0
    non_uniform: bool = False
    immediate: tuple[int, ...] = ()
    extended: tuple[int, ...] = ()
    padding: int = 0

    @property
    @by_hand_plain
    def number(self) -> int:
        """The register number, which must be there and be constant.

        Raises:
            DecodeError: the operand has no index, or a relative one.
        """
        if not self.indices or self.indices[0].relative is not None:
            raise DecodeError(f"operand {self.type.name} has no constant register number")
        return self.indices[0].immediate

    @property
    @by_hand_plain
    def mask(self) -> tuple[int, ...]:
        """Components a destination writes; a one-component destination writes component 0."""
        if self.components == 1:
            return (0,)
        return self.selection if self.components == 4 else ()

    @property
    @by_hand
    def words(self) -> tuple[int, ...]:
        """The operand's dwords, those of its indices and its immediate values included.

        Raises:
            AssemblyError: a number, of an operand made by hand, does not fit its field.
        """
        from softd3d.isa.sm4.encode import encode_operand  # noqa: PLC0415 - it takes records

        return encode_operand(self)

    @property
    @by_hand
    def floats(self) -> tuple[float, ...]:
        """The dwords of `immediate` as float32 numbers."""
        return struct.unpack(f"<{len(self.immediate)}f", _packed(self.immediate))

    @property
    @by_hand
    def ints(self) -> tuple[int, ...]:
        """The dwords of `immediate` as signed integers."""
        return struct.unpack(f"<{len(self.immediate)}i", _packed(self.immediate))

    @property
    @by_hand
    def doubles(self) -> tuple[float, ...]:
        """The values of an IMMEDIATE64: two dwords each, the low one first."""
        count = len(self.immediate) // 2
        return struct.unpack(f"<{count}d", _packed(self.immediate[: 2 * count]))

    @by_hand
    def __repr__(self) -> str:
        return short(f"<Operand {self}", ">")

    @by_hand
    def __str__(self) -> str:
        """Return the operand as listings before 5.1 have it; literals by what they look like.

        What a listing writes may depend on the instruction: `Part.text` has that.
        """
        from softd3d.isa.asm.sm4.operand import operand_text  # noqa: PLC0415 - text stands above

        return operand_text(self)

    @by_hand_plain
    def source(self, component: int) -> int:
        """Return the register component that source component `component` reads."""
        if self.components != 4:
            return 0
        if self.mode is SelectionMode.MASK:  # no compiler writes sources so; it means no swizzle
            return component
        return self.selection[component if self.mode is SelectionMode.SWIZZLE else 0]


@record
class Instruction:
    """One instruction or declaration.

    controls: bits [23:11] of the opcode token, in place (not shifted). operands: in token order.
    extra: the dwords after the operands of a declaration (counts, strides, names, spaces...),
    in token order. custom: class and payload of customdata (opcode 53), without its two head
    dwords. offsets/dimension/stride/return_types: what the extended opcode tokens say.
    trailing: dwords inside the instruction's length that no rule explains, kept for the encoder.
    index: 0-based position in the program; offset: bytes from the start of the input. target: what
    the program is for, on which text and tokens depend a little; None, of instructions made by
    hand: 5.0. It is not compared.
    """

    opcode: Opcode
    operands: tuple[Operand, ...] = ()
    controls: int = 0
    extra: tuple[int, ...] = ()
    custom_class: CustomDataClass | int | None = None
    custom: tuple[int, ...] = ()
    texel_offsets: tuple[int, int, int] = (0, 0, 0)
    dimension: ResourceDimension | None = None
    stride: int = 0
    return_types: tuple[ReturnType, ...] = ()
    extended: tuple[int, ...] = ()
    trailing: tuple[int, ...] = ()
    index: int = 0
    offset: int = 0
    target: Target | None = field(default=None, compare=False)

    @property
    @by_hand_plain
    def mnemonic(self) -> str:
        """The opcode's name in listings, such as `mad`, without what is added to it."""
        from softd3d.isa.sm4.rows.table import TABLE  # noqa: PLC0415 - rows take records

        return TABLE[self.opcode].mnemonic

    @property
    @by_hand
    def words(self) -> tuple[int, ...]:
        """The instruction's dwords.

        Raises:
            AssemblyError: a number, of an instruction made by hand, does not fit its field.
        """
        from softd3d.isa.sm4.encode import encode_instruction  # noqa: PLC0415 - it takes records

        target = self.target or _DEFAULT_TARGET
        return encode_instruction(self, (target.major, target.minor))

    @property
    @by_hand
    def parts(self) -> tuple[Part, ...]:
        """What the instruction's dwords are, in order; together they are `words`.

        Raises:
            AssemblyError: as `words`.
        """
        from softd3d.isa.sm4.parts import instruction_parts  # noqa: PLC0415 - it takes records

        return instruction_parts(self, self.target or _DEFAULT_TARGET)

    @by_hand
    def __str__(self) -> str:
        """Return the instruction as the listing has it, without indentation."""
        from softd3d.isa.asm.sm4.printer import format_instruction  # noqa: PLC0415 - text stands above

        return format_instruction(self, self.target or _DEFAULT_TARGET)

    def __repr__(self) -> str:
        try:
            return short(f"<Instruction {self.index} at {self.offset:#x}: {self}", ">")
        except (
            ShaderError,
            TypeError,
            ValueError,
        ):  # made by hand, with fields that no listing has
            return short(f"<Instruction of wrong fields: opcode {self.opcode!r}", ">")

    @property
    @by_hand_plain
    def is_saturated(self) -> bool:
        return bool(self.controls & _SATURATE)

    @property
    @by_hand_plain
    def is_nonzero_test(self) -> bool:
        """True for the `_nz` form of a flow test, False for `_z`."""
        return bool(self.controls & _TEST)

    @property
    @by_hand_plain
    def precise_mask(self) -> int:
        return PRECISE.get(self.controls)

    @property
    @by_hand_plain
    def location(self) -> Location:
        return Location(offset=self.offset, instruction=self.index)


@record
class Part:
    """One or more adjacent dwords of an instruction, and what they are.

    name: "opcode", "extended opcode", "custom data"; the operand's place ("dst", "src0",
    "register"); what a declaration's dword tells ("count", "space"); "trailing". Of an operand:
    "operand", "extended operand", "index 0", "index 0 register", "immediate". offset: bytes from
    the start of the input. operand: the record, if they are one. text: what the listing writes for
    an operand of an instruction that is no declaration.
    """

    name: str
    offset: int
    words: tuple[int, ...]
    operand: Operand | None = None
    text: str = ""

    @property
    @by_hand
    def parts(self) -> tuple[Part, ...]:
        """What an operand's dwords are, in order; nothing for other parts."""
        from softd3d.isa.sm4.parts import operand_parts  # noqa: PLC0415 - it takes records

        return () if self.operand is None else operand_parts(self.operand, self.offset)

    @property
    @by_hand
    def tokens(self) -> tuple[Token, ...]:
        """The dwords that have fields, taken apart: of opcodes, operands and their extensions.

        Raises:
            DecodeError: a number, of an instruction made by hand, has no meaning.
        """
        from softd3d.isa.sm4.parts import part_tokens  # noqa: PLC0415 - it takes records

        return part_tokens(self)

    @by_hand
    def __repr__(self) -> str:
        words = " ".join([f"{word:08x}" for word in self.words[:_SHOWN_WORDS]])
        text = self.text or ("" if self.operand is None else str(self.operand))
        return short(f"<Part {self.name} at {self.offset:#x}: {words} {text}".rstrip(), ">")


@dataclass(frozen=True, slots=True)
class Program(Target):
    """A token stream: version header and instructions (declarations first, as in the stream)."""

    instructions: tuple[Instruction, ...]

    @property
    @by_hand_plain
    def global_flags(self) -> GlobalFlags:
        """What `dcl_globalFlags` says; of several, which no compiler writes, what any says."""
        flags = 0
        for i in self.instructions:
            if i.opcode is Opcode.DCL_GLOBAL_FLAGS:
                flags |= i.controls
        return GlobalFlags(flags)

    @by_hand
    def __repr__(self) -> str:
        return f"<Program {self.profile}, {len(self.instructions)} instructions>"


_DEFAULT_TARGET = Target(ProgramType.CS, 5, 0)
_SHOWN_WORDS = 4
_SATURATE = SATURATE.mask
_TEST = TEST.mask


def _packed(words: tuple[int, ...]) -> bytes:
    try:
        return struct.pack(f"<{len(words)}I", *words)
    except struct.error as error:
        raise AssemblyError("operand: a dword does not fit 32 bits") from error
