"""Constants of the programs of a draw: what the application set, or the fixed function computes.

They are arrays that stay where they are, so that a draw which is known sees what changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.draws.programs import Programs
from softd3d.device.d3d9.draws.words import bump_words, state_words
from softd3d.device.d3d9.state import DeviceState, Part
from softd3d.isa.d3d9.states import RenderState
from softd3d.pipeline.fixed9.programs import (
    Generated,
    clip_planes,
    pixel_constants,
    vertex_constants,
)

__all__ = ["ConstantsOfDraws", "vertex_files"]

_VERTEX = int(Part.VERTEX | Part.FIXED | Part.WORDS | Part.PROGRAMS)
_PIXEL = int(Part.PIXEL | Part.WORDS | Part.PROGRAMS)  # matrices, lights and materials do not count
_VERTEX_WORDS = int(Part.FIXED | Part.WORDS | Part.PROGRAMS)
_PIXEL_WORDS = int(Part.WORDS | Part.PROGRAMS)
_NO_WORDS = np.zeros(0, np.uint32)


class ConstantsOfDraws:
    """Puts constants into the programs of draws, where they have changed since the last time.

    Each stage has a stamp, a new object for each change; shaders keep the one that they have seen.
    """

    def __init__(self) -> None:
        self._vertex: object = object()
        self._pixel: object = object()
        self._vertex_words: NDArray[np.uint32] | None = None
        self._pixel_words: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None

    def touch(self, dirty: int) -> None:
        """Notice which parts (`Part`) of the state calls have touched."""
        if dirty & _VERTEX:
            self._vertex = object()
        if dirty & _PIXEL:
            self._pixel = object()
        if dirty & _VERTEX_WORDS:
            self._vertex_words = None
        if dirty & _PIXEL_WORDS:
            self._pixel_words = None

    def put(self, state: DeviceState, programs: Programs) -> None:
        """Give the programs what they read."""
        vertex, pixel = programs.vertex_shader, programs.pixel_shader
        if vertex.seen is not self._vertex:
            vertex.set_files(self._vertex_files(state, programs))
            vertex.seen = self._vertex
        if pixel.seen is not self._pixel:
            pixel.set_files(self._pixel_files(state, programs))
            pixel.seen = self._pixel

    def _vertex_files(
        self, state: DeviceState, programs: Programs
    ) -> tuple[NDArray[np.uint32], ...]:
        fixed = programs.fixed_vertex
        if self._vertex_words is None:
            planes: Mapping[int, Sequence[float]] = state.fixed.clip_planes
            if fixed is not None and state.render[RenderState.CLIPPLANEENABLE]:
                planes = _rows(clip_planes(state.fixed))
            self._vertex_words = state_words(state.render, planes)
        return vertex_files(state, fixed, self._vertex_words)

    def _pixel_files(
        self, state: DeviceState, programs: Programs
    ) -> tuple[NDArray[np.uint32], ...]:
        fixed, files = programs.fixed_pixel, state.pixel_constants
        floats = files.floats if fixed is None else _words(pixel_constants(fixed, state.fixed))
        if self._pixel_words is None:
            bump = bump_words(state.fixed.texture_stage_states)
            self._pixel_words = bump, state_words(state.render, {})
        return floats, files.integers, files.booleans, *self._pixel_words


def vertex_files(
    state: DeviceState, fixed: Generated | None, words: NDArray[np.uint32] | None = None
) -> tuple[NDArray[np.uint32], ...]:
    """Return the files of a vertex program; fixed: of the fixed function.

    words: numbers of states; those of a program without clip planes by default.
    """
    files = state.vertex_constants
    floats = files.floats if fixed is None else _words(vertex_constants(fixed, state.fixed))
    words = state_words(state.render, {}) if words is None else words
    return floats, files.integers, files.booleans, _NO_WORDS, words


def _rows(planes: NDArray[np.float32]) -> dict[int, Sequence[float]]:
    return {number: plane.tolist() for number, plane in enumerate(planes)}


def _words(rows: NDArray[np.float32]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(rows, np.float32).reshape(-1).view(np.uint32)
