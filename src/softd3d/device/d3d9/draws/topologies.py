"""Primitives of Direct3D 9 as Direct3D 11 draws them: fans become lists, and no index is a cut.

Spec: win32 D3DPRIMITIVETYPE, IDirect3DDevice9::DrawPrimitive, ::DrawIndexedPrimitive.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import integer, named
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import DXGI_FORMATS
from softd3d.isa.d3d9.enums import PrimitiveType
from softd3d.pipeline.prepared import IndexStream
from softd3d.pipeline.state import PrimitiveTopology

__all__ = ["CORNERS", "TOPOLOGIES", "fan_indices", "listed_indices", "vertex_count"]

_P, _T = PrimitiveType, PrimitiveTopology
_MOST = 1 << 26  # vertices of a call
TOPOLOGIES = {
    _P.POINTLIST: _T.POINTLIST, _P.LINELIST: _T.LINELIST, _P.LINESTRIP: _T.LINESTRIP,
    _P.TRIANGLELIST: _T.TRIANGLELIST, _P.TRIANGLESTRIP: _T.TRIANGLESTRIP,
    _P.TRIANGLEFAN: _T.TRIANGLELIST,
}  # fmt: skip
"""The topologies that draws have; of a fan, that of its list."""
CORNERS = {
    _P.POINTLIST: 1, _P.LINELIST: 2, _P.LINESTRIP: 2, _P.TRIANGLELIST: 3, _P.TRIANGLESTRIP: 3,
    _P.TRIANGLEFAN: 3,
}  # fmt: skip
"""How many vertices a primitive has."""
_STEPS = {
    _P.POINTLIST: (1, 0), _P.LINELIST: (2, 0), _P.LINESTRIP: (1, 1), _P.TRIANGLELIST: (3, 0),
    _P.TRIANGLESTRIP: (1, 2), _P.TRIANGLEFAN: (1, 2),
}  # fmt: skip
_INDEX = DXGI_FORMATS["R32_UINT"]


def vertex_count(type_: object, primitives: object) -> tuple[PrimitiveType, int]:
    """Return a type of primitives, and how many vertices so many of them have.

    Raises:
        ResourceError: no type, or no count.

    >>> vertex_count("D3DPT_TRIANGLEFAN", 3)
    (<PrimitiveType.TRIANGLEFAN: 6>, 5)
    """
    found = _BY_NAME.get(type_) if isinstance(type_, str) else None
    if found is None:
        found = named(PrimitiveType, type_, "primitive type", "D3DPT_")
    count = primitives if type(primitives) is int else integer(primitives, "primitive count")
    step, more = _STEPS[found]
    if not 0 <= count <= _MOST // step:
        raise ResourceError(
            f"primitive count: found {count}, wanted 0 to {_MOST // step} of a {found.name}"
        )
    return found, step * count + more if count else 0


_BY_NAME = {m.name: m for m in PrimitiveType}


@lru_cache(maxsize=64)
def fan_indices(vertices: int) -> IndexStream:
    """Return the list of a fan's triangles: (i + 1, i + 2, 0), so that i + 1 is the leading vertex.

    vertices: of the fan, counted from its first.
    """
    return _stream(_fan(np.arange(vertices, dtype=np.uint32)))


def listed_indices(type_: PrimitiveType, indices: NDArray[Any]) -> IndexStream:
    """Return the list of the triangles or lines that indices of a fan or strip make.

    indices: those of the call, uint16 or uint32. 0xFFFF and 0xFFFFFFFF are indices as others.
    """
    found = indices.astype(np.uint32)
    if type_ is _P.TRIANGLEFAN:
        return _stream(_fan(found))
    if type_ is _P.LINESTRIP:
        return _stream(np.stack((found[:-1], found[1:]), axis=1))
    triangles = np.stack((found[:-2], found[1:-1], found[2:]), axis=1)
    triangles[1::2, 1:] = triangles[1::2, :0:-1].copy()
    return _stream(triangles)


def _fan(vertices: NDArray[np.uint32]) -> NDArray[np.uint32]:
    middle = np.full(max(vertices.size - 2, 0), vertices[0] if vertices.size else 0, np.uint32)
    return np.stack((vertices[1:-1], vertices[2:], middle), axis=1)


def _stream(indices: NDArray[np.uint32]) -> IndexStream:
    flat = np.ascontiguousarray(indices).reshape(-1)
    return IndexStream(flat.view(np.uint8), _INDEX)
