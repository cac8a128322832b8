"""Draw: from vertices to pixels, in one call, or prepared once and drawn often.

Names are Direct3D's in Python's spelling. docs/drawing.md has examples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn, Unpack

from softd3d.arguments import instance, integer, one_of
from softd3d.device.draws.calls import (
    CallArguments,
    auto_call,
    counted_call,
    indirect_call,
)
from softd3d.device.draws.engines import engine_of
from softd3d.device.draws.prepare import DrawArguments, prepare
from softd3d.device.draws.stage_outputs import StageOutputs, stage_outputs_of
from softd3d.device.run_options import (
    SIDE_BY_SIDE,
    Cancel,
    Progress,
    RunArguments,
    run_options,
)
from softd3d.errors import ResourceError
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilState,
    InputElement,
    PrimitiveTopology,
    RasterizerState,
    SODeclarationEntry,
    StreamOutput,
)
from softd3d.resources.predicate import Predicate, is_skipped

if TYPE_CHECKING:
    from softd3d.interp.draw.history import FragmentHistory
    from softd3d.lower.watch import Watch
    from softd3d.pipeline.prepared import DrawCall, PreparedDraw

__all__ = ["Draw", "draw", "pixel_history", "stage_outputs"]


class _Arguments(DrawArguments, RunArguments, total=False):
    """What `Draw` takes."""

    predicate: Predicate | None


class Draw:
    """Shaders, states, buffers and targets, checked and compiled; each call draws once.

    Constants are copied when it is made; arrays are the caller's own, read and written in place.
    """

    def __init__(
        self, *, vs: object, hs: object = None, ds: object = None, gs: object = None,
        ps: object = None,
        input_layout: Iterable[InputElement] | None = None,
        topology: PrimitiveTopology | str | int = PrimitiveTopology.TRIANGLELIST,
        rasterizer: RasterizerState | None = None, blend: BlendState | None = None,
        depth_stencil: DepthStencilState | None = None,
        blend_factor: Sequence[float] = (1.0, 1.0, 1.0, 1.0), stencil_ref: int = 0,
        sample_mask: int = 0xFFFFFFFF, vertex_buffers: object = None, index_buffer: object = None,
        stream_output: StreamOutput | Iterable[SODeclarationEntry] | None = None,
        so_targets: object = None, constants: object = None, srvs: object = None,
        samplers: object = None, uavs: object = None, interfaces: object = None,
        render_targets: object = (), depth_stencil_view: object = None, viewports: object = None,
        scissors: object = None,
        engine: str = "jit", threads: int = 0, lanes: int = 0, budget: int | None = None,
        timeout: float | None = None, progress: Progress | None = None,
        cancel: Cancel | None = None, max_messages: int = DEFAULT_MESSAGES, strict: bool = False,
        predicate: Predicate | None = None,
    ) -> None:  # fmt: skip
        """Check everything and compile.

        vs: a vertex shader: what `softd3d.load` returns, a path, or contents as bytes.
        hs, ds: hull and domain shader, both or none. gs: a geometry shader.
        ps: a pixel shader; None to write depth and stencil only.
        input_layout: elements; by default the fields of the vertex buffers' structured dtypes,
            which semantics name.
        topology: how vertices become primitives. Direct3D has none by default, here it is
            TRIANGLELIST; UNDEFINED draws nothing, as there.
        rasterizer, blend, depth_stencil: states; Direct3D's default ones where left out (back
            faces are culled, depth is tested with LESS).
        blend_factor, stencil_ref, sample_mask: what is set beside the states.
        vertex_buffers: by slot, a dictionary or a list: arrays, buffers, or `VertexBuffer`s with
            stride and offset.
        index_buffer: an array of uint16 or uint32, a buffer, or an `IndexBuffer`.
        stream_output: what the last stage before the rasteriser writes to buffers: a `StreamOutput`
            with entries, strides and the rasterised stream, or its entries alone.
        so_targets: these buffers, by slot, a dictionary or a list: arrays, buffers, or
            `StreamOutputTarget`s with an offset. Each call goes on where the last has ended.
        constants, srvs, samplers, uavs, interfaces: a dictionary by stage ("vs", "hs", "ds", "gs",
            "ps") of what `Dispatch` takes, or one such dictionary, whose keys tell the stage.
        render_targets: up to 8: textures, views of them, `RenderTargetView`s, or arrays of
            (height, width) and channels; None for a slot without one.
        depth_stencil_view: a texture, an array, or a `DepthStencilView`.
        viewports: up to 16; by default one of the targets' size. Without any, [], nothing is
            drawn.
        scissors: rectangles by viewport, where the rasteriser's state enables them; by default all
            of the targets.
        engine, threads, lanes, budget, timeout, progress, cancel, max_messages: as for `Dispatch`;
            progress is called with the parts done and all parts of the draw. A part is some
            thousands of primitives of an instance; where all primitives are one part, an instance.
        strict: whether what Direct3D leaves undefined of the arguments is an error, not a note in
            `DrawResult.poisoned`.
        predicate: whether calls draw anything; it can be set again before each call.

        Raises:
            ResourceError: a binding or an argument is wrong; the text names stage and slot.
            LoweringError: something in a shader is not supported yet.
            DecodeError: a program contradicts itself.
            ExecutionError: compiling took longer than timeout allows, or `cancel` said so.
        """
        one_of(lanes, "lanes", SIDE_BY_SIDE)
        self._options = run_options(
            engine=engine, threads=threads, lanes=lanes, budget=budget, timeout=timeout,
            progress=progress, cancel=cancel, max_messages=max_messages, strict=strict,
        )  # fmt: skip
        is_skipped(predicate)
        self.predicate = predicate
        self._made = self._options.watch()
        self._checked = prepare(
            {
                "vs": vs, "hs": hs, "ds": ds, "gs": gs, "ps": ps,
                "input_layout": input_layout, "topology": topology,
                "rasterizer": rasterizer, "blend": blend, "depth_stencil": depth_stencil,
                "blend_factor": blend_factor, "stencil_ref": stencil_ref,
                "sample_mask": sample_mask, "vertex_buffers": vertex_buffers,
                "index_buffer": index_buffer, "stream_output": stream_output,
                "so_targets": so_targets, "constants": constants, "srvs": srvs,
                "samplers": samplers, "uavs": uavs, "interfaces": interfaces,
                "render_targets": render_targets, "depth_stencil_view": depth_stencil_view,
                "viewports": viewports, "scissors": scissors,
            },
            strict=strict,
        )  # fmt: skip
        self._last: DrawCall | None = None
        self._engine = None
        if not self._checked.draws_nothing:
            self._engine = engine_of(self.prepared, self._options, self._made)

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied: native code and the caller's arrays are of this process.

        Raises:
            TypeError: always, as pickle expects it.
        """
        raise TypeError("a Draw cannot be pickled or copied; pickle its shaders and arguments")

    @property
    def prepared(self) -> PreparedDraw:
        """What the engines get: states, buffers and targets in order."""
        return self._checked.prepared

    @property
    def watch(self) -> Watch:
        """What `once` asks whether to stop; its time runs since the draw was made."""
        return self._made

    def __call__(self, vertex_count: int, start_vertex_location: int = 0) -> DrawResult:
        """Draw vertices in order: Draw.

        Raises:
            ResourceError: a number is not allowed, or an array has been resized, or made read-only
                though it is written.
            ExecutionError: budget or timeout is spent, or `cancel` said so; its `outcome` has the
                messages until then. KeyboardInterrupt: Ctrl-C. Whatever stops a draw, no thread is
                left running, and targets hold what was written.
        """
        return self._draw(
            counted_call(vertex_count=vertex_count, start_vertex_location=start_vertex_location)
        )

    def instanced(
        self, vertex_count_per_instance: int, instance_count: int, start_vertex_location: int = 0,
        start_instance_location: int = 0,
    ) -> DrawResult:  # fmt: skip
        """Draw instances of vertices: DrawInstanced.

        Raises:
            ResourceError, ExecutionError: as a call.
        """
        return self._draw(
            counted_call(
                vertex_count=vertex_count_per_instance, instance_count=instance_count,
                start_vertex_location=start_vertex_location,
                start_instance_location=start_instance_location,
            )
        )  # fmt: skip

    def indexed(
        self, index_count: int, start_index_location: int = 0, base_vertex_location: int = 0
    ) -> DrawResult:
        """Draw the vertices that an index buffer names: DrawIndexed.

        Raises:
            ResourceError: as a call, or there is no index buffer. ExecutionError: as a call.
        """
        return self._draw(
            counted_call(
                index_count=index_count, start_index_location=start_index_location,
                base_vertex_location=base_vertex_location,
            )
        )  # fmt: skip

    def indexed_instanced(
        self, index_count_per_instance: int, instance_count: int, start_index_location: int = 0,
        base_vertex_location: int = 0, start_instance_location: int = 0,
    ) -> DrawResult:  # fmt: skip
        """Draw instances of the vertices that an index buffer names: DrawIndexedInstanced.

        Raises:
            ResourceError, ExecutionError: as `indexed`.
        """
        return self._draw(
            counted_call(
                index_count=index_count_per_instance, instance_count=instance_count,
                start_index_location=start_index_location,
                base_vertex_location=base_vertex_location,
                start_instance_location=start_instance_location,
            )
        )  # fmt: skip

    def indirect(self, arguments: object, offset: int = 0) -> DrawResult:
        """Draw what four uint32 in a buffer say now: DrawInstancedIndirect.

        They are the arguments of `instanced`; offset: in bytes, a multiple of 4.

        Raises:
            ResourceError: as a call, or the arguments are not all in the buffer, or the offset is
                another. ExecutionError: as a call.
        """
        return self._draw(indirect_call(arguments, offset, is_indexed=False))

    def indexed_indirect(self, arguments: object, offset: int = 0) -> DrawResult:
        """Draw what five uint32 in a buffer say now: DrawIndexedInstancedIndirect.

        They are the arguments of `indexed_instanced`.

        Raises:
            ResourceError, ExecutionError: as `indirect` and `indexed`.
        """
        return self._draw(indirect_call(arguments, offset, is_indexed=True))

    def auto(self) -> DrawResult:
        """Draw the vertices that stream output has left in vertex buffer 0: DrawAuto.

        Their number is what the buffer's `filled_size` has beyond the offset, by the stride.

        Raises:
            ResourceError: as a call, or vertex buffer 0 is no buffer of softd3d. ExecutionError: as
                a call.
        """
        return self._draw(auto_call(self._checked.first_buffer, self.prepared.vertex_buffers))

    def once(
        self, vertex_count: int | None = None, *, index_count: int | None = None,
        instance_count: int = 1, start_vertex_location: int = 0, start_index_location: int = 0,
        base_vertex_location: int = 0, start_instance_location: int = 0,
    ) -> DrawResult:  # fmt: skip
        """Draw right after compiling, both within one time limit; what `draw` does.

        vertex_count or index_count: of an instance, from the start locations on.

        Raises:
            ResourceError: as a call, or both counts are given, or none. ExecutionError: as a call.
        """
        call = counted_call(
            vertex_count=vertex_count, index_count=index_count, instance_count=instance_count,
            start_vertex_location=start_vertex_location,
            start_index_location=start_index_location, base_vertex_location=base_vertex_location,
            start_instance_location=start_instance_location,
        )  # fmt: skip
        return self._draw(call, self._made)

    def pixel_history(
        self, x: int, y: int, *, array_slice: int = 0, sample: int = 0,
        **call: Unpack[CallArguments],
    ) -> tuple[FragmentHistory, ...]:  # fmt: skip
        """Return every fragment that touches a sample of a pixel, in order; see `pixel_history`."""
        width, height = self.prepared.width, self.prepared.height
        at = integer(x, "x", range(width)), integer(y, "y", range(height))
        target = next((t.target for t in self._checked.targets), None)
        slices, samples = (1, 1) if target is None else (target.slices, target.samples)
        slice_ = integer(array_slice, "array_slice", range(slices))
        number = integer(sample, "sample", range(samples))
        wanted = self._call("pixel_history", call)
        if self._engine is None:
            return ()
        from softd3d.interp.draw.history import pixel_history_interpreted  # noqa: PLC0415 - rare

        return pixel_history_interpreted(
            self.prepared, wanted, *at, slice_=slice_, sample=number,
            budget=self._options.budget, watch=self._options.watch(),
            progress=self._options.progress,
        )  # fmt: skip

    def stage_outputs(
        self, stage: str, *, stream: int = 0, **call: Unpack[CallArguments]
    ) -> StageOutputs:
        """Return the mesh that a stage leaves; see `stage_outputs`."""
        shaders = self._checked.shaders
        words = [word for word in shaders if word != "ps"]
        word = one_of(stage, "stage", words)
        streams = sorted(shaders[word].declarations.primitives.streams) or [0]
        number = one_of(stream, "stream", streams)
        wanted = self._call("stage_outputs", call)
        from softd3d.interp.draw.meshes import mesh_interpreted  # noqa: PLC0415 - rare

        mesh = mesh_interpreted(
            self.prepared, wanted, word, stream=number, budget=self._options.budget,
            watch=self._options.watch(), progress=self._options.progress,
        )  # fmt: skip
        return stage_outputs_of(mesh, shaders[word], number)

    def _call(self, function: str, call: CallArguments) -> DrawCall:
        """Return the call that arguments make, by default the last one."""
        for name in call:
            if name not in CallArguments.__annotations__:
                raise TypeError(
                    f"{function}: found argument {name!r}, wanted those of a call such as "
                    "vertex_count; timeout, cancel and progress are those of the Draw"
                )
        wanted = counted_call(**call) if call else self._last
        if wanted is None:
            raise ResourceError(f"{function}: found no call, wanted vertex_count or index_count")
        self._check(wanted)
        return wanted

    def _check(self, call: DrawCall) -> None:
        if call.is_indexed and self.prepared.index_buffer is None:
            raise ResourceError("index_buffer: found none, wanted one for an indexed draw")
        self._checked.check_memory()

    def _draw(self, call: DrawCall, watch: Watch | None = None) -> DrawResult:
        self._check(call)
        self._last = call
        notes = self._checked.notes
        if self._engine is None or is_skipped(self.predicate):
            return DrawResult(poisoned=notes)
        outcome = self._engine(call, watch or self._options.watch())
        if not notes:
            return outcome
        return replace(outcome, poisoned=tuple(dict.fromkeys((*notes, *outcome.poisoned))))


