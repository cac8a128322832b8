"""The first colour target of a picture: its format, clearing, resolving, and codes of 8 bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.container.reflection.enums import RegisterComponentType, SystemValue
from softd3d.errors import ResourceError
from softd3d.isa.limits import MAX_RENDER_TARGETS
from softd3d.isa.sm4.enums import OperandType
from softd3d.resources.textures.texture import Texture2D, Texture2DMS
from softd3d.resources.transfer.resolve import resolve_subresource
from softd3d.shaders.shader import Shader

__all__ = ["ColorTarget", "codes_of", "colors_text"]

_FLOAT, _UINT, _SINT = "R32G32B32A32_FLOAT", "R32G32B32A32_UINT", "R32G32B32A32_SINT"
_DTYPES: dict[str, type[np.generic]] = {_FLOAT: np.float32, _UINT: np.uint32, _SINT: np.int32}
_FORMATS = {RegisterComponentType.UINT32: _UINT, RegisterComponentType.SINT32: _SINT}
_BACKGROUND = (0.25, 0.25, 0.25, 1.0)
_LARGEST_CODE = 255


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

    def cleared(self, width: int, height: int, samples: int) -> Texture2D | Texture2DMS:
        """Return a texture of the background: a dark grey, integers are 0."""
        dtype = _DTYPES[self.format]
        shape = (height, width, 4) if samples == 1 else (height, width, samples, 4)
        array = np.zeros(shape, dtype)
        if not self.is_integer:
            array[...] = _BACKGROUND
        return (Texture2D if samples == 1 else Texture2DMS)(array, self.format)

    def resolved(self, drawn: Texture2D | Texture2DMS) -> NDArray[Any]:
        """Return colours, (height, width, 4); of integers the first sample."""
        if isinstance(drawn, Texture2D):
            return drawn.array
        if self.is_integer:
            return np.ascontiguousarray(drawn.array[:, :, 0])
        height, width = drawn.array.shape[:2]
        found = Texture2D(np.zeros((height, width, 4), np.float32), self.format)
        resolve_subresource(found, 0, drawn, 0)
        return found.array


def codes_of(colors: NDArray[Any], *, has_alpha: bool = False) -> NDArray[np.uint8]:
    """Return an image of 8 bits: (height, width, 3), or 4 with alpha.

    Floats are clamped to 0 to 1, NaN is 0. Integers are scaled, the largest becomes 255.
    """
    shown = colors if has_alpha else colors[..., :3]
    numbers = shown.astype(np.float64)
    if colors.dtype.kind != "f":
        numbers /= max(1.0, float(numbers.max(initial=0)))
    numbers = np.clip(np.nan_to_num(numbers, nan=0.0, posinf=1.0, neginf=0.0), 0, 1)
    return np.floor(numbers * _LARGEST_CODE + 0.5).astype(np.uint8)


def colors_text(colors: NDArray[Any]) -> str:
    """Say what is in a picture, and what its codes do not show."""
    finite = colors[np.isfinite(colors)]
    least, most = (float(f(finite)) if finite.size else 0.0 for f in (np.min, np.max))
    first = colors[0, 0]
    if colors.dtype.kind != "f":
        text = f"integers from {least:.0f} to {most:.0f}, shown as parts of the largest"
    elif least < 0 or most > 1 or finite.size < colors.size:
        text = f"numbers from {least:.4g} to {most:.4g}, clamped to 0 to 1"
        text += f"; {colors.size - finite.size} are infinite or NaN" * (finite.size < colors.size)
    else:
        text = f"numbers from {least:.4g} to {most:.4g}"
    if bool((colors == first).all()):
        text += "; all pixels are the same"
    return text
