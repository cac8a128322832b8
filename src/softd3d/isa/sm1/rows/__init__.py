"""Rows of SM1-3, by chapter; importing the package fills `table.TABLE`."""

from __future__ import annotations

from softd3d.isa.sm1.rows import (
    arithmetic,
    declarations,
    derivatives,
    elementary,
    flow,
    texture,
    texture_address,
    vector,
)
from softd3d.isa.sm1.rows.table import TABLE

__all__ = ["CHAPTERS", "TABLE"]

CHAPTERS = (
    arithmetic, vector, elementary, texture, texture_address, derivatives, flow, declarations,
)  # fmt: skip
