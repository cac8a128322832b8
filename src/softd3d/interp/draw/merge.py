"""The output merger: samples of fragments against targets, in the order of primitives.

Fragments of one pixel follow each other; those of different pixels, and different samples, never
meet. So the k-th fragments of all pixels are taken at once, for k from 0 on. Spec: D3D11.3
section 17.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from softd3d.algebra.value import BOOL, F32, Value
from softd3d.classes import dataclass
from softd3d.formats.codec import units
from softd3d.lower.watch import Watch
from softd3d.pipeline.depth_stencil import (
    DepthStencilRule,
    clamped_depth,
    depth_code,
    depth_stencil_codes,
    depth_stencil_test,
    depth_stencil_words,
)
from softd3d.pipeline.output import TargetRule, merged
from softd3d.pipeline.prepared import Target
from softd3d.pipeline.primitives.records import Bools, K, Numbers, Rows, lanes, spread, taken

__all__ = ["Depths", "Place", "loaded", "merge_color", "test_depth_stencil"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where fragments are: pixel and slice, (fragments,) each."""

    x: Rows
    y: Rows
    slice: Numbers

    def address(self, target: Target, sample: int) -> Rows:
        """Return the byte offset of a sample in a target. Slices out of range are slice 0."""
        inside = np.where(self.slice < target.slices, self.slice, 0).astype(np.int64)
        texel = target.format.bytes_per_block
        return (
            target.offset + inside * target.slice_pitch + self.y * target.row_pitch
            + (self.x * target.samples + min(sample, target.samples - 1)) * texel
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Depths:
    """What depth and stencil tests are given, a row for each fragment.

    depth: F32, not clamped. min_depth, max_depth: of the viewport, F32. reference: U32. front:
    BOOL.
    """

    depth: Value
    min_depth: Value
    max_depth: Value
    reference: Value
    front: Value


def test_depth_stencil(
    target: Target, rule: DepthStencilRule, address: Rows, covered: Bools, given: Depths,
    watch: Watch,
) -> Bools:  # fmt: skip
    """Test and write one sample of fragments in order; return which are covered and passed.

    Raises:
        ExecutionError: `watch` has stopped it.
    """
    passed = np.zeros(covered.size, np.bool_)
    for rows in _ranks(address, covered):
        watch.check()
        words = loaded(target, address[rows])
        stored_depth, stored_stencil = depth_stencil_codes(target.format, words)
        mine = taken(given, rows)
        depth = clamped_depth(mine.depth, mine.min_depth, mine.max_depth)
        result = depth_stencil_test(
            rule, depth_code(target.format, depth), stored_depth, stored_stencil, mine.reference,
            mine.front, K.const(BOOL, 1),
        )  # fmt: skip
        passed[rows] = spread(result.passed, rows.size)
        if rule.writes_depth or rule.writes_stencil:
            after = depth_stencil_words(target.format, result.depth, result.stencil, words)
            _store(target, address[rows], after, [1] * len(after))
    return passed


def merge_color(
    target: Target, rule: TargetRule, address: Rows, covered: Bools, colors: Sequence[Numbers],
    factor: Sequence[float], second: Sequence[Numbers] | None, watch: Watch,
) -> None:  # fmt: skip
    """Merge the outputs of fragments into one sample of a render target, in order.

    Raises:
        ExecutionError: `watch` has stopped it.
    """
    if not any(rule.unit_masks):
        return
    factors = [K.const(F32, f) for f in factor]
    for rows in _ranks(address, covered):
        watch.check()
        stored = loaded(target, address[rows]) if rule.reads_destination else ()
        source = [lanes(c[rows]) for c in colors]
        other = None if second is None else [lanes(c[rows]) for c in second]
        words = merged(rule, source, stored, factors, other)
        _store(target, address[rows], words, rule.unit_masks)


def _ranks(address: Rows, covered: Bools) -> Iterator[Rows]:
    """Yield the covered rows that are the first at their address, then the second, and so on."""
    rows = np.flatnonzero(covered)
    if not rows.size:
        return
    order = rows[np.argsort(address[rows], kind="stable")]
    places = address[order]
    is_start = np.concatenate([[True], places[1:] != places[:-1]])
    starts = np.flatnonzero(is_start)
    rank = np.arange(places.size) - starts[np.cumsum(is_start) - 1]
    by_rank = np.argsort(rank, kind="stable")
    start = 0
    for end in np.cumsum(np.bincount(rank)).tolist():
        yield order[by_rank[start:end]]
        start = end


def loaded(target: Target, address: Rows) -> tuple[Value, ...]:
    """Return the storage units of texels."""
    size, count = units(target.format)
    found: list[Value] = []
    for unit in range(count):
        word = np.zeros(address.size, np.uint32)
        for n in range(size):
            byte = target.data[address + (unit * size + n)].astype(np.uint32)
            word |= byte << np.uint32(8 * n)
        found.append(lanes(word))
    return tuple(found)


def _store(target: Target, address: Rows, words: Sequence[Value], masks: Sequence[int]) -> None:
    """Write the units of texels that have a bit in their mask."""
    size, _ = units(target.format)
    for unit, word in enumerate(words):
        values = spread(word, address.size)
        for n in range(size if masks[unit] else 0):
            byte = (values >> np.uint32(8 * n)).astype(np.uint8)
            target.data[address + (unit * size + n)] = byte
