"""Shaders: bytes whose content, never a file's extension, says what they are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from softd3d.arguments import instance, records
from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk, Container, parse
from softd3d.errors import ContainerError, Location, ResourceError
from softd3d.isa.record import by_hand
from softd3d.isa.sm4.decode import decode
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.listed import Listed
from softd3d.source import Source, read_source

if TYPE_CHECKING:
    import numpy as np

    from softd3d.container.dxbc.level9 import Level9Program
    from softd3d.container.reflection.interfaces import Interfaces
    from softd3d.container.reflection.resources import ResourceDefinitions
    from softd3d.container.reflection.signature import Signature
    from softd3d.container.reflection.stat import Statistics
    from softd3d.isa.sm4.program import Instruction, Program
    from softd3d.lower.declarations import Declarations
    from softd3d.lower.linkage import LinkageDeclarations

__all__ = ["Shader", "Signatures", "collection_chunk", "load_shader"]

_SHOWN_NAMES = 16
_WANTED = "a program of shader model 4 or 5"


@dataclass(frozen=True, slots=True)
class Signatures:
    """The signatures of a container, None where it has none of a kind."""

    input: Signature | None = None
    output: Signature | None = None
    patch_constant: Signature | None = None


class Shader(Listed):
    """A shader model 4.0 to 5.1 program, alone or in its container.

    data: the input. container: None for a bare token stream. Everything else is read when it is
    first asked for, so a damaged part raises only where it matters; results are kept.
    """

    def __init__(self, data: bytes, container: Container | None, chunk: Chunk | None) -> None:
        self.data = instance(data, bytes, "Shader: data")
        self.container = instance(container, (Container, type(None)), "Shader: container")
        self._chunk = instance(chunk, (Chunk, type(None)), "Shader: chunk")

    @cached_property
    def program(self) -> Program:
        """The decoded program.

        Raises:
            DecodeError: the tokens are malformed.
        """
        if self._chunk is None:
            return decode(self.data)
        return decode(self._chunk.data, self._chunk.data_offset)

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """All instructions in order, declarations and custom data among them.

        The text of each is its line of the listing; docs/reading-programs.md tells of the rest.

        Raises:
            DecodeError: the tokens are malformed.
        """
        return self.program.instructions

    def with_instructions(self, instructions: Iterable[Instruction]) -> Shader:
        """Return the shader with other instructions; all else in its container stays as it is.

        The instructions' own offsets and positions do not count. Statistics and feature flags are
        not computed anew; the checksum is.

        Raises:
            AssemblyError: an instruction has no tokens: a number does not fit its field.
            DecodeError: the tokens are malformed.
        """
        from softd3d.isa.sm4.encode import encode  # noqa: PLC0415 - each part when it is used
        from softd3d.isa.sm4.program import Instruction  # noqa: PLC0415 - as above

        code = by_hand(encode)(
            replace(
                self.program, instructions=records(instructions, (Instruction,), "instructions")
            )
        )
        if self.container is None or self._chunk is None:
            return Shader(code, None, None)
        if code == self._chunk.data:
            return self
        from softd3d.container.dxbc.edit import rebuild  # noqa: PLC0415 - as above

        place = self.container.chunks.index(self._chunk)
        chunks = list(self.container.chunks)
        chunks[place] = Chunk(self._chunk.fourcc, code)
        return load_shader(rebuild(self.data, chunks))

    @cached_property
    def level9(self) -> tuple[Level9Program, ...]:
        """The programs for feature level 9, each with the tables of its registers; mostly none.

        Raises:
            ContainerError: a chunk of them is malformed.
        """
        from softd3d.container.dxbc.level9 import level9_programs  # noqa: PLC0415 - as above

        return () if self.container is None else level9_programs(self.container)

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of the program's tokens."""
        return hashlib.sha256(self.data if self._chunk is None else self._chunk.data).digest()

    @property
    def profile(self) -> str:
        """The compiler's name of the target, such as `cs_5_0`."""
        return self.program.profile

    @cached_property
    def reflection(self) -> ResourceDefinitions | None:
        """The names of buffers, variables and bindings; None if the shader was stripped.

        Raises:
            ContainerError: the RDEF chunk is malformed.
        """
        from softd3d.container.reflection.rdef import parse_rdef  # noqa: PLC0415 - each part when it is read

        chunk = self.container.find("RDEF") if self.container else None
        return None if chunk is None else parse_rdef(chunk)

    @cached_property
    def signatures(self) -> Signatures:
        """The input, output and patch constant signatures.

        Raises:
            ContainerError: a signature chunk is malformed.
        """
        from softd3d.container.reflection.signature import (  # noqa: PLC0415 - each part when it is read
            INPUT_SIGNATURES,
            OUTPUT_SIGNATURES,
            PATCH_CONSTANT_SIGNATURES,
            parse_signature,
        )

        kinds = (INPUT_SIGNATURES, OUTPUT_SIGNATURES, PATCH_CONSTANT_SIGNATURES)
        chunks = [self.container.find(*kind) if self.container else None for kind in kinds]
        return Signatures(*(None if c is None else parse_signature(c) for c in chunks))

    @cached_property
    def interfaces(self) -> Interfaces | None:
        """The classes and interface slots of a shader with dynamic linkage, else None.

        Raises:
            ContainerError: the IFCE chunk is malformed.
        """
        from softd3d.container.reflection.interfaces import parse_interfaces  # noqa: PLC0415 - as above

        chunk = self.container.find("IFCE") if self.container else None
        return None if chunk is None else parse_interfaces(chunk)

    @cached_property
    def statistics(self) -> Statistics | None:
        """The compiler's statistics; None without a STAT chunk.

        Raises:
            ContainerError: the chunk is malformed.
        """
        from softd3d.container.reflection.stat import parse_stat  # noqa: PLC0415 - each part when it is read

        chunk = self.container.find("STAT") if self.container else None
        return None if chunk is None else parse_stat(chunk)

    @cached_property
    def dtypes(self) -> dict[str, np.dtype[Any]]:
        """NumPy dtypes of constant buffers and of structured buffers' elements, by name.

        A buffer whose layout memory does not have (interface pointers, objects) is left out.

        Raises:
            ContainerError: the RDEF chunk is malformed.
        """
        from softd3d.resources.buffers.dtypes import buffer_dtype  # noqa: PLC0415 - needs NumPy

        dtypes: dict[str, np.dtype[Any]] = {}
        for buffer in self.reflection.constant_buffers if self.reflection else ():
            with suppress(ResourceError):
                dtypes[buffer.name] = buffer_dtype(buffer)
        return dtypes

    @cached_property
    def declarations(self) -> Declarations:
        """What the program declares: its stage, inputs and outputs, registers, bindings.

        Raises:
            DecodeError: declarations contradict each other.
        """
        # Listing a shader must not wait for what running one needs.
        from softd3d.lower.declarations import read_declarations  # noqa: PLC0415

        return read_declarations(self.program)

    @cached_property
    def linkage(self) -> LinkageDeclarations:
        """The function tables and interfaces that the program declares.

        Raises:
            DecodeError: the declarations are malformed.
        """
        from softd3d.lower.linkage import read_linkage  # noqa: PLC0415 - as above

        return read_linkage(self.program)

    @cached_property
    def listing(self) -> str:
        """The text that Microsoft's disassembler prints for the shader.

        Raises:
            ShaderError: a part of the shader that the listing shows is malformed.
        """
        from softd3d.shaders.listings import listing_of  # noqa: PLC0415 - running needs no listing

        return listing_of(self.data)

    def __repr__(self) -> str:
        tokens = self.data if self._chunk is None else self._chunk.data
        profile = identify(tokens).profile or "unknown version"
        return f"<Shader {profile}, {len(self.data)} bytes>"


