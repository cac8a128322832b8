"""The processor that code is made for, and what LLVM has no instruction for on it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

import llvmlite.binding as llvm

from softd3d.classes import dataclass
from softd3d.errors import LoweringError

__all__ = ["Processor", "Target", "code_for", "host"]

# What systems call the processors that we make code for.
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


@dataclass(frozen=True, slots=True)
class Processor:
    """How a processor computes float32, as far as processors differ.

    fuses: it has instructions for fma, in float32 and float64. rounds: for floor and the like.
    flushes_early: in flush mode it decides before rounding what is tiny, as Arm does; x86 after.
    """

    fuses: bool = True
    rounds: bool = True
    flushes_early: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """The machine that code is made for, in LLVM's words: of the processor, a name and features."""

    triple: str
    cpu: str
    features: str

    @property
    def machine(self) -> str:
        """The instruction set: x86_64 or aarch64, however the system calls it.

        Raises:
            LoweringError: it is another one.
        """
        name = self.triple.split("-", 1)[0]
        if name not in _MACHINES:
            raise LoweringError(
                f"engine jit makes code for x86_64 and aarch64, found {name}; "
                "use engine='interpreter'"
            )
        return _MACHINES[name]

    def vector_of(self, lanes: int) -> int:
        """Return the lanes of a vector where a wave has so many."""
        return min(lanes, self.lanes) if lanes > 16 else lanes

    @property
    def is_windows(self) -> bool:
        return "windows" in self.triple

    @property
    def is_darwin(self) -> bool:
        return "-apple-" in self.triple

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

    @property
    def processor(self) -> Processor:
        return _processor(self)

    def code_generator(self, level: int) -> llvm.TargetMachine:
        """Return LLVM's code generator: a quick one for level 0, else a good one."""
        return llvm.Target.from_triple(self.triple).create_target_machine(
            cpu=self.cpu, features=self.features, opt=2 * level, reloc="pic",
            codemodel="jitdefault", jit=True,
        )  # fmt: skip


_chosen: ContextVar[Target | None] = ContextVar("_chosen", default=None)


def host() -> Target:
    """Return the machine to make code for: this process's, or what `code_for` says.

    Raises:
        LoweringError: no code can be made for its processor.
    """
    native = _process()
    target = _chosen.get() or native
    _ = target.machine  # or the error
    return target


@contextmanager
def code_for(target: Target) -> Generator[None]:
    """Make code for another processor inside of a `with` statement, in this thread.

    A run of code with instructions that this processor has not ends the process.
    """
    token = _chosen.set(target)
    try:
        yield
    finally:
        _chosen.reset(token)


@cache
def _process() -> Target:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), features)


_PROBE = """
define <4 x float> @fused(<4 x float> %a) {
  %b = call <4 x float> @llvm.fma.v4f32(<4 x float> %a, <4 x float> %a, <4 x float> %a)
  ret <4 x float> %b
}
define <4 x float> @rounded(<4 x float> %a) {
  %b = call <4 x float> @llvm.floor.v4f32(<4 x float> %a)
  ret <4 x float> %b
}
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <4 x float> @llvm.floor.v4f32(<4 x float>)
"""


@cache
def _processor(target: Target) -> Processor:
    """Ask LLVM: it calls the C library for what a processor has no instruction for.

    Names of processors imply features, and features each other; only LLVM knows all that.
    """
    if target.machine == "aarch64":
        return Processor(flushes_early=True)
    module = llvm.parse_assembly(_PROBE)
    module.triple = target.triple
    code = target.code_generator(0).emit_object(module)
    return Processor(fuses=b"fmaf" not in code, rounds=b"floorf" not in code)
