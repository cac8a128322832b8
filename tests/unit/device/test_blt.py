"""The depth-stencil Blt: what it copies, what it refuses, and both engines alike."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32
from softd3d.device import blt_engines
from softd3d.device.blt import BltFlags, blt
from softd3d.errors import ResourceError
from softd3d.formats.depth_stencil import (
    DEPTH_STENCIL_FORMATS,
    PAGE_READINGS,
    Readings,
    converted_texel,
    reads_destination,
    shared_components,
)
from softd3d.resources.textures.depth_stencil import Surface

NAMES = list(DEPTH_STENCIL_FORMATS)
LOCKABLE = ["D16_LOCKABLE", "D32_LOCKABLE", "D32F_LOCKABLE", "S8_LOCKABLE"]
OPAQUE = [name for name in NAMES if name not in LOCKABLE]
WITHOUT_STENCIL = {"D16", "D32", "X8D24", "D24X8", "D16_LOCKABLE", "D32_LOCKABLE", "D32F_LOCKABLE"}
ALL_PAIRS = Readings(pairs="all")
PERFORM = Readings(extras="perform")
# Pairs with each size of texel on each side, floats of both kinds, with and without old texels
QUICK = [
    ("D24S8", "D32F_LOCKABLE"), ("D32F_LOCKABLE", "D24FS8"), ("D24FS8", "S8_LOCKABLE"),
    ("S8_LOCKABLE", "X4S4D24"), ("D16_LOCKABLE", "S8D24"), ("D15S1", "D32_LOCKABLE"),
    ("D32F_LOCKABLE", "S1D15"), ("D24FS8", "D16_LOCKABLE"),
]  # fmt: skip


def random_texels(name: str, height: int, width: int, seed: int = 1) -> NDArray[np.generic]:
    bits = 8 * DEPTH_STENCIL_FORMATS[name].bytes_per_texel
    texels = np.random.default_rng(seed).integers(0, 1 << bits, (height, width), dtype=np.uint64)
    if name == "D32F_LOCKABLE":  # most of them in [0, 1]
        texels[:, ::2] = texels[:, ::2] % 0x3F900000
    return texels.astype(f"u{bits // 8}")


def surface(name: str, height: int, width: int, seed: int = 1) -> Surface:
    return Surface(random_texels(name, height, width, seed), name)


def one(name: str, texel: int) -> Surface:
    return Surface(np.full((1, 1), texel, f"u{DEPTH_STENCIL_FORMATS[name].bytes_per_texel}"), name)


def expected(source: Surface, destination: Surface, readings=ALL_PAIRS) -> NDArray[np.generic]:
    """Convert texel by texel areas of the same size, without anything else that `blt` does."""
    k = NumpyAlgebra()
    texel, old = (k.lanes(U32, s.texels.astype(np.uint32)) for s in (source, destination))
    needs = reads_destination(source.format, destination.format, readings)
    value = converted_texel(
        source.format, destination.format, texel, old if needs else None, readings
    )
    return value.raw.astype(destination.texels.dtype)


# Which pairs


def test_the_matrix_of_pairs() -> None:
    """From opaque to lockable or back, with a channel in common; equal formats; nothing else."""
    for source, destination in itertools.product(NAMES, repeat=2):
        stencils = {source, destination}.isdisjoint(WITHOUT_STENCIL)
        depths = "S8_LOCKABLE" not in {source, destination}
        shares = stencils or depths or source == destination
        of_page = (source in LOCKABLE) != (destination in LOCKABLE)
        here, there = surface(source, 2, 2), surface(destination, 2, 2, 2)
        for readings, allowed in (
            (PAGE_READINGS, shares and (of_page or source == destination)),
            (Readings(pairs="page"), shares and of_page),
            (Readings(pairs="page", s8="opaque"),
             shares and (of_page or source == destination == "S8_LOCKABLE")),
            (ALL_PAIRS, shares),
        ):  # fmt: skip
            before = there.array.copy()
            if allowed:
                wanted = expected(here, there)
                blt(here, there, readings=readings)
                assert (there.texels == wanted).all(), (source, destination)
            else:
                text = "both are" if shares else "share no channel"
                with pytest.raises(ResourceError, match=f"{source} to {destination}.*{text}"):
                    blt(here, there, readings=readings)
                assert (there.array == before).all()


def test_there_are_sixty_eight_conversions_of_the_page() -> None:
    """Eleven opaque formats, three lockable depths and one stencil, both ways."""
    count = 0
    for source, destination in itertools.product(NAMES, repeat=2):
        try:
            blt(surface(source, 1, 1), surface(destination, 1, 1), readings=Readings(pairs="page"))
        except ResourceError:
            continue
        count += 1
    assert count == 2 * (11 * 3 + 7)


def test_formats_that_the_driver_does_not_support() -> None:
    here, there = surface("D24S8", 1, 1), surface("D32F_LOCKABLE", 1, 1)
    blt(here, there, supported=["D24S8", 82])
    with pytest.raises(ResourceError, match="D24S8 is not one that the driver supports"):
        blt(here, there, supported={"D16", "D32F_LOCKABLE"})
    with pytest.raises(ResourceError, match="no depth-stencil format 'A8'"):
        blt(here, there, supported=["A8"])


# Channels


def test_channels_are_dropped_and_kept() -> None:
    depth, stencil = one("D32_LOCKABLE", 0x12345678), one("S8_LOCKABLE", 0xAB)
    packed = one("D24S8", 0xFFFFFFFF)
    blt(depth, packed)
    assert packed.array.item() == 0x123456FF
    blt(stencil, packed)  # the second half of an upload
    assert packed.array.item() == 0x123456AB
    blt(packed, stencil)
    blt(packed, depth)
    assert (depth.array.item(), stencil.array.item()) == (0x12345612, 0xAB)


def test_equal_formats_are_copied_bit_by_bit() -> None:
    bits = np.array([[0x7FA00001, 0x80000000, 0xC0000000, 0x7F800000, 1]], np.uint32)
    there = Surface(np.zeros((1, 5), np.float32), "D32F_LOCKABLE")
    blt(Surface(bits.view(np.float32), "D32F_LOCKABLE"), there)
    assert (there.texels == bits).all()
    packed = one("D24X8", 0)
    blt(one("D24X8", 0x123456AB), packed)
    assert packed.array.item() == 0x123456AB


def test_round_trip_through_floats() -> None:
    for name, mask in (
        ("D24S8", 2**32 - 1),
        ("D16", 65535),
        ("D15S1", 65535),
        ("X4S4D24", 2**28 - 1),
    ):
        here = surface(name, 50, 60)
        numbers = Surface(np.zeros((50, 60), np.float32), "D32F_LOCKABLE")
        stencils = Surface(np.zeros((50, 60), np.uint8), "S8_LOCKABLE")
        again = Surface(np.zeros_like(here.array), name)
        blt(here, numbers)
        blt(numbers, again)
        if here.format.stencil:
            blt(here, stencils)
            blt(stencils, again)
        assert (again.array == here.array & mask).all()


# Rectangles


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
def test_random_rectangles(engine: str) -> None:
    random = np.random.default_rng(3)
    pairs = QUICK[:3] if engine == "jit" else QUICK
    for number in range(40):
        source, destination = pairs[number % len(pairs)]
        (h, w), (dh, dw) = random.integers(1, 40, (2, 2))
        width, height = random.integers(1, min(w, dw) + 1), random.integers(1, min(h, dh) + 1)
        x, y = random.integers(0, w - width + 1), random.integers(0, h - height + 1)
        px, py = random.integers(0, dw - width + 1), random.integers(0, dh - height + 1)
        here, there = surface(source, h, w, number), surface(destination, dh, dw, number + 1)
        wanted = there.texels.copy()
        area = wanted[py : py + height, px : px + width]
        area[:] = expected(
            Surface(here.array[y : y + height, x : x + width], source), Surface(area, destination)
        )
        blt(here, there, (x, y, x + width, y + height), (px, py), engine=engine)
        assert (there.texels == wanted).all(), (source, destination)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"source_rect": (0, 0, 5, 4)}, r"\(0, 0, 5, 4\) is not inside the surface of 4 x 4"),
        ({"source_rect": (-1, 0, 2, 2)}, "not inside"),
        ({"source_rect": (2, 2, 2, 3)}, r"source rectangle \(2, 2, 2, 3\) is empty"),
        ({"source_rect": (3, 0, 2, 4)}, "is empty"),
        ({"point": (1, 0)}, r"destination rectangle \(1, 0, 5, 4\) is not inside"),
        ({"point": (0, -1)}, "not inside"),
        ({"point": (10**30, 0)}, "point: found .*, wanted x, y"),
        ({"point": (0.0, 0)}, "point: found .*, wanted x, y"),
        ({"point": 3}, "wanted x, y as integers"),
        ({"source_rect": (0, 0, 1)}, "wanted left, top, right, bottom"),
        ({"source_rect": "abcd"}, "wanted left, top, right, bottom"),
        ({"destination_rect": (0, 0, 2, 2)}, "4 x 4 and 2 x 2 texels: stretching is refused"),
        ({"destination_rect": (0, 0, 4, 4), "point": (1, 1)}, "both a point and a destination"),
        ({"flags": BltFlags.POINT | BltFlags.LINEAR}, "linear filtering is refused"),
        ({"flags": BltFlags.MIRROR_UP_DOWN}, "mirroring is refused.*Copying Depth-Stencil"),
        ({"flags": BltFlags.SRC_COLOR_KEY}, "colour keying is refused"),
        ({"flags": BltFlags.DST_COLOR_KEY}, "colour keying is refused"),
        ({"flags": 0x100}, "flags 256, wanted BltFlags"),
        ({"flags": "point"}, "wanted BltFlags"),
        ({"color_key": None}, "colour key: found None, wanted a whole number"),
        ({"engine": "gpu"}, "engine: found 'gpu', wanted jit or interpreter"),
        ({"engine": ["jit"]}, "wanted jit or interpreter"),
        ({"threads": -1}, "threads: found -1, wanted 0 to 1024"),
        ({"threads": None}, "threads: found None, wanted a whole number"),
        ({"readings": {"pairs": "all"}}, "found readings .*, wanted Readings"),
    ],
)  # fmt: skip
def test_what_is_refused(arguments, text: str) -> None:
    here, there = surface("D24S8", 4, 4), surface("D32_LOCKABLE", 4, 4)
    before = there.array.copy()
    with pytest.raises(ResourceError, match=text):
        blt(here, there, **arguments)
    assert (there.array == before).all()


def test_what_is_no_surface_or_cannot_be_written() -> None:
    there = surface("D32_LOCKABLE", 4, 4)
    with pytest.raises(ResourceError, match="found ndarray, wanted a Surface"):
        blt(np.zeros((4, 4), np.uint32), there)
    there.array.flags.writeable = False
    with pytest.raises(ResourceError, match="read-only"):
        blt(surface("D24S8", 4, 4), there)
    blt(there, surface("D24S8", 4, 4))  # but reading it is fine


# What the page does not ask for


def test_stretching_and_mirroring_take_the_texel_under_the_centre() -> None:
    here = Surface(np.arange(6, dtype=np.uint32).reshape(2, 3) << 8, "D24S8")
    there = Surface(np.zeros((4, 6), np.uint32), "D32_LOCKABLE")
    blt(here, there, destination_rect=(0, 0, 6, 4), readings=PERFORM)
    wanted = np.repeat(np.repeat(np.arange(6).reshape(2, 3), 2, 0), 2, 1)
    assert (there.array >> 8 == wanted).all()
    small = Surface(np.zeros((1, 1), np.uint32), "D32_LOCKABLE")
    blt(here, small, destination_rect=(0, 0, 1, 1), readings=PERFORM)
    assert small.array.item() >> 8 == 4
    there = Surface(np.zeros((2, 3), np.uint32), "D32_LOCKABLE")
    blt(here, there, flags=BltFlags.MIRROR_LEFT_RIGHT, readings=PERFORM)
    assert (there.array >> 8).tolist() == [[2, 1, 0], [5, 4, 3]]
    blt(here, there, flags=BltFlags.MIRROR_UP_DOWN, readings=PERFORM)
    assert (there.array >> 8).tolist() == [[3, 4, 5], [0, 1, 2]]


def test_colour_keys_compare_raw_texels() -> None:
    here = Surface(np.array([[0x100, 0x200, 0x300]], np.uint32), "D24S8")
    there = Surface(np.array([[7, 7, 9]], np.uint32), "D32_LOCKABLE")
    blt(here, there, flags=BltFlags.SRC_COLOR_KEY, color_key=0x200, readings=PERFORM)
    assert there.array.tolist() == [[0x100, 7, 0x300]]
    there.array[:] = 7, 7, 9
    blt(here, there, flags=BltFlags.DST_COLOR_KEY, color_key=7, readings=PERFORM)
    assert there.array.tolist() == [[0x100, 0x200, 9]]
    there.array[:] = 7, 7, 9
    both = BltFlags.SRC_COLOR_KEY | BltFlags.DST_COLOR_KEY
    blt(here, there, flags=both, color_key=7, readings=PERFORM)
    assert there.array.tolist() == [[0x100, 0x200, 9]]


# Memory


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
@pytest.mark.parametrize("point", [(0, 0), (3, 2), (7, 9), (0, 9), (9, 0)])
def test_overlapping_rectangles_of_one_surface(point, engine: str) -> None:
    shared = surface("D24S8", 40, 40)
    wanted = shared.array.copy()
    wanted[point[1] : point[1] + 20, point[0] : point[0] + 25] = shared.array[5:25, 4:29]
    blt(shared, shared, (4, 5, 29, 25), point, engine=engine)
    assert (shared.array == wanted).all()


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
@pytest.mark.parametrize("shift", [-2, -1, 0, 1, 2])
def test_surfaces_of_two_formats_in_the_same_memory(shift: int, engine: str) -> None:
    memory = random_texels("D24S8", 1, 5000)[0]
    here = Surface(memory[100:4600].reshape(3, 1500), "D24S8")
    there = Surface(memory[100 + shift : 4600 + shift].reshape(3, 1500), "D32F_LOCKABLE")
    wanted = expected(here, there)
    blt(here, there, engine=engine)
    assert (there.array == wanted).all()


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
def test_arrays_with_any_strides(engine: str) -> None:
    """Steps, reversed rows, transposed, unaligned, a record's field: all are written in place."""
    large = random_texels("D24S8", 80, 300)
    record = np.zeros((20, 30), np.dtype([("a", "u1"), ("depth", "<u4")]))
    record["depth"] = large[:20, :30]
    row = np.repeat(large[:1, :30], 20, 0)
    for array in (
        large[::2, ::3][:20, :30], large[:20, :30][::-1], large[:20, :30][:, ::-1],
        large[:30, :20].T, record["depth"], large[5:25, 7:37], row, large[:20, 3:4],
        large[3:4, :30][::-1],
    ):  # fmt: skip
        plain = Surface(array.copy(), "D24S8")
        there = Surface(np.zeros(array.shape, np.uint32), "D32_LOCKABLE")
        wanted = expected(plain, there)
        blt(Surface(array, "D24S8"), there, engine=engine)
        assert (there.array == wanted).all()
        target = Surface(array, "D24S8")
        before = target.texels.copy()
        blt(Surface(np.full(array.shape, 0xAB, np.uint8), "S8_LOCKABLE"), target, engine=engine)
        assert (array == (before & 0xFFFFFF00 | 0xAB)).all()
        blt(there, target, engine=engine)
        assert (array >> 8 == plain.array >> 8).all()


