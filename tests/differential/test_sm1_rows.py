"""Every pure row of SM1-3 and profile, over pairs of special values and random bits.

NumPy and LLVM agree to the bit, where any NaN is any other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from rows import GROUP, Function, Words, native_words, numpy_words
from test_rows import SPECIAL

from softd3d.algebra.legacy_float import chosen
from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, F32, U32, Value
from softd3d.isa.row import Controls, Kind, OperandSpec, Row
from softd3d.isa.sm1.enums import Comparison, SourceModifier
from softd3d.isa.sm1.modifiers import modified, shifted
from softd3d.isa.sm1.profile import PROFILES, Profile
from softd3d.isa.sm1.rows import TABLE

# Both stages have one function
PURE = {
    (row.mnemonic, row.since): row
    for rows in TABLE.variants.values()
    for row in rows
    if row.kind is Kind.PURE and row.destinations
}
VALUES = {
    Controls.BUMP_MATRIX: 4, Controls.COORDINATES: 4, Controls.ROWS: 2, Controls.CONTENTS: 4,
}  # fmt: skip
"""What functions take after their sources, by how many numbers each of them is."""
EXTRAS: dict[Controls, tuple[object, ...]] = {
    Controls.COMPARISON: tuple(Comparison),
    Controls.COISSUE: (False, True),
}


def width(spec: OperandSpec) -> int:
    """Return how many dwords a lane a source takes."""
    if spec.letter == "M":
        return 4 * spec.reads
    return 4 if spec.letter == "x" else max(spec.reads, 1)


def more_widths(row: Row) -> list[int]:
    return [count for flag, count in VALUES.items() if flag in row.controls]


def columns(widths: list[int], seed: int) -> list[Words]:
    """Return operands: all pairs of special values first, in the first components of two sources.

    Then special and random ones mixed.
    """
    random = np.random.default_rng(seed)
    pairs = np.array(list(itertools.product(SPECIAL, SPECIAL)), np.uint32)
    count = -(-(len(pairs) + 2000) // GROUP) * GROUP
    paired = {0: 0, widths[0] if len(widths) > 1 else 1: 1}
    found: list[Words] = []
    for number in range(sum(widths)):
        column = random.integers(0, 1 << 32, count, dtype=np.uint32)
        special = random.random(count) < 0.5
        column[special] = random.choice(SPECIAL, special.sum())
        if number in paired:
            column[: len(pairs)] = pairs[:, paired[number]]
        found.append(column)
    return found


def argument(spec: OperandSpec, values: list[Value]) -> object:
    if spec.letter == "M":
        return tuple(tuple(values[n : n + 4]) for n in range(0, len(values), 4))
    return tuple(values) if len(values) > 1 else values[0]


def evaluated(row: Row, profile: Profile, extra: tuple[object, ...], words: list[Value]) -> Any:
    values = [bitcast(word, F32) for word in words]
    arguments: list[object] = []
    for spec in row.sources:
        arguments.append(argument(spec, values[: width(spec)]))
        values = values[width(spec) :]
    for count in more_widths(row):
        extra = (*extra, tuple(values[:count]))
        values = values[count:]
    assert row.semantics is not None
    results: Any = row.semantics(profile, *arguments, *extra)
    return raw(cast("tuple[Value, ...]", results) if isinstance(results, tuple) else (results,))


def raw(results: tuple[Value, ...]) -> list[Value]:
    return [select(v, v.k.const(U32, 1), 0) if v.type is BOOL else bitcast(v, U32) for v in results]


def check(function: Any, inputs: list[Words], lanes: int = 16, *, is_float: bool = True) -> None:
    wanted = numpy_words(function, inputs)
    found = native_words(function, inputs, lanes)
    for number, (a, b) in enumerate(zip(wanted, found, strict=True)):
        good = a == b
        if is_float:
            good |= np.isnan(a.view(np.float32)) & np.isnan(b.view(np.float32))
        lane = int(np.argmin(good))
        assert good.all(), (
            f"result {number} of lane {lane}: operands {[hex(c[lane]) for c in inputs]}, "
            f"NumPy {a[lane]:#x}, LLVM {b[lane]:#x}"
        )


def variants(row: Row) -> Iterator[tuple[str, Function, list[Words], list[Words]]]:
    """Yield a row in each profile and with each control that gives other answers.

    A name, the row's function, its inputs, and what NumPy makes of them.
    """
    widths = [width(spec) for spec in row.sources]
    widths += more_widths(row)
    inputs = columns(widths, row.opcode)
    choices = next((v for flag, v in EXTRAS.items() if flag in row.controls), None)
    extras = [()] if choices is None else [(choice,) for choice in choices]
    done: list[list[Words]] = []
    for profile, extra in itertools.product(PROFILES.values(), extras):
        function = partial(evaluated, row, profile, extra)
        wanted = numpy_words(function, inputs)
        if any(all(map(np.array_equal, wanted, other)) for other in done):
            continue  # the profile takes the same answers: it is the same code
        done.append(wanted)
        yield " ".join(map(str, (profile.name, *extra))), function, inputs, wanted


@pytest.mark.parametrize("row", PURE.values(), ids=[f"{m}-{s[0]}_{s[1]}" for m, s in PURE])
def test_numpy_and_llvm_agree(row: Row) -> None:
    is_float = row.destinations[0].letter in "fx"
    for _, function, inputs, _ in variants(row):
        check(function, inputs, is_float=is_float)


@pytest.mark.parametrize("lanes", [4, 8])
def test_narrow_waves_agree_on_products(lanes: int) -> None:
    (row,) = [row for (mnemonic, _), row in PURE.items() if mnemonic == "mad"]
    inputs = columns([1, 1, 1], lanes)
    check(partial(evaluated, row, PROFILES["driver"], ()), inputs, lanes)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_modifiers_agree(profile: Profile) -> None:
    modifiers = [m for m in SourceModifier if m is not SourceModifier.NOT]

    def function(words: list[Value]) -> list[Value]:
        values = [bitcast(word, F32) for word in words]
        return raw(tuple(modified(profile, m, values.__getitem__, 0) for m in modifiers))

    check(function, columns([1, 1, 1, 1], 5))


def test_shifts_and_choices_agree() -> None:
    def function(words: list[Value]) -> list[Value]:
        a, b, c = (bitcast(word, F32) for word in words)
        shifts = [shifted(a, shift) for shift in range(-8, 8)]
        return raw((*shifts, chosen(a < b, a, b), chosen(a < b, b, a), chosen(b >= c, a, c)))

    check(function, columns([1, 1, 1], 6))


def test_denormals_equal_zero_on_both_engines() -> None:
    def function(words: list[Value]) -> list[Value]:
        (a,) = (bitcast(word, F32) for word in words)
        comparisons = (a.eq(0.0), a.ne(0.0), a.eq(-0.0), a < 0.0, a >= 0.0, a > 0.0, a <= 0.0)
        numbers = tuple(select(c, a.like(2.0), 1.0 / a) for c in comparisons)
        return raw((*comparisons, *numbers))

    check(function, columns([1], 7))
