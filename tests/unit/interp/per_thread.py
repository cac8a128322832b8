"""Runs of flow that leave one number in each thread."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from program_builder import build

from softd3d.interp import interpret
from softd3d.resources.buffers.buffer import RawBuffer

LANES = 96


def run(text: str, *, lanes: int = LANES, temps: int = 8) -> list[int]:
    """Run with r0.x as the thread's number; return each thread's r1.x."""
    out = np.full(lanes, 0xDDDDDDDD, np.uint32)
    lines = text.strip().splitlines()
    # The result is stored by a subroutine's caller: a ret in the text must not skip it.
    subroutines = [n for n, line in enumerate(lines) if line.strip().startswith("label")]
    split = subroutines[0] if subroutines else len(lines)
    main = "\n".join(lines[:split])
    rest = "\n".join(lines[split:])
    whole = f"""
        mov r0.x, vThreadID.x
        call label99
        ishl r7.x, vThreadID.x, l(2)
        store_raw u0.x, r7.x, r1.x
        ret
        label label99
        {main}
        ret
        {rest}
    """
    bound = build(whole, uavs={0: RawBuffer(out)}, group=(lanes, 1, 1), temps=temps)
    interpret(bound, (1, 1, 1), budget=200_000)
    return out.tolist()


def each(function: Callable[[int], int]) -> list[int]:
    return [function(n) & 0xFFFFFFFF for n in range(LANES)]
