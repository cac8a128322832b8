"""The memory that native code and Python share: layouts, in 8-byte slots."""

from __future__ import annotations

from softd3d.isa.machine import Info

__all__ = ["CONTEXT", "INFO_SLOT", "MAX_THREADS", "STATE", "VIEW_SLOTS", "Status"]

# One for each thread and dispatch.
CONTEXT = {
    name: slot
    for slot, name in enumerate(
        ("state", "views", "constants", "shared", "frames", "frame_size", "groups_x", "groups_y",
         "groups", "chunk")
    )
}  # fmt: skip
# One for each dispatch, updated atomically.
STATE = {
    name: slot
    for slot, name in enumerate(("next", "status", "cancel", "budget", "poison", "detail"))
}
# One for each bound view: base address, counter address, mip table, then the facts.
VIEW_SLOTS = 16
INFO_SLOT = {field: 3 + n for n, field in enumerate(Info)}
LOOP_CHUNK = 1 << 14  # iterations between two looks at the budget


class Status:
    """Why native code stopped: values of the state's `status` slot."""

    DONE = 0
    BUDGET = 1
    CANCELLED = 2
    DIVERGENT_BARRIER = 3


MAX_THREADS = 1024
"""Threads that a caller may ask for."""
