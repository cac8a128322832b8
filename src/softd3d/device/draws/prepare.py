"""A draw's arguments made into the record that engines take, with every check before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, cast

import numpy as np

from softd3d.arguments import float32, integer, items, shown
from softd3d.classes import dataclass
from softd3d.device.bind import held_memory
from softd3d.device.draws import checks
from softd3d.device.draws.bindings import Stage, bind_stages
from softd3d.device.draws.hazards import check_hazards
from softd3d.device.draws.stages import check_stages, last_stage, stages_of, unfed
from softd3d.device.draws.streams import StreamData, stream_data
from softd3d.device.draws.targets import ShownTarget, depth_stencil_view, render_target
from softd3d.device.draws.vertices import BoundBuffer, VertexData, index_data, vertex_data
from softd3d.device.runnable import STAGE_NAMES
from softd3d.errors import ResourceError
from softd3d.isa.limits import MAX_RENDER_TARGETS, MAX_TEXTURE_EXTENTS, MAX_VIEWPORTS
from softd3d.isa.sample_positions import SampleQuality
from softd3d.lower.bound import BoundProgram
from softd3d.pipeline.prepared import IndexStream, PreparedDraw
from softd3d.pipeline.rasterizer.samples import SamplePattern, rasterizer_pattern, sample_pattern
from softd3d.pipeline.stages import links_of, rasterizer_inputs, unwritten
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilState,
    InputElement,
    PrimitiveTopology,
    RasterizerState,
    Rect,
    SODeclarationEntry,
    StreamOutput,
    Viewport,
)
from softd3d.pipeline.topology import topology_named
from softd3d.resources.views.origin import Held, check_memory
from softd3d.shaders.shader import Shader

__all__ = ["Checked", "DrawArguments", "prepare"]

_UINT32 = range(1 << 32)
_NOTHING = Viewport(max_depth=0.0)  # what a viewport is that nobody has set


class DrawArguments(TypedDict, total=False):
    """What `Draw` takes besides how it is carried out."""

    vs: object
    hs: object
    ds: object
    gs: object
    ps: object
    input_layout: Iterable[InputElement] | None
    topology: PrimitiveTopology | str | int
    rasterizer: RasterizerState | None
    blend: BlendState | None
    depth_stencil: DepthStencilState | None
    blend_factor: Sequence[float]
    stencil_ref: int
    sample_mask: int
    vertex_buffers: object
    index_buffer: object
    stream_output: StreamOutput | Iterable[SODeclarationEntry] | None
    so_targets: object
    constants: object
    srvs: object
    samplers: object
    uavs: object
    interfaces: object
    render_targets: object
    depth_stencil_view: object
    viewports: object
    scissors: object


@dataclass(frozen=True, slots=True)
class Checked:
    """A draw that may run. notes: what Direct3D leaves undefined of its arguments, by name.

    targets: without empty slots. held: the memory that must still be there at each run.
    first_buffer: vertex buffer 0. shaders: by the stage's word.
    """

    prepared: PreparedDraw
    shaders: Mapping[str, Shader]
    notes: tuple[tuple[str, str], ...]
    targets: tuple[ShownTarget, ...]
    held: tuple[Held, ...]
    first_buffer: BoundBuffer | None

    @property
    def draws_nothing(self) -> bool:
        return self.prepared.topology is PrimitiveTopology.UNDEFINED

    def check_memory(self) -> None:
        """Refuse to run on memory that is no longer there.

        Raises:
            ResourceError: an array has been resized, or made read-only though it is written.
        """
        check_memory(self.held)


def prepare(given: DrawArguments, *, strict: bool) -> Checked:
    """Check a draw's arguments and put them in order.

    Raises:
        ShaderError: as `Draw`.
    """
    stages, topology = stages_of(given), _topology(given)
    check_stages(stages, topology)
    states, outputs = _States.of(given), _Outputs.of(given, stages)
    _check_outputs(stages, states, outputs)
    streams = stream_data(given.get("stream_output"), given.get("so_targets"), last_stage(stages))
    data = vertex_data(
        given.get("vertex_buffers"), given.get("input_layout"), stages["vs"].shader.signatures.input
    )
    index = index_data(given.get("index_buffer"))
    bound = bind_stages(tuple(stages.values()), cast("dict[str, object]", given), strict=strict)
    buffers = tuple(data.bound.values())
    buffers = buffers if index is None else (*buffers, index[1])
    names = {stage.name: bound[word] for word, stage in stages.items()}
    check_hazards(names, outputs.all, buffers, streams.buffers)
    stream = None if index is None else index[0]
    prepared = _record(given, topology, states, outputs, data, stream, streams, bound)
    _check_rasterizer(prepared)
    notes = _notes(stages, prepared, states, outputs.slots)
    if strict:
        _refuse(notes, prepared)
    streams.set_targets()
    shaders = {word: stage.shader for word, stage in stages.items()}
    return Checked(
        prepared, shaders, notes, outputs.all,
        tuple(_held(outputs.all, buffers, streams.buffers, bound.values())), data.bound.get(0),
    )  # fmt: skip


def _held(
    targets: Iterable[ShownTarget], read: Iterable[BoundBuffer], streamed: Iterable[BoundBuffer],
    stages: Iterable[BoundProgram],
) -> Iterator[Held]:  # fmt: skip
    """Yield the memory of a draw. streamed: that stream output writes."""
    for shown_target in targets:
        if shown_target.origin is not None:
            name = shown_target.target.name
            yield Held(shown_target.origin, name, is_written=shown_target.is_written)
    for buffers, is_written in ((read, False), (streamed, True)):
        for buffer in buffers:
            if buffer.origin is not None:
                yield Held(buffer.origin, buffer.name, is_written=is_written)
    for bound in stages:
        yield from held_memory(bound, f"{STAGE_NAMES[bound.declarations.stage]}: ")


def _record(
    given: DrawArguments, topology: PrimitiveTopology, states: _States, outputs: _Outputs,
    data: VertexData, index: IndexStream | None, streams: StreamData,
    bound: Mapping[str, BoundProgram],
) -> PreparedDraw:  # fmt: skip
    """Return the record of what has been checked."""
    depth = outputs.depth
    pattern = _pattern(outputs.all[0]) if outputs.all else sample_pattern(1)
    forced = states.rasterizer.forced_sample_count
    viewports, scissors, (width, height) = _areas(given, outputs.all, states.rasterizer)
    return PreparedDraw(
        vertex=bound["vs"], hull=bound.get("hs"), domain=bound.get("ds"), geometry=bound.get("gs"),
        pixel=bound.get("ps"), inputs=data.inputs, topology=topology,
        vertex_buffers=data.streams, index_buffer=index, rasterizer=states.rasterizer,
        blend=states.blend, depth_stencil=states.depth_stencil, blend_factor=states.blend_factor,
        stencil_ref=states.stencil_ref, sample_mask=states.sample_mask, viewports=viewports,
        scissors=scissors, targets=tuple(None if t is None else t.target for t in outputs.slots),
        depth=None if depth is None else depth.target,
        pattern=rasterizer_pattern(pattern, forced), width=width, height=height,
        read_only_depth=depth is not None and depth.read_only_depth,
        read_only_stencil=depth is not None and depth.read_only_stencil,
        stream_output=streams.prepared, rasterized_stream=streams.rasterized_stream,
    )  # fmt: skip


def _pattern(shown: ShownTarget) -> SamplePattern:
    centre, usual = SampleQuality.CENTER_MULTISAMPLE_PATTERN, SampleQuality.DEFAULT
    return sample_pattern(shown.target.samples, centre if shown.is_centered else usual)


@dataclass(frozen=True, slots=True)
class _Outputs:
    """Render targets by slot, and the depth-stencil view."""

    slots: tuple[ShownTarget | None, ...]
    depth: ShownTarget | None

    @classmethod
    def of(cls, given: DrawArguments, stages: Mapping[str, Stage]) -> _Outputs:
        signature = stages["ps"].shader.signatures.output if "ps" in stages else None
        view = given.get("depth_stencil_view")
        return cls(
            _render_targets(given.get("render_targets"), signature),
            None if view is None else depth_stencil_view(view),
        )

    @property
    def all(self) -> tuple[ShownTarget, ...]:
        bound = tuple(shown for shown in self.slots if shown is not None)
        return bound if self.depth is None else (*bound, self.depth)


@dataclass(frozen=True, slots=True)
class _States:
    """State objects and what is set beside them."""

    rasterizer: RasterizerState
    blend: BlendState
    depth_stencil: DepthStencilState
    blend_factor: tuple[float, float, float, float]
    stencil_ref: int
    sample_mask: int

    @classmethod
    def of(cls, given: DrawArguments) -> _States:
        return cls(
            _state(given.get("rasterizer"), RasterizerState, "rasterizer"),
            _state(given.get("blend"), BlendState, "blend"),
            _state(given.get("depth_stencil"), DepthStencilState, "depth_stencil"),
            _blend_factor(given.get("blend_factor", (1, 1, 1, 1))),
            integer(given.get("stencil_ref", 0), "stencil_ref", _UINT32) & 0xFF,
            integer(given.get("sample_mask", 0xFFFFFFFF), "sample_mask", _UINT32),
        )  # fmt: skip


def _state(given: Any, kind: type[Any], what: str) -> Any:
    if given is None:
        return kind()
    if not isinstance(given, kind):
        raise ResourceError(f"{what}: found {type(given).__name__}, wanted a {kind.__name__}")
    return given


def _topology(given: DrawArguments) -> PrimitiveTopology:
    return topology_named(given.get("topology", PrimitiveTopology.TRIANGLELIST))


def _check_rasterizer(prepared: PreparedDraw) -> None:
    """Refuse what cannot be rasterised."""
    is_whole = prepared.hull is None and prepared.geometry is None
    if prepared.rasterizes and prepared.topology.control_points and is_whole:
        raise ResourceError(
            f"topology: found {prepared.topology.name} without hull and domain shaders, wanted "
            "these, a geometry shader, or stream output without a rasterised stream"
        )
    if prepared.rasterizes:
        rasterizer_inputs(prepared.last.declarations, prepared.rasterized_stream or 0)


def _render_targets(given: object, outputs: Any) -> tuple[ShownTarget | None, ...]:
    """Return the render targets by slot, without empty ones at the end."""
    is_one = isinstance(given, np.ndarray)  # its rows are no targets
    found = () if given is None else None if is_one else items(given, MAX_RENDER_TARGETS)
    if found is None:
        raise ResourceError(f"render_targets: found {type(given).__name__}, wanted a list of them")
    if len(found) > MAX_RENDER_TARGETS:
        raise ResourceError("render_targets: found more than 8, wanted up to 8")
    slots = [
        None if target is None else render_target(
            target, f"render target {slot}", is_float=checks.is_float_output(outputs, slot)
        )
        for slot, target in enumerate(found)
    ]  # fmt: skip
    while slots and slots[-1] is None:
        slots.pop()
    return tuple(slots)


def _check_outputs(stages: Mapping[str, Stage], states: _States, outputs: _Outputs) -> None:
    checks.check_targets(outputs.all)
    checks.check_uav_slots(stages.values(), len(outputs.slots))
    checks.check_forced_samples(states.rasterizer, outputs.all, outputs.depth)
    checks.check_blending(states.blend, outputs.slots)


def _notes(
    stages: Mapping[str, Stage], prepared: PreparedDraw, states: _States,
    slots: Sequence[ShownTarget | None],
) -> tuple[tuple[str, str], ...]:  # fmt: skip
    found = [
        (f"{word} {register}", rule)
        for word, bound in prepared.stages.items()
        for register, rule in bound.notes
    ]
    found += unfed(prepared.stages)
    outputs = stages["ps"].shader.signatures.output if "ps" in stages else None
    found += checks.output_notes(outputs, slots)
    found += checks.conservative_notes(prepared)
    return (*found, *checks.blending_notes(states.blend, slots, outputs))


def _refuse(notes: tuple[tuple[str, str], ...], prepared: PreparedDraw) -> None:
    """Refuse what is else noted; a pixel shader's inputs that nothing feeds the engines note."""
    if prepared.pixel is not None and prepared.rasterizes:
        before, stream = prepared.last.declarations, prepared.rasterized_stream or 0
        missing = unwritten(links_of(before, prepared.pixel.declarations, stream), before, stream)
        notes = (*notes, *((f"ps {register}", rule) for register, rule in missing))
    if notes:
        raise ResourceError(": ".join(notes[0]))


