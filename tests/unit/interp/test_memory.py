"""Which bytes loads and stores reach, against a model that knows one lane and one dword."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from program_builder import Unbound, build

from softd3d.errors import DecodeError, ResourceError
from softd3d.interp import interpret
from softd3d.isa.machine import ViewKind
from softd3d.lower.outcome import Outcome
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.textures.texture import Texture2D, Texture2DArray, Texture3D

LANES = 64
EDGES = (0, 1, 2, 3, 4, 7, 8, 12, 28, 32, 36, 40, 44, 45, 48, 52, 56, 60, 64)
HUGE = (0x7FFFFFFC, 0x80000000, 0xFFFFFFEC, 0xFFFFFFF0, 0xFFFFFFF8, 0xFFFFFFFC, 0xFFFFFFFF)
OFFSETS = np.array(EDGES + HUGE, np.uint32)


def run(text: str, *, lanes: int = LANES, **arguments: Any) -> Outcome:
    return interpret(build(text, group=(lanes, 1, 1), **arguments), (1, 1, 1))


def numbered(count: int) -> np.ndarray:
    return np.arange(1, count + 1, dtype=np.uint32) * np.uint32(0x01010101)


FETCH = """
    ishl r7.x, vThreadID.x, l({shift})
    ld_raw r0.xyzw, r7.x, t9.xyzw
"""
KEEP = """
    ishl r7.x, vThreadID.x, l(4)
    store_raw u9.xyzw, r7.x, r1.xyzw
