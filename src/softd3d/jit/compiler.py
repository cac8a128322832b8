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
def _machine(level: int = 2) -> llvm.TargetMachine:
    """Return a code generator of optimisation level 0 or 2."""
    target = host()
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=level, reloc="pic", codemodel="jitdefault",
        jit=True,
    )  # fmt: skip


@cache
def _jit() -> llvm.LLJIT:
    return llvm.create_lljit_compiler(_machine(), use_jit_link=False)


def compile_text(text: str, *, has_barrier: bool) -> tuple[bytes, int]:
    """Compile a module; return the object file and a wave's coroutine frame size in bytes."""
    with _lock:
        host()
        try:
            module = llvm.parse_assembly(text)
        except RuntimeError as error:
            raise InternalError(f"generated code does not parse: {error}") from error
        module.triple = host().triple
        module.data_layout = str(_machine().target_data)
        level = 0 if text.count("\n") > LARGE_LINES else 2
        _optimise(module, level)
        frame = _frame_bytes(module) if has_barrier else 0
        return _machine(level).emit_object(module), frame


def _optimise(module: llvm.ModuleRef, level: int) -> None:
    """Run LLVM's passes. Level 0 takes time in proportion to the code, level 2 much more."""
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
