"""Wild states of Direct3D 9: any DWORD in any state, any numbers elsewhere; then a draw.

A call may raise a ShaderError, which leaves the state as it was; whatever is set then is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softd3d.d3d9 import (
    DeclType,
    Device,
    Light,
    Material,
    RenderState,
    SamplerStateType,
    Texture9,
    TextureStageState,
    Usage,
)
from softd3d.errors import ShaderError
from softd3d.isa.asm.sm1.assembler import assemble_stream
from softd3d.isa.d3d9.defaults import FLOAT_RENDER_STATES

Random = np.random.Generator
WIDTH, HEIGHT = 8, 6
VERTICES = 12
TARGETS = ("A8R8G8B8", "X8R8G8B8", "R5G6B5", "A16B16G16R16F", "A32B32G32R32F", "R32F")
DEPTHS = (None, "D24S8", "D16", "D24X8", "D15S1", "D32F_LOCKABLE")
TEXTURES = ("A8R8G8B8", "V8U8", "X8L8V8U8", "L8", "A32B32G32R32F", "R5G6B5", "DXT1", "D24S8")
NUMBERS = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 3.4e38, -3.4e38, 1e-40, 1e30, 255.0, 0.5)
VERTEX_SHADERS = (
    "vs_1_1\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1\nmov oT0, v0",
    "vs_2_0\ndcl_position v0\nmov oPos, v0\nmov oFog, v0.x\nmov oPts, v0.z\nmov oT3, c1",
    "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord o1\nmov o0, v0\nmov o1, c0",
)
PIXEL_SHADERS = (
    "ps_1_1\ntex t0\nmul r0, t0, v0",
    "ps_1_4\ntexld r0, t0\nmul r0, r0, v0",
    "ps_2_0\ndcl t0\ndcl_2d s0\ntexldp r0, t0, s0\nmov oC0, r0",
    "ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexld r0, v0, s0\nmov oC0, r0",
)


def _number(r: Random) -> float:
    return float(r.choice(NUMBERS)) if r.random() < 0.4 else float(r.normal())


def _numbers(r: Random, count: int) -> tuple[Any, ...]:
    return tuple(_number(r) for _ in range(count))


def _word(r: Random) -> int:
    """Return a DWORD: small, all bits, a float's bits, one bit, or anything."""
    with np.errstate(all="ignore"):
        bits = int(np.float32(_number(r)).view(np.uint32))
    kinds = (int(r.integers(30)), 0xFFFFFFFF, bits, int(r.integers(1 << 32)), 1 << r.integers(32))
    return int(kinds[r.integers(len(kinds))])


def _matrix(r: Random) -> Any:
    found = np.eye(4) if r.random() < 0.5 else np.array(_numbers(r, 16)).reshape(4, 4)
    with np.errstate(all="ignore"):
        return (found + r.normal(size=(4, 4)) * r.choice([0, 0.1])).astype(np.float32)


