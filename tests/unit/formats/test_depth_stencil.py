"""Depth-stencil formats and conversions, against a model in unlimited precision."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from depth_stencil_model import (
    LAYOUTS,
    depth_codes,
    exact_depth,
    exact_texel,
    integer_of,
    integers,
    packed,
    width_of,
)
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32, Value
from softd3d.errors import ResourceError
from softd3d.formats.depth_codes import (
    float24_from_float32,
    float24_from_integer,
    float32_from_float24,
    float32_from_integer,
    integer_from_float32,
    integer_from_unorm,
    unorm_from_integer,
)
from softd3d.formats.depth_stencil import (
    DEPTH_STENCIL_FORMATS,
    PAGE_READINGS,
    Readings,
    converted_texel,
    depth_stencil_format,
    reads_destination,
    shared_components,
)

NAMES = list(DEPTH_STENCIL_FORMATS)
PAIRS = [
    (a, b)
    for a, b in itertools.product(NAMES, repeat=2)
    if any(x and y for x, y in zip(LAYOUTS[a][1:], LAYOUTS[b][1:], strict=True))
]
KINDS = ["u15", "u16", "u24", "u32", "f24", "f32"]
SPECIAL = [
    0, 1, 0x7FFFFF, 0x800000, 0x2E7FFFFF, 0x2E800000, 0x2F000000, 0x2F000001, 0x2F800000,
    0x33800000, 0x387FFFFF, 0x38800000, 0x3AFFFFFF, 0x3B000000, 0x3EFFFFFF, 0x3F000000,
    0x3F000001, 0x3F000002, 0x3F000003, 0x3F000004, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3FFFFFFF,
    0x40000000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0x80000000, 0x80000001,
    0xBF800000, 0xFF800000, 0xFFC00000, 0xFFFFFFFF,
]  # fmt: skip
EXAMPLES = [
    line.split()
    for line in (Path(__file__).parent / "data" / "depth_stencil_examples.txt")
    .read_text()
    .splitlines()[2:]
]


def lanes(codes) -> Value:
    return NumpyAlgebra().lanes(U32, np.ascontiguousarray(codes, np.uint32))


def raw(value: Value) -> NDArray[np.uint64]:
    return np.atleast_1d(value.raw).astype(np.uint64)


def convert(source: str, destination: str, texels, old, readings=PAGE_READINGS):
    a, b = depth_stencil_format(source), depth_stencil_format(destination)
    before = lanes(old) if reads_destination(a, b, readings) else None
    return raw(converted_texel(a, b, lanes(texels), before, readings))


def depth_of(kind: str, to: str, codes, readings=PAGE_READINGS):
    """Convert depth codes alone, by the package."""
    values = lanes(codes)
    if kind[0] == "u":
        u = integer_from_unorm(values, width_of(kind))
    else:
        bits = float32_from_float24(values) if kind == "f24" else values
        u = integer_from_float32(bits, readings.product)
    if to[0] == "u":
        return raw(unorm_from_integer(u, width_of(to)))
    if to == "f32":
        return raw(float32_from_integer(u, readings.quotient))
    return raw(float24_from_integer(u, readings.quotient, readings.float24))


def all_codes(bits: int, step: int = 1) -> NDArray[np.uint64]:
    """Return codes from 0 on, and the last one (again)."""
    codes = np.arange(0, 1 << bits, step, dtype=np.uint64)
    return np.append(codes, np.uint64((1 << bits) - 1))


# Formats


def test_layouts() -> None:
    for name, (bits, depth, stencil) in LAYOUTS.items():
        found = DEPTH_STENCIL_FORMATS[name]
        assert 8 * found.bytes_per_texel == bits == sum(c.bits for c in found.channels)
        d, s = found.depth, found.stencil
        letter = {"UNORM": "u", "FLOAT": "f"}
        assert (d and (f"{letter[d.type.value]}{d.bits}", d.shift)) == depth
        assert (s and (s.bits, s.shift)) == stencil
        assert found.is_lockable == (name in {"D16_LOCKABLE", "D32_LOCKABLE", "D32F_LOCKABLE",
                                              "S8_LOCKABLE"})  # fmt: skip
    assert len(DEPTH_STENCIL_FORMATS) == len(LAYOUTS) == 15


@pytest.mark.corpus
def test_the_table_of_the_library_says_the_same(shared: Path) -> None:
    rows = csv.DictReader((shared / "spec/formats/d3dddi_formats.csv").read_text().splitlines())
    types = {"unorm": "UNORM", "uint": "UINT", "unused": "UNORM", "float32": "FLOAT",
             "float24(20e4)": "FLOAT"}  # fmt: skip
    seen = 0
    for row in rows:
        name = row["name"].removeprefix("D3DDDIFMT_")
        if row["class"] not in {"depth", "stencil"}:
            continue
        seen += 1
        found = DEPTH_STENCIL_FORMATS[name]
        assert found.number == int(row["value"])
        assert 8 * found.bytes_per_texel == int(row["bits_per_block"])
        channels = [
            text.split(":") for text in row[next(k for k in row if "channels" in k)].split()
        ]
        for c, (letter, at, bits, kind) in zip(found.channels, channels, strict=True):
            assert (c.component.upper(), c.shift, c.bits) == (letter, int(at), int(bits))
            assert c.type.value == types[kind]
        kind = row[next(k for k in row if "lockable" in k)]
        assert found.is_lockable == (kind == "lockable")
    assert seen == 15


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("D24S9", "there is no depth-stencil format 'D24S9'; close: D24S8"),
        ("R8G8B8A8_UNORM", "there is no depth-stencil format 'R8G8B8A8_UNORM'"),
        (0, "there is no depth-stencil format number 0"),
        (True, "there is no depth-stencil format number True"),
        (None, "there is no depth-stencil format number None"),
    ],
)
def test_no_such_format(name, text) -> None:
    with pytest.raises(ResourceError, match=text):
        depth_stencil_format(name)


def test_formats_by_any_name() -> None:
    wanted = DEPTH_STENCIL_FORMATS["D24S8"]
    for name in ("D24S8", "D3DFMT_D24S8", "D3DDDIFMT_D24S8", 75, wanted):
        assert depth_stencil_format(name) is wanted


def test_words_that_are_no_reading() -> None:
    with pytest.raises(ResourceError, match="product: found 'up', wanted nearest, truncate or"):
        Readings(product="up")
    assert Readings.choices()["pairs"] == ("page-or-equal", "page", "all")
    for name, words in Readings.choices().items():
        assert getattr(PAGE_READINGS, name) == words[0]
        for word in words:
            assert getattr(Readings(**{name: word}), name) == word


# The model agrees with itself


@pytest.mark.parametrize("kind", KINDS)
def test_the_models_agree(kind: str) -> None:
    random = np.random.default_rng(1)
    codes = random.integers(0, 1 << width_of(kind), 300, dtype=np.uint64)
    if kind == "f32":
        codes[150:] = random.integers(0x2E000000, 0x3F900000, 150)
    codes = np.append(codes, [c % (1 << width_of(kind)) for c in SPECIAL])
    codes = codes.astype(np.uint64)
    u = integers(kind, codes)
    assert u.tolist() == [integer_of(kind, int(c)) for c in codes]
    for to in KINDS:
        wanted = [exact_depth(kind, int(c), to) for c in codes]
        assert depth_codes(to, u).tolist() == wanted, to


# Worked examples


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: row[0])
def test_examples(row: list[str]) -> None:
    _, source, texel, integer, destination, old, result, *others = row
    before, after = int(texel, 16), int(result, 16)
    assert convert(source, destination, [before], [int(old, 16)]).tolist() == [after]
    assert exact_texel(source, destination, before, int(old, 16)) == after
    if integer != "-":
        whole = convert(source, "D32", [before], [0]).tolist()
        assert whole == [int(integer, 16)]
    different = dict(text.split("=") for text in others)
    for product, quotient in itertools.product(("nearest", "truncate", "binary32"),
                                               ("exact", "binary32")):  # fmt: skip
        readings = Readings(product=product, quotient=quotient)
        wanted = int(different.get(f"{product}/{quotient}", result), 16)
        found = convert(source, destination, [before], [int(old, 16)], readings)
        assert found.tolist() == [wanted], (product, quotient)


def test_there_are_44_examples() -> None:
    assert [row[0] for row in EXAMPLES] == [str(n) for n in range(1, 45)]


# Every pair


@pytest.mark.parametrize("source", NAMES)
def test_texels_of_every_pair(source: str) -> None:
    random = np.random.default_rng(2)
    bits = LAYOUTS[source][0]
    texels = random.integers(0, 1 << bits, 60, dtype=np.uint64)
    texels = np.append(texels, [c % (1 << bits) for c in SPECIAL]).astype(np.uint64)
    if source == "D32F_LOCKABLE":
        texels[:40] = random.integers(0x2E000000, 0x3F900000, 40)
    for destination in NAMES:
        if (source, destination) not in PAIRS:
            assert not shared_components(
                DEPTH_STENCIL_FORMATS[source], DEPTH_STENCIL_FORMATS[destination]
            )
            continue
        old = random.integers(0, 1 << LAYOUTS[destination][0], texels.size, dtype=np.uint64)
        wanted = [
            exact_texel(source, destination, int(t), int(o))
            for t, o in zip(texels, old, strict=True)
        ]
        assert convert(source, destination, texels, old).tolist() == wanted, destination


def test_all_stencils_of_every_pair() -> None:
    for source, destination in PAIRS:
        here, there = LAYOUTS[source][2], LAYOUTS[destination][2]
        if here is None or there is None or source == destination:
            continue
        codes = all_codes(here[0])
        texels = codes << np.uint64(here[1])
        found = convert(source, destination, texels, np.zeros_like(texels)) >> np.uint64(there[1])
        found &= np.uint64((1 << there[0]) - 1)
        assert (found == codes % np.uint64(1 << there[0])).all(), (source, destination)


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("kind", ["u15", "u16"])
def test_every_code_of_15_and_16_bits(kind: str, to: str) -> None:
    codes = all_codes(width_of(kind))
    wanted = depth_codes(to, integers(kind, codes))
    assert (depth_of(kind, to, codes) == wanted).all()


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("kind", ["u24", "f24"])
def test_codes_of_24_bits(kind: str, to: str) -> None:
    codes = all_codes(24, 257)
    assert (depth_of(kind, to, codes) == depth_codes(to, integers(kind, codes))).all()


@pytest.mark.slow
@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("kind", ["u24", "f24"])
def test_every_code_of_24_bits(kind: str, to: str) -> None:
    for codes in np.array_split(all_codes(24), 16):
        assert (depth_of(kind, to, codes) == depth_codes(to, integers(kind, codes))).all()


@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("kind", ["u32", "f32"])
def test_random_32_bit_codes(kind: str, to: str) -> None:
    _check_random_codes(kind, to, 20_000, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("to", KINDS)
@pytest.mark.parametrize("kind", ["u32", "f32"])
def test_ten_million_random_32_bit_codes(kind: str, to: str) -> None:
    for seed in range(10):
        _check_random_codes(kind, to, 1_000_000, seed)


def _check_random_codes(kind: str, to: str, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 1 << 32, count, dtype=np.uint64)
    if kind == "f32":  # most of all bit patterns are out of range: take half of them from inside
        codes[::2] = random.integers(0x2E000000, 0x3F810000, codes[::2].size)
    else:  # numbers of all lengths
        codes[::2] >>= random.integers(0, 32, codes[::2].size, dtype=np.uint64)
    codes = np.append(codes, np.array(SPECIAL, np.uint64))
    assert (depth_of(kind, to, codes) == depth_codes(to, integers(kind, codes))).all()


@pytest.mark.slow
@pytest.mark.parametrize("destination", NAMES)
@pytest.mark.parametrize("kind", ["u15", "u16", "u24", "f24"])
def test_every_depth_code_of_every_pair(kind: str, destination: str) -> None:
    """The packing as well: all sources with such a depth, other bits at random."""
    random = np.random.default_rng(4)
    codes = all_codes(width_of(kind))
    to = LAYOUTS[destination][1]
    depth = depth_codes(to[0], integers(kind, codes)) if to else None
    for source in NAMES:
        bits, here, stencil = LAYOUTS[source]
        if here is None or here[0] != kind or (source, destination) not in PAIRS:
            continue
        if source == destination:
            continue
        noise = random.integers(0, 1 << bits, codes.size, dtype=np.uint64)
        texels = packed(source, codes, None, noise)
        old = random.integers(0, 1 << LAYOUTS[destination][0], codes.size, dtype=np.uint64)
        copied = None
        if stencil is not None:
            copied = texels >> np.uint64(stencil[1]) & np.uint64((1 << stencil[0]) - 1)
        wanted = packed(destination, depth, copied, old)
        assert (convert(source, destination, texels, old) == wanted).all(), source


# Round trips, and what other readings lose


@pytest.mark.parametrize("through", ["f32", "u32"])
@pytest.mark.parametrize("kind", ["u15", "u16", "u24"])
def test_round_trips_lose_nothing(kind: str, through: str) -> None:
    codes = all_codes(width_of(kind), 61 if kind == "u24" else 1)
    assert (depth_of(through, kind, depth_of(kind, through, codes)) == codes).all()


@pytest.mark.slow
@pytest.mark.parametrize("through", ["f32", "u32"])
def test_round_trips_of_every_code_of_24_bits(through: str) -> None:
    codes = all_codes(24)
    assert (depth_of(through, "u24", depth_of("u24", through, codes)) == codes).all()


LOST = [  # kind, quotient, product, codes that do not come back from a float
    ("u15", "exact", "truncate", 0),
    ("u15", "exact", "binary32", 31),
    ("u16", "exact", "truncate", 0),
    ("u16", "exact", "binary32", 127),
]
MANY_LOST = [
    ("u24", "exact", "truncate", 65535),
    ("u24", "exact", "binary32", 8388607),
    ("u24", "binary32", "nearest", 32767),
    ("u24", "binary32", "truncate", 557055),
    ("u24", "binary32", "binary32", 8355839),
]


@pytest.mark.parametrize(
    ("kind", "quotient", "product", "count"),
    [*LOST, *(pytest.param(*row, marks=pytest.mark.slow) for row in MANY_LOST)],
)
def test_codes_that_other_readings_lose(kind, quotient, product, count) -> None:
    codes = all_codes(width_of(kind))[:-1]  # each once
    readings = Readings(product=product, quotient=quotient)
    numbers = depth_of(kind, "f32", codes, readings)
    back = depth_of("f32", kind, numbers, readings)
    assert np.count_nonzero(back != codes) == count


def test_truncated_and_float32_products_are_what_they_say() -> None:
    random = np.random.default_rng(5)
    codes = random.integers(0x2E000000, 0x3F800000, 20_000, dtype=np.uint64)
    numbers = codes.astype(np.uint32).view(np.float32).astype(np.float64)
    cut = raw(integer_from_float32(lanes(codes), "truncate"))
    # A double product may round up to a whole number only where it is within 2**-21 of one.
    significands = codes & np.uint64(0x7FFFFF) | np.uint64(0x800000)
    products = significands * np.uint64(2**32 - 1)
    assert (cut == products >> (np.uint64(150) - (codes >> np.uint64(23)))).all()
    scaled = raw(integer_from_float32(lanes(codes), "binary32"))
    assert (scaled == np.floor(numbers * 2.0**32).astype(np.uint64)).all()


def test_a_double_product_would_be_wrong_for_four_numbers() -> None:
    """0x3F000001 to 0x3F000004: the exact products end in .49999..., a double's in .5."""
    codes = np.arange(0x3F000001, 0x3F000005, dtype=np.uint64)
    numbers = codes.astype(np.uint32).view(np.float32).astype(np.float64)
    doubles = np.floor(numbers * (2.0**32 - 1) + 0.5).astype(np.uint64)
    found = raw(integer_from_float32(lanes(codes), "nearest"))
    assert (found + 1 == doubles).all()
    assert found.tolist() == [integer_of("f32", int(c)) for c in codes]


