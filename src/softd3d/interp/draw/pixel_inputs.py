"""Inputs of the pixel shader for many invocations at once. Spec: D3D11.3 sections 16.3 to 16.5."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, Value
from softd3d.classes import dataclass
from softd3d.interp.draw.invocations import Invocations
from softd3d.isa.machine import InputComponent, Place
from softd3d.lower.invocations import Interpolate
from softd3d.pipeline import interpolation
from softd3d.pipeline.interpolation import Attribute
from softd3d.pipeline.pixel_inputs import PixelInputs
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.pieces import Pieces
from softd3d.pipeline.primitives.records import lanes, taken
from softd3d.pipeline.pull_model import pulled_link
from softd3d.pipeline.stages import Link

__all__ = ["inputs_of", "interpolator"]


@dataclass(frozen=True, slots=True)
class _Primitives:
    """The primitive of each invocation, for `PixelInputs`."""

    pieces: Pieces

    @property
    def inverse_w(self) -> Sequence[Value]:
        return [s.inverse_w for s in self.pieces.screen]

    @property
    def has_equal_w(self) -> Value:
        return interpolation.has_equal_bits([c.w for c in self.pieces.clip])

    @property
    def depth(self) -> Attribute:
        return interpolation.set_up_attribute([s.z for s in self.pieces.screen])

    @property
    def is_front(self) -> Value:
        return lanes(self.pieces.front)

    @property
    def number(self) -> Value:
        return lanes(self.pieces.number)

    def attribute(self, source: str) -> Attribute:
        values = [bitcast(v, F32) for v in self.pieces.attributes[source]]
        return interpolation.set_up_attribute(values)

    def leading(self, source: str) -> Value:
        return self.pieces.leading[source]


def inputs_of(draw: PreparedDraw, mine: Invocations) -> PixelInputs:
    """Return what evaluates the inputs of invocations."""
    sample = None if mine.sample is None else lanes(mine.sample)
    return PixelInputs(
        draw.pattern, draw.samples, _Primitives(mine.pieces), mine.shape, mine.pixel,
        lanes(mine.coverage), lanes(mine.inner), sample,
    )  # fmt: skip


def interpolator(
    draw: PreparedDraw, links: Sequence[Link], invocations: Invocations
) -> Interpolate:
    """Return how invocations evaluate inputs at other places."""

    def interpolate(
        rows: slice, source: InputComponent, place: Place, numbers: tuple[Value, ...]
    ) -> Value:
        mine = taken(invocations, np.arange(invocations.count)[rows])
        return inputs_of(draw, mine).pulled(pulled_link(links, source), place, numbers)

    return interpolate
