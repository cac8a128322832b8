"""Contents of constant buffers: bytes, an array, or a dictionary of the shader's variables.

A dictionary is laid out by the shader's reflection data (RDEF) with HLSL's packing rules; what it
leaves out keeps the shader's default, or 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.container.reflection.constants import Leaf, constant_leaves
from softd3d.container.reflection.enums import ShaderVariableType as Type
from softd3d.container.reflection.resources import ConstantBuffer
from softd3d.errors import ResourceError
from softd3d.isa.limits import MAX_CONSTANT_VECTORS
from softd3d.resources.views.descriptor import check_array

__all__ = ["constant_buffer_bytes"]

_DWORD = 4
_VECTOR = 16
_MAX_BYTES = MAX_CONSTANT_VECTORS * _VECTOR
_MAX_NAMES = 4  # of variables, in an error's text
_INTEGERS = {
    Type.INT: np.dtype(np.int32),
    Type.MIN12INT: np.dtype(np.int32),
    Type.MIN16INT: np.dtype(np.int32),
    Type.UINT: np.dtype(np.uint32),
    Type.MIN16UINT: np.dtype(np.uint32),
}
_ELEMENT = re.compile(r"(.+)\[(\d{1,9})\]")


def constant_buffer_bytes(
    value: object, layout: ConstantBuffer | None, size: int
) -> NDArray[np.uint32]:
    """Return the contents of a constant buffer: uint32, (4 * vectors,), a copy.

    Args:
        value: bytes, a NumPy array whose bytes are taken as they are, or a dictionary from names
            to numbers: of variables ("scale"), of members ("light.color", or one dictionary in
            another), of elements ("weights[3]").  A matrix has the shape (rows, columns), whatever
            its order in memory.
            For a ConstantBuffer<T> of HLSL, whose only variable has the buffer's own name, names
            of members will do.
        layout: from the shader's reflection data; needed for a dictionary.
        size: bytes that the shader declares; the result has as many, or more if the caller gives
            more, rounded up to whole vectors. What is missing is 0.

    Raises:
        ResourceError: an unknown name, another shape or type than the variable has, a dictionary
            without a layout, or more than 65536 bytes.
    """
    size = max(size, 0 if layout is None else layout.size)
    if isinstance(value, Mapping):
        if layout is None:
            raise ResourceError(
                "found a dictionary, but the shader has no reflection data that tells where its "
                "variables lie; wanted bytes or an array"
            )
        _check_size(size)
        return _laid_out(cast("Mapping[object, object]", value), layout, size).view(np.uint32)
    data = _plain_bytes(value)
    size = max(size, data.size)
    _check_size(size)
    contents = np.zeros(size + -size % _VECTOR, np.uint8)
    contents[: data.size] = data
    return contents.view(np.uint32)


def _plain_bytes(value: object) -> NDArray[np.uint8]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = np.frombuffer(bytes(cast("bytes", value)), np.uint8)
    elif isinstance(value, np.ndarray):
        array = cast("NDArray[Any]", value)
        check_array(array, "constants")
        if array.dtype.kind in "iuf" and array.itemsize > _DWORD:
            raise ResourceError(
                f"found {array.dtype}, wanted numbers of 4 bytes (real doubles: as bytes)"
            )
        data = np.frombuffer(array.tobytes(), np.uint8)
    else:
        raise ResourceError(
            f"found {type(value).__name__}, wanted bytes, an array or a dictionary of variables"
        )
    if data.size % _DWORD:
        raise ResourceError(f"found {data.size} bytes, wanted a multiple of 4")
    return data


def _check_size(size: int) -> None:
    if size > _MAX_BYTES:
        raise ResourceError(f"found {size} bytes, wanted at most {_MAX_BYTES}")


def _laid_out(
    value: Mapping[object, object], layout: ConstantBuffer, size: int
) -> NDArray[np.uint8]:
    data = np.zeros(size + -size % _VECTOR, np.uint8)
    for variable in layout.variables:
        if variable.default is not None:
            default = np.frombuffer(variable.default, np.uint8)
            room = data[variable.offset :][: default.size]
            room[:] = default[: room.size]
    leaves = {leaf.path: leaf for leaf in constant_leaves(layout)}
    own = _own_variable(layout)
    for key, item in value.items():
        name = str(key)
        if own and not _names_something(leaves, name) and _names_something(leaves, own + name):
            name = own + name
        _place(data, leaves, layout.name, name, item)
    return data


def _own_variable(layout: ConstantBuffer) -> str:
    """Return the start of all paths in a ConstantBuffer<T>; else nothing.

    An array of such buffers has a variable of one element.
    """
    names = [(v.name, v.type.elements) for v in layout.variables]
    if len(names) != 1 or names[0][0] != layout.name:
        return ""
    return f"{layout.name}[0]." if names[0][1] else f"{layout.name}."


def _names_something(leaves: Mapping[str, Leaf], name: str) -> bool:
    """Tell whether a variable, a structure in one, or an element has this name."""
    name = _without_index(name) if name not in leaves else name
    return any(p == name or p.startswith((f"{name}.", f"{name}[")) for p in leaves)


def _without_index(name: str) -> str:
    match = _ELEMENT.fullmatch(name)
    return match[1] if match else name


def _place(
    data: NDArray[np.uint8], leaves: Mapping[str, Leaf], buffer: str, name: str, item: object
) -> None:
    """Write one entry; dictionaries, and lists of them, go into structures."""
    inside = any(path.startswith((f"{name}.", f"{name}[")) for path in leaves)
    if inside and isinstance(item, Mapping):
        for key, inner in cast("Mapping[object, object]", item).items():
            _place(data, leaves, buffer, f"{name}.{key}", inner)
        return
    if inside and isinstance(item, (list, tuple)):
        for number, member in enumerate(cast("list[object]", item)):
            _place(data, leaves, buffer, f"{name}[{number}]", member)
        return
    leaf = leaves.get(name)
    first, count = 0, 0 if leaf is None else leaf.elements
    if leaf is None:
        leaf, first = _element(leaves, buffer, name)
    _write(data, leaf, first, _numbers(leaf, name, count, item))


def _element(leaves: Mapping[str, Leaf], buffer: str, name: str) -> tuple[Leaf, int]:
    """Return the leaf and the number of an array element such as "weights[3]"."""
    match = _ELEMENT.fullmatch(name)
    leaf = leaves.get(match[1]) if match else None
    if match and leaf is not None and leaf.elements:
        number = int(match[2])
        if number < leaf.elements:
            return leaf, number
        raise ResourceError(f"{name}: found element {number}, wanted one of {leaf.elements}")
    _check_elements(leaves, name)
    import difflib  # noqa: PLC0415 - errors only

    close = difflib.get_close_matches(name, leaves, _MAX_NAMES)
    if close:
        hint = f"; close: {', '.join(close)}"
    elif leaves:
        more = ", ..." if len(leaves) > _MAX_NAMES else ""
        hint = f", which has {', '.join(list(leaves)[:_MAX_NAMES])}{more}"
    else:
        hint = ", which has no variables"
    raise ResourceError(f"{name}: found no such variable in {buffer}{hint}")


def _check_elements(leaves: Mapping[str, Leaf], name: str) -> None:
    """Refuse a path such as "lights[20].color" by the element that an array has not."""
    for index in re.finditer(r"\[(\d{1,9})\]", name):
        array, number = name[: index.start()], int(index[1])
        start = f"{array}["
        count = len({p[len(start) :].partition("]")[0] for p in leaves if p.startswith(start)})
        if count and number >= count:
            raise ResourceError(f"{name}: found element {number}, {array} has {count} elements")


def _shapes(leaf: Leaf, elements: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the usual shape of a leaf, and the full one with all axes."""
    prefix = (elements,) if elements else ()
    full = (*prefix, leaf.rows, leaf.columns)
    if leaf.rows > 1 or not leaf.row_major:
        return full, full
    return ((*prefix, leaf.columns) if leaf.columns > 1 else prefix), full


