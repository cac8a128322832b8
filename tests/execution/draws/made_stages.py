"""Shaders made for the signature of another: what feeds a domain shader, and what shows outputs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from softd3d.container.assembly.containers import assemble_tokens
from softd3d.container.dxbc.container import Chunk, build
from softd3d.container.reflection.enums import MinPrecision, RegisterComponentType, SystemValue
from softd3d.container.reflection.signature import (
    Signature,
    SignatureElement,
    build_signature,
)
from softd3d.isa.asm.sm4.words import SYSTEM_NAMES
from softd3d.isa.sm4.enums import Domain
from softd3d.isa.sm4.validate.tessellation import TESSELLATION_FACTORS
from softd3d.pipeline.state import SODeclarationEntry
from softd3d.shaders.shader import Shader

__all__ = [
    "entries_of",
    "is_integer",
    "made_domain_shader",
    "made_hull_shader",
    "made_pixel_shader",
]

HEAD = "dcl_globalFlags refactoringAllowed"
_TYPES = RegisterComponentType
_INTEGERS = {
    _TYPES.UINT16, _TYPES.SINT16, _TYPES.UINT32, _TYPES.SINT32, _TYPES.UINT64, _TYPES.SINT64
}  # fmt: skip
_EDGES = {
    Domain.ISOLINE: SystemValue.FINAL_LINE_DENSITY_TESSFACTOR,
    Domain.TRI: SystemValue.FINAL_TRI_EDGE_TESSFACTOR,
    Domain.QUAD: SystemValue.FINAL_QUAD_EDGE_TESSFACTOR,
}
_INSIDES = {
    Domain.ISOLINE: SystemValue.FINAL_LINE_DETAIL_TESSFACTOR,
    Domain.TRI: SystemValue.FINAL_TRI_INSIDE_TESSFACTOR,
    Domain.QUAD: SystemValue.FINAL_QUAD_INSIDE_TESSFACTOR,
}
_COUNTS = {Domain.ISOLINE: 1, Domain.TRI: 3, Domain.QUAD: 4}  # of edges
_PARTITIONINGS = ("integer", "pow2", "fractional_odd", "fractional_even")
_OUTPUTS = {
    Domain.ISOLINE: ("line", "point"), Domain.TRI: ("triangle_cw", "triangle_ccw"),
    Domain.QUAD: ("triangle_ccw", "triangle_cw"),
}  # fmt: skip
_FACTORS = ("2.5", "3.0", "4.2", "1.7", "2.0", "3.3")
_REGISTERS = 32


def is_integer(element: SignatureElement) -> bool:
    return element.component_type in _INTEGERS


def parts(element: SignatureElement) -> str:
    return "".join("xyzw"[n] for n in range(4) if element.mask >> n & 1)


def entries_of(outputs: Iterable[SignatureElement]) -> list[SODeclarationEntry]:
    """Return stream output of everything; each stream has a slot."""
    slots: dict[int, int] = {}
    found: dict[tuple[int, str, int], SODeclarationEntry] = {}
    for e in outputs:
        if e.register is not None and parts(e):
            slot = slots.setdefault(e.stream, len(slots))
            key = e.stream, e.name.upper(), e.semantic_index
            found.setdefault(
                key,
                SODeclarationEntry(e.stream, e.name, e.semantic_index, 0, len(parts(e)), slot),
            )
    return list(found.values())


def made_pixel_shader(outputs: Sequence[SignatureElement], stream: int) -> bytes:
    """Return a pixel shader that adds up all that it is given."""
    lines, body = ["ps_5_0", HEAD], ["mov r0.xyzw, l(0, 0, 0, 0)"]
    for e in outputs:
        if e.register is None or e.stream != stream or e.meaning is not SystemValue.UNDEFINED:
            continue
        mask, whole = parts(e), is_integer(e)
        if not mask:
            continue
        lines.append(f"dcl_input_ps {'constant' if whole else 'linear'} v{e.register}.{mask}")
        swizzle = (mask + mask[-1] * 3)[:4]
        read = f"v{e.register}.{swizzle}"
        body += [f"utof r1.xyzw, {read}"] if whole else [f"mov r1.xyzw, {read}"]
        body.append("add r0.xyzw, r0.wxyz, r1.xyzw")
    lines += ["dcl_output o0.xyzw", "dcl_temps 2"]
    return assemble_tokens("\n".join([*lines, *body, "mov o0.xyzw, r0.xyzw", "ret"]) + "\n")


def made_hull_shader(domain_shader: Shader, number: int) -> bytes:
    """Return a hull shader whose control points pass through. number: chooses among partitionings.

    Its patch constants are those that the domain shader reads, with factors of small numbers.
    """
    declared = domain_shader.declarations.primitives
    points, domain = max(declared.input_points, 1), declared.domain
    signature = domain_shader.signatures.patch_constant
    elements = () if signature is None else signature.elements
    lines = [
        "hs_5_0", "hs_decls", f"dcl_input_control_point_count {points}",
        f"dcl_output_control_point_count {points}",
        f"dcl_tessellator_domain domain_{domain.name.lower()}",
        f"dcl_tessellator_partitioning partitioning_{_PARTITIONINGS[number % 4]}",
        f"dcl_tessellator_output_primitive output_{_OUTPUTS[domain][number // 4 % 2]}",
        HEAD, "hs_fork_phase", "dcl_input vPrim",
    ]  # fmt: skip
    body: list[str] = ["utof r0.x, vPrim"]
    factors = _factor_places(domain, elements)
    for n, (name, (register, part)) in enumerate(zip(_names(domain), factors, strict=True)):
        lines.append(f"dcl_output_siv o{register}.{part}, {name}")
        body.append(f"mad o{register}.{part}, r0.x, l(0.5), l({_FACTORS[(n + number) % 6]})")
    for n, e in enumerate(elements):
        if e.register is None or (e.register, parts(e)) in factors:
            continue
        lines.append(f"dcl_output o{e.register}.{parts(e)}")
        numbers = f"l({n % 3}, 1, 2, 3)" if is_integer(e) else f"l(0.{n % 9 + 1}, -0.3, 1.5, 0.7)"
        body.append(f"mov o{e.register}.{parts(e)}, {numbers}")
    return assemble_tokens("\n".join([*lines, "dcl_temps 1", *body, "ret"]) + "\n")


def _names(domain: Domain) -> list[str]:
    return [SYSTEM_NAMES[name] for name in TESSELLATION_FACTORS[domain]]


def _factor_places(domain: Domain, elements: Sequence[SignatureElement]) -> list[tuple[int, str]]:
    """Return register and component of each factor: where the signature has it, or a free one."""
    taken = {e.register for e in elements}
    free = iter(n for n in range(_REGISTERS) if n not in taken)
    found: list[tuple[int, str]] = []
    for n in range(len(TESSELLATION_FACTORS[domain])):
        edges = _COUNTS[domain]
        meaning, index = (_EDGES[domain], n) if n < edges else (_INSIDES[domain], n - edges)
        mine = [e for e in elements if e.meaning is meaning]
        if domain is not Domain.ISOLINE:
            mine = [e for e in mine if e.semantic_index == index]
        place = next(((e.register, parts(e)) for e in mine if e.register is not None), None)
        found.append(place or (next(free), "x"))
    return found


def made_domain_shader(hull_shader: Shader) -> tuple[bytes, tuple[SignatureElement, ...]]:
    """Return a domain shader that hands on what the hull shader leaves, and its outputs."""
    declared = hull_shader.declarations.primitives
    points, domain = declared.output_points, declared.domain
    lines = [
        "ds_5_0", f"dcl_input_control_point_count {points}",
        f"dcl_tessellator_domain domain_{domain.name.lower()}", HEAD, "dcl_input vPrim",
        f"dcl_input vDomain.{'xyz' if domain is Domain.TRI else 'xy'}",
    ]  # fmt: skip
    body = [
        f"udiv null, r0.x, vPrim, l({max(points, 1)})", "mov o0.zw, l(0, 0, 0.5, 1.0)",
        "mad o0.xy, vDomain.xyxx, l(2.0, 2.0, 0, 0), l(-1.0, -1.0, 0, 0)",
    ]  # fmt: skip
    made = [_output(0, SystemValue.POSITION, 15, RegisterComponentType.FLOAT32)]
    shown = [("vicp", e) for e in _elements(hull_shader.signatures.output)] if points else []
    shown += [("vpc", e) for e in _elements(hull_shader.signatures.patch_constant)]
    for file, e in shown:
        if len(made) == _REGISTERS:
            break
        prefix = f"{file}[{points}]" if file == "vicp" else file
        register = f"[{e.register}]" if file == "vicp" else f"{e.register}"
        lines.append(f"dcl_input {prefix}{register}.{parts(e)}")
        source = f"vicp[r0.x + 0][{e.register}]" if file == "vicp" else f"vpc{e.register}"
        body.append(f"mov o{len(made)}.{parts(e)}, {source}.xyzw")
        made.append(_output(len(made), SystemValue.UNDEFINED, e.mask & 15, e.component_type))
    declared_outputs = ["dcl_output_siv o0.xyzw, position"]
    declared_outputs += [f"dcl_output o{e.register}.{parts(e)}" for e in made[1:]]
    text = "\n".join([*lines, *declared_outputs, "dcl_temps 1", *body, "ret"]) + "\n"
    chunks = [
        Chunk("OSGN", build_signature("OSGN", Signature(tuple(made)))),
        Chunk("SHEX", assemble_tokens(text)),
    ]
    return build(chunks), tuple(made)


def _elements(signature: Signature | None) -> list[SignatureElement]:
    found = () if signature is None else signature.elements
    return [e for e in found if e.register is not None and parts(e)]


def _output(
    register: int, value: SystemValue, mask: int, type_: RegisterComponentType
) -> SignatureElement:
    name = "SV_Position" if value is SystemValue.POSITION else "OUT"
    return SignatureElement(
        0, name, register if name == "OUT" else 0, value, type_, register, mask, 0,
        MinPrecision.DEFAULT,
    )  # fmt: skip
