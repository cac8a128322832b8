"""What stands before a statement's operands: mnemonic, endings, offsets, dimension, types."""

from __future__ import annotations

import re
from functools import lru_cache

from softd3d.classes import dataclass
from softd3d.isa.asm.diagnostic import Mistake, shown, suggestion
from softd3d.isa.asm.sm4 import words as w
from softd3d.isa.asm.sm4.parse_custom_data import MESSAGES
from softd3d.isa.asm.sm4.parse_operand import COMPONENTS, Role
from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.controls import PRECISE, SATURATE, TEST
from softd3d.isa.sm4.enums import (
    Opcode,
    ResourceDimension,
    ReturnType,
    SyncFlags,
)
from softd3d.isa.sm4.extended import extended_tokens
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["HEAD", "Head", "full_head", "simple_head"]

_FULL_MASK = 15

HEAD = re.compile(
    r"([A-Za-z_]\w*)(\s*\[\s*precise\s*(?:\(\s*([A-Za-z]*)\s*\))?\s*\])?((?:\s*\([^()]*\))*)(_\w+)?"
)
_GROUP = re.compile(r"\(([^()]*)\)")
_OFFSETS = re.compile(r"\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*\Z")
_STRIDE = re.compile(r"stride\s*=\s*(\d+)\Z")

_ROWS: dict[str, Row] = {
    name.lower(): row for name, row in TABLE.by_mnemonic.items() if row.kind is not Kind.DECLARATION
}
_DIMENSIONS: dict[str, int] = {text: number for number, text in w.DIMENSIONS.items()}
_DIMENSIONS[w.UNKNOWN_DIMENSION] = ResourceDimension.UNKNOWN
_RETURN_TYPES: dict[str, int] = {text: number for number, text in w.RETURN_TYPES.items()}
_SIGN_OR_DIGIT = tuple("-0123456789")
_TESTS = {"_nz": TEST.put(1), "_z": 0}
_NUMBERS = ("_uint", "_rcpfloat")
_RESINFO = {text: t.RESINFO_TYPE.put(number) for number, text in w.RESINFO_TYPES.items()}
_SAMPLEINFO = {text: t.SAMPLEINFO_TYPE.put(number) for number, text in w.SAMPLEINFO_TYPES.items()}
_KNOWN = [
    name if Controls.TEST not in row.controls else f"{name}{test}"
    for name, row in _ROWS.items()
    for test in _TESTS
]
_SYNC = {flag: w.sync_ending(flag) for flag in SyncFlags}
_SAT, _INDEXABLE, _AOFFIMMI = "_sat", "_indexable", "_aoffimmi"
_OLD_OFFSETS = "_o"  # of disassemblers before 9.29


@dataclass(frozen=True, slots=True)
class Head:
    """What stands before the operands says. roles: of the operands, in order."""

    opcode: Opcode
    roles: tuple[Role, ...]
    controls: int = 0
    texel_offsets: tuple[int, int, int] = (0, 0, 0)
    dimension: ResourceDimension | None = None
    stride: int = 0
    return_types: tuple[ReturnType, ...] = ()
    extended: tuple[int, ...] = ()
    is_plain: bool = True  # no extended tokens, no dwords before the operands


@lru_cache(maxsize=4096)
def simple_head(text: str) -> Head | None:
    """Return what a head without blanks says; None if it is none or needs a closer look."""
    found = HEAD.fullmatch(text)
    if found is None:
        return None
    try:
        return full_head(found)
    except Mistake:
        return None


def full_head(found: re.Match[str]) -> Head:
    """Return what a match of `HEAD` says.

    Raises:
        Mistake: there is no such mnemonic, or its endings and groups do not fit together.
    """
    name, precise, mask, groups, ending = found.groups()
    row, endings, controls = _row(name, ending or "")
    if precise:
        controls |= PRECISE.put(_FULL_MASK if mask is None else _mask(mask, found.start(3)))
    roles = (Role.WRITTEN,) * len(row.destinations) + (Role.READ,) * len(row.sources)
    if Opcode(row.opcode) is Opcode.INTERFACE_CALL or groups or _AOFFIMMI in endings:
        return _with_groups(found, row, roles, controls, endings)
    if _INDEXABLE in endings:
        raise Mistake(f"{name} needs a dimension such as (texture2d)", found.end(1))
    return Head(Opcode(row.opcode), roles, controls)


def _mask(text: str, at: int) -> int:
    wrong = next((n for n, letter in enumerate(text.lower()) if letter not in COMPONENTS), None)
    if wrong is not None:
        raise Mistake(f"{shown(text[wrong])} is no component, wanted x, y, z or w", at + wrong)
    return sum({1 << COMPONENTS[letter] for letter in text.lower()})


def _row(name: str, ending: str) -> tuple[Row, set[str], int]:
    """Return the row of a mnemonic, its endings about layout, and the controls of the others."""
    rest, controls = (name + ending).lower(), 0
    endings: set[str] = set()
    if rest.startswith("sync"):
        return TABLE[Opcode.SYNC], endings, _sync(rest)
    test = next((text for text in _TESTS if rest.endswith(text)), "")
    tested = _ROWS.get(rest.removesuffix(test).removesuffix(_SAT))
    if test and tested is not None and Controls.TEST in tested.controls:
        is_saturated = rest.removesuffix(test).endswith(_SAT)
        return tested, endings, _TESTS[test] | SATURATE.put(int(is_saturated))
    for number in _NUMBERS:
        if rest.endswith(number) and rest not in _ROWS:
            rest = rest.removesuffix(number)
            endings.add(number)
    for text in (_SAT, _INDEXABLE, _AOFFIMMI, _OLD_OFFSETS):
        if rest.endswith(text):
            rest = rest.removesuffix(text)
            endings.add(text)
    row = _ROWS.get(rest)
    if row is None:
        known = (*_KNOWN, *MESSAGES, *TABLE.by_mnemonic)
        raise Mistake(f"{shown(name)} is no instruction{suggestion(rest, known)}")
    return row, endings, controls | _ended(row, endings)


