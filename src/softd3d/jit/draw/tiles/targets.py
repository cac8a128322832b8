"""Render targets and depth buffer as the tile kernel sees them: in place, or copied for a tile.

A copy has a dword for each unit of a texel (`formats.codec.units`), a plane for each unit and
sample. The pixels of a quad lie side by side in it, and so do those of a block (`Block.place`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import U32, Value
from softd3d.classes import dataclass
from softd3d.formats.codec import units
from softd3d.isa.machine import View
from softd3d.jit.draw.memory import (
    TARGET_WORDS,
    WORD,
    Parameter,
    Tile,
    planes_of,
    raw_view,
    tile_lanes,
)
from softd3d.jit.draw.recording import DrawRecording
from softd3d.jit.draw.tiles.fragments import TILE_MEMORY, Block
from softd3d.pipeline.prepared import Target

__all__ = ["InPlace", "Spot", "Targets", "TileCopies"]

_FEW = 4  # samples

_Copy: TypeAlias = "Callable[[int, Target, Spot, Value, Value], None]"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where lanes are. x, y: of the targets' pixels, U32. place: in the copies, in pixels.

    slice: of the targets, U32. row: of fragments from the queue, where they are in the copies if
    all lie side by side; is_row: whether they do. first: of a block, its first pixel, U32.
    in_quads: quads may lie anywhere in the copies.
    """

    x: Value | None
    y: Value | None
    place: Value | None
    slice: Value
    row: Value | None = None
    is_row: Value | None = None
    first: tuple[Value, Value] | None = None
    in_quads: bool = False


class Targets(Protocol):
    """Texels that are read and written."""

    def loaded(
        self, number: int, target: Target, spot: Spot, sample: Value, covered: Value
    ) -> tuple[Value, ...]:
        """Return the storage units of a sample of texels in covered lanes."""
        ...

    def store(
        self, number: int, target: Target, spot: Spot, sample: Value, words: Sequence[Value],
        masks: Sequence[int], covered: Value,
    ) -> None:  # fmt: skip
        """Write the units that have a bit in their mask."""
        ...


class InPlace:
    """The targets themselves. slots: of their memory."""

    def __init__(self, r: DrawRecording, slots: Mapping[int, int], words: View) -> None:
        self.r = r
        self.slots = slots
        self.pitches: dict[int, tuple[Value, ...]] = {}
        for number in slots:
            first = Parameter.TARGETS + TARGET_WORDS * number
            self.pitches[number] = tuple(r.word(words, WORD * (first + n)) for n in range(3))

    def address(self, number: int, target: Target, spot: Spot, sample: Value) -> Value:
        """Return the byte offset of a sample of texels."""
        row, pitch, slices = self.pitches[number]
        assert spot.x is not None and spot.y is not None  # noqa: S101, PT018 - whoever is in place
        inside = select(spot.slice < slices, spot.slice, 0)
        x = spot.x if target.samples == 1 else spot.x * target.samples + sample
        return inside * pitch + spot.y * row + x * target.format.bytes_per_block

    def loaded(
        self, number: int, target: Target, spot: Spot, sample: Value, covered: Value
    ) -> tuple[Value, ...]:
        place = self.address(number, target, spot, sample)
        size, count = units(target.format)
        view = raw_view(target.name, self.slots[number])
        r = self.r
        found: list[Value] = []
        for unit in range(count):
            at = place + size * unit if unit else place
            args = (at.raw, covered.raw, r.mask)
            found.append(r.k.value(r.k.node("load", U32, args, (view, size))))
        return tuple(found)

    def store(
        self, number: int, target: Target, spot: Spot, sample: Value, words: Sequence[Value],
        masks: Sequence[int], covered: Value,
    ) -> None:  # fmt: skip
        place = self.address(number, target, spot, sample)
        size, _ = units(target.format)
        view = raw_view(target.name, self.slots[number])
        for unit, word in enumerate(words):
            if masks[unit]:
                at = place + size * unit if unit else place
                self.r.put(view, at, word, covered, size)


