"""How effects of Direct3D 9 start; a module of its own, because every input is asked about it."""

from __future__ import annotations

__all__ = ["XNA4", "XNB", "XNB_HEADER_SIZE", "is_xnb"]

XNA4 = 0xBCF00BCF
"""The first dword of XNA 4's header; the second is where the effect starts."""
XNB = b"XNB"
XNB_HEADER_SIZE = 10


def is_xnb(data: bytes) -> bool:
    """Tell whether data starts as a content file of XNA does.

    >>> is_xnb(b"XNBw" + bytes(6))
    True
    """
    return data[: len(XNB)] == XNB and len(data) >= XNB_HEADER_SIZE
