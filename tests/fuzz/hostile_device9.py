"""Hostile calls of a Direct3D 9 device: states, bindings and draws at and beyond their limits.

A session is a device, resources, and calls, all by a number. Each call ends with a result or a
`ShaderError`; what else is raised is a failure of ours.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.container.effects.d3d9.states import STATES, StateGroup
from softd3d.d3d9 import (
    Device,
    Fvf,
    RenderState,
    SamplerStateType,
    Surface9,
    Texture9,
    TextureStageState,
)
from softd3d.errors import ShaderError
from softd3d.isa.asm.sm1.assembler import assemble_stream
from softd3d.pipeline.queries import DrawResult

__all__ = ["Session"]

SIZE = 8
_FLOATS = (0.0, 1.0, -1.0, 0.5, 1e-40, 1e38, float("inf"), float("-inf"), float("nan"), 65504.0)
_SMALL = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 255, 256)
_LARGE = (0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xDEADBEEF, 1 << 16)
_TYPES = ("POINTLIST", "LINELIST", "LINESTRIP", "TRIANGLELIST", "TRIANGLESTRIP", "TRIANGLEFAN")
_TARGETS = ("A8R8G8B8", "X8R8G8B8", "R5G6B5", "A16B16G16R16F", "A32B32G32R32F", "A2B10G10R10")
_DEPTHS = ("D24S8", "D16", "D32F_LOCKABLE", "D15S1", "D24FS8", "D24X4S4")
_TEXTURES = ("A8R8G8B8", "L8", "V8U8", "DXT1", "A32B32G32R32F", "D24S8", "R5G6B5", "Q8W8V8U8")
_FVFS = (
    Fvf.XYZ, Fvf.XYZ | Fvf.NORMAL | Fvf.TEX1, Fvf.XYZRHW | Fvf.DIFFUSE | Fvf.TEX2,
    Fvf.XYZW | Fvf.DIFFUSE | Fvf.SPECULAR | Fvf.PSIZE, Fvf.XYZB2 | Fvf.NORMAL | Fvf.TEX4,
    Fvf.XYZB4 | Fvf.LASTBETA_UBYTE4 | Fvf.DIFFUSE,
)  # fmt: skip
_DECLARATIONS = (
    [(0, 0, "FLOAT3", "POSITION", 0), (0, 12, "D3DCOLOR", "COLOR", 0),
     (1, 0, "SHORT2N", "TEXCOORD", 0)],
    [(0, 0, "FLOAT16_4", "POSITION", 0), (1, 4, "UBYTE4", "TEXCOORD", 1),
     (2, 8, "DEC3N", "NORMAL", 0)],
    [(0, 0, "FLOAT4", "POSITIONT", 0), (15, 4, "FLOAT1", "PSIZE", 0)],
)  # fmt: skip
_VERTEX_SHADERS = (
    """vs_1_1
dcl_position v0
dcl_color v1
m4x4 oPos, v0, c0
mov oD0, v1
mov oT0, v0
mov oFog, c4.x
mov oPts, c5.x
""",
    """vs_2_0
dcl_position v0
dcl_texcoord v1
mova a0, v1
mul oPos, v0, c[a0.x]
mov oT3, v1
""",
    """vs_3_0
dcl_position v0
dcl_2d s0
dcl_position o0
dcl_texcoord1 o1
dcl_color1 o2
dcl_fog o3
mov o0, v0
texldl o1, v0, s0
rcp o2, v0.x
mov o3, v0
""",
)
_PIXEL_SHADERS = (
    """ps_1_1
tex t0
texbem t1, t0
mul r0, t1, v0
""",
    """ps_1_4
texld r0, t0
phase
texld r1, r0
add r0, r1, v1
""",
    """ps_2_0
dcl t0
dcl v0
dcl_2d s1
texldp r0, t0, s1
mad r0, r0, v0, c0
mov oC0, r0
mov oC1, r0
""",
    """ps_3_0
dcl_texcoord1 v0
dcl_color1 v1
dcl_cube s2
dcl vPos.xy
texld r0, v0, s2
dsx r1, v1
add r0, r0, r1
mul oC0, r0, vPos.x
mov oDepth, v0.x
""",
    """ps_2_0
