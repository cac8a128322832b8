"""One row per opcode of SM4.0-5.1, by chapter; importing the package fills `table.TABLE`."""

from __future__ import annotations

from softd3d.isa.sm4.rows import (
    arithmetic as _arithmetic,
    atomic as _atomic,
    bitwise as _bitwise,
    compare as _compare,
    convert as _convert,
    declarations as _declarations,
    double as _double,
    flow as _flow,
    geometry as _geometry,
    integer as _integer,
    memory as _memory,
    move as _move,
    pixel as _pixel,
    resource as _resource,
    sampling as _sampling,
    sync as _sync,
)
from softd3d.isa.sm4.rows.table import TABLE

__all__ = ["TABLE"]
