"""A generated geometry shader between a Direct3D 9 vertex shader and the rasteriser.

It does what later versions have no states for: points with a size, as squares of two triangles;
point sprites; FILLMODE POINT, whose triangles become three of them; and WRAP0 to WRAP15. Draws with
squares are of triangles that are not culled. Spec: win32 "Point Sprites", D3DRS_POINTSIZE,
D3DFILLMODE, D3DRS_WRAP0, "Texture Wrapping".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.asm.sm4.parser import parse_program
from softd3d.isa.d3d9.enums import Cull, Wrap
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sm1.enums import Usage
from softd3d.isa.sm4.enums import ResourceDimension, SystemName
from softd3d.isa.sm4.program import Program
from softd3d.lower.bound import BoundProgram
from softd3d.lower.d3d9.semantics import COLOR, POINT_SIZE, POSITION, Semantic
from softd3d.lower.declarations import read_declarations
from softd3d.pipeline.d3d9.linkage import COMPONENTS, StageOutput
from softd3d.pipeline.d3d9.vertex import VertexStage

__all__ = ["PrimitiveFacts", "PrimitiveStage", "point_numbers", "primitive_stage"]

_PRIMITIVES = {1: "point", 2: "line", 3: "triangle"}
_LETTERS = "xyzw"
_CORNERS = (("-", "", "0, 0"), ("", "", "1.0, 0"), ("-", "-", "0, 1.0"), ("", "-", "1.0, 1.0"))
"""Of a square: signs of x and y in clip space, and its coordinates; two triangles in a strip that
go round clockwise on the screen, as what faces the front does."""


@dataclass(frozen=True, slots=True)
class PrimitiveFacts:
    """The states that the code depends on.

    corners: of a primitive, 1 to 3. squares: whether its vertices are drawn as points: of points
    always, of triangles in FILLMODE POINT, which are culled as cull says. sprites: the coordinate
    sets that hold the place in a point, with POINTSPRITEENABLE those that the pixel shader takes.
    wraps: coordinate sets with their WRAPn, of lines and triangles. is_flat: SHADEMODE. is_cut:
    whether squares are clipped as such; else a point is drawn wholly if its centre is in view.
    """

    corners: int
    squares: bool = True
    cull: Cull = Cull.NONE
    sprites: tuple[int, ...] = ()
    wraps: tuple[tuple[int, Wrap], ...] = ()
    is_flat: bool = False
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class PrimitiveStage:
    """The shader and what it writes. Its constant buffer 0 is made by `point_numbers`."""

    bound: BoundProgram
    outputs: tuple[StageOutput, ...]


def point_numbers(
    width: float, height: float, size: float = 1.0, least: float = 1.0, most: float = 64.0
) -> NDArray[np.float32]:
    """Return the constant buffer: float32, (8,).

    width, height: of the viewport. size, least, most: POINTSIZE, where the vertex shader writes
    none, POINTSIZE_MIN and POINTSIZE_MAX.
    """
    sizes = np.array([width, height], np.float32)
    inverse = np.divide(1, sizes, out=np.zeros_like(sizes), where=sizes != 0)
    return np.array([*inverse, size, 0, least, most, 0, 0], np.float32)


def primitive_stage(
    vertex: VertexStage, facts: PrimitiveFacts, constants: NDArray[np.uint32] | None = None
) -> PrimitiveStage:
    """Return the geometry shader of a draw.

    vertex: the stage before it. constants: buffer 0, uint32, (8,), which is read at each run; by
    default that of a viewport of 1 by 1.
    """
    clip = _clip_distances(vertex)
    outputs, added = _outputs(vertex.outputs, facts, len(vertex.outputs) + 2)
    program = _program(vertex.outputs, outputs, added, clip, facts)
    view = View(
        Memory.CONSTANT, "cb0", 0, ViewKind.RAW, ResourceDimension.BUFFER, stride=16
    )  # fmt: skip
    buffer = point_numbers(1, 1).view(np.uint32) if constants is None else constants
    declarations = read_declarations(program)
    bound = BoundProgram(program, declarations, {}, (), {(0, 0): view}, (buffer,))
    return PrimitiveStage(bound, outputs)


def _clip_distances(vertex: VertexStage) -> tuple[StageOutput, ...]:
    """Return the clip distances of a stage, as outputs without a semantic of Direct3D 9."""
    return tuple(
        StageOutput((-1, 0), r.number, r.components)
        for r in vertex.bound.declarations.outputs
        if r.system_value is SystemName.CLIP_DISTANCE
    )


def _outputs(
    before: Iterable[StageOutput], facts: PrimitiveFacts, free: int
) -> tuple[tuple[StageOutput, ...], frozenset[Semantic]]:
    """Return what is written: what comes, and sprites' sets; and the semantics of those.

    free: the first number that nothing has.
    """
    sprites = frozenset((int(Usage.TEXCOORD), n) for n in facts.sprites)
    kept = [o for o in before if o.semantic != POINT_SIZE and o.semantic not in sprites]
    sets = [StageOutput(s, free + n, COMPONENTS) for n, s in enumerate(sorted(sprites))]
    return (*kept, *sets), sprites


@lru_cache(maxsize=256)
def _program(
    before: tuple[StageOutput, ...], outputs: tuple[StageOutput, ...],
    sprites: frozenset[Semantic], clip: tuple[StageOutput, ...], facts: PrimitiveFacts,
) -> Program:  # fmt: skip
    writer = _Writer(before, outputs, sprites, clip, facts)
    return parse_program("\n".join([*writer.head(), *writer.body(), "ret"]))


@dataclass(frozen=True, slots=True)
class _Writer:
    """The text of a program. clip: registers of clip distances."""

    before: tuple[StageOutput, ...]
    outputs: tuple[StageOutput, ...]
    sprites: frozenset[Semantic]
    clip: tuple[StageOutput, ...]
    facts: PrimitiveFacts

    def head(self) -> Iterator[str]:
        corners, squares = self.facts.corners, self.facts.squares
        yield "gs_4_0"
        yield "dcl_constantbuffer cb0[2], immediateIndexed"
        for o in (*self.before, *self.clip):
            siv, name = ("_siv", ", position") if o.semantic == POSITION else ("", "")
            yield f"dcl_input{siv} v[{corners}][{o.number}].xyzw{name}"
        yield "dcl_temps 5"
        yield f"dcl_inputprimitive {_PRIMITIVES[corners]}"
        yield f"dcl_outputtopology {'linestrip' if corners == 2 else 'trianglestrip'}"
        kept = () if self.drops else self.clip
        for o in (*self.outputs, *kept):
            mask = "".join(_LETTERS[c] for c in o.components)
            value = "position" if o.semantic == POSITION else "clip_distance"
            is_system = o.semantic == POSITION or o in kept
            yield (
                f"dcl_output_siv o{o.number}.{mask}, {value}"
                if is_system
                else (f"dcl_output o{o.number}.{mask}")
            )
        yield f"dcl_maxout {4 * corners if squares else corners}"

    @property
    def drops(self) -> bool:
        """Whether points are dropped as a whole by their centre."""
        return self.facts.squares and not self.facts.is_cut

    def body(self) -> Iterator[str]:
        if not self.facts.squares:
            yield from self.wrapped()
            return
        culled = self.facts.corners == 3 and self.facts.cull is not Cull.NONE
        if culled:
            yield from self.facing()
        for corner in range(self.facts.corners):
            yield from self.square(corner)
        if culled:
            yield "endif"

    # Points

    def facing(self) -> Iterator[str]:
        """Open a block for triangles that are not culled.

        The determinant of x, y and w is positive where they go round counter-clockwise.
        """
        a, b, c = (f"v[{n}][0]" for n in range(3))
        yield f"mul r0.xyz, {b}.ywxw, {c}.wxyw"
        yield f"mul r1.xyz, {b}.wxyw, {c}.ywxw"
        yield "add r0.xyz, r0.xyzx, -r1.xyzx"
        yield f"mul r0.xyz, r0.xyzx, {a}.xywx"
        yield "add r0.x, r0.x, r0.y"
        yield "add r0.x, r0.x, r0.z"
        dropped_below = self.facts.cull is Cull.CW
        yield "lt r0.x, l(0.0), r0.x" if dropped_below else "lt r0.x, r0.x, l(0.0)"
        yield "if_nz r0.x"

    def square(self, corner: int) -> Iterator[str]:
        """Write a vertex as a square: r1.xy is half of its size in clip space."""
        yield from self.size(corner)
        if self.drops:
            yield from self.visible(corner)
        for x, y, place in _CORNERS:
            for o in self.outputs:
                if o.semantic in self.sprites:
                    yield f"mov o{o.number}.xyzw, l({place}, 0, 1.0)"
                elif o.semantic != POSITION:
                    yield self.copy(o, 0 if self.is_led(o) else corner)
            yield from (self.copy(o, corner) for o in self.clip if not self.drops)
            yield f"mov o0.zw, v[{corner}][0].zzzw"
            for c, sign in (("x", x), ("y", y)):
                yield f"add o0.{c}, v[{corner}][0].{c}, {sign}r1.{c}"
            yield "emit"
        yield "cut"
        if self.drops:
            yield "endif"

    def is_led(self, o: StageOutput) -> bool:
        """Whether all vertices have what the first one has."""
        return self.facts.is_flat and o.semantic[0] == COLOR

    def size(self, corner: int) -> Iterator[str]:
        given = next((o for o in self.before if o.semantic == POINT_SIZE), None)
        size = "cb0[0].z"
        if given is not None:
            size = f"v[{corner}][{given.number}].{_LETTERS[given.components[0]]}"
        yield f"max r1.z, {size}, cb0[1].x"
        yield "min r1.z, r1.z, cb0[1].y"
        yield "mul r1.xy, r1.zzzz, cb0[0].xyxx"
        yield f"mul r1.xy, r1.xyxx, v[{corner}][0].wwww"

    def visible(self, corner: int) -> Iterator[str]:
        """Open a block for vertices in view: |x|, |y| <= w, 0 <= z <= w, in front of all planes."""
        at = f"v[{corner}][0]"
        yield f"ge r2.xyz, {at}.wwww, {at}.xyzx"
        yield f"ge r3.xy, {at}.xyxx, -{at}.wwww"
        yield f"ge r3.z, {at}.z, l(0.0)"
        yield f"lt r3.w, l(0.0), {at}.w"
        yield "and r2.xyz, r2.xyzx, r3.xyzx"
        yield "and r2.x, r2.x, r2.y"
        yield "and r2.x, r2.x, r2.z"
        yield "and r2.x, r2.x, r3.w"
        for o in self.clip:
            for c in o.components:
                yield f"ge r2.y, v[{corner}][{o.number}].{_LETTERS[c]}, l(0.0)"
                yield "and r2.x, r2.x, r2.y"
        yield "if_nz r2.x"

    # Wrapping

    def wrapped(self) -> Iterator[str]:
        """Write vertices; from the second on, coordinates nearest to those of the first."""
        wraps = dict(self.facts.wraps)
        for corner in range(self.facts.corners):
            for o in self.outputs:
                usage, index = o.semantic
                bits = wraps.get(index, Wrap(0)) if usage == Usage.TEXCOORD and corner else Wrap(0)
                yield self.copy(o, corner)
                for c in o.components:
                    if bits >> c & 1:
                        yield from self.nearest(o.number, corner, _LETTERS[c])
            yield from (self.copy(o, corner) for o in self.clip)
            yield "emit"
        yield "cut"

    @staticmethod
    def nearest(number: int, corner: int, c: str) -> Iterator[str]:
        """Write a coordinate whose distance from the first vertex's is above -0.5, up to 0.5."""
        yield f"add r0.x, v[{corner}][{number}].{c}, -v[0][{number}].{c}"
        yield "add r0.y, r0.x, l(-0.5)"
        yield "round_pi r0.y, r0.y"
        yield f"add o{number}.{c}, v[{corner}][{number}].{c}, -r0.y"

    @staticmethod
    def copy(o: StageOutput, corner: int) -> str:
        mask = "".join(_LETTERS[c] for c in o.components)
        return f"mov o{o.number}.{mask}, v[{corner}][{o.number}].xyzw"