# Float24


def test_float24_numbers_from_2_to_the_minus_12_survive_the_integer() -> None:
    codes = np.arange(0x300000, 0xF00001, 97, dtype=np.uint64)  # 2**-12 is 0x300000
    assert (depth_of("f24", "f24", codes) == codes).all()
    below = np.arange(1, 0x300000, 97, dtype=np.uint64)
    assert (depth_of("f24", "f24", below) != below).any()
    above = np.arange(0xF00000, 1 << 24, 4099, dtype=np.uint64)
    assert set(depth_of("f24", "f24", above)) == {0xF00000}  # clamped to 1


def test_float24_rounds_to_even_or_to_zero() -> None:
    one = 0x3F800000
    bits = np.array([one + 3, one + 4, one + 5, one + 12, 0x38800000 - 1, 0x2E800000, 0x2E000000,
                     0x2E000001, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0xBF800000])  # fmt: skip
    nearest = raw(float24_from_float32(lanes(bits), "nearest"))
    zero = raw(float24_from_float32(lanes(bits), "zero"))
    top = 0xFFFFFF
    assert nearest.tolist() == [
        0xF00000, 0xF00000, 0xF00001, 0xF00002, 0x100000, 1, 0, 1, top, top, 0, 0,
    ]  # fmt: skip
    assert zero.tolist() == [
        0xF00000, 0xF00000, 0xF00000, 0xF00001, 0x0FFFFF, 1, 0, 0, top, top, 0, 0,
    ]  # fmt: skip


