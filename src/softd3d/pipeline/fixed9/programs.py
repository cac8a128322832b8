"""The fixed function as programs: keys of a state, programs by key, constants by program."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.d3d9.states import RenderState, TextureStageState
from softd3d.isa.record import Memo
from softd3d.pipeline.fixed9.pixel_key import PixelKey, pixel_key
from softd3d.pipeline.fixed9.pixel_text import generate_pixel
from softd3d.pipeline.fixed9.state import FixedFunctionState, float_of
from softd3d.pipeline.fixed9.vertex_constants import Rows, argb, clip_planes, vertex_constants
from softd3d.pipeline.fixed9.vertex_key import VertexKey, vertex_key
from softd3d.pipeline.fixed9.vertex_text import generate_vertex
from softd3d.pipeline.fixed9.writer import Generated

__all__ = [
    "Generated", "PixelKey", "VertexKey", "clip_planes", "pixel_constants", "pixel_key",
    "pixel_program", "vertex_constants", "vertex_key", "vertex_program",
]  # fmt: skip

_T = TextureStageState
_MOST_PROGRAMS = 512
_vertex_programs = Memo(generate_vertex, _MOST_PROGRAMS)
_pixel_programs = Memo(generate_pixel, _MOST_PROGRAMS)


def vertex_program(key: VertexKey) -> Generated:
    """Return the vertex program of a key; the same object for the same key, while remembered."""
    return _vertex_programs[key]


def pixel_program(key: PixelKey) -> Generated:
    """Return the pixel program of a key, likewise."""
    return _pixel_programs[key]


def pixel_constants(generated: Generated, state: FixedFunctionState) -> NDArray[np.float32]:
    """Return what a pixel program's registers hold from c0 on: float32, (n, 4).

    Registers that the program defines itself are 0.
    """
    found = np.zeros((generated.rows, 4), np.float32)
    for c in generated.constants:
        found[c.register] = _VALUES[c.name](state, c.index or 0)
    return found


def _factor(state: FixedFunctionState, _: int) -> Rows:
    return argb(state.render(RenderState.TEXTUREFACTOR))


def _constant(state: FixedFunctionState, stage: int) -> Rows:
    return argb(state.stage(stage, _T.CONSTANT))


def _numbers(*names: _T) -> Callable[[FixedFunctionState, int], Rows]:
    """Return a function that collects floats of a stage."""

    def values(state: FixedFunctionState, stage: int) -> Rows:
        found = [float_of(state.stage(stage, name)) for name in names]
        return np.array([*found, *(0.0,) * (4 - len(found))])

    return values


_VALUES: Mapping[str, Callable[[FixedFunctionState, int], Rows]] = {
    "texture_factor": _factor,
    "stage_constant": _constant,
    "bump_matrix": _numbers(_T.BUMPENVMAT00, _T.BUMPENVMAT01, _T.BUMPENVMAT10, _T.BUMPENVMAT11),
    "bump_luminance": _numbers(_T.BUMPENVLSCALE, _T.BUMPENVLOFFSET),
}
