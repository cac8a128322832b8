"""States of a Direct3D 9 draw that code reads as numbers: the file behind the constants.

They may change from draw to draw, and nothing is compiled again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.d3d9.colors import color_components
from softd3d.isa.sm1.limits import MAX_CLIP_PLANES

__all__ = [
    "STATE_WORDS", "StateWord", "put_alpha_reference", "put_clip_planes",
    "put_fog",
]  # fmt: skip

"""D3DCAPS9.MaxUserClipPlanes: CLIPPLANEENABLE has bits for so many."""
_PLANE_WORDS = 4
_BYTE = 255


class StateWord(IntEnum):
    """Where a number lies in the file: float32, but for ALPHA_REF, uint32.

    FOG_RED to FOG_BLUE: 0 to 1. ALPHA_REF: 0 to 255. CLIP_PLANES: A, B, C, D of each plane, in the
    space of the position that is tested. LAST is the last word.
    """

    FOG_RED = 0
    FOG_GREEN = 1
    FOG_BLUE = 2
    FOG_START = 3
    FOG_END = 4
    FOG_DENSITY = 5
    ALPHA_REF = 6
    CLIP_PLANES = 8
    LAST = CLIP_PLANES + _PLANE_WORDS * MAX_CLIP_PLANES - 1


STATE_WORDS = StateWord.LAST + 1


def put_fog(
    words: NDArray[np.uint32], color: int, start: float, end: float, density: float
) -> None:
    """Put FOGCOLOR (ARGB), FOGSTART, FOGEND and FOGDENSITY into the file of states.

    words: uint32, (STATE_WORDS,), changed in place; so they are below.
    """
    floats = words.view(np.float32)
    floats[StateWord.FOG_RED : StateWord.FOG_BLUE + 1] = color_components(color)[:3]
    floats[StateWord.FOG_START : StateWord.FOG_DENSITY + 1] = start, end, density


def put_alpha_reference(words: NDArray[np.uint32], reference: int) -> None:
    """Put ALPHAREF, of which the low eight bits count, into the file of states."""
    words[StateWord.ALPHA_REF] = reference & _BYTE


def put_clip_planes(words: NDArray[np.uint32], planes: Mapping[int, Sequence[float]]) -> None:
    """Put planes by number into the file of states: what has A x + B y + C z + D w >= 0 stays.

    x to w: of a vertex shader's output, so planes are in clip space.
    """
    floats = words.view(np.float32)
    for number, plane in planes.items():
        at = StateWord.CLIP_PLANES + _PLANE_WORDS * number
        floats[at : at + _PLANE_WORDS] = plane
