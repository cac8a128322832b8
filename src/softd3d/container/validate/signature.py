"""Rules of signatures: their elements fit each other and what the program declares.

Spec: d3d11shader.h; what the Direct3D 11 runtime compares when it makes a shader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from softd3d.container.dxbc.container import Chunk
from softd3d.container.reflection.enums import RegisterComponentType, SystemValue
from softd3d.container.reflection.signature import (
    INPUT_SIGNATURES,
    OUTPUT_SIGNATURES,
    PATCH_CONSTANT_SIGNATURES,
    Signature,
    SignatureElement,
)
from softd3d.errors import Location
from softd3d.isa.report import Report
from softd3d.isa.sm4.enums import (
    InterpolationMode,
    Opcode,
    OperandType,
    ProgramType,
    SystemName,
)
from softd3d.isa.sm4.limits import limits
from softd3d.isa.sm4.program import Program
from softd3d.isa.sm4.validate.facts import Element
from softd3d.isa.sm4.validate.phases import Phase, PhaseKind
from softd3d.isa.sm4.validate.tessellation import TESSELLATION_FACTORS, domain_of

__all__ = ["check_signatures"]

_T, _N, _V = OperandType, SystemName, SystemValue
_Chunks = Mapping[str, tuple[Chunk, Signature | None]]
_PATCH_STAGES = (ProgramType.HS, ProgramType.DS)
_PATCH_PHASES = (PhaseKind.FORK, PhaseKind.JOIN)
_UNNUMBERED = {
    _T.OUTPUT_DEPTH: _V.DEPTH,
    _T.OUTPUT_DEPTH_GREATER_EQUAL: _V.DEPTH_GREATER_EQUAL,
    _T.OUTPUT_DEPTH_LESS_EQUAL: _V.DEPTH_LESS_EQUAL,
    _T.OUTPUT_COVERAGE_MASK: _V.COVERAGE,
    _T.OUTPUT_STENCIL_REF: _V.STENCIL_REF,
}
_FACTORS = {
    **dict.fromkeys(range(_N.FINAL_QUAD_U_EQ_0_EDGE_TESSFACTOR, 15), _V.FINAL_QUAD_EDGE_TESSFACTOR),
    **dict.fromkeys(range(_N.FINAL_QUAD_U_INSIDE_TESSFACTOR, 17), _V.FINAL_QUAD_INSIDE_TESSFACTOR),
    **dict.fromkeys(range(_N.FINAL_TRI_U_EQ_0_EDGE_TESSFACTOR, 20), _V.FINAL_TRI_EDGE_TESSFACTOR),
    _N.FINAL_TRI_INSIDE_TESSFACTOR: _V.FINAL_TRI_INSIDE_TESSFACTOR,
    _N.FINAL_LINE_DETAIL_TESSFACTOR: _V.FINAL_LINE_DETAIL_TESSFACTOR,
    _N.FINAL_LINE_DENSITY_TESSFACTOR: _V.FINAL_LINE_DENSITY_TESSFACTOR,
}
_MEANINGS = frozenset(_FACTORS.values())
_INTEGERS = (RegisterComponentType.UINT32, RegisterComponentType.SINT32)
_INTERPOLATED = frozenset(InterpolationMode) - {
    InterpolationMode.UNDEFINED, InterpolationMode.CONSTANT,
}  # fmt: skip
_ALL = 0xF


def check_signatures(
    program: Program, phases: list[Phase], chunks: _Chunks, report: Report
) -> None:
    """Check the signatures by themselves, then every declared input and output against them."""
    kinds: list[tuple[str, ...]] = [INPUT_SIGNATURES, OUTPUT_SIGNATURES]
    if program.type in _PATCH_STAGES:
        kinds.append(PATCH_CONSTANT_SIGNATURES)
    for names in kinds:
        if not chunks.keys() & set(names):
            place = Location(offset=28)
            report.add("DXBC-SIG-005", f"{program.profile} has no {names[0]} chunk", place)
    read: dict[str, _Registers] = {}
    for name, (chunk, signature) in chunks.items():
        if signature is not None:
            _check_elements(program, chunk, signature, report)
            read[name] = _Registers(chunk, signature)
    for phase in phases:
        _check_phase(program, phase, read, report)
    _check_factors(program, phases, chunks, report)
    if program.type is ProgramType.HS and PhaseKind.CONTROL_POINT not in {p.kind for p in phases}:
        return  # control points are passed through, without declarations
    for registers in read.values():
        _check_used(program, registers, report)


def _check_phase(
    program: Program, phase: Phase, read: Mapping[str, _Registers], report: Report
) -> None:
    if phase.kind is PhaseKind.FUNCTIONS:  # they use what the phases declare
        return
    for element in phase.declared.elements:
        _check_declared(program, phase, element, read, report)


def _check_factors(program: Program, phases: list[Phase], chunks: _Chunks, report: Report) -> None:
    """Compare the tessellation factors of the patch constant signature with the domain."""
    domain = domain_of(phases)
    if program.type not in _PATCH_STAGES or domain is None:
        return
    wanted = Counter(_FACTORS[name] for name in TESSELLATION_FACTORS[domain])
    for name in PATCH_CONSTANT_SIGNATURES:
        chunk, signature = chunks.get(name, (None, None))
        if chunk is None or signature is None:
            continue
        found = Counter(s.meaning for s in signature.elements if s.meaning in _MEANINGS)
        for meaning in sorted(found.keys() | wanted.keys()):
            if found[meaning] != wanted[meaning]:
                _add(report, "SIG-011", chunk, f"{found[meaning]} elements are {meaning.name}, the "
                     f"domain {domain.name.lower()} has {wanted[meaning]}")  # fmt: skip


class _Registers:
    """A signature by registers: elements by stream and number, and the masks that are declared.

    Elements that share components with one before are left out (and reported elsewhere), so that
    a register has few.
    """

    def __init__(self, chunk: Chunk, signature: Signature) -> None:
        self.chunk = chunk
        self.meanings = {s.meaning for s in signature.elements}
        self.elements: dict[tuple[int, int], list[SignatureElement]] = {}
        self.declared: dict[tuple[int, int], int] = {}
        taken: dict[tuple[int, int], int] = {}
        for s in signature.elements:
            if s.register is None or not s.mask:
                continue
            key = s.stream, s.register
            if not taken.get(key, 0) & s.mask:
                self.elements.setdefault(key, []).append(s)
            taken[key] = taken.get(key, 0) | s.mask


def _add(report: Report, code: str, chunk: Chunk, message: str) -> None:
    report.add(f"DXBC-{code}", message, Location(offset=chunk.offset, chunk=chunk.fourcc))


def _name(e: SignatureElement) -> str:
    return f"{e.name}{e.semantic_index}"


def _check_elements(program: Program, chunk: Chunk, signature: Signature, report: Report) -> None:
    taken: dict[tuple[int, int], int] = {}
    limit = limits(program.type, (5, 0)).inputs
    for e in signature.elements:
        if not e.mask or e.mask > _ALL or e.rw_mask & ~_ALL:
            _add(report, "SIG-007", chunk, f"{_name(e)} has mask {e.mask:#x}, used {e.rw_mask:#x}")
        if e.register is None:
            continue
        if e.register >= limit:
            _add(report, "SIG-010", chunk, f"{_name(e)} is register {e.register}, wanted one below "
                 f"{limit}")  # fmt: skip
        key = e.stream, e.register
        if taken.get(key, 0) & e.mask:
            _add(report, "SIG-004", chunk, f"{_name(e)} shares components of register {e.register}")
        taken[key] = taken.get(key, 0) | e.mask


def _names(program: Program, phase: Phase, element: Element) -> tuple[str, ...]:
    """Return the FourCCs of the signature that a declared register belongs to."""
    if element.type is _T.INPUT_PATCH_CONSTANT:
        return PATCH_CONSTANT_SIGNATURES
    if element.type in (_T.INPUT, _T.INPUT_CONTROL_POINT):
        return INPUT_SIGNATURES
    if element.type is _T.OUTPUT_CONTROL_POINT:
        return OUTPUT_SIGNATURES
    if element.type is _T.OUTPUT:
        in_patch = program.type is ProgramType.HS and phase.kind in _PATCH_PHASES
        return PATCH_CONSTANT_SIGNATURES if in_patch else OUTPUT_SIGNATURES
    return ()


def _find(names: tuple[str, ...], read: Mapping[str, _Registers]) -> _Registers | None:
    return next((read[name] for name in names if name in read), None)


def _check_declared(
    program: Program, phase: Phase, e: Element, read: Mapping[str, _Registers], report: Report
) -> None:
    if e.type in _UNNUMBERED:
        _check_unnumbered(e, read, report)
        return
    found = _find(_names(program, phase, e), read)
    if found is None:
        return
    key, name, place = (e.stream, e.register), found.chunk.fourcc, e.instruction.location
    found.declared[key] = found.declared.get(key, 0) | e.mask
    elements = found.elements.get(key, [])
    mask = 0
    for s in elements:
        mask |= s.mask
    if not elements:
        message = f"register {e.register} is declared, but no element of {name}"
        report.add("DXBC-SIG-001", message, place)
    elif e.mask & ~mask:
        message = f"register {e.register} is declared with mask {e.mask:#x}, {name} has {mask:#x}"
        report.add("DXBC-SIG-002", message, place)
    else:
        mine = [s for s in elements if s.mask & e.mask]
        _check_meaning(program, e, mine, found.chunk, report)


def _check_meaning(
    program: Program, e: Element, elements: list[SignatureElement], chunk: Chunk, report: Report
) -> None:
    place = e.instruction.location
    if e.instruction.extra and e.name:
        wanted = _FACTORS.get(e.name, e.name)
        for s in elements:
            if s.meaning != wanted:
                report.add("DXBC-SIG-003", f"register {e.register} is declared "
                           f"{_meaning(wanted)}, {_name(s)} of {chunk.fourcc} is "
                           f"{s.meaning.name}", place)  # fmt: skip
    if program.type is ProgramType.PS and e.instruction.opcode is Opcode.DCL_INPUT_PS:
        for s in elements:
            if s.component_type in _INTEGERS and e.interpolation in _INTERPOLATED:
                report.add("DXBC-SIG-009", f"register {e.register} is interpolated, {_name(s)} is "
                           f"{s.component_type.name}", place)  # fmt: skip


def _meaning(number: int) -> str:
    return SystemValue(number).name if number in set(SystemValue) else str(number)


def _check_unnumbered(e: Element, read: Mapping[str, _Registers], report: Report) -> None:
    found = _find(OUTPUT_SIGNATURES, read)
    wanted = _UNNUMBERED[e.type]
    if found and wanted not in found.meanings:
        message = f"{e.type.name} is declared, but no element of {found.chunk.fourcc} is "
        report.add("DXBC-SIG-008", message + wanted.name, e.instruction.location)


def _check_used(program: Program, registers: _Registers, report: Report) -> None:
    """Warn of elements whose mask says that they are used, and that nothing declares."""
    name = registers.chunk.fourcc
    writes = name in OUTPUT_SIGNATURES or (
        name in PATCH_CONSTANT_SIGNATURES and program.type is ProgramType.HS
    )
    for key, elements in registers.elements.items():
        for s in elements:
            used = s.mask & ~s.rw_mask if writes else s.rw_mask
            missing = used & ~registers.declared.get(key, 0)
            if missing:
                _add(report, "SIG-006", registers.chunk, f"{_name(s)} uses components "
                     f"{missing:#x} of register {key[1]}, which are not declared")  # fmt: skip
