"""Effects of any version: loading them, and their shaders at a glance."""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.shaders.effects.d3d9 import Effect9
from softd3d.shaders.effects.d3d10 import Effect10
from softd3d.shaders.identify import identify
from softd3d.shaders.loading import load
from softd3d.shaders.not_shaders import refusal
from softd3d.source import Source, read_source

__all__ = ["ShaderEntry", "load_effect", "shader_entries"]


@dataclass(frozen=True, slots=True)
class ShaderEntry:
    """A shader in an effect. data: its tokens, of Direct3D 9, or its container; place: in words."""

    profile: str
    data: bytes
    place: str

    @property
    def summary(self) -> dict[str, str | int]:
        """The shader as plain data."""
        return {"profile": self.profile, "bytes": len(self.data), "place": self.place}


def load_effect(source: Source) -> Effect9 | Effect10:
    """Read an effect of Direct3D 9 to 11.

    Raises:
        OSError: the file cannot be read.
        ContainerError: the container, or a content file of XNA, is malformed.
        DecodeError: it is something else; the message names it.
    """
    data = read_source(source)
    found = load(data)
    if isinstance(found, (Effect9, Effect10)):
        return found
    raise refusal(data, "an effect")


def shader_entries(effect: Effect9 | Effect10) -> list[ShaderEntry]:
    """Return the shaders of an effect, in its order.

    Raises:
        ShaderError: the effect, or a program in it, is malformed.
    """
    if isinstance(effect, Effect10):
        return [ShaderEntry(s.profile, s.data, s.place) for s in effect.shaders]
    return [ShaderEntry(identify(s.tokens).profile, s.tokens, s.place) for s in effect.shaders]
