"""Draw with every graphics shader of the shared corpus and samples, on both engines.

Each shader gets a draw that is made for its signatures: a vertex shader that feeds it, stages that
pass its outputs on, random constants, checkers as textures. Everything that the last stage before
the rasteriser writes is streamed out. Run it as a script for figures:
    python tests/execution/draws/corpus_draws.py [--every N] [--stage ps] [--json FILE] [--full]
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from both import written
from made_stages import (
    entries_of,
    is_integer,
    made_domain_shader,
    made_hull_shader,
    made_pixel_shader,
)
from numpy.typing import NDArray

from softd3d.container.reflection.enums import (
    RegisterComponentType,
    ShaderVariableType,
    SystemValue,
)
from softd3d.container.reflection.signature import SignatureElement
from softd3d.device.draw import Draw
from softd3d.device.registers import RegisterKind, wanted_registers
from softd3d.device.render.constants import Constants
from softd3d.device.render.defaults import default_bindings, default_interfaces
from softd3d.device.render.feeds import Surface, values_of
from softd3d.device.render.meshes import camera_of, mesh_named
from softd3d.device.render.vertex_shader import Vertices, made_vertex_shader
from softd3d.errors import InternalError, ShaderError
from softd3d.isa.roles import Counts
from softd3d.isa.sm4.enums import OperandType, Primitive
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.rows import TABLE
from softd3d.jit.compiling import compiler
from softd3d.pipeline.input_layout import is_generated
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.stages import runs_per_sample
from softd3d.pipeline.state import (
    InputElement,
    PrimitiveTopology,
    RasterizerState,
    StreamOutput,
    Viewport,
)
from softd3d.resources.buffers.buffer import TypedBuffer
from softd3d.resources.textures.texture import Texture2D, Texture2DMS
from softd3d.shaders.loading import load
from softd3d.shaders.shader import Shader

__all__ = ["SHARED", "Figures", "attempt", "graphics_shaders"]

SHARED = Path(__file__).parents[4] / "shared"
SIZE = 24  # pixels of a target's edge
TIMEOUT = 20.0
NUMBERS = ((-1.0, 2.0), (0.5, 8.0), None)
"""Ranges of random constants, one tried after the other; None for zeros."""
STAGES = ("VS", "HS", "DS", "GS", "PS")
_TARGETS = {
    RegisterComponentType.UINT32: (np.uint32, "R32G32B32A32_UINT"),
    RegisterComponentType.SINT32: (np.int32, "R32G32B32A32_SINT"),
}
_TOPOLOGIES = {
    Primitive.POINT: PrimitiveTopology.POINTLIST, Primitive.LINE: PrimitiveTopology.LINELIST,
    Primitive.TRIANGLE: PrimitiveTopology.TRIANGLELIST,
    Primitive.LINE_ADJ: PrimitiveTopology.LINELIST_ADJ,
    Primitive.TRIANGLE_ADJ: PrimitiveTopology.TRIANGLELIST_ADJ,
}  # fmt: skip
_WHOLE = (ShaderVariableType.INT, ShaderVariableType.UINT, ShaderVariableType.BOOL)
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")
Words = NDArray[np.uint32]


@dataclass
class Figures:
    """What a run over many shaders reports.

    late: took too long with some constants. undrawn: drew nothing, and streamed nothing out.
    """

    outcomes: dict[str, Counter[str]] = field(default_factory=dict[str, Counter[str]])
    refusals: Counter[str] = field(default_factory=Counter[str])
    failures: list[str] = field(default_factory=list[str])
    late: list[str] = field(default_factory=list[str])
    undrawn: list[str] = field(default_factory=list[str])

    def count(self, stage: str, outcome: str) -> None:
        self.outcomes.setdefault(stage, Counter())[outcome] += 1


def graphics_shaders(every: int = 1, stage: str = "") -> Iterator[tuple[Path, Shader]]:
    """Yield the shaders of SM4 to 5.1 that draws run, each once; every: only each n-th."""
    files = [*SHARED.glob("corpus/binaries/**/*.bin"), *SHARED.glob("samples/**/*.dxbc")]
    seen: set[bytes] = set()
    for path in sorted(files):
        data = path.read_bytes()
        if data in seen:
            continue
        seen.add(data)
        try:
            found = load(data)
        except ShaderError:
            continue  # not one of these: DXIL, effects' parts
        if isinstance(found, Shader) and found.program.type.name in STAGES:
            is_wanted = not stage or found.program.type.name == stage.upper()
            if is_wanted and zlib.crc32(data) % every == 0:
                yield path, found


# Draws


@dataclass
class Made:
    """Arguments of a draw, and how many indices it has."""

    arguments: dict[str, Any]
    count: int


def made_draw(shader: Shader, numbers: tuple[float, float] | None) -> Made:
    """Return a draw for a shader. numbers: the range of random constants.

    Without, they are 0, and typed buffers have the same small number everywhere.
    """
    number = zlib.crc32(shader.data)
    rng = np.random.default_rng(number)
    mesh = mesh_named(("quad", "cube")[number % 2])
    camera = camera_of(mesh, 1.0)
    word = shader.program.type.name.lower()
    stages: dict[str, Any] = {word: shader}
    surface = Surface(mesh, camera, is_textured=word == "ps")
    arguments: dict[str, Any] = {"rasterizer": RasterizerState(cull_mode=1)}
    points = _around(shader, word, stages, arguments, number)
    if word == "vs":
        layout, data = _vertices(shader, surface, rng)
    else:
        made = made_vertex_shader(shader, surface)
        stages["vs"], layout, data = made.shader, made.layout, made.data
        if word == "hs" and numbers is not None and numbers[0] > 0:
            _randomise_vertices(shader, made, rng.uniform(*numbers, data.shape))
    arguments |= {"input_layout": layout, "vertex_buffers": [data] if layout else []}
    arguments["index_buffer"] = np.resize(mesh.indices, points * -(-36 // points))
    _bind(shader, word, arguments, None if numbers is None else (rng, *numbers))
    _outputs(shader, word, stages, arguments, number)
    return Made({**stages, **arguments}, len(arguments["index_buffer"]))


def _around(
    shader: Shader, word: str, stages: dict[str, Any], arguments: dict[str, Any], number: int
) -> int:
    """Add the stages on both sides and the topology; return vertices of a primitive."""
    declared = shader.declarations.primitives
    if word == "hs":
        stages["ds"], _ = made_domain_shader(shader)
    elif word == "ds":
        stages["hs"] = made_hull_shader(shader, number)
    points = max(declared.input_points, 1)
    topology = PrimitiveTopology.TRIANGLELIST
    if word in ("hs", "ds"):
        topology = PrimitiveTopology(PrimitiveTopology.PATCHLIST_1 + points - 1)
    elif word == "gs" and declared.primitive in _TOPOLOGIES:
        topology = _TOPOLOGIES[declared.primitive]
    elif word == "gs":
        points = declared.primitive - Primitive.PATCH_1 + 1
        topology = PrimitiveTopology(PrimitiveTopology.PATCHLIST_1 + points - 1)
    arguments["topology"] = topology
    return points


def _vertices(
    shader: Shader, surface: Surface, rng: np.random.Generator
) -> tuple[list[InputElement], Words]:
    """Return the layout of a vertex shader's own inputs, and data."""
    signature = shader.signatures.input
    every = () if signature is None else signature.elements
    elements = [e for e in every if e.register is not None and not is_generated(e)]
    layout = [
        InputElement(e.name, e.semantic_index, "R32G32B32A32_UINT", 0, 16 * n)
        for n, e in enumerate(elements)
    ]
    data = np.zeros((len(surface.mesh.positions), len(elements), 4), np.uint32)
    for n, e in enumerate(elements):
        whole = rng.integers(0, 4, data[:, n].shape, np.uint32)
        data[:, n] = whole if is_integer(e) else values_of(e, surface)
    return layout, data


