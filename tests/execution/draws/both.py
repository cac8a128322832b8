"""A draw on both engines, compared to the bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.formats.codec import units, unpack
from softd3d.formats.layout import ChannelType
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.jit.draw.engine import compile_draw
from softd3d.lower.bound import BoundProgram
from softd3d.pipeline.prepared import DrawCall, PreparedDraw, Target
from softd3d.pipeline.primitives.records import lanes, spread
from softd3d.pipeline.queries import DrawResult

__all__ = ["compare", "drawn_by_reference", "written"]

Memory = list[NDArray[np.uint8]]


def written(prepared: PreparedDraw) -> Memory:
    """Return all memory that a draw may write to."""
    found = [t.data for t in _targets(prepared)]
    p = prepared
    shaders: list[BoundProgram] = [
        s for s in (p.vertex, p.hull, p.domain, p.geometry, p.pixel) if s is not None
    ]
    for shader in shaders:
        found += [d.data for d in shader.descriptors if d.writable]
    if p.stream_output is not None:
        for buffer in p.stream_output.buffers.values():
            found += [buffer.data, buffer.filled.view(np.uint8)]
    return found


def _targets(prepared: PreparedDraw) -> list[Target]:
    return [t for t in (*prepared.targets, prepared.depth) if t is not None]


def drawn_by_reference(prepared: PreparedDraw, call: DrawCall) -> tuple[Memory, DrawResult]:
    """Draw on the interpreter and undo it; return what it had written."""
    memory = written(prepared)
    before = [m.copy() for m in memory]
    result = draw_interpreted(prepared, call)
    after = [m.copy() for m in memory]
    for m, old in zip(memory, before, strict=True):
        m[...] = old
    return after, result


def compare(
    prepared: PreparedDraw,
    call: DrawCall,
    configurations: Sequence[dict[str, Any]],
    label: str = "",
) -> None:
    """Draw on both engines; native code in several ways, each from the same start.

    configurations: lanes, threads, tile, chunk of each.
    """
    expected, wanted = drawn_by_reference(prepared, call)
    memory = written(prepared)
    before = [m.copy() for m in memory]
    for configuration in configurations:
        options = dict(configuration)
        threads = options.pop("threads", 0)
        result = compile_draw(prepared, **options).draw(call, threads=threads)
        assert result == wanted, (label, configuration)
        for n, (found, after) in enumerate(zip(memory, expected, strict=True)):
            place = (label, configuration, n)
            target = _targets(prepared)[n] if n < len(_targets(prepared)) else None
            assert _same(found, after, target), place
        for m, old in zip(memory, before, strict=True):
            m[...] = old


def _same(found: NDArray[np.uint8], wanted: NDArray[np.uint8], target: Target | None) -> bool:
    """Whether memory is the same; NaN that blending makes may have any bits."""
    different = np.flatnonzero(found != wanted)
    if not different.size:
        return True
    if target is None or target.format.type is not ChannelType.FLOAT or target.name == "depth":
        return False
    return _same_numbers(found, wanted, target)


def _same_numbers(found: NDArray[np.uint8], wanted: NDArray[np.uint8], target: Target) -> bool:
    size = target.format.bytes_per_block
    texels = np.unique(_texels(np.flatnonzero(found != wanted), target))
    if np.any(texels < 0):
        return False  # beside the target
    places = texels[:, None] + np.arange(size)
    a, b = (_components(memory[places], target) for memory in (found, wanted))
    return bool(np.all((a == b) | (np.isnan(a) & np.isnan(b))))


def _texels(places: NDArray[np.intp], target: Target) -> NDArray[np.intp]:
    """Return where the texel of each byte starts, -1 if there is none."""
    size = target.format.bytes_per_block
    at = places - target.offset
    inside = at % target.slice_pitch % target.row_pitch
    start = places - inside % size
    good = (at >= 0) & (inside < target.width * target.samples * size)
    return np.where(good, start, -1)


def _components(texels: NDArray[np.uint8], target: Target) -> NDArray[np.float32]:
    size, count = units(target.format)
    raw = np.ascontiguousarray(texels).view({1: "<u1", 2: "<u2", 4: "<u4"}[size])
    words = [lanes(raw[:, n].astype(np.uint32)) for n in range(count)]
    values = [np.array(spread(v, len(raw))) for v in unpack(target.format, words)]
    return np.stack(values).astype(np.uint32).view(np.float32)
