"""Destination and source parameter tokens to records.

A program uses few different parameters, so each is built once per token.
"""

from __future__ import annotations

from functools import lru_cache

from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import RegisterType, ResultModifier, SourceModifier
from softd3d.isa.sm1.program import DestinationParameter, SourceParameter

__all__ = ["destination_parameter", "source_parameter"]


@lru_cache(maxsize=8192)
def source_parameter(token: int, relative: SourceParameter | None) -> SourceParameter:
    """Read a source token; `relative` is what its address token says.

    Raises:
        ValueError: the register type or the modifier is not defined.
    """
    modifier = t.SOURCE_MODIFIER.get(token)
    if modifier > max(SourceModifier):
        raise ValueError(f"modifier {modifier} is not defined")
    x, y, z, w = (field.get(token) for field in t.SWIZZLE)
    return SourceParameter(
        _register_type(token),
        t.REGISTER_NUMBER.get(token),
        (x, y, z, w),
        SourceModifier(modifier),
        relative,
        _reserved(token),
    )


@lru_cache(maxsize=8192)
def destination_parameter(token: int, relative: SourceParameter | None) -> DestinationParameter:
    """Read a destination token; `relative` is what its address token says.

    Raises:
        ValueError: the register type is not defined.
    """
    return DestinationParameter(
        _register_type(token),
        t.REGISTER_NUMBER.get(token),
        t.WRITE_MASK.get(token),
        ResultModifier(t.RESULT_MODIFIER.get(token)),
        t.SHIFT.get(token),
        relative,
        _reserved(token),
    )


def _register_type(token: int) -> RegisterType:
    number = t.REGISTER_TYPE.get(token)
    if number > max(RegisterType):
        raise ValueError(f"register type {number} is not defined")
    return RegisterType(number)


def _reserved(token: int) -> int:
    return (token ^ t.PARAMETER_BITS) & t.PARAMETER_RESERVED
