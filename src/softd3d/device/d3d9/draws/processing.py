"""Vertex processing without drawing: its program, what comes out of it, and where that goes.

Spec: win32 IDirect3DDevice9::ProcessVertices, "Transformed and Lit Vertex Functionality".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.declarations import VertexDeclaration9, VertexElement9
from softd3d.device.d3d9.state import DeviceState, StreamSource, Viewport9
from softd3d.errors import ResourceError
from softd3d.isa.sample_positions import SampleQuality
from softd3d.isa.sm1.enums import Usage
from softd3d.isa.sm4.enums import OperandType
from softd3d.lower.bound import BoundProgram
from softd3d.lower.stage import component_name, register_name
from softd3d.pipeline.d3d9.elements import element_format
from softd3d.pipeline.d3d9.linkage import MISSING, StageOutput
from softd3d.pipeline.d3d9.vertex import VertexStage
from softd3d.pipeline.prepared import (
    PreparedDraw,
    PreparedStreamOutput,
    StreamOutputBuffer,
    VertexStream,
)
from softd3d.pipeline.rasterizer.samples import sample_pattern
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilState,
    PrimitiveTopology,
    RasterizerState,
)
from softd3d.pipeline.stream_layout import StreamedSlot
from softd3d.resources.transfer.conversion import encode

__all__ = ["Semantic", "check_destination", "processed", "processing_draw", "put_vertices"]

Semantic = tuple[int, int]
"""Usage and its index."""
_POSITION, _PROCESSED = (Usage.POSITION, 0), (Usage.POSITIONT, 0)
_FOG, _SPECULAR = (Usage.FOG, 0), (Usage.COLOR, 1)
_WORD = 4  # bytes
_ALL_SAMPLES = 0xFFFFFFFF


def check_destination(declaration: VertexDeclaration9) -> int:
    """Return the bytes of a processed vertex.

    Raises:
        ResourceError: there is no processed position, or more streams than one.
    """
    elements = declaration.used
    if any(e.stream for e in elements) or _PROCESSED not in map(_semantic, elements):
        raise ResourceError(
            f"process_vertices: found {declaration}, wanted POSITIONT (XYZRHW) among the elements, "
            "all in stream 0"
        )
    return max(e.end for e in elements)


def _semantic(element: VertexElement9) -> Semantic:
    return int(element.usage), element.usage_index


def processing_draw(
    stage: VertexStage, bound: BoundProgram, streams: Mapping[int, StreamSource], count: int
) -> tuple[PreparedDraw, StreamOutputBuffer]:
    """Return a draw of points that writes all outputs of a vertex program, and where to.

    bound: the stage's program with its textures. count: of vertices at most.
    """
    words = tuple(
        component_name(register_name(OperandType.OUTPUT, output.number), c)
        for output in stage.outputs
        for c in output.components
    )
    stride = _WORD * len(words)
    room = StreamOutputBuffer(np.zeros(stride * count, np.uint8), np.zeros(1, np.int64))
    draw = PreparedDraw(
        vertex=bound, pixel=None, inputs=stage.inputs, topology=PrimitiveTopology.POINTLIST,
        vertex_buffers={
            slot: VertexStream(source.buffer.array, source.stride, source.offset)
            for slot, source in streams.items()
            if source.buffer is not None
        },
        index_buffer=None, rasterizer=RasterizerState(), blend=BlendState(),
        depth_stencil=DepthStencilState(depth_enable=False), blend_factor=(1.0, 1.0, 1.0, 1.0),
        stencil_ref=0, sample_mask=_ALL_SAMPLES, viewports=(), scissors=(), targets=(), depth=None,
        pattern=sample_pattern(1, SampleQuality.DEFAULT), width=1, height=1,
        stream_output=PreparedStreamOutput(
            (StreamedSlot(0, 0, stride, tuple(enumerate(words))),), {0: room}
        ),
        rasterized_stream=None,
    )  # fmt: skip
    return draw, room


def processed(
    outputs: Sequence[StageOutput], words: NDArray[np.uint8], viewport: Viewport9
) -> dict[Semantic, NDArray[np.float32]]:
    """Return what vertices have by semantic, each (vertices, 4), the position on the screen.

    words: what `processing_draw` has written. The factor of fog becomes the alpha of COLOR1.
    """
    width = sum(len(output.components) for output in outputs)
    table = words.view("<f4").reshape(-1, width)
    found: dict[Semantic, NDArray[np.float32]] = {}
    at = 0
    for output in outputs:
        mine = np.empty((len(table), 4), np.float32)
        mine[:] = MISSING
        mine[:, output.components] = table[:, at : at + len(output.components)]
        at += len(output.components)
        found[int(output.semantic[0]), output.semantic[1]] = mine
    found[_PROCESSED] = _on_screen(found.pop(_POSITION), viewport)
    fog = found.pop(_FOG, None)
    if fog is not None:
        specular = found.setdefault(_SPECULAR, np.zeros_like(fog))
        specular[:, 3] = fog[:, 0]
    return found


def _on_screen(clip: NDArray[np.float32], viewport: Viewport9) -> NDArray[np.float32]:
    """Return x, y, z and 1 / w of positions in clip space, in float32."""
    f = np.float32
    x, y, z, w = clip.T
    half_width, half_height = f(viewport.width) * f(0.5), f(viewport.height) * f(0.5)
    least, most = f(viewport.min_z), f(viewport.max_z)
    with np.errstate(all="ignore"):
        return np.stack(
            (
                f(viewport.x) + (x / w + f(1)) * half_width,
                f(viewport.y) + (f(1) - y / w) * half_height,
                least + z / w * (most - least),
                f(1) / w,
            ),
            axis=1,
        )


def put_vertices(
    target: NDArray[np.uint8], elements: Sequence[VertexElement9],
    found: Mapping[Semantic, NDArray[np.float32]], state: DeviceState, first: int, *, copies: bool,
) -> None:  # fmt: skip
    """Write vertices: (vertices, bytes).

    first: the source vertex of the first one. copies: whether elements that vertex processing does
    not give are those of the source, where it has the same.
    """
    for element in elements:
        values = found.get(_semantic(element))
        place = target[:, element.offset : element.end]
        if values is not None:
            texels = encode(values[None], element_format(element.type))
            place[...] = np.ascontiguousarray(texels).view(np.uint8).reshape(place.shape)
        elif copies:
            _copy(place, element, state, first)


def _copy(
    place: NDArray[np.uint8], element: VertexElement9, state: DeviceState, first: int
) -> None:
    declaration = state.declaration
    key = element.usage, element.usage_index, element.type
    for other in () if declaration is None else declaration.used:
        source = state.streams[other.stream]
        if (other.usage, other.usage_index, other.type) != key or source.buffer is None:
            continue
        numbers = np.arange(len(place), dtype=np.int64) + first
        starts = numbers * source.stride + (source.offset + other.offset)
        bytes_ = starts[:, None] + np.arange(place.shape[1], dtype=np.int64)
        is_there = starts + place.shape[1] <= source.buffer.length
        inside = np.where(is_there[:, None], bytes_, 0)
        place[...] = np.where(is_there[:, None], source.buffer.array[inside], 0)
