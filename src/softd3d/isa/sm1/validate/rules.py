"""All rules of SM1-3 programs, by code: area and number, neither of which ever changes.

TOK tokens, DCL declarations, DEF constants, REG registers, REL relative addressing, MOD modifiers,
SWZ swizzles, MASK write masks, OP operands of single opcodes, PRED predicates, PORT read ports,
FLOW control flow, DATA what registers hold, TEX texture instructions, PHASE phases of ps_1_4, PAIR
co-issue, OUT outputs, LIM slots.
"""

from __future__ import annotations

from softd3d.isa.report import table
from softd3d.isa.sm1.validate.rules_operands import OPERAND_RULES
from softd3d.isa.sm1.validate.rules_programs import PROGRAM_RULES

__all__ = ["SM1_RULES"]

SM1_RULES = table([*OPERAND_RULES, *PROGRAM_RULES])
"""Every rule of SM1-3 programs by its code."""
