"""Native code of shader messages: records in a bounded buffer of each CPU thread.

A CPU thread runs its groups in ascending order, so each keeps the first records of its own, and
the first of all are among them: which ones are kept depends on nothing else. A full buffer gives
its last record (of the highest thread) for one of a lower thread, which a later instruction of the
same group may make.
"""

from __future__ import annotations

from softd3d.ir.graph import Graph
from softd3d.isa.shader_message import MessageKind, MessageSite
from softd3d.jit.abi import CONTEXT, MESSAGES, RECORD_BYTES, STATE, Status
from softd3d.jit.writer import Writer
from softd3d.lower.messages import PLACE_SHIFT

__all__ = ["aborts", "comments", "divergence", "emit_message", "refill", "runtime"]


def aborts(graph: Graph) -> bool:
    """Tell whether a program may abort."""
    return any(site.kind is MessageKind.ABORT for site in graph.messages)


def divergence(graph: Graph, site: str) -> str:
    """Return the call at a barrier that not all threads of a group reach. site: an i64."""
    if aborts(graph):
        groups = "i32 %group_x, i32 %group_y, i32 %group_z"
        return f"call void @softd3d_diverged(ptr %context, ptr %state, {groups}, i64 {site})"
    return f"call void @softd3d_stop(ptr %state, i64 {Status.DIVERGENT_BARRIER}, i64 {site})"


def refill(graph: Graph, chunk: int, site: int) -> str:
    """Return the call in a loop that takes more of the budget: 0 if the wave is to stop.

    Where a program may abort, a group after the aborting one stops too, and nobody sees it.
    """
    if not aborts(graph):
        return f"call i32 @softd3d_refill(ptr %state, i64 {chunk}, i64 {site})"
    place = "ptr %context, ptr %state, i32 %group_x, i32 %group_y, i32 %group_z"
    return f"call i32 @softd3d_refill_before({place}, i64 {chunk}, i64 {site})"


def comments(sites: tuple[MessageSite, ...]) -> str:
    """Return comments for a module, so that its text differs where its messages do."""
    return "\n".join(f"; {site.number} {site.kind} {site.text!a} {site.location}" for site in sites)


def emit_message(w: Writer, site: MessageSite, first: str, mask: str, words: list[str]) -> None:
    """Emit a record for each set lane of a vector mask, lowest first.

    first: the number in the group of lane 0, an i32. words: vectors of i32.
    """
    note, done = w.label(), w.label()
    bits = w.bits(mask)
    w.branch(w.emit(f"icmp ne i{w.lanes} {bits}, 0"), note, done)
    w.place(note)
    slots = [w.slot(f"<{w.lanes} x i32>") for _ in words]
    for slot, word in zip(slots, words, strict=True):
        w.do(f"store <{w.lanes} x i32> {word}, ptr {slot}, align 64")
    group = w.emit(
        "call i64 @softd3d_group_number(ptr %context, i32 %group_x, i32 %group_y, i32 %group_z)"
    )
    with w.each_bit(bits) as (lane, _):
        thread = w.emit(f"zext i32 {w.emit(f'add i32 {first}, {lane}')} to i64")
        place = w.emit(f"or i64 {w.emit(f'shl i64 {group}, {PLACE_SHIFT}')}, {thread}")
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


