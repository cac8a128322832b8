"""The kinds of chunks: what each FourCC is, and what reads and writes it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from softd3d.classes import dataclass
from softd3d.container.debug.sdbg import DebugTables, build_sdbg, parse_sdbg
from softd3d.container.dxbc.container import Chunk
from softd3d.container.dxbc.dxil import (
    DxilProgram,
    PipelineStateValidation,
    RuntimeData,
    ShaderDebugName,
    ShaderHash,
    build_debug_name,
    build_dxil,
    build_psv,
    build_runtime_data,
    build_shader_hash,
    is_dxil_program,
    parse_debug_name,
    parse_dxil,
    parse_psv,
    parse_runtime_data,
    parse_shader_hash,
)
from softd3d.container.dxbc.level9 import Level9Program, build_level9, parse_level9
from softd3d.container.effects.d3d10.effect import Effect, build_effect, parse_effect
from softd3d.container.reflection.features import ShaderFeatures, build_features, parse_features
from softd3d.container.reflection.interfaces import Interfaces, build_interfaces, parse_interfaces
from softd3d.container.reflection.library import (
    LibraryFunction,
    LibraryHeader,
    LibrarySignature,
    build_library_function,
    build_library_header,
    build_library_signature,
    parse_library_function,
    parse_library_header,
    parse_library_signature,
)
from softd3d.container.reflection.rdef import parse_rdef
from softd3d.container.reflection.rdef_writer import build_rdef
from softd3d.container.reflection.resources import ResourceDefinitions
from softd3d.container.reflection.root_signature import (
    RootSignature,
    build_root_signature,
    parse_root_signature,
)
from softd3d.container.reflection.signature import Signature, build_signature, parse_signature
from softd3d.container.reflection.stat import Statistics, build_stat, parse_stat
from softd3d.errors import ContainerError
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.encode import encode
from softd3d.isa.sm4.program import Program

__all__ = ["CHUNK_KINDS", "Blob", "ChunkKind", "describe", "read_chunk", "write_chunk"]


@dataclass(frozen=True, slots=True)
class Blob:
    """The data of a chunk whose kind is known and whose content is not looked into."""

    data: bytes


@dataclass(frozen=True, slots=True)
class ChunkKind:
    """What a FourCC stands for.

    models: the shader models, or the Direct3D version, that have it. holds: the classes `parse`
    returns and `build` takes.
    """

    description: str
    models: str
    holds: tuple[type, ...]
    parse: Callable[[Chunk], object]
    build: Callable[[Any], bytes]


def read_chunk(chunk: Chunk) -> object:
    """Return what the chunk says, as the class of its kind; the chunk itself if it has no kind.

    Raises:
        ShaderError: the chunk is malformed: a DecodeError from code, else a ContainerError.

    >>> read_chunk(Chunk("PRIV", b"mine"))
    Blob(data=b'mine')
    """
    kind = CHUNK_KINDS.get(chunk.fourcc)
    return chunk if kind is None else kind.parse(chunk)


def write_chunk(fourcc: str, content: object) -> bytes:
    """Return the data of a chunk, from what `read_chunk` made of it; that of a `Chunk` as it is.

    Raises:
        ContainerError: the content is not of the FourCC's kind, or holds what cannot be stored.

    >>> write_chunk("PRIV", Blob(b"mine"))
    b'mine'
    """
    if isinstance(content, Chunk):
        return content.data
    kind = CHUNK_KINDS.get(fourcc)
    if kind is None or not isinstance(content, kind.holds):
        wanted = kind.holds if kind else (Chunk,)
        raise ContainerError(
            f"{fourcc}: cannot hold a {type(content).__name__}, "
            f"wanted {' or '.join(class_.__name__ for class_ in wanted)}"
        )
    return kind.build(content)


def describe(fourcc: str) -> str:
    """Say in one line what chunks of this FourCC are, and where they occur.

    >>> describe("RTS0")
    'root signature (Direct3D 12)'
    """
    kind = CHUNK_KINDS.get(fourcc)
    return "unknown chunk" if kind is None else f"{kind.description} ({kind.models})"


def _blob(chunk: Chunk) -> Blob:
    return Blob(chunk.data)


def _blob_data(blob: Blob) -> bytes:
    return blob.data


def _opaque(description: str, models: str) -> ChunkKind:
    return ChunkKind(description, models, (Blob,), _blob, _blob_data)


def _signature(fourcc: str, description: str, models: str) -> ChunkKind:
    build = partial(build_signature, fourcc)
    return ChunkKind(description, models, (Signature,), parse_signature, build)


def _program(description: str, models: str) -> ChunkKind:
    return ChunkKind(description, models, (Program,), _parse_program, encode)


def _dxil(description: str, models: str) -> ChunkKind:
    return ChunkKind(description, models, (DxilProgram,), parse_dxil, build_dxil)


def _level9(description: str) -> ChunkKind:
    holds = (Level9Program,)
    return ChunkKind(description, "feature level 9", holds, parse_level9, build_level9)


def _parse_program(chunk: Chunk) -> Program:
    return decode(chunk.data, chunk.data_offset)


def _parse_statistics(chunk: Chunk) -> Statistics | DxilProgram:
    # Shader model 6 reflects from a second module of bitcode, under the old name.
    return parse_dxil(chunk) if is_dxil_program(chunk) else parse_stat(chunk)


def _build_statistics(content: Statistics | DxilProgram) -> bytes:
    return build_dxil(content) if isinstance(content, DxilProgram) else build_stat(content)


_SM4, _SM5, _SM6 = "shader model 4", "shader model 5", "shader model 6"
_ANY, _MIN_PRECISION = "shader model 4 and up", "Direct3D 11.1 and shader model 6"
_TESTS = "tests of the compiler"
_EXPRESSIONS, _LIBRARIES = "expressions in effects", "lib_4_0 to lib_5_0"

CHUNK_KINDS: dict[str, ChunkKind] = {
    "RDEF": ChunkKind(
        "constant buffers and resource bindings",
        "shader model 4 and 5",
        (ResourceDefinitions,),
        parse_rdef,
        build_rdef,
    ),
    "ISGN": _signature("ISGN", "input signature", "shader model 4 and 5"),
    "OSGN": _signature("OSGN", "output signature", "shader model 4 and 5"),
    "PCSG": _signature("PCSG", "patch constant signature", _SM5),
    "OSG5": _signature("OSG5", "output signature with streams", _SM5),
    "ISG1": _signature("ISG1", "input signature with precisions", _MIN_PRECISION),
    "OSG1": _signature("OSG1", "output signature with precisions", _MIN_PRECISION),
    "PSG1": _signature("PSG1", "patch constant signature with precisions", _MIN_PRECISION),
    "SHDR": _program("code", _SM4),
    "SHEX": _program("code", _SM5),
    "STAT": ChunkKind(
        "statistics; in shader model 6 reflection as bitcode",
        _ANY,
        (Statistics, DxilProgram),
        _parse_statistics,
        _build_statistics,
    ),
    "SFI0": ChunkKind(
        "required features", "Direct3D 11 and up", (ShaderFeatures,), parse_features, build_features
    ),
    "IFCE": ChunkKind(
        "interfaces and classes", _SM5, (Interfaces,), parse_interfaces, build_interfaces
    ),
    "Aon9": _level9("Direct3D 9 code of the shader"),
    "XNAS": _level9("Direct3D 9 code of the shader for XNA"),
    "XNAP": _level9("Direct3D 9 code of the shader for XNA, prepass"),
    "SDBG": ChunkKind(
        "debug information",
        "shader model 4 and 5, compilers up to version 46",
        (DebugTables,),
        parse_sdbg,
        build_sdbg,
    ),
    "SPDB": _opaque(
        "debug information, a PDB file", "shader model 4 and 5, compilers from version 47"
    ),
    "SMID": _opaque("alternate shader", _TESTS),
    "SDTL": _opaque("details of the compilation", _TESTS),
    "PERF": _opaque("performance of the compilation", _TESTS),
    "CRPT": _opaque("report of the compilation", _TESTS),
    "PRIV": _opaque("private data of the application", _ANY),
    "FX10": ChunkKind("effect", "fx_4_0 and fx_4_1", (Effect,), parse_effect, build_effect),
    "CTAB": _opaque("constants that are used", _EXPRESSIONS),
    "CLI4": _opaque("literals", _EXPRESSIONS),
    "FXLC": _opaque("code", _EXPRESSIONS),
    "LIBH": ChunkKind(
        "list of a library's functions",
        _LIBRARIES,
        (LibraryHeader,),
        parse_library_header,
        build_library_header,
    ),
    "LIBF": ChunkKind(
        "function of a library, a container in itself",
        _LIBRARIES,
        (LibraryFunction,),
        parse_library_function,
        build_library_function,
    ),
    "LFS0": ChunkKind(
        "parameters of a library function",
        _LIBRARIES,
        (LibrarySignature,),
        parse_library_signature,
        build_library_signature,
    ),
    "RTS0": ChunkKind(
        "root signature",
        "Direct3D 12",
        (RootSignature,),
        parse_root_signature,
        build_root_signature,
    ),
    "DXIL": _dxil("code, LLVM bitcode", _SM6),
    "ILDB": _dxil("code with debug information, LLVM bitcode", _SM6),
    "ILDN": ChunkKind(
        "name of the file with the debug information",
        _SM6,
        (ShaderDebugName,),
        parse_debug_name,
        build_debug_name,
    ),
    "HASH": ChunkKind(
        "digest of the shader", _SM6, (ShaderHash,), parse_shader_hash, build_shader_hash
    ),
    "PSV0": ChunkKind(
        "facts to validate pipelines with", _SM6, (PipelineStateValidation,), parse_psv, build_psv
    ),
    "RDAT": ChunkKind(
        "run-time data of a library",
        _SM6,
        (RuntimeData,),
        parse_runtime_data,
        build_runtime_data,
    ),
    "SRCI": _opaque("source code and compiler arguments", _SM6),
    "PDBI": _opaque("debug information, compressed", _SM6),
    "VERS": _opaque("version of the compiler", _SM6),
}
"""What each FourCC stands for."""
