"""The states of a sampler of Direct3D 9, which tell how a texture is read.

They are known when a program is bound, so that programs are specialised for them.
Spec: win32 D3DSAMPLERSTATETYPE.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from softd3d.arguments import flag, float32, integer, named
from softd3d.isa.d3d9.colors import color_components
from softd3d.isa.d3d9.defaults import SAMPLER_STATE_DEFAULTS
from softd3d.isa.d3d9.enums import TextureAddress, TextureFilterType
from softd3d.isa.d3d9.states import SamplerStateType
from softd3d.isa.limits import MAX_ANISOTROPY
from softd3d.isa.sampling.state import Sampler

__all__ = ["SamplerState9"]

_WORDS = range(1 << 32)
_S = SamplerStateType
_ADDRESSES = ("address_u", "address_v", "address_w")
_FILTERS = ("mag_filter", "min_filter", "mip_filter")
_LINEAR = TextureFilterType.LINEAR  # and what is above it


@dataclass(frozen=True, slots=True)
class SamplerState9(Sampler):
    """All states of a sampler by name; the defaults are Direct3D 9's.

    Addresses and filters are members, names or numbers. border_color: a D3DCOLOR, 0xAARRGGBB.
    max_mip_level: the largest mip level that may be used, counted from 0, the largest of the
    texture. element_index, dmap_offset: have no effect.

    Raises:
        ResourceError: a value that the state cannot have; the text says which.

    >>> SamplerState9(address_u="CLAMP", mag_filter=2).mag_filter
    <TextureFilterType.LINEAR: 2>
    """

    address_u: TextureAddress | str | int = TextureAddress.WRAP
    address_v: TextureAddress | str | int = TextureAddress.WRAP
    address_w: TextureAddress | str | int = TextureAddress.WRAP
    border_color: int = 0
    mag_filter: TextureFilterType | str | int = TextureFilterType.POINT
    min_filter: TextureFilterType | str | int = TextureFilterType.POINT
    mip_filter: TextureFilterType | str | int = TextureFilterType.NONE
    mip_map_lod_bias: float = 0.0
    max_mip_level: int = 0
    max_anisotropy: int = 1
    srgb_texture: bool = False
    element_index: int = 0
    dmap_offset: int = 0

    def __post_init__(self) -> None:
        for name in _ADDRESSES:
            found = named(TextureAddress, getattr(self, name), f"sampler {name}", "D3DTADDRESS_")
            object.__setattr__(self, name, found)
        for name in _FILTERS:
            found = named(TextureFilterType, getattr(self, name), f"sampler {name}", "D3DTEXF_")
            object.__setattr__(self, name, found)
        for name in ("border_color", "max_mip_level", "element_index", "dmap_offset"):
            found = integer(getattr(self, name), f"sampler {name}", _WORDS)
            object.__setattr__(self, name, found)
        bias = float32(self.mip_map_lod_bias, "sampler mip_map_lod_bias")
        object.__setattr__(self, "mip_map_lod_bias", bias)
        most = integer(self.max_anisotropy, "sampler max_anisotropy", _WORDS)
        object.__setattr__(self, "max_anisotropy", max(1, min(most, MAX_ANISOTROPY)))
        object.__setattr__(self, "srgb_texture", flag(self.srgb_texture, "sampler srgb_texture"))

    @classmethod
    def from_words(cls, words: Mapping[SamplerStateType, int]) -> SamplerState9:
        """Return the state that raw DWORDs make, as SetSamplerState takes them.

        A state that is not among them has its default. A bias that is no number is 0; of
        SRGBTEXTURE the lowest bit counts.

        Raises:
            ResourceError: an address or filter that is none.

        >>> from softd3d.isa.d3d9.states import SamplerStateType
        >>> SamplerState9.from_words({SamplerStateType.MIPMAPLODBIAS: 0x3F800000}).mip_map_lod_bias
        1.0
        """
        given = {**SAMPLER_STATE_DEFAULTS, **words}
        (bias,) = struct.unpack("<f", struct.pack("<I", given[_S.MIPMAPLODBIAS]))
        return cls(
            address_u=given[_S.ADDRESSU], address_v=given[_S.ADDRESSV],
            address_w=given[_S.ADDRESSW], border_color=given[_S.BORDERCOLOR],
            mag_filter=given[_S.MAGFILTER], min_filter=given[_S.MINFILTER],
            mip_filter=given[_S.MIPFILTER], mip_map_lod_bias=0.0 if math.isnan(bias) else bias,
            max_mip_level=given[_S.MAXMIPLEVEL], max_anisotropy=given[_S.MAXANISOTROPY],
            srgb_texture=bool(given[_S.SRGBTEXTURE] & 1), element_index=given[_S.ELEMENTINDEX],
            dmap_offset=given[_S.DMAPOFFSET],
        )  # fmt: skip

    @property
    def addresses(self) -> tuple[TextureAddress, ...]:
        """Modes of u, v and w."""
        return tuple(TextureAddress(getattr(self, name)) for name in _ADDRESSES)

    @property
    def mag_is_linear(self) -> bool:
        return int(self.mag_filter) >= _LINEAR

    @property
    def min_is_linear(self) -> bool:
        return int(self.min_filter) >= _LINEAR

    @property
    def mip_is_linear(self) -> bool:
        return int(self.mip_filter) >= _LINEAR

    @property
    def has_mips(self) -> bool:
        """Whether other levels than the base level are used."""
        return self.mip_filter is not TextureFilterType.NONE

    @property
    def is_anisotropic(self) -> bool:
        return self.min_filter is TextureFilterType.ANISOTROPIC and self.max_anisotropy > 1

    @property
    def border(self) -> tuple[float, float, float, float]:
        """The border colour as red, green, blue and alpha."""
        return color_components(self.border_color)
