"""The named inputs of an invocation, and how operands read them.

Threads have `group.x`, `local.x` (y, z) and `flat`; lanes of a batch have the components of
declared registers, such as `v0.x`. Written once, over the algebra, for both engines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from softd3d.algebra.value import U32, Algebra, Value
from softd3d.errors import DecodeError, LoweringError
from softd3d.isa.limits import MAX_DISPATCH_GROUPS
from softd3d.isa.machine import InputComponent, Place
from softd3d.isa.roles import Flow
from softd3d.isa.sm4.enums import OperandType, ProgramType
from softd3d.isa.sm4.program import Operand
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.registers import Key
from softd3d.lower.stage import COVERED, component_name, register_name

__all__ = [
    "RASTERIZER_SAMPLES",
    "ReadInput",
    "input_limit",
    "input_value",
    "not_in_a_draw",
    "output_key",
    "outputs_of",
    "registers_given",
]

ReadInput: TypeAlias = "Callable[[str], Value]"  # takes the name of an input; a uint32
RASTERIZER_SAMPLES = "rasterizer.samples"
"""The input of pixel shaders that ask for the rasteriser's sample count."""
_THREAD_INPUTS = {
    OperandType.INPUT_THREAD_GROUP_ID: "group",
    OperandType.INPUT_THREAD_ID_IN_GROUP: "local",
}


def input_value(
    k: Algebra, d: Declarations, operand: Operand, component: int, read: ReadInput
) -> Value:
    """Return a component of an input register.

    A component that is not declared is 0: Direct3D leaves it undefined.

    Raises:
        DecodeError: the register is not declared. LoweringError: its number is computed.
    """
    if d.stage is ProgramType.CS:
        return _of_thread(k, d, operand.type, component, read)
    indices = operand.indices
    if len(indices) > 1 or any(i.relative is not None for i in indices):
        raise LoweringError(f"reading an array of {operand.type.name} is not supported yet")
    number = indices[0].immediate if indices else 0
    pieces = [r for r in d.inputs if (r.file, r.number) == (operand.type, number)]
    if not pieces:
        raise DecodeError(f"{register_name(operand.type, number)} is not declared")
    if not any(component in piece.components for piece in pieces):
        return k.const(U32, 0)
    return read(component_name(pieces[0].name, component))


def _of_thread(
    k: Algebra, d: Declarations, type_: OperandType, component: int, read: ReadInput
) -> Value:
    if type_ is OperandType.INPUT_THREAD_ID_IN_GROUP_FLATTENED and component < 3:
        return read("flat")
    if type_ is not OperandType.INPUT_THREAD_ID and type_ not in _THREAD_INPUTS:
        raise LoweringError(f"reading {type_.name} is not supported yet")
    if component >= 3:
        return k.const(U32, 0)
    if type_ in _THREAD_INPUTS:
        return read(f"{_THREAD_INPUTS[type_]}.{'xyz'[component]}")
    group, local = (read(f"{name}.{'xyz'[component]}") for name in ("group", "local"))
    return group * d.group_size[component] + local


def not_in_a_draw(source: InputComponent, place: Place) -> LoweringError:
    """Return the error of evaluating inputs where there is no primitive to evaluate them on."""
    return LoweringError(
        f"evaluating v{source.register} at the place {place} is not supported yet outside of draws"
    )


def input_limit(d: Declarations, name: str) -> int:
    """Return a number that an input stays below."""
    if d.stage is not ProgramType.CS:
        return 1 << 32
    if name == "flat":
        return d.threads
    kind, component = name.split(".")
    if kind == "group":
        return MAX_DISPATCH_GROUPS
    return d.group_size["xyz".index(component)]


def output_key(d: Declarations, operand: Operand, component: int) -> Key:
    """Return the register that an output operand names.

    Raises:
        DecodeError: the register or component is not declared. LoweringError: its number is
            computed, or it is written for several vertices.
    """
    indices = operand.indices
    if len(indices) > 1 or any(i.relative is not None for i in indices):
        raise LoweringError(f"writing to an array of {operand.type.name} is not supported yet")
    number = indices[0].immediate if indices else 0
    for r in d.outputs:
        if (r.file, r.number) == (operand.type, number) and component in r.components:
            return r.key(component)
    register = register_name(operand.type, number)
    raise DecodeError(f"{component_name(register, component)} is not declared")


def outputs_of(bound: BoundProgram) -> dict[str, Key]:
    """Return the registers that hold at the end what an invocation gives, by name."""
    if bound.interface is not None:
        return {_name(key): key for key in bound.interface.results}
    d = bound.declarations
    found = {component_name(r.name, c): r.key(c) for r in d.outputs for c in r.components}
    discards = d.stage is ProgramType.PS and any(
        TABLE[i.opcode].flow is Flow.DISCARD for i in bound.program.instructions
    )
    return found | {COVERED[0]: COVERED} if discards else found


def registers_given(bound: BoundProgram) -> dict[str, Key]:
    """Return the registers that begin with inputs, by the names of those."""
    places = () if bound.interface is None else bound.interface.given
    keys = [(*place, component) for place in places for component in range(4)]
    return {_name(key): key for key in keys}


def _name(key: Key) -> str:
    """Return the name of a component of a register of SM1-3."""
    from softd3d.lower.d3d9.register_files import place_name  # noqa: PLC0415 - no other needs it

    file, number, component = key
    return component_name(place_name((file, number)), component)
