"""Where the memory of a bound array was when it was described, and whether it is still there.

NumPy lets an array be resized although views of it exist (`refcheck=False`), which frees what a
resource points to. Native code cannot notice that, so it is looked at before each run.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.errors import ResourceError

__all__ = ["Held", "Origin", "check_memory", "origin_of"]


@dataclass(frozen=True, slots=True)
class Origin:
    """array: the caller's. owner: the array whose memory it is; address and bytes: as they were."""

    array: NDArray[Any]
    owner: NDArray[Any]
    address: int
    bytes: int

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies have memory of their own, elsewhere."""
        return origin_of, (self.array, self.owner)


@dataclass(frozen=True, slots=True)
class Held:
    """Memory that runs use. what: its name in errors. is_written: by them."""

    origin: Origin
    what: str
    is_written: bool


def check_memory(held: Iterable[Held]) -> None:
    """Refuse arrays that no longer are what was described; before each run.

    Raises:
        ResourceError: their memory has moved or has another size now, or is written to and has been
            made read-only.
    """
    for one in held:
        origin, owner = one.origin, one.origin.owner
        if _address(owner) != origin.address or owner.nbytes != origin.bytes:
            raise ResourceError(
                f"{one.what}: the array's memory has been resized or replaced since the resource "
                f"was made of it (it had {origin.bytes} bytes, now {owner.nbytes}); make a new "
                "resource"
            )
        if one.is_written and not origin.array.flags.writeable:
            raise ResourceError(
                f"{one.what}: the array has been made read-only since the resource was made of it, "
                "which a UAV cannot be"
            )


def origin_of(array: NDArray[Any], data: NDArray[Any] | None = None) -> Origin:
    """Return where the memory of `data`, by default the array itself, is now."""
    owner = array if data is None else data
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return Origin(array, owner, _address(owner), owner.nbytes)


def _address(array: NDArray[Any]) -> int:
    return array.__array_interface__["data"][0]  # several times as fast as array.ctypes
