"""Random programs of SM1-3 in random draws: the same bits on both engines, in every way."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from both import compare
from chance import Chance
from draws9 import target
from numpy.typing import NDArray
from random_draws import positions
from test_sm1_programs import PS, VS, Generator, contents

from softd3d.isa.d3d9.enums import CmpFunc, Cull, DeclType, FogMode, Wrap
from softd3d.isa.sm1.enums import Opcode, RegisterType, Usage
from softd3d.isa.sm1.profile import PROFILES
from softd3d.isa.sm1.program import (
    Declaration,
    DestinationParameter,
    Instruction,
    Program,
    SourceParameter,
)
from softd3d.lower.d3d9.state_file import put_alpha_reference, put_clip_planes, put_fog
from softd3d.pipeline.d3d9.elements import VertexElement, element_format
from softd3d.pipeline.d3d9.pixel import FogSource, PixelFacts, coordinate_sets, pixel_stage
from softd3d.pipeline.d3d9.primitives import PrimitiveFacts, point_numbers, primitive_stage
from softd3d.pipeline.d3d9.vertex import VertexStage, vertex_stage
from softd3d.pipeline.prepared import DrawCall, PreparedDraw, VertexStream
from softd3d.pipeline.rasterizer.samples import sample_pattern
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilState,
    PrimitiveTopology,
    RasterizerState,
    RenderTargetBlendDesc,
    Viewport,
)

T = RegisterType
SIZE, VERTICES = 24, 32
WAYS: list[dict[str, Any]] = [
    {"threads": 2},
    {"lanes": 8, "threads": 2, "tile": (32, 32), "chunk": 7},
    {"lanes": 16, "threads": 1, "tile": (8, 6), "chunk": 3},
    {"lanes": 4, "threads": 2, "tile": (64, 2), "chunk": 9},
]
TYPES = [type_ for type_ in DeclType if type_ is not DeclType.UNUSED]
VERTEX_VERSIONS = ((1, 1), (2, 1), (3, 0))
PIXEL_VERSIONS = ((1, 1), (1, 4), (2, 1), (3, 0))
COLORS = ["A8R8G8B8", "X8R8G8B8", "R5G6B5", "A32B32G32R32F", "A16B16G16R16F", "A2B10G10R10"]
DEPTHS = ["D16", "D24S8", "D15S1", "D24FS8", "D32F_LOCKABLE"]


def dcl(type_: RegisterType, number: int, usage: Usage, index: int = 0) -> Instruction:
    d = DestinationParameter(type_, number)
    return Instruction(Opcode.DCL, d, declaration=Declaration(usage, index))


def mov(type_: RegisterType, number: int, source: RegisterType, of: int) -> Instruction:
    return Instruction(
        Opcode.MOV, DestinationParameter(type_, number), (SourceParameter(source, of),)
    )


def vertex_program(r: random.Random, version: tuple[int, int]) -> Program:
    """Return a random program that passes on the position, and other outputs of its own."""
    generator = Generator(VS, version, r.randrange(1 << 30))
    has_flow = version >= (2, 1) and r.random() < 0.3
    body = generator.flowing() if has_flow else generator.program()
    head = [dcl(T.INPUT, n, u) for n, u in enumerate((Usage.POSITION, Usage.COLOR, Usage.NORMAL))]
    wanted = r.sample([Usage.COLOR, Usage.TEXCOORD, Usage.FOG, Usage.PSIZE], r.randrange(1, 4))
    last: list[Instruction] = []
    if version >= (3, 0):
        head += [dcl(T.OUTPUT, n + 5, usage, r.randrange(2) * (usage < 7)) for n, usage in
                 enumerate(wanted)]  # fmt: skip
        head.append(dcl(T.OUTPUT, 4, Usage.POSITION))
        last += [mov(T.OUTPUT, n + 5, T.TEMP, n % 2) for n in range(len(wanted))]
        last.append(mov(T.OUTPUT, 4, T.INPUT, 0))
    else:
        places = {
            Usage.COLOR: (T.ATTROUT, r.randrange(2)),
            Usage.FOG: (T.RASTOUT, 1),
            Usage.TEXCOORD: (T.TEXCRDOUT, r.randrange(3)),
            Usage.PSIZE: (T.RASTOUT, 2),
        }
        last += [mov(*places[usage], T.TEMP, n % 2) for n, usage in enumerate(wanted)]
        last.append(mov(T.RASTOUT, 0, T.INPUT, 0))
    items = list(body.instructions)
    ends = next((n for n, i in enumerate(items) if i.opcode is Opcode.RET), len(items))
    return replace(body, instructions=(*head, *items[:ends], *last, *items[ends:]))


def pixel_program(r: random.Random, version: tuple[int, int]) -> Program:
    generator = Generator(PS, version, r.randrange(1 << 30))
    has_flow = version >= (2, 1) and r.random() < 0.3
    body = generator.flowing() if has_flow else generator.program()
    head, last = [], []
    if version >= (3, 0):
        usages = r.sample([Usage.COLOR, Usage.TEXCOORD, Usage.NORMAL, Usage.FOG], 2)
        head += [dcl(T.INPUT, n, usage, r.randrange(2)) for n, usage in enumerate(usages)]
    if version >= (2, 0):
        last += [mov(T.COLOROUT, n, T.TEMP, n) for n in range(r.randrange(1, 3))]
        if r.random() < 0.2:
            last.append(mov(T.DEPTHOUT, 0, T.TEMP, 1))
    items = list(body.instructions)
    ends = next((n for n, i in enumerate(items) if i.opcode is Opcode.RET), len(items))
    return replace(body, instructions=(*head, *items[:ends], *last, *items[ends:]))


def states_of(rng: np.random.Generator, constants: tuple[NDArray[np.uint32], ...]) -> None:
    floats, integers, booleans, _, states = constants
    floats[:32] = contents(rng, 8).view(np.uint32).ravel()
    integers[:16] = rng.integers(-1, 4, 16)
    booleans[:3] = rng.integers(0, 2, 3)
    put_fog(states, int(rng.integers(1 << 24)), rng.random(), rng.random(), rng.random() * 3)
    put_alpha_reference(states, int(rng.integers(256)))
    put_clip_planes(states, {n: rng.normal(0, 1, 4).astype(np.float32) for n in range(6)})


def facts_of(r: random.Random) -> PixelFacts:
    return PixelFacts(
        r.choice(list(FogSource)), r.choice([m for m in FogMode if m]), r.choice(list(CmpFunc)),
        r.random() < 0.5, r.random() < 0.2,
    )  # fmt: skip


def primitives_of(
    r: random.Random, vertex: VertexStage, pixel: Program, topology: PrimitiveTopology
) -> PrimitiveFacts | None:
    corners = {PrimitiveTopology.POINTLIST: 1, PrimitiveTopology.LINESTRIP: 2}.get(topology, 3)
    if corners == 1 or r.random() < 0.2:
        squares = corners != 2 and (corners == 1 or r.random() < 0.5)
        return PrimitiveFacts(
            corners, squares, r.choice(list(Cull)),
            coordinate_sets(pixel) if squares and r.random() < 0.5 else (),
            () if squares else ((0, Wrap(r.randrange(16))), (1, Wrap(r.randrange(16)))),
            r.random() < 0.3, r.random() < 0.3,
        )  # fmt: skip
    return None


def random_draw(seed: int, versions: tuple[tuple[int, int], tuple[int, int]]) -> PreparedDraw:
    r, rng = random.Random(seed), np.random.default_rng(seed)
    profile = r.choice(sorted(PROFILES))
    types = [DeclType.FLOAT4, r.choice(TYPES), r.choice(TYPES)]
    usages = (Usage.POSITION, Usage.COLOR, Usage.NORMAL)
    pairs = enumerate(zip(usages, types, strict=True))
    elements = [VertexElement(usage, 0, type_, 0, 16 * n) for n, (usage, type_) in pairs]
    vertex = vertex_stage(
        vertex_program(r, versions[0]), elements[: r.choice([2, 3, 3])], profile=profile,
        clip_planes=r.randrange(64) if r.random() < 0.3 else 0,
    )  # fmt: skip
    topology = r.choice([PrimitiveTopology.TRIANGLELIST, PrimitiveTopology.TRIANGLESTRIP,
                         PrimitiveTopology.TRIANGLELIST, PrimitiveTopology.POINTLIST,
                         PrimitiveTopology.LINESTRIP])  # fmt: skip
    program, outputs, geometry = pixel_program(r, versions[1]), vertex.outputs, None
    made = primitives_of(r, vertex, program, topology)
    if made is not None:
        numbers = point_numbers(SIZE, SIZE, 3.0, r.choice([0.0, 1.0]), r.choice([4.0, 9.0]))
        stage = primitive_stage(vertex, made, numbers.view(np.uint32))
        outputs, geometry = stage.outputs, stage.bound
    pixel = pixel_stage(program, outputs, facts_of(r), profile=profile)
    for bound in (vertex.bound, pixel):
        states_of(rng, bound.constants)
    samples = r.choice([1, 1, 4])
    targets = tuple(target(r.choice(COLORS), SIZE, SIZE, samples) for _ in range(r.choice([1, 2])))
    depth = target(r.choice(DEPTHS), SIZE, SIZE, samples) if r.random() < 0.7 else None
    if depth is not None:
        depth.data[:] = 0x3F
    data = np.zeros((VERTICES, 48), np.uint8)
    data[:, :16] = positions(Chance(seed), VERTICES).view(np.uint8).reshape(VERTICES, 16)
    for element in elements[1:]:
        size = element_format(element.type).bytes_per_texel
        values = rng.integers(0, 256, (VERTICES, size)).astype(np.uint8)
        if element.type in (DeclType.FLOAT1, DeclType.FLOAT2, DeclType.FLOAT3, DeclType.FLOAT4):
            values = contents(rng, VERTICES)[:, : size // 4].copy().view(np.uint8)
        data[:, element.offset : element.offset + size] = values
    blend = RenderTargetBlendDesc(
        r.random() < 0.4, src_blend="SRC_ALPHA", dest_blend=r.choice(["ONE", "INV_SRC_ALPHA"])
    )
    return PreparedDraw(
        vertex.bound, pixel, vertex.inputs, topology,
        {0: VertexStream(data.reshape(-1), 48)}, None,
        RasterizerState(
            cull_mode="NONE" if made is not None else r.choice(["NONE", "BACK"]),
            slope_scaled_depth_bias=r.choice([0.0, 0.5]),
        ),
        BlendState(render_target=blend),
        DepthStencilState(depth is not None, depth_func="LESS_EQUAL"), (0.5, 1, 0, 1), 0,
        0xFFFFFFFF, (Viewport(0.5, 0.5, SIZE, SIZE, 0, 1),), (), targets, depth,
        sample_pattern(samples), SIZE, SIZE, geometry=geometry,
        depth_offset=r.choice([0.0, 0.125]),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("vs", VERTEX_VERSIONS)
@pytest.mark.parametrize("ps", PIXEL_VERSIONS)
def test_engines_agree_on_draws(vs: tuple[int, int], ps: tuple[int, int], seed: int) -> None:
    draw = random_draw(seed, (vs, ps))
    way = (seed + vs[0] + ps[0]) % len(WAYS)
    compare(draw, DrawCall(VERTICES), WAYS[way : way + 1], f"{vs} {ps} {seed}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 60))
@pytest.mark.parametrize("vs", VERTEX_VERSIONS)
@pytest.mark.parametrize("ps", PIXEL_VERSIONS)
def test_engines_agree_on_many_draws(vs: tuple[int, int], ps: tuple[int, int], seed: int) -> None:
    test_engines_agree_on_draws(vs, ps, seed)
