"""What the states of an effect of Direct3D 9 refer to: parameters, their elements, expressions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from softd3d.bits import ByteReader
from softd3d.container.comments.execution import PreshaderRun, initial_inputs, run_preshader
from softd3d.container.comments.preshader import parse_preshader
from softd3d.container.effects.d3d9.records import (
    Effect9,
    ObjectIds,
    Resource,
    ResourceUsage,
)
from softd3d.errors import ShaderError

__all__ = [
    "ObjectPlace",
    "element_index",
    "element_selector",
    "initial_shader",
    "parameter_name",
    "resources_by_state",
]

ObjectPlace = tuple[int, int, int, int]
"""Technique, pass or parameter, element, and state of a resource."""
_DWORD = 4
_ELEMENT = re.compile(r"([^\[\]]*)\[(\d{1,9})\]\Z")


def resources_by_state(effect: Effect9) -> dict[ObjectPlace, Resource]:
    """Return the resources by their states; the last of a state is what counts."""
    return {(r.technique, r.index, r.element, r.state): r for r in effect.resources}


def parameter_name(resource: Resource) -> str:
    """Return the name of the parameter, with an element in brackets, that a state refers to."""
    return resource.data.partition(b"\0")[0].decode("latin-1")


def element_selector(resource: Resource) -> tuple[str, tuple[bytes, int]]:
    """Return the name of an array, and the preshader of the element that a state takes.

    The preshader is its payload and where that starts in the resource.

    Raises:
        ContainerError: the data is malformed.
    """
    reader = ByteReader(resource.data, 0, "element selector")
    size = reader.u32(0)
    name = reader.bytes(_DWORD, size).partition(b"\0")[0].decode("latin-1")
    code = reader.bytes(_DWORD + size, len(reader) - _DWORD - size)
    return name, (code, _DWORD + size)


def element_index(run: PreshaderRun) -> int:
    """Return which element of an array the preshader of a selector has chosen.

    -1 if it is none that a number can name.
    """
    result = run.floats.get(0, math.nan)
    return int(result) if math.isfinite(result) else -1


def initial_shader(
    resource: Resource, ids: Mapping[str, ObjectIds], objects: Mapping[int, bytes]
) -> bytes | None:
    """Return the shader that a state has before any parameter is set.

    ids: of the objects of parameters, by name; objects: by id. None if there is none, or if the
    element cannot be told.

    Raises:
        ContainerError: the resource is malformed.
    """
    if resource.usage is ResourceUsage.CODE:
        return resource.data or None
    index = 0
    if resource.usage is ResourceUsage.PARAMETER:
        name = parameter_name(resource)
        match = _ELEMENT.match(name)
        if match is not None:
            name, index = match[1], int(match[2])
    else:
        name, expression = element_selector(resource)
        preshader = parse_preshader(*expression)
        try:
            run = run_preshader(preshader, initial_inputs(preshader))
        except ShaderError:
            return None
        index = element_index(run)
    found = ids.get(name)
    if found is None or not 0 <= index < len(found.ids):
        return None
    return objects.get(found.ids[index]) or None
