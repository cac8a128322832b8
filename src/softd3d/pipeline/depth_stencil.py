"""Depth and stencil tests of one sample, over the algebra. Spec: D3D11.3 sections 17.8 to 17.12.

A stored depth is a uint32: the code of a UNORM format, the bits of a float. A rule says what is
fixed when a program is made, so that only the operations that it needs are recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

from softd3d.algebra.operations import bitcast, select
from softd3d.algebra.value import BOOL, F32, I32, U32, Value
from softd3d.classes import dataclass
from softd3d.formats.codec import units
from softd3d.formats.layout import Channel, ChannelType, Format
from softd3d.formats.rules import D3D10
from softd3d.isa.sampling.comparison import compare
from softd3d.isa.sampling.state import ComparisonFunc
from softd3d.pipeline.state.depth_stencil import DepthStencilOpDesc, DepthStencilState
from softd3d.pipeline.state.enums import DepthWriteMask, StencilOp

__all__ = [
    "DepthStencilOutcome",
    "DepthStencilRule",
    "clamped_depth",
    "depth_code",
    "depth_passes",
    "depth_stencil_codes",
    "depth_stencil_test",
    "depth_stencil_words",
    "stencil_after",
    "stencil_passes",
]

Facing = bool | Value  # the same for all lanes, or of each
_BYTE = 0xFF  # most formats have so many bits of stencil
_WORD = 32
_ALL_BITS = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class DepthStencilRule:
    """The tests of a draw. format: of the bound view, None if there is none."""

    state: DepthStencilState
    format: Format | None
    read_only_depth: bool = False
    read_only_stencil: bool = False

    @property
    def tests_depth(self) -> bool:
        return self.state.depth_enable and self.format is not None and self.format.depth_bits > 0

    @property
    def tests_stencil(self) -> bool:
        has_stencil = self.format is not None and self.format.stencil_bits > 0
        return self.state.stencil_enable and has_stencil

    @property
    def writes_depth(self) -> bool:
        is_written = self.state.depth_write_mask is DepthWriteMask.ALL
        return self.tests_depth and is_written and not self.read_only_depth

    @property
    def writes_stencil(self) -> bool:
        ops = {op for face in self._faces for op in _ops(face)}
        changes = self.state.stencil_write_mask > 0 and ops != {StencilOp.KEEP}
        return self.tests_stencil and changes and not self.read_only_stencil

    @property
    def is_needed(self) -> bool:
        """Whether anything can fail or be written."""
        return self.tests_depth or self.tests_stencil

    @property
    def most_stencil(self) -> int:
        """The largest stencil value; formats of Direct3D 9 may have one or four bits of it."""
        bits = 0 if self.format is None else self.format.stencil_bits
        return (1 << bits) - 1 if bits else _BYTE

    @property
    def _faces(self) -> tuple[DepthStencilOpDesc, DepthStencilOpDesc]:
        return self.state.front_face, self.state.back_face


@dataclass(frozen=True, slots=True)
class DepthStencilOutcome:
    """passed: BOOL, also covered. depth, stencil: uint32, what is stored after it."""

    passed: Value
    depth: Value
    stencil: Value


def clamped_depth(z: Value, min_depth: Value, max_depth: Value) -> Value:
    """Return min(max_depth, max(min_depth, z)), float32; NaN becomes min_depth.

    It applies always: to interpolated depths, after the bias, and to those of the pixel shader. The
    limits are those of a Viewport: no denormals and no -0, so nothing needs a flush.
    """
    z = select(z > min_depth, z, min_depth)
    return select(z < max_depth, z, max_depth)


def depth_code(format_: Format, z: Value) -> Value:
    """Return a clamped depth (float32) as a depth buffer stores it, uint32."""
    channel = format_.channel("d")
    if channel is None:
        return bitcast(z, U32).like(0)
    return D3D10.from_component[channel.type](bitcast(z, U32), channel.bits)


def depth_stencil_codes(format_: Format, words: Sequence[Value]) -> tuple[Value, Value]:
    """Return depth and stencil (uint32; 0 if there is none) from a sample's storage units."""
    depth, stencil = (format_.channel(component) for component in "ds")
    return (
        words[0].like(0) if depth is None else _extracted(format_, depth, words),
        words[0].like(0) if stencil is None else _extracted(format_, stencil, words),
    )


def depth_stencil_words(
    format_: Format, depth: Value, stencil: Value, words: Sequence[Value]
) -> tuple[Value, ...]:
    """Return the storage units of a sample; bits that mean nothing stay as in `words`."""
    size, _ = units(format_)
    found = list(words)
    kept = [_ALL_BITS >> 32 - 8 * size] * len(found)
    parts: list[list[Value]] = [[] for _ in found]
    for component, code in (("d", depth), ("s", stencil)):
        channel = format_.channel(component)
        if channel is None:
            continue
        unit, shift = divmod(channel.shift, 8 * size)
        kept[unit] &= ~((1 << channel.bits) - 1 << shift)
        parts[unit].append(code << shift if shift else code)
    for unit, codes in enumerate(parts):
        if kept[unit]:
            codes.append(words[unit] & kept[unit])
        found[unit] = codes[0]
        for code in codes[1:]:
            found[unit] = found[unit] | code
    return tuple(found)


