"""What debug information says, whatever chunk it is from: source lines, places of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from softd3d.classes import dataclass

__all__ = ["DebugInformation", "Register", "SourceLine", "VariableLocation", "is_short_step"]

_NEAR_LINES = 2
_FAR_LINES = 10


def is_short_step(line: int, last: int, told: int) -> bool:
    """Tell whether a reader finds a line of the same file without being told.

    last: of the instruction before. told: that of the last `#line`.
    """
    return abs(line - last) <= _NEAR_LINES and abs(line - told) <= _FAR_LINES


@dataclass(frozen=True, slots=True)
class SourceLine:
    """The instruction at `offset` and those up to the next entry come from this line.

    offset: bytes from the start of the program's tokens. line: 1-based.
    """

    offset: int
    file: str
    line: int

    def directive(self, last: SourceLine | None) -> str:
        """Return the `#line` that tells it after another, nothing if that is the same.

        >>> SourceLine(8, "a.hlsl", 3).directive(None), SourceLine(8, "a", 4).directive(
        ...     SourceLine(0, "a", 3)
        ... )
        ('#line 3 "a.hlsl"', '#line 4')
        """
        if last is None or self.file != last.file:
            return f'#line {self.line} "{self.file}"'
        return f"#line {self.line}" if self.line != last.line else ""


@dataclass(frozen=True, slots=True)
class Register:
    """One component of a register, or all of it.

    type: as `OperandType`. indices: none for what has no number. component: 0 is x, None: all.
    """

    type: int
    indices: tuple[int, ...] = ()
    component: int | None = None


@dataclass(frozen=True, slots=True)
class VariableLocation:
    """A variable, or a component of one, is in a register while a part of the program runs.

    name: as HLSL writes it, such as "light.color.x". starts: the offsets from which on it is
    there: the first, and where a gap ends. end: offset behind it. scope: where the code of the
    inlined function that declares it starts and ends (there may be other code in between), None if
    it is one of the shader's own. complaint: why the part that is there has no name; `name` then
    is the variable's.
    """

    name: str
    register: Register
    starts: tuple[int, ...]
    end: int
    scope: tuple[int, int] | None = None
    complaint: str = ""

    def is_declared_at(self, offset: int) -> bool:
        """Tell whether the code at an offset is in the variable's scope."""
        return self.scope is None or self.scope[0] <= offset < self.scope[1]


@dataclass(frozen=True, slots=True)
class DebugInformation:
    """Lines in the order of their offsets; locations in the order in which listings have them.

    sources: texts of the files, as bytes, by the names in the debug information.
    """

    lines: tuple[SourceLine, ...] = ()
    locations: tuple[VariableLocation, ...] = ()
    sources: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
