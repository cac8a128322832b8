"""Vertex declarations, and those that vertex format codes (FVF) stand for.

Spec: win32 D3DVERTEXELEMENT9, D3DDECLTYPE, D3DFVF, "Mapping FVF Codes to a Vertex Declaration".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from softd3d.arguments import integer, items, named, shown
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.enums import DeclType, Fvf
from softd3d.isa.sm1.enums import Usage
from softd3d.isa.sm1.limits import MAX_STREAMS
from softd3d.pipeline.d3d9.elements import element_format

__all__ = ["VertexDeclaration9", "VertexElement9", "declaration_of_fvf"]

_MOST_ELEMENTS = 64  # MAXD3DDECLLENGTH
_T, _U = DeclType, Usage
_END = 0xFF  # the stream of D3DDECL_END
_USAGE_INDICES = range(16)
_OFFSETS = range(1 << 16)


@dataclass(frozen=True, slots=True)
class VertexElement9:
    """D3DVERTEXELEMENT9: where a datum lies in a stream, its type, and what it is for.

    stream: 0 to 15. offset: bytes, a multiple of 4. Methods of the tessellator are not supported.
    """

    stream: int
    offset: int
    type: DeclType
    usage: Usage
    usage_index: int = 0

    @property
    def end(self) -> int:
        """The byte behind it."""
        size = 0 if self.type is _T.UNUSED else element_format(self.type).bytes_per_texel
        return self.offset + size

    @classmethod
    def of(cls, given: object, number: int) -> VertexElement9 | None:
        """Return an element of itself or of its members; None for D3DDECL_END.

        The members are stream, offset, type, usage and usage index, or as in C with the method,
        which must be 0, before the usage.

        Raises:
            ResourceError: a member that is none.
        """
        what = f"vertex element {number}"
        if isinstance(given, VertexElement9):
            found: tuple[object, ...] | None = (
                given.stream, given.offset, given.type, given.usage, given.usage_index,
            )  # fmt: skip
        else:
            found = None if isinstance(given, str) else items(given, 6)
        if found is not None and len(found) == 6:
            if integer(found[3], f"{what}: method", range(8)) and found[0] != _END:
                raise ResourceError(f"{what}: found method {shown(found[3])}, wanted 0 (DEFAULT)")
            found = (*found[:3], *found[4:])
        if found is None or len(found) != 5:
            raise ResourceError(
                f"{what}: found {shown(given)}, wanted stream, offset, type, usage, usage index"
            )
        if found[0] == _END:
            return None
        offset = integer(found[1], f"{what}: offset", _OFFSETS)
        if offset % 4:
            raise ResourceError(f"{what}: found offset {offset}, wanted a multiple of 4")
        return cls(
            integer(found[0], f"{what}: stream", range(MAX_STREAMS)), offset,
            named(DeclType, found[2], f"{what}: type", "D3DDECLTYPE_"),
            named(Usage, found[3], f"{what}: usage", "D3DDECLUSAGE_"),
            integer(found[4], f"{what}: usage index", _USAGE_INDICES),
        )  # fmt: skip


class VertexDeclaration9:
    """IDirect3DVertexDeclaration9. elements: without the end; fvf: that it was made from, or 0.

    >>> members = [(0, 0, "FLOAT3", "POSITION", 0), (0, 12, "D3DCOLOR", "COLOR", 0)]
    >>> VertexDeclaration9(members).elements[1].end
    16
    """

    def __init__(self, elements: Iterable[object], fvf: int = 0) -> None:
        """Take elements, or sequences of their members.

        Raises:
            ResourceError: an element is none, there are too many, two of the same usage, or both a
                position and a processed one.
        """
        given = items(elements, _MOST_ELEMENTS)
        if given is None or len(given) > _MOST_ELEMENTS:
            raise ResourceError(
                f"vertex declaration: found {shown(elements)}, wanted up to 64 elements"
            )
        self.elements = tuple(_until_end(given))
        self.fvf = fvf
        keys = [(e.usage, e.usage_index) for e in self.used]
        for key in keys:
            if keys.count(key) > 1:
                raise ResourceError(
                    f"vertex declaration: found two elements {key[0].name}{key[1]}, wanted one"
                )

    @property
    def used(self) -> tuple[VertexElement9, ...]:
        """The elements that have data."""
        return tuple(e for e in self.elements if e.type is not DeclType.UNUSED)

    def __repr__(self) -> str:
        names = ", ".join(f"{e.usage.name}{e.usage_index} {e.type.name}" for e in self.elements)
        return f"VertexDeclaration9({names})"


def _until_end(given: tuple[object, ...]) -> Iterator[VertexElement9]:
    for number, one in enumerate(given):
        element = VertexElement9.of(one, number)
        if element is None:
            return
        yield element


@lru_cache(maxsize=256)
def declaration_of_fvf(fvf: int) -> VertexDeclaration9:
    """Return the declaration that a vertex format code stands for, all in stream 0.

    Raises:
        ResourceError: no position, more than eight coordinate sets, or bits that mean nothing.

    >>> [e.offset for e in declaration_of_fvf(Fvf.XYZ | Fvf.DIFFUSE | Fvf.TEX1).elements]
    [0, 12, 16]
    """
    sets = (fvf & Fvf.TEXCOUNT_MASK) >> 8
    if sets > 8:
        raise ResourceError(f"FVF {fvf:#x}: found {sets} coordinate sets, wanted up to 8")
    parts = list(_position(fvf))
    named_parts = (
        (Fvf.NORMAL, _T.FLOAT3, _U.NORMAL, 0), (Fvf.PSIZE, _T.FLOAT1, _U.PSIZE, 0),
        (Fvf.DIFFUSE, _T.D3DCOLOR, _U.COLOR, 0), (Fvf.SPECULAR, _T.D3DCOLOR, _U.COLOR, 1),
    )  # fmt: skip
    parts += [(type_, usage, n) for bit, type_, usage, n in named_parts if fvf & bit]
    for n in range(sets):
        parts.append((_SETS[fvf >> 16 + 2 * n & 3], _U.TEXCOORD, n))
    elements: list[VertexElement9] = []
    offset = 0
    for type_, usage, n in parts:
        elements.append(VertexElement9(0, offset, type_, usage, n))
        offset = elements[-1].end
    return VertexDeclaration9(elements, fvf)


_SETS = (_T.FLOAT2, _T.FLOAT3, _T.FLOAT4, _T.FLOAT1)
_FLOATS = {1: _T.FLOAT1, 2: _T.FLOAT2, 3: _T.FLOAT3, 4: _T.FLOAT4}
_WEIGHTS = {Fvf.XYZB1: 1, Fvf.XYZB2: 2, Fvf.XYZB3: 3, Fvf.XYZB4: 4, Fvf.XYZB5: 5}


def _position(fvf: int) -> Iterator[tuple[DeclType, Usage, int]]:
    """Yield position and weights."""
    kind = fvf & Fvf.POSITION_MASK
    if kind == Fvf.XYZRHW:
        yield _T.FLOAT4, _U.POSITIONT, 0
    elif kind == Fvf.XYZW:
        yield _T.FLOAT4, _U.POSITION, 0
    elif kind == Fvf.XYZ or kind in _WEIGHTS:
        yield _T.FLOAT3, _U.POSITION, 0
    else:
        raise ResourceError(f"FVF {fvf:#x}: found no position, wanted XYZ, XYZRHW, XYZW or XYZB1-5")
    weights = _WEIGHTS.get(cast("Any", kind), 0)
    packed = fvf & (Fvf.LASTBETA_UBYTE4 | Fvf.LASTBETA_D3DCOLOR)
    if not weights:
        return
    floats = weights - 1 if packed or weights == 5 else weights
    if floats:
        yield _FLOATS[floats], _U.BLENDWEIGHT, 0
    if packed:
        yield _T.D3DCOLOR if packed & Fvf.LASTBETA_D3DCOLOR else _T.UBYTE4, _U.BLENDINDICES, 0
    elif weights == 5:
        yield _T.FLOAT1, _U.BLENDINDICES, 0