def _areas(
    given: DrawArguments, targets: Sequence[ShownTarget], rasterizer: RasterizerState
) -> tuple[tuple[Viewport, ...], tuple[Rect, ...], tuple[int, int]]:
    """Return viewports, scissor rectangles, and how much of targets can be drawn to."""
    viewports = _list_of(given.get("viewports"), Viewport, "viewports")
    scissors = _list_of(given.get("scissors"), Rect, "scissors")
    if targets:
        size = targets[0].size
    elif viewports is None and (given.get("stream_output") is None or given.get("ps") is not None):
        raise ResourceError("viewports: found none, and no target that has a size; wanted one")
    else:
        viewports = viewports or ()  # with stream output and no pixel shader none is needed
        size = _size_of(viewports)
    if viewports is None:
        viewports = (Viewport(width=size[0], height=size[1]),)
    count = max(len(viewports), 1)
    if scissors is None:
        scissors = (Rect(0, 0, *size),) * count
    missing = (Rect(),) * (MAX_VIEWPORTS - len(scissors) if rasterizer.scissor_enable else 0)
    return viewports or (_NOTHING,), (*scissors, *missing), size


def _size_of(viewports: Sequence[Viewport]) -> tuple[int, int]:
    """Return the size of a draw without targets. Spec: D3D11.3 section 16.11."""
    edges = [viewport.scissor for viewport in viewports]
    sizes = (max((getattr(e, side) for e in edges), default=0) for side in ("right", "bottom"))
    width, height = (min(max(0, math.floor(n)), MAX_TEXTURE_EXTENTS[2]) for n in sizes)
    return width, height


def _list_of(given: object, kind: type[Any], what: str) -> tuple[Any, ...] | None:
    if given is None:
        return None
    found = (given,) if isinstance(given, kind) else items(given, MAX_VIEWPORTS)
    if found is None or not all(isinstance(one, kind) for one in found[:MAX_VIEWPORTS]):
        raise ResourceError(f"{what}: found {shown(given)}, wanted a list of {kind.__name__}")
    if len(found) > MAX_VIEWPORTS:
        raise ResourceError(f"{what}: found more than 16, wanted up to 16")
    return found


def _blend_factor(given: object) -> tuple[float, float, float, float]:
    found = items(given, 4)
    if found is None or len(found) != 4:
        raise ResourceError(f"blend_factor: found {shown(given)}, wanted four numbers")
    r, g, b, a = (float32(n, "blend_factor") for n in found)
    return r, g, b, a
