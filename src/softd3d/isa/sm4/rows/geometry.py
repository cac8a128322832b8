"""What only geometry shaders can do: emit vertices and end strips, on a stream or on stream 0.

Spec: D3D11.3 section 22.17.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softd3d.isa.machine import Strips
from softd3d.isa.roles import Counts
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []


def _row(
    code: Opcode, mnemonic: str, counts: Counts, *, of_stream: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return TABLE.effect(
        code, mnemonic, "=#" if of_stream else "=", counts=counts, spec=f"inst_{code.name}",
        since=(5, 0) if of_stream else (4, 0), stages="gs", emits=True,
    )  # fmt: skip


@_row(Opcode.EMIT, "emit", Counts.EMIT)
def emit(strips: Strips) -> None:
    """Append the outputs as a vertex; outputs keep what they hold, where Direct3D undefines them.

    Vertices beyond the declared most are dropped.
    """
    strips.emit(0)


@_row(Opcode.CUT, "cut", Counts.CUT)
def cut(strips: Strips) -> None:
    """End the strip."""
    strips.cut(0)


@_row(Opcode.EMITTHENCUT, "emit_then_cut", Counts.NONE)
def emit_then_cut(strips: Strips) -> None:
    """Append a vertex, then end the strip."""
    strips.emit(0)
    strips.cut(0)


@_row(Opcode.EMIT_STREAM, "emit_stream", Counts.EMIT, of_stream=True)
def emit_stream(strips: Strips, stream: int) -> None:
    """Append a vertex to a stream; its registers are those declared behind its dcl_stream."""
    strips.emit(stream)


@_row(Opcode.CUT_STREAM, "cut_stream", Counts.CUT, of_stream=True)
def cut_stream(strips: Strips, stream: int) -> None:
    """End a stream's strip."""
    strips.cut(stream)


@_row(Opcode.EMITTHENCUT_STREAM, "emit_then_cut_stream", Counts.NONE, of_stream=True)
def emit_then_cut_stream(strips: Strips, stream: int) -> None:
    """Append a vertex to a stream, then end its strip."""
    strips.emit(stream)
    strips.cut(stream)
