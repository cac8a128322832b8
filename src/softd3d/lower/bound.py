"""A program together with what it is bound to: the input of both engines."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softd3d.classes import dataclass
from softd3d.errors import DecodeError, LoweringError, ResourceError
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4 import program as sm4
from softd3d.isa.sm4.enums import OperandType, ResourceDimension
from softd3d.isa.sm4.program import Index, Operand
from softd3d.lower.candidates import Candidates, candidates_of, sampler_candidates_of
from softd3d.lower.declarations import Declarations
from softd3d.lower.linkage import Linkage
from softd3d.lower.registers import Key
from softd3d.lower.stage_memory import StageMemory, stage_arrays
from softd3d.resources.views.descriptor import Descriptor

if TYPE_CHECKING:
    from softd3d.isa.sampling.d3d9.state import SamplerState9
    from softd3d.isa.sm1 import program as sm1
    from softd3d.lower.d3d9.surroundings import Surroundings

__all__ = ["BoundProgram", "RegisterInterface", "Source", "register_indices"]

_VECTORS = frozenset({Memory.CONSTANT, Memory.IMMEDIATE_CONSTANT, Memory.INDEXABLE_TEMP})
_BY_THEMSELVES = frozenset({"CS", "VS", "PS"})
_IN_DRAWS = frozenset({"HS", "DS", "GS"})
_COMPUTED = frozenset({Memory.CONSTANT, Memory.RESOURCE, Memory.UAV})


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes that a program was decoded from, by their SHA-256."""

    program: sm1.Program | sm4.Program
    digest: bytes


