"""Shapes seen by pixels that keep their distances: the bits are those of the shapes themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lane_values import f32, i32, random_vertices

from softd3d.isa.sample_positions import SampleQuality
from softd3d.pipeline import interpolation
from softd3d.pipeline.rasterizer.samples import SAMPLE_COUNTS, SamplePattern, sample_pattern
from softd3d.pipeline.rasterizer.viewport import ScreenPosition
from softd3d.pipeline.shapes import Grid, Shape, shape_of
from softd3d.pipeline.state import RasterizerState
from softd3d.pipeline.state.enums import ConservativeRasterizationMode

PATTERNS = [sample_pattern(n) for n in SAMPLE_COUNTS] + [
    sample_pattern(4, SampleQuality.CENTER_MULTISAMPLE_PATTERN)
]
STATES = {
    "usual": RasterizerState(),
    "conservative": RasterizerState(conservative_raster=ConservativeRasterizationMode.ON),
    "alpha": RasterizerState(antialiased_line_enable=True, multisample_enable=False),
    "multisample": RasterizerState(multisample_enable=True),
}
COUNT = 500
COLUMNS, ROWS = np.arange(32) % 8, np.arange(32) // 8


def _shape(vertices: Any, state: RasterizerState, pattern: SamplePattern) -> Shape:
    """Return shapes by corners in 1/256 pixel, (count, corners, 2)."""
    zero, one = f32(0.0), f32(1.0)
    corners = [
        ScreenPosition(f32(v[:, :1] / 256), f32(v[:, 1:] / 256), zero, zero, one)
        for v in np.moveaxis(vertices, 1, 0)
    ]
    return shape_of(state, pattern, corners)


def _same_bits(a: Any, b: Any) -> bool:
    a, b = np.broadcast_arrays(a, b)
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: f"{p.count}-{p.offsets[0]}")
@pytest.mark.parametrize(
    ("corners", "name"),
    [(3, "usual"), (3, "conservative"), (2, "usual"), (2, "alpha"), (2, "multisample"),
     (1, "usual")],
)  # fmt: skip
def test_a_grid_has_the_bits_of_its_shape(corners: int, name: str, pattern: SamplePattern) -> None:
    random = np.random.default_rng(corners)
    vertices = random_vertices(random, COUNT, 3)[:, :corners]
    area = np.ones(COUNT, bool)
    if corners == 3:
        (px, py), (qx, qy), (rx, ry) = np.moveaxis(vertices, 1, 0).swapaxes(1, 2)
        area = (qx - px) * (ry - py) != (rx - px) * (qy - py)
    vertices = vertices[area] if name == "usual" else vertices
    shape = _shape(vertices, STATES[name], pattern)
    grid = Grid(shape, i32(COLUMNS), i32(ROWS))
    near = vertices[:, 0] // 256 + random.integers(-9, 3, (len(vertices), 2))
    far = random.integers(-(1 << 15), 1 << 15, near.shape)
    for place in (near, np.where(random.random(near.shape) < 0.5, near, far)):
        first = i32(place[:, :1]), i32(place[:, 1:])
        pixel = grid.pixel(first)
        assert _same_bits(pixel[0].raw, place[:, :1].astype(np.int32) + COLUMNS.astype(np.int32))
        assert _same_bits(pixel[1].raw, place[:, 1:].astype(np.int32) + ROWS.astype(np.int32))
        for offset in pattern.offsets:
            at = (
                interpolation.place(pixel[0], offset[0]),
                interpolation.place(pixel[1], offset[1]),
            )
            assert _same_bits(grid.covers(first, offset).raw, shape.covers(at, pixel).raw)
            found, wanted = grid.weights(first, offset), shape.weights(at, pixel)
            assert len(found) == len(wanted)
            assert all(_same_bits(a.raw, b.raw) for a, b in zip(found, wanted, strict=True))


def test_a_grid_by_hand() -> None:
    """A right triangle with legs of four pixels, seen from (-1, 0) on in rows of eight pixels."""
    shape = _shape(np.array([[[0, 0], [1024, 0], [0, 1024]]]), STATES["usual"], sample_pattern(1))
    grid = Grid(shape, i32(COLUMNS), i32(ROWS))
    first = i32([[-1]]), i32([[0]])
    rows = grid.covers(first, (0, 0)).raw.reshape(4, 8)
    # Centres on the slope are on a right edge, which does not cover them.
    assert [row.astype(int).tolist() for row in rows] == [
        [0, 1, 1, 1, 0, 0, 0, 0],
        [0, 1, 1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
    ]
    one, two = (w.raw.reshape(4, 8) for w in grid.weights(first, (0, 0)))
    assert one[1, 1:4].tolist() == [0.125, 0.375, 0.625]  # of the corner to the right
    assert two[:3, 1].tolist() == [0.125, 0.375, 0.625]  # of the lower one
