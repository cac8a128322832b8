"""What a listing may look like: the switches of Microsoft's disassembler, and our own.

D3DDisassemble's D3D_DISASM_* flags, and the habits of its versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum, auto

from softd3d.classes import dataclass
from softd3d.isa.sm4.enums import GlobalFlags, UavFlags

__all__ = [
    "PLAIN",
    "Dialect",
    "Habits",
    "ListingOptions",
    "Literals",
    "Syntax",
    "line_prefix",
]

_NEW_GLOBAL_FLAGS = int(
    GlobalFlags.SKIP_OPTIMIZATION
    | GlobalFlags.ENABLE_MINIMUM_PRECISION
    | GlobalFlags.ENABLE_DOUBLE_EXTENSIONS
    | GlobalFlags.ENABLE_SHADER_EXTENSIONS
    | GlobalFlags.ALL_RESOURCES_BOUND
)


@dataclass(frozen=True, slots=True)
class Habits:
    """What the versions of Microsoft's disassembler do not write alike.

    Of the code:
    has_upper_constant_buffers: declared as `CB0`, else as `cb0`, which all use for operands.
    structured_resource_end: what ends the declaration of a structured t#.
    has_sgv_interpolation: dcl_input_ps_sgv has a word for it.
    has_offset_word: `_aoffimmi` where there are texel offsets.
    has_discard_test: `_z` or `_nz`.
    has_precisions: minimum precisions of operands are told.
    unknown_global_flags, unknown_uav_flags, unknown_untyped_flags: bits that are left out; the last
    ones are of views that are typed or raw, in addition.
    message_names: by shader message ids; others are `<unknown>`.
    double_end: what follows a double.
    has_old_numbers: the C library of old rounds 17 digits, and all ties away from zero.
    takes_nans_for_indefinite: all negative NaNs are written as that one.
    has_hex_negative_zeros: in immediate constant buffers -0 is an integer.
    has_integer_comparands: literals of gather4_c are integers.

    Of the header:
    has_bare_header: code without signatures has a short one.
    knows_new_signatures: ISG1, OSG1.
    has_feature_notes: from SFI0.
    has_register_names: bindings have `HLSL Bind  Count`, else `Slot Elements`.
    format_width: of the column of formats in signatures.
    has_streams_by_chunk: elements tell their stream in OSG5, else if any stream is not 0.

    Of debug information:
    knows_pdbs: that is, the chunk SPDB.
    skips_near_lines: no `#line` for short ways down or up.
    notes_all: phases and messages take a record of SDBG too, as if they were instructions.
    missing_record: for instructions without a record, lines before, comment, lines behind.
    """

    has_upper_constant_buffers: bool
    structured_resource_end: str
    has_sgv_interpolation: bool
    has_offset_word: bool
    has_discard_test: bool
    has_precisions: bool
    unknown_global_flags: int
    unknown_uav_flags: int
    unknown_untyped_flags: int
    message_names: Mapping[int, str]
    double_end: str
    has_old_numbers: bool
    takes_nans_for_indefinite: bool
    has_hex_negative_zeros: bool
    has_integer_comparands: bool
    has_bare_header: bool
    knows_new_signatures: bool
    has_feature_notes: bool
    has_register_names: bool
    format_width: int
    has_streams_by_chunk: bool
    knows_pdbs: bool
    skips_near_lines: bool
    notes_all: bool
    missing_record: tuple[tuple[str, ...], str, tuple[str, ...]]


_COMPLAINT = "incorrect instruction offset in debug info"
_INTERNAL = f"// <internal error> {_COMPLAINT}"
_D3D10_1 = Habits(
    has_upper_constant_buffers=True,
    structured_resource_end="",
    has_sgv_interpolation=True,
    has_offset_word=True,
    has_discard_test=True,
    has_precisions=True,
    unknown_global_flags=0,
    unknown_uav_flags=0,
    unknown_untyped_flags=0,
    message_names={0x00200102: "printf", 0x00200103: "errorf"},
    double_end="l",
    has_old_numbers=False,
    takes_nans_for_indefinite=False,
    has_hex_negative_zeros=False,
    has_integer_comparands=False,
    has_bare_header=False,
    knows_new_signatures=True,
    has_feature_notes=True,
    has_register_names=True,
    format_width=7,
    has_streams_by_chunk=False,
    knows_pdbs=True,
    skips_near_lines=False,
    notes_all=False,
    missing_record=(("", _INTERNAL), "", ("", _INTERNAL, "")),
)
# Seen in real listings; what those do not show is taken to be as in 10.1
_D3D9_30 = replace(
    _D3D10_1,
    has_upper_constant_buffers=False,
    structured_resource_end=" ",
    has_sgv_interpolation=False,
    has_old_numbers=True,
    has_register_names=False,
)
_D3D9_29 = replace(
    _D3D9_30,
    has_offset_word=False,
    has_discard_test=False,
    has_precisions=False,
    unknown_global_flags=_NEW_GLOBAL_FLAGS,
    unknown_uav_flags=int(UavFlags.RASTERIZER_ORDERED_ACCESS),
    unknown_untyped_flags=int(UavFlags.UAV_HAS_ORDER_PRESERVING_COUNTER),
    message_names={0x00200104: "printf", 0x00200105: "errorf"},
    double_end="",
    takes_nans_for_indefinite=True,
    has_hex_negative_zeros=True,
    has_integer_comparands=True,
    has_bare_header=True,
    knows_new_signatures=False,
    has_feature_notes=False,
    format_width=6,
    has_streams_by_chunk=True,
    knows_pdbs=False,
    skips_near_lines=True,
    notes_all=True,
    missing_record=(("", f"// {_COMPLAINT}"), "", (f"// {_COMPLAINT}", "")),
)


class Dialect(Enum):
    """Whose words a listing has.

    D3D10_1: d3dcompiler_47 ("HLSL Shader Compiler 10.1"). D3D9_30: d3dcompiler_46 ("9.30"), of the
    Windows 8 SDK. D3D9_29: d3dcompiler_43 ("9.29"), of the last DirectX SDK, and those before.
    Shader model 5.1, which the older ones do not know, is written as 10.1 does.
    """

    D3D10_1 = auto()
    D3D9_30 = auto()
    D3D9_29 = auto()

    @property
    def habits(self) -> Habits:
        """What it writes in its own way."""
        return _HABITS[self]


_HABITS = {
    Dialect.D3D10_1: _D3D10_1,
    Dialect.D3D9_30: _D3D9_30,
    Dialect.D3D9_29: _D3D9_29,
}


class Literals(Enum):
    """How numbers are written.

    PLAIN: six decimals, as Microsoft's disassembler does. HEX: all as 32 bits in hexadecimal
    (D3D_DISASM_PRINT_HEX_LITERALS). EXACT: the shortest digits that give the same bits back.
    """

    PLAIN = auto()
    HEX = auto()
    EXACT = auto()


@dataclass(frozen=True, slots=True)
class ListingOptions:
    """The switches of a listing.

    numbers: each instruction's number stands before it. offsets: likewise the byte offset of its
    tokens from the start of the program. debug: source lines and variable names, where the shader
    has them. code_only: instructions without header and declarations. default_values: the initial
    values of a Direct3D 9 shader's constants, which the disassembler of D3DX9 always tells.
    """

    dialect: Dialect = Dialect.D3D10_1
    literals: Literals = Literals.PLAIN
    numbers: bool = False
    offsets: bool = False
    debug: bool = True
    code_only: bool = False
    default_values: bool = False


PLAIN = ListingOptions()
"""The options of a listing that is like D3DDisassemble's without flags."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """What decides how one instruction is written: the program's version, and the options."""

    version: tuple[int, int]
    dialect: Dialect = Dialect.D3D10_1
    literals: Literals = Literals.PLAIN

    @property
    def has_spaces(self) -> bool:
        """Whether registers belong to ranges and spaces, as from shader model 5.1 on."""
        return self.version >= (5, 1)

    @property
    def habits(self) -> Habits:
        """What the dialect writes in its own way."""
        return self.dialect.habits


def line_prefix(number: int | None, offset: int, options: ListingOptions) -> str:
    """Return what stands before a line. number: None for one without a number.

    >>> line_prefix(12, 52, ListingOptions(numbers=True, offsets=True))
    '  12  0x00000034: '
    """
    prefix = ""
    if options.numbers:
        end = "  " if options.offsets else ": "
        prefix = " " * 6 if number is None else f"{number:4}{end}"
    return prefix + (f"0x{offset:08X}: " if options.offsets else "")
