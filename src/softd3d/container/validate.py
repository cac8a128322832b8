"""The validator of DXBC containers: header and chunks, and that they agree with the program.

The program's own rules are those of `isa.sm4.validate`. Nothing raises: what cannot be read is a
finding too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from softd3d.container.checksum import CHECKSUM_OFFSET, checksum_kind, computed_checksum
from softd3d.container.dxbc import Chunk, Container, parse
from softd3d.container.level9 import LEVEL9_CHUNKS
from softd3d.container.rdef import parse_rdef
from softd3d.container.reflection import ResourceDefinitions
from softd3d.container.signature import Signature, parse_signature
from softd3d.container.validate_chunks import check_features, check_level_9, check_statistics
from softd3d.container.validate_rdef import check_definitions
from softd3d.container.validate_rules import CONTAINER_RULES
from softd3d.container.validate_signature import check_signatures
from softd3d.errors import ContainerError, DecodeError, Finding, Location, ShaderError
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.program import Program
from softd3d.isa.sm4.validate import PROGRAM_RULES, phases_of, validate_program
from softd3d.isa.sm4.validate.report import Report

__all__ = ["malformed_program", "validate_container"]

_PROGRAMS = ("SHDR", "SHEX")
_OTHERS = {
    "DXIL": "one of shader model 6",
    "ILDB": "one of shader model 6",
    "LIBH": "a library",
    "FX10": "an effect",
}
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
    _check_file(container, data, report)
    _check_chunks(container, report)
    chunk = _program_chunk(container, report)
    if chunk is None:
        return report.findings()
    try:
        program = decode(chunk.data, chunk.data_offset)
    except DecodeError as error:
        return [*report.findings(), malformed_program(error)]
    _check_agreement(container, chunk, program, report)
    return [*report.findings(), *validate_program(program)]


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
    own = bytes(data[: container.size])
    if checksum_kind(own) is None:
        computed = computed_checksum(own)
        report.add(
            "DXBC-FILE-002",
            f"checksum {container.checksum.hex()}, wanted {computed.hex()}",
            Location(offset=CHECKSUM_OFFSET),
        )
    if len(data) > container.size:
        report.add(
            "DXBC-FILE-003",
            f"{len(data) - container.size} bytes follow the container",
            Location(offset=container.size),
        )


def _check_chunks(container: Container, report: Report) -> None:
    seen: set[str] = set()
    for chunk in container.chunks:
        if chunk.offset % _ALIGNMENT:
            _add(report, "FILE-004", f"{chunk.fourcc} begins at {chunk.offset:#x}", chunk)
        if chunk.fourcc in seen:
            _add(report, "FILE-006", f"{chunk.fourcc} is there twice", chunk)
        seen.add(chunk.fourcc)


def _program_chunk(container: Container, report: Report) -> Chunk | None:
    programs = [chunk for chunk in container.chunks if chunk.fourcc in _PROGRAMS]
    if not programs:
        other = container.find(*_OTHERS)
        found = _OTHERS[other.fourcc] if other else "none"
        report.add(
            "DXBC-FILE-005",
            f"no program in a SHDR or SHEX chunk, found {found}",
            Location(offset=other.offset, chunk=other.fourcc) if other else Location(offset=28),
        )
        return None
    for chunk in programs[1:]:
        _add(report, "FILE-005", f"a second program, {chunk.fourcc}", chunk)
    return programs[0]


def _check_agreement(container: Container, chunk: Chunk, program: Program, report: Report) -> None:
    """Check that the other chunks say of the program what is so."""
    if program.major > 4 and chunk.fourcc == "SHDR":
        _add(report, "FILE-008", f"{program.profile} in a SHDR chunk, wanted SHEX", chunk)
    phases = phases_of(program)
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
        found = container.find(*fourccs)
        if found is not None:
            try:
                check(found)
            except ContainerError as error:
                _add_error(report, "FILE-007", error, found.fourcc)


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
