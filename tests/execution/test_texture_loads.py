"""Loads and queries of textures on both engines: ld, ld2dms, resinfo, by a few lines of Python.

Spec: D3D11.3 sections 22.4.6, 22.4.7, 22.4.14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sampling_formats import FORMATS, make_texture
from sampling_state import Kind, Texture

import softd3d

Array = np.ndarray[Any, Any]
COUNT = 256
FAR = [2**31, 2**31 - 1, -(2**31), 2**32 - 1, 65536]
WORDS = {"1d": "texture1d", "2d": "texture2d", "3d": "texture3d", "cube": "texturecube"}
HEAD = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_{dcl} (float,float,float,float) t0
dcl_resource_structured t1, 32
dcl_uav_structured u0, 64
dcl_input vThreadID.x
dcl_temps 6
dcl_thread_group 32, 1, 1
ld_structured_indexable(structured_buffer, stride=32)(mixed,mixed,mixed,mixed) r0.xyzw, vThreadID.x, l(0), t1.xyzw
ld_structured_indexable(structured_buffer, stride=32)(mixed,mixed,mixed,mixed) r1.xyzw, vThreadID.x, l(16), t1.xyzw
"""  # noqa: E501
TYPES = "(float,float,float,float)"


@dataclass(frozen=True)
class Setup:
    """A texture, and the offset of the loads."""

    kind: str
    extent: tuple[int, ...]
    slices: int = 0
    format: str = "R8G8B8A8_UNORM"
    offset: tuple[int, int, int] | None = None
    mips: int = 0


SETUPS = {
    "1d": Setup(Kind.ONE, (13,), format="R16G16_FLOAT", offset=(-3, 1, 1)),
    "1d-array": Setup(Kind.ONE, (9,), slices=3, format="R32_FLOAT"),
    "2d": Setup(Kind.TWO, (13, 7), format="A8_UNORM", offset=(7, -8, 5)),
    "2d-array": Setup(Kind.TWO, (5, 6), slices=4, format="R8G8B8A8_UNORM_SRGB"),
    "2d-array-offset": Setup(Kind.TWO, (5, 6), slices=4, offset=(1, -1, 1)),
    "3d": Setup(Kind.THREE, (5, 4, 6), format="R8G8_SNORM", offset=(-1, 2, -2)),
    "one-texel": Setup(Kind.TWO, (1, 1), format="R10G10B10A2_UNORM"),
}


def random_addresses(setup: Setup, random: np.random.Generator) -> Array:
    """Return uint32, (COUNT, 8): most inside or just outside, a few anywhere."""
    found = random.integers(-2, 9, (COUNT, 8))
    found[:, 3] = random.integers(-1, 5, COUNT)
    far = random.random((COUNT, 8)) < 0.05
    found[far] = random.choice(
        [2**31, 2**31 - 1, -(2**31), 2**32 - 1, 65536], np.count_nonzero(far)
    )
    inside = random.random(COUNT) < 0.5
    sizes = [*setup.extent, *([setup.slices] if setup.slices else [])]
    for axis, size in enumerate(sizes):
        found[inside, axis] = random.integers(0, size, np.count_nonzero(inside))
    found[inside, 3] = random.integers(0, 2, np.count_nonzero(inside))
    return (found & 0xFFFFFFFF).astype(np.uint32)


def loaded(texture: Texture, setup: Setup, address: Array) -> Array:
    """Return what ld gives."""
    axes = texture.axes
    offset = (*(setup.offset or (0, 0, 0))[:axes], 0, 0, 0)[:3]
    place = [(int(a) + o) & 0xFFFFFFFF for a, o in zip(address[:3], offset, strict=True)]
    level, slice_ = int(address[3]), place[axes] if setup.slices else 0
    if level > texture.last or slice_ >= max(1, setup.slices):
        return texture.empty()
    extent = texture.extent(level)
    if any(p >= n for p, n in zip(place[:axes], extent, strict=False)):
        return texture.empty()
    x, y, z = (*place[:axes], 0, 0)[:3]
    return texture.levels[level][slice_, z, y, x]


def sizes_of(texture: Texture, setup: Setup, level: int) -> tuple[list[int], int]:
    """Return what resinfo gives as sizes, the array's among them, and the number of mips."""
    if level > texture.last:
        return [0, 0, 0], len(texture.levels)
    sizes = [*texture.extent(level)[: texture.axes]]
    sizes += [setup.slices] if setup.slices else []
    return [*sizes, 0, 0, 0][:3], len(texture.levels)


def text_of(setup: Setup) -> str:
    """Return the shader: a load, and resinfo in its three forms."""
    word = WORDS[setup.kind] + ("array" if setup.slices else "")
    ld = "ld_indexable" if setup.offset is None else "ld_aoffimmi_indexable({},{},{})"
    ld = ld.format(*(setup.offset or ()))
    load = f"{ld}({word}){TYPES} r2.xyzw, r0.xyzw, t0.xyzw\n" if setup.kind != Kind.CUBE else ""
    queries = "".join(
        f"resinfo_indexable({word}){TYPES}{form} r{n}.xyzw, r0.w, t0.xyzw\n"
        for n, form in ((3, ""), (4, "_rcpFloat"), (5, "_uint"))
    )
    stores = "".join(
        f"store_structured u0.xyzw, vThreadID.x, l({16 * (n - 2)}), r{n}.xyzw\n"
        for n in range(2, 6)
    )
    return HEAD.format(dcl=word) + "mov r2.xyzw, l(0,0,0,0)\n" + load + queries + stores + "ret\n"


