"""Nodes that work on quads and blocks of pixels, against models in NumPy, for any wave."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from softd3d.algebra.operations import convert, high32, low32
from softd3d.algebra.value import F64, U32, Value
from softd3d.ir.graph import Node
from softd3d.isa.sm4.enums import ProgramType
from softd3d.jit.compiling.target import host
from softd3d.jit.draw.memory import WORD, Bound, described, raw_view
from softd3d.jit.draw.recording import DrawRecording, empty_program
from softd3d.jit.draw.tiles.fragments import block_of
from softd3d.jit.engine import compile_graph

Words = NDArray[np.uint32]
WAVES = [4, 8, 16, 32, 64]  # lanes; those of more than a vector are several
_MEMORY, _OUT = raw_view("memory", 0), raw_view("out", 1)
_UNTOUCHED = 0xCDCDCDCD
_MANY = 3  # waves of a run


def _vector(lanes: int) -> int:
    return host().vector_of(lanes)


def _run(
    lanes: int, memory: Words, inputs: dict[str, Words], body: Callable[[DrawRecording], Value]
) -> Words:
    """Return what a body gives for each lane of some waves; it may also store to memory."""
    r = DrawRecording(empty_program(ProgramType.VS))
    r.put(_OUT, r.entry("flat") * WORD, body(r), r.true_value())
    kernel = compile_graph(r.finished(), r.bound.declarations, lanes=lanes)
    out = np.full(_MANY * lanes, _UNTOUCHED, np.uint32)
    kernel.run_lanes(Bound((described(memory), described(out))), out.size, inputs)
    return out


def _value(r: DrawRecording, op: str, args: tuple[Node, ...], attr: object = None) -> Value:
    return r.k.value(r.k.node(op, U32, args, attr))


def _nothing() -> Words:
    return np.zeros(1, np.uint32)


@pytest.mark.parametrize("lanes", WAVES)
def test_quads_of_a_mask_come_first(lanes: int) -> None:
    """All masks of up to 4 quads; of a wave of several vectors, each has its own."""
    vector = _vector(lanes)
    quads = vector // 4
    value = np.arange(_MANY * lanes, dtype=np.uint32) * np.uint32(7)
    for mask in range(1 << min(quads, 4)):
        on = np.repeat(np.array([mask >> n & 1 for n in range(quads)], np.uint32), 4)
        given = {"value": value, "on": np.tile(on, value.size // vector)}
        found = _run(
            lanes, _nothing(), given,
            lambda r: _value(
                r, "compact", (r.entry("value").raw, r.entry("on").ne(0).raw)
            ),
        )  # fmt: skip
        kept = value.reshape(-1, vector)[:, on != 0]
        assert np.array_equal(found.reshape(-1, vector)[:, : kept.shape[1]], kept)


@pytest.mark.parametrize("lanes", WAVES)
def test_lanes_of_a_wave_are_counted(lanes: int) -> None:
    random = np.random.default_rng(lanes)
    for on in (np.zeros, np.ones, lambda n, t: random.integers(0, 2, n, t)):
        some = on(_MANY * lanes, np.uint32)
        found = _run(lanes, _nothing(), {"on": some}, lambda r: r.lane_count(r.entry("on").ne(0)))
        assert np.array_equal(found, np.repeat(some.reshape(_MANY, lanes).sum(axis=1), lanes))


def test_no_lane_counts_as_none_without_code() -> None:
    r = DrawRecording(empty_program(ProgramType.VS))
    assert r.lane_count(r.k.value(r.false)).raw is r.k.const(U32, 0).raw


@pytest.mark.parametrize("lanes", WAVES)
def test_every_quad_has_the_first_one_of_its_wave(lanes: int) -> None:
    value = np.random.default_rng(1).integers(0, 1 << 32, _MANY * lanes, np.uint32)
    found = _run(lanes, _nothing(), {"value": value}, lambda r: r.first_quad(r.entry("value")))
    wanted = np.tile(value.reshape(_MANY, lanes)[:, :4], (1, lanes // 4))
    assert np.array_equal(found, wanted.reshape(-1))


@pytest.mark.parametrize("lanes", WAVES)
def test_quads_lie_anywhere_in_memory(lanes: int) -> None:
    """Only the offset of a quad's first lane counts: the others have nonsense."""
    random = np.random.default_rng(lanes)
    memory = random.integers(0, 1 << 32, 8 * _MANY * lanes, np.uint32)
    place = random.permutation(2 * _MANY * lanes)[: _MANY * lanes // 4].astype(np.uint32) * 4
    at = random.integers(0, 1 << 32, _MANY * lanes, np.uint32)
    at[::4] = place * WORD
    where = np.repeat(place, 4) + np.tile(np.arange(4), place.size)
    found = _run(
        lanes, memory, {"at": at}, lambda r: _value(r, "load_quads", (r.entry("at").raw,), _MEMORY)
    )
    assert np.array_equal(found, memory[where])
    for on in (np.ones(at.size, np.uint32), random.integers(0, 2, at.size, np.uint32)):
        wanted, stored = memory.copy(), memory.copy()

        def body(r: DrawRecording) -> Value:
            mask = r.entry("on").ne(0)
            r.k.node(
                "store_quads", None, (r.entry("at").raw, r.entry("flat").raw, mask.raw), _MEMORY
            )
            return r.entry("flat")

        _run(lanes, stored, {"at": at, "on": on}, body)
        wanted[where[on != 0]] = np.flatnonzero(on)
        assert np.array_equal(stored, wanted)


@pytest.mark.parametrize("samples", [1, 2, 4])
@pytest.mark.parametrize("in_rows", [False, True])
@pytest.mark.parametrize("lanes", WAVES)
def test_blocks_of_pixels_come_and_go_row_by_row(lanes: int, in_rows: bool, samples: int) -> None:
    """A block from (2, 1) on of an image of 20 pixels a row; nothing around it is touched.

    A load gives one sample of each pixel, a store writes all of them.
    """
    vector, width = _vector(lanes), 20
    block = block_of(vector, in_rows=in_rows)
    image = np.random.default_rng(2).integers(0, 1 << 32, (6, width, samples), np.uint32)
    lane = np.arange(vector)
    quad, high = lane // 4, block.height // 2  # quads go down, then to the right
    x, y = quad // high * 2 + lane % 2, quad % high * 2 + lane // 2 % 2
    words = block.width * samples

    def place(r: DrawRecording) -> tuple[Node, Node]:
        pitch = width * samples * WORD
        first = pitch + 2 * samples * WORD
        return r.k.const(U32, first).raw, r.k.const(U32, pitch).raw

    for sample in range(samples):
        attr = _MEMORY, tuple(at * samples + sample for at in block.order), words
        found = _run(
            lanes,
            image.reshape(-1),
            {},
            lambda r, attr=attr: _value(r, "load_block", place(r), attr),
        )
        assert np.array_equal(found, np.tile(image[1 + y, 2 + x, sample], found.size // vector))

    def body(r: DrawRecording) -> Value:
        own = (r.entry("flat") & (vector - 1)) + 100
        values = [(own + 1000 * n).raw for n in range(samples)]
        attr = _MEMORY, tuple(at * samples for at in block.order), words
        r.k.node("store_block", None, (*place(r), *values), attr)
        return r.entry("flat")

    stored, wanted = image.copy(), image.copy()
    _run(lanes, stored.reshape(-1), {}, body)
    wanted[1 + y, 2 + x] = (lane + 100)[:, None] + 1000 * np.arange(samples)
    assert np.array_equal(stored, wanted)


@pytest.mark.parametrize("lanes", WAVES)
def test_columns_are_stored_whole_and_loaded_for_all_lanes(lanes: int) -> None:
    """All vectors have the same values: a column has those of one."""
    vector = _vector(lanes)
    memory = np.random.default_rng(lanes).integers(0, 1 << 32, 200, np.uint32)
    value = np.tile(memory[100 : 100 + vector], _MANY * lanes // vector)
    place = memory.copy()

    def body(r: DrawRecording) -> Value:
        at, own = r.k.const(U32, 8), r.entry("value")
        r.k.node("store_column", None, (at.raw, own.raw), (_MEMORY, 16))
        r.k.node("store_column", None, (at.raw, convert(own, F64).raw), (_MEMORY, 96))
        double = r.k.value(r.k.node("load_column", F64, (r.k.const(U32, 24).raw,), (_MEMORY, 96)))
        word = _value(r, "load_column", (r.k.const(U32, 0).raw,), (_MEMORY, 24 + 4))
        return low32(double) ^ high32(double) ^ word

    found = _run(lanes, memory, {"value": value}, body)
    place[6 : 6 + vector] = value[:vector]
    place[26 : 26 + 2 * vector] = value[:vector].astype(np.float64).view(np.uint32)
    assert np.array_equal(memory, place)
    double = place[30:32]
    assert (found == (double[0] ^ double[1] ^ place[7])).all()
