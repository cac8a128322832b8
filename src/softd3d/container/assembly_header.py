"""The signature tables in a listing's comments, read back: the inverse of `listing_tables`.

What a table does not say is what Microsoft's compiler stores.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from softd3d.container.enums import MinPrecision, RegisterComponentType, SystemValue
from softd3d.container.listing_tables import FORMATS, PRECISIONS, SYSTEM_VALUES
from softd3d.container.signature import MAX_ELEMENTS, Signature, SignatureElement
from softd3d.isa.asm.diagnostic import Diagnostic, shown, suggestion
from softd3d.isa.sm4.enums import ProgramType

__all__ = ["SignatureTables", "read_signature_tables"]

_TITLE = re.compile(r"//\s*(Input|Output|Patch Constant) signature:\s*\Z")
_EMPTY = re.compile(r"//\s*no (?:Input|Output|Patch Constant)\s*\Z")
_HEAD = re.compile(r"//\s*(?:Name\s+Index\s|-{4,}\s+-)")
_ELEMENT = re.compile(
    r"//\s+(?:m(?P<stream>\d):)?(?P<name>\S.*?)\s+(?P<index>\d+)   "
    r"(?P<mask> N/A|[x ][y ][z ][w ])\s+(?P<register>\S+)\s+(?P<value>\S+)\s+(?P<format>\S+)"
    r"(?:   (?P<used>.{0,4}))?\s*\Z"
)
_INPUT, _OUTPUT, _PATCH_CONSTANT = "Input", "Output", "Patch Constant"
_FULL_MASK = 15
_ALONE = 1  # the mask of a value without a numbered register
_YES, _NO = "YES", "NO"
_MOST_DIAGNOSTICS = 20
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


@dataclass(slots=True)
class SignatureTables:
    """The tables of a text; None: it has none of that kind."""

    inputs: Signature | None = None
    outputs: Signature | None = None
    patch_constants: Signature | None = None
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])


def read_signature_tables(lines: list[str], stage: ProgramType) -> SignatureTables:
    """Return the signatures that the comments of a listing's lines tabulate.

    Lines that are no tables are passed over; wrong lines of a table are in `diagnostics`.
    """
    found: dict[str, list[SignatureElement]] = {}
    tables = SignatureTables()
    title = ""
    for number, line in enumerate(lines, 1):
        if not line.startswith("//"):
            title = ""  # there may be Direct3D 9 code before the tables
            continue
        heading = _TITLE.match(line)
        if heading is not None:
            title = heading.group(1)
            found.setdefault(title, [])
        elif title and not _HEAD.match(line):
            text = line[2:].strip()
            if not text or _EMPTY.match(line):
                title = title if not found[title] and not _EMPTY.match(line) else ""
                continue
            element = _element(line, number, title, stage, tables.diagnostics)
            if len(found[title]) >= MAX_ELEMENTS:
                message = f"signature table: more than {MAX_ELEMENTS} parameters"
                tables.diagnostics.append(Diagnostic(message, number, 1, line))
                break
            if element is not None:
                found[title].append(element)
    tables.inputs = _signature(found, _INPUT)
    tables.outputs = _signature(found, _OUTPUT)
    tables.patch_constants = _signature(found, _PATCH_CONSTANT)
    del tables.diagnostics[_MOST_DIAGNOSTICS:]
    return tables


def _signature(found: dict[str, list[SignatureElement]], title: str) -> Signature | None:
    return Signature(tuple(found[title])) if title in found else None


def _element(
    line: str, number: int, title: str, stage: ProgramType, diagnostics: list[Diagnostic]
) -> SignatureElement | None:
    """Return the parameter of a table's line; None if the line is wrong, which is noted."""
    row = _ELEMENT.match(line) if len(line) <= _LONGEST_LINE else None
    if row is None:
        message = "wanted name, index, mask, register, system value, format and used components"
        diagnostics.append(Diagnostic(f"signature table: {message}", number, 3, line))
        return None
    value, kind = _VALUES.get(row["value"]), _COMPONENT_TYPES.get(row["format"])
    for group, word, known in (("value", value, _VALUES), ("format", kind, _COMPONENT_TYPES)):
        if word is None:
            what = "system value" if group == "value" else "format"
            message = f"{shown(row[group])} is no {what}{suggestion(row[group], known)}"
            place = row.start(group) + 1
            diagnostics.append(Diagnostic(f"signature table: {message}", number, place, line))
            return None
    is_numbered = row["register"].isdecimal() and row["mask"] != " N/A"
    register = int(row["register"][:10]) if is_numbered else None
    mask = _mask(row["mask"]) if register is not None else _ALONE
    if value is None or kind is None or (register or 0) >= 0xFFFFFFFF:
        message = f"register {row['register']} does not fit"
        diagnostics.append(Diagnostic(message, number, row.start("register") + 1, line))
        return None
    used = (row["used"] or "").strip()
    reads = _used(used, register is not None)
    is_read = title == _INPUT or (title == _PATCH_CONSTANT and stage is ProgramType.DS)
    element = SignatureElement(
        int(row["stream"] or 0), row["name"], int(row["index"][:9]), value, kind[0], register, mask,
        reads if is_read else ~reads & _FULL_MASK, kind[1],
    )  # fmt: skip
    return _as_stored(element)


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


def _used(text: str, is_numbered: bool) -> int:  # noqa: FBT001
    if is_numbered:
        return _mask(text)
    return _ALONE if text == _YES else 0
