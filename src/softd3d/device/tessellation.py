"""One patch through the tessellator. Spec: D3D11.3 section 11."""

from __future__ import annotations

from enum import IntEnum
from typing import SupportsFloat, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softd3d.arguments import items, named, shown
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.sm4.enums import Domain, OutputPrimitive, Partitioning
from softd3d.pipeline.tessellator.factors import EDGES, FACTORS
from softd3d.pipeline.tessellator.patches import Tessellator

__all__ = ["Tessellation", "tessellate"]

_Enum = TypeVar("_Enum", bound=IntEnum)
_NO_NUMBERS: tuple[type, ...] = (str, bytes, np.ndarray)  # though `float` takes some
_EDGES = {
    Domain.ISOLINE: "2 factors (density, detail)",
    Domain.TRI: "3 factors (U == 0, V == 0, W == 0)",
    Domain.QUAD: "4 factors (U == 0, V == 0, U == 1, V == 1)",
}
_INSIDES = {
    Domain.ISOLINE: "none",
    Domain.TRI: "1 factor",
    Domain.QUAD: "2 factors (along U, along V)",
}


@dataclass(frozen=True, slots=True, eq=False)
class Tessellation:
    """What the tessellator makes of a patch, in its order.

    fixed: U and V of each point, int32, (points, 2); 65536 is 1. locations: SV_DomainLocation,
    float32, (points, 2), of triangles (points, 3). indices: int32, the points of one primitive
    after another: one of points, two of lines, three of triangles.
    """

    fixed: NDArray[np.int32]
    locations: NDArray[np.float32]
    indices: NDArray[np.int32]


def tessellate(
    domain: Domain | str | int,
    partitioning: Partitioning | str | int,
    output: OutputPrimitive | str | int,
    edges: ArrayLike,
    inside: ArrayLike = (),
) -> Tessellation:
    """Tessellate a patch as the fixed-function stage does, to the bit.

    Names are those of HLSL or of D3D11_TESSELLATOR_... A factor of an edge that is not above 0, or
    is NaN, gives no points. No shader can ask for lines of triangles and quads, or triangles of
    isolines; as in the reference tessellator, the former join all points, the latter are lines.

    Args:
        domain: isoline, tri or quad.
        partitioning: integer, pow2 (which is as integer), fractional_odd or fractional_even.
        output: point, line, triangle_cw or triangle_ccw.
        edges: factors: of a quad U == 0, V == 0, U == 1, V == 1; of a triangle U == 0, V == 0,
            W == 0; of isolines density (the number of lines), detail (the segments of one).
        inside: factors: of a quad along U, along V; of a triangle one; of isolines none.

    Raises:
        ResourceError: an argument is none of these.

    >>> patch = tessellate("tri", "integer", "triangle_cw", edges=[1, 1, 1], inside=[2])
    >>> patch.locations.round(2).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.33, 0.33, 0.33]]
    >>> patch.indices.reshape(-1, 3).tolist()
    [[0, 1, 3], [1, 2, 3], [2, 0, 3]]
    """
    space = _named(Domain, domain, "domain", "DOMAIN")
    primitive = _named(OutputPrimitive, output, "output", "OUTPUT")
    rule = _named(Partitioning, partitioning, "partitioning", "PARTITIONING")
    count = EDGES[space]
    factors = _factors(edges, count, "edges", _EDGES[space])
    factors += _factors(inside, FACTORS[space] - count, "inside", _INSIDES[space])
    with np.errstate(over="ignore"):  # beyond the largest float32 is infinite
        row = np.array([factors], np.float64).astype(np.float32)
    made = Tessellator(space, rule, primitive).process(row).generate(slice(0, 1))
    return Tessellation(
        fixed=np.ascontiguousarray(made.positions[:2].T.astype(np.int32)),
        locations=np.ascontiguousarray(made.locations),
        indices=made.primitives.T.reshape(-1).astype(np.int32),
    )


def _named(enum: type[_Enum], value: object, what: str, word: str) -> _Enum:
    prefixes = [f"{prefix}_TESSELLATOR_{word}_" for prefix in ("D3D11", "D3D")]
    member = named(enum, value, f"tessellate: {what}", *prefixes)
    if not member:
        wanted = ", ".join(other.name for other in enum if other)
        raise ResourceError(f"tessellate: {what}: found {member.name}, wanted one of {wanted}")
    return member


def _factors(values: object, count: int, what: str, wanted: str) -> list[float]:
    found = items(values, count)
    if found is None or len(found) != count:
        raise ResourceError(f"tessellate: {what}: found {shown(values)}, wanted {wanted}")
    return [_factor(value, f"tessellate: {what}[{n}]") for n, value in enumerate(found)]


def _factor(value: object, what: str) -> float:
    """Return any number, NaN and infinities among them."""
    if not isinstance(value, _NO_NUMBERS):
        try:
            return float(cast("SupportsFloat", value))
        except OverflowError:
            return float("inf") if cast("int", value) > 0 else float("-inf")
        except (TypeError, ValueError):
            pass
    raise ResourceError(f"{what}: found {shown(value)}, wanted a number")
