"""Rules of libraries: the list of functions, and the parameters of each.

Spec: what Microsoft's compiler writes, measured on its output.
"""

from __future__ import annotations

from collections.abc import Iterable

from softd3d.container.dxbc.container import Chunk, Container
from softd3d.container.reflection.library import (
    LibraryParameter,
    parse_library_signature,
)
from softd3d.errors import Location
from softd3d.isa.report import Report
from softd3d.isa.sm4.enums import OperandType
from softd3d.isa.sm4.validate.phases import Phase

__all__ = [
    "FUNCTION",
    "HEADER",
    "PARAMETERS",
    "check_count",
    "check_parameters",
    "is_library",
]

HEADER, FUNCTION, PARAMETERS = "LIBH", "LIBF", "LFS0"
_LETTERS = {OperandType.INPUT: "v", OperandType.OUTPUT: "o"}
_MAX_ROWS = 4  # of a parameter, which is a matrix at most
_ALL = 0xF


def is_library(container: Container) -> bool:
    """Tell whether a container is a library of functions."""
    return container.find(HEADER, FUNCTION) is not None


def check_parameters(chunk: Chunk, phases: list[Phase], report: Report) -> None:
    """Check that each register that a function declares belongs to a parameter.

    Raises:
        ContainerError: the list of parameters is malformed.
    """
    parameters = parse_library_signature(chunk).parameters
    masks = {
        OperandType.INPUT: _masks(
            (p, p.first_in_register, p.first_in_component) for p in parameters
        ),
        OperandType.OUTPUT: _masks(
            (p, p.first_out_register, p.first_out_component) for p in parameters
        ),
    }
    for e in (e for phase in phases for e in phase.declared.elements):
        mask = masks.get(e.type, {}).get(e.register, 0)
        if e.type in masks and e.mask & ~mask:
            report.add("DXBC-LIB-003", f"{_LETTERS[e.type]}{e.register} is declared with mask "
                       f"{e.mask:#x}, its parameters have {mask:#x}",
                       e.instruction.location)  # fmt: skip


def _masks(
    places: Iterable[tuple[LibraryParameter, int | None, int | None]],
) -> dict[int, int]:
    """Return the components that parameters have of each register; each row is one register."""
    found: dict[int, int] = {}
    for parameter, register, component in places:
        if register is None:
            continue
        width, first = min(parameter.columns, 4), min(component or 0, 4)
        mask = (((1 << width) - 1) << first) & _ALL
        for number in range(register, register + min(parameter.rows, _MAX_ROWS)):
            found[number] = found.get(number, 0) | mask
    return found


def check_count(container: Container, names: list[str], report: Report) -> None:
    """Check that a library has as many functions as it lists."""
    count = sum(chunk.fourcc == FUNCTION for chunk in container.chunks)
    header = container.find(HEADER)
    if header is None:
        message = f"{count} functions in {FUNCTION} chunks, no {HEADER} chunk that lists them"
        report.add("DXBC-LIB-001", message, Location(offset=28))
    elif len(names) != count:
        message = f"{len(names)} functions are listed, there are {count}"
        report.add("DXBC-LIB-001", message, Location(offset=header.offset, chunk=HEADER))
