"""The functions that a wave calls: their bodies are emitted as a wave's is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from softd3d.ir.analysis import analyse_shapes
from softd3d.ir.graph import Function
from softd3d.jit.codegen.calls import in_use
from softd3d.jit.codegen.emit import WaveEmitter

__all__ = ["emit_functions"]


def emit_functions(wave: WaveEmitter) -> Iterator[str]:
    """Yield the text of each function that a wave calls, or that these call."""
    done: dict[int, Function] = {}
    pending = list(wave.called.values())
    while pending:
        function = pending.pop()
        if function.number in done:
            continue
        done[function.number] = function
        emitter = _emitted(wave, function)
        wave.w.declarations |= emitter.w.declarations
        pending += emitter.called.values()
        yield emitter.function(function)
    if done:
        yield in_use(done.values())


def _emitted(wave: WaveEmitter, function: Function) -> WaveEmitter:
    graph = replace(wave.graph, block=function.block)
    one_part = replace(
        wave.wave, parts=1, apart=frozenset[int](), suspends=False, plain=frozenset[int]()
    )
    emitter = WaveEmitter(graph, analyse_shapes(graph, {}), one_part)
    for n, parameter in enumerate(function.parameters):
        emitter.take(parameter, f"%p{n}")
    emitter.run()
    return emitter
