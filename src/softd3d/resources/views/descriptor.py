"""What both engines need to know of a bound resource, whatever kind it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import Format
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.views.origin import Origin

__all__ = [
    "MAX_BYTES",
    "Bindable",
    "Decoded",
    "Descriptor",
    "byte_view",
    "check_array",
    "describe",
    "refresh",
]

MAX_BYTES = (1 << 31) - 4  # byte offsets inside a view stay below 2**31
_ALIGNMENT = 4


class Decoded(Protocol):
    """What a shader reads in place of texels that share blocks, 4:2:2 units or bytes.

    format: that of the view. source: the memory of which `refresh` makes the view's data.
    """

    @property
    def format(self) -> Format: ...

    @property
    def source(self) -> NDArray[np.uint8]: ...

    def refresh(self) -> None:
        """Make the data what the source's memory says now."""
        ...


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A view at run time; the numbers are those of `isa.machine.Info` and `MipInfo`.

    data: uint8, (bytes,), the caller's memory from the view's start. mips: (offset, row pitch,
    slice pitch) in bytes for each level; empty for buffers. array_size: slices; cubes of a cube
    array. counter: uint32, (1,), of a UAV that has one. writable: whether it can be a UAV.
    decoded: where data is no memory of the caller's; see `resources/texels/decoded.py`. min_lod:
    the least level of detail that shaders may read, counted from the first level here. origin: of
    the memory, None for what is unbound.
    """

    data: NDArray[np.uint8]
    size: int
    count: int
    stride: int
    width: int
    height: int
    depth: int
    array_size: int
    mip_count: int
    sample_count: int
    array_pitch: int
    mips: tuple[tuple[int, int, int], ...]
    format: Format | None
    kind: ViewKind
    dimension: ResourceDimension
    counter: NDArray[np.uint32] | None
    writable: bool
    decoded: Decoded | None = None
    min_lod: float = 0.0
    origin: Origin | None = None
    standard_samples: int = 1

    @property
    def view_format(self) -> Format | None:
        """The format that the view was given; `format` is that of data."""
        return self.format if self.decoded is None else self.decoded.format


@runtime_checkable
class Bindable(Protocol):
    """Anything that can be bound to a t# or u#; its description is made once."""

    def describe(self) -> Descriptor: ...


def describe(resource: object) -> Descriptor:
    """Return the run-time description of a resource.

    Raises:
        ResourceError: not a resource.
    """
    if isinstance(resource, Bindable):
        return resource.describe()
    raise ResourceError(
        f"found {type(resource).__name__}, wanted an array, or a buffer or texture of softd3d "
        "(RawBuffer, StructuredBuffer, TypedBuffer, Texture2D, ...)"
    )


def refresh(descriptors: Iterable[Descriptor]) -> None:
    """Make decoded copies what their sources say now; to be called before each run."""
    for descriptor in descriptors:
        if descriptor.decoded is not None:
            descriptor.decoded.refresh()


def byte_view(array: NDArray[Any], what: str) -> NDArray[np.uint8]:
    """Return the bytes of an array without copying.

    Raises:
        ResourceError: not an array, not contiguous, too large, not aligned to 4 bytes, of Python
            objects, or of numbers in big-endian order.
    """
    check_array(array, what)
    if not array.flags.c_contiguous:
        raise ResourceError(
            f"{what}: found an array that is not C-contiguous, which cannot be shared; "
            "wanted e.g. numpy.ascontiguousarray of it"
        )
    if array.nbytes > MAX_BYTES:
        raise ResourceError(f"{what}: found {array.nbytes} bytes, wanted at most {MAX_BYTES}")
    if array.size and array.ctypes.data % _ALIGNMENT:
        raise ResourceError(
            f"{what}: the array's memory starts {array.ctypes.data % _ALIGNMENT} bytes after a "
            f"multiple of {_ALIGNMENT}, wanted it aligned"
        )
    return np.asarray(array).reshape(-1).view(np.uint8)


def check_array(array: object, what: str) -> None:
    """Refuse what is not an array of little-endian numbers.

    Raises:
        ResourceError: as said.
    """
    if not isinstance(array, np.ndarray):
        raise ResourceError(f"{what}: found {type(array).__name__}, wanted a NumPy array")
    dtype = cast("NDArray[Any]", array).dtype
    if not dtype.itemsize:
        raise ResourceError(f"{what}: found {dtype}, whose items have no bytes, wanted numbers")
    if dtype.hasobject:
        raise ResourceError(f"{what}: found an array of Python objects, wanted numbers")
    if dtype != dtype.newbyteorder("<"):
        raise ResourceError(f"{what}: found big-endian {dtype}, wanted little-endian numbers")
