"""Declarations of dynamic linkage: method bodies, the tables of classes, interfaces."""

from __future__ import annotations

import re

from softd3d.isa.asm.diagnostic import Mistake, shown
from softd3d.isa.asm.sm4 import words as w
from softd3d.isa.asm.sm4.declaration_parts import DeclarationParser, Part, Parts, read_number
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import Opcode, OperandType
from softd3d.isa.sm4.program import Instruction

__all__ = ["LINKAGE_PARSERS"]

_DYNAMIC = "_dynamicindexed"
_IDS = re.compile(r"(\w+)((?:\s*\[[^\[\]]*\])*)\s*=\s*\{([^{}]*)\}\s*\Z")
_ID = re.compile(r"([A-Za-z]+)(\d+)\Z")
_BRACKET = re.compile(r"\[\s*(\w*)\s*\]")
_MOST_IDS = 120  # a declaration has at most 127 dwords


def _function_body(_: str, text: Parts, opcode: Opcode, __: tuple[int, int]) -> Instruction:
    number = _id((text.text, text.start), OperandType.FUNCTION_BODY)
    return Instruction(opcode, (), 0, (number,))


def _id(part: Part, kind: OperandType) -> int:
    found = _ID.match(part[0])
    if found is None or found.group(1).lower() != w.REGISTERS[kind]:
        raise Mistake(f"wanted {w.REGISTERS[kind]}#, found {shown(part[0])}", part[1])
    return read_number((found.group(2), part[1] + found.start(2)), "a number")


def _listed(text: Parts, kind: OperandType) -> tuple[re.Match[str], tuple[int, ...]]:
    """Return the parts of `name = {ids}`, and the ids."""
    found = _IDS.match(text.text)
    if found is None:
        raise Mistake(f"wanted a name and its list such as = {{{w.REGISTERS[kind]}0}}", text.start)
    ids: list[int] = []
    at = text.start + found.start(3)
    for part in found.group(3).split(",") if found.group(3).strip() else []:
        ids.append(_id((part.strip(), at + len(part) - len(part.lstrip())), kind))
        at += len(part) + 1
    if len(ids) > _MOST_IDS:
        raise Mistake(f"a list of {len(ids)}, at most {_MOST_IDS}", text.start + found.start(3))
    return found, tuple(ids)


def _function_table(_: str, text: Parts, opcode: Opcode, __: tuple[int, int]) -> Instruction:
    found, bodies = _listed(text, OperandType.FUNCTION_BODY)
    number = _id((found.group(1), text.start), OperandType.FUNCTION_TABLE)
    if found.group(2):
        raise Mistake("a function table has no indices", text.start + found.start(2))
    return Instruction(opcode, (), 0, (number, len(bodies), *bodies))


def _interface(ending: str, text: Parts, opcode: Opcode, __: tuple[int, int]) -> Instruction:
    if ending not in ("", _DYNAMIC):
        raise Mistake(f"{shown(ending)} is no ending of dcl_interface", text.start)
    found, tables = _listed(text, OperandType.FUNCTION_TABLE)
    number = _id((found.group(1), text.start), OperandType.INTERFACE)
    at = text.start + found.start(2)
    sizes = [
        read_number((size.group(1), at + size.start(1)), "a number")
        for size in _BRACKET.finditer(found.group(2))
    ]
    if len(sizes) != 2 or sizes[0] > 0xFFFF:
        raise Mistake("wanted how many there are and how many methods, such as fp0[1][4]", at)
    controls = t.DYNAMIC_INDEXED.put(1 if ending else 0)
    return Instruction(
        opcode, (), controls, (number, sizes[1], sizes[0] << 16 | len(tables), *tables)
    )  # fmt: skip


LINKAGE_PARSERS: dict[Opcode, DeclarationParser] = {
    Opcode.DCL_FUNCTION_BODY: _function_body,
    Opcode.DCL_FUNCTION_TABLE: _function_table,
    Opcode.DCL_INTERFACE: _interface,
}
