"""Compile straight-line programs of SM1-3 and run them, one lane a thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import dtype_of
from softd3d.algebra.value import BOOL
from softd3d.isa.sm1.profile import Profile
from softd3d.isa.sm1.program import Program
from softd3d.jit.engine import compile_graph
from softd3d.lower.sm1_evaluate import Key, type_of
from softd3d.lower.sm1_record import GROUP, record
from softd3d.lower.sm1_values import Values
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.resources.views.descriptor import Descriptor, describe

__all__ = ["run9"]


@dataclass(frozen=True, slots=True)
class _Buffers:
    """The bindings of a run."""

    descriptors: tuple[Descriptor, ...]
    constants: tuple[NDArray[np.uint32], ...] = ()


def run9(
    program: Program, profile: Profile, values: Values, *, lanes: int = 0
) -> dict[Key, NDArray[Any]]:
    """Return the last contents of each component that is written, (lanes,) each.

    lanes: invocations side by side (4, 8, 16), 0 for what suits the machine.

    Raises:
        LoweringError, DecodeError: as `Evaluator.run`.
    """
    recording = record(program, profile)
    kernel = compile_graph(recording.graph, recording.declarations, lanes=lanes)
    groups = -(-values.lanes // GROUP)
    inputs = [_padded(values.component(key), groups * GROUP) for key in recording.inputs]
    outputs = [np.zeros(groups * GROUP, np.uint32) for _ in recording.outputs]
    read = [_words(values.constants), _words(values.bump_matrices), *inputs]
    buffers = _Buffers(tuple(describe(RawBuffer(array)) for array in (*read, *outputs)))
    kernel.run(buffers, (groups, 1, 1))
    return {
        key: _typed(key, array[: values.lanes], program)
        for key, array in zip(recording.outputs, outputs, strict=True)
    }


def _words(array: NDArray[Any]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint32)


def _padded(array: NDArray[Any], count: int) -> NDArray[np.uint32]:
    """Return a component's bits for `count` lanes; those beyond the array's are 0."""
    found = np.zeros(count, np.uint32)
    source = array.astype(np.uint32) if array.dtype == np.bool_ else array.view(np.uint32)
    found[: array.size if array.ndim else count] = source
    return found


def _typed(key: Key, array: NDArray[np.uint32], program: Program) -> NDArray[Any]:
    type_ = type_of(key[0], program.type)
    return array != 0 if type_ is BOOL else array.view(dtype_of(type_))
