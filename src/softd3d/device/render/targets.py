"""The targets of a picture: their formats, sizes, clearing, resolving, and codes of 8 bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.container.reflection.enums import RegisterComponentType, SystemValue
from softd3d.errors import ResourceError
from softd3d.formats.rules import D3D10
from softd3d.isa.limits import MAX_RENDER_TARGETS, MAX_TEXTURE_EXTENTS
from softd3d.isa.sm4.enums import OperandType
from softd3d.lower.watch import Watch
from softd3d.resources.textures.texture import Texture2D, Texture2DMS
from softd3d.resources.transfer.resolve import resolved
from softd3d.resources.views.descriptor import MAX_BYTES
from softd3d.shaders.shader import Shader

__all__ = [
    "ColorTarget",
    "check_size",
    "clear_depth",
    "codes_of",
    "colors_text",
    "depth_texture",
]

Target = Texture2D | Texture2DMS

_FLOAT, _UINT, _SINT = "R32G32B32A32_FLOAT", "R32G32B32A32_UINT", "R32G32B32A32_SINT"
_DTYPES: dict[str, type[np.generic]] = {_FLOAT: np.float32, _UINT: np.uint32, _SINT: np.int32}
_FORMATS = {RegisterComponentType.UINT32: _UINT, RegisterComponentType.SINT32: _SINT}
_BACKGROUND = (0.25, 0.25, 0.25, 1.0)
_FAR = 1.0
_LARGEST_CODE = 255
_TEXEL_BYTES = 16  # of the colour target, in all of its formats
_GIB = 1 << 30
_BAND_BYTES = 1 << 25  # of a picture at a time: between them Ctrl-C and the time limit count


def check_size(width: int, height: int, samples: int, option: str = "") -> None:
    """Refuse a picture that is too large, before any of its memory is touched.

    option: what stands before the names of the arguments, `--` for those of the command line.

    Raises:
        ResourceError: an edge is longer than Direct3D's textures, or the target would have more
            bytes than one texture may.
    """
    longest = MAX_TEXTURE_EXTENTS[2]
    size = f"{option}size: found {width}x{height}"
    if not (1 <= width <= longest and 1 <= height <= longest):
        raise ResourceError(f"{size}, wanted 1 to {longest} for width and height")
    needed = width * height * samples * _TEXEL_BYTES
    if needed > MAX_BYTES:
        raise ResourceError(
            f"{size} with {option}samples {samples}, which needs {needed / _GIB:.3g} GiB, wanted "
            f"at most {MAX_BYTES / _GIB:.3g} GiB"
        )


@dataclass(frozen=True, slots=True)
class ColorTarget:
    """Which target of a pixel shader is shown, and its format, wide enough for all it writes."""

    slot: int
    format: str

    @classmethod
    def of(cls, pixel: Shader) -> ColorTarget:
        """Return the first target that a pixel shader writes.

        Raises:
            ResourceError: it writes none.
        """
        signature = pixel.signatures.output
        if signature is None:
            slots = [
                (r.number, _FLOAT)
                for r in pixel.declarations.outputs
                if r.file is OperandType.OUTPUT and r.number < MAX_RENDER_TARGETS
            ]
        else:
            slots = [
                (p.register, _FORMATS.get(p.component_type, _FLOAT))
                for p in signature.elements
                if p.meaning is SystemValue.TARGET
                and p.register is not None
                and p.register < MAX_RENDER_TARGETS
            ]
        if not slots:
            raise ResourceError("the pixel shader writes no SV_Target, wanted one to show")
        return cls(*min(slots))

    @property
    def is_integer(self) -> bool:
        return self.format != _FLOAT

    def texture(self, width: int, height: int, samples: int) -> Target:
        """Return a texture of zeros."""
        return _texture((height, width), samples, (4,), _DTYPES[self.format], self.format)

    def clear(self, texture: Target, watch: Watch) -> None:
        """Fill a texture with the background: a dark grey, integers stay 0."""
        if not self.is_integer:
            _fill(texture, _BACKGROUND, watch)

    def resolved(self, drawn: Target, watch: Watch) -> NDArray[Any]:
        """Return colours, (height, width, 4); of integers the first sample."""
        if isinstance(drawn, Texture2D):
            return drawn.array
        if self.is_integer:
            return np.ascontiguousarray(drawn.array[:, :, 0])
        height, width, samples = drawn.array.shape[:3]
        found = np.zeros((height, width, 4), np.float32)
        texels = drawn.array.view(np.uint8).reshape(height, width, samples, _TEXEL_BYTES)
        for start, band in resolved(texels, drawn.format, D3D10):
            found[start : start + len(band)] = band.view(np.float32)
            watch.check(" while resolving")
        return found


def depth_texture(width: int, height: int, samples: int) -> Target:
    """Return a texture of zeros for the depth of a picture."""
    return _texture((height, width), samples, (), np.float32, "D32_FLOAT")


def clear_depth(texture: Target, watch: Watch) -> None:
    """Fill a texture with the far depth."""
    _fill(texture, _FAR, watch)


def _texture(
    shape: tuple[int, int], samples: int, channels: tuple[int, ...], dtype: type[np.generic],
    format_: str,
) -> Target:  # fmt: skip
    if samples == 1:
        return Texture2D(np.zeros((*shape, *channels), dtype), format_)
    return Texture2DMS(np.zeros((*shape, samples, *channels), dtype), format_)


def _fill(texture: Target, value: float | tuple[float, ...], watch: Watch) -> None:
    for _, rows in _bands(texture.array):
        watch.check(" while clearing")
        rows[...] = value


def _bands(array: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield rows that are not too much work at a time, each part with its first row."""
    count = max(1, _BAND_BYTES * len(array) // array.nbytes)
    for start in range(0, len(array), count):
        yield start, array[start : start + count]


def codes_of(colors: NDArray[Any], *, has_alpha: bool = False) -> NDArray[np.uint8]:
    """Return an image of 8 bits: (height, width, 3), or 4 with alpha.

    Floats are clamped to 0 to 1, NaN is 0. Integers are scaled, the largest becomes 255.
    """
    shown = colors if has_alpha else colors[..., :3]
    one = 1.0 if colors.dtype.kind == "f" else max(1.0, float(shown.max(initial=0)))
    codes = np.empty(shown.shape, np.uint8)
    for start, rows in _bands(shown):
        numbers = rows.astype(np.float64) / one
        numbers = np.clip(np.nan_to_num(numbers, nan=0.0, posinf=1.0, neginf=0.0), 0, 1)
        codes[start : start + len(rows)] = np.floor(numbers * _LARGEST_CODE + 0.5)
    return codes


def colors_text(colors: NDArray[Any]) -> str:
    """Say what is in a picture, and what its codes do not show."""
    finite = colors[np.isfinite(colors)]
    least, most = (float(f(finite)) if finite.size else 0.0 for f in (np.min, np.max))
    first, is_float = colors[0, 0], colors.dtype.kind == "f"
    if bool((colors == first).all()):
        text = "every pixel is " + ", ".join(f"{n:.4g}" if is_float else str(n) for n in first)
    elif is_float:
        text = f"numbers from {least:.4g} to {most:.4g}"
    else:
        text = f"integers from {least:.0f} to {most:.0f}"
    if not is_float:
        return f"{text}, shown as parts of the largest"
    if least < 0 or most > 1:
        text += ", clamped to 0 to 1"
    strange = colors.size - finite.size
    return f"{text}; {strange} are infinite or NaN" if strange else text