ENGINES = {
    "interpreter": ("interpreter", 0), "jit": ("jit", 0), "jit4": ("jit", 4), "jit8": ("jit", 8),
}  # fmt: skip
EVERY_ENGINE = pytest.mark.parametrize("engine", ENGINES)


def run(text: str, texture: Any, addresses: Array, engine: str) -> Array:
    """Return float32, (COUNT, 4 results, 4)."""
    out = np.zeros((COUNT, 16), np.float32)
    softd3d.dispatch(
        softd3d.load(softd3d.assemble(text)), (COUNT // 32, 1, 1),
        engine=ENGINES[engine][0], lanes=ENGINES[engine][1],
        srvs={0: texture, 1: softd3d.StructuredBuffer(addresses)},
        uavs={0: softd3d.StructuredBuffer(out)},
    )  # fmt: skip
    return out.reshape(COUNT, 4, 4)


def check_queries(setup: Setup, texture: Texture, address: Array, row: Array) -> None:
    sizes, mips = sizes_of(texture, setup, int(address[3]))
    known = 2 if setup.kind == Kind.CUBE and setup.slices else 3  # z is undefined there
    assert row[1, :known].tolist() == sizes[:known]
    assert row[3, :known].view(np.uint32).tolist() == sizes[:known]
    assert row[1, 3] == row[2, 3] == row[3, 3].view(np.uint32) == mips
    for axis, size in enumerate(sizes[:known]):
        is_size = axis < texture.axes
        wanted = 1 / size if is_size and size else np.inf if is_size else size
        assert row[2, axis] == np.float32(wanted), (axis, address)


@EVERY_ENGINE
@pytest.mark.parametrize("name", SETUPS)
def test_loads_and_sizes(name: str, engine: str) -> None:
    setup = SETUPS[name]
    random = np.random.default_rng(len(name))
    texture, plain = make_texture(
        setup.format, setup.kind, setup.extent, random, slices=setup.slices
    )
    addresses = random_addresses(setup, random)
    found = run(text_of(setup), texture, addresses, engine)
    error = FORMATS[setup.format].error
    for address, row in zip(addresses, found, strict=True):
        wanted = loaded(plain, setup, address)
        assert np.all(np.abs(row[0] - wanted) <= error * np.abs(wanted)), (address, row[0], wanted)
        check_queries(setup, plain, address, row)


@EVERY_ENGINE
@pytest.mark.parametrize("slices", [0, 2])
def test_sizes_of_cubes(slices: int, engine: str) -> None:
    setup = Setup(Kind.CUBE, (6,), slices=slices)
    random = np.random.default_rng(slices)
    texture, plain = make_texture(setup.format, Kind.CUBE, setup.extent, random, slices=slices)
    addresses = random_addresses(setup, random)
    for address, row in zip(
        addresses, run(text_of(setup), texture, addresses, engine), strict=True
    ):
        check_queries(setup, plain, address, row)


@EVERY_ENGINE
@pytest.mark.parametrize("slices", [0, 3])
def test_samples_of_multisampled_textures(slices: int, engine: str) -> None:
    """Samples that are not there are left out: what they give is undefined."""
    random = np.random.default_rng(4)
    shape = (max(1, slices), 6, 5, 4, 2)
    texels = random.integers(0, 2**15, shape).astype(np.float16)
    kind = softd3d.Texture2DMSArray if slices else softd3d.Texture2DMS
    texture = kind(texels if slices else texels[0], "R16G16_FLOAT")
    addresses = random_addresses(Setup(Kind.TWO, (5, 6), slices), random)
    addresses[:, 4] &= 3
    word = "texture2dmsarray" if slices else "texture2dms"
    text = HEAD.format(dcl=word + "(4)") + (
        f"ldms_aoffimmi_indexable(1,-2,3)({word}){TYPES} r2.xyzw, r0.xyzw, t0.xyzw, r1.x\n"
        "store_structured u0.xyzw, vThreadID.x, l(0), r2.xyzw\nret\n"
    )
    found = run(text, texture, addresses, engine)[:, 0]
    for address, row in zip(addresses.astype(np.int64), found, strict=True):
        x, y, z = (address[0] + 1) & 0xFFFFFFFF, (address[1] - 2) & 0xFFFFFFFF, address[2]
        z = z if slices else 0
        inside = x < 5 and y < 6 and z < shape[0]
        wanted = texels[z, y, x, address[4]].tolist() if inside else [0.0, 0.0]
        assert row.tolist() == [*wanted, 0.0, 1.0]


@EVERY_ENGINE
@pytest.mark.parametrize("name", [*SETUPS, "cube", "cube-array"])
def test_sizes_of_levels_that_are_not_there(name: str, engine: str) -> None:
    """The last level, the next one, and the ends of the range of numbers."""
    cubes = {"cube": Setup(Kind.CUBE, (6,)), "cube-array": Setup(Kind.CUBE, (6,), slices=2)}
    setup = (SETUPS | cubes)[name]
    texture, plain = make_texture(
        setup.format, setup.kind, setup.extent, np.random.default_rng(1), slices=setup.slices
    )
    levels = [plain.last, plain.last + 1, plain.last + 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    addresses = np.zeros((COUNT, 8), np.uint32)
    addresses[:, 3] = np.resize(levels, COUNT)
    found = run(text_of(setup), texture, addresses, engine)
    for address, row in zip(addresses, found, strict=True):
        check_queries(setup, plain, address, row)
