"""The engines of draws: each carries out calls of a prepared draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from softd3d.device.run_options import RunOptions, needs_llvmlite
from softd3d.imports import without_collecting
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.queries import DrawResult

if TYPE_CHECKING:
    from softd3d.jit.draw.engine import CompiledDraw

__all__ = ["Engine", "engine_of"]


class Engine(Protocol):
    """A prepared draw, ready for calls."""

    def __call__(self, call: DrawCall, watch: Watch) -> DrawResult: ...

    def rebound(self, prepared: PreparedDraw) -> Engine:
        """Return the engine of a draw that differs in memory and numbers only.

        Shaders, states, formats and which slots are used are the same: all that code depends on.
        """
        ...


def engine_of(prepared: PreparedDraw, options: RunOptions, watch: Watch) -> Engine:
    """Return the engine that a caller chose, ready for a draw; the JIT compiles.

    Raises:
        LoweringError: a shader needs what is not supported yet.
        ExecutionError: compiling took too long.
    """
    if options.engine == "jit":
        return _compiled(prepared, options, watch)
    return _Interpreted(prepared, options)


class _Interpreted:
    """The reference engine."""

    def __init__(self, prepared: PreparedDraw, options: RunOptions) -> None:
        self._prepared = prepared
        self._options = options

    def __call__(self, call: DrawCall, watch: Watch) -> DrawResult:
        # The interpreter is the rarer engine, and not needed to compile.
        from softd3d.interp.draw.engine import draw_interpreted  # noqa: PLC0415

        options = self._options
        return draw_interpreted(
            self._prepared, call, watch=watch, progress=options.progress,
            max_messages=options.max_messages, **options.limit,
        )  # fmt: skip

    def rebound(self, prepared: PreparedDraw) -> Engine:
        return _Interpreted(prepared, self._options)


class _Compiled:
    """Native code."""

    def __init__(self, compiled: CompiledDraw, options: RunOptions) -> None:
        self._compiled = compiled
        self._options = options

    def __call__(self, call: DrawCall, watch: Watch) -> DrawResult:
        options = self._options
        return self._compiled.draw(
            call, threads=options.threads, watch=watch, progress=options.progress,
            max_messages=options.max_messages, budget=options.budget,
        )  # fmt: skip

    def rebound(self, prepared: PreparedDraw) -> Engine:
        return _Compiled(self._compiled.rebound(prepared), self._options)


def _compiled(prepared: PreparedDraw, options: RunOptions, watch: Watch) -> Engine:
    try:  # llvmlite is optional: the interpreter works without it.
        with without_collecting():
            from softd3d.jit.draw.engine import compile_draw  # noqa: PLC0415
    except ImportError as error:
        raise needs_llvmlite(error) from error
    return _Compiled(compile_draw(prepared, lanes=options.lanes, watch=watch), options)
