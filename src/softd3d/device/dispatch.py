"""Run compute shaders: one call, or prepare once and run often."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import (
    TYPE_CHECKING,
    Any,
    NoReturn,
    SupportsIndex,
    TypeAlias,
    TypedDict,
    Unpack,
)

from softd3d.arguments import instance, integer, items, one_of, real, shown, whole
from softd3d.device.bind import bind
from softd3d.device.indirect import indirect_groups
from softd3d.device.registers import Key
from softd3d.errors import ExecutionError, Location, LoweringError, ResourceError
from softd3d.isa.limits import MAX_DISPATCH_GROUPS
from softd3d.isa.machine import Memory
from softd3d.isa.sm4.enums import ProgramType
from softd3d.jit.abi import MAX_THREADS
from softd3d.lower.messages import DEFAULT_MESSAGES, MAX_MESSAGES
from softd3d.lower.watch import Watch
from softd3d.shaders.listed import Listed
from softd3d.shaders.loading import Loaded
from softd3d.shaders.shader import Shader, load_shader
from softd3d.source import Source

if TYPE_CHECKING:
    from softd3d.jit.engine import CompiledKernel
    from softd3d.lower.bound import BoundProgram
    from softd3d.lower.outcome import Outcome
    from softd3d.resources.views.origin import Origin

__all__ = ["ENGINES", "Dispatch", "dispatch", "dispatch_indirect"]

ENGINES = ("jit", "interpreter")
_AXES = 3
_LANES = (0, 4, 8, 16, 32, 64, 128, 256)
Progress: TypeAlias = "Callable[[int, int], None]"
Groups: TypeAlias = "SupportsIndex | Sequence[SupportsIndex]"
Cancel: TypeAlias = "threading.Event | Callable[[], bool]"


class _Limit(TypedDict, total=False):
    """The budget, where one is given: each engine has its own default."""

    budget: int


class _Options(TypedDict, total=False):
    """What `Dispatch` takes besides the shader and its groups."""

    constants: Mapping[Key, object] | None
    srvs: Mapping[Key, object] | None
    uavs: Mapping[Key, object] | None
    samplers: Mapping[Key, object] | None
    interfaces: Mapping[int | str, object] | None
    engine: str
    threads: int
    lanes: int
    budget: int | None
    timeout: float | None
    progress: Progress | None
    cancel: Cancel | None
    max_messages: int
    strict: bool


class Dispatch:
    """A shader with its bindings, compiled; each call runs it once on the arrays as they are.

    Constants are copied when it is made; the resources' arrays are the caller's own.
    """

    def __init__(
        self, shader: Source | Loaded, groups: Groups, *,
        constants: Mapping[Key, object] | None = None,
        srvs: Mapping[Key, object] | None = None,
        uavs: Mapping[Key, object] | None = None,
        samplers: Mapping[Key, object] | None = None,
        interfaces: Mapping[int | str, object] | None = None,
        engine: str = "jit", threads: int = 0, lanes: int = 0,
        budget: int | None = None, timeout: float | None = None,
        progress: Progress | None = None,
        cancel: Cancel | None = None, max_messages: int = DEFAULT_MESSAGES, strict: bool = False,
    ) -> None:  # fmt: skip
        """Check everything and compile.

        shader: a compute shader: what `softd3d.load` returns, a path, or contents as bytes.
        groups: thread groups in x, y, z, each at most 65535; y and z are 1 where they are left out
            (`groups=4` is `(4, 1, 1)`), as for `softd3d run --groups`.
        interfaces: class instances by slot or variable: an instance's name, or a `ClassInstance`;
            a list of them for an array.
        threads: of the CPU, 0 for as many as the process may use.
        lanes: invocations that the JIT runs side by side (4, 8, 16, ... 256), 0 for what suits
            the shader and the CPU. Results do not depend on it.
        budget: when to stop a run that does not end: after so many loop iterations of the JIT's
            waves, or instructions of the interpreter's batches. By default the JIT allows 2**32
            iterations and 2**16 more for each wave, the interpreter 2**22 instructions for each
            batch: more than real work takes, and with costly loops long. timeout is quicker.
        timeout: seconds that compiling may take, and again each run (in `dispatch` both together);
            None for no limit.
        progress: called now and then with
        the thread groups done and their total. cancel: an event, or a function that says so, which
        stops a run within a fraction of a second, also inside of long loops. Long compiling stops
        as quickly.
        max_messages: how many messages of threads (printf, errorf, abort, debug_break) the outcome
        holds at most, up to 65536.
        strict: whether views that are not what the shader declares are errors: a format of another
        integer or float type, which otherwise is used as it is, and another dimension, which
        otherwise reads 0 and drops writes. Without it they are notes in `Outcome.poisoned`.

        Raises:
            ResourceError: a binding or an argument is wrong.
            LoweringError: something in the shader is not supported yet.
            DecodeError: the program contradicts itself.
            ExecutionError: compiling took longer than timeout allows, or `cancel` said so.
        """
        program = _shader(shader)
        if program.program.type is not ProgramType.CS:
            raise LoweringError(f"{program.profile}: only compute shaders can be dispatched")
        self.groups = _groups(groups)
        self.engine = one_of(engine, "engine", ENGINES)
        self.threads = integer(threads, "threads", range(MAX_THREADS + 1))
        self.budget = None if budget is None else integer(budget, "budget", range(1, 1 << 62))
        self.timeout = _seconds(timeout)
        self.progress = _callback("progress", progress)
        self.should_stop = _callback("cancel", getattr(cancel, "is_set", cancel))
        self._made = self._watch()
        self.max_messages = integer(max_messages, "max_messages", range(MAX_MESSAGES + 1))
        self.bound: BoundProgram = bind(
            program,
            constants=constants,
            srvs=srvs,
            uavs=uavs,
            samplers=samplers,
            interfaces=interfaces,
            strict=instance(strict, bool, "strict"),
        )
        self._origins = _origins(self.bound)
        self._kernel: CompiledKernel | None = None
        lanes = one_of(lanes, "lanes", _LANES)
        if self.engine == "jit":
            self._kernel = _compile(self.bound, lanes, self._made)

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied: native code and the caller's arrays are of this process.

        Raises:
            TypeError: always, as pickle expects it.
        """
        raise TypeError("a Dispatch cannot be pickled or copied; pickle its shader and arguments")

    def __call__(self) -> Outcome:
        """Run all thread groups and return when they are done; see `run`."""
        return self._run(self.groups, self._watch())

    def run(self, groups: Groups) -> Outcome:
        """Run other numbers of thread groups than were given first, without compiling again.

        Raises:
            ResourceError: the numbers are not allowed, or a bound array has been resized, or made
                read-only though it is a UAV's, since its resource was made.
            ExecutionError: budget or timeout is spent, a barrier is in divergent flow, or `cancel`
                said so; its `outcome` has the messages until then. KeyboardInterrupt: Ctrl-C.
                Whatever stops a run, no thread is left running, and the arrays hold what was
                written.
        """
        return self._run(_groups(groups), self._watch())

    def run_indirect(self, arguments: object, offset: int = 0) -> Outcome:
        """Run as many thread groups as a buffer says now; see `dispatch_indirect`.

        Raises:
            ResourceError, ExecutionError: as `indirect_groups` and `run`.
        """
        return self._run(indirect_groups(arguments, offset), self._watch())

    def once(self) -> Outcome:
        """Run right after compiling, both within one time limit; what `dispatch` does."""
        return self._run(self.groups, self._made)

    def _watch(self) -> Watch:
        return Watch(self.should_stop, self.timeout)

    def _run(self, groups: tuple[int, int, int], watch: Watch) -> Outcome:
        outcome = self._run_once(groups, watch)
        notes = self.bound.notes
        return replace(outcome, poisoned=(*notes, *outcome.poisoned)) if notes else outcome

    def _run_once(self, groups: tuple[int, int, int], watch: Watch) -> Outcome:
        for register, is_written, origin in self._origins:
            origin.check(register, is_written=is_written)
        limit: _Limit = {} if self.budget is None else {"budget": self.budget}
        if self._kernel is None:
            # The interpreter is the rarer engine, and not needed to compile.
            from softd3d.interp import interpret  # noqa: PLC0415

            return interpret(
                self.bound, groups, progress=self.progress, watch=watch,
                max_messages=self.max_messages, **limit,
            )  # fmt: skip
        try:
            return self._kernel.run(
                self.bound, groups, threads=self.threads, progress=self.progress,
                watch=watch, max_messages=self.max_messages, **limit,
            )  # fmt: skip
        except ExecutionError as error:
            place = self._located(error.location)
            raise ExecutionError(error.message, place, error.outcome) from None

    def _located(self, place: Location | None) -> Location | None:
        """Return the place of an instruction that native code names by its index."""
        if place is None or place.instruction is None:
            return place
        return self.bound.program.instructions[place.instruction].location


