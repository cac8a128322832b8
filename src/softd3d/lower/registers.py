"""What an evaluation reads and writes besides memory: registers by key, and bindings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from softd3d.algebra.value import Value
from softd3d.isa.machine import Memory, View
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import OperandType
from softd3d.isa.sm4.program import Operand
from softd3d.lower.linkage import Linkage

__all__ = ["Key", "Registers", "SamplerBody", "ViewBody"]

Key: TypeAlias = tuple[str, int, int]
"""The file of a register, such as "r" or "oPos", its number, and a component."""
ViewBody: TypeAlias = "Callable[[View], tuple[Value, ...]]"
SamplerBody: TypeAlias = "Callable[[SamplerState], tuple[Value, ...]]"


class Registers(Protocol):
    """The register file and bindings of an evaluation. All values are raw uint32 bits."""

    def read(self, file: str, number: int, component: int) -> Value:
        """Return what a register holds: first what is given to the invocation, or else 0."""
        ...

    def write(self, file: str, number: int, component: int, value: Value) -> None: ...

    def named(self, name: str) -> Value:
        """Return an input of the invocation, such as `v0.x`: uint32."""
        ...

    def read_input(self, file: OperandType, number: int, component: int) -> Value:
        """Return a component of an input register that the invocation itself has."""
        ...

    def view(self, memory: Memory, operand: Operand) -> View:
        """Return the view that a t#, u#, g#, cb, icb or x# operand names."""
        ...

    def each_view(
        self, memory: Memory, operand: Operand, register: Value, body: ViewBody
    ) -> tuple[Value, ...]:
        """Run `body` with every view that a computed register number names, for its lanes only.

        register: uint32; where nothing is bound to it the view is an unbound one. Returns for each
        lane what the body returned for it, values of type uint32.
        """
        ...

    def sampler(self, operand: Operand) -> SamplerState:
        """Return the sampler that an s# operand names."""
        ...

    @property
    def linkage(self) -> Linkage:
        """What the program's interfaces are bound to."""
        ...

    def each_sampler(
        self, operand: Operand, register: Value, body: SamplerBody
    ) -> tuple[Value, ...]:
        """Do as `each_view` for samplers; where there is none it is the default one."""
        ...
