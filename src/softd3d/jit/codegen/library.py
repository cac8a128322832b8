"""What LLVM takes for granted that a C library has, as LLVM text: code stands on its own.

Then no code depends on whose library it is, on how good that is, and on finding it. `fma` and
`floor`, for which a library might be asked too, are vector code where a processor lacks them
(jit/codegen/processors.py).
"""

from __future__ import annotations

from softd3d.jit.compiling.target import Target
from softd3d.jit.runtime import runtime

__all__ = ["library"]


def library(target: Target, *, clears: bool) -> str:
    """Return the definitions that a module needs. clears: it fills memory."""
    found = "@_fltused = global i32 0\n" if target.is_windows else ""  # wanted where floats are
    if not clears:
        return found
    if target.is_darwin:  # zeros have functions of their own there, by processor
        name = "bzero" if target.machine == "aarch64" else "\\01___bzero"
        found += (
            f'define hidden void @"{name}"(ptr %at, i64 %size) #5 {{\n'
            "  %same = call ptr @memset(ptr %at, i32 0, i64 %size)\n  ret void\n}\n"
        )
    return found + runtime("memset")
