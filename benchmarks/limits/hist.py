"""`hist`: 2^24 values into 256 bins, by way of local bins for each 4096 values."""

from __future__ import annotations

import numpy as np
from limit import Limit, check_equal, empty

_VALUES, _GROUP, _BINS = 1 << 24, 4096, 256


def prepare() -> Limit:
    """Return the limit."""
    values = empty((_VALUES,), np.uint32)
    values[:] = np.random.default_rng(1).integers(0, _BINS, _VALUES)
    bins = empty((_BINS,), np.uint32)

    def before() -> None:
        bins[:] = 0

    def check_bins(_threads: int) -> None:
        check_equal(bins, np.bincount(values, minlength=_BINS), "bins")

    phases = (("run", _VALUES // _GROUP),)
    return Limit("value", _VALUES, (values, bins), phases, check_bins, before)
