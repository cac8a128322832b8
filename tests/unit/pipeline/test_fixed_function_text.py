"""Generated programs of the fixed function: what they look like, and that they are valid."""

from __future__ import annotations

import numpy as np

from softd3d.isa.d3d9.enums import DeclType, TextureOp
from softd3d.isa.d3d9.states import RenderState, TextureStageState
from softd3d.isa.sm1.enums import TextureType, Usage
from softd3d.isa.sm1.validate import validate_program
from softd3d.pipeline.fixed9.programs import (
    pixel_constants,
    pixel_key,
    pixel_program,
    vertex_constants,
    vertex_key,
    vertex_program,
)
from softd3d.pipeline.fixed9.state import Element, FixedFunctionState

POSITION = Element(Usage.POSITION, 0, DeclType.FLOAT3)
COLOR = Element(Usage.COLOR, 0, DeclType.D3DCOLOR)
TEXCOORD = Element(Usage.TEXCOORD, 0, DeclType.FLOAT2)


def test_a_vertex_program_without_lighting() -> None:
    state = FixedFunctionState(elements=(POSITION, COLOR, TEXCOORD))
    state.render_states[RenderState.LIGHTING] = 0
    assert (
        vertex_program(vertex_key(state, stages=[0])).text
        == """vs_3_0
def c4, 0, 0, 0, 0
dcl_position v0
dcl_color v1
dcl_texcoord v2
dcl_position o0
dcl_color o1
dcl_color1 o2
dcl_texcoord o3
// c0 to c3: world view projection

// position: world, view and projection
m4x4 o0, v0, c0

// colours
mov_sat o1, v1
mov_sat o2, c4.x

// coordinates of stage 0
mov o3.xy, v2
mov o3.zw, c4.x
"""
    )


def test_a_pixel_program_of_the_default_stage() -> None:
    state = FixedFunctionState(textures={0: TextureType.TEXTURE_2D})
    key = pixel_key(state)
    assert key.stages == (0,)
    assert (
        pixel_program(key).text
        == """ps_2_x
dcl v0
dcl_2d s0
dcl t0

// current: diffuse
mov r0, v0

// stage 0: modulate
texld r3, t0, s0
mul_sat r2.xyz, r3, r0
mov r2.w, r3.w
mov r0, r2

// result
mov oC0, r0
"""
    )


def test_constants_have_the_places_that_the_listing_names() -> None:
    state = FixedFunctionState(elements=(POSITION,))
    state.render_states |= {RenderState.LIGHTING: 0, RenderState.TEXTUREFACTOR: 0x33FF0066}
    state.transforms[3] = state.transform(3) * 2
    vertex = vertex_program(vertex_key(state, stages=[]))
    assert vertex_constants(vertex, state)[:4].tolist() == (state.transform(3)).tolist()
    state.texture_stage_states[0][TextureStageState.COLORARG1] = 3
    pixel = pixel_program(pixel_key(state))
    assert "// c1: texture factor\n" in pixel.text
    found = pixel_constants(pixel, state)[1].astype(np.float64)
    assert found.round(6).tolist() == [1.0, 0.0, 0.4, 0.2]


def test_equal_states_share_a_program() -> None:
    first, second = (vertex_key(FixedFunctionState(elements=(POSITION,))) for _ in range(2))
    assert vertex_program(first) is vertex_program(second)
    assert pixel_program(pixel_key(FixedFunctionState())) is pixel_program(
        pixel_key(FixedFunctionState())
    )


def test_every_operation_makes_a_valid_program() -> None:
    for operation in TextureOp:
        state = FixedFunctionState(textures=dict.fromkeys(range(3), TextureType.TEXTURE_2D))
        for stage in range(3):
            state.texture_stage_states[stage].update(
                {
                    TextureStageState.COLOROP: operation,
                    TextureStageState.ALPHAOP: operation,
                    TextureStageState.COLORARG0: 3,
                    TextureStageState.COLORARG1: 0x16,
                    TextureStageState.COLORARG2: 0x24,
                    TextureStageState.ALPHAARG0: 0,
                }
            )
        assert validate_program(pixel_program(pixel_key(state)).program) == []
