"""Formats guessed from arrays, and the kinds of views that declarations ask for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from softd3d.cli.arguments import Given
from softd3d.cli.make_view import make_view
from softd3d.device.arrays import guess_format
from softd3d.device.registers import Register, RegisterKind, wanted_registers
from softd3d.errors import ResourceError
from softd3d.isa.machine import Memory, ViewKind
from softd3d.isa.sm4.enums import Opcode, ResourceDimension, ReturnType
from softd3d.isa.sm4.program import Instruction
from softd3d.lower.declared import ViewDeclaration
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.shaders.shader import load_shader

DATA = Path(__file__).parents[1] / "device" / "data"


def declared(kind: ViewKind, dimension=ResourceDimension.BUFFER, type_=ReturnType.FLOAT, stride=8):
    return ViewDeclaration(
        Memory.UAV, 0, 0, 0, 0, kind, dimension, stride, (type_,) * 4, has_counter=False,
        instruction=Instruction(Opcode.NOP),
    )  # fmt: skip


def register(declaration: ViewDeclaration) -> Register:
    return Register(RegisterKind.UAVS, 0, 0, "", declaration, frozenset())


@pytest.mark.parametrize(
    ("shape", "dtype", "type_", "name"),
    [
        ((8,), "float32", ReturnType.FLOAT, "R32_FLOAT"),
        ((8, 4), "float16", ReturnType.FLOAT, "R16G16B16A16_FLOAT"),
        ((8, 3), "float32", ReturnType.FLOAT, "R32G32B32_FLOAT"),
        ((8, 2), "uint32", ReturnType.UINT, "R32G32_UINT"),
        ((8,), "int16", ReturnType.SINT, "R16_SINT"),
        ((8, 4), "uint8", ReturnType.FLOAT, "R8G8B8A8_UNORM"),
        ((8, 4), "uint8", ReturnType.UNORM, "R8G8B8A8_UNORM"),
        ((8, 4), "uint8", ReturnType.UINT, "R8G8B8A8_UINT"),
        ((8,), "int8", ReturnType.FLOAT, "R8_SNORM"),
    ],
)
def test_formats_are_guessed(shape, dtype, type_, name):
    declaration = declared(ViewKind.TYPED, type_=type_)
    assert guess_format(declaration, np.zeros(shape, dtype), 1) == name


@pytest.mark.parametrize(
    ("shape", "dtype"), [((8, 5), "uint8"), ((8, 3), "uint8"), ((8,), "uint64")]
)
def test_what_no_format_is_like(shape, dtype):
    with pytest.raises(ResourceError, match="no format is like"):
        guess_format(declared(ViewKind.TYPED), np.zeros(shape, dtype), 1)


def test_the_declaration_says_what_a_view_is():
    array = np.zeros(16, np.uint32)
    raw = make_view(register(declared(ViewKind.RAW)), Given(array), None)
    structured = make_view(register(declared(ViewKind.STRUCTURED)), Given(array), 3)
    typed = make_view(register(declared(ViewKind.TYPED)), Given(array, "R8G8B8A8_UNORM"), None)
    assert isinstance(raw, RawBuffer)
    assert isinstance(structured, StructuredBuffer)
    assert structured.counter == 3
    assert structured.describe().stride == 8
    assert isinstance(typed, TypedBuffer)
    assert make_view(register(declared(ViewKind.RAW)), Given(None), None) is None


@pytest.mark.parametrize(
    "shape", [(4,), (4, 4, 4), (2, 4, 4, 2), (2, 4, 4, 4), (2, 4)], ids=list("ABCDE")
)
def test_textures_of_all_dimensions(shape):
    shader = load_shader(DATA / "cs_rwtexture_store.cs_5_0.dxbc")
    wanted = wanted_registers(shader.program, shader.declarations, shader.reflection)
    shapes = dict(zip("ABCDE", [(4,), (4, 4, 4), (2, 4, 4, 2), (2, 4, 4, 4), (2, 4)], strict=True))
    for found in wanted[RegisterKind.UAVS]:
        if shapes[found.name] == shape:
            dtype = {"C": "uint16", "D": "uint8", "E": "int32"}.get(found.name, "float32")
            view = make_view(found, Given(np.zeros(shape, dtype)), None)
            assert view.describe().dimension is found.declaration.dimension
            break
    else:
        pytest.fail("no such texture")
