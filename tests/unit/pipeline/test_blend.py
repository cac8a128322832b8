"""Blending: every factor and operation against fractions, and NumPy against LLVM, bit for bit."""

from __future__ import annotations

import math
from fractions import Fraction

import float_model as model
import numpy as np
import pytest
from both_engines import SPECIAL, bits_of, check_both, integers, numbers, on_arrays
from rows import Words

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import F32, Value
from softd3d.formats.codec import units
from softd3d.formats.conversions import unorm_from_number
from softd3d.formats.dxgi import DXGI_FORMATS, ChannelType, Format, dxgi_format
from softd3d.formats.pipeline_views import is_blendable
from softd3d.pipeline.blend import Colors, blended, clamped
from softd3d.pipeline.output import TargetRule, destination_color, merged
from softd3d.pipeline.state import Blend, BlendOp, RenderTargetBlendDesc

BLENDABLE = [f for f in DXGI_FORMATS.values() if is_blendable(f)]
OF_ALPHA = [b for b in Blend if not b.is_color]
RED, ALPHA = 0, 3
Four = tuple[float, float, float, float]


def _states(component: int) -> list[tuple[BlendOp, Blend, Blend]]:
    """Return every operation and pair of factors that Direct3D allows."""
    factors = OF_ALPHA if component == ALPHA else list(Blend)
    found: list[tuple[BlendOp, Blend, Blend]] = []
    for op in BlendOp:
        for a in factors:
            for b in factors:
                is_dual = a.is_dual_source or b.is_dual_source
                if not (is_dual and op in (BlendOp.MIN, BlendOp.MAX)):
                    found.append((op, a, b))
    return found


def _description(component: int, op: BlendOp, a: Blend, b: Blend) -> RenderTargetBlendDesc:
    if component == ALPHA:
        return RenderTargetBlendDesc(
            blend_enable=True, blend_op_alpha=op, src_blend_alpha=a, dest_blend_alpha=b
        )
    return RenderTargetBlendDesc(blend_enable=True, blend_op=op, src_blend=a, dest_blend=b)


def _factor(blend: Blend, i: int, s: Four, d: Four, f: Four, s1: Four) -> float:
    """Return a factor by its name, as the table of the specification has it."""
    name = blend.name.removeprefix("INV_")
    if name == "SRC_ALPHA_SAT":
        left = model.subtract(1.0, d[3])
        return 1.0 if i == ALPHA else _least(left, s[3])
    value = {
        "ZERO": 0.0,
        "ONE": 1.0,
        "SRC_COLOR": s[i],
        "SRC_ALPHA": s[3],
        "DEST_COLOR": d[i],
        "DEST_ALPHA": d[3],
        "BLEND_FACTOR": f[i],
        "SRC1_COLOR": s1[i],
        "SRC1_ALPHA": s1[3],
    }[name]
    return model.subtract(1.0, value) if blend.name.startswith("INV_") else value


def _least(a: float, b: float, sign: int = 1) -> float:
    """Return the smaller, or with sign -1 the larger; NaN loses, -0 is below +0."""
    if math.isnan(a) or math.isnan(b):
        return model.flush(b if math.isnan(a) else a)
    a, b = model.flush(a), model.flush(b)
    key = (sign * a, sign * math.copysign(1, a)), (sign * b, sign * math.copysign(1, b))
    return a if key[0] <= key[1] else b


def _model(op: BlendOp, a: Blend, b: Blend, i: int, s: Four, d: Four, f: Four, s1: Four) -> float:
    if op is BlendOp.MIN:
        return _least(s[i], d[i])
    if op is BlendOp.MAX:
        return _least(s[i], d[i], -1)
    t = model.multiply(s[i], _factor(a, i, s, d, f, s1))
    u = model.multiply(d[i], _factor(b, i, s, d, f, s1))
    if op is BlendOp.ADD:
        return model.add(t, u)
    return model.subtract(t, u) if op is BlendOp.SUBTRACT else model.subtract(u, t)


def _colors(words: list[Value], format_: Format) -> Colors:
    parts = [[bitcast(w, F32) for w in words[n : n + 4]] for n in range(0, 16, 4)]
    source, factor, second = (
        [clamped(format_, v) for v in parts[n]] for n in (0, 2, 3)
    )  # fmt: skip
    return Colors(source, parts[1], factor, second)


def _columns(seed: int, count: int) -> list[Words]:
    """Return source, destination, factor, second: four components of each."""
    return numbers(16, seed, count)


def _rows(columns: list[Words]) -> list[list[Four]]:
    lanes = zip(*(c.tolist() for c in columns), strict=True)
    return [
        [tuple(model.number_of(bits) for bits in lane[n : n + 4]) for n in range(0, 16, 4)]
        for lane in lanes
    ]


