"""What a straight-line program of SM1-3 starts with: arrays for both engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import dtype_of
from softd3d.isa.sm1.enums import ProgramType, RegisterType
from softd3d.lower.sm1_evaluate import Key, type_of

__all__ = ["Values"]

# What vertex elements and pixel shader inputs are that nobody supplies
_MISSING = (0.0, 0.0, 0.0, 1.0)
_SUPPLIED = frozenset({RegisterType.INPUT, RegisterType.TEXTURE})


@dataclass(frozen=True, slots=True)
class Values:
    """First contents of registers.

    stage: whose registers they are. lanes: how many invocations. registers: arrays (lanes, 4), or
    (4,) for what all lanes share, of float32; int32 for a0 and aL, bool for p0. constants: float32,
    (count, 4), what the shader defines included. bump_matrices: float32, (stages, 4):
    D3DTSS_BUMPENVMAT00, 01, 10, 11.
    """

    stage: ProgramType
    lanes: int
    registers: Mapping[tuple[RegisterType, int], NDArray[Any]]
    constants: NDArray[np.float32]
    bump_matrices: NDArray[np.float32]

    def component(self, key: Key) -> NDArray[Any]:
        """Return a component, (lanes,) or ().

        What is not given is 0; of v# and t# it is (0, 0, 0, 1).
        """
        type_, number, component = key
        found = self.registers.get((type_, number))
        if found is not None:
            return found[..., component]
        dtype = dtype_of(type_of(type_, self.stage))
        # ADDR shares its number with TEXTURE
        is_supplied = type_ in _SUPPLIED and dtype == np.float32
        return np.array(_MISSING[component] if is_supplied else 0, dtype)
