"""Native code of shader messages: records in a bounded buffer of each CPU thread.

A CPU thread runs its groups in ascending order, so each keeps the first records of its own, and
the first of all are among them: which ones are kept depends on nothing else. A full buffer gives
its last record (of the highest thread) for one of a lower thread, which a later instruction of the
same group may make.
"""

from __future__ import annotations

from softd3d.ir.graph import Graph
from softd3d.isa.shader_message import MessageKind, MessageSite
from softd3d.jit.abi import RECORD_BYTES, Status
from softd3d.jit.codegen.writer import Writer
from softd3d.jit.entries.entry import Entry, Inputs

__all__ = ["aborts", "comments", "divergence", "emit_message", "refill"]


def aborts(graph: Graph) -> bool:
    """Tell whether a program may abort."""
    return any(site.kind is MessageKind.ABORT for site in graph.messages)


def divergence(site: str, group: str | None) -> str:
    """Return the call at a barrier that not all threads of a group reach.

    site: an i64. group: its number, if the program may abort: the others wait in vain then.
    """
    if group is None:
        return f"call void @softd3d_stop(ptr %state, i64 {Status.DIVERGENT_BARRIER}, i64 {site})"
    return f"call void @softd3d_diverged(ptr %context, ptr %state, i64 {group}, i64 {site})"


def refill(group: str | None, chunk: int, site: int) -> str:
    """Return the call in a loop that takes more of the budget: 0 if the wave is to stop.

    group: its number, if the program may abort: one after the aborting one stops too, and nobody
    sees it.
    """
    if group is None:
        return f"call i32 @softd3d_refill(ptr %state, i64 {chunk}, i64 {site})"
    return f"call i32 @softd3d_refill_before(ptr %state, i64 {group}, i64 {chunk}, i64 {site})"


def comments(sites: tuple[MessageSite, ...]) -> str:
    """Return comments for a module, so that its text differs where its messages do."""
    return "\n".join(f"; {site.number} {site.kind} {site.text!a} {site.location}" for site in sites)


def emit_message(
    w: Writer, entry: Entry, inputs: Inputs, site: MessageSite, mask: str, words: list[str]
) -> None:
    """Emit a record for each set lane of a vector mask, lowest first. words: vectors of i32."""
    note, done = w.label(), w.label()
    bits = w.bits(mask)
    w.branch(w.emit(f"icmp ne i{w.lanes} {bits}, 0"), note, done)
    w.place(note)
    slots = [w.slot(f"<{w.lanes} x i32>") for _ in words]
    for slot, word in zip(slots, words, strict=True):
        w.do(f"store <{w.lanes} x i32> {word}, ptr {slot}, align 64")
    group = entry.group(w, inputs, bits)
    with w.each_bit(bits) as (lane, _):
        place = entry.place(w, inputs, group, lane)
        record = w.emit(f"call ptr @softd3d_message(ptr %context, i64 {place}, i32 {site.number})")
        fill, following = w.label(), w.label()
        w.branch(w.emit(f"icmp ne ptr {record}, null"), fill, following)
        w.place(fill)
        for n, slot in enumerate(slots):
            value = w.emit(f"load i32, ptr {w.emit(f'getelementptr i32, ptr {slot}, i32 {lane}')}")
            to = w.emit(f"getelementptr i8, ptr {record}, i64 {RECORD_BYTES + 4 * n}")
            w.do(f"store i32 {value}, ptr {to}")
        w.place(following)
    if site.kind is MessageKind.ABORT:
        w.do(f"call void @softd3d_abort(ptr %context, ptr %state, i64 {group})")
    w.place(done)
