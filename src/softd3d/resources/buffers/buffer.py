"""Buffers: views of NumPy arrays as raw, structured and typed buffers, never copies.

Spec: D3D11.3 sections 5.1 and 5.3.9 (raw and structured buffers), 7.14 (hidden counters), 14.4
(BufferFilledSize).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.arguments import integer
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import Format, format_named
from softd3d.isa.limits import MAX_STRUCTURE_STRIDE
from softd3d.isa.machine import ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.resources.texels.dtypes import texel_dtypes, wanted_arrays
from softd3d.resources.views.descriptor import Descriptor, byte_view
from softd3d.resources.views.origin import origin_of

__all__ = ["RawBuffer", "StructuredBuffer", "TypedBuffer"]

_DWORD = 4
_MAX_COUNTER = 0xFFFFFFFF


class _Streamed:
    """What all buffers have for stream output."""

    def __init__(self) -> None:
        self.filled: NDArray[np.int64] = np.zeros(1, np.int64)
        """`filled_size` as an array, which draws change in place."""

    @property
    def filled_size(self) -> int:
        """BufferFilledSize: bytes up to where stream output goes on writing; `Draw.auto` reads it.

        Raises, if it is set:
            ResourceError: no whole number, or one below 0.
        """
        return int(self.filled[0])

    @filled_size.setter
    def filled_size(self, value: int) -> None:
        self.filled[0] = integer(value, "filled_size", range(1 << 32))


class RawBuffer(_Streamed):
    """ByteAddressBuffer or RWByteAddressBuffer: bytes, read and written as dwords.

    >>> RawBuffer(np.zeros(4, np.uint32))
    RawBuffer(16 bytes)
    """

    def __init__(self, array: NDArray[Any]) -> None:
        """Wrap `array`: of any dtype, C-contiguous, a multiple of 4 bytes.

        Raises:
            ResourceError: another size or layout.
        """
        super().__init__()
        data = byte_view(array, "RawBuffer")
        if data.size % _DWORD:
            raise ResourceError(f"RawBuffer: found {data.size} bytes, wanted a multiple of 4")
        self.array = array
        self.mapped: set[int] = set()
        self._descriptor = _descriptor(
            array, data, data.size, 1, ViewKind.RAW, ResourceDimension.RAW_BUFFER
        )

    def describe(self) -> Descriptor:
        return self._descriptor

    def tobytes(self) -> bytes:
        """Return a copy of the contents."""
        return self._descriptor.data.tobytes()

    def __repr__(self) -> str:
        return f"RawBuffer({self._descriptor.size} bytes)"


class StructuredBuffer(_Streamed):
    """StructuredBuffer, RWStructuredBuffer, Append- or ConsumeStructuredBuffer.

    >>> StructuredBuffer(np.zeros((8, 4), np.float32), counter=0)
    StructuredBuffer(8 structures of 16 bytes, counter 0)
    """

    def __init__(
        self, array: NDArray[Any], stride: int | None = None, counter: int | None = None
    ) -> None:
        """Wrap `array`, C-contiguous.

        Args:
            array: of any dtype whose items divide the stride.
            stride: bytes of a structure, a multiple of 4 up to 2048. By default the item size of a
                structured dtype; of other arrays what a shader declares that the buffer is bound
                to, and for copies the last of several axes, or one item.
            counter: the hidden counter's first value; None for a buffer without one.

        Raises:
            ResourceError: another layout, a stride or counter out of range, or a size that is no
                multiple of the stride.
        """
        super().__init__()
        byte_view(array, "StructuredBuffer")
        self.array = array
        self.mapped: set[int] = set()
        self._counter = None if counter is None else np.array([_checked(counter)], np.uint32)
        self._has_stride = stride is not None or array.dtype.fields is not None
        self._descriptor = self._described(_default_stride(array) if stride is None else stride)

    @property
    def counter(self) -> int | None:
        """The hidden counter (uint32), which shaders change; None if the buffer has none."""
        return None if self._counter is None else int(self._counter[0])

    @counter.setter
    def counter(self, value: int) -> None:
        if self._counter is None:
            raise ResourceError(
                "StructuredBuffer: found no hidden counter to set; make the buffer with counter=0"
            )
        self._counter[0] = _checked(value)

    def describe(self) -> Descriptor:
        return self._descriptor

    def describe_for(self, stride: int) -> Descriptor:
        """Return what a shader sees that declares structures of so many bytes.

        Raises:
            ResourceError: the array has no number of these, where its own stride is not known.
        """
        return self._descriptor if self._has_stride else self._described(stride)

    def tobytes(self) -> bytes:
        """Return a copy of the contents."""
        return self._descriptor.data.tobytes()

    def _described(self, stride: int) -> Descriptor:
        array, data = self.array, byte_view(self.array, "StructuredBuffer")
        stride = integer(stride, "StructuredBuffer: stride")
        if stride % _DWORD or not 0 < stride <= MAX_STRUCTURE_STRIDE:
            raise ResourceError(
                f"StructuredBuffer: found a stride of {stride} bytes, wanted a multiple of 4 "
                f"up to {MAX_STRUCTURE_STRIDE}"
            )
        if stride % array.itemsize:
            raise ResourceError(
                f"StructuredBuffer: found items of {array.itemsize} bytes ({array.dtype!s:.60}), "
                f"wanted some that divide the stride {stride}; use .astype for the same values, or "
                ".view for the same bits"
            )
        if data.size % stride:
            raise ResourceError(
                f"StructuredBuffer: found {data.size} bytes, wanted a multiple of the stride "
                f"{stride}"
            )
        return _descriptor(
            array, data, data.size // stride, stride, ViewKind.STRUCTURED,
            ResourceDimension.STRUCTURED_BUFFER, counter=self._counter,
        )  # fmt: skip

    def __repr__(self) -> str:
        d = self._descriptor
        counter = "" if self.counter is None else f", counter {self.counter}"
        return f"StructuredBuffer({d.count} structures of {d.stride} bytes{counter})"


class TypedBuffer(_Streamed):
    """Buffer or RWBuffer: texels of one format.

    >>> TypedBuffer(np.zeros((6, 2), np.float32), "R32G32_FLOAT")
    TypedBuffer(6 texels of R32G32_FLOAT)
    """

    def __init__(self, array: NDArray[Any], format: str | int | Format) -> None:  # noqa: A002
        """Wrap `array`, C-contiguous: items are texels, or channels that the last axis counts.

        An array of one axis may also hold the channels of one texel after the other.

        Raises:
            ResourceError: unknown format, or an array of another layout, dtype or shape.
        """
        super().__init__()
        data = byte_view(array, "TypedBuffer")
        self.format = format_named(format)
        items = texel_dtypes(self.format).get(array.dtype)
        if items is None or not _holds_texels(array, items):
            raise ResourceError(
                f"TypedBuffer: found {array.dtype} {array.shape}, "
                f"wanted {wanted_arrays(self.format, ('texels',))}"
            )
        self.array = array
        self.mapped: set[int] = set()
        size = self.format.bytes_per_texel
        self._descriptor = _descriptor(
            array, data, data.size // size, size, ViewKind.TYPED, ResourceDimension.BUFFER,
            format_=self.format,
        )  # fmt: skip

    def describe(self) -> Descriptor:
        return self._descriptor

    def tobytes(self) -> bytes:
        """Return a copy of the contents."""
        return self._descriptor.data.tobytes()

    def __repr__(self) -> str:
        return f"TypedBuffer({self._descriptor.count} texels of {self.format.name})"


def _default_stride(array: NDArray[Any]) -> int:
    if array.ndim > 1 and array.dtype.fields is None:
        return array.itemsize * int(array.shape[-1])
    return array.itemsize


def _holds_texels(array: NDArray[Any], items: int) -> bool:
    if items == 1:
        return True
    return array.size % items == 0 if array.ndim == 1 else array.shape[-1:] == (items,)


def _checked(value: object) -> int:
    return integer(value, "StructuredBuffer: counter", range(_MAX_COUNTER + 1))


def _descriptor(
    array: NDArray[Any], data: NDArray[np.uint8], count: int, stride: int, kind: ViewKind,
    dimension: ResourceDimension, *, format_: Format | None = None,
    counter: NDArray[np.uint32] | None = None,
) -> Descriptor:  # fmt: skip
    return Descriptor(
        data=data, size=data.size, count=count, stride=stride, width=count, height=1, depth=1,
        array_size=1, mip_count=1, sample_count=1, array_pitch=0, mips=(), format=format_,
        kind=kind, dimension=dimension, counter=counter, writable=bool(data.flags.writeable),
        origin=origin_of(array),
    )  # fmt: skip
