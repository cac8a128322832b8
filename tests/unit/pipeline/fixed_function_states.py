"""Random states of the fixed function, and vertices for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.isa.d3d9.defaults import float_word
from softd3d.isa.d3d9.enums import DeclType
from softd3d.isa.d3d9.states import RenderState as R
from softd3d.isa.d3d9.states import TextureStageState as T
from softd3d.isa.sm1.enums import TextureType, Usage
from softd3d.pipeline.fixed9.state import Element, FixedFunctionState, Light, Material

Random = np.random.Generator
_SIZES = (DeclType.FLOAT1, DeclType.FLOAT2, DeclType.FLOAT3, DeclType.FLOAT4, DeclType.SHORT2)
_COUNTS = {DeclType.FLOAT1: 1, DeclType.FLOAT2: 2, DeclType.FLOAT3: 3, DeclType.SHORT2: 2}


def matrix(r: Random, *, affine: bool = True) -> NDArray[np.float32]:
    """Return a rotation with a scale and a translation, or one with a perspective part."""
    q = np.linalg.qr(r.normal(size=(3, 3)))[0] * r.uniform(0.5, 2, 3)
    m = np.eye(4)
    m[:3, :3] = q
    m[3, :3] = r.uniform(-1, 1, 3)
    if not affine:
        m[:3, 3] = r.uniform(-0.1, 0.1, 3)
    return m.astype(np.float32)


def light(r: Random, kind: int) -> Light:
    """Return a light of a type; some have cones without an edge, some no attenuation."""
    color = lambda: tuple(r.uniform(0, 0.6, 4).tolist())  # noqa: E731
    theta = r.uniform(0, 1.5)
    return Light(
        kind, color(), color(), color(), tuple(r.uniform(-3, 3, 3).tolist()),
        tuple(r.normal(size=3).tolist()), float(r.choice([2.0, 4.0, 100.0])),
        float(r.choice([0.5, 1.0, 2.0, 3.0])), float(r.uniform(0.2, 1.5)),
        float(r.choice([0.0, 0.3])), float(r.choice([0.0, 0.1])), float(theta),
        float(theta + r.uniform(-0.1, 1.5)),
    )  # fmt: skip


def random_state(r: Random) -> FixedFunctionState:
    """Return a state whose numbers are of a size that scenes have."""
    state = FixedFunctionState(viewport=(0, 0, 64, 48))
    flags = (
        R.LIGHTING, R.SPECULARENABLE, R.LOCALVIEWER, R.NORMALIZENORMALS, R.COLORVERTEX,
        R.RANGEFOGENABLE, R.POINTSCALEENABLE, R.INDEXEDVERTEXBLENDENABLE,
    )  # fmt: skip
    for flag in flags:
        state.render_states[flag] = int(r.random() < 0.6)
    state.render_states |= {
        R.AMBIENT: int(r.integers(1 << 32)),
        R.DIFFUSEMATERIALSOURCE: int(r.integers(4)),
        R.AMBIENTMATERIALSOURCE: int(r.integers(4)),
        R.SPECULARMATERIALSOURCE: int(r.integers(4)),
        R.EMISSIVEMATERIALSOURCE: int(r.integers(4)),
        R.VERTEXBLEND: int(r.choice([0, 0, 0, 1, 2, 3, 255, 256, 77])),
        R.TWEENFACTOR: float_word(r.uniform(0, 1)),
        R.FOGVERTEXMODE: int(r.integers(5)),
        R.FOGSTART: float_word(r.uniform(0, 2)),
        R.FOGEND: float_word(r.uniform(2.5, 5)),
        R.FOGDENSITY: float_word(r.uniform(0, 1)),
        R.POINTSIZE: float_word(r.uniform(1, 9)),
        R.POINTSCALE_A: float_word(r.uniform(0, 1)),
        R.POINTSCALE_B: float_word(r.uniform(-0.3, 1)),
        R.POINTSCALE_C: float_word(r.uniform(0, 1)),
    }
    for n in (2, *range(256, 260), *(256 + r.integers(256, size=8)).tolist()):
        state.transforms[n] = matrix(r, affine=r.random() < 0.8)
    state.transforms[3] = r.uniform(-2, 2, (4, 4)).astype(np.float32)
    color = lambda: tuple(r.uniform(0, 1, 4).tolist())  # noqa: E731
    power = float(r.choice([0.0, 0.5, 1.0, 4.0, 30.0]))
    state.material = Material(color(), color(), color(), color(), power)
    for n in r.integers(100, size=int(r.integers(11))).tolist():
        state.lights[n] = light(r, int(r.choice([1, 2, 3, 3, 9])))
        state.enabled_lights.add(n)
    state.elements = _elements(r)
    for n, stage in enumerate(state.texture_stage_states):
        stage[T.TEXCOORDINDEX] = int(r.choice([0, 0, 0, 1, 2, 3, 4])) << 16 | int(r.integers(9))
        stage[T.TEXTURETRANSFORMFLAGS] = int(r.choice([0, 0, 1, 2, 3, 4, 5, 255])) | (
            256 if r.random() < 0.3 else 0
        )
        state.transforms[16 + n] = r.uniform(-2, 2, (4, 4)).astype(np.float32)
    return state


def _elements(r: Random) -> tuple[Element, ...]:
    found = [Element(Usage.POSITION, 0, DeclType.FLOAT3)]
    optional = [
        Element(Usage.NORMAL, 0, DeclType.FLOAT3), Element(Usage.NORMAL, 0, DeclType.FLOAT3),
        Element(Usage.COLOR, 0, DeclType.D3DCOLOR), Element(Usage.COLOR, 1, DeclType.D3DCOLOR),
        Element(Usage.BLENDWEIGHT, 0, DeclType.FLOAT3), Element(Usage.PSIZE, 0, DeclType.FLOAT1),
        Element(Usage.BLENDINDICES, 0, DeclType(r.choice([DeclType.UBYTE4, DeclType.D3DCOLOR]))),
        Element(Usage.POSITION, 1, DeclType.FLOAT3), Element(Usage.NORMAL, 1, DeclType.FLOAT3),
    ]  # fmt: skip
    optional += [Element(Usage.TEXCOORD, n, DeclType(r.choice(_SIZES))) for n in range(8)]
    for element in optional:
        if r.random() < 0.65 and element[:2] not in {e[:2] for e in found}:
            found.append(element)
    return tuple(found)


def vertices(
    r: Random, state: FixedFunctionState, lanes: int
) -> dict[tuple[int, int], NDArray[Any]]:
    """Return what the vertex fetch makes of random elements: (lanes, 4) each."""
    data: dict[tuple[int, int], NDArray[Any]] = {}
    for usage, index, kind in state.elements:
        values = np.tile(np.array([0.0, 0.0, 0.0, 1.0]), (lanes, 1))
        count = _COUNTS.get(DeclType(kind), 4)
        values[:, :count] = r.uniform(-2, 2, (lanes, count))
        if kind == DeclType.SHORT2:
            values = np.rint(values)
        if usage == Usage.NORMAL:
            values[:, :3] /= np.linalg.norm(values[:, :3], axis=1, keepdims=True)
        elif usage == Usage.COLOR:
            values = r.integers(256, size=(lanes, 4)) / 255
        elif usage == Usage.BLENDINDICES:
            numbers = [n - 256 for n in state.transforms if n >= 256]
            values = r.choice(numbers, size=(lanes, 4)) / (255 if kind == DeclType.D3DCOLOR else 1)
        elif usage == Usage.BLENDWEIGHT:
            values[:, :3] = r.uniform(0, 0.4, (lanes, 3))
        data[usage, index] = values.astype(np.float32)
    return data


def random_stages(r: Random, state: FixedFunctionState) -> None:
    """Set the stages' operations, arguments and textures at random."""
    kinds = (TextureType.TEXTURE_2D, TextureType.CUBE, TextureType.VOLUME)
    for n, stage in enumerate(state.texture_stage_states):
        stage[T.COLOROP] = int(r.choice([*range(2, 27), 22, 23]))
        stage[T.ALPHAOP] = int(r.integers(1, 27))
        for name in (T.COLORARG0, T.COLORARG1, T.COLORARG2, T.ALPHAARG0, T.ALPHAARG1, T.ALPHAARG2):
            stage[name] = int(r.integers(7)) | int(r.integers(4)) << 4
        stage[T.RESULTARG] = int(r.choice([1, 1, 1, 5]))
        stage[T.CONSTANT] = int(r.integers(1 << 32))
        for name in (T.BUMPENVMAT00, T.BUMPENVMAT01, T.BUMPENVMAT10, T.BUMPENVMAT11):
            stage[name] = float_word(r.uniform(-1, 1))
        stage[T.BUMPENVLSCALE] = float_word(r.uniform(0, 1))
        stage[T.BUMPENVLOFFSET] = float_word(r.uniform(0, 0.5))
        stage[T.TEXTURETRANSFORMFLAGS] = int(r.choice([0, 0, 2, 256, 258, 259, 260]))
        if r.random() < 0.85:
            state.textures[n] = kinds[r.integers(3)]
    state.render_states[R.TEXTUREFACTOR] = int(r.integers(1 << 32))
    state.render_states[R.SPECULARENABLE] = int(r.integers(2))
