"""Control flow: blocks, loops, subroutines, phases.

Static conditions are b# constants, dynamic ones comparisons or p0. Spec: Direct3D 9 shader
assembly reference, "Flow control".
"""

from __future__ import annotations

from softd3d.isa.roles import Flow
from softd3d.isa.sm1.enums import Opcode
from softd3d.isa.sm1.rows.table import SM2, SM2X, SM3, Since, row

__all__: list[str] = []


def _flow(
    code: Opcode, mnemonic: str, role: Flow, signature: str, doc: str, vs: Since | None = SM2,
    ps: Since | None = SM2X, spec: str = "",
) -> None:  # fmt: skip
    row(code, mnemonic, signature, doc, vs=vs, ps=ps, role=role, spec=spec)


_flow(Opcode.IF, "if", Flow.IF, "=c", "Run the block where a b# or p0 is true.", spec="if-bool")
_flow(
    Opcode.IFC, "if", Flow.IF, "=f1f1",
    "Run the block where a comparison of two scalars holds.", SM2X, spec="if-comp",
)  # fmt: skip
_flow(Opcode.ELSE, "else", Flow.ELSE, "=", "Begin the block for the other case.")
_flow(Opcode.ENDIF, "endif", Flow.ENDIF, "=", "End an if block.")
_flow(
    Opcode.LOOP, "loop", Flow.LOOP, "=ii",
    "Run the block i#.x times, with aL from i#.y in steps of i#.z.", SM2, SM3,
)  # fmt: skip
_flow(Opcode.ENDLOOP, "endloop", Flow.ENDLOOP, "=", "End a loop block.", SM2, SM3)
_flow(Opcode.REP, "rep", Flow.REP, "=i", "Run the block i#.x times.")
_flow(Opcode.ENDREP, "endrep", Flow.ENDREP, "=", "End a rep block.")
_flow(Opcode.BREAK, "break", Flow.BREAK, "=", "Leave the innermost loop or rep.", SM2X)
_flow(
    Opcode.BREAKC, "break", Flow.BREAK, "=f1f1",
    "Leave the innermost loop or rep where a comparison of two scalars holds.", SM2X,
    spec="break-comp",
)  # fmt: skip
_flow(
    Opcode.BREAKP, "breakp", Flow.BREAK, "=c",
    "Leave the innermost loop or rep where p0 is true.", SM2X, spec="break-pred",
)  # fmt: skip
_flow(Opcode.CALL, "call", Flow.CALL, "=L", "Run the subroutine at a label.")
_flow(Opcode.CALLNZ, "callnz", Flow.CALL, "=Lc", "Run the subroutine where a b# or p0 is true.")
_flow(Opcode.LABEL, "label", Flow.LABEL, "=L", "Begin a subroutine.")
_flow(Opcode.RET, "ret", Flow.RETURN, "=", "Return from a subroutine, or end the shader.")
_flow(
    Opcode.PHASE, "phase", Flow.PHASE, "=",
    "Begin the second phase, which may read what the first computed.", None, ((1, 4), (1, 4)),
)  # fmt: skip
