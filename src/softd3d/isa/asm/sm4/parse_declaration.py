"""Declarations of a text: the inverse of `declaration`, form by form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from softd3d.bits import Field
from softd3d.isa.asm.diagnostic import Mistake, shown, suggestion
from softd3d.isa.asm.sm4 import words as w
from softd3d.isa.asm.sm4.declaration_parts import (
    DeclarationParser,
    Parts,
    check_count,
    inverse,
    read_declared,
    read_number,
    read_word,
)
from softd3d.isa.asm.sm4.parse_custom_data import IMMEDIATE_BUFFER
from softd3d.isa.asm.sm4.parse_linkage import LINKAGE_PARSERS
from softd3d.isa.asm.sm4.parse_literal import literal_bits
from softd3d.isa.asm.sm4.parse_view import VIEW_PARSERS
from softd3d.isa.row import Kind
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import InterpolationMode, Opcode, OperandType
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["parse_declaration"]

_GLOBAL_FLAGS = "dcl_globalflags"

_WORD = re.compile(r"[A-Za-z_]\w*")
_INDEXED = re.compile(r"([A-Za-z]+)(\d+)\s*\[\s*(\w+)\s*\]\s*\Z")
_COUNTED = re.compile(r"(.*\S)\s+(\S+)\Z", re.DOTALL)
_TESSFACTOR = re.compile(r"l\s*\(\s*([^()]*?)\s*\)\Z", re.IGNORECASE)
_FLAG = re.compile(r"[^|\s]+")  # older disassemblers put nothing but blanks between flags

_INTERPOLATIONS = inverse(w.INTERPOLATIONS)
_SYSTEM_NAMES = inverse(w.SYSTEM_NAMES)
_GLOBAL = inverse(w.GLOBAL_FLAGS)


def parse_declaration(text: str, version: tuple[int, int]) -> Instruction:
    """Return the declaration of a statement that begins with dcl_ or hs_.

    Raises:
        Mistake: with the position in the statement.
    """
    found = _WORD.match(text)
    word = found.group() if found is not None else text
    name = word.lower()
    opcode, mnemonic = _opcode(word)
    parser = _PARSERS.get(opcode, _plain)
    return parser(name[len(mnemonic) :], Parts(text, len(word)), opcode, version)


def _fits(name: str, mnemonic: str) -> bool:
    """Tell whether a mnemonic is a name, or may begin it."""
    return mnemonic in _MNEMONICS and (name == mnemonic or _MNEMONICS[mnemonic] in _ENDED)


@lru_cache(maxsize=512)
def _opcode(word: str) -> tuple[Opcode, str]:
    """Return the opcode whose mnemonic a word is or begins with, the longest one."""
    name = word.lower()
    mnemonic = name
    while mnemonic and not _fits(name, mnemonic):
        mnemonic = mnemonic[: max(mnemonic.rfind("_"), 0)]
    if name.startswith(_GLOBAL_FLAGS):  # without flags it is one word with "none"
        mnemonic = _GLOBAL_FLAGS
    opcode = _MNEMONICS.get(mnemonic)
    if opcode is None:
        known = [*(TABLE[code].mnemonic for code in _MNEMONICS.values()), *_SUGGESTED]
        raise Mistake(f"{shown(word)} is no declaration{suggestion(word, known)}")
    return opcode, mnemonic


def _plain(_: str, text: Parts, opcode: Opcode, version: tuple[int, int]) -> Instruction:
    """Read registers and numbers as they come."""
    layout = t.layout(opcode, version)
    names = (*layout.operands, *layout.dwords)
    parts = text.parts()
    check_count(parts, len(names), text, ", ".join(names) or "nothing")
    count = len(layout.operands)
    operands = tuple(read_declared(part) for part in parts[:count])
    pairs = zip(parts[count:], layout.dwords, strict=True)
    return Instruction(
        opcode, operands, 0, tuple(read_number(part, f"the {n}") for part, n in pairs)
    )


def _controlled(field: Field, words: Mapping[int, str] | None, what: str) -> DeclarationParser:
    """Return a parser of a declaration whose controls hold a number; without words, in decimal."""
    known = inverse(words) if words is not None else None

    def parse(_: str, text: Parts, opcode: Opcode, __: tuple[int, int]) -> Instruction:
        parts = text.parts()
        check_count(parts, 1, text, what)
        number = read_number(parts[0], what) if known is None else read_word(parts[0], known, what)
        try:
            return Instruction(opcode, controls=field.put(number))
        except ValueError:
            raise Mistake(f"{number} does not fit its field", parts[0][1]) from None

    return parse


def _named(_: str, text: Parts, opcode: Opcode, version: tuple[int, int]) -> Instruction:
    """Read a register, and the system value if the declaration has one."""
    names = t.layout(opcode, version).dwords
    parts = text.parts()
    check_count(
        parts, 1 + len(names), text, "a register and a system value" if names else "a register"
    )
    numbers = tuple(read_word(part, _SYSTEM_NAMES, "a system value") for part in parts[1:])
    return Instruction(opcode, (read_declared(parts[0]),), 0, numbers)


def _input_ps(_: str, text: Parts, opcode: Opcode, version: tuple[int, int]) -> Instruction:
    """Read the interpolation, which is constant if an older text leaves it out, then the rest."""
    words = text.text.split(" ")
    taken = 0
    while taken < len(words) and words[taken].isalpha():
        taken += 1
    mode = " ".join(words[:taken])
    if taken:
        number = read_word((mode, text.start), _INTERPOLATIONS, "an interpolation such as linear")
    elif opcode is Opcode.DCL_INPUT_PS_SGV:
        number = InterpolationMode.CONSTANT
    else:
        raise Mistake("wanted an interpolation such as linear before the register", text.start)
    rest = Parts(text.whole, text.start + len(mode))
    named = _named("", rest, opcode, version)
    return Instruction(opcode, named.operands, t.INTERPOLATION.put(number), named.extra)


def _index_range(_: str, text: Parts, opcode: Opcode, __: tuple[int, int]) -> Instruction:
    found = _COUNTED.match(text.text)
    if found is None:
        raise Mistake("wanted a register and a count", text.start)
    count = read_number((found.group(2), text.start + found.start(2)), "a count")
    return Instruction(opcode, (read_declared((found.group(1), text.start)),), 0, (count,))


def _indexable_temp(_: str, text: Parts, opcode: Opcode, __: tuple[int, int]) -> Instruction:
    parts = text.parts()
    check_count(parts, 2, text, "an array such as x0[4] and its components")
    found = _INDEXED.match(parts[0][0])
    if found is None or found.group(1).lower() != w.REGISTERS[OperandType.INDEXABLE_TEMP]:
        raise Mistake(f"wanted an array such as x0[4], found {shown(parts[0][0])}", parts[0][1])
    at = parts[0][1]
    number = read_number((found.group(2), at + found.start(2)), "a number")
    size = read_number((found.group(3), at + found.start(3)), "a number of registers")
    return Instruction(
        opcode, (), 0, (number, size, read_number(parts[1], "a number of components"))
    )


def _global_flags(ending: str, text: Parts, opcode: Opcode, __: tuple[int, int]) -> Instruction:
    controls, at = 0, text.start
    if ending not in ("", "none"):
        raise Mistake(f"wanted dcl_globalFlags, found {shown(text.whole.split()[0])}")
    if not text.text or text.text.lower() == "none":
        return Instruction(opcode)
    for flag in _FLAG.finditer(text.text):
        part = flag.group(), at + flag.start()
        controls |= read_word(part, _GLOBAL, "a flag such as refactoringAllowed")
    return Instruction(opcode, (), controls)


def _max_tessfactor(_: str, text: Parts, opcode: Opcode, __: tuple[int, int]) -> Instruction:
    found = _TESSFACTOR.match(text.text)
    if found is None:
        raise Mistake(
            f"wanted a literal such as l(64.000000), found {shown(text.text)}", text.start
        )
    try:
        return Instruction(opcode, (), 0, (literal_bits(found.group(1)),))
    except Mistake as mistake:
        raise Mistake(mistake.message, text.start + found.start(1)) from None


_PARSERS: dict[Opcode, DeclarationParser] = {
    **VIEW_PARSERS,
    **LINKAGE_PARSERS,
    **dict.fromkeys(
        (
            Opcode.DCL_INPUT, Opcode.DCL_INPUT_SGV, Opcode.DCL_INPUT_SIV, Opcode.DCL_OUTPUT,
            Opcode.DCL_OUTPUT_SGV, Opcode.DCL_OUTPUT_SIV,
        ),
        _named,
    ),
    **dict.fromkeys(
        (Opcode.DCL_INPUT_PS, Opcode.DCL_INPUT_PS_SGV, Opcode.DCL_INPUT_PS_SIV), _input_ps
    ),
    Opcode.DCL_INDEX_RANGE: _index_range,
    Opcode.DCL_INDEXABLE_TEMP: _indexable_temp,
    Opcode.DCL_GLOBAL_FLAGS: _global_flags,
    Opcode.DCL_GS_INPUT_PRIMITIVE: _controlled(t.INPUT_PRIMITIVE, w.PRIMITIVES, "a primitive"),
    Opcode.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY: _controlled(
        t.OUTPUT_TOPOLOGY, w.TOPOLOGIES, "a topology"
    ),
    Opcode.DCL_INPUT_CONTROL_POINT_COUNT: _controlled(t.CONTROL_POINTS, None, "a count"),
    Opcode.DCL_OUTPUT_CONTROL_POINT_COUNT: _controlled(t.CONTROL_POINTS, None, "a count"),
    Opcode.DCL_TESS_DOMAIN: _controlled(t.DOMAIN, w.DOMAINS, "a domain"),
    Opcode.DCL_TESS_PARTITIONING: _controlled(t.PARTITIONING, w.PARTITIONINGS, "a partitioning"),
    Opcode.DCL_TESS_OUTPUT_PRIMITIVE: _controlled(
        t.OUTPUT_PRIMITIVE, w.OUTPUT_PRIMITIVES, "an output primitive"
    ),
    Opcode.DCL_HS_MAX_TESSFACTOR: _max_tessfactor,
}  # fmt: skip
# Declarations whose mnemonics go on with a dimension, flags or an access
_ENDED = frozenset(
    {
        Opcode.DCL_RESOURCE, Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED,
        Opcode.DCL_UNORDERED_ACCESS_VIEW_RAW, Opcode.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED,
        Opcode.DCL_GLOBAL_FLAGS, Opcode.DCL_INTERFACE,
    }
)  # fmt: skip
_MNEMONICS: dict[str, Opcode] = {
    row.mnemonic.lower(): Opcode(row.opcode)
    for row in TABLE.rows.values()
    if row.kind is Kind.DECLARATION and Opcode(row.opcode) is not Opcode.CUSTOMDATA
}
_SUGGESTED = [IMMEDIATE_BUFFER] + [
    f"{TABLE[code].mnemonic}_{text}"
    for code in (Opcode.DCL_RESOURCE, Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED)
    for text in w.DIMENSIONS.values()
]
