"""Effects of Direct3D 9: bare, with the prefix of XNA 4, or in a content file of XNA."""

from __future__ import annotations

from functools import cached_property

from softd3d.arguments import instance, numbered
from softd3d.container.effects.d3d9.effect import parse_effect9
from softd3d.container.effects.d3d9.records import Effect9 as EffectRecords
from softd3d.container.effects.d3d9.shaders import EffectShader, embedded_shaders, replace_shader
from softd3d.container.effects.d3d9.text import effect_text
from softd3d.container.effects.xnb import build_xnb, effect_code, parse_xnb, with_effect_code
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.listed import Listed
from softd3d.shaders.not_shaders import refusal
from softd3d.source import Source, read_source

__all__ = ["Effect9", "load_effect9"]


class Effect9(Listed):
    """An effect: parameters, techniques with passes and states, and shaders.

    data: the file. code: the effect in it, without the wrapper of a content file.
    """

    def __init__(self, data: bytes) -> None:
        self.data = instance(data, bytes, "Effect9: data")
        self._xnb = parse_xnb(data) if identify(data).kind is Kind.XNB else None
        self.code = data if self._xnb is None else effect_code(self._xnb)

    @cached_property
    def records(self) -> EffectRecords:
        """What the file says, typed.

        Raises:
            ContainerError: it is malformed.
        """
        return parse_effect9(self.code)

    @cached_property
    def shaders(self) -> tuple[EffectShader, ...]:
        """The shaders inside, in the order of the file; each with its place in words.

        Raises:
            ContainerError: the effect is malformed.
        """
        return embedded_shaders(self.records)

    @cached_property
    def listing(self) -> str:
        """All of the effect as text, with the listings of its shaders.

        Raises:
            ShaderError: the effect, or a shader in it, is malformed.
        """
        return effect_text(self.records)

    def shader(self, index: int) -> EffectShader:
        """Return a shader by its number.

        Raises:
            ContainerError: the effect is malformed. ResourceError: there is no such shader.
        """
        return numbered(self.shaders, index, "effect: shader")

    def __repr__(self) -> str:
        return f"<Effect9, {len(self.data)} bytes>"

    def with_shader(self, index: int, tokens: bytes) -> bytes:
        """Return the file with another token stream in place of a shader.

        Raises:
            ResourceError: there is no such shader. ContainerError: the new one is for another
                stage.
            DecodeError: the tokens are malformed.
        """
        code = replace_shader(self.code, index, tokens)
        return code if self._xnb is None else build_xnb(with_effect_code(self._xnb, code))


def load_effect9(source: Source) -> Effect9:
    """Read an effect from a file or from bytes.

    Raises:
        OSError: the file cannot be read.
        ContainerError: it is a content file of XNA, but without an effect or compressed.
        DecodeError: it is something else; the message names it.
    """
    data = read_source(source)
    if identify(data).kind not in (Kind.EFFECT, Kind.XNB):
        raise refusal(data, "an effect of Direct3D 9")
    return Effect9(data)
