"""What a run executes: invocations in groups, each of which is handed out as a whole.

Those of a dispatch are the threads of its groups. Those of a batch are lanes, vertices or pixels,
which come with inputs: groups of one, for whoever counts and names groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.value import Value
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.machine import InputComponent, Place
from softd3d.isa.sm4.enums import ProgramType

__all__ = ["QUAD", "Interpolate", "Invocations", "Lanes", "ThreadGroups", "lanes_together"]

QUAD = 4
"""Lanes of two by two pixels: neighbours, x before y."""


def lanes_together(stage: ProgramType) -> int:
    """Return how many lanes of a stage are executed together, whether they count or not."""
    return QUAD if stage is ProgramType.PS else 1


Interpolate: TypeAlias = "Callable[[slice, InputComponent, Place, tuple[Value, ...]], Value]"
"""From invocations to an input of theirs at a place, uint32."""


class Invocations(Protocol):
    """groups: how many there are, in x, y and z. group_size: the invocations of one.

    interpolate: how pixels evaluate inputs at other places; None where there is no draw.
    """

    @property
    def interpolate(self) -> Interpolate | None: ...

    @property
    def groups(self) -> tuple[int, int, int]: ...

    @property
    def group_size(self) -> tuple[int, int, int]: ...

    @property
    def total(self) -> int:
        """All groups."""
        ...

    def inputs(self, first: int, lanes: int) -> Mapping[str, NDArray[np.uint32]]:
        """Return the inputs of `lanes` invocations from the first of a group on, by name."""
        ...


@dataclass(frozen=True, slots=True)
class ThreadGroups:
    """The threads of a dispatch. Inputs: `group.x`, `local.x` and so on, and `flat`."""

    groups: tuple[int, int, int]
    group_size: tuple[int, int, int]

    @property
    def interpolate(self) -> Interpolate | None:
        return None

    @property
    def total(self) -> int:
        x, y, z = self.groups
        return x * y * z

    def inputs(self, first: int, lanes: int) -> Mapping[str, NDArray[np.uint32]]:
        x, y, z = self.group_size
        number = np.arange(lanes, dtype=np.int64)
        group, flat = np.divmod(number, x * y * z)
        found = {"flat": flat.astype(np.uint32)}
        for name, numbers, size in (
            ("group", group + first, self.groups), ("local", flat, self.group_size),
        ):  # fmt: skip
            for component, value in zip("xyz", _coordinates(numbers, size), strict=True):
                found[f"{name}.{component}"] = value.astype(np.uint32)
        return found


def _coordinates(
    number: NDArray[np.int64], size: tuple[int, int, int]
) -> tuple[NDArray[np.int64], ...]:
    rest, x = np.divmod(number, size[0])
    z, y = np.divmod(rest, size[1])
    return x, y, z


@dataclass(frozen=True, slots=True)
class Lanes:
    """So many lanes. given: their inputs by name, such as `v0.x`; uint32, (count,) each."""

    count: int
    given: Mapping[str, NDArray[np.uint32]]
    interpolate: Interpolate | None = None

    def __post_init__(self) -> None:
        for name, array in self.given.items():
            if array.shape != (self.count,) or array.dtype != np.uint32:
                found = f"{array.dtype} {array.shape}"
                raise ResourceError(f"input {name}: found {found}, wanted uint32 ({self.count},)")

    @property
    def groups(self) -> tuple[int, int, int]:
        return self.count, 1, 1

    @property
    def group_size(self) -> tuple[int, int, int]:
        return 1, 1, 1

    @property
    def total(self) -> int:
        return self.count

    def inputs(self, first: int, lanes: int) -> Mapping[str, NDArray[np.uint32]]:
        """Return inputs as said; those of lanes beyond the last one are 0."""
        missing = max(0, first + lanes - self.count)
        parts = {name: array[first : first + lanes] for name, array in self.given.items()}
        return {n: np.pad(a, (0, missing)) for n, a in parts.items()} if missing else parts
