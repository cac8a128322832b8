"""Fetching vertices and indices: every format against NumPy's views, addresses, bounds, ids."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from both_engines import integers
from byte_machine import VIEW, ByteMachine, RecordingMachine
from numpy.typing import NDArray
from rows import GROUP, Words, native_words

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32, Value
from softd3d.formats.dxgi import DXGI_FORMATS, ChannelType, Format, dxgi_format
from softd3d.formats.pipeline_views import is_vertex_element
from softd3d.ir.recorder import Recorder
from softd3d.isa.machine import Machine
from softd3d.pipeline.input_layout import VertexInput
from softd3d.pipeline.vertex_fetch import (
    VertexBuffer,
    cut_value,
    element_index,
    fetch_element,
    fetch_index,
)

FORMATS = [f for f in DXGI_FORMATS.values() if is_vertex_element(f)]
ONE = 0x3F800000
K = NumpyAlgebra()


def _element(format_: Format | str, offset: int = 0, *, rate: int | None = None) -> VertexInput:
    return VertexInput("A", 0, 15, 15, 0, offset, dxgi_format(format_), rate is not None, rate or 0)


def _lanes(*values: int) -> Value:
    return K.lanes(U32, np.array(values, np.uint32))


def _fetch(
    data: NDArray[Any], element: VertexInput, index: Words, stride: int, offset: int = 0,
    alignment: int = 4, wanted: int = 15,
) -> Words:  # fmt: skip
    """Return (lanes, 4)."""
    m = ByteMachine(np.ascontiguousarray(data).view(np.uint8).reshape(-1))
    buffer = VertexBuffer(VIEW, stride, offset, alignment)
    found = fetch_element(cast("Machine", m), element, buffer, K.lanes(U32, index), wanted)
    return np.stack([np.broadcast_to(v.raw, index.shape) for v in found], axis=-1)


def _components(format_: Format, code: int) -> list[int]:
    """Return the bits of x, y, z, w of a vertex's bytes, as one little-endian number."""
    found = [0, 0, 0, 1 if format_.is_integer else ONE]
    for place, letter in enumerate("rgba"):
        channel = format_.channel(letter)
        if channel is None:
            continue
        bits = channel.bits
        value = code >> channel.shift & (1 << bits) - 1
        signed = value - (value >> bits - 1 << bits)
        match channel.type:
            case ChannelType.UNORM:
                number = np.float32(value / ((1 << bits) - 1))
                value = int(number.view(np.uint32))
            case ChannelType.SNORM:
                number = np.float32(max(signed / ((1 << bits - 1) - 1), -1.0))
                value = int(number.view(np.uint32))
            case ChannelType.SINT:
                value = signed & 0xFFFFFFFF
            case ChannelType.FLOAT if bits < 32:
                half = np.uint16(value << (15 - bits) if bits < 16 else value).view(np.float16)
                value = int(np.float32(half).view(np.uint32))
            case _:
                pass
        found[place] = value
    return found


@pytest.mark.parametrize("format_", FORMATS, ids=lambda f: f.name)
def test_every_format_gives_what_its_bytes_say(format_: Format) -> None:
    size = format_.bytes_per_texel
    random = np.random.default_rng(format_.number)
    count = 300
    data = random.integers(0, 256, size * count, np.uint8)
    data[: 8 * size] = np.repeat([0, 0xFF, 0x80, 0x7F, 1, 0, 0, 0], size)
    index = np.arange(count, dtype=np.uint32)
    found = _fetch(data, _element(format_), index, size, alignment=min(4, size & -size))
    for n in range(count):
        code = int.from_bytes(data[n * size : (n + 1) * size].tobytes(), "little")
        wanted = np.array(_components(format_, code), np.uint32)
        same = found[n] == wanted
        same |= np.isnan(found[n].view(np.float32)) & np.isnan(wanted.view(np.float32))
        assert same.all(), (n, hex(code))


