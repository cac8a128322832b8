"""Textures of Direct3D 9 for pictures of effects: checkers, flat normal maps, images of files."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from softd3d.container.comments.ctab import ParameterType
from softd3d.errors import ResourceError
from softd3d.formats.dxgi import format_named
from softd3d.resources.d3d9.surfaces import Texture9, TextureType
from softd3d.resources.dds.header import Dimension
from softd3d.resources.dds.image import DdsImage
from softd3d.resources.dds.texels import converted

__all__ = ["default_texture", "is_normal_map", "texture_of_image"]

_SIZE, _VOLUME, _SQUARES = 128, 32, 8  # texels of an edge; squares along it
_FACES = 6
# Codes of 8 bits, blue, green, red, alpha
_BRIGHT, _DARK, _FLAT_NORMAL = (224, 236, 240, 255), (160, 110, 70, 255), (255, 128, 128, 255)
_FACE_TINTS = np.array(
    [(150, 170, 255), (160, 225, 165), (255, 185, 150), (130, 225, 250), (245, 165, 215),
     (224, 236, 240)], np.float64,
) / 255  # fmt: skip
_NORMAL_MAP = re.compile(r"normal|bump|nrm", re.IGNORECASE)
_KINDS = {
    ParameterType.TEXTURE3D: TextureType.VOLUME,
    ParameterType.SAMPLER3D: TextureType.VOLUME,
    ParameterType.TEXTURECUBE: TextureType.CUBE,
    ParameterType.SAMPLERCUBE: TextureType.CUBE,
}
Texels = NDArray[np.uint8]


def default_texture(name: str, kind: ParameterType) -> Texture9:
    """Return a checker of 8 by 8 squares with mips, flat if the name says that it is a normal map.

    kind: the type of the texture or of the sampler that reads it. Faces of a cube have tints.
    """
    type_ = _KINDS.get(kind, TextureType.TEXTURE)
    if type_ is TextureType.VOLUME:
        return _texture([[_checker((_VOLUME,) * 3, name)]], type_)
    square = _checker((_SIZE, _SIZE), name)
    if type_ is TextureType.TEXTURE:
        return _texture([_mips(square)], type_)
    faces = [square.copy() for _ in range(_FACES)]
    for face, tint in zip(faces, _FACE_TINTS, strict=True):
        face[..., :3] = face[..., :3] * tint
    return _texture([_mips(face) for face in faces], type_)


def is_normal_map(name: str) -> bool:
    """Return whether a texture's name says that it is a normal map."""
    return _NORMAL_MAP.search(name) is not None


def texture_of_image(image: DdsImage) -> Texture9:
    """Return a texture with an image's levels; of a 2D image with one level, with all mips.

    Integers and normalised numbers become A8R8G8B8, floats A32B32G32R32F.

    Raises:
        ResourceError: an array, or a format that cannot be converted.
    """
    if image.slices > 1 and not (image.is_cube and image.slices == _FACES):
        raise ResourceError(f"found {image.slices} slices, wanted one texture, a cube or a volume")
    is_float = "FLOAT" in image.format.name
    name = "R32G32B32A32_FLOAT" if is_float else "B8G8R8A8_UNORM"
    data = converted(image, format_named(name)).data
    type_ = TextureType.CUBE if image.is_cube else TextureType.TEXTURE
    if image.dimension is Dimension.TEXTURE3D:
        type_ = TextureType.VOLUME
    dtype = np.dtype(np.float32 if is_float else np.uint8)
    at = 0
    slices: list[list[NDArray[np.generic]]] = []
    for _ in range(image.slices):
        levels: list[NDArray[np.generic]] = []
        for mip in range(image.mips):
            extent = [max(1, n >> mip) for n in (image.depth, image.height, image.width)]
            shape = (*extent, 4) if type_ is TextureType.VOLUME else (*extent[1:], 4)
            size = int(np.prod(shape)) * dtype.itemsize
            levels.append(np.frombuffer(data, dtype, int(np.prod(shape)), at).reshape(shape))
            at += size
        slices.append(levels)
    if image.mips == 1 and type_ is not TextureType.VOLUME:
        slices = [_mips(levels[0]) for levels in slices]
    return _texture(slices, type_)


def _texture(slices: list[list[NDArray[np.generic]]], type_: TextureType) -> Texture9:
    """Return a texture of these levels, by face: (height, width, 4), or (depth, ...)."""
    top = slices[0][0]
    is_volume = type_ is TextureType.VOLUME
    *layers, height, width, _ = top.shape
    texture = Texture9(
        width, height, "A8R8G8B8" if top.dtype == np.uint8 else "A32B32G32R32F",
        levels=len(slices[0]), type_=type_, depth=layers[0] if layers else 1,
    )  # fmt: skip
    for face, levels in enumerate(slices):
        for level, texels in enumerate(levels):
            for layer in range(len(texels) if is_volume else 1):
                source = texels[layer] if is_volume else texels
                target = texture.surface(level, layer if is_volume else face).array
                target.view(np.uint8).reshape(-1)[:] = (
                    np.ascontiguousarray(source).view(np.uint8).reshape(-1)
                )
    return texture


def _mips(top: NDArray[np.generic]) -> list[NDArray[np.generic]]:
    """Return all levels, each the mean of two by two texels."""
    levels = [top]
    while max(levels[-1].shape[:2]) > 1:
        above = levels[-1].astype(np.float64)
        height, width = (max(1, n // 2) for n in above.shape[:2])
        rows = above[: 2 * height].reshape(height, -1, *above.shape[1:]).mean(1)
        level = rows[:, : 2 * width].reshape(height, width, -1, 4).mean(2)
        levels.append((level + (0.5 if top.dtype == np.uint8 else 0)).astype(top.dtype))
    return levels


def _checker(shape: tuple[int, ...], name: str) -> Texels:
    texels = np.zeros((*shape, 4), np.uint8)
    if is_normal_map(name):
        texels[:] = _FLAT_NORMAL
        return texels
    square = np.zeros(shape, np.intp)
    for axis, size in enumerate(shape):
        step = np.arange(size) * _SQUARES // size
        square += step.reshape([-1 if n == axis else 1 for n in range(len(shape))])
    texels[:] = np.where((square % 2 == 0)[..., None], np.array(_BRIGHT), np.array(_DARK))
    return texels
