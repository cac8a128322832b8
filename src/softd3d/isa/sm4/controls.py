"""Control bits of opcode tokens that many opcodes share: fields of the token, in place."""

from __future__ import annotations

from softd3d.bits import Field

__all__ = ["PRECISE", "SATURATE", "TEST"]

SATURATE = Field(13, 13)
TEST = Field(18, 18)  # 1: `_nz`
PRECISE = Field(22, 19)  # by component
