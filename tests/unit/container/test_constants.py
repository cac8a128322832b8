"""Flattened constant buffers: HLSL packing against the compiler's own sizes, and bad types."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from softd3d.container.dxbc.container import parse
from softd3d.container.reflection import constants
from softd3d.container.reflection.constants import Leaf, constant_leaves, type_size
from softd3d.container.reflection.enums import (
    CbufferType,
    ShaderCbufferFlags,
    ShaderVariableClass,
    ShaderVariableFlags,
    ShaderVariableType,
)
from softd3d.container.reflection.rdef import (
    ConstantBuffer,
    Member,
    Variable,
    VariableType,
    parse_rdef,
)
from softd3d.errors import ContainerError

FLOAT = ShaderVariableType.FLOAT
SCALAR = VariableType(ShaderVariableClass.SCALAR, FLOAT, 1, 1, 0)
VECTOR3 = VariableType(ShaderVariableClass.VECTOR, FLOAT, 1, 3, 0)


def structure(*members: Member, elements: int = 0) -> VariableType:
    return VariableType(
        ShaderVariableClass.STRUCT, ShaderVariableType.VOID, 1, 1, elements, members
    )


def one_variable(
    type_: VariableType, size: int, kind: CbufferType = CbufferType.CBUFFER
) -> ConstantBuffer:
    variable = Variable("v", 0, size, ShaderVariableFlags.USED, type_, record_offset=0x123)
    return ConstantBuffer("C", (variable,), size, ShaderCbufferFlags.NONE, kind)


def leaves_of(path: Path, buffer: str) -> dict[str, Leaf]:
    chunk = parse(path.read_bytes()).find("RDEF")
    assert chunk is not None
    found = next(b for b in parse_rdef(chunk).constant_buffers if b.name == buffer)
    return {leaf.path: leaf for leaf in constant_leaves(found)}


@pytest.fixture
def packing(small_containers: list[Path]) -> Path:
    return next(path for path in small_containers if path.name == "packing.cs_5_0.dxbc")


def check_sizes(paths: list[Path]) -> tuple[int, int]:
    """Compare every variable's size with the rules; return the variables and leaves checked."""
    variables = leaves = 0
    for path in paths:
        chunk = parse(path.read_bytes()).find("RDEF")
        for buffer in parse_rdef(chunk).constant_buffers if chunk else ():
            if buffer.type is CbufferType.INTERFACE_POINTERS:
                assert constant_leaves(buffer) == ()
                continue
            registers = buffer.type is not CbufferType.RESOURCE_BIND_INFO
            for variable in buffer.variables:
                size = type_size(variable.type, registers=registers)
                assert size == variable.size, (path.name, buffer.name, variable.name)
            flat = constant_leaves(buffer)
            assert len({leaf.path for leaf in flat}) == len(flat), path.name
            variables += len(buffer.variables)
            leaves += len(flat)
    return variables, leaves


def test_sizes_of_small_containers(small_containers: list[Path]) -> None:
    variables, leaves = check_sizes(small_containers)
    assert variables > 70
    assert leaves > variables + 50


def test_sizes_of_sample_containers(sample_containers: list[Path]) -> None:
    assert check_sizes(sample_containers)[0] > 400


def test_sizes_of_corpus_containers(corpus_containers: list[Path]) -> None:
    assert check_sizes(corpus_containers)[0] > 1500


@pytest.mark.parametrize(
    ("path", "offset", "stride", "vector_stride", "size"),
    [
        ("d3", 32, 32, 32, 24),
        ("a3", 96, 16, 16, 40),
        ("v3", 144, 32, 32, 56),
        ("v2", 208, 16, 16, 32),
        ("m", 240, 48, 16, 48),
        ("rm", 288, 96, 32, 96),
        ("s[1].d", 448, 16, 16, 16),
        ("s[1].b", 464, 16, 16, 4),
        ("p[0].k", 496, 16, 16, 36),
        ("p[1].uv", 544, 16, 16, 8),
        ("m11", 608, 16, 16, 20),
        ("m41", 640, 16, 16, 16),
        ("m13", 656, 48, 16, 36),
        ("rm24", 704, 32, 16, 64),
    ],
)
def test_packing_in_registers(
    packing: Path, path: str, offset: int, stride: int, vector_stride: int, size: int
) -> None:
    leaf = leaves_of(packing, "C")[path]
    assert (leaf.offset, leaf.stride, leaf.vector_stride, leaf.size) == (
        offset,
        stride,
        vector_stride,
        size,
    )


