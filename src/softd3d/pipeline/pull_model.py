"""The pull model: pixel shaders evaluate inputs at other places. Spec: D3D11.3 section 16.5."""

from __future__ import annotations

from collections.abc import Sequence

from softd3d.algebra.value import Value
from softd3d.isa.machine import InputComponent, Place
from softd3d.lower.stage import component_name
from softd3d.pipeline.interpolation import centroid_offset, snapped_offset
from softd3d.pipeline.rasterizer.samples import SamplePattern
from softd3d.pipeline.stages import Link

__all__ = ["pulled_link", "pulled_offset"]


def pulled_link(links: Sequence[Link], source: InputComponent) -> Link:
    """Return the input that is evaluated."""
    name = component_name(f"v{source.register}", source.component)
    return next(link for link in links if link.name == name)


def pulled_offset(
    place: Place, numbers: Sequence[Value], pattern: SamplePattern, coverage: Value, mask: Value
) -> tuple[Value, Value]:
    """Return how far a place is from the pixel's centre, I32, 1/256 pixel.

    coverage: of the primitive, after the sample mask; mask: the sample mask (`centroid_offset`).
    """
    match place:
        case Place.SNAPPED:
            x, y = numbers
            return snapped_offset(x), snapped_offset(y)
        case Place.SAMPLE:
            return pattern.offset(numbers[0])
        case Place.CENTROID:
            return centroid_offset(coverage, mask, pattern)
