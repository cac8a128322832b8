"""A decoded SM4-5.1 program: plain frozen data, complete enough to be encoded again.

Layouts: D3D11.3 functional specification section 22; d3d12TokenizedProgramFormat.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass

from softd3d.errors import DecodeError, Location
from softd3d.isa.record import record
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    Opcode,
    OperandModifier,
    OperandType,
    ProgramType,
    ResourceDimension,
    ReturnType,
    SelectionMode,
)

__all__ = ["Index", "Instruction", "Operand", "Program"]


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
    def number(self) -> int:
        """The register number, which must be there and be constant.

        Raises:
            DecodeError: the operand has no index, or a relative one.
        """
        if not self.indices or self.indices[0].relative is not None:
            raise DecodeError(f"operand {self.type.name} has no constant register number")
        return self.indices[0].immediate

    @property
    def mask(self) -> tuple[int, ...]:
        """Components a destination writes; a one-component destination writes component 0."""
        if self.components == 1:
            return (0,)
        return self.selection if self.components == 4 else ()

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
    index: 0-based position in the program; offset: bytes from the start of the input.
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

    @property
    def is_saturated(self) -> bool:
        return bool(self.controls >> 13 & 1)

    @property
    def is_nonzero_test(self) -> bool:
        """True for the `_nz` form of a flow test, False for `_z`."""
        return bool(self.controls >> 18 & 1)

    @property
    def precise_mask(self) -> int:
        return self.controls >> 19 & 15

    @property
    def location(self) -> Location:
        return Location(offset=self.offset, instruction=self.index)


@dataclass(frozen=True, slots=True)
class Program:
    """A token stream: version header and instructions (declarations first, as in the stream)."""

    type: ProgramType
    major: int
    minor: int
    instructions: tuple[Instruction, ...]

    @property
    def profile(self) -> str:
        """The compiler's name of the target, such as `cs_5_0`."""
        return f"{self.type.name.lower()}_{self.major}_{self.minor}"
