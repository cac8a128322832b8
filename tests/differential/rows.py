"""Run one pure row on both engines: the NumPy algebra, and machine code made from its recording."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import bitcast, high32, low32, pack64, select
from softd3d.algebra.value import BOOL, F32, F64, I32, U32, Value
from softd3d.ir.graph import Graph
from softd3d.ir.recorder import Recorder
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.row import Row
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.jit.compiling.build import compile_module, module_text
from softd3d.jit.compiling.compiler import load_object
from softd3d.jit.engine import CompiledKernel
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.resources.views.descriptor import Descriptor, describe

GROUP = 64
TYPES = {"f": F32, "i": I32, "u": U32, "b": U32, "c": U32}
Words = NDArray[np.uint32]
Function: TypeAlias = Callable[[list[Value]], list[Value]]


def words_of(row: Row) -> list[int]:
    """Return how many dwords a lane each source takes."""
    return [max(s.reads, 1) * (2 if s.letter == "d" else 1) for s in row.sources]


def _evaluate(row: Row, words: list[Value]) -> list[Value]:
    """Apply a row to raw dwords, in whatever algebra they belong to; return raw dwords."""
    arguments: list[Any] = []
    at = 0
    for spec, count in zip(row.sources, words_of(row), strict=True):
        taken = words[at : at + count]
        at += count
        if spec.letter == "d":
            arguments.append(pack64(*taken))
        elif spec.reads:
            arguments.append(tuple(bitcast(w, TYPES[spec.letter]) for w in taken))
        else:
            arguments.append(bitcast(taken[0], TYPES[spec.letter]))
    assert row.semantics is not None
    results = row.semantics(*arguments)
    out: list[Value] = []
    for value in results if isinstance(results, tuple) else (results,):
        if value.type is F64:
            out += [low32(value), high32(value)]
        elif value.type is BOOL:
            out.append(select(value, value.k.const(U32, 0xFFFFFFFF), 0))
        else:
            out.append(bitcast(value, U32))
    return out


def run_numpy(row: Row, inputs: list[Words]) -> list[Words]:
    return numpy_words(partial(_evaluate, row), inputs)


def run_native(row: Row, inputs: list[Words], lanes: int) -> list[Words]:
    return native_words(partial(_evaluate, row), inputs, lanes)


def numpy_words(function: Function, inputs: list[Words]) -> list[Words]:
    """Apply a function of raw dwords to arrays."""
    k = NumpyAlgebra()
    values = [k.lanes(U32, i) for i in inputs]
    shape = inputs[0].shape
    return [np.broadcast_to(v.raw, shape).astype(np.uint32) for v in function(values)]


def native_words(function: Function, inputs: list[Words], lanes: int) -> list[Words]:
    """Compile a kernel that reads every input array, applies the function, writes the results."""
    count = inputs[0].size
    assert count % GROUP == 0
    k = Recorder()
    index = _thread_index(k)
    source = View(Memory.RESOURCE, "t0", 0, ViewKind.RAW, ResourceDimension.RAW_BUFFER)
    target = View(Memory.UAV, "u0", 1, ViewKind.RAW, ResourceDimension.RAW_BUFFER)
    true = k.const(BOOL, 1)
    words = [
        k.value(k.node("load", U32, _at(k, index, n * count, true), (source, 4)))
        for n in range(len(inputs))
    ]
    results = function(words)
    for n, value in enumerate(results):
        offset, valid, _ = _at(k, index, n * count, true)
        k.node("store", None, (offset, value.raw, valid), (target, 4))
    graph = Graph(k.blocks[0], uses_double=k.uses_double)
    read = np.concatenate(inputs)
    written = np.zeros(count * len(results), np.uint32)
    _run(graph, [read, written], count // GROUP, lanes)
    return list(written.reshape(len(results), count))


def _thread_index(k: Recorder) -> Value:
    group = k.value(k.shared("input", U32, (), "group.x"))
    return group * GROUP + k.value(k.shared("input", U32, (), "flat"))


def _at(k: Recorder, index: Value, first: int, true: Value) -> tuple[Any, Any, Any]:
    return (index * 4 + 4 * first).raw, true.raw, true.raw


def _run(graph: Graph, arrays: list[Words], groups: int, lanes: int) -> None:
    declarations = Declarations(group_size=(GROUP, 1, 1))
    code, facts = compile_module(module_text(graph, declarations, lanes))
    kernel = CompiledKernel(load_object(code), facts)
    bound = object.__new__(BoundProgram)
    object.__setattr__(bound, "descriptors", tuple(_descriptor(a) for a in arrays))
    object.__setattr__(bound, "constants", ())
    kernel.run(bound, (groups, 1, 1))


def _descriptor(array: Words) -> Descriptor:
    return describe(RawBuffer(array))


def same(row: Row, wanted: list[Words], found: list[Words]) -> list[NDArray[np.bool_]]:
    """Compare results bit for bit, each its own row of booleans; any NaN equals any NaN."""
    if row.destinations[0].letter == "d":
        a, b = (np.stack(pair, axis=-1).view(np.float64)[..., 0] for pair in (wanted, found))
        return [(a.view(np.uint64) == b.view(np.uint64)) | (np.isnan(a) & np.isnan(b))]
    results: list[NDArray[np.bool_]] = []
    for spec, a, b in zip(row.destinations, wanted, found, strict=True):
        equal = a == b
        if spec.letter == "f":
            equal |= np.isnan(a.view(np.float32)) & np.isnan(b.view(np.float32))
        results.append(equal)
    return results
