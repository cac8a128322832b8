"""Programs of SM1-3 as stages of a draw: what vertex and pixel shaders have in common.

A vertex shader's outputs get the numbers of Direct3D 11's: register 0 is the position, then come
its other semantics in ascending order of (usage, index), then clip distances. A pixel shader's
inputs name those. So the rest of the pipeline sees stages as of Direct3D 11. What becomes
registers, and what follows the program, is in `BoundProgram.interface`
(`lower/d3d9/surroundings.py`), for both engines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.profile import profile_named
from softd3d.isa.sm1.program import Program
from softd3d.lower.d3d9.constant_files import define, no_constants
from softd3d.lower.d3d9.semantics import Semantic
from softd3d.lower.registers import Key

__all__ = [
    "COMPONENTS", "MISSING", "UNSET", "StageOutput", "check_program", "count_registers",
    "stage_constants",
]  # fmt: skip

COMPONENTS = (0, 1, 2, 3)
UNSET = (0.0, 0.0, 0.0, 0.0)
MISSING = (0.0, 0.0, 0.0, 1.0)
"""What registers are that nobody supplies, by profile and kind."""


@dataclass(frozen=True, slots=True)
class StageOutput:
    """What a stage writes of a semantic: a number as of Direct3D 11's o#, and the components."""

    semantic: Semantic
    number: int
    components: tuple[int, ...]


def stage_constants(program: Program) -> tuple[NDArray[np.uint32], ...]:
    """Return constant files by slot, uint32 words, with what the program itself defines; else 0.

    They are read at each run, so callers may change them between draws: c# (4 words each), i#, b#
    (a word each), bump environment matrices, and states (`lower/d3d9/state_file.py`).
    """
    files = no_constants(program)
    define(program, files)
    return files


def count_registers(inputs: Sequence[tuple[str, Key]], results: Sequence[tuple[str, Key]]) -> int:
    """Return about how many registers are held."""
    return len({key[:2] for _, key in (*inputs, *results)})


def check_program(program: Program, type_: ProgramType, profile: str) -> None:
    """Refuse a program of another stage, and a profile that does not exist.

    Raises:
        ResourceError: it is one.
    """
    profile_named(profile)
    if program.type is not type_:
        raise ResourceError(f"found {program.profile}, wanted a {type_.name.lower()} program")