def _ended(row: Row, endings: set[str]) -> int:
    """Return the controls that endings say."""
    controls = SATURATE.put(1) if _SAT in endings else 0
    if Controls.TEST in row.controls:
        if Opcode(row.opcode) is not Opcode.DISCARD:
            raise Mistake(f"{row.mnemonic} needs _z or _nz", len(row.mnemonic))
        return controls | _TESTS["_nz"]  # as older disassemblers write it
    number = "".join(sorted(endings.intersection(_NUMBERS)))
    if Controls.RESINFO_TYPE in row.controls and number in _RESINFO:
        return controls | _RESINFO[number]
    if Controls.SAMPLEINFO_TYPE in row.controls and number in _SAMPLEINFO:
        return controls | _SAMPLEINFO[number]
    if number:
        raise Mistake(f"{row.mnemonic} has no ending {number}", len(row.mnemonic))
    return controls


def _sync(text: str) -> int:
    """Return the controls of sync; _sat is another word for the bit of _ugroup."""
    rest, controls = text.removeprefix("sync"), 0
    if rest.startswith(_SAT):
        rest = rest.removeprefix(_SAT)
        controls |= SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GROUP
    position = len(text) - len(rest)
    for part in rest.split("_")[1:]:
        flag = next((flag for flag, ending in _SYNC.items() if ending == f"_{part}"), None)
        if flag is None:
            known = " ".join(_SYNC.values())
            raise Mistake(
                f"sync has no ending {shown('_' + part)}, wanted some of {known}", position
            )
        controls |= flag
        position += len(part) + 1
    if rest and rest[0] != "_":
        raise Mistake(f"{shown(text)} is no instruction, did you mean sync?")
    return controls


def _with_groups(
    found: re.Match[str], row: Row, roles: tuple[Role, ...], controls: int, endings: set[str]
) -> Head:
    """Read texel offsets, dimension with stride, and return types, in parentheses."""
    offsets: tuple[int, int, int] | None = None
    dimension: ResourceDimension | None = None
    stride, types = 0, tuple[ReturnType, ...]()
    for group in _GROUP.finditer(found.group(4)):
        text, at = group.group(1), found.start(4) + group.start(1)
        is_first = offsets is None and dimension is None
        if is_first and (_AOFFIMMI in endings or text.strip()[:1] in _SIGN_OR_DIGIT):
            offsets = _texel_offsets(text, at)
        elif dimension is None:
            dimension, stride = _dimension(text, at)
        elif not types:
            types = _return_types(text, at)
        else:
            raise Mistake(f"({text}) is one group too many", at - 1)
    if _AOFFIMMI in endings and offsets is None:
        raise Mistake(f"{found.group(1)} needs offsets such as (1,0,0)", found.end(1))
    if (_INDEXABLE in endings) != (dimension is not None):
        raise Mistake(f"{found.group(1)}: _indexable and a dimension go together", found.end(1))
    extended = extended_tokens(offsets, dimension, stride, types)
    return Head(
        Opcode(row.opcode), roles, controls, offsets or (0, 0, 0), dimension, stride, types,
        extended, Opcode(row.opcode) is not Opcode.INTERFACE_CALL,
    )  # fmt: skip


def _texel_offsets(text: str, at: int) -> tuple[int, int, int]:
    found = _OFFSETS.match(text)
    numbers = [int(number[:12]) for number in found.groups()] if found is not None else [99]
    if not all(-8 <= number <= 7 for number in numbers):
        raise Mistake(f"wanted three offsets from -8 to 7, found {shown(text)}", at)
    u, v, w_ = numbers
    return u, v, w_


def _dimension(text: str, at: int) -> tuple[ResourceDimension, int]:
    name, comma, rest = text.partition(",")
    number = _DIMENSIONS.get(name.strip().lower())
    if not name.strip():
        raise Mistake("wanted a dimension such as texture2d, found nothing", at)
    if number is None:
        raise Mistake(
            f"{shown(name.strip())} is no dimension{suggestion(name.strip(), _DIMENSIONS)}", at
        )
    stride = _STRIDE.match(rest.strip()) if comma else None
    if comma and stride is None:
        raise Mistake(f"wanted stride=N, found {shown(rest.strip())}", at + len(name) + 1)
    value = int(stride.group(1)[:10]) if stride is not None else 0
    try:
        t.EXTENDED_STRIDE.put(value)
    except ValueError:
        raise Mistake(f"stride {value} does not fit its 12 bits", at + len(name) + 1) from None
    return ResourceDimension(number), value


def _return_types(text: str, at: int) -> tuple[ReturnType, ...]:
    types: list[ReturnType] = []
    for part in text.split(","):
        number = _RETURN_TYPES.get(part.strip().lower())
        if number is None:
            raise Mistake(
                f"{shown(part.strip())} is no return type{suggestion(part.strip(), _RETURN_TYPES)}",
                at,
            )
        types.append(ReturnType(number))
        at += len(part) + 1
    if len(types) != len(t.EXTENDED_RETURN_TYPES):
        raise Mistake(f"wanted four return types, found {len(types)}", at - 1)
    return tuple(types)
