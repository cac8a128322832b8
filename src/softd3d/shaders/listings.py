"""The listing of anything that has one: the content decides what the bytes are.

What only some kinds of input need is imported when such an input comes: a command starts quickly.
"""

from __future__ import annotations

from softd3d.isa.asm.options import PLAIN, ListingOptions
from softd3d.shaders.identify import Kind, identify
from softd3d.shaders.not_shaders import refusal

__all__ = ["listing_of"]


def listing_of(data: bytes, options: ListingOptions = PLAIN) -> str:
    """Return the text that Microsoft's disassembler prints for the contents of a file.

    Raises:
        ShaderError: there is nothing that can be listed, or a part that is listed is malformed.
    """
    kind = identify(data).kind
    if kind is Kind.CONTAINER:
        from softd3d.container.dxbc.container import parse  # noqa: PLC0415
        from softd3d.container.listing.container import container_listing  # noqa: PLC0415

        return container_listing(parse(data), options)
    if kind is Kind.EFFECT10:
        from softd3d.container.effects.d3d10.effect import parse_effect_data  # noqa: PLC0415
        from softd3d.container.listing.container import bare_effect_listing  # noqa: PLC0415

        return bare_effect_listing(parse_effect_data(data), options)
    if kind in (Kind.EFFECT, Kind.XNB):
        from softd3d.shaders.effects.d3d9 import Effect9  # noqa: PLC0415

        return Effect9(data).listing
    if kind is Kind.SM1_TOKENS:
        from softd3d.container.listing.stream import stream_listing  # noqa: PLC0415
        from softd3d.isa.sm1.decode import decode as decode_stream  # noqa: PLC0415

        return stream_listing(decode_stream(data), options)
    if kind is not Kind.TOKENS:
        raise refusal(data, "a compiled shader or effect")
    from softd3d.isa.asm.sm4.printer import listing  # noqa: PLC0415
    from softd3d.isa.sm4.decode import decode  # noqa: PLC0415

    return listing(decode(data), None, options)
