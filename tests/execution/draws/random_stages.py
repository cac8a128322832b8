"""Random draws with stages between vertices and pixels, and with stream output, by a seed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from chance import Chance
from numpy.typing import NDArray
from random_draws import bound, random_draw
from stage_shaders import BASE, TOPOLOGIES, Output, Stages, random_stages

from softd3d.pipeline.prepared import (
    DrawCall,
    PreparedDraw,
    PreparedStreamOutput,
    StreamOutputBuffer,
)
from softd3d.pipeline.state import PrimitiveTopology
from softd3d.pipeline.stream_layout import StreamedSlot

__all__ = ["StagedDraw", "random_staged_draw"]

T = PrimitiveTopology


@dataclass
class StagedDraw:
    """A draw, and its shaders' texts."""

    prepared: PreparedDraw
    call: DrawCall
    texts: tuple[str, ...]


def random_staged_draw(seed: int, mesh: int = 0) -> StagedDraw:
    """Make a draw, the same for the same seed; what kernels depend on does not tell the mesh."""
    base = random_draw(seed, mesh)
    c, m = Chance(1, seed), Chance(2, seed, mesh)
    draw, call = base.prepared, base.call
    is_layered = any(t is not None and t.slices > 1 for t in (*draw.targets, draw.depth))
    if c.often(0.12):  # stream output alone
        stages = Stages("", "", "", "triangle", {0: BASE})
        topology = draw.topology if c.often(0.7) else T(T.PATCHLIST_1 + c.number(0, 6))
    else:
        stages = random_stages(c, slices=is_layered)
        topology = _topology(c, stages.takes)
    words = _memory_of_effects(Chance(4, seed), draw, stages)
    texts = [stages.hull, stages.domain, stages.geometry]
    uavs: list[dict[str, object]] = [{}, {}, {}]
    if words is not None:
        last = 2 if stages.geometry else 1
        texts[last], uavs[last] = _with_effects(texts[last]), {"u7": words}
        call = replace(call, count=min(call.count, 12), instances=1)
    programs = [
        bound(text, uavs=given) if text else None for text, given in zip(texts, uavs, strict=True)
    ]
    hull, domain, geometry = programs
    has_output = not any(texts) or c.often(0.55)
    output = _stream_output(c, m, stages.outputs) if has_output else None
    stream: int | None = c.one(list(stages.outputs))
    if (output is not None and c.often(0.3)) or (topology.control_points and not any(texts)):
        stream = None
    if topology.control_points:
        points = topology.control_points
        call = replace(call, count=min(call.count * max(1, points // 2), 44) + points)
    draw = replace(
        draw, topology=topology, hull=hull, domain=domain, geometry=geometry, stream_output=output,
        rasterized_stream=stream,
    )  # fmt: skip
    return StagedDraw(draw, call, (*base.texts, *texts))


def _memory_of_effects(c: Chance, draw: PreparedDraw, stages: Stages) -> NDArray[np.uint32] | None:
    """Return what a UAV of the last stage before the rasteriser shows; None for no UAV.

    It may be what the pixel shader has: then primitives go through the stages one by one, which
    takes long if they are many, as of patches.
    """
    if not (stages.domain or stages.geometry) or not c.often(0.15):
        return None
    pixel = () if draw.pixel is None or stages.hull else draw.pixel.descriptors
    found = [d.data.view(np.uint32) for d in pixel if d.writable]
    return found[0] if found else np.zeros(64, np.uint32)


def _with_effects(text: str) -> str:
    """Return a shader that counts primitives in u7, and leaves the number of the last one."""
    declared = text.replace("dcl_temps", "dcl_uav_structured u7, 4\ndcl_temps")
    lines = (
        "and r4.x, vPrim, l(31)", "atomic_iadd u7, r4.xxxx, l(1)",
        "store_structured u7.x, l(40), l(0), vPrim", "ret\n",
    )  # fmt: skip
    return declared.removesuffix("ret\n") + "\n".join(lines)


def _topology(c: Chance, takes: int | str) -> PrimitiveTopology:
    if isinstance(takes, int):
        return PrimitiveTopology(T.PATCHLIST_1 + takes - 1)
    return c.one(TOPOLOGIES[takes])


def _stream_output(
    c: Chance, m: Chance, outputs: dict[int, tuple[Output, ...]]
) -> PreparedStreamOutput:
    """Return slots with gaps and loose strides; buffers, small ones and missing ones among them."""
    slots: list[StreamedSlot] = []
    buffers: dict[int, StreamOutputBuffer] = {}
    for slot in range(4):
        if slots and c.often(0.6):
            continue
        stream = c.one(list(outputs))
        every = [f"o{o.register}.{part}" for o in outputs[stream] for part in o.mask]
        names = c.rng.permutation(every)[: c.number(1, len(every) + 1)]
        words: list[tuple[int, str]] = []
        at = 0
        for name in names:
            at += c.one([0, 0, 0, 1, 3])
            words.append((at, str(name)))
            at += 1
        slots.append(StreamedSlot(slot, stream, 4 * (at + c.one([0, 0, 2])), tuple(words)))
        if c.often(0.9):
            size = m.one([0, 40, 400, 4000, 40000, 40000, 40000])
            data = np.full(size, 0x5A, np.uint32).view(np.uint8)
            start = 4 * m.one([0, 0, 0, 1, 7, 50])
            buffers[slot] = StreamOutputBuffer(data, np.array([start], np.int64))
    return PreparedStreamOutput(tuple(slots), buffers)
