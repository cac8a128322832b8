"""Stripping containers, as D3DStripShader does.

Which chunks each flag removes was measured with d3dcompiler_47: chunks of every FourCC that its
code names, one flag at a time.
"""

from __future__ import annotations

from enum import IntFlag

from softd3d.container.dxbc.container import parse
from softd3d.container.dxbc.edit import rebuild

__all__ = ["STRIPPED_CHUNKS", "StripFlags", "strip"]


class StripFlags(IntFlag):
    """D3DCOMPILER_STRIP_FLAGS (d3dcompiler.h)."""

    NONE = 0
    REFLECTION_DATA = 1
    DEBUG_INFO = 2
    TEST_BLOBS = 4
    PRIVATE_DATA = 8
    ROOT_SIGNATURE = 16


STRIPPED_CHUNKS: dict[StripFlags, tuple[str, ...]] = {
    StripFlags.REFLECTION_DATA: ("RDEF", "STAT"),
    StripFlags.DEBUG_INFO: ("SDBG", "SPDB", "RPLY"),
    StripFlags.TEST_BLOBS: ("CRPT", "PERF", "SDTL", "SMID"),
    StripFlags.PRIVATE_DATA: ("PRIV",),
    StripFlags.ROOT_SIGNATURE: ("RTS0",),
}
"""What each flag removes. A level 9 shader in Aon9 stays, as do nested containers as they are."""


def strip(data: bytes, flags: StripFlags) -> bytes:
    """Remove all chunks of the kinds that `flags` names.

    Where D3DStripShader accepts the container, the result is the same. Unlike it, this also takes
    containers with gaps between chunks or a wrong checksum.

    Raises:
        ContainerError: `data` is not a container.

    >>> from softd3d.container.dxbc.container import Chunk, build
    >>> data = build([Chunk("RDEF", b""), Chunk("SHEX", b"")])
    >>> [chunk.fourcc for chunk in parse(strip(data, StripFlags.REFLECTION_DATA)).chunks]
    ['SHEX']
    """
    gone = {name for flag, names in STRIPPED_CHUNKS.items() if flag in flags for name in names}
    return rebuild(data, [chunk for chunk in parse(data).chunks if chunk.fourcc not in gone])
