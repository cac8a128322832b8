"""Registers whose number is computed, in listings: counters, atomics, limits, notes, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from softd3d.device.dispatch import dispatch
from softd3d.errors import DecodeError, ResourceError
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.textures.texture import Texture2D
from softd3d.shaders.shader import Shader, load_shader
from softd3d.tools.text.assembler import assemble_tokens

ENGINES = [("interpreter", 0), ("jit", 4), ("jit", 8), ("jit", 16), ("jit", 64)]
EVERY_ENGINE = pytest.mark.parametrize(("engine", "lanes"), ENGINES)
THREADS = 41


def shader(body: str, version: str = "cs_5_1") -> Shader:
    """Assemble a program whose r0.x is the thread's number and r0.y four times that."""
    head = (
        "dcl_input vThreadID.x\ndcl_temps 4\n"
        f"dcl_thread_group {THREADS}, 1, 1\n"
        "mov r0.x, vThreadID.x\nishl r0.y, r0.x, l(2)\n"
    )
    declarations = [line for line in body.split("\n") if line.startswith("dcl_")]
    rest = [line for line in body.split("\n") if not line.startswith("dcl_")]
    return load_shader(assemble_tokens("\n".join([version, *declarations, head, *rest, "ret"])))


def run(program: Shader, engine: str, lanes: int, **bindings: Any) -> Any:
    return dispatch(program, (1, 1, 1), engine=engine, lanes=lanes, **bindings)


COUNTING = """dcl_uav_structured_opc U0[0:3], 4, space=0
dcl_uav_raw U1[0:0], space=1
and r1.x, r0.x, l(7)
imm_atomic_alloc r2.x, U0[r1.x + 0]
store_structured U0[r1.x + 0].x, r2.x, l(0), r0.x
store_raw U1[0].x, r0.y, r2.x"""


@EVERY_ENGINE
@pytest.mark.parametrize("way", ["alloc", "consume"])
def test_hidden_counters_of_many_buffers(engine: str, lanes: int, way: str) -> None:
    """Threads 0 to 7 of every eight name buffers 0 to 3, of which one is unbound, and nothing."""
    buffers = {n: StructuredBuffer(np.zeros(20, np.uint32), 4, 8 + n) for n in (0, 1, 3)}
    seen = np.zeros(THREADS, np.uint32)
    uavs: dict[Any, Any] = {**buffers, 2: None, (0, 1): RawBuffer(seen)}
    run(shader(COUNTING.replace("alloc", way)), engine, lanes, uavs=uavs)
    number = np.arange(THREADS) & 7
    for n, buffer in buffers.items():
        threads = np.flatnonzero(number == n)
        places = np.arange(threads.size)  # one after another upwards, or downwards from below
        places = 8 + n + places if way == "alloc" else 7 + n - places
        wanted = np.zeros(20, np.uint32)
        wanted[places] = threads
        np.testing.assert_array_equal(seen[threads], places)
        np.testing.assert_array_equal(buffer.array, wanted)
        assert buffer.counter == 8 + n + threads.size * (1 if way == "alloc" else -1)
    if way == "alloc":
        assert not seen[(number == 2) | (number > 3)].any()


def test_a_computed_register_needs_a_counter_wherever_one_counts() -> None:
    uavs: dict[Any, Any] = {n: StructuredBuffer(np.zeros(4, np.uint32), 4, n) for n in range(3)}
    uavs |= {3: StructuredBuffer(np.zeros(4, np.uint32), 4), (0, 1): None}
    with pytest.raises(ResourceError, match="u3: the shader counts with it"):
        run(shader(COUNTING), "jit", 0, uavs=uavs)


