"""Loads that tell whether memory was mapped, facts of samples, and spaces: on both engines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d.tools.text.assembler import assemble_tokens

RUNS = [("interpreter", 0, 1), *(("jit", n, 2) for n in (4, 8, 16, 32))]
EVERY_RUN = pytest.mark.parametrize(("engine", "lanes", "threads"), RUNS)
Array = np.ndarray


@pytest.mark.corpus
@EVERY_RUN
@pytest.mark.parametrize("model", ["5_0", "5_1"])
def test_the_compilers_feedback(
    shared: Path, model: str, engine: str, lanes: int, threads: int
) -> None:
    """Twelve ways to read; textures of one colour, so that filters do not matter."""
    colour = np.float32([0.5, 2, 8, 32])
    t = np.broadcast_to(colour, (16, 16, 4)).copy()
    samples = np.broadcast_to(colour * 3, (8, 8, 2, 4)).copy()
    depth = np.full((16, 16), 0.375, np.float32)
    typed = np.arange(64, dtype=np.uint32).reshape(16, 4)
    pairs = np.arange(32, dtype=np.uint32).reshape(16, 2) * 3
    raw = np.arange(64, dtype=np.uint32) * 5
    written = np.broadcast_to(colour * 7, (8, 8, 4)).copy()
    out = np.zeros((16, 4), np.uint32)
    softd3d.dispatch(
        softd3d.load(shared / f"samples/sm4_5/cs_tiled_resource_feedback.cs_{model}.dxbc"),
        (1, 1, 1), engine=engine, lanes=lanes, threads=threads,
        srvs={
            0: softd3d.Texture2D(t, "R32G32B32A32_FLOAT"),
            1: softd3d.Texture2DMS(samples, "R32G32B32A32_FLOAT"),
            2: softd3d.TypedBuffer(typed, "R32G32B32A32_UINT"),
            3: softd3d.StructuredBuffer(pairs, 8), 4: softd3d.RawBuffer(raw),
            5: softd3d.Texture2D(depth, "R32_FLOAT"),
        },
        uavs={
            0: softd3d.StructuredBuffer(out, 16),
            1: softd3d.Texture2D(written, "R32G32B32A32_FLOAT"),
        },
        samplers={
            0: softd3d.SamplerState("MIN_MAG_MIP_LINEAR", "WRAP", "WRAP", "WRAP"),
            1: softd3d.SamplerState("COMPARISON_MIN_MAG_LINEAR_MIP_POINT", "CLAMP", "CLAMP",
                                    comparison_func="LESS"),
        },
    )  # fmt: skip
    for i in range(8):
        total = np.full(4, colour[0] + colour[2])  # Gather, GatherBlue
        # 0.5 < 0.375 is false, twice; 0.25 < 0.375 is true
        total = total + colour + colour * 3 + typed[i] + raw[4 * i : 4 * i + 4]
        total[:2] += pairs[i]
        total = total + colour + 1 + colour * 7
        assert out[i, :3].view(np.float32).tolist() == total[:3].tolist()
        assert out[i, 3] == 0xFFF


LOADS = [
    ("ld_s_indexable(texture2d)(uint,uint,uint,uint) r1.xyzw, r2.x, r0.xyzz, t0.xyzw", 0),
    ("ldms_s_indexable(texture2dms)(uint,uint,uint,uint) r1.xyzw, r2.x, r0.xyzz, t1.xyzw, l(1)", 1),
    ("ld_raw_s_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r1.xyzw, r2.x, r3.x, t2.xyzw", 2),
    ("ld_structured_s r1.xyzw, r2.x, r0.x, l(0), t3.xyzw", 3),
    ("ld_uav_typed_s_indexable(texture2d)(uint,uint,uint,uint) r1.xyzw, r2.x, r0.xyzz, u1.xyzw", 0),
]
TEXT = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_texture2d (uint,uint,uint,uint) t0
dcl_resource_texture2dms(0) (uint,uint,uint,uint) t1
dcl_resource_raw t2
dcl_resource_structured t3, 16
dcl_uav_structured u0, 32
dcl_uav_typed_texture2d (uint,uint,uint,uint) u1
dcl_input vThreadID.xyz
dcl_temps 5
dcl_thread_group 4, 4, 1
mov r0.xy, vThreadID.xyxx
mov r0.zw, l(0, 0, 0, 0)
ishl r3.x, vThreadID.x, l(4)
{code}
check_access_fully_mapped r4.x, r2.x
imad r3.y, vThreadID.y, l(4), vThreadID.x
store_structured u0.xyzw, r3.y, l(0), r1.xyzw
store_structured u0.xyzw, r3.y, l(16), r4.xxxx
ret
"""


