"""Whole listings of SM4.0-5.1 containers, as D3DDisassemble writes them.

Parts that few shaders have are imported where one has them, so that listing one starts quickly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from softd3d.container.dxbc.checksum import ChecksumKind
from softd3d.container.dxbc.container import Container, parse
from softd3d.container.dxbc.level9 import LEVEL9_CHUNKS
from softd3d.container.listing.buffers import buffer_lines
from softd3d.container.listing.tables import (
    binding_lines,
    signature_lines,
    tessellation_lines,
)
from softd3d.container.reflection.features import ShaderFeatures, feature_texts, parse_features
from softd3d.container.reflection.rdef import parse_rdef
from softd3d.container.reflection.signature import (
    INPUT_SIGNATURES,
    OUTPUT_SIGNATURES,
    PATCH_CONSTANT_SIGNATURES,
)
from softd3d.container.reflection.stat import Statistics, parse_stat
from softd3d.isa.asm.options import PLAIN, Dialect, ListingOptions
from softd3d.isa.asm.sm4.printer import Code, InstructionNotes, program_code, token_code
from softd3d.isa.sm4.decode import TokenStream
from softd3d.isa.sm4.enums import GlobalFlags, ProgramType

if TYPE_CHECKING:
    from softd3d.container.effects.d3d10.effect import Effect

__all__ = ["bare_effect_listing", "container_listing", "listing_header"]

_NO_CREATOR = "Microsoft (R) D3D Shader Disassembler"
_DEBUG_CHUNKS = ("SDBG", "SPDB")


def container_listing(container: Container, options: ListingOptions = PLAIN) -> str:
    """Return the comment header and the code, of a library those of all its functions.

    Without signatures all of the header that does not go with the code is left out.

    Raises:
        ContainerError: there is no program of SM4.0-5.1, or a chunk is malformed.
        DecodeError: the program is malformed.
    """
    effect = container.find("FX10")
    if effect is not None and container.find("SHEX", "SHDR") is None:
        from softd3d.container.effects.d3d10.effect import parse_effect  # noqa: PLC0415

        return bare_effect_listing(parse_effect(effect), options)
    chunk = container.find("LIBH")
    if chunk is None:
        return _program_listing(container, options)
    from softd3d.container.listing.library import library_lines  # noqa: PLC0415
    from softd3d.container.reflection.library import (  # noqa: PLC0415
        parse_library_function,
        parse_library_header,
    )

    text = _joined(library_lines(parse_library_header(chunk)))
    functions = (chunk for chunk in container.chunks if chunk.fourcc == "LIBF")
    return text + "".join(
        _program_listing(parse_library_function(function).container, options)
        for function in functions
    )


def bare_effect_listing(effect: Effect, options: ListingOptions = PLAIN) -> str:
    """Return the listing of a Direct3D 10 effect, with those of its shaders.

    Raises:
        ContainerError, DecodeError: as `effect_listing`.
    """
    from softd3d.container.effects.d3d10.listing import effect_listing  # noqa: PLC0415

    inner = ListingOptions(options.dialect)
    return effect_listing(effect, lambda data: _program_listing(parse(data), inner), options)


def listing_header(container: Container, code: Code, options: ListingOptions = PLAIN) -> list[str]:
    """Return the lines of a shader's listing that stand before its code.

    All are comments but for the code of level 9. code: the container's.

    Raises:
        ContainerError: a chunk is malformed.
        DecodeError: a level 9 program is malformed.
    """
    return _header(container, code, options)[0]


def _program_listing(container: Container, options: ListingOptions) -> str:
    """Return the listing of a shader or of a library's function."""
    code = _code(container, options)
    lines: list[str] = []
    count: int | None = None
    if not options.code_only:
        lines, count = _header(container, code, options)
    return _joined(lines) + code.text(count)


def _code(container: Container, options: ListingOptions) -> Code:
    chunk = container.program_chunk
    stream = TokenStream(chunk.data, chunk.data_offset)
    has_notes = options.debug and container.find(*_DEBUG_CHUNKS) is not None
    if not has_notes and not options.numbers and not options.offsets:
        return token_code(stream, options)
    program = stream.program()
    notes: Mapping[int, InstructionNotes] | None = None
    if has_notes:
        from softd3d.container.listing.debug import debug_notes  # noqa: PLC0415

        notes = debug_notes(container, program, options.dialect)
    return program_code(program, options, notes)


