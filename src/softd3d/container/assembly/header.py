"""The signature tables in a listing's comments, read back: the inverse of `listing/tables.py`.

What a table does not say is what Microsoft's compiler stores.
"""

from __future__ import annotations

import re
from dataclasses import field

from softd3d.classes import dataclass
from softd3d.container.assembly.row import parse_row
from softd3d.container.reflection.signature import MAX_ELEMENTS, Signature, SignatureElement
from softd3d.isa.asm.diagnostic import MOST_DIAGNOSTICS, Diagnostic, Mistake
from softd3d.isa.sm4.enums import ProgramType

__all__ = ["SignatureTables", "read_signature_tables"]

_TITLE = re.compile(r"//\s*(Input|Output|Patch Constant) signature:\s*\Z")
_EMPTY = re.compile(r"//\s*no (?:Input|Output|Patch Constant)\s*\Z")
_HEAD = re.compile(r"//\s*(?:Name\s+Index\s|[-\s]+\Z)")
_INPUT, _OUTPUT, _PATCH_CONSTANT = "Input", "Output", "Patch Constant"


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
    for number, whole in enumerate(lines, 1):
        line = whole.strip()
        if not line.startswith("//"):
            title = ""  # there may be Direct3D 9 code before the tables
            continue
        heading = _TITLE.match(line)
        if heading is not None:
            title = heading.group(1)
            found.setdefault(title, [])
        elif title and _EMPTY.match(line):
            title = ""
        elif title and line == "//":
            title = "" if found[title] else title
        elif title and not _HEAD.match(line):
            is_full = len(found[title]) >= MAX_ELEMENTS
            _add_row(found[title], whole, title, stage, number, tables.diagnostics)
            if is_full or len(tables.diagnostics) >= MOST_DIAGNOSTICS:
                break
    tables.inputs = _signature(found, _INPUT)
    tables.outputs = _signature(found, _OUTPUT)
    tables.patch_constants = _signature(found, _PATCH_CONSTANT)
    return tables


def _signature(found: dict[str, list[SignatureElement]], title: str) -> Signature | None:
    return Signature(tuple(found[title])) if title in found else None


def _add_row(
    elements: list[SignatureElement], line: str, title: str, stage: ProgramType, number: int,
    diagnostics: list[Diagnostic],
) -> None:  # fmt: skip
    """Add the parameter of a table's line; if the line is wrong, that is noted."""
    is_read = title == _INPUT or (title == _PATCH_CONSTANT and stage is ProgramType.DS)
    if len(elements) >= MAX_ELEMENTS:
        message = f"signature table: more than {MAX_ELEMENTS} parameters"
        diagnostics.append(Diagnostic(message, number, 1, line))
        return
    try:
        elements.append(parse_row(line, rw_is_read=is_read))
    except Mistake as mistake:
        diagnostics.append(Diagnostic(mistake.message, number, mistake.position + 1, line))