def dispatch(shader: Source | Loaded, groups: Groups, **options: Unpack[_Options]) -> Outcome:
    """Run a compute shader on resources, in place; the arguments are those of `Dispatch`.

    Keys of the dictionaries are register numbers, (register, space), names of shader variables, or
    registers as listings have them ("t3,space1").
    samplers: a `SamplerState` for each declared sampler, or None for Direct3D's default one.

    Raises:
        ShaderError: as `Dispatch` and calling it.
    """
    return Dispatch(shader, groups, **options).once()


def dispatch_indirect(
    shader: Source | Loaded, arguments: object, offset: int = 0, **options: Unpack[_Options]
) -> Outcome:
    """Run a compute shader on as many thread groups as a buffer says: DispatchIndirect.

    arguments: a buffer of any kind; at byte `offset`, a multiple of 4, it holds three uint32, the
    groups in x, y, z. They are read before anything runs. The other arguments are `Dispatch`'s.

    Spec: D3D11.3 section 18.6.5. If a count is 0, nothing runs; what is undefined there (another
    offset, arguments outside of the buffer, a count above 65535) is an error here.

    Raises:
        ResourceError: as said. ShaderError: as `dispatch`.
    """
    return Dispatch(shader, indirect_groups(arguments, offset), **options).once()


