"""How DDS files start; a module of its own, because every input is asked whether it is one."""

from __future__ import annotations

__all__ = ["MAGIC", "is_dds"]

MAGIC = b"DDS "


def is_dds(data: bytes | bytearray | memoryview) -> bool:
    """Tell whether bytes start like a DDS file.

    >>> is_dds(b"DDS |")
    True
    """
    return bytes(data[: len(MAGIC)]) == MAGIC
