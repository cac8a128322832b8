"""Views that are not what the shader declares: the bits as they are, or 0; noted, or refused."""

from __future__ import annotations

import numpy as np
import pytest

import softd3d
from softd3d.device.dispatch import ENGINES

HEAD = "cs_5_0\ndcl_uav_structured u0, 16\n"
STORE = "store_structured u0.xyzw, l(0), l(0), r0.xyzw\nret\n"
ARRAY = np.arange(64, dtype=np.uint32) + 1
LOADS = {
    "texture1d": "ld_indexable({d})({t},{t},{t},{t}) r0.xyzw, l(1,0,0,0), t0.xyzw",
    "texture2d": "ld_indexable({d})({t},{t},{t},{t}) r0.xyzw, l(1,1,0,0), t0.xyzw",
    "texture3d": "ld_indexable({d})({t},{t},{t},{t}) r0.xyzw, l(1,1,1,0), t0.xyzw",
    "buffer": "ld_indexable({d})({t},{t},{t},{t}) r0.xyzw, l(1,0,0,0), t0.xyzw",
    "raw": "ld_raw r0.xyzw, l(4), t0.xyzw",
}
OTHERS = {
    "texture1d": lambda f: softd3d.Texture1D(ARRAY, f),
    "texture1darray": lambda f: softd3d.Texture1DArray(ARRAY.reshape(4, 16), f),
    "texture2d": lambda f: softd3d.Texture2D(ARRAY.reshape(8, 8), f),
    "texture2darray": lambda f: softd3d.Texture2DArray(ARRAY.reshape(4, 4, 4), f),
    "texture3d": lambda f: softd3d.Texture3D(ARRAY.reshape(4, 4, 4), f),
    "texturecube": lambda f: softd3d.TextureCube(ARRAY[:24].reshape(6, 2, 2), f),
    "buffer": lambda f: softd3d.TypedBuffer(ARRAY, f),
    "raw": lambda f: softd3d.RawBuffer(ARRAY),  # noqa: ARG005 - it has no format
    "structured": lambda f: softd3d.StructuredBuffer(ARRAY, 4),  # noqa: ARG005 - likewise
}
BUFFERS = {"buffer", "raw", "structured"}


def program(lines: str) -> softd3d.Shader:
    shader = softd3d.load(softd3d.assemble(HEAD + lines))
    assert isinstance(shader, softd3d.Shader)
    return shader


def reading(declared: str, type_: str = "uint") -> softd3d.Shader:
    load = LOADS[declared].format(d=declared, t=type_)
    kind = f"{declared} ({','.join([type_] * 4)})"
    if declared == "raw":
        kind = "raw"
    head = f"dcl_resource_{kind} t0\ndcl_temps 1\ndcl_thread_group 1, 1, 1"
    return program(f"{head}\n{load}\n{STORE}")


def run(shader: softd3d.Shader, engine: str, **options: object):
    out = np.full(4, 7, np.uint32)
    uavs = {0: softd3d.StructuredBuffer(out, 16), **options.pop("uavs", {})}
    outcome = softd3d.dispatch(shader, 1, uavs=uavs, engine=engine, **options)
    return out, outcome


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bound", OTHERS)
@pytest.mark.parametrize("declared", LOADS)
def test_another_dimension_reads_zero(declared, bound, engine):
    shader = reading(declared)
    srvs = {0: OTHERS[bound]("R32_UINT")}
    if declared == bound:
        out, outcome = run(shader, engine, srvs=srvs, strict=True)
        assert out[0] > 0
        assert outcome.poisoned == ()
        return
    if {declared, bound} <= BUFFERS:
        with pytest.raises(softd3d.ResourceError, match="t0: found a"):
            run(shader, engine, srvs=srvs)
        return
    out, outcome = run(shader, engine, srvs=srvs)
    assert out.tolist() == [0, 0, 0, 0]
    ((register, rule),) = outcome.poisoned
    assert register == "t0"
    assert rule.endswith("reads 0, drops writes")
    with pytest.raises(softd3d.ResourceError, match=r"t0: found an? .*, wanted an? "):
        run(shader, engine, srvs=srvs, strict=True)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bound", ["texture1d", "texture2darray", "texture3d", "texturecube",
                                   "buffer", "raw"])  # fmt: skip
