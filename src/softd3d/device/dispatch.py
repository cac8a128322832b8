"""Run compute shaders: one call, or prepare once and run often."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypedDict, TypeVar

from softd3d.device.bind import bind
from softd3d.device.registers import Key
from softd3d.device.shader import Shader
from softd3d.errors import LoweringError, ResourceError
from softd3d.jit.abi import MAX_THREADS

if TYPE_CHECKING:
    from softd3d.jit.engine import CompiledKernel
    from softd3d.lower.bound import BoundProgram
    from softd3d.lower.outcome import Outcome

__all__ = ["ENGINES", "Dispatch", "dispatch"]

ENGINES = ("jit", "interpreter")
MAX_GROUPS = 65535
_LANES = (0, 4, 8, 16, 32, 64, 128)
_T = TypeVar("_T")
Progress: TypeAlias = "Callable[[int, int], None]"


class _Limit(TypedDict, total=False):
    """The budget, where one is given: each engine has its own default."""

    budget: int


class Dispatch:
    """A shader with its bindings, compiled; each call runs it once on the arrays as they are.

    Constants are copied when it is made; the resources' arrays are the caller's own.
    """

    def __init__(
        self, shader: Shader, groups: Sequence[int], *,
        constants: Mapping[Key, object] | None = None,
        srvs: Mapping[Key, object] | None = None,
        uavs: Mapping[Key, object] | None = None,
        engine: str = "jit", threads: int = 0, lanes: int = 0,
        budget: int | None = None, progress: Progress | None = None,
    ) -> None:  # fmt: skip
        """Check everything and compile.

        groups: thread groups in x, y, z, each at most 65535. threads: of the CPU, 0 for all.
        lanes: invocations that the JIT runs side by side (4, 8, 16, 32, 64, 128), 0 for what suits
            the shader and the CPU. Results do not depend on it.
        budget: when to stop a run that does not end: after so many loop iterations of the JIT's
        waves, or instructions of the interpreter's batches. progress: called now and then with
        the thread groups done and their total.

        Raises:
            ResourceError: a binding or an argument is wrong.
            LoweringError: something in the shader is not supported yet.
            DecodeError: the program contradicts itself.
        """
        self.groups = _groups(groups)
        self.engine = _one_of("engine", engine, ENGINES)
        self.threads = _integer("threads", threads, range(MAX_THREADS + 1))
        self.budget = None if budget is None else _integer("budget", budget, range(1, 1 << 62))
        self.progress = progress
        self.bound: BoundProgram = bind(shader, constants=constants, srvs=srvs, uavs=uavs)
        self._kernel: CompiledKernel | None = None
        lanes = _one_of("lanes", lanes, _LANES)
        if self.engine == "jit":
            self._kernel = _compile(self.bound, lanes)

    def __call__(self) -> Outcome:
        """Run all thread groups and return when they are done.

        Raises:
            ExecutionError: the budget is spent, or a barrier is in divergent flow; the arrays
                hold what was written until then.
        """
        limit: _Limit = {} if self.budget is None else {"budget": self.budget}
        if self._kernel is not None:
            return self._kernel.run(
                self.bound, self.groups, threads=self.threads, progress=self.progress, **limit
            )
        # The interpreter is the rarer engine, and not needed to compile.
        from softd3d.interp import interpret  # noqa: PLC0415

        return interpret(self.bound, self.groups, progress=self.progress, **limit)


def dispatch(
    shader: Shader, groups: Sequence[int], *,
    constants: Mapping[Key, object] | None = None,
    srvs: Mapping[Key, object] | None = None,
    uavs: Mapping[Key, object] | None = None,
    engine: str = "jit", threads: int = 0, lanes: int = 0,
    budget: int | None = None, progress: Progress | None = None,
) -> Outcome:  # fmt: skip
    """Run a compute shader on resources, in place; the arguments are those of `Dispatch`.

    Keys of the dictionaries are register numbers, (register, space) or names of shader variables.

    Raises:
        ShaderError: as `Dispatch` and calling it.
    """
    return Dispatch(
        shader, groups, constants=constants, srvs=srvs, uavs=uavs, engine=engine, threads=threads,
        lanes=lanes, budget=budget, progress=progress,
    )()  # fmt: skip


def _compile(bound: BoundProgram, lanes: int) -> CompiledKernel:
    # llvmlite is optional: the interpreter works without it.
    try:
        from softd3d.jit.engine import compile_kernel  # noqa: PLC0415
    except ImportError as error:
        raise LoweringError(
            f"engine jit needs llvmlite ({error}); use engine='interpreter'"
        ) from error
    return compile_kernel(bound, lanes=lanes)


def _groups(groups: Sequence[int]) -> tuple[int, int, int]:
    try:
        x, y, z = (operator.index(n) for n in groups)
    except (TypeError, ValueError):
        raise ResourceError(f"groups: found {groups!r}, wanted three numbers (x, y, z)") from None
    if not all(0 <= n <= MAX_GROUPS for n in (x, y, z)):
        raise ResourceError(f"groups: found {(x, y, z)}, each may be 0 to {MAX_GROUPS}")
    return x, y, z


def _integer(name: str, value: object, allowed: range) -> int:
    try:
        number = operator.index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise ResourceError(f"{name}: found {value!r}, wanted a whole number") from None
    if number not in allowed:
        raise ResourceError(f"{name}: found {number}, wanted {allowed[0]} to {allowed[-1]}")
    return number


def _one_of(name: str, value: _T, allowed: tuple[_T, ...]) -> _T:
    if value not in allowed:
        words = ", ".join(str(choice) for choice in allowed[:-1])
        raise ResourceError(f"{name}: found {value!r}, wanted {words} or {allowed[-1]}")
    return value
