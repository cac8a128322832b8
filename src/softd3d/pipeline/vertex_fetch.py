"""Vertex and index fetch, over the algebra and a machine: addresses, bounds, defaults, ids.

Addresses are 32-bit numbers that wrap. What lies beyond a buffer reads 0. Spec: D3D11.3 sections
8.4, 8.6, 8.16 to 8.20.
"""

from __future__ import annotations

from typing import Protocol

from softd3d.algebra.operations import udiv
from softd3d.algebra.value import U32, Algebra, Value
from softd3d.classes import dataclass
from softd3d.formats.codec import units, unpack
from softd3d.formats.layout import Format
from softd3d.isa.machine import Info, View
from softd3d.pipeline.input_layout import VertexInput

__all__ = [
    "Loader",
    "VertexBuffer",
    "cut_value",
    "element_index",
    "fetch_element",
    "fetch_index",
    "index_place",
]

_ALL = 15
_WORD = 4
_BYTE_BITS = 8


class Loader(Protocol):
    """What fetching needs of a `Machine`."""

    @property
    def k(self) -> Algebra: ...

    def info(self, view: View, field: Info) -> Value: ...

    def load(self, view: View, offset: Value, valid: Value, size: int = 4) -> Value: ...

    def load_pair(self, view: View, offset: Value, valid: Value) -> tuple[Value, Value]: ...


@dataclass(frozen=True, slots=True)
class VertexBuffer:
    """What is bound to a slot: a raw view of the whole buffer, and how vertices lie in it.

    stride, offset: bytes, numbers or uint32. alignment: 1, 2 or 4, a power of two that divides both
    in every case; Direct3D wants them aligned as the elements are, but nothing depends on it.
    """

    view: View
    stride: Value | int
    offset: Value | int
    alignment: int = _WORD


def element_index(
    element: VertexInput, vertex: Value, instance: Value, start_instance: Value | int
) -> Value:
    """Return the index of an element in its buffer (uint32).

    vertex: StartVertexLocation + the vertex's number, or BaseVertexLocation + its index, wrapping.
    instance: SV_InstanceID, which does not count start_instance. A step rate divides the instance
    but not the start; Direct3D 9 has one that divides the vertex.
    """
    if not element.per_instance:
        has_rate = element.step_rate > 1
        return udiv(vertex, vertex.like(element.step_rate)) if has_rate else vertex
    if not element.step_rate:
        return instance.like(0) + start_instance
    if element.step_rate == 1:
        return instance + start_instance
    return udiv(instance, instance.like(element.step_rate)) + start_instance


def fetch_element(
    m: Loader, element: VertexInput, buffer: VertexBuffer | None, index: Value, wanted: int = _ALL
) -> tuple[Value, Value, Value, Value]:
    """Return the bits of components x, y, z, w (uint32) of an element.

    buffer: None if the slot has none: all components are 0. If any byte of the element lies beyond
    its buffer, the components of the format are 0, missing ones 0, 0, 0, 1. 32-bit components are
    copied as they are. wanted: components that are looked at; others may be anything.
    """
    if buffer is None or not buffer.view.is_bound:
        zero = m.k.const(U32, 0)
        return zero, zero, zero, zero
    size = element.format.bytes_per_texel
    at = index * buffer.stride + buffer.offset + element.offset
    end = m.info(buffer.view, Info.SIZE)
    valid = (at <= end - size) & (end >= size)
    return unpack(element.format, _words(m, element, buffer, at, valid, wanted))


def fetch_index(
    m: Loader, view: View | None, format_: Format, offset: int, start: Value | int, number: Value
) -> Value:
    """Return the raw index (uint32) of vertex `number` of a draw: before BaseVertexLocation.

    view: a raw view of the whole buffer, None if there is none. offset: bytes, a multiple of the
    index's size. start: StartIndexLocation. Beyond the buffer, and without one, it is 0.
    """
    if view is None or not view.is_bound:
        return number.like(0)
    size = format_.bytes_per_texel
    at, valid = index_place(m.info(view, Info.SIZE), size, offset, start, number)
    return m.load(view, at, valid, size)


def index_place(
    end: Value, size: int, offset: int, start: Value | int, number: Value
) -> tuple[Value, Value]:
    """Return the byte (uint32) where an index lies, and whether it is in its buffer (BOOL).

    end: bytes of the buffer. size: of an index. Others as for `fetch_index`. Indices between two
    that are valid are valid, and lie between them.
    """
    place = number + start
    # Places are compared before they become bytes, so that none wraps round to the start.
    room = (end >> (size >> 1)) - offset // size
    valid = (place >= start) & (place < room) & (end >= offset)
    return place * size + offset, valid


def cut_value(format_: Format) -> int:
    """Return the index that ends a strip: all bits of an index are ones."""
    return (1 << _BYTE_BITS * format_.bytes_per_texel) - 1


def _words(
    m: Loader, element: VertexInput, buffer: VertexBuffer, at: Value, valid: Value, wanted: int
) -> list[Value]:
    """Load the storage units of an element that wanted components need; others are 0."""
    format_ = element.format
    size, count = units(format_)
    needed = {
        channel.shift // (_BYTE_BITS * size)
        for channel in format_.channels
        if any(wanted >> i & 1 for i, read in enumerate(format_.reads) if read == channel.component)
    }
    known = min(size, buffer.alignment)  # the layout has aligned the element's own offset
    words = [at.like(0)] * count
    if known < size:
        for n in needed:
            words[n] = _assembled(m, buffer.view, at + size * n, valid, size, known)
        return words
    for n in sorted(needed):
        if size == _WORD and n % 2 == 0 and n + 1 in needed:
            words[n : n + 2] = m.load_pair(buffer.view, at + size * n if n else at, valid)
        elif size != _WORD or n % 2 == 0 or n - 1 not in needed:
            words[n] = m.load(buffer.view, at + size * n if n else at, valid, size)
    return words


def _assembled(m: Loader, view: View, at: Value, valid: Value, size: int, step: int) -> Value:
    """Load a unit that is not aligned, in parts of `step` bytes."""
    word = m.load(view, at, valid, step)
    for n in range(step, size, step):
        word = word | m.load(view, at + n, valid, step) << _BYTE_BITS * n
    return word