def _joined(lines: Iterable[str]) -> str:
    return "".join([f"{line}\n" for line in lines])


def _header(
    container: Container, code: Code, options: ListingOptions
) -> tuple[list[str], int | None]:
    """Return the header and the number of instructions, None if that is not to be told."""
    dialect = options.dialect
    count: int | None = None
    lines: list[str] = []
    if _has_signatures(container, dialect):
        statistics = _statistics(container)
        count = statistics.instruction_count if statistics is not None else 0
        lines += _described(container, code, statistics, dialect)
    elif dialect.habits.has_bare_header:
        count = 0
        lines += ["//", f"// Generated by {_NO_CREATOR}", "//"]
    interfaces = container.find("IFCE")
    if interfaces is not None:
        from softd3d.container.listing.interfaces import interface_lines  # noqa: PLC0415

        lines += interface_lines(interfaces)
    if container.find(*LEVEL9_CHUNKS) is not None:
        from softd3d.container.listing.level9 import level9_lines  # noqa: PLC0415

        lines += level9_lines(container, options)
    return lines, count


def _has_signatures(container: Container, dialect: Dialect) -> bool:
    if container.find("LFS0") is not None:
        return True
    newer = () if dialect.habits.knows_new_signatures else ("ISG1", "OSG1")
    chunks = (container.find(*fourccs) for fourccs in (INPUT_SIGNATURES, OUTPUT_SIGNATURES))
    return all(chunk is not None and chunk.fourcc not in newer for chunk in chunks)


def _described(
    container: Container, code: Code, statistics: Statistics | None, dialect: Dialect
) -> list[str]:
    """Return the part of the header that needs signatures."""
    stage = code.target.type
    lines = [*_head(container, code, dialect), *_signatures(container, stage, dialect)]
    if statistics is not None:
        lines += tessellation_lines(stage.name.lower(), statistics)
        if statistics.is_sample_frequency_shader and stage is ProgramType.PS:
            lines += ["// Pixel Shader runs at sample frequency", "//"]
    return lines


def _statistics(container: Container) -> Statistics | None:
    chunk = container.find("STAT")
    return parse_stat(chunk) if chunk is not None else None


def _head(container: Container, code: Code, dialect: Dialect) -> list[str]:
    """Return creator, notes, buffers and bindings."""
    chunk = container.find("RDEF")
    definitions = parse_rdef(chunk) if chunk is not None else None
    creator = definitions.creator if definitions is not None else _NO_CREATOR
    lines = ["//", f"// Generated by {creator}", "//", "//"]
    lines += _notes(container, code, dialect)
    if definitions is not None:
        lines += buffer_lines(definitions.constant_buffers)
        lines += binding_lines(definitions, dialect)
        lines.append("//")
    return lines


def _notes(container: Container, code: Code, dialect: Dialect) -> list[str]:
    """Return what the shader needs beyond its model."""
    lines: list[str] = []
    if container.checksum_kind is ChecksumKind.DEBUG:
        lines += ["// Note: SHADER WILL ONLY WORK WITH THE DEBUG SDK LAYER ENABLED.", "//", "//"]
    if not dialect.habits.has_feature_notes:
        return lines
    chunk = container.find("SFI0")
    features = parse_features(chunk) if chunk is not None else ShaderFeatures.NONE
    is_early = bool(code.global_flags & GlobalFlags.FORCE_EARLY_DEPTH_STENCIL)
    texts = feature_texts(features, forces_early_depth_stencil=is_early)
    if texts:
        lines.append("// Note: shader requires additional functionality:")
        lines += [*(f"//       {text}" for text in texts), "//", "//"]
    return lines


def _signatures(container: Container, stage: ProgramType, dialect: Dialect) -> list[str]:
    is_domain_shader = stage is ProgramType.DS
    sections = (
        ("Patch Constant", PATCH_CONSTANT_SIGNATURES, is_domain_shader),
        ("Input", INPUT_SIGNATURES, True),
        ("Output", OUTPUT_SIGNATURES, False),
    )
    parameters = container.find("LFS0")
    if parameters is not None:
        from softd3d.container.listing.library import parameter_lines  # noqa: PLC0415

        return parameter_lines(parameters)
    lines: list[str] = []
    for title, fourccs, rw_is_read in sections:
        chunk = container.find(*fourccs)
        if chunk is not None:
            lines += ["//"] if lines else []
            lines += signature_lines(title, chunk, dialect, rw_is_read=rw_is_read)
    return lines