def depth_passes(function: ComparisonFunc, format_: Format, new: Value, stored: Value) -> Value:
    """Return whether (BOOL) the code of a new depth compares with the stored one."""
    channel = _channel(format_, "d")
    type_ = I32  # codes of up to 31 bits, and those of floats of 24, are in the order of integers
    if channel.bits == _WORD:
        type_ = F32 if channel.type is ChannelType.FLOAT else U32
    return compare(function, bitcast(new, type_), bitcast(stored, type_))


def stencil_passes(
    function: ComparisonFunc, read_mask: int, reference: Value, stored: Value
) -> Value:
    """Return whether (BOOL) the masked reference compares with the masked stencil value."""
    if read_mask != _BYTE:
        reference, stored = reference & read_mask, stored & read_mask
    return compare(function, bitcast(reference, I32), bitcast(stored, I32))


def stencil_after(
    operation: StencilOp, reference: Value, stored: Value, most: int = _BYTE
) -> Value:
    """Return what an operation makes of a stencil value, before the write mask; uint32.

    most: the largest value, all bits of it ones.
    """
    match operation:
        case StencilOp.KEEP:
            return stored
        case StencilOp.ZERO:
            return stored.like(0)
        case StencilOp.REPLACE:
            return reference
        case StencilOp.INCR_SAT:
            return select(stored < most, stored + 1, stored)
        case StencilOp.DECR_SAT:
            return select(stored.ne(0), stored - 1, stored)
        case StencilOp.INVERT:
            return stored ^ most
        case StencilOp.INCR:
            return stored + 1 & most
        case StencilOp.DECR:
            return stored - 1 & most


def depth_stencil_test(
    rule: DepthStencilRule, depth: Value, stored_depth: Value, stored_stencil: Value,
    reference: Value, is_front: Facing, covered: Value,
) -> DepthStencilOutcome:  # fmt: skip
    """Test one sample, and return what is stored then.

    Args:
        rule: what is fixed.
        depth: uint32, `depth_code` of the sample's clamped depth.
        stored_depth: uint32, as `depth_stencil_codes` returns it.
        stored_stencil: uint32, likewise.
        reference: uint32, StencilRef or what the pixel shader gives; its low bits count, as many as
            the format has.
        is_front: BOOL, which face's description counts; True for lines and points.
        covered: BOOL; other samples keep what they have.
    """
    state = rule.state
    in_front = covered
    if rule.tests_depth and rule.format is not None:
        function = ComparisonFunc(state.depth_func)
        in_front = depth_passes(function, rule.format, depth, stored_depth)
    passed, stencil = in_front, stored_stencil
    if rule.tests_stencil:
        always = in_front if rule.tests_depth else in_front.k.const(BOOL, 1)
        holds, stencil = _stencil(
            rule, reference & rule.most_stencil, stored_stencil, always, is_front
        )
        passed = holds & always
        stencil = (
            select(covered, stencil, stored_stencil) if rule.writes_stencil else stored_stencil
        )
    if rule.tests_depth or rule.tests_stencil:
        passed = passed & covered
    new = select(passed, depth, stored_depth) if rule.writes_depth else stored_depth
    return DepthStencilOutcome(passed, new, stencil)


def _stencil(
    rule: DepthStencilRule, reference: Value, stored: Value, in_front: Value, is_front: Facing
) -> tuple[Value, Value]:
    """Return whether the stencil test passes, and the new stencil value of a covered sample."""
    state = rule.state
    faces = (state.front_face, state.back_face)
    if isinstance(is_front, bool):
        faces = (faces[0 if is_front else 1],)
    found = [
        _face(state, face, reference, stored, in_front, rule.most_stencil)
        for face in dict.fromkeys(faces)
    ]
    if len(found) == 1 or isinstance(is_front, bool):
        return found[0]
    (a, first), (b, second) = found
    return select(is_front, a, b), select(is_front, first, second)


def _face(
    state: DepthStencilState, face: DepthStencilOpDesc, reference: Value, stored: Value,
    in_front: Value, most: int,
) -> tuple[Value, Value]:  # fmt: skip
    function = ComparisonFunc(face.stencil_func)
    holds = stencil_passes(function, state.stencil_read_mask, reference, stored)
    fail, depth_fail, passes = (stencil_after(op, reference, stored, most) for op in _ops(face))
    new = select(holds, select(in_front, passes, depth_fail), fail)
    mask = state.stencil_write_mask
    return holds, new if mask == _BYTE else (stored & (most & ~mask)) | (new & mask)


def _ops(face: DepthStencilOpDesc) -> tuple[StencilOp, StencilOp, StencilOp]:
    return (
        StencilOp(face.stencil_fail_op),
        StencilOp(face.stencil_depth_fail_op),
        StencilOp(face.stencil_pass_op),
    )


def _channel(format_: Format, component: str) -> Channel:
    channel = format_.channel(component)
    if channel is None:
        raise TypeError(f"format {format_.name} has no {component}")
    return channel


def _extracted(format_: Format, channel: Channel, words: Sequence[Value]) -> Value:
    bits = 8 * units(format_)[0]
    unit, shift = divmod(channel.shift, bits)
    word = words[unit] >> shift if shift else words[unit]
    return word if shift + channel.bits == bits else word & ((1 << channel.bits) - 1)
