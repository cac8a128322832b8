"""Draw cases: what a case file describes as resources and draws, run in order on one engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.device.clears import clear_depth_stencil_view, clear_render_target_view
from softd3d.device.draw import Draw
from softd3d.device.draws.bindings import STAGES
from softd3d.device.draws.case_queries import query_bytes, query_types
from softd3d.device.draws.case_states import input_layout, rectangles, states, viewports
from softd3d.device.draws.case_streams import CaseStreams, stream_output
from softd3d.device.draws.vertices import IndexBuffer, VertexBuffer
from softd3d.device.run_options import RunArguments
from softd3d.errors import Location, ResourceError
from softd3d.formats.layout import Format
from softd3d.formats.pipeline_views import depth_stencil_format, render_target_format
from softd3d.isa.limits import MAX_STREAMS
from softd3d.lower.messages import Message
from softd3d.pipeline.queries import DrawResult, PipelineStatistics, SOStatistics
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.resources.cases.file import Case, Output, bind, found_bytes, read_bytes, samplers
from softd3d.resources.cases.json import Entry
from softd3d.resources.textures import texture as textures
from softd3d.resources.transfer.conversion import decode
from softd3d.shaders.shader import Shader, load_shader

__all__ = ["DrawnCase", "run_draw_case"]

_MOST = 1 << 14
_UINT32 = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class DrawnCase:
    """What is there after a case's draws. targets: rt0 and so on, and depth."""

    outputs: dict[str, bytes]
    targets: dict[str, textures.Texture]
    streams: CaseStreams
    outcome: DrawResult


def run_draw_case(
    case: Case, declared: Any, options: RunArguments
) -> DrawnCase:  # fmt: skip
    """Run the draws of a case on fresh resources.

    declared: see `verdict`.

    Raises:
        LoweringError: the case needs what is not supported yet.
        ShaderError: a file of the case is malformed, or a draw failed.
    """
    entry = case.entry
    _check_stages(case)
    shaders = {stage: _shader(case, stage) for stage in STAGES if stage in case.shaders}
    targets, streams = _targets(entry), stream_output(entry)
    constants, srvs, uavs = bind(case)
    given: dict[str, dict[str, Any]] = {
        "constants": {}, "srvs": {}, "uavs": {}, "samplers": {},
    }  # fmt: skip
    values = dict(zip(given, (constants, srvs, uavs, samplers(case)), strict=True))
    for stage, shader in shaders.items():
        for kind, numbers in declared(shader).items():
            given[kind][stage] = {n: v for n, v in values[kind].items() if n in numbers}
    fixed: dict[str, Any] = {
        **shaders, **given, "input_layout": input_layout(entry),
        "vertex_buffers": _vertex_buffers(entry), "index_buffer": _index_buffer(entry),
        "render_targets": [t for name, t in targets.items() if name != "depth"],
        "depth_stencil_view": targets.get("depth"), "stream_output": streams.declaration,
        "so_targets": streams.targets,
    }  # fmt: skip
    outcomes: list[DrawResult] = []
    for draw in _draws(entry):
        outcomes.append(_draw(entry, draw, fixed, options))
        fixed["so_targets"] = streams.appended  # as of one SOSetTargets before all draws
    outcome = _together(outcomes)
    outputs = {
        o.register: _output(o, case, targets, streams, uavs, outcome) for o in case.outputs
    }  # fmt: skip
    return DrawnCase(outputs, targets, streams, outcome)


def _check_stages(case: Case) -> None:
    for stage in case.shaders:
        if stage not in STAGES:
            raise ResourceError(
                f"case {case.name}: found a shader of stage {stage!r:.20} in a draw, wanted "
                f"{', '.join(STAGES)}",
                Location(source=str(case.path)),
            )
    query_types(case.entry)


def _shader(case: Case, stage: str) -> Shader:
    path = case.shaders[stage]
    try:
        return load_shader(path)
    except OSError as error:
        raise ResourceError(f"{path.name}: {error.strerror}") from error


def _targets(entry: Entry) -> dict[str, textures.Texture]:
    """Return render targets and depth buffer, cleared."""
    size = entry.entry("viewport")
    found: dict[str, textures.Texture] = {}
    parts = entry.entries("render_targets") if "render_targets" in entry else []
    for slot, part in enumerate(parts):
        form = render_target_format(part.text("format"), f"render_targets[{slot}]")
        found[f"rt{slot}"] = target = _texture(part, size, form)
        if part.data.get("clear") is not None:
            clear_render_target_view(target, part.numbers("clear", 4))
    if entry.data.get("depth") is not None:
        part = entry.entry("depth")
        found["depth"] = depth = _texture(
            part, size, depth_stencil_format(part.text("format"), "depth")
        )
        stencil = part.integer("clear_stencil", 0, 255) if "clear_stencil" in part else 0
        clear_depth_stencil_view(depth, depth=part.number("clear", 1.0), stencil=stencil)
    return found


