"""The operands of control flow: conditions, counts, labels, and predicates of instructions."""

from __future__ import annotations

from collections.abc import Mapping

from softd3d.isa.sm1.enums import Opcode, RegisterType, SourceModifier
from softd3d.isa.sm1.program import IDENTITY, Instruction, SourceParameter
from softd3d.isa.sm1.validate.context import Context, ordinal
from softd3d.isa.sm1.validate.registers import check_register
from softd3d.isa.sm1.validate.sources import is_replicate

__all__ = ["WITH_FLOW_OPERANDS", "check_flow_operands", "check_predicate"]

_T = RegisterType
_CONDITIONS = frozenset({_T.CONSTBOOL, _T.PREDICATE})
_OPERANDS: Mapping[Opcode, tuple[frozenset[RegisterType], ...]] = {
    Opcode.IF: (_CONDITIONS,),
    Opcode.BREAKP: (frozenset({_T.PREDICATE}),),
    Opcode.CALL: (frozenset({_T.LABEL}),),
    Opcode.CALLNZ: (frozenset({_T.LABEL}), _CONDITIONS),
    Opcode.LABEL: (frozenset({_T.LABEL}),),
    Opcode.REP: (frozenset({_T.CONSTINT}),),
    Opcode.LOOP: (frozenset({_T.LOOP}), frozenset({_T.CONSTINT})),
}
WITH_FLOW_OPERANDS = frozenset(_OPERANDS)
"""The opcodes that `check_flow_operands` looks at."""
_UNPREDICATED = frozenset(
    {
        Opcode.SETP, Opcode.IF, Opcode.IFC, Opcode.ELSE, Opcode.ENDIF, Opcode.REP, Opcode.ENDREP,
        Opcode.LOOP, Opcode.ENDLOOP, Opcode.BREAK, Opcode.BREAKC, Opcode.BREAKP, Opcode.CALL,
        Opcode.CALLNZ, Opcode.LABEL, Opcode.RET, Opcode.NOP,
    }
)  # fmt: skip


def check_flow_operands(c: Context, i: Instruction) -> None:
    """Check the registers, modifiers and swizzles of conditions, counts and labels."""
    for n, (allowed, p) in enumerate(zip(_OPERANDS.get(i.opcode, ()), i.sources, strict=False)):
        check_register(c, i, p, ordinal(n))
        if p.type not in allowed or (p.type is _T.PREDICATE and c.version == (2, 0)):
            c.add("FLOW-017", f"{ordinal(n)} is {c.name(p)}", i)
            continue
        is_condition = p.type in _CONDITIONS
        if p.modifier and not (is_condition and p.modifier is SourceModifier.NOT):
            c.add("MOD-003", f"{ordinal(n)} has the modifier {p.modifier.name}", i)
        if p.type is _T.PREDICATE and not is_replicate(p):
            c.add("SWZ-001", f"{ordinal(n)} selects no single component", i)
        elif p.type is _T.CONSTINT and p.swizzle != IDENTITY:
            c.add("SWZ-002", f"{ordinal(n)} has a swizzle", i)


def check_predicate(c: Context, i: Instruction, p: SourceParameter) -> None:
    """Check the predicate of an instruction."""
    if i.opcode in _UNPREDICATED:
        c.add("PRED-001", "it has a predicate", i)
    elif p.type is not _T.PREDICATE or p.modifier not in (SourceModifier.NONE, SourceModifier.NOT):
        c.add("PRED-002", f"its predicate is {c.name(p)}", i)
    elif p.swizzle != IDENTITY and not is_replicate(p):
        c.add("PRED-003", "its predicate has a swizzle", i)
    check_register(c, i, p, "predicate")
