"""Which registers a program wants bound, what the shader calls them, and how callers name them.

A key of a binding dictionary is a register number (of space 0), a `(register, space)` tuple, the
name of a shader variable, `name[i]` for an element of an array of resources (`name` alone is its
first), or, where no variable has that name, a register as listings have it ("t3,space1").

What must be bound, be it to None: every register that an instruction names, and where one computes
the number, every register of the declared range. An unbounded range, or one of more than 1024
registers, may then have gaps: registers for which no key is given have nothing bound to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import TypeAlias, cast
from weakref import WeakKeyDictionary

from softd3d.arguments import shown, whole
from softd3d.classes import dataclass
from softd3d.container.reflection.enums import ShaderInputType as S
from softd3d.container.reflection.resources import Binding, ResourceDefinitions
from softd3d.errors import ResourceError
from softd3d.isa.row import Kind
from softd3d.isa.sm4.enums import CustomDataClass, OperandType
from softd3d.isa.sm4.program import Operand, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.declarations import Declarations
from softd3d.lower.declared import BufferDeclaration, SamplerDeclaration, ViewDeclaration
from softd3d.shaders.shader import Shader

__all__ = [
    "Key",
    "Register",
    "RegisterKind",
    "has_register",
    "listed",
    "registers_of",
    "resolve",
    "wanted_registers",
]

Key: TypeAlias = "int | tuple[int, int] | str"
Declaration: TypeAlias = "ViewDeclaration | BufferDeclaration | SamplerDeclaration"
_ELEMENT = re.compile(r"(.+)\[(\d{1,9})\]")
_MOST_LISTED = 8
_KNOWN: WeakKeyDictionary[Shader, dict[RegisterKind, list[Register]]] = WeakKeyDictionary()
_DYNAMIC = -1  # a register that is computed
_MOST_DYNAMIC = 1024


class RegisterKind(Enum):
    """A class of registers: listing prefix, the argument that binds it, its operand type."""

    CONSTANTS = ("b", "constants", OperandType.CONSTANT_BUFFER)
    SRVS = ("t", "srvs", OperandType.RESOURCE)
    UAVS = ("u", "uavs", OperandType.UNORDERED_ACCESS_VIEW)
    SAMPLERS = ("s", "samplers", OperandType.SAMPLER)

    __hash__ = object.__hash__  # there is one of each, and Enum's own takes long

    @property
    def prefix(self) -> str:
        return self.value[0]

    @property
    def argument(self) -> str:
        return self.value[1]

    @property
    def operand_type(self) -> OperandType:
        return self.value[2]


_INPUT_TYPES = {
    RegisterKind.CONSTANTS: frozenset({S.CBUFFER}),
    RegisterKind.SRVS: frozenset({S.TBUFFER, S.TEXTURE, S.STRUCTURED, S.BYTEADDRESS}),
    RegisterKind.SAMPLERS: frozenset({S.SAMPLER}),
    RegisterKind.UAVS: frozenset(
        {
            S.UAV_RWTYPED,
            S.UAV_RWSTRUCTURED,
            S.UAV_RWBYTEADDRESS,
            S.UAV_APPEND_STRUCTURED,
            S.UAV_CONSUME_STRUCTURED,
            S.UAV_RWSTRUCTURED_WITH_COUNTER,
        }
    ),
}


@dataclass(frozen=True, slots=True)
class Register:
    """One register to bind. name: the shader variable, empty if the shader was stripped.

    mnemonics: of the instructions that use it.
    """

    kind: RegisterKind
    number: int
    space: int
    name: str
    declaration: Declaration
    mnemonics: frozenset[str]

    @property
    def register(self) -> str:
        """The register as a listing has it, with its space unless that is 0."""
        space = f",space{self.space}" if self.space else ""
        return f"{self.kind.prefix}{self.number}{space}"

    def __str__(self) -> str:
        return f"{self.register} ({self.name})" if self.name else self.register


def wanted_registers(
    program: Program, declarations: Declarations, definitions: ResourceDefinitions | None,
    given: Mapping[RegisterKind, Iterable[Key]] | None = None,
) -> dict[RegisterKind, list[Register]]:  # fmt: skip
    """Return the registers to bind, by kind, in the order of their declarations.

    Of a declared range (shader model 5.1) these are the ones that instructions name, or all of
    them if an instruction computes which; of a range of more than 1024, besides those that
    instructions name, the ones that `given` has keys for.

    Raises:
        ResourceError: a key is not a key, or is a name and the shader has none.
    """
    uses = _uses(program)
    places = {
        kind: {_place(kind, key, definitions) for key in (given or {}).get(kind, ())}
        for kind in RegisterKind
    }
    found: dict[RegisterKind, list[Register]] = {kind: [] for kind in RegisterKind}
    declared = (declarations.buffers, declarations.views, declarations.samplers)
    for declaration in (d for table in declared for d in table.values()):
        kind = _kind(declaration)
        of_range = _uses_of(uses, kind, declaration)
        asked = {p[0] for p in places[kind] if p is not None and p[1] == declaration.space}
        for number in _numbers(declaration, set(of_range), asked):
            binding = _binding_at(definitions, kind, number, declaration.space)
            found[kind].append(
                Register(
                    kind,
                    number,
                    declaration.space,
                    "" if binding is None else _element_name(binding, number),
                    declaration,
                    frozenset(of_range.get(number, set()) | of_range.get(_DYNAMIC, set())),
                )
            )
    return found


def registers_of(
    shader: Shader, given: Mapping[RegisterKind, Iterable[Key]]
) -> dict[RegisterKind, list[Register]]:
    """Return the wanted registers of a shader; see `wanted_registers`."""
    found = _KNOWN.get(shader)
    if found is None:
        d = shader.declarations
        found = wanted_registers(shader.program, d, shader.reflection, given)
        declared = (one for t in (d.buffers, d.views, d.samplers) for one in t.values())
        if all(one.upper - one.lower < _MOST_DYNAMIC for one in declared):  # whatever is given
            _KNOWN[shader] = found
    return found


def resolve(
    kind: RegisterKind,
    values: Mapping[Key, object],
    wanted: list[Register],
    definitions: ResourceDefinitions | None,
) -> dict[tuple[int, int], object]:
    """Return the values by (register, space), each belonging to a wanted register.

    Raises:
        ResourceError: a key is not a key, names nothing, or two name the same register.
    """
    known = {(r.number, r.space): r for r in wanted}
    found: dict[tuple[int, int], object] = {}
    for key, value in values.items():
        place = _place(kind, key, definitions)
        register = known.get(place) if place else None
        if place is None or register is None:
            text = _key_text(kind, key)
            raise ResourceError(
                f"{kind.argument}: the shader has no {text}, {_listed(kind, wanted, definitions)}"
            )
        if place in found:
            raise ResourceError(f"{register}: bound twice, by two keys")
        found[place] = value
    return found


def has_register(kind: RegisterKind, key: Key, shader: Shader) -> bool:
    """Whether a shader declares the register that a key means, by number or name.

    Raises:
        ResourceError: it is not a key.
    """
    definitions = shader.reflection
    if isinstance(key, str) and definitions is None and not _as_register(kind, key):
        return False
    place = _place(kind, key, definitions)
    d = shader.declarations
    declared = [*d.buffers.values(), *d.views.values(), *d.samplers.values()]
    return place is not None and any(
        _kind(one) is kind and one.lower <= place[0] <= one.upper and one.space == place[1]
        for one in declared
    )


def listed(kind: RegisterKind, shader: Shader) -> str:
    """Return the registers of a kind that a shader has, for an error."""
    wanted = wanted_registers(shader.program, shader.declarations, shader.reflection)
    return _listed(kind, wanted[kind], shader.reflection)


def _numbers(declaration: Declaration, used: set[int], asked: set[int]) -> list[int]:
    """Return the registers of a declaration that must be bound, or are."""
    count = declaration.upper - declaration.lower + 1
    if count == 1 or (_DYNAMIC in used and count <= _MOST_DYNAMIC):
        return list(range(declaration.lower, declaration.upper + 1))
    wanted = used | asked if _DYNAMIC in used else used
    return sorted(n for n in wanted if declaration.lower <= n <= declaration.upper)


def _uses_of(
    uses: dict[tuple[RegisterKind, int, int], set[str]], kind: RegisterKind,
    declaration: Declaration,
) -> dict[int, set[str]]:  # fmt: skip
    """Return the mnemonics by register (or _DYNAMIC) for one declaration."""
    found: dict[int, set[str]] = {}
    for (other, id_, number), mnemonics in uses.items():
        if other is kind and id_ in (declaration.id, _DYNAMIC):
            found.setdefault(number, set()).update(mnemonics)
    return found


def _kind(declaration: Declaration) -> RegisterKind:
    if isinstance(declaration, BufferDeclaration):
        return RegisterKind.CONSTANTS
    if isinstance(declaration, SamplerDeclaration):
        return RegisterKind.SAMPLERS
    is_uav = declaration.memory.value == RegisterKind.UAVS.prefix
    return RegisterKind.UAVS if is_uav else RegisterKind.SRVS


_KINDS = {kind.operand_type: kind for kind in RegisterKind}


def _uses(program: Program) -> dict[tuple[RegisterKind, int, int], set[str]]:
    """Return the mnemonics that use each (kind, declared id, absolute register).

    _DYNAMIC is a register that is computed; before shader model 5.1 the id is then _DYNAMIC too.
    """
    uses: dict[tuple[RegisterKind, int, int], set[str]] = {}
    for mnemonic, operands in _operands(program):
        for operand in _nested(operands):
            kind = _KINDS.get(operand.type)
            if kind is None or not operand.indices:
                continue
            indices = list(operand.indices)
            if kind is RegisterKind.CONSTANTS and len(indices) > 1:
                indices.pop()
            id_, number = (
                _DYNAMIC if i.relative is not None else i.immediate
                for i in (indices[0], indices[-1])
            )
            key = kind, id_, number
            uses.setdefault(key, set()).add(mnemonic)
    return uses


def _operands(program: Program) -> Iterator[tuple[str, tuple[Operand, ...]]]:
    """Yield the operands of instructions, and of messages, which are custom data."""
    has_messages = False
    for i in program.instructions:
        row = TABLE[i.opcode]
        if row.kind is not Kind.DECLARATION:
            yield row.mnemonic, i.operands
        has_messages |= i.custom_class == CustomDataClass.SHADER_MESSAGE
    if has_messages:
        # Few programs have some, and they need the assembler's modules.
        from softd3d.isa.sm4.message_sites import message_sites  # noqa: PLC0415

        yield from ((site.kind.value, site.operands) for site in message_sites(program))


def _nested(operands: tuple[Operand, ...]) -> Iterator[Operand]:
    """Yield operands and the operands that index them."""
    pending = list(operands)
    while pending:
        operand = pending.pop()
        yield operand
        pending += [i.relative for i in operand.indices if i.relative is not None]


def _bindings(definitions: ResourceDefinitions | None, kind: RegisterKind) -> list[Binding]:
    if definitions is None:
        return []
    return [b for b in definitions.bindings if b.type in _INPUT_TYPES[kind]]


def _holds(binding: Binding, number: int) -> bool:
    """Tell whether a binding's range has a register; a count of 0 is an unbounded range."""
    if number < binding.bind_point:
        return False
    return binding.bind_count == 0 or number < binding.bind_point + binding.bind_count


