"""What surrounds a program of SM1-3 in a draw: how its registers begin, and what follows its end.

Frozen records, known before anything is compiled; numbers that change from draw to draw are in the
file of states (`state_file.py`). `ends.py` has the rules.
"""

from __future__ import annotations

from enum import Enum

from softd3d.classes import dataclass
from softd3d.isa.d3d9.enums import CmpFunc, FogMode
from softd3d.lower.registers import Key

__all__ = ["AlphaTest", "Beginning", "Fog", "Surroundings", "clip_key"]


class Beginning(Enum):
    """How a register's component begins with what an invocation is given.

    CLAMPED: to 0 to 1, colours before ps_3_0. UNSIGNED, SIGNED: an integer of a vertex element
    becomes a float. PIXEL: the number of the pixel that a place is in. FACE: 1 where the primitive
    faces the front, else -1.
    """

    CLAMPED = "clamped"
    UNSIGNED = "unsigned"
    SIGNED = "signed"
    PIXEL = "pixel"
    FACE = "face"


@dataclass(frozen=True, slots=True)
class Fog:
    """Fog of a pixel shader's first output.

    mode: the formula of a table; NONE where `source` holds the factor itself. source: the component
    that begins with the factor, or with the depth: z of the screen or w. step: whether a table
    that starts where it ends is a step there (driver, documented), else IEEE 754's quotient.
    """

    mode: FogMode
    source: Key
    step: bool = True


@dataclass(frozen=True, slots=True)
class AlphaTest:
    """The alpha test. in_bytes: it compares numbers of eight bits, else floats."""

    function: CmpFunc
    in_bytes: bool = True


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Before the first instruction: missing, and how others begin. Behind the last one: the rest.

    missing: components that nobody supplies, and the number that they hold. begun: others that do
    not begin as they are given. position: x, y, z, w of a vertex shader's output; planes: the
    numbers of the clip planes that it is tested with, whose distances are left in `CLIP`
    components in this order. color: red to alpha of a pixel shader's first output, to which
    fog and alpha test belong.
    """

    missing: tuple[tuple[Key, float], ...] = ()
    begun: tuple[tuple[Key, Beginning], ...] = ()
    position: tuple[Key, ...] = ()
    planes: tuple[int, ...] = ()
    color: tuple[Key, ...] = ()
    fog: Fog | None = None
    alpha_test: AlphaTest | None = None


def clip_key(number: int) -> Key:
    """Return where the distance from the n-th of `planes` is left."""
    return "clip", number // 4, number % 4
