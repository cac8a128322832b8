"""What programs of SM1-3 run on, made from a seed: registers, constants, textures and samplers."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from softd3d.device.evaluation import evaluate
from softd3d.isa.d3d9.enums import TextureAddress, TextureFilterType
from softd3d.isa.sampling.d3d9.state import SamplerState9
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.program import Program
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.d3d9.register_files import RegisterFiles, place_name
from softd3d.resources.d3d9.surfaces import Texture9, TextureType

__all__ = ["differences", "given_textures", "on_both_engines", "random_given", "random_texture"]

Given: TypeAlias = "dict[str, Any]"
FORMATS = (
    "A8R8G8B8", "X8R8G8B8", "R5G6B5", "A1R5G5B5", "A4R4G4B4", "L8", "A8L8", "A8", "V8U8",
    "X8L8V8U8", "L6V5U5", "Q8W8V8U8", "CxV8U8", "G16R16", "A16B16G16R16", "R16F", "A16B16G16R16F",
    "R32F", "A32B32G32R32F", "A2B10G10R10", "DXT1", "DXT5", "D16", "D24S8", "D32F_LOCKABLE", "INTZ",
    "DF16", "R8G8B8", "V16U16", "A2W10V10U10", "UYVY",
)  # fmt: skip
SPECIAL = np.array(
    [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x7F7FFFFF, 0x3F800000, 0x4B800001,
     0xCF000000, 0x5F000000, 0x33800000], np.uint32,
)  # fmt: skip
TYPES = {
    ResourceDimension.TEXTURE2D: TextureType.TEXTURE,
    ResourceDimension.TEXTURECUBE: TextureType.CUBE,
    ResourceDimension.TEXTURE3D: TextureType.VOLUME,
}


def numbers(rng: np.random.Generator, *shape: int, special: float = 0.1) -> np.ndarray:
    """Return numbers of moderate size, with special values among them."""
    values = rng.normal(0, 2, shape).astype(np.float32)
    odd = rng.choice(SPECIAL, shape).view(np.float32)
    return np.where(rng.random(shape) < special, odd, values)


def random_sampler(rng: np.random.Generator) -> SamplerState9:
    address = rng.choice(list(TextureAddress), 3)
    filters = [TextureFilterType(int(n)) for n in rng.choice([1, 2, 2, 3], 2)]
    return SamplerState9(
        *(TextureAddress(int(n)) for n in address), int(rng.integers(0, 1 << 32)), *filters,
        TextureFilterType(int(rng.integers(0, 3))), float(rng.choice([0.0, 0.0, 0.5, -1.25])),
        int(rng.choice([0, 0, 0, 1, 2, 9])), int(rng.choice([1, 1, 2, 4])),
        bool(rng.random() < 0.2),
    )  # fmt: skip


def random_texture(rng: np.random.Generator, type_: TextureType) -> Texture9:
    format_ = str(rng.choice(FORMATS))
    if type_ is TextureType.VOLUME and format_[0] in "DIU":  # blocks, depth and 4:2:2 units
        format_ = "A8R8G8B8"
    width, height, depth = (int(n) for n in rng.integers(1, 9, 3))
    if format_ in ("DXT1", "DXT5", "UYVY"):
        width, height = 8, 4
    if type_ is TextureType.CUBE:
        height = width = max(width, height)
    depth = depth if type_ is TextureType.VOLUME else 1
    levels = int(rng.integers(1, max(width, height, depth).bit_length() + 1))
    texture = Texture9(width, height, format_, levels=levels, type_=type_, depth=depth)
    texture.memory[:] = rng.integers(0, 256, texture.memory.size)
    texture.lod = int(rng.choice([0, 0, 0, levels - 1]))
    return texture


def given_textures(rng: np.random.Generator, program: Program, *, bound: float = 0.9) -> Given:
    """Return textures for the samplers of a program; some are not bound, some of a wrong kind."""
    found: Given = {}
    for number, wanted in RegisterFiles(program).samplers().items():
        if rng.random() < bound and number < 16:
            kinds = list(TextureType)
            type_ = kinds[int(rng.choice([0, 0, 0, 1, 2]))]
            if wanted is not None and rng.random() < 0.95:
                type_ = TYPES[wanted]
            found[f"s{number}"] = random_texture(rng, type_), random_sampler(rng)
    return found


def random_given(rng: np.random.Generator, program: Program, lanes: int) -> Given:
    """Return what `evaluate` takes."""
    files = RegisterFiles(program)
    inputs = {place_name(p): numbers(rng, lanes, 4) for p in files.supplied()}
    inputs["r0"] = np.zeros((lanes, 4), np.float32)
    constants: Given = {"c0": numbers(rng, min(files.constants, 64), 4, special=0.02)}
    constants |= {f"bump{n}": numbers(rng, 6, special=0.05) for n in range(4)}
    if program.version >= ((2, 1) if program.type is ProgramType.PS else (2, 0)):
        constants["i0"] = rng.integers(-1, 6, (4, 4))
        constants["b0"] = rng.random(16) < 0.5
    is_pixel = program.type is ProgramType.PS
    return {
        "inputs": inputs, "constants": constants, "textures": given_textures(rng, program),
        "quads": is_pixel,
        "projected": {0: 3, 1: 2} if is_pixel and rng.random() < 0.3 else None,
    }  # fmt: skip


def on_both_engines(program: Program, given: Given, profile: str, lanes: int, **options: Any):
    """Return what both engines give."""
    return tuple(
        evaluate(program, profile=profile, engine=engine, lanes=width, **given, **options)
        for engine, width in (("interpreter", 0), ("jit", lanes))
    )


def differences(wanted: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> list[str]:
    """Return the registers that differ in any bit, where any NaN is any other."""
    if wanted.keys() != found.keys():
        return sorted(wanted.keys() ^ found.keys())
    bad: list[str] = []
    for name, array in wanted.items():
        same = array.view(np.uint8) if array.dtype == np.bool_ else array.view(np.uint32)
        good = same == found[name].view(same.dtype)
        if array.dtype == np.float32:
            good |= np.isnan(array) & np.isnan(found[name])
        if not good.all():
            bad.append(name)
    return bad
