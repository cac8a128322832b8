"""A piece as the tile kernel sees it: its record, loaded once for all lanes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from softd3d.algebra.operations import bitcast, convert
from softd3d.algebra.value import F32, F64, I32, Value
from softd3d.isa.machine import View
from softd3d.isa.sm4.enums import InterpolationMode
from softd3d.jit.draw.memory import (
    IS_FRONT,
    IS_TESTED,
    RECORD_CORNER,
    WORD,
    Field,
    Vertex,
    record_words,
)
from softd3d.jit.draw.recording import DrawRecording
from softd3d.pipeline.interpolation import Attribute, has_equal_bits, set_up_attribute
from softd3d.pipeline.rasterizer.viewport import ScreenPosition
from softd3d.pipeline.stages import Link

__all__ = ["Piece"]


class Piece:
    """A `Primitive` of pixel inputs, whose values are the same for all lanes."""

    def __init__(
        self, r: DrawRecording, records: View, vertices: View, row: Value, corners: int,
        samples: int, outputs: tuple[str, ...],
    ) -> None:  # fmt: skip
        self.r = r
        self.records = records
        self.vertices = vertices
        self.row = row
        self.size = record_words(corners, samples)
        self.samples = samples
        self.base = row * (WORD * self.size)
        self.outputs = outputs
        self.loaded: dict[tuple[int, str], Value] = {}
        self.attributes: dict[str, Attribute] = {}
        self.corners = corners
        self.rows = [self._corner(n, Vertex.ROW) for n in range(corners)]
        self.leading_row = self.field(Field.LEADING)
        w = [self._float(n, Vertex.W) for n in range(corners)]
        self._inverse_w = [1.0 / convert(one, F64) for one in w]
        self.screen = [self._screen(n) for n in range(corners)]
        self._has_equal_w = has_equal_bits(w)
        self._depth = set_up_attribute([s.z for s in self.screen])
        self.flags = self.field(Field.FLAGS)
        self.is_front = (self.flags & IS_FRONT).ne(0)
        self.is_tested = (self.flags & IS_TESTED).ne(0)
        self.number = self.field(Field.NUMBER)
        self.slice = self.field(Field.SLICE)
        self.viewport = self.field(Field.VIEWPORT)

    @property
    def inverse_w(self) -> Sequence[Value]:
        return self._inverse_w

    @property
    def has_equal_w(self) -> Value:
        return self._has_equal_w

    @property
    def depth(self) -> Attribute:
        return self._depth

    @property
    def clip_depth(self) -> Attribute:
        """What depth clip looks at: few pieces need it."""
        words = [self._float(n, Vertex.CLIP_Z) for n in range(self.corners)]
        return set_up_attribute(words)

    def field(self, field: int) -> Value:
        return self.word(self.records, self.base, field, self.size)

    def word(self, view: View, base: Value, number: int, size: int) -> Value:
        """Load a word of a row of so many, whose byte offset is given."""
        del size
        return self.r.word(view, base + WORD * number)

    def signed(self, field: int) -> Value:
        return bitcast(self.field(field), I32)

    def _corner(self, number: int, field: int) -> Value:
        return self.field(Field.CORNERS + RECORD_CORNER * number + field)

    def _float(self, number: int, field: int) -> Value:
        return bitcast(self._corner(number, field), F32)

    def _screen(self, n: int) -> ScreenPosition:
        x, y, z, clip_z = (self._float(n, f) for f in (Vertex.X, Vertex.Y, Vertex.Z, Vertex.CLIP_Z))
        return ScreenPosition(x, y, z, clip_z, self._inverse_w[n])

    def unless_constant(self, values: dict[str, Value], links: Iterable[Link]) -> dict[str, Value]:
        """Return inputs, U32, with the bits of what is the same at all vertices."""
        del links
        return values

    def prepare(self, links: Iterable[Link]) -> None:
        """Load what a pixel shader's inputs are made of."""
        for link in links:
            if link.source is None or link.is_made_by_rasterizer:
                continue
            if link.mode is InterpolationMode.CONSTANT or len(self.rows) == 1:
                self.leading(link.source)
            else:
                self.attribute(link.source)

    def attribute(self, source: str) -> Attribute:
        if source not in self.attributes:
            self.attributes[source] = set_up_attribute(self.floats(source))
        return self.attributes[source]

    def floats(self, source: str) -> list[Value]:
        return [bitcast(self._output(n, row, source), F32) for n, row in enumerate(self.rows)]

    def leading(self, source: str) -> Value:
        return self._output(-1, self.leading_row, source)

    def _output(self, corner: int, row: Value, source: str) -> Value:
        key = corner, source
        if key not in self.loaded:
            size = len(self.outputs)
            base = row * (WORD * size)
            self.loaded[key] = self.word(self.vertices, base, self.outputs.index(source), size)
        return self.loaded[key]
