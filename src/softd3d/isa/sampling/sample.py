"""The sampling instructions' common part: positions, levels, taps and probes joined to a result.

Spec: D3D11.3 sections 7.18, 22.4.2 (gather4), 22.4.15 (sample), 22.5.6 (lod).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from softd3d.algebra.operations import bitcast, convert, select
from softd3d.algebra.value import BOOL, F32, I32, U32, Value
from softd3d.classes import dataclass
from softd3d.errors import DecodeError
from softd3d.isa.machine import Info, Machine, View, ViewKind
from softd3d.isa.sampling.coordinates import Linear, along, array_slice
from softd3d.isa.sampling.cube import (
    Face,
    corner_filled,
    derivative_on_face,
    face_of,
    face_taps,
    position_on_face,
)
from softd3d.isa.sampling.filter import joined, reduction_of
from softd3d.isa.sampling.level import (
    Footprint,
    Levels,
    Lod,
    anisotropic_footprint,
    available_lod,
    clamped_lod,
    isotropic_lod,
    mip_levels,
)
from softd3d.isa.sampling.probes import Combine, along_line, in_levels
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sampling.taps import read_texels
from softd3d.isa.sampling.texels import (
    COORDINATES,
    EXTENTS,
    Level,
    Reader,
    Texel,
    has_least_level,
    level_at,
)
from softd3d.isa.sm4.enums import ResourceDimension

__all__ = ["Offsets", "Result", "gather", "level_of_detail", "query_lod", "sample"]

Result: TypeAlias = "tuple[Value | None, ...]"
Vector: TypeAlias = "tuple[Value, ...]"
Offsets: TypeAlias = "tuple[Value | int, ...]"
_D = ResourceDimension
_CUBES = frozenset({_D.TEXTURECUBE, _D.TEXTURECUBEARRAY})
_ANISOTROPIC = frozenset({_D.TEXTURE2D, _D.TEXTURE2DARRAY})
_SAMPLED = frozenset(COORDINATES) - {_D.BUFFER, _D.TEXTURE2DMS, _D.TEXTURE2DMSARRAY}
# Of the texels (left, upper), (right, upper), (left, lower), (right, lower), in gather4's order.
_GATHERED = (2, 3, 1, 0)


@dataclass(frozen=True, slots=True)
class Position:
    """Where a texture is read. coordinates: float32, 0 to 1 across the texture or cube face.

    slice: uint32, byte offset of the array slice; of cube arrays, the first face's. face: of cubes.
    """

    coordinates: Vector
    slice: Value | None
    face: Face | None
    offsets: Offsets


def sample(
    m: Machine, view: View, sampler: SamplerState, address: Vector, lod: Lod, offsets: Offsets, *,
    reference: Value | None = None, footprint: Footprint | None = None,
) -> Result:  # fmt: skip
    """Return the filtered texel, as bits or float32; with a reference, what comparing gives.

    address: float32, four components. footprint: of an anisotropic filter.
    """
    if view.format is None:
        return (m.k.const(U32, 0),) * 4
    reader = Reader(
        m, view, sampler, m.components, exact=sampler.is_point, reference=reference,
        exists=lod.exists,
    )  # fmt: skip
    levels = mip_levels(m, view, sampler, lod.clamped)
    position = position_of(m, view, address, offsets)
    probe = partial(_probe, m, reader, levels, _linear(sampler, levels.magnified))
    if footprint is None:
        return reader.finish(probe(position))
    return reader.finish(_along_line(reader, probe, position, footprint))


def gather(
    m: Machine, view: View, sampler: SamplerState, component: int, address: Vector,
    offsets: Offsets, *, reference: Value | None = None,
) -> Result:  # fmt: skip
    """Return one component of the four texels that a bilinear filter reads, unchanged.

    They are those of the first level: lower left, lower right, upper right, upper left.
    """
    if view.format is None:
        return (m.k.const(U32, 0),) * 4
    exists = None
    if view.min_lod > 0:
        exists = has_least_level(m, view) & m.k.const(BOOL, view.min_lod < 1)
    reader = Reader(
        m, view, sampler, (component,), exact=True, reference=reference, exists=exists
    )  # fmt: skip
    position = position_of(m, view, address, offsets)
    texels, _ = _taps(m, reader, position, level_at(m, view, m.k.const(U32, 0)), linear=True)
    found = [reader.finish(texels[n])[component if reference is None else 0] for n in _GATHERED]
    return tuple(found)


def level_of_detail(
    m: Machine, view: View, sampler: SamplerState, address: Vector, dx: Vector, dy: Vector
) -> tuple[Value, Footprint | None]:
    """Return the level of detail from the derivatives of an address, and an anisotropic footprint.

    dx, dy: float32, per pixel to the right and down, of the components of `address`.
    """
    _expect(view)
    count, _ = COORDINATES[view.dimension]
    extents = tuple(convert(bitcast(m.info(view, f), I32), F32) for f in EXTENTS[:count])
    if view.dimension in _CUBES:
        direction = address[0], address[1], address[2]
        face = face_of(direction)
        dx, dy = (derivative_on_face(face, direction, (d[0], d[1], d[2])) for d in (dx, dy))
    dx, dy = dx[:count], dy[:count]
    is_anisotropic = sampler.is_anisotropic and sampler.max_anisotropy > 1
    if not is_anisotropic or view.dimension not in _ANISOTROPIC:
        return isotropic_lod(extents, dx, dy), None
    footprint = anisotropic_footprint(extents, dx, dy, sampler.max_anisotropy)
    return footprint.lod, footprint


def query_lod(m: Machine, view: View, sampler: SamplerState, lod: Value) -> tuple[Value, Value]:
    """Return the level that is sampled, clamped to those that exist, and the one before clamps."""
    if view.format is None:
        zero = m.k.const(F32, 0.0)
        return zero, zero
    found = clamped_lod(m, view, sampler, lod)
    clamped = available_lod(m, view, found.clamped)
    if not sampler.mip_is_linear:
        first = mip_levels(m, view, sampler, found.clamped).first
        clamped = convert(bitcast(first, I32), F32)
    if found.exists is not None:
        clamped = select(found.exists, clamped, 0.0)
    return clamped, found.biased


def position_of(m: Machine, view: View, address: Vector, offsets: Offsets) -> Position:
    """Take an address apart into coordinates and array slice."""
    _expect(view)
    count, is_array = COORDINATES[view.dimension]
    is_cube = view.dimension in _CUBES
    slice_ = None
    if is_array:
        number = array_slice(address[3 if is_cube else count], m.info(view, Info.ARRAY_SIZE))
        slice_ = number * m.info(view, Info.ARRAY_PITCH) * (6 if is_cube else 1)
    if not is_cube:
        return Position(address[:count], slice_, None, offsets)
    direction = address[0], address[1], address[2]
    face = face_of(direction)
    return Position(position_on_face(face, direction), slice_, face, offsets)


def _expect(view: View) -> None:
    if view.kind is not ViewKind.TYPED or view.dimension not in _SAMPLED:
        raise DecodeError(
            f"{view.register} cannot be sampled: {view.dimension.name.lower()}, wanted a texture"
        )


def _linear(sampler: SamplerState, magnified: Value) -> Linear:
    """Tell where neighbours are blended."""
    if sampler.mag_is_linear == sampler.min_is_linear:
        return sampler.mag_is_linear
    return magnified if sampler.mag_is_linear else ~magnified


def _combine(reader: Reader) -> Combine:
    join = reduction_of(reader.sampler.reduction)
    return partial(joined, join=join, may_be_infinite=reader.may_be_infinite)


def _probe(m: Machine, reader: Reader, levels: Levels, linear: Linear, position: Position) -> Texel:
    """Filter at one place: in one mip level, or in two that are joined."""
    combine = _combine(reader)

    def at(level: Value) -> Texel:
        place = level_at(m, reader.view, level)
        return combine(*_taps(m, reader, position, place, linear=linear))

    return in_levels(levels, at, combine)


def _along_line(
    reader: Reader, probe: Callable[[Position], Texel], position: Position, footprint: Footprint
) -> Texel:
    return along_line(
        footprint, reader.sampler.max_anisotropy, position.coordinates,
        lambda moved: probe(replace(position, coordinates=moved)), _combine(reader),
    )  # fmt: skip


def _taps(
    m: Machine, reader: Reader, position: Position, level: Level, *, linear: Linear
) -> tuple[list[Texel], tuple[Value, ...]]:
    """Read the texels of a filter in a level, x fastest; return them and the axes' weights."""
    base = level.base if position.slice is None else level.base + position.slice
    extents = [bitcast(e, I32) for e in level.extents]
    if position.face is not None:
        return _cube_taps(m, reader, position, replace(level, base=base), linear=linear)
    modes = reader.sampler.address_modes
    axes = [
        along(c, extent, modes[n], linear, position.offsets[n])
        for n, (c, extent) in enumerate(zip(position.coordinates, extents, strict=True))
    ]
    return read_texels(reader, base, axes, level.pitches, linear=linear)


def _cube_taps(
    m: Machine, reader: Reader, position: Position, level: Level, *, linear: Linear
) -> tuple[list[Texel], tuple[Value, ...]]:
    """Do the same on a cube, where texels beyond an edge of a face are those of the next face."""
    face = position.face
    assert face is not None  # noqa: S101 - of cubes only
    stride, (row,) = reader.view.stride, level.pitches
    pitch = m.info(reader.view, Info.ARRAY_PITCH)

    def place(where: Face, x: Value, y: Value) -> Value:
        at = level.base + where.number * pitch + bitcast(y, U32) * row
        return at + bitcast(x, U32) * stride

    u, v = position.coordinates
    taps = face_taps(face, u, v, bitcast(level.extents[0], I32), linear, place)
    texels = [reader.read(at) for at in taps.places]
    if taps.corners:
        texels = corner_filled(texels, taps.corners)
    return texels, taps.weights
