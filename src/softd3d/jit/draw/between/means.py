"""What stages that work on primitives need of native code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from softd3d.cores import available_cores
from softd3d.jit.draw.between.tessellation import CompiledTessellator, TessellatorKernels
from softd3d.jit.draw.memory import WORD
from softd3d.jit.draw.routines import Routine
from softd3d.jit.draw.scratch import Scratch
from softd3d.lower.primitive_stage import Stream
from softd3d.lower.stage_memory import STARTS_STRIP, STREAM_BITS, StageArray
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.means import Emitted, Means, emitted_words
from softd3d.pipeline.primitives.records import Indices, Numbers
from softd3d.pipeline.primitives.vertex_rows import Run, VertexRows
from softd3d.pipeline.state.enums import PrimitiveTopology
from softd3d.pipeline.tessellator.patches import Tessellates, Tessellator
from softd3d.pipeline.topology import primitive_size

__all__ = ["CompiledMeans"]

_BYTES_EACH = 1 << 19  # that threads move at least
_KEPT = 64  # routines
_AT_ONCE = (16, 8, 4, 2, 1)  # dwords
_CORNERS = {1: ("row",), 2: ("last", "row"), 3: ("before", "second", "third")}
"""Of a primitive that a vertex completes: names of the routine's, the leading one first."""


class CompiledMeans(Means):
    """The means of one draw.

    kernels: of its tessellator, if it has some. threads: CPU threads, 0 for all.
    """

    def __init__(
        self, scratch: Scratch, kernels: TessellatorKernels | None, threads: int, watch: Watch
    ) -> None:
        self.scratch = scratch
        self.kernels = kernels
        self.threads = threads
        self.watch = watch

    def tessellator(self, declared: Tessellator) -> Tessellates:
        if self.kernels is None:
            return declared
        return CompiledTessellator(declared, self.kernels, self.threads, self.watch)

    def dwords(self, name: str, count: int) -> Numbers:
        return self.scratch.dwords(f"stage {name}", count)

    def move(
        self, source: Numbers, target: Numbers, runs: Sequence[Run], where: Indices | None
    ) -> None:
        pitch, stride = source.strides[0], target.strides[0]
        threads = min(self.threads or available_cores(), 1 + target.nbytes // _BYTES_EACH)
        if where is None:
            if not _is_same(source, target):
                routine = _moving(tuple(runs), 0, pitch, stride)
                routine.run_parts((source, target, source), len(target), 0, 0, threads=threads)
            return
        where = where.astype(np.uint32, copy=False)
        routine = _moving(tuple(runs), where.shape[0], pitch, stride)
        rows = source, target, where
        routine.run_parts(rows, where.shape[1], *where.strides, threads=threads)

    def emitted(
        self, words: Numbers, counts: Numbers, layout: StageArray, stream: Stream
    ) -> Emitted | None:
        size, most = (
            primitive_size(PrimitiveTopology(stream.topology)),
            counts.size * words.shape[1],
        )
        where = self.scratch.dwords("emitted where", size * most).reshape(size, most)
        lanes = self.scratch.dwords("emitted lanes", most)
        (count,) = _strips(layout, stream.number, size).run(
            (words, np.ascontiguousarray(counts), lanes, *where), counts.size
        )
        if not count:
            return None
        rows = VertexRows(words.reshape(-1, layout.words), emitted_words(stream))
        return Emitted(rows, where[:, :count], lanes[:count])


def _is_same(a: Numbers, b: Numbers) -> bool:
    return a.ctypes.data == b.ctypes.data and a.strides == b.strides


@lru_cache(maxsize=_KEPT)
def _moving(runs: tuple[Run, ...], corners: int, pitch: int, stride: int) -> Routine:
    """Return what moves rows. corners: of a primitive, 0 if all rows are moved in their order."""
    lines: list[str] = []
    for n in range(max(corners, 1)):
        lines += _place(n, corners, pitch, stride)
        for at, to, count in runs:
            lines += _words(f"{n}_{to}", n, at, to, count)
    text = "".join(f"  {line}\n" for line in lines)
    numbers = ("first", "end", "corner_step", "primitive_step")
    return Routine("move_rows", ("source", "target", "where"), numbers, vertices=text)


def _place(n: int, corners: int, pitch: int, stride: int) -> list[str]:
    """Return code for where a vertex comes from and goes to."""
    vertex = [
        f"%v{n} = mul i64 %p, {max(corners, 1) * stride}",
        f"%s{n} = add i64 %v{n}, {n * stride}",
        f"%to{n} = getelementptr i8, ptr %target, i64 %s{n}",
    ]
    if not corners:
        return [*vertex, f"%r{n} = mul i64 %p, {pitch}",
                f"%from{n} = getelementptr i8, ptr %source, i64 %r{n}"]  # fmt: skip
    return [
        *vertex, f"%a{n} = mul i64 %p, %primitive_step", f"%b{n} = mul i64 %corner_step, {n}",
        f"%c{n} = add i64 %a{n}, %b{n}", f"%d{n} = getelementptr i8, ptr %where, i64 %c{n}",
        f"%e{n} = load i32, ptr %d{n}, align 4", f"%f{n} = zext i32 %e{n} to i64",
        f"%r{n} = mul i64 %f{n}, {pitch}", f"%from{n} = getelementptr i8, ptr %source, i64 %r{n}",
    ]  # fmt: skip


def _words(name: str, n: int, at: int, to: int, count: int) -> list[str]:
    """Return code that moves a run."""
    lines: list[str] = []
    while count:
        size = next(size for size in _AT_ONCE if size <= count)
        key, type_ = f"{name}_{count}", f"<{size} x i32>"
        lines += [
            f"%l{key} = getelementptr i8, ptr %from{n}, i64 {WORD * at}",
            f"%m{key} = load {type_}, ptr %l{key}, align 4",
            f"%t{key} = getelementptr i8, ptr %to{n}, i64 {WORD * to}",
            f"store {type_} %m{key}, ptr %t{key}, align 4",
        ]
        at, to, count = at + size, to + size, count - size
    return lines


@lru_cache(maxsize=_KEPT)
def _strips(layout: StageArray, stream: int, corners: int) -> Routine:
    """Return what makes primitives of strips."""
    stores = "".join(
        f"  %where{n}_at = getelementptr i32, ptr %where{n}, i64 %n_here\n"
        f"  store i32 %{name}, ptr %where{n}_at, align 4\n"
        for n, name in enumerate(_CORNERS[corners])
    )
    arrays = ("words", "counts", "lanes", *(f"where{n}" for n in range(corners)))
    return Routine(
        "strips", arrays, ("count",), vertices=layout.vertices, pitch=WORD * layout.words,
        stream_bits=STREAM_BITS, starts_strip=STARTS_STRIP, stream=stream, least=corners - 1,
        stores=stores,
    )  # fmt: skip
