"""Numeric profiles: what Direct3D 9's sources disagree about, decided in three consistent ways.

A row's function takes a profile before its sources and asks it for every rule that is in dispute.
docs/numbers-d3d9.md has the sources and the reasons.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from softd3d.algebra import elementary, float_rules, legacy_float
from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.errors import ResourceError

__all__ = ["DEFAULT", "DOCUMENTED", "DRIVER", "IEEE", "PROFILES", "Profile", "profile_named"]

Unary: TypeAlias = Callable[[Value], Value]
Binary: TypeAlias = Callable[[Value, Value], Value]
Vector: TypeAlias = "tuple[Value, ...]"


@dataclass(frozen=True, slots=True)
class Profile:
    """The disputed rules.

    multiply: every product of every instruction. reciprocal, reciprocal_sqrt, logarithm, power:
    rcp; rsq, nrm; log; pow, lit. minimum, maximum: with NaN. logarithm_parts: logp of vs_1_1.
    address_of_mov: mov to a0 in vs_1_1. project: the division of the modifiers _dz and _dw.
    scalar_position: which of the four swizzled components a scalar source is, where they differ.
    temporary_limits: the range of r# (and t#, where written) in ps_1_0 to ps_1_3, and in ps_1_4;
    None for none. pairs_ignore_cnd: a co-issued cnd of ps_1_0 to ps_1_3 takes s1 whatever r0.a
    is, unless it writes alpha only. uses_max_mip_level: MAXMIPLEVEL counts without a filter between
    mip levels, too.
    """

    name: str
    multiply: Binary
    reciprocal: Unary
    reciprocal_sqrt: Unary
    logarithm: Unary
    power: Binary
    minimum: Binary
    maximum: Binary
    logarithm_parts: Callable[[Value], tuple[Value, Value, Value, Value]]
    address_of_mov: Unary
    project: Binary
    scalar_position: int
    temporary_limits: tuple[float | None, float | None]
    pairs_ignore_cnd: bool
    uses_max_mip_level: bool

    def dot(self, a: Vector, b: Vector) -> Value:
        """Return the sum of products: of x and y first, each product and sum rounded."""
        products = [self.multiply(x, y) for x, y in zip(a, b, strict=True)]
        total = products[0]
        for product in products[1:]:
            total = total + product
        return total

    def temporary_limit(self, version: tuple[int, int]) -> float | None:
        """Return the range of a pixel shader's temporaries in a version."""
        if version >= (2, 0):
            return None
        before_1_4, of_1_4 = self.temporary_limits
        return before_1_4 if version < (1, 4) else of_1_4


DRIVER = Profile(
    name="driver",
    multiply=legacy_float.multiply_legacy,
    reciprocal=elementary.reciprocal,
    reciprocal_sqrt=legacy_float.reciprocal_sqrt,
    logarithm=legacy_float.log2_finite,
    power=legacy_float.power_legacy,
    minimum=legacy_float.minimum_of_page,
    maximum=legacy_float.maximum_of_page,
    logarithm_parts=legacy_float.log2_parts_finite,
    address_of_mov=legacy_float.whole_address,
    project=legacy_float.quotient_or_one,
    scalar_position=3,
    temporary_limits=(None, None),
    pairs_ignore_cnd=True,
    uses_max_mip_level=False,
)
"""What games met: the answers of most drivers, and of tests on them."""

DOCUMENTED = Profile(
    name="documented",
    multiply=legacy_float.multiply,
    reciprocal=legacy_float.reciprocal_finite,
    reciprocal_sqrt=legacy_float.reciprocal_sqrt_finite,
    logarithm=legacy_float.log2_finite,
    power=legacy_float.power,
    minimum=legacy_float.minimum_of_page,
    maximum=legacy_float.maximum_of_page,
    logarithm_parts=legacy_float.log2_scalar,
    address_of_mov=legacy_float.nearest_address,
    project=legacy_float.quotient_or_one,
    scalar_position=0,
    temporary_limits=(1.0, 8.0),
    pairs_ignore_cnd=False,
    uses_max_mip_level=True,
)
"""Microsoft's pages to the letter, IEEE 754 where they are silent."""

IEEE = Profile(
    name="ieee",
    multiply=legacy_float.multiply,
    reciprocal=elementary.reciprocal,
    reciprocal_sqrt=legacy_float.reciprocal_sqrt,
    logarithm=legacy_float.log2,
    power=legacy_float.power,
    minimum=float_rules.minimum,
    maximum=float_rules.maximum,
    logarithm_parts=legacy_float.log2_parts,
    address_of_mov=legacy_float.nearest_address,
    project=legacy_float.quotient,
    scalar_position=0,
    temporary_limits=(None, None),
    pairs_ignore_cnd=False,
    uses_max_mip_level=False,
)
"""Numbers as in shader model 4: what translation to later hardware gives without fix-ups."""

PROFILES = {profile.name: profile for profile in (DOCUMENTED, DRIVER, IEEE)}
DEFAULT = DRIVER


def profile_named(name: str) -> Profile:
    """Return a profile.

    Raises:
        ResourceError: there is none of this name.
    """
    found = PROFILES.get(name)
    if found is None:
        raise ResourceError(f"profile: found {name!r}, wanted {', '.join(PROFILES)}")
    return found
