"""All rules of SM4.0-5.1 programs, by code: area and number, neither of which ever changes.

TOK tokens, FLAG global flags, DCL declarations, OPD operands, REG registers, IDX indices, MEM
resources and memory, FLOW control flow, DATA what registers hold.
"""

from __future__ import annotations

from softd3d.errors import Severity
from softd3d.isa.report import Rule, table

__all__ = ["PROGRAM_RULES"]

_SPEC = "D3D11.3 functional specification "
_HEADER = "d3d12TokenizedProgramFormat.hpp"
_LIMITS = "26"


def _error(code: str, text: str, source: str) -> Rule:
    return Rule(f"SM4-{code}", Severity.ERROR, text, _source(source))


def _warning(code: str, text: str, source: str) -> Rule:
    return Rule(f"SM4-{code}", Severity.WARNING, text, _source(source))


def _source(name: str) -> str:
    """Return the name of a source; a section's number alone is one of the specification."""
    return _SPEC + name if name[0].isdigit() else name


_TOKENS = (
    _error("TOK-001", "An opcode exists in the program's version.", _HEADER),
    _error("TOK-002", "An opcode exists in the program's stage.", "22.1"),
    _error("TOK-003", "Hull and domain shaders need version 5.0.", "22.2.1"),
    _error("TOK-004", "Only instructions with a float result have _sat.", "22.19.1"),
    _error(
        "TOK-005", "The bits that make an instruction precise exist since version 5.0.", "22.19.2"
    ),
    _error(
        "TOK-006",
        "The bits that make an instruction precise need the flag refactoringAllowed.",
        "22.19.2",
    ),
    _warning("TOK-007", "Bits of an opcode token that mean nothing are 0.", _HEADER),
    _error(
        "TOK-008",
        "An extended opcode token (texel offsets, a view's shape) stands where it means something.",
        _HEADER,
    ),
    _error("TOK-009", "An instruction has one extended opcode token of a kind.", _HEADER),
    _warning("TOK-010", "No dwords follow the operands of an instruction.", _HEADER),
    _warning("TOK-011", "A class of custom data is defined.", _HEADER),
    _error("TOK-012", "sync names a fence or barrier, and one that its stage has.", "22.17.7"),
    _error(
        "TOK-013",
        "resinfo returns floats, reciprocals or integers; no other return type is defined.",
        _HEADER,
    ),
    _error("TOK-014", "An instruction has the operands that its opcode takes.", _HEADER),
    _error("TOK-015", "The tokens can be decoded.", _HEADER),
)

_FLAGS = (
    _error("FLAG-001", "Doubles need enableDoublePrecisionFloatOps.", _HEADER),
    _error(
        "FLAG-002", "Double divisions and conversions need enable11_1DoubleExtensions.", _HEADER
    ),
    _error("FLAG-003", "msad needs enable11_1ShaderExtensions.", _HEADER),
    _error("FLAG-004", "Minimum precision needs enableMinimumPrecision.", _HEADER),
    _error(
        "FLAG-005",
        "Raw and structured buffers need their flag in vs, gs and ps of version 4.",
        "18.7.3.2",
    ),
    _error("FLAG-006", "A global flag exists in the program's version and stage.", _HEADER),
)

