"""What is known of instructions: programs have the same ones over and over.

Most rules look at nothing but an instruction, the stage and the version. What broke none of them
need not be looked at again, which saves half of the time that a program takes.
"""

from __future__ import annotations

from collections.abc import Iterable

from softd3d.classes import dataclass
from softd3d.isa.record import Bounded, Memo
from softd3d.isa.sm1.enums import ProgramType
from softd3d.isa.sm1.program import DestinationParameter, Instruction, SourceParameter

__all__ = ["Facts", "Read", "facts_of"]

Read = tuple[SourceParameter | DestinationParameter, int, int, bool]
"""A register that is read: its parameter, number and components, and whether it is an address."""


@dataclass(slots=True)
class Facts:
    """What is known of an instruction in one stage and version.

    instruction: the first that was like it. is_sound: whether it breaks no rule by itself. reads:
    what must be declared or written before it; None while that is not known.
    """

    instruction: Instruction
    is_sound: bool = False
    reads: tuple[Read, ...] | None = None


def facts_of(
    instructions: Iterable[Instruction], stage: ProgramType, version: tuple[int, int]
) -> list[Facts]:
    """Return what is known of each instruction of a program."""
    known = _KNOWN[stage, version]
    result: list[Facts] = []
    for i in instructions:
        key = (
            i.opcode, i.controls, i.is_coissued, id(i.destination), id(i.predicate),
            *map(id, i.sources),
        )  # fmt: skip
        found = known.get(key)
        if found is None or i.trailing or i.reserved:
            found = Facts(i)
            if not (i.trailing or i.reserved):
                known[key] = found
        result.append(found)
    return result


# By the identities of parameters, which equal ones share, and which live as long as they are known
_KNOWN: Memo[tuple[ProgramType, tuple[int, int]], Bounded[tuple[object, ...], Facts]] = Memo(
    lambda _: Bounded(1 << 13), 1 << 5
)
