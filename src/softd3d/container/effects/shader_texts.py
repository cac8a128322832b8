"""Listings of the shaders within an effect: each made once, and all of them together bounded."""

from __future__ import annotations

from collections.abc import Callable

from softd3d.errors import ContainerError

__all__ = ["MAX_TEXT", "ShaderTexts"]

MAX_TEXT = 1 << 26
"""Longest listing, in characters; a shader is listed as often as it is used."""


class ShaderTexts:
    """Listings of shaders, each made once by `list_shader`; length: of all that were asked for."""

    def __init__(self, list_shader: Callable[[bytes], str]) -> None:
        self.list_shader = list_shader
        self.texts: dict[bytes, str] = {}
        self.length = 0

    def text(self, shader: bytes, indent: int) -> str:
        """Return the listing of a shader, each line of which is to be indented.

        Raises:
            ShaderError: it is malformed, or what was asked for is longer than `MAX_TEXT` in all.
        """
        if shader not in self.texts:
            self.spend(len(shader))
            self.texts[shader] = self.list_shader(shader)
        text = self.texts[shader]
        self.spend(len(text) + indent * text.count("\n"))
        return text

    def spend(self, length: int) -> None:
        """Count text, or bytes that take as long as text.

        Raises:
            ContainerError: it is longer than `MAX_TEXT` in all.
        """
        self.length += length
        if self.length > MAX_TEXT:
            raise ContainerError(f"effect: the listing is longer than {MAX_TEXT} characters")