_DECLARATIONS = (
    _error("DCL-001", "Declarations precede instructions.", "22.3"),
    _error(
        "DCL-002",
        "Numbers of registers, thread groups, primitives and the like are declared once.",
        "22.3",
    ),
    _error(
        "DCL-003",
        "What each program of a stage must declare is declared, such as a thread group.",
        "22.3",
    ),
    _error("DCL-004", "A declaration names a register of the kind that it declares.", _HEADER),
    _error("DCL-005", "A declared register has constant indices, as many as it takes.", _HEADER),
    _error("DCL-006", "A register's number is below the limit of its kind.", _LIMITS),
    _error("DCL-007", "A register is declared once.", "22.3"),
    _error("DCL-008", "Declarations of one register do not share components.", "22.3.11"),
    _error(
        "DCL-009",
        "A declared input or output has components: a generated one has one, a position four.",
        "22.3.11",
    ),
    _error("DCL-010", "Components with a system value lie right of plain ones.", "22.3.11"),
    _error("DCL-011", "A system value is one that the stage has as an input or output.", "23, 24"),
    _error(
        "DCL-012",
        "An interpolation mode is defined, and the same for all components of a register.",
        "22.3.10",
    ),
    _error("DCL-013", "A view's dimension is one that its declaration can have.", "22.3.12"),
    _error("DCL-014", "A view's four return types are defined.", "22.3.12"),
    _error("DCL-015", "A structure's stride is a multiple of 4 from 4 to 2048.", "22.3.44"),
    _error("DCL-016", "A sampler's mode is default, comparison or mono.", "22.3.34"),
    _error("DCL-017", "A thread group's size is within the limits.", "22.3.40, 18.7.2.6"),
    _error("DCL-018", "Group-shared memory is within the limits.", "22.3.45, 18.7.2.7"),
    _error("DCL-019", "Temporary registers and arrays have 4096 vectors at most.", "22.3.35"),
    _error("DCL-020", "An array has vectors of one to four components.", "22.3.36"),
    _error("DCL-021", "A constant buffer has 4096 vectors at most.", "22.3.3"),
    _error("DCL-022", "There is one immediate constant buffer of 1 to 4096 vectors.", "22.3.4"),
    _error(
        "DCL-023", "A geometry shader emits 1 to 1024 vertices, and 1024 scalars at most.", "22.3.5"
    ),
    _error("DCL-024", "An input primitive is defined.", "22.3.6"),
    _error("DCL-025", "An output topology is a list of points or a strip.", "22.3.8"),
    _error("DCL-026", "A geometry shader has 1 to 32 instances.", "22.3.7"),
    _error("DCL-027", "Streams are 0 to 3, each declared once and before its outputs.", "22.3.9"),
    _error("DCL-028", "1 to 32 control points come in, 0 to 32 leave.", "22.3.18"),
    _error("DCL-029", "Domain, partitioning and output primitive are defined.", "22.3.15"),
    _error("DCL-030", "The greatest tessellation factor is 1 to 64.", "22.3.20"),
    _error("DCL-031", "A phase runs at least once.", "22.3.24"),
    _error(
        "DCL-032",
        "An index range begins and ends at declared registers, no two overlap.",
        "22.3.30",
    ),
    _error(
        "DCL-033", "An array of inputs has as many vertices as the primitive or patch.", "22.3.10"
    ),
    _error("DCL-034", "A range's lower bound is not above the upper one.", _HEADER),
    _error("DCL-035", "Function bodies, tables and interfaces are declared before use.", "22.3.50"),
    _error("DCL-036", "Clip and cull distances are 8 components in 2 registers.", "24.1"),
    _error(
        "DCL-037",
        "Only one of vCoverage and vInnerCoverage is declared.",
        "DirectX conservative rasterization",
    ),
    _error(
        "DCL-038", "Tessellation factors lie in one component of successive registers.", "10.10"
    ),
    _error(
        "DCL-039",
        "Any domain gives points; only isolines give lines, only tri and quad give triangles.",
        "11.7.15",
    ),
    _error(
        "DCL-040",
        "Tessellation factors are those of the domain, and a hull shader has all of them.",
        "10.10",
    ),
    _error("DCL-041", "vDomain has two components, in the domain tri three.", "23.10"),
    _error(
        "DCL-042",
        "Without a control point phase no control points leave, or as many as come in.",
        "10.6",
    ),
    _error("DCL-043", "Where there are several streams, each emits points.", "13.5"),
    _error("DCL-044", "A pixel shader writes one kind of depth.", "22.3.38"),
)

