"""Render targets of format NULL, which drivers have for draws that are after depth only."""

from __future__ import annotations

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import d3d9_format
from softd3d.pipeline.rasterizer.samples import sample_pattern
from softd3d.resources.d3d9.surfaces import Origin, Pool, Surface9

__all__ = ["NULL", "NullTarget9"]

NULL = "NULL"


class NullTarget9(Surface9):
    """A render target that has a size and samples, and nothing else.

    >>> NullTarget9(8, 4)
    Surface9(8 x 4, NULL, render target in DEFAULT)
    """

    def __init__(self, width: int, height: int, samples: int = 1) -> None:  # pyright: ignore[reportMissingSuperCall]
        """Make a target.

        Raises:
            ResourceError: no number of samples.
        """
        self.format = d3d9_format(NULL)
        self.origin, self.pool = Origin.RENDER_TARGET, Pool.DEFAULT
        self.samples = sample_pattern(samples).count
        self.width, self.height = width, height
        self.is_lockable = self.is_dynamic = self.is_locked = False

    @property
    def array(self) -> NoReturn:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Nothing.

        Raises:
            ResourceError: always.
        """
        raise ResourceError(f"{self} has no memory")

    @property
    def units(self) -> NDArray[np.uint8]:
        """Nothing, likewise."""
        return self.array
