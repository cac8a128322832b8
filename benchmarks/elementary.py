"""Measure the worst error of the elementary functions over every float32, and compare the engines.

  python benchmarks/elementary.py                        all 2**32 operands of each function
  python benchmarks/elementary.py --only exp2 sqrt       of some
  python benchmarks/elementary.py --compare              the JIT with the interpreter's algebra
  python benchmarks/elementary.py --state FILE --minutes 9    in pieces; call it again to go on

Each function is an instruction of a compute shader on the JIT. The reference is float64 from NumPy,
whose error of some units in its own last place is 2**-28 of one counted here. For the worst operand
of each row the error is computed once more in decimal arithmetic with 400 digits: that is what is
printed. An error is |result - exact| in units of the last place of the exact result's float32.
Results that are no normal float32 are checked for what they must be: NaN, a signed infinity, or
a signed zero for what is below 2**-126 (2**-126 where it is within two units of that). A wrong one
is an infinite error. Operands that are denormals count as zeros.

The comparison is to the bit, but for those of NaN: the JIT's instruction against the meaning of the
instruction's row over the NumPy algebra, which is what the interpreter computes. Its chunks of
2**19 operands are taken in an order that spreads over all exponents, so that a part of it says
something.

The state is kept after each chunk. It knows a function by all its operations, so what was measured
of another version of a function is measured anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from elementary_exact import EXACT, error_in_ulp
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import softd3d
from softd3d.algebra import elementary
from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.operations import sqrt
from softd3d.algebra.value import F32, DataType, Value
from softd3d.isa.sm4.rows import TABLE

Lanes = NDArray[Any]  # shape (lanes,)
Reference = Callable[..., tuple[Lanes, ...]]

_ALL = 1 << 32
_CHUNK = 1 << 21  # operands of a dispatch
_COMPARED = 1 << 19  # operands of a dispatch whose results are compared
_ORDER = 2531  # odd: each number of a chunk, times this, is that of another
_PIECE = 1 << 15  # operands whose errors are computed at once: temporaries stay in the cache
_ROW_PIECE = 1 << 13  # operands of a row's function over the NumPy algebra
_PAIRS = 1 << 30  # operands of div
_LARGEST = 2.0**128 * (1 - 2.0**-25)  # from here on numbers round to infinity
_SMALLEST = 2.0**-126
_EXPONENT = np.int64(0x7FF0000000000000)
_ONE_HUNDRED_PI = int(np.float32(100 * math.pi).view(np.uint32))  # 6e-6 above
_REDUCED_EXACTLY = int(np.float32(elementary.SINCOS_LIMIT).view(np.uint32))
_GROUP = 1024
_TEXT = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_resource_raw t1
dcl_uav_raw u0
dcl_uav_raw u1
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group {group}, 1, 1
ishl r0.x, vThreadID.x, l(2)
ld_raw r0.y, r0.x, t0.xxxx
ld_raw r0.z, r0.x, t1.xxxx
mov r1.xy, l(0, 0, 0, 0)
{instruction}
store_raw u0.x, r0.x, r1.x
store_raw u1.x, r0.x, r1.y
ret
"""


@dataclass(frozen=True, slots=True)
class Case:
    """An instruction, the float64 of its results, and the meaning that identifies its version.

    results: names of what is measured. ranges: name and bit patterns of magnitudes, half open, that
    make rows of their own; what lies in none is checked as special values. operands: how many.
    """

    name: str
    instruction: str
    function: Callable[..., object]
    reference: Reference
    results: tuple[str, ...] = ("",)
    ranges: tuple[tuple[str, int, int], ...] = (("", 0, 1 << 31),)
    operands: int = _ALL
    sources: int = 1


@dataclass
class Row:
    """The largest error so far and where it is; errors counted, and special results checked."""

    ulp: float = -1.0
    operands: list[int] = field(default_factory=list[int])
    result: int = 0
    count: int = 0
    special: int = 0

    def add(self, other: Row) -> None:
        if other.ulp > self.ulp:
            self.ulp, self.operands, self.result = other.ulp, other.operands, other.result
        self.count += other.count
        self.special += other.special


@dataclass
class Progressed:
    """How far a case is; differences: operands for which the engines differ, the first of them."""

    version: str
    done: int = 0
    rows: dict[str, Row] = field(default_factory=dict[str, Row])
    differences: int = 0
    first_difference: list[int] = field(default_factory=list[int])


def _rsq(x: Lanes) -> Lanes:
    return np.where(x == 0, np.copysign(np.inf, x), 1 / np.sqrt(x))


