"""LLVM text to machine code: passes, object code, an in-process and an on-disk cache."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import platformdirs

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


@dataclass(slots=True)
class Code:
    """Loaded machine code. frame_bytes: of one wave's coroutine, 0 without barriers."""

    address: int
    frame_bytes: int
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


def load_object(data: bytes, frame_bytes: int) -> Code:
    """Link an object file into the process."""
    global _counter  # noqa: PLW0603 - names of libraries must be unique in a process
    with _lock:
        _counter += 1
        builder = llvm.JITLibraryBuilder().add_object_img(data).export_symbol("softd3d_run")
        tracker: Any = builder.link(_jit(), f"softd3d{_counter}")
        address: int = tracker["softd3d_run"]
        return Code(address, frame_bytes, tracker)


class DiskCache:
    """Object files by key. Damaged or foreign files are ignored; writes are atomic."""

    _MAGIC = b"softd3d1"

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or Path(platformdirs.user_cache_dir("softd3d"))

    def key(self, *parts: bytes | str) -> str:
        """Return the name for everything that the code depends on."""
        target = host()
        digest = hashlib.sha256()
        for part in (*parts, target.triple, target.cpu, target.features, llvmlite.__version__):
            data = part.encode() if isinstance(part, str) else part
            digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()

    def get(self, key: str) -> tuple[bytes, int] | None:
        try:
            data = (self.folder / key).read_bytes()
        except OSError:
            return None
        magic, checksum, rest = data[:8], data[8:40], data[40:]
        if magic != self._MAGIC or hashlib.sha256(rest).digest() != checksum:
            return None
        return rest[8:], int.from_bytes(rest[:8], "little")

    def put(self, key: str, code: bytes, frame_bytes: int) -> None:
        rest = frame_bytes.to_bytes(8, "little") + code
        data = self._MAGIC + hashlib.sha256(rest).digest() + rest
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
                file.write(data)
            os.replace(file.name, self.folder / key)  # noqa: PTH105 - atomic on every system
        except OSError:
            return  # a cache that cannot be written is only slower
