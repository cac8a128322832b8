"""What holds several programs of shader model 4 and 5: effects (fx_4_0 to fx_5_0), libraries."""

from __future__ import annotations

from functools import cached_property

from softd3d.arguments import instance, numbered
from softd3d.container.dxbc.container import Chunk, Container, parse
from softd3d.container.dxbc.edit import ChunkReference, replace_chunk
from softd3d.container.effects.d3d10.contents import EffectContents, effect_contents
from softd3d.container.effects.d3d10.effect import (
    Effect,
    build_effect,
    parse_effect,
    parse_effect_data,
)
from softd3d.container.effects.d3d10.shaders import embedded_shaders, with_shader
from softd3d.errors import ContainerError
from softd3d.isa.sm4.program import Program
from softd3d.shaders.listed import Listed
from softd3d.shaders.shader import Shader, load_shader

__all__ = ["Effect10", "EffectShader10", "Library"]


class EffectShader10(Shader):
    """A shader in an effect. place: the variable or pass that it belongs to, in words.

    Thousands of variables and passes may have the same one, which is read and decoded once.
    """

    def __init__(self, shared: Shader, chunk: Chunk, place: str) -> None:
        super().__init__(shared.data, shared.container, chunk)
        self.place = place
        self._shared = shared

    @property
    def program(self) -> Program:  # pyright: ignore[reportIncompatibleVariableOverride] - as kept
        """The decoded program.

        Raises:
            DecodeError: the tokens are malformed.
        """
        return self._shared.program


class Effect10(Listed):
    """An effect of Direct3D 10 or 11: variables, techniques with passes, and shaders.

    data: the file. container: None for a bare effect, as the compiler writes fx_5_0.
    """

    def __init__(self, data: bytes, container: Container | None, chunk: Chunk | None) -> None:
        self.data = instance(data, bytes, "Effect10: data")
        self.container = instance(container, (Container, type(None)), "Effect10: container")
        self._chunk = instance(chunk, (Chunk, type(None)), "Effect10: chunk")

    @cached_property
    def records(self) -> Effect:
        """What the file says: its counts and two areas.

        Raises:
            ContainerError: it is malformed.
        """
        return parse_effect_data(self.data) if self._chunk is None else parse_effect(self._chunk)

    @cached_property
    def contents(self) -> EffectContents:
        """Variables, objects, techniques and passes.

        Raises:
            ContainerError: they are malformed.
        """
        return effect_contents(self.records)

    @cached_property
    def shaders(self) -> tuple[EffectShader10, ...]:
        """The shaders inside: those of variables, then those of passes; null ones are left out.

        Raises:
            ContainerError: the effect is malformed, or the container of a shader.
        """
        shared: dict[int, tuple[Shader, Chunk]] = {}
        found = embedded_shaders(self.records, self.contents)
        for embedded in found:
            if embedded.offset not in shared:
                container = parse(embedded.code)
                chunk = container.program_chunk
                shared[embedded.offset] = Shader(embedded.code, container, chunk), chunk
        return tuple(EffectShader10(*shared[one.offset], one.place) for one in found)

    @cached_property
    def listing(self) -> str:
        """The text that Microsoft's disassembler prints.

        Raises:
            ShaderError: the effect, or a shader in it, is malformed.
        """
        from softd3d.container.listing.container import bare_effect_listing  # noqa: PLC0415 - when asked for

        return bare_effect_listing(self.records)

    def shader(self, index: int) -> EffectShader10:
        """Return a shader by its number.

        Raises:
            ContainerError: the effect is malformed. ResourceError: there is no such shader.
        """
        return numbered(self.shaders, index, "effect: shader")

    def with_shader(self, index: int, data: bytes) -> bytes:
        """Return the file with another container in place of a shader, wherever that is used.

        Raises:
            ResourceError: there is no such shader. ContainerError: the new one is longer than the
                old one, which is not supported, or is of another stage.
            DecodeError: the new one is no shader of model 4 or 5.
        """
        old, new = self.shader(index), load_shader(data)
        if new.program.type is not old.program.type:
            raise ContainerError(
                f"effect: a shader for {new.program.type.name} is to replace one for "
                f"{old.program.type.name}, of {old.place}"
            )
        payload = build_effect(with_shader(self.records, index, new.data))
        if self._chunk is None:
            return payload
        return replace_chunk(self.data, ChunkReference("FX10", 0), payload)

    def __repr__(self) -> str:
        return f"<Effect10, {len(self.data)} bytes>"


class Library(Listed):
    """A library of HLSL functions (lib_4_0 to lib_5_0). data: the file."""

    def __init__(self, data: bytes, container: Container) -> None:
        self.data = instance(data, bytes, "Library: data")
        self.container = instance(container, Container, "Library: container")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The functions' names, in the order of the file; none if their list is damaged."""
        from softd3d.container.reflection.library import read_names  # noqa: PLC0415 - when asked for

        return tuple(read_names(self.container))

    @cached_property
    def listing(self) -> str:
        """The text that Microsoft's disassembler prints.

        Raises:
            ShaderError: a part of the library that the listing shows is malformed.
        """
        from softd3d.shaders.listings import listing_of  # noqa: PLC0415 - looking needs no listing

        return listing_of(self.data)

    def __repr__(self) -> str:
        return f"<Library of {len(self.names)} functions, {len(self.data)} bytes>"
