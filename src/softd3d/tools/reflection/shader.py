"""Reflection: all that D3DReflect tells of a shader, as plain JSON data with a schema of its own.

The schema is described in docs/reflection.md. Names are those of the D3D11_SHADER_*_DESC structures
and D3D_* enumerations (d3d11shader.h, d3dcommon.h) in lower case.
"""

from __future__ import annotations

from dataclasses import fields
from enum import IntEnum, IntFlag
from functools import lru_cache
from typing import Any

from softd3d.container.dxbc.container import Container
from softd3d.container.reflection.features import ShaderFeatures, parse_features
from softd3d.container.reflection.resources import (
    Binding,
    ConstantBuffer,
    ResourceDefinitions,
    Variable,
    VariableType,
)
from softd3d.container.reflection.signature import Signature, SignatureElement
from softd3d.container.reflection.stat import Statistics
from softd3d.errors import DecodeError
from softd3d.isa.roles import Declares
from softd3d.isa.sm4.enums import GlobalFlags
from softd3d.isa.sm4.program import Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.shaders.listed import Listed
from softd3d.shaders.loading import Loaded, load
from softd3d.shaders.shader import Shader
from softd3d.source import Source
from softd3d.tools.reflection.declared import declared_bindings

__all__ = ["SCHEMA", "SCHEMA_VERSION", "minimum_feature_level", "reflect", "required_features"]

SCHEMA = "softd3d.reflection"
SCHEMA_VERSION = 1

_LEVELS = {(4, 0): "10_0", (4, 1): "10_1", (5, 0): "11_0", (5, 1): "11_0"}
_LEVEL_9_PROGRAM = 12  # where an Aon9 chunk has the offset of its Direct3D 9 program
_STATISTICS = [field.name for field in fields(Statistics)]
_EARLY_DEPTH_STENCIL = "early_depth_stencil"


def reflect(source: Source | Loaded) -> dict[str, Any]:
    """Return what can be known of a shader without running it; see docs/reflection.md.

    source: what `softd3d.load` returns, a path, or contents as bytes. For a shader of model 1 to 3
    the document is that of `reflect9`.

    Parts that the shader lacks (a stripped RDEF, no signatures, no STAT) are None.

    Raises:
        OSError: the file cannot be read. TypeError: neither a shader, a path nor bytes.
        DecodeError: an effect or a library, whose shaders are reflected one by one.
        ShaderError: a part of the shader is malformed.
    """
    shader = source if isinstance(source, Listed) else load(source)
    if isinstance(shader, Shader):
        return _document(shader)
    from softd3d.shaders.token_stream import Shader9  # noqa: PLC0415 - when one comes

    if isinstance(shader, Shader9):
        from softd3d.tools.reflection.constant_table import reflect9  # noqa: PLC0415 - likewise

        return reflect9(shader)
    raise DecodeError(f"found {shader!r}, wanted a single shader; reflect those in it one by one")


def _document(shader: Shader) -> dict[str, Any]:
    program, container = shader.program, shader.container
    signatures = shader.signatures
    x, y, z = thread_group_size(program)
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "profile": program.profile,
        "min_feature_level": minimum_feature_level(program, container),
        "requires": required_features(program, container),
        "thread_group_size": [x, y, z],
        "definitions": _definitions(shader.reflection),
        "declarations": declared_bindings(program),
        "signatures": {
            "input": _signature(signatures.input),
            "output": _signature(signatures.output),
            "patch_constant": _signature(signatures.patch_constant),
        },
        "statistics": _statistics(shader),
    }


def thread_group_size(program: Program) -> tuple[int, int, int]:
    """Return what dcl_thread_group says; zeros where there is none."""
    for i in program.instructions:
        if TABLE[i.opcode].declares is Declares.THREAD_GROUP:
            x, y, z = i.extra
            return x, y, z
    return 0, 0, 0


def minimum_feature_level(program: Program, container: Container | None) -> str:
    """Return the lowest D3D_FEATURE_LEVEL that runs the shader, such as "11_0"."""
    chunk = container.find("Aon9") if container else None
    if chunk is None:
        many_views = ShaderFeatures.UAVS_64 in _features(container)
        return "11_1" if many_views else _LEVELS[program.major, program.minor]
    reader = chunk.reader()
    version = reader.u32(reader.u32(_LEVEL_9_PROGRAM))
    return "9_3" if version & 0xFF else "9_1"  # 2.x needs what 2.0 does not


