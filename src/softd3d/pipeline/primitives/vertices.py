"""The vertex stage: vertices of a part made unique and shaded. Spec: D3D11.3 section 9."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.sm4.limits import MAX_CONTROL_POINTS
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.effects import has_effects
from softd3d.pipeline.primitives.parts import Part
from softd3d.pipeline.primitives.records import Numbers
from softd3d.pipeline.primitives.reports import StageReport
from softd3d.pipeline.primitives.unique import (
    SortedVertices,
    Unique,
    VertexSets,
    unique_vertices,
)

__all__ = ["VertexStage"]

Keys = NDArray[np.uint64]


RunVertices: TypeAlias = Callable[[Numbers, Numbers], Mapping[str, Numbers]]
"""From SV_VertexID and SV_InstanceID of each vertex to outputs by name."""


class VertexStage:
    """Shades each vertex of an instance once, as far as that can be told.

    Parts of one instance share vertices. A shader without effects simply runs again; of one with
    effects the outputs are kept. executed: VSInvocations, where each vertex counts once.
    """

    def __init__(
        self, draw: PreparedDraw, call: DrawCall, run: RunVertices, report: StageReport,
        sets: VertexSets | None = None,
    ) -> None:  # fmt: skip
        self.draw = draw
        self.call = call
        self.run = run
        self.report = report
        self.executed = 0
        self.keeps = has_effects(draw.vertex)
        self.sets = sets or SortedVertices()
        self.kept_keys: Keys = np.zeros(0, np.uint64)
        self.kept: dict[str, Numbers] = {}

    def shade(self, part: Part) -> Block:
        """Return a part with its vertices shaded, up to a primitive whose vertex aborts."""
        unique = unique_vertices(part, self.sets)
        outputs: Mapping[str, Numbers]
        if not part.is_whole and self.keeps:
            outputs, aborted = self._run_once(unique)
        else:
            is_new = part.is_whole or part.is_distinct
            first = int(part.instances[0])
            self.executed += unique.count if is_new else self.sets.add(first, unique.vertex)
            outputs, aborted = self._run(unique), self.report.aborted_lane
        block = Block(part.number, part.instance, outputs, unique.where, part.is_distinct)
        if aborted is None:
            return block
        return block.some(slice(int(np.argmax((unique.where >= aborted).any(axis=0)))))

    def _run(self, unique: Unique) -> Mapping[str, Numbers]:
        return self.run(unique.vertex, unique.instance)

    def _run_once(self, unique: Unique) -> tuple[dict[str, Numbers], int | None]:
        """Run the vertices that no part before has had; return the one that aborts, too."""
        if self.kept_keys.size and _instance(self.kept_keys) != _instance(unique.key):
            self.kept_keys, self.kept = self.kept_keys[:0], {}
        known = np.isin(unique.key, self.kept_keys)
        fresh = Unique(unique.vertex[~known], unique.instance[~known], unique.where)
        self.executed += fresh.count
        made: Mapping[str, Numbers] = self._run(fresh) if fresh.count else {}
        last = self.report.aborted_lane if made else None
        aborted = None if last is None else int(np.flatnonzero(~known)[last])
        place = np.searchsorted(self.kept_keys, unique.key[known])
        names = made or self.kept
        found = {name: np.zeros(unique.count, np.uint32) for name in names}
        for name, array in found.items():
            if made:
                array[~known] = made[name]
            if place.size:
                array[known] = self.kept[name][place]
        self._keep(unique.key, found)
        return found, aborted

    def _keep(self, key: Keys, outputs: dict[str, Numbers]) -> None:
        """Keep outputs for later parts: without indices only those of the last vertices."""
        columns = outputs
        if self.call.is_indexed and self.kept:
            key = np.concatenate([self.kept_keys, key])
            columns = {n: np.concatenate([self.kept[n], a]) for n, a in outputs.items()}
        _, rows = np.unique(key, return_index=True)
        if not self.call.is_indexed:
            rows = rows[-MAX_CONTROL_POINTS:]  # no primitive has more vertices
        self.kept_keys = key[rows]
        self.kept = {name: array[rows] for name, array in columns.items()}


def _instance(keys: Keys) -> int:
    return int(keys[0]) >> 32
