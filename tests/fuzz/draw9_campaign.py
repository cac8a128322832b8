"""Draw with damaged streams of SM1-3: a result or a ShaderError, of both engines the same.

Run as a script for long campaigns, of which several processes may each do a range of seeds:
    python tests/fuzz/draw9_campaign.py --count 100000 [--start N] [--every N]

A seed decides stream, damage, states and all else. The interpreter runs each draw, the JIT one of
`every`, whose targets must be the same. It stops at the first failure and prints its seed.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from mutate import mutated, scrambled
from numpy.typing import NDArray

from softd3d.errors import ExecutionError, InternalError, ShaderError
from softd3d.formats.d3d9 import d3d9_format
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.isa.asm.sm1.assembler import parse_sm1_program
from softd3d.isa.d3d9.enums import CmpFunc, DeclType, FogMode
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import ProgramType, Usage
from softd3d.isa.sm1.profile import PROFILES
from softd3d.isa.sm1.program import Program
from softd3d.jit.draw.engine import compile_draw
from softd3d.pipeline.d3d9.elements import VertexElement
from softd3d.pipeline.d3d9.pixel import FogSource, PixelFacts, coordinate_sets, pixel_stage
from softd3d.pipeline.d3d9.primitives import PrimitiveFacts, primitive_stage
from softd3d.pipeline.d3d9.vertex import vertex_stage
from softd3d.pipeline.prepared import DrawCall, PreparedDraw, Target, VertexStream
from softd3d.pipeline.queries import DrawResult
from softd3d.pipeline.rasterizer.samples import sample_pattern
from softd3d.pipeline.state import (
    BlendState,
    DepthStencilState,
    PrimitiveTopology,
    RasterizerState,
    Viewport,
)

SIZE = 4
BUDGET = {"interpreter": 3_000, "jit": 20_000}
EVERY = 20  # of the draws, one is drawn by both engines
_TYPES = [type_ for type_ in DeclType if type_ is not DeclType.UNUSED]
_USAGES = [Usage.POSITION, Usage.COLOR, Usage.TEXCOORD, Usage.NORMAL, Usage.BLENDWEIGHT]
_VS = """vs_3_0
dcl_position v0
dcl_texcoord v1
dcl_position o0
dcl_color o1
dcl_texcoord o2
dcl_texcoord1 o3
dcl_fog o4.x
mov o0, v0
mov o1, v1
mov o2, v1
mov o3, v0
mov o4.x, v1.x
"""
_PS = "ps_2_0\ndcl v0\ndcl t0\nadd r0, v0, t0\nmov oC0, r0\n"
_OWN = sorted((Path(__file__).parents[1] / "unit/isa/data/sm1").rglob("*.bin"))
_SHARED = Path(__file__).parents[3] / "shared/samples/sm1_3"


class Failure(AssertionError):  # noqa: N818 - it is one
    """The engines differ, or one of them failed otherwise than with a ShaderError."""


def streams() -> list[bytes]:
    """Return the streams that are damaged: those of the samples where they are, or our own."""
    paths = sorted(_SHARED.rglob("*.bin")) if _SHARED.is_dir() else _OWN
    return [path.read_bytes() for path in paths]


def damaged(data: bytes, rng: random.Random) -> Program:
    """Return a stream with damage behind its version."""
    body = data[4:]
    change = scrambled if rng.random() < 0.6 and len(body) >= 8 else mutated
    return decode(data[:4] + change(body, rng))


def draw_of(program: Program, rng: random.Random) -> PreparedDraw:
    """Return a small draw with a program as one of its shaders, and random states."""
    numbers = np.random.default_rng(rng.randrange(1 << 32))
    profile = rng.choice(sorted(PROFILES))
    is_pixel = program.type is ProgramType.PS
    vs = parse_sm1_program(_VS) if is_pixel else program
    ps = program if is_pixel else parse_sm1_program(_PS)
    elements = [VertexElement(u, 0, rng.choice(_TYPES), 0, 16 * n) for n, u in enumerate(_USAGES)]
    elements[0] = replace(elements[0], type=DeclType.FLOAT4)
    planes = rng.randrange(64) if rng.random() < 0.2 else 0
    vertex = vertex_stage(vs, elements, profile=profile, clip_planes=planes)
    outputs, geometry = vertex.outputs, None
    topology = rng.choice([PrimitiveTopology.TRIANGLELIST, PrimitiveTopology.POINTLIST])
    if topology is PrimitiveTopology.POINTLIST:
        sets = coordinate_sets(ps) if rng.random() < 0.5 else ()
        made = primitive_stage(vertex, PrimitiveFacts(1, sprites=sets))
        outputs, geometry = made.outputs, made.bound
    facts = PixelFacts(
        rng.choice(list(FogSource)), rng.choice([mode for mode in FogMode if mode]),
        rng.choice(list(CmpFunc)), rng.random() < 0.5, rng.random() < 0.3,
    )  # fmt: skip
    pixel = pixel_stage(ps, outputs, facts, profile=profile)
    for bound in (vertex.bound, pixel):
        for file in bound.constants:
            file[: min(file.size, 64)] |= numbers.integers(
                0, 1 << 32, min(file.size, 64), np.uint32
            )
    data = numbers.normal(0, 1, (9, 20)).astype(np.float32)
    data[:, 2:4] = 0.5, 1
    targets = (_target("A8R8G8B8"), _target("A32B32G32R32F"))
    return PreparedDraw(
        vertex.bound, pixel, vertex.inputs, topology,
        {0: VertexStream(data.reshape(-1).view(np.uint8), 80)}, None,
        RasterizerState(cull_mode="NONE"), BlendState(), DepthStencilState(), (1, 1, 1, 1), 0,
        0xFFFFFFFF, (Viewport(0.5, 0.5, SIZE, SIZE, 0, 1),), (), targets, _target("D24S8"),
        sample_pattern(1), SIZE, SIZE, geometry=geometry,
    )  # fmt: skip


def _target(name: str) -> Target:
    format_ = d3d9_format(name)
    row = SIZE * format_.bytes_per_block
    data = np.full(row * SIZE, 0xF0 if name == "D24S8" else 0x3F, np.uint8)
    return Target(name, format_, data, 0, row, row * SIZE, SIZE, SIZE, 1, 1)


def _memory(draw: PreparedDraw) -> list[NDArray[np.uint8]]:
    return [t.data for t in (*draw.targets, draw.depth) if t is not None]


def _left(
    draw: PreparedDraw, run: Callable[[], DrawResult]
) -> tuple[list[NDArray[np.uint8]], DrawResult | None, str]:
    """Draw and undo it; return what targets hold then, the result, and the kind of an error."""
    memory = _memory(draw)
    before = [m.copy() for m in memory]
    result, error = None, ""
    try:
        result = run()
    except InternalError:
        raise
    except ShaderError as found:
        error = type(found).__name__
    after = [m.copy() for m in memory]
    for m, old in zip(memory, before, strict=True):
        m[...] = old
    return after, result, error


def attempt(program: Program, rng: random.Random, *, both: bool) -> str:
    """Draw; return how it ended. Anything but a ShaderError propagates."""
    draw, call = draw_of(program, rng), DrawCall(9)
    wanted, result, error = _left(
        draw, lambda: draw_interpreted(draw, call, budget=BUDGET["interpreter"])
    )
    if not both:
        return error or "drawn"
    found, other, refusal = _left(
        draw,
        lambda: compile_draw(draw, lanes=rng.choice((4, 8, 16))).draw(call, budget=BUDGET["jit"]),
    )
    stopped = ExecutionError.__name__ in (error, refusal)
    if stopped or "LoweringError" in (error, refusal):  # budgets, and limits of size, differ
        return error or refusal
    if refusal == "DecodeError" and not error:  # in what no lane has come to
        return f"{refusal} of what does not run"
    if (error, result) != (refusal, other):
        raise Failure(f"interpreter: {error} {result}, JIT: {refusal} {other}")
    for mine, its, target in zip(wanted, found, (*draw.targets, draw.depth), strict=True):
        if not _same(mine, its, target is draw.targets[1]):
            raise Failure(f"{target.name if target else ''}: {mine} {its}")
    return error or "drawn by both"


def _same(a: NDArray[np.uint8], b: NDArray[np.uint8], is_float: bool) -> bool:
    if not is_float:
        return bool(np.array_equal(a, b))
    x, y = a.view(np.float32), b.view(np.float32)
    return bool(np.all((a.view(np.uint32) == b.view(np.uint32)) | (np.isnan(x) & np.isnan(y))))


def campaign(first: int, count: int, every: int = EVERY) -> Iterator[str]:
    """Yield how each of `count` draws ended."""
    samples = streams()
    for seed in range(first, first + count):
        rng = random.Random(seed)
        data = rng.choice(samples)
        try:
            outcome = attempt(damaged(data, rng), rng, both=seed % every == 0)
        except InternalError:
            raise
        except ShaderError as error:
            outcome = type(error).__name__
        except Exception as error:
            raise Failure(f"seed {seed}: {type(error).__name__}: {error}") from error
        yield outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--every", type=int, default=EVERY)
    options = parser.parse_args()
    warnings.simplefilter("error")
    counts = Counter(campaign(options.start, options.count, options.every))
    for outcome, number in counts.most_common():
        print(f"{number:8} {outcome}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
