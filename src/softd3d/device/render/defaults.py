"""What shaders read and write where the caller binds nothing: checkers, zeros, linear wrapping."""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.device.registers import Register, RegisterKind, wanted_registers
from softd3d.errors import ResourceError
from softd3d.isa.machine import Memory, ViewKind
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import ResourceDimension, ReturnType
from softd3d.lower.declared import SamplerDeclaration, ViewDeclaration
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
from softd3d.resources.textures.texture import (
    Texture,
    Texture1D,
    Texture1DArray,
    Texture2D,
    Texture2DArray,
    Texture2DMS,
    Texture2DMSArray,
    Texture3D,
    TextureCube,
    TextureCubeArray,
)
from softd3d.resources.transfer.mipmaps import generate_mips
from softd3d.shaders.linkage import ClassInstance, linkage_data
from softd3d.shaders.shader import Shader

__all__ = ["default_bindings", "default_interfaces", "default_text", "mipmapped"]

_D = ResourceDimension
_SIZE, _VOLUME, _SQUARES = 128, 32, 8  # texels of an edge; squares along it
_SLICES, _CUBES, _SAMPLES, _TEXELS = 4, 2, 4, 1024
_FACES = 6
_CLASSES: dict[ResourceDimension, type[Texture]] = {
    _D.TEXTURE1D: Texture1D, _D.TEXTURE1DARRAY: Texture1DArray, _D.TEXTURE2D: Texture2D,
    _D.TEXTURE2DARRAY: Texture2DArray, _D.TEXTURE2DMS: Texture2DMS,
    _D.TEXTURE2DMSARRAY: Texture2DMSArray, _D.TEXTURE3D: Texture3D,
    _D.TEXTURECUBE: TextureCube, _D.TEXTURECUBEARRAY: TextureCubeArray,
}  # fmt: skip
_ARRAYS = {
    _D.TEXTURE1DARRAY: _SLICES, _D.TEXTURE2DARRAY: _SLICES, _D.TEXTURE2DMSARRAY: _SLICES,
    _D.TEXTURECUBE: _FACES, _D.TEXTURECUBEARRAY: _FACES * _CUBES,
}  # fmt: skip
_ROWS = (_D.TEXTURE1D, _D.TEXTURE1DARRAY)
_MULTISAMPLED = (_D.TEXTURE2DMS, _D.TEXTURE2DMSARRAY)
# The bright and the dark squares of slices or faces, as codes of 8 bits
_BRIGHT = np.array(
    [(240, 236, 224, 255), (255, 170, 150, 255), (165, 225, 160, 255), (150, 185, 255, 255),
     (250, 225, 130, 255), (215, 165, 245, 255)], np.uint8,
)  # fmt: skip
_DARK = np.array([(70, 110, 160, 255), (140, 60, 50, 255), (50, 120, 60, 255), (45, 65, 150, 255),
                  (150, 115, 30, 255), (100, 55, 130, 255)], np.uint8)  # fmt: skip
_FLAT_NORMAL = (128, 128, 255, 255)
_NORMAL_MAP = re.compile(r"normal|bump|nrm", re.IGNORECASE)
_COMPARING = re.compile(r"_c(?:_|$)")  # of mnemonics: sample_c_lz, gather4_po_c
_FORMATS = {
    ReturnType.SNORM: "R8G8B8A8_SNORM", ReturnType.SINT: "R8G8B8A8_SINT",
    ReturnType.UINT: "R8G8B8A8_UINT",
}  # fmt: skip


def default_bindings(shader: Shader) -> dict[RegisterKind, dict[tuple[int, int], object]]:
    """Return what is bound by default, by kind and (register, space).

    Textures are checkers of 8 by 8 squares with mips; those whose name says that they are normal
    maps are flat, those that are compared are 1. Buffers hold 0, but typed ones a ramp. UAVs are 0
    and as large as a texture. Samplers filter linearly and wrap; comparing ones pass LESS_EQUAL.
    """
    wanted = wanted_registers(shader.program, shader.declarations, shader.reflection)
    return {
        RegisterKind.SRVS: {_place(r): _view(r) for r in wanted[RegisterKind.SRVS]},
        RegisterKind.UAVS: {_place(r): _view(r) for r in wanted[RegisterKind.UAVS]},
        RegisterKind.SAMPLERS: {_place(r): _sampler(r) for r in wanted[RegisterKind.SAMPLERS]},
    }


