"""A program together with what it is bound to: the input of both engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softd3d.errors import DecodeError, LoweringError, ResourceError
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.isa.sm4.program import Operand, Program
from softd3d.lower.declarations import Declarations
from softd3d.resources.views import Descriptor

__all__ = ["BoundProgram", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes that a program was decoded from, by their SHA-256."""

    program: Program
    digest: bytes


@dataclass(frozen=True, slots=True)
class BoundProgram:
    """A compute program, its declarations, and its bindings, checked against each other.

    views: by (memory, declared id, absolute register); descriptors: by `View.slot`.
    buffers: constant buffer views by (declared id, absolute register); constants: their contents,
    uint32 (4 * vectors,), by slot. source: of the program, if it comes from bytes.
    """

    program: Program
    declarations: Declarations
    views: dict[tuple[Memory, int, int], View]
    descriptors: tuple[Descriptor, ...]
    buffers: dict[tuple[int, int], View]
    constants: tuple[NDArray[np.uint32], ...]
    source: Source | None = None

    def view(self, memory: Memory, operand: Operand) -> View:
        """Return the view that an operand names.

        Raises:
            DecodeError: the register is not declared. LoweringError: a dynamic register index.
        """
        vector = memory in (Memory.CONSTANT, Memory.IMMEDIATE_CONSTANT, Memory.INDEXABLE_TEMP)
        registers = operand.indices[:-1] if vector else operand.indices
        if any(i.relative is not None for i in registers):
            raise LoweringError("dynamic indexing of resources is not supported yet")
        numbers = [i.immediate for i in registers]
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

    def check_counter(self, view: View) -> None:
        """Refuse a hidden counter where the view has none."""
        is_uav = view.memory is Memory.UAV
        if not is_uav or self.descriptors[view.slot].counter is None:
            raise ResourceError(f"{view.register} has no hidden counter")

    @property
    def memory_views(self) -> tuple[View, ...]:
        """The bound t# and u# views, by slot."""
        return tuple(sorted(self.views.values(), key=lambda v: v.slot))
