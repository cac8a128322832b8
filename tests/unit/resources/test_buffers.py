"""Buffers share the caller's memory, and refuse what they cannot share."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.errors import ResourceError
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.views.descriptor import describe


def test_raw_buffer_shares_memory() -> None:
    array = np.arange(6, dtype=np.float32)
    buffer = RawBuffer(array)
    d = describe(buffer)
    assert buffer.array is array
    assert (d.kind, d.dimension) == (ViewKind.RAW, ResourceDimension.RAW_BUFFER)
    assert (d.size, d.count, d.stride, d.writable) == (24, 24, 1, True)
    d.data[:4] = 0xFF
    assert np.isnan(array[0])
    assert buffer.tobytes() == array.tobytes()
    assert describe(buffer) is d


def test_read_only_arrays_are_not_writable() -> None:
    array = np.zeros(4, np.uint32)
    array.flags.writeable = False
    assert not describe(RawBuffer(array)).writable
    assert not describe(TypedBuffer(array, "R32_UINT")).writable
    assert not describe(RawBuffer(np.frombuffer(bytes(8), np.uint8))).writable


@pytest.mark.parametrize(
    ("array", "stride", "wanted"),
    [
        (np.zeros(5, np.float32), None, (5, 4)),
        (np.zeros((5, 4), np.float32), None, (5, 16)),
        (np.zeros((5, 2, 3), np.uint32), None, (10, 12)),
        (np.zeros(3, np.dtype([("a", "<f4", 3), ("b", "<u4")])), None, (3, 16)),
        (np.zeros((2, 3), np.dtype([("a", "<f4", 3), ("b", "<u4")])), None, (6, 16)),
        (np.zeros(96, np.uint8), 12, (8, 12)),
        (np.zeros(0, np.float32), None, (0, 4)),
        (np.zeros(512, np.uint32), 2048, (1, 2048)),
    ],
)
def test_strides(array: np.ndarray, stride: int | None, wanted: tuple[int, int]) -> None:
    buffer = StructuredBuffer(array, stride)
    d = buffer.describe()
    assert (d.count, d.stride) == wanted
    assert (d.kind, d.counter, d.size) == (ViewKind.STRUCTURED, None, array.nbytes)


def test_hidden_counter() -> None:
    buffer = StructuredBuffer(np.zeros(4, np.uint32), counter=7)
    counter = describe(buffer).counter
    assert counter is not None
    assert (counter.dtype, counter.shape, buffer.counter) == (np.uint32, (1,), 7)
    counter[0] = 0xFFFFFFFF  # as a shader does
    assert buffer.counter == 0xFFFFFFFF
    buffer.counter = 3
    assert describe(buffer).counter is counter
    assert counter[0] == 3
    assert repr(buffer) == "StructuredBuffer(4 structures of 4 bytes, counter 3)"
    assert StructuredBuffer(np.zeros(4, np.uint32)).counter is None


@pytest.mark.parametrize(
    ("array", "format_", "count"),
    [
        (np.zeros(6, np.float32), "R32_FLOAT", 6),
        (np.zeros(6, np.uint32), "R32_FLOAT", 6),
        (np.zeros((3, 2), np.float32), "R32G32_FLOAT", 3),
        (np.zeros(6, np.float32), "R32G32_FLOAT", 3),
        (np.zeros((2, 3), np.float32), "R32G32B32_FLOAT", 2),
        (np.zeros(5, np.uint64), "R16G16B16A16_UNORM", 5),
        (np.zeros((5, 4), np.float16), "R16G16B16A16_FLOAT", 5),
        (np.zeros((5, 4), np.uint16), "R16G16B16A16_FLOAT", 5),
        (np.zeros(7, np.uint32), "R10G10B10A2_UNORM", 7),
        (np.zeros((2, 2, 4), np.int8), "R8G8B8A8_SNORM", 4),
        (np.zeros(5, np.uint16), "B5G6R5_UNORM", 5),
    ],
)
def test_typed_buffers(array: np.ndarray, format_: str, count: int) -> None:
    d = describe(TypedBuffer(array, format_))
    assert (d.kind, d.dimension) == (ViewKind.TYPED, ResourceDimension.BUFFER)
    assert d.format is not None
    assert (d.count, d.stride, d.format.name) == (count, d.format.bytes_per_texel, format_)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: RawBuffer([1, 2]), "RawBuffer: found list, wanted a NumPy array"),
        (
            lambda: RawBuffer(np.zeros(5, np.uint8)),
            "RawBuffer: found 5 bytes, wanted a multiple of 4",
        ),
        (
            lambda: RawBuffer(np.zeros((4, 4), np.uint32)[:, :2]),
            (
                "RawBuffer: found an array that is not C-contiguous, which cannot be shared; "
                "wanted e.g. numpy.ascontiguousarray of it"
            ),
        ),
        (
            lambda: RawBuffer(np.zeros(12, np.uint8)[1:9]),
            (
                "RawBuffer: the array's memory starts 1 bytes after a multiple of 4, "
                "wanted it aligned"
            ),
        ),
        (
            lambda: RawBuffer(np.array([None])),
            "RawBuffer: found an array of Python objects, wanted numbers",
        ),
        (
            lambda: RawBuffer(np.zeros(2, ">u4")),
            "RawBuffer: found big-endian >u4, wanted little-endian numbers",
        ),
        (
            lambda: RawBuffer(np.lib.stride_tricks.as_strided(np.zeros(1), (1 << 28,), (8,))),
            "RawBuffer: found 2147483648 bytes, wanted at most 2147483644",
        ),
        (
            lambda: StructuredBuffer(np.zeros(4, np.uint16)),
            "StructuredBuffer: found a stride of 2 bytes, wanted a multiple of 4 up to 2048",
        ),
        (
            lambda: StructuredBuffer(np.zeros(513, np.uint32), 2052),
            "StructuredBuffer: found a stride of 2052 bytes, wanted a multiple of 4 up to 2048",
        ),
        (
            lambda: StructuredBuffer(np.zeros(4, np.uint32), 0),
            "StructuredBuffer: found a stride of 0 bytes, wanted a multiple of 4 up to 2048",
        ),
        (
            lambda: StructuredBuffer(np.zeros(4, np.uint32), 12),
            "StructuredBuffer: found 16 bytes, wanted a multiple of the stride 12",
        ),
        (
            lambda: StructuredBuffer(np.zeros(4, np.uint32), counter=-1),
            "StructuredBuffer: counter: found -1, wanted 0 to 4294967295",
        ),
        (
            lambda: setattr(StructuredBuffer(np.zeros(4, np.uint32)), "counter", 1),
            ("StructuredBuffer: found no hidden counter to set; make the buffer with counter=0"),
        ),
        (
            lambda: TypedBuffer(np.zeros(4), "R32_FLOAT"),
            (
                "TypedBuffer: found float64 (4,), wanted float32 (texels,) or "
                "uint32 (texels,) for R32_FLOAT"
            ),
        ),
        (
            lambda: TypedBuffer(np.zeros((4, 3), np.uint8), "R8G8B8A8_UNORM"),
            (
                "TypedBuffer: found uint8 (4, 3), wanted uint8 (texels, 4) or uint32 (texels,) "
                "for R8G8B8A8_UNORM"
            ),
        ),
        (
            lambda: TypedBuffer(np.zeros(4, np.uint32), "R32_TYPELESS"),
            (
                "format R32_TYPELESS has no component type, "
                "wanted one of R32_FLOAT, R32_UINT, R32_SINT"
            ),
        ),
        (
            lambda: StructuredBuffer(np.zeros(4, np.uint32), "4"),
            "StructuredBuffer: stride: found '4', wanted a whole number",
        ),
        (
            lambda: StructuredBuffer(np.zeros(4, np.uint32), counter=1.5),
            "StructuredBuffer: counter: found 1.5, wanted a whole number",
        ),
        (
            lambda: describe(np.zeros(4)),
            (
                "found ndarray, wanted an array, or a buffer or texture of softd3d "
                "(RawBuffer, StructuredBuffer, TypedBuffer, Texture2D, ...)"
            ),
        ),
    ],
)
def test_errors(make: object, text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        make()
    assert str(raised.value) == text