def _binding_at(
    definitions: ResourceDefinitions | None, kind: RegisterKind, number: int, space: int
) -> Binding | None:
    return next(
        (b for b in _bindings(definitions, kind) if b.space == space and _holds(b, number)), None
    )


def _element_name(binding: Binding, number: int) -> str:
    if binding.bind_count == 1:
        return binding.name
    return f"{binding.name}[{number - binding.bind_point}]"


def _place(
    kind: RegisterKind, key: object, definitions: ResourceDefinitions | None
) -> tuple[int, int] | None:
    """Return the (register, space) that a key means; None for a name that the shader lacks."""
    if isinstance(key, str):
        return _place_of_name(kind, key, definitions)
    parts = cast("tuple[object, ...]", key if isinstance(key, tuple) else (key, 0))
    try:
        number, space = (whole(part) for part in parts)
    except (TypeError, ValueError):
        found = shown(cast("object", key))
        raise ResourceError(
            f"{kind.argument}: key {found}, wanted a register number, (register, space) or a name"
        ) from None
    return number, space


def _place_of_name(
    kind: RegisterKind, name: str, definitions: ResourceDefinitions | None
) -> tuple[int, int] | None:
    bindings = _bindings(definitions, kind)
    register = _as_register(kind, name)
    if register and all(b.name != name for b in bindings):
        return int(register[1]), int(register[2] or 0)
    if definitions is None:
        raise ResourceError(
            f"{kind.argument}: key {shown(name)} is a name, but the shader has no names (it was "
            "stripped); use register numbers"
        )
    same = [b for b in bindings if b.name == name]
    index = 0
    match = _ELEMENT.fullmatch(name)
    if not same and match:
        index = int(match[2])
        same = [b for b in bindings if b.name == match[1] and _holds(b, b.bind_point + index)]
    if len(same) > 1:
        raise ResourceError(
            f"{kind.argument}: several variables are called {shown(name)}; use numbers"
        )
    return (same[0].bind_point + index, same[0].space) if same else None


def _as_register(kind: RegisterKind, name: str) -> re.Match[str] | None:
    """Match a register as listings have it: its number, and its space."""
    return re.fullmatch(rf"{kind.prefix}(\d{{1,9}})(?:,space(\d{{1,9}}))?", name)


def _key_text(kind: RegisterKind, key: Key) -> str:
    if isinstance(key, str):
        return key if _as_register(kind, key) else repr(key)
    number, space = key if isinstance(key, tuple) else (key, 0)
    return f"{kind.prefix}{number}" + (f",space{space}" if space else "")


def _listed(
    kind: RegisterKind, wanted: list[Register], definitions: ResourceDefinitions | None
) -> str:
    words = [str(r) for r in wanted[:_MOST_LISTED]]
    words += [f"{len(wanted) - _MOST_LISTED} more"] if len(wanted) > _MOST_LISTED else []
    # Of an unbounded range only what is given is wanted.
    words += [
        f"{_key_text(kind, (b.bind_point, b.space))} ({b.name}[0]) and what follows it"
        for b in _bindings(definitions, kind)
        if b.bind_count == 0
    ]
    return f"it has {', '.join(words)}" if words else f"it has no {kind.prefix}# at all"