"""


def load_each(load: str, inputs: np.ndarray, **arguments: Any) -> tuple[np.ndarray, Outcome]:
    """Run `load` (r0 in, r1 out) once for each row of four inputs; return the rows of results."""
    out = np.full((len(inputs), 4), 0xEEEEEEEE, np.uint32)
    arguments.setdefault("srvs", {})[9] = RawBuffer(np.ascontiguousarray(inputs, np.uint32))
    arguments.setdefault("uavs", {})[9] = RawBuffer(out)
    text = FETCH.format(shift=4) + load + KEEP
    return out, run(text, lanes=len(inputs), **arguments)


def rows(*columns: Any) -> np.ndarray:
    found = np.zeros((len(columns[0]), 4), np.uint32)
    for n, column in enumerate(columns):
        found[:, n] = column
    return found


@pytest.mark.parametrize("register", ["t0", "u0"])
def test_raw_loads_are_bounded_dword_by_dword(register: str):
    data = numbered(11)  # 44 bytes: no multiple of 16
    inputs = rows(OFFSETS)
    binding = {register[0].replace("t", "srvs").replace("u", "uavs"): {0: RawBuffer(data)}}
    found, outcome = load_each(f"ld_raw r1.xyzw, r0.x, {register}.xyzw", inputs, **binding)
    for offset, row in zip(OFFSETS.tolist(), found.tolist(), strict=True):
        first = offset // 4
        assert row == [int(data[first + n]) if first + n < 11 else 0 for n in range(4)], offset
    assert outcome.poisoned == ((register, "ld_raw: byte offset is not a multiple of 4"),)


def test_the_resource_swizzle_picks_dwords_after_the_address():
    found, _ = load_each(
        "ld_raw r1.yw, r0.x, t0.xwzy", rows([4]), srvs={0: RawBuffer(numbered(11))}
    )
    data = numbered(11).tolist()
    assert found[0].tolist() == [0, data[1 + 3], 0, data[1 + 1]]


@pytest.mark.parametrize("register", ["t0", "u0"])
def test_structured_loads_are_bounded_by_structure_and_stride(register: str):
    stride, count = 12, 5
    data = numbered(15)
    pairs = list(itertools.product((0, 1, 4, 5, 6, 0x15555556, 0xFFFFFFFF), OFFSETS.tolist()))
    inputs = rows([p[0] for p in pairs], [p[1] for p in pairs])
    binding = {
        register[0].replace("t", "srvs").replace("u", "uavs"): {0: StructuredBuffer(data, stride)}
    }
    load = f"ld_structured r1.xyzw, r0.x, r0.y, {register}.xyzw"
    found, _ = load_each(load, inputs, **binding)
    for (index, offset), row in zip(pairs, found.tolist(), strict=True):
        expected = []
        for n in range(4):
            at = offset // 4 * 4 + 4 * n
            inside = index < count and at + 4 <= stride
            expected.append(int(data[(index * stride + at) // 4]) if inside else 0)
        assert row == expected, (index, offset)


def test_raw_stores_outside_are_dropped_dword_by_dword():
    for offset in OFFSETS.tolist():
        data = numbered(11)
        outcome = run(
            f"store_raw u0.xyz, l({offset}), l(101, 102, 103, 104)",
            lanes=1,
            uavs={0: RawBuffer(data)},
        )
        expected = numbered(11)
        for n in range(3):
            if offset // 4 + n < 11:
                expected[offset // 4 + n] = 101 + n
        assert data.tolist() == expected.tolist(), offset
        rule = "store_raw: byte offset is not a multiple of 4"
        assert outcome.poisoned == ((("u0", rule),) if offset % 4 else ())


def test_structured_stores_outside_are_dropped_and_noted():
    for index, offset in itertools.product((0, 4, 5, 0xFFFFFFFF), OFFSETS.tolist()):
        data = numbered(15)
        outcome = run(
            f"store_structured u0.xy, l({index}), l({offset}), l(101, 102, 103, 104)",
            lanes=1,
            uavs={0: StructuredBuffer(data, 12)},
        )
        expected = numbered(15)
        for n in range(2):
            at = offset // 4 * 4 + 4 * n
            if index < 5 and at < 12:
                expected[(index * 12 + at) // 4] = 101 + n
        assert data.tolist() == expected.tolist(), (index, offset)
        beyond = offset >= 12 or offset + 4 >= 12
        assert (("u0", "store_structured: byte offset beyond the structure")
                in outcome.poisoned) == beyond  # fmt: skip


def test_group_shared_registers_have_bounds_of_their_own():
    text = """
        store_raw g0.x, l(12), l(1)
        store_raw g0.x, l(16), l(2)       // outside of g0, though g1 is there
        store_structured g1.x, l(0), l(0), l(3)
        store_structured g1.x, l(1), l(4), l(7)
        store_structured g1.xy, l(2), l(4), l(4, 5, 0, 0)  // the second dword is outside
        store_structured g1.x, l(3), l(0), l(6)
        ld_raw r1.x, l(12), g0.xxxx
        ld_raw r1.y, l(16), g0.xxxx
        ld_structured r1.z, l(0), l(0), g1.xxxx
        ld_structured r1.w, l(2), l(4), g1.xxxx
    """
    found, outcome = load_each(text, rows([0]), shared={0: (16,), 1: (8, 3)})
    assert found.tolist() == [[1, 0, 3, 4]]
    assert outcome.poisoned == (
        ("g0", "store_raw: outside the group-shared register"),
        ("g1", "store_structured: outside the group-shared register"),
    )


def test_only_active_lanes_can_break_a_rule():
    text = """
        ult r0.y, vThreadID.x, l(4)
        if_nz r0.y
          imul null, r0.x, vThreadID.x, l({stride})
          ld_raw r1.x, r0.x, u0.x
        endif
    """
    rule = ("u0", "ld_raw: byte offset is not a multiple of 4")
    for stride, expected in ((4, ()), (1, (rule,))):
        text_ = text.format(stride=stride).replace("if_nz", "mov r0.x, l(1)\nif_nz")
        assert run(text_, uavs={0: RawBuffer(numbered(4))}).poisoned == expected


def test_group_shared_memory_is_zero_and_private_to_each_group():
    out = np.full(6 * 4, 9, np.uint32)
    text = """
        ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
        ld_raw r1.x, r0.x, g0.x
        imad r1.x, vThreadGroupID.x, l(100), r1.x
        iadd r1.x, r1.x, vThreadIDInGroupFlattened.x
        store_raw g0.x, r0.x, r1.x
        sync_g_t
        xor r0.y, r0.x, l(4)
        ld_raw r1.y, r0.y, g0.x
        ishl r0.z, vThreadID.x, l(2)
        store_raw u0.x, r0.z, r1.y
    """
    bound = build(text, group=(4, 1, 1), uavs={0: RawBuffer(out)}, shared={0: (16,)})
    interpret(bound, (6, 1, 1))
    assert out.tolist() == [100 * (n // 4) + (n % 4 ^ 1) for n in range(24)]


def test_of_lanes_that_store_to_one_place_the_highest_active_wins():
    data = np.zeros(4, np.uint32)
    text = """
        mov r0.x, vThreadID.x
        and r0.y, r0.x, l(3)
        ishl r0.y, r0.y, l(2)
        ult r0.z, r0.x, l(50)
        if_nz r0.z
          store_raw u0.x, r0.y, r0.x
        endif
    """
    run(text, uavs={0: RawBuffer(data)})
    assert data.tolist() == [48, 49, 46, 47]


@pytest.mark.parametrize("kind", [ViewKind.RAW, ViewKind.STRUCTURED, ViewKind.TYPED])
def test_unbound_views_read_zero_and_drop_stores(kind: ViewKind):
    load, store = {
        ViewKind.RAW: ("ld_raw r1.xyzw, l(0), u0.xyzw", "store_raw u0.x, l(0), r0.x"),
        ViewKind.STRUCTURED: (
            "ld_structured r1.xyzw, l(0), l(0), u0.xyzw",
            "store_structured u0.x, l(0), l(0), r0.x",
        ),
        ViewKind.TYPED: (
            "ld_uav_typed r1.xyzw, l(0, 0, 0, 0), u0.xyzw",
            "store_uav_typed u0.xyzw, l(0, 0, 0, 0), r0.xyzw",
        ),
    }[kind]
    address = "l(0, 0, 0, 0)"
    text = f"""
        mov r1.xyzw, l(7, 7, 7, 7)
        {store}
        {load}
        bufinfo r2.x, u0.x
        imm_atomic_iadd r2.y, u0, {address}, l(1)
        iadd r1.x, r1.x, r2.x
        iadd r1.x, r1.x, r2.y
    """
    found, _ = load_each(text, rows([5]), uavs={0: Unbound(kind)})
    assert found.tolist() == [[0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("format_", "dtype"), [("R8_UINT", np.uint8), ("R16_UINT", np.uint16), ("R32_UINT", np.uint32)]
)
def test_typed_stores_touch_only_their_texel(format_: str, dtype: type):
    data = np.arange(9, dtype=dtype)
    text = """
        imul null, r0.x, vThreadID.x, l(2)
        iadd r0.y, vThreadID.x, l(100)
        store_uav_typed u0.xyzw, r0.xxxx, r0.yyyy
    """
    run(text, lanes=8, uavs={0: TypedBuffer(data, format_)})
    assert data.tolist() == [100, 1, 101, 3, 102, 5, 103, 7, 104]


def test_textures_are_bounded_in_every_coordinate_and_mip():
    big = np.arange(4 * 6, dtype=np.uint32).reshape(4, 6) + 1
    small = big[:2, :3] + 100
    sizes = {0: (6, 4, big), 1: (3, 2, small)}
    inputs = np.array(
        list(itertools.product((0, 2, 3, 5, 6, 0xFFFFFFFF), (0, 1, 2, 3, 4), (7,), (0, 1, 2))),
        np.uint32,
    )
    texture = Texture2D([big, np.ascontiguousarray(small)], "R32_UINT")
    found, _ = load_each("ld r1.xyzw, r0.xyzw, t0.xyzw", inputs, srvs={0: texture})
    for (x, y, _, mip), row in zip(inputs.tolist(), found.tolist(), strict=True):
        width, height, texels = sizes.get(mip, (0, 0, big))
        inside = x < width and y < height
        assert row == [int(texels[y, x]) if inside else 0, 0, 0, 1], (x, y, mip)


def test_array_slices_and_volumes():
    layers = np.arange(2 * 3 * 4, dtype=np.uint32).reshape(2, 3, 4) + 1
    inputs = np.array(list(itertools.product((0, 3, 4), (0, 2, 3), (0, 1, 2), (0,))), np.uint32)
    for kind in (Texture2DArray, Texture3D):
        texture = kind(layers.copy(), "R32_UINT")
        found, _ = load_each("ld r1.xyzw, r0.xyzw, t0.xyzw", inputs, srvs={0: texture})
        for (x, y, z, _), row in zip(inputs.tolist(), found.tolist(), strict=True):
            inside = x < 4 and y < 3 and z < 2
            assert row[0] == (int(layers[z, y, x]) if inside else 0)
        stored = np.zeros_like(layers)
        text = "store_uav_typed u0.xyzw, r0.xyzz, r0.xxxx"
        load_each(text, inputs, uavs={0: kind(stored, "R32_UINT")})
        expected = np.zeros_like(layers)
        for x, y, z, _ in inputs.tolist():
            if x < 4 and y < 3 and z < 2:
                expected[z, y, x] = x
        assert stored.tolist() == expected.tolist()


# Constant buffers, immediate constants, indexable temps

INDICES = (0, 1, 2, 3, 4, 5, 0x0FFFFFFF, 0x10000000, 0x10000001, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF)


@pytest.mark.parametrize("bias", [0, 2])
def test_constant_buffers_are_bounded_by_their_size(bias: int):
    data = numbered(12)  # three vectors, 64 declared
    text = f"mov r1.xyzw, cb3[r0.x + {bias}].wzyx"
    found, _ = load_each(text, rows(INDICES), constants={3: data})
    vectors = data.reshape(3, 4)[:, ::-1].tolist()
    for index, row in zip(INDICES, found.tolist(), strict=True):
        place = (index + bias) % 2**32
        assert row == (vectors[place] if place < 3 else [0] * 4), index


def test_constants_at_literal_indices_and_unbound_buffers():
    text = "mov r1.x, cb0[1].y\nmov r1.y, cb0[9].y\nmov r1.zw, cb1[0].zwzw"
    found, _ = load_each(text, rows([0]), constants={0: numbered(8), 1: None})
    assert found.tolist() == [[int(numbered(8)[5]), 0, 0, 0]]


def test_immediate_constants_are_bounded():
    icb = tuple(numbered(8).tolist())
    found, _ = load_each("mov r1.xyzw, icb[r0.x].xyzw", rows(INDICES), icb=icb)
    for index, row in zip(INDICES, found.tolist(), strict=True):
        assert row == (list(icb[4 * index :][:4]) if index < 2 else [0] * 4)


def test_indexable_temps_are_private_bounded_and_zero_at_first():
    text = """
        mov x1[r0.x].xyzw, r0.yyyy
        mov x2[1].xy, r0.zzzz
        mov r1.x, x1[r0.x].z
        mov r1.y, x1[1].w
        mov r1.z, x2[1].y
        mov r1.w, x2[1].z
    """
    values = np.arange(len(INDICES)) + 50
    found, _ = load_each(text, rows(INDICES, values, values + 100), indexable={1: 3, 2: 2})
    for index, value, row in zip(INDICES, values.tolist(), found.tolist(), strict=True):
        kept = value if index < 3 else 0
        assert row == [kept, value if index == 1 else 0, value + 100, 0], index


def test_inactive_lanes_keep_indexable_temps():
    text = """
        mov x0[0].x, l(5)
        if_nz r0.x
          mov x0[0].x, l(6)
        endif
        mov r1.x, x0[0].x
    """
    found, _ = load_each(text, rows([0, 1, 0, 2]), indexable={0: 1})
    assert found[:, 0].tolist() == [5, 6, 5, 6]


# An instruction that writes what it reads


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("mov r0.xyzw, r0.yzwx", lambda a, b, c, d: (b, c, d, a)),
        ("mov r0.xy, r0.yxyx", lambda a, b, c, d: (b, a, c, d)),
        ("iadd r0.xyzw, r0.xxyy, r0.wzyx", lambda a, b, c, d: (a + d, a + c, b + b, b + a)),
        ("udiv r0.x, r0.y, r0.x, r0.y", lambda a, b, c, d: (a // b, a % b, c, d)),
        ("udiv r0.y, r0.x, r0.x, r0.y", lambda a, b, c, d: (a % b, a // b, c, d)),
        (
            "movc r0.xy, r0.zwzw, r0.yxyx, r0.xyxy",
            lambda a, b, c, d: (b if c else a, a if d else b, c, d),
        ),
    ],
)
def test_sources_are_read_before_anything_is_written(
    text: str, model: Callable[..., tuple[int, ...]]
):
    inputs = rows([0, 17, 5, 99], [3, 4, 5, 6], [1, 2, 3, 0], [9, 8, 7, 6])
    found, _ = load_each(f"{text}\nmov r1.xyzw, r0.xyzw", inputs)
    assert found.tolist() == [[v % 2**32 for v in model(*row)] for row in inputs.tolist()]


def test_an_indexable_temp_may_index_its_own_destination():
    text = "mov x0[0].x, r0.x\nmov x0[x0[0].x].x, l(9)\nmov r1.x, x0[0].x\nmov r1.y, x0[2].x"
    found, _ = load_each(text, rows([0, 2, 7]), indexable={0: 4})
    assert found[:, :2].tolist() == [[9, 0], [2, 9], [7, 0]]


def test_a_load_may_overwrite_its_own_address():
    data = np.array([4, 8, 12, 16, 20, 24, 28, 0], np.uint32)
    text = "ld_raw r0.xyzw, r0.x, t0.wzyx\nmov r1.xyzw, r0.xyzw"
    found, _ = load_each(text, rows([0, 4, 16]), srvs={0: RawBuffer(data)})
    assert found.tolist() == [[16, 12, 8, 4], [20, 16, 12, 8], [0, 28, 24, 20]]


# Refused


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("mov r9.x, l(0)", DecodeError, "r9 is not declared"),
        ("if_nz r9.x\nendif", DecodeError, "r9 is not declared"),
        ("switch r9.x\nendswitch", DecodeError, "r9 is not declared"),
        ("ld_raw r0.x, l(0), t3.x", DecodeError, r"t\[3\] is not declared"),
        ("mov r0.x, cb3[0].x", DecodeError, r"cb\[3\] is not declared"),
        ("mov r0.x, x3[0].x", DecodeError, r"x\[3\] is not declared"),
        ("ld_structured r0.x, l(0), l(0), u0.x", DecodeError, "needs a structured view"),
        ("ld_uav_typed r0.xyzw, l(0, 0, 0, 0), u0.xyzw", DecodeError, "needs a typed view"),
        ("imm_atomic_alloc r0.x, u1", ResourceError, "u1 has no hidden counter"),
    ],
)
def test_refused_at_its_instruction(text: str, error: type[Exception], message: str):
    uavs = {0: RawBuffer(numbered(4)), 1: StructuredBuffer(numbered(4), 4)}
    bound = build(f"nop\n{text}", group=(4, 1, 1), uavs=uavs)
    with pytest.raises(error, match=message) as caught:
        interpret(bound, (1, 1, 1))
    assert caught.value.location.instruction == len(bound.program.instructions) - len(
        text.splitlines()
    )
