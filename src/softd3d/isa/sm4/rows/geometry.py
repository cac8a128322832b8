"""What only geometry shaders can do: emit vertices and end strips, on a stream or on stream 0.

Layouts only, no semantics yet. Spec: D3D11.3 section 22.4.
"""

from __future__ import annotations

from softd3d.isa.roles import Counts
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []


def _emit(
    code: Opcode, mnemonic: str, signature: str, counts: Counts, doc: str,
    since: tuple[int, int] = (4, 0),
) -> None:  # fmt: skip
    TABLE.later(
        code, mnemonic, signature, counts=counts, spec=f"inst_{code.name}", doc=doc, since=since,
        stages="gs",
    )  # fmt: skip


_SM5 = (5, 0)
_emit(
    Opcode.EMIT, "emit", "=", Counts.EMIT,
    "Append the outputs as a vertex, and make them undefined.",
)  # fmt: skip
_emit(Opcode.CUT, "cut", "=", Counts.CUT, "End the strip.")
_emit(Opcode.EMITTHENCUT, "emit_then_cut", "=", Counts.NONE, "Append a vertex, then end the strip.")
_emit(Opcode.EMIT_STREAM, "emit_stream", "=#", Counts.EMIT, "Append a vertex to a stream.", _SM5)
_emit(Opcode.CUT_STREAM, "cut_stream", "=#", Counts.CUT, "End a stream's strip.", _SM5)
_emit(
    Opcode.EMITTHENCUT_STREAM, "emit_then_cut_stream", "=#", Counts.NONE,
    "Append a vertex to a stream, then end its strip.", _SM5,
)  # fmt: skip
