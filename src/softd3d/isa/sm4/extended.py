"""What extended opcode tokens say, and the tokens that say it."""

from __future__ import annotations

from softd3d.isa.record import Memo
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import ExtendedOpcodeType, ResourceDimension, ReturnType

__all__ = ["NOTHING_SAID", "SAID", "extended_tokens", "read_extended"]

_MORE = 1 << 31

_Said = tuple[tuple[int, int, int], ResourceDimension | None, int, tuple[ReturnType, ...]]


def read_extended(extended: tuple[int, ...]) -> _Said:
    """Return the texel offsets, dimension, stride and return types that extended tokens state."""
    offsets, dimension, stride, types = (0, 0, 0), None, 0, ()
    for token in extended:
        kind = t.EXTENDED_OPCODE_TYPE.get(token)
        if kind == ExtendedOpcodeType.SAMPLE_CONTROLS:
            u, v, w = (field.get(token) for field in t.TEXEL_OFFSETS)
            offsets = u, v, w
        elif kind == ExtendedOpcodeType.RESOURCE_DIM:
            dimension = ResourceDimension(t.EXTENDED_DIMENSION.get(token))
            stride = t.EXTENDED_STRIDE.get(token)
        elif kind == ExtendedOpcodeType.RESOURCE_RETURN_TYPE:
            types = tuple(ReturnType(field.get(token)) for field in t.EXTENDED_RETURN_TYPES)
    return offsets, dimension, stride, types


NOTHING_SAID = read_extended(())
SAID: Memo[tuple[int, ...], _Said] = Memo(read_extended, 1 << 12)
"""`read_extended` of all that has been seen."""


def extended_tokens(
    offsets: tuple[int, int, int] | None,
    dimension: ResourceDimension | None,
    stride: int,
    return_types: tuple[ReturnType, ...],
) -> tuple[int, ...]:
    """Return the extended opcode tokens that say this; offsets of 0 are said too, None is not.

    Raises:
        ValueError: an offset is outside -8 to 7, or a number does not fit its field.
    """
    words: list[int] = []
    if offsets is not None:
        token = int(ExtendedOpcodeType.SAMPLE_CONTROLS)
        for field, offset in zip(t.TEXEL_OFFSETS, offsets, strict=True):
            try:
                token |= field.put(offset)
            except ValueError as error:
                raise ValueError(f"texel offset {error}") from None
        words.append(token)
    if dimension is not None:
        token = t.EXTENDED_DIMENSION.put(dimension) | t.EXTENDED_STRIDE.put(stride)
        words.append(ExtendedOpcodeType.RESOURCE_DIM | token)
    if return_types:
        token = int(ExtendedOpcodeType.RESOURCE_RETURN_TYPE)
        for field, kind in zip(t.EXTENDED_RETURN_TYPES, return_types, strict=True):
            token |= field.put(kind)
        words.append(token)
    return tuple(word | _MORE for word in words[:-1]) + tuple(words[-1:])