ATOMICS = """dcl_uav_typed_buffer (uint,uint,uint,uint) U0[0:1], space=0
dcl_uav_raw U1[5:7], space=0
dcl_uav_raw U2[0:0], space=3
and r1.x, r0.x, l(3)
and r1.y, r0.x, l(1)
ishl r1.z, r1.y, l(2)
imm_atomic_iadd r2.x, U0[r1.x + 0], r1.y, r0.x
imm_atomic_umax r2.y, U1[r1.x + 5], r1.z, r0.x
imm_atomic_cmp_exch r2.z, U1[r1.x + 5], l(8), l(0), r0.x
atomic_cmp_store U1[r1.x + 5], l(12), l(0), r0.x
atomic_xor U0[r1.x + 0], l(2), r0.x
ishl r3.x, r0.x, l(4)
store_raw U2[0].xyz, r3.x, r2.xyzx"""


@EVERY_ENGINE
def test_atomics_on_many_views(engine: str, lanes: int) -> None:
    typed = {n: np.array([7 * n, 3, 0], np.uint32) for n in (0, 1)}
    raw = {n: np.array([5, n, 0, 0], np.uint32) for n in (0, 2)}
    seen = np.zeros((THREADS, 4), np.uint32)
    uavs: dict[Any, Any] = {n: TypedBuffer(a.copy(), "R32_UINT") for n, a in typed.items()}
    uavs |= {5 + n: RawBuffer(a.copy()) for n, a in raw.items()} | {6: None}
    run(shader(ATOMICS), engine, lanes, uavs=uavs | {(0, 3): RawBuffer(seen)})
    wanted = np.zeros((THREADS, 4), np.uint32)
    for i in range(THREADS):  # instruction by instruction, lanes in order: sums do not mind
        n, place = i & 3, i & 1
        if n in typed:
            wanted[i, 0] = typed[n][place]
            typed[n][place] += i
            typed[n][2] ^= i
        if n in raw:
            wanted[i, 1] = raw[n][place]
            raw[n][place] = max(raw[n][place], i)
            wanted[i, 2] = raw[n][2]
            for at in (2, 3):
                raw[n][at] = i if raw[n][at] == 0 else raw[n][at]
    np.testing.assert_array_equal(seen, wanted)
    for n, words in typed.items():
        np.testing.assert_array_equal(uavs[n].array, words)
    for n, words in raw.items():
        np.testing.assert_array_equal(uavs[5 + n].array, words)


@EVERY_ENGINE
def test_atomics_of_full_waves(engine: str, lanes: int) -> None:
    """All lanes are active and name something that is bound: no lane is skipped."""
    text = """dcl_uav_raw U0[0:2], space=0
dcl_uav_raw U1[0:0], space=3
udiv null, r1.x, r0.x, l(3)
imm_atomic_iadd r2.x, U0[r1.x + 0], l(4), r0.x
store_raw U1[0].x, r0.y, r2.x"""
    sums, seen = np.full((3, 2), 9, np.uint32), np.zeros(THREADS, np.uint32)
    uavs: dict[Any, Any] = {n: RawBuffer(sums[n]) for n in range(3)}
    run(shader(text), engine, lanes, uavs=uavs | {(0, 3): RawBuffer(seen)})
    for n in range(3):
        threads = np.arange(n, THREADS, 3)
        assert sums[n].tolist() == [9, 9 + threads.sum()]
        np.testing.assert_array_equal(seen[threads], 9 + np.cumsum(threads) - threads)


@EVERY_ENGINE
def test_sixty_four_uavs(engine: str, lanes: int) -> None:
    """Every thread writes one, u0 to u63 of shader model 5.0 and of a range."""
    fixed = "".join(f"dcl_uav_raw u{n}\n" for n in range(64))
    fixed += "".join(f"store_raw u{n}.x, r0.y, l({n + 1})\n" for n in range(64))
    ranged = "dcl_uav_raw U0[0:63], space=0\nstore_raw U0[r0.x + 23].x, r0.y, r0.x"
    for text, version in ((fixed, "cs_5_0"), (ranged, "cs_5_1")):
        outs = np.zeros((64, THREADS), np.uint32)
        uavs = {n: RawBuffer(outs[n]) for n in range(64)}
        run(shader(text, version), engine, lanes, uavs=uavs)
        wanted = np.zeros_like(outs)
        if version == "cs_5_0":
            wanted[:] = np.arange(1, 65)[:, None]
        else:
            wanted[23 + np.arange(THREADS), np.arange(THREADS)] = np.arange(THREADS)
        np.testing.assert_array_equal(outs, wanted)


