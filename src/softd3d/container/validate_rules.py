"""All rules of DXBC containers around a program, by code: area and number, which never change.

FILE header, checksum and chunks; SIG signatures; FEAT feature bits; STAT statistics; RDEF
resource definitions; AON9 the program of feature level 9.
"""

from __future__ import annotations

from softd3d.errors import Severity
from softd3d.isa.sm4.validate.report import Rule, table

__all__ = ["CONTAINER_RULES"]

_SPEC = "D3D11.3 functional specification "
_RUNTIME = "D3D11 runtime validation"
_REFLECTION = "d3d11shader.h"
_COMPILER = "Microsoft's compiler"


def _error(code: str, text: str, spec: str) -> Rule:
    return Rule(f"DXBC-{code}", Severity.ERROR, text, spec)


def _warning(code: str, text: str, spec: str) -> Rule:
    return Rule(f"DXBC-{code}", Severity.WARNING, text, spec)


CONTAINER_RULES = table(
    [
        _error("FILE-001", "Header, chunk table and chunks can be read.", _RUNTIME),
        _warning("FILE-002", "The checksum is right.", _RUNTIME),
        _warning("FILE-003", "Nothing follows the container.", _RUNTIME),
        _warning("FILE-004", "Chunks begin at multiples of 4 bytes.", _COMPILER),
        _error("FILE-005", "There is one program of shader model 4 or 5.", _RUNTIME),
        _warning("FILE-006", "A chunk's name is there once.", _COMPILER),
        _error("FILE-007", "A chunk that is known can be read.", _RUNTIME),
        _warning("FILE-008", "A program of version 5 stands in a SHEX chunk.", _RUNTIME),
        _error("FILE-009", "The input is a container or a token stream.", _RUNTIME),
        _error("SIG-001", "A declared register has an element of the signature.", _RUNTIME),
        _error("SIG-002", "Declared components are those of an element.", _RUNTIME),
        _error("SIG-003", "A declared system value is the element's.", _RUNTIME),
        _error("SIG-004", "Elements of a signature do not share components.", _RUNTIME),
        _error("SIG-005", "The stage's signatures are there.", _RUNTIME),
        _warning("SIG-006", "An element that is used is declared.", _RUNTIME),
        _warning("SIG-007", "An element has components, and uses no others.", _COMPILER),
        _error("SIG-008", "An output without a number has its element.", _RUNTIME),
        _warning(
            "SIG-009", "An integer input of a pixel shader is not interpolated.", _SPEC + "16.4"
        ),
        _error("SIG-010", "An element's register exists.", _SPEC + "26"),
        _warning("FEAT-001", "A feature bit that the program needs is set.", _COMPILER),
        _warning("FEAT-002", "A feature bit that is set is needed.", _COMPILER),
        _warning("STAT-001", "The statistics are those of the program.", _COMPILER),
        _warning("RDEF-001", "A binding is declared by the program.", _REFLECTION),
        _warning("RDEF-002", "A declared resource has a binding.", _REFLECTION),
        _warning("RDEF-003", "A binding is of the kind that is declared.", _REFLECTION),
        _warning("RDEF-004", "The target is the program's version and stage.", _REFLECTION),
        _warning("RDEF-005", "A constant buffer is as large as declared.", _REFLECTION),
        _error("AON9-001", "A program of level 9 has the stage of the other one.", _RUNTIME),
        _error("AON9-002", "The other program is one of version 4.0, vs or ps.", _RUNTIME),
        _error("AON9-003", "The other program uses what feature level 9 has.", _RUNTIME),
    ]
)
"""Every rule of containers by its code."""
