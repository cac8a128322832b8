"""Measure the worst error of the elementary functions, over every float32 or a sample.

  python benchmarks/elementary.py                 all 2**32 operands (hours)
  python benchmarks/elementary.py --stride 1009   every 1009th (a minute)

The reference is the machine's long double library, 11 bits more precise than needed. An error is
|result - exact| in units of the last place of the exact result's float32. Special values count:
a zero, an infinity or a NaN that differs from the reference's is an infinite error, with denormals
flushed as Direct3D wants.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from softd3d.algebra import elementary
from softd3d.algebra.numpy_algebra import NumpyAlgebra, flush
from softd3d.algebra.value import F32, Value

Lanes = NDArray[Any]  # shape (lanes,)

_CHUNK = 1 << 20
_SIN_RANGES = (128 * np.pi, 2048 * np.pi, 2.0**18, 2.0**22)


@dataclass
class Worst:
    """The largest error so far and where it is."""

    ulp: float = 0.0
    operand: float = 0.0
    count: int = 0

    def add(self, operands: Lanes, errors: Lanes) -> None:
        if errors.size == 0:
            return
        self.count += errors.size
        at = int(np.argmax(errors))
        if errors[at] > self.ulp:
            self.ulp, self.operand = float(errors[at]), float(operands[at])


@dataclass(frozen=True)
class Case:
    """A function, its exact values in long double, and the operands it is measured on."""

    name: str
    function: Callable[[Value], Value]
    exact: Callable[[Lanes], Lanes]
    limit: float = np.inf
    worst: Worst = field(default_factory=Worst)
    absolute: Worst = field(default_factory=Worst)


def ulp_errors(result: Lanes, exact: Lanes) -> Lanes:
    """Return the errors of float32 results in ULP of the long double values `exact`."""
    with np.errstate(all="ignore"):
        nearest = flush(exact.astype(np.float32))
    _, exponent = np.frexp(exact)
    unit = np.ldexp(np.ones_like(exact), np.maximum(exponent, -125) - 24)
    with np.errstate(all="ignore"):
        errors = np.abs(result.astype(np.longdouble) - exact) / unit
    special = ~np.isfinite(nearest) | (nearest == 0) | ~np.isfinite(result) | (result == 0)
    same = (result == nearest) & (np.signbit(result) == np.signbit(nearest))
    same |= np.isnan(result) & np.isnan(nearest)
    # At the edges of the range one unit decides between a number and zero or infinity.
    edge = (np.abs(nearest) <= 2.0**-126) & (errors < 2) & (np.signbit(result) == np.signbit(exact))
    errors = np.where(special, np.where(same, 0.0, np.where(edge, errors, np.inf)), errors)
    return errors.astype(np.float64)


def sine(x: Value) -> Value:
    """Return the first result of sincos."""
    return elementary.sincos(x)[0]


def cosine(x: Value) -> Value:
    """Return the second result of sincos."""
    return elementary.sincos(x)[1]


def cases() -> Iterator[Case]:
    """The functions; sine and cosine once for each stated range."""
    yield Case("exp2", elementary.exp2, np.exp2)
    yield Case("log2", elementary.log2, np.log2)
    yield Case("reciprocal", elementary.reciprocal, lambda x: np.longdouble(1) / x)
    yield Case("reciprocal_sqrt", elementary.reciprocal_sqrt, _exact_reciprocal_sqrt)
    for limit in _SIN_RANGES:
        yield Case(f"sin, |x| < {limit:.6g}", sine, np.sin, limit)
        yield Case(f"cos, |x| < {limit:.6g}", cosine, np.cos, limit)


def _exact_reciprocal_sqrt(x: Lanes) -> Lanes:
    return np.where(x == 0, np.copysign(np.longdouble(np.inf), x), 1 / np.sqrt(x))


def measure(case: Case, operands: Lanes) -> None:
    """Update the worst errors of a case from these float32 operands."""
    if np.isfinite(case.limit):
        operands = operands[np.abs(operands) < case.limit]
    if operands.size == 0:
        return
    k = NumpyAlgebra()
    result = case.function(k.lanes(F32, operands)).raw
    with np.errstate(all="ignore"):
        exact = case.exact(flush(operands).astype(np.longdouble))
    case.worst.add(operands, ulp_errors(result, exact))
    with np.errstate(all="ignore"):
        absolute = np.abs(result.astype(np.longdouble) - exact).astype(np.float64)
    case.absolute.add(operands, np.where(np.isfinite(absolute), absolute, 0))


def main() -> None:
    """Run the measurement and print a table."""
    parser = argparse.ArgumentParser(description="Worst errors of elementary functions in ULP.")
    parser.add_argument("--stride", type=int, default=1, help="measure every n-th bit pattern")
    parser.add_argument("--only", default="", help="measure functions whose name starts so")
    options = parser.parse_args()
    table = Table("function", "worst ULP", "at", "worst absolute", "operands")
    chosen = [case for case in cases() if case.name.startswith(options.only)]
    with Progress() as progress:
        task = progress.add_task("operands", total=1 << 32)
        span = _CHUNK * options.stride
        for start in range(0, 1 << 32, span):
            stop = min(start + span, 1 << 32)
            operands = np.arange(start, stop, options.stride, dtype=np.uint64)
            for case in chosen:
                measure(case, operands.astype(np.uint32).view(np.float32))
            progress.update(task, completed=stop)
    for case in chosen:
        absolute = f"{case.absolute.ulp:.3g}" if case.name[:3] in ("sin", "cos") else ""
        table.add_row(
            case.name, f"{case.worst.ulp:.4f}", f"{case.worst.operand!r}", absolute,
            str(case.worst.count),
        )  # fmt: skip
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
