"""Depth-stencil surfaces: views of two-dimensional NumPy arrays of raw texels, never copies."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.numpy_algebra import NumpyAlgebra
from softd3d.algebra.value import U32
from softd3d.errors import ResourceError
from softd3d.formats.depth_stencil import (
    DepthStencilFormat,
    channel_code,
    depth_number,
    depth_stencil_format,
)
from softd3d.formats.layout import Channel, ChannelType
from softd3d.resources.views.descriptor import check_array

__all__ = ["Surface"]

_FLOAT32_BITS = 32


class Surface:
    """A depth-stencil surface over the caller's array, which copies to it change.

    >>> surface = Surface(np.full((2, 2), 0x800000FF, np.uint32), "D24S8")
    >>> surface
    Surface(2 x 2, D24S8)
    >>> surface.stencil.tolist()
    [[255, 255], [255, 255]]
    """

    def __init__(self, array: NDArray[Any], format_: str | int | DepthStencilFormat) -> None:
        """Wrap `array`, (height, width), with any strides.

        Args:
            array: unsigned integers as large as a texel; for D32F_LOCKABLE float32 does as well.
            format_: by name or number, see `depth_stencil_format`.

        Raises:
            ResourceError: another dtype or shape, nothing in it, or no such format.
        """
        self.format = depth_stencil_format(format_)
        name = f"Surface of {self.format.name}"
        check_array(array, name)
        allowed = _dtypes(self.format)
        if array.ndim != 2 or array.dtype not in allowed or 0 in array.shape:
            wanted = " or ".join(str(dtype) for dtype in allowed)
            shape = " x ".join(str(n) for n in array.shape)
            raise ResourceError(
                f"{name}: found {array.dtype} of shape ({shape}), wanted {wanted} (height, width)"
            )
        self.array = array

    @property
    def width(self) -> int:
        return self.array.shape[1]

    @property
    def height(self) -> int:
        return self.array.shape[0]

    @property
    def texels(self) -> NDArray[Any]:
        """The texels as unsigned integers, (height, width): the same memory as the array."""
        return np.asarray(self.array).view(f"<u{self.format.bytes_per_texel}")

    @property
    def depth_codes(self) -> NDArray[np.uint32]:
        """A copy of the depth channel's bits, (height, width).

        Raises:
            ResourceError: the format has no depth.
        """
        return self._codes(self.format.depth, "depth")

    @property
    def depth(self) -> NDArray[np.float64]:
        """The depths as numbers, (height, width), a copy.

        An integer is the code over the largest code, in [0, 1]; a float is what it is.

        Raises:
            ResourceError: the format has no depth.
        """
        codes, channel = self.depth_codes, cast("Channel", self.format.depth)
        if channel.type is ChannelType.FLOAT:
            value = depth_number(channel, NumpyAlgebra().lanes(U32, codes))
            with np.errstate(invalid="ignore"):  # signalling NaNs become quiet
                return value.raw.view(np.float32).astype(np.float64)
        return codes / ((1 << channel.bits) - 1)

    @property
    def stencil(self) -> NDArray[np.uint8]:
        """A copy of the stencil channel, (height, width).

        Raises:
            ResourceError: the format has no stencil.
        """
        return self._codes(self.format.stencil, "stencil").astype(np.uint8)

    def _codes(self, channel: Channel | None, what: str) -> NDArray[np.uint32]:
        if channel is None:
            raise ResourceError(f"format {self.format.name} has no {what} channel")
        texels = NumpyAlgebra().lanes(U32, self.texels.astype(np.uint32))
        return channel_code(self.format, channel, texels).raw

    def __repr__(self) -> str:
        return f"Surface({self.width} x {self.height}, {self.format.name})"


def _dtypes(format_: DepthStencilFormat) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes that texels may have."""
    whole = np.dtype(f"<u{format_.bytes_per_texel}")
    depth = format_.depth
    if depth is not None and depth.type is ChannelType.FLOAT and depth.bits == _FLOAT32_BITS:
        return np.dtype("<f4"), whole
    return (whole,)
