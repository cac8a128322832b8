"""Operand tokens of SM4.0-5.1 to operands.

A compiler writes few different operands, so the plain ones are built once per sequence of dwords.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.errors import DecodeError, Location
from softd3d.isa.record import Memo
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import OperandModifier, OperandType, SelectionMode
from softd3d.isa.sm4.program import Index, Operand, Target

__all__ = ["OperandReader"]

# A relative index is r# or x#[constant or r#]; nothing nests deeper.
_MAX_DEPTH = 2
_HIGHEST_TYPE = max(OperandType)


@dataclass(frozen=True, slots=True)
class _Head:
    """What the first token of an operand says.

    length: its dwords if all indices are constant, but for extended tokens; 0 if one is relative.
    """

    type: OperandType
    components: int
    mode: SelectionMode
    selection: tuple[int, ...]
    representations: tuple[int, ...]
    immediates: int
    padding: int
    length: int


class OperandReader:
    """Reads operands of one instruction from `words`.

    position: the next dword; end: where the instruction ends. what: the instruction's mnemonic.
    target: what instructions are to have as theirs.
    base: offset of words[0] in the input, in bytes.
    """

    def __init__(self, words: tuple[int, ...], base: int, version: tuple[int, int]) -> None:
        self.words = words
        self.base = base
        self.version = version
        self.target: Target | None = None
        self.position = 0
        self.end = 0
        self.instruction = 0
        self.what = ""

    def error(self, message: str, position: int | None = None) -> DecodeError:
        """Return an error that names the instruction and where the dword at `position` lies."""
        at = self.position if position is None else position
        location = Location(offset=self.base + 4 * at, instruction=self.instruction)
        return DecodeError(f"{self.what}{message}", location)

    def take(self, name: str) -> int:
        """Return the next dword."""
        if self.position >= self.end:
            raise self.error(f" {name}: the instruction ends before it")
        self.position += 1
        return self.words[self.position - 1]

    def operand(self, name: str, depth: int = 0) -> Operand:
        """Read one operand; `name` is its place, for errors.

        Raises:
            DecodeError: it is cut off, nested too deep, or something in it is not defined.
        """
        start = self.position
        token = self.take(name)
        head = _HEADS[token]
        if isinstance(head, str):
            raise self.error(f" {name}: {self._say(head)}", start)
        extended: list[int] = []
        more = token >> 31
        while more:
            extended.append(self._extended(name))
            more = extended[-1] >> 31
        indices = tuple(self._index(name, r, depth) for r in head.representations)
        immediate = tuple(self.take(name) for _ in range(head.immediates))
        return _build(head, tuple(extended), indices, immediate)

    def operands(self, names: tuple[str, ...]) -> tuple[Operand, ...]:
        """Read the operands of these names: those that `operand` reads, but quickly.

        Raises:
            DecodeError: as `operand`.
        """
        words, end, place = self.words, self.end, self.position
        found: list[Operand] = []
        for name in names:
            length = _LENGTHS[words[place]] if place < end else 0
            known = _PLAIN[words[place : place + length]] if 0 < length <= end - place else None
            if known is None:
                self.position = place
                known = self.operand(name)
                place = self.position
            else:
                place += length
            found.append(known)
        self.position = place
        return tuple(found)

    def _say(self, message: str) -> str:
        return message.replace("%version", "SM{}.{}".format(*self.version))

    def _extended(self, name: str) -> int:
        token = self.take(name)
        kind = t.EXTENDED_OPERAND_TYPE.get(token)
        if kind not in (t.EXTENDED_EMPTY, t.EXTENDED_OPERAND_MODIFIER):
            raise self.error(
                f" {name}: extended operand type {kind} is not defined", self.position - 1
            )
        if kind == t.EXTENDED_OPERAND_MODIFIER and t.MODIFIER.get(token) > OperandModifier.ABSNEG:
            raise self.error(
                f" {name}: operand modifier {t.MODIFIER.get(token)} is not defined",
                self.position - 1,
            )
        return token

    def _index(self, name: str, representation: int, depth: int) -> Index:
        immediate = 0
        for _ in range(t.REPRESENTATION_DWORDS[representation]):  # high dword first
            immediate = immediate << 32 | self.take(name)
        if not t.REPRESENTATION_IS_RELATIVE[representation]:
            return Index(immediate, None, representation)
        if depth >= _MAX_DEPTH:
            raise self.error(f" {name}: relative indices are nested deeper than {_MAX_DEPTH}")
        start = self.position
        relative = self.operand(f"{name} index", depth + 1)
        if relative.components != 1 and relative.mode is not SelectionMode.SELECT_1:
            raise self.error(f" {name} index: it must select one component", start)
        return Index(immediate, relative, representation)


def _length(token: int) -> int:
    """Return the dwords of an operand of this first token if it is simple, else 0.

    A simple one has constant indices and at most one extended token.
    """
    head = _HEADS[token]
    if isinstance(head, str) or not head.length:
        return 0
    return head.length + (token >> 31)


def _head(token: int) -> _Head | str:
    """Decode a first token; a string says what is wrong with it."""
    code = t.COMPONENTS.get(token)
    number = t.OPERAND_TYPE.get(token)
    if number > _HIGHEST_TYPE:
        return f"operand type {number} is not defined in %version"
    if code >= len(t.COMPONENT_COUNTS):
        return f"component count code {code} is not defined"
    count = t.COMPONENT_COUNTS[code]
    mode, selection, used = SelectionMode.MASK, (), 0
    if code == 2:
        if t.MODE.get(token) > SelectionMode.SELECT_1:
            return f"component selection mode {t.MODE.get(token)} is not defined"
        mode = SelectionMode(t.MODE.get(token))
        selection, used = _selection(token, mode)
    dimensions = t.DIMENSIONS.get(token)
    representations = tuple(field.get(token) for field in t.REPRESENTATIONS[:dimensions])
    for place, representation in enumerate(representations):
        if representation >= len(t.REPRESENTATION_DWORDS):
            return f"representation {representation} of index {place} is not defined"
        used |= t.REPRESENTATIONS[place].mask
    kind = OperandType(number)
    immediates = _immediate_dwords(kind, count)
    length = 0 if any(representations) else 1 + dimensions + immediates
    used |= t.COMPONENTS.mask | t.OPERAND_TYPE.mask | t.DIMENSIONS.mask | 1 << 31
    return _Head(
        kind, count, mode, selection, representations, immediates, token & ~used,
        length,
    )  # fmt: skip


def _selection(token: int, mode: SelectionMode) -> tuple[tuple[int, ...], int]:
    """Return the chosen components, and the bits of the token that say so."""
    if mode is SelectionMode.MASK:
        bits = t.MASK.get(token)
        return tuple(c for c in range(4) if bits >> c & 1), t.MODE.mask | t.MASK.mask
    fields = t.SWIZZLE if mode is SelectionMode.SWIZZLE else t.SWIZZLE[:1]
    used = t.MODE.mask
    for field in fields:
        used |= field.mask
    return tuple(field.get(token) for field in fields), used


def _immediate_dwords(kind: OperandType, components: int) -> int:
    if kind is OperandType.IMMEDIATE32:
        return components
    if kind is OperandType.IMMEDIATE64:  # four components are two doubles
        return 2 * components if components == 1 else components
    return 0


def _plain(words: tuple[int, ...]) -> Operand | None:
    """Build an operand that has constant indices and at most one extended token, if it is valid."""
    head = _HEADS[words[0]]
    assert not isinstance(head, str)  # noqa: S101 - the caller has looked
    extended = words[1:2] if words[0] >> 31 else ()
    if extended and (extended[0] >> 31 or not _is_extended(extended[0])):
        return None
    indices_at = 1 + len(extended)
    after = indices_at + len(head.representations)
    indices = tuple([_CONSTANTS[w] for w in words[indices_at:after]])
    return _build(head, extended, indices, words[after:])


def _is_extended(token: int) -> bool:
    """Tell whether an extended operand token is one that is defined."""
    kind = t.EXTENDED_OPERAND_TYPE.get(token)
    if kind == t.EXTENDED_OPERAND_MODIFIER:
        return t.MODIFIER.get(token) <= OperandModifier.ABSNEG
    return kind == t.EXTENDED_EMPTY


def _build(
    head: _Head, extended: tuple[int, ...], indices: tuple[Index, ...], immediate: tuple[int, ...]
) -> Operand:
    modifier, precision, non_uniform = read_modifiers(extended)
    return Operand(
        head.type, head.components, head.mode, head.selection, indices, modifier, precision,
        non_uniform, immediate, extended, head.padding,
    )  # fmt: skip


def read_modifiers(extended: tuple[int, ...]) -> tuple[OperandModifier, int, bool]:
    """Return the modifier, minimum precision and non-uniform bit that extended tokens state."""
    modifier, precision, non_uniform = OperandModifier.NONE, 0, False
    for token in extended:
        if t.EXTENDED_OPERAND_TYPE.get(token) == t.EXTENDED_OPERAND_MODIFIER:
            modifier = OperandModifier(t.MODIFIER.get(token))
            precision = t.MIN_PRECISION.get(token)
            non_uniform = bool(t.NON_UNIFORM.get(token))
    return modifier, precision, non_uniform


_HEADS: Memo[int, _Head | str] = Memo(_head, 1 << 13)
_LENGTHS: Memo[int, int] = Memo(_length, 1 << 13)
_PLAIN: Memo[tuple[int, ...], Operand | None] = Memo(_plain, 1 << 15)
_CONSTANTS: Memo[int, Index] = Memo(Index, 1 << 12)
