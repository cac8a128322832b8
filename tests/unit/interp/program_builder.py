"""Programs for tests: a body as text in the assembler's notation, declarations as arguments.

`build` makes `Program` objects and binds them itself; decoder, container and device are not used.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    Opcode,
    OperandModifier,
    OperandType,
    ProgramType,
    ResourceDimension,
    SelectionMode,
    SyncFlags,
)
from softd3d.isa.sm4.program import Index, Instruction, Operand, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import read_declarations
from softd3d.resources.views.descriptor import Descriptor, describe

_REGISTERS = {
    "r": OperandType.TEMP,
    "x": OperandType.INDEXABLE_TEMP,
    "cb": OperandType.CONSTANT_BUFFER,
    "icb": OperandType.IMMEDIATE_CONSTANT_BUFFER,
    "t": OperandType.RESOURCE,
    "u": OperandType.UNORDERED_ACCESS_VIEW,
    "g": OperandType.THREAD_GROUP_SHARED_MEMORY,
    "label": OperandType.LABEL,
    "null": OperandType.NULL,
    "vThreadID": OperandType.INPUT_THREAD_ID,
    "vThreadGroupID": OperandType.INPUT_THREAD_GROUP_ID,
    "vThreadIDInGroup": OperandType.INPUT_THREAD_ID_IN_GROUP,
    "vThreadIDInGroupFlattened": OperandType.INPUT_THREAD_ID_IN_GROUP_FLATTENED,
}
_SYNC = {
    "t": SyncFlags.THREADS,
    "g": SyncFlags.THREAD_GROUP_SHARED_MEMORY,
    "ugroup": SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GROUP,
    "uglobal": SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GLOBAL,
}
_OPERAND = re.compile(
    r"(?P<neg>-)?(?P<name>[a-zA-Z]+)(?P<number>\d+)?(\[(?P<index>.*)\])?(\.(?P<comps>[xyzw]+))?"
)
_UNTYPED = 0x4444  # four return types UINT


@dataclass(frozen=True)
class Unbound:
    """A register that is declared, but has no resource."""

    kind: ViewKind
    dimension: ResourceDimension = ResourceDimension.BUFFER
    stride: int = 4


@dataclass
class Setup:
    """Declarations and bindings. shared: (size,) if raw, (stride, count) if structured."""

    temps: int = 8
    group: tuple[int, int, int] = (64, 1, 1)
    uavs: dict[int, Any] = field(default_factory=dict)
    srvs: dict[int, Any] = field(default_factory=dict)
    constants: dict[int, Any] = field(default_factory=dict)
    shared: dict[int, tuple[int, ...]] = field(default_factory=dict)
    indexable: dict[int, int] = field(default_factory=dict)
    icb: tuple[int, ...] = ()


def _components(text: str, *, is_destination: bool) -> dict[str, Any]:
    numbers = tuple("xyzw".index(c) for c in text)
    if is_destination:
        return {"mode": SelectionMode.MASK, "selection": numbers or (0, 1, 2, 3)}
    if len(numbers) == 1:
        return {"mode": SelectionMode.SELECT_1, "selection": numbers}
    numbers = numbers or (0, 1, 2, 3)
    padded = numbers + numbers[-1:] * (4 - len(numbers))
    return {"mode": SelectionMode.SWIZZLE, "selection": padded}


def _literal(text: str) -> Operand:
    values = [v.strip() for v in text[2:-1].split(",")]
    words = tuple(
        struct.unpack("<I", struct.pack("<f", float(v)))[0] if "." in v else int(v, 0) & 0xFFFFFFFF
        for v in values
    )
    return Operand(OperandType.IMMEDIATE32, components=len(words), immediate=words)


def _index(text: str) -> Index:
    register, _, constant = text.partition("+")
    if register.strip().isdigit():
        return Index(int(register))
    relative = operand(register.strip(), is_destination=False)
    return Index(int(constant or "0"), relative, representation=3 if constant else 2)


def operand(text: str, *, is_destination: bool) -> Operand:
    """Read one operand."""
    if text.startswith("l("):
        return _literal(text)
    match = _OPERAND.fullmatch(text)
    if match is None:
        raise ValueError(f"operand {text!r}")
    type_ = _REGISTERS[match["name"]]
    indices = () if match["number"] is None else (Index(int(match["number"])),)
    if match["index"] is not None:
        indices += (_index(match["index"]),)
    modifier = OperandModifier.NEG if match["neg"] else OperandModifier.NONE
    if type_ in (OperandType.LABEL, OperandType.NULL):
        return Operand(type_, components=0, indices=indices)
    if type_ is OperandType.INPUT_THREAD_ID_IN_GROUP_FLATTENED:
        return Operand(type_, components=1)
    places = _components(match["comps"] or "", is_destination=is_destination)
    return Operand(type_, indices=indices, modifier=modifier, **places)


def _split(text: str) -> list[str]:
    return [t.strip() for t in re.findall(r"(?:l\([^)]*\)|[^,])+", text)]


def instruction(line: str, index: int = 0) -> Instruction:
    """Read one instruction."""
    name, _, rest = line.partition(" ")
    controls = 0
    if name.startswith("sync_"):
        controls = sum(_SYNC[part] for part in name.split("_")[1:])
        name = "sync"
    elif name.endswith("_nz") or (name.endswith("_z") and name[:-2] in TABLE.by_mnemonic):
        name, _, test = name.rpartition("_")
        controls = (test == "nz") << 18
    row = TABLE.by_mnemonic[name]
    operands = tuple(
        operand(text, is_destination=n < len(row.destinations))
        for n, text in enumerate(_split(rest))
    )
    return Instruction(Opcode(row.opcode), operands, controls, index=index, offset=8 + 4 * index)


def body(text: str, first: int = 0) -> list[Instruction]:
    """Read lines, without what follows `//`."""
    lines = [line.partition("//")[0].strip() for line in text.splitlines()]
    return [instruction(line, first + n) for n, line in enumerate(filter(None, lines))]


def program(text: str, declarations: tuple[Instruction, ...] = ()) -> Program:
    """Return a cs_5_0 program."""
    instructions = (*declarations, *body(text, len(declarations)))
    return Program(ProgramType.CS, 5, 0, instructions)


def _register(type_: OperandType, *numbers: int) -> Operand:
    return Operand(type_, components=0, indices=tuple(Index(n) for n in numbers))


_VIEW_OPCODES = {
    (Memory.RESOURCE, ViewKind.RAW): Opcode.DCL_RESOURCE_RAW,
    (Memory.RESOURCE, ViewKind.STRUCTURED): Opcode.DCL_RESOURCE_STRUCTURED,
    (Memory.RESOURCE, ViewKind.TYPED): Opcode.DCL_RESOURCE,
    (Memory.UAV, ViewKind.RAW): Opcode.DCL_UNORDERED_ACCESS_VIEW_RAW,
    (Memory.UAV, ViewKind.STRUCTURED): Opcode.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED,
    (Memory.UAV, ViewKind.TYPED): Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED,
}


def _facts(resource: Any) -> Unbound | Descriptor:
    return resource if isinstance(resource, Unbound) else describe(resource)


def _view_declaration(memory: Memory, number: int, resource: Any) -> Instruction:
    facts = _facts(resource)
    type_ = _REGISTERS[memory.value]
    extra, controls = (), 0
    if facts.kind is ViewKind.STRUCTURED:
        extra = (facts.stride,)
    elif facts.kind is ViewKind.TYPED:
        extra, controls = (_UNTYPED,), facts.dimension << 11
    return Instruction(
        _VIEW_OPCODES[memory, facts.kind], (_register(type_, number),), controls, extra
    )


def _shared_declaration(number: int, layout: tuple[int, ...]) -> Instruction:
    raw = Opcode.DCL_THREAD_GROUP_SHARED_MEMORY_RAW
    structured = Opcode.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED
    code = raw if len(layout) == 1 else structured
    register = _register(OperandType.THREAD_GROUP_SHARED_MEMORY, number)
    return Instruction(code, (register,), extra=layout)


def _declarations(s: Setup) -> tuple[Instruction, ...]:
    found = [
        Instruction(Opcode.DCL_TEMPS, extra=(s.temps,)),
        Instruction(Opcode.DCL_THREAD_GROUP, extra=s.group),
    ]
    if s.icb:
        found.append(
            Instruction(
                Opcode.CUSTOMDATA,
                custom_class=CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER,
                custom=s.icb,
            )
        )
    found += [
        Instruction(Opcode.DCL_INDEXABLE_TEMP, extra=(n, size, 4))
        for n, size in s.indexable.items()
    ]
    found += [
        Instruction(Opcode.DCL_CONSTANT_BUFFER, (_register(OperandType.CONSTANT_BUFFER, n, 64),))
        for n in s.constants
    ]
    found += [_view_declaration(Memory.RESOURCE, n, r) for n, r in s.srvs.items()]
    found += [_view_declaration(Memory.UAV, n, r) for n, r in s.uavs.items()]
    found += [_shared_declaration(n, layout) for n, layout in s.shared.items()]
    return tuple(found)


def _nothing(view: Unbound) -> Descriptor:
    return Descriptor(
        np.zeros(0, np.uint8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (), None, view.kind, view.dimension,
        None, writable=False,
    )  # fmt: skip


def build(text: str, **arguments: Any) -> BoundProgram:
    """Return a bound cs_5_0 program; the arguments are those of `Setup`."""
    s = Setup(**arguments)
    made = program(text, _declarations(s))
    declarations = read_declarations(made)
    views: dict[tuple[Memory, int, int], View] = {}
    descriptors: list[Descriptor] = []
    for (memory, number), d in declarations.views.items():
        resource = (s.srvs if memory is Memory.RESOURCE else s.uavs)[number]
        is_bound = not isinstance(resource, Unbound)
        found = describe(resource) if is_bound else _nothing(resource)
        views[memory, number, number] = View(
            memory, d.register, len(descriptors), d.kind, d.dimension,
            found.stride if d.kind is ViewKind.TYPED else d.stride, found.format, is_bound,
        )  # fmt: skip
        descriptors.append(found)
    buffers, contents = {}, []
    for slot, (number, data) in enumerate(s.constants.items()):
        buffers[number, number] = View(
            Memory.CONSTANT, f"cb{number}", slot, ViewKind.RAW, ResourceDimension.BUFFER,
            stride=16, is_bound=data is not None,
        )  # fmt: skip
        contents.append(np.zeros(0, np.uint32) if data is None else data)
    return BoundProgram(made, declarations, views, tuple(descriptors), buffers, tuple(contents))
