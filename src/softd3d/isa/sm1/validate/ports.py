"""Read ports: how many different registers of a file an instruction can read at once."""

from __future__ import annotations

from collections.abc import Iterable

from softd3d.isa.sm1.enums import Opcode, RegisterType, SourceModifier
from softd3d.isa.sm1.limits import MAX_PAIR_PORTS
from softd3d.isa.sm1.program import Instruction, SourceParameter
from softd3d.isa.sm1.validate.context import CONSTANTS, Context, Family
from softd3d.isa.sm1.validate.operations import MATRIX_ROWS

__all__ = ["check_pair_ports", "check_ports"]

_T = RegisterType
_ABSOLUTE = frozenset({SourceModifier.ABS, SourceModifier.ABSNEG})


def check_ports(c: Context, i: Instruction) -> None:
    """Check how many registers of each file an instruction reads."""
    constants = [p for p in i.sources if p.type in CONSTANTS]
    inputs = [p for p in i.sources if _is_input(c, p)]
    series = i.opcode is Opcode.SINCOS and c.version < (3, 0)  # its constants cost no port
    if not series:
        _check_file(c, i, constants, c.limits.constants, "c#")
    _check_file(c, i, inputs, c.limits.inputs, "v#")
    if c.family in (Family.PS_1, Family.PS_1_4):
        textures = [p for p in i.sources if p.type is _T.TEXTURE]
        temps = [p for p in i.sources if p.type is _T.TEMP]
        _check_file(c, i, textures, c.limits.textures, "t#")
        _check_file(c, i, temps, c.limits.temps, "r#")
    most = c.limits.constant_reads
    if most is not None and len(constants) > most and not series:
        c.add("PORT-002", f"it reads constants {len(constants)} times, {most} are allowed", i)
    if c.family in (Family.VS_3, Family.PS_3) and c.limits.constants is not None:
        _check_absolute(c, i, constants)
    if i.opcode in MATRIX_ROWS:
        _check_matrix(c, i)
    if c.limits.constants is not None and not series:
        _check_addresses(c, i, constants)
    if c.limits.inputs is not None:
        _check_addresses(c, i, inputs)


def _check_absolute(c: Context, i: Instruction, constants: list[SourceParameter]) -> None:
    if len(constants) > 1 and len({p.modifier in _ABSOLUTE for p in constants}) > 1:
        c.add("PORT-003", "only some of its constants have _abs", i)


def _check_addresses(c: Context, i: Instruction, found: list[SourceParameter]) -> None:
    is_indexed = any([p.relative is not None for p in found])  # noqa: C419 - quicker
    if is_indexed and len({(p.number, p.relative) for p in found}) > 1:
        c.add("REL-004", "registers of a file are indexed differently", i)


def _is_input(c: Context, p: SourceParameter) -> bool:
    if p.type is _T.INPUT:
        return True
    return c.family is Family.PS_2 and p.type is _T.TEXTURE


def _check_file(
    c: Context, i: Instruction, found: list[SourceParameter], most: int | None, what: str
) -> None:
    if most is None or len(found) <= most:
        return
    different = {(p.type, p.number, p.relative) for p in found}
    if len(different) > most:
        c.add("PORT-001", f"it reads {len(different)} different {what}, {most} are allowed", i)


def _check_matrix(c: Context, i: Instruction) -> None:
    """The rows of the matrix take the port of their file."""
    vector, matrix = i.sources[:2]
    for kinds, most in ((CONSTANTS, c.limits.constants), ({_T.INPUT}, c.limits.inputs)):
        if most is not None and vector.type in kinds and matrix.type in kinds:
            c.add("PORT-004", f"vector and matrix are both {c.name(vector)[0]}#", i)


def check_pair_ports(c: Context, first: Instruction, second: Instruction) -> None:
    """Check how many registers two co-issued instructions read together."""
    for kind in (_T.TEMP, _T.INPUT, _T.CONST, _T.TEXTURE):
        numbers = _numbers((*first.sources, *second.sources), kind)
        if len(numbers) > MAX_PAIR_PORTS:
            c.add("PORT-005", f"the pair reads {len(numbers)} registers of one kind", second)


def _numbers(sources: Iterable[SourceParameter], kind: RegisterType) -> set[int]:
    return {p.number for p in sources if p.type == kind}
