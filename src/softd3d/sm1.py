"""Programs of shader model 1 to 3 as data: instructions, parameters, tokens and their fields.

docs/reading-programs.md is the guide. `softd3d.sm4` has the same for shader model 4 to 5.1.
"""

from __future__ import annotations

from softd3d.isa.layout import Component, Token, TokenField, TokenLayout
from softd3d.isa.record import by_hand
from softd3d.isa.sm1 import encode as _encode
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import (
    Comparison,
    MiscType,
    Opcode,
    ProgramType,
    RasterizerOutput,
    RegisterType,
    ResultModifier,
    SourceModifier,
    TexldControl,
    TextureType,
    Usage,
)
from softd3d.isa.sm1.layouts import (
    COMMENT,
    DESTINATION_PARAMETER,
    SOURCE_PARAMETER,
    USAGE,
    VERSION,
    instruction_layout,
    instruction_token,
)
from softd3d.isa.sm1.program import (
    Comment,
    Declaration,
    DestinationParameter,
    Instruction,
    Parameter,
    Part,
    Program,
    SourceParameter,
    Target,
)

__all__ = [
    "COMMENT",
    "DESTINATION_PARAMETER",
    "SOURCE_PARAMETER",
    "USAGE",
    "VERSION",
    "Comment",
    "Comparison",
    "Component",
    "Declaration",
    "DestinationParameter",
    "Instruction",
    "MiscType",
    "Opcode",
    "Parameter",
    "Part",
    "Program",
    "ProgramType",
    "RasterizerOutput",
    "RegisterType",
    "ResultModifier",
    "SourceModifier",
    "SourceParameter",
    "Target",
    "TexldControl",
    "TextureType",
    "Token",
    "TokenField",
    "TokenLayout",
    "Usage",
    "decode",
    "encode",
    "instruction_layout",
    "instruction_token",
]

encode = by_hand(_encode.encode)
