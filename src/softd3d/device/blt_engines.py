"""The work of a Blt on both engines: NumPy in pieces that fit the caches, or machine code.

Both evaluate `converted_texel`, so their bits are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import BOOL, U32, Value
from softd3d.classes import dataclass
from softd3d.device.dispatch import ENGINES
from softd3d.formats.depth_stencil import (
    DepthStencilFormat,
    Readings,
    converted_texel,
    reads_destination,
)
from softd3d.isa.machine import Info, Memory, View, ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.views.descriptor import MAX_BYTES, Descriptor

if TYPE_CHECKING:
    from softd3d.ir.graph import Graph
    from softd3d.ir.recorder import Recorder
    from softd3d.jit.engine import CompiledKernel

__all__ = ["ENGINES", "Area", "convert_area"]

_PIECE = 1 << 14  # texels that NumPy converts at once; some ten temporary arrays fit the caches
_GROUP, _MASKED_GROUP = 1024, 128  # texels of a row that a thread group converts
_WORTH_COMPILING = 1 << 20  # texels; NumPy takes some milliseconds for them
_SOURCE = View(Memory.RESOURCE, "t0", 0, ViewKind.RAW, ResourceDimension.RAW_BUFFER)
_TARGET = View(Memory.UAV, "u0", 1, ViewKind.RAW, ResourceDimension.RAW_BUFFER)


@dataclass(frozen=True, slots=True)
class Area:
    """Texels of a surface, unsigned integers (height, width) with any strides."""

    format: DepthStencilFormat
    texels: NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Bound:
    """The bindings of a kernel run."""

    descriptors: tuple[Descriptor, ...]
    constants: tuple[NDArray[np.uint32], ...] = ()


def convert_area(
    source: Area, target: Area, readings: Readings, engine: str | None, threads: int
) -> None:
    """Write a source area, converted, to a target area of the same shape that shares no memory."""
    if source.format is target.format:
        np.copyto(target.texels, source.texels)
        return
    source, target = _rows_joined(source, target)
    is_worth = engine == "jit" or (engine is None and source.texels.size >= _WORTH_COMPILING)
    if is_worth and _suits_native(source.texels) and _suits_native(target.texels):
        _convert_native(source, target, readings, threads)
    else:
        _convert_numpy(source, target, readings)


def _rows_joined(source: Area, target: Area) -> tuple[Area, Area]:
    """Return rows as long as possible: contiguous areas are one row."""
    areas = (source, target)
    if all(a.texels.flags.c_contiguous for a in areas):
        source, target = (Area(a.format, a.texels.reshape(1, -1)) for a in areas)
    return source, target


# NumPy


def _convert_numpy(source: Area, target: Area, readings: Readings) -> None:
    k = NumpyAlgebra()
    reads = reads_destination(source.format, target.format, readings)
    for piece in _pieces(source.texels.shape):
        texel = k.lanes(U32, source.texels[piece].astype(np.uint32))
        old = k.lanes(U32, target.texels[piece].astype(np.uint32)) if reads else None
        result = converted_texel(source.format, target.format, texel, old, readings)
        target.texels[piece] = result.raw


def _pieces(shape: tuple[int, ...]) -> Iterator[tuple[slice, slice]]:
    """Cut an area into pieces of at most `_PIECE` texels."""
    height, width = shape
    columns = min(width, _PIECE)
    rows = max(_PIECE // columns, 1)
    for y in range(0, height, rows):
        for x in range(0, width, columns):
            yield slice(y, y + rows), slice(x, x + columns)


# Machine code


def _suits_native(texels: NDArray[Any]) -> bool:
    """Tell whether rows are contiguous, aligned, in order, and within reach of a view's offsets."""
    (height, width), (pitch, step), size = texels.shape, texels.strides, texels.itemsize
    if not texels.flags.aligned or (step != size and width > 1):
        return False
    return height == 1 or width * size <= pitch <= MAX_BYTES // 2