def required_features(program: Program, container: Container | None) -> list[str]:
    """Return the names of what GetRequiresFlags tells, lowest bit first."""
    features = _features(container) & ~ShaderFeatures.RAW_AND_STRUCTURED_BUFFERS
    names = _names(features)
    if program.global_flags & GlobalFlags.FORCE_EARLY_DEPTH_STENCIL:
        doubles = ShaderFeatures.DOUBLES in features
        names.insert(int(doubles), _EARLY_DEPTH_STENCIL)
    return names


def _features(container: Container | None) -> ShaderFeatures:
    chunk = container.find("SFI0") if container else None
    return ShaderFeatures.NONE if chunk is None else parse_features(chunk)


def _definitions(found: ResourceDefinitions | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "creator": found.creator,
        "compile_flags": found.flags,
        "interface_slots": found.interface_slots,
        "constant_buffers": [_buffer(buffer) for buffer in found.constant_buffers],
        "bindings": [_binding(binding) for binding in found.bindings],
    }


def _buffer(buffer: ConstantBuffer) -> dict[str, Any]:
    return {
        "name": buffer.name,
        "type": _name(buffer.type),
        "size": buffer.size,
        "flags": _names(buffer.flags),
        "variables": [_variable(variable) for variable in buffer.variables],
    }


def _variable(variable: Variable) -> dict[str, Any]:
    return {
        "name": variable.name,
        "offset": variable.offset,
        "size": variable.size,
        "flags": _names(variable.flags),
        "default": None if variable.default is None else variable.default.hex(),
        "start_texture": variable.start_texture,
        "texture_count": variable.texture_count,
        "start_sampler": variable.start_sampler,
        "sampler_count": variable.sampler_count,
        "type": _type(variable.type),
    }


def _type(found: VariableType) -> dict[str, Any]:
    return {
        "name": found.name or None,
        "class": _name(found.class_),
        "type": _name(found.type),
        "rows": found.rows,
        "columns": found.columns,
        "elements": found.elements,
        "members": [
            {"name": member.name, "offset": member.offset, "type": _type(member.type)}
            for member in found.members
        ],
        "interfaces": [_type(interface) for interface in found.interfaces],
    }


def _binding(binding: Binding) -> dict[str, Any]:
    return {
        "name": binding.name,
        "type": _name(binding.type),
        "return_type": _name(binding.return_type),
        "dimension": _name(binding.dimension),
        "components": binding.component_count,
        "samples_or_stride": binding.sample_count,
        "bind_point": binding.bind_point,
        "bind_count": binding.bind_count,
        "space": binding.space,
        "id": binding.id,
        "flags": _names(binding.flags),
    }


def _signature(signature: Signature | None) -> list[dict[str, Any]] | None:
    return None if signature is None else [_element(e) for e in signature.elements]


def _element(element: SignatureElement) -> dict[str, Any]:
    return {
        "semantic_name": element.name,
        "semantic_index": element.semantic_index,
        "register": element.register,
        "system_value": _name(element.meaning),
        "component_type": _name(element.component_type),
        "mask": element.mask,
        "read_write_mask": element.rw_mask,
        "stream": element.stream,
        "min_precision": _name(element.min_precision),
    }


def _statistics(shader: Shader) -> dict[str, int] | None:
    statistics = shader.statistics
    if statistics is None:
        return None
    values = {name: getattr(statistics, name) for name in _STATISTICS}
    return {name: value for name, value in values.items() if not isinstance(value, bool)}


# Members of several enumerations are equal as numbers
@lru_cache(maxsize=1024, typed=True)
def _name(value: IntEnum) -> str:
    return value.name.lower()


def _names(flags: IntFlag) -> list[str]:
    """Return the names of the bits that are set; bits without a name in hex."""
    return list(_known_names(flags)) if flags else []


@lru_cache(maxsize=1024, typed=True)
def _known_names(flags: IntFlag) -> tuple[str, ...]:
    known = [flag for flag in type(flags) if flag and flag in flags]
    rest = int(flags) & ~sum(known)
    names = [str(flag.name).lower() for flag in known]
    return tuple([*names, hex(rest)] if rest else names)
