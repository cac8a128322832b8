"""The LLVM module around a wave: the loops over waves and groups, and the entry point.

`softd3d_run(context)` is called once by each thread. It claims chunks of thread groups until none
are left. A program with barriers is a coroutine for each wave, resumed in turn.
"""

from __future__ import annotations

from softd3d.algebra.value import U32
from softd3d.ir.graph import Graph
from softd3d.ir.parts import differing
from softd3d.jit import messages
from softd3d.jit.abi import CONTEXT, LARGEST_CHUNK, MIP_ROW, STATE, Status
from softd3d.jit.emit import WaveEmitter
from softd3d.jit.functions import emit_functions
from softd3d.jit.library import library
from softd3d.jit.target import Target
from softd3d.jit.thread_ids import differing_inputs, emit_inputs, part_shapes
from softd3d.jit.types import constant
from softd3d.jit.writer import Writer
from softd3d.lower.declarations import Declarations
from softd3d.lower.messages import record_type

__all__ = ["build_module", "suspends"]


def build_module(
    graph: Graph, declarations: Declarations, lanes: int, target: Target, parts: int = 1
) -> tuple[str, tuple[int, ...]]:
    """Return the LLVM text for waves of `parts` vectors of `lanes` lanes, and the sites it names.

    sites: the index of the instruction behind each number that may be left in the state's `detail`
    slot, from 1 on.
    """
    size, wave = declarations.group_size, lanes * parts
    shapes = part_shapes(graph, size, lanes, parts)
    apart = frozenset(differing(graph, shapes, differing_inputs(size, lanes, parts)))
    emitter = WaveEmitter(
        graph, shapes, lanes, target.processor, _shared_offsets(declarations), parts, apart
    )
    waves = -(-declarations.threads // wave)
    emitter.permutes = target.permutes and lanes == MIP_ROW
    emitter.row = min(lanes, size[0])
    emitter.suspends = suspends(graph, waves)
    emitter.run([emit_inputs(emitter.w, size, lanes, parts, n) for n in range(parts)])
    parts_of_text = [
        _globals((*declarations.immediate_constants, *graph.words)),
        _wave_function(emitter.w, suspends=emitter.suspends),
        *emit_functions(emitter),
        _group_function(waves, declarations.shared_bytes, graph),
        _run_function(aborts=messages.aborts(graph)),
        _entry_function(target.machine, flushes=not graph.uses_double),
        _RUNTIME,
        *_message_parts(graph),
        "\n".join(sorted(emitter.w.declarations)),
        _attributes(target, flushes=not graph.uses_double),
    ]
    text = "\n".join(parts_of_text)
    text += library(target, clears=text.count("@llvm.memset.") > 1)  # not only declared
    return text, tuple(emitter.sites)


def suspends(graph: Graph, waves: int) -> bool:
    """True if waves wait for each other: a group of one wave has nobody to wait for."""
    return graph.has_barrier and waves > 1


def _message_parts(graph: Graph) -> list[str]:
    sites = graph.messages
    if not sites:
        return []
    return [messages.runtime(record_type(sites).itemsize), messages.comments(sites)]


def _shared_offsets(declarations: Declarations) -> dict[int, int]:
    offsets: dict[int, int] = {}
    at = 0
    for view in sorted(declarations.shared.values(), key=lambda v: v.slot):
        offsets[view.slot] = at
        at += view.size
    return offsets


def _globals(constants: tuple[int, ...]) -> str:
    words = constants or (0,)
    values = ", ".join(f"i32 {constant(U32, word, 0)}" for word in words)
    return (
        f"@softd3d_icb = internal constant [{len(words)} x i32] [{values}], align 64\n"
        "@softd3d_zeros = internal constant [64 x i8] zeroinitializer, align 64\n"
    )


_GROUP_CALL = (
    "ptr %context, ptr %state, ptr %views, ptr %constants, ptr %shared, ptr %site, "
    "i32 %x, i32 %y, i32 %z"
)
_ARGUMENTS = (
    "ptr noalias %context, ptr noalias %state, ptr noalias %views, ptr noalias %constants, "
    "ptr noalias %shared, ptr noalias %site, i32 %wave, i32 %group_x, i32 %group_y, i32 %group_z"
)


def _wave_function(w: Writer, *, suspends: bool) -> str:
    body = "\n".join((*w.allocas, *w.lines))
    end = "" if w.is_terminated else "  br label %bail\n"
    if not suspends:
        return (
            f"define internal void @softd3d_wave({_ARGUMENTS}) #4 {{\nentry:\n{body}\n{end}"
            "bail:\n  ret void\n}\n"
        )
    frames, size = CONTEXT["frames"], CONTEXT["frame_size"]
    return f"""define internal ptr @softd3d_wave({_ARGUMENTS}) #1 {{
entry:
  %id = call token @llvm.coro.id(i32 64, ptr null, ptr null, ptr null)
  %frame_size = call i64 @llvm.coro.size.i64()
  %frame_size_at = getelementptr i64, ptr %context, i64 {size}
  store i64 %frame_size, ptr %frame_size_at
  %frames_at = getelementptr i64, ptr %context, i64 {frames}
  %frames = load ptr, ptr %frames_at
  %frame_at = getelementptr ptr, ptr %frames, i32 %wave
  %frame = load ptr, ptr %frame_at
  %handle = call ptr @llvm.coro.begin(token %id, ptr %frame)
  br label %start
start:
{body}
{end}bail:
  %last = call i8 @llvm.coro.suspend(token none, i1 true)
  switch i8 %last, label %suspend [i8 0, label %never i8 1, label %cleanup]
never:
  unreachable
cleanup:
  %memory = call ptr @llvm.coro.free(token %id, ptr %handle)
  br label %suspend
suspend:
  call void @llvm.coro.end(ptr %handle, i1 false, token none)
  ret ptr %handle
}}
"""


def _group_function(waves: int, shared: int, graph: Graph) -> str:
    size = (shared + 63) // 64 * 64
    clear = (
        f"  call void @llvm.memset.p0.i64(ptr align 64 %shared, i8 0, i64 {size}, i1 false)\n"
        if shared
        else ""
    )
    arguments = _ARGUMENTS.replace(", i32 %wave", "")
    names = ", ".join(a.replace("noalias ", "") for a in _ARGUMENTS.split(", "))
    if not suspends(graph, waves):
        return f"""define internal void @softd3d_group({arguments}) #0 {{
entry:
{clear}  br label %loop
loop:
  %wave = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @softd3d_wave({names})
  %next = add i32 %wave, 1
  %more = icmp ult i32 %next, {waves}
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
    return f"""define internal void @softd3d_group({arguments}) #0 {{
entry:
  %handles = alloca [{waves} x ptr]
{clear}  br label %begin
begin:
  %wave = phi i32 [ 0, %entry ], [ %next, %begin ]
  %bat = phi i64 [ 0, %entry ], [ %bat1, %begin ]
  %btogether = phi i1 [ true, %entry ], [ %btogether1, %begin ]
  %handle = call ptr @softd3d_wave({names})
  %slot = getelementptr ptr, ptr %handles, i32 %wave
  store ptr %handle, ptr %slot
  %bsite = load i64, ptr %site
  %bfirst = icmp eq i32 %wave, 0
  %bat1 = select i1 %bfirst, i64 %bsite, i64 %bat
  %bsame = icmp eq i64 %bsite, %bat1
  %btogether1 = and i1 %btogether, %bsame
  %next = add i32 %wave, 1
  %more = icmp ult i32 %next, {waves}
  br i1 %more, label %begin, label %check
check:
  %together = phi i1 [ %btogether1, %begin ], [ %rtogether1, %resumed ], [ %together, %checked ]
  %i = phi i32 [ 0, %begin ], [ 0, %resumed ], [ %i1, %checked ]
  %count = phi i32 [ 0, %begin ], [ 0, %resumed ], [ %count1, %checked ]
  %islot = getelementptr ptr, ptr %handles, i32 %i
  %ihandle = load ptr, ptr %islot
  %isdone = call i1 @llvm.coro.done(ptr %ihandle)
  br label %checked
checked:
  %one = zext i1 %isdone to i32
  %count1 = add i32 %count, %one
  %i1 = add i32 %i, 1
  %imore = icmp ult i32 %i1, {waves}
  br i1 %imore, label %check, label %decide
decide:
  %all = icmp eq i32 %count1, {waves}
  br i1 %all, label %destroy, label %some
some:
  %none = icmp eq i32 %count1, 0
  %good = and i1 %none, %together
  br i1 %good, label %resume, label %diverged
diverged:
  %dsite = load i64, ptr %site
  {messages.divergence(graph, "%dsite")}
  br label %destroy
resume:
  %r = phi i32 [ 0, %some ], [ %r1, %resume ]
  %rat = phi i64 [ 0, %some ], [ %rat1, %resume ]
  %rtogether = phi i1 [ true, %some ], [ %rtogether1, %resume ]
  %rslot = getelementptr ptr, ptr %handles, i32 %r
  %rhandle = load ptr, ptr %rslot
  call void @llvm.coro.resume(ptr %rhandle)
  %rsite = load i64, ptr %site
  %rfirst = icmp eq i32 %r, 0
  %rat1 = select i1 %rfirst, i64 %rsite, i64 %rat
  %rsame = icmp eq i64 %rsite, %rat1
  %rtogether1 = and i1 %rtogether, %rsame
  %r1 = add i32 %r, 1
  %rmore = icmp ult i32 %r1, {waves}
  br i1 %rmore, label %resume, label %resumed
resumed:
  br label %check
destroy:
  %d = phi i32 [ 0, %decide ], [ 0, %diverged ], [ %d1, %destroy ]
  %dslot = getelementptr ptr, ptr %handles, i32 %d
  %dhandle = load ptr, ptr %dslot
  call void @llvm.coro.destroy(ptr %dhandle)
  %d1 = add i32 %d, 1
  %dmore = icmp ult i32 %d1, {waves}
  br i1 %dmore, label %destroy, label %done
done:
  ret void
}}
"""


def _run_function(*, aborts: bool) -> str:
    past = "" if not aborts else f"""
  %aborted_at = getelementptr i64, ptr %state, i64 {STATE["aborted"]}
  %aborted = load atomic i64, ptr %aborted_at monotonic, align 8
  %past = icmp ugt i64 %g, %aborted
  br i1 %past, label %done, label %within
