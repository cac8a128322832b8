"""Which fragments may be shaded together: all, or those of different quads.

What a pixel shader loads from a UAV must be what earlier primitives have left for its pixel. Spec:
the Direct3D 11.3 specification of rasteriser ordered views; ordinary UAVs are treated alike.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softd3d.interp.draw.quads import Fragments
from softd3d.lower.invocations import QUAD
from softd3d.pipeline.primitives.records import Rows

__all__ = ["batches"]


def batches(fragments: Fragments, most: int, *, is_ordered: bool) -> Iterator[Rows]:
    """Yield the rows of fragments to be shaded together, in order.

    most: quads of a batch. is_ordered: whether a batch has each quad of pixels once.
    """
    count = fragments.count // QUAD
    ends = np.arange(count) + most
    if is_ordered:
        ends = np.minimum(ends, _next_repeated(fragments))
    start = 0
    while start < count:
        end = min(int(ends[start]), count)
        yield np.arange(start * QUAD, end * QUAD)
        start = end


def _next_repeated(fragments: Fragments) -> Rows:
    """Return for each quad the first one behind it whose pixels a quad from it on has already."""
    place = (fragments.y[::QUAD] >> 1 << 32) | fragments.x[::QUAD] >> 1
    order = np.argsort(place, kind="stable")
    again = place[order[1:]] == place[order[:-1]]
    following = np.full(place.size, place.size)
    following[order[:-1][again]] = order[1:][again]
    return np.minimum.accumulate(following[::-1])[::-1]