class TileCopies:
    """Copies of what is used of the targets in the memory of a tile.

    used: the targets by number. limits: where the tile ends that the targets have, to the right and
    below. end: of the copies, in bytes.
    """

    def __init__(
        self, r: DrawRecording, originals: InPlace, used: Mapping[int, Target], block: Block,
        lanes: int, tile: Mapping[Tile, Value], limits: tuple[Value, Value],
    ) -> None:  # fmt: skip
        self.r = r
        self.originals = originals
        self.used = used
        self.block = block
        self.tile = tile
        self.limits = limits
        left, top, right, bottom = (tile[t] for t in Tile if t < Tile.START)
        self.width = bitcast(right - left, U32)
        self.plane_bytes = tile_lanes(self.width, bitcast(bottom - top, U32), lanes) * WORD
        self.first: dict[int, Value] = {}
        planes = 0
        for number, target in used.items():
            self.first[number] = self.plane_bytes * planes
            planes += planes_of(target)
        self.end = self.plane_bytes * planes

    def place(self, x: Value, y: Value) -> Value:
        """Return where a block of pixels is: its first quad's (I32, even in the tile), all lanes'.

        Of blocks that begin a strip all lanes are right.
        """
        return self.place_of((x, y)) + self.r.lane

    def place_of(self, first: tuple[Value, Value]) -> Value:
        """Return where the quad of a pixel is, or of each lane's pixel (I32, even in the tile)."""
        x, y = first[0] - self.tile[Tile.LEFT], first[1] - self.tile[Tile.TOP]
        return self.block.place(bitcast(x, U32), bitcast(y, U32), self.width)

    def _plane(self, number: int, target: Target, unit: int, sample: Value) -> Value:
        plane = sample + unit * target.samples
        return self.first[number] + self.plane_bytes * plane

    def loaded(
        self, number: int, target: Target, spot: Spot, sample: Value, covered: Value
    ) -> tuple[Value, ...]:
        del covered
        return tuple(
            self._load(self._plane(number, target, unit, sample), spot)
            for unit in range(units(target.format)[1])
        )

    def _load(self, plane: Value, spot: Spot) -> Value:
        r = self.r
        assert spot.place is not None  # noqa: S101 - whoever has copies
        if spot.in_quads:
            at = plane + spot.place * WORD
            return r.k.value(r.k.node("load_quads", U32, (at.raw,), TILE_MEMORY))
        if spot.row is None or spot.is_row is None:
            return r.word(TILE_MEMORY, plane + spot.place * WORD)
        at, row = plane + spot.place * WORD, plane + spot.row * WORD
        key = r.variable("loaded", r.k.const(U32, 0))

        def quads() -> None:
            r.set(key, r.k.value(r.k.node("load_quads", U32, (at.raw,), TILE_MEMORY)))

        r.branch(spot.is_row, lambda: r.set(key, r.word(TILE_MEMORY, row)), quads)
        return r.forget(key)

    def store(
        self, number: int, target: Target, spot: Spot, sample: Value, words: Sequence[Value],
        masks: Sequence[int], covered: Value,
    ) -> None:  # fmt: skip
        for unit, word in enumerate(words):
            if masks[unit]:
                self._store(self._plane(number, target, unit, sample), spot, word, covered)

    def _store(self, plane: Value, spot: Spot, word: Value, covered: Value) -> None:
        r = self.r
        assert spot.place is not None  # noqa: S101 - whoever has copies
        at = plane + spot.place * WORD

        def quads() -> None:
            mask = r.k.value(r.mask) & covered
            if mask.raw is not r.false:
                r.k.node("store_quads", None, (at.raw, word.raw, mask.raw), TILE_MEMORY)

        if spot.in_quads:
            quads()
            return
        if spot.row is None or spot.is_row is None:
            r.put(TILE_MEMORY, at, word, covered)
            return
        row = plane + spot.row * WORD
        if (r.k.value(r.mask) & covered).raw is not r.false:
            r.branch(spot.is_row, lambda: r.put(TILE_MEMORY, row, word, covered), quads)

    # All of a tile

    def fetch(self) -> None:
        """Copy the tile's texels."""
        self._blocks(self.used, self._fetch, stores=False)

    def put_back(self, written: Mapping[int, Target]) -> None:
        """Copy what may have been written back."""
        self._blocks(written, self._put_back, stores=True)

    def _fetch(self, number: int, target: Target, spot: Spot, sample: Value, mask: Value) -> None:
        words = self.originals.loaded(number, target, spot, sample, mask)
        self.store(number, target, spot, sample, words, [1] * len(words), mask)

    def _put_back(
        self, number: int, target: Target, spot: Spot, sample: Value, mask: Value
    ) -> None:
        words = self.loaded(number, target, spot, sample, mask)
        self.originals.store(number, target, spot, sample, words, [1] * len(words), mask)

    def _in_rows(self, number: int, spot: Spot, *, stores: bool) -> None:
        """Copy a block whose pixels the target has all, row by row."""
        r, target, number_of = self.r, self.used[number], spot.slice.like
        view, count = raw_view(target.name, self.originals.slots[number]), target.samples
        assert spot.first is not None  # noqa: S101 - of blocks
        x, y = spot.first
        pitch = self.originals.pitches[number][0]
        args = (y * pitch + x * (WORD * count)).raw, pitch.raw
        everyone, words = r.true_value(), self.block.width * count
        samples = [number_of(n) for n in range(count)]
        if stores:
            values = [self.loaded(number, target, spot, s, everyone)[0].raw for s in samples]
            order = tuple(n * count for n in self.block.order)
            r.k.node("store_block", None, (*args, *values), (view, order, words))
            return
        for n, sample in enumerate(samples):
            order = tuple(at * count + n for at in self.block.order)
            node = r.k.node("load_block", U32, args, (view, order, words))
            self.store(number, target, spot, sample, (r.k.value(node),), (1,), everyone)

    def _each(
        self, targets: Mapping[int, Target], spot: Spot, inside: Value,
        copy: _Copy,
    ) -> None:  # fmt: skip
        zero = inside.k.const(U32, 0)
        for number, target in targets.items():
            if target.samples == 1:
                copy(number, target, spot, zero, inside)
                continue

            def one(sample: Value, number: int = number, target: Target = target) -> None:
                copy(number, target, spot, sample, inside)

            self.r.each(zero, zero.like(target.samples), 1, one)

    def _blocks(self, targets: Mapping[int, Target], copy: _Copy, *, stores: bool) -> None:
        """Record a copy of each block of the tile's pixels."""
        r = self.r
        left, top = self.tile[Tile.LEFT], self.tile[Tile.TOP]
        right, bottom = self.limits
        column, row = self.block.pixel_of(r.lane)
        simple = {n: t for n, t in targets.items() if _is_simple(t)}
        others = {n: t for n, t in targets.items() if n not in simple}

        def at(x: Value, y: Value) -> None:
            inside = (x + column < right) & (y + row < bottom)
            px, py = (bitcast(n, U32) for n in (x + column, y + row))
            first = bitcast(x, U32), bitcast(y, U32)
            spot = Spot(px, py, self.place(x, y), r.k.const(U32, 0), first=first)
            self._each(others, spot, inside, copy)
            if not simple:
                return

            def whole() -> None:
                for number in simple:
                    self._in_rows(number, spot, stores=stores)

            has_all = (x + self.block.width <= right) & (y + self.block.height <= bottom)
            r.branch(has_all, whole, lambda: self._each(simple, spot, inside, copy))

        r.each(
            top, bottom, self.block.height,
            lambda y: r.each(left, right, self.block.width, lambda x: at(x, y)),
        )  # fmt: skip


def _is_simple(target: Target) -> bool:
    """Whether blocks are copied row by row: of dwords, and of few samples; each is code."""
    return units(target.format) == (WORD, 1) and target.samples <= _FEW
