"""Bare NumPy arrays as bindings: what the declaration makes of them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import softd3d
from softd3d.samples import sample

MANDELBROT = sample("cs_mandelbrot.cs_5_0.dxbc")
CONSTANTS = {"P": {"origin": [-2.2, -1.6], "step": 0.1, "maxIter": 100}}


def mandelbrot(uav: object) -> None:
    softd3d.dispatch(MANDELBROT, (4, 4), constants=CONSTANTS, uavs={0: uav})


def test_structured_buffer_by_the_declared_stride():
    wanted = np.zeros((32, 32), np.uint32)
    mandelbrot(softd3d.StructuredBuffer(wanted, stride=4))
    assert wanted.any()
    for dtype in (np.uint32, np.int32, [("n", np.uint32)], "V4"):
        found = np.zeros((32, 32), dtype)
        mandelbrot(found)
        assert found.tobytes() == wanted.tobytes()
    raw = np.zeros(4096, np.uint8)
    mandelbrot(raw)
    assert raw.tobytes() == wanted.tobytes()


def test_stride_that_is_not_given_is_the_declared_one():
    wanted, found = np.zeros((32, 32), np.uint32), np.zeros((32, 32), np.uint32)
    mandelbrot(wanted)
    buffer = softd3d.StructuredBuffer(found)
    mandelbrot(buffer)
    assert found.tobytes() == wanted.tobytes()
    four = "cs_5_0\ndcl_uav_structured u0, 16\ndcl_thread_group 1, 1, 1\nret\n"
    softd3d.dispatch(softd3d.assemble(four), 1, uavs={0: buffer})
    for other in (softd3d.StructuredBuffer(found, stride=128), np.zeros(1, "V16")):
        with pytest.raises(
            softd3d.ResourceError, match=r"found structures of 128|divide the stride"
        ):
            mandelbrot(other)
    with pytest.raises(softd3d.ResourceError, match="found structures of 8 bytes, wanted 4"):
        mandelbrot(softd3d.StructuredBuffer(np.zeros(512, [("a", "<u4"), ("b", "<u4")])))
    with pytest.raises(softd3d.ResourceError, match=r"u0: .*found 12 bytes, wanted a multiple of"):
        softd3d.dispatch(
            softd3d.assemble(four), 1, uavs={0: softd3d.StructuredBuffer(np.zeros(3, np.uint32))}
        )


def test_counter_is_kept_whatever_the_stride():
    text = (
        "cs_5_0\ndcl_uav_structured_opc u0, 8\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n"
        "imm_atomic_alloc r0.x, u0\nret\n"
    )
    buffer = softd3d.StructuredBuffer(np.zeros(8, np.uint32), counter=5)
    softd3d.dispatch(softd3d.assemble(text), 3, uavs={0: buffer})
    assert buffer.counter == 8


def test_structures_of_the_shader():
    shader = softd3d.load(MANDELBROT)
    assert isinstance(shader, softd3d.Shader)
    found = np.zeros(1024, shader.dtypes["Dst"])
    mandelbrot(found)
    assert found.tobytes().strip(b"\0")


@pytest.mark.parametrize("make", [lambda a: a, lambda a: softd3d.StructuredBuffer(a, stride=4)])
def test_items_of_another_size_say_how(make):
    with pytest.raises(softd3d.ResourceError, match=r"float64.*\.astype.*\.view"):
        mandelbrot(make(np.zeros((32, 32))))


def test_numbers_of_another_kind_say_how():
    text = r"u0 \(Dst\): found an array of float32, the shader's structures have uint32; use"
    with pytest.raises(softd3d.ResourceError, match=text):
        mandelbrot(np.zeros((32, 32), np.float32))
    mandelbrot(np.zeros((32, 32), np.float32).view(np.uint32))


def run(declaration: str, array: object) -> None:
    stride = ", 8" if "structured" in declaration else ""
    text = f"cs_5_0\n{declaration} u0{stride}\ndcl_thread_group 1, 1, 1\nret\n"
    softd3d.Dispatch(softd3d.assemble(text), 1, uavs={0: array})


@pytest.mark.parametrize(
    ("declaration", "shape", "dtype"),
    [
        ("dcl_uav_raw", 4, np.uint64),
        ("dcl_uav_raw", (2, 2), np.uint8),
        ("dcl_uav_structured", (4, 2), np.float32),
        ("dcl_uav_typed_buffer (float,float,float,float)", 4, np.float32),
        ("dcl_uav_typed_buffer (float,float,float,float)", (4, 4), np.uint8),
        ("dcl_uav_typed_buffer (uint,uint,uint,uint)", (4, 4), np.uint8),
        ("dcl_uav_typed_texture1d (sint,sint,sint,sint)", 4, np.int32),
        ("dcl_uav_typed_texture2d (float,float,float,float)", (4, 5), np.float32),
        ("dcl_uav_typed_texture2d (unorm,unorm,unorm,unorm)", (4, 5, 4), np.uint8),
        ("dcl_uav_typed_texture2darray (uint,uint,uint,uint)", (2, 4, 5), np.uint32),
        ("dcl_uav_typed_texture3d (float,float,float,float)", (2, 4, 5, 4), np.float16),
    ],
)
def test_kinds_dimensions_and_formats(declaration, shape, dtype):
    run(declaration, np.zeros(shape, dtype))


@pytest.mark.parametrize(
    ("declaration", "array", "text"),
    [
        ("dcl_uav_typed_buffer (float,float,float,float)", np.zeros(4), "like float64"),
        ("dcl_uav_typed_buffer (float,float,float,float)", np.zeros((4, 3), np.uint8), "no format"),
        ("dcl_uav_typed_buffer (float,float,float,float)", np.zeros(4, np.uint32), "R32_UINT"),
        ("dcl_uav_typed_buffer (float,float,float,float)", np.zeros((4, 9), np.float32), "9 ch"),
        ("dcl_uav_typed_buffer (uint,uint,uint,uint)", np.zeros(4, bool), "no format is like bool"),
        ("dcl_uav_typed_buffer (uint,uint,uint,uint)", np.zeros(4, object), "no format|objects"),
        ("dcl_uav_typed_texture2d (float,float,float,float)", np.zeros(4, np.float32), "float32"),
        ("dcl_uav_raw", [np.zeros(4, np.uint8)], "mip levels"),
        ("dcl_uav_raw", [1, 2], "found list, wanted an array"),
        ("dcl_uav_raw", [], "found list, wanted an array"),
        ("dcl_uav_raw", np.zeros(3, np.uint8), "multiple of 4"),
        ("dcl_uav_raw", np.zeros(4), r"float64 as a raw buffer.*\.astype\(numpy\.float32\)"),
        ("dcl_uav_raw", np.arange(4), r"int64 as a raw buffer.*\.astype\(numpy\.int32\)"),
    ],
)  # fmt: skip
def test_what_is_open_is_refused(declaration, array, text):
    with pytest.raises(softd3d.ResourceError, match=f"u0: .*({text})"):
        run(declaration, array)


def test_a_list_of_arrays_is_a_texture_with_mips():
    text = (
        "cs_5_0\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_uav_raw u0\ndcl_temps 1\n"
        "dcl_thread_group 1, 1, 1\nresinfo_indexable(texture2d)(float,float,float,float)_uint "
        "r0.xyzw, l(0), t0.xyzw\nstore_raw u0.xyzw, l(0), r0.xyzw\nret\n"
    )
    out = np.zeros(4, np.uint32)
    levels = [np.zeros((4, 2), np.float32), np.zeros((2, 1), np.float32)]
    softd3d.dispatch(softd3d.assemble(text), 1, srvs={0: levels}, uavs={0: out})
    assert out.tolist() == [2, 4, 0, 2]
