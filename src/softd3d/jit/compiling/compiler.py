"""LLVM text to machine code: passes, object code, linking."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from softd3d.classes import dataclass
from softd3d.errors import InternalError
from softd3d.forking import held_over_fork
from softd3d.jit.compiling.target import Target, host

__all__ = ["Code", "Target", "compile_text", "host", "load_object"]

_FRAME_SIZE = re.compile(r"store i64 (\d+), ptr %frame_size_at")
LARGE_LINES = 12_000  # of LLVM text; from there on compiling must be quick before it is good
DIVISION_LINES = 32  # what one of a vector counts as: it becomes code for each lane
_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_lock = held_over_fork(threading.RLock())  # LLVM contexts are not shared between threads
_LLVMLITE_LOCK: Any = getattr(llvm.ffi.lib, "_lock", None)
if _LLVMLITE_LOCK is not None:  # around each call of LLVM, those that free things too
    held_over_fork(_LLVMLITE_LOCK, is_inner=True)


@dataclass(slots=True)
class Code:
    """Loaded machine code. function: its entry point, which takes an address.

    tracker: what keeps it in memory.
    """

    function: Callable[[int], object]
    tracker: object


@cache
def _machine(target: Target, level: int) -> llvm.TargetMachine:
    return target.code_generator(level)


@cache
def _jit() -> llvm.LLJIT:
    return llvm.create_lljit_compiler(_machine(host(), 1), use_jit_link=False)


def compile_text(
    text: str, target: Target, *, has_barrier: bool, is_straight: bool = False
) -> tuple[bytes, int]:
    """Compile a module; return the object file and a wave's coroutine frame size in bytes.

    is_straight: as for `optimise`.
    """
    with _lock:
        module, level = parsed(text, target), level_of(text)
        optimise(module, target, level, has_barrier=has_barrier, is_straight=is_straight)
        frame = _frame_bytes(module) if has_barrier else 0
        return emitted(module, target, level), frame


def level_of(text: str) -> int:
    """Return how much to optimise: 0 takes time in proportion to the code, 1 much more.

    Level 2 would take a fifth longer than 1 and make no kernel of the benchmark faster.
    """
    divisions = text.count(" udiv <") + text.count(" urem <")
    return 0 if text.count("\n") + DIVISION_LINES * divisions > LARGE_LINES else 1


def parsed(text: str, target: Target) -> llvm.ModuleRef:
    """Return LLVM text as a module for a machine."""
    try:
        module = llvm.parse_assembly(text)
    except RuntimeError as error:
        raise InternalError(f"generated code does not parse: {error}") from error
    module.triple = target.triple
    module.data_layout = str(_machine(target, 1).target_data)
    return module


def optimise(
    module: llvm.ModuleRef, target: Target, level: int, *,
    has_barrier: bool = False, is_straight: bool = False,
) -> None:  # fmt: skip
    """Run LLVM's passes on a module.

    has_barrier: waves are coroutines, which only the whole pipeline takes apart. Others go through
    the part for functions alone: two fifths of the time, and code as fast. is_straight: a wave has
    no loops and never waits. A fifth of those passes' time then gives code that is as fast and as
    large.
    """
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = False
    options.loop_interleaving = False
    builder = llvm.create_pass_builder(_machine(target, level), options)
    first = llvm.create_new_module_pass_manager()
    if level == 0:  # the slots that carry values between blocks still become registers
        first.add_sroa_pass()
        first.add_simplify_cfg_pass()
    elif not has_barrier:
        first.add_always_inliner_pass()
        first.add_global_dead_code_eliminate_pass()
    if is_straight and level > 0:
        first.add_sroa_pass()
        first.add_simplify_cfg_pass()
        first.add_instruction_combine_pass()
        first.add_simplify_cfg_pass()
    first.run(module, builder)
    if level == 0 or has_barrier:
        builder.getModulePassManager().run(module, builder)
    elif not is_straight:
        for function in module.functions:
            if not function.is_declaration:
                builder.getFunctionPassManager().run(function, builder)


def emitted(module: llvm.ModuleRef, target: Target, level: int) -> bytes:
    """Return the object file of a module."""
    return _machine(target, level).emit_object(module)


def _frame_bytes(module: llvm.ModuleRef) -> int:
    """Read the size that coroutine splitting found; the ramp function stores it."""
    sizes = {int(n) for f in module.functions for n in _FRAME_SIZE.findall(str(f))}
    if len(sizes) != 1:
        raise InternalError(f"coroutine frame sizes {sorted(sizes)}, wanted one")
    return sizes.pop()


_counter = 0


def load_object(data: bytes) -> Code:
    """Link an object file into the process."""
    global _counter  # noqa: PLW0603 - names of libraries must be unique in a process
    with _lock:
        _counter += 1
        builder = llvm.JITLibraryBuilder().add_object_img(data).export_symbol("softd3d_run")
        tracker: Any = builder.link(_jit(), f"softd3d{_counter}")
        address: int = tracker["softd3d_run"]
        return Code(_ENTRY(address), tracker)
