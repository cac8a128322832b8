"""Compile bound programs, or take what was compiled before."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from softd3d.cores import available_cores
from softd3d.forking import held_over_fork
from softd3d.isa.sm4.enums import ProgramType
from softd3d.jit.cache.disk import Store, default_store
from softd3d.jit.cache.key import kernel_key, source_stamp, text_key
from softd3d.jit.compiling.compiler import load_object
from softd3d.jit.facts import Facts
from softd3d.jit.running.kernel import CompiledKernel
from softd3d.jit.running.memory import Bindings
from softd3d.jit.running.messages import MessageTable, message_table
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.watch import Watch

if TYPE_CHECKING:
    from concurrent.futures import Future

    from softd3d.ir.graph import Graph
    from softd3d.isa.sm4.program import Program

__all__ = [
    "Bindings",
    "CompiledKernel",
    "compile_graph",
    "compile_kernel",
    "forget_kernels",
    "kernel_meanwhile",
    "kernel_of",
]

_KEPT_KERNELS = 256
_kernels: OrderedDict[str, CompiledKernel] = OrderedDict()
_kernels_lock = held_over_fork(threading.Lock())


def compile_kernel(
    bound: BoundProgram, *, lanes: int = 0, cache: Store | None = None, watch: Watch | None = None
) -> CompiledKernel:
    """Compile a program for the kinds of its bindings, or take what was compiled before.

    lanes: invocations a wave (4, 8, 16, ... 256), 0 for what suits program and machine. cache:
    where kernels are kept between processes; by default the folder that `default_store` says.
    watch: what may stop compiling.

    Raises:
        DecodeError, LoweringError, ResourceError: the program cannot be lowered.
        ExecutionError: `watch` has stopped it.
    """

    def build() -> tuple[bytes, Facts]:
        # What was compiled before needs none of the modules that compile.
        from softd3d.jit.compiling.build import build_kernel  # noqa: PLC0415

        return build_kernel(bound, lanes, (watch or Watch()).check_compiling)

    kernel = kernel_of(kernel_key(bound, lanes), build, cache)
    if not kernel.facts.message_bytes:
        return kernel
    program = cast("Program", bound.program)  # those of SM1-3 say nothing
    return replace(kernel, table=message_table(program, _group_size(bound.declarations)))


def compile_graph(
    graph: Graph, declarations: Declarations, *, lanes: int = 0, cache: Store | None = None
) -> CompiledKernel:
    """Compile a recorded program for groups and shared memory as declared."""
    from softd3d.jit.compiling.build import compile_module, module_text  # noqa: PLC0415 - as above

    module = module_text(graph, declarations, lanes)
    kernel = kernel_of(text_key(module.text), lambda: compile_module(module), cache)
    if not graph.messages:
        return kernel
    return replace(kernel, table=MessageTable(graph.messages, _group_size(declarations)))


def _group_size(declarations: Declarations) -> tuple[int, int, int]:
    """Return the size of what messages call a group: in batches, one lane."""
    return declarations.group_size if declarations.stage is ProgramType.CS else (1, 1, 1)


def forget_kernels() -> None:
    """Forget the kernels in memory; those on disk stay."""
    with _kernels_lock:
        _kernels.clear()


def _stored(store: Store, key: str) -> CompiledKernel | None:
    """Return a kernel from disk; None if it is not there, or cannot be linked."""
    found = store.get(key)
    if found is None:
        return None
    try:
        return CompiledKernel(load_object(found[0]), found[1])
    except Exception:  # noqa: BLE001 - whatever is wrong with an entry: it is made anew
        return None


def kernel_of(
    key: str, build: Callable[[], tuple[bytes, Facts]], cache: Store | None = None
) -> CompiledKernel:
    """Return a kernel from memory, from disk, or newly built.

    key: of `jit/cache/key.py`: everything that the code depends on.
    """
    store = cache or default_store()
    return _known(key, store) or _kept(key, build(), store)


def kernel_meanwhile(
    key: str, prepare: Callable[[], Callable[[], tuple[bytes, Facts]]]
) -> Callable[[], CompiledKernel]:
    """Return what returns a kernel, which is compiled while the caller does something else.

    prepare: does at once what may fail or be stopped, and returns what compiles. That runs in a
    thread, if there is a core for it: LLVM does not hold Python's lock.
    """
    store = default_store()
    kernel = _known(key, store)
    if kernel is not None:
        return lambda: kernel
    build = prepare()
    if available_cores() == 1:
        return lambda: _kept(key, build(), store)
    from concurrent.futures import Future  # noqa: PLC0415 - it brings logging, for nothing on disk

    future: Future[CompiledKernel] = Future()

    def work() -> None:
        try:
            future.set_result(_kept(key, build(), store))
        except BaseException as error:  # noqa: BLE001 - raised where the kernel is asked for
            future.set_exception(error)

    try:
        threading.Thread(target=work).start()
    except RuntimeError:  # the system refuses a thread
        work()
    return future.result


def _known(key: str, store: Store) -> CompiledKernel | None:
    """Return a kernel from memory or from disk, None if it is in neither."""
    with _kernels_lock:
        kernel = _kernels.get(key)
        if kernel is not None:
            _kernels.move_to_end(key)
            return kernel
    kernel = _stored(store, key) if source_stamp() is not None else None
    return None if kernel is None else _remembered(key, kernel)


def _kept(key: str, built: tuple[bytes, Facts], store: Store) -> CompiledKernel:
    """Link a new kernel, and keep it in memory and on disk."""
    code, facts = built
    if source_stamp() is not None:
        store.put(key, code, facts)
    return _remembered(key, CompiledKernel(load_object(code), facts))


def _remembered(key: str, kernel: CompiledKernel) -> CompiledKernel:
    with _kernels_lock:
        _kernels[key] = kernel
        while len(_kernels) > _KEPT_KERNELS:
            _kernels.popitem(last=False)
    return kernel
