"""Writing to targets: clamping, encoding, write masks and logic operations in every format."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import float_model as model
import numpy as np
import pytest
from both_engines import SPECIAL, check_both, integers, numbers, on_arrays
from rows import Words

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import Value
from softd3d.errors import ResourceError
from softd3d.formats.codec import units
from softd3d.formats.dxgi import DXGI_FORMATS, Channel, ChannelType, Format, dxgi_format
from softd3d.formats.pipeline_views import (
    depth_stencil_format,
    has_logic_operations,
    index_format,
    is_blendable,
    is_render_target,
    render_target_format,
)
from softd3d.pipeline.logic import logic_result
from softd3d.pipeline.output import TargetRule, check_target, destination_color, encoded, merged
from softd3d.pipeline.state import LogicOp, RenderTargetBlendDesc

TARGETS = [f for f in DXGI_FORMATS.values() if is_render_target(f)]
INTEGERS = [f for f in TARGETS if f.is_integer]
UINTS = [f for f in TARGETS if has_logic_operations(f)]
MASKS = range(16)


def _code(channel: Channel, bits: int) -> int:
    """Return the code that a channel gets for the bits of a component."""
    top = (1 << channel.bits) - 1
    x = model.flush(model.number_of(bits))
    match channel.type:
        case ChannelType.UINT:
            return min(bits, top)
        case ChannelType.SINT:
            signed = bits - (bits >> 31 << 32)
            return min(max(signed, -(top // 2) - 1), top // 2) & top
        case ChannelType.UNORM:
            inside = Fraction(0) if math.isnan(x) else Fraction(min(max(x, 0.0), 1.0))
            return math.floor(inside * top + Fraction(1, 2))
        case ChannelType.SNORM:
            inside = Fraction(0) if math.isnan(x) else Fraction(min(max(x, -1.0), 1.0))
            half = Fraction(1, 2) if inside >= 0 else Fraction(-1, 2)
            return math.trunc(inside * (top // 2) + half) & top
        case _:
            return _float_code(channel.bits, bits, x)


def _float_code(width: int, bits: int, x: float) -> int:
    """Return a float rounded towards zero, to 5 bits of exponent; NaN as any."""
    if width == 32:
        return bits
    mantissa = width - 6 if width == 16 else width - 5
    sign = (bits >> 31) << 15 if width == 16 else 0
    if math.isnan(x):
        return -1
    if width < 16 and x < 0:
        return 0
    magnitude = abs(x)
    if math.isinf(magnitude):
        return sign | 31 << mantissa
    largest = Fraction((1 << mantissa + 1) - 1, 1 << mantissa) * (1 << 15)
    exact = min(Fraction(magnitude), largest)
    exponent = max(math.frexp(float(exact))[1] - 1, -14) if exact else -14
    steps = math.floor(exact / Fraction(2) ** (exponent - mantissa))
    if steps < 1 << mantissa:
        return sign | steps
    return sign | (exponent + 15 << mantissa) + steps - (1 << mantissa)


def _stored(format_: Format, words: list[int]) -> int:
    size, _ = units(format_)
    return sum(word << 8 * size * n for n, word in enumerate(words))


def _inputs(format_: Format, count: int) -> list[Words]:
    if format_.is_integer:
        return integers(4, format_.number, count=count)
    columns = numbers(4, format_.number, count)
    columns[0][: SPECIAL.size] = columns[3][-SPECIAL.size :] = SPECIAL
    return columns


@pytest.mark.parametrize("format_", [f for f in TARGETS if not f.is_srgb], ids=lambda f: f.name)
def test_every_format_gets_the_codes_of_the_specification(format_: Format) -> None:
    columns = _inputs(format_, 400)
    found = on_arrays(lambda w: list(encoded(format_, w)), columns)
    texels = zip(*(f.tolist() for f in found), strict=True)
    lanes = zip(*(c.tolist() for c in columns), strict=True)
    for texel, lane in zip(texels, lanes, strict=True):
        word = _stored(format_, list(texel))
        for channel in format_.channels:
            code = word >> channel.shift & (1 << channel.bits) - 1
            if channel.component == "x":
                assert code == (1 << channel.bits) - 1
                continue
            wanted = _code(channel, lane["rgba".index(channel.component)])
            if wanted < 0:
                assert code & 0x7FFF > 31 << (10 if channel.bits == 16 else channel.bits - 5)
            else:
                assert code == wanted, (channel, [hex(x) for x in lane])


@pytest.mark.parametrize("name", ["R8G8B8A8_UNORM_SRGB", "B8G8R8X8_UNORM_SRGB"])
def test_srgb_targets_encode_colours_and_leave_alpha_linear(name: str) -> None:
    format_ = dxgi_format(name)
    x = np.linspace(-0.1, 1.1, 500, dtype=np.float32)
    found = on_arrays(lambda w: list(encoded(format_, w * 4)), [x.view(np.uint32)])[0]
    inside = np.clip(x.astype(np.float64), 0, 1)
    curve = np.where(
        inside <= 0.0031308, 12.92 * inside, 1.055 * inside ** (1 / 2.4) - 0.055
    )  # fmt: skip
    for channel in format_.channels:
        code = found >> channel.shift & 0xFF
        if channel.component == "x":
            assert (code == 0xFF).all()
            continue
        exact = (inside if channel.component == "a" else curve) * 255
        assert (np.abs(code - exact) <= 0.6).all()


@pytest.mark.parametrize("format_", TARGETS, ids=lambda f: f.name)
def test_reading_and_writing_back_changes_nothing(format_: Format) -> None:
    size, count = units(format_)
    columns = integers(count, format_.number + 9, 8 * size)

    def there_and_back(words: list[Value]) -> list[Value]:
        # Integers are no colours, but their bits go the same way.
        color = destination_color(format_, words)
        return list(encoded(format_, [bitcast(c, words[0].type) for c in color]))

    found = on_arrays(there_and_back, columns)
    for channel in format_.channels:
        unit, shift = divmod(channel.shift, 8 * size)
        mask = (1 << channel.bits) - 1
        before, after = (c[unit] >> shift & mask for c in (columns, found))
        if channel.component == "x":
            continue
        same = before == after
        if channel.type is ChannelType.SNORM:  # the lowest code is -1 like the next
            same |= (before == (mask >> 1) + 1) & (after == (mask >> 1) + 2)
        if channel.type is ChannelType.FLOAT and channel.bits < 32:
            top = 31 << (10 if channel.bits == 16 else channel.bits - 5)
            same |= ((before & 0x7FFF) > top) & ((after & 0x7FFF) > top)
        assert same.all()


@pytest.mark.parametrize("format_", TARGETS, ids=lambda f: f.name)
def test_write_masks_keep_what_they_leave_out(format_: Format) -> None:
    size, count = units(format_)
    columns = [*_inputs(format_, 64), *integers(count, 3, 8 * size, 64)]
    full = on_arrays(lambda w: list(encoded(format_, w[:4])), columns)
    for mask in MASKS:
        description = RenderTargetBlendDesc(render_target_write_mask=mask)
        rule = TargetRule(format_, description)
        letters = [c for n, c in enumerate("rgba") if mask >> n & 1 and format_.channel(c)]
        assert rule.written == tuple("rgba".index(c) for c in letters)

        def write(w: list[Value], rule: TargetRule = rule) -> list[Value]:
            stored = w[4:] if rule.reads_destination else []
            return list(merged(rule, w[:4], stored, []))

        found = on_arrays(write, columns)
        wanted = [c.copy() for c in columns[4:]]
        for channel in format_.channels:
            if channel.component in letters or (letters and channel.component == "x"):
                unit, shift = divmod(channel.shift, 8 * size)
                bits = np.uint32((1 << channel.bits) - 1 << shift)
                wanted[unit] = wanted[unit] & ~bits | full[unit] & bits
        for n, unit_mask in enumerate(rule.unit_masks):
            if unit_mask:  # others are not stored
                assert (found[n] == wanted[n]).all(), (mask, n)
            else:
                assert (wanted[n] == columns[4 + n]).all()


@pytest.mark.parametrize("format_", TARGETS, ids=lambda f: f.name)
def test_both_engines_write_the_same(format_: Format) -> None:
    size, count = units(format_)
    columns = [*_inputs(format_, 512), *integers(count, 3, 8 * size)]

    def write(w: list[Value]) -> list[Value]:
        found = list(encoded(format_, w[:4]))
        for mask in (1, 6, 8, 9, 14):
            rule = TargetRule(format_, RenderTargetBlendDesc(render_target_write_mask=mask))
            found += merged(rule, w[:4], w[4:], [])
        return found

    check_both(write, columns)


def test_bits_of_another_type_are_stored_as_they_are() -> None:
    columns = [SPECIAL] * 4
    for name in ("R32G32B32A32_FLOAT", "R32G32B32A32_UINT", "R32G32B32A32_SINT"):
        found = on_arrays(lambda w, name=name: list(encoded(dxgi_format(name), w)), columns)
        assert all((f == SPECIAL).all() for f in found)


# Logic operations

MODEL: dict[LogicOp, Callable[[int, int], int]] = {
    LogicOp.CLEAR: lambda _s, _d: 0,
    LogicOp.SET: lambda _s, _d: 1,
    LogicOp.COPY: lambda s, _d: s,
    LogicOp.COPY_INVERTED: lambda s, _d: 1 - s,
    LogicOp.NOOP: lambda _s, d: d,
    LogicOp.INVERT: lambda _s, d: 1 - d,
    LogicOp.AND: min,
    LogicOp.NAND: lambda s, d: 1 - min(s, d),
    LogicOp.OR: max,
    LogicOp.NOR: lambda s, d: 1 - max(s, d),
    LogicOp.XOR: lambda s, d: int(s != d),
    LogicOp.EQUIV: lambda s, d: int(s == d),
    LogicOp.AND_REVERSE: lambda s, d: int(s > d),
    LogicOp.AND_INVERTED: lambda s, d: int(s < d),
    LogicOp.OR_REVERSE: lambda s, d: int(s >= d),
    LogicOp.OR_INVERTED: lambda s, d: int(s <= d),
}


def test_logic_operations_are_their_truth_tables() -> None:
    columns = [np.array([0, 0, 1, 1], np.uint32), np.array([0, 1, 0, 1], np.uint32)]
    found = on_arrays(lambda w: [logic_result(op, *w) & 1 for op in LogicOp], columns)
    for op, results in zip(LogicOp, found, strict=True):
        wanted = [MODEL[op](s, d) for s, d in zip(*(c.tolist() for c in columns), strict=True)]
        assert results.tolist() == wanted, op


@pytest.mark.parametrize("format_", UINTS, ids=lambda f: f.name)
def test_logic_operations_take_the_low_bits_in_every_format(format_: Format) -> None:
    size, count = units(format_)
    columns = [*integers(4, 1), *integers(count, 2, 8 * size)]

    def write(w: list[Value]) -> list[Value]:
        found: list[Value] = []
        for op in LogicOp:
            for mask in (15, 5):
                description = RenderTargetBlendDesc(
                    logic_op_enable=True, logic_op=op, render_target_write_mask=mask
                )
                rule = TargetRule(format_, description)
                words = merged(rule, w[:4], w[4:] if rule.reads_destination else [], [])
                found += [word & m for word, m in zip(words, rule.unit_masks, strict=True)]
        return found

    found = check_both(write, columns)
    at = 0
    for op in LogicOp:
        for mask in (15, 5):
            result = _wide(found[at : at + count], size)
            at += count
            before = _wide(columns[4:], size)
            for channel in format_.channels:
                n = "rgba".index(channel.component)
                if not mask >> n & 1:
                    continue
                for bit in range(channel.bits):
                    place = channel.shift + bit
                    s = (columns[n] >> np.uint32(bit) & 1).astype(int)
                    d, r = ([int(x >> place & 1) for x in words] for words in (before, result))
                    table = {(a, b): MODEL[op](a, b) for a in (0, 1) for b in (0, 1)}
                    assert r == [table[pair] for pair in zip(s.tolist(), d, strict=True)]


def _wide(words: list[Words], size: int) -> list[int]:
    lanes = zip(*(w.tolist() for w in words), strict=True)
    return [sum(word << 8 * size * n for n, word in enumerate(lane)) for lane in lanes]


# What a rule says of itself, and what is refused


@pytest.mark.parametrize(
    ("name", "state", "reads"),
    [
        ("R8G8B8A8_UNORM", {}, False),
        ("R8G8B8A8_UNORM", {"render_target_write_mask": 7}, True),
        ("B8G8R8X8_UNORM", {"render_target_write_mask": 7}, False),
        ("R32G32B32A32_FLOAT", {"render_target_write_mask": 5}, False),
        ("R8G8B8A8_UNORM", {"blend_enable": True}, False),
        ("R8G8B8A8_UNORM", {"blend_enable": True, "src_blend": "SRC_ALPHA_SAT"}, True),
        ("A8_UNORM", {"blend_enable": True, "src_blend_alpha": "SRC_ALPHA_SAT"}, False),
        ("R8_UNORM", {"blend_enable": True, "src_blend": "DEST_ALPHA"}, True),
        ("R16_FLOAT", {"blend_enable": True}, True),
        ("R8_UNORM", {"blend_enable": True, "blend_op": "MIN"}, True),
        ("R8_UNORM", {"blend_enable": True, "dest_blend_alpha": "ONE"}, False),
        ("R8G8B8A8_UINT", {"blend_enable": True, "dest_blend": "ONE"}, False),
        ("R8G8B8A8_UINT", {"logic_op_enable": True, "logic_op": "COPY_INVERTED"}, False),
        ("R8G8B8A8_UINT", {"logic_op_enable": True, "logic_op": "NAND"}, True),
        ("R8_UNORM", {"render_target_write_mask": 14}, False),
    ],
)
def test_whether_the_destination_matters(name: str, state: dict[str, object], reads: bool) -> None:
    rule = TargetRule(dxgi_format(name), RenderTargetBlendDesc(**state))
    assert rule.reads_destination is reads


@pytest.mark.parametrize("format_", INTEGERS, ids=lambda f: f.name)
def test_integers_are_never_blended(format_: Format) -> None:
    assert not is_blendable(format_)
    description = RenderTargetBlendDesc(blend_enable=True, dest_blend="ONE")
    count = units(format_)[1]
    columns = [*integers(4, 5), *integers(count, 6, 8 * units(format_)[0])]
    factor: list[Value] = []
    rule = TargetRule(format_, description)
    found = on_arrays(lambda w: list(merged(rule, w[:4], w[4:], factor)), columns)
    wanted = on_arrays(lambda w: list(encoded(format_, w[:4])), columns)
    assert all((a == b).all() for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("name", ["R8G8B8A8_UNORM", "R32_FLOAT", "R8_SINT"])
def test_logic_operations_want_uint_targets(name: str) -> None:
    description = RenderTargetBlendDesc(logic_op_enable=True)
    with pytest.raises(ResourceError, match=f"render target 3: found format {name} with logic_op"):
        check_target(description, dxgi_format(name), 3)
    check_target(description, dxgi_format("R8_UINT"), 0)
    check_target(RenderTargetBlendDesc(), dxgi_format(name), 0)


@pytest.mark.parametrize(
    "name", ["R32G32B32_FLOAT", "R9G9B9E5_SHAREDEXP", "BC1_UNORM", "R1_UNORM", "NV12", "AYUV",
             "R8G8B8A8_TYPELESS", "D32_FLOAT", "R8G8_B8G8_UNORM", "UNKNOWN"],
)  # fmt: skip
def test_formats_that_are_no_targets(name: str) -> None:
    with pytest.raises(ResourceError, match=f"render target: format {name} cannot be rendered to"):
        render_target_format(name)


def test_formats_of_views_and_indices() -> None:
    assert depth_stencil_format("D16_UNORM").number == 55
    assert index_format(57).name == "R16_UINT"
    with pytest.raises(ResourceError, match="wanted D32_FLOAT_S8X24_UINT, D32_FLOAT, D24_UNORM_S"):
        depth_stencil_format("R32_FLOAT")
    with pytest.raises(ResourceError, match="found format R8_UINT, wanted R16_UINT or R32_UINT"):
        index_format("R8_UINT")


def test_a_colour_lacks_nothing() -> None:
    words = [np.array([0x40], np.uint32)]
    found = on_arrays(lambda w: list(destination_color(dxgi_format("A8_UNORM"), w)), words)
    assert [f[0] for f in found] == [0, 0, 0, model.bits_of(model.rounded(Fraction(0x40, 255)))]
    found = on_arrays(lambda w: list(destination_color(dxgi_format("R16_FLOAT"), w)), words)
    assert [f[0] for f in found][1:] == [0, 0, model.bits_of(1.0)]
    found = on_arrays(lambda w: list(destination_color(dxgi_format("B8G8R8X8_UNORM"), w)), words)
    assert found[3][0] == model.bits_of(1.0)