def load_shader(source: Source) -> Shader:
    """Read a shader of model 4 to 5.1, a DXBC container or a bare token stream.

    Raises:
        OSError: the file cannot be read.
        ContainerError: the container is malformed or has no program of shader model 4 to 5.1; the
            message says if it is a library, and of what functions, or an effect.
        DecodeError: neither a container nor a token stream of shader model 4 to 5.1; the message
            names what it is instead.
    """
    data = read_source(source)
    kind = identify(data).kind
    if kind is Kind.CONTAINER:
        container = parse(data)
        _refuse_collections(container)
        return Shader(data, container, container.program_chunk)
    if kind is Kind.TOKENS:
        return Shader(data, None, None)
    from softd3d.shaders.not_shaders import refusal  # noqa: PLC0415 - when it must be told

    raise refusal(data, _WANTED)


def collection_chunk(container: Container) -> Chunk | None:
    """Return the chunk of an effect or library in a container; None if it has a program."""
    other = container.find("LIBH", "LIBF", "FX10")
    return other if container.find("SHEX", "SHDR") is None else None


def _refuse_collections(container: Container) -> None:
    """Refuse what holds several programs rather than one.

    Raises:
        ContainerError: the container is a library of functions, or an effect.
    """
    other = collection_chunk(container)
    if other is None:
        return
    wanted = "wanted a single program (a SHDR or SHEX chunk)"
    place = Location(offset=other.offset, chunk=other.fourcc)
    if other.fourcc == "FX10":
        raise ContainerError(f"it is an effect (fx_4_0 to fx_5_0), {wanted}", place)
    from softd3d.container.reflection.library import read_names  # noqa: PLC0415 - in an error only

    names = read_names(container)
    shown = ", ".join([*names[:_SHOWN_NAMES], *(["..."] if len(names) > _SHOWN_NAMES else [])])
    functions = f"functions {shown}" if names else "no list of its functions"
    raise ContainerError(f"it is a library ({functions}), {wanted}", place)