def _compile(bound: BoundProgram, lanes: int, watch: Watch) -> CompiledKernel:
    # llvmlite is optional: the interpreter works without it.
    try:
        from softd3d.jit.engine import compile_kernel  # noqa: PLC0415
    except ImportError as error:
        raise LoweringError(
            f"engine jit needs llvmlite ({error}); use engine='interpreter'"
        ) from error
    return compile_kernel(bound, lanes=lanes, watch=watch)


def _origins(bound: BoundProgram) -> list[tuple[str, bool, Origin]]:
    """Return each register whose memory must still be there at a run, and whether it is written."""
    found = [(view, bound.descriptors[view.slot].origin) for view in bound.memory_views]
    return [(v.register, v.memory is Memory.UAV, o) for v, o in found if o is not None]


def _shader(source: object) -> Shader:
    """Return the shader to run.

    Raises:
        OSError, ShaderError: a file cannot be read, or is no shader that can be run.
        ResourceError: it is no shader, path or bytes.
    """
    if isinstance(source, Shader):
        return source
    if isinstance(source, Listed):
        raise ResourceError(
            f"shader: found {source!r}, wanted a compute shader of model 4.0 to 5.1"
        )
    try:
        return load_shader(source)  # pyright: ignore[reportArgumentType] - it looks itself
    except TypeError as error:
        raise ResourceError(f"shader: {error}, or what softd3d.load returns") from None


def _groups(groups: object) -> tuple[int, int, int]:
    """Return three counts; those of y and z that are left out are 1."""
    given = items(groups, _AXES) or (groups,)
    found: list[int] = []
    with suppress(TypeError):
        found = [whole(number) for number in given]
    if not 1 <= len(found) <= _AXES:
        raise ResourceError(
            f"groups: found {shown(groups)}, wanted a number or up to three of them, (x, y, z)"
        )
    x, y, z = (*found, 1, 1)[:_AXES]
    if not all(0 <= n <= MAX_DISPATCH_GROUPS for n in (x, y, z)):
        raise ResourceError(f"groups: found {(x, y, z)}, each may be 0 to {MAX_DISPATCH_GROUPS}")
    return x, y, z


def _seconds(timeout: object) -> float | None:
    if timeout is None:
        return None
    seconds = 0.0 if isinstance(timeout, bool) else real(timeout, "timeout")
    if not 0 < seconds < math.inf:
        raise ResourceError(f"timeout: found {shown(timeout)}, wanted seconds above 0, or None")
    return seconds


def _callback(name: str, value: object) -> Callable[..., Any] | None:
    if value is not None and not callable(value):
        wanted = "an event or a function" if name == "cancel" else "a function"
        raise ResourceError(f"{name}: found {type(value).__name__}, wanted {wanted}")
    return value
