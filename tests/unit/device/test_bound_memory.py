"""Arrays that are resized, or made read-only, after they were bound."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import softd3d
from softd3d.errors import ResourceError
from softd3d.tools.text.assembler import assemble

ENGINES = ["jit", "interpreter"]
CODE = """
cs_5_0
dcl_globalFlags refactoringAllowed
{}
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
{}
ret
"""
STORE = CODE.format(
    "dcl_uav_structured u0, 4", "store_structured u0.x, vThreadID.x, l(0), vThreadID.x"
)
COPY = CODE.format(
    "dcl_resource_structured t3, 4\ndcl_uav_raw u1",
    "ld_structured r0.x, l(0), l(0), t3.xxxx\nstore_raw u1.x, l(0), r0.x",
)
TEXTURE = CODE.format(
    "dcl_resource_texture2d (unorm,unorm,unorm,unorm) t0\ndcl_uav_raw u0",
    "ld r0.x, l(0,0,0,0), t0.xyzw\nstore_raw u0.x, l(0), r0.x",
)


def code(text: str) -> softd3d.Shader:
    return softd3d.load(assemble(text))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("size", [4, 1 << 20])
def test_a_uavs_array_that_is_resized_is_refused(engine: str, size: int):
    array = np.zeros(64, np.uint32)
    buffer = softd3d.StructuredBuffer(array, 4)
    job = softd3d.Dispatch(code(STORE), (1, 1, 1), uavs={0: buffer}, engine=engine)
    job()
    assert array[63] == 63
    array.resize(size, refcheck=False)
    with pytest.raises(ResourceError, match=rf"^u0: .*256 bytes, now {4 * size}\); make"):
        job()
    with pytest.raises(ResourceError, match=r"^u0: .* resized or replaced"):
        softd3d.dispatch(code(STORE), (1, 1, 1), uavs={0: buffer}, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_view_of_a_resized_array_is_bound_to_is_refused(engine: str):
    whole = np.arange(64, dtype=np.uint32)
    part = softd3d.StructuredBuffer(whole[8:16].reshape(2, 4)[1:], 4)
    out = softd3d.RawBuffer(np.zeros(4, np.uint32))
    job = softd3d.Dispatch(code(COPY), (1, 1, 1), srvs={3: part}, uavs={1: out}, engine=engine)
    job()
    assert out.array[0] == 12
    whole.resize(16, refcheck=False)
    with pytest.raises(ResourceError, match=r"^t3: .*256 bytes, now 64"):
        job()


@pytest.mark.parametrize("engine", ENGINES)
def test_textures_and_their_views_are_refused_too(engine: str):
    out = softd3d.RawBuffer(np.zeros(4, np.float32))
    for format_, dtype, shape in (
        ("R8_UNORM", np.uint8, (64, 64)), ("BC4_UNORM", np.uint8, (8, 8, 8)),
    ):  # fmt: skip
        texels = np.full(shape, 255, dtype)
        texture = softd3d.Texture2D(texels, format_)
        for bound in (texture, texture.view()):
            job = softd3d.Dispatch(
                code(TEXTURE), (1, 1, 1), srvs={0: bound}, uavs={0: out}, engine=engine
            )
            job()
            assert out.array[0] == 1
        texels.resize(4, refcheck=False)
        with pytest.raises(ResourceError, match=r"^t0: .*resized"):
            job()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_array_that_is_made_read_only_is_no_uav_any_more(engine: str):
    array = np.zeros(64, np.uint32)
    buffer = softd3d.StructuredBuffer(array, 4)
    job = softd3d.Dispatch(code(STORE), (1, 1, 1), uavs={0: buffer}, engine=engine)
    array.flags.writeable = False
    with pytest.raises(ResourceError, match=r"^u0: the array has been made read-only"):
        job()
    assert not array.any()
    array.flags.writeable = True
    job()
    assert array[63] == 63


def test_a_shader_may_read_what_has_been_made_read_only():
    array = np.full(4, 5, np.uint32)
    buffer, out = softd3d.StructuredBuffer(array, 4), softd3d.RawBuffer(np.zeros(4, np.uint32))
    array.flags.writeable = False
    softd3d.dispatch(code(COPY), (1, 1, 1), srvs={3: buffer}, uavs={1: out})
    assert out.array[0] == 5


def test_arguments_in_a_resized_array_are_refused():
    array = np.ones(64, np.uint32)
    arguments = softd3d.RawBuffer(array)
    array.resize(4, refcheck=False)
    with pytest.raises(ResourceError, match=r"^arguments: .*resized"):
        softd3d.dispatch_indirect(code(STORE), arguments, uavs={0: None})


def test_copies_of_resources_have_memory_of_their_own():
    array = np.full(64, 5, np.uint32)
    buffer, out = softd3d.StructuredBuffer(array, 4), softd3d.RawBuffer(np.zeros(4, np.uint32))
    copies = [copy.deepcopy(buffer), pickle.loads(pickle.dumps(buffer))]  # noqa: S301
    array.resize(4, refcheck=False)
    for found in copies:
        softd3d.dispatch(code(COPY), (1, 1, 1), srvs={3: found}, uavs={1: out})
        assert out.array[0] == 5
