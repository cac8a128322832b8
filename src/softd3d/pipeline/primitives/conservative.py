"""Conservative rasterisation of pieces: triangles without area, and fans that clipping has made.

A primitive runs the pixel shader once in each pixel that it touches. Where clipping has made
several triangles of it, a pixel is that of the first one that touches it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softd3d.classes import dataclass
from softd3d.pipeline.primitives.pieces import Pieces
from softd3d.pipeline.primitives.records import Bools, Rows, chosen

__all__ = ["Fans", "fans_of", "flattened", "speakers"]


@dataclass(frozen=True, slots=True)
class Fans:
    """Where pieces stand in the fans of their primitives; a row each.

    before, after: how many parts of the same primitive there are in front and behind. is_first,
    is_last: whether none of these has an area, so that the edge there bounds the primitive.
    """

    before: Rows
    after: Rows
    is_first: Bools
    is_last: Bools


def fans_of(primitive: Rows, has_area: Bools) -> Fans:
    """Return the fans of pieces in order, by their primitives' numbers."""
    count = primitive.size
    row = np.arange(count)
    start = np.searchsorted(primitive, primitive)
    end = np.searchsorted(primitive, primitive, side="right")
    areas = np.concatenate([[0], np.cumsum(has_area)])
    return Fans(
        row - start, end - 1 - row, areas[row] == areas[start], areas[end] == areas[row + 1]
    )


def speakers(primitive: Rows, has_area: Bools) -> tuple[Rows, Rows]:
    """Return the piece that speaks for each primitive: the first with an area, else the first.

    And for each piece, the number of its primitive among them. primitive: ascending.
    """
    order = np.lexsort((~has_area, primitive))
    _, first, number = np.unique(primitive[order], return_index=True, return_inverse=True)
    return order[first], number


def flattened(pieces: Pieces, has_area: Bools) -> Pieces:
    """Return triangles whose attributes, depth and w are vertex 0's where they have no area."""
    if has_area.all():
        return pieces
    choices = [np.where(has_area, n, 0) for n in range(len(pieces.screen))]
    screens = [chosen(pieces.screen, choice) for choice in choices]
    return replace(
        pieces,
        clip=tuple(chosen(pieces.clip, choice) for choice in choices),
        screen=tuple(
            replace(flat, x=own.x, y=own.y)
            for flat, own in zip(screens, pieces.screen, strict=True)
        ),
        attributes={
            name: tuple(chosen(values, choice) for choice in choices)
            for name, values in pieces.attributes.items()
        },
        distances=tuple(
            tuple(chosen(values, choice) for choice in choices) for values in pieces.distances
        ),
    )
