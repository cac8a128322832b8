"""The evaluator of a program's instruction set."""

from __future__ import annotations

from softd3d.isa.machine import Machine
from softd3d.lower.bound import BoundProgram
from softd3d.lower.evaluate import CarryOut, Evaluator, carry_out
from softd3d.lower.operands.effects import Sm4Evaluator
from softd3d.lower.registers import Registers

__all__ = ["evaluator_of"]


def evaluator_of(
    bound: BoundProgram, machine: Machine, registers: Registers, carried_out: CarryOut = carry_out
) -> Evaluator:
    """Return what evaluates the instructions of a program."""
    return Sm4Evaluator(machine, registers, bound.declarations, carried_out)