_SINCOS_RANGES = (
    ("|x| <= 100 pi", 0, _ONE_HUNDRED_PI + 1),
    ("to the exact reduction", _ONE_HUNDRED_PI + 1, _REDUCED_EXACTLY),
    ("reduced exactly", _REDUCED_EXACTLY, 1 << 31),
)
_UNARY = "{} r1.x, r0.y"
CASES = (
    Case("exp2", _UNARY.format("exp"), elementary.exp2, lambda x: (np.exp2(x),)),
    Case("log2", _UNARY.format("log"), elementary.log2, lambda x: (np.log2(x),)),
    Case("rcp", _UNARY.format("rcp"), elementary.reciprocal, lambda x: (1 / x,)),
    Case("sqrt", _UNARY.format("sqrt"), sqrt, lambda x: (np.sqrt(x),)),
    Case(
        "sincos", "sincos r1.x, r1.y, r0.y", elementary.sincos,
        lambda x: (np.sin(x), np.cos(x)), ("sin", "cos"), _SINCOS_RANGES,
    ),
    Case(
        "div", "div r1.x, r0.y, r0.z", lambda a, b: a / b, lambda a, b: (a / b,),
        operands=_PAIRS, sources=2,
    ),
    Case("rsq", _UNARY.format("rsq"), elementary.reciprocal_sqrt, lambda x: (_rsq(x),)),
)  # fmt: skip


class Fingerprint:
    """An algebra whose values are digests of the operations that make them."""

    def const(self, type_: DataType, value: float) -> Value:
        return Value(self, type_, _digest(type_.value, repr(value)))

    def apply(self, name: str, type_: DataType, args: tuple[Value, ...]) -> Value:
        return Value(self, type_, _digest(name, type_.value, *(str(a.raw) for a in args)))


def version_of(case: Case) -> str:
    """Return a digest of a function's operations and of what is measured of it."""
    k = Fingerprint()
    values = case.function(*(Value(k, F32, f"operand {n}") for n in range(case.sources)))
    results = values if isinstance(values, tuple) else (values,)
    return _digest(*(str(v.raw) for v in results), case.instruction, repr(case.ranges))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


