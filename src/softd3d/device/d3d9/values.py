"""What callers give as states and their values: numbers, members, names; DWORDs of everything.

Spec: win32 IDirect3DDevice9::SetRenderState, ::SetSamplerState, ::SetTextureStageState.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from enum import IntEnum
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import close_words, shown, whole
from softd3d.container.effects.d3d9.states import STATES, StateGroup
from softd3d.container.effects.d3d9.values import StateValues
from softd3d.errors import ResourceError
from softd3d.isa.d3d9.defaults import (
    FLOAT_RENDER_STATES,
    FLOAT_SAMPLER_STATES,
    FLOAT_TEXTURE_STAGE_STATES,
)
from softd3d.isa.d3d9.enums import Blend
from softd3d.isa.d3d9.states import (
    RenderState,
    SamplerStateType,
    TextureStageState,
    TransformState,
)
from softd3d.isa.sm1.limits import WORLD_MATRICES

__all__ = [
    "RENDER", "SAMPLER", "STAGE", "StateTable", "dword", "float_bits", "float_of",
    "floats_of", "transform_number",
]  # fmt: skip

_FLOATS: tuple[type[Any], ...] = (float, np.floating)
_BOOLS: tuple[type[Any], ...] = (bool, np.bool_)
_DWORDS = range(-(1 << 31), 1 << 32)
_MASK = 0xFFFFFFFF
_LISTED = 16  # names that an error shows all of
_LARGEST_FLOAT = 3.4028235677973366e38  # beyond it a float32 is infinite


class StateTable:
    """The states that a call sets.

    count: of numbers that may be stored, used or not. more: names of values, by state, that effects
    do not know.
    """

    def __init__(
        self, numbers: type[IntEnum], group: StateGroup, prefix: str, floats: frozenset[Any],
        count: int, more: Mapping[int, Mapping[str, int]] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self.what = numbers.__name__
        self._more = more
        self.count = count
        self.floats = frozenset(int(state) for state in floats)
        self._prefix = prefix
        self._numbers = {m.name: m.value for m in numbers}
        self._values = {info.target: info.values for info in STATES.values() if info.group is group}

    def number(self, state: object) -> int:
        """Return the number of a state, given by it, as a member, or by name.

        Raises:
            ResourceError: there is none.
        """
        if isinstance(state, str):
            found = self._numbers.get(state)
            if found is None:
                word = state.upper().removeprefix(self._prefix)
                found = self._numbers.get(word)
            if found is None:
                names = list(self._numbers)
                hint = f", wanted {', '.join(names)}"
                hint = hint if len(names) <= _LISTED else close_words(state, names)
                raise ResourceError(f"{self.what}: there is no state {shown(state)}{hint}")
            return found
        if type(state) is int and 0 <= state < self.count:
            return state
        try:
            number = whole(state)
        except TypeError:
            number = -1
        if not 0 <= number < self.count:
            raise ResourceError(
                f"{self.what}: found {shown(state)}, wanted a name such as "
                f"{next(iter(self._numbers))}, or its number"
            )
        return number

    def value(self, number: int, value: object) -> int:
        """Return the DWORD of a value: an integer as it is, a float's bits, a name's number.

        Raises:
            ResourceError: no value, a float for a state of integers, or no such name.
        """
        if type(value) is int and 0 <= value <= _MASK:
            return value
        if isinstance(value, str):
            return self._of_text(number, value)
        if isinstance(value, _FLOATS):
            if number not in self.floats:
                raise ResourceError(
                    f"{self._name(number)}: found {shown(value)}, wanted an integer"
                )
            return float_bits(float(cast("float", value)))
        return dword(value, self._name(number))

    def _name(self, number: int) -> str:
        names = {value: name for name, value in self._numbers.items()}
        return names.get(number, f"{self.what} {number}")

    def _of_text(self, number: int, text: str) -> int:
        """Return the number of names of values, joined by "|"."""
        values = self._values.get(number, StateValues())
        known = {name: bits for part in (values.names, values.flags) for bits, name in part.items()}
        known |= self._more.get(number, {})
        total = 0
        for word in text.upper().split("|"):
            bits = known.get(word.strip().removeprefix(values.prefix))
            if bits is None:
                wanted = ", ".join(known) or "a number"
                raise ResourceError(f"{self._name(number)}: found {shown(text)}, wanted {wanted}")
            total |= bits
        return total


_SECOND = {m.name: m.value for m in (Blend.SRCCOLOR2, Blend.INVSRCCOLOR2)}  # of Direct3D 9Ex
_FACTORS = (
    RenderState.SRCBLEND, RenderState.DESTBLEND, RenderState.SRCBLENDALPHA,
    RenderState.DESTBLENDALPHA,
)  # fmt: skip
RENDER = StateTable(
    RenderState, StateGroup.RENDER, "D3DRS_", FLOAT_RENDER_STATES, 256,
    {int(state): _SECOND for state in _FACTORS},
)  # fmt: skip
SAMPLER = StateTable(SamplerStateType, StateGroup.SAMPLER, "D3DSAMP_", FLOAT_SAMPLER_STATES, 14)
STAGE = StateTable(
    TextureStageState, StateGroup.TEXTURE_STAGE, "D3DTSS_", FLOAT_TEXTURE_STAGE_STATES, 33
)
_TRANSFORMS: Mapping[str, int] = {
    **{m.name: m.value for m in TransformState},
    **{f"WORLD{n}": TransformState.WORLD + n for n in range(1, WORLD_MATRICES)},
    "WORLD0": TransformState.WORLD.value,
}


def transform_number(state: object) -> int:
    """Return the number of a transform: VIEW, PROJECTION, TEXTURE0 to 7, WORLD, WORLD1 to 255.

    Raises:
        ResourceError: there is none.

    >>> transform_number("D3DTS_WORLD1")
    257
    """
    if isinstance(state, str):
        number = _TRANSFORMS.get(state.upper().removeprefix("D3DTS_"), -1)
    else:
        try:
            number = whole(state)
        except TypeError:
            number = -1
    if number not in _NUMBERS_OF_TRANSFORMS:
        raise ResourceError(
            f"transform: found {shown(state)}, wanted VIEW, PROJECTION, TEXTURE0 to TEXTURE7, or "
            "WORLD to WORLD255"
        )
    return number


_NUMBERS_OF_TRANSFORMS = frozenset(_TRANSFORMS.values())


def dword(value: object, what: str) -> int:
    """Return an integer of 32 bits, negative ones in two's complement; True is 1.

    Raises:
        ResourceError: it is none.
    """
    if isinstance(value, _BOOLS):
        return int(bool(value))
    try:
        number = whole(value)
    except TypeError:
        number = 1 << 40
    if number not in _DWORDS:
        raise ResourceError(f"{what}: found {shown(value)}, wanted a DWORD")
    return number & _MASK


def float_bits(value: float) -> int:
    """Return the bits of the nearest float32; what is beyond the largest is infinite."""
    if abs(value) >= _LARGEST_FLOAT:
        value = float("inf") if value > 0 else float("-inf")
    return int.from_bytes(struct.pack("<f", value), "little")


def float_of(word: int) -> float:
    """Return the float32 of a DWORD.

    >>> float_of(0x3F800000)
    1.0
    """
    return struct.unpack("<f", word.to_bytes(4, "little"))[0]


def floats_of(value: object, shape: Sequence[int], what: str) -> NDArray[np.float32]:
    """Return numbers as a float32 array of its own, of a shape, or flat.

    Raises:
        ResourceError: no numbers, or others in number.
    """
    try:
        with np.errstate(all="ignore"):
            found = np.array(value, np.float32)
    except (TypeError, ValueError, OverflowError):
        raise ResourceError(f"{what}: found {shown(value)}, wanted numbers") from None
    size = int(np.prod(shape))
    if found.size != size:
        raise ResourceError(f"{what}: found {found.size} numbers, wanted {size}")
    return found.reshape(tuple(shape))
