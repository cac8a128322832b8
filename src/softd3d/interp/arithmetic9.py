"""Interpret straight-line programs of SM1-3 over all lanes at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import F32, Value
from softd3d.isa.sm1.enums import RegisterType
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.program import Program
from softd3d.lower.sm1_evaluate import Evaluator, Key, type_of
from softd3d.lower.sm1_values import Values

__all__ = ["interpret9"]


def interpret9(program: Program, profile: Profile, values: Values) -> dict[Key, NDArray[Any]]:
    """Return the last contents of each component that is written, (lanes,) each.

    Raises:
        LoweringError, DecodeError: as `Evaluator.run`.
    """
    contents = Evaluator(program, profile, _Inputs(values)).run()
    shape = (values.lanes,)
    return {key: np.broadcast_to(value.raw, shape) for key, value in contents.items()}


class _Inputs:
    """First contents as arrays."""

    def __init__(self, values: Values) -> None:
        self.k = NumpyAlgebra()
        self.values = values

    def read(self, type_: RegisterType, number: int, component: int) -> Value:
        array = self.values.component((type_, number, component))
        return self.k.lanes(type_of(type_, self.values.stage), array)

    def constant(self, index: Value, component: int, valid: Value) -> Value:
        inside = np.where(valid.raw, index.raw, 0)
        return self.k.lanes(F32, np.asarray(self.values.constants[inside, component]))

    def bump_matrix(self, stage: int, entry: int) -> Value:
        return self.k.lanes(F32, np.asarray(self.values.bump_matrices[stage, entry]))
