"""Run compute shaders: one call, or prepare once and run often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn, SupportsIndex, TypeAlias, Unpack

from softd3d.arguments import items, shown, whole
from softd3d.device.bind import bind, held_memory
from softd3d.device.indirect import indirect_groups
from softd3d.device.registers import Key
from softd3d.device.run_options import (
    ENGINES,
    Cancel,
    Progress,
    RunArguments,
    located,
    needs_llvmlite,
    run_options,
)
from softd3d.device.runnable import runnable_shader
from softd3d.errors import ExecutionError, ResourceError
from softd3d.imports import without_collecting
from softd3d.isa.limits import MAX_DISPATCH_GROUPS
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.outcome import Outcome
from softd3d.resources.predicate import Predicate, is_skipped
from softd3d.resources.views.origin import check_memory
from softd3d.shaders.loading import Loaded
from softd3d.source import Source

if TYPE_CHECKING:
    from softd3d.jit.running.bound import BoundKernel
    from softd3d.lower.bound import BoundProgram
    from softd3d.lower.watch import Watch

__all__ = ["ENGINES", "Dispatch", "dispatch", "dispatch_indirect"]

_AXES = 3
Groups: TypeAlias = "SupportsIndex | Sequence[SupportsIndex]"


class _Options(RunArguments, total=False):
    """What `Dispatch` takes besides the shader and its groups."""

    constants: Mapping[Key, object] | None
    srvs: Mapping[Key, object] | None
    uavs: Mapping[Key, object] | None
    samplers: Mapping[Key, object] | None
    interfaces: Mapping[int | str, object] | None
    predicate: Predicate | None


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
        predicate: Predicate | None = None,
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
        progress: called now and then with two integers, the thread groups done and their total.
        cancel: an event, or a function that says so, which stops a run within a fraction of a
            second, also inside of long loops. Long compiling stops as quickly.
        max_messages: how many messages of threads (printf, errorf, abort, debug_break) the outcome
        holds at most, up to 65536.
        strict: whether views that are not what the shader declares are errors: a format of another
        integer or float type, which otherwise is used as it is, and another dimension, which
        otherwise reads 0 and drops writes. Without it they are notes in `Outcome.poisoned`.
        predicate: whether calls run anything; it can be set again before each call.

        Raises:
            ResourceError: a binding or an argument is wrong.
            LoweringError: something in the shader is not supported yet.
            DecodeError: the program contradicts itself.
            ExecutionError: compiling took longer than timeout allows, or `cancel` said so.
        """
        program = runnable_shader(shader)
        self.groups = _groups(groups)
        self._options = run_options(
            engine=engine, threads=threads, lanes=lanes, budget=budget, timeout=timeout,
            progress=progress, cancel=cancel, max_messages=max_messages, strict=strict,
        )  # fmt: skip
        is_skipped(predicate)
        self.predicate = predicate
        self._made = self._options.watch()
        self.bound: BoundProgram = bind(
            program,
            constants=constants,
            srvs=srvs,
            uavs=uavs,
            samplers=samplers,
            interfaces=interfaces,
            strict=strict,
        )
        self._held = held_memory(self.bound)
        self._kernel: BoundKernel | None = None
        if self._options.engine == "jit":
            self._kernel = _compile(self.bound, self._options.lanes, self._made)

    @property
    def progress(self) -> Progress | None:
        """What is called now and then with the thread groups done and their total."""
        return self._options.progress

    @progress.setter
    def progress(self, function: Progress | None) -> None:
        self._options.progress = function

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied: native code and the caller's arrays are of this process.

        Raises:
            TypeError: always, as pickle expects it.
        """
        raise TypeError("a Dispatch cannot be pickled or copied; pickle its shader and arguments")

    def __call__(self) -> Outcome:
        """Run all thread groups and return when they are done; see `run`."""
        return self._run(self.groups, self._options.watch())

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
        return self._run(_groups(groups), self._options.watch())

    def run_indirect(self, arguments: object, offset: int = 0) -> Outcome:
        """Run as many thread groups as a buffer says now; see `dispatch_indirect`.

        Raises:
            ResourceError, ExecutionError: as `indirect_groups` and `run`.
        """
        return self._run(indirect_groups(arguments, offset), self._options.watch())

    def once(self) -> Outcome:
        """Run right after compiling, both within one time limit; what `dispatch` does."""
        return self._run(self.groups, self._made)

    def _run(self, groups: tuple[int, int, int], watch: Watch) -> Outcome:
        outcome = self._run_once(groups, watch)
        notes = self.bound.notes
        return replace(outcome, poisoned=(*notes, *outcome.poisoned)) if notes else outcome

    def _run_once(self, groups: tuple[int, int, int], watch: Watch) -> Outcome:
        check_memory(self._held)
        if is_skipped(self.predicate):
            return Outcome()
        options = self._options
        if self._kernel is None:
            # The interpreter is the rarer engine, and not needed to compile.
            from softd3d.interp import interpret  # noqa: PLC0415

            return interpret(
                self.bound, groups, progress=options.progress, watch=watch,
                max_messages=options.max_messages, **options.limit,
            )  # fmt: skip
        try:
            return self._kernel.run(
                groups, threads=options.threads, progress=options.progress,
                watch=watch, max_messages=options.max_messages, **options.limit,
            )  # fmt: skip
        except ExecutionError as error:
            raise located(error, self.bound.program) from None


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


def _compile(bound: BoundProgram, lanes: int, watch: Watch) -> BoundKernel:
    # llvmlite is optional: the interpreter works without it.
    try:
        with without_collecting():
            from softd3d.jit.engine import compile_kernel  # noqa: PLC0415
    except ImportError as error:
        raise needs_llvmlite(error) from error
    return compile_kernel(bound, lanes=lanes, watch=watch).bound_to(bound)


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
