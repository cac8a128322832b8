"""What the vectors of a wave have in common: ids, and values that are made of them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.ir.graph import walk
from softd3d.ir.parts import differing, shifts
from softd3d.jit.entries.entry import part_shapes
from softd3d.jit.entries.thread_groups import ThreadGroupEntry
from softd3d.lower.to_ir import lower
from softd3d.resources.buffers.buffer import RawBuffer

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))
from program_builder import build

SIZES = [
    (x, y, z)
    for x in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
    for y in (1, 2, 3, 4, 5, 8)
    for z in (1, 2, 3, 4)
]  # fmt: skip


def inputs(size: tuple[int, int, int], lanes: int, parts: int) -> dict[str, np.ndarray]:
    """Return what a group's inputs are: (waves, parts, lanes)."""
    x, y, z = size
    wave = lanes * parts
    flat = np.arange(-(-x * y * z // wave) * wave).reshape(-1, parts, lanes)
    return {
        "flat": flat, "lane": flat % lanes, "local.x": flat % x, "local.y": flat // x % y,
        "local.z": flat // (x * y) % z, "lane_mask": flat < x * y * z,
    }  # fmt: skip


def inputs_that_differ(size: tuple[int, int, int], lanes: int, parts: int) -> set[str]:
    """Find by trying: what differs between the vectors of some wave of a group."""
    values = inputs(size, lanes, parts)
    return {name for name, v in values.items() if (v != v[:, :1]).any()}


@pytest.mark.parametrize("lanes", [4, 8, 16, 64])
def test_shapes_of_inputs(lanes: int) -> None:
    """Those that are said are true of the lanes that exist; where it matters none is missed."""
    for size in SIZES:
        values = inputs(size, lanes, 1)
        mask = values["lane_mask"].reshape(-1, lanes)
        said = ThreadGroupEntry(size, 0).shapes(lanes)
        for name, step in said.items():
            if name.startswith("group") or step is None:
                continue
            v = values[name].reshape(-1, lanes).astype(int)
            exists = mask if name != "lane_mask" else np.ones_like(mask)
            assert (v == v[:, :1] + step * np.arange(lanes))[exists].all(), (size, name)
        assert (said["lane_mask"] == 0) == bool(mask.all()), size
        if min(size) > 1:
            for name in ("local.x", "local.y", "local.z"):
                v = values[name].reshape(-1, lanes)
                is_known = (np.diff(v) == (name == "local.x")).all()
                assert (said[name] is not None) == is_known, (size, name)


@pytest.mark.parametrize(("lanes", "parts"), [(4, 2), (8, 2), (4, 4), (8, 4), (16, 2), (4, 16)])
def test_inputs_that_are_said_to_be_the_same_are(lanes: int, parts: int) -> None:
    """In lanes that exist: what the others hold is of no consequence."""
    for size in SIZES:
        said = ThreadGroupEntry(size, 0).differing(lanes, parts)
        found = inputs_that_differ(size, lanes, parts)
        assert found <= said, (size, lanes, parts)
        # And what each vector computes for itself, where rows are shorter, does differ.
        x, y, z = size
        known = {"lane_mask"}
        known |= {"local.x"} if x > 1 and y * z > 1 else set()
        known |= {"local.y"} if min(size) > 1 and lanes % x == 0 else set()
        assert said & known <= found, (size, lanes, parts)


BODY = """
    iadd r0.x, vThreadIDInGroup.x, l(3)
    imul null, r0.y, vThreadIDInGroup.y, l(7)
    ishl r0.z, vThreadGroupID.x, l(2)
    iadd r0.x, r0.x, r0.y
    iadd r0.x, r0.x, r0.z
    ishl r0.w, vThreadIDInGroupFlattened.x, l(2)
    store_raw u0.x, r0.w, r0.x
"""


def test_only_what_is_made_of_differing_inputs_is_held_for_each_part() -> None:
    """Rows of 8, vectors of 8: x is the same in all parts, y and what is made of it are not."""
    data = np.zeros(64, np.uint32)
    bound = build(BODY, group=(8, 8, 1), uavs={0: RawBuffer(data)})
    graph = lower(bound)
    entry = ThreadGroupEntry((8, 8, 1), 0)
    shapes = part_shapes(graph, entry, 8, 4)
    found = differing(graph, shapes, entry.differing(8, 4))
    varying = {n.number: n.op for n in walk(graph.block) if n.type is not None and not n.is_const}
    assert found <= set(varying)
    names = {n.attr for n in walk(graph.block) if n.op == "input" and n.number in found}
    assert not names & {"group.x", "local.x"}


@pytest.mark.parametrize(("lanes", "parts"), [(4, 2), (8, 2), (4, 4), (8, 4), (16, 2), (4, 16)])
def test_inputs_grow_from_vector_to_vector_as_is_said(lanes: int, parts: int) -> None:
    """In full waves, in every lane: other values are made of them by adding a constant."""
    for size in SIZES:
        x, y, z = size
        said = ThreadGroupEntry(size, 0).between(lanes, parts)
        if x * y * z % (lanes * parts):
            assert said["lane_mask"] is None, size
            continue
        for name, v in inputs(size, lanes, parts).items():
            steps = np.unique(np.diff(v.astype(int), axis=1))
            step = said[name]
            assert step is None or (steps == step).all(), (size, name)
            is_known = steps.size == 1 and (y * z == 1 or x % lanes == 0 or lanes % x == 0)
            if name in ("flat", "local.x") or (name == "local.y" and z == 1):
                assert (step is not None) == is_known or x % (lanes * parts), (size, name)


def test_addresses_of_rows_are_a_constant_apart() -> None:
    """A vector is a row of 8 threads: what is computed of its number is so for the first only."""
    data = np.zeros(4096, np.uint32)
    text = "imad r0.x, vThreadID.y, l(256), vThreadID.x\nishl r0.y, r0.x, l(2)\n"
    bound = build(text + "store_raw u0.x, r0.y, r0.x", group=(8, 8, 1), uavs={0: RawBuffer(data)})
    graph = lower(bound)
    shapes = part_shapes(graph, ThreadGroupEntry((8, 8, 1), 0), 8, 4, between=True)
    steps = shifts(graph, shapes)
    (store,) = (n for n in walk(graph.block) if n.op == "store")
    assert steps[store.args[0].number] == 1024
    assert set(steps.values()) == {1, 256, 1024}
