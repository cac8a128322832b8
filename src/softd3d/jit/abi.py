"""The memory that native code and Python share: layouts, in 8-byte slots."""

from __future__ import annotations

from softd3d.isa.machine import Info

__all__ = [
    "CONSTANT_SLOTS",
    "CONTEXT",
    "INFO_SLOT",
    "MAX_THREADS",
    "MESSAGES",
    "MIP_ROW",
    "RECORD_BYTES",
    "STATE",
    "VIEW_SLOTS",
    "Status",
]

# One for each thread and dispatch, or batch. groups: what threads claim, of a batch its waves.
# count, inputs, outputs: of a batch, its lanes and tables of arrays.
CONTEXT = {
    name: slot
    for slot, name in enumerate(
        ("state", "views", "constants", "shared", "frames", "frame_size", "groups_x", "groups_y",
         "groups", "pieces", "messages", "count", "inputs", "outputs")
    )
}  # fmt: skip
# One for each dispatch, updated atomically. detail: the site (counted from 1) of what stopped it.
# aborted: the first group that has executed abort, as an unsigned number.
STATE = {
    name: slot
    for slot, name in enumerate(("next", "status", "budget", "poison", "detail", "aborted"))
}
# Messages of one thread: where records are, how many fit and are there; all that were made; the
# record to give up first, once they are full; the last group that aborted.
MESSAGES = {
    name: slot for slot, name in enumerate(("records", "limit", "count", "seen", "last", "aborted"))
}
RECORD_BYTES = 24  # before the operands: lower.messages.record_type
# One for each bound view: base address, counter address, mip table, then the facts.
VIEW_SLOTS = 16
MIP_ROW = 16  # dwords of a mip table for each MipInfo: one a level, of which there are 15 at most
CONSTANT_SLOTS = 2  # one for each constant buffer: address, vectors
INFO_SLOT = {field: 3 + n for n, field in enumerate(Info)}
LOOP_CHUNK = 1 << 14  # iterations between two looks at the budget, of loops that are short
LOOP_WORK = 1 << 22  # operations between two looks, of loops that are long
LARGEST_CHUNK = 1 << 16  # thread groups that a thread claims at once
SHARES = 16  # a thread claims this fraction of what would be its part of the groups that are left


class Status:
    """Why native code stopped: values of the state's `status` slot."""

    DONE = 0
    BUDGET = 1
    CANCELLED = 2
    DIVERGENT_BARRIER = 3


MAX_THREADS = 1024
"""Threads that a caller may ask for."""
