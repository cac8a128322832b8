"""How effects start; a module of its own, because every input is asked about it."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["XNA4", "XNB", "XNB_HEADER_SIZE", "EffectVersion", "is_xnb"]

XNA4 = 0xBCF00BCF
"""The first dword of XNA 4's header; the second is where the effect starts."""
XNB = b"XNB"
XNB_HEADER_SIZE = 10
_FX4_COUNTS = 17
_FX5_COUNTS = 22


class EffectVersion(IntEnum):
    """The first dword: the profile the effect was compiled for."""

    FX_4_0 = 0xFEFF1001
    FX_4_1 = 0xFEFF1011
    FX_5_0 = 0xFEFF2001

    @property
    def count_fields(self) -> int:
        """How many counts the header has."""
        return _FX5_COUNTS if self is EffectVersion.FX_5_0 else _FX4_COUNTS


def is_xnb(data: bytes) -> bool:
    """Tell whether data starts as a content file of XNA does.

    >>> is_xnb(b"XNBw" + bytes(6))
    True
    """
    return data[: len(XNB)] == XNB and len(data) >= XNB_HEADER_SIZE
