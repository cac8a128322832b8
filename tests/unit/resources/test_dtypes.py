"""Structured dtypes of buffers against the leaves that HLSL's packing rules give."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import softd3d
from softd3d.container.reflection.constants import constant_leaves
from softd3d.container.reflection.enums import (
    CbufferType,
    ShaderCbufferFlags,
    ShaderVariableClass,
    ShaderVariableFlags,
    ShaderVariableType,
)
from softd3d.container.reflection.resources import ConstantBuffer, Member, Variable, VariableType
from softd3d.errors import ResourceError
from softd3d.resources.buffers.dtypes import buffer_dtype

DATA = Path(__file__).parents[1] / "container/data"
PART = re.compile(r"[^.\[\]]+|\[\d+\]")
FLOAT = VariableType(ShaderVariableClass.SCALAR, ShaderVariableType.FLOAT, 1, 1, 0)


def place(dtype: np.dtype, path: str) -> tuple[int, np.dtype]:
    """Return the offset and dtype of what a path such as lights[2].color names."""
    offset = 0
    for part in PART.findall(path):
        if part.startswith("["):
            assert dtype.subdtype is not None
            base, (_, *rest) = dtype.subdtype
            dtype = np.dtype((base, tuple(rest)))
            offset += int(part[1:-1]) * dtype.itemsize
        else:
            assert dtype.fields is not None
            dtype, inner = dtype.fields[part][:2]
            offset += inner
    return offset, dtype


def buffer(*variables: Variable, size: int = 64) -> ConstantBuffer:
    return ConstantBuffer("B", variables, size, ShaderCbufferFlags(0), CbufferType.CBUFFER)


def variable(name: str, offset: int, type_: VariableType, size: int = 4) -> Variable:
    return Variable(name, offset, size, ShaderVariableFlags.USED, type_)


def check(path: Path) -> int:
    checked = 0
    reflection = softd3d.load(path).reflection
    for found in reflection.constant_buffers if reflection else ():
        if found.type is CbufferType.INTERFACE_POINTERS:
            continue
        dtype = buffer_dtype(found)
        assert dtype.itemsize == found.size
        for leaf in constant_leaves(found):
            name = leaf.path
            if found.type is CbufferType.RESOURCE_BIND_INFO:
                name = name.removeprefix("$Element").lstrip(".")
            offset, _ = place(dtype, name)
            assert offset == leaf.offset, leaf.path
            checked += 1
    return checked


@pytest.mark.parametrize("path", sorted(DATA.glob("*.dxbc")), ids=lambda p: p.stem)
def test_own_samples(path: Path) -> None:
    check(path)


@pytest.mark.corpus
def test_every_sample(shared: Path) -> None:
    assert sum(map(check, sorted((shared / "samples/sm4_5").glob("*.dxbc")))) > 500


def test_padding_is_not_touched() -> None:
    array = VariableType(ShaderVariableClass.VECTOR, ShaderVariableType.FLOAT, 1, 3, 2)
    layout = buffer(variable("a", 0, array, 28), variable("b", 28, FLOAT))
    value = np.zeros((), buffer_dtype(layout))
    value["b"] = 7
    value["a"]["value"] = [[1, 2, 3], [4, 5, 6]]
    assert np.frombuffer(value.tobytes(), "<f4")[:8].tolist() == [1, 2, 3, 0, 4, 5, 6, 7]


def test_matrices_are_vectors() -> None:
    columns = VariableType(ShaderVariableClass.MATRIX_COLUMNS, ShaderVariableType.FLOAT, 3, 2, 0)
    rows = VariableType(ShaderVariableClass.MATRIX_ROWS, ShaderVariableType.FLOAT, 2, 4, 0)
    dtype = buffer_dtype(buffer(variable("c", 0, columns, 28), variable("r", 32, rows, 32)))
    assert dtype["c"].shape == (2,)
    assert dtype["c"].base["value"].shape == (3,)
    assert dtype["c"].base.itemsize == 16
    assert dtype["r"].shape == (2, 4)


def test_inherited_members_are_the_structures_own() -> None:
    base = VariableType(
        ShaderVariableClass.STRUCT, ShaderVariableType.VOID, 1, 1, 0, (Member("x", FLOAT, 0),)
    )
    derived = VariableType(
        ShaderVariableClass.STRUCT, ShaderVariableType.VOID, 1, 2, 0,
        (Member("$super", base, 0), Member("y", FLOAT, 4)),
    )  # fmt: skip
    dtype = buffer_dtype(buffer(variable("s", 16, derived, 8)))
    assert dtype["s"].names == ("x", "y")


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (buffer(variable("a", 0, FLOAT), variable("a", 4, FLOAT)), "two fields are called 'a'"),
        (buffer(variable("a", 64, FLOAT)), "a ends at byte 68, the buffer has 64"),
        (buffer(size=1 << 25), "33554432 bytes, the limit of a dtype is 16777216"),
        (
            buffer(variable("t", 0, VariableType(ShaderVariableClass.OBJECT,
                                                 ShaderVariableType.TEXTURE2D, 0, 0, 0))),
            "a object of type texture2d has no layout in memory",
        ),
    ],
)  # fmt: skip
def test_what_has_no_layout_is_refused(layout: ConstantBuffer, message: str) -> None:
    with pytest.raises(ResourceError, match=re.escape(message)):
        buffer_dtype(layout)