within:"""  # fmt: skip
    loads = "\n".join(
        f"  %{name}_at = getelementptr i64, ptr %context, i64 {CONTEXT[name]}\n"
        f"  %{name} = load {'ptr' if name in ('state', 'views', 'constants', 'shared') else 'i64'}"
        f", ptr %{name}_at"
        for name in ("state", "views", "constants", "shared", "groups_x", "groups_y", "groups",
                     "pieces")
    )  # fmt: skip
    return f"""define void @softd3d_all(ptr noalias %context) #2 {{
entry:
{loads}
  %site = alloca i64
  store i64 0, ptr %site
  %next_at = getelementptr i64, ptr %state, i64 {STATE["next"]}
  %status_at = getelementptr i64, ptr %state, i64 {STATE["status"]}
  br label %claim
claim:
  %before = load atomic i64, ptr %next_at monotonic, align 8
  %left = call i64 @llvm.usub.sat.i64(i64 %groups, i64 %before)
  %part = udiv i64 %left, %pieces
  %least = call i64 @llvm.umax.i64(i64 %part, i64 1)
  %chunk = call i64 @llvm.umin.i64(i64 %least, i64 {LARGEST_CHUNK})
  %first = atomicrmw add ptr %next_at, i64 %chunk monotonic
  %any = icmp ult i64 %first, %groups
  br i1 %any, label %some, label %done
