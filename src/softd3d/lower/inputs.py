"""The named inputs of an invocation, and how operands read them.

Threads have `group.x`, `local.x` (y, z) and `flat`; lanes of a batch have the components of
declared registers, such as `v0.x`. Written once, over the algebra, for both engines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from softd3d.algebra.value import U32, Algebra, Value
from softd3d.errors import DecodeError, LoweringError
from softd3d.isa.asm.sm4.words import REGISTERS
from softd3d.isa.limits import MAX_DISPATCH_GROUPS
from softd3d.isa.machine import Info, InputComponent, Place
from softd3d.isa.roles import Flow
from softd3d.isa.sm4.enums import OperandType, ProgramType
from softd3d.isa.sm4.program import Operand
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import Declarations
from softd3d.lower.primitive_stage import Phase
from softd3d.lower.registers import Key
from softd3d.lower.stage import COVERED, StageRegister, component_name, register_name
from softd3d.lower.stage_memory import EMITTED

__all__ = [
    "ReadInput",
    "computed_inputs",
    "input_limit",
    "input_value",
    "is_declared",
    "not_in_a_draw",
    "output_keys",
    "outputs_of",
    "rasterizer_fact",
    "registers_given",
]

ReadInput: TypeAlias = "Callable[[str], Value]"  # takes the name of an input; a uint32
_THREAD_INPUTS = {
    OperandType.INPUT_THREAD_GROUP_ID: "group",
    OperandType.INPUT_THREAD_ID_IN_GROUP: "local",
}


def rasterizer_fact(field: Info) -> str:
    """Return the name of the input of pixel shaders that ask for a fact about the rasteriser."""
    return f"rasterizer.{field.value}"


def input_value(
    k: Algebra, d: Declarations, file: OperandType, number: int, component: int, read: ReadInput
) -> Value:  # fmt: skip
    """Return a component of an input register that the invocation itself has.

    A component that is not declared is 0: Direct3D leaves it undefined.

    Raises:
        DecodeError: the register is not declared.
    """
    if d.stage is ProgramType.CS:
        return _of_thread(k, d, file, component, read)
    if not is_declared(d, file, number, component, of_vertices=False):
        return k.const(U32, 0)
    return read(component_name(register_name(file, number), component))


def is_declared(
    d: Declarations, file: OperandType, number: int, component: int, *, of_vertices: bool
) -> bool:
    """Tell whether a declared input register has a component.

    of_vertices: whether it is one that each vertex or control point has.

    Raises:
        DecodeError: the register is not declared.
    """
    pieces = [
        r for r in d.inputs
        if (r.file, r.number) == (file, number) and bool(r.vertices) is of_vertices
    ]  # fmt: skip
    if not pieces:
        name = REGISTERS.get(file, file.name)
        register = f"{name}[][{number}]" if of_vertices else register_name(file, number)
        raise DecodeError(f"{register} is not declared")
    return any(component in piece.components for piece in pieces)


def computed_inputs(d: Declarations, operand: Operand, component: int) -> tuple[int, ...]:
    """Return the registers that an input operand with a computed number may name.

    Those are registers of index ranges with the component; elsewhere it reads 0, where Direct3D
    leaves what it reads undefined.

    Raises:
        DecodeError: no range has the component.
    """
    return _in_ranges(d, d.inputs, operand, component)


def _in_ranges(
    d: Declarations, registers: Sequence[StageRegister], operand: Operand, component: int
) -> tuple[int, ...]:
    """Return the declared registers that an operand with a computed number may name."""
    numbers = d.primitives.in_range(operand.type, component)
    if not numbers:
        name = REGISTERS.get(operand.type, operand.type.name)
        raise DecodeError(f"the number of a {name}# is computed, and no dcl_indexrange has it")
    file = operand.type
    declared = {r.number for r in registers if r.file is file and component in r.components}
    return tuple(n for n in numbers if n in declared)


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


def output_keys(d: Declarations, operand: Operand, component: int) -> tuple[Key, ...]:
    """Return the registers that an output operand names, several if its number is computed.

    Raises:
        DecodeError: the register or component is not declared, or no index range has a computed
            number, or it is written for several vertices.
    """
    indices, file = operand.indices, operand.type
    if len(indices) > 1:
        raise DecodeError(f"{file.name} with {len(indices)} indices is written")
    if indices and indices[0].relative is not None:
        numbers = _in_ranges(d, d.outputs, operand, component)
        return tuple((REGISTERS[file], number, component) for number in numbers)
    number = indices[0].immediate if indices else 0
    for r in d.outputs:
        if (r.file, r.number) == (file, number) and component in r.components:
            return (r.key(component),)
    register = register_name(file, number)
    raise DecodeError(f"{component_name(register, component)} is not declared")


def outputs_of(bound: BoundProgram) -> dict[str, Key]:
    """Return the registers that hold at the end what an invocation gives, by name."""
    if bound.interface is not None:
        return dict(bound.interface.outputs)
    d = bound.declarations
    if d.stage is ProgramType.GS:
        return {EMITTED[0]: EMITTED}
    if d.primitives.phase in (Phase.FORK, Phase.JOIN):
        return {}  # patch constants are in memory
    found = {component_name(r.name, c): r.key(c) for r in d.outputs for c in r.components}
    discards = d.stage is ProgramType.PS and any(
        TABLE[i.opcode].flow is Flow.DISCARD for i in bound.program.instructions
    )
    return found | {COVERED[0]: COVERED} if discards else found


def registers_given(bound: BoundProgram) -> tuple[tuple[str, Key], ...]:
    """Return the names of inputs that registers begin with, each with the register's key."""
    return () if bound.interface is None else bound.interface.inputs
