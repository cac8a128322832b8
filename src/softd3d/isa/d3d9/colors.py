"""D3DCOLOR: four bytes, 0xAARRGGBB.

Spec: win32 D3DCOLOR.
"""

from __future__ import annotations

__all__ = ["color_components"]

_LARGEST = 0xFF
_SHIFTS = (16, 8, 0, 24)


def color_components(color: int) -> tuple[float, float, float, float]:
    """Return red, green, blue and alpha, 0 to 1.

    Rounded to float32 they are what float32 division gives.

    >>> color_components(0xFF00FF00)
    (0.0, 1.0, 0.0, 1.0)
    """
    red, green, blue, alpha = ((color >> shift & _LARGEST) / _LARGEST for shift in _SHIFTS)
    return red, green, blue, alpha
