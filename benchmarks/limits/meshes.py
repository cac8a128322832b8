"""The mesh of the kit's `small` and its matrix: a torus knot of two million triangles."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np
from limit import Array

__all__ = ["HEIGHT", "WIDTH", "knot", "matrix"]

WIDTH, HEIGHT = 1920, 1080
_KIT = Path(__file__).parents[3] / "shared" / "bench"


@cache
def knot() -> tuple[Array, Array]:
    """Return vertices, float32 (n, 8), and indices, uint32.

    Raises:
        SystemExit: the kit does not lie beside the project.
    """
    kit = _kit()
    return kit.torus_knot(*kit.WORKLOADS["small"].mesh)


@cache
def matrix() -> Array:
    """Return the matrix from the mesh to clip space, 16 float32, by columns."""
    return np.ascontiguousarray(_kit().scene()[:16])


def _kit():  # noqa: ANN202 - a module
    sys.path.insert(0, str(_KIT))
    try:
        import workloads  # noqa: PLC0415 - it lies beside the project
    except ImportError:
        raise SystemExit(f"{_KIT}: the kit is not there; it lies beside the project") from None
    return workloads
