"""Draw cases of the samples on the reference engine: states as numbers, buffers as files."""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import U32
from softd3d.device.bind import bind
from softd3d.formats.codec import units, unpack
from softd3d.formats.dxgi import dxgi_format
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.interp.draw.merge import Place, loaded
from softd3d.interp.draw.records import lanes, spread
from softd3d.lower.bound import BoundProgram
from softd3d.pipeline.depth_stencil import depth_code, depth_stencil_words
from softd3d.pipeline.input_layout import match_layout
from softd3d.pipeline.output import encoded
from softd3d.pipeline.prepared import DrawCall, IndexStream, PreparedDraw, Target, VertexStream
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.rasterizer.samples import rasterizer_pattern, sample_pattern
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilOpDesc,
    DepthStencilState,
    InputElement,
    RasterizerState,
    Rect,
    RenderTargetBlendDesc,
    Viewport,
)
from softd3d.pipeline.topology import topology_named
from softd3d.resources.cases import file as case_file
from softd3d.shaders.shader import Shader, load_shader

from draws import target  # isort: skip

MOST = 16384


class CaseDraw:
    """A case with its targets; change `vertex`, `pixel` or `vertex_data` before it runs."""

    def __init__(self, path: Path) -> None:
        self.spec: dict[str, Any] = json.loads(path.read_text())
        self.root = path.parent.parent
        self.case = case_file.read_case(path)
        plain = replace(self.case, kind="compute")
        self.constants, self.srvs, self.uavs = case_file.bind(plain)
        self.samplers = case_file.samplers(self.case)
        shaders = self.spec["shaders"]
        self.vertex = load_shader(self.root / shaders["vs"])
        self.pixel = load_shader(self.root / shaders["ps"]) if "ps" in shaders else None
        self.vertex_data = {
            v["slot"]: np.fromfile(self.root / v["file"], np.uint8)
            for v in self.spec.get("vertex_buffers") or ()
        }
        self.targets = [self._render_target(t) for t in self.spec.get("render_targets") or ()]
        self.depth = self._depth_target()
        self.results: list[DrawResult] = []

    def mismatches(self) -> dict[str, list[Any]]:
        """Draw, and return what differs, by the name of the output."""
        for draw in self.spec.get("draws") or [self.spec["draw"]]:
            self.results.append(draw_interpreted(self._prepared(draw), self._call(draw)))
        found: dict[str, list[Any]] = {}
        for output in self.case.outputs:
            expected = output.expected.read_bytes()
            wrong = case_file.compare(expected, self._found(output), output)
            if wrong:
                found[output.register] = list(wrong)
        return found

    def _found(self, output: Any) -> bytes:
        name = output.register
        if name == "depth":
            return self.depth.data.tobytes()
        if name.startswith("rt"):
            return _image(self.targets[int(name[2:])])
        if name.startswith("q"):
            return self._query(self.spec["queries"][int(name[1:])])
        return case_file.found_bytes(output, self.uavs)

    def _query(self, query: Any) -> bytes:
        kind = query["type"] if isinstance(query, dict) else query
        passed = sum(r.samples_passed for r in self.results)
        if "PREDICATE" in str(kind):
            return np.uint32(passed > 0).tobytes()
        if kind in ("OCCLUSION", 0, 1):
            return np.uint64(passed).tobytes()
        counts = [np.array(astuple(r.statistics), np.uint64) for r in self.results]
        return np.sum(counts, axis=0, dtype=np.uint64).tobytes()

    # Resources

    @property
    def _samples(self) -> int:
        return self.spec["viewport"].get("samples", 1)

    def _render_target(self, spec: dict[str, Any]) -> Target:
        size = self.spec["viewport"]
        made = target(
            spec["format"], spec.get("width", size["w"]), spec.get("height", size["h"]),
            slices=spec.get("array", 1), samples=spec.get("samples", self._samples),
        )  # fmt: skip
        if spec.get("clear") is not None:
            kind = np.int64 if made.format.is_integer else np.float32
            color = [np.array([c], kind) for c in spec["clear"]]
            bits = [c.astype(np.uint32) if made.format.is_integer else c.view(np.uint32)
                    for c in color]  # fmt: skip
            _fill(made, encoded(made.format, [lanes(b) for b in bits]))
        return made

    def _depth_target(self) -> Target | None:
        spec, size = self.spec.get("depth"), self.spec["viewport"]
        if not spec:
            return None
        made = target(spec.get("format", "D32_FLOAT"), size["w"], size["h"], samples=self._samples)
        clear = lanes(np.array([spec.get("clear", 1.0)], np.float32))
        stencil = lanes(np.array([spec.get("clear_stencil", 0)], np.uint32))
        nothing = tuple(bitcast(stencil, U32) & 0 for _ in range(units(made.format)[1]))
        code = depth_code(made.format, clear)
        _fill(made, depth_stencil_words(made.format, code, stencil, nothing))
        return made

    def _bound(self, shader: Shader) -> BoundProgram:
        d = shader.declarations
        wanted = {
            "constants": ({b.lower for b in d.buffers.values()}, self.constants),
            "srvs": ({v.lower for v in d.views.values() if v.memory.value == "t"}, self.srvs),
            "uavs": ({v.lower for v in d.views.values() if v.memory.value == "u"}, self.uavs),
            "samplers": ({s.lower for s in d.samplers.values()}, self.samplers),
        }
        return bind(
            shader, **{k: {n: given.get(n) for n in ns} for k, (ns, given) in wanted.items()}
        )

    # The draw

    def _prepared(self, draw: dict[str, Any]) -> PreparedDraw:
        state, spec = draw.get("state") or {}, self.spec
        raster = _rasterizer({**(spec.get("raster") or {}), **(state.get("raster") or {})})
        blend = {**(spec.get("blend") or {}), **(state.get("blend") or {})}
        depth = {**(spec.get("depth") or {}), **(state.get("depth") or {})}
        bound = [*self.targets, *([self.depth] if self.depth else [])]
        size, mask = spec["viewport"], spec.get("sample_mask")
        whole = {"x": 0, "y": 0, "w": size["w"], "h": size["h"],
                 "zmin": size.get("zmin", 0), "zmax": size.get("zmax", 1)}  # fmt: skip
        views = state.get("viewports") or spec.get("viewports") or [whole]
        return PreparedDraw(
            self._bound(self.vertex), self._bound(self.pixel) if self.pixel else None,
            match_layout(self._layout(), self.vertex.signatures.input),
            topology_named(draw.get("topology", spec["topology"])),
            {v["slot"]: VertexStream(self.vertex_data[v["slot"]], v["stride"], v.get("offset", 0))
             for v in spec.get("vertex_buffers") or ()},
            self._indices(), raster, _blend(blend), _depth_stencil(depth) if self.depth else
            DepthStencilState(depth_enable=False),
            tuple(blend.get("factor", (1, 1, 1, 1))), depth.get("stencil_ref", 0),
            0xFFFFFFFF if mask is None else mask,
            tuple(Viewport(*(v[n] for n in ("x", "y", "w", "h", "zmin", "zmax"))) for v in views),
            tuple(Rect(*s) for s in state.get("scissors") or spec.get("scissors") or ()),
            tuple(self.targets), self.depth,
            rasterizer_pattern(sample_pattern(self._samples), raster.forced_sample_count),
            min([t.width for t in bound] or [MOST]), min([t.height for t in bound] or [MOST]),
        )  # fmt: skip

    def _layout(self) -> list[InputElement]:
        return [
            InputElement(e["semantic"], e["index"], e["format"], e["slot"], e["offset"],
                         int(e["per_instance"]), e["step"])
            for e in self.spec.get("input_layout") or ()
        ]  # fmt: skip

    def _indices(self) -> IndexStream | None:
        spec = self.spec.get("index_buffer")
        if not spec:
            return None
        data = np.fromfile(self.root / spec["file"], np.uint8)
        return IndexStream(data, dxgi_format(spec["format"]), spec.get("offset", 0))

    def _call(self, draw: dict[str, Any]) -> DrawCall:
        is_indexed, indirect = bool(draw.get("indexed", 0)), draw.get("indirect")
        if indirect:
            raw = (self.root / indirect["file"]).read_bytes()
            a = [int(n) for n in np.frombuffer(raw, np.uint32)[indirect.get("offset", 0) // 4 :]]
            if is_indexed:
                return DrawCall(a[0], a[1], a[2], a[4], int(np.uint32(a[3]).view(np.int32)), True)
            return DrawCall(*a[:4])
        return DrawCall(
            draw["vertices"], draw.get("instances", 1),
            draw.get("start_index" if is_indexed else "start_vertex", 0),
            draw.get("start_instance", 0), draw.get("base_vertex", 0), is_indexed,
        )  # fmt: skip


def _rasterizer(s: dict[str, Any]) -> RasterizerState:
    return RasterizerState(
        s.get("fill", 3), s.get("cull", 1), bool(s.get("front_ccw", 0)), s.get("depth_bias", 0),
        s.get("depth_bias_clamp", 0), s.get("slope_scaled_depth_bias", 0),
        bool(s.get("depth_clip", 1)), bool(s.get("scissor", 0)), bool(s.get("multisample", 0)),
        bool(s.get("antialiased_line", 0)), s.get("forced_sample_count", 0),
        int(bool(s.get("conservative", 0))),
    )  # fmt: skip


def _depth_stencil(s: dict[str, Any]) -> DepthStencilState:
    def face(of: dict[str, int] | None) -> DepthStencilOpDesc:
        of = of or {}
        return DepthStencilOpDesc(
            of.get("fail", 1), of.get("depth_fail", 1), of.get("pass", 1), of.get("func", 8)
        )

    return DepthStencilState(
        bool(s.get("enable", 1)), int(s.get("write", 1)), s.get("func", 2),
        bool(s.get("stencil_enable", 0)), s.get("stencil_read_mask", 255),
        s.get("stencil_write_mask", 255), face(s.get("front")), face(s.get("back")),
    )  # fmt: skip


def _blend(s: dict[str, Any]) -> BlendState:
    targets = [
        RenderTargetBlendDesc(
            bool(t.get("enable", 0)), bool(t.get("logic", 0)), t.get("src", 2), t.get("dst", 1),
            t.get("op", 1), t.get("src_alpha", 2), t.get("dst_alpha", 1), t.get("op_alpha", 1),
            t.get("logic_op", 4), t.get("write_mask", 15),
        )
        for t in s.get("targets", ())
    ]  # fmt: skip
    return BlendState(bool(s.get("alpha_to_coverage", 0)), bool(s.get("independent", 0)), targets)


def _fill(made: Target, words: Any) -> None:
    size, _ = units(made.format)
    texel = b"".join(int(spread(w, 1)[0]).to_bytes(4, "little")[:size] for w in words)
    made.data[:] = np.frombuffer(texel * (made.data.size // len(texel)), np.uint8)


def _image(made: Target) -> bytes:
    """Return a target's bytes; of multisampled ones the components of all samples."""
    if made.samples == 1:
        return made.data.tobytes()
    count = made.data.size // made.format.bytes_per_block
    zero = np.zeros(count, np.int64)
    flat = replace(made, samples=1)
    place = Place(np.arange(count), zero, zero.astype(np.uint32))
    components = unpack(made.format, loaded(flat, place.address(flat, 0)))
    return np.stack([np.array(spread(c, count)) for c in components], -1).tobytes()
