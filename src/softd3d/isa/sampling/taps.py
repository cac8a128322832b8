"""The texels of a filter: where they lie, read one by one or two in a row at once.

Spec: D3D11.3 sections 7.18.8 and 7.18.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from softd3d.algebra.operations import bitcast, rarely
from softd3d.algebra.value import U32, Value
from softd3d.isa.sampling.coordinates import Axis, Linear
from softd3d.isa.sampling.texels import Reader, Texel

__all__ = ["read_texels"]

Vector: TypeAlias = "tuple[Value, ...]"


def read_texels(
    reader: Reader, base: Value, axes: Sequence[Axis], pitches: Vector, *, linear: Linear
) -> tuple[list[Texel], Vector]:
    """Read the texels of a filter, x fastest; return them and the weights of the axes.

    base: byte offset of the level, uint32. pitches: bytes of rows and of planes.
    """
    steps = (base.like(reader.view.stride), *pitches)
    if linear is True and reader.has_dwords and not any(a.inside[0] is not None for a in axes):
        words = _neighbours(reader, base, axes, steps)
        return [reader.texel((word,)) for word in words], _weights(axes)
    places = _places(base, axes, steps)
    texels = [reader.read(at, inside) for at, inside in places]
    return texels, _weights(axes)


def _places(base: Value, axes: Sequence[Axis], steps: Vector) -> list[tuple[Value, Value | None]]:
    """Return the byte offsets of a filter's texels, x fastest, and where they are inside."""
    places: list[tuple[Value, Value | None]] = [(base, None)]
    # The last axis first, so that in the end x is the fastest.
    for axis, step in reversed(list(zip(axes, steps, strict=True))):
        places = [
            (at + bitcast(t, U32) * step, _both(inside, t_inside))
            for at, inside in places
            for t, t_inside in zip(axis.texels, axis.inside, strict=True)
        ]
    return places


def _neighbours(reader: Reader, base: Value, axes: Sequence[Axis], steps: Vector) -> Vector:
    """Return the texels of a filter that reads two along each axis, x fastest, as dwords.

    Where the address mode changes none of them, those of a row are read at once: the first one's
    offset is that of a texel inside, and so is the next dword, being the texel that follows in the
    row. All the other lanes read each texel on its own, if there are such lanes.
    """
    usual = reader.valid
    for axis in axes:
        usual = usual & axis.is_usual
    first = base
    for axis, step in zip(axes, steps, strict=True):
        first = first + bitcast(axis.first, U32) * step
    rows = [first]
    for step in steps[1:]:
        rows += [at + step for at in rows]
    words = tuple(word for at in rows for word in reader.pair(at, usual))
    return rarely(
        ~usual,
        words,
        lambda: tuple(reader.words(at, ~usual)[0] for at, _ in _places(base, axes, steps)),
    )


def _both(a: Value | None, b: Value | None) -> Value | None:
    return b if a is None else a if b is None else a & b


def _weights(axes: Sequence[Axis]) -> tuple[Value, ...]:
    return tuple(axis.weight for axis in axes if axis.weight is not None)
