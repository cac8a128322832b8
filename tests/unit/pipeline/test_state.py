"""State objects: Direct3D's defaults, names and numbers, and what it refuses."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from softd3d.errors import ResourceError
from softd3d.isa.sampling.state import ComparisonFunc
from softd3d.pipeline import state as states
from softd3d.pipeline.state import (
    Blend,
    BlendState,
    ColorWriteEnable,
    DepthStencilOpDesc,
    DepthStencilState,
    RasterizerState,
    Rect,
    RenderTargetBlendDesc,
    Viewport,
)

CLASSES = [
    RasterizerState, DepthStencilOpDesc, DepthStencilState, RenderTargetBlendDesc, BlendState,
    Viewport, Rect,
]  # fmt: skip
DEFAULTS = {
    RasterizerState: (3, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0),
    DepthStencilOpDesc: (1, 1, 1, 8),
    DepthStencilState: (1, 1, 2, 0, 255, 255, DepthStencilOpDesc(), DepthStencilOpDesc()),
    RenderTargetBlendDesc: (0, 0, 2, 1, 1, 2, 1, 1, 4, 15),
    BlendState: (0, 0, (RenderTargetBlendDesc(),) * 8),
    Viewport: (0, 0, 0, 0, 0, 1),
    Rect: (0, 0, 0, 0),
}


@pytest.mark.parametrize("kind", CLASSES, ids=lambda c: c.__name__)
def test_defaults_are_those_of_direct3d(kind: type[Any]) -> None:
    made = kind()
    assert tuple(getattr(made, f.name) for f in dataclasses.fields(made)) == DEFAULTS[kind]
    assert hash(made) == hash(kind())
    assert made == dataclasses.replace(made)


def test_every_member_goes_by_itself_its_number_and_its_names() -> None:
    prefixes = {
        "FillMode": (RasterizerState, "fill_mode", "D3D11_FILL_"),
        "CullMode": (RasterizerState, "cull_mode", "D3D11_CULL_"),
        "ConservativeRasterizationMode": (
            RasterizerState, "conservative_raster", "D3D11_CONSERVATIVE_RASTERIZATION_MODE_",
        ),
        "DepthWriteMask": (DepthStencilState, "depth_write_mask", "D3D11_DEPTH_WRITE_MASK_"),
        "StencilOp": (DepthStencilOpDesc, "stencil_fail_op", "D3D11_STENCIL_OP_"),
        "Blend": (RenderTargetBlendDesc, "src_blend", "D3D11_BLEND_"),
        "BlendOp": (RenderTargetBlendDesc, "blend_op", "D3D11_BLEND_OP_"),
        "LogicOp": (RenderTargetBlendDesc, "logic_op", "D3D11_LOGIC_OP_"),
        "ColorWriteEnable": (
            RenderTargetBlendDesc, "render_target_write_mask", "D3D11_COLOR_WRITE_ENABLE_",
        ),
    }  # fmt: skip
    for enum, (kind, field, prefix) in prefixes.items():
        for member in getattr(states, enum):
            for given in (
                member,
                int(member),
                np.int64(member),
                member.name.lower(),
                prefix + member.name,
            ):
                assert getattr(kind(**{field: given}), field) is member
    for member in ComparisonFunc:
        made = DepthStencilState(depth_func=f"D3D11_COMPARISON_{member.name}")
        assert made.depth_func is member


def test_write_masks_are_sets_of_components() -> None:
    made = RenderTargetBlendDesc(render_target_write_mask="red | D3D11_COLOR_WRITE_ENABLE_ALPHA")
    assert made.render_target_write_mask == ColorWriteEnable.RED | ColorWriteEnable.ALPHA
    assert made.write_mask == 9
    assert RenderTargetBlendDesc(render_target_write_mask=0).write_mask == 0


@pytest.mark.parametrize(
    ("kind", "arguments", "text"),
    [
        (RasterizerState, {"fill_mode": 1}, "rasterizer fill_mode: found 1, wanted one of WIRE"),
        (RasterizerState, {"cull_mode": "FRONTAL"}, "found 'FRONTAL', wanted one of NONE, FRONT, "),
        (RasterizerState, {"cull_mode": None}, "rasterizer cull_mode: found None"),
        (RasterizerState, {"depth_bias": 1.5}, "rasterizer depth_bias: found 1.5, wanted a whole"),
        (RasterizerState, {"depth_bias": 1 << 31}, "depth_bias: found 2147483648"),
        (RasterizerState, {"depth_bias_clamp": math.nan}, "depth_bias_clamp: found nan"),
        (RasterizerState, {"slope_scaled_depth_bias": "1"}, "found '1', wanted a number"),
        (RasterizerState, {"scissor_enable": 2}, "scissor_enable: found 2, wanted True or False"),
        (RasterizerState, {"multisample_enable": "yes"}, "found 'yes', wanted True or False"),
        (RasterizerState, {"forced_sample_count": 3}, "found 3, wanted 0, 1, 4, 8 or 16"),
        (
            RasterizerState, {"fill_mode": 2, "conservative_raster": "ON"},
            "conservative_raster: found ON with fill_mode WIREFRAME, wanted SOLID",
        ),
        (DepthStencilOpDesc, {"stencil_func": 0}, "depth-stencil stencil_func: found 0"),
        (DepthStencilOpDesc, {"stencil_pass_op": 9}, "depth-stencil stencil_pass_op: found 9"),
        (DepthStencilState, {"stencil_read_mask": 256}, "found 256, wanted 0 to 255"),
        (DepthStencilState, {"depth_func": 9}, "depth-stencil depth_func: found 9"),
        (RenderTargetBlendDesc, {"src_blend": 12}, "blend src_blend: found 12, wanted a name like"),
        (RenderTargetBlendDesc, {"blend_op": 6}, "blend blend_op: found 6"),
        (RenderTargetBlendDesc, {"logic_op": 16}, "blend logic_op: found 16"),
        (RenderTargetBlendDesc, {"render_target_write_mask": 16}, "found 16, wanted 0 to 15"),
        (RenderTargetBlendDesc, {"render_target_write_mask": "RGB"}, "found 'RGB', wanted 0 to 15"),
        (
            RenderTargetBlendDesc, {"blend_enable": True, "logic_op_enable": True},
            "logic_op_enable: found True with blend_enable",
        ),
        (
            BlendState,
            {"independent_blend_enable": True,
             "render_target": [RenderTargetBlendDesc(), RenderTargetBlendDesc(False, True)]},
            "logic_op_enable: found True with independent_blend_enable",
        ),
        (BlendState, {"render_target": [None]}, "blend render_target: found"),
        (BlendState, {"render_target": [RenderTargetBlendDesc()] * 9}, "more than 8"),
        (Viewport, {"top_left_x": -32769}, "viewport top_left_x: found -32769"),
        (Viewport, {"width": -1}, "viewport width: found -1, wanted 0 or more"),
        (Viewport, {"width": float("inf")}, "viewport width: found inf, wanted a finite number"),
        (Viewport, {"top_left_y": 1, "height": 32767}, "found 32768, wanted 32767 or less"),
        (Viewport, {"min_depth": 0.5, "max_depth": 0.25}, "found 0.5, 0.25, wanted 0 <= min"),
        (Viewport, {"max_depth": 1.5}, "viewport min_depth, max_depth: found 0, 1.5"),
        (Viewport, {"height": math.nan}, "viewport height: found nan"),
        (Rect, {"left": 0.5}, "rectangle left: found 0.5"),
        (Rect, {"bottom": 1 << 31}, "rectangle bottom: found"),
    ],
)  # fmt: skip
def test_what_direct3d_refuses(kind: type[Any], arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ResourceError, match=text):
        kind(**arguments)


@pytest.mark.parametrize("name", ["src_blend_alpha", "dest_blend_alpha"])
@pytest.mark.parametrize("factor", list(Blend), ids=lambda f: f.name)
def test_alpha_slots_take_no_factors_of_colours(name: str, factor: Blend) -> None:
    if factor in (3, 4, 9, 10, 16, 17):
        with pytest.raises(
            ResourceError, match=f"blend {name}: found {factor.name}, wanted .*ALPHA"
        ):
            RenderTargetBlendDesc(**{name: factor})
    else:
        assert getattr(RenderTargetBlendDesc(**{name: factor}), name) is factor


@pytest.mark.parametrize("op", ["MIN", "MAX"])
@pytest.mark.parametrize("name", ["blend_op", "blend_op_alpha"])
def test_dual_source_blending_only_adds_and_subtracts(name: str, op: str) -> None:
    given = {"src_blend": "SRC1_ALPHA", name: op}
    with pytest.raises(ResourceError, match=f"blend {name}: found {op} with a factor of "):
        RenderTargetBlendDesc(blend_enable=True, **given)
    assert not RenderTargetBlendDesc(**given).is_dual_source


def test_depth_stencil_faces_are_descriptions() -> None:
    with pytest.raises(TypeError, match="depth-stencil back_face: found NoneType, wanted DepthSt"):
        DepthStencilState(back_face=None)


def test_one_description_counts_for_all_targets_unless_they_are_independent() -> None:
    first = RenderTargetBlendDesc(True)
    second = RenderTargetBlendDesc(render_target_write_mask=1)
    shared = BlendState(render_target=[first, second])
    assert [shared.description(n) for n in range(8)] == [first] * 8
    own = BlendState(independent_blend_enable=True, render_target=(first, second))
    assert [own.description(n) for n in range(3)] == [first, second, RenderTargetBlendDesc()]


def test_viewports_and_rectangles_cut_pixels() -> None:
    depths = Viewport(min_depth=-0.0, max_depth=1e-40)
    assert [math.copysign(1, d) * (d + 1) for d in (depths.min_depth, depths.max_depth)] == [1, 1]
    viewport = Viewport(-1.5, 0.25, 10, 3.5)
    assert viewport.scissor == Rect(-2, 0, 8, 3)
    assert Viewport().scissor.is_empty
    assert (viewport.scissor & Rect(0, 0, 4, 4)) == Rect(0, 0, 4, 3)
    assert Rect(5, 0, 2, 9).is_empty
    assert not Rect(-3, -3, -2, -2).is_empty
    with pytest.raises(TypeError, match="rectangle: found 3, wanted a Rect"):
        Rect() & 3
