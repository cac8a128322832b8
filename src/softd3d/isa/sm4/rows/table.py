"""The table that the row modules of SM4-5.1 fill."""

from __future__ import annotations

from softd3d.isa.row import Table

__all__ = ["TABLE"]

TABLE = Table(has_statistics=True)
