"""The validator of DXBC containers: header and chunks, and that they agree with the program.

The program's own rules are those of `isa.sm4.validate`. A library is a container with a container
for each function, which is checked like that of a program; messages name the function, places count
from the start of the library. Nothing raises: what cannot be read is a finding too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from softd3d.container.dxbc.checksum import CHECKSUM_OFFSET, computed_checksum
from softd3d.container.dxbc.container import Chunk, Container, parse
from softd3d.container.dxbc.level9 import LEVEL9_CHUNKS
from softd3d.container.effects.d3d10.effect import parse_effect_data
from softd3d.container.effects.d3d10.shaders import EmbeddedShader
from softd3d.container.reflection.library import parse_library_function, read_names
from softd3d.container.reflection.rdef import parse_rdef
from softd3d.container.reflection.resources import ResourceDefinitions
from softd3d.container.reflection.root_signature import parse_root_signature
from softd3d.container.reflection.signature import Signature, parse_signature
from softd3d.container.validate.chunks import check_features, check_level_9, check_statistics
from softd3d.container.validate.effect import check_effect, check_stage
from softd3d.container.validate.library import (
    FUNCTION,
    HEADER,
    PARAMETERS,
    check_count,
    check_parameters,
    is_library,
)
from softd3d.container.validate.rdef import check_definitions
from softd3d.container.validate.rules import CONTAINER_RULES
from softd3d.container.validate.signature import check_signatures
from softd3d.errors import ContainerError, DecodeError, Finding, Location, ShaderError
from softd3d.isa.report import Report
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.enums import ProgramType
from softd3d.isa.sm4.program import Program
from softd3d.isa.sm4.validate import PROGRAM_RULES, phases_of, validate_phases
from softd3d.isa.sm4.validate.phases import Phase

__all__ = ["malformed_program", "validate_container", "validate_effect"]

_PROGRAMS = ("SHDR", "SHEX")
_OTHERS = {
    "DXIL": "one of shader model 6",
    "ILDB": "one of shader model 6",
}
_ROOT_SIGNATURE = "RTS0"
_SIGNATURES = ("ISGN", "ISG1", "OSGN", "OSG5", "OSG1", "PCSG", "PSG1")
_ALIGNMENT = 4


def validate_container(data: bytes) -> list[Finding]:
    """Return the broken rules of a container and of the program in it, by place.

    >>> [finding.code for finding in validate_container(b"DXBC")]
    ['DXBC-FILE-001']
    """
    report = Report(CONTAINER_RULES)
    try:
        container = parse(data)
    except ContainerError as error:
        _add_error(report, "FILE-001", error)
        return report.findings()
    if container.find(*_PROGRAMS) is None:
        if is_library(container):
            return _validate_library(container, data, report)
        effect = container.find("FX10")
        if effect is not None:
            return _validate_effect_chunk(container, effect, data, report)
    return _validate_program(container, data, report, is_function=False)


def _validate_effect_chunk(
    container: Container, chunk: Chunk, data: bytes, report: Report
) -> list[Finding]:
    _check_file(container, data, report)
    _check_chunks(container, report, ())
    found = (_moved(finding, chunk.data_offset) for finding in validate_effect(chunk.data))
    return [*report.findings(), *found]


def validate_effect(data: bytes) -> list[Finding]:
    """Return the broken rules of an effect without a container, and of the shaders in it.

    >>> [finding.code for finding in validate_effect(bytes(4))]
    ['DXBC-FX-001']
    """
    report = Report(CONTAINER_RULES)
    shaders: tuple[EmbeddedShader, ...] = ()
    try:
        shaders = check_effect(parse_effect_data(data), report)
    except ContainerError as error:
        _add_error(report, "FX-001", error)
    found: list[Finding] = []
    for shader in {shader.offset: shader for shader in shaders}.values():
        inner = _validate_embedded(shader, report)
        found += [_in_part(finding, shader.place, shader.offset) for finding in inner]
    return [*report.findings(), *found]


def _validate_embedded(shader: EmbeddedShader, report: Report) -> list[Finding]:
    """Return the findings of a shader in an effect, whose report tells whether it fits there."""
    own = Report(CONTAINER_RULES)
    try:
        container = parse(shader.code)
    except ContainerError as error:
        _add_error(own, "FILE-001", error)
        return own.findings()
    check_stage(shader, container, report)
    return _validate_program(container, shader.code, own, is_function=False)


def _validate_program(
    container: Container, data: bytes, report: Report, *, is_function: bool
) -> list[Finding]:
    """Validate a container with one program, which may be a library's function."""
    _check_file(container, data, report)
    _check_chunks(container, report, LEVEL9_CHUNKS if is_function else ())
    if not is_function and _is_root_signature(container):
        _check_root_signature(container, report)
        return report.findings()
    chunk = _program_chunk(container, report)
    if chunk is None:
        return report.findings()
    try:
        program = decode(chunk.data, chunk.data_offset)
    except DecodeError as error:
        return [*report.findings(), malformed_program(error)]
    program_report = Report(PROGRAM_RULES)
    phases = phases_of(program, program_report)
    _check_agreement(container, chunk, program, phases, report)
    return [*report.findings(), *validate_phases(program, phases, program_report)]


