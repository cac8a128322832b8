"""Small compiled shaders of our own, with their source and execution cases, for demo and tests."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable

__all__ = ["sample"]


def sample(name: str) -> Traversable:
    """Return a shipped file: `NAME.cs_5_0.dxbc`, `NAME.hlsl` or `cases/NAME.json` and its data.

    >>> sample("cs_mandelbrot.cs_5_0.dxbc").read_bytes()[:4]
    b'DXBC'
    """
    return resources.files(__name__).joinpath(name)
