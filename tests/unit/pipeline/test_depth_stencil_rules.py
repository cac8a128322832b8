"""Depth and stencil tests: all functions, operations and formats, against a model of integers."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from fractions import Fraction

import float_model as model
import numpy as np
import pytest
from both_engines import SPECIAL, check_both, integers, numbers, on_arrays
from rows import Words

from softd3d.algebra.float_rules import saturate
from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import BOOL, F32, Value
from softd3d.formats.codec import units
from softd3d.formats.dxgi import DXGI_FORMATS, Format, dxgi_format
from softd3d.formats.pipeline_views import is_depth_stencil
from softd3d.isa.sampling.state import ComparisonFunc
from softd3d.pipeline.depth_stencil import (
    DepthStencilRule,
    clamped_depth,
    depth_code,
    depth_passes,
    depth_stencil_codes,
    depth_stencil_test,
    depth_stencil_words,
    stencil_after,
    stencil_passes,
)
from softd3d.pipeline.state import DepthStencilOpDesc, DepthStencilState, StencilOp

FORMATS = [f for f in DXGI_FORMATS.values() if is_depth_stencil(f)]
WITH_STENCIL = [f for f in FORMATS if f.stencil_bits]
C, S = ComparisonFunc, StencilOp
HOLDS: dict[ComparisonFunc, Callable[[float, float], bool]] = {
    C.NEVER: lambda _a, _b: False,
    C.LESS: operator.lt,
    C.EQUAL: operator.eq,
    C.LESS_EQUAL: operator.le,
    C.GREATER: operator.gt,
    C.NOT_EQUAL: operator.ne,
    C.GREATER_EQUAL: operator.ge,
    C.ALWAYS: lambda _a, _b: True,
}
AFTER: dict[StencilOp, Callable[[int, int], int]] = {
    S.KEEP: lambda _, s: s,
    S.ZERO: lambda _r, _s: 0,
    S.REPLACE: lambda r, _: r,
    S.INCR_SAT: lambda _, s: min(s + 1, 255),
    S.DECR_SAT: lambda _, s: max(s - 1, 0),
    S.INVERT: lambda _, s: 255 - s,
    S.INCR: lambda _, s: (s + 1) % 256,
    S.DECR: lambda _, s: (s + 255) % 256,
}


def _code(format_: Format, z: float) -> int:
    """Return the code of a depth within 0 to 1."""
    bits = format_.depth_bits
    if bits == 32:
        return model.bits_of(z)
    return math.floor(Fraction(z) * ((1 << bits) - 1) + Fraction(1, 2))


def _value(format_: Format, code: int) -> float:
    """Return what is compared: a number, or the code."""
    return model.flush(model.number_of(code)) if format_.depth_bits == 32 else code


def _depths(count: int, seed: int) -> Words:
    random = np.random.default_rng(seed)
    column = random.random(count).astype(np.float32)
    exact = np.array([0, 1, 0.5, 2**-24, 1 - 2**-24, 0.25, 2**-126, 1 / 3, 0.5 / 65535], np.float32)
    column[: exact.size] = exact
    half = (random.integers(0, 65535, count // 4) + 0.5) / 65535  # ties of D16
    column[-half.size :] = half.astype(np.float32)
    return column.view(np.uint32)


@pytest.mark.parametrize("format_", FORMATS, ids=lambda f: f.name)
def test_depths_become_the_nearest_code(format_: Format) -> None:
    column = _depths(2048, 3)
    (found,) = on_arrays(lambda w: [depth_code(format_, bitcast(w[0], F32))], [column])
    wanted = [_code(format_, model.number_of(bits)) for bits in column.tolist()]
    assert found.tolist() == wanted


def test_depths_are_clamped_to_the_viewport_and_nan_is_its_least() -> None:
    limits = [0.0, 0.25, 0.75, 1.0]
    z = [math.nan, -math.inf, math.inf, -1.0, -0.0, 0.0, 1e-40, 0.25, 0.5, 0.75, 1.0, 2.0]
    for low, high in itertools.combinations_with_replacement(limits, 2):
        columns = [
            np.array([model.bits_of(x) for x in values], np.uint32)
            for values in (z, [low] * len(z), [high] * len(z))
        ]
        (found,) = on_arrays(lambda w: [clamped_depth(*(bitcast(v, F32) for v in w))], columns)
        for given, bits in zip(z, found.tolist(), strict=True):
            wanted = low if math.isnan(given) else min(high, max(low, model.flush(given)))
            assert bits == model.bits_of(abs(wanted)), (low, high, given)


@pytest.mark.parametrize("format_", FORMATS, ids=lambda f: f.name)
def test_depth_functions_compare_new_with_stored(format_: Format) -> None:
    if format_.depth_bits == 32:
        codes = SPECIAL.tolist()
    else:
        top = (1 << format_.depth_bits) - 1
        codes = [0, 1, 2, top // 2, top // 2 + 1, top - 1, top]
    pairs = list(itertools.product(codes, codes))
    columns = [np.array(column, np.uint32) for column in zip(*pairs, strict=True)]
    found = on_arrays(lambda w: [depth_passes(f, format_, *w) for f in C], columns)
    for function, results in zip(C, found, strict=True):
        wanted = [HOLDS[function](_value(format_, a), _value(format_, b)) for a, b in pairs]
        assert results.tolist() == wanted


@pytest.mark.parametrize("mask", [0xFF, 0x0F, 0x81, 0])
def test_stencil_functions_compare_reference_with_stored(mask: int) -> None:
    reference, stored = (g.reshape(-1).astype(np.uint32) for g in np.mgrid[0:256:3, 0:256:2])
    found = on_arrays(
        lambda w: [stencil_passes(f, mask, *w) for f in C], [reference, stored]
    )  # fmt: skip
    pairs = list(zip(reference.tolist(), stored.tolist(), strict=True))
    for function, results in zip(C, found, strict=True):
        assert results.tolist() == [HOLDS[function](r & mask, s & mask) for r, s in pairs]


def test_stencil_operations_on_every_value() -> None:
    stored = np.arange(256, dtype=np.uint32)
    reference = np.full(256, 0xA5, np.uint32)
    found = on_arrays(lambda w: [stencil_after(op, w[0], w[1]) for op in S], [reference, stored])
    for op, results in zip(S, found, strict=True):
        assert results.tolist() == [AFTER[op](0xA5, s) for s in range(256)]


# Whole tests


def _states(count: int, seed: int) -> list[DepthStencilState]:
    """Return random states; each function and operation occurs in each place."""
    random = np.random.default_rng(seed)
    functions, operations = list(C), list(S)
    found: list[DepthStencilState] = []
    for n in range(count):
        faces = [
            DepthStencilOpDesc(
                operations[(n + shift) % 8],
                operations[(n * 3 + shift) % 8],
                operations[(n * 5 + n // 8 + shift) % 8],
                functions[(n // 8 + n * shift) % 8],
            )
            for shift in (0, 3)
        ]
        masks = random.choice([0xFF, 0xFF, 0x0F, 0xC3, 0], 2).tolist()
        found.append(
            DepthStencilState(
                bool(random.random() < 0.8),
                "ALL" if random.random() < 0.8 else "ZERO",
                functions[n % 8],
                bool(random.random() < 0.8),
                *masks,
                faces[0],
                faces[n % 4 != 0],
            )
        )
    return found


def _model(
    rule: DepthStencilRule, depth: int, stored: tuple[int, int], ref: int, *, front: bool
) -> tuple[bool, int, int]:
    """Return whether a covered sample passes, and depth and stencil then."""
    state = rule.state
    old_depth, old = stored
    has_buffer = rule.format is not None
    in_front = True
    if has_buffer and state.depth_enable:
        a, b = (_value(rule.format, x) for x in (depth, old_depth))
        in_front = HOLDS[C(state.depth_func)](a, b)
    holds, new = True, old
    if has_buffer and rule.format.stencil_bits and state.stencil_enable:
        face = state.front_face if front else state.back_face
        mask, ref = state.stencil_read_mask, ref & 0xFF
        holds = HOLDS[C(face.stencil_func)](ref & mask, old & mask)
        name = "pass" if holds and in_front else "depth_fail" if holds else "fail"
        after = AFTER[S(getattr(face, f"stencil_{name}_op"))](ref, old)
        write = 0 if rule.read_only_stencil else state.stencil_write_mask
        new = (old & ~write | after & write) & 0xFF
    passes = holds and in_front
    writes = passes and has_buffer and state.depth_enable and state.depth_write_mask
    return passes, depth if writes and not rule.read_only_depth else old_depth, new


def _columns(format_: Format | None, seed: int, count: int) -> list[Words]:
    """Return new depth, stored depth, stored stencil, reference, facing, covered."""
    bits = 24 if format_ is None else format_.depth_bits
    depth, stored = (
        numbers(2, seed, count) if bits == 32 else integers(2, seed, bits, count)
    )  # fmt: skip
    stored[: count // 3] = depth[: count // 3]
    stencil = np.random.default_rng(seed).choice([0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF], count)
    reference = integers(1, seed + 1, 9, count)[0]
    return [depth, stored, stencil.astype(np.uint32), reference, *integers(2, seed + 2, 1, count)]


def _evaluated(rules: list[DepthStencilRule], words: list[Value]) -> list[Value]:
    depth, stored, stencil, reference, front, covered = words
    found: list[Value] = []
    for rule in rules:
        outcome = depth_stencil_test(
            rule, depth, stored, stencil, reference, front.ne(0), covered.ne(0)
        )  # fmt: skip
        found += [outcome.passed, outcome.depth, outcome.stencil]
    return found


@pytest.mark.parametrize("format_", [*FORMATS, None], ids=lambda f: f.name if f else "none")
def test_whole_tests_do_what_the_model_says(format_: Format | None) -> None:
    rules = [
        DepthStencilRule(state, format_, n % 7 == 0, n % 5 == 0)
        for n, state in enumerate(_states(160, 5))
    ]
    columns = _columns(format_, 7, 60)
    found = on_arrays(lambda w: _evaluated(rules, w), columns)
    lanes = list(zip(*(c.tolist() for c in columns), strict=True))
    for n, rule in enumerate(rules):
        for lane, (depth, stored, stencil, ref, front, covered) in enumerate(lanes):
            wanted = _model(rule, depth, (stored, stencil), ref, front=bool(front))
            wanted = wanted if covered else (False, stored, stencil)
            got = tuple(int(part[lane]) for part in found[3 * n : 3 * n + 3])
            assert got == wanted, (rule, depth, stored, stencil, ref, front)


@pytest.mark.parametrize("format_", [*FORMATS, None], ids=lambda f: f.name if f else "none")
def test_both_engines_test_the_same(format_: Format | None) -> None:
    rules = [DepthStencilRule(state, format_) for state in _states(64, 9)]
    check_both(lambda w: _evaluated(rules, w), _columns(format_, 8, 128))


def test_both_engines_convert_and_compare_depths_the_same() -> None:
    columns = [*numbers(3, 1), *integers(2, 2)]

    def parts(w: list[Value]) -> list[Value]:
        z = [bitcast(v, F32) for v in w[:3]]
        found = [clamped_depth(z[0], saturate(z[1]), saturate(z[2]))]
        for format_ in FORMATS:
            inside = clamped_depth(z[0], z[0].like(0.0), z[0].like(1.0))
            found.append(depth_code(format_, inside))
            bits = min(format_.depth_bits, 31)
            a, b = (v & (1 << bits) - 1 for v in w[3:])
            found += [depth_passes(f, format_, a, b) for f in C]
        return found

    check_both(parts, columns)


def test_facing_may_be_known_beforehand() -> None:
    state = _states(1, 5)[0]
    state = DepthStencilState(
        stencil_enable=True, front_face=DepthStencilOpDesc("INCR", "INCR", "INCR"),
        back_face=DepthStencilOpDesc("DECR", "DECR", "DECR"),
    )  # fmt: skip
    rule = DepthStencilRule(state, dxgi_format("D24_UNORM_S8_UINT"))

    def parts(w: list[Value]) -> list[Value]:
        true = w[0].k.const(BOOL, 1)
        zero = w[0].like(0)
        return [
            depth_stencil_test(rule, zero, zero, w[0], zero, front, true).stencil
            for front in (True, False)
        ]

    found = on_arrays(parts, [np.array([7], np.uint32)])
    assert [f.tolist() for f in found] == [[8], [6]]


@pytest.mark.parametrize("format_", FORMATS, ids=lambda f: f.name)
def test_words_of_a_sample_come_apart_and_together(format_: Format) -> None:
    size, count = units(format_)
    columns = [*integers(count, 3, 8 * size), *integers(2, 4)]

    def parts(w: list[Value]) -> list[Value]:
        words = w[:count]
        depth, stencil = depth_stencil_codes(format_, words)
        new = [w[-2] & (0xFFFFFFFF >> 32 - format_.depth_bits), w[-1] & 0xFF]
        changed = depth_stencil_words(format_, new[0], new[1], words)
        again = depth_stencil_codes(format_, changed)
        return [
            *depth_stencil_words(format_, depth, stencil, words), *changed, *new, *again
        ]  # fmt: skip

    found = check_both(parts, columns)
    for same, word in zip(found[:count], columns[:count], strict=True):
        assert (same == word).all()
    depth, stencil, *again = found[2 * count :]
    assert (depth == again[0]).all()
    assert (again[1] == (stencil if format_.stencil_bits else 0)).all()
    if format_.name == "D32_FLOAT_S8X24_UINT":  # what means nothing is kept
        assert (found[count + 1] >> 8 == columns[1] >> 8).all()
    if format_.name == "D24_UNORM_S8_UINT":
        assert (found[count] == (stencil << 24 | depth)).all()


@pytest.mark.parametrize(
    ("format_", "state", "wanted"),
    [
        (None, DepthStencilState(stencil_enable=True), (False, False, False, False)),
        ("D16_UNORM", DepthStencilState(stencil_enable=True), (True, False, True, False)),
        ("D32_FLOAT", DepthStencilState(depth_write_mask="ZERO"), (True, False, False, False)),
        (
            "D24_UNORM_S8_UINT",
            DepthStencilState(depth_enable=False, stencil_enable=True),
            (False, True, False, False),
        ),
        (
            "D24_UNORM_S8_UINT",
            DepthStencilState(stencil_enable=True, back_face=DepthStencilOpDesc("INCR")),
            (True, True, True, True),
        ),
        (
            "D24_UNORM_S8_UINT",
            DepthStencilState(
                stencil_enable=True, stencil_write_mask=0, back_face=DepthStencilOpDesc("INCR")
            ),
            (True, True, True, False),
        ),
    ],
)  # fmt: skip
def test_what_a_state_needs(
    format_: str | None, state: DepthStencilState, wanted: tuple[bool, ...]
) -> None:
    rule = DepthStencilRule(state, None if format_ is None else dxgi_format(format_))
    assert (rule.tests_depth, rule.tests_stencil, rule.writes_depth, rule.writes_stencil) == wanted
    assert rule.is_needed is (wanted[0] or wanted[1])
