"""Builds small token streams for tests."""

from __future__ import annotations

import struct


def program_bytes(version: int, *instructions: list[int]) -> bytes:
    """Return a token stream: lengths of instructions are filled in where they are 0."""
    words = [version, 0]
    for tokens in instructions:
        is_given = tokens[0] & 0x7F000000 or tokens[0] & 0x7FF == 53
        length = 0 if is_given else len(tokens) << 24
        words += [tokens[0] | length, *tokens[1:]]
    words[1] = len(words)
    return struct.pack(f"<{len(words)}I", *words)
