"""What stages that work on primitives need of an engine, besides that it runs shaders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from softd3d.classes import dataclass
from softd3d.lower.primitive_stage import Stream
from softd3d.lower.stage import component_name
from softd3d.lower.stage_memory import STARTS_STRIP, STREAM_BITS, StageArray
from softd3d.pipeline.primitives.records import Indices, Numbers
from softd3d.pipeline.primitives.strips import primitives_of_strips
from softd3d.pipeline.primitives.vertex_rows import Run
from softd3d.pipeline.state.enums import PrimitiveTopology
from softd3d.pipeline.tessellator.patches import Tessellates, Tessellator

__all__ = ["Emitted", "Means", "emitted_words"]


@dataclass(frozen=True, slots=True)
class Emitted:
    """Primitives of a stream that geometry shaders have emitted.

    outputs: of vertices by name. where: those of each primitive, (corners, primitives); the leading
    vertex first. lane: the invocation that has completed each.
    """

    outputs: Mapping[str, Numbers]
    where: Indices
    lane: Indices


class Means:
    """The reference engine's. Native code has others that give the same faster."""

    def tessellator(self, declared: Tessellator) -> Tessellates:
        """Return the tessellator of what a hull shader declares."""
        return declared

    def dwords(self, name: str, count: int) -> Numbers:
        """Return memory with any contents; until it is asked for again, nobody else has it."""
        del name
        return np.empty(count, np.uint32)

    def move(
        self, source: Numbers, target: Numbers, runs: Sequence[Run], where: Indices | None
    ) -> None:
        """Move words of rows.

        source, target: uint32, (rows, words), in different memory. where: rows of the source,
        (corners, primitives), those of a primitive one behind the other; None for all in order.
        """
        rows = slice(None) if where is None else where.T.reshape(-1)
        for at, to, count in runs:
            target[:, to : to + count] = source[rows, at : at + count]

    def emitted(
        self, words: Numbers, counts: Numbers, layout: StageArray, stream: Stream
    ) -> Emitted | None:
        """Return the primitives of a stream; None if it has no vertices.

        words: as the stage memory `emitted`, whose layout is given, (lanes, vertices, words).
        counts: vertices that lanes have emitted, one for each that counts.
        """
        rows = np.flatnonzero(np.arange(layout.vertices) < counts[:, None])
        flat = words.reshape(-1, layout.words)
        header = flat[rows, 0]
        is_mine = header & np.uint32(STREAM_BITS) == stream.number
        if not is_mine.any():
            return None
        rows = rows[is_mine]
        lane = rows // layout.vertices
        starts = (header[is_mine] & np.uint32(STARTS_STRIP)) != 0
        starts[1:] |= lane[1:] != lane[:-1]
        found = primitives_of_strips(PrimitiveTopology(stream.topology), starts)
        outputs = {name: flat[rows, word] for name, word in emitted_words(stream).items()}
        return Emitted(outputs, found.where, lane[found.last])


def emitted_words(stream: Stream) -> Mapping[str, int]:
    """Return the words of a vertex's row in stage memory, behind the header."""
    return {
        component_name(r.name, c): 1 + 4 * r.number + c
        for r in stream.outputs
        for c in r.components
    }