MANY = """dcl_resource_texture2d (float,float,float,float) T0[0:*], space=0
dcl_resource_raw T1[0:0], space=9
dcl_uav_raw U0[0:0], space=0
ld_raw r1.x, r0.y, T1[0].xxxx
ld r2.xyzw, l(0, 0, 0, 0), T0[r1.x + 0].xyzw
ishl r3.x, r0.x, l(4)
store_raw U0[0].xyzw, r3.x, r2.xyzw"""


@EVERY_ENGINE
@pytest.mark.parametrize("gap", [1, 3, 1 << 22])
def test_hundreds_of_textures_of_an_endless_range(engine: str, lanes: int, gap: int) -> None:
    """Three formats by turns; with gaps their places are searched for."""
    registers = [gap * n + (7 if n > 150 else 0) for n in range(300)]
    texels = np.random.default_rng(3).random((300, 1, 1, 4)).astype(np.float32)
    formats = [
        ("R32G32B32A32_FLOAT", lambda t: t),
        ("R32_FLOAT", lambda t: np.ascontiguousarray(t[..., 0])),
        ("R16G16B16A16_FLOAT", lambda t: t.astype(np.float16)),
    ]
    srvs: dict[Any, Any] = {}
    known: dict[int, np.ndarray] = {}
    for n, register in enumerate(registers):
        name, made = formats[n % 3]
        array = made(texels[n])
        srvs[register] = Texture2D(array, name)
        known[register] = np.array([0, 0, 0, 1], np.float32)
        known[register][: array.size] = array.reshape(-1).astype(np.float32)
    asked = np.random.default_rng(4).choice(registers, THREADS).astype(np.uint32)
    asked[::5] += 1  # mostly a gap, or the next
    asked[::13] = 0xFFFFFFFF
    out = np.zeros((THREADS, 4), np.float32)
    srvs[0, 9] = RawBuffer(asked)
    run(shader(MANY), engine, lanes, srvs=srvs, uavs={0: RawBuffer(out)})
    wanted = np.array([known.get(int(n), np.zeros(4, np.float32)) for n in asked])
    np.testing.assert_array_equal(out, wanted)


@EVERY_ENGINE
def test_an_endless_range_may_be_empty(engine: str, lanes: int) -> None:
    out = np.ones((THREADS, 4), np.float32)
    srvs = {(0, 9): RawBuffer(np.zeros(64, np.uint32))}
    run(shader(MANY), engine, lanes, srvs=srvs, uavs={0: RawBuffer(out)})
    assert not out.any()


OLD = """dcl_constantbuffer cb0[2], dynamicIndexed
dcl_constantbuffer cb2[2], dynamicIndexed
dcl_resource_raw t1
dcl_resource_raw t4
dcl_uav_raw u0
and r1.x, r0.x, l(7)
ld_raw r2.x, r0.y, t[r1.x + 0].xxxx
and r1.y, r0.x, l(3)
mov r2.y, cb[r1.x + 0][r1.y + 0].y
ishl r3.x, r0.x, l(3)
store_raw u0.xy, r3.x, r2.xyxx"""


