"""The LLVM module of a program: the function of a wave, and what calls it.

`softd3d_run(context)` is called once by each thread. The loops around waves are those of an entry
point (`jit/entries`), the text that is always the same is in files (`jit/runtime`).
"""

from __future__ import annotations

from softd3d.algebra.value import U32
from softd3d.classes import dataclass
from softd3d.ir.graph import Graph
from softd3d.ir.parts import differing, shifts
from softd3d.jit.abi import MIP_ROW
from softd3d.jit.codegen import messages
from softd3d.jit.codegen.emit import WaveEmitter
from softd3d.jit.codegen.fences import plain_memory
from softd3d.jit.codegen.functions import emit_functions
from softd3d.jit.codegen.library import library
from softd3d.jit.codegen.types import constant
from softd3d.jit.codegen.wave import Wave
from softd3d.jit.compiling.target import Target
from softd3d.jit.entries.entry import Entry, parameters, part_shapes
from softd3d.jit.runtime import runtime
from softd3d.lower.declarations import Declarations
from softd3d.lower.messages import record_type

__all__ = ["ModuleText", "build_module", "suspends"]

# Exceptions masked, round to nearest: of x86 also FTZ and DAZ, of Arm FZ, if code is to flush. On
# Arm all else is off: other rounding, default NaN, what is new in AH and NEP, traps.
_FLOAT_MODES = {"x86_64": (0x1F80, 0x9FC0), "aarch64": (0, 1 << 24)}


@dataclass(frozen=True, slots=True)
class ModuleText:
    """The LLVM text of a program. work, repeats: of its `Facts`.

    sites: the index of the instruction behind each number that may be left in the state's `detail`
    slot, from 1 on.
    """

    text: str
    sites: tuple[int, ...]
    work: int
    repeats: bool


def build_module(
    graph: Graph, declarations: Declarations, entry: Entry, lanes: int, target: Target,
    parts: int = 1,
) -> ModuleText:  # fmt: skip
    """Return the LLVM text for waves of `parts` vectors of `lanes` lanes, and what it tells."""
    shapes = part_shapes(graph, entry, lanes, parts, between=True)
    apart, shifted = differing(graph, shapes, entry.differing(lanes, parts)), shifts(graph, shapes)
    wave = Wave(
        lanes, target.processor, entry, _shared_offsets(declarations), parts,
        apart=frozenset(apart - shifted.keys()), shifts=shifted,
        permutes=target.permutes and lanes == MIP_ROW,
        row=entry.row(lanes),
        suspends=suspends(graph, entry, lanes * parts),
        plain=plain_memory(graph),
    )  # fmt: skip
    emitter = WaveEmitter(graph, shapes, wave)
    emitter.begin()
    emitter.run()
    flushes = not graph.uses_double
    parts_of_text = [
        _globals((*declarations.immediate_constants, *graph.words)),
        _wave_function(emitter),
        *emit_functions(emitter),
        entry.loops(
            lanes * parts, suspends=wave.suspends, says=bool(graph.messages),
            aborts=messages.aborts(graph),
        ),
        _entry_function(target.machine, flushes=flushes),
        runtime("stop"),
        *_message_parts(graph),
        "\n".join(sorted(emitter.w.declarations)),
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        _attributes(target, flushes=flushes),
    ]  # fmt: skip
    text = "\n".join(parts_of_text)
    text += library(target, clears=text.count("@llvm.memset.") > 1)  # not only declared
    return ModuleText(text, tuple(emitter.sites), emitter.work, emitter.repeats)


def suspends(graph: Graph, entry: Entry, width: int) -> bool:
    """True if waves wait for each other: a group of one wave has nobody to wait for."""
    return graph.has_barrier and entry.waves(width) > 1


def _message_parts(graph: Graph) -> list[str]:
    sites = graph.messages
    if not sites:
        return []
    return [
        runtime("messages", stride=record_type(sites, graph.places).itemsize),
        messages.comments(sites),
    ]


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


def _wave_function(emitter: WaveEmitter) -> str:
    w, wave = emitter.w, emitter.wave
    return runtime(
        "coroutine" if wave.suspends else "wave",
        arguments=parameters(wave.entry.arguments),
        body="\n".join((*w.allocas, *w.lines)),
        end="" if w.is_terminated else "  br label %bail\n",
    )


def _entry_function(machine: str, *, flushes: bool) -> str:
    """Return the function that sets the float mode around the run: no flushing with doubles."""
    return runtime(f"float_mode_{machine}", mode=_FLOAT_MODES[machine][flushes])


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