class Runner:
    """An instruction, ready to run on `size` operands; each thread has one of its own."""

    def __init__(self, case: Case, size: int) -> None:
        text = _TEXT.format(group=_GROUP, instruction=case.instruction)
        self.sources = [np.zeros(size, np.uint32) for _ in range(2)]
        self.results = [np.zeros(size, np.uint32) for _ in range(2)]
        self.dispatch = softd3d.Dispatch(
            softd3d.load(softd3d.assemble(text)), (size // _GROUP, 1, 1),
            srvs=dict(enumerate(map(softd3d.RawBuffer, self.sources))),
            uavs=dict(enumerate(map(softd3d.RawBuffer, self.results))), threads=1,
        )  # fmt: skip

    def run(self, operands: tuple[Lanes, ...]) -> list[Lanes]:
        """Return the bits of the results; they are overwritten by the next call."""
        for array, bits in zip(self.sources, operands, strict=False):
            array[...] = bits
        self.dispatch()
        return self.results


def operands_of(case: Case, start: int, count: int) -> tuple[Lanes, ...]:
    """Return the bit patterns from `start` on; of several operands, random ones."""
    if case.sources == 1:
        return (np.arange(start, start + count, dtype=np.uint64).astype(np.uint32),)
    random = np.random.default_rng(start)
    a, b = (random.integers(0, _ALL, count, dtype=np.uint32) for _ in range(2))
    # Every other pair within eight octaves of each other, as most quotients are in life.
    near = (a ^ b) & np.uint32(0x83FFFFFF) ^ a
    return a, np.where(np.arange(count) & 1, near, b)


def _as_float64(bits: Lanes) -> Lanes:
    """Return operands as the functions see them: denormals are zeros."""
    is_tiny = (bits & np.uint32(0x7F800000)) == 0
    return np.where(is_tiny, bits & np.uint32(0x80000000), bits).view(np.float32).astype(np.float64)


def errors_in_ulp(result: Lanes, exact: Lanes) -> tuple[Lanes, int]:
    """Return the errors of float32 results, and how many of them are special values."""
    magnitude = np.abs(exact)
    is_normal = (magnitude >= _SMALLEST) & (magnitude < _LARGEST)
    wide = result.astype(np.float64)
    unit = (magnitude.view(np.int64) & _EXPONENT).view(np.float64) * 2.0**-23
    errors = np.abs(wide - exact) / unit
    if is_normal.all():
        return np.where(np.isfinite(wide), errors, np.inf), 0
    is_right = _is_right(wide, exact, magnitude)
    errors = np.where(np.isfinite(wide), errors, np.inf)
    errors = np.where(is_normal, errors, np.where(is_right, 0.0, np.inf))
    return errors, int(errors.size - is_normal.sum())


def _is_right(result: Lanes, exact: Lanes, magnitude: Lanes) -> Lanes:
    """Whether results that are no normal numbers are what they must be."""
    same_sign = np.signbit(result) == np.signbit(exact)
    is_edge = (np.abs(result) == _SMALLEST) & (magnitude > _SMALLEST - 2.0**-148)
    is_tiny = (magnitude < _SMALLEST) & same_sign & ((result == 0) | is_edge)
    is_huge = (magnitude >= _LARGEST) & same_sign & np.isinf(result)
    return is_tiny | is_huge | (np.isnan(result) & np.isnan(exact))


def measured(case: Case, runner: Runner, start: int, count: int) -> dict[str, Row]:
    """Return the rows of some operands."""
    operands = operands_of(case, start, count)
    results = runner.run(operands)
    rows: dict[str, Row] = {}
    for at in range(0, count, _PIECE):
        piece = slice(at, at + _PIECE)
        bits = [o[piece] for o in operands]
        with np.errstate(all="ignore"):
            exact = case.reference(*(_as_float64(b) for b in bits))
            for name, found, wanted in zip(case.results, results, exact, strict=False):
                for label, row in _rows(case, name, bits, found[piece], wanted):
                    rows.setdefault(label, Row()).add(row)
    return rows


def _rows(
    case: Case, name: str, bits: list[Lanes], found: Lanes, exact: Lanes
) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a piece; a piece that lies in one range is not divided."""
    magnitude = bits[0] & np.uint32(0x7FFFFFFF)
    low, high = int(magnitude.min()), int(magnitude.max())
    for range_name, first, end in case.ranges:
        if high < first or low >= end:
            continue
        label = ", ".join(part for part in (name or case.name, range_name) if part)
        if first <= low and high < end:
            yield label, _row(bits, found, exact)
        else:
            inside = (magnitude >= first) & (magnitude < end)
            yield label, _row([b[inside] for b in bits], found[inside], exact[inside])


def _row(bits: list[Lanes], found: Lanes, exact: Lanes) -> Row:
    errors, special = errors_in_ulp(found.view(np.float32), exact)
    at = int(np.argmax(errors))
    return Row(
        float(errors[at]), [int(b[at]) for b in bits], int(found[at]), errors.size, special
    )  # fmt: skip


def interpreted(case: Case, operands: tuple[Lanes, ...]) -> list[Lanes]:
    """Return the bits of what the instruction's row gives over the NumPy algebra."""
    row = TABLE.by_mnemonic[case.instruction.split()[0]].semantics
    if row is None:
        raise ValueError(f"{case.instruction}: found no meaning")
    k = NumpyAlgebra()
    found = [np.empty(operands[0].shape, np.uint32) for _ in case.results]
    for at in range(0, operands[0].size, _ROW_PIECE):
        piece = slice(at, at + _ROW_PIECE)
        values = row(*(k.lanes(F32, o[piece].view(np.float32)) for o in operands))
        for array, value in zip(
            found, values if isinstance(values, tuple) else (values,), strict=True
        ):
            array[piece] = value.raw.view(np.uint32)
    return found


def differences(a: list[Lanes], b: list[Lanes]) -> Lanes:
    """Return the lanes in which results differ; all NaN are alike."""
    differ = np.zeros(a[0].shape, np.bool_)
    for one, other in zip(a, b, strict=False):  # the JIT has room for two results
        if not np.array_equal(one, other):
            is_nan = np.isnan(one.view(np.float32)) & np.isnan(other.view(np.float32))
            differ |= (one != other) & ~is_nan
    return np.flatnonzero(differ)


class Measurement:
    """One case on some threads: its errors, or what the engines have different."""

    def __init__(self, case: Case, *, compares: bool, threads: int) -> None:
        self.case, self.compares, self.threads = case, compares, threads
        self.chunk = _COMPARED if compares else _CHUNK
        self.runners = [Runner(case, self.chunk) for _ in range(threads)]

    def step(self, state: Progressed, pool: ThreadPoolExecutor) -> None:
        """Do the next chunks, one a thread."""
        starts = [state.done + n * self.chunk for n in range(self.threads)]
        starts = [s for s in starts if s < self.case.operands]
        one = self._compare if self.compares else self._measure
        for part in pool.map(one, starts, self.runners):
            for label, row in part.rows.items():
                state.rows.setdefault(label, Row()).add(row)
            state.differences += part.differences
            state.first_difference = state.first_difference or part.first_difference
        state.done = starts[-1] + self.chunk

    def _measure(self, start: int, runner: Runner) -> Progressed:
        return Progressed("", rows=measured(self.case, runner, start, self.chunk))

    def _compare(self, start: int, runner: Runner) -> Progressed:
        start = start * _ORDER % self.case.operands
        operands = operands_of(self.case, start, self.chunk)
        found = differences(runner.run(operands), interpreted(self.case, operands))
        first = [int(o[found[0]]) for o in operands] if found.size else []
        return Progressed("", differences=int(found.size), first_difference=first)


def read_state(path: Path | None) -> dict[str, Progressed]:
    """Return what a state file holds; nothing without one."""
    if path is None or not path.exists():
        return {}
    found = json.loads(path.read_text())
    for entry in found.values():
        entry["rows"] = {label: Row(**row) for label, row in entry["rows"].items()}
    return {key: Progressed(**entry) for key, entry in found.items()}


def write_state(path: Path | None, state: dict[str, Progressed]) -> None:
    """Replace a state file at once, so that an interrupt leaves the old or the new one."""
    if path is not None:
        new = path.with_suffix(".new")
        new.write_text(json.dumps({key: asdict(entry) for key, entry in state.items()}, indent=1))
        new.replace(path)


def _key(case: Case, *, compares: bool) -> str:
    """Return under what a state has a case."""
    return f"{case.name}, engines" if compares else case.name


def show(chosen: list[Case], state: dict[str, Progressed], *, compares: bool) -> None:
    """Print the table."""
    table = Table("function", "worst ULP", "at", "numbers", "special values", "of all")
    if compares:
        table = Table("function", "differences", "first at", "compared", "of all")
    for case in chosen:
        key = _key(case, compares=compares)
        entry = state.get(key, Progressed(""))
        part = f"{entry.done / case.operands:.1%}"
        if compares:
            first = " ".join(f"0x{bits:08x}" for bits in entry.first_difference)
            table.add_row(case.name, str(entry.differences), first, str(entry.done), part)
        for label, row in entry.rows.items():
            ulp = row.ulp
            exact = EXACT.get(label.split(",")[0])
            if exact is not None and 0 < ulp < math.inf:
                ulp = error_in_ulp(row.result, exact, row.operands)
            at = " ".join(_shown(bits) for bits in row.operands)
            numbers, special = str(row.count - row.special), str(row.special)
            table.add_row(label, f"{ulp:.5f}", at, numbers, special, part)
    Console(width=140).print(table)


def _shown(bits: int) -> str:
    return f"{np.uint32(bits).view(np.float32)!s} (0x{bits:08x})"


def measure(chosen: list[Case], state: dict[str, Progressed], options: argparse.Namespace) -> None:
    """Go on with each case until it is complete or the time is over."""
    deadline = time.monotonic() + 60 * options.minutes
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.1f}%"))
    with (
        ThreadPoolExecutor(options.threads) as pool,
        Progress(*columns, TimeRemainingColumn()) as progress,
    ):
        for case in chosen:
            key = _key(case, compares=options.compare)
            version = version_of(case)
            entry = state.get(key)
            if entry is None or entry.version != version:
                entry = state[key] = Progressed(version)
            task = progress.add_task(key, total=case.operands, completed=entry.done)
            if entry.done >= case.operands or time.monotonic() >= deadline:
                continue
            measurement = Measurement(case, compares=options.compare, threads=options.threads)
            while entry.done < case.operands and time.monotonic() < deadline:
                measurement.step(entry, pool)
                write_state(options.state, state)
                progress.update(task, completed=entry.done)


def main() -> None:
    """Measure, or go on measuring, and print a table."""
    parser = argparse.ArgumentParser(description="Worst errors of elementary functions in ULP.")
    names = [case.name for case in CASES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="functions")
    parser.add_argument("--state", type=Path, help="a file to keep what is done in, and go on from")
    parser.add_argument("--threads", type=int, default=1, help="of the CPU")
    parser.add_argument("--minutes", type=float, default=math.inf, help="when to stop")
    parser.add_argument("--compare", action="store_true", help="the JIT with the interpreter")
    options = parser.parse_args()
    chosen = [case for case in CASES if case.name in options.only]
    state = read_state(options.state)
    measure(chosen, state, options)
    show(chosen, state, compares=options.compare)


if __name__ == "__main__":
    main()