def test_facts_of_another_dimension_are_zero(bound, engine):
    shader = program(
        "dcl_resource_texture2d (float,float,float,float) t0\ndcl_temps 1\n"
        "dcl_thread_group 1, 1, 1\nresinfo_indexable(texture2d)(float,float,float,float)_uint "
        f"r0.xyzw, l(0), t0.xyzw\n{STORE}"
    )
    out, _ = run(shader, engine, srvs={0: OTHERS[bound]("R32_FLOAT")})
    assert out.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_filtering_another_dimension_gives_zero(engine):
    shader = program(
        "dcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t0\n"
        "dcl_temps 1\ndcl_thread_group 1, 1, 1\nsample_l_indexable(texture2d)(float,float,float,"
        f"float) r0.xyzw, l(0.5,0.5,0,0), t0.xyzw, s0, l(0)\n{STORE}"
    )
    out, outcome = run(
        shader, engine, srvs={0: OTHERS["texture3d"]("R32_FLOAT")}, samplers={0: None}
    )
    assert out.tolist() == [0, 0, 0, 0]
    assert [register for register, _ in outcome.poisoned] == ["t0"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("bound", ["texture1d", "texture3d", "buffer", "raw"])
def test_writes_to_another_dimension_are_dropped(bound, engine):
    shader = program(
        "dcl_uav_typed_texture2d (uint,uint,uint,uint) u1\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n"
        "store_uav_typed u1.xyzw, l(0,0,0,0), l(9,9,9,9)\n"
        f"imm_atomic_iadd r0.x, u1, l(1,0,0,0), l(5)\nmov r0.yzw, l(0,0,0,0)\n{STORE}"
    )
    before = ARRAY.copy()
    out, outcome = run(shader, engine, uavs={1: OTHERS[bound]("R32_UINT")})
    assert out.tolist() == [0, 0, 0, 0]
    assert np.array_equal(ARRAY, before)
    assert [register for register, _ in outcome.poisoned] == ["u1"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("declared", "format_", "dtype", "given", "seen"),
    [
        ("uint", "R32_SINT", np.int32, -2, 0xFFFFFFFE),
        ("sint", "R32_UINT", np.uint32, 0x80000001, 0x80000001),
        ("uint", "R16_SINT", np.int16, -2, 0xFFFFFFFE),
        ("sint", "R16_UINT", np.uint16, 0xFFFE, 0xFFFE),
        ("uint", "R8_SINT", np.int8, -1, 0xFFFFFFFF),
        ("unorm", "R32_FLOAT", np.float32, -2.5, 0xC0200000),
        ("snorm", "R8_UNORM", np.uint8, 255, 0x3F800000),
        ("unorm", "R8_SNORM", np.int8, -127, 0xBF800000),
        ("snorm", "R16_FLOAT", np.float16, 2, 0x40000000),
    ],
)
def test_another_type_of_a_class_is_read_as_it_is(declared, format_, dtype, given, seen, engine):
    for kind in ("buffer", "texture1d"):
        array = np.array([0, given, 0, 0], dtype)
        make = softd3d.TypedBuffer if kind == "buffer" else softd3d.Texture1D
        srvs = {0: make(array, format_)}
        out, outcome = run(reading(kind, declared), engine, srvs=srvs)
        assert out[0] == seen
        ((register, rule),) = outcome.poisoned
        assert register == "t0"
        assert f"({format_}), the shader declares" in rule
        assert rule.endswith("its bits are read as they are")
        with pytest.raises(softd3d.ResourceError, match=f"t0: found .*{format_}.*, wanted "):
            run(reading(kind, declared), engine, srvs=srvs, strict=True)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("declared", "format_"),
    [("float", "R32_UINT"), ("uint", "R32_FLOAT"), ("sint", "R8_UNORM"), ("unorm", "R8_SINT")],
)
def test_another_class_is_refused(declared, format_, engine):
    array = np.zeros(4, np.uint32 if "32" in format_ else np.uint8)
    with pytest.raises(softd3d.ResourceError, match=f"t0: found format {format_}, the "):
        run(reading("buffer", declared), engine, srvs={0: softd3d.TypedBuffer(array, format_)})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["buffer", "texture1d"])
def test_uint_stores_and_atomics_through_a_sint_view(kind, engine):
    shader = program(
        f"dcl_uav_typed_{kind} (uint,uint,uint,uint) u1\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n"
        "store_uav_typed u1.xyzw, l(0,0,0,0), l(0xfffffff0,7,7,7)\n"
        "imm_atomic_umax r0.x, u1, l(1,0,0,0), l(5)\n"
        f"ld_uav_typed_indexable({kind})(uint,uint,uint,uint) r0.yzw, l(0,0,0,0), u1.xxyz\n{STORE}"
    )
    array = np.array([3, -4, 0, 0], np.int32)
    make = softd3d.TypedBuffer if kind == "buffer" else softd3d.Texture1D
    out, outcome = run(shader, engine, uavs={1: make(array, "R32_SINT")})
    assert array.tolist() == [-16, -4, 0, 0]
    assert out[:2].tolist() == [0xFFFFFFFC, 0xFFFFFFF0]
    assert [register for register, _ in outcome.poisoned] == ["u1"]


def test_notes_of_every_run_and_of_errors() -> None:
    array = np.zeros(4, np.int32)
    shader = reading("buffer")
    job = softd3d.Dispatch(
        shader,
        1,
        srvs={0: softd3d.TypedBuffer(array, "R32_SINT")},
        uavs={0: np.zeros(4, np.uint32)},
    )
    assert job().poisoned == job.run(2).poisoned != ()