def _randomise_vertices(shader: Shader, made: Vertices, numbers: NDArray[np.float64]) -> None:
    """Give random numbers to a shader that may take them for factors."""
    signature = shader.signatures.input
    integers = {e.register for e in signature.elements if is_integer(e)} if signature else set()
    registers = sorted({r.number for r in made.shader.declarations.outputs})
    for n, register in enumerate(registers):
        if register not in integers:
            made.data[:, n] = numbers[:, n].astype(np.float32).view(np.uint32)


def _bind(
    shader: Shader, word: str, arguments: dict[str, Any],
    random: tuple[np.random.Generator, float, float] | None,
) -> None:  # fmt: skip
    camera = camera_of(mesh_named("cube"), 1.0)
    constants = Constants(shader, camera).bound()
    if random is not None:
        _randomise(shader, constants, *random)
    arguments["constants"] = {word: constants}
    views = default_bindings(shader)
    if random is None:
        srvs = views[RegisterKind.SRVS]
        views[RegisterKind.SRVS] = {place: _plain(view) for place, view in srvs.items()}
    arguments |= {kind.argument: {word: found} for kind, found in views.items()}
    arguments["interfaces"] = {word: default_interfaces(shader)}


def _plain(view: object) -> object:
    """Return a buffer of fours for one of numbers, which may be those of neighbours to visit."""
    if isinstance(view, TypedBuffer) and "INT" in view.format.name:
        return TypedBuffer(np.full((1024, 4), 4, np.uint8), "R8G8B8A8_UINT")
    return view


