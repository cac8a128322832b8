"""Instructions and operands of SM4.0-5.1 part by part: which dwords are what."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from softd3d.isa.asm.sm4.printer import operand_texts
from softd3d.isa.layout import Token
from softd3d.isa.sm4 import layouts
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.program import Instruction, Operand, Part, Target

__all__ = ["instruction_parts", "operand_parts", "part_tokens"]

_DWORD = 4


def instruction_parts(i: Instruction, target: Target) -> tuple[Part, ...]:
    """Return what the dwords of an instruction are, in order.

    Raises:
        AssemblyError: a number, of an instruction made by hand, does not fit its field.
    """
    cut = _Cut(i.words, i.offset)
    if i.opcode is Opcode.CUSTOMDATA:
        return tuple(cut.all([("opcode", 1), ("length", 1), ("custom data", len(i.custom))]))
    layout = t.layout(i.opcode, (target.major, target.minor))
    parts = list(cut.opened("opcode", "extended opcode"))
    leading = len(layout.leading)
    parts += cut.all([(name, 1) for name in layout.leading])
    names = layout.operands or ("operand",) * len(i.operands)
    texts = operand_texts(i, target)
    for name, operand, text in zip(names, i.operands, texts, strict=True):
        parts.append(cut.take(name, len(operand.words), operand, text))
    named = layout.dwords[: len(i.extra) - leading]
    ids = len(i.extra) - leading - len(named)
    parts += cut.all([*((name, 1) for name in named), ("ids", ids)])
    parts += cut.all([("trailing", len(i.trailing))])
    return tuple(parts)


def operand_parts(operand: Operand, offset: int) -> tuple[Part, ...]:
    """Return what the dwords of an operand at `offset` bytes are, in order."""
    cut = _Cut(operand.words, offset)
    parts = list(cut.opened("operand", "extended operand"))
    for place, index in enumerate(operand.indices):
        parts += cut.all([(f"index {place}", t.REPRESENTATION_DWORDS[index.representation])])
        if index.relative is not None:
            register = index.relative
            parts.append(
                cut.take(f"index {place} register", len(register.words), register, str(register))
            )
    parts += cut.all([("immediate", len(operand.immediate))])
    return tuple(parts)


def part_tokens(part: Part) -> tuple[Token, ...]:
    """Return the tokens of a part that have fields.

    Raises:
        DecodeError: a number in one has no meaning.
    """
    if part.operand is not None:
        return tuple(token for piece in part.parts for token in piece.tokens)
    read = _READERS.get(part.name)
    return () if read is None else tuple([read(word) for word in part.words])


_READERS: dict[str, Callable[[int], Token]] = {
    "opcode": layouts.opcode_token,
    "extended opcode": layouts.extended_opcode_token,
    "return type": layouts.RETURN_TYPES.decode,
    "operand": layouts.operand_token,
    "extended operand": layouts.EXTENDED_OPERAND.decode,
}


class _Cut:
    """Dwords from which parts are taken in order."""

    def __init__(self, words: tuple[int, ...], offset: int) -> None:
        self.words = words
        self.offset = offset
        self.position = 0

    def take(self, name: str, count: int, operand: Operand | None = None, text: str = "") -> Part:
        start, self.position = self.position, self.position + count
        words = self.words[start : self.position]
        return Part(name, self.offset + _DWORD * start, words, operand, text)

    def all(self, parts: list[tuple[str, int]]) -> Iterator[Part]:
        """Yield parts by names and numbers of dwords, without the empty ones."""
        for name, count in parts:
            if count:
                yield self.take(name, count)

    def opened(self, first: str, extended: str) -> Iterator[Part]:
        """Yield a first token, and the extended tokens that each announces."""
        yield self.take(first, 1)
        while t.EXTENDED.get(self.words[self.position - 1]):
            yield self.take(extended, 1)