some:
  %wanted = add i64 %first, %chunk
  %fits = icmp ult i64 %wanted, %groups
  %end = select i1 %fits, i64 %wanted, i64 %groups
  br label %group
group:
  %g = phi i64 [ %first, %some ], [ %g1, %go ]{past}
  %row = udiv i64 %g, %groups_x
  %x64 = urem i64 %g, %groups_x
  %z64 = udiv i64 %row, %groups_y
  %y64 = urem i64 %row, %groups_y
  %x = trunc i64 %x64 to i32
  %y = trunc i64 %y64 to i32
  %z = trunc i64 %z64 to i32
  call void @softd3d_group({_GROUP_CALL})
  %status = load atomic i64, ptr %status_at monotonic, align 8
  %stopped = icmp ne i64 %status, 0
  br i1 %stopped, label %done, label %go
go:
  %g1 = add i64 %g, 1
  %more = icmp ult i64 %g1, %end
  br i1 %more, label %group, label %claim
done:
  ret void
}}
"""


def _entry_function(machine: str, *, flushes: bool) -> str:
    """Set the float mode around the run: flush-to-zero unless doubles forbid it."""
    if machine == "x86_64":
        mode = 0x9FC0 if flushes else 0x1F80  # FTZ and DAZ; exceptions masked, round to nearest
        return f"""define void @softd3d_run(ptr %context) #2 {{
  %old = alloca i32
  %new = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %old)
  store i32 {mode}, ptr %new
  call void @llvm.x86.sse.ldmxcsr(ptr %new)
  call void @softd3d_all(ptr %context)
  call void @llvm.x86.sse.ldmxcsr(ptr %old)
  ret void
}}
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
"""
    # FZ; all else off: other rounding, default NaN, what is new in AH and NEP, traps.
    mode = 1 << 24 if flushes else 0
    return f"""define void @softd3d_run(ptr %context) #2 {{
  %old = call i64 @llvm.aarch64.get.fpcr()
  call void @llvm.aarch64.set.fpcr(i64 {mode})
  call void @softd3d_all(ptr %context)
  call void @llvm.aarch64.set.fpcr(i64 %old)
  ret void
}}
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
"""


_RUNTIME = f"""
define internal void @softd3d_stop(ptr %state, i64 %why, i64 %site) #3 {{
  %at = getelementptr i64, ptr %state, i64 {STATE["status"]}
  %pair = cmpxchg ptr %at, i64 0, i64 %why monotonic monotonic
  %first = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %first, label %note, label %done