@pytest.mark.parametrize("component", [RED, ALPHA])
def test_float_targets_follow_the_formula_in_every_state(component: int) -> None:
    format_ = dxgi_format("R32G32B32A32_FLOAT")
    states = _states(component)
    columns = _columns(component, 12)

    def rules(words: list[Value]) -> list[Value]:
        colors = _colors(words, format_)
        return [
            blended(_description(component, *state), format_, colors, component) for state in states
        ]

    found = on_arrays(rules, columns)
    rows = _rows(columns)
    for state, results in zip(states, found, strict=True):
        for lane, bits in enumerate(results.tolist()):
            s, d, f, s1 = rows[lane]
            wanted = _model(*state, component, s, d, f, s1)
            assert model.same(model.number_of(bits), wanted), (state, s, d, f, s1)


def _unorm(x: float, largest: int) -> int:
    """Return the code of a number: floor(x * largest + 1/2) of x within 0 to 1."""
    if math.isnan(x):
        return 0
    inside = min(max(Fraction(x) if math.isfinite(x) else (x > 0) * Fraction(1), 0), 1)
    return math.floor(Fraction(inside) * largest + Fraction(1, 2))


@pytest.mark.parametrize("component", [RED, ALPHA])
def test_unorm_targets_follow_the_formula_in_every_state(component: int) -> None:
    format_ = dxgi_format("R8G8B8A8_UNORM")
    states = _states(component)
    count = 8
    columns = [*numbers(12, component, count), *integers(1, 5, count=count)]

    def rules(words: list[Value]) -> list[Value]:
        numbers_of = [[bitcast(w, F32) for w in words[n : n + 4]] for n in (0, 4, 8)]
        source, factor, second = ([clamped(format_, v) for v in part] for part in numbers_of)
        colors = Colors(source, destination_color(format_, words[12:]), factor, second)
        return [
            unorm_from_number(
                blended(_description(component, *state), format_, colors, component), 8
            )
            for state in states
        ]

    results = on_arrays(rules, columns)
    lanes = list(zip(*(c.tolist() for c in columns), strict=True))
    for state, words in zip(states, results, strict=True):
        for lane, code in zip(lanes, words.tolist(), strict=True):
            given = [model.number_of(bits) for bits in lane[:12]]
            inside = [_saturated(x) for x in given]
            s, f, s1 = (tuple(inside[n : n + 4]) for n in (0, 4, 8))
            d = tuple(model.rounded(Fraction(lane[12] >> 8 * n & 0xFF, 255)) for n in range(4))
            wanted = _unorm(_model(*state, component, s, d, f, s1), 255)
            assert code == wanted, (state, s, d, f, s1)


def _saturated(x: float) -> float:
    x = model.flush(x)
    return 0.0 if math.isnan(x) or x <= 0 else min(x, 1.0)


@pytest.mark.parametrize("operation", list(BlendOp), ids=lambda o: o.name)
@pytest.mark.parametrize("name", ["R32G32B32A32_FLOAT", "R8G8B8A8_UNORM"])
def test_both_engines_blend_the_same_in_every_state(name: str, operation: BlendOp) -> None:
    format_ = dxgi_format(name)
    columns = _columns(3, 128)
    columns[4:8] = [_within(c, format_) for c in columns[4:8]]

    cases = [
        (component, _description(component, *state))
        for component in (RED, ALPHA)
        for state in _states(component)
        if state[0] is operation
    ]

    def rules(words: list[Value]) -> list[Value]:
        colors = _colors(words, format_)
        found = [blended(description, format_, colors, i) for i, description in cases]
        return [_digest(found[n : n + 8]) for n in range(0, len(found), 8)]

    check_both(rules, columns)


def _digest(numbers: list[Value]) -> Value:
    """Join results, as machine code with fewer of them is made much faster."""
    total = bits_of(numbers[0])
    for number in numbers[1:]:
        total = (total << 5 | total >> 27) ^ bits_of(number)
    return total


def _within(column: Words, format_: Format) -> Words:
    """Return bits of numbers that a texel of the format can hold."""
    if format_.type is ChannelType.FLOAT:
        return column
    low = -1.0 if format_.type is ChannelType.SNORM else 0.0
    with np.errstate(invalid="ignore"):
        inside = np.clip(np.nan_to_num(column.view(np.float32)), low, 1.0)
    return (np.rint(inside * 127) / 127).astype(np.float32).view(np.uint32)


