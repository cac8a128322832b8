"""Numbers that programs of a device read besides constants: the files of stages and of states.

Spec: win32 D3DTEXTURESTAGESTATETYPE (BUMPENV...), "Fog Formulas", SetClipPlane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.values import float_of
from softd3d.isa.d3d9.states import BUMP_ENVIRONMENT_STATES, RenderState
from softd3d.isa.sm1.limits import TEXTURE_STAGES
from softd3d.lower.d3d9.constant_files import BUMP_WORDS
from softd3d.lower.d3d9.state_file import (
    STATE_WORDS,
    put_alpha_reference,
    put_clip_planes,
    put_fog,
)

__all__ = ["bump_words", "state_words"]

_R = RenderState


def bump_words(stages: Sequence[Mapping[int, int]]) -> NDArray[np.uint32]:
    """Return the file of bump environment matrices: uint32, (TEXTURE_STAGES * BUMP_WORDS,).

    stages: the states of each, DWORDs by number.
    """
    words = np.zeros((TEXTURE_STAGES, BUMP_WORDS), np.uint32)
    for row, states in zip(words, stages, strict=True):
        row[: len(BUMP_ENVIRONMENT_STATES)] = [states[s] for s in BUMP_ENVIRONMENT_STATES]
    return words.reshape(-1)


def state_words(
    render: Mapping[int, int], planes: Mapping[int, Sequence[float]]
) -> NDArray[np.uint32]:
    """Return the file of states: uint32, (STATE_WORDS,).

    render: DWORDs by number. planes: in clip space, by number.
    """
    words = np.zeros(STATE_WORDS, np.uint32)
    start, end, density = (float_of(render[s]) for s in (_R.FOGSTART, _R.FOGEND, _R.FOGDENSITY))
    put_fog(words, render[_R.FOGCOLOR], start, end, density)
    put_alpha_reference(words, render[_R.ALPHAREF])
    put_clip_planes(words, planes)
    return words