@EVERY_ENGINE
def test_before_model_5_1_a_number_means_any_register(engine: str, lanes: int) -> None:
    srvs = {n: np.arange(50, dtype=np.uint32) + 1000 * n for n in (1, 4)}
    constants = {n: np.arange(8, dtype=np.uint32) + 100 * n + 1 for n in (0, 2)}
    out = np.zeros((THREADS, 2), np.uint32)
    run(
        shader(OLD, "cs_5_0"), engine, lanes, constants=constants,
        srvs={n: RawBuffer(a) for n, a in srvs.items()}, uavs={0: RawBuffer(out)},
    )  # fmt: skip
    wanted = np.zeros((THREADS, 2), np.uint32)
    for i in range(THREADS):
        wanted[i, 0] = srvs[i & 7][i] if i & 7 in srvs else 0
        if i & 7 in constants and i & 3 < 2:
            wanted[i, 1] = constants[i & 7][4 * (i & 3) + 1]
    np.testing.assert_array_equal(out, wanted)


@EVERY_ENGINE
def test_notes_name_the_range(engine: str, lanes: int) -> None:
    text = """dcl_uav_raw U0[2:4], space=6
dcl_uav_raw U1[0:*], space=0
iadd r1.x, r0.y, l(1)
store_raw U0[r0.x + 2].x, r1.x, r0.x
store_raw U1[r0.x + 0].x, r1.x, r0.x"""
    uavs = {(n, 6): RawBuffer(np.zeros(8, np.uint32)) for n in (2, 3, 4)}
    outcome = run(shader(text), engine, lanes, uavs=uavs)
    rule = "store_raw: byte offset is not a multiple of 4"
    assert sorted(outcome.poisoned) == [("u[0:*]", rule), ("u[2:4],space6", rule)]


@EVERY_ENGINE
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dcl_tgsm_raw g0, 64\nst" + "ore_raw g[r0.x + 0].x, r0.y, r0.x", "the number of a g#"),
        ("store_raw U3[r0.x + 1].x, r0.y, r0.x", "u3 is not declared"),
        ("dcl_uav_raw U0[0:1], space=0\nstore_structured U0[r0.x + 0].x, r0.x, l(0), r0.x", "raw"),
    ],
)
def test_what_is_refused(engine: str, lanes: int, text: str, message: str) -> None:
    with pytest.raises(DecodeError, match=message):
        run(shader(text), engine, lanes, uavs={0: None, 1: None} if "U0" in text else {})


@EVERY_ENGINE
def test_a_number_in_divergent_flow_and_loops(engine: str, lanes: int) -> None:
    """Lanes that are off have numbers of their own, which must not matter."""
    text = """dcl_resource_raw T0[0:9], space=0
dcl_uav_raw U0[0:0], space=0
mov r1.x, l(0)
mov r1.y, l(0)
loop
  uge r1.z, r1.x, r0.x
  breakc_nz r1.z
  and r2.x, r1.x, l(3)
  if_nz r2.x
    iadd r2.y, r1.x, r0.x
    ld_raw r2.z, l(4), T0[r2.y + 0].xxxx
    iadd r1.y, r1.y, r2.z
  else
    imul null, r2.y, r0.x, l(0x10000)
    ld_raw r2.z, l(0), T0[r2.y + 0].xxxx
    iadd r1.y, r1.y, r2.z
  endif
  iadd r1.x, r1.x, l(1)
endloop
store_raw U0[0].x, r0.y, r1.y"""
    words = np.random.default_rng(8).integers(0, 1 << 30, (10, 2)).astype(np.uint32)
    out = np.zeros(THREADS, np.uint32)
    srvs = {n: RawBuffer(words[n]) if n != 5 else None for n in range(10)}
    words[5] = 0
    run(shader(text), engine, lanes, srvs=srvs, uavs={0: RawBuffer(out)})
    wanted = np.zeros(THREADS, np.uint32)
    for i in range(THREADS):
        for k in range(i):
            number, at = (k + i, 1) if k & 3 else (i << 16, 0)
            wanted[i] += words[number, at] if number < 10 else 0
    np.testing.assert_array_equal(out, wanted)
