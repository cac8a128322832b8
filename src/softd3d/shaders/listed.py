"""What all shaders have in common for those who look at them: a listing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

from softd3d.errors import ShaderError
from softd3d.source import read_source

__all__ = ["Listed", "contents"]


class Listed(ABC):
    """An object that shows itself as its listing: printed, and in a notebook.

    data: the file that it was read from.
    """

    data: bytes

    @cached_property
    @abstractmethod
    def listing(self) -> str:
        """The text that Microsoft's disassembler prints."""

    def __str__(self) -> str:
        return self.listing

    def _repr_html_(self) -> str:
        try:
            text = self.listing
        except ShaderError as error:
            text = f"{self!r}\n{error}"
        import html  # noqa: PLC0415 - for notebooks only

        return f"<pre>{html.escape(text)}</pre>"


def contents(source: object) -> bytes:
    """Return the file that a loaded shader was read from, or what `read_source` makes of others."""
    return source.data if isinstance(source, Listed) else read_source(source)
