"""The evaluator of a program's instruction set."""

from __future__ import annotations

from softd3d.errors import InternalError
from softd3d.isa.machine import Machine
from softd3d.isa.sm4.program import Program
from softd3d.lower.bound import BoundProgram
from softd3d.lower.evaluate import CarryOut, Evaluator, carry_out
from softd3d.lower.operands.effects import Sm4Evaluator
from softd3d.lower.registers import Registers

__all__ = ["evaluator_of"]


def evaluator_of(
    bound: BoundProgram, machine: Machine, registers: Registers, carried_out: CarryOut = carry_out
) -> Evaluator:
    """Return what evaluates the instructions of a program."""
    if isinstance(bound.program, Program):
        return Sm4Evaluator(machine, registers, bound, carried_out)
    if bound.interface is None:
        raise InternalError("a program of SM1-3 that is bound without an interface")
    from softd3d.lower.operands.sm1 import Sm1Evaluator  # noqa: PLC0415 - nobody else needs it

    return Sm1Evaluator(machine, registers, bound, bound.program, bound.interface, carried_out)