def _validate_library(container: Container, data: bytes, report: Report) -> list[Finding]:
    _check_file(container, data, report)
    _check_chunks(container, report, (FUNCTION,))
    header = container.find(HEADER)
    names: list[str] = []
    try:
        names = read_names(container)
        check_count(container, names, report)
    except ContainerError as error:
        _add_error(report, "FILE-007", error, header.fourcc if header else None)
    functions = [chunk for chunk in container.chunks if chunk.fourcc == FUNCTION]
    found: list[Finding] = []
    for number, chunk in enumerate(functions):
        name = names[number] if number < len(names) else f"function {number}"
        try:
            function = parse_library_function(chunk)
            inner = _validate_program(
                function.container, function.data, Report(CONTAINER_RULES), is_function=True
            )
        except ContainerError as error:
            _add_error(report, "FILE-007", error, chunk.fourcc)
            continue
        found += [_in_part(finding, name, chunk.data_offset) for finding in inner]
    return [*report.findings(), *found]


def _in_part(finding: Finding, name: str, start: int) -> Finding:
    """Return a finding of a part, such as a library's function, as one of the whole."""
    return _moved(replace(finding, message=f"{name}: {finding.message}"), start)


def _moved(finding: Finding, start: int) -> Finding:
    offset = finding.location.offset
    place = replace(finding.location, offset=start if offset is None else start + offset)
    return replace(finding, location=place)


def malformed_program(error: DecodeError) -> Finding:
    """Return the finding that a token stream cannot be decoded."""
    rule = PROGRAM_RULES["SM4-TOK-015"]
    return Finding(rule.code, error.message, error.location or Location(), rule.spec, rule.severity)


def _add(report: Report, code: str, message: str, chunk: Chunk, offset: int | None = None) -> None:
    place = Location(offset=chunk.offset if offset is None else offset, chunk=chunk.fourcc)
    report.add(f"DXBC-{code}", message, place)


def _add_error(report: Report, code: str, error: ShaderError, fourcc: str | None = None) -> None:
    where = error.location or Location()
    if fourcc is not None:
        where = replace(where, chunk=fourcc)
    report.add(f"DXBC-{code}", error.message, where)


def _check_file(container: Container, data: bytes, report: Report) -> None:
    if container.checksum_kind is None:
        computed = computed_checksum(bytes(data[: container.size]))
        report.add(
            "DXBC-FILE-002",
            f"checksum {container.checksum.hex()}, wanted {computed.hex()}: Direct3D refuses the "
            "file as it is",
            Location(offset=CHECKSUM_OFFSET),
        )
    if len(data) > container.size:
        report.add(
            "DXBC-FILE-003",
            f"{len(data) - container.size} bytes follow the container",
            Location(offset=container.size),
        )


def _check_chunks(container: Container, report: Report, repeated: tuple[str, ...]) -> None:
    """Check places and names of chunks; those in `repeated` may be there several times."""
    seen = set[str]()
    for chunk in container.chunks:
        if chunk.offset % _ALIGNMENT:
            _add(report, "FILE-004", f"{chunk.fourcc} begins at {chunk.offset:#x}", chunk)
        if chunk.fourcc in seen and chunk.fourcc not in repeated:
            _add(report, "FILE-006", f"{chunk.fourcc} is there twice", chunk)
        seen.add(chunk.fourcc)