def test_packing_of_structured_buffers(packing: Path) -> None:
    leaves = leaves_of(packing, "Src")
    places = {
        path.removeprefix("$Element."): (leaf.offset, leaf.stride, leaf.vector_stride, leaf.size)
        for path, leaf in leaves.items()
    }
    assert places == {
        "v": (0, 12, 12, 12),
        "m": (12, 24, 8, 24),
        "r": (36, 24, 8, 24),
        "arr": (60, 4, 4, 12),
        "d3": (72, 8, 8, 16),
        "t": (88, 4, 4, 4),
    }
    assert leaves["$Element.m"].row_major is False
    assert leaves["$Element.r"].row_major is True
    assert leaves["$Element.d3"].component_size == 8


def test_majorness_follows_the_compiler_flag(packing: Path) -> None:
    for path, expected in ((packing, False), (packing.with_name("packing.cs_5_0.Zpr.dxbc"), True)):
        leaf = leaves_of(path, "C")["m13"]
        assert (leaf.row_major, leaf.rows, leaf.columns) == (expected, 1, 3)
        assert leaf.size == (12 if expected else 36)


def test_inherited_members_have_plain_names(small_containers: list[Path]) -> None:
    path = next(path for path in small_containers if path.name.startswith("inheritance"))
    offsets = {name: leaf.offset for name, leaf in leaves_of(path, "$Globals").items()}
    assert offsets == {
        "light.color": 0,
        "light.on": 12,
        "light.ground": 16,
        "light.up": 32,
        "lights[0].color": 48,
        "lights[0].on": 60,
        "lights[0].ground": 64,
        "lights[0].up": 80,
        "lights[1].color": 96,
        "lights[1].on": 108,
        "lights[1].ground": 112,
        "lights[1].up": 128,
        "after": 136,
    }


def test_objects_have_no_leaf() -> None:
    texture = VariableType(ShaderVariableClass.OBJECT, ShaderVariableType.TEXTURE2D, 0, 0, 0)
    type_ = structure(Member("t", texture, 0), Member("x", SCALAR, 0))
    assert [leaf.path for leaf in constant_leaves(one_variable(type_, 4))] == ["v.x"]


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        (replace(SCALAR, columns=2), "SCALAR cannot have 1 rows and 2 columns"),
        (replace(VECTOR3, columns=0), "VECTOR cannot have 1 rows and 0 columns"),
        (replace(VECTOR3, class_=ShaderVariableClass.MATRIX_ROWS, rows=5), "5 rows"),
        (replace(VECTOR3, type=ShaderVariableType.TEXTURE2D), "of type TEXTURE2D"),
        (replace(SCALAR, elements=8), "ends at byte 116 of C, wanted at most 100"),
        (structure(Member("x", VECTOR3, 92)), "v.x: ends at byte 104"),
        (structure(Member("n" * 5000, VECTOR3, 0)), "more than 4096 characters"),
        (structure(elements=65535), "more than"),
    ],
)
def test_bad_types(type_: VariableType, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "MAX_LEAVES", 1000)
    with pytest.raises(ContainerError, match=words) as caught:
        constant_leaves(one_variable(type_, 100))
    assert caught.value.location is not None
    assert caught.value.location.offset == 0x123


def test_nested_arrays_cannot_explode() -> None:
    type_ = structure(Member("x", SCALAR, 0), elements=65535)
    for _ in range(8):
        type_ = structure(Member("s", type_, 0), elements=65535)
    with pytest.raises(ContainerError, match="leaves"):
        constant_leaves(one_variable(type_, 0xFFFFFFFF))
