"""What only geometry shaders can do: emit vertices and end strips, on a stream or on stream 0.

Layouts only, no semantics yet. Spec: D3D11.3 section 22.4.
"""

from __future__ import annotations

from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []


def _emit(
    code: Opcode, mnemonic: str, signature: str, doc: str, since: tuple[int, int] = (4, 0)
) -> None:
    TABLE.later(
        code, mnemonic, signature, spec=f"inst_{code.name}", doc=doc, since=since, stages="gs"
    )


_SM5 = (5, 0)
_emit(Opcode.EMIT, "emit", "=", "Append the outputs as a vertex, and make them undefined.")
_emit(Opcode.CUT, "cut", "=", "End the strip.")
_emit(Opcode.EMITTHENCUT, "emit_then_cut", "=", "Append a vertex, then end the strip.")
_emit(Opcode.EMIT_STREAM, "emit_stream", "=#", "Append a vertex to a stream.", _SM5)
_emit(Opcode.CUT_STREAM, "cut_stream", "=#", "End a stream's strip.", _SM5)
_emit(
    Opcode.EMITTHENCUT_STREAM, "emit_then_cut_stream", "=#",
    "Append a vertex to a stream, then end its strip.", _SM5,
)  # fmt: skip
