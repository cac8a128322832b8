"""How a rule of SM1-3 is written: chapter of the reference, and Microsoft's own codes for it."""

from __future__ import annotations

from softd3d.errors import Severity
from softd3d.isa.report import Rule

__all__ = ["HEADER", "error", "warning"]

HEADER = "d3d9types.h"


def error(code: str, text: str, page: str, native: str = "") -> Rule:
    """Return a rule that Direct3D enforces.

    page: a chapter or page of the Direct3D 9 shader assembly reference. native: the codes of the
    validator in Microsoft's assembler, which has one for each family of versions.
    """
    return Rule(f"SM1-{code}", Severity.ERROR, text, _source(page, native))


def warning(code: str, text: str, page: str, native: str = "") -> Rule:
    """Return a rule that Direct3D does not enforce; the parameters are those of an error."""
    return Rule(f"SM1-{code}", Severity.WARNING, text, _source(page, native))


def _source(page: str, native: str) -> str:
    return f"{page}: {', '.join(native.split())}" if native else page
