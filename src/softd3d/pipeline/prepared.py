"""A draw that has been checked: shaders with their bindings, buffers, states, targets.

Both engines take it. What a caller gives becomes one in `device/draw.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.formats.layout import Format
from softd3d.isa.sm4.enums import OperandType
from softd3d.lower.bound import BoundProgram
from softd3d.pipeline.coverage import SampleRule
from softd3d.pipeline.depth_stencil import DepthStencilRule
from softd3d.pipeline.input_layout import VertexInput
from softd3d.pipeline.rasterizer.bias import NO_DEPTH_BUFFER_BITS, DepthBias
from softd3d.pipeline.rasterizer.samples import SamplePattern
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilState,
    PrimitiveTopology,
    RasterizerState,
    Rect,
    Viewport,
)
from softd3d.pipeline.state.enums import ConservativeRasterizationMode
from softd3d.pipeline.stream_layout import StreamedSlot

__all__ = [
    "DrawCall",
    "IndexStream",
    "PreparedDraw",
    "PreparedStreamOutput",
    "StreamOutputBuffer",
    "Target",
    "VertexStream",
]

_ALL_SAMPLES = 0xFFFFFFFF
_MOST_ALIGNED = 4  # bytes that are loaded together


@dataclass(frozen=True, slots=True)
class VertexStream:
    """A vertex buffer. data: uint8; stride, offset: bytes."""

    data: NDArray[np.uint8]
    stride: int
    offset: int = 0

    @property
    def alignment(self) -> int:
        """What divides stride and offset: 1, 2 or 4."""
        places = self.stride | self.offset
        return min(_MOST_ALIGNED, places & -places) if places else _MOST_ALIGNED


@dataclass(frozen=True, slots=True)
class IndexStream:
    """An index buffer. format: R16_UINT or R32_UINT; offset: bytes."""

    data: NDArray[np.uint8]
    format: Format
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Target:
    """What a render target or depth view shows: one mip level of some slices.

    name: for messages. data: uint8, the texture's memory. offset, row_pitch, slice_pitch: bytes.
    width, height: texels. samples: of a texel, next to each other.
    """

    name: str
    format: Format
    data: NDArray[np.uint8]
    offset: int
    row_pitch: int
    slice_pitch: int
    width: int
    height: int
    slices: int
    samples: int


@dataclass(frozen=True, slots=True)
class StreamOutputBuffer:
    """A buffer that a stage streams out to.

    data: uint8. filled: int64, (1,): BufferFilledSize, the byte that the next vertex goes to; draws
    move it on.
    """

    data: NDArray[np.uint8]
    filled: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PreparedStreamOutput:
    """Stream output of a draw.

    slots: those with entries. buffers: by slot; a slot with entries but no buffer counts as full.
    """

    slots: tuple[StreamedSlot, ...]
    buffers: Mapping[int, StreamOutputBuffer]


@dataclass(frozen=True, slots=True)
class DrawCall:
    """The arguments of a draw: vertices, or indices of an indexed draw.

    start: StartVertexLocation or StartIndexLocation. base_vertex: signed, of an indexed draw.
    """

    count: int
    instances: int = 1
    start: int = 0
    start_instance: int = 0
    base_vertex: int = 0
    is_indexed: bool = False


@dataclass(frozen=True, slots=True)
class PreparedDraw:
    """Everything that a draw needs but its arguments.

    inputs: of the vertex shader, from vertex buffers. targets: render targets by slot, None where
    there is none. viewports, scissors: by index. pattern: the samples that primitives cover: those
    of the targets, or of ForcedSampleCount. width, height: what all targets have; without targets,
    how far the viewports reach, up to 16384. read_only_depth, read_only_stencil: of the depth view.
    hull, domain: both or none. rasterized_stream: of a geometry shader's streams the one that is
    rasterised; None for none, whatever the last stage is. depth_offset: Direct3D 9's DEPTHBIAS, in
    the place of the rasteriser state's, and not in units of the depth buffer.
    """

    vertex: BoundProgram
    pixel: BoundProgram | None
    inputs: tuple[VertexInput, ...]
    topology: PrimitiveTopology
    vertex_buffers: Mapping[int, VertexStream]
    index_buffer: IndexStream | None
    rasterizer: RasterizerState
    blend: BlendState
    depth_stencil: DepthStencilState
    blend_factor: tuple[float, float, float, float]
    stencil_ref: int
    sample_mask: int
    viewports: tuple[Viewport, ...]
    scissors: tuple[Rect, ...]
    targets: tuple[Target | None, ...]
    depth: Target | None
    pattern: SamplePattern
    width: int
    height: int
    read_only_depth: bool = False
    read_only_stencil: bool = False
    hull: BoundProgram | None = None
    domain: BoundProgram | None = None
    geometry: BoundProgram | None = None
    stream_output: PreparedStreamOutput | None = None
    rasterized_stream: int | None = 0
    depth_offset: float | None = None

    @property
    def stages(self) -> Mapping[str, BoundProgram]:
        """The shaders that there are, by the stage's word, in the order of the pipeline."""
        every = {
            "vs": self.vertex, "hs": self.hull, "ds": self.domain, "gs": self.geometry,
            "ps": self.pixel,
        }  # fmt: skip
        return {word: bound for word, bound in every.items() if bound is not None}

    @property
    def last(self) -> BoundProgram:
        """The shader of the last stage before stream output and the rasteriser."""
        return self.geometry or self.domain or self.vertex

    @property
    def is_forced(self) -> bool:
        """Whether the rasteriser has samples of its own: ForcedSampleCount. Spec: 3.5.6."""
        return self.rasterizer.forced_sample_count != 0

    @property
    def is_conservative(self) -> bool:
        """Whether triangles cover all pixels that they touch. Lines and points are as ever."""
        return self.rasterizer.conservative_raster is ConservativeRasterizationMode.ON

    @property
    def clips_at_depth(self) -> bool:
        """Whether triangles are clipped at the depth range, instead of samples being tested."""
        return self.is_conservative and self.rasterizer.depth_clip_enable

    @property
    def reads_inner_coverage(self) -> bool:
        """Whether the pixel shader has SV_InnerCoverage among its inputs."""
        inputs = [] if self.pixel is None else self.pixel.declarations.inputs
        return any(r.file is OperandType.INNER_COVERAGE for r in inputs)

    @property
    def samples(self) -> SampleRule:
        """How coverage becomes samples of the targets."""
        bound = [t for t in (*self.targets, self.depth) if t is not None]
        if not bound:  # UAVs only: the sample mask does not count. Spec: 16.11.
            return SampleRule(self.pattern.count, self.pattern.count, _ALL_SAMPLES)
        outputs = bound[0].samples if self.is_forced else self.pattern.count
        return SampleRule(
            self.pattern.count, outputs, self.sample_mask & _ALL_SAMPLES, is_forced=self.is_forced
        )

    @property
    def depth_stencil_rule(self) -> DepthStencilRule:
        """The tests; under a ForcedSampleCount there is no depth."""
        has_depth = self.depth is not None and not self.is_forced
        return DepthStencilRule(
            self.depth_stencil, self.depth.format if self.depth and has_depth else None,
            self.read_only_depth, self.read_only_stencil,
        )  # fmt: skip

    @property
    def bias(self) -> DepthBias:
        """The depth bias that the states and the depth buffer's format say."""
        state, target = self.rasterizer, self.depth
        bits: int | None = NO_DEPTH_BUFFER_BITS
        if target is not None:
            # D32_FLOAT and its kin have a bias of their own kind.
            bits = target.format.depth_bits if target.format.depth_bits < 32 else None
        return DepthBias(
            int(state.depth_bias), state.depth_bias_clamp, state.slope_scaled_depth_bias, bits,
            self.depth_offset,
        )  # fmt: skip

    @property
    def boxes(self) -> tuple[Rect, ...]:
        """The pixels that count in each viewport: those of its scissor and of the targets."""
        whole = Rect(0, 0, self.width, self.height)
        found = [viewport.scissor & whole for viewport in self.viewports]
        if self.rasterizer.scissor_enable:
            missing = [Rect()] * (len(found) - len(self.scissors))
            found = [a & b for a, b in zip(found, (*self.scissors, *missing), strict=False)]
        return tuple(found)

    @property
    def rasterizes(self) -> bool:
        """Whether the rasteriser is on. Spec: D3D11.3 13.5.2 and 15.2."""
        state = self.depth_stencil
        has_use = self.pixel is not None or state.depth_enable or state.stencil_enable
        return has_use and self.rasterized_stream is not None
