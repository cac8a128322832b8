"""From a pixel shader's output to a texel of a render target, over the algebra.

Clamp, blend or logic operation, encode, write mask, in that order. What shaders give are bits; what
is stored are a texel's units (`formats.codec.units`). Spec: D3D11.3 sections 17.1 to 17.7, 17.13.
"""

from __future__ import annotations

from collections.abc import Sequence

from softd3d.algebra.operations import bitcast
from softd3d.algebra.value import F32, U32, Value
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.codec import pack, units, unpack
from softd3d.formats.layout import ChannelType, Format
from softd3d.formats.pipeline_views import has_logic_operations, is_blendable
from softd3d.formats.rules import D3D9, D3D10, Rules
from softd3d.pipeline.blend import Colors, blended, clamped, uses_destination
from softd3d.pipeline.logic import logic_result, uses_destination_bits
from softd3d.pipeline.state.blend import RenderTargetBlendDesc
from softd3d.pipeline.state.enums import LogicOp

__all__ = ["TargetRule", "check_target", "destination_color", "encoded", "merged"]

Bits = Sequence[Value]
_LETTERS = "rgba"
_COMPONENTS = range(4)


def _low_bits(component: Value, bits: int) -> Value:
    return component & ((1 << bits) - 1) if bits < 32 else component


_BITS = Rules("bits", {}, {ChannelType.UINT: _low_bits})
"""Writing takes the low bits of an integer, unclamped: what logic operations do."""


@dataclass(frozen=True, slots=True)
class TargetRule:
    """What happens to the colour of one render target; all that is fixed for a draw."""

    format: Format
    description: RenderTargetBlendDesc

    @property
    def blends(self) -> bool:
        """Whether colours are blended: integers never are."""
        return self.description.blend_enable and is_blendable(self.format)

    @property
    def has_logic(self) -> bool:
        return self.description.logic_op_enable and has_logic_operations(self.format)

    @property
    def written(self) -> tuple[int, ...]:
        """The components (0 is red) that the format has and the write mask lets through."""
        mask = self.description.write_mask
        return tuple(i for i in _COMPONENTS if mask >> i & 1 and self.format.channel(_LETTERS[i]))

    @property
    def unit_masks(self) -> tuple[int, ...]:
        """The bits of each unit that are written; those without meaning (X) are if any is."""
        size, count = units(self.format)
        masks = [0] * count
        letters = {_LETTERS[i] for i in self.written}
        for channel in self.format.channels:
            if letters and (channel.component in letters or channel.component == "x"):
                unit, shift = divmod(channel.shift, 8 * size)
                masks[unit] |= (1 << channel.bits) - 1 << shift
        return tuple(masks)

    @property
    def reads_destination(self) -> bool:
        """Whether what is stored must be known before."""
        if not self.written:
            return False
        full = (1 << 8 * units(self.format)[0]) - 1
        if any(0 < mask < full for mask in self.unit_masks):
            return True
        if self.blends:
            return any(uses_destination(self.description, self.format, i) for i in self.written)
        return self.has_logic and uses_destination_bits(LogicOp(self.description.logic_op))


def check_target(description: RenderTargetBlendDesc, format_: Format, slot: int) -> None:
    """Refuse a state that a target cannot have.

    Raises:
        ResourceError: logic operations in a target that is not of UINT components.
    """
    if description.logic_op_enable and not has_logic_operations(format_):
        raise ResourceError(
            f"render target {slot}: found format {format_.name} with logic_op_enable, "
            "wanted a UINT format"
        )


def destination_color(format_: Format, words: Bits) -> tuple[Value, ...]:
    """Return the colour of a texel (float32), linear; missing components are 0, 0, 0, 1."""
    return tuple(bitcast(component, F32) for component in unpack(format_, words))


def encoded(format_: Format, components: Bits, rules: Rules | None = None) -> tuple[Value, ...]:
    """Return the units of a texel from the bits of red, green, blue, alpha; X bits are ones.

    It clamps, as clears do, too: integers by value, normalised numbers to their range.
    """
    usual = D3D9 if format_.is_of_direct3d9 else D3D10
    words = pack(format_, components, usual if rules is None else rules)
    size, _ = units(format_)
    found = list(words)
    for channel in format_.channels:
        if channel.component == "x":
            unit, shift = divmod(channel.shift, 8 * size)
            found[unit] = found[unit] | ((1 << channel.bits) - 1 << shift)
    return tuple(found)


def merged(
    rule: TargetRule,
    source: Bits,
    stored: Bits,
    factor: Sequence[Value],
    second: Bits | None = None,
) -> tuple[Value, ...]:
    """Return the units of a covered sample after an output is merged into it.

    Units that have no bit in rule.unit_masks must not be stored: without `stored` they are 0.

    Args:
        rule: what is fixed.
        source: uint32, bits of red, green, blue, alpha as the shader wrote them.
        stored: uint32, the sample's units; may be () where rule.reads_destination is false.
        factor: float32, the four blend factors.
        second: uint32, the shader's second output, for dual-source blending.
    """
    if not rule.written:
        return tuple(stored)
    if rule.blends:
        words = encoded(rule.format, _blended(rule, source, stored, factor, second))
    elif rule.has_logic:
        operation = LogicOp(rule.description.logic_op)
        bits = encoded(rule.format, source, _BITS)
        before = stored or bits
        words = tuple(logic_result(operation, s, d) for s, d in zip(bits, before, strict=True))
    else:
        words = encoded(rule.format, source)
    full = (1 << 8 * units(rule.format)[0]) - 1
    found: list[Value] = []
    for n, (word, mask) in enumerate(zip(words, rule.unit_masks, strict=True)):
        if mask == full:
            # Inverting operations reach beyond a unit of less than 32 bits.
            found.append(word & full if rule.has_logic else word)
        elif mask:
            found.append((stored[n] & (full & ~mask)) | (word & mask))
        else:
            found.append(stored[n] if stored else word.like(0))
    return tuple(found)


def _blended(
    rule: TargetRule, source: Bits, stored: Bits, factor: Sequence[Value], second: Bits | None
) -> list[Value]:
    """Return the bits of the blended components; of others that are not written, 0."""
    format_ = rule.format
    first = [clamped(format_, bitcast(s, F32)) for s in source]
    other = [clamped(format_, bitcast(s, F32)) for s in second] if second is not None else first
    weights = [clamped(format_, f) for f in factor]
    zero = source[0].like(0)
    before = destination_color(format_, stored) if stored else [bitcast(zero, F32)] * 4
    colors = Colors(first, before, weights, other)
    return [
        bitcast(blended(rule.description, format_, colors, i), U32) if i in rule.written else zero
        for i in _COMPONENTS
    ]
