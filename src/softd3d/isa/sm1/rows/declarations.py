"""Declarations of registers and definitions of constants."""

from __future__ import annotations

from softd3d.isa.roles import Declares
from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.rows.table import ALWAYS, SM2, SM2X, row

__all__: list[str] = []

row(
    Opcode.DCL, "dcl", "f=", "Declare an input, output or sampler, and what it is for.",
    vs=ALWAYS, ps=SM2, role=Declares.REGISTER, spec="dcl-usage-input-register",
)  # fmt: skip
row(
    Opcode.DEF, "def", "f=####", "Define a c# in the shader itself.",
    vs=ALWAYS, ps=ALWAYS, role=Declares.CONSTANT,
)  # fmt: skip
row(
    Opcode.DEFI, "defi", "i=####", "Define an i# in the shader itself.",
    vs=SM2, ps=SM2X, role=Declares.CONSTANT,
)  # fmt: skip
row(
    Opcode.DEFB, "defb", "b=#", "Define a b# in the shader itself.",
    vs=SM2, ps=SM2X, role=Declares.CONSTANT,
)  # fmt: skip
