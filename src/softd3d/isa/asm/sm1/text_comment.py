"""Comments with the tag TEXT, which listings of SM1-3 show in their place."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.encode import encode_item
from softd3d.isa.sm1.program import TEXT, Comment, Program

__all__ = ["text_comments"]

_MAX_BYTES = 503  # Microsoft's disassembler shows none that is longer


def text_comments(program: Program) -> dict[int, str]:
    """Return the texts that a listing shows, by the index of the comment in the program.

    A text goes up to the first NUL. If there is none in the comment, it goes on in the tokens
    behind it, as Microsoft's disassembler reads it.
    """
    texts: dict[int, str] = {}
    for number, item in enumerate(program.instructions):
        if isinstance(item, Comment) and item.tag == TEXT:
            text = item.payload[len(TEXT) :]
            if b"\0" not in text:
                text += b"".join(_behind(number, program))
            text = text.partition(b"\0")[0]
            if len(text) <= _MAX_BYTES:
                texts[number] = text.decode("latin-1")
    return texts


def _behind(number: int, program: Program) -> Iterator[bytes]:
    """Yield the bytes behind an item, up to a NUL or to more than are shown."""
    size = 0
    for item in program.instructions[number + 1 : number + 1 + _MAX_BYTES]:
        words = encode_item(item, program)
        data = struct.pack(f"<{len(words)}I", *words)
        yield data
        size += len(data)
        if b"\0" in data or size > _MAX_BYTES:
            return
    yield struct.pack("<I", t.END_TOKEN)
