"""Blending of one sample, over the algebra. Spec: D3D11.3 sections 17.1 to 17.6.

All in float32, in a fixed order: products are rounded, then summed once. In formats of normalised
numbers everything is finite, so factors of 0 and 1 need no operation there; elsewhere 0 times
infinity is NaN, as Direct3D says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from softd3d.algebra.float_rules import maximum, minimum, saturate
from softd3d.algebra.operations import select
from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.formats.layout import ChannelType, Format
from softd3d.pipeline.state.blend import RenderTargetBlendDesc
from softd3d.pipeline.state.enums import Blend, BlendOp

__all__ = ["Colors", "blended", "clamped", "is_normalised", "uses_destination"]

Numbers = Sequence[Value]
_ALPHA = 3
_OF_DESTINATION = (
    Blend.DEST_ALPHA, Blend.INV_DEST_ALPHA, Blend.DEST_COLOR, Blend.INV_DEST_COLOR,
    Blend.SRC_ALPHA_SAT,
)  # fmt: skip
_UNSIGNED = (ChannelType.UNORM, ChannelType.SRGB)


@dataclass(frozen=True, slots=True)
class Colors:
    """What is blended: red, green, blue, alpha of each, float32, clamped but for `destination`.

    second: the pixel shader's second output; the first again where it is not needed.
    """

    source: Numbers
    destination: Numbers
    factor: Numbers
    second: Numbers


def is_normalised(format_: Format) -> bool:
    """Whether a format holds numbers of -1 or 0 to 1 only."""
    return format_.type in (*_UNSIGNED, ChannelType.SNORM)


def clamped(format_: Format, number: Value) -> Value:
    """Return a number (float32) in the range of a format: NaN is 0; floats have no limits."""
    if format_.type in _UNSIGNED:
        return saturate(number)
    if format_.type is not ChannelType.SNORM:
        return number
    number = select(number >= -1.0, number, select(number < -1.0, number.like(-1.0), 0.0))
    return select(number < 1.0, number, 1.0)


def blended(
    description: RenderTargetBlendDesc, format_: Format, colors: Colors, component: int
) -> Value:
    """Return a component (0 is red) of a target, float32, still to be clamped and encoded."""
    operation, factors = _parts(description, component)
    a, b = colors.source[component], colors.destination[component]
    if operation in (BlendOp.MIN, BlendOp.MAX):
        return minimum(a, b) if operation is BlendOp.MIN else maximum(a, b)
    exact = is_normalised(format_)
    source = _weighted(a, factors[0], colors, component, exact=exact)
    destination = _weighted(b, factors[1], colors, component, exact=exact)
    if destination is None:
        kept = a.like(0.0) if source is None else source
        return -kept if operation is BlendOp.REV_SUBTRACT else kept
    if source is None:
        return -destination if operation is BlendOp.SUBTRACT else destination
    if operation is BlendOp.ADD:
        return source + destination
    return source - destination if operation is BlendOp.SUBTRACT else destination - source


def uses_destination(description: RenderTargetBlendDesc, format_: Format, component: int) -> bool:
    """Whether a component of the result depends on what the target holds."""
    operation, (source, destination) = _parts(description, component)
    if operation in (BlendOp.MIN, BlendOp.MAX) or not is_normalised(format_):
        return True
    is_factor = source in _OF_DESTINATION
    if source is Blend.SRC_ALPHA_SAT and component == _ALPHA:
        is_factor = False
    return is_factor or destination is not Blend.ZERO


def _parts(
    description: RenderTargetBlendDesc, component: int
) -> tuple[BlendOp, tuple[Blend, Blend]]:
    """Return operation and factors of source and destination."""
    if component == _ALPHA:
        factors = Blend(description.src_blend_alpha), Blend(description.dest_blend_alpha)
        return BlendOp(description.blend_op_alpha), factors
    return BlendOp(description.blend_op), (
        Blend(description.src_blend),
        Blend(description.dest_blend),
    )


def _weighted(
    number: Value, blend: Blend, colors: Colors, component: int, *, exact: bool
) -> Value | None:
    """Return a number times its factor, rounded; None for 0.

    exact: factors 0 and 1 are known to give 0 and the number.
    """
    if exact and blend is Blend.ZERO:
        return None
    if blend is Blend.ONE or (blend is Blend.SRC_ALPHA_SAT and component == _ALPHA):
        return number  # what follows flushes it, as a product would
    return number * _FACTORS[blend](colors, component)


_FACTORS: dict[Blend, Callable[[Colors, int], Value]] = {
    Blend.ZERO: lambda c, i: c.source[i].like(0.0),
    Blend.SRC_COLOR: lambda c, i: c.source[i],
    Blend.INV_SRC_COLOR: lambda c, i: 1.0 - c.source[i],
    Blend.SRC_ALPHA: lambda c, _: c.source[_ALPHA],
    Blend.INV_SRC_ALPHA: lambda c, _: 1.0 - c.source[_ALPHA],
    Blend.DEST_ALPHA: lambda c, _: c.destination[_ALPHA],
    Blend.INV_DEST_ALPHA: lambda c, _: 1.0 - c.destination[_ALPHA],
    Blend.DEST_COLOR: lambda c, i: c.destination[i],
    Blend.INV_DEST_COLOR: lambda c, i: 1.0 - c.destination[i],
    Blend.SRC_ALPHA_SAT: lambda c, _: minimum(1.0 - c.destination[_ALPHA], c.source[_ALPHA]),
    Blend.BLEND_FACTOR: lambda c, i: c.factor[i],
    Blend.INV_BLEND_FACTOR: lambda c, i: 1.0 - c.factor[i],
    Blend.SRC1_COLOR: lambda c, i: c.second[i],
    Blend.INV_SRC1_COLOR: lambda c, i: 1.0 - c.second[i],
    Blend.SRC1_ALPHA: lambda c, _: c.second[_ALPHA],
    Blend.INV_SRC1_ALPHA: lambda c, _: 1.0 - c.second[_ALPHA],
}
