"""What filters of Direct3D 9 see of texels.

They differ from later ones in formats that lack components, whose border has them all the same;
in components that are computed; and in depth textures, which compare with a coordinate.
"""

from __future__ import annotations

from functools import lru_cache

from softd3d.algebra.float_rules import saturate
from softd3d.algebra.value import Value
from softd3d.formats.d3d9 import D3D9Format
from softd3d.formats.d3d9_views import compares
from softd3d.formats.layout import Channel, ChannelType
from softd3d.formats.rules import D3D10
from softd3d.isa.d3d9.enums import TextureAddress
from softd3d.isa.machine import Machine, View
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sampling.state import ComparisonFunc, SamplerState
from softd3d.isa.sampling.texels import COORDINATES, Reader
from softd3d.isa.sm4.enums import ResourceDimension

__all__ = ["Reader9", "compares_depth"]

_NUMBER = Channel("", ChannelType.FLOAT, 32, 0)
"""What is no channel of the texel, as filters see it."""


def compares_depth(view: View) -> bool:
    """Tell whether lookups compare with the texels of a view."""
    return isinstance(view.format, D3D9Format) and compares(view.format)


class Reader9(Reader):
    """Reads texels of a typed view for a sampler of Direct3D 9.

    reference: float32, the coordinate that depth textures compare with: 1 where it is at most the
    texel. Other arguments as for `Reader`.
    """

    def __init__(
        self, m: Machine, view: View, sampler: SamplerState9, components: tuple[int, ...], *,
        exact: bool, reference: Value | None = None,
    ) -> None:  # fmt: skip
        super().__init__(m, view, _plain(sampler), components, exact=exact)
        channels = {c.component: c for c in self.format.channels}
        is_plain = all(letter in channels or letter in "01" for letter in self.format.reads)
        is_depth = any(c.component == "d" for c in self.format.channels)
        if not is_plain or is_depth:  # there are no codes, or they are too large to be blended
            self.rules = D3D10
        if reference is not None:
            self.wanted = self.components = (0,)
            is_code = self._channel(0).type is ChannelType.UNORM
            self.reference = saturate(reference) if is_code else reference
        elif has_border(view, sampler):
            self.components = self.wanted

    def _channel(self, component: int) -> Channel:
        return self.format.channel(self.format.reads[component]) or _NUMBER


def has_border(view: View, sampler: SamplerState9) -> bool:
    """Tell whether a lookup may read the border colour; faces of cubes have none."""
    count, _ = COORDINATES[view.dimension]
    is_cube = view.dimension is ResourceDimension.TEXTURECUBE
    return not is_cube and TextureAddress.BORDER in sampler.addresses[:count]


@lru_cache(maxsize=256)
def _plain(sampler: SamplerState9) -> SamplerState:
    """Return what readers ask of a sampler: border and comparison."""
    return SamplerState(border_color=sampler.border, comparison_func=ComparisonFunc.LESS_EQUAL)