def test_words_are_copied_bit_for_bit() -> None:
    bits = np.array([1, 0x807FFFFF, 0x7F800001, 0xFFC12345], np.uint32)
    for name in ("R32G32B32A32_FLOAT", "R32G32B32A32_UINT", "R32G32B32A32_SINT"):
        assert _fetch(bits, _element(name), np.zeros(1, "u4"), 16)[0].tolist() == bits.tolist()


@pytest.mark.parametrize("format_", FORMATS, ids=lambda f: f.name)
def test_both_engines_fetch_the_same(format_: Format) -> None:
    element = _element(format_, 4)
    count = 2 * GROUP
    index, data = integers(2, format_.number, count=count)
    index[: count // 2] %= 40
    stride, offset = 20, 4 * count  # of the columns one after another, data is the second
    size = offset + 3 * count  # so that some vertices are out of range
    columns = [index, data]

    def rules(words: list[Value]) -> list[Value]:
        k = words[0].k
        whole = np.concatenate(columns).view(np.uint8)[:size]
        m = RecordingMachine(k, size) if isinstance(k, Recorder) else ByteMachine(whole)
        buffer = VertexBuffer(VIEW, stride, offset)
        return list(fetch_element(cast("Machine", m), element, buffer, words[0]))

    wanted = [
        np.broadcast_to(v.raw, index.shape) for v in rules([K.lanes(U32, c) for c in columns])
    ]
    found = native_words(rules, columns, 16)
    for a, b in zip(wanted, found, strict=True):
        same = a == b
        if not format_.is_integer:
            same |= np.isnan(a.view(np.float32)) & np.isnan(b.view(np.float32))
        assert same.all()


@pytest.mark.parametrize("alignment", [1, 2, 4])
@pytest.mark.parametrize("name", ["R32G32B32_FLOAT", "R16G16B16A16_UINT", "R8G8_UINT"])
def test_vertices_may_lie_anywhere(name: str, alignment: int) -> None:
    random = np.random.default_rng(alignment)
    data = random.integers(0, 256, 400, np.uint8)
    stride, offset = 7 * alignment, 3 * alignment
    index = np.arange(12, dtype=np.uint32)
    found = _fetch(data, _element(name), index, stride, offset, alignment)
    format_ = dxgi_format(name)
    size = format_.bytes_per_texel
    for n in index:
        at = int(n) * stride + offset
        code = int.from_bytes(data[at : at + size].tobytes(), "little")
        assert found[n].tolist() == _components(format_, code)


def test_components_that_are_not_looked_at_are_not_loaded() -> None:
    m = ByteMachine(np.arange(64, dtype=np.uint8))
    for wanted, loads in ((0, 0), (1, 1), (3, 2), (6, 2), (8, 1), (15, 4)):
        m.loads.clear()
        element = _element("R32G32B32A32_UINT")
        found = fetch_element(
            cast("Machine", m), element, VertexBuffer(VIEW, 16, 0), _lanes(0, 1), wanted
        )
        assert len(m.loads) == loads
        for n in range(4):
            if wanted >> n & 1:
                first = 4 * n
                assert int(found[n].raw[0]) == int.from_bytes(
                    bytes(range(first, first + 4)), "little"
                )


# Addresses and bounds


def _model_address(stride: int, index: int, offset: int, element: int) -> int:
    return (offset + element + stride * index) & 0xFFFFFFFF


def test_hostile_addresses_read_zero_or_what_lies_there() -> None:
    random = np.random.default_rng(1)
    data = random.integers(1, 256, 256, np.uint8)
    extremes = [0, 1, 2, 15, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF0, 0x08000000]
    for name in ("R32G32B32_FLOAT", "R16G16_UINT", "R8_UNORM", "R32G32B32A32_SINT"):
        format_ = dxgi_format(name)
        size = format_.bytes_per_texel
        for stride in (0, 4, 32, 2048):
            for offset in (0, 4, 252, 256, 0xFFFFFFFC, 0x80000000):
                at = random.choice([0, 4, 8, 0xFFFFFFF8])
                index = np.array([*extremes, *random.integers(0, 1 << 32, 30)], np.uint32)
                found = _fetch(data, _element(format_, int(at)), index, stride, offset)
                for n, i in enumerate(index.tolist()):
                    address = _model_address(stride, i, offset, int(at))
                    inside = address + size <= data.size
                    part = data[address : address + size].tobytes() if inside else bytes(size)
                    code = int.from_bytes(part, "little")
                    assert found[n].tolist() == _components(format_, code), (stride, offset, i)


@pytest.mark.parametrize("size", [0, 4, 8, 11])
def test_an_element_that_is_there_in_part_is_out_of_range(size: int) -> None:
    data = np.full(size, 0xFF, np.uint8)
    found = _fetch(data, _element("R32G32B32_FLOAT"), np.array([0, 1], np.uint32), 0)
    assert found.tolist() == [[0, 0, 0, ONE]] * 2
    assert _fetch(data, _element("R32G32B32_UINT"), np.zeros(1, "u4"), 0)[0, 3] == 1


def test_an_unbound_slot_has_no_defaults() -> None:
    m = cast("Machine", ByteMachine(np.zeros(0, np.uint8)))
    found = fetch_element(m, _element("R32G32_FLOAT"), None, _lanes(0, 5))
    assert [int(v.raw) for v in found] == [0, 0, 0, 0]


def test_a_stride_of_zero_reads_one_element_for_ever() -> None:
    found = _fetch(
        np.arange(8, dtype=np.uint32), _element("R32_UINT", 8), np.arange(9, dtype="u4"), 0
    )
    assert found[:, 0].tolist() == [2] * 9


# Indices


def _index(data: NDArray[Any], name: str, offset: int, start: int, numbers: list[int]) -> list[int]:
    m = cast("Machine", ByteMachine(data.view(np.uint8)))
    found = fetch_index(m, VIEW, dxgi_format(name), offset, start, _lanes(*numbers))
    return np.broadcast_to(found.raw, (len(numbers),)).tolist()


@pytest.mark.parametrize(("name", "dtype"), [("R16_UINT", np.uint16), ("R32_UINT", np.uint32)])
def test_indices_and_what_lies_beyond_them(name: str, dtype: type) -> None:
    data = np.arange(10, 30).astype(dtype)
    size = data.itemsize
    numbers = [0, 1, 9, 14, 15, 16, 0x7FFFFFFF, 0x80000000, 0x40000000, 0xFFFFFFFF, 0xFFFFFFFA]
    for offset in (0, 2 * size, 19 * size, 20 * size, 21 * size, 1000 * size):
        for start in (0, 5, 19, 0xFFFFFFFB):
            places = [offset // size + start + n for n in numbers]
            wanted = [int(data[p]) if p < data.size else 0 for p in places]
            assert _index(data, name, offset, start, numbers) == wanted, (offset, start)


def test_no_index_buffer_gives_index_0() -> None:
    m = cast("Machine", ByteMachine(np.zeros(0, np.uint8)))
    found = fetch_index(m, None, dxgi_format("R16_UINT"), 0, 3, _lanes(1, 2))
    assert np.broadcast_to(found.raw, (2,)).tolist() == [0, 0]


def test_cuts_are_all_ones() -> None:
    assert cut_value(dxgi_format("R16_UINT")) == 0xFFFF
    assert cut_value(dxgi_format("R32_UINT")) == 0xFFFFFFFF


# Instances


@pytest.mark.parametrize(
    ("rate", "start", "wanted"),
    [
        (None, 7, [3, 3, 3, 3]),
        (0, 7, [7, 7, 7, 7]),
        (1, 7, [7, 8, 9, 6]),
        (2, 7, [7, 7, 8, 0x80000006]),
        (0xFFFFFFFF, 7, [7, 7, 7, 8]),
    ],
)
def test_step_rates_divide_the_instance_but_not_the_start(
    rate: int | None, start: int, wanted: list[int]
) -> None:
    element = _element("R32_UINT", rate=rate)
    instance = _lanes(0, 1, 2, 0xFFFFFFFF)
    found = element_index(element, _lanes(3, 3, 3, 3), instance, start)
    assert np.broadcast_to(found.raw, (4,)).tolist() == wanted
