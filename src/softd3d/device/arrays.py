"""Bare NumPy arrays as bindings: what a register's declaration makes of one.

The kind, dimension and stride come from the declaration. A format comes from the dtype, the
channels and what the shader wants: floats and integers as they are, small integers normalised where
it wants floats. What that leaves open is refused, with what would do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.dxgi import FORMATS
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import ResourceDimension as D
from softd3d.isa.sm4.enums import ReturnType
from softd3d.lower.declared import ViewDeclaration
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.textures import texture as textures
from softd3d.resources.views.descriptor import Bindable

__all__ = ["format_like", "guess_format", "is_array", "view_of_array"]

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
_NUMBERS = {"f": "float32", "c": "float32", "u": "uint32", "i": "int32", "b": "uint8"}
_LARGEST_ITEM = 4  # bytes of a component
_MAX_CHANNELS = 4
_FLOATS = frozenset({ReturnType.FLOAT, ReturnType.UNORM, ReturnType.SNORM})


def is_array(value: object) -> bool:
    """Whether a value is an array, or a list of some: one for each mip level."""
    if isinstance(value, (list, tuple)):
        levels = cast("list[object]", value)
        return bool(levels) and all(isinstance(level, np.ndarray) for level in levels)
    return isinstance(value, np.ndarray)


def view_of_array(
    declaration: ViewDeclaration, array: NDArray[Any] | list[NDArray[Any]], format_: str = "",
    counter: int | None = None, element: np.dtype[Any] | None = None,
) -> Bindable:  # fmt: skip
    """Return a resource over an array, of the kind that a register is declared to hold.

    format_: of a typed view, empty for what suits the dtype. counter: the hidden counter's first
    value. element: the dtype of a structured buffer's elements, None if the shader does not tell.

    Raises:
        ResourceError: the array does not fit, or its format could be several.
    """
    first = array[0] if isinstance(array, (list, tuple)) else array
    if declaration.kind is ViewKind.TYPED and declaration.dimension is not D.BUFFER:
        kind, axes = _TEXTURES[declaration.dimension]
        return kind(array, format_ or guess_format(declaration, first, axes, kind.__name__))
    if not isinstance(array, np.ndarray):
        raise ResourceError("found a list of arrays, which are mip levels, wanted one array")
    if declaration.kind is ViewKind.RAW:
        _check_dwords(array)
        return RawBuffer(array)
    if declaration.kind is ViewKind.STRUCTURED:
        if element is not None:
            _check_element(array.dtype, element)
        return StructuredBuffer(array, declaration.stride, counter)
    return TypedBuffer(array, format_ or guess_format(declaration, array, 1))


def guess_format(
    declaration: ViewDeclaration, array: NDArray[Any], axes: int, kind: str = "TypedBuffer"
) -> str:
    """Return the format of texels that are one item each, or one row of a last, extra axis.

    Small integers are normalised where the shader wants floats. kind: of resource, for the error.

    Raises:
        ResourceError: no format has such texels.
    """
    types = set(declaration.return_types)
    how = f'{kind}(array, "R8G8B8A8_UNORM"); FILE.npy:R8G8B8A8_UNORM on the command line'
    return format_like(array, axes, is_float=bool(types & _FLOATS), how=how)


def format_like(array: NDArray[Any], axes: int, *, is_float: bool, how: str) -> str:
    """Return the format of texels that are one item each, or one row of an axis beyond `axes`.

    is_float: whether shaders see floats; small integers are then normalised. how: a format is
    named, for the error.

    Raises:
        ResourceError: no format has such texels.
    """
    channels = array.shape[-1] if array.ndim > axes else 1
    kind = array.dtype.kind
    if kind in _NUMBERS and (kind not in _SUFFIXES or array.itemsize > _LARGEST_ITEM):
        raise ResourceError(
            f"no format is like {array.dtype}; use .astype(numpy.{_NUMBERS[kind]}) for the values"
        )
    suffix = _SUFFIXES.get(kind, "")
    if is_float and kind in _NORMALISED and array.itemsize < 4:
        suffix = _NORMALISED[kind]
    layout = "".join(f"{letter}{8 * array.itemsize}" for letter in "RGBA"[:channels])
    name = f"{layout}_{suffix}"
    if channels > _MAX_CHANNELS or name not in FORMATS:
        raise ResourceError(
            f"no format is like {np.dtype(array.dtype)} with {channels} channels; name one, as in "
            f"{how}"
        )
    return name


def _check_dwords(array: NDArray[Any]) -> None:
    """Refuse numbers that no dword holds: NumPy's own floats and integers are of 64 bits.

    Raises:
        ResourceError: as said.
    """
    dtype = array.dtype
    if dtype.kind in "fic" and dtype.itemsize > _LARGEST_ITEM:
        raise ResourceError(
            f"found an array of {dtype} as a raw buffer, which has dwords; use .astype(numpy."
            f"{_NUMBERS[dtype.kind]}) for the values, or RawBuffer(array) for the bits"
        )


def _check_element(found: np.dtype[Any], element: np.dtype[Any]) -> None:
    """Refuse an array of numbers of another kind or size than a structure's.

    Structures of the right size, bytes (uint8) and voids are taken as they are: whoever has those
    means bits. Signed and unsigned integers are alike.

    Raises:
        ResourceError: as said.
    """
    if found.fields is not None or found.kind == "V" or found == np.uint8:
        return
    wanted = sorted({_without_sign(leaf): leaf for leaf in _leaves(element)}.items())
    if _without_sign(found) in dict(wanted):
        return
    names = " and ".join(str(leaf) for _, leaf in wanted)
    how = (
        f"use .astype(numpy.{names}) for the same values, or .view(numpy.{names}) for the same bits"
        if len(wanted) == 1
        else "give an array of the shader's own dtype (shader.dtypes), or a view of bytes"
    )
    raise ResourceError(f"found an array of {found}, the shader's structures have {names}; {how}")


def _without_sign(dtype: np.dtype[Any]) -> tuple[str, int]:
    return "i" if dtype.kind in "iu" else dtype.kind, dtype.itemsize


def _leaves(dtype: np.dtype[Any]) -> Iterator[np.dtype[Any]]:
    """Yield the dtypes of the numbers in a structure."""
    base = dtype.base
    if base.fields is None:
        yield base
        return
    for field in base.fields.values():
        yield from _leaves(field[0])
