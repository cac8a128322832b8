"""What programs of SM1-3 give and take by usage: the semantics that link them.

Before 3.0 registers have fixed meanings: oD0 and v0 are COLOR0, oT1 and t1 TEXCOORD1; from 3.0 on
dcl says it. Components are linked one by one, whatever the register. Spec: Direct3D 9 shader
assembly reference, "Registers - vs_3_0", "Registers - ps_3_0", "dcl_usage".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from softd3d.classes import dataclass
from softd3d.isa.roles import Declares
from softd3d.isa.sm1.enums import MiscType, RegisterType, ResultModifier, Usage
from softd3d.isa.sm1.program import FULL_MASK, Instruction, Program
from softd3d.isa.sm1.tokens import row_of
from softd3d.lower.d3d9.register_files import Place, RegisterFiles
from softd3d.lower.registers import Key

__all__ = [
    "COLOR", "FOG_FACTOR", "POINT_SIZE", "POSITION", "Declared", "Semantic", "Taken",
    "declared_inputs", "declared_registers", "given_semantics", "places_read", "taken_semantics",
]  # fmt: skip

Semantic: TypeAlias = tuple[int, int]
"""A usage (`Usage`, or another number) and a usage index."""
POSITION: Semantic = (Usage.POSITION, 0)
POINT_SIZE: Semantic = (Usage.PSIZE, 0)
FOG_FACTOR: Semantic = (Usage.FOG, 0)
COLOR = Usage.COLOR
_T = RegisterType
_FIXED_OUTPUTS: Mapping[str, int] = {
    "oPos": Usage.POSITION, "oFog": Usage.FOG, "oPts": Usage.PSIZE, "oD": Usage.COLOR,
    "oT": Usage.TEXCOORD,
}  # fmt: skip
_SCALARS = frozenset({Usage.FOG, Usage.PSIZE})


@dataclass(frozen=True, slots=True)
class Declared:
    """A register that dcl gives a semantic. components: those declared, in order."""

    semantic: Semantic
    place: Place
    components: tuple[int, ...]
    type: RegisterType
    is_centroid: bool


@dataclass(frozen=True, slots=True)
class Taken:
    """A register of a pixel shader, whose components begin with those of a semantic."""

    semantic: Semantic
    place: Place
    components: tuple[int, ...]
    is_centroid: bool = False


def declared_registers(program: Program) -> Iterator[Declared]:
    """Yield what dcl gives semantics, in order."""
    files = RegisterFiles(program)
    for i in program.instructions:
        row = row_of(i.opcode, program.type, program.version)
        if not isinstance(i, Instruction) or row is None or row.declares is not Declares.REGISTER:
            continue
        d, what = i.destination, i.declaration
        if d is None or what is None or d.type is _T.SAMPLER:
            continue
        yield Declared(
            (what.usage, what.usage_index), files.place(d.type, d.number),
            _components(d.write_mask), d.type, ResultModifier.MSAMPCENTROID in d.modifiers,
        )  # fmt: skip


def declared_inputs(program: Program) -> tuple[Declared, ...]:
    """Return the v# of a vertex shader that have a semantic; of several of a v# the last counts."""
    return tuple({d.place: d for d in declared_registers(program) if d.type is _T.INPUT}.values())


def given_semantics(program: Program) -> dict[Semantic, dict[int, Key]]:
    """Return what a vertex shader writes: semantics, each with registers by component.

    The position, which is always there, has all four components. Of a fog factor and a point size
    of before 3.0 there is x, whatever component is written.
    """
    files = RegisterFiles(program)
    keys = dict.fromkeys(key for i in files.instructions() for key in files.written(i))
    found: dict[Semantic, dict[int, Key]] = {POSITION: {}}
    if program.version >= (3, 0):
        place: Place = ("o", 0)
        for d in declared_registers(program):
            if d.type is not _T.OUTPUT:
                continue
            if d.semantic == POSITION:
                place = d.place
            written = {c: (*d.place, c) for c in d.components if (*d.place, c) in keys}
            found.setdefault(d.semantic, {}).update(written)
    else:
        place = ("oPos", 0)
        for key in keys:
            usage = _FIXED_OUTPUTS.get(key[0])
            if usage is not None:
                component = 0 if usage in _SCALARS else key[2]
                found.setdefault((usage, key[1]), {}).setdefault(component, key)
    for c in range(4):
        found[POSITION].setdefault(c, (place[0], place[1], c))
    return {semantic: components for semantic, components in found.items() if components}


def taken_semantics(program: Program) -> tuple[Taken, ...]:
    """Return the registers of a pixel shader that begin with semantics."""
    if program.version >= (3, 0):
        inputs = [d for d in declared_registers(program) if d.type is _T.INPUT]
        return tuple(Taken(d.semantic, d.place, d.components, d.is_centroid) for d in inputs)
    declared = {d.place: d for d in declared_registers(program)}
    found: list[Taken] = []
    for place in dict.fromkeys(RegisterFiles(program).supplied()):
        file, number = place
        usage = Usage.COLOR if file == "v" else Usage.TEXCOORD
        d = declared.get(place)
        components = _components(FULL_MASK) if d is None else d.components
        centroid = d is not None and d.is_centroid
        found.append(Taken((usage, number), place, components, centroid))
    return tuple(found)


def places_read(program: Program) -> frozenset[MiscType]:
    """Return which of vPos and vFace a pixel shader reads."""
    return frozenset(
        MiscType(p.number)
        for i in RegisterFiles(program).instructions()
        for p in i.sources
        if p.type is _T.MISCTYPE and p.number in set(MiscType)
    )


def _components(mask: int) -> tuple[int, ...]:
    return tuple(c for c in range(4) if mask >> c & 1)