def test_one_row_that_all_rows_share() -> None:
    row = np.broadcast_to(random_texels("D24S8", 1, 2000), (3, 2000))
    for engine in ("interpreter", "jit"):
        there = Surface(np.zeros((3, 2000), np.uint32), "D32_LOCKABLE")
        blt(Surface(row, "D24S8"), there, engine=engine)
        assert (there.array >> 8 == row >> 8).all()


def test_surfaces_that_fit_no_offset_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large for the 31-bit offsets of a kernel is converted in several runs."""
    monkeypatch.setattr(blt_engines, "MAX_BYTES", 1 << 15)
    here, there = surface("D24S8", 37, 3000), surface("D16_LOCKABLE", 37, 3000)
    wanted = expected(here, there)
    blt(here, there, engine="jit")
    assert (there.array == wanted).all()
    there.array[:] = 0
    wanted[:, :500], wanted[:, 2900:] = 0, 0
    blt(here, there, (500, 0, 2900, 37), (500, 0), engine="jit")
    assert (there.array == wanted).all()


# Engines


@pytest.mark.parametrize(("source", "destination"), QUICK)
def test_engines_agree(source: str, destination: str) -> None:
    _compare_engines(source, destination, ALL_PAIRS)


@pytest.mark.slow
@pytest.mark.parametrize("source", NAMES)
def test_engines_agree_on_every_pair(source: str) -> None:
    for destination in NAMES:
        if shared_components(DEPTH_STENCIL_FORMATS[source], DEPTH_STENCIL_FORMATS[destination]):
            _compare_engines(source, destination, ALL_PAIRS)


CONVERSIONS = ["product", "quotient", "float_to_float", "float24", "missing"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "word"), [(name, w) for name in CONVERSIONS for w in Readings.choices()[name][1:]]
)
def test_engines_agree_on_every_reading(name: str, word: str) -> None:
    readings = Readings(**{"pairs": "all", name: word})
    for source, destination in (
        ("D32F_LOCKABLE", "D24FS8"), ("D24FS8", "D32F_LOCKABLE"), ("D32_LOCKABLE", "D24FS8"),
        ("D32_LOCKABLE", "D32F_LOCKABLE"), ("D16", "D24S8"), ("D32F_LOCKABLE", "D24S8"),
    ):  # fmt: skip
        _compare_engines(source, destination, readings)


def _compare_engines(source: str, destination: str, readings: Readings) -> None:
    here = surface(source, 9, 2500)
    results = []
    for engine in ("interpreter", "jit"):
        there = surface(destination, 9, 2300, 2)
        blt(here, there, (99, 1, 2399, 9), (0, 1), readings=readings, engine=engine, threads=2)
        results.append(there.texels)
    assert (results[0] == results[1]).all()
    there = surface(destination, 9, 2300, 2)
    area = there.texels[1:]
    area[:] = expected(Surface(here.array[1:, 99:2399], source), Surface(area, destination),
                       readings)  # fmt: skip
    assert (results[0] == there.texels).all()


def test_large_surfaces_are_compiled_and_small_ones_not(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = []
    monkeypatch.setattr(blt_engines, "_convert_numpy", lambda *_: ran.append("interpreter"))
    monkeypatch.setattr(blt_engines, "_convert_native", lambda *_: ran.append("jit"))
    for size in (16, 2048):
        blt(surface("D16", size, size), Surface(np.zeros((size, size), np.uint32), "D32_LOCKABLE"))
    assert ran == ["interpreter", "jit"]


# Surfaces


def test_planes_of_surfaces() -> None:
    packed = Surface(np.array([[0xFFFFFF12, 0x00000134]], np.uint32), "D24S8")
    assert packed.depth.tolist() == [[1.0, 1 / 0xFFFFFF]]
    assert packed.depth_codes.tolist() == [[0xFFFFFF, 1]]
    assert packed.stencil.tolist() == [[0x12, 0x34]]
    assert (packed.width, packed.height, repr(packed)) == (2, 1, "Surface(2 x 1, D24S8)")
    halves = Surface(np.array([[0xE0000001, 0xFFFFFF02, 0x10003]], np.uint32), "D24FS8")
    assert halves.depth.tolist() == [[0.5, 2 - 2.0**-20, 256 * 2.0**-34]]
    assert one("D32", 0xFFFFFFFF).depth.item() == 1.0
    assert one("D15S1", 0xFFFE).depth.item() == 1.0
    assert one("D15S1", 0xFFFE).stencil.item() == 0
    numbers = Surface(np.array([[-1.5, np.nan, np.inf]], np.float32), "D32F_LOCKABLE")
    np.testing.assert_array_equal(numbers.depth, [[-1.5, np.nan, np.inf]])
    with pytest.raises(ResourceError, match="D16 has no stencil channel"):
        _ = one("D16", 0).stencil
    with pytest.raises(ResourceError, match="S8_LOCKABLE has no depth channel"):
        _ = one("S8_LOCKABLE", 0).depth


@pytest.mark.parametrize(
    ("array", "name", "text"),
    [
        (np.zeros((2, 2), np.float32), "D24S8", r"found float32 of shape \(2 x 2\), wanted uint32"),
        (np.zeros((2, 2), np.uint16), "D32F_LOCKABLE", "wanted float32 or uint32"),
        (np.zeros((2, 2), np.int16), "D16", "wanted uint16"),
        (np.zeros(4, np.uint16), "D16", r"of shape \(4\)"),
        (np.zeros((0, 4), np.uint16), "D16", r"shape \(0 x 4\)"),
        (np.zeros((2, 2), ">u2"), "D16", "big-endian"),
        ([[1]], "D16", "found list, wanted a NumPy array"),
        (np.zeros((2, 2), object), "D16", "Python objects"),
        (np.zeros((2, 2), np.uint16), "D17", "no depth-stencil format 'D17'"),
    ],
)
def test_arrays_that_are_no_surface(array, name: str, text: str) -> None:
    with pytest.raises(ResourceError, match=text):
        Surface(array, name)