def test_float24_by_truncation_takes_the_largest_number_that_is_not_above() -> None:
    random = np.random.default_rng(6)
    u = random.integers(0, 1 << 32, 20_000, dtype=np.uint64)
    u[::2] >>= random.integers(0, 32, u[::2].size, dtype=np.uint64)
    u[:2] = 0, 2**32 - 1
    codes = raw(float24_from_integer(lanes(u), "exact", "zero"))
    values = raw(float32_from_float24(lanes(codes))).astype(np.uint32).view(np.float32)
    above = raw(float32_from_float24(lanes(codes + 1))).astype(np.uint32).view(np.float32)
    for n in range(0, u.size, 7):
        quotient = int(u[n]) * 2**40
        assert int(float(values[n]) * 2**40) * (2**32 - 1) <= quotient
        assert int(float(above[n]) * 2**40) * (2**32 - 1) > quotient


def test_floats_directly() -> None:
    """The other reading of float to float: what fits is not changed at all."""
    readings = Readings(float_to_float="direct")
    codes = all_codes(24, 173)
    wide = convert("D24FS8", "D32F_LOCKABLE", codes << np.uint64(8), codes, readings)
    numbers = wide.astype(np.uint32).view(np.float32).astype(np.float64)
    assert (np.diff(numbers[:-1]) > 0).all()
    assert numbers[-1] == 2 - 2.0**-20
    back = convert("D32F_LOCKABLE", "D24FS8", wide, np.full_like(codes, 0x5A), readings)
    assert (back == (codes << np.uint64(8) | np.uint64(0x5A))).all()