def _is_root_signature(container: Container) -> bool:
    """Tell whether a container has a root signature and nothing of a shader beside it."""
    has_shader = container.find(*_PROGRAMS, *_OTHERS, "RDEF", "ISGN", "ISG1", "OSGN", "OSG1")
    return container.find(_ROOT_SIGNATURE) is not None and has_shader is None


def _check_root_signature(container: Container, report: Report) -> None:
    for chunk in container.chunks:
        if chunk.fourcc == _ROOT_SIGNATURE:
            try:
                parse_root_signature(chunk)
            except ContainerError as error:
                _add_error(report, "FILE-007", error, chunk.fourcc)


def _program_chunk(container: Container, report: Report) -> Chunk | None:
    programs = [chunk for chunk in container.chunks if chunk.fourcc in _PROGRAMS]
    if not programs:
        other = container.find(*_OTHERS)
        found = _OTHERS[other.fourcc] if other else "none"
        report.add(
            "DXBC-FILE-005",
            f"no program of shader model 4 or 5 in a SHDR or SHEX chunk, found {found}",
            Location(offset=other.offset, chunk=other.fourcc) if other else Location(offset=28),
        )
        return None
    for chunk in programs[1:]:
        _add(report, "FILE-005", f"a second program, {chunk.fourcc}", chunk)
    return programs[0]


def _check_agreement(
    container: Container, chunk: Chunk, program: Program, phases: list[Phase], report: Report
) -> None:
    """Check that the other chunks say of the program what is so."""
    if program.major > 4 and chunk.fourcc == "SHDR":
        _add(report, "FILE-008", f"{program.profile} in a SHDR chunk, wanted SHEX", chunk)
    if program.type is ProgramType.LIB:
        _check_parameters(container, phases, report)
    else:
        check_signatures(program, phases, _read_signatures(container, report), report)
    definitions = _read_definitions(container, report)
    has_level_9 = container.find(*LEVEL9_CHUNKS) is not None
    checks: list[tuple[tuple[str, ...], Callable[[Chunk], None]]] = [
        (
            ("SFI0",),
            lambda c: check_features(c, program, definitions, report, has_level_9=has_level_9),
        ),
        (("STAT",), lambda c: check_statistics(c, program, report)),
        (LEVEL9_CHUNKS, lambda c: check_level_9(c, program, phases, report)),
    ]
    if container.find("SFI0") is None:
        check_features(None, program, definitions, report, has_level_9=has_level_9)
    rdef = container.find("RDEF")
    if rdef is not None and definitions is not None:
        check_definitions(rdef, definitions, program, phases, report)
    for fourccs, check in checks:
        for found in container.chunks:
            if found.fourcc in fourccs:
                _check_chunk(found, check, report)


def _check_chunk(chunk: Chunk, check: Callable[[Chunk], None], report: Report) -> None:
    try:
        check(chunk)
    except ContainerError as error:
        _add_error(report, "FILE-007", error, chunk.fourcc)


def _check_parameters(container: Container, phases: list[Phase], report: Report) -> None:
    chunk = container.find(PARAMETERS)
    if chunk is None:
        report.add("DXBC-LIB-002", f"no {PARAMETERS} chunk", Location(offset=28))
    else:
        _check_chunk(chunk, lambda c: check_parameters(c, phases, report), report)


def _read_definitions(container: Container, report: Report) -> ResourceDefinitions | None:
    chunk = container.find("RDEF")
    if chunk is None:
        return None
    try:
        return parse_rdef(chunk)
    except ContainerError as error:
        _add_error(report, "FILE-007", error, chunk.fourcc)
        return None


def _read_signatures(
    container: Container, report: Report
) -> dict[str, tuple[Chunk, Signature | None]]:
    """Return the signature chunks, None for those that are malformed (and reported)."""
    found: dict[str, tuple[Chunk, Signature | None]] = {}
    for chunk in container.chunks:
        if chunk.fourcc not in _SIGNATURES or chunk.fourcc in found:
            continue
        try:
            found[chunk.fourcc] = chunk, parse_signature(chunk)
        except ContainerError as error:
            _add_error(report, "FILE-007", error, chunk.fourcc)
            found[chunk.fourcc] = chunk, None
    return found