def draw(
    vertex_count: int | None = None, *, index_count: int | None = None, instance_count: int = 1,
    start_vertex_location: int = 0, start_index_location: int = 0, base_vertex_location: int = 0,
    start_instance_location: int = 0, **arguments: Unpack[_Arguments],
) -> DrawResult:  # fmt: skip
    """Draw once; see `Draw.once` for the counts. The other arguments are those of `Draw`.

    Raises:
        ShaderError: as `Draw` and calling it.
    """
    job = Draw(**arguments)  # pyright: ignore[reportCallIssue] - Python says if vs is missing
    return job.once(
        vertex_count, index_count=index_count, instance_count=instance_count,
        start_vertex_location=start_vertex_location, start_index_location=start_index_location,
        base_vertex_location=base_vertex_location,
        start_instance_location=start_instance_location,
    )  # fmt: skip


def pixel_history(
    draw: Draw, x: int, y: int, *, array_slice: int = 0, sample: int = 0,
    **call: Unpack[CallArguments],
) -> tuple[FragmentHistory, ...]:  # fmt: skip
    """Return every fragment of a draw that touches a sample of a pixel, in order.

    The draw is done again by the interpreter, on copies: nothing of the caller's changes, and each
    fragment finds what targets hold now, and what those before it have stored. Primitives without a
    fragment there are left out: those that are culled, clipped, beside the pixel or its sample, or
    outside of viewport or scissor rectangle.

    draw: a prepared draw, whose limits of time and progress count here too. x, y: the pixel, from
    the left and the top. array_slice: of the targets' views. sample: of the targets.
    call: vertex_count or index_count and so on, as of `Draw.once`; by default those of the last
    call.

    Raises:
        ResourceError: no such pixel, slice or sample, or the draw has not been called yet and no
            call is given. ShaderError: as a call.
    """
    return instance(draw, Draw, "draw").pixel_history(
        x, y, array_slice=array_slice, sample=sample, **call
    )


def stage_outputs(
    draw: Draw, stage: str, *, stream: int = 0, **call: Unpack[CallArguments]
) -> StageOutputs:
    """Return the mesh that a stage of a draw leaves, as arrays.

    The interpreter does the draw up to that stage, on copies: nothing of the caller's changes.

    draw: a prepared draw, whose limits of time and progress count here too. stage: "vs", "hs", "ds"
    or "gs". stream: of a geometry shader. call: vertex_count or index_count and so on, as of
    `Draw.once`; by default those of the last call.

    Raises:
        ResourceError: the draw has no such stage or stream, or has not been called yet and no call
            is given. ShaderError: as a call.
    """
    return instance(draw, Draw, "draw").stage_outputs(stage, stream=stream, **call)
