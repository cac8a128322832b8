"""What a listing may look like: the switches of Microsoft's disassembler, and our own.

D3DDisassemble's D3D_DISASM_* flags, and the dialect of its older versions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

__all__ = ["PLAIN", "Dialect", "ListingOptions", "Literals", "Syntax"]


class Dialect(Enum):
    """Whose words a listing has.

    D3D10_1: d3dcompiler_47 ("HLSL Shader Compiler 10.1"). D3D9_30: d3dcompiler_43 to 46 ("9.29",
    "9.30"), which knows nothing of what came later; shader model 5.1 is written as 10.1 does.
    """

    D3D10_1 = auto()
    D3D9_30 = auto()


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
    has them. code_only: instructions without header and declarations.
    """

    dialect: Dialect = Dialect.D3D10_1
    literals: Literals = Literals.PLAIN
    numbers: bool = False
    offsets: bool = False
    debug: bool = True
    code_only: bool = False


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
    def is_old(self) -> bool:
        return self.dialect is Dialect.D3D9_30
