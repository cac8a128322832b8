"""The values of a parameter, and NumPy values to and from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import shown
from softd3d.container.comments.ctab import ParameterClass, ParameterType
from softd3d.container.effects.d3d9.records import (
    Numbers,
    ObjectIds,
    SamplerStates,
    Structures,
    Value,
)
from softd3d.device.effects9.slots import Slot
from softd3d.errors import ContainerError, ResourceError
from softd3d.shaders.token_stream import Shader9

__all__ = ["Store", "get_value", "initial_store", "set_value"]

_DTYPES = {
    ParameterType.BOOL: np.dtype(np.bool_),
    ParameterType.INT: np.dtype(np.int32),
    ParameterType.FLOAT: np.dtype(np.float32),
}
_SHADERS = (ParameterType.VERTEXSHADER, ParameterType.PIXELSHADER)
_TEXTURES = (
    ParameterType.TEXTURE,
    ParameterType.TEXTURE1D,
    ParameterType.TEXTURE2D,
    ParameterType.TEXTURE3D,
    ParameterType.TEXTURECUBE,
)
_Items = list[Any]


class Store:
    """A parameter's value. numbers: uint32, a dword for each unit; objects: by unit.

    parameter: its number among the parameters of its effect, -1 for an annotation.
    """

    __slots__ = ("numbers", "objects", "parameter")

    def __init__(self, size: int, parameter: int) -> None:
        self.parameter = parameter
        self.numbers: NDArray[np.uint32] = np.zeros(size, np.uint32)
        self.objects: dict[int, Any] = {}


def initial_store(
    slot: Slot, value: Value, data: Mapping[int, bytes], parameter: int = -1
) -> Store:
    """Return the value that an effect gives a parameter; data: of stored objects, by id.

    Raises:
        ContainerError: the value has not the form of its type.
    """
    store = Store(slot.size, parameter)
    _fill(store, slot, value, data)
    return store


def _fill(store: Store, slot: Slot, value: Value, data: Mapping[int, bytes]) -> None:
    match value:
        case Numbers(dwords) if slot.is_numeric and (
            len(dwords) == slot.size == math.prod(slot.shape)
        ):
            store.numbers[slot.start : slot.start + slot.size] = dwords
        case ObjectIds(ids) if not slot.is_numeric and len(ids) == slot.size:
            for number, id_ in enumerate(ids, slot.start):
                store.objects[number] = _initial_object(slot.type, data.get(id_, b""))
        case SamplerStates(elements) if len(elements) == slot.size:
            store.objects.update(enumerate(elements, slot.start))
        case Structures(elements) if len(elements) == max(slot.elements, 1):
            for number, members in enumerate(elements):
                places = slot.element(number).members
                for member, part in zip(places, members, strict=True):
                    _fill(store, member, part, data)
        case _:
            raise ContainerError(f"effect: the value of {slot.name} has not the form of its type")


def _initial_object(type_: ParameterType, data: bytes) -> Any:
    if type_ is ParameterType.STRING:
        return data.partition(b"\0")[0].decode("latin-1")
    return data if data and type_ in _SHADERS else None


def get_value(slot: Slot, store: Store) -> Any:
    """Return a value: an array (a NumPy scalar if it is one number), an object, or a dict.

    Arrays of objects and structures are lists.
    """
    if slot.class_ is ParameterClass.STRUCT:
        if slot.elements:
            return [get_value(slot.element(n), store) for n in range(slot.elements)]
        return {member.name: get_value(member, store) for member in slot.members}
    if not slot.is_numeric:
        units = range(slot.start, slot.start + slot.size)
        objects = [store.objects.get(unit) for unit in units]
        return objects if slot.elements else objects[0]
    dwords = store.numbers[slot.start : slot.start + slot.size].reshape(slot.shape)
    if slot.type is ParameterType.BOOL:
        return (dwords != 0)[()]
    return dwords.view(_DTYPES[slot.type]).copy()[()]


def set_value(slot: Slot, store: Store, value: Any, name: str) -> None:
    """Set a value; of a structure, a mapping or a NumPy record may name some of its members.

    Raises:
        ResourceError: shape, kind of numbers, object or member is another one; name: what of.
    """
    if slot.class_ is ParameterClass.STRUCT:
        _set_structure(slot, store, value, name)
    elif slot.is_numeric:
        store.numbers[slot.start : slot.start + slot.size] = _dwords(slot, value, name)
    elif slot.elements:
        for number, item in enumerate(_items(value, slot.elements, name)):
            place = f"{name}[{number}]"
            store.objects[slot.start + number] = _object(slot, item, place)
    else:
        store.objects[slot.start] = _object(slot, value, name)


def _set_structure(slot: Slot, store: Store, value: Any, name: str) -> None:
    if slot.elements:
        for number, item in enumerate(_items(value, slot.elements, name)):
            set_value(slot.element(number), store, item, f"{name}[{number}]")
        return
    parts: Mapping[str, Any]
    if isinstance(value, Mapping):
        parts = cast("Mapping[str, Any]", value)
    elif isinstance(value, (np.void, np.ndarray)) and cast("Any", value).dtype.names is not None:
        record = cast("Any", value)
        parts = {str(field): record[field] for field in record.dtype.names}
    else:
        raise ResourceError(
            f"effect: {name}: found {shown(cast('object', value))}, wanted a mapping or a NumPy "
            "record"
        )
    members = {member.name: member for member in slot.members}
    for field, part in parts.items():
        if field not in members:
            raise ResourceError(
                f"effect: {name} has no member {shown(field)}, wanted some of {', '.join(members)}"
            )
        set_value(members[field], store, part, f"{name}.{field}")


def _items(value: Any, count: int, name: str) -> _Items:
    is_row = isinstance(value, Sequence) and not isinstance(value, (str, bytes))
    is_row = is_row or (isinstance(value, np.ndarray) and value.ndim > 0)
    found = list(cast("Sequence[Any]", value)) if is_row else []
    if not is_row or len(found) != count:
        kind = f"{len(found)} elements" if is_row else shown(cast("object", value))
        raise ResourceError(f"effect: {name}: found {kind}, wanted {count} elements")
    return found


def _dwords(slot: Slot, value: Any, name: str) -> NDArray[np.uint32]:
    """Return the dwords of numbers; what does not fit int32 is refused, float64 is rounded."""
    wanted = _DTYPES[slot.type]
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ResourceError(f"effect: {name}: {error}") from None
    if array.shape != slot.shape:
        raise ResourceError(f"effect: {name}: shape {array.shape}, wanted {slot.shape}")
    kinds = "biuf" if slot.type is ParameterType.FLOAT else "biu"
    if array.dtype.kind not in kinds:
        raise ResourceError(f"effect: {name}: found {array.dtype} numbers, wanted {wanted}")
    if slot.type is ParameterType.INT and array.size:
        limits = np.iinfo(np.int32)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise ResourceError(f"effect: {name}: {shown(value)} is out of the range of int32")
    with np.errstate(all="ignore"):
        converted = np.ascontiguousarray(array, wanted)
    if slot.type is ParameterType.BOOL:
        return converted.astype(np.uint32).reshape(-1)
    return converted.reshape(-1).view(np.uint32)


def _object(slot: Slot, value: Any, name: str) -> Any:
    """Return an object as it is kept; what textures are is the device's business."""
    if slot.type is ParameterType.STRING:
        if not isinstance(value, str):
            raise ResourceError(f"effect: {name}: found {shown(value)}, wanted a string")
        return value
    if slot.type in _TEXTURES:
        if isinstance(value, (np.ndarray, str, bytes)):  # texels or a file
            found = type(cast("object", value)).__name__
            raise ResourceError(f"effect: {name}: found {found}, wanted a Texture9 or None")
        return value
    if slot.type in _SHADERS:
        if value is None or isinstance(value, bytes):
            return value
        if isinstance(value, Shader9):
            return value.data
        raise ResourceError(
            f"effect: {name}: found {shown(value)}, wanted a Shader9, its tokens, or None"
        )
    raise ResourceError(f"effect: {name} is a {slot.type.name.lower()}, which cannot be set")
