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
    from softd3d.device.blt import BltFlags, blt
    from softd3d.device.dispatch import Dispatch, dispatch, dispatch_indirect
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
    from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer, TypedBuffer
    from softd3d.resources.d3d9.copies import (
        color_fill,
        get_render_target_data,
        update_surface,
        update_texture,
    )
    from softd3d.resources.d3d9.locks import lock_rect
    from softd3d.resources.d3d9.stretch import stretch_rect
    from softd3d.resources.d3d9.surfaces import Surface9, Texture9
    from softd3d.resources.dds.file import read_dds, write_dds
    from softd3d.resources.textures.depth_planes import depth_plane, stencil_plane
    from softd3d.resources.textures.depth_stencil import Surface
    from softd3d.resources.textures.texture import (
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
    from softd3d.resources.transfer.conversion import convert, decode, encode
    from softd3d.resources.transfer.copies import (
        copy_resource,
        copy_subresource_region,
        update_subresource,
    )
    from softd3d.resources.transfer.mapping import MapType, map_subresource
    from softd3d.resources.transfer.mipmaps import generate_mips
    from softd3d.resources.transfer.regions import Box
    from softd3d.resources.transfer.resolve import resolve_subresource
    from softd3d.shaders.effects.d3d9 import Effect9, load_effect9
    from softd3d.shaders.effects.d3d10 import Effect10, Library
    from softd3d.shaders.linkage import ClassInstance
    from softd3d.shaders.loading import load
    from softd3d.shaders.shader import Shader
    from softd3d.shaders.token_stream import Shader9, load9
    from softd3d.tools.reflection.constant_table import reflect9
    from softd3d.tools.reflection.shader import reflect
    from softd3d.tools.text.assembler import assemble, rounded_literals
    from softd3d.tools.text.disassembler import disassemble, disassemble_exact
    from softd3d.tools.validation.binary import validate

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
    **{name: "resources.textures.texture" for name in __all__ if name.startswith("Texture")},
    "ComparisonFunc": "isa.sampling.state",
    "Filter": "isa.sampling.state",
    "Message": "lower.messages",
    "TextureAddressMode": "isa.sampling.state",
    "Box": "resources.transfer.regions",
    "copy_resource": "resources.transfer.copies",
    "copy_subresource_region": "resources.transfer.copies",
    "update_subresource": "resources.transfer.copies",
    "map_subresource": "resources.transfer.mapping",
    "MapType": "resources.transfer.mapping",
    "resolve_subresource": "resources.transfer.resolve",
    "generate_mips": "resources.transfer.mipmaps",
    "depth_plane": "resources.textures.depth_planes",
    "stencil_plane": "resources.textures.depth_planes",
    "Surface9": "resources.d3d9.surfaces",
    "Texture9": "resources.d3d9.surfaces",
    "stretch_rect": "resources.d3d9.stretch",
    "update_surface": "resources.d3d9.copies",
    "update_texture": "resources.d3d9.copies",
    "get_render_target_data": "resources.d3d9.copies",
    "color_fill": "resources.d3d9.copies",
    "lock_rect": "resources.d3d9.locks",
    "BltFlags": "device.blt",
    "Effect9": "shaders.effects.d3d9",
    "Effect10": "shaders.effects.d3d10",
    "Library": "shaders.effects.d3d10",
    "SamplerState": "isa.sampling.state",
    "Readings": "formats.depth_stencil",
    "Surface": "resources.textures.depth_stencil",
    "blt": "device.blt",
    "convert": "resources.transfer.conversion",
    "decode": "resources.transfer.conversion",
    "encode": "resources.transfer.conversion",
    "load_effect9": "shaders.effects.d3d9",
    "read_dds": "resources.dds.file",
    "write_dds": "resources.dds.file",
    "ClassInstance": "shaders.linkage",
    "Dispatch": "device.dispatch",
    "Outcome": "lower.outcome",
    "RawBuffer": "resources.buffers.buffer",
    "Shader": "shaders.shader",
    "StructuredBuffer": "resources.buffers.buffer",
    "TypedBuffer": "resources.buffers.buffer",
    "dispatch": "device.dispatch",
    "dispatch_indirect": "device.dispatch",
    "Shader9": "shaders.token_stream",
    "assemble": "tools.text.assembler",
    "rounded_literals": "tools.text.assembler",
    "disassemble": "tools.text.disassembler",
    "disassemble_exact": "tools.text.disassembler",
    "load": "shaders.loading",
    "load9": "shaders.token_stream",
    "validate": "tools.validation.binary",
    "reflect": "tools.reflection.shader",
    "reflect9": "tools.reflection.constant_table",
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