def bindings() -> tuple[dict[Any, Any], list[Array]]:
    """Return SRVs, and what 4 by 4 threads read of each kind; two columns are outside."""
    random = np.random.default_rng(9)
    flat = random.integers(0, 1 << 32, (4, 2, 4)).astype(np.uint32)
    multi = random.integers(0, 1 << 32, (4, 2, 4, 4)).astype(np.uint32)
    row = random.integers(0, 1 << 32, (2, 4)).astype(np.uint32)
    views = {
        0: softd3d.Texture2D(flat, "R32G32B32A32_UINT"),
        1: softd3d.Texture2DMS(multi, "R32G32B32A32_UINT"),
        2: softd3d.RawBuffer(row), 3: softd3d.StructuredBuffer(row, 16),
    }  # fmt: skip
    wanted = [np.zeros((4, 4, 4), np.uint32) for _ in range(4)]
    wanted[0][:, :2], wanted[1][:, :2] = flat, multi[:, :, 1]
    wanted[2][:, :2] = wanted[3][:, :2] = row
    return views, wanted


@EVERY_RUN
@pytest.mark.parametrize(
    ("code", "kind"), LOADS, ids=[c.split("_indexable")[0].split(" ")[0] for c, _ in LOADS]
)
def test_loads_with_status(engine: str, lanes: int, threads: int, code: str, kind: int) -> None:
    views, wanted = bindings()
    out = np.zeros((16, 8), np.uint32)
    written = softd3d.Texture2D(views[0].array.copy(), "R32G32B32A32_UINT")
    softd3d.dispatch(
        softd3d.load(assemble_tokens(TEXT.format(code=code))), (1, 1, 1), srvs=views,
        uavs={0: softd3d.StructuredBuffer(out, 32), 1: written},
        engine=engine, lanes=lanes, threads=threads,
    )  # fmt: skip
    np.testing.assert_array_equal(out[:, :4].reshape(4, 4, 4), wanted[kind])
    assert (out[:, 4:] == 0xFFFFFFFF).all()


# Sixteenths of a pixel. D3D11.3 section 19.2.4.1.
PATTERNS = {
    1: [(0, 0)],
    2: [(4, 4), (-4, -4)],
    4: [(-2, -6), (6, -2), (-6, 2), (2, 6)],
    8: [(1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)],
}
FACTS = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_texture2dms(0) (float,float,float,float) t0
dcl_uav_structured u0, 48
dcl_input vThreadID.x
dcl_temps 3
dcl_thread_group 10, 1, 1
sampleinfo r0.xyzw, t0.xyzw
sampleinfo_uint r1.xyzw, t0.yxzw
samplepos r2.xyzw, t0.xyzw, vThreadID.x
store_structured u0.xyzw, vThreadID.x, l(0), r0.xyzw
store_structured u0.xyzw, vThreadID.x, l(16), r1.xyzw
store_structured u0.xyzw, vThreadID.x, l(32), r2.xyzw
ret
"""


@EVERY_RUN
@pytest.mark.parametrize("count", [0, *PATTERNS])
def test_samples(engine: str, lanes: int, threads: int, count: int) -> None:
    """Their number and places; of a texture that is not bound, and of samples beyond, 0."""
    texture = (
        softd3d.Texture2DMS(np.zeros((2, 2, count), np.float32), "R32_FLOAT") if count else None
    )
    out = np.zeros((10, 12), np.float32)
    softd3d.dispatch(
        softd3d.load(assemble_tokens(FACTS)), (1, 1, 1), srvs={0: texture},
        uavs={0: softd3d.StructuredBuffer(out, 48)}, engine=engine, lanes=lanes, threads=threads,
    )  # fmt: skip
    wanted = np.zeros((10, 12), np.float32)
    wanted[:, 0] = count
    wanted[:, 5] = np.uint32([count]).view(np.float32)
    wanted[:count, 8:10] = np.array(PATTERNS.get(count, np.zeros((0, 2)))) / 16
    np.testing.assert_array_equal(out.view(np.uint32), wanted.view(np.uint32))


@pytest.mark.corpus
@EVERY_RUN
@pytest.mark.parametrize("build", ["cs_5_1", "cs_5_1.Od"])
def test_the_compilers_spaces(
    shared: Path, build: str, engine: str, lanes: int, threads: int
) -> None:
    """cs_sm51_spaces.hlsl: registers of one number in several spaces."""
    random = np.random.default_rng(10)
    a, b = random.normal(size=(2, 32, 4)).astype(np.float32)
    k = random.normal(size=(4, 4)).astype(np.float32)
    words = np.zeros((4, 8), np.uint32)
    words[:, :4], words[:, 4] = k.view(np.uint32), [5, 0, 0, 0]
    out = np.zeros((32, 4), np.float32)
    softd3d.dispatch(
        softd3d.load(shared / f"samples/sm4_5/cs_sm51_spaces.{build}.dxbc"), (2, 1, 1),
        constants={(2, 1): words[0], **{(n, 7): words[n + 1] for n in range(3)}},
        srvs={(0, 3): softd3d.StructuredBuffer(a), (0, 4): softd3d.StructuredBuffer(b)},
        uavs={(5, 2): softd3d.StructuredBuffer(out)},
        engine=engine, lanes=lanes, threads=threads,
    )  # fmt: skip
    other = b[np.arange(32) ^ 5]
    fused = (a.astype(np.float64) * k[0] + other).astype(np.float32)
    separate = a * k[0] + other
    rest = k[1 + np.arange(32) % 3]
    assert ((out == fused + rest) | (out == separate + rest)).all()
