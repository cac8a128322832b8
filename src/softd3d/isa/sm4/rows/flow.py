"""Control flow: blocks, loops, switches, calls, and the ends of invocations.

A condition is one component whose 32 bits are tested: `_z` all zero, `_nz` any set. Spec: D3D11.3
sections 22.5 and 22.16.
"""

from __future__ import annotations

from softd3d.isa.roles import Counts, Flow
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_TEST = Controls.TEST


def _flow(
    code: Opcode, mnemonic: str, role: Flow, signature: str, controls: Controls, counts: Counts,
    doc: str, since: tuple[int, int] = (4, 0), stages: str = "all",
) -> None:  # fmt: skip
    TABLE.flow(
        code, mnemonic, role, signature, controls, counts=counts, spec=f"inst_{code.name}", doc=doc,
        since=since, stages=stages,
    )  # fmt: skip


_NONE = Controls.NONE
_NOTHING, _STATIC, _DYNAMIC = Counts.NONE, Counts.STATIC_FLOW, Counts.DYNAMIC_FLOW

_flow(
    Opcode.IF, "if", Flow.IF, "=c", _TEST, _DYNAMIC,
    "Run the block up to else or endif where the test passes.",
)  # fmt: skip
_flow(
    Opcode.ELSE, "else", Flow.ELSE, "=", _NONE, _STATIC,
    "Begin the block for the lanes whose test failed.",
)  # fmt: skip
_flow(Opcode.ENDIF, "endif", Flow.ENDIF, "=", _NONE, _NOTHING, "End an if block.")
_flow(
    Opcode.LOOP, "loop", Flow.LOOP, "=", _NONE, _NOTHING,
    "Begin a loop that only break and ret leave.",
)  # fmt: skip
_flow(
    Opcode.ENDLOOP, "endloop", Flow.ENDLOOP, "=", _NONE, _NOTHING,
    "End a loop's body; its next iteration follows.",
)  # fmt: skip
_flow(Opcode.BREAK, "break", Flow.BREAK, "=", _NONE, _STATIC, "Leave the innermost loop or switch.")
_flow(
    Opcode.BREAKC, "breakc", Flow.BREAK, "=c", _TEST, _DYNAMIC,
    "Leave the innermost loop or switch where the test passes.",
)  # fmt: skip
_flow(
    Opcode.CONTINUE, "continue", Flow.CONTINUE, "=", _NONE, _STATIC,
    "Begin the innermost loop's next iteration.",
)  # fmt: skip
_flow(
    Opcode.CONTINUEC, "continuec", Flow.CONTINUE, "=c", _TEST, _DYNAMIC,
    "Begin the innermost loop's next iteration where the test passes.",
)  # fmt: skip
_flow(
    Opcode.SWITCH, "switch", Flow.SWITCH, "=i1", _NONE, _DYNAMIC,
    "Continue at the case whose 32-bit integer equals the selector, else at default.",
)  # fmt: skip
_flow(
    Opcode.CASE, "case", Flow.CASE, "=i1", _NONE, _NOTHING,
    "Begin the block of one value of a switch; only empty cases fall through.",
)  # fmt: skip
_flow(
    Opcode.DEFAULT, "default", Flow.DEFAULT, "=", _NONE, _NOTHING,
    "Begin the block of a switch's other values.",
)  # fmt: skip
_flow(Opcode.ENDSWITCH, "endswitch", Flow.ENDSWITCH, "=", _NONE, _NOTHING, "End a switch.")
_flow(
    Opcode.CALL, "call", Flow.CALL, "=L", _NONE, _STATIC,
    "Run the subroutine at a label; at depth 32 a call does nothing.",
)  # fmt: skip
_flow(
    Opcode.CALLC, "callc", Flow.CALL, "=cL", _TEST, _NOTHING,
    "Run the subroutine at a label where the test passes.",
)  # fmt: skip
_flow(Opcode.LABEL, "label", Flow.LABEL, "=L", _NONE, _NOTHING, "Begin a subroutine.")
_flow(
    Opcode.RET, "ret", Flow.RETURN, "=", _NONE, _STATIC,
    "Return from a subroutine, or end the shader or phase.",
)  # fmt: skip
_flow(Opcode.RETC, "retc", Flow.RETURN, "=c", _TEST, _DYNAMIC, "Return where the test passes.")
_flow(
    Opcode.INTERFACE_CALL, "fcall", Flow.METHOD_CALL, "=L", _NONE, _NOTHING,
    "Run the method that the bound class instance has at a call site of an interface.", (5, 0),
)  # fmt: skip
_flow(Opcode.NOP, "nop", Flow.NOP, "=", _NONE, _NOTHING, "Do nothing.")
_flow(
    Opcode.DISCARD, "discard", Flow.DISCARD, "=c", _TEST, _NOTHING,
    "Drop the pixel's results where the test passes; the lane goes on as a helper.", stages="ps",
)  # fmt: skip
_flow(
    Opcode.ABORT, "abort", Flow.ABORT, "=", _NONE, _NOTHING,
    "Stop the shader with an error, for debugging.",
)  # fmt: skip
_flow(
    Opcode.DEBUG_BREAK, "debug_break", Flow.DEBUG_BREAK, "=", _NONE, _NOTHING,
    "Stop in a debugger, if there is one.", (5, 0),
)  # fmt: skip
