"""A picture of how a case's render targets differ from what was wanted.

Each target that differs is a row of three panels: wanted, found, and the difference, brighter the
larger it is; every texel that differs at all shows. Between panels is magenta. Samples of a pixel
lie next to each other, slices below each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softd3d.cli.png import png_bytes
from softd3d.device.draws.case_places import components
from softd3d.resources.textures.texture import Texture

__all__ = ["Panel", "difference_picture"]

Picture = NDArray[np.uint8]
_LEAST_WIDTH = 256  # of a panel: smaller ones are enlarged
_LEAST_BRIGHTNESS = 64
_GAP = 8
_GAP_COLOR = (255, 0, 255)


class Panel(NamedTuple):
    """A target, its name, and two contents of it."""

    target: Texture
    register: str
    wanted: bytes
    found: bytes


def difference_picture(panels: Iterable[Panel]) -> bytes | None:
    """Return a PNG file, None if there are no panels."""
    rows = [_row(panel) for panel in panels]
    if not rows:
        return None
    width = max(row.shape[1] for row in rows)
    padded = [
        _beside(np.concatenate([row, _gap(_GAP, row.shape[1])]), width - row.shape[1])
        for row in rows
    ]
    return png_bytes(np.concatenate(padded)[:-_GAP])


def _gap(height: int, width: int) -> Picture:
    return np.full((height, width, 3), _GAP_COLOR, np.uint8)


def _beside(picture: Picture, width: int) -> Picture:
    """Return a picture with a gap to its right."""
    return np.concatenate([picture, _gap(picture.shape[0], width)], 1)


def _row(panel: Panel) -> Picture:
    wanted, found = (
        components(panel.target, panel.register, data) for data in (panel.wanted, panel.found)
    )
    is_depth = panel.register == "depth"
    pictures = [*_colors(wanted, found, is_depth=is_depth), _difference(wanted, found)]
    factor = -(-_LEAST_WIDTH // wanted.shape[1])
    large = [p.repeat(factor, 0).repeat(factor, 1) for p in pictures]
    return np.concatenate([*(_beside(panel, _GAP) for panel in large[:2]), large[2]], 1)


def _colors(one: NDArray[Any], other: NDArray[Any], *, is_depth: bool) -> list[Picture]:
    """Return both as RGB; numbers beyond 0 to 1 are scaled, both alike."""
    count = 1 if is_depth else 3
    pair: NDArray[np.float64] = np.stack([one, other])[..., :count].astype(np.float64)
    np.nan_to_num(pair, copy=False, nan=0.0, posinf=0.0, neginf=0.0)
    low, high = min(float(pair.min(initial=0.0)), 0.0), max(float(pair.max(initial=1.0)), 1.0)
    codes = np.round((pair - low) / (high - low) * 255).astype(np.uint8)
    return [code.repeat(3 // count, 2) for code in codes]


def _difference(one: NDArray[Any], other: NDArray[Any]) -> Picture:
    """Return grey where bits differ; any NaN is any other."""
    differs = (one.view(np.uint32) != other.view(np.uint32)) & ~(np.isnan(one) & np.isnan(other))
    gap = np.nan_to_num(np.abs(one.astype(np.float64) - other), nan=0.0, posinf=0.0)
    largest = gap.max(initial=0.0) or 1.0
    bright = _LEAST_BRIGHTNESS + gap.max(-1) / largest * (255 - _LEAST_BRIGHTNESS)
    grey = np.where(differs.any(-1), bright, 0).round().astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)
