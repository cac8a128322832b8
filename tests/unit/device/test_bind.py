"""Binding: every check has one test of its whole text, and what is allowed is tested too."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.device.bind import bind
from softd3d.device.dispatch import Dispatch
from softd3d.errors import ResourceError
from softd3d.isa.machine import Memory
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.textures.texture import (
    Texture1D,
    Texture1DArray,
    Texture2D,
    Texture2DArray,
    Texture3D,
)
from softd3d.samples import sample
from softd3d.shaders.shader import load_shader


def words(count: int) -> np.ndarray:
    return np.zeros(count, np.uint32)


def read_only() -> np.ndarray:
    array = np.zeros(64, np.uint32)
    array.flags.writeable = False
    return array


def atomic():
    return load_shader(sample("cs_atomic_compare_store_typed.cs_5_0.dxbc").read_bytes())


def mandelbrot():
    return load_shader(sample("cs_mandelbrot.cs_5_0.dxbc").read_bytes())


U32 = TypedBuffer(words(32), "R32_UINT")
ATOMIC_ERRORS = [
    ({}, "u0 (B): not in uavs; bind it, or None to leave it unbound"),
    ({"B": None}, "u1 (T): not in uavs; bind it, or None to leave it unbound"),
    ({0: None, 1: None, 7: None}, "uavs: the shader has no u7, it has u0 (B), u1 (T)"),
    ({0: None, (1, 2): None}, "uavs: the shader has no u1,space2, it has u0 (B), u1 (T)"),
    ({"Bins": None}, "uavs: the shader has no 'Bins', it has u0 (B), u1 (T)"),
    ({0: None, "B": None}, "u0 (B): bound twice, by two keys"),
    (
        {1.5: None},
        "uavs: key 1.5, wanted a register number, (register, space) or a name",
    ),
    (
        {True: None},
        "uavs: key True, wanted a register number, (register, space) or a name",
    ),
    (
        {(0, False): None},
        "uavs: key (0, False), wanted a register number, (register, space) or a name",
    ),
    (
        {(0, 0, 0): None},
        "uavs: key (0, 0, 0), wanted a register number, (register, space) or a name",
    ),
    ([1], "uavs: found list, wanted a dictionary of registers"),
    (
        {0: b"abcd", 1: None},
        (
            "u0 (B): found bytes, wanted an array, or a buffer or texture of softd3d (RawBuffer, "
            "StructuredBuffer, TypedBuffer, Texture2D, ...)"
        ),
    ),
    (
        {0: RawBuffer(words(4)), 1: None},
        "u0 (B): found a raw buffer (16 bytes), wanted a typed buffer of uint",
    ),
    (
        {0: StructuredBuffer(words(4), 8), 1: None},
        (
            "u0 (B): found a structured buffer (2 structures of 8 bytes), wanted a typed buffer of "
            "uint"
        ),
    ),
    (
        {0: U32, 1: U32},
        "u1 (T): found a typed buffer (R32_UINT), wanted a 1D texture of sint",
    ),
    (
        {0: TypedBuffer(np.zeros(4, np.float32), "R32_FLOAT"), 1: None},
        "u0 (B): found format R32_FLOAT, the shader wants uint components",
    ),
    (
        {0: TypedBuffer(np.zeros((4, 4), np.uint8), "R8G8B8A8_UINT"), 1: None},
        "u0 (B): found format R8G8B8A8_UINT, atomic_cmp_store wants R32_UINT or R32_SINT",
    ),
    (
        {0: TypedBuffer(read_only(), "R32_UINT"), 1: None},
        "u0 (B): the array of a UAV must be writable, found a read-only one",
    ),
]


@pytest.mark.parametrize(("uavs", "text"), ATOMIC_ERRORS)
def test_wrong_uavs(uavs, text):
    with pytest.raises(ResourceError) as caught:
        bind(atomic(), uavs=uavs, strict=True)
    assert str(caught.value) == text


def test_names_and_numbers_bind_the_same():
    texture = Texture1D(np.zeros(16, np.int32), "R32_SINT")
    for uavs in (
        {0: U32, 1: texture},
        {"B": U32, "T": texture},
        {(0, 0): U32, np.int64(1): texture},
    ):
        bound = bind(atomic(), uavs=uavs)
        assert [v.register for v in bound.memory_views] == ["u0", "u1"]
        assert bound.descriptors[0].data is U32.describe().data
        assert bound.views[Memory.UAV, 1, 1].stride == 4


def test_none_is_bound_to_nothing():
    bound = bind(atomic(), uavs={0: None, 1: None})
    assert not any(v.is_bound for v in bound.memory_views)
    assert [d.size for d in bound.descriptors] == [0, 0]


def test_stripped_shaders_have_no_names():
    whole = atomic()
    assert whole.container is not None
    bare = load_shader(whole.container.program_chunk.data)
    with pytest.raises(ResourceError, match="key 'B' is a name, but the shader has no names"):
        bind(bare, uavs={"B": None})
    with pytest.raises(ResourceError, match=r"^u0: not in uavs"):
        bind(bare)
    assert not any(v.is_bound for v in bind(bare, uavs={"u0": None, "u1": None}).memory_views)


def test_a_register_may_be_written_as_in_listings():
    bound = bind(atomic(), uavs={"u0": None, "u1": None})
    assert not any(v.is_bound for v in bound.memory_views)
    with pytest.raises(ResourceError, match=r"no u1,space7, it has u0 \(B\)"):
        bind(atomic(), uavs={0: None, "u1,space7": None})
    with pytest.raises(ResourceError, match=r"u0 \(B\): bound twice"):
        bind(atomic(), uavs={0: None, "u0": None})
    with pytest.raises(ResourceError, match="the shader has no 't0'"):
        bind(atomic(), uavs={0: None, "t0": None})


def test_structures_need_the_declared_stride():
    with pytest.raises(ResourceError) as caught:
        bind(mandelbrot(), constants={0: None}, uavs={0: StructuredBuffer(words(64), 8)})
    assert str(caught.value) == "u0 (Dst): found structures of 8 bytes, wanted 4"


def test_a_key_of_a_kind_that_the_shader_does_not_use(shader):
    with pytest.raises(ResourceError) as caught:
        bind(shader("cs_cbuffer_packing"), constants={0: None}, srvs={0: None})
    assert str(caught.value) == "srvs: the shader has no t0, it has no t# at all"


@pytest.mark.parametrize("register", [0, 1, 2])
def test_appending_and_consuming_need_a_counter(shader, register):
    strides = [12, 12, 4]
    uavs = {
        n: StructuredBuffer(words(12), stride, None if n == register else 0)
        for n, stride in enumerate(strides)
    }
    names, verbs = ["Live", "Next", "Dead"], ["consume", "alloc", "alloc"]
    with pytest.raises(ResourceError) as caught:
        bind(shader("cs_append_consume"), uavs=uavs)
    assert str(caught.value) == (
        f"u{register} ({names[register]}): the shader counts with it "
        f"(imm_atomic_{verbs[register]}), found no hidden counter; give the buffer one with "
        "counter=0"
    )


def images(**changes):
    found = {
        "A": Texture1D(np.zeros(8, np.float32), "R32_FLOAT"),
        "B": Texture2D(np.zeros((8, 8, 4), np.uint8), "R8G8B8A8_UNORM"),
        "C": Texture2DArray(np.zeros((2, 8, 8, 2), np.uint16), "R16G16_UINT"),
        "D": Texture3D(np.zeros((2, 8, 8, 4), np.uint8), "R8G8B8A8_UNORM"),
        "E": Texture1DArray(np.zeros((2, 8), np.int32), "R32_SINT"),
    }
    return {**found, **changes}


def test_floats_may_be_stored_as_normalised_numbers(shader):
    bound = bind(shader("cs_rwtexture_store"), uavs=images())
    assert [v.stride for v in bound.memory_views] == [4, 4, 4, 4, 4]


IMAGE_ERRORS = [
    (
        "A",
        Texture2D(np.zeros((8, 8), np.float32), "R32_FLOAT"),
        "u0 (A): found a 2D texture (R32_FLOAT), wanted a 1D texture of float",
    ),
    (
        "C",
        Texture2D(np.zeros((8, 8), np.uint32), "R32_UINT"),
        "u2 (C): found a 2D texture (R32_UINT), wanted an array of 2D textures of uint",
    ),
    (
        "D",
        Texture3D(np.zeros((2, 8, 8, 4), np.int8), "R8G8B8A8_SNORM"),
        "u3 (D): found a 3D texture (R8G8B8A8_SNORM), wanted a 3D texture of unorm",
    ),
    (
        "E",
        Texture1DArray(np.zeros((2, 8), np.uint32), "R32_UINT"),
        "u4 (E): found an array of 1D textures (R32_UINT), wanted an array of 1D textures of sint",
    ),
]


@pytest.mark.parametrize(("name", "texture", "text"), IMAGE_ERRORS)
def test_wrong_textures(shader, name, texture, text):
    with pytest.raises(ResourceError) as caught:
        bind(shader("cs_rwtexture_store"), uavs=images(**{name: texture}), strict=True)
    assert str(caught.value) == text


def loads(**changes):
    return {
        "srvs": dict.fromkeys(range(5), None) | changes.pop("srvs", {}),
        "uavs": {0: None} | changes.pop("uavs", {}),
    }


def test_one_memory_as_srv_and_uav_is_refused(shader):
    memory = np.zeros(480, np.float32)
    texture = Texture1D(memory[100:200], "R32_FLOAT")
    output = StructuredBuffer(memory[:120], 48)
    with pytest.raises(ResourceError) as caught:
        bind(shader("cs_texture_load_all_dims"), **loads(srvs={0: texture}, uavs={0: output}))
    assert str(caught.value) == (
        "u0 (Dst): shares memory with t0 (T1); Direct3D does not allow one resource as UAV and "
        "SRV at once"
    )


def test_neighbours_in_memory_and_srvs_on_srvs_are_allowed(shader):
    memory = np.zeros(480, np.float32)
    texture = Texture1D(memory[120:200], "R32_FLOAT")
    same = Texture2D(memory[120:200].reshape(8, 10), "R32_FLOAT")
    output = StructuredBuffer(memory[:120], 48)
    bindings = loads(srvs={0: texture, 2: same}, uavs={0: output})
    bound = bind(shader("cs_texture_load_all_dims"), **bindings)
    assert [v.slot for v in bound.memory_views] == [0, 1, 2, 3, 4, 5]


def test_uavs_may_share_memory(shader):
    memory = np.zeros((2, 8, 8, 4), np.uint8)
    shared = images(B=Texture2D(memory[0], "R8G8B8A8_UNORM"), D=Texture3D(memory, "R8G8B8A8_UNORM"))
    assert len(bind(shader("cs_rwtexture_store"), uavs=shared).descriptors) == 5


def spaces(**changes):
    buffer = StructuredBuffer(words(64), 16)
    srvs = {(0, 3): buffer, (0, 4): buffer}
    uavs = {(5, 2): StructuredBuffer(words(64), 16)}
    constants = {(2, 1): bytes(32)} | {(n, 7): bytes(16) for n in range(3)}
    return {"constants": constants, "srvs": srvs, "uavs": uavs, **changes}


def test_registers_of_spaces_are_pairs_or_names(shader):
    program = shader("cs_sm51_spaces")
    bound = bind(program, **spaces())
    assert {(m.value, *rest) for m, *rest in bound.views} == {("t", 0, 0), ("t", 1, 0), ("u", 0, 5)}
    assert set(bound.buffers) == {(0, 2), (1, 0), (1, 1), (1, 2)}
    named = {"cb0": None, "cbs[0]": None, "cbs[1]": None, "cbs[2]": None}
    assert set(bind(program, **spaces(constants=named)).buffers) == set(bound.buffers)


SPACE_ERRORS = [
    (
        {"srvs": {0: None}},
        "srvs: the shader has no t0, it has t0,space3 (A), t0,space4 (B)",
    ),
    (
        {"constants": {(2, 1): None, (0, 7): None, (2, 7): None}},
        "b1,space7 (cbs[1]): not in constants; bind it, or None to leave it unbound",
    ),
    (
        {"constants": {"cbs[3]": None}},
        (
            "constants: the shader has no 'cbs[3]', it has b2,space1 (cb0), b0,space7 (cbs[0]), "
            "b1,space7 (cbs[1]), b2,space7 (cbs[2])"
        ),
    ),
]


@pytest.mark.parametrize(("changes", "text"), SPACE_ERRORS)
def test_wrong_spaces(shader, changes, text):
    with pytest.raises(ResourceError) as caught:
        bind(shader("cs_sm51_spaces"), **spaces(**changes))
    assert str(caught.value) == text


def constants_of(value: object) -> np.ndarray:
    return bind(mandelbrot(), constants={"P": value}, uavs={0: None}).constants[0]


def test_constants_come_as_bytes_arrays_or_variables():
    expected = np.array([-2.0, 1.5, 0.25, 0.0], np.float32).view(np.uint32)
    expected[3] = 100
    variables = {"origin": [-2.0, 1.5], "step": 0.25, "maxIter": 100}
    for value in (expected.tobytes(), expected, variables):
        assert constants_of(value).tolist() == expected.tolist()
    assert constants_of(None).size == 0


def test_constants_are_copied():
    array = np.zeros(4, np.uint32)
    bound = constants_of(array)
    array[0] = 1
    assert bound[0] == 0


@pytest.mark.parametrize(
    ("value", "start"),
    [
        ({"orign": [0, 0]}, "b0 (P): orign: found no such variable in P"),
        ({"origin": [0, 0, 0]}, "b0 (P): origin: found shape (3,), wanted (2,)"),
        (3.5, "b0 (P): found float, wanted bytes, an array or a dictionary"),
    ],
)
def test_wrong_constants_name_the_buffer(value, start):
    with pytest.raises(ResourceError) as caught:
        constants_of(value)
    assert str(caught.value).startswith(start)


def test_other_stages_cannot_be_dispatched(shader):
    with pytest.raises(ResourceError, match=r"found a vertex shader \(vs_5_0\), wanted a compute"):
        Dispatch(shader("vs_transform"), groups=1)