def test_twice_rounded_quotients_of_float24() -> None:
    """With float32 arithmetic a quotient is rounded to 24 bits, then to 21."""
    u = np.array([0x80000BFF, 0x80000B7F], np.uint64)  # 0x800 is the last place, 0xC00 a tie
    once = raw(float24_from_integer(lanes(u), "exact", "nearest"))
    twice = raw(float24_from_integer(lanes(u), "binary32", "nearest"))
    assert once.tolist() == [0xE00001, 0xE00001]
    assert twice.tolist() == [0xE00002, 0xE00001]


# Bits that the source has no channel for


def test_bits_without_a_source_stay_or_become_zero() -> None:
    assert convert("D16", "D24S8", [0xFFFF], [0x77]).tolist() == [0xFFFFFF77]
    cleared = Readings(missing="zero")
    assert convert("D16", "D24S8", [0xFFFF], [0x77], cleared).tolist() == [0xFFFFFF00]
    assert convert("S8_LOCKABLE", "X4S4D24", [0xFF], [0xA0FFFFFF], cleared).tolist() == [0x0F000000]


def test_texels_of_the_same_format_stay_as_they_are() -> None:
    for name, (bits, _, _) in LAYOUTS.items():
        texels = [c % (1 << bits) for c in SPECIAL]
        assert convert(name, name, texels, [0] * len(texels)).tolist() == texels
