"""Hostile calls of Direct3D 9 devices: a result or a ShaderError, on both engines the same bits.

Run as a script for long campaigns:
    python tests/fuzz/device9_campaign.py --draws 20000 [--start N] [--both]

--both compares the engines, call by call and in all memory that is drawn to; else the interpreter
runs alone. It stops at the first failure, and says which session it was.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter

import numpy as np
from hostile_device9 import Session

CALLS = 60


def run(number: int, *, both: bool) -> Session:
    """Run a session.

    Raises:
        AssertionError: the engines differ. Others: what is no `ShaderError`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        session = Session(number, "interpreter")
        session.run(CALLS)
        if both:
            other = Session(number, "jit", threads=1 + number % 2, lanes=(0, 4, 8)[number % 3])
            other.run(CALLS)
            assert session.log == other.log, next(
                pair for pair in zip(session.log, other.log, strict=True) if pair[0] != pair[1]
            )
            for one, two in zip(session.memory(), other.memory(), strict=True):
                check_same(one, two)
    return session


def check_same(one: np.ndarray, two: np.ndarray) -> None:
    """Compare memory; any NaN equals any NaN, of 16 and of 32 bits."""
    a, b = (np.ascontiguousarray(x).reshape(-1) for x in (one, two))
    if (a == b).all():
        return
    for dtype in (np.float16, np.float32):
        if a.size % np.dtype(dtype).itemsize == 0:
            x, y = a.view(dtype), b.view(dtype)
            if ((x == y) | (np.isnan(x) & np.isnan(y))).all():
                return
    raise AssertionError("the engines have drawn other pixels")


def main() -> None:
    """Run sessions until there were enough draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--both", action="store_true")
    options = parser.parse_args()
    number, draws, ends = options.start, 0, Counter[str]()
    started = time.perf_counter()
    while draws < options.draws:
        try:
            session = run(number, both=options.both)
        except BaseException:
            print(f"session {number} failed")
            raise
        draws += session.draws
        for line in session.log:
            name, _, end = line.partition(": ")
            if name == "draw":
                kind = end.partition(":")[0]
                ends[
                    kind if "Error" in kind else "drawn" if kind not in ("", "0") else "nothing"
                ] += 1
        number += 1
    print(f"{draws} draws in {number - options.start} sessions, {dict(ends)}, "
          f"{time.perf_counter() - started:.0f} s")  # fmt: skip


if __name__ == "__main__":
    main()
