"""What some bytes are, by their first dwords: the shader binaries that Direct3D ever had."""

from __future__ import annotations

import struct
from enum import StrEnum

from softd3d.classes import dataclass
from softd3d.container.dxbc.container import is_container
from softd3d.container.effects.magic import XNA4, EffectVersion, is_xnb
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import ProgramType
from softd3d.resources.dds.magic import is_dds

__all__ = ["SHADER_KINDS", "Identity", "Kind", "identify"]

_SM1_STAGES = {0xFFFE: "vs", 0xFFFF: "ps"}
_EFFECT_VERSIONS = frozenset(EffectVersion)
_PROGRAM_TYPES = frozenset(ProgramType)
_EFFECT_TOKEN = 0xFEFF
_BITCODE = b"BC\xc0\xde"
_HIGHEST_SM1 = 3
_DXIL_MODEL = 6
_LIBRARY_STAGES = ("ps", "vs", "gs", "hs", "ds", "cs", "lib")


class Kind(StrEnum):
    """Kinds of input; the value is how messages call them."""

    CONTAINER = "DXBC container"
    TOKENS = "token stream of shader model 4 or 5"
    SM1_TOKENS = "token stream of shader model 1 to 3"
    EFFECT = "effect of Direct3D 9 (fx_2_0)"
    EFFECT10 = "effect of Direct3D 10 or 11 (fx_4_0 to fx_5_0)"
    XNB = "content file of XNA (XNB)"
    BITCODE = "LLVM bitcode (DXIL, shader model 6)"
    DXIL_PROGRAM = "DXIL program (shader model 6)"
    DDS = "DDS texture"
    UNKNOWN = "not a shader"


SHADER_KINDS = frozenset(
    {Kind.CONTAINER, Kind.TOKENS, Kind.SM1_TOKENS, Kind.EFFECT, Kind.EFFECT10, Kind.XNB}
)
"""Files that a command means when it is given a folder."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What bytes are. profile: such as `ps_2_0` where the first dword says it, else empty."""

    kind: Kind
    profile: str = ""

    def __str__(self) -> str:
        return f"{self.kind}, {self.profile}" if self.profile else str(self.kind)


def identify(data: bytes) -> Identity:
    """Tell what the bytes are from how they start; nothing behind the first dwords is checked.

    >>> str(identify(bytes.fromhex("0002ffff")))
    'token stream of shader model 1 to 3, ps_2_0'
    """
    if is_container(data):
        return Identity(Kind.CONTAINER)
    if is_xnb(data):
        return Identity(Kind.XNB)
    if is_dds(data):
        return Identity(Kind.DDS)
    if data[:4] == _BITCODE:
        return Identity(Kind.BITCODE)
    if len(data) < 4:
        return Identity(Kind.UNKNOWN)
    (token,) = struct.unpack_from("<I", data)
    high, major, minor = token >> 16, token >> 8 & 0xFF, token & 0xFF
    if token in _EFFECT_VERSIONS:
        return Identity(Kind.EFFECT10, EffectVersion(token).name.lower())
    if token == XNA4 or high == _EFFECT_TOKEN:
        return Identity(Kind.EFFECT)
    if high in _SM1_STAGES and 1 <= major <= _HIGHEST_SM1:
        return Identity(Kind.SM1_TOKENS, _sm1_profile(_SM1_STAGES[high], major, minor))
    return _modern(token, len(data))


def _sm1_profile(stage: str, major: int, minor: int) -> str:
    suffix = "sw" if minor == 0xFF else "x" if (major, minor) == (2, 1) else str(minor)
    return f"{stage}_{major}_{suffix}"


def _modern(token: int, size: int) -> Identity:
    number = t.VERSION_TYPE.get(token)
    version = t.VERSION_MAJOR.get(token), t.VERSION_MINOR.get(token)
    if token >> 8 & 0xFF or size % 4:
        return Identity(Kind.UNKNOWN)
    if version in t.VERSIONS and number in _PROGRAM_TYPES:
        return Identity(
            Kind.TOKENS, f"{ProgramType(number).name.lower()}_{version[0]}_{version[1]}"
        )
    if version[0] == _DXIL_MODEL and number < len(_LIBRARY_STAGES):
        return Identity(Kind.DXIL_PROGRAM, f"{_LIBRARY_STAGES[number]}_{version[0]}_{version[1]}")
    return Identity(Kind.UNKNOWN)