def _randomise(
    shader: Shader, constants: dict[tuple[int, int], Words], rng: np.random.Generator, low: float,
    high: float,
) -> None:  # fmt: skip
    """Put random numbers where constants are 0: small ones, of the variables' types if known."""
    definitions = shader.reflection
    buffers = () if definitions is None else definitions.constant_buffers
    registers = wanted_registers(shader.program, shader.declarations, definitions)
    for r in registers[RegisterKind.CONSTANTS]:
        data = constants[r.number, r.space]
        numbers = rng.uniform(low, high, data.size).astype(np.float32).view(np.uint32)
        layout = next((b for b in buffers if b.name == r.name.partition("[")[0]), None)
        for v in () if layout is None else layout.variables:
            if v.type.type in _WHOLE:
                place = slice(v.offset // 4, -(-(v.offset + v.size) // 4))
                numbers[place] = rng.integers(0, 4, numbers[place].size)
        data[...] = np.where(data == 0, numbers, data)


def _outputs(
    shader: Shader, word: str, stages: dict[str, Any], arguments: dict[str, Any], number: int
) -> None:
    """Add render targets or stream output, and a pixel shader where there is a position."""
    samples = 4 if word == "ps" and (
        runs_per_sample(shader.declarations) or number % 4 == 0
    ) else 1  # fmt: skip
    if word == "ps":
        # What pixels of other places leave in UAVs comes in any order, so there are none.
        size = 1 if _loads_from_uavs(shader) else SIZE
        arguments["render_targets"] = _targets(shader, size, samples)
        arguments["depth_stencil_view"] = _depth(size, samples)
        arguments["viewports"] = [Viewport(0, 0, size, size)]
        return
    last = load(stages["ds"]) if word == "hs" else shader
    outputs = () if last.signatures.output is None else last.signatures.output.elements
    streams = [e.stream for e in outputs if e.meaning is SystemValue.POSITION and e.mask & 15 == 15]
    entries = entries_of(outputs)
    targets = {e.output_slot: np.full(1 << 18, 0x5A5A5A5A, np.uint32) for e in entries}
    stream = streams[0] if streams else None
    arguments["stream_output"] = StreamOutput(entries, None, stream)
    arguments["so_targets"] = targets
    if stream is not None:
        stages["ps"] = made_pixel_shader(outputs, stream)
        arguments["render_targets"] = [np.zeros((SIZE, SIZE, 4), np.float32)]
        arguments["depth_stencil_view"] = _depth(SIZE, 1)
    else:
        arguments["viewports"] = [Viewport(0, 0, SIZE, SIZE)]


def _loads_from_uavs(shader: Shader) -> bool:
    return any(
        TABLE[i.opcode].counts is Counts.TEXTURE_LOAD
        and any(o.type is OperandType.UNORDERED_ACCESS_VIEW for o in i.operands)
        for i in shader.program.instructions
        if isinstance(i, Instruction)
    )


def _depth(size: int, samples: int) -> object:
    whole = np.full((size, size, samples), 0x3F800000, np.uint64)
    if samples == 1:
        return Texture2D(whole[..., 0].copy(), "D32_FLOAT_S8X24_UINT")
    return Texture2DMS(whole, "D32_FLOAT_S8X24_UINT")


def _targets(shader: Shader, size: int, samples: int) -> list[object]:
    types = _target_types(shader)
    found: list[object] = []
    for n in range(max(types, default=-1) + 1):
        dtype, format_ = _TARGETS.get(types.get(n), (np.float32, "R32G32B32A32_FLOAT"))
        if n not in types:
            found.append(None)
        elif samples == 1:
            found.append(Texture2D(np.zeros((size, size, 4), dtype), format_))
        else:
            found.append(Texture2DMS(np.zeros((size, size, samples, 4), dtype), format_))
    return found


def _target_types(shader: Shader) -> dict[int, RegisterComponentType]:
    """Return the type of each render target that a pixel shader writes."""
    signature = shader.signatures.output
    if signature is not None:
        return {e.semantic_index: e.component_type for e in signature.elements if _is_target(e)}
    written = [r.number for r in shader.declarations.outputs if r.file is OperandType.OUTPUT]
    return dict.fromkeys(written, RegisterComponentType.FLOAT32)


def _is_target(e: SignatureElement) -> bool:
    return e.register is not None and e.meaning in (SystemValue.TARGET, SystemValue.UNDEFINED)


# Runs


@dataclass
class _Left:
    memory: list[NDArray[np.uint8]]
    result: DrawResult | None
    error: str = ""

    @property
    def is_drawn(self) -> bool:
        """Whether there is a pixel, or anything streamed out."""
        return self.result is not None and (
            self.result.statistics.ps_invocations > 0
            or any(s.num_primitives_written for s in self.result.so_statistics)
        )


def _run(
    shader: Shader, engine: str, *, numbers: tuple[float, float] | None, **options: Any
) -> _Left:
    try:
        made = made_draw(shader, numbers)
        draw = Draw(engine=engine, timeout=TIMEOUT + 100, **options, **made.arguments)
        draw._options.timeout = TIMEOUT  # compiling is not what is timed
        result = draw.indexed(made.count)
    except InternalError:
        raise
    except ShaderError as error:
        return _Left([], None, f"{type(error).__name__}: {error}")
    return _Left(written(draw.prepared), result)


def attempt(path: Path, shader: Shader, figures: Figures, lanes: int = 8) -> str:
    """Draw on both engines; return "same", "refused", "stopped" or "FAILURE".

    Random bits may be counts of endless loops, or factors for which nothing is drawn: then it is
    tried with other constants.
    """
    outcome, is_drawn = "stopped", False
    for numbers in NUMBERS:
        reference = _run(shader, "interpreter", numbers=numbers)
        if "timeout" in reference.error or "budget" in reference.error:
            figures.late.append(str(path))
            continue
        native = _run(shader, "jit", numbers=numbers, lanes=lanes, threads=2)
        outcome = _compared(path, reference, native, figures)
        is_drawn = reference.is_drawn
        if outcome != "same" or is_drawn:
            break
    if outcome == "same" and not is_drawn:
        figures.undrawn.append(str(path))
    figures.count(shader.program.type.name, outcome)
    return outcome


def _compared(path: Path, reference: _Left, native: _Left, figures: Figures) -> str:
    if reference.error or native.error:
        if reference.error == native.error:
            figures.refusals[_NUMBERS.sub("#", reference.error)[:120]] += 1
            return "refused"
        figures.failures.append(
            f"{path}: {reference.error or 'done'}; JIT: {native.error or 'done'}"
        )
        return "FAILURE"
    different = [
        n for n, (a, b) in enumerate(zip(reference.memory, native.memory, strict=True))
        if not _same(a, b)
    ]  # fmt: skip
    if different or reference.result != native.result:
        what = f"memory {different}" if different else f"{reference.result} and {native.result}"
        figures.failures.append(f"{path}: {what}")
        return "FAILURE"
    return "same"


def _same(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Compare words; any NaN is as good as any other."""
    if np.array_equal(one, other):
        return True
    if one.size % 4:
        return False
    a, b = (np.ascontiguousarray(m).view(np.float32) for m in (one, other))
    different = a.view(np.uint32) != b.view(np.uint32)
    return bool(np.all(np.isnan(a[different]) & np.isnan(b[different])))


def main() -> int:
    """Draw with all shaders; the exit status is 1 after a failure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only each n-th shader")
    parser.add_argument("--stage", default="", help="only vs, hs, ds, gs or ps")
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    parser.add_argument("--full", action="store_true", help="optimise large shaders, too")
    options = parser.parse_args()
    if not options.full:
        compiler.LARGE_LINES = 0
    figures, start = Figures(), time.process_time()
    for path, shader in graphics_shaders(options.every, options.stage):
        try:
            outcome = attempt(path, shader, figures)
        except Exception as error:  # noqa: BLE001 - whatever it is, it should not have been
            figures.failures.append(f"{path}: {error!r}")
            figures.count(shader.program.type.name, "FAILURE")
            outcome = "FAILURE"
        if outcome == "FAILURE":
            print(figures.failures[-1][:500], flush=True)
    found = {
        "outcomes": {stage: dict(counts) for stage, counts in figures.outcomes.items()},
        "late": figures.late, "undrawn": figures.undrawn,
        "refusals": dict(figures.refusals.most_common()), "failures": figures.failures,
        "seconds": round(time.process_time() - start, 1),
    }  # fmt: skip
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    return 1 if figures.failures else 0


if __name__ == "__main__":
    sys.exit(main())
