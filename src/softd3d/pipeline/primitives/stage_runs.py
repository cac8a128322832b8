"""The memory of runs of hull, domain and geometry shaders, as both engines take it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from softd3d.errors import ResourceError
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.bound import BoundProgram
from softd3d.lower.stage_memory import EMITTED, LANE, PRIMITIVE
from softd3d.pipeline.primitives.records import Numbers
from softd3d.resources.views.descriptor import Descriptor, byte_view

__all__ = ["run_descriptors"]


def run_descriptors(
    bound: BoundProgram, inputs: Mapping[str, Numbers], memory: Sequence[Numbers]
) -> tuple[Descriptor, ...]:
    """Return the descriptors of a run: the shader's own, and behind them stage memory.

    bound: with stage memory. memory: the arrays of `stage_arrays` in their order.

    Raises:
        ResourceError: arrays are missing, not contiguous, too large, or too small for what the
            lanes name.
    """
    arrays = () if bound.stage_memory is None else bound.stage_memory.arrays
    if len(arrays) != len(memory):
        names = ", ".join(array.name for array in arrays) or "none"
        raise ResourceError(f"found {len(memory)} arrays of stage memory, wanted {names}")
    for array, data in zip(arrays, memory, strict=True):
        of = inputs.get(LANE if array.name == EMITTED[0] else PRIMITIVE)
        count = 1 + int(of.max()) if of is not None and of.size else 0
        if data.size < count * array.size:
            raise ResourceError(
                f"{array.name}: found {data.size} words, wanted {array.size} for each of {count}"
            )
    behind = [_described(data, array.name) for array, data in zip(arrays, memory, strict=True)]
    return (*bound.descriptors, *behind)


def _described(data: Numbers, what: str) -> Descriptor:
    """Describe an array as a raw view that is read and written."""
    flat = byte_view(data, what)
    return Descriptor(
        flat, flat.size, flat.size, 1, 0, 0, 1, 1, 1, 1, 0, (), None, ViewKind.RAW,
        ResourceDimension.RAW_BUFFER, None, writable=True,
    )  # fmt: skip
