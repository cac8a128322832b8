"""What render states say about the rasteriser and the output merger, as Direct3D 11's states.

Each function takes DWORDs by number. A value that is none is an error where it is used.
Spec: win32 D3DRENDERSTATETYPE, D3DBLEND, D3DSTENCILOP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

from softd3d.device.d3d9.values import float_of
from softd3d.errors import ResourceError
from softd3d.isa.d3d9 import enums as e
from softd3d.isa.d3d9.colors import color_components
from softd3d.isa.d3d9.states import RenderState
from softd3d.isa.sampling.state import ComparisonFunc
from softd3d.isa.sm1.limits import MAX_RENDER_TARGETS
from softd3d.pipeline.state import (
    Blend,
    BlendOp,
    BlendState,
    CullMode,
    DepthStencilOpDesc,
    DepthStencilState,
    FillMode,
    RasterizerState9,
    RenderTargetBlendDesc,
    StencilOp,
)
from softd3d.pipeline.state.enums import DepthWriteMask

__all__ = ["OutputStates", "output_states"]

_E = TypeVar("_E", bound=IntEnum)
_R = RenderState
_BYTE = 0xFF
_CULLS = {e.Cull.NONE: CullMode.NONE, e.Cull.CW: CullMode.FRONT, e.Cull.CCW: CullMode.BACK}
_WRITES = (_R.COLORWRITEENABLE, _R.COLORWRITEENABLE1, _R.COLORWRITEENABLE2, _R.COLORWRITEENABLE3)
# The factors of both versions have the same numbers, but for these: some name two factors, and
# some are of the second output, oC1.
_BOTH = {
    e.Blend.BOTHSRCALPHA: (Blend.SRC_ALPHA, Blend.INV_SRC_ALPHA),
    e.Blend.BOTHINVSRCALPHA: (Blend.INV_SRC_ALPHA, Blend.SRC_ALPHA),
}
_SECOND = {
    e.Blend.SRCCOLOR2: Blend.SRC1_COLOR, e.Blend.INVSRCCOLOR2: Blend.INV_SRC1_COLOR,
}  # fmt: skip
_ALPHA_OF = {
    Blend.SRC_COLOR: Blend.SRC_ALPHA, Blend.INV_SRC_COLOR: Blend.INV_SRC_ALPHA,
    Blend.DEST_COLOR: Blend.DEST_ALPHA, Blend.INV_DEST_COLOR: Blend.INV_DEST_ALPHA,
    Blend.SRC1_COLOR: Blend.SRC1_ALPHA, Blend.INV_SRC1_COLOR: Blend.INV_SRC1_ALPHA,
}  # fmt: skip
_FRONT = (_R.STENCILFAIL, _R.STENCILZFAIL, _R.STENCILPASS, _R.STENCILFUNC)
_BACK = (_R.CCW_STENCILFAIL, _R.CCW_STENCILZFAIL, _R.CCW_STENCILPASS, _R.CCW_STENCILFUNC)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class OutputStates:
    """States of a draw. depth_bias: in depth, not scaled by the format.

    sample_mask: of multisampled targets. is_centered: whether samples are covered as the pixel's
    centre is.
    """

    rasterizer: RasterizerState9
    blend: BlendState
    depth_stencil: DepthStencilState
    blend_factor: tuple[float, float, float, float]
    stencil_ref: int
    sample_mask: int
    depth_bias: float
    is_centered: bool

    @property
    def written(self) -> range:
        """The render targets that a draw may write; the second source goes with the first alone."""
        return range(1 if self.blend.description(0).is_dual_source else MAX_RENDER_TARGETS)


def output_states(render: Mapping[int, int]) -> OutputStates:
    """Return what render states (DWORDs by number) say.

    Raises:
        ResourceError: a state that is used has a value that is none.
    """
    fill = _value(render, _R.FILLMODE, e.FillMode)
    cull = _CULLS[_value(render, _R.CULLMODE, e.Cull)]
    rasterizer = RasterizerState9(
        fill_mode=FillMode.WIREFRAME if fill is e.FillMode.WIREFRAME else FillMode.SOLID,
        cull_mode=cull,
        slope_scaled_depth_bias=_finite(render, _R.SLOPESCALEDEPTHBIAS),
        scissor_enable=bool(render[_R.SCISSORTESTENABLE]),
    )
    return OutputStates(
        rasterizer, _blend(render), _depth_stencil(render),
        color_components(render[_R.BLENDFACTOR]), render[_R.STENCILREF] & _BYTE,
        render[_R.MULTISAMPLEMASK], _finite(render, _R.DEPTHBIAS),
        not render[_R.MULTISAMPLEANTIALIAS],
    )  # fmt: skip


def _value(render: Mapping[int, int], state: RenderState, enum: type[_E]) -> _E:
    word = render[state]
    try:
        return enum(word)
    except ValueError:
        wanted = ", ".join(f"{m.value} ({m.name})" for m in enum)
        raise ResourceError(f"{state.name}: found {word:#x}, wanted {wanted}") from None


def _finite(render: Mapping[int, int], state: RenderState) -> float:
    """Return the number of a float state; NaN is 0."""
    number = float_of(render[state])
    return number if number == number else 0.0  # noqa: PLR0124 - it asks for NaN


def _blend(render: Mapping[int, int]) -> BlendState:
    """Return the state of blending: all targets alike, but for what is written."""
    common: dict[str, object] = {}
    if render[_R.ALPHABLENDENABLE]:
        colors = _factors(render, _R.SRCBLEND, _R.DESTBLEND, _R.BLENDOP)
        alphas = colors
        if render[_R.SEPARATEALPHABLENDENABLE]:
            alphas = _factors(render, _R.SRCBLENDALPHA, _R.DESTBLENDALPHA, _R.BLENDOPALPHA)
        common = {
            "blend_enable": True, "src_blend": colors[0], "dest_blend": colors[1],
            "blend_op": colors[2], "src_blend_alpha": _ALPHA_OF.get(alphas[0], alphas[0]),
            "dest_blend_alpha": _ALPHA_OF.get(alphas[1], alphas[1]), "blend_op_alpha": alphas[2],
        }  # fmt: skip
    targets = [
        RenderTargetBlendDesc(**common, render_target_write_mask=render[state] & 15)  # pyright: ignore[reportArgumentType]
        for state in _WRITES
    ]
    return BlendState(independent_blend_enable=True, render_target=targets)


def _factors(
    render: Mapping[int, int], source: RenderState, destination: RenderState, operation: RenderState
) -> tuple[Blend, Blend, BlendOp]:
    op = BlendOp(_value(render, operation, e.BlendOp).value)
    if op in (BlendOp.MIN, BlendOp.MAX):  # ignore the factors
        return Blend.ONE, Blend.ONE, op
    first = _value(render, source, e.Blend)
    both = _BOTH.get(first)
    if both is not None:
        return (*both, op)
    second = _value(render, destination, e.Blend)
    if second in _BOTH:
        raise ResourceError(f"{destination.name}: found {second.name}, which is of sources only")
    return _factor(first), _factor(second), op


def _factor(factor: e.Blend) -> Blend:
    return _SECOND.get(factor) or Blend(factor.value)


def _depth_stencil(render: Mapping[int, int]) -> DepthStencilState:
    has_depth, has_stencil = bool(render[_R.ZENABLE]), bool(render[_R.STENCILENABLE])
    function = ComparisonFunc.ALWAYS
    if has_depth:
        function = ComparisonFunc(_value(render, _R.ZFUNC, e.CmpFunc).value)
    front = back = DepthStencilOpDesc()
    if has_stencil:
        front = back = _face(render, _FRONT)
        if render[_R.TWOSIDEDSTENCILMODE]:
            back = _face(render, _BACK)
    return DepthStencilState(
        depth_enable=has_depth,
        depth_write_mask=DepthWriteMask.ALL if render[_R.ZWRITEENABLE] else DepthWriteMask.ZERO,
        depth_func=function, stencil_enable=has_stencil,
        stencil_read_mask=render[_R.STENCILMASK] & _BYTE,
        stencil_write_mask=render[_R.STENCILWRITEMASK] & _BYTE, front_face=front, back_face=back,
    )  # fmt: skip


def _face(
    render: Mapping[int, int], states: tuple[RenderState, RenderState, RenderState, RenderState]
) -> DepthStencilOpDesc:
    *ops, function = states
    fail, depth_fail, passes = (StencilOp(_value(render, o, e.StencilOp).value) for o in ops)
    func = ComparisonFunc(_value(render, function, e.CmpFunc).value)
    return DepthStencilOpDesc(fail, depth_fail, passes, func)
