"""LLVM text to machine code: passes, object code, linking."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from softd3d.errors import InternalError

__all__ = ["Code", "Target", "compile_text", "host", "load_object"]

_FRAME_SIZE = re.compile(r"store i64 (\d+), ptr %frame_size_at")
LARGE_LINES = 12_000  # of LLVM text; from there on compiling must be quick before it is good
_lock = threading.RLock()  # LLVM contexts are not shared between threads


@dataclass(frozen=True, slots=True)
class Target:
    """The machine that code is made for."""

    triple: str
    cpu: str
    features: str

    @property
    def machine(self) -> str:
        return self.triple.split("-", 1)[0]

    @property
    def lanes(self) -> int:
        """The natural number of lanes a wave: what one vector register holds, or two."""
        return 16 if "+avx512f" in self.features else 8

    @property
    def permutes(self) -> bool:
        """Whether 16 lanes can look dwords up in a vector, by an instruction."""
        return self.machine == "x86_64" and "+avx512f" in self.features

    @property
    def registers(self) -> int:
        """The number of vector registers."""
        return 32 if "+avx512f" in self.features or self.machine == "aarch64" else 16


@dataclass(slots=True)
class Code:
    """Loaded machine code: the address of its entry point, and what keeps it in memory."""

    address: int
    tracker: object


@cache
def host() -> Target:
    """Return this process's machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), features)


@cache
def _machine(level: int = 1) -> llvm.TargetMachine:
    """Return a code generator: a quick one for level 0, else a good one."""
    target = host()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2 * level, reloc="pic",
        codemodel="jitdefault", jit=True,
    )  # fmt: skip


@cache
def _jit() -> llvm.LLJIT:
    return llvm.create_lljit_compiler(_machine(), use_jit_link=False)


def compile_text(text: str, *, has_barrier: bool) -> tuple[bytes, int]:
    """Compile a module; return the object file and a wave's coroutine frame size in bytes."""
    with _lock:
        module, level = parsed(text), level_of(text)
        optimise(module, level)
        frame = _frame_bytes(module) if has_barrier else 0
        return emitted(module, level), frame


def level_of(text: str) -> int:
    """Return how much to optimise: 0 takes time in proportion to the code, 1 much more.

    Level 2 would take a fifth longer than 1 and make no kernel of the benchmark faster.
    """
    return 0 if text.count("\n") > LARGE_LINES else 1


def parsed(text: str) -> llvm.ModuleRef:
    """Return LLVM text as a module for this machine."""
    host()
    try:
        module = llvm.parse_assembly(text)
    except RuntimeError as error:
        raise InternalError(f"generated code does not parse: {error}") from error
    module.triple = host().triple
    module.data_layout = str(_machine().target_data)
    return module


def optimise(module: llvm.ModuleRef, level: int) -> None:
    """Run LLVM's passes on a module."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = False
    options.slp_vectorization = False
    options.loop_unrolling = False
    options.loop_interleaving = False
    builder = llvm.create_pass_builder(_machine(level), options)
    if level == 0:  # the slots that carry values between blocks still become registers
        passes = llvm.create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.run(module, builder)
    builder.getModulePassManager().run(module, builder)


def emitted(module: llvm.ModuleRef, level: int) -> bytes:
    """Return the object file of a module."""
    return _machine(level).emit_object(module)


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
        return Code(address, tracker)
