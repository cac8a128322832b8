"""Lookups as rows call them; filters are imported when one is first carried out.

Decoding and listing need the rows, but neither filters nor formats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from softd3d.algebra.value import Value
from softd3d.isa.sm1.profile import Profile

if TYPE_CHECKING:
    from softd3d.isa.machine import Machine
    from softd3d.isa.sampling.d3d9.sample import Texel, Texture

__all__ = ["by_derivatives", "in_quad", "is_cube", "with_level"]

Vector: TypeAlias = "tuple[Value, ...]"


def in_quad(
    m: Machine, p: Profile, texture: Texture, address: Vector, bias: Value | None = None
) -> Texel:
    """Sample with the level that the address's differences in the quad give, and a bias."""
    from softd3d.isa.sampling.d3d9.sample import sample_in_quad  # noqa: PLC0415 - see above

    return sample_in_quad(m, texture, address, bias, uses_max=p.uses_max_mip_level)


def by_derivatives(
    m: Machine, p: Profile, texture: Texture, address: Vector, dx: Vector, dy: Vector
) -> Texel:
    """Sample with the level that two derivatives give."""
    from softd3d.isa.sampling.d3d9.sample import sample_by_derivatives  # noqa: PLC0415 - likewise

    return sample_by_derivatives(m, texture, address, dx, dy, uses_max=p.uses_max_mip_level)


def with_level(m: Machine, p: Profile, texture: Texture, address: Vector, lod: Value) -> Texel:
    """Sample at a given level."""
    from softd3d.isa.sampling.d3d9.sample import sample_at_level  # noqa: PLC0415 - likewise

    return sample_at_level(m, texture, address, lod, uses_max=p.uses_max_mip_level)


def is_cube(texture: Texture) -> bool:
    """Tell whether coordinates are a direction."""
    from softd3d.isa.sampling.d3d9 import sample  # noqa: PLC0415 - likewise

    return sample.is_cube(texture)
