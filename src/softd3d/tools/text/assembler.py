"""Assembling any text: what it says decides which family of shaders it is."""

from __future__ import annotations

import os

from softd3d.arguments import instance
from softd3d.container.listing.exact import is_exact_listing
from softd3d.errors import AssemblyError, Finding
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.not_shaders import what_text
from softd3d.shaders.texts import is_legacy, is_listing
from softd3d.source import Source, decode_text, read_source

__all__ = [
    "assemble",
    "assemble_tokens",
    "listing_text",
    "rounded_literals",
]


def assemble(
    text: str | os.PathLike[str] | bytes | bytearray | memoryview, like: Source | None = None, *,
    refresh: bool = False,
) -> bytes:  # fmt: skip
    """Return the file that a text describes.

    A text of shader model 4 to 5.1 becomes a container (see docs/exact-listings.md), one of shader
    model 1 to 3 a token stream.

    Default listings have lost bits of their literals; `rounded_literals` tells where that shows.

    Args:
        text: a listing, or code written by hand. A str is the text itself; a file with one is
            given as a `pathlib.Path`, its contents as bytes (UTF-8, UTF-16 or Latin-1).
        like: a container, as a path or bytes, whose chunks are taken, but for the program and
            what follows from it.
        refresh: compute STAT and SFI0 from the program, even if text or template have them; for
            exact listings whose code was edited.

    Raises:
        OSError: a file cannot be read. TypeError: neither a text, a path nor bytes.
        ListingError: the text is wrong; all mistakes, up to a limit, with their lines.
        AssemblyError: it is no listing but a compiled shader or HLSL. A template with an exact
            listing, which has all chunks itself, or one or `refresh` with a text of shader model 1
            to 3, which has no container.
        ContainerError: the template is malformed, or what is to be refreshed has no program.
        DecodeError: the program of an exact listing that is to be refreshed is malformed.
    """
    instance(refresh, bool, "assemble: refresh")
    text = text if isinstance(text, str) else listing_text(read_source(text))
    _check_language(text)
    if is_legacy(text):
        from softd3d.isa.asm.sm1.assembler import assemble_stream  # noqa: PLC0415 - when needed

        if like is not None:
            raise AssemblyError("a shader of model 1 to 3 has no container to take chunks from")
        if refresh:
            raise AssemblyError("a shader of model 1 to 3 has no statistics to refresh")
        return assemble_stream(text)
    from softd3d.container.assembly.containers import assemble as assembled  # noqa: PLC0415 - when needed

    template = None if like is None else read_source(like)
    return assembled(text, template, refresh=refresh)


def assemble_tokens(text: str) -> bytes:
    """Return the token stream of a text, without a container.

    Raises:
        ListingError: the text is wrong. AssemblyError: it is HLSL. ContainerError: an exact listing
            has no program.
    """
    if is_legacy(text):
        return assemble(text)
    _check_language(text)
    from softd3d.container.assembly.containers import assemble_tokens as assembled  # noqa: PLC0415

    return assembled(text)


def rounded_literals(text: str) -> list[Finding]:
    r"""Return a warning for each literal of a listing that has probably lost bits.

    Default listings have six decimals, as Microsoft's. Exact and hexadecimal ones lose nothing, nor
    do those of shader model 1 to 3.

    >>> len(rounded_literals("ps_4_0\nmov o0.x, l(0.333333)\nret"))
    1
    """
    if is_exact_listing(instance(text, str, "rounded_literals: text")) or is_legacy(text):
        return []
    from softd3d.isa.asm.rounded import rounded_literals as found_in  # noqa: PLC0415 - when needed

    return found_in(text)


def listing_text(data: bytes) -> str:
    """Return the text of a file that should be a listing.

    Raises:
        AssemblyError: the file is a compiled shader, an effect or a texture.
    """
    identity = identify(data)
    if identity.kind is not Kind.UNKNOWN:
        raise AssemblyError(f"found what is assembled already ({identity}), wanted a listing")
    return decode_text(data)


def _check_language(text: str) -> None:
    if not is_listing(text):
        found = what_text(text.encode(errors="replace"))
        if found is not None:
            raise AssemblyError(f"found {found[0]}, wanted a listing; {found[1]}")
