"""Wrap an array as the kind of view that a register is declared to hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.cli.arguments import Given
from softd3d.device.registers import Register
from softd3d.errors import ResourceError, ShaderError
from softd3d.formats.dxgi import FORMATS
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import ResourceDimension as D
from softd3d.isa.sm4.enums import ReturnType
from softd3d.lower.declarations import ViewDeclaration
from softd3d.resources import textures
from softd3d.resources.buffers import RawBuffer, StructuredBuffer, TypedBuffer

__all__ = ["guess_format", "make_view"]

_TEXTURES = {
    D.TEXTURE1D: (textures.Texture1D, 1),
    D.TEXTURE1DARRAY: (textures.Texture1DArray, 2),
    D.TEXTURE2D: (textures.Texture2D, 2),
    D.TEXTURE2DARRAY: (textures.Texture2DArray, 3),
    D.TEXTURE2DMS: (textures.Texture2DMS, 3),
    D.TEXTURE2DMSARRAY: (textures.Texture2DMSArray, 4),
    D.TEXTURE3D: (textures.Texture3D, 3),
    D.TEXTURECUBE: (textures.TextureCube, 3),
    D.TEXTURECUBEARRAY: (textures.TextureCubeArray, 3),
}
_SUFFIXES = {"f": "FLOAT", "u": "UINT", "i": "SINT"}
_NORMALISED = {"u": "UNORM", "i": "SNORM"}


def make_view(register: Register, given: Given, counter: int | None) -> Any:
    """Return a resource over the array, or None where nothing is to be bound.

    Raises:
        ResourceError: the array or format does not fit the register.
    """
    declaration = register.declaration
    array = given.array
    if array is None or not isinstance(declaration, ViewDeclaration):
        return None
    try:
        if declaration.kind is ViewKind.RAW:
            return RawBuffer(array)
        if declaration.kind is ViewKind.STRUCTURED:
            return StructuredBuffer(array, declaration.stride, counter)
        if declaration.dimension is D.BUFFER:
            return TypedBuffer(array, given.format or guess_format(declaration, array, 1))
        kind, axes = _TEXTURES[declaration.dimension]
        return kind(array, given.format or guess_format(declaration, array, axes))
    except ShaderError as error:
        raise ResourceError(f"{register}: {error.message}", error.location) from error


def guess_format(declaration: ViewDeclaration, array: NDArray[Any], axes: int) -> str:
    """Return the format of texels that are one item each, or one row of a last, extra axis.

    Small integers are normalised where the shader wants floats.

    Raises:
        ResourceError: no format has such texels.
    """
    channels = array.shape[-1] if array.ndim > axes else 1
    kind = array.dtype.kind
    is_float = ReturnType.FLOAT in declaration.return_types
    is_normalised = is_float or bool(
        {ReturnType.UNORM, ReturnType.SNORM} & {ReturnType(t) for t in _known(declaration)}
    )
    suffix = _SUFFIXES.get(kind, "")
    if is_normalised and kind in _NORMALISED and array.itemsize < 4:
        suffix = _NORMALISED[kind]
    layout = "".join(f"{letter}{8 * array.itemsize}" for letter in "RGBA"[:channels])
    name = f"{layout}_{suffix}"
    if channels > 4 or name not in FORMATS:
        raise ResourceError(
            f"no format is like {np.dtype(array.dtype)} with {channels} channels; append one, "
            "as in FILE.npy:R8G8B8A8_UNORM"
        )
    return name


def _known(declaration: ViewDeclaration) -> list[int]:
    return [t for t in declaration.return_types if t in set(ReturnType)]
