"""One parameter of a signature table in a listing's comments, however its columns stand.

// m0:NAME  INDEX  MASK or N/A  REGISTER  SYSTEM-VALUE  FORMAT  USED
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeVar

from softd3d.container.listing.tables import FORMATS, PRECISIONS, SYSTEM_VALUES
from softd3d.container.reflection.enums import MinPrecision, RegisterComponentType, SystemValue
from softd3d.container.reflection.signature import SignatureElement
from softd3d.isa.asm.diagnostic import Mistake, shown, suggestion

__all__ = ["parse_row"]

T = TypeVar("T")

_MASK = r"(?=[xyzw])x?\s*y?\s*z?\s*w?"  # components may stand in their places: " y w"
_STREAM = re.compile(r"\s*+//\s*+(?:m([0-9]):\s*+)?")
_NAME = re.compile(r"\S.*?(?=\s++[0-9]++\s++(?:N/A|[xyzw]))|\S++")
_INDEX = re.compile(r"[0-9]{1,10}(?!\S)")
_MASK_FIELD = re.compile(rf"(?:N/A|{_MASK})(?!\S)")
_WORD = re.compile(r"\S++")
_USED_COMPONENTS = re.compile(rf"(?:{_MASK})?\s*\Z")
_USED_WORD = re.compile(r"(?:YES|NO)?\s*\Z")
_ANY = re.compile(r"\S*+")
_NO_MASK = "N/A"
_YES = "YES"
_FULL_MASK = 15
_ALONE = 1  # the mask of a value without a numbered register
_LARGEST = (1 << 32) - 1
_LONGEST_LINE = 1000

_VALUES: dict[str, SystemValue] = {
    **{value.name: value for value in SystemValue},
    **{text: value for value, text in SYSTEM_VALUES.items()},
}
_COMPONENT_TYPES: dict[str, tuple[RegisterComponentType, MinPrecision]] = {
    "unknown": (RegisterComponentType.UNKNOWN, MinPrecision.DEFAULT),
    **{text: (kind, MinPrecision.DEFAULT) for kind, text in FORMATS.items()},
    PRECISIONS[MinPrecision.FLOAT_16]: (RegisterComponentType.FLOAT32, MinPrecision.FLOAT_16),
    PRECISIONS[MinPrecision.FLOAT_2_8]: (RegisterComponentType.FLOAT32, MinPrecision.FLOAT_2_8),
    PRECISIONS[MinPrecision.SINT_16]: (RegisterComponentType.SINT32, MinPrecision.SINT_16),
    PRECISIONS[MinPrecision.UINT_16]: (RegisterComponentType.UINT32, MinPrecision.UINT_16),
}


class _Fields:
    """Takes the fields of a line one by one, from the left."""

    def __init__(self, line: str) -> None:
        self.line = line
        self.place = self.end = 0

    def take(self, pattern: re.Pattern[str], wanted: str) -> str:
        """Return the next field, which begins at `place` then.

        Raises:
            Mistake: the line ends, or what stands there does not match.
        """
        self.place = len(self.line) - len(self.line[self.end :].lstrip())
        found = pattern.match(self.line, self.place)
        if found is None:
            word = _ANY.match(self.line, self.place)
            raise self.mistake(f"wanted {wanted}, found {shown(word[0] if word else '')}")
        self.end = found.end()
        return found[0].rstrip()

    def mistake(self, message: str) -> Mistake:
        """Return a mistake at the field that was taken last."""
        return Mistake(f"signature table: {message}", self.place)


@lru_cache(maxsize=4096)
def parse_row(line: str, *, rw_is_read: bool) -> SignatureElement:
    """Return the parameter of a table's line, a comment.

    rw_is_read: of the element's masks, see `SignatureElement`.

    Raises:
        Mistake: a field is missing or wrong.

    >>> row = parse_row("// TEXCOORD 1 xy 2 NONE float x", rw_is_read=True)
    >>> row.name, row.semantic_index, row.register, row.mask, row.rw_mask
    ('TEXCOORD', 1, 2, 3, 1)
    """
    if len(line) > _LONGEST_LINE:
        raise Mistake(f"signature table: a line of more than {_LONGEST_LINE} characters")
    fields = _Fields(line)
    stream = _STREAM.match(line)
    fields.end = stream.end() if stream else 0
    name = fields.take(_NAME, "a semantic's name")
    index = int(fields.take(_INDEX, "a semantic index"))
    if index > _LARGEST:
        raise fields.mistake(f"index {index} does not fit")
    mask_text = fields.take(_MASK_FIELD, f"a mask such as xyz or y w, or {_NO_MASK}")
    register = _register(fields, has_number=mask_text != _NO_MASK)
    value = _known(fields, _VALUES, "system value")
    kind, precision = _known(fields, _COMPONENT_TYPES, "format")
    if register is None:
        mask = _ALONE
        used = _ALONE if fields.take(_USED_WORD, "YES or NO: whether it is used") == _YES else 0
    else:
        mask = _mask(mask_text)
        used = _mask(fields.take(_USED_COMPONENTS, "the used components, such as xyz or y w"))
    rw_mask = used if rw_is_read else ~used & _FULL_MASK
    return _as_stored(
        SignatureElement(
            int(stream[1] or 0) if stream else 0, name, index, value, kind, register, mask,
            rw_mask, precision,
        )
    )  # fmt: skip


def _register(fields: _Fields, *, has_number: bool) -> int | None:
    """Return a register's number; None for a value without one, behind the mask N/A."""
    word = fields.take(_WORD, "a register's number" if has_number else "a register's name")
    is_number = word.isascii() and word.isdecimal()
    if not has_number:
        if is_number:
            raise fields.mistake(f"register {shown(word)} needs a mask, found {_NO_MASK}")
        return None
    if not is_number:
        raise fields.mistake(
            f"wanted a register's number, found {shown(word)}; without one the mask is {_NO_MASK}"
        )
    number = int(word) if len(word) <= len(str(_LARGEST)) else _LARGEST
    if number >= _LARGEST:  # which is how a signature says that there is none
        raise fields.mistake(f"register {word[:40]} does not fit")
    return number


def _known(fields: _Fields, known: dict[str, T], what: str) -> T:
    word = fields.take(_WORD, f"a {what}")
    if word not in known:
        raise fields.mistake(f"{shown(word)} is no {what}{suggestion(word, known)}")
    return known[word]


def _as_stored(element: SignatureElement) -> SignatureElement:
    """Leave out a system value that the semantic's name says, as the compiler does."""
    bare = SignatureElement(
        element.stream, element.name, element.semantic_index, SystemValue.UNDEFINED,
        element.component_type, element.register, element.mask, element.rw_mask,
        element.min_precision,
    )  # fmt: skip
    return bare if bare.meaning is element.system_value else element


def _mask(text: str) -> int:
    return sum(1 << n for n, c in enumerate("xyzw") if c in text)