def _texture(part: Entry, size: Entry, form: Format) -> textures.Texture:
    width, height = (
        part.integer(name, 1, _MOST) if name in part else size.integer(key, 1, _MOST)
        for name, key in (("width", "w"), ("height", "h"))
    )  # fmt: skip
    slices = part.integer("array", 1, 2048) if "array" in part else 1
    source = part if "samples" in part else size
    samples = source.integer("samples", 1, 32) if "samples" in source else 1
    kinds = {
        (False, False): textures.Texture2D, (True, False): textures.Texture2DArray,
        (False, True): textures.Texture2DMS, (True, True): textures.Texture2DMSArray,
    }  # fmt: skip
    kind = kinds[slices > 1, samples > 1]
    data = bytes(width * height * slices * samples * form.bytes_per_block)
    return kind.from_bytes(data, form, width, height, 1, slices, 1, samples)


def _vertex_buffers(entry: Entry) -> dict[int, VertexBuffer]:
    parts = entry.entries("vertex_buffers") if entry.data.get("vertex_buffers") else []
    return {
        part.integer("slot", 0, 31): VertexBuffer(
            _array(part), part.integer("stride", 0, 2048), _offset(part)
        )
        for part in parts
    }


def _index_buffer(entry: Entry) -> IndexBuffer | None:
    if entry.data.get("index_buffer") is None:
        return None
    part = entry.entry("index_buffer")
    return IndexBuffer(_array(part), part.text("format"), _offset(part))


def _array(part: Entry) -> NDArray[np.uint8]:
    return np.frombuffer(bytearray(read_bytes(part.file("file"))), np.uint8)


def _offset(part: Entry) -> int:
    return part.integer("offset", 0, _UINT32) if "offset" in part else 0


def _draws(entry: Entry) -> list[Entry]:
    found = entry.entries("draws") if "draws" in entry else [entry.entry("draw")]
    if not found:
        raise entry.error("draws", "found no draw, wanted at least one")
    return found


def _draw(entry: Entry, draw: Entry, fixed: Mapping[str, Any], options: RunArguments) -> DrawResult:
    source = draw if "topology" in draw else entry
    job = Draw(
        **fixed, **states(entry, draw), topology=source.integer("topology", 0, 64),
        viewports=viewports(entry, draw), scissors=rectangles(entry, draw), **options,
    )  # fmt: skip
    is_indexed = "indexed" in draw and draw.flag("indexed")
    if draw.data.get("indirect") is not None:
        part = draw.entry("indirect")
        buffer = RawBuffer(_array(part))
        call = job.indexed_indirect if is_indexed else job.indirect
        return call(buffer, _offset(part))
    count = draw.integer("vertices", 0, _UINT32)
    instances, start_vertex, start_index, start_instance = (
        draw.integer(key, 0, _UINT32) if key in draw else default
        for key, default in (
            ("instances", 1), ("start_vertex", 0), ("start_index", 0), ("start_instance", 0),
        )
    )  # fmt: skip
    if not is_indexed:
        return job.instanced(count, instances, start_vertex, start_instance)
    base = draw.integer("base_vertex", -(1 << 31), (1 << 31) - 1) if "base_vertex" in draw else 0
    return job.indexed_instanced(count, instances, start_index, base, start_instance)


def _together(outcomes: Iterable[DrawResult]) -> DrawResult:
    """Return the outcome of draws in order, with queries around all of them."""
    notes: dict[tuple[str, str], None] = {}
    messages: list[Message] = []
    dropped = samples = 0
    streamed = np.zeros((MAX_STREAMS, 2), np.uint64)
    totals = np.zeros(len(astuple(PipelineStatistics())), np.uint64)
    for one in outcomes:
        notes.update(dict.fromkeys(one.poisoned))
        messages += one.messages
        dropped += one.messages_dropped
        samples += one.samples_passed
        totals += np.array(astuple(one.statistics), np.uint64)
        streamed += np.array([astuple(stream) for stream in one.so_statistics], np.uint64)
    return DrawResult(
        tuple(notes), tuple(messages), dropped, samples_passed=samples,
        statistics=PipelineStatistics(*(int(n) for n in totals)),
        so_statistics=tuple(SOStatistics(*row) for row in streamed.tolist()),
    )  # fmt: skip


def _output(
    output: Output, case: Case, targets: Mapping[str, textures.Texture], streams: CaseStreams,
    uavs: Mapping[int, Any], outcome: DrawResult,
) -> bytes:  # fmt: skip
    register = output.register
    if register in targets:
        return _contents(targets[register], is_depth=register == "depth")
    if register in streams.buffers:
        return streams.buffers[register].tobytes()
    queries = query_types(case.entry)
    if register[:1] == "q" and register[1:].isdecimal() and int(register[1:]) < len(queries):
        return query_bytes(queries[int(register[1:])], outcome)
    if register[:1] == "u":
        return found_bytes(output, uavs)
    there = [*targets, *streams.buffers, *(f"q{n}" for n in range(len(queries)))]
    there += [f"u{number}" for number in uavs]
    raise ResourceError(
        f"output {register}: found no such target, buffer, query or UAV; there are "
        f"{', '.join(there) or 'none'}"
    )


def _contents(target: textures.Texture, *, is_depth: bool) -> bytes:
    """Return a target's texels; of colours with several samples four dwords each."""
    if is_depth or target.layout.samples == 1:
        return target.tobytes()
    return decode(target.array, target.format).tobytes()
