"""Textures of Direct3D 9 and programs that look them up, run on both engines."""

from __future__ import annotations

from typing import Any

import numpy as np
import texture9_model as model

import softd3d
from softd3d.device.evaluation import evaluate
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.resources.d3d9.surfaces import Texture9, TextureType

__all__ = ["contents", "filled", "run", "sampler_of", "texels_of"]

ENGINES = ("interpreter", "jit")


def run(text: str, inputs: dict[str, Any], **more: Any) -> dict[str, np.ndarray]:
    """Run assembled text on both engines, which must agree to the bit."""
    program = softd3d.load9(softd3d.assemble(text)).program
    constants = more.pop("constants", {})
    textures = more.pop("textures", {})
    found = [evaluate(program, inputs, constants, textures, engine=e, **more) for e in ENGINES]
    assert found[0].keys() == found[1].keys()
    for name, array in found[0].items():
        other = found[1][name]
        same = array == other
        if array.dtype == np.float32:
            same = (array.view(np.uint32) == other.view(np.uint32)) | (
                np.isnan(array) & np.isnan(other)
            )
        assert same.all(), (name, np.argwhere(~same)[:4])
    return found[0]


def filled(
    rng: np.random.Generator, type_: TextureType, extents: tuple[int, int, int], levels: int = 0
) -> Texture9:
    """Return a texture of four floats a texel."""
    width, height, depth = extents
    if type_ is TextureType.CUBE:
        height = width
    depth = depth if type_ is TextureType.VOLUME else 1
    texture = Texture9(width, height, "A32B32G32R32F", levels=levels, type_=type_, depth=depth)
    numbers = rng.normal(0, 1, texture.memory.size // 4).astype(np.float32)
    texture.memory[:] = numbers.view(np.uint8)
    return texture


def contents(texture: Texture9, level: int = 0) -> np.ndarray:
    """Return a level as the model takes it: (slices, height, width, 4)."""
    slices = [texture.surface(level, n).array for n in range(texture.slices(level))]
    return np.stack([s.view(np.float32).reshape(*s.shape[:2], 4) for s in slices])


def texels_of(texture: Texture9) -> list[np.ndarray]:
    return [contents(texture, level) for level in range(texture.levels)]


def sampler_of(s: model.Sampling) -> SamplerState9:
    word = sum(round(c * 255) << shift for c, shift in zip(s.border, (16, 8, 0, 24), strict=True))
    return SamplerState9(
        *s.addresses, word, s.mag, s.min, s.mip, s.bias, s.max_level
    )  # fmt: skip
