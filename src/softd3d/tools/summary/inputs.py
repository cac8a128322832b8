"""What can be said about an input at a glance, as plain JSON data."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from softd3d.container.dxbc.container import Container, parse, stored_checksum_kind
from softd3d.container.reflection.enums import ShaderInputType, SrvDimension
from softd3d.container.reflection.resources import Binding
from softd3d.errors import ShaderError
from softd3d.isa.row import Kind as RowKind
from softd3d.isa.sm4.enums import ProgramType
from softd3d.isa.sm4.rows import TABLE
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.not_shaders import refusal
from softd3d.shaders.shader import Shader, load_shader
from softd3d.tools.reflection.declared import declared_bindings, declared_row

__all__ = ["summarise"]

_PREFIXES = {
    ShaderInputType.CBUFFER: "cb",
    ShaderInputType.TBUFFER: "t",
    ShaderInputType.TEXTURE: "t",
    ShaderInputType.SAMPLER: "s",
    ShaderInputType.STRUCTURED: "t",
    ShaderInputType.BYTEADDRESS: "t",
}


def summarise(data: bytes, *, strict: bool = False) -> dict[str, Any]:
    """Return kind, size, hashes, chunks, counts and bindings of an input; of a texture, its shape.

    `problems` lists what could not be read; the rest of the result is still right.
    strict: whether odd textures are refused.

    Raises:
        ShaderError: the input is no kind of shader, a container without a chunk table, or a texture
            that cannot be read.
    """
    identity = identify(data)
    if identity.kind is Kind.UNKNOWN:
        raise refusal(data, "a compiled shader, an effect or a texture")
    summary: dict[str, Any] = {
        "kind": identity.kind.value,
        "profile": identity.profile,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "problems": [],
    }
    if identity.kind is Kind.DDS:
        from softd3d.tools.summary.textures import summarise_texture  # noqa: PLC0415 - NumPy

        summary["texture"] = summarise_texture(data, strict=strict)
    if identity.kind in (Kind.SM1_TOKENS, Kind.EFFECT, Kind.XNB):
        _add_legacy(summary, data, identity.kind)
    if identity.kind is Kind.EFFECT10:
        _add_effect(summary, data)
    if identity.kind is Kind.CONTAINER:
        container = parse(data)
        summary["container"] = _container(container, data)
        if container.find("SHEX", "SHDR") is None:
            summary["profile"] = _profile_without_program(container)
            if container.find("FX10") is not None:
                _add_effect(summary, data)
            return summary
    if identity.kind in (Kind.CONTAINER, Kind.TOKENS):
        _add_program(summary, load_shader(data))
    return summary


def _add_legacy(summary: dict[str, Any], data: bytes, kind: Kind) -> None:
    from softd3d.tools.summary.d3d9 import summarise_effect9, summarise_shader9  # noqa: PLC0415

    try:
        if kind is Kind.SM1_TOKENS:
            summary["shader9"] = summarise_shader9(data)
        else:
            summary["effect9"] = summarise_effect9(data)
    except ShaderError as error:
        summary["problems"].append(str(error))


def _container(container: Container, data: bytes) -> dict[str, Any]:
    kind = stored_checksum_kind(data)
    return {
        "version": container.version,
        "checksum": container.checksum.hex(),
        "checksum_ok": kind is not None,
        "checksum_kind": kind,
        "trailing_bytes": len(data) - container.size,
        "chunks": [
            {"fourcc": c.fourcc, "offset": c.offset, "bytes": len(c.data)} for c in container.chunks
        ],
    }


def _profile_without_program(container: Container) -> str:
    chunk = container.find("DXIL", "ILDB", "FX10")
    return "" if chunk is None else identify(chunk.data).profile


def _add_effect(summary: dict[str, Any], data: bytes) -> None:
    from softd3d.shaders.effects.d3d10 import Effect10  # noqa: PLC0415 - when one comes
    from softd3d.shaders.loading import load  # noqa: PLC0415
    from softd3d.tools.summary.effects import summarise_effect10  # noqa: PLC0415

    try:
        found = load(data)
        if isinstance(found, Effect10):
            summary["effect10"] = summarise_effect10(found)
    except ShaderError as error:
        summary["problems"].append(str(error))


def _add_program(summary: dict[str, Any], shader: Shader) -> None:
    for add in (_add_counts, _add_compute, _add_bindings, _add_linkage):
        try:
            add(summary, shader)
        except ShaderError as error:
            if str(error) not in summary["problems"]:
                summary["problems"].append(str(error))


def _add_counts(summary: dict[str, Any], shader: Shader) -> None:
    program = shader.program
    kinds = Counter(TABLE[i.opcode].kind for i in program.instructions)
    declarations = kinds.pop(RowKind.DECLARATION, 0)
    statistics = shader.statistics
    summary["profile"] = program.profile
    summary["program"] = {
        "instructions": kinds.total(),
        "declarations": declarations,
        "by_kind": {kind.value: kinds[kind] for kind in RowKind if kinds[kind]},
        "slots": None if statistics is None else statistics.instruction_count,
    }


def _add_compute(summary: dict[str, Any], shader: Shader) -> None:
    if shader.program.type is not ProgramType.CS:
        return
    declarations = shader.declarations
    summary["compute"] = {
        "thread_group": list(declarations.group_size),
        "temps": declarations.temps,
        "shared_bytes": declarations.shared_bytes,
    }


def _add_bindings(summary: dict[str, Any], shader: Shader) -> None:
    """List bindings by name from the reflection, else by register from the declarations."""
    definitions = shader.reflection
    if definitions is not None:
        summary["creator"] = definitions.creator
        summary["bindings"] = [_binding(b) for b in definitions.bindings]
    else:
        summary["bindings"] = [declared_row(d) for d in declared_bindings(shader.program)]


def _add_linkage(summary: dict[str, Any], shader: Shader) -> None:
    if shader.interfaces is not None:
        from softd3d.shaders.linkage import linkage_data  # noqa: PLC0415 - few shaders have any

        summary["linkage"] = linkage_data(shader)


def _binding(binding: Binding) -> dict[str, Any]:
    space = f",space{binding.space}" if binding.space else ""
    return {
        "register": f"{_PREFIXES.get(binding.type, 'u')}{binding.bind_point}{space}",
        "name": binding.name,
        "type": binding.type.name.lower(),
        "holds": _holds(binding),
        "count": binding.bind_count,
    }


def _holds(binding: Binding) -> str:
    if binding.dimension in (SrvDimension.UNKNOWN, SrvDimension.BUFFEREX):
        return ""
    if binding.type.name.endswith("STRUCTURED") or "STRUCTURED_" in binding.type.name:
        return f"{binding.sample_count} bytes each"
    components = str(binding.component_count) if binding.component_count > 1 else ""
    return f"{binding.dimension.name.lower()} of {binding.return_type.name.lower()}{components}"
