"""All rules of DXBC containers around a program, by code: area and number, which never change.

FILE header, checksum and chunks; SIG signatures; FEAT feature bits; STAT statistics; RDEF
resource definitions; AON9 the program of feature level 9; LIB libraries; FX effects.
"""

from __future__ import annotations

from softd3d.errors import Severity
from softd3d.isa.report import Rule, table

__all__ = ["CONTAINER_RULES"]

_SPEC = "D3D11.3 functional specification "
_RUNTIME = "D3D11 runtime validation"
_REFLECTION = "d3d11shader.h"
_COMPILER = "Microsoft's compiler"
_EFFECTS = "Microsoft's Effects 11"


def _error(code: str, text: str, spec: str) -> Rule:
    return Rule(f"DXBC-{code}", Severity.ERROR, text, spec)


def _warning(code: str, text: str, spec: str) -> Rule:
    return Rule(f"DXBC-{code}", Severity.WARNING, text, spec)


CONTAINER_RULES = table(
    [
        _error("FILE-001", "Header, chunk table and chunks can be read.", _RUNTIME),
        _warning(
            "FILE-002", "The checksum is right; the runtime refuses a file with another.", _RUNTIME
        ),
        _warning("FILE-003", "Nothing follows the container.", _RUNTIME),
        _warning("FILE-004", "Chunks begin at multiples of 4 bytes.", _COMPILER),
        _error(
            "FILE-005",
            "There is one program of shader model 4 or 5, a library or an effect.",
            _RUNTIME,
        ),
        _warning(
            "FILE-006", "There is one chunk of a name; in a library, of any but LIBF.", _COMPILER
        ),
        _error("FILE-007", "A chunk that is known can be read.", _RUNTIME),
        _warning("FILE-008", "A program of version 5 stands in a SHEX chunk.", _RUNTIME),
        _error("FILE-009", "The input is a container or a token stream.", _RUNTIME),
        _error("SIG-001", "A declared input or output has an element in the signature.", _RUNTIME),
        _error(
            "SIG-002",
            "Declared components are those that elements of the signature have.",
            _RUNTIME,
        ),
        _error(
            "SIG-003", "A declared system value is that of the element in the signature.", _RUNTIME
        ),
        _error("SIG-004", "Elements of a signature do not share components.", _RUNTIME),
        _error("SIG-005", "The signatures that the stage needs are there.", _RUNTIME),
        _warning(
            "SIG-006",
            "An element that the signature says is used is declared by the program.",
            _RUNTIME,
        ),
        _warning(
            "SIG-007",
            "An element has one to four components, and its mask of used ones is no wider.",
            _COMPILER,
        ),
        _error(
            "SIG-008",
            "A depth, coverage or stencil output has its element in the signature.",
            _RUNTIME,
        ),
        _warning(
            "SIG-009", "An integer input of a pixel shader is not interpolated.", _SPEC + "16.4"
        ),
        _error("SIG-010", "An element's register is one that the stage has.", _SPEC + "26"),
        _error(
            "SIG-011",
            "The tessellation factors of a patch constant signature are those of the domain.",
            _SPEC + "10.10",
        ),
        _warning("FEAT-001", "SFI0 has the feature bits that the program needs.", _COMPILER),
        _warning("FEAT-002", "SFI0 has no feature bits that the program does not need.", _COMPILER),
        _warning("STAT-001", "The statistics are those of the program.", _COMPILER),
        _warning("RDEF-001", "A binding that RDEF lists is declared by the program.", _REFLECTION),
        _warning("RDEF-002", "A declared resource has a binding in RDEF.", _REFLECTION),
        _warning("RDEF-003", "A binding is of the kind that is declared.", _REFLECTION),
        _warning("RDEF-004", "The target that RDEF names is the program's.", _REFLECTION),
        _warning(
            "RDEF-005",
            "A constant buffer in RDEF is not smaller than the declared one.",
            _REFLECTION,
        ),
        _error("AON9-001", "A program of level 9 has the stage of the other one.", _RUNTIME),
        _error(
            "AON9-002", "The other program is one of version 4.0 for vs, ps or a library.", _RUNTIME
        ),
        _error("AON9-003", "The other program uses what feature level 9 has.", _RUNTIME),
        _error("LIB-001", "A library lists as many functions (LIBH) as it has (LIBF).", _COMPILER),
        _error(
            "LIB-002", "A function of a library says which parameters it takes (LFS0).", _COMPILER
        ),
        _error(
            "LIB-003",
            "The inputs and outputs that a function declares are its parameters.",
            _COMPILER,
        ),
        _error("FX-001", "An effect can be read.", _EFFECTS),
        _error("FX-002", "An effect's header counts what its records hold.", _EFFECTS),
        _error("FX-003", "A state is one of the pass or the object that sets it.", _EFFECTS),
        _error("FX-004", "A variable that a state takes exists and is of its type.", _EFFECTS),
        _error("FX-005", "A shader is one of the stage that it is assigned to.", _EFFECTS),
        _warning("FX-006", "A number is one that the state knows.", _EFFECTS),
    ]
)
"""Every rule of containers by its code."""