dcl t0
texkill t0
mov oC0, c0
""",
)


_NAMED = {
    info.target: sorted({*info.values.names, *info.values.flags})
    for info in STATES.values()
    if info.group is StateGroup.RENDER and (info.values.names or info.values.flags)
}
"""The values of render states that have names."""


def _assembled() -> tuple[list[bytes], list[bytes]]:
    return [assemble_stream(t) for t in _VERTEX_SHADERS], [
        assemble_stream(t) for t in _PIXEL_SHADERS
    ]


VERTEX_TOKENS, PIXEL_TOKENS = _assembled()


class Session:
    """A device and what is called on it. log: how each call ended."""

    def __init__(self, number: int, engine: str, **options: Any) -> None:
        self.random = random.Random(number)
        r = self.random
        self.device = Device(
            SIZE, SIZE, r.choice(_TARGETS), engine=engine, timeout=100.0,
            depth_stencil_format=r.choice((None, *_DEPTHS)),
            profile=r.choice(("driver", "documented", "ieee")), **options,
        )  # fmt: skip
        self.log: list[str] = []
        self.draws = 0
        self._make()
        self.device.set_render_state("CULLMODE", "NONE")
        self.device.set_fvf(r.choice(_FVFS))
        self.device.set_stream_source(0, self.buffers[0], 0, 20)
        self.device.set_indices(self.indices[0])
        for depth in (self.device.get_depth_stencil_surface(), *self.depths):
            if depth is not None:
                self.device.set_depth_stencil_surface(depth)
                self.device.clear(None, "ZBUFFER")
        self.device.set_depth_stencil_surface(self.depths[0] if r.random() < 0.5 else None)
        self.device.set_render_state("LIGHTING", 0)

    def __repr__(self) -> str:
        return "<Session>"

    def _make(self) -> None:
        r, device = self.random, self.device
        generator = np.random.default_rng(r.randrange(1 << 32))
        self.surfaces = [device.back_buffer]
        for samples in (1, 1, 4):
            width = SIZE if r.random() < 0.9 else SIZE // 2
            self.surfaces.append(
                device.create_render_target(width, SIZE, r.choice(_TARGETS), samples)
            )
        self.depths = [
            device.create_depth_stencil_surface(
                SIZE, r.choice((SIZE, 5)), r.choice(_DEPTHS), samples
            )
            for samples in (1, 4)
        ]
        self.textures = [
            device.create_texture(4, 4, r.choice((1, 0)), 0, r.choice(_TEXTURES)),
            device.create_texture(SIZE, SIZE, 1, 1, r.choice(_TARGETS)),
            device.create_cube_texture(4, 0, 0, r.choice(_TEXTURES[:5])),
            device.create_volume_texture(2, 4, 2, 1, 0, "A8R8G8B8", "MANAGED"),
        ]
        for texture in self.textures:
            for level in range(texture.levels):
                for n in range(texture.slices(level)):
                    units = texture.surface(level, n).units
                    units[...] = generator.integers(0, 256, units.shape, np.uint8)
        self.buffers = [device.create_vertex_buffer(self.vertices(generator)) for _ in range(3)]
        self.buffers.append(device.create_vertex_buffer(7))
        indices = generator.integers(0, 40, 64)
        indices[r.randrange(64)] = 0xFFFF
        self.indices = [
            device.create_index_buffer(indices.astype(np.uint16)),
            device.create_index_buffer(indices.astype(np.uint32)),
        ]
        self.vertex_shaders = [device.create_vertex_shader(t) for t in VERTEX_TOKENS]
        self.pixel_shaders = [device.create_pixel_shader(t) for t in PIXEL_TOKENS]
        self.declarations = [device.create_vertex_declaration(d) for d in _DECLARATIONS]
        self.query = device.create_query("OCCLUSION")
        self.block: Any = None

    def vertices(self, generator: np.random.Generator) -> NDArray[np.float32]:
        """Return numbers of which most make primitives that are seen, and some are special."""
        found = generator.uniform(-1.5, 1.5, 512).astype(np.float32)
        found[2::5] = generator.uniform(0, 1, found[2::5].size)
        special = generator.random(512) < 0.02
        found[special] = generator.choice(np.array(_FLOATS, np.float32), int(special.sum()))
        return found

    # Values

    def word(self) -> Any:
        """Return a DWORD: mostly a small one, which may be a member of an enumeration."""
        r = self.random
        kind = r.random()
        if kind < 0.75:
            return r.choice(_SMALL)
        if kind < 0.9:
            return struct.unpack("<I", struct.pack("<f", r.choice(_FLOATS)))[0]
        return r.choice((*_LARGE, r.randrange(1 << 32)))

    def floats(self, count: int) -> list[float]:
        r = self.random
        return [r.choice(_FLOATS) if r.random() < 0.2 else r.uniform(-2, 2) for _ in range(count)]

    def odd(self, *usual: Any) -> Any:
        """Return one of the usual values, rarely what nobody would give."""
        r = self.random
        if r.random() < 0.97:
            return r.choice(usual)
        return r.choice((None, -1, 1 << 40, "brick", 2.5, [], self, float("nan")))

    # Calls

    def run(self, calls: int) -> None:
        """Carry out calls, and note how they end."""
        names = list(_CALLS)
        weights = [weight for weight, _ in _CALLS.values()]
        for name in self.random.choices(names, weights, k=calls):
            try:
                said = _CALLS[name][1](self)
            except ShaderError as error:
                self.log.append(f"{name}: {type(error).__name__}: {error}")
            else:
                passed = said.samples_passed if isinstance(said, DrawResult) else ""
                self.log.append(f"{name}: {passed}")

    def memory(self) -> list[NDArray[np.uint8]]:
        """Return copies of everything that draws write."""
        surfaces = [*self.surfaces, *self.depths, self.textures[1].surface(0)]
        depth = self.device.get_depth_stencil_surface()
        return [s.units.copy() for s in (*surfaces, *([] if depth is None else [depth]))]

    def render_state(self) -> None:
        state, r = self.odd(*RenderState), self.random
        named = _NAMED.get(state) if isinstance(state, int) else None
        usual = r.choice(named) if named and r.random() < 0.9 else self.word()
        self.device.set_render_state(state, self.odd(usual))

    def sampler_state(self) -> None:
        sampler, state = self.odd(0, 0, 1, 2, 257), self.odd(*SamplerStateType)
        self.device.set_sampler_state(sampler, state, self.odd(self.word()))

    def stage_state(self) -> None:
        stage, state = self.odd(0, 0, 1, 2, 7), self.odd(*TextureStageState)
        value = self.random.randrange(1, 27) if self.random.random() < 0.6 else self.word()
        self.device.set_texture_stage_state(stage, state, self.odd(value))

    def texture(self) -> None:
        found: Texture9 | None = self.odd(None, *self.textures)
        self.device.set_texture(self.odd(0, 0, 1, 2, 257), found)

    def transform(self) -> None:
        matrix = np.eye(4)
        if self.random.random() < 0.5:
            matrix += np.array(self.floats(16)).reshape(4, 4) / 4
        state = self.odd("VIEW", "PROJECTION", "WORLD", "WORLD1", "TEXTURE0", 16, 511)
        call = self.random.choice((self.device.set_transform, self.device.multiply_transform))
        call(state, self.odd(matrix))

    def lighting(self) -> None:
        n, device = self.random.randrange(10), self.device
        names = ("position", "direction")
        light: dict[str, Any] = {name: self.floats(3) for name in names}
        light |= {name: self.floats(4) for name in ("diffuse", "specular", "ambient")}
        light |= {f"attenuation{i}": self.floats(1)[0] for i in range(3)}
        light |= {"range": self.floats(1)[0], "type": self.odd(1, 2, 3), "theta": 1, "phi": 2}
        device.set_light(self.odd(n), light)
        device.light_enable(n, self.odd(True, True, False))
        device.set_material({"diffuse": self.floats(4), "power": self.floats(1)[0]})

    def area(self) -> None:
        r, device = self.random, self.device
        device.set_viewport(
            self.odd(0, 3), self.odd(0, 0, 20), self.odd(SIZE, SIZE, 0, 30000), self.odd(SIZE, 1),
            self.odd(0, 0.5), self.odd(1, 0.5),
        )  # fmt: skip
        device.set_scissor_rect(r.randrange(-9, 9), 0, self.odd(SIZE, 1 << 30), SIZE)
        device.set_clip_plane(self.odd(0, 5), self.odd(self.floats(4)))

    def targets(self) -> None:
        device, slot = self.device, self.odd(0, 0, 1, 2, 3)
        device.set_depth_stencil_surface(self.odd(None, self.depths[0], *self.depths))
        usual = (*self.surfaces[:3], self.textures[1])
        several = (None, None, *usual) if slot else (*usual, self.surfaces[3])
        device.set_render_target(slot, self.odd(*several))

    def streams(self) -> None:
        device, stream = self.device, self.odd(0, 0, 1, 2, 15)
        buffer = self.odd(None, *self.buffers, *self.buffers)
        device.set_stream_source(stream, buffer, self.odd(0, 4, 3, 4096), self.odd(12, 16, 20, 0))
        if self.random.random() < 0.3:
            device.set_stream_source_freq(stream, self.odd(1, 1, 0x40000003, 0x80000002, 2))
        device.set_indices(self.odd(None, *self.indices, *self.indices))

    def vertex_format(self) -> None:
        if self.random.random() < 0.6:
            self.device.set_fvf(self.odd(*_FVFS))
        else:
            self.device.set_vertex_declaration(self.odd(*self.declarations))

    def shaders(self) -> None:
        r, device = self.random, self.device
        device.set_vertex_shader(self.odd(None, *self.vertex_shaders))
        device.set_pixel_shader(self.odd(None, *self.pixel_shaders))
        device.set_vertex_shader_constant_f(self.odd(0, 2, 300), self.odd(self.floats(32)))
        device.set_pixel_shader_constant_f(r.randrange(8), self.floats(8))

    def clear(self) -> None:
        rects = self.odd(None, [(0, 0, 3, 3)], [(-5, 2, 1 << 30, 4)], [(3, 3, 1, 1)])
        self.device.clear(
            rects,
            self.odd(1, 2, 4, 7, 0),
            self.odd(0, 0xFFFFFFFF),
            self.odd(0, 1, 0.3),
            self.odd(9),
        )

    def copies(self) -> None:
        device = self.device
        one: Surface9 = self.odd(*self.surfaces)
        other = self.odd(*self.surfaces, self.textures[1].surface(0))
        rect = self.odd(None, (0, 0, 4, 4), (2, 1, 9, 9))
        device.color_fill(one, rect, self.odd(0x80402010))
        device.stretch_rect(one, rect, other, self.odd(None, (0, 0, 2, 5)), self.odd(0, 1, 2))

    def blocks(self) -> None:
        device, r = self.device, self.random
        if self.block is None or r.random() < 0.3:
            self.block = device.create_state_block(self.odd("ALL", "PIXELSTATE", "VERTEXSTATE"))
        r.choice((self.block.apply, self.block.capture))()

    def queries(self) -> None:
        self.random.choice((self.query.begin, self.query.end, self.query.get_data))()

    def draw(self) -> DrawResult:
        self.draws += 1
        r, device = self.random, self.device
        type_, count = self.odd(*_TYPES), self.odd(1, 2, 5, 9, 9)
        kind = r.random()
        if kind < 0.5:
            return device.draw_primitive(type_, self.odd(0, 3, 0, 9, 1 << 31), count)
        if kind < 0.8:
            base, start = self.odd(0, 0, -3, 1 << 30), self.odd(0, 0, 5, 1 << 20)
            return device.draw_indexed_primitive(type_, base, 0, 99, start, count)
        data = self.odd(self.vertices(np.random.default_rng(r.randrange(99))), bytes(40))
        if kind < 0.9:
            return device.draw_primitive_up(type_, count, data, self.odd(16, 20, 0))
        indices = np.array([r.choice((0, 1, 2, 3, 0xFFFF)) for _ in range(30)], np.uint16)
        form = self.odd("INDEX16", "INDEX32")
        return device.draw_indexed_primitive_up(type_, 0, 4, count, indices, form, data, 20)


_CALLS: dict[str, tuple[float, Callable[[Session], Any]]] = {
    "render_state": (30, Session.render_state),
    "sampler_state": (5, Session.sampler_state),
    "stage_state": (8, Session.stage_state),
    "texture": (3, Session.texture),
    "transform": (3, Session.transform),
    "lighting": (2, Session.lighting),
    "area": (1.5, Session.area),
    "targets": (2, Session.targets),
    "streams": (6, Session.streams),
    "vertex_format": (4, Session.vertex_format),
    "shaders": (3, Session.shaders),
    "clear": (2, Session.clear),
    "copies": (1, Session.copies),
    "blocks": (0.7, Session.blocks),
    "queries": (1, Session.queries),
    "draw": (25, Session.draw),
}
