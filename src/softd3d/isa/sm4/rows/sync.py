"""Memory fences and the group barrier. Spec: D3D11.3 section 7.14, inst_SYNC."""

from __future__ import annotations

from softd3d.isa.machine import Machine
from softd3d.isa.roles import Counts
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode, SyncFlags
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []


@TABLE.effect(Opcode.SYNC, "sync", "=", Controls.SYNC, counts=Counts.BARRIER, spec="inst_SYNC")
def sync(m: Machine, flags: SyncFlags) -> None:
    """Order memory accesses, and wait for all threads of the group if the flags say so."""
    m.barrier(flags)
