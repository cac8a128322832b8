"""Numbers in the listing of an effect: initial values of variables, and constants of states."""

from __future__ import annotations

from collections.abc import Callable

from softd3d.container.effects.d3d10.enums import ScalarType
from softd3d.container.effects.d3d10.states import EffectStateInfo, StateType
from softd3d.container.effects.d3d10.values import EffectConstant
from softd3d.isa.asm.numbers import hex_text, integer_text
from softd3d.isa.asm.sm1.numbers import float_text

__all__ = ["constants_text", "value_text"]

_LARGEST_DECIMAL = 10000
_SMALLEST_INT = 0x80000000


def value_text(scalar: ScalarType | None, dwords: tuple[int, ...]) -> str:
    """Return an initial value: equal numbers once. scalar: None for a structure, written in hex."""
    write = hex_text if scalar is None else _WRITERS[scalar]
    texts = [write(bits) for bits in (dwords[:1] if len(set(dwords)) == 1 else dwords)]
    return texts[0] if len(dwords) == 1 else f"{{ {', '.join(texts)} }}"


def constants_text(info: EffectStateInfo, constants: tuple[EffectConstant, ...]) -> str:
    """Return what is assigned to a state that is no object."""
    columns = str(len(constants)) if len(constants) > 1 else ""
    return f"{info.type}{columns}({', '.join(_constant(info, c) for c in constants)})"


def _constant(info: EffectStateInfo, constant: EffectConstant) -> str:
    is_integer = constant.type in (ScalarType.INT, ScalarType.UINT)
    if info.type is StateType.BYTE and is_integer:
        return f"0x{constant.bits & 0xFF:02x}"
    text = _WRITERS[constant.type](constant.bits)
    name = info.names.get(constant.bits)
    return text if name is None else f"{name} /* {text} */"


def _int_text(bits: int) -> str:
    return "-2147483648" if bits == _SMALLEST_INT else integer_text(bits)


def _uint_text(bits: int) -> str:
    return str(bits) if bits <= _LARGEST_DECIMAL else hex_text(bits)


def _bool_text(bits: int) -> str:
    return "true" if bits else "false"


_WRITERS: dict[ScalarType, Callable[[int], str]] = {
    ScalarType.FLOAT: float_text,
    ScalarType.INT: _int_text,
    ScalarType.UINT: _uint_text,
    ScalarType.BOOL: _bool_text,
}
