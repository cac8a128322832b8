"""Constant buffers: bytes, arrays, and dictionaries laid out by reflection data."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from softd3d.container.dxbc.container import parse
from softd3d.container.reflection.enums import (
    CbufferType,
    ShaderCbufferFlags,
    ShaderVariableClass,
    ShaderVariableFlags,
    ShaderVariableType,
)
from softd3d.container.reflection.rdef import parse_rdef
from softd3d.container.reflection.resources import ConstantBuffer, Member, Variable, VariableType
from softd3d.errors import ResourceError
from softd3d.resources.buffers.constants import constant_buffer_bytes

PACKING = Path(__file__).parents[1] / "container/data/packing.cs_5_0.dxbc"
C, T = ShaderVariableClass, ShaderVariableType
FLOAT = VariableType(C.SCALAR, T.FLOAT, 1, 1, 0)
FLOAT3 = VariableType(C.VECTOR, T.FLOAT, 1, 3, 0)
LIGHT = VariableType(
    C.STRUCT, T.VOID, 1, 4, 2, (Member("color", FLOAT3, 0), Member("power", FLOAT, 12))
)
VARIABLES = (
    ("scale", 0, 4, FLOAT),
    ("count", 4, 4, replace(FLOAT, type=T.INT)),
    ("mask", 8, 4, replace(FLOAT, type=T.UINT)),
    ("on", 12, 4, replace(FLOAT, type=T.BOOL)),
    ("position", 16, 12, FLOAT3),
    ("weights", 32, 36, replace(FLOAT, elements=3)),
    ("columns", 80, 28, VariableType(C.MATRIX_COLUMNS, T.FLOAT, 3, 2, 0)),
    ("rows", 112, 40, VariableType(C.MATRIX_ROWS, T.FLOAT, 3, 2, 0)),
    ("lights", 160, 32, LIGHT),
    ("precise_", 192, 16, VariableType(C.VECTOR, T.DOUBLE, 1, 2, 0)),
)


def _layout(**defaults: bytes) -> ConstantBuffer:
    variables = tuple(
        Variable(name, offset, size, ShaderVariableFlags.USED, type_, defaults.get(name))
        for name, offset, size, type_ in VARIABLES
    )
    return ConstantBuffer("Params", variables, 208, ShaderCbufferFlags.NONE, CbufferType.CBUFFER)


def _packed(value: dict, **defaults: bytes) -> bytes:
    return constant_buffer_bytes(value, _layout(**defaults), 208).tobytes()


def test_bytes_and_arrays_are_taken_as_they_are() -> None:
    data = struct.pack("<6f", *range(6))
    wanted = data + bytes(8)
    for value in (data, bytearray(data), memoryview(data), np.arange(6, dtype=np.float32)):
        found = constant_buffer_bytes(value, None, 32)
        assert (found.dtype, found.shape) == (np.uint32, (8,))
        assert found.tobytes() == wanted
    assert constant_buffer_bytes(data, None, 64).tobytes() == wanted + bytes(32)
    assert constant_buffer_bytes(data, None, 16).tobytes() == wanted
    assert constant_buffer_bytes(b"", None, 0).shape == (0,)
    transposed = np.arange(4, dtype=np.float32).reshape(2, 2).T
    assert constant_buffer_bytes(transposed, None, 16).tobytes() == struct.pack("<4f", 0, 2, 1, 3)


def test_contents_are_copied() -> None:
    array = np.zeros(4, np.float32)
    found = constant_buffer_bytes(array, None, 16)
    array[:] = 1
    assert not found.any()


def test_variables_lie_where_reflection_says() -> None:
    data = _packed(
        {
            "scale": 1.5,
            "count": -2,
            "mask": 0xFFFFFFFF,
            "on": True,
            "position": [1, 2, 3],
            "weights": np.array([4.0, 5.0, 6.0]),
            "columns": [[1, 2], [3, 4], [5, 6]],
            "rows": [[1, 2], [3, 4], [5, 6]],
            "precise_": (0.1, 0.2),
        }
    )
    assert data[:16] == struct.pack("<fiII", 1.5, -2, 0xFFFFFFFF, 1)
    assert data[16:32] == struct.pack("<4f", 1, 2, 3, 0)
    assert data[32:80] == b"".join(struct.pack("<f12x", x) for x in (4, 5, 6))
    assert data[80:112] == struct.pack("<3f4x3f4x", 1, 3, 5, 2, 4, 6)
    assert data[112:160] == b"".join(struct.pack("<2f8x", *r) for r in ((1, 2), (3, 4), (5, 6)))
    assert data[160:192] == bytes(32)
    assert data[192:] == struct.pack("<2d", 0.1, 0.2)


def test_structures_by_path_and_by_nesting() -> None:
    wanted = struct.pack("<8f", 1, 2, 3, 4, 5, 6, 7, 8)
    by_path = {
        "lights[0].color": [1, 2, 3],
        "lights[0].power": 4,
        "lights[1]": {"color": (5, 6, 7), "power": 8},
    }
    nested = {"lights": [{"color": [1, 2, 3], "power": 4}, {"color": [5, 6, 7], "power": 8}]}
    assert _packed(by_path)[160:192] == wanted
    assert _packed(nested)[160:192] == wanted


def test_elements_of_arrays() -> None:
    assert _packed({"weights[1]": 9.0})[32:80] == struct.pack("<16xf12x16x", 9)


def test_defaults_fill_what_is_left_out() -> None:
    defaults = {"scale": struct.pack("<f", 2.5), "position": struct.pack("<3f", 7, 8, 9)}
    assert _packed({}, **defaults)[:32] == struct.pack("<f12x3f4x", 2.5, 7, 8, 9)
    assert _packed({"position": [1, 1, 1]}, **defaults)[16:28] == struct.pack("<3f", 1, 1, 1)


def test_real_reflection_data() -> None:
    """Every leaf of a compiled shader takes numbers of its shape, and no two overlap."""
    chunk = next(c for c in parse(PACKING.read_bytes()).chunks if c.fourcc in ("RDEF", b"RDEF"))
    layout = next(b for b in parse_rdef(chunk).constant_buffers if b.name == "C")
    data = constant_buffer_bytes(
        {"d2": [1.0, 2.0], "m": np.arange(6).reshape(2, 3), "p": [{"uv": [3, 4]}] * 2, "bb": 2},
        layout,
        0,
    ).tobytes()
    offsets = {v.name: v.offset for v in layout.variables}
    assert struct.unpack_from("<2d", data, offsets["d2"]) == (1, 2)
    columns = [struct.unpack_from("<2d", data, offsets["m"] + 16 * n) for n in range(3)]
    assert columns == [(0, 3), (1, 4), (2, 5)]
    assert struct.unpack_from("<2f", data, offsets["p"]) == (3, 4)
    assert struct.unpack_from("<I", data, offsets["bb"]) == (1,)
    assert len(data) == layout.size + -layout.size % 16


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"scale": [1, 2]}, "scale: found shape (2,), wanted ()"),
        ({"position": 1.0}, "position: found shape (), wanted (3,)"),
        ({"rows": [[1, 2, 3], [4, 5, 6]]}, "rows: found shape (2, 3), wanted (3, 2)"),
        ({"weights": [1, 2]}, "weights: found shape (2,), wanted (3,)"),
        ({"weights[3]": 1}, "weights[3]: found element 3, wanted one of 3"),
        ({"count": 1.0}, "count: found float64, wanted int"),
        ({"count": 1 << 31}, "count: found 2147483648, wanted int (-2147483648 to 2147483647)"),
        ({"mask": -1}, "mask: found -1, wanted uint (0 to 4294967295)"),
        ({"scale": "1"}, "scale: found a string, wanted float"),
        ({"scale": None}, "scale: found object, wanted float"),
        ({"mask": 1 << 70}, "mask: found object, wanted uint"),
        ({"scal": 1}, "scal: found no such variable in Params; close: scale"),
        (
            {"xyz": 1},
            ("xyz: found no such variable in Params, which has scale, count, mask, on, ..."),
        ),
        ({"lights[2].power": 1}, "lights[2].power: found element 2, lights has 2 elements"),
        (
            {"lights[1].powr": 1},
            (
                "lights[1].powr: found no such variable in Params; "
                "close: lights[1].power, lights[0].power, lights[1].color, lights[0].color"
            ),
        ),
        ({"scale": {"x": 1}}, "scale: found object, wanted float"),
        ([1.0], "found list, wanted bytes, an array or a dictionary of variables"),
        (b"abc", "found 3 bytes, wanted a multiple of 4"),
        (bytes(65540), "found 65540 bytes, wanted at most 65536"),
        (np.zeros(4), "found float64, wanted numbers of 4 bytes (real doubles: as bytes)"),
        (np.array([None]), "constants: found an array of Python objects, wanted numbers"),
    ],
)
def test_errors(value: object, text: str) -> None:
    with pytest.raises(ResourceError) as raised:
        constant_buffer_bytes(value, _layout(), 208)
    assert str(raised.value) == text


def test_a_ragged_list_is_refused() -> None:
    with pytest.raises(ResourceError, match=r"^rows: found no array of numbers \("):
        _packed({"rows": [[1, 2], [3]]})


def test_a_dictionary_needs_reflection_data() -> None:
    with pytest.raises(ResourceError, match=r"^found a dictionary, but the shader has no reflect"):
        constant_buffer_bytes({"scale": 1}, None, 16)


def test_a_buffer_that_contains_itself() -> None:
    value: dict = {}
    value["lights[0]"] = value
    with pytest.raises(ResourceError, match="found no such variable"):
        _packed(value)


@pytest.mark.parametrize("elements", [0, 1])
def test_members_of_a_buffer_of_one_type_need_no_more_names(elements: int) -> None:
    """ConstantBuffer<Light> sun, and an element of ConstantBuffer<Light> sun[n], as RDEF has it."""
    type_ = replace(LIGHT, elements=elements)
    variable = Variable("sun", 0, 16, ShaderVariableFlags.USED, type_, None)
    flags = ShaderCbufferFlags.NONE
    layout = ConstantBuffer("sun", (variable,), 16, flags, CbufferType.CBUFFER)
    wanted = struct.pack("<4f", 1, 2, 3, 4)
    full = "sun[0]" if elements else "sun"
    for value in (
        {"color": [1, 2, 3], "power": 4},
        {full: {"color": [1, 2, 3], "power": 4}},
        {f"{full}.color": [1, 2, 3], "power": 4},
    ):
        assert constant_buffer_bytes(value, layout, 16).tobytes() == wanted
    with pytest.raises(ResourceError, match="colour: found no such variable in sun"):
        constant_buffer_bytes({"colour": [1, 2, 3]}, layout, 16)
    other = replace(layout, name="lights")
    with pytest.raises(ResourceError, match="power: found no such variable in lights"):
        constant_buffer_bytes({"power": 4}, other, 16)
