"""A software Direct3D: load compiled shaders, list them, run them on NumPy arrays.

    shader = softd3d.load("histogram.dxbc")
    bins = softd3d.RawBuffer(np.zeros(256, np.uint32))
    values = softd3d.TypedBuffer(array, "R32_UINT")
    softd3d.dispatch(shader, groups=(64, 1, 1), srvs={0: values}, uavs={0: bins})

Names are imported when they are first used, so that importing the package stays quick.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING

import softd3d.forking as _forking  # pyright: ignore[reportUnusedImport] # watches forks  # noqa: F401

if TYPE_CHECKING:
    from softd3d import sm1, sm4
    from softd3d.device.assembler import assemble, rounded_literals
    from softd3d.device.blt import BltFlags, blt
    from softd3d.device.dispatch import Dispatch, dispatch, dispatch_indirect
    from softd3d.device.effect9 import Effect9, load_effect9
    from softd3d.device.effect10 import Effect10, Library
    from softd3d.device.linkage import ClassInstance
    from softd3d.device.loading import load
    from softd3d.device.reflection import reflect
    from softd3d.device.reflection9 import reflect9
    from softd3d.device.shader import Shader
    from softd3d.device.shader9 import Shader9, load9
    from softd3d.device.text import disassemble, disassemble_exact
    from softd3d.device.validation import validate
    from softd3d.errors import (
        AssemblyError,
        ContainerError,
        DecodeError,
        ExecutionError,
        InternalError,
        LoweringError,
        ResourceError,
        ShaderError,
        ValidationError,
    )
    from softd3d.formats.depth_stencil import Readings
    from softd3d.isa.sampling.state import (
        ComparisonFunc,
        Filter,
        SamplerState,
        TextureAddressMode,
    )
    from softd3d.lower.messages import Message
    from softd3d.lower.outcome import Outcome
    from softd3d.resources.buffers import RawBuffer, StructuredBuffer, TypedBuffer
    from softd3d.resources.conversion import convert, decode, encode
    from softd3d.resources.copies import copy_resource, copy_subresource_region, update_subresource
    from softd3d.resources.copies9 import (
        color_fill,
        get_render_target_data,
        update_surface,
        update_texture,
    )
    from softd3d.resources.dds import read_dds, write_dds
    from softd3d.resources.depth_planes import depth_plane, stencil_plane
    from softd3d.resources.locks9 import lock_rect
    from softd3d.resources.mapping import MapType, map_subresource
    from softd3d.resources.mipmaps import generate_mips
    from softd3d.resources.regions import Box
    from softd3d.resources.resolve import resolve_subresource
    from softd3d.resources.stretch9 import stretch_rect
    from softd3d.resources.surfaces import Surface
    from softd3d.resources.surfaces9 import Surface9, Texture9
    from softd3d.resources.textures import (
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

__version__ = "0.1.0"
IMPORTED_NS = time.time_ns()  # files that are newer may differ from the modules in memory

__all__ = [
    "AssemblyError",
    "BltFlags",
    "Box",
    "ClassInstance",
    "ComparisonFunc",
    "ContainerError",
    "DecodeError",
    "Dispatch",
    "Effect9",
    "Effect10",
    "ExecutionError",
    "Filter",
    "InternalError",
    "Library",
    "LoweringError",
    "MapType",
    "Message",
    "Outcome",
    "RawBuffer",
    "Readings",
    "ResourceError",
    "SamplerState",
    "Shader",
    "Shader9",
    "ShaderError",
    "StructuredBuffer",
    "Surface",
    "Surface9",
    "Texture1D",
    "Texture1DArray",
    "Texture2D",
    "Texture2DArray",
    "Texture2DMS",
    "Texture2DMSArray",
    "Texture3D",
    "Texture9",
    "TextureAddressMode",
    "TextureCube",
    "TextureCubeArray",
    "TypedBuffer",
    "ValidationError",
    "__version__",
    "assemble",
    "blt",
    "color_fill",
    "convert",
    "copy_resource",
    "copy_subresource_region",
    "decode",
    "depth_plane",
    "disassemble",
    "disassemble_exact",
    "dispatch",
    "dispatch_indirect",
    "encode",
    "generate_mips",
    "get_render_target_data",
    "load",
    "load9",
    "load_effect9",
    "lock_rect",
    "map_subresource",
    "read_dds",
    "reflect",
    "reflect9",
    "resolve_subresource",
    "rounded_literals",
    "sm1",
    "sm4",
    "stencil_plane",
    "stretch_rect",
    "update_subresource",
    "update_surface",
    "update_texture",
    "validate",
    "write_dds",
]

_HOMES = {
    **{name: "errors" for name in __all__ if name.endswith("Error")},
    **{name: "resources.textures" for name in __all__ if name.startswith("Texture")},
    "ComparisonFunc": "isa.sampling.state",
    "Filter": "isa.sampling.state",
    "Message": "lower.messages",
    "TextureAddressMode": "isa.sampling.state",
    "Box": "resources.regions",
    "copy_resource": "resources.copies",
    "copy_subresource_region": "resources.copies",
    "update_subresource": "resources.copies",
    "map_subresource": "resources.mapping",
    "MapType": "resources.mapping",
    "resolve_subresource": "resources.resolve",
    "generate_mips": "resources.mipmaps",
    "depth_plane": "resources.depth_planes",
    "stencil_plane": "resources.depth_planes",
    "Surface9": "resources.surfaces9",
    "Texture9": "resources.surfaces9",
    "stretch_rect": "resources.stretch9",
    "update_surface": "resources.copies9",
    "update_texture": "resources.copies9",
    "get_render_target_data": "resources.copies9",
    "color_fill": "resources.copies9",
    "lock_rect": "resources.locks9",
    "BltFlags": "device.blt",
    "Effect9": "device.effect9",
    "Effect10": "device.effect10",
    "Library": "device.effect10",
    "SamplerState": "isa.sampling.state",
    "Readings": "formats.depth_stencil",
    "Surface": "resources.surfaces",
    "blt": "device.blt",
    "convert": "resources.conversion",
    "decode": "resources.conversion",
    "encode": "resources.conversion",
    "load_effect9": "device.effect9",
    "read_dds": "resources.dds",
    "write_dds": "resources.dds",
    "ClassInstance": "device.linkage",
    "Dispatch": "device.dispatch",
    "Outcome": "lower.outcome",
    "RawBuffer": "resources.buffers",
    "Shader": "device.shader",
    "StructuredBuffer": "resources.buffers",
    "TypedBuffer": "resources.buffers",
    "dispatch": "device.dispatch",
    "dispatch_indirect": "device.dispatch",
    "Shader9": "device.shader9",
    "assemble": "device.assembler",
    "rounded_literals": "device.assembler",
    "disassemble": "device.text",
    "disassemble_exact": "device.text",
    "load": "device.loading",
    "load9": "device.shader9",
    "validate": "device.validation",
    "reflect": "device.reflection",
    "reflect9": "device.reflection9",
}

_NAMESPACES = ("sm1", "sm4")  # instructions as data: names that both families have


def __getattr__(name: str) -> object:
    if name in _NAMESPACES:
        return import_module(f"{__name__}.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