class WildDraw:
    """A device whose states were set at random. refused: how many calls were errors."""

    def __init__(self, r: Random, engine: str) -> None:
        self.r, self.refused = r, 0
        self.device = Device(
            WIDTH, HEIGHT, str(r.choice(TARGETS)), engine=engine,
            depth_stencil_format=DEPTHS[r.integers(len(DEPTHS))],
            profile=str(r.choice(["driver", "documented", "ieee"])), timeout=20,
        )  # fmt: skip
        self._states()
        self._objects()
        self._places()

    def _try(self, call: Callable[..., object], *args: Any, **options: Any) -> None:
        try:
            call(*args, **options)
        except ShaderError:
            self.refused += 1

    def _states(self) -> None:
        r, device = self.r, self.device
        share = r.choice([0.02, 0.1, 0.4])
        for name in RenderState:
            if r.random() < share:
                # What is no member of an enumeration ends the draw, so it must be rare
                is_small = name not in FLOAT_RENDER_STATES and r.random() < 0.95
                word = int(r.integers(1, 5)) if is_small else _word(r)
                self._try(device.set_render_state, name, word)
        for name in TextureStageState:
            for stage in range(8):
                if r.random() < share:
                    self._try(device.set_texture_stage_state, stage, name, _word(r))
        for name in SamplerStateType:
            for sampler in range(8):
                if r.random() < share:
                    word = int(r.integers(1, 4)) if r.random() < 0.95 else _word(r)
                    self._try(device.set_sampler_state, sampler, name, word)

    def _objects(self) -> None:
        r, device = self.r, self.device
        for sampler in range(8):
            if r.random() < 0.4:
                texture = self._texture()
                texture.memory[:] = r.integers(256, size=texture.memory.size, dtype=np.uint8)
                self._try(device.set_texture, sampler, texture)
        if r.random() < 0.3:
            text = str(r.choice(VERTEX_SHADERS))
            device.set_vertex_shader(device.create_vertex_shader(assemble_stream(text)))
        if r.random() < 0.3:
            text = str(r.choice(PIXEL_SHADERS))
            device.set_pixel_shader(device.create_pixel_shader(assemble_stream(text)))

    def _texture(self) -> Texture9:
        form = str(self.r.choice(TEXTURES))
        match int(self.r.integers(4)):
            case 0:
                return self.device.create_cube_texture(4, 0, format="A8R8G8B8")
            case 1:
                return self.device.create_volume_texture(4, 4, 2, format="A8R8G8B8")
            case _:
                usage = 2 if form.startswith("D24") else 0
                return self.device.create_texture(8, 8, 0, usage, form)

    def _places(self) -> None:
        r, device = self.r, self.device
        for number in (2, 3, *range(16, 24), *range(256, 260)):
            if r.random() < 0.4:
                self._try(device.set_transform, number, _matrix(r))
        for number in range(int(r.integers(10))):
            colors, vectors = [_numbers(r, 4) for _ in range(3)], [_numbers(r, 3) for _ in range(2)]
            light = Light(int(r.integers(1, 4)), *colors, *vectors, *_numbers(r, 7))
            self._try(device.set_light, number, light)
            self._try(device.light_enable, number, enable=True)
        material = Material(*(_numbers(r, 4) for _ in range(4)), _number(r))
        self._try(device.set_material, material)
        self._try(device.set_clip_plane, int(r.integers(6)), _numbers(r, 4))
        if r.random() < 0.3:
            self._try(device.set_viewport, *r.integers(-2, 9, 4).tolist(), *_numbers(r, 2))
        if r.random() < 0.3:
            self._try(device.set_scissor_rect, *r.integers(-2, 9, 4).tolist())

    def draw(self) -> None:
        """Draw once; what is refused counts."""
        r, device = self.r, self.device
        first = Usage.POSITIONT if r.random() < 0.2 else Usage.POSITION
        elements = [(0, 0, DeclType.FLOAT4, first, 0)]
        for _ in range(int(r.integers(8))):
            kind, usage = DeclType(r.integers(17)), Usage(r.choice([1, 2, 3, 4, 5, 5, 5, 10, 10]))
            index = int(r.integers(3))
            if (usage, index) not in {e[3:] for e in elements} or r.random() < 0.05:
                elements.append((0, 16 * len(elements), kind, usage, index))
        self._try(self._declare, elements)
        stride = 16 * len(elements)
        data = r.normal(size=(VERTICES, stride // 4)).astype(np.float32)
        wild = r.random(data.shape) < 0.05
        with np.errstate(all="ignore"):
            data[wild] = np.array(NUMBERS).astype(np.float32)[
                r.integers(len(NUMBERS), size=int(wild.sum()))
            ]
        kind = int(r.integers(1, 7))
        self._try(device.draw_primitive_up, kind, 4, data.tobytes(), stride)
        self._try(device.clear, None, 7, _word(r), _number(r), 3)

    def _declare(self, elements: list[Any]) -> None:
        self.device.set_vertex_declaration(self.device.create_vertex_declaration(elements))


def run(seed: int, engine: str = "interpreter") -> tuple[int, bytes]:
    """Set and draw; return how much was refused, and the target's bytes."""
    wild = WildDraw(np.random.default_rng(seed), engine)
    wild.draw()
    return wild.refused, wild.device.back_buffer.array.tobytes()
