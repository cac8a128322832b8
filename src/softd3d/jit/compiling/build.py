"""From a bound program, or a recorded one, to an object file and the facts of its runs."""

from __future__ import annotations

from dataclasses import replace

from softd3d.classes import dataclass
from softd3d.ir.graph import Check, Graph, no_check
from softd3d.isa.sm4.enums import ProgramType
from softd3d.jit.codegen.module import build_module, suspends
from softd3d.jit.codegen.width import wave_width
from softd3d.jit.compiling.compiler import compile_text
from softd3d.jit.compiling.process import compile_apart
from softd3d.jit.compiling.stack import stack_bytes
from softd3d.jit.compiling.target import Target, host
from softd3d.jit.entries.lanes import LanesEntry, lanes_entry
from softd3d.jit.entries.thread_groups import ThreadGroupEntry
from softd3d.jit.entries.tiles import TileEntry
from softd3d.jit.facts import Facts
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.invocations import lanes_together
from softd3d.lower.messages import record_type
from softd3d.lower.to_ir import lower

__all__ = ["Module", "build_kernel", "compile_module", "compiles_apart", "module_text"]

_LINES_AT_ONCE = 6000  # of LLVM text, a third of a second; a process needs much of that to start


@dataclass(frozen=True, slots=True)
class Module:
    """A program as LLVM text. facts: without the size of coroutine frames, which LLVM finds."""

    text: str
    has_barrier: bool
    facts: Facts
    target: Target


def build_kernel(bound: BoundProgram, lanes: int, check: Check = no_check) -> tuple[bytes, Facts]:
    """Lower and compile a program for `lanes` lanes a wave, 0 for what suits it.

    check: called now and then while that takes long; what it raises ends the work.

    Raises:
        DecodeError, LoweringError, ResourceError: the program cannot be lowered.
    """
    return compile_module(module_text(lower(bound, check), bound.declarations, lanes), check)


def module_text(graph: Graph, declarations: Declarations, lanes: int) -> Module:
    """Return the LLVM text of a recorded program, for the machine that `host` names."""
    target, entry = host(), _entry_of(graph, declarations)
    vector, parts = wave_width(graph, entry, target, lanes)
    built = build_module(graph, declarations, entry, vector, target, parts)
    width = vector * parts
    messages = record_type(graph.messages, graph.places).itemsize if graph.messages else 0
    facts = Facts(
        entry.waves(width), declarations.shared_bytes, 0, tuple(graph.poison_rules), built.sites,
        messages, built.work, built.repeats,
    )  # fmt: skip
    if isinstance(entry, LanesEntry):
        facts = replace(facts, width=width, inputs=entry.inputs, outputs=entry.outputs)
    return Module(built.text, suspends(graph, entry, width), facts, target)


def _entry_of(graph: Graph, declarations: Declarations) -> ThreadGroupEntry | LanesEntry:
    """Return the entry point that invocations of a stage have by themselves."""
    if declarations.stage is ProgramType.CS:
        groups = TileEntry if graph.places else ThreadGroupEntry
        return groups(declarations.group_size, declarations.shared_bytes)
    return lanes_entry(graph, lanes_together(declarations.stage))


def compiles_apart(module: Module) -> bool:
    """Whether a module is compiled in a process of its own, which can be stopped."""
    return module.text.count("\n") > _LINES_AT_ONCE


def compile_module(module: Module, check: Check = no_check) -> tuple[bytes, Facts]:
    """Compile LLVM text; return the object file and all facts. check: as in `build_kernel`."""
    text, facts = module.text, module.facts
    is_straight = facts.width > 0 and not facts.repeats and not module.has_barrier
    how = {"has_barrier": module.has_barrier, "is_straight": is_straight}
    found = None
    if compiles_apart(module):
        found = compile_apart(text, module.target, check, **how)
    code, frame_bytes = found or compile_text(text, module.target, **how)
    stack = stack_bytes(code, module.target.machine)
    return code, replace(module.facts, frame_bytes=frame_bytes, stack_bytes=stack)
