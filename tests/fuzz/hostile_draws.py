"""Hostile draws: everything that a caller of `Draw` can give, at and beyond its limits, by a seed.

A *kind* is what kernels are compiled for: shaders, layout, states, formats. A draw of a kind is
its data: vertices, indices, constants, sizes of targets and buffers, viewports, counts.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from mutate import scrambled
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "execution"))
sys.path.insert(0, str(Path(__file__).parents[1] / "execution/draws"))
from chance import Chance
from guarded_memory import Guarded, guarded, relocate
from hostile_shaders import Shaders, random_shaders, with_stages
from hostile_streams import random_stream_output, random_targets
from stage_shaders import TOPOLOGIES

from softd3d.device.draws.targets import DepthStencilView, RenderTargetView
from softd3d.device.draws.vertices import IndexBuffer, VertexBuffer
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.formats.layout import Format
from softd3d.formats.pipeline_views import (
    has_logic_operations,
    is_blendable,
    is_depth_stencil,
    is_render_target,
    is_vertex_element,
)
from softd3d.isa.sampling.state import SamplerState
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilOpDesc,
    DepthStencilState,
    InputElement,
    PrimitiveTopology,
    RasterizerState,
    Rect,
    RenderTargetBlendDesc,
    StreamOutput,
    Viewport,
)
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.resources.textures.texture import (
    Texture,
    Texture1D,
    Texture1DArray,
    Texture2D,
    Texture2DArray,
    Texture2DMS,
    Texture2DMSArray,
    Texture3D,
)

__all__ = ["HostileDraw", "Kind", "hostile_draw", "random_kind"]

COLORS = [f for f in DXGI_FORMATS.values() if is_render_target(f)]
DEPTHS = [f for f in DXGI_FORMATS.values() if is_depth_stencil(f)]
ELEMENTS = [f for f in DXGI_FORMATS.values() if is_vertex_element(f)]
PLAIN = [t for t in PrimitiveTopology if t <= PrimitiveTopology.TRIANGLESTRIP_ADJ]
SLICED = (Texture1DArray, Texture2DArray, Texture2DMSArray, Texture3D)
TRIANGLES = [PrimitiveTopology.TRIANGLELIST, PrimitiveTopology.TRIANGLESTRIP]
SPECIAL = np.array(
    [
        0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000,
        0xFFC00001, 0x7F800001, 0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x80800000,
        0x7F7FFFFF, 0xFF7FFFFF, 0x01000000, 0x7E800000, 0x4B000000, 0xCB000000, 0x46FFFE00,
        0x47000000, 0xC7000000, 0x3F7FFFFF, 0x33800000, 0x5F000000,
    ],
    np.uint32,
)  # fmt: skip
WILD = (0, 1, 2, 3, 5, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
_BIG = (1 << 16, 1 << 24, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)
_EDGES = (-32768.0, -32767.5, -100.25, -1.0, 0.0, 1e-40, 0.5, 3.0, 17.25, 32766.0, 32767.0)
_INT32 = (-(1 << 31), -7, 0, 1, 3, 9, 40, (1 << 31) - 1)


@dataclass(frozen=True)
class Kind:
    """What kernels are compiled for. damage: whether each draw damages the shaders anew."""

    seed: int
    shaders: Shaders
    layout: tuple[InputElement, ...]
    topology: PrimitiveTopology
    rasterizer: RasterizerState
    blend: BlendState
    depth_stencil: DepthStencilState
    sample_mask: int
    formats: tuple[Format | None, ...]
    depth: Format | None
    samples: int
    shape: type[Texture]
    alignment: int
    lanes: int
    damage: bool
    stream_output: StreamOutput | None = None


@dataclass
class HostileDraw:
    """Arguments of `Draw`, a call of it, and all memory that belongs to it.

    written: memory that the draw may write, by name, with the format of its texels if any.
    filled: buffers of stream output that know how far they are filled, which draws change.
    read: memory that must stay as it is. is_huge: whether it may take longer than anybody waits.
    is_mild: whether most of it is in order, so that something is drawn.
    """

    seed: int
    arguments: dict[str, Any]
    call: Callable[[Any], Any]
    said: str
    is_huge: bool
    is_mild: bool
    written: dict[str, tuple[NDArray[np.uint8], Format | None]] = field(default_factory=dict)
    read: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    filled: list[RawBuffer] = field(default_factory=list)
    guards: list[Guarded] = field(default_factory=list)
    is_staged: bool = False


def random_kind(seed: int, *, samples: bool = True, stages: bool | None = None) -> Kind:
    """Return a kind, the same for the same seed; samples: whether files of samples may be in it.

    stages: whether there are stages between vertices and pixels; by default in each second kind.

    Raises:
        ShaderError: a state is not allowed, which is as good as a draw.
    """
    c = Chance(1, seed)
    is_integer, count = c.often(0.15), c.one((0, *[1] * 10, 2, 2, 3, 8))
    shaders = random_shaders(c, count, is_integer=is_integer, samples=samples)
    fitting = [f for f in COLORS if f.is_integer is shaders.integer_targets]
    formats = tuple(None if c.often(0.1) else c.one(fitting) for _ in range(count))
    depth = c.one(DEPTHS) if c.often(0.6) else None
    many = c.one((*[1] * 10, 2, 2, 4, 8, 16))
    shapes = (Texture2D, Texture2DArray) if many == 1 else (Texture2DMS, Texture2DMSArray)
    shape = c.one((shapes[0], *shapes))
    if many == 1 and c.often(0.15):
        shape = c.one((Texture1D, Texture1DArray, *(() if depth else (Texture3D, Texture3D))))
    kind = Kind(
        seed, shaders, _layout(c, shaders.semantics),
        c.one(TRIANGLES if c.often(0.5) else PLAIN), _rasterizer(c, depth), _blend(c, formats),
        _depth_stencil(c), c.one((*[0xFFFFFFFF] * 5, 0x5, 0, 0xAAAA)), formats, depth,
        many, shape, c.one((4, 4, 4, 2, 1)), c.one((4, 8, 16)),
        c.often(0.06),
    )  # fmt: skip
    return _staged(kind, count) if (seed % 2 == 1 if stages is None else stages) else kind


def _staged(kind: Kind, targets: int) -> Kind:
    """Return a kind with other stages or stream output, mostly both."""
    c = Chance(3, kind.seed)
    shaders, topology = kind.shaders, kind.topology
    if shaders.is_sample or c.often(0.85):
        shaders = with_stages(c, shaders, targets)
        takes = shaders.takes
        is_patch = isinstance(takes, int)
        topology = (
            PrimitiveTopology.PATCHLIST_1 + takes - 1 if is_patch else c.one(TOPOLOGIES[takes])
        )
        if c.often(0.03):
            topology = c.one(list(PrimitiveTopology))
    elif c.often(0.3):
        topology = PrimitiveTopology.PATCHLIST_1 + c.number(0, 32)
    output = random_stream_output(c, shaders.outputs) if c.often(0.6) else None
    return replace(
        kind, shaders=shaders, topology=PrimitiveTopology(topology), stream_output=output
    )


# States


def _layout(c: Chance, semantics: tuple[str, ...]) -> tuple[InputElement, ...]:
    """Return elements, of wild formats, slots and offsets now and then; slot 31 is by instance."""
    found: list[InputElement] = []
    for n, semantic in enumerate(semantics):
        plain = "R32G32B32A32_FLOAT" if n == 0 else c.one(("R32G32_FLOAT", "R8G8B8A8_SNORM"))
        format_ = plain if c.often(0.8 if n else 0.93) else c.one(ELEMENTS).name
        by_instance = n == len(semantics) - 1 and c.often(0.4)
        rate = c.one((0, 1, 2, 3, 0x7FFFFFFF, 0xFFFFFFFF)) if by_instance else 0
        offset = 16 * n if c.often(0.96) else c.one((0, 4, 2044, 4096, 0xFFFFFFF0, 0xFFFFFFFF))
        slot = 31 if by_instance else 0
        found.append(InputElement(semantic, 0, format_, slot, offset, int(by_instance), rate))
    return tuple(found)


def _rasterizer(c: Chance, depth: Format | None) -> RasterizerState:
    wild = (0.0, 0.0, 0.5, -1.5, 3.4e38, -3.4e38, 1e-40)
    fill = c.one((3, 3, 3, 2))
    return RasterizerState(
        fill_mode=fill, cull_mode=c.one((1, 1, 1, 2, 3)),
        front_counter_clockwise=c.often(0.5),
        depth_bias=c.one((0, 0, 5000, -(1 << 31), (1 << 31) - 1)), depth_bias_clamp=c.one(wild),
        slope_scaled_depth_bias=c.one(wild), depth_clip_enable=c.often(0.7),
        scissor_enable=c.often(0.25), multisample_enable=c.often(0.5),
        antialiased_line_enable=c.often(0.3),
        forced_sample_count=c.one((1, 4, 8, 16)) if c.often(0.01 if depth else 0.1) else 0,
        conservative_raster=int(fill == 3 and c.often(0.2)),
    )  # fmt: skip


def _depth_stencil(c: Chance) -> DepthStencilState:
    def face() -> DepthStencilOpDesc:
        return DepthStencilOpDesc(*(c.number(1, 9) for _ in range(4)))

    return DepthStencilState(
        c.often(0.8), c.number(0, 2), c.one((8, c.number(1, 9))), c.often(0.3), c.number(0, 256),
        c.number(0, 256), face(), face(),
    )  # fmt: skip


def _blend(c: Chance, formats: tuple[Format | None, ...]) -> BlendState:
    logic = all(f is None or has_logic_operations(f) for f in formats) and c.often(0.5)
    alpha = (1, 2, 5, 6, 7, 8, 11, 14, 15)
    made = [
        RenderTargetBlendDesc(
            not logic and (f is None or is_blendable(f)) and c.often(0.6), logic, c.number(1, 12),
            c.number(1, 12), c.number(1, 6), c.one(alpha), c.one(alpha), c.number(1, 6),
            c.number(0, 16), c.one((15, 15, 15, c.number(0, 16))),
        )
        for f in formats
    ]  # fmt: skip
    return BlendState(c.often(0.15), c.often(0.7) and not logic, made or ())


# Draws


def hostile_draw(kind: Kind, seed: int) -> HostileDraw:
    """Return a draw of a kind, the same for the same seed.

    Raises:
        ShaderError: an argument is refused when it is made.
    """
    c = Chance(2, kind.seed, seed)
    is_mild = c.often(0.65)
    call, said, is_huge = _call(c, is_mild, kind.topology.control_points)
    draw = HostileDraw(seed, {}, call, said, is_huge, is_mild, is_staged=bool(kind.shaders.stages))
    shaders = kind.shaders
    programs = {"vs": shaders.vs, "ps": shaders.ps, **dict(shaders.stages)}
    if kind.damage:
        word = c.one([word for word, data in programs.items() if data is not None])
        programs[word] = _damaged(c, programs[word] or b"")
    draw.arguments.update(
        **programs, input_layout=kind.layout, topology=kind.topology,
        rasterizer=kind.rasterizer, blend=kind.blend, depth_stencil=kind.depth_stencil,
        sample_mask=kind.sample_mask, stencil_ref=c.one((0, 1, 77, 0xFFFFFFFF)),
        blend_factor=[_factor(c) for _ in range(4)],
        vertex_buffers=_vertex_buffers(c, kind, draw), index_buffer=_index_buffer(c, draw),
    )  # fmt: skip
    _targets(c, kind, draw)
    _areas(c, kind, draw)
    _bindings(c, shaders, draw)
    if kind.stream_output is not None:
        _stream_output(c, kind.stream_output, draw)
    return draw


def _call(c: Chance, is_mild: bool, points: int) -> tuple[Callable[[Any], Any], str, bool]:
    """Return a call of a draw; points: control points of a patch."""
    count = c.number(0 if c.often(0.1) else 3, 15) if c.often(0.985) else c.one(_BIG)
    if points and count < 15:
        count = points * c.number(1, 5) + count % 3
    instances = c.one((1, 1, 1, 2)) if c.often(0.985) else c.one(_BIG)
    start = c.number(0, 4) if is_mild or c.often(0.8) else c.one(WILD)
    base = c.number(-1, 3) if is_mild or c.often(0.8) else c.one(_INT32)
    first = c.number(0, 3) if is_mild or c.often(0.7) else c.one(WILD)
    is_huge = count * instances > 1 << 12
    if c.often(0.05):
        arguments = np.array([count, instances, start, base & 0xFFFFFFFF, first], np.uint32)
        offset = c.one((0, 0, 0, 0, 4, 2, 0xFFFFFFFC))
        buffer = RawBuffer(arguments)
        said = f"indirect {arguments}, {offset}"
        if c.often(0.5):
            return lambda d: d.indexed_indirect(buffer, offset), f"indexed_{said}", is_huge
        return lambda d: d.indirect(buffer, offset), said, is_huge
    if c.often(0.5):
        five = count, instances, start, base, first
        return lambda d: d.indexed_instanced(*five), f"indexed_instanced{five}", is_huge
    four = count, instances, start, first
    return lambda d: d.instanced(*four), f"instanced{four}", is_huge


def _damaged(c: Chance, data: bytes) -> bytes:
    """Return a shader with a few dwords of its program changed."""
    start = max(data.find(b"SHEX"), data.find(b"SHDR"))
    begin, end = (8, len(data)) if start < 0 else (
        start + 16, start + 8 + int.from_bytes(data[start + 4 : start + 8], "little")
    )  # fmt: skip
    rng = random.Random(c.number(0, 1 << 30))
    return data[:begin] + scrambled(data[begin:end], rng) + data[end:]


def _floats(c: Chance, count: int, share: float = 1.0) -> NDArray[np.float32]:
    """Return ordinary numbers, and special ones for a share of them."""
    ordinary = (c.rng.normal(0, 1, count) * c.one((0.5, 1.0, 4.0))).astype(np.float32)
    special = c.rng.choice(SPECIAL, count).view(np.float32)
    return np.where(c.rng.random(count) < share, special, ordinary)


def _factor(c: Chance) -> float:
    """Return a number of a blend factor; NaN, which is refused, now and then."""
    number = float(_floats(c, 1)[0]) if c.often(0.2) else 0.5
    return 0.25 if math.isnan(number) and c.often(0.9) else number


def _memory(c: Chance, draw: HostileDraw, name: str, data: bytes) -> NDArray[np.uint8]:
    """Return bytes between protected pages, which nobody may change."""
    at_end = c.often(0.7) and (len(data) % 4 == 0 or c.often(0.1))  # else it is not aligned
    memory = guarded(len(data), at_end=at_end)
    memory.array[...] = np.frombuffer(data, np.uint8)
    draw.guards.append(memory)
    draw.read[name] = memory.array
    return memory.array


def _vertex_buffers(c: Chance, kind: Kind, draw: HostileDraw) -> dict[int, VertexBuffer | None]:
    found: dict[int, VertexBuffer | None] = {}
    for slot in {element.input_slot for element in kind.layout}:
        count = 30 if draw.is_mild else c.number(1, 40)
        numbers = np.empty((count, 12), np.float32)
        share = c.one((0, 0, 0.03) if draw.is_mild else (0, 0.05, 0.3, 1))
        numbers[:, :4] = _floats(c, count * 4, share).reshape(count, 4)
        if c.often(0.85 if draw.is_mild else 0.4):
            numbers[:, 3] = 1 if c.often(0.5) else 0.5 + c.rng.random(count)
            numbers[:, 2] = np.where(c.rng.random(count) < 0.9, c.rng.random(count), numbers[:, 2])
        numbers[:, 4:] = _floats(c, count * 8, c.one((0, 0.05, 0.5))).reshape(count, 8)
        unit = kind.alignment
        space = 0 if unit == 4 else unit
        rows = np.full((count, 48 + space), 0x5A, np.uint8)
        rows[:, :48] = numbers.view(np.uint8).reshape(count, 48)
        data = bytes(space) + rows.tobytes()
        if not draw.is_mild and c.often(0.2):
            data = data[: c.one((0, 1, 7, 16, 47, 48, 49))]
        if c.often(0.01):
            found[slot] = None
            continue
        stride = (
            48 if draw.is_mild or c.often(0.7) else c.one((0, 4, 16, 2044, 2048)) // unit * unit
        )
        wild = unit, 44, 48, 1 << 31, 0xFFFFFFFC
        offset = 0 if draw.is_mild or c.often(0.8) else c.one(wild)
        stride, offset = stride + space, offset + space
        buffer = _memory(c, draw, f"vertex buffer {slot}", data)
        found[slot] = VertexBuffer(buffer, stride, min(offset, 0xFFFFFFFF))
    return found


def _index_buffer(c: Chance, draw: HostileDraw) -> IndexBuffer | None:
    if c.often(0.02):
        return None
    kind = c.one((np.uint16, np.uint32))
    numbers = c.rng.integers(0, 20, c.number(12 if draw.is_mild else 0, 30)).astype(kind)
    wild = c.rng.random(numbers.size) < c.one((0, 0.05, 0.5))
    numbers[wild] = c.rng.choice(np.array(WILD, np.uint32), numbers.size)[wild].astype(kind)
    data = numbers.tobytes()[: None if draw.is_mild or c.often(0.9) else -1]
    size = kind().itemsize
    offset = 0 if draw.is_mild or c.often(0.8) else c.one((size, 8 * size, 0xFFFFFFFC, 3))
    memory = _memory(c, draw, "index buffer", data)
    return IndexBuffer(memory, "R16_UINT" if size == 2 else "R32_UINT", offset)


# Targets


def _targets(c: Chance, kind: Kind, draw: HostileDraw) -> None:
    """Make targets of a size; mip levels and slices where there are no samples."""
    sizes = (1, 2, 3, 7, 12, 16, 17, 17, 25) if c.often(0.98) else (0, 1, 16384)
    width, height = c.one(sizes), c.one(sizes)
    if width > 1000 or kind.shape in (Texture1D, Texture1DArray):
        height = 1
    slices = c.number(1, 4) if kind.shape in SLICED else 1
    mips = c.one((1, 1, 3)) if kind.samples == 1 and 3 < max(width, height) < 1000 else 1
    level = c.number(0, mips)
    there = _halved(slices, level) if kind.shape is Texture3D else slices
    first = c.number(0, there)
    count = c.number(1, there - first + 1)
    shown = {"mip_slice": level, "first_array_slice": first, "array_size": count}
    made: list[RenderTargetView | None] = []
    for n, format_ in enumerate(kind.formats):
        if format_ is None:
            made.append(None)
            continue
        other = (width + 1, height) if c.often(0.003) else (width, height)
        texture = _texture(c, draw, f"render target {n}", format_, other, (slices, mips, kind))
        made.append(RenderTargetView(texture, **shown))
    draw.arguments["render_targets"] = made
    if kind.depth is not None:
        texture = _texture(c, draw, "depth", kind.depth, (width, height), (slices, mips, kind))
        reading = {f"read_only_{p}": kind.seed % m == 0 for p, m in (("depth", 11), ("stencil", 7))}
        draw.arguments["depth_stencil_view"] = DepthStencilView(texture, **shown, **reading)


def _texture(
    c: Chance, draw: HostileDraw, name: str, format_: Format, size: tuple[int, int],
    more: tuple[int, int, Kind],
) -> Texture:  # fmt: skip
    slices, mips, kind = more
    deep = kind.shape is Texture3D
    total = sum(
        _halved(size[0], m) * _halved(size[1], m) * (_halved(slices, m) if deep else slices)
        for m in range(mips)
    )
    total *= kind.samples * format_.bytes_per_block
    data = c.rng.integers(0, 256, total, dtype=np.uint8)
    if c.often(0.5):
        data[:] = c.one((0, 0x3F, 0x30, 0xFF))
    texture = kind.shape.from_bytes(
        data.tobytes(), format_, width=size[0], height=size[1], depth=slices if deep else 1,
        array_size=1 if deep else slices, mip_levels=mips, sample_count=kind.samples,
    )  # fmt: skip
    draw.guards.append(relocate(texture, at_end=c.often(0.7)))
    draw.written[name] = texture.whole.data, format_
    return texture


def _halved(extent: int, mip: int) -> int:
    return max(extent >> mip, min(extent, 1))


def _areas(c: Chance, kind: Kind, draw: HostileDraw) -> None:
    if draw.is_mild and c.often(0.8) and any(f is not None for f in (*kind.formats, kind.depth)):
        return
    count = c.one((0, 1, 2, 3, 16, 16))
    draw.arguments["viewports"] = [_viewport(c, draw.is_mild) for _ in range(count)]
    if c.often(0.7):
        rects = [
            Rect(*(c.number(-3, 40) if c.often(0.8) else c.one(_INT32) for _ in range(4)))
            for _ in range(c.one((0, 1, 1, 3, 16)))
        ]
        draw.arguments["scissors"] = rects


def _viewport(c: Chance, is_mild: bool) -> Viewport:
    if is_mild or c.often(0.5):
        x, y = c.number(-9, 9) / 4, c.number(-9, 9)
        return Viewport(x, y, c.number(8, 40), c.number(3, 40) + 0.5)
    x, y = c.one(_EDGES), c.one(_EDGES)
    width, height = (abs(c.one(_EDGES)) for _ in range(2))
    if c.often(0.9):
        width, height = min(width, 32767 - x), min(height, 32767 - y)
    low, high = sorted(c.one((0.0, 1e-40, 0.25, 0.5, 1.0)) for _ in range(2))
    return Viewport(x, y, width, height, low, high)


def _bindings(c: Chance, shaders: Shaders, draw: HostileDraw) -> None:
    readers = [word for word, _ in shaders.stages]
    if not shaders.is_sample:
        readers += ["vs"] if shaders.ps is None else ["vs", "ps"]
    constants = _floats(c, 4 * c.one((8, 8, 1, 2)), c.one((0, 0.3)))
    wild = constants.view(np.uint32)
    whole = c.rng.choice(np.array((*WILD, *[0] * 16, 1, 1, 2, 4, 8), np.uint32), wild.size)
    wild.reshape(-1, 4)[:, [0, 2, 3]] = whole.reshape(-1, 4)[:, [0, 2, 3]]
    draw.arguments["constants"] = {word: {0: constants.tobytes()} for word in readers}
    draw.is_huge |= shaders.is_looping and wild.size > 8 and wild[8] > 1 << 12
    if shaders.has_texture:
        width, height = c.number(1, 9), c.number(1, 9)
        texels = _floats(c, width * height * 4, c.one((0, 0.1))).tobytes()
        texture = Texture2D.from_bytes(texels, "R32G32B32A32_FLOAT", width=width, height=height)
        draw.guards.append(relocate(texture, at_end=c.often(0.7)))
        draw.read["texture"] = texture.describe().data
        bound = None if c.often(0.1) else texture
        draw.arguments["srvs"] = {"ps": {0: bound}}
        filters = ("MIN_MAG_MIP_LINEAR", "MIN_MAG_MIP_POINT", "ANISOTROPIC")
        draw.arguments["samplers"] = {"ps": {0: SamplerState(filters[draw.seed % 3])}}
    if shaders.uav is not None:
        buffer = RawBuffer(np.zeros(c.one((0, 1, 4, 16)), np.uint32))
        draw.guards.append(relocate(buffer, at_end=c.often(0.7)))
        draw.written["uav"] = buffer.describe().data, None
        draw.arguments["uavs"] = {shaders.uav_stage: {shaders.uav: buffer}}


def _stream_output(c: Chance, output: StreamOutput, draw: HostileDraw) -> None:
    found = random_targets(c, output, is_mild=draw.is_mild)
    draw.arguments.update(stream_output=output, so_targets=found.bound)
    for slot, memory in found.memory.items():
        draw.written[f"stream output target {slot}"] = memory.array, DXGI_FORMATS["R32_FLOAT"]
        draw.guards.append(memory)
    draw.filled += found.filled.values()
