"""Which programs a draw runs: shaders of the application, or those of the fixed function.

Spec: win32 "Fixed Function Vertex and Pixel Processing", "Pixel Fog", "Alpha Testing State".
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from softd3d.device.d3d9.declarations import VertexDeclaration9
from softd3d.device.d3d9.draws.kept import Kept
from softd3d.device.d3d9.shaders import PixelShader9, ProgramShader9, VertexShader9
from softd3d.device.d3d9.state import DeviceState
from softd3d.errors import ResourceError
from softd3d.formats.d3d9 import D3D9Format
from softd3d.isa.d3d9.enums import (
    CmpFunc,
    Cull,
    FillMode,
    FogMode,
    ShadeMode,
    TextureTransformFlags,
    Wrap,
)
from softd3d.isa.d3d9.states import RenderState, TextureStageState, TransformState
from softd3d.isa.sm1.enums import Usage
from softd3d.isa.sm1.limits import MAX_CLIP_PLANES, TEXTURE_STAGES
from softd3d.isa.sm1.profile import DOCUMENTED, IEEE
from softd3d.isa.sm4.enums import OperandType
from softd3d.lower.bound import BoundProgram, Source
from softd3d.pipeline.d3d9.elements import VertexElement
from softd3d.pipeline.d3d9.pixel import (
    FogSource,
    PixelFacts,
    compares_bytes,
    coordinate_sets,
    pixel_stage,
)
from softd3d.pipeline.d3d9.primitives import PrimitiveFacts, primitive_stage
from softd3d.pipeline.d3d9.vertex import VertexStage, vertex_stage
from softd3d.pipeline.fixed9.programs import (
    Generated,
    PixelKey,
    pixel_key,
    pixel_program,
    vertex_key,
    vertex_program,
)

__all__ = [
    "FREQUENCY_FLAGS", "INDEXED_DATA", "ProgramMemo", "Programs", "elements_of",
    "is_processed",
]  # fmt: skip

_E = TypeVar("_E", bound=IntEnum)
_R = RenderState
INDEXED_DATA, _INSTANCE_DATA = 0x40000000, 0x80000000
"""D3DSTREAMSOURCE_INDEXEDDATA, INSTANCEDATA."""
FREQUENCY_FLAGS = INDEXED_DATA | _INSTANCE_DATA
_MOST_KEPT = 512
_ALL_PLANES = (1 << MAX_CLIP_PLANES) - 1
_SPECULAR = (Usage.COLOR, 1)
_TRIANGLE = 3  # corners
_WRAPS = (
    *(_R(_R.WRAP0 + n) for n in range(8)), *(_R(_R.WRAP8 + n) for n in range(8)),
)  # fmt: skip
_ALL_WRAPS = 15
_EXPLICIT_DIVISION = (1, 4)  # from this version on shaders divide coordinates themselves
_COUNT, _COUNTS, _LAST = 0xFF, range(2, 5), 3
_STAGES = range(TEXTURE_STAGES)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Programs:
    """The programs of a draw, and whose constants they read.

    pixel: without textures. fixed_vertex, fixed_pixel: what the fixed function has generated.
    geometry: what makes points, or wraps coordinates; None for none. draws_squares: whether it
    makes squares of vertices. written: the render targets that the pixel program writes.
    writes_depth: whether it gives the depth, oDepth.
    """

    vertex: VertexStage
    geometry: BoundProgram | None
    pixel: BoundProgram
    vertex_shader: ProgramShader9
    pixel_shader: ProgramShader9
    fixed_vertex: Generated | None
    fixed_pixel: Generated | None
    is_processed: bool
    draws_squares: bool
    written: frozenset[int]
    writes_depth: bool


@dataclass(frozen=True, slots=True)
class ProcessingProgram:
    """What processes vertices without drawing. fixed: what the fixed function has generated."""

    stage: VertexStage
    shader: ProgramShader9
    fixed: Generated | None


class ProgramMemo:
    """Programs by what they depend on; those that were not asked for lately are forgotten."""

    def __init__(self, profile: str, points: NDArray[np.uint32]) -> None:
        """Keep nothing yet. points: the constant buffer of what makes points."""
        self._profile = profile
        self._points = points
        self._known = Kept[object, Programs](_MOST_KEPT)
        self._generated = Kept[object, ProgramShader9](_MOST_KEPT)
        self._stages = Kept[object, VertexStage](_MOST_KEPT)

    def programs(
        self, state: DeviceState, elements: tuple[VertexElement, ...], target: D3D9Format | None,
        *, corners: int,
    ) -> Programs:  # fmt: skip
        """Return what a state runs.

        elements: of the vertex declaration. target: format of render target 0, None without.
        corners: of a primitive.

        Raises:
            ResourceError: a state that is used has a value that is none, or a program cannot be a
                stage of a draw. LoweringError, DecodeError: the same.
        """
        points = corners == 1 or _fills_points(state, corners)
        processed = is_processed(elements)
        shader = None if processed else state.vertex_shader
        planes = 0 if processed else state.render[_R.CLIPPLANEENABLE] & _ALL_PLANES
        fog = _fog(state, shader, self._profile, is_processed=processed)
        if shader is not None:
            vertex = self._vertex(shader, elements, planes)
            first: ProgramShader9 = shader
            generated = None
            pixel, second = self._pixel_program(state, vertex)
        else:
            pixel, second = self._pixel_program(state, None)
            stages = _STAGES if pixel is None else pixel.stages
            wants_fog = fog is FogSource.VERTEX
            key = vertex_key(state.fixed, stages=stages, fog=wants_fog, points=points)
            generated = vertex_program(key)
            first = self._made(key, generated, VertexShader9)
            vertex = self._vertex(first, elements, planes)
        projected = _projected(state, second, of_shader=shader is not None)
        facts = _facts(state, fog, self._profile, target, projected)
        shapes = self._primitive_facts(state, second, corners, squares=points)
        known = id(vertex), id(second), facts, shapes
        found = self._known.get(known)
        if found is None:
            made = None if shapes is None else primitive_stage(vertex, shapes, self._points)
            bound = pixel_stage(
                second.program, (made or vertex).outputs, facts, profile=self._profile,
                constants=second.constants, source=second.source,
            )  # fmt: skip
            found = Programs(
                vertex, None if made is None else made.bound, bound, first, second, generated,
                None if pixel is None else pixel_program(pixel), is_processed=processed,
                draws_squares=points,
                written=_written(bound), writes_depth=_writes_depth(bound),
            )  # fmt: skip
            self._known.put(known, found)
        return found

    def processing(
        self, state: DeviceState, elements: tuple[VertexElement, ...], *, points: bool
    ) -> ProcessingProgram:
        """Return what ProcessVertices runs: all coordinate sets, no clip planes.

        elements: of the vertex declaration. points: whether sizes of points are wanted.

        Raises:
            ResourceError: the vertices are processed already; or as `programs`.
        """
        if is_processed(elements):
            raise ResourceError("process_vertices: found POSITIONT in the source, wanted POSITION")
        shader = state.vertex_shader
        if shader is not None:
            return ProcessingProgram(self._vertex(shader, elements, 0), shader, None)
        fog = _fog(state, None, self._profile, is_processed=False) is FogSource.VERTEX
        key = vertex_key(state.fixed, stages=_STAGES, fog=fog, points=points)
        generated = vertex_program(key)
        made = self._made(key, generated, VertexShader9)
        return ProcessingProgram(self._vertex(made, elements, 0), made, generated)

    def _vertex(
        self, shader: ProgramShader9, elements: tuple[VertexElement, ...], planes: int
    ) -> VertexStage:
        key = shader, elements, planes
        found = self._stages.get(key)
        if found is None:
            found = vertex_stage(
                shader.program, elements, profile=self._profile, clip_planes=planes,
                constants=shader.constants, source=shader.source,
            )  # fmt: skip
            self._stages.put(key, found)
        return found

    def _pixel_program(
        self, state: DeviceState, vertex: VertexStage | None
    ) -> tuple[PixelKey | None, ProgramShader9]:
        """Return the key of texture stages, None with a pixel shader, and the program.

        vertex: None of the fixed function.
        """
        if state.pixel_shader is not None:
            return None, state.pixel_shader
        specular = vertex is None or any(o.semantic == _SPECULAR for o in vertex.outputs)
        key = pixel_key(state.fixed, shader=vertex is not None, specular=specular)
        return key, self._made(key, pixel_program(key), PixelShader9)

    def _primitive_facts(
        self, state: DeviceState, pixel: ProgramShader9, corners: int, *, squares: bool
    ) -> PrimitiveFacts | None:
        """Return what has to be done with primitives before they are rasterised, if anything."""
        render = state.render
        sets = coordinate_sets(pixel.program)
        wraps = tuple((n, Wrap(render[_WRAPS[n]] & _ALL_WRAPS)) for n in sets if n < len(_WRAPS))
        wraps = () if squares else tuple((n, wrap) for n, wrap in wraps if wrap)
        if not squares and not wraps:
            return None
        return PrimitiveFacts(
            corners, squares,
            _member(Cull, render[_R.CULLMODE], "CULLMODE") if squares else Cull.NONE,
            sets if squares and render[_R.POINTSPRITEENABLE] else (), wraps,
            is_flat=render[_R.SHADEMODE] == ShadeMode.FLAT,
            is_cut=self._profile == DOCUMENTED.name,
        )  # fmt: skip

    def _made(
        self, key: object, generated: Generated, kind: type[ProgramShader9]
    ) -> ProgramShader9:
        """Return a generated program with constants of its own."""
        found = self._generated.get(key)
        if found is None:
            digest = hashlib.sha256(generated.text.encode()).digest()
            found = kind(generated.program, source=Source(generated.program, digest))
            self._generated.put(key, found)
        return found


def _fills_points(state: DeviceState, corners: int) -> bool:
    return corners == _TRIANGLE and state.render[_R.FILLMODE] == FillMode.POINT


def _written(pixel: BoundProgram) -> frozenset[int]:
    outputs = pixel.declarations.outputs
    return frozenset(r.number for r in outputs if r.file is OperandType.OUTPUT)


def _writes_depth(pixel: BoundProgram) -> bool:
    return any(r.file is OperandType.OUTPUT_DEPTH for r in pixel.declarations.outputs)


def is_processed(elements: Sequence[VertexElement]) -> bool:
    """Whether vertices are processed already: POSITIONT; no vertex shader runs then."""
    return any((e.usage, e.usage_index) == (Usage.POSITIONT, 0) for e in elements)


def elements_of(
    declaration: VertexDeclaration9 | None, frequencies: Sequence[int]
) -> tuple[VertexElement, ...]:
    """Return the elements of a declaration with how their streams go on.

    Raises:
        ResourceError: there is none.
    """
    if declaration is None:
        raise ResourceError("draw: found no vertex declaration and no FVF, wanted one of them")
    return tuple(
        VertexElement(
            e.usage, e.usage_index, e.type, e.stream, e.offset,
            bool(frequencies[e.stream] & _INSTANCE_DATA), _divider(frequencies[e.stream]),
        )
        for e in declaration.used
    )  # fmt: skip


def _divider(word: int) -> int:
    """Return how many instances, or vertices, share an element."""
    return 1 if word & FREQUENCY_FLAGS == INDEXED_DATA else word & ~FREQUENCY_FLAGS


def _fog(
    state: DeviceState, shader: VertexShader9 | None, profile: str, *, is_processed: bool
) -> FogSource:
    """Return where the fog of a draw comes from."""
    render, pixel = state.render, state.pixel_shader
    if not render[_R.FOGENABLE] or (pixel is not None and pixel.program.major >= 3):
        return FogSource.NONE
    if not render[_R.FOGTABLEMODE]:
        return FogSource.VERTEX
    if profile == IEEE.name and (is_processed or shader is not None):
        return FogSource.TABLE_W
    column = state.fixed.transform(TransformState.PROJECTION)[:, 3]
    is_affine = (column == _AFFINE).all()
    return FogSource.TABLE_Z if is_affine else FogSource.TABLE_W


_AFFINE = np.array((0, 0, 0, 1), np.float32)


def _projected(
    state: DeviceState, pixel: ProgramShader9, *, of_shader: bool
) -> tuple[tuple[int, int], ...]:
    """Return the stages whose coordinates a pixel shader up to ps_1_3 divides, and by which one.

    of_shader: whether a vertex shader gives them: then the count says which component divides;
    vertex processing puts it into w.
    """
    if state.pixel_shader is None or pixel.program.version >= _EXPLICIT_DIVISION:
        return ()
    found: list[tuple[int, int]] = []
    for stage, states in enumerate(state.fixed.texture_stage_states):
        flags = states[TextureStageState.TEXTURETRANSFORMFLAGS]
        if flags & TextureTransformFlags.PROJECTED:
            count = flags & _COUNT if of_shader else 0
            found.append((stage, count - 1 if count in _COUNTS else _LAST))
    return tuple(found)


def _facts(
    state: DeviceState, fog: FogSource, profile: str, target: D3D9Format | None,
    projected: tuple[tuple[int, int], ...],
) -> PixelFacts:  # fmt: skip
    render = state.render
    mode = FogMode.LINEAR
    if fog in (FogSource.TABLE_Z, FogSource.TABLE_W):
        mode = _member(FogMode, render[_R.FOGTABLEMODE], "FOGTABLEMODE")
    function = CmpFunc.ALWAYS
    if render[_R.ALPHATESTENABLE]:
        function = _member(CmpFunc, render[_R.ALPHAFUNC], "ALPHAFUNC")
    bits = 8 if target is None else max((c.bits for c in target.channels), default=8)
    return PixelFacts(
        fog, mode, function, compares_bytes(profile, bits),
        is_flat=render[_R.SHADEMODE] == ShadeMode.FLAT, projected=projected,
    )  # fmt: skip


def _member(enum: type[_E], word: int, state: str) -> _E:
    try:
        return enum(word)
    except ValueError:
        raise ResourceError(
            f"{state}: found {word:#x}, wanted {min(enum)} to {max(enum)}"
        ) from None
