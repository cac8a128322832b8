"""From the state of a device to prepared draws, part by part.

Each part is made again when a call has touched it, and known by a key; the keys together are the
key of the draw.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

import numpy as np

from softd3d.device.d3d9.buffers import IndexBuffer9, VertexBuffer9
from softd3d.device.d3d9.draws.constants import ConstantsOfDraws
from softd3d.device.d3d9.draws.jobs import Job, Jobs
from softd3d.device.d3d9.draws.kept import Kept
from softd3d.device.d3d9.draws.output_states import OutputStates, output_states
from softd3d.device.d3d9.draws.programs import ProgramMemo, Programs, elements_of
from softd3d.device.d3d9.draws.targets import DrawTargets, targets_of
from softd3d.device.d3d9.draws.textures import (
    held_textures,
    kinds_of,
    texture_key,
    textures_in,
    with_textures,
)
from softd3d.device.d3d9.draws.topologies import CORNERS, TOPOLOGIES
from softd3d.device.d3d9.draws.vendor_codes import refuse_codes
from softd3d.device.d3d9.queries import Query9
from softd3d.device.d3d9.state import OUTPUT_STATES, Part
from softd3d.device.d3d9.state_blocks import StateBlockCalls
from softd3d.device.d3d9.values import float_of
from softd3d.device.run_options import RunOptions
from softd3d.isa.d3d9.enums import PrimitiveType
from softd3d.isa.d3d9.states import RenderState
from softd3d.isa.sample_positions import SampleQuality
from softd3d.isa.sm1.profile import DOCUMENTED
from softd3d.lower.bound import BoundProgram
from softd3d.lower.watch import Watch
from softd3d.pipeline.d3d9.elements import VertexElement
from softd3d.pipeline.d3d9.primitives import point_numbers
from softd3d.pipeline.fixed9.state import Element
from softd3d.pipeline.prepared import IndexStream, PreparedDraw, VertexStream
from softd3d.pipeline.rasterizer.samples import sample_pattern
from softd3d.pipeline.state import CullMode, FillMode, ReversibleViewport, Viewport
from softd3d.resources.d3d9.surfaces import Texture9
from softd3d.resources.views.origin import Held

__all__ = ["Preparing"]

_R = RenderState
_ALL_DEPTHS = (0.0, 1.0)
_HALF = 0.5  # centres of pixels are at integers
_MOST_OUTPUTS = 1024
_MOST_DECLARATIONS = 256
_ALL_SAMPLES = 0xFFFFFFFF
_IN_KEY = int(Part.OUTPUT | Part.PROGRAMS | Part.TEXTURES | Part.BUFFERS | Part.TARGETS)


class Preparing(StateBlockCalls):
    """Keeps the parts of the next draw."""

    def __init__(self, profile: str, options: RunOptions) -> None:
        super().__init__(profile)
        self._options = options
        self._lights_ends = profile == DOCUMENTED.name
        self._jobs = Jobs(options)
        self._points = point_numbers(1, 1).view(np.uint32)
        self._memo = ProgramMemo(profile, self._points)
        self._known_outputs = Kept[tuple[int, ...], OutputStates](_MOST_OUTPUTS)
        self._draw_constants = ConstantsOfDraws()
        self._counting: list[Query9] = []
        self._scratch_vertices: VertexBuffer9 | None = None
        self._scratch_indices: dict[str, IndexBuffer9] = {}
        self._scratch_lists: IndexBuffer9 | None = None
        self._known_elements = Kept[Hashable, tuple[VertexElement, ...]](_MOST_DECLARATIONS)
        self._corners = 0
        self._streams: tuple[int, ...] = ()
        self._key: Hashable = None
        self._generated: tuple[Texture9, ...] = ()

    def _job(
        self, type_: PrimitiveType, indices: IndexStream | None, index_key: object, watch: Watch,
        *, last_pixel: bool,
    ) -> Job:  # fmt: skip
        """Return the job for what is set now.

        indices: None of a draw without. index_key: what they are, a buffer or a key. last_pixel:
        whether lines light the pixel that they end in.

        Raises:
            ShaderError: as a draw.
        """
        self._draw_constants.put(self.state, self._programs_of(type_))
        named = id(index_key) if isinstance(index_key, IndexBuffer9) else index_key
        key = self._key, type_, named, last_pixel
        return self._jobs.get(key) or self._make(
            key, type_, indices, index_key, watch, last_pixel=last_pixel
        )

    def _programs_of(self, type_: PrimitiveType) -> Programs:
        """Return what a draw of a type of primitives would run now.

        Raises:
            ShaderError: as a draw.
        """
        corners = CORNERS[type_]
        if self.dirty or corners != self._corners:
            self._refresh(corners)
        return self._programs

    # Parts

    def _refresh(self, corners: int) -> None:
        """Make the parts again that calls have touched."""
        state = self.state
        if corners != self._corners:
            self.dirty |= Part.PROGRAMS
        if self.dirty & Part.TEXTURES:
            kinds = kinds_of(state)
            if kinds != state.fixed.textures:
                state.fixed.textures = kinds
                self.dirty |= Part.PROGRAMS
        dirty = self.dirty
        if dirty & (Part.OUTPUT | Part.WORDS):
            refuse_codes(state.render)
        if dirty & Part.OUTPUT:
            self._output = self._known_output()
        if dirty & Part.TARGETS:
            viewport = state.viewport
            state.fixed.viewport = (viewport.x, viewport.y, viewport.width, viewport.height)
        if dirty & Part.PROGRAMS:
            self._find_programs(corners)
        if self._programs.geometry is not None:
            self._put_points()
        self._draw_constants.touch(dirty)
        if dirty & _IN_KEY:
            self._key = self._draw_key()
            self._generated = tuple(t for t in self._bound_textures() if t.is_generated)
        self._corners = corners
        self.dirty = 0

    def _known_output(self) -> OutputStates:
        render = self.state.render
        key = tuple(render[number] for number in OUTPUT_STATES)
        found = self._known_outputs.get(key)
        if found is None:
            found = output_states(render)
            self._known_outputs.put(key, found)
        return found

    def _put_points(self) -> None:
        """Give what makes points the sizes that are set."""
        viewport, render = self.state.viewport, self.state.render
        sizes = (float_of(render[s]) for s in (_R.POINTSIZE, _R.POINTSIZE_MIN, _R.POINTSIZE_MAX))
        numbers = point_numbers(viewport.width, viewport.height, *sizes)
        self._points[:] = numbers.view(np.uint32)

    def _elements(self) -> tuple[VertexElement, ...]:
        """Return the elements of the declaration that is set, and note them for what is fixed."""
        state = self.state
        frequencies = tuple(state.frequencies)
        known = state.declaration, frequencies
        elements = self._known_elements.get(known)
        if elements is None:
            elements = elements_of(state.declaration, frequencies)
            self._known_elements.put(known, elements)
        state.fixed.elements = tuple(Element(e.usage, e.usage_index, e.type) for e in elements)
        return elements

    def _find_programs(self, corners: int) -> None:
        state = self.state
        elements = self._elements()
        target = state.targets[0]
        self._programs = self._memo.programs(
            state, elements, None if target is None else target.format, corners=corners
        )
        self._streams = tuple(dict.fromkeys(i.slot for i in self._programs.vertex.inputs))

    def _draw_key(self) -> Hashable:
        """Return what a draw depends on besides its call."""
        state, programs = self.state, self._programs
        streams = [state.streams[slot] for slot in self._streams]
        return (
            id(self._output), id(programs), state.viewport, state.scissor,
            state.render[_R.SRGBWRITEENABLE], tuple(map(id, state.targets)), id(state.depth),
            tuple((id(s.buffer), s.offset, s.stride) for s in streams),
            texture_key(state, programs.vertex_shader.samplers),
            texture_key(state, programs.pixel_shader.samplers),
        )  # fmt: skip

    def _bound_textures(self) -> Iterator[Texture9]:
        """Return the textures that programs read."""
        programs = self._programs
        samplers = *programs.vertex_shader.samplers, *programs.pixel_shader.samplers
        return textures_in(self.state, samplers)

    # New draws

    def _make(
        self, key: Hashable, type_: PrimitiveType, indices: IndexStream | None, index_key: object,
        watch: Watch, *, last_pixel: bool,
    ) -> Job:  # fmt: skip
        """Check and prepare a draw that is not known."""
        state, programs = self.state, self._programs
        vertex = with_textures(programs.vertex.bound, programs.vertex_shader, state)
        pixel = with_textures(programs.pixel, programs.pixel_shader, state)
        targets = targets_of(
            state.targets, state.depth, programs.written.intersection(self._output.written),
            is_srgb=bool(state.render[_R.SRGBWRITEENABLE]),
        )  # fmt: skip
        buffers = {slot: state.streams[slot] for slot in self._streams}
        prepared = self._record(type_, vertex, pixel, targets, indices, last_pixel=last_pixel)
        held = [*targets.held, *held_textures(vertex), *held_textures(pixel)]
        held += [
            Held(source.buffer.origin, f"stream {slot}", is_written=False)
            for slot, source in buffers.items()
            if source.buffer is not None
        ]
        resources: list[object] = [s.buffer for s in buffers.values() if s.buffer is not None]
        resources += [s for s in (*state.targets, state.depth) if s is not None]
        resources += self._bound_textures()
        if isinstance(index_key, IndexBuffer9):
            resources.append(index_key)
            held.append(Held(index_key.origin, "index buffer", is_written=False))
        static = (
            id(self._output), id(programs), TOPOLOGIES[type_], prepared.pattern, targets.facts,
            tuple((slot, s.alignment) for slot, s in prepared.vertex_buffers.items()),
            _bindings(vertex), _bindings(pixel), last_pixel,
        )  # fmt: skip
        parts = self._output, programs
        return self._jobs.make(key, static, prepared, tuple(held), resources, parts, watch)

    def _record(
        self, type_: PrimitiveType, vertex: BoundProgram, pixel: BoundProgram,
        targets: DrawTargets, indices: IndexStream | None, *, last_pixel: bool,
    ) -> PreparedDraw:  # fmt: skip
        state, output, programs = self.state, self._output, self._programs
        quality = SampleQuality.DEFAULT
        if output.is_centered and targets.samples > 1:
            quality = SampleQuality.CENTER_MULTISAMPLE_PATTERN
        rasterizer = replace(output.rasterizer, last_pixel=last_pixel)
        if programs.draws_squares:
            rasterizer = replace(rasterizer, cull_mode=CullMode.NONE, fill_mode=FillMode.SOLID)
        return PreparedDraw(
            vertex=vertex, geometry=programs.geometry, pixel=pixel, inputs=programs.vertex.inputs,
            topology=TOPOLOGIES[type_],
            vertex_buffers={
                slot: VertexStream(source.buffer.array, source.stride, source.offset)
                for slot, source in ((n, state.streams[n]) for n in self._streams)
                if source.buffer is not None
            },
            index_buffer=indices, rasterizer=rasterizer, blend=output.blend,
            depth_stencil=output.depth_stencil, blend_factor=output.blend_factor,
            stencil_ref=output.stencil_ref,
            sample_mask=output.sample_mask if targets.samples > 1 else _ALL_SAMPLES,
            viewports=(self._viewport(),),
            scissors=(state.scissor,), targets=targets.slots, depth=targets.depth,
            pattern=sample_pattern(targets.samples, quality), width=targets.size[0],
            height=targets.size[1], depth_offset=output.depth_bias,
        )  # fmt: skip

    def _viewport(self) -> Viewport:
        """Return a viewport whose pixels have their centres at a half, as Direct3D 11 has them.

        Its range is that of depths of shaders, and what a bias has moved may leave it.
        """
        found, programs = self.state.viewport, self._programs
        limits = (found.min_z, found.max_z) if programs.writes_depth else _ALL_DEPTHS
        depths = _ALL_DEPTHS if programs.is_processed else (found.min_z, found.max_z)
        return ReversibleViewport(
            found.x + _HALF, found.y + _HALF, found.width, found.height, *depths, limits=limits
        )


def _bindings(bound: BoundProgram) -> Hashable:
    """Return what code depends on of a program's textures."""
    return tuple(bound.views.items()), tuple(bound.samplers9.items())
