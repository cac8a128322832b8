"""One row per opcode of SM4.0-5.1, by chapter; importing the package fills `table.TABLE`."""

from __future__ import annotations

from softd3d.isa.sm4.rows import (
    arithmetic,
    atomic,
    bitwise,
    compare,
    convert,
    declarations,
    double,
    flow,
    geometry,
    integer,
    memory,
    move,
    pixel,
    resource,
    sampling,
    sync,
)
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["CHAPTERS", "TABLE"]

CHAPTERS = (
    move,
    arithmetic,
    double,
    compare,
    convert,
    integer,
    bitwise,
    resource,
    memory,
    atomic,
    sync,
    sampling,
    pixel,
    geometry,
    flow,
    declarations,
)
