"""The kernels of a draw: made once for everything that is known before a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from softd3d.classes import dataclass
from softd3d.ir.graph import Check, Graph, no_check
from softd3d.isa.sm4.enums import Domain, ProgramType
from softd3d.isa.sm4.program import Program
from softd3d.jit.cache.key import draw_key
from softd3d.jit.compiling.target import host
from softd3d.jit.draw.between.stages import StageKernel
from softd3d.jit.draw.between.tessellation import TessellatorKernels
from softd3d.jit.draw.memory import DEPTH, PLACES
from softd3d.jit.draw.setup_facts import SetupFacts
from softd3d.jit.draw.tiles.waves import vectors_shaded
from softd3d.jit.engine import CompiledKernel, kernel_meanwhile, kernel_of
from softd3d.jit.facts import Facts
from softd3d.jit.running.messages import message_table
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.primitive_stage import Phase
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.stage_programs import (
    StageProgram,
    rasterized_corners,
    stage_programs,
)
from softd3d.pipeline.primitives.vertex_rows import register_words
from softd3d.pipeline.rasterizer.bias import DepthBias
from softd3d.pipeline.stages import (
    Link,
    RasterizerInputs,
    links_of,
    rasterizer_inputs,
)
from softd3d.pipeline.state.enums import FillMode
from softd3d.pipeline.tessellator.patches import Tessellator

__all__ = ["Kernels", "Wiring", "kernels_of"]

_Recorded = Callable[[Check], "tuple[Graph, Declarations]"]
_Pending = Callable[[], CompiledKernel]  # waits for one that is being compiled
_CORNERS_OF_TRIANGLE = 3
_OF_VERTICES = frozenset({"v", "vicp"})  # stage memory that has what the vertex shader writes


@dataclass(frozen=True, slots=True)
class Wiring:
    """How stages are linked.

    taken: what the rasteriser takes from the stage before, None if it is off. links: inputs of the
    pixel shader. outputs: of the last stage before the rasteriser that are wanted, in the order of
    a row. vertex_outputs: the same of the vertex shader. corners: of a primitive; of what is drawn
    of it, edges in wireframe, `piece_corners`.
    """

    taken: RasterizerInputs | None
    links: tuple[Link, ...]
    outputs: tuple[str, ...]
    vertex_outputs: tuple[str, ...]
    corners: int
    piece_corners: int
    is_wireframe: bool

    @classmethod
    def of(cls, draw: PreparedDraw, programs: Sequence[StageProgram]) -> Wiring:
        """Link the stages of a draw. programs: between vertices and the rasteriser.

        Raises:
            ResourceError: the last stage before the rasteriser writes no SV_Position.
        """
        before, pixel, stream = draw.last.declarations, draw.pixel, draw.rasterized_stream or 0
        taken = rasterizer_inputs(before, stream) if draw.rasterizes else None
        links: tuple[Link, ...] = ()
        if pixel is not None and draw.rasterizes:
            links = links_of(before, pixel.declarations, stream)
        corners = min(rasterized_corners(draw), _CORNERS_OF_TRIANGLE)
        wired = corners == 3 and draw.rasterizer.fill_mode is FillMode.WIREFRAME
        names: list[str] = []
        if taken is not None:
            names += [*taken.position, *taken.clip, *taken.cull]
            names += [n for n in (taken.viewport_index, taken.slice_index) if n is not None]
            names += [k.source for k in links if k.source is not None]
        outputs = tuple(dict.fromkeys(names))
        wanted = outputs
        if draw.last is not draw.vertex:  # as the next stage's memory has them
            wanted = tuple(register_words(_registers_read(programs)))
        elif draw.stream_output is not None:
            streamed = [n for slot in draw.stream_output.slots for _, n in slot.words]
            wanted = tuple(dict.fromkeys((*outputs, *streamed)))
        return cls(taken, links, outputs, wanted, corners, 2 if wired else corners, wired)


def _registers_read(programs: Sequence[StageProgram]) -> int:
    """Return how many registers are read of what the vertex shader writes.

    Where a hull shader passes control points on, the domain shader reads them, too.
    """
    readers = [program for program in programs if program.stage == programs[0].stage]
    if all(program.kind is not Phase.CONTROL_POINT for program in readers):
        readers += [program for program in programs if program.stage == "ds"]
    arrays = [array for program in readers for array in program.arrays]
    return max((a.registers for a in arrays if a.name in _OF_VERTICES), default=0)


@dataclass(frozen=True, slots=True)
class Kernels:
    """setup: None in wireframe, which goes another way; tiles: None if nothing is rasterised.

    programs: between vertices and the rasteriser; between: their kernels, by stage and number.
    tessellator: None without patches, or of isolines.
    """

    wiring: Wiring
    programs: tuple[StageProgram, ...]
    between: Mapping[tuple[str, int], StageKernel]
    vertex: CompiledKernel
    setup: CompiledKernel | None
    tiles: CompiledKernel | None
    lanes: int
    tessellator: TessellatorKernels | None = None


def kernels_of(draw: PreparedDraw, bias: DepthBias, lanes: int, watch: Watch) -> Kernels:
    """Compile the kernels of a draw, or take those that were compiled before.

    lanes: of a wave, 4, 8, 16, 32 or 64; 0 for what suits the machine.
    """
    programs = stage_programs(draw)
    wiring = Wiring.of(draw, programs)
    width = lanes or host().lanes * vectors_shaded(draw)
    check = watch.check_compiling
    vertex = _vertices(draw, wiring, lanes, check)
    between = {(p.stage, p.number): StageKernel(p.bound, lanes, watch) for p in programs}
    patches = _tessellator(draw.hull, lanes, check)
    if wiring.taken is None:
        return Kernels(wiring, programs, between, vertex(), None, None, width, patches)
    setup = None if wiring.is_wireframe else _setup(draw, wiring, bias, lanes, check)
    tiles = _tiles(draw, wiring, width, check)
    made = None if setup is None else setup()
    return Kernels(wiring, programs, between, vertex(), made, tiles, width, patches)


def _vertices(draw: PreparedDraw, wiring: Wiring, lanes: int, check: Check) -> _Pending:
    from softd3d.jit.draw.vertex_kernel import vertex_facts  # noqa: PLC0415

    def record(check: Check) -> tuple[Graph, Declarations]:
        from softd3d.jit.draw.vertex_kernel import record_vertices  # noqa: PLC0415

        return record_vertices(draw, wiring.vertex_outputs, check)

    facts = vertex_facts(draw, wiring.vertex_outputs)
    return _meanwhile(draw.vertex, facts, lanes, record, check)


def _setup(
    draw: PreparedDraw, wiring: Wiring, bias: DepthBias, lanes: int, check: Check
) -> _Pending:
    taken = wiring.taken
    assert taken is not None  # noqa: S101 - the rasteriser is on

    def record(check: Check) -> tuple[Graph, Declarations]:
        from softd3d.jit.draw.setup_kernel import record_setup  # noqa: PLC0415

        return record_setup(draw, facts, check)

    facts = SetupFacts.of(wiring.corners, wiring.outputs, taken, bias)
    key = "setup", draw.rasterizer, draw.pattern, facts
    return _meanwhile(None, key, lanes, record, check)


def _tessellator(hull: BoundProgram | None, lanes: int, check: Check) -> TessellatorKernels | None:
    declared = None if hull is None else hull.declarations.primitives
    if declared is None or declared.domain is Domain.ISOLINE:
        return None
    return tessellator_kernels(
        Tessellator(declared.domain, declared.partitioning, declared.output), lanes, check
    )


def tessellator_kernels(
    declared: Tessellator, lanes: int = 0, check: Check = no_check
) -> TessellatorKernels:
    """Compile the kernels of a tessellator of tri or quad patches, or take those made before."""
    domain, output = declared.domain, declared.output

    def axes(check: Check) -> tuple[Graph, Declarations]:
        from softd3d.jit.draw.between.tessellator_kernels import record_axes  # noqa: PLC0415

        return record_axes(domain, declared.partitioning, check)

    def points(check: Check) -> tuple[Graph, Declarations]:
        from softd3d.jit.draw.between.tessellator_kernels import record_points  # noqa: PLC0415

        return record_points(domain, check)

    def triangles(check: Check) -> tuple[Graph, Declarations]:
        from softd3d.jit.draw.between.tessellator_kernels import record_triangles  # noqa: PLC0415

        return record_triangles(domain, output, check)

    def kernel(record: _Recorded, *key: object) -> CompiledKernel:
        return _compiled(None, key, lanes, record, check)

    is_surface = declared.corners == _CORNERS_OF_TRIANGLE
    return TessellatorKernels(
        kernel(axes, "axes", domain, declared.partitioning), kernel(points, "points", domain),
        kernel(triangles, "triangles", domain, output) if is_surface else None,
    )  # fmt: skip


def _tiles(draw: PreparedDraw, wiring: Wiring, lanes: int, check: Check) -> CompiledKernel:
    taken = wiring.taken
    assert taken is not None  # noqa: S101 - the rasteriser is on

    def record(check: Check) -> tuple[Graph, Declarations]:
        from softd3d.jit.draw.tiles.facts import TileFacts  # noqa: PLC0415
        from softd3d.jit.draw.tiles.kernel import record_tiles  # noqa: PLC0415

        facts = TileFacts(
            wiring.piece_corners,
            wiring.outputs,
            wiring.links,
            taken.clip,
            lanes,
            host().vector_of(lanes),
            *chosen,
        )
        return record_tiles(draw, facts, check)

    chosen = taken.viewport_index is not None, taken.slice_index is not None

    targets = [(n, t.format.name, t.samples) for n, t in enumerate(draw.targets) if t is not None]
    if draw.depth is not None:
        targets.append((DEPTH, draw.depth.format.name, draw.depth.samples))
    facts = (
        "tiles", wiring.piece_corners, wiring.outputs, wiring.links, taken.clip, chosen,
        draw.rasterizer,
        draw.blend, draw.depth_stencil, draw.sample_mask, draw.pattern, draw.read_only_depth,
        draw.read_only_stencil, targets,
    )  # fmt: skip
    return _compiled(draw.pixel, facts, lanes, record, check)


def _compiled(
    shader: BoundProgram | None, facts: object, lanes: int, record: _Recorded, check: Check
) -> CompiledKernel:
    def build() -> tuple[bytes, Facts]:
        return _prepared(lanes, record, check)()

    return _with_messages(kernel_of(draw_key(lanes, shader, facts), build), shader)


def _meanwhile(
    shader: BoundProgram | None, facts: object, lanes: int, record: _Recorded, check: Check
) -> _Pending:
    """Record a kernel, and have it compiled while the next one is recorded."""
    key = draw_key(lanes, shader, facts)
    pending = kernel_meanwhile(key, lambda: _prepared(lanes, record, check))
    return lambda: _with_messages(pending(), shader)


def _prepared(
    lanes: int, record: _Recorded, check: Check
) -> Callable[[], tuple[bytes, Facts]]:  # fmt: skip
    """Record a kernel and return what compiles it; what may be stopped then is compiled at once."""
    from softd3d.jit.compiling.build import (  # noqa: PLC0415 - for LLVM
        compile_module,
        compiles_apart,
        module_text,
    )

    graph, declarations = record(check)
    module = module_text(graph, declarations, lanes)
    if not compiles_apart(module):
        return lambda: compile_module(module)
    code = compile_module(module, check)  # the caller's functions are called on its own thread
    return lambda: code


def _with_messages(kernel: CompiledKernel, shader: BoundProgram | None) -> CompiledKernel:
    """Return a kernel with the table of what its messages say."""
    if shader is None or not kernel.facts.message_bytes:
        return kernel
    table = message_table(cast("Program", shader.program), (1, 1, 1))
    is_pixel = shader.declarations.stage is ProgramType.PS
    return replace(kernel, table=replace(table, places=PLACES if is_pixel else 0))