note:
  %detail = getelementptr i64, ptr %state, i64 {STATE["detail"]}
  store i64 %site, ptr %detail
  br label %done
done:
  ret void
}}
define internal i32 @softd3d_refill(ptr %state, i64 %chunk, i64 %site) #3 {{
  %status_at = getelementptr i64, ptr %state, i64 {STATE["status"]}
  %status = load atomic i64, ptr %status_at monotonic, align 8
  %stopped = icmp ne i64 %status, 0
  br i1 %stopped, label %quit, label %take
take:
  %budget_at = getelementptr i64, ptr %state, i64 {STATE["budget"]}
  %before = atomicrmw sub ptr %budget_at, i64 %chunk monotonic
  %enough = icmp sgt i64 %before, %chunk
  br i1 %enough, label %more, label %spent
spent:
  call void @softd3d_stop(ptr %state, i64 {Status.BUDGET}, i64 %site)
  br label %quit
quit:
  ret i32 0
more:
  %again = trunc i64 %chunk to i32
  ret i32 %again
}}
declare i64 @llvm.usub.sat.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare i64 @llvm.coro.size.i64()
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare ptr @llvm.coro.free(token, ptr)
declare void @llvm.coro.end(ptr, i1, token)
declare void @llvm.coro.resume(ptr)
declare void @llvm.coro.destroy(ptr)
declare i1 @llvm.coro.done(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""


def _attributes(target: Target, *, flushes: bool) -> str:
    # Windows's C library would touch large frames page by page: a worker's stack has all its pages.
    probes = ' "no-stack-arg-probe"' if target.is_windows else ""
    mode = ' "denormal-fp-math"="preserve-sign,preserve-sign"' if flushes else ""
    width = f' "prefer-vector-width"="512" "no-trapping-math"="true"{probes}'
    return (
        f"attributes #0 = {{ nounwind{mode}{width} }}\n"
        f"attributes #1 = {{ nounwind presplitcoroutine{mode}{width} }}\n"
        f"attributes #2 = {{ nounwind noinline{mode}{width} }}\n"
        "attributes #3 = { nounwind noinline cold }\n"
        f"attributes #4 = {{ nounwind alwaysinline{mode}{width} }}\n"
    )
