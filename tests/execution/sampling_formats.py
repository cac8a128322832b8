"""Random texels of some formats, and what the specification says they mean, in a few lines each.

Spec: D3D11.3 sections 3.2.3 (conversions) and 19.1.3.3 (defaults of missing components).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sampling_state import Kind, Texture

import softd3d

__all__ = ["FORMATS", "TexelFormat", "make_texture"]

Array = np.ndarray[Any, Any]


def _unorm(bits: int) -> Callable[[Array], Array]:
    return lambda codes: codes.astype(np.float64) / (2**bits - 1)


def _snorm(bits: int) -> Callable[[Array], Array]:
    return lambda codes: np.maximum(codes.astype(np.float64) / (2 ** (bits - 1) - 1), -1.0)


def _srgb(codes: Array) -> Array:
    c = codes.astype(np.float64) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return np.concatenate([linear[..., :3], c[..., 3:]], axis=-1)


def _fields(*bits: int) -> Callable[[Array], Array]:
    def decode(words: Array) -> Array:
        shifts = np.cumsum([0, *bits[:-1]])
        parts = [words[..., 0].astype(np.int64) >> s & 2**n - 1 for s, n in zip(shifts, bits)]  # noqa: B905
        return np.stack([p / (2**n - 1) for p, n in zip(parts, bits)], axis=-1)  # noqa: B905

    return decode


@dataclass(frozen=True)
class TexelFormat:
    """A format's items, channels in memory order, their meaning, their range.

    bits: of UNORM depth, else 0. error: relative, of decoding; half a unit where division is
    rounded once, four of those for roots.
    """

    dtype: str
    items: int
    channels: str
    decode: Callable[[Array], Array]
    low: float = 0.0
    high: float = 1.0
    bits: int = 0
    error: float = 2.0**-24


def _float(dtype: str, channels: str) -> TexelFormat:
    return TexelFormat(
        dtype, len(channels), channels, lambda items: items.astype(np.float64), -math.inf, math.inf,
        error=0.0,
    )  # fmt: skip


FORMATS = {
    "R32G32B32A32_FLOAT": _float("<f4", "rgba"),
    "R32G32B32_FLOAT": _float("<f4", "rgb"),
    "R32_FLOAT": _float("<f4", "r"),
    "R16G16_FLOAT": _float("<f2", "rg"),
    "R8G8B8A8_UNORM": TexelFormat("u1", 4, "rgba", _unorm(8)),
    "B8G8R8A8_UNORM": TexelFormat("u1", 4, "bgra", _unorm(8)),
    "R8G8B8A8_UNORM_SRGB": TexelFormat("u1", 4, "rgba", _srgb, error=2.0**-22),
    "A8_UNORM": TexelFormat("u1", 1, "a", _unorm(8)),
    "R8G8_SNORM": TexelFormat("i1", 2, "rg", _snorm(8), low=-1.0),
    "R16_UNORM": TexelFormat("<u2", 1, "r", _unorm(16), bits=16),
    "R16G16B16A16_SNORM": TexelFormat("<i2", 4, "rgba", _snorm(16), low=-1.0),
    "R10G10B10A2_UNORM": TexelFormat("<u4", 1, "rgba", _fields(10, 10, 10, 2)),
    "B5G6R5_UNORM": TexelFormat("<u2", 1, "bgr", _fields(5, 6, 5)),
    "R24_UNORM_X8_TYPELESS": TexelFormat("<u4", 1, "r", _fields(24), bits=24),
}


def _items(form: TexelFormat, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    dtype = np.dtype(form.dtype)
    if dtype.kind == "f":
        scale = np.exp2(random.integers(-3, 4, shape + (1,)))  # noqa: RUF005
        return (random.uniform(-1, 1, (*shape, form.items)) * scale).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, (*shape, form.items), dtype, endpoint=True)


def _decoded(form: TexelFormat, items: Array) -> Array:
    values = form.decode(items)
    result = np.zeros((*items.shape[:-1], 4))
    result[..., 3] = 1.0
    for number, name in enumerate(form.channels):
        result[..., "rgba".index(name)] = values[..., number]
    return result


_CLASSES = {
    (Kind.ONE, False): softd3d.Texture1D,
    (Kind.ONE, True): softd3d.Texture1DArray,
    (Kind.TWO, False): softd3d.Texture2D,
    (Kind.TWO, True): softd3d.Texture2DArray,
    (Kind.THREE, False): softd3d.Texture3D,
    (Kind.CUBE, False): softd3d.TextureCube,
    (Kind.CUBE, True): softd3d.TextureCubeArray,
}


def make_texture(
    name: str, kind: str, extent: tuple[int, ...], random: np.random.Generator, *,
    slices: int = 0, mips: int = 0, change: Callable[[Array, int], Array] | None = None,
) -> tuple[Any, Texture]:  # fmt: skip
    """Return a texture of random texels for the package, and the same one for the model.

    extent: width, height, depth as far as the kind has them. slices: 0 for no array; cubes, for
    cubes. mips: 0 for all. change: gives other items for those of a level.
    """
    form = FORMATS[name]
    full = (*extent, *extent[:1] * (kind == Kind.CUBE), 1, 1)[:3]
    count = max(slices, 1) * (6 if kind == Kind.CUBE else 1)
    axes = {Kind.ONE: 1, Kind.TWO: 2, Kind.THREE: 3, Kind.CUBE: 2}[kind]
    levels: list[Array] = []
    for level in range(mips or max(full).bit_length()):
        width, height, depth = (max(1, n >> level) for n in full)
        items = _items(form, (count, depth, height, width), random)
        levels.append(items if change is None else change(items, level).astype(items.dtype))
    arrays = [_squeezed(a, axes, has_slices=bool(slices) or kind == Kind.CUBE) for a in levels]
    texture = _CLASSES[kind, bool(slices)](arrays if len(arrays) > 1 else arrays[0], name)
    decoded = [_decoded(form, items) for items in levels]
    channels = "".join(sorted(form.channels, key="rgba".index))
    return texture, Texture(kind, decoded, channels, form.low, form.high, form.bits)


def _squeezed(items: Array, axes: int, *, has_slices: bool) -> Array:
    """Return a level in the shape that its class wants."""
    slices, depth, height, width, channels = items.shape
    shape = (depth, height, width)[3 - axes :]
    tail = (channels,) if channels > 1 else ()
    return items.reshape(*(slices,) * has_slices, *shape, *tail)
