"""Control flow: blocks, loops, switches, calls, and the ends of invocations.

A condition is one component whose 32 bits are tested: `_z` all zero, `_nz` any set. Spec: D3D11.3
sections 22.5 and 22.16.
"""

from __future__ import annotations

from softd3d.isa.roles import Flow
from softd3d.isa.row import Controls
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_TEST = Controls.TEST


def _flow(
    code: Opcode, mnemonic: str, role: Flow, signature: str, controls: Controls, doc: str,
    since: tuple[int, int] = (4, 0), stages: str = "all",
) -> None:  # fmt: skip
    TABLE.flow(
        code, mnemonic, role, signature, controls, spec=f"inst_{code.name}", doc=doc, since=since,
        stages=stages,
    )  # fmt: skip


_NONE = Controls.NONE

_flow(
    Opcode.IF, "if", Flow.IF, "=c", _TEST,
    "Run the block up to else or endif where the test passes.",
)  # fmt: skip
_flow(
    Opcode.ELSE, "else", Flow.ELSE, "=", _NONE,
    "Begin the block for the lanes whose test failed.",
)  # fmt: skip
_flow(Opcode.ENDIF, "endif", Flow.ENDIF, "=", _NONE, "End an if block.")
_flow(Opcode.LOOP, "loop", Flow.LOOP, "=", _NONE, "Begin a loop that only break and ret leave.")
_flow(
    Opcode.ENDLOOP, "endloop", Flow.ENDLOOP, "=", _NONE,
    "End a loop's body; its next iteration follows.",
)  # fmt: skip
_flow(Opcode.BREAK, "break", Flow.BREAK, "=", _NONE, "Leave the innermost loop or switch.")
_flow(
    Opcode.BREAKC, "breakc", Flow.BREAK, "=c", _TEST,
    "Leave the innermost loop or switch where the test passes.",
)  # fmt: skip
_flow(
    Opcode.CONTINUE, "continue", Flow.CONTINUE, "=", _NONE,
    "Begin the innermost loop's next iteration.",
)  # fmt: skip
_flow(
    Opcode.CONTINUEC, "continuec", Flow.CONTINUE, "=c", _TEST,
    "Begin the innermost loop's next iteration where the test passes.",
)  # fmt: skip
_flow(
    Opcode.SWITCH, "switch", Flow.SWITCH, "=i1", _NONE,
    "Continue at the case whose 32-bit integer equals the selector, else at default.",
)  # fmt: skip
_flow(
    Opcode.CASE, "case", Flow.CASE, "=i1", _NONE,
    "Begin the block of one value of a switch; only empty cases fall through.",
)  # fmt: skip
_flow(
    Opcode.DEFAULT, "default", Flow.DEFAULT, "=", _NONE,
    "Begin the block of a switch's other values.",
)  # fmt: skip
_flow(Opcode.ENDSWITCH, "endswitch", Flow.ENDSWITCH, "=", _NONE, "End a switch.")
_flow(
    Opcode.CALL, "call", Flow.CALL, "=L", _NONE,
    "Run the subroutine at a label; at depth 32 a call does nothing.",
)  # fmt: skip
_flow(
    Opcode.CALLC, "callc", Flow.CALL, "=cL", _TEST,
    "Run the subroutine at a label where the test passes.",
)  # fmt: skip
_flow(Opcode.LABEL, "label", Flow.LABEL, "=L", _NONE, "Begin a subroutine.")
_flow(
    Opcode.RET, "ret", Flow.RETURN, "=", _NONE,
    "Return from a subroutine, or end the shader or phase.",
)  # fmt: skip
_flow(Opcode.RETC, "retc", Flow.RETURN, "=c", _TEST, "Return where the test passes.")
_flow(
    Opcode.INTERFACE_CALL, "fcall", Flow.METHOD_CALL, "=L", _NONE,
    "Run the method that the bound class instance has at a call site of an interface.", (5, 0),
)  # fmt: skip
_flow(Opcode.NOP, "nop", Flow.NOP, "=", _NONE, "Do nothing.")
_flow(
    Opcode.DISCARD, "discard", Flow.DISCARD, "=c", _TEST,
    "Drop the pixel's results where the test passes; the lane goes on as a helper.", stages="ps",
)  # fmt: skip
_flow(
    Opcode.ABORT, "abort", Flow.ABORT, "=", _NONE,
    "Stop the shader with an error, for debugging.",
)  # fmt: skip
_flow(
    Opcode.DEBUG_BREAK, "debug_break", Flow.DEBUG_BREAK, "=", _NONE,
    "Stop in a debugger, if there is one.", (5, 0),
)  # fmt: skip
