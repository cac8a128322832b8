"""The mesh that a stage of a draw leaves: what it writes for vertices, and its primitives.

The draw is done on copies up to that stage, so that nothing of the caller's changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.interp.draw.copies import copied
from softd3d.interp.draw.engine import InterpretedRun
from softd3d.lower.messages import DEFAULT_MESSAGES
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives.blocks import Block
from softd3d.pipeline.primitives.parts import Part
from softd3d.pipeline.primitives.records import Numbers

__all__ = ["Mesh", "mesh_interpreted"]


@dataclass(frozen=True, slots=True)
class Mesh:
    """Vertices and primitives. outputs: by name such as `o1.x`, (vertices,) each; count: of them.

    primitives: the vertices of each, (primitives, corners), the leading one first. number,
    instance: SV_PrimitiveID and SV_InstanceID. constants: of patches, (patches, words).
    """

    outputs: Mapping[str, Numbers]
    count: int
    primitives: NDArray[np.int64]
    number: Numbers
    instance: Numbers
    constants: Numbers | None


def mesh_interpreted(
    draw: PreparedDraw, call: DrawCall, word: str, *, stream: int = 0, budget: int | None = None,
    watch: Watch | None = None, progress: Callable[[int, int], None] | None = None,
) -> Mesh:  # fmt: skip
    """Return what a stage leaves. word: `vs`, `hs`, `ds` or `gs`. stream: of a geometry shader.

    progress: as of `draw_interpreted`.

    Raises:
        As `draw_interpreted`.
    """
    run = _MeshRun(copied(draw), call, budget, watch or Watch(), word, stream)
    run.run(progress)
    return run.mesh()


class _MeshRun(InterpretedRun):
    """A draw up to a stage."""

    def __init__(
        self, draw: PreparedDraw, call: DrawCall, budget: int | None, watch: Watch, word: str,
        stream: int,
    ) -> None:  # fmt: skip
        super().__init__(draw, call, budget, watch, DEFAULT_MESSAGES)
        self.stream = stream
        self.found: list[Block] = []
        self.constants: list[Numbers] = []
        stages: dict[str, Callable[[Block], Iterator[Block]]] = {
            "vs": self._shaded, "hs": self._control_points, "ds": self._points, "gs": self._emitted,
        }  # fmt: skip
        self.blocks = stages[word]

    def part(self, part: Part) -> None:
        for block in self.blocks(self.vertices.shade(part)):
            self.watch.check()
            self.found.append(block)

    def _shaded(self, block: Block) -> Iterator[Block]:
        yield block

    def _control_points(self, block: Block) -> Iterator[Block]:
        patches = self.stages.patches
        assert patches is not None  # noqa: S101 - there is a hull shader
        for made in patches.hulls(block):
            self.constants.append(made.constants)
            yield made.control_points

    def _points(self, block: Block) -> Iterator[Block]:
        patches = self.stages.patches
        return iter([block]) if patches is None else patches.blocks(block)

    def _emitted(self, block: Block) -> Iterator[Block]:
        geometry = self.stages.geometry
        assert geometry is not None  # noqa: S101 - there is a geometry shader
        for made in self._points(block):
            for stream, primitives in geometry.blocks(made):
                if stream == self.stream:
                    yield primitives

    def mesh(self) -> Mesh:
        """Return all blocks behind each other."""
        if not self.found:
            none = np.zeros(0, np.uint32)
            return Mesh({}, 0, np.zeros((0, 0), np.int64), none, none, None)
        counts = [_vertices(block) for block in self.found]
        firsts = np.cumsum([0, *counts])
        return Mesh(
            {
                name: np.concatenate([block.outputs[name] for block in self.found])
                for name in self.found[0].outputs
            },
            int(firsts[-1]),
            np.concatenate(
                [b.where.T + first for b, first in zip(self.found, firsts, strict=False)]
            ),
            np.concatenate([block.number for block in self.found]),
            np.concatenate([block.instance for block in self.found]),
            np.concatenate(self.constants) if self.constants else None,
        )  # fmt: skip


def _vertices(block: Block) -> int:
    """Return how many vertices a block has, also one without outputs."""
    return next((output.size for output in block.outputs.values()), int(block.where.max()) + 1)
