"""Levels of detail by Direct3D 9's rules.

A level of 0 or less, after the bias, is magnification, which reads the base level. Others read the
nearest level or two neighbours, or the base level if the sampler uses no others. The base level is
the first one that texture (SetLOD) and sampler (MAXMIPLEVEL) allow; without a filter between levels
the sampler's counts in the profile `documented` only. Spec: win32 D3DSAMP_MAXMIPLEVEL,
"Texture Filtering with Mipmaps (Direct3D 9)", IDirect3DBaseTexture9::SetLOD.
"""

from __future__ import annotations

from softd3d.algebra.operations import bitcast, convert, floor, select
from softd3d.algebra.value import BOOL, F32, I32, U32, Value
from softd3d.isa.limits import MAX_MIP_LEVELS
from softd3d.isa.machine import Info, Machine, View
from softd3d.isa.sampling.coordinates import least, most
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sampling.level import Levels

__all__ = ["base_level", "levels_of", "needs_level"]


def needs_level(sampler: SamplerState9) -> bool:
    """Tell whether it matters which level of detail a lookup has."""
    return (
        sampler.has_mips or sampler.mag_is_linear != sampler.min_is_linear or sampler.is_anisotropic
    )


def base_level(m: Machine, view: View, sampler: SamplerState9, *, uses_max: bool) -> Value:
    """Return the number of the base level, int32; uses_max: MAXMIPLEVEL without other levels."""
    of_sampler = sampler.max_mip_level if sampler.has_mips or uses_max else 0
    first = min(max(int(view.min_lod), of_sampler), MAX_MIP_LEVELS)
    if not first:
        return m.k.const(I32, 0)
    return least(m.k.const(I32, first), _last(m, view))


def levels_of(
    m: Machine, view: View, sampler: SamplerState9, lod: Value | None, *, uses_max: bool
) -> Levels:
    """Return the mip levels to read. lod: float32, biased; None where it does not matter.

    A NaN reads the base level with the minification filter.
    """
    base = base_level(m, view, sampler, uses_max=uses_max)
    if lod is None:
        return Levels(bitcast(base, U32), None, None, m.k.const(BOOL, 1))
    magnified = lod <= 0.0
    if not sampler.has_mips:
        return Levels(bitcast(base, U32), None, None, magnified)
    last = _last(m, view)
    lowest, highest = convert(base, F32), convert(last, F32)
    clamped = select(lod > lowest, lod, lowest)
    clamped = select(clamped < highest, clamped, highest)
    if not sampler.mip_is_linear:
        nearest = least(convert(floor(clamped + 0.5), I32), last)
        return Levels(bitcast(nearest, U32), None, None, magnified)
    below = floor(clamped)
    weight = clamped - below
    first = convert(below, I32)
    second = select(weight.eq(0.0), first, first + 1)
    return Levels(bitcast(first, U32), bitcast(second, U32), weight, magnified)


def _last(m: Machine, view: View) -> Value:
    """Return the number of the smallest mip level, int32."""
    return most(bitcast(m.info(view, Info.MIP_COUNT), I32) - 1, 0)