COMMON = [
    RenderTargetBlendDesc(blend_enable=True, src_blend="SRC_ALPHA", dest_blend="INV_SRC_ALPHA"),
    RenderTargetBlendDesc(
        blend_enable=True, src_blend="DEST_COLOR", dest_blend="INV_SRC1_COLOR",
        blend_op="REV_SUBTRACT", src_blend_alpha="DEST_ALPHA", dest_blend_alpha="ONE",
        blend_op_alpha="SUBTRACT", render_target_write_mask="RED|ALPHA",
    ),
    RenderTargetBlendDesc(
        blend_enable=True, blend_op="MAX", blend_op_alpha="MIN", render_target_write_mask=6
    ),
    RenderTargetBlendDesc(
        blend_enable=True, src_blend="SRC_ALPHA_SAT", dest_blend="ONE",
        src_blend_alpha="SRC_ALPHA_SAT", dest_blend_alpha="INV_BLEND_FACTOR",
    ),
]  # fmt: skip


@pytest.mark.parametrize("format_", BLENDABLE, ids=lambda f: f.name)
def test_both_engines_blend_the_same_in_every_format(format_: Format) -> None:
    size, count = units(format_)
    columns = [*numbers(12, format_.number), *integers(count, 8, bits=8 * size)]

    def rules(words: list[Value]) -> list[Value]:
        weights = [bitcast(f, F32) for f in words[4:8]]
        found: list[Value] = []
        for description in COMMON:
            rule = TargetRule(format_, description)
            found += merged(rule, words[:4], words[12:], weights, words[8:12])
        return [_any_nan(v, format_) for v in found]

    check_both(rules, columns)


def _any_nan(word: Value, format_: Format) -> Value:
    """Replace what may differ between engines: the bits of NaN in floats with a sign."""
    bits = format_.channels[0].bits
    if format_.type is not ChannelType.FLOAT or bits < 16:
        return word
    if bits == 32:
        return bitcast(word, F32)
    for shift in range(0, 8 * units(format_)[0], 16):
        is_nan = (word >> shift & 0x7FFF) >= 0x7C01
        word = select(is_nan, word & ~word.like(0xFFFF << shift), word)
    return word


@pytest.mark.parametrize("name", ["R8G8B8A8_SNORM", "R16G16_SNORM"])
def test_snorm_is_clamped_to_minus_one_before_and_after(name: str) -> None:
    format_ = dxgi_format(name)
    bits = format_.channels[0].bits
    largest = (1 << bits - 1) - 1
    description = RenderTargetBlendDesc(
        blend_enable=True, src_blend="ONE", dest_blend="INV_SRC_COLOR"
    )
    given = [-7.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0, math.nan, -math.inf]
    columns = [np.array([model.bits_of(x) for x in given], np.uint32)] * 4
    codes = [(-n * 9 - 5) & (1 << bits) - 1 for n in range(len(given))]
    codes[0] = 1 << bits - 1  # the lowest code is -1 too
    word = np.array([sum(c << bits * n for n in range(32 // bits)) for c in codes], np.uint32)
    rule = TargetRule(format_, description)

    def rules(words: list[Value]) -> list[Value]:
        factor = [bitcast(words[0], F32)] * 4
        return list(merged(rule, words[:4], words[4:], factor))

    (found,) = on_arrays(rules, [*columns, word])
    for x, code, result in zip(given, codes, found.tolist(), strict=True):
        s = 0.0 if math.isnan(x) else min(max(x, -1.0), 1.0)
        signed = code - (code >> bits - 1 << bits)
        d = max(model.rounded(Fraction(signed, largest)), -1.0)
        r = model.add(s, model.multiply(d, model.subtract(1.0, s)))
        inside = Fraction(min(max(r, -1.0), 1.0)) * largest
        half = Fraction(1, 2) if inside >= 0 else Fraction(-1, 2)
        wanted = math.trunc(inside + half) & (1 << bits) - 1
        assert result & (1 << bits) - 1 == wanted, (x, code)


def test_zero_weights_still_multiply_where_numbers_may_be_infinite() -> None:
    format_ = dxgi_format("R32_FLOAT")
    description = RenderTargetBlendDesc(blend_enable=True)  # ONE, ZERO
    one, infinite = model.bits_of(1.0), model.bits_of(math.inf)
    columns = [np.array([one, one, infinite], np.uint32)] * 4
    stored = np.array([infinite, model.bits_of(-3.0), one], np.uint32)

    def rules(words: list[Value]) -> list[Value]:
        factor = [bitcast(words[0], F32)] * 4
        rule = TargetRule(format_, description)
        return [bitcast(w, F32) for w in merged(rule, words[:4], words[4:], factor)]

    (found,) = on_arrays(rules, [*columns, stored])
    assert math.isnan(model.number_of(int(found[0])))
    assert found[1:].tolist() == [one, infinite]


def test_special_numbers_are_among_the_tests() -> None:
    assert set(SPECIAL.tolist()) <= set(np.concatenate(numbers(64, 0)).tolist())
