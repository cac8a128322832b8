"""The registers that a computed register number may mean, sorted into classes that are alike.

`t3` is known when a program is bound; `t[r0.x + 3]` may be any bound register of a range. Code is
made once for each class: registers that differ in nothing but the memory they look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.errors import InternalError
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.declared import BufferDeclaration, ViewDeclaration

__all__ = ["Candidates", "candidates_of", "sampler_candidates_of"]

_M = TypeVar("_M")


@dataclass(frozen=True, slots=True)
class Candidates(Generic[_M]):
    """What a computed register number may mean.

    registers: uint32, (count,), ascending. members: their views, whose slots follow each other, or
    samplers. class_of: uint32, (count,), the number of each one's class. classes: the first member
    of each. missing: an unbound view or a default sampler, for every other number.
    """

    registers: NDArray[np.uint32]
    members: tuple[_M, ...]
    class_of: NDArray[np.uint32]
    classes: tuple[_M, ...]
    missing: _M

    @property
    def is_dense(self) -> bool:
        """Whether the registers follow each other without gaps."""
        count = len(self.members)
        return count > 0 and int(self.registers[-1]) - int(self.registers[0]) == count - 1

    def ranks(self, numbers: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the place of each number in `members`, -1 where it is missing."""
        if not self.members:
            return np.full(numbers.shape, -1, np.int64)
        place = np.searchsorted(self.registers, numbers)
        place = np.minimum(place, len(self.members) - 1)
        return np.where(self.registers[place] == numbers, place, -1)


def candidates_of(
    declared: Sequence[ViewDeclaration | BufferDeclaration], views: dict[int, View],
    counting: set[int],
) -> Candidates[View]:  # fmt: skip
    """Sort the views of declared ranges, by register number, into classes.

    counting: the slots that have a hidden counter.
    """
    # Notes name the range: which register of it is meant is not known at every place.
    name = declared[0].range if len(declared) == 1 else f"{declared[0].register[0]}#"
    registers = sorted(views)
    members = tuple(replace(views[n], register=name) for n in registers)
    if any(m.slot != members[0].slot + n for n, m in enumerate(members)):
        raise InternalError(f"the slots of {name} are not in the order of its registers")
    numbers: dict[tuple[View, bool], int] = {}
    class_of: list[int] = []
    for member in members:
        facts = replace(member, slot=0), member.slot in counting
        class_of.append(numbers.setdefault(facts, len(numbers)))
    return Candidates(
        np.array(registers, np.uint32), members, np.array(class_of, np.uint32),
        tuple(members[class_of.index(n)] for n in range(len(numbers))),
        _missing(declared[0], name),
    )  # fmt: skip


def sampler_candidates_of(
    samplers: dict[int, SamplerState], missing: SamplerState
) -> Candidates[SamplerState]:
    """Sort the samplers of a range, by register number, into classes of equal states."""
    registers = sorted(samplers)
    members = tuple(samplers[n] for n in registers)
    # By their texts: zeros that compare equal may be border colours of different signs.
    classes = {repr(state): state for state in members}
    numbers = {text: n for n, text in enumerate(classes)}
    class_of = np.array([numbers[repr(state)] for state in members], np.uint32)
    return Candidates(
        np.array(registers, np.uint32), members, class_of, tuple(classes.values()), missing
    )


def _missing(declared: ViewDeclaration | BufferDeclaration, name: str) -> View:
    """Return the view of a register that is not there, or to which nothing is bound."""
    if isinstance(declared, BufferDeclaration):
        return View(
            Memory.CONSTANT, name, 0, ViewKind.RAW, ResourceDimension.BUFFER, stride=16,
            is_bound=False,
        )  # fmt: skip
    return View(
        declared.memory, name, 0, declared.kind, declared.dimension, stride=declared.stride,
        is_bound=False,
    )  # fmt: skip
