"""Invocations of the pixel shader: one for each pixel of a quad, or for each sample of it.

Spec: D3D11.3 sections 3.5.4.1, 3.5.7, 16.8.
"""

from __future__ import annotations

import numpy as np

from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.interp.draw.quads import Fragments
from softd3d.lower.invocations import QUAD
from softd3d.pipeline import interpolation
from softd3d.pipeline.coverage import SampleRule
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.primitives.pieces import Pieces
from softd3d.pipeline.primitives.records import Bools, Numbers, Rows, integers, lanes, spread, taken
from softd3d.pipeline.shapes import Shape

__all__ = ["Invocations", "invocations_of"]


@dataclass(frozen=True, slots=True)
class Invocations:
    """Invocations in quads, each with a row of all tables.

    pieces, shape: of the primitive. x, y: the pixel. coverage: samples of the rasteriser that the
    primitive covers. samples: those of the targets that the invocation stands for, 0 of helpers.
    sample: its index in sample frequency, else None. inner: SV_InnerCoverage.
    """

    pieces: Pieces
    shape: Shape
    x: Rows
    y: Rows
    coverage: Numbers
    samples: Numbers
    sample: Numbers | None
    inner: Numbers

    @property
    def count(self) -> int:
        return self.x.size

    @property
    def is_real(self) -> Bools:
        """Which are no helpers."""
        return self.samples != 0

    @property
    def pixel(self) -> tuple[Value, Value]:
        return integers(self.x), integers(self.y)

    def depth_at(self, draw: PreparedDraw, sample: int) -> Value:
        """Return the depth at a sample, F32, as the rasteriser has it: not clamped."""
        pixel = self.pixel
        dx, dy = draw.pattern.offsets[sample]
        at = interpolation.place(pixel[0], dx), interpolation.place(pixel[1], dy)
        depth = interpolation.set_up_attribute([s.z for s in self.pieces.screen])
        return interpolation.value_at(depth, self.shape.weights(at, pixel))


def invocations_of(
    pieces: Pieces, shape: Shape, fragments: Fragments, rule: SampleRule, *, per_sample: bool
) -> Invocations:
    """Return the invocations of fragments: of quads with a sample to be written.

    In sample frequency a quad has one for each sample that any of its pixels covers.
    """
    samples = np.array(spread(rule.shaded(lanes(fragments.coverage)), fragments.count))
    quads = samples.reshape(-1, QUAD)
    if per_sample:
        bits = np.arange(rule.count, dtype=np.uint32)
        wanted = (np.bitwise_or.reduce(quads, axis=1)[:, None] >> bits & np.uint32(1)) != 0
        quad, index = np.nonzero(wanted)
    else:
        quad, index = np.flatnonzero(quads.any(axis=1)), None
    rows = (quad[:, None] * QUAD + np.arange(QUAD)).reshape(-1)
    mine, sample = samples[rows], None
    if index is not None:
        sample = np.repeat(index, QUAD).astype(np.uint32)
        mine = mine & np.uint32(1) << sample
    piece = fragments.piece[rows]
    return Invocations(
        taken(pieces, piece), taken(shape, piece), fragments.x[rows], fragments.y[rows],
        fragments.coverage[rows], mine, sample, fragments.inner[rows],
    )  # fmt: skip