def runtime(stride: int) -> str:
    """Return the functions that messages need. stride: bytes of a record."""
    at = {
        name: f"  %{name}_at = getelementptr i64, ptr %box, i64 {slot}"
        for name, slot in MESSAGES.items()
    }
    box = f"""  %box_at = getelementptr i64, ptr %context, i64 {CONTEXT["messages"]}
  %box = load ptr, ptr %box_at"""
    return f"""
define internal i64 @softd3d_group_number(ptr %context, i32 %x, i32 %y, i32 %z) #3 {{
  %groups_x_at = getelementptr i64, ptr %context, i64 {CONTEXT["groups_x"]}
  %groups_x = load i64, ptr %groups_x_at
  %groups_y_at = getelementptr i64, ptr %context, i64 {CONTEXT["groups_y"]}
  %groups_y = load i64, ptr %groups_y_at
  %x64 = zext i32 %x to i64
  %y64 = zext i32 %y to i64
  %z64 = zext i32 %z to i64
  %slices = mul i64 %z64, %groups_y
  %rows = add i64 %slices, %y64
  %before = mul i64 %rows, %groups_x
  %number = add i64 %before, %x64
  ret i64 %number
}}
define internal ptr @softd3d_message(ptr %context, i64 %place, i32 %site) #3 {{
entry:
{box}
{at["records"]}
  %records = load ptr, ptr %records_at
{at["limit"]}
  %limit = load i64, ptr %limit_at
{at["count"]}
  %count = load i64, ptr %count_at
{at["seen"]}
  %seen = load i64, ptr %seen_at
{at["last"]}
  %last = load i64, ptr %last_at
  %seen1 = add i64 %seen, 1
  store i64 %seen1, ptr %seen_at
  %room = icmp ult i64 %count, %limit
  br i1 %room, label %more, label %full
more:
  %count1 = add i64 %count, 1
  store i64 %count1, ptr %count_at
  br label %write
full:
  %none = icmp eq i64 %limit, 0
  br i1 %none, label %dropped, label %compare
compare:
  %last_offset = mul i64 %last, {stride}
  %last_record = getelementptr i8, ptr %records, i64 %last_offset
  %last_place = load i64, ptr %last_record
  %earlier = icmp ult i64 %place, %last_place
  br i1 %earlier, label %write, label %dropped
write:
  %index = phi i64 [ %count, %more ], [ %last, %compare ]
  %held = phi i64 [ %count1, %more ], [ %limit, %compare ]
  %offset = mul i64 %index, {stride}
  %record = getelementptr i8, ptr %records, i64 %offset
  store i64 %place, ptr %record
  %sequence_at = getelementptr i64, ptr %record, i64 1
  store i64 %seen, ptr %sequence_at
  %where_at = getelementptr i64, ptr %record, i64 2
  store i32 %site, ptr %where_at
  %is_full = icmp eq i64 %held, %limit
  br i1 %is_full, label %scan, label %done
scan:
  %n = phi i64 [ 0, %write ], [ %n1, %scan ]
  %best = phi i64 [ 0, %write ], [ %best1, %scan ]
  %best_place = phi i64 [ -1, %write ], [ %best_place1, %scan ]
  %best_sequence = phi i64 [ -1, %write ], [ %best_sequence1, %scan ]
  %n_offset = mul i64 %n, {stride}
  %n_record = getelementptr i8, ptr %records, i64 %n_offset
  %n_place = load i64, ptr %n_record
  %n_sequence_at = getelementptr i64, ptr %n_record, i64 1
  %n_sequence = load i64, ptr %n_sequence_at
  %higher = icmp sgt i64 %n_place, %best_place
  %same = icmp eq i64 %n_place, %best_place
  %later = icmp sgt i64 %n_sequence, %best_sequence
  %both = and i1 %same, %later
  %better = or i1 %higher, %both
  %best1 = select i1 %better, i64 %n, i64 %best
  %best_place1 = select i1 %better, i64 %n_place, i64 %best_place
  %best_sequence1 = select i1 %better, i64 %n_sequence, i64 %best_sequence
  %n1 = add i64 %n, 1
  %again = icmp ult i64 %n1, %limit
  br i1 %again, label %scan, label %found
found:
  store i64 %best1, ptr %last_at
  br label %done
done:
  ret ptr %record
dropped:
  ret ptr null
}}
define internal void @softd3d_abort(ptr %context, ptr %state, i64 %group) #3 {{
{box}
{at["aborted"]}
  store i64 %group, ptr %aborted_at
  %all_at = getelementptr i64, ptr %state, i64 {STATE["aborted"]}
  %old = atomicrmw umin ptr %all_at, i64 %group monotonic
  ret void
}}
define internal i1 @softd3d_past(ptr %state, i64 %group) #3 {{
  %all_at = getelementptr i64, ptr %state, i64 {STATE["aborted"]}
  %first = load atomic i64, ptr %all_at monotonic, align 8
  %past = icmp ugt i64 %group, %first
  ret i1 %past
}}
define internal i32 @softd3d_refill_before(
  ptr %context, ptr %state, i32 %x, i32 %y, i32 %z, i64 %chunk, i64 %site
) #3 {{
entry:
  %group = call i64 @softd3d_group_number(ptr %context, i32 %x, i32 %y, i32 %z)
  %past = call i1 @softd3d_past(ptr %state, i64 %group)
  br i1 %past, label %quit, label %ask
ask:
  %more = call i32 @softd3d_refill(ptr %state, i64 %chunk, i64 %site)
  ret i32 %more
quit:
  ret i32 0
}}
define internal void @softd3d_diverged(
  ptr %context, ptr %state, i32 %x, i32 %y, i32 %z, i64 %site
) #3 {{
{box}
{at["aborted"]}
  %aborted = load i64, ptr %aborted_at
  %group = call i64 @softd3d_group_number(ptr %context, i32 %x, i32 %y, i32 %z)
  %own = icmp eq i64 %aborted, %group
  %past = call i1 @softd3d_past(ptr %state, i64 %group)
  %ended = or i1 %own, %past
  br i1 %ended, label %done, label %stop
stop:
  call void @softd3d_stop(ptr %state, i64 {Status.DIVERGENT_BARRIER}, i64 %site)
  br label %done
done:
  ret void
}}
"""
