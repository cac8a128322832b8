"""Rules of tessellation: what a hull or domain shader declares of its patch has to agree.

Spec: D3D11.3 functional specification 10.10, 11.7.15, 23.10.
"""

from __future__ import annotations

from softd3d.isa.report import Report
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.enums import (
    Domain,
    Opcode,
    OperandType,
    OutputPrimitive,
    ProgramType,
    SystemName,
)
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.validate.facts import Element
from softd3d.isa.sm4.validate.phases import Context, Phase, PhaseKind

__all__ = ["TESSELLATION_FACTORS", "check_tessellation", "domain_of"]

_O, _T, _N, _P = Opcode, OperandType, SystemName, OutputPrimitive
TESSELLATION_FACTORS: dict[Domain, tuple[SystemName, ...]] = {
    Domain.ISOLINE: (_N.FINAL_LINE_DENSITY_TESSFACTOR, _N.FINAL_LINE_DETAIL_TESSFACTOR),
    Domain.TRI: (
        _N.FINAL_TRI_U_EQ_0_EDGE_TESSFACTOR, _N.FINAL_TRI_V_EQ_0_EDGE_TESSFACTOR,
        _N.FINAL_TRI_W_EQ_0_EDGE_TESSFACTOR, _N.FINAL_TRI_INSIDE_TESSFACTOR,
    ),
    Domain.QUAD: (
        _N.FINAL_QUAD_U_EQ_0_EDGE_TESSFACTOR, _N.FINAL_QUAD_V_EQ_0_EDGE_TESSFACTOR,
        _N.FINAL_QUAD_U_EQ_1_EDGE_TESSFACTOR, _N.FINAL_QUAD_V_EQ_1_EDGE_TESSFACTOR,
        _N.FINAL_QUAD_U_INSIDE_TESSFACTOR, _N.FINAL_QUAD_V_INSIDE_TESSFACTOR,
    ),
}  # fmt: skip
"""The factors that the tessellator takes for a patch of each domain, by their semantic indices.

Edges stand before insides; of isolines density, number 0, before detail.
"""
_ALL_FACTORS = frozenset(name for names in TESSELLATION_FACTORS.values() for name in names)
_SURFACE = frozenset({_P.POINT, _P.TRIANGLE_CW, _P.TRIANGLE_CCW})
_PRIMITIVES: dict[Domain, frozenset[OutputPrimitive]] = {
    Domain.ISOLINE: frozenset({_P.POINT, _P.LINE}),
    Domain.TRI: _SURFACE,
    Domain.QUAD: _SURFACE,
}
_THIRD_COMPONENT = 4  # z, as a bit


def domain_of(phases: list[Phase]) -> Domain | None:
    """Return the declared domain; None if there is none, or one that is not defined."""
    declared = phases[0].declared.counts.get(_O.DCL_TESS_DOMAIN) if phases else None
    return None if declared is None else _domain(declared)


def _domain(declared: Instruction) -> Domain | None:
    number = t.DOMAIN.get(declared.controls)
    return Domain(number) if number in set(TESSELLATION_FACTORS) else None


def check_tessellation(program: Program, phases: list[Phase], report: Report) -> None:
    """Check what hull and domain shaders declare of the patch, each thing against the others."""
    if program.type not in (ProgramType.HS, ProgramType.DS):
        return
    c = Context(program, phases[0], report)
    declared = c.declared.counts.get(_O.DCL_TESS_DOMAIN)
    domain = None if declared is None else _domain(declared)
    if program.type is ProgramType.HS:
        _check_control_points(c, phases)
    if declared is None or domain is None:
        return
    elements = [e for phase in phases for e in _elements(phase)]
    _check_primitive(c, domain)
    _check_factors(c, declared, domain, elements)
    for e in elements:
        is_flat = e.type is _T.INPUT_DOMAIN_POINT and domain is not Domain.TRI
        if is_flat and e.mask >= _THIRD_COMPONENT:
            c.add("DCL-041", f": three components in the domain {domain.name.lower()}, wanted two",
                  e.instruction)  # fmt: skip


def _elements(phase: Phase) -> list[Element]:
    """Return what a phase declares; function bodies use what the phases declare."""
    return [] if phase.kind is PhaseKind.FUNCTIONS else phase.declared.elements


def _check_primitive(c: Context, domain: Domain) -> None:
    declared = c.declared.counts.get(_O.DCL_TESS_OUTPUT_PRIMITIVE)
    if declared is None:
        return
    number = t.OUTPUT_PRIMITIVE.get(declared.controls)
    if number in set(OutputPrimitive) - {0} and number not in _PRIMITIVES[domain]:
        name = OutputPrimitive(number).name.lower()
        c.add("DCL-039", f": {name} of the domain {domain.name.lower()}", declared)


def _check_factors(
    c: Context, declared: Instruction, domain: Domain, elements: list[Element]
) -> None:
    """Check that factors are the domain's, and that a hull shader writes all of them."""
    wanted = TESSELLATION_FACTORS[domain]
    found: set[int] = set()
    for e in elements:
        if e.name in _ALL_FACTORS:
            found.add(e.name)
            if e.name not in wanted:
                c.add("DCL-040", f": {SystemName(e.name).name} in the domain "
                      f"{domain.name.lower()}", e.instruction)  # fmt: skip
    if c.program.type is ProgramType.HS:
        missing = ", ".join(name.name for name in wanted if name not in found)
        if missing:
            c.add("DCL-040", f" {domain.name.lower()}: no phase declares {missing}", declared)


def _check_control_points(c: Context, phases: list[Phase]) -> None:
    """Check that as many control points leave as come in where no phase makes them."""
    incoming = c.declared.counts.get(_O.DCL_INPUT_CONTROL_POINT_COUNT)
    outgoing = c.declared.counts.get(_O.DCL_OUTPUT_CONTROL_POINT_COUNT)
    if incoming is None or outgoing is None:
        return
    count, left = t.CONTROL_POINTS.get(incoming.controls), t.CONTROL_POINTS.get(outgoing.controls)
    has_phase = any(phase.kind is PhaseKind.CONTROL_POINT for phase in phases)
    if not has_phase and left not in (0, count):
        c.add("DCL-042", f": {left} without a control point phase, {count} come in", outgoing)
