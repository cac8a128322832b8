"""What a device of feature level 11.1 must allow, or may, with each DXGI format.

Spec: win32 direct3ddxgi format-support-for-direct3d-11-1-feature-level-hardware; D3D11.3, 19.1.
"""

from __future__ import annotations

from enum import Flag, auto
from functools import cache

from softd3d.formats.layout import Format

__all__ = ["Use", "required_uses", "uses"]


class Use(Flag):
    """Resources and views of a format, and what is done with them."""

    BUFFER = auto()
    VERTEX_BUFFER = auto()
    INDEX_BUFFER = auto()
    STREAM_OUTPUT = auto()
    TEXTURE1D = auto()
    TEXTURE2D = auto()
    TEXTURE3D = auto()
    TEXTURECUBE = auto()
    SHADER_LOAD = auto()
    SHADER_SAMPLE = auto()
    SAMPLE_COMPARISON = auto()
    RENDER_TARGET = auto()
    BLEND = auto()
    DEPTH_STENCIL = auto()
    UNORDERED_ACCESS = auto()
    MIP_GENERATION = auto()
    CPU_LOCKABLE = auto()
    MULTISAMPLE_RESOLVE = auto()
    CAST = auto()


# A letter for each use, in the order above: Required, Optional, - not allowed; then the numbers of
# the formats. Formats that are missing have no entry in the tables of support.
_TABLE = """
R---------------R-- 0
----RRRR--------R-R 1 5 9 15 23 27 33 39 48 53 60 90 92
RR-RRRRRRR-RR-RRRRR 2 16
RR-RRRRRR--R--R-R-R 3 4 17 18 43
RR-RRRRRRO-OO--ORRR 6
RR-RRRRRR--O----R-R 7 8
RR--RRRRRR-RR-RRRRR 10 11 13 24 28 31 34 35 37 49 51 54 58 61 63
RR--RRRRR--R--R-R-R 12 14 25 30 32 36 38 50 52 59 62 64
----RR-R--------R-R 19 44
----RR-R-----R--R-R 20 40 45 55
----RR-RRRR-----R-R 21 46
----RR-RR-------R-R 22 47
RR--RRRRRR-RR-RRRR- 26
----RRRRRR-RR--RRRR 29 91 93
RR-RRRRRRRRRR-RRRRR 41
RRRRRRRRR--R--R-R-R 42
RR--RRRRRRRRR-RRRRR 56
RRR-RRRRR--R--R-R-R 57
----RRRRRR-RR-RRRR- 65
----RRRRRR------R-- 67 68 69
-----RRR--------R-R 70 73 76 79 82 94 97
-----RRRRR------R-R 71 72 74 75 77 78 80 81 83 84 95 96 98 99
OO--RRRRRR-RR-ORRR- 85
OO--RRRRRR-OO-OORR- 86 115
RR--RRRRRR-RR-ORRRR 87
RR--RRRRRR-RR--RRRR 88
-----R----------R-R 89
-----R--RR-RR-RRR-- 100
-----R--RR----R-R-- 101 102 107 108 109
-----R--RR-RR-R-R-- 103 104 105 110
-----R------------- 106
-----R----------R-- 111 112 113 114
"""


def uses(format_: Format) -> Use:
    """Return what a device may allow with a DXGI format; nothing for a format without an entry.

    >>> from softd3d.formats.dxgi import dxgi_format
    >>> Use.DEPTH_STENCIL in uses(dxgi_format("D32_FLOAT"))
    True
    """
    return _chosen(format_.number, "RO")


def required_uses(format_: Format) -> Use:
    """Return what every device of the feature level allows with a DXGI format."""
    return _chosen(format_.number, "R")


@cache
def _chosen(number: int, letters: str) -> Use:
    total = Use(0)
    for use, letter in zip(Use, _PATTERNS.get(number, _NOTHING), strict=True):
        if letter in letters:
            total |= use
    return total


_NOTHING = "-" * len(Use)
_ROWS = [line.split() for line in _TABLE.strip().splitlines()]
_PATTERNS = {int(n): pattern for pattern, *numbers in _ROWS for n in numbers}