def default_interfaces(shader: Shader) -> dict[int | str, object]:
    """Return a class instance for each interface slot: the first that fits.

    Where the shader keeps none, one of the first class, with its data at the beginning.
    """
    data = linkage_data(shader) or {"slots": [], "instances": []}
    found: dict[int | str, object] = {}
    for slot in data["slots"]:
        classes = cast("list[str]", slot["classes"])
        named = [
            f"{i['name']}[0]" if cast("int", i["elements"]) > 1 else str(i["name"])
            for i in data["instances"]
            if i["class"] in classes
        ]
        if classes:
            found[cast("int", slot["slot"])] = named[0] if named else ClassInstance(classes[0])
    return found


def default_text(register: Register) -> str:
    """Say what `default_bindings` gives to a register, with sizes of textures."""
    wanted = register.declaration
    if isinstance(wanted, SamplerDeclaration):
        compares = " of LESS_EQUAL, CLAMP" if wanted.is_comparison else ", WRAP"
        return f"trilinear filtering{compares}"
    if not isinstance(wanted, ViewDeclaration) or wanted.kind in (
        ViewKind.RAW,
        ViewKind.STRUCTURED,
    ):
        return "zeros"
    is_buffer = wanted.dimension is _D.BUFFER
    size = "" if is_buffer else " of " + " x ".join(str(n) for n in _shape(wanted.dimension)[::-1])
    if wanted.memory is Memory.UAV:
        return f"zeros{size}"
    if is_buffer:
        return "a ramp"
    if _is_compared(register):
        return f"the far depth 1{size}"
    return ("a flat normal map" if _is_normal_map(register) else "a checker") + size


def _is_compared(register: Register) -> bool:
    return any(_COMPARING.search(m) for m in register.mnemonics)


def _is_normal_map(register: Register) -> bool:
    return _NORMAL_MAP.search(register.name) is not None


def mipmapped(level: NDArray[Any], format_: str) -> Texture:
    """Return a 2D texture with all mips of an image."""
    return _with_mips(Texture2D, level, format_, level.shape[1], level.shape[0])


def _place(register: Register) -> tuple[int, int]:
    return register.number, register.space


def _sampler(register: Register) -> SamplerState:
    wanted = register.declaration
    if isinstance(wanted, SamplerDeclaration) and wanted.is_comparison:
        return SamplerState(
            "COMPARISON_MIN_MAG_MIP_LINEAR", "CLAMP", "CLAMP", "CLAMP",
            comparison_func="LESS_EQUAL",
        )  # fmt: skip
    return SamplerState("MIN_MAG_MIP_LINEAR", "WRAP", "WRAP", "WRAP")