_OPERANDS = (
    _error(
        "OPD-001",
        "A source is of a kind that can be read here, a result of one that can be written.",
        _HEADER,
    ),
    _error("OPD-002", "A register exists in the program's version, stage and phase.", "22.1"),
    _error("OPD-003", "A result can be null only where there is another one.", "22.12"),
    _error("OPD-004", "A register is named with as many components as its kind has.", _HEADER),
    _error("OPD-005", "A result has a write mask that is not empty.", _HEADER),
    _error("OPD-006", "A source has a swizzle or selects a component.", _HEADER),
    _error("OPD-007", "Conditions and other single values select one component.", "22.7.1"),
    _error("OPD-008", "Absolute values are for floats.", "22.18.1"),
    _error("OPD-009", "Negation is for floats and signed integers.", "22.18.2"),
    _error(
        "OPD-010",
        "Results and registers that are only named (t#, s#) have no sign or absolute value.",
        "22.18",
    ),
    _error("OPD-011", "Doubles are written in pairs: xy, zw or both.", "22.14"),
    _error("OPD-012", "Doubles are read in pairs: xy or zw.", "22.14"),
    _error("OPD-013", "A literal has 64 bits where doubles are read, else 32.", _HEADER),
    _error("OPD-014", "An operand's minimum precision is one that is defined.", _HEADER),
    _error("OPD-015", "Only indices of resources in 5.1 can be non-uniform.", _HEADER),
    _error(
        "OPD-016",
        "A store writes successive components from x on.",
        "22.4.11",
    ),
    _error("OPD-017", "The target of an atomic has no components.", _HEADER),
    _warning("OPD-018", "Not all results of an instruction are null.", "22.12"),
    _error("OPD-019", "swapc has two different results.", "22.9"),
    _warning("OPD-020", "A typed store writes all four components.", "22.4.11"),
)

_REGISTERS = (
    _error("REG-001", "A temporary register is declared.", "22.3.35"),
    _error("REG-002", "An array is declared.", "22.3.36"),
    _error("REG-003", "A constant index lies in the array.", "22.3.36"),
    _error("REG-004", "An array's component is declared.", "22.3.36"),
    _error("REG-005", "An input is declared.", "22.3.10"),
    _error("REG-006", "A component of an input is declared.", "22.3.10"),
    _error("REG-007", "An output is declared.", "22.3.31"),
    _error("REG-008", "A component of an output is declared.", "22.3.31"),
    _error("REG-009", "A constant buffer is declared.", "22.3.3"),
    _error("REG-010", "A constant index lies in the constant buffer.", "22.3.3"),
    _error("REG-011", "The immediate constant buffer is there and has the vector.", "22.3.4"),
    _error("REG-012", "A resource, sampler, view or memory block is declared.", "22.3.12"),
    _error("REG-013", "An index lies in the declared range of registers.", _HEADER),
    _error("REG-014", "A constant index names a vertex or control point that exists.", "22.3.10"),
    _error("REG-015", "A stream is declared, and named if there are any.", "22.8"),
    _error("REG-016", "A subroutine, body or interface is declared.", "22.7"),
    _warning(
        "REG-017",
        "An array that a register indexes is indexed from one of its own elements on.",
        "22.3.36",
    ),
)

_INDICES = (
    _error("IDX-001", "An index is a register only where the indexed kind allows it.", "22.3.30"),
    _error(
        "IDX-002",
        "An input or output that a register indexes lies in a declared index range.",
        "22.3.30",
    ),
    _error(
        "IDX-003",
        "An index that is a register is one component of a temporary register or array.",
        _HEADER,
    ),
    _error(
        "IDX-004", "A constant buffer that a register indexes is declared dynamicIndexed.", "22.3.3"
    ),
    _error("IDX-005", "A register is named with as many indices as its kind has.", _HEADER),
    _warning("IDX-006", "An index has 32 bits.", _HEADER),
)

