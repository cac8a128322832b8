"""Strips of emitted vertices as lists: winding, leading vertices, what is incomplete."""

from __future__ import annotations

import numpy as np
import pytest

from softd3d.pipeline.primitives.strips import primitives_of_strips
from softd3d.pipeline.state.enums import PrimitiveTopology

T = PrimitiveTopology


def _made(topology: PrimitiveTopology, text: str) -> tuple[list[list[int]], list[int]]:
    """Return corners of primitives, and their last vertices. text: `|` before each new strip."""
    starts, flags = False, []
    for letter in text:
        if letter == "|":
            starts = True
        else:
            flags.append(starts)
            starts = False
    found = primitives_of_strips(topology, np.array(flags, np.bool_))
    return found.where.T.tolist(), found.last.tolist()


@pytest.mark.parametrize(
    ("topology", "text", "primitives", "last"),
    [
        # Odd triangles begin with the vertex that leads them, and wind as even ones do.
        (T.TRIANGLESTRIP, "|vvvvv", [[0, 1, 2], [1, 3, 2], [2, 3, 4]], [2, 3, 4]),
        # Each strip begins with an even triangle; two vertices make none.
        (T.TRIANGLESTRIP, "|vvvv|vv|vvv", [[0, 1, 2], [1, 3, 2], [6, 7, 8]], [2, 3, 8]),
        (T.TRIANGLESTRIP, "|v|v|v", [], []),
        (T.TRIANGLESTRIP, "", [], []),
        # The first vertex starts a strip even if it does not say so.
        (T.TRIANGLESTRIP, "vvv", [[0, 1, 2]], [2]),
        (T.LINESTRIP, "|vvv|v|vv", [[0, 1], [1, 2], [4, 5]], [1, 2, 5]),
        # Cuts mean nothing to points.
        (T.POINTLIST, "|vv|v", [[0], [1], [2]], [0, 1, 2]),
    ],
)
def test_strips_become_lists(
    topology: PrimitiveTopology, text: str, primitives: list[list[int]], last: list[int]
) -> None:
    assert _made(topology, text) == (primitives, last)
