"""Listings of anything that can be disassembled: the content decides what the bytes are.

What only some kinds of input need is imported when such an input comes: a command starts quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from softd3d.arguments import instance
from softd3d.container.dxbc.container import parse
from softd3d.errors import DecodeError, ShaderError
from softd3d.isa.asm.options import PLAIN, ListingOptions
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.listed import contents
from softd3d.shaders.listings import listing_of
from softd3d.shaders.not_shaders import refusal
from softd3d.shaders.shader import load_shader
from softd3d.source import Source

if TYPE_CHECKING:
    from softd3d.shaders.loading import Loaded

__all__ = ["disassemble", "disassemble_exact"]


def disassemble(source: Source | Loaded, options: ListingOptions = PLAIN) -> str:
    """Return the text that Microsoft's disassembler prints for a container or token stream.

    An effect of Direct3D 9, which that disassembler refuses, has a listing of our own.

    source: what `softd3d.load` returns, a path (str or `pathlib.Path`), or the contents as bytes.

    Raises:
        OSError: the file cannot be read.
        ShaderError: the input is nothing that can be listed, or a part that is listed is malformed.
        TypeError: neither a shader, a path nor bytes.
    """
    instance(options, ListingOptions, "disassemble: options")
    return listing_of(contents(source), options)


def disassemble_exact(source: Source | Loaded) -> str:
    """Return a text that `softd3d.assemble` turns back into the same bytes.

    source: what `softd3d.load` returns, a path (str or `pathlib.Path`), or the contents as bytes.

    A container is listed chunk by chunk, with its header as comments; a part that is malformed, or
    of a kind that this version cannot take apart, is listed as bytes.

    Raises:
        OSError: the file cannot be read.
        ShaderError: the input is neither a container nor a token stream, or a malformed stream.
        TypeError: neither a shader, a path nor bytes.
    """
    data = contents(source)
    kind = identify(data).kind
    if kind is Kind.SM1_TOKENS:
        from softd3d.isa.asm.sm1 import exact as sm1_exact  # noqa: PLC0415
        from softd3d.shaders.token_stream import load9  # noqa: PLC0415

        return sm1_exact.exact_code(load9(data).program)
    if kind is Kind.CONTAINER:
        return _exact_container(data)
    if kind is not Kind.TOKENS:
        raise refusal(data, "a compiled shader")
    from softd3d.isa.asm.sm4.exact import exact_code  # noqa: PLC0415

    return exact_code(load_shader(data).program)


def _exact_container(data: bytes) -> str:
    from softd3d.container.listing.container import listing_header  # noqa: PLC0415
    from softd3d.container.listing.exact import exact_listing  # noqa: PLC0415
    from softd3d.isa.asm.sm4.exact import EXACT, sure_code  # noqa: PLC0415
    from softd3d.isa.asm.sm4.printer import token_code  # noqa: PLC0415
    from softd3d.isa.sm4.decode import TokenStream  # noqa: PLC0415

    container = parse(data)
    chunk = container.find("SHEX", "SHDR")
    codes: Sequence[Callable[[], str]] = ()
    header: list[str] = []
    if chunk is not None:
        with suppress(DecodeError):  # then the chunk is listed as bytes, as unknown ones are
            stream = TokenStream(chunk.data, chunk.data_offset)
            code = token_code(stream, EXACT)
            codes = (code.text, lambda: sure_code(stream.program()))
            with suppress(ShaderError):  # then a chunk that it tells of is malformed
                header = listing_header(container, code)
    return exact_listing(data, codes, header, container)
