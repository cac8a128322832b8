"""Effects of Direct3D 9 (fx_2_0), as fxc and D3DX write them, and XNA 4 with a header of its own.

Spec: measured on the output of d3dx9_24 to d3dx9_43 and of d3dcompiler_41 to d3dcompiler_47, which
agree on the layout.
"""

from __future__ import annotations

from softd3d.bits import ByteReader
from softd3d.container.effects.d3d9.reader import read_effect9
from softd3d.container.effects.d3d9.records import FX_2_0, Effect9
from softd3d.container.effects.d3d9.writer import write_effect9
from softd3d.container.effects.magic import XNA4
from softd3d.errors import ContainerError

__all__ = ["build_effect9", "parse_effect9"]

_XNA4_HEADER_SIZE = 8
_MONOGAME = int.from_bytes(b"MGFX", "little")


def parse_effect9(data: bytes) -> Effect9:
    """Read an effect, with the header of XNA 4 if there is one.

    Raises:
        ContainerError: it is none, or is malformed.
    """
    reader = ByteReader(data, 0, "effect")
    token, start = reader.u32(0), 0
    if token == XNA4:
        start = reader.u32(4)
        if not _XNA4_HEADER_SIZE <= start < len(data):
            raise ContainerError(
                f"effect: XNA header of {start} bytes, wanted {_XNA4_HEADER_SIZE} to "
                f"{len(data) - 1}",
                reader.location(4),
            )
        token = reader.u32(start)
    if token != FX_2_0:
        made = ", MonoGame's own format" if token == _MONOGAME else ""
        raise ContainerError(
            f"effect: version token {token:#010x}{made}, wanted {FX_2_0:#010x} (fx_2_0)",
            reader.location(start),
        )
    return read_effect9(data, start, data[:start])


def build_effect9(effect: Effect9) -> bytes:
    """Write an effect; one that was read gives the same bytes.

    Raises:
        ContainerError: a value has not the form of its type, a number does not fit, or parts that
            share a place of the pool differ.
    """
    return write_effect9(effect)
