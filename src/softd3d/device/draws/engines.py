"""The engines of draws: each is a function from a call to its outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from softd3d.device.run_options import RunOptions, needs_llvmlite
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.queries import DrawResult

__all__ = ["Engine", "engine_of"]

Engine: TypeAlias = "Callable[[DrawCall, Watch], DrawResult]"


def engine_of(prepared: PreparedDraw, options: RunOptions, watch: Watch) -> Engine:
    """Return the engine that a caller chose, ready for a draw; the JIT compiles.

    Raises:
        LoweringError: a shader needs what is not supported yet.
        ExecutionError: compiling took too long.
    """
    if options.engine == "jit":
        return _compiled(prepared, options, watch)
    return _interpreted(prepared, options)


def _interpreted(prepared: PreparedDraw, options: RunOptions) -> Engine:
    # The interpreter is the rarer engine, and not needed to compile.
    from softd3d.interp.draw.engine import draw_interpreted  # noqa: PLC0415

    def run(call: DrawCall, watch: Watch) -> DrawResult:
        return draw_interpreted(
            prepared, call, watch=watch, progress=options.progress,
            max_messages=options.max_messages, **options.limit,
        )  # fmt: skip

    return run


def _compiled(prepared: PreparedDraw, options: RunOptions, watch: Watch) -> Engine:
    try:  # llvmlite is optional: the interpreter works without it.
        from softd3d.jit.draw.engine import compile_draw  # noqa: PLC0415
    except ImportError as error:
        raise needs_llvmlite(error) from error
    compiled = compile_draw(prepared, lanes=options.lanes, watch=watch)

    def run(call: DrawCall, watch: Watch) -> DrawResult:
        return compiled.draw(
            call, threads=options.threads, watch=watch, progress=options.progress,
            max_messages=options.max_messages, **options.limit,
        )  # fmt: skip

    return run
