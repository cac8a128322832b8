"""NumPy's structured dtypes for constant buffers and for the elements of structured buffers.

HLSL pads what lies in registers, but not behind the last part of it: in `float a[3]; float b;` the
variable `b` lies in the register of `a[2]`. So elements of arrays and vectors of matrices that are
padded have a dtype with one field, `value`, and the padding behind the last one may overlap what
follows; assigning to fields never touches padding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from softd3d.container.reflection.constants import BASE_PART, Packing
from softd3d.container.reflection.enums import CbufferType, ShaderVariableClass
from softd3d.container.reflection.enums import ShaderVariableType as Type
from softd3d.container.reflection.resources import ConstantBuffer, VariableType
from softd3d.errors import ResourceError

__all__ = ["buffer_dtype"]

_MOST_BYTES = 1 << 24
_VALUE = "value"
_FORMATS = {
    Type.BOOL: "<u4",
    Type.INT: "<i4",
    Type.MIN12INT: "<i4",
    Type.MIN16INT: "<i4",
    Type.UINT: "<u4",
    Type.MIN16UINT: "<u4",
    Type.FLOAT: "<f4",
    Type.MIN8FLOAT: "<f4",
    Type.MIN10FLOAT: "<f4",
    Type.MIN16FLOAT: "<f4",
    Type.DOUBLE: "<f8",
}

DType = np.dtype[Any]
Field = tuple[str, DType, int]


def buffer_dtype(buffer: ConstantBuffer) -> DType:
    """Return the dtype of a constant or texture buffer, or of a structured buffer's elements.

    A scalar is a 4- or 8-byte number (bool: uint32, 0 or 0xFFFFFFFF or what the caller likes; of
    minimum precision: 32 bits). A vector has shape (components,), an array (elements, ...). A
    matrix is stored as vectors: shape (rows, columns) if row_major, else (columns, rows). Padded
    elements and vectors are structures with the field `value`.

    Raises:
        ContainerError: a type is not what its class says.
        ResourceError: the buffer holds objects or interface pointers, a name occurs twice, or a
            field lies outside the buffer.
    """
    if buffer.type is CbufferType.INTERFACE_POINTERS:
        raise ResourceError(f"{buffer.name}: interface pointers have no layout in memory")
    if buffer.size > _MOST_BYTES:
        raise ResourceError(
            f"{buffer.name}: {buffer.size} bytes, the limit of a dtype is {_MOST_BYTES}"
        )
    is_element = buffer.type is CbufferType.RESOURCE_BIND_INFO
    maker = _Maker(buffer.name, Packing(None, registers=not is_element), buffer.size)
    if is_element and len(buffer.variables) == 1:
        return maker.whole(buffer.variables[0].type)
    fields = [(v.name, maker.dtype(v.type), v.offset) for v in buffer.variables]
    return maker.structure(fields, buffer.size)


class _Maker:
    """Makes the dtypes of one buffer; size: its bytes, which no field may leave."""

    def __init__(self, buffer: str, packing: Packing, size: int) -> None:
        self.buffer = buffer
        self.packing = packing
        self.size = size

    def whole(self, type_: VariableType) -> DType:
        """Return the dtype of a structured buffer's element, as large as the stride."""
        if type_.class_ is ShaderVariableClass.STRUCT and not type_.elements:
            return self.structure(self.fields(type_, 0), self.size)
        return self.dtype(type_)

    def dtype(self, type_: VariableType) -> DType:
        """Return the dtype of a variable or member."""
        if type_.class_ is ShaderVariableClass.STRUCT:
            fields = self.fields(type_, 0)
            end = max((offset + dtype.itemsize for _, dtype, offset in fields), default=0)
            element = self.structure(fields, max(end, self.packing.element_size(type_)))
        else:
            element = self.number(type_)
        if not type_.elements:
            return element
        self.check(type_.elements * self.packing.stride(type_), "an array")
        return _array(self.padded(element, self.packing.stride(type_)), type_.elements)

    def number(self, type_: VariableType) -> DType:
        """Return the dtype of a scalar, vector or matrix."""
        known = _FORMATS.get(type_.type)
        if known is None or type_.class_ > ShaderVariableClass.MATRIX_COLUMNS:
            raise ResourceError(
                f"{self.buffer}: a {type_.class_.name.lower()} of type {type_.type.name.lower()} "
                "has no layout in memory"
            )
        vectors, components = self.packing.shape(type_)
        scalar: DType = np.dtype(known)
        if type_.class_ is ShaderVariableClass.SCALAR:
            return scalar
        vector: DType = np.dtype((scalar, (components,)))
        if type_.class_ is ShaderVariableClass.VECTOR:
            return vector
        return _array(self.padded(vector, self.packing.vector_stride(type_)), vectors)

    def padded(self, element: DType, stride: int) -> DType:
        """Return an element that is as long as the stride of its array."""
        if element.itemsize >= stride:
            return element
        if element.names is not None:
            known = cast("Mapping[str, tuple[DType, int]]", element.fields)
            fields = [(name, known[name][0], known[name][1]) for name in element.names]
            return self.structure(fields, stride)
        return self.structure([(_VALUE, element, 0)], stride)

    def fields(self, type_: VariableType, start: int) -> list[Field]:
        """Return the members of a structure; inherited ones are as if they were its own."""
        fields: list[Field] = []
        for member in type_.members:
            if member.name == BASE_PART:
                fields += self.fields(member.type, start + member.offset)
            else:
                fields.append((member.name, self.dtype(member.type), start + member.offset))
        return fields

    def structure(self, fields: list[Field], size: int) -> DType:
        names = [name for name, _, _ in fields]
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ResourceError(f"{self.buffer}: two fields are called {twice!r}")
        for name, dtype, offset in fields:
            self.check(offset + dtype.itemsize, name)
        formats, offsets = [dtype for _, dtype, _ in fields], [offset for _, _, offset in fields]
        size = max([size, *(offset + dtype.itemsize for _, dtype, offset in fields)])
        return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})

    def check(self, end: int, name: str) -> None:
        if end > self.size:
            raise ResourceError(
                f"{self.buffer}: {name} ends at byte {end}, the buffer has {self.size}"
            )


def _array(element: DType, count: int) -> DType:
    """Return the dtype of an array; what is one already gets another axis."""
    if element.subdtype is None:
        return np.dtype((element, (count,)))
    base, shape = element.subdtype
    return np.dtype((base, (count, *shape)))