def _convert_native(source: Area, target: Area, readings: Readings, threads: int) -> None:
    """Convert whole groups without masks, and what is left of the rows with one."""
    height, width = source.texels.shape
    whole = width // _GROUP * _GROUP
    rows = min(_rows_within_reach(source.texels), _rows_within_reach(target.texels))
    most = MAX_BYTES // 4 // _GROUP * _GROUP
    for group, start, end in ((_GROUP, 0, whole), (_MASKED_GROUP, whole, width)):
        if start == end:
            continue
        kernel = _kernel(source.format, target.format, readings, group)
        for y in range(0, height, rows):
            for x in range(start, end, most):
                piece = slice(y, y + rows), slice(x, min(x + most, end))
                here, there = source.texels[piece], target.texels[piece]
                bound = _Bound((_described(here), _described(there)))
                kernel.run(bound, (-(-here.shape[1] // group), here.shape[0], 1), threads=threads)


def _rows_within_reach(texels: NDArray[Any]) -> int:
    return max(MAX_BYTES // max(texels.strides[0], 1) - 1, 1)


def _described(texels: NDArray[Any]) -> Descriptor:
    """Describe rows of texels; the array pitch is that of rows."""
    height, width = texels.shape
    pitch = texels.strides[0]
    length = (height - 1) * pitch + width * texels.itemsize
    data = np.lib.stride_tricks.as_strided(texels[0, :1].view(np.uint8), (length,), (1,))
    return Descriptor(
        data, length, width, texels.itemsize, width, height, 1, 1, 1, 1,
        pitch if height > 1 else 0, (), None, ViewKind.RAW, ResourceDimension.RAW_BUFFER, None,
        writable=True,
    )  # fmt: skip


@cache
def _kernel(
    source: DepthStencilFormat, target: DepthStencilFormat, readings: Readings, group: int
) -> CompiledKernel:
    """Compile the conversion of `group` texels of a row; the groups' y is the row."""
    from softd3d.jit.engine import compile_graph  # noqa: PLC0415 - LLVM only when it is needed
    from softd3d.lower.declarations import Declarations  # noqa: PLC0415

    graph = _recorded(source, target, readings, group)
    return compile_graph(graph, Declarations(group_size=(group, 1, 1)))


def _recorded(
    source: DepthStencilFormat, target: DepthStencilFormat, readings: Readings, group: int
) -> Graph:
    from softd3d.ir.graph import Graph  # noqa: PLC0415 - only when it is needed
    from softd3d.ir.recorder import Recorder  # noqa: PLC0415 - only when it is needed

    k = Recorder()
    x = _input(k, "group.x") * group + _input(k, "flat")
    valid = k.const(BOOL, 1)
    if group == _MASKED_GROUP:
        valid = x < k.value(k.shared("info", U32, (), (_SOURCE, Info.WIDTH)))
    here, there = (
        _input(k, "group.y") * k.value(k.shared("info", U32, (), (view, Info.ARRAY_PITCH)))
        + x * format_.bytes_per_texel
        for view, format_ in ((_SOURCE, source), (_TARGET, target))
    )
    texel = _load(k, _SOURCE, here, valid, source.bytes_per_texel)
    old = None
    if reads_destination(source, target, readings):
        old = _load(k, _TARGET, there, valid, target.bytes_per_texel)
    result = converted_texel(source, target, texel, old, readings)
    k.node("store", None, (there.raw, result.raw, valid.raw), (_TARGET, target.bytes_per_texel))
    return Graph(k.blocks[0], uses_double=k.uses_double)


def _input(k: Recorder, name: str) -> Value:
    return k.value(k.shared("input", U32, (), name))


def _load(k: Recorder, view: View, offset: Value, valid: Value, size: int) -> Value:
    return k.value(k.node("load", U32, (offset.raw, valid.raw, valid.raw), (view, size)))