def _numbers(leaf: Leaf, name: str, elements: int, item: object) -> NDArray[Any]:
    """Return numbers as (elements, rows, columns), of the dtype that the leaf stores."""
    try:
        found = np.asarray(item)
    except (ValueError, TypeError, OverflowError) as error:
        raise ResourceError(f"{name}: found no array of numbers ({error})") from error
    if found.dtype.kind not in "biuf":
        kind = "a string" if found.dtype.kind in "US" else f"{found.dtype}"
        raise ResourceError(f"{name}: found {kind}, wanted {_type_name(leaf)}")
    if found.shape not in _shapes(leaf, elements):
        raise ResourceError(
            f"{name}: found shape {found.shape}, wanted {_shapes(leaf, elements)[0]}"
        )
    numbers = _converted(leaf, name, found)
    return numbers.reshape(max(elements, 1), leaf.rows, leaf.columns)


def _converted(leaf: Leaf, name: str, found: NDArray[Any]) -> NDArray[Any]:
    if leaf.component_type is Type.BOOL:
        return (found != 0).astype(np.uint32)
    dtype = _INTEGERS.get(leaf.component_type)
    if dtype is None:
        with np.errstate(over="ignore"):  # a float64 beyond float32 becomes infinity
            return found.astype(np.float64 if leaf.component_type is Type.DOUBLE else np.float32)
    if found.dtype.kind == "f":
        raise ResourceError(f"{name}: found {found.dtype}, wanted {_type_name(leaf)}")
    limits = np.iinfo(dtype)
    for number in (int(found.min()), int(found.max())) if found.dtype.kind in "iu" else ():
        if not limits.min <= number <= limits.max:
            raise ResourceError(
                f"{name}: found {number}, wanted {_type_name(leaf)} ({limits.min} to {limits.max})"
            )
    return found.astype(dtype)


def _type_name(leaf: Leaf) -> str:
    return leaf.component_type.name.lower()


def _write(data: NDArray[np.uint8], leaf: Leaf, first: int, numbers: NDArray[Any]) -> None:
    """Write (elements, rows, columns) numbers from element `first` of a leaf on."""
    stored = numbers if leaf.row_major else numbers.transpose(0, 2, 1)
    elements, vectors, components = stored.shape
    starts: NDArray[np.int64] = (
        leaf.offset
        + leaf.stride * _steps(elements, first)[:, None, None, None]
        + leaf.vector_stride * _steps(vectors)[:, None, None]
        + leaf.component_size * _steps(components)[:, None]
    )
    places = starts + _steps(leaf.component_size)
    data[places] = np.ascontiguousarray(stored).view(np.uint8).reshape(places.shape)


def _steps(count: int, first: int = 0) -> NDArray[np.int64]:
    return np.arange(first, first + count, dtype=np.int64)