def _view(register: Register) -> object:
    wanted = register.declaration
    if not isinstance(wanted, ViewDeclaration):
        raise ResourceError(f"{register}: found no view, wanted one")
    is_written = wanted.memory is Memory.UAV
    if wanted.kind is ViewKind.RAW:
        return RawBuffer(np.zeros(_TEXELS, np.uint32))
    if wanted.kind is ViewKind.STRUCTURED:
        items = np.zeros(_TEXELS * wanted.stride // 4, np.uint32)
        return StructuredBuffer(items, wanted.stride, 0 if is_written else None)
    type_ = _return_type(wanted)
    if is_written:
        return _written(wanted, type_)
    if wanted.dimension is _D.BUFFER:
        return _ramp(type_)
    return _texture(wanted.dimension, type_, register)


def _return_type(wanted: ViewDeclaration) -> ReturnType:
    """Return the type of the first component; of mixed ones the others' does not count."""
    known = [t for t in wanted.return_types if t in set(ReturnType)]
    return ReturnType(known[0]) if known else ReturnType.FLOAT


def _ramp(type_: ReturnType) -> TypedBuffer:
    ramp = np.arange(_TEXELS)
    if type_ in (ReturnType.UINT, ReturnType.SINT):
        return TypedBuffer(ramp.astype(np.uint32), f"R32_{type_.name}")
    return TypedBuffer((ramp / _TEXELS).astype(np.float32), "R32_FLOAT")


def _written(wanted: ViewDeclaration, type_: ReturnType) -> object:
    """Return zeros that every format of one component can be written to."""
    is_integer = type_ in (ReturnType.UINT, ReturnType.SINT)
    format_ = f"R32_{type_.name}" if is_integer else "R32_FLOAT"
    dtype = {"R32_SINT": np.int32, "R32_FLOAT": np.float32}.get(format_, np.uint32)
    if wanted.dimension is _D.BUFFER:
        return TypedBuffer(np.zeros(_TEXELS, dtype), format_)
    shape = _shape(wanted.dimension)
    return _CLASSES[wanted.dimension](np.zeros(shape, dtype), format_)


def _shape(dimension: ResourceDimension) -> tuple[int, ...]:
    slices = (_ARRAYS[dimension],) if dimension in _ARRAYS else ()
    if dimension is _D.TEXTURE3D:
        return (_VOLUME,) * 3
    return (*slices, _SIZE) if dimension in _ROWS else (*slices, _SIZE, _SIZE)


def _texture(dimension: ResourceDimension, type_: ReturnType, register: Register) -> object:
    """Return a checker, flat where a checker would make no sense."""
    if dimension not in _CLASSES:
        return None
    shape = _shape(dimension)
    if _is_compared(register):
        class_ = _CLASSES[dimension]
        return class_(np.ones(shape, np.float32), "R32_FLOAT")
    texels = _checker(dimension, shape)
    if _is_normal_map(register):
        texels[:] = _FLAT_NORMAL
    if dimension in _MULTISAMPLED:
        texels = np.ascontiguousarray(np.repeat(texels[..., None, :], _SAMPLES, -2))
    format_ = _FORMATS.get(type_, "R8G8B8A8_UNORM")
    if type_ is ReturnType.SNORM:
        texels >>= 1
    if type_ in (ReturnType.SNORM, ReturnType.SINT):
        texels = texels.view(np.int8)
    if type_ in (ReturnType.SINT, ReturnType.UINT) or dimension in _MULTISAMPLED:
        return _CLASSES[dimension](texels, format_)
    depth = _VOLUME if dimension is _D.TEXTURE3D else 1
    width, height = shape[-1], 1 if dimension in _ROWS else shape[-2]
    return _with_mips(
        _CLASSES[dimension], texels, format_, width, height, depth, _ARRAYS.get(dimension, 1)
    )


def _with_mips(
    class_: type[Texture], texels: NDArray[Any], format_: str, width: int, height: int,
    depth: int = 1, slices: int = 1,
) -> Texture:  # fmt: skip
    mips = max(width, height, depth).bit_length()
    texel = texels.nbytes // (width * height * depth * slices)
    rest = sum(
        max(1, width >> n) * max(1, height >> n) * max(1, depth >> n) for n in range(1, mips)
    )
    top = np.ascontiguousarray(texels).view(np.uint8).reshape(slices, -1)
    data = np.concatenate([top, np.zeros((slices, rest * texel), np.uint8)], 1)
    texture = class_.from_bytes(data.tobytes(), format_, width, height, depth, slices, mips)
    generate_mips(texture)
    return texture


def _checker(dimension: ResourceDimension, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return codes of 8 bits, with an axis of four channels."""
    is_layered = dimension in _ARRAYS
    square = np.zeros(shape[1:] if is_layered else shape, np.intp)
    for axis, size in enumerate(square.shape):
        # Coordinates of -1, 0 and 1 are the edges of images, but lie inside squares of volumes.
        shift = size // 2 if dimension is _D.TEXTURE3D else 0
        step = (np.arange(size) * _SQUARES + shift) // size
        square += step.reshape([-1 if n == axis else 1 for n in range(square.ndim)])
    slices = np.arange(shape[0] if is_layered else 1) % len(_BRIGHT)
    is_bright = (square % 2 == 0)[None, ..., None]
    tail = (len(slices), *[1] * square.ndim, 4)
    found = np.where(is_bright, _BRIGHT[slices].reshape(tail), _DARK[slices].reshape(tail))
    return found if is_layered else found[0]
