"""The fused multiply-add of float64 for processors without the instruction, as LLVM text.

One lane at a time: doubles are rare where such processors are.
"""

from __future__ import annotations

from functools import cache

from softd3d.jit.runtime import runtime

__all__ = ["fma64"]


@cache
def fma64() -> str:
    """Return the definition of `softd3d_fma64` and what it calls."""
    numbers = {x: runtime("fma64_number", x=x).rstrip() for x in "abc"}
    y = runtime("fma64_shift", result="y", value="%c_up", count="%c_down").rstrip()
    x = runtime("fma64_shift", result="x", value="%p", count="%p_down").rstrip()
    return runtime("fma64", **numbers, x=x, y=y).rstrip()