@dataclass(frozen=True, slots=True)
class RegisterInterface:
    """What a program of SM1-3 is given and gives, and its numeric rules.

    profile: the name of the rules. inputs: names of what the invocation is given, each with the
    component of a register that begins with it; others begin with 0. outputs: names of what it
    gives, each with the component that holds it at the end. surroundings: of a program in a draw,
    what happens before and behind it. projected: of texture stages up to ps_1_3, by which component
    lookups divide the ones before it, if they do: (stage, component) each.
    """

    profile: str
    inputs: tuple[tuple[str, Key], ...]
    outputs: tuple[tuple[str, Key], ...]
    surroundings: Surroundings | None = None
    projected: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class BoundProgram:
    """A program of any stage, its declarations, and its bindings, checked against each other.

    views: by (memory, declared id, absolute register); descriptors: by `View.slot`.
    buffers: constant buffer views by (declared id, absolute register); constants: their contents,
    uint32 (4 * vectors,), by slot. Slots are in the order of (memory, declared id, register).
    samplers: by (declared id, absolute register). samplers9: of a program of SM1-3, by number; its
    views are those of `lower/d3d9/textures.py`. source: of the program, if it comes from bytes.
    linkage: what interfaces are bound to. notes: (register, rule) of bindings that Direct3D leaves
    undefined, for `Outcome.poisoned`. interface: of programs of SM1-3, whose constants are those of
    `lower/d3d9/constant_files.py`. stage_memory: of a program that runs with descriptors of such
    memory behind its own.
    """

    program: sm1.Program | sm4.Program
    declarations: Declarations
    views: dict[tuple[Memory, int, int], View]
    descriptors: tuple[Descriptor, ...]
    buffers: dict[tuple[int, int], View]
    constants: tuple[NDArray[np.uint32], ...]
    samplers: dict[tuple[int, int], SamplerState] = field(
        default_factory=dict[tuple[int, int], SamplerState]
    )
    source: Source | None = None
    linkage: Linkage = field(default_factory=Linkage)
    notes: tuple[tuple[str, str], ...] = ()
    interface: RegisterInterface | None = None
    samplers9: dict[int, SamplerState9] = field(default_factory=dict[int, "SamplerState9"])
    stage_memory: StageMemory | None = None
    _candidates: dict[tuple[Memory, int | None], Candidates[View]] = field(
        default_factory=dict[tuple[Memory, int | None], Candidates[View]],
        init=False, repr=False, compare=False,
    )  # fmt: skip
    _sampler_candidates: dict[int | None, Candidates[SamplerState]] = field(
        default_factory=dict["int | None", Candidates[SamplerState]],
        init=False, repr=False, compare=False,
    )  # fmt: skip

    def with_stage_memory(self) -> BoundProgram:
        """Return the program as one that runs with stage memory, which each run has to supply."""
        arrays = stage_arrays(self.declarations)
        return replace(self, stage_memory=StageMemory(len(self.descriptors), arrays))

    def check_runnable(self) -> None:
        """Refuse what no engine can run.

        Raises:
            LoweringError: a hull, domain or geometry shader without stage memory, a hull shader
                that is not one of its phases, or a function of a library.
        """
        program = self.program
        if program.type.name in _BY_THEMSELVES:
            return
        if program.type.name not in _IN_DRAWS:
            raise LoweringError(f"{program.profile}: functions of libraries cannot be run")
        whole = program.type.name == "HS" and self.declarations.primitives.phase is None
        if self.stage_memory is None or whole:
            raise LoweringError(f"{program.profile}: such shaders can be run in draws only")

    def view(self, memory: Memory, operand: Operand) -> View:
        """Return the view that an operand names.

        Raises:
            DecodeError: the register is not declared, or it is computed.
        """
        registers = register_indices(memory, operand)
        numbers = [i.immediate for i in registers]
        if any(i.relative is not None for i in registers):
            raise DecodeError(f"the number of a {memory.value}# is computed")
        if memory in (Memory.RESOURCE, Memory.UAV):
            found = self.views.get((memory, numbers[0], numbers[-1])) if numbers else None
        elif memory is Memory.CONSTANT:
            found = self.buffers.get((numbers[0], numbers[-1])) if numbers else None
        elif memory is Memory.GROUP_SHARED:
            found = self.declarations.shared.get(numbers[0]) if numbers else None
        elif memory is Memory.INDEXABLE_TEMP:
            found = self.declarations.indexable.get(numbers[0]) if numbers else None
        else:
            size = 4 * len(self.declarations.immediate_constants)
            found = View(
                Memory.IMMEDIATE_CONSTANT, "icb", 0, ViewKind.RAW, ResourceDimension.BUFFER,
                stride=16, size=size,
            )  # fmt: skip
        if found is None:
            register = "][".join(str(n) for n in numbers)
            raise DecodeError(f"{memory.value}[{register}] is not declared")
        return found

    def candidates(self, memory: Memory, operand: Operand) -> Candidates[View]:
        """Return what an operand with a computed register number may name.

        That is what is bound in the declared range; before shader model 5.1, which has no ranges,
        it is every register of the kind.

        Raises:
            DecodeError: the range is not declared, or registers of the kind are never computed.
        """
        if memory not in _COMPUTED:
            raise DecodeError(f"the number of a {memory.value}# is computed")
        id_ = self._range_id(memory.value, register_indices(memory, operand))
        found = self._candidates.get((memory, id_))
        if found is None:
            found = self._candidates[memory, id_] = self._find_candidates(memory, id_)
        return found

    def _range_id(self, prefix: str, registers: tuple[Index, ...]) -> int | None:
        """Return the declared id of a range, None before shader model 5.1."""
        if (self.program.major, self.program.minor) < (5, 1):
            return None
        if registers[0].relative is not None:
            raise DecodeError(f"which range of {prefix}# is meant is computed")
        return registers[0].immediate

    def sampler_candidates(self, operand: Operand) -> Candidates[SamplerState]:
        """Return the samplers that an operand with a computed register number may name.

        Raises:
            DecodeError: the operand is no sampler, or its range is not declared.
        """
        if operand.type is not OperandType.SAMPLER:
            raise DecodeError(f"operand type {operand.type.name} is no sampler")
        id_ = self._range_id("s", operand.indices)
        found = self._sampler_candidates.get(id_)
        if found is None:
            samplers = self.declarations.samplers.values()
            declared = next((s for s in samplers if id_ in (None, s.id)), None)
            if declared is None:
                raise DecodeError(f"s{'#' if id_ is None else id_} is not declared")
            states = {n: s for (i, n), s in self.samplers.items() if id_ in (None, i)}
            found = sampler_candidates_of(states, declared.default)
            self._sampler_candidates[id_] = found
        return found

    def _find_candidates(self, memory: Memory, id_: int | None) -> Candidates[View]:
        views: dict[tuple[int, int], View] = (
            self.buffers
            if memory is Memory.CONSTANT
            else {key[1:]: v for key, v in self.views.items() if key[0] is memory}
        )
        counting = {
            v.slot for v in views.values()
            if memory is Memory.UAV and self.descriptors[v.slot].counter is not None
        }  # fmt: skip
        return candidates_of(
            self.declarations.ranges(memory, id_),
            {register: v for (declared, register), v in views.items() if id_ in (None, declared)},
            counting,
        )

    def sampler(self, operand: Operand) -> SamplerState:
        """Return the sampler that an operand names.

        Raises:
            DecodeError: the operand is none, not declared, or its number is computed.
        """
        if operand.type is not OperandType.SAMPLER or not operand.indices:
            raise DecodeError(f"operand type {operand.type.name} is no sampler")
        if any(i.relative is not None for i in operand.indices):
            raise DecodeError("the number of a s# is computed")
        numbers = [i.immediate for i in operand.indices]
        found = self.samplers.get((numbers[0], numbers[-1]))
        if found is None:
            raise DecodeError(f"s{']['.join(str(n) for n in numbers)} is not declared")
        return found

    def check_counter(self, view: View) -> None:
        """Refuse a hidden counter where the view has none."""
        is_uav = view.memory is Memory.UAV
        if not is_uav or self.descriptors[view.slot].counter is None:
            raise ResourceError(f"{view.register} has no hidden counter")

    @property
    def memory_views(self) -> tuple[View, ...]:
        """The bound t# and u# views, by slot."""
        return tuple(sorted(self.views.values(), key=lambda v: v.slot))


def register_indices(memory: Memory, operand: Operand) -> tuple[Index, ...]:
    """Return the indices of an operand that name its register, without that of a vector."""
    return operand.indices[:-1] if memory in _VECTORS else operand.indices