_MEMORY = (
    _error("MEM-001", "A view is raw, structured or typed as the instruction wants.", "22.4"),
    _error("MEM-002", "A view has a dimension that the instruction takes.", "22.4"),
    _error("MEM-003", "A sampler has the mode that the instruction takes.", "22.3.34"),
    _error("MEM-004", "Texel offsets are for textures that are no cubes.", "22.4.15"),
    _error(
        "MEM-005",
        "What an instruction says of a view's shape is what the view's declaration says.",
        _HEADER,
    ),
    _error("MEM-006", "Counters are of structured views, only up or only down.", "22.17.17"),
    _error("MEM-007", "Atomics are on integers, or on raw or structured memory.", "22.17.8"),
    _warning(
        "MEM-008", "A literal byte offset is a multiple of 4 inside the structure.", "22.4.12"
    ),
    _error("MEM-009", "In cs_4_x a thread writes its own shared structure only.", "18.7.2.9"),
    _error("MEM-010", "gather4 selects a component, x in 4.1; other samplers x or none.", "22.4.2"),
    _error("MEM-011", "The instruction takes this kind of memory register.", "22.4"),
    _error("MEM-012", "A compute shader of version 4 has one view to write.", "18.7.2.5"),
)

_FLOW = (
    _error(
        "FLOW-001", "endif, else, endloop and endswitch belong to the innermost open block.", "22.7"
    ),
    _error("FLOW-002", "Each if, loop and switch has its end.", "22.7"),
    _error("FLOW-003", "break stands in a loop or switch.", "22.7.8"),
    _error("FLOW-004", "continue stands in a loop.", "22.7.6"),
    _error("FLOW-005", "case and default stand directly in a switch.", "22.7.12"),
    _error("FLOW-006", "A switch has each value and default once.", "22.7.13"),
    _error("FLOW-007", "A case's value is a literal.", "22.7.12"),
    _error("FLOW-008", "A switch begins with a case or default.", "22.7.12"),
    _error("FLOW-009", "Blocks nest 64 deep at most.", "7.12"),
    _error("FLOW-010", "A label follows a ret outside all blocks.", "22.7.16"),
    _error("FLOW-011", "A label is there once.", "22.7.15"),
    _error("FLOW-012", "A program with subroutines ends with ret, none with retc.", "22.7.16"),
    _error("FLOW-013", "Subroutines do not call themselves.", "22.7.10"),
    _error("FLOW-014", "Calls nest 32 deep at most.", "7.12"),
    _error("FLOW-015", "Since 5.0 only empty cases fall through.", "22.7.18"),
    _warning(
        "FLOW-016",
        "The gradient of a computed value is taken where all lanes of a draw run.",
        "16.8.2",
    ),
    _warning("FLOW-017", "A barrier stands where all threads of a group run.", "22.17.7"),
    _error(
        "FLOW-018",
        "A hull shader has declarations, then control point, fork and join phases.",
        "10.6",
    ),
    _error("FLOW-019", "A call site is one that the interface declares.", "22.3.51"),
    _warning("FLOW-020", "A program or phase ends with ret.", "22.7.16"),
    _warning("FLOW-021", "A hull shader has fewer than 1024 phases.", "10.6"),
)

_DATA = (
    _warning("DATA-001", "A temporary register is written before it is read.", "7.3"),
    _warning(
        "DATA-002", "A temporary register is written on every way to where it is read.", "7.3"
    ),
    _warning("DATA-003", "A declared output is written.", "7.7"),
)

PROGRAM_RULES = table(
    [
        *_TOKENS,
        *_FLAGS,
        *_DECLARATIONS,
        *_OPERANDS,
        *_REGISTERS,
        *_INDICES,
        *_MEMORY,
        *_FLOW,
        *_DATA,
    ]
)
"""Every rule of programs by its code."""
