"""Sampler state: how a texture is filtered and what lies beyond its edges.

It is known when a program is bound, so that programs are specialised for it.
Spec: D3D11.3 section 7.18.3 (D3D11_SAMPLER_DESC and its enums in d3d11.h).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from softd3d.arguments import float32, items, named, shown, whole
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.limits import MAX_ANISOTROPY, MIP_LOD_BIAS

__all__ = [
    "ComparisonFunc", "Filter", "Reduction", "Sampler", "SamplerState", "TextureAddressMode",
]  # fmt: skip

_ADDRESS_PREFIX = "D3D11_TEXTURE_ADDRESS_"
_LARGEST = 3.4028234663852886e38  # FLT_MAX
_COLORS = 4
_LEAST_BIAS, _MOST_BIAS = MIP_LOD_BIAS


class Filter(IntEnum):
    """D3D11_FILTER, and what D3D12_FILTER adds: bits 0, 2 and 4 say linear for mip, mag and min.

    Bit 6 is anisotropic, bits 8 and 7 the reduction.
    """

    MIN_MAG_MIP_POINT = 0x000
    MIN_MAG_POINT_MIP_LINEAR = 0x001
    MIN_POINT_MAG_LINEAR_MIP_POINT = 0x004
    MIN_POINT_MAG_MIP_LINEAR = 0x005
    MIN_LINEAR_MAG_MIP_POINT = 0x010
    MIN_LINEAR_MAG_POINT_MIP_LINEAR = 0x011
    MIN_MAG_LINEAR_MIP_POINT = 0x014
    MIN_MAG_MIP_LINEAR = 0x015
    MIN_MAG_ANISOTROPIC_MIP_POINT = 0x054
    ANISOTROPIC = 0x055
    COMPARISON_MIN_MAG_MIP_POINT = 0x080
    COMPARISON_MIN_MAG_POINT_MIP_LINEAR = 0x081
    COMPARISON_MIN_POINT_MAG_LINEAR_MIP_POINT = 0x084
    COMPARISON_MIN_POINT_MAG_MIP_LINEAR = 0x085
    COMPARISON_MIN_LINEAR_MAG_MIP_POINT = 0x090
    COMPARISON_MIN_LINEAR_MAG_POINT_MIP_LINEAR = 0x091
    COMPARISON_MIN_MAG_LINEAR_MIP_POINT = 0x094
    COMPARISON_MIN_MAG_MIP_LINEAR = 0x095
    COMPARISON_MIN_MAG_ANISOTROPIC_MIP_POINT = 0x0D4
    COMPARISON_ANISOTROPIC = 0x0D5
    MINIMUM_MIN_MAG_MIP_POINT = 0x100
    MINIMUM_MIN_MAG_POINT_MIP_LINEAR = 0x101
    MINIMUM_MIN_POINT_MAG_LINEAR_MIP_POINT = 0x104
    MINIMUM_MIN_POINT_MAG_MIP_LINEAR = 0x105
    MINIMUM_MIN_LINEAR_MAG_MIP_POINT = 0x110
    MINIMUM_MIN_LINEAR_MAG_POINT_MIP_LINEAR = 0x111
    MINIMUM_MIN_MAG_LINEAR_MIP_POINT = 0x114
    MINIMUM_MIN_MAG_MIP_LINEAR = 0x115
    MINIMUM_MIN_MAG_ANISOTROPIC_MIP_POINT = 0x154
    MINIMUM_ANISOTROPIC = 0x155
    MAXIMUM_MIN_MAG_MIP_POINT = 0x180
    MAXIMUM_MIN_MAG_POINT_MIP_LINEAR = 0x181
    MAXIMUM_MIN_POINT_MAG_LINEAR_MIP_POINT = 0x184
    MAXIMUM_MIN_POINT_MAG_MIP_LINEAR = 0x185
    MAXIMUM_MIN_LINEAR_MAG_MIP_POINT = 0x190
    MAXIMUM_MIN_LINEAR_MAG_POINT_MIP_LINEAR = 0x191
    MAXIMUM_MIN_MAG_LINEAR_MIP_POINT = 0x194
    MAXIMUM_MIN_MAG_MIP_LINEAR = 0x195
    MAXIMUM_MIN_MAG_ANISOTROPIC_MIP_POINT = 0x1D4
    MAXIMUM_ANISOTROPIC = 0x1D5


class Reduction(IntEnum):
    """D3D11_FILTER_REDUCTION_TYPE: what becomes of the texels that a filter reads."""

    STANDARD = 0
    COMPARISON = 1
    MINIMUM = 2
    MAXIMUM = 3


class TextureAddressMode(IntEnum):
    """D3D11_TEXTURE_ADDRESS_MODE: what a coordinate outside of a texture means."""

    WRAP = 1
    MIRROR = 2
    CLAMP = 3
    BORDER = 4
    MIRROR_ONCE = 5


class ComparisonFunc(IntEnum):
    """D3D11_COMPARISON_FUNC, between the reference (left) and the texel (right).

    In depth and stencil tests: between the new value (left) and the stored one (right).
    """

    NEVER = 1
    LESS = 2
    EQUAL = 3
    LESS_EQUAL = 4
    GREATER = 5
    NOT_EQUAL = 6
    GREATER_EQUAL = 7
    ALWAYS = 8


class Sampler:
    """What tells how a texture is read; Direct3D 9 has its own."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SamplerState(Sampler):
    """D3D11_SAMPLER_DESC; filter, address modes and comparison_func are members, names or numbers.

    The defaults are Direct3D's. max_anisotropy: 1 to 16, of anisotropic filters only.
    comparison_func: of comparison filters only. border_color: red, green, blue, alpha. min_lod wins
    over max_lod.

    Raises:
        ResourceError: a value that Direct3D does not allow; the text says which.

    >>> SamplerState("MIN_MAG_MIP_POINT", address_u="WRAP").filter
    <Filter.MIN_MAG_MIP_POINT: 0>
    """

    filter: Filter | str | int = Filter.MIN_MAG_MIP_LINEAR
    address_u: TextureAddressMode | str | int = TextureAddressMode.CLAMP
    address_v: TextureAddressMode | str | int = TextureAddressMode.CLAMP
    address_w: TextureAddressMode | str | int = TextureAddressMode.CLAMP
    mip_lod_bias: float = 0.0
    max_anisotropy: int = 1
    comparison_func: ComparisonFunc | str | int = ComparisonFunc.NEVER
    border_color: Sequence[float] = (1.0, 1.0, 1.0, 1.0)
    min_lod: float = -_LARGEST
    max_lod: float = _LARGEST

    def __post_init__(self) -> None:
        values = {
            "filter": named(Filter, self.filter, "sampler filter", "D3D11_FILTER_"),
            **{
                name: named(
                    TextureAddressMode, getattr(self, name), f"sampler {name}", _ADDRESS_PREFIX
                )
                for name in ("address_u", "address_v", "address_w")
            },
            "comparison_func": named(
                ComparisonFunc,
                self.comparison_func,
                "sampler comparison_func",
                "D3D11_COMPARISON_",
            ),
            "border_color": _color(self.border_color),
            "max_anisotropy": _anisotropy(self.max_anisotropy),
            **{
                name: float32(getattr(self, name), f"sampler {name}")
                for name in ("mip_lod_bias", "min_lod", "max_lod")
            },
        }  # fmt: skip
        given = self.mip_lod_bias
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if not _LEAST_BIAS <= self.mip_lod_bias <= float32(_MOST_BIAS, ""):
            raise ResourceError(
                f"sampler mip_lod_bias: found {shown(given)}, wanted {_LEAST_BIAS} to {_MOST_BIAS}"
            )

    @property
    def reduction(self) -> Reduction:
        return Reduction(self.filter_number >> 7)

    @property
    def filter_number(self) -> int:
        """The filter as D3D11_FILTER."""
        return int(self.filter)

    @property
    def is_comparison(self) -> bool:
        return self.reduction is Reduction.COMPARISON

    @property
    def is_anisotropic(self) -> bool:
        return bool(self.filter_number & 0x40)

    @property
    def min_is_linear(self) -> bool:
        return bool(self.filter_number & 0x10)

    @property
    def mag_is_linear(self) -> bool:
        return bool(self.filter_number & 0x04)

    @property
    def mip_is_linear(self) -> bool:
        return bool(self.filter_number & 0x01)

    @property
    def is_point(self) -> bool:
        """Whether the filter reads one texel and does nothing else."""
        return not self.filter_number & 0x55

    @property
    def address_modes(self) -> tuple[TextureAddressMode, ...]:
        """Modes of u, v and w."""
        return tuple(
            TextureAddressMode(m) for m in (self.address_u, self.address_v, self.address_w)
        )


def _color(value: object) -> tuple[float, ...]:
    found = items(value, _COLORS) or ()
    if len(found) != _COLORS:
        raise ResourceError(f"sampler border_color: found {shown(value)}, wanted four numbers")
    return tuple(float32(item, "sampler border_color") for item in found)


def _anisotropy(value: object) -> int:
    try:
        number = whole(value)
    except TypeError:
        number = -1
    # 0 is what a description that is all zeros has; it means no anisotropy, like 1.
    if not 0 <= number <= MAX_ANISOTROPY:
        raise ResourceError(
            f"sampler max_anisotropy: found {shown(value)}, wanted 1 to {MAX_ANISOTROPY}"
        )
    return max(number, 1)
