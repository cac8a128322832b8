"""Which states decide how fixed-function vertex processing is done, and how they are read.

Spec: win32 D3DRENDERSTATETYPE, D3DTEXTURESTAGESTATETYPE, D3DTEXTURETRANSFORMFLAGS; choices of the
profiles: docs/direct3d9.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from softd3d.classes import dataclass
from softd3d.isa.d3d9.enums import (
    DeclType,
    FogMode,
    MaterialColorSource,
    TextureCoordinates,
    TextureTransformFlags,
    VertexBlendFlags,
)
from softd3d.isa.d3d9.states import RenderState, TextureStageState
from softd3d.isa.sm1.enums import Usage
from softd3d.isa.sm1.limits import MAX_ACTIVE_LIGHTS, TEXTURE_STAGES
from softd3d.pipeline.fixed9.state import FixedFunctionState

__all__ = ["Coordinates", "VertexKey", "vertex_key"]

_R, _T, _D = RenderState, TextureStageState, DeclType
_COUNTS = range(1, 5)
_SET = 0xFFFF
_ALL_COMPONENTS = 4
_DIRECTION = 3  # components of what is generated
_FEWER: Mapping[int, int] = {
    _D.FLOAT1: 1, _D.FLOAT2: 2, _D.FLOAT3: 3, _D.SHORT2: 2, _D.SHORT2N: 2, _D.USHORT2N: 2,
    _D.UDEC3: 3, _D.DEC3N: 3, _D.FLOAT16_2: 2,
}  # fmt: skip
"""Types that give fewer than four components."""


@dataclass(frozen=True, slots=True)
class Coordinates:
    """How the coordinates of a stage come about.

    set, size: the element and how many components it gives; 0: there is none. generator: one of
    `TextureCoordinates`. count: components behind the matrix, 0 for none. is_projected: the last
    component goes to w.
    """

    stage: int
    set: int
    size: int
    generator: int
    count: int
    is_projected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VertexKey:
    """What a generated vertex program depends on.

    is_processed: POSITIONT. weights: of vertex blending, None without. indices: type of
    BLENDINDICES where they choose matrices; None where nothing does. lights: types, None without
    lighting. sources: of diffuse, ambient, specular and emissive. fog: what FOG0 is made of.
    point_size: PSIZE0 is written, from the element, or scaled, or both.
    """

    has_colors: tuple[bool, bool]
    coordinates: tuple[Coordinates, ...]
    fog: str | None
    has_point_size: bool
    is_processed: bool = False
    has_position: bool = False
    has_normal: bool = False
    is_point_scaled: bool = False
    weights: int | None = None
    has_weights: bool = False
    indices: int | None = None
    tweens: tuple[bool, bool] | None = None
    lights: tuple[int, ...] | None = None
    sources: tuple[int, int, int, int] = (0, 0, 0, 0)
    has_specular: bool = False
    is_local: bool = False
    is_normalized: bool = False
    is_range: bool = False


def vertex_key(
    state: FixedFunctionState, *, stages: Iterable[int] = range(TEXTURE_STAGES), fog: bool = False,
    points: bool = False,
) -> VertexKey:  # fmt: skip
    """Return what the vertex program of a state depends on.

    stages: whose coordinates are wanted. fog: FOG0 is wanted, as fog is on and made of vertices.
    points: PSIZE0 is wanted, as points are drawn.
    """
    given = state.components()
    processed = (Usage.POSITIONT, 0) in given
    colors = (Usage.COLOR, 0) in given, (Usage.COLOR, 1) in given
    plain = VertexKey(
        has_colors=colors,
        coordinates=tuple(_coordinates(state, n, given, processed=processed) for n in stages),
        fog="alpha" if fog else None,
        has_point_size=points and (Usage.PSIZE, 0) in given,
        is_processed=processed,
    )
    return plain if processed else _transformed(state, given, plain, points=points)


def _transformed(
    state: FixedFunctionState, given: Mapping[tuple[int, int], int], plain: VertexKey, *,
    points: bool,
) -> VertexKey:  # fmt: skip
    """Add what counts for vertices that are transformed and lit."""
    mode = state.render(_R.VERTEXBLEND)
    weights = _weights(mode)
    lit = state.render(_R.LIGHTING) != 0
    specular = lit and state.render(_R.SPECULARENABLE) != 0
    fog = plain.fog and _fog(state)
    return replace(
        plain,
        fog=fog,
        has_position=(Usage.POSITION, 0) in given,
        has_normal=(Usage.NORMAL, 0) in given,
        is_point_scaled=points and state.render(_R.POINTSCALEENABLE) != 0,
        weights=weights,
        has_weights=weights is not None and (Usage.BLENDWEIGHT, 0) in given,
        indices=_indices(state, given) if weights is not None else None,
        tweens=_tweens(given) if mode == VertexBlendFlags.TWEENING else None,
        lights=tuple(light.type for light in state.lit_by(MAX_ACTIVE_LIGHTS)) if lit else None,
        sources=_sources(state, plain.has_colors) if lit else (0, 0, 0, 0),
        has_specular=specular,
        is_local=specular and state.render(_R.LOCALVIEWER) != 0,
        is_normalized=state.render(_R.NORMALIZENORMALS) != 0,
        is_range=fog not in (None, "alpha") and state.render(_R.RANGEFOGENABLE) != 0,
    )


def _weights(mode: int) -> int | None:
    """Return how many weights there are; the last matrix has what is missing to 1."""
    if mode == VertexBlendFlags.WEIGHTS0:
        return 0
    return mode if VertexBlendFlags.WEIGHTS1 <= mode <= VertexBlendFlags.WEIGHTS3 else None


def _indices(state: FixedFunctionState, given: Mapping[tuple[int, int], int]) -> int | None:
    if not state.render(_R.INDEXEDVERTEXBLENDENABLE):
        return None
    return given.get((Usage.BLENDINDICES, 0))


def _tweens(given: Mapping[tuple[int, int], int]) -> tuple[bool, bool]:
    return (Usage.POSITION, 1) in given, (Usage.NORMAL, 1) in given


def _sources(state: FixedFunctionState, colors: tuple[bool, bool]) -> tuple[int, int, int, int]:
    """Return where diffuse, ambient, specular and emissive colours come from."""
    on = state.render(_R.COLORVERTEX) != 0
    there: Mapping[int, bool] = {
        MaterialColorSource.COLOR1: on and colors[0],
        MaterialColorSource.COLOR2: on and colors[1],
    }
    diffuse, ambient, specular, emissive = (
        source if there.get(source) else MaterialColorSource.MATERIAL
        for source in (
            state.render(_R.DIFFUSEMATERIALSOURCE),
            state.render(_R.AMBIENTMATERIALSOURCE),
            state.render(_R.SPECULARMATERIALSOURCE),
            state.render(_R.EMISSIVEMATERIALSOURCE),
        )
    )
    return diffuse, ambient, specular, emissive


def _fog(state: FixedFunctionState) -> str:
    """Return what the fog factor is made of."""
    mode = state.render(_R.FOGVERTEXMODE)
    if mode in (FogMode.EXP, FogMode.EXP2):
        return FogMode(mode).name.lower()
    if mode != FogMode.LINEAR:
        return "alpha"
    # Start and end may be equal. Profile ieee then divides by zero, and NaN gives no fog.
    is_step = state.profile == "ieee" and state.number(_R.FOGSTART) == state.number(_R.FOGEND)
    return "step" if is_step else "linear"


def _coordinates(
    state: FixedFunctionState, stage: int, given: Mapping[tuple[int, int], int], *,
    processed: bool,
) -> Coordinates:  # fmt: skip
    index = state.stage(stage, _T.TEXCOORDINDEX)
    flags = state.stage(stage, _T.TEXTURETRANSFORMFLAGS)
    generator = index & ~_SET
    if processed or generator > TextureCoordinates.SPHEREMAP:
        generator = TextureCoordinates.PASSTHRU
    number = index & _SET
    kind = given.get((Usage.TEXCOORD, number))
    size = 0 if kind is None else _FEWER.get(kind, _ALL_COMPONENTS)
    if generator:
        number, size = 0, _DIRECTION
    count = flags & 0xFF
    # A count of 1 is documented; cards take it for none
    least = _COUNTS[0] if state.profile == "documented" else _COUNTS[1]
    if processed or not least <= count <= _COUNTS[-1]:
        count = 0
    projected = flags & TextureTransformFlags.PROJECTED != 0
    return Coordinates(stage, number, size, generator, count, projected)
