"""Lookups of Direct3D 9: positions, levels and texels joined to a result.

Weights of filters are exact fractions in float32. Cubes have no filter across the edges of faces.
Spec: Direct3D 9 shader assembly reference, texld, texldd, texldl; win32 "Texture Filtering
(Direct3D 9)"; docs/numbers-d3d9.md, "Textures".
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

from softd3d.algebra.operations import bitcast, convert, select
from softd3d.algebra.value import F32, I32, Value
from softd3d.isa.d3d9.enums import TextureAddress
from softd3d.isa.derivatives import derivative
from softd3d.isa.machine import Info, Machine, View
from softd3d.isa.sampling.coordinates import Linear
from softd3d.isa.sampling.cube import Face, derivative_on_face, face_of
from softd3d.isa.sampling.d3d9.axis import along
from softd3d.isa.sampling.d3d9.level import levels_of, needs_level
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sampling.d3d9.texels import Reader9, compares_depth
from softd3d.isa.sampling.filter import blend, joined
from softd3d.isa.sampling.level import (
    Footprint,
    Levels,
    anisotropic_footprint,
    isotropic_lod,
)
from softd3d.isa.sampling.probes import Combine, along_line, in_levels
from softd3d.isa.sampling.taps import read_texels
from softd3d.isa.sampling.texels import COORDINATES, EXTENTS, level_at
from softd3d.isa.sm4.enums import ResourceDimension

__all__ = [
    "Texel", "Texture", "is_cube", "sample_at_level", "sample_by_derivatives", "sample_in_quad",
]  # fmt: skip

Texture: TypeAlias = "tuple[View, SamplerState9]"
"""What is bound to a sampler; a view without a format where nothing is."""
Texel: TypeAlias = "tuple[Value | None, ...]"
Vector: TypeAlias = "tuple[Value, ...]"
_FACE = (TextureAddress.CLAMP,) * 2


def is_cube(texture: Texture) -> bool:
    """Tell whether coordinates are a direction."""
    return texture[0].dimension is ResourceDimension.TEXTURECUBE


def sample_in_quad(
    m: Machine, texture: Texture, address: Vector, bias: Value | None = None, *, uses_max: bool
) -> Texel:
    """Sample with the level that the address's differences in the quad give.

    They are those of the pixel's own row and column. address: float32, four components. bias: added
    to the level. uses_max: whether MAXMIPLEVEL counts without a filter between levels.
    """
    if not needs_level(texture[1]):
        return _sampled(m, texture, address, None, uses_max=uses_max)
    dx, dy = (
        tuple(derivative(m, c, axis, is_fine=True, of_all=True) for c in address[:3])
        for axis in (0, 1)
    )
    return sample_by_derivatives(m, texture, address, dx, dy, bias, uses_max=uses_max)


def sample_by_derivatives(
    m: Machine, texture: Texture, address: Vector, dx: Vector, dy: Vector,
    bias: Value | None = None, *, uses_max: bool,
) -> Texel:  # fmt: skip
    """Sample with the level that two derivatives of the address give."""
    view, sampler = texture
    if view.format is None or not needs_level(sampler):
        return _sampled(m, texture, address, None, uses_max=uses_max)
    count, _ = COORDINATES[view.dimension]
    extents = tuple(convert(bitcast(m.info(view, f), I32), F32) for f in EXTENTS[:count])
    if is_cube(texture):
        direction = address[0], address[1], address[2]
        face = face_of(direction)
        dx, dy = (derivative_on_face(face, direction, (d[0], d[1], d[2])) for d in (dx, dy))
    dx, dy = dx[:count], dy[:count]
    if not sampler.is_anisotropic or view.dimension is not ResourceDimension.TEXTURE2D:
        return _sampled(
            m, texture, address, _sum(isotropic_lod(extents, dx, dy), bias), uses_max=uses_max
        )
    footprint = anisotropic_footprint(extents, dx, dy, sampler.max_anisotropy)
    return _sampled(m, texture, address, _sum(footprint.lod, bias), footprint, uses_max=uses_max)


def sample_at_level(
    m: Machine, texture: Texture, address: Vector, lod: Value, *, uses_max: bool
) -> Texel:
    """Sample at a given level, to which the sampler's bias is added."""
    return _sampled(m, texture, address, lod, uses_max=uses_max)


def _sum(lod: Value, bias: Value | None) -> Value:
    return lod if bias is None else lod + bias


def _sampled(
    m: Machine, texture: Texture, address: Vector, lod: Value | None,
    footprint: Footprint | None = None, *, uses_max: bool,
) -> Texel:  # fmt: skip
    view, sampler = texture
    if view.format is None:
        zero = m.k.const(F32, 0.0)
        return zero, zero, zero, m.k.const(F32, 1.0)
    if lod is not None and sampler.mip_map_lod_bias:
        lod = lod + sampler.mip_map_lod_bias
    levels = levels_of(m, view, sampler, lod, uses_max=uses_max)
    linear = _linear(sampler, levels.magnified)
    exact = linear is False and not sampler.mip_is_linear and footprint is None
    reference = address[2] if compares_depth(view) else None
    reader = Reader9(m, view, sampler, m.components, exact=exact, reference=reference)
    count, _ = COORDINATES[view.dimension]
    modes = sampler.addresses
    coordinates, face = address[:count], None
    if is_cube(texture):
        face, coordinates = _on_face((address[0], address[1], address[2]))
        modes = _FACE
    probe = partial(_probe, m, reader, levels, modes, face, linear)
    if footprint is None:
        found = probe(coordinates)
    else:
        most = sampler.max_anisotropy
        found = along_line(footprint, most, coordinates, probe, _combine(reader))
    return tuple(None if c is None else bitcast(c, F32) for c in reader.finish(found))


def _linear(sampler: SamplerState9, magnified: Value) -> Linear:
    """Tell where neighbours are blended."""
    if sampler.mag_is_linear == sampler.min_is_linear:
        return sampler.mag_is_linear
    return magnified if sampler.mag_is_linear else ~magnified


def _on_face(direction: tuple[Value, Value, Value]) -> tuple[Face, Vector]:
    """Return the face that a direction meets and where, from 0 to 1; of no direction the middle."""
    face = face_of(direction)
    out = abs(face.major(direction))
    nowhere = out.eq(0.0)
    return face, tuple(
        select(nowhere, 0.5, minor / out * 0.5 + 0.5) for minor in face.minor(direction)
    )


def _probe(
    m: Machine, reader: Reader9, levels: Levels, modes: tuple[TextureAddress, ...],
    face: Face | None, linear: Linear, coordinates: Vector,
) -> Vector:  # fmt: skip
    """Filter at one place: in one mip level, or in two that are joined."""
    view = reader.view

    def at(number: Value) -> Vector:
        level = level_at(m, view, number)
        base = level.base
        if face is not None:
            base = base + face.number * m.info(view, Info.ARRAY_PITCH)
        axes = [
            along(c, bitcast(extent, I32), mode, linear)
            for c, extent, mode in zip(coordinates, level.extents, modes, strict=False)
        ]
        texels, weights = read_texels(reader, base, axes, level.pitches, linear=linear)
        return _combine(reader)(texels, weights)

    return in_levels(levels, at, _combine(reader))


def _combine(reader: Reader9) -> Combine:
    return partial(joined, join=blend, may_be_infinite=reader.may_be_infinite)
