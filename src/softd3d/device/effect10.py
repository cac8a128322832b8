"""What holds several programs of shader model 4 and 5: effects (fx_4_0 to fx_5_0), libraries."""

from __future__ import annotations

from functools import cached_property

from softd3d.container.dxbc import Chunk, Container, parse
from softd3d.container.effect import Effect, parse_effect, parse_effect_data
from softd3d.container.effect_contents import EffectContents, effect_contents
from softd3d.device.listed import Listed
from softd3d.device.shader import Shader, load_shader

__all__ = ["Effect10", "Library"]


class Effect10(Listed):
    """An effect of Direct3D 10 or 11: variables, techniques with passes, and shaders.

    data: the file. container: None for a bare effect, as the compiler writes fx_5_0.
    """

    def __init__(self, data: bytes, container: Container | None, chunk: Chunk | None) -> None:
        self.data = data
        self.container = container
        self._chunk = chunk

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
    def shaders(self) -> tuple[Shader, ...]:
        """The shaders inside, in the order of the file; expressions (FXLC) are none.

        Raises:
            ContainerError: one is malformed.
        """
        embedded = (found.data for found in self.records.containers)
        return tuple(load_shader(d) for d in embedded if parse(d).find("SHEX", "SHDR") is not None)

    @cached_property
    def listing(self) -> str:
        """The text that Microsoft's disassembler prints.

        Raises:
            ShaderError: the effect, or a shader in it, is malformed.
        """
        from softd3d.device.text import disassemble  # noqa: PLC0415 - looking needs no listing

        return disassemble(self.data)

    def __repr__(self) -> str:
        return f"<Effect10, {len(self.data)} bytes>"


class Library(Listed):
    """A library of HLSL functions (lib_4_0 to lib_5_0). data: the file."""

    def __init__(self, data: bytes, container: Container) -> None:
        self.data = data
        self.container = container

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The functions' names, in the order of the file; none if their list is damaged."""
        from softd3d.container.library import read_names  # noqa: PLC0415 - when asked for

        return tuple(read_names(self.container))

    @cached_property
    def listing(self) -> str:
        """The text that Microsoft's disassembler prints.

        Raises:
            ShaderError: a part of the library that the listing shows is malformed.
        """
        from softd3d.device.text import disassemble  # noqa: PLC0415 - looking needs no listing

        return disassemble(self.data)

    def __repr__(self) -> str:
        return f"<Library of {len(self.names)} functions, {len(self.data)} bytes>"
