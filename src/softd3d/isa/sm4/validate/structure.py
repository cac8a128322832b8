"""Rules of tokens: versions, stages, control bits, extended tokens, order of declarations.

Spec: D3D11.3 functional specification 22.1 to 22.3, 22.19; d3d12TokenizedProgramFormat.hpp.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from softd3d.isa.record import Memo
from softd3d.isa.report import Report
from softd3d.isa.roles import Extension
from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.controls import PRECISE, SATURATE
from softd3d.isa.sm4.enums import (
    CustomDataClass,
    ExtendedOpcodeType,
    GlobalFlags,
    Opcode,
    OperandType,
    ProgramType,
    ResinfoReturnType,
    SyncFlags,
)
from softd3d.isa.sm4.layouts import control_mask
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows import TABLE
from softd3d.isa.sm4.validate.phases import MAX_PHASES, Context, Phase, PhaseKind, row_of

__all__ = ["check_instruction_tokens", "check_phase_order", "well_formed"]

_O = Opcode

_EXTENDED_WORDS = {
    ExtendedOpcodeType.SAMPLE_CONTROLS: "texel offsets",
    ExtendedOpcodeType.RESOURCE_DIM: "a resource's dimension",
    ExtendedOpcodeType.RESOURCE_RETURN_TYPE: "a resource's return types",
}
# Before 5.0 these exist in compute shaders only, which came with Direct3D 11.
_COMPUTE_BEFORE_5_0 = frozenset(
    {
        _O.DCL_UNORDERED_ACCESS_VIEW_RAW,
        _O.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED,
        _O.STORE_RAW,
        _O.STORE_STRUCTURED,
        _O.SYNC,
    }
)
_PIXEL_IN_4_0 = frozenset({_O.LD_MS})
_RAW_AND_STRUCTURED = frozenset(
    {_O.DCL_RESOURCE_RAW, _O.DCL_RESOURCE_STRUCTURED, _O.LD_RAW, _O.LD_STRUCTURED}
)
_SM5 = (5, 0)
_GROUP_FENCES = (
    SyncFlags.THREADS
    | SyncFlags.THREAD_GROUP_SHARED_MEMORY
    | SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GROUP
)
_UAV_FENCES = (
    SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GROUP | SyncFlags.UNORDERED_ACCESS_VIEW_MEMORY_GLOBAL
)


def well_formed(program: Program, report: Report) -> list[Instruction]:
    """Return the instructions that have the operands and dwords of their opcodes; report others."""
    kept: list[Instruction] = []
    version = program.major, program.minor
    sizes = _SIZES[version]
    for i in program.instructions:
        operands, dwords, has_more = sizes[i.opcode]
        found = len(i.extra)
        if len(i.operands) == operands and (found == dwords or (has_more and found > dwords)):
            kept.append(i)
            continue
        report.add(
            "SM4-TOK-014",
            f"{TABLE[i.opcode].mnemonic} has {len(i.operands)} operands and {found} dwords, "
            f"wanted {operands} and {dwords}",
            i.location,
        )
    return kept


def _size(opcode: Opcode, version: tuple[int, int]) -> tuple[int, int, bool]:
    """Return how many operands and dwords an opcode has, and whether more dwords may follow."""
    layout = t.layout(opcode, version)
    dwords = len(layout.leading) + len(layout.dwords)
    return len(layout.operands), dwords, bool(layout.count_mask)


_SIZES: dict[tuple[int, int], Memo[Opcode, tuple[int, int, bool]]] = {
    version: Memo(partial(_size, version=version), 1 << 10) for version in t.VERSIONS
}


def check_instruction_tokens(c: Context, i: Instruction) -> None:
    """Check everything about an instruction or declaration but its operands."""
    is_plain = not i.trailing and not any([o.min_precision for o in i.operands])  # noqa: C419 - quicker
    if is_plain and c.known.has_head(i):
        return
    before = c.report.count
    _check_tokens(c, i)
    if is_plain and c.report.count == before and i.opcode is not Opcode.CUSTOMDATA:
        c.known.add_head(i)


def _check_tokens(c: Context, i: Instruction) -> None:
    row = row_of(i, c.stage, c.version)
    _check_availability(c, i, row)
    if i.opcode is Opcode.CUSTOMDATA:
        if not isinstance(i.custom_class, CustomDataClass):
            c.add("TOK-011", f" class {i.custom_class} is not defined", i)
        return
    _check_controls(c, i, row)
    if i.extended:
        _check_extended(c, i, row)
    if i.trailing and not _is_known_padding(i):
        c.add("TOK-010", f": {len(i.trailing)} dwords follow the operands", i)
    _check_flags(c, i, row)
    if i.opcode is _O.DCL_GLOBAL_FLAGS:
        _check_known_flags(c, i)


def _check_availability(c: Context, i: Instruction, row: Row) -> None:
    versions = [r.since for r in TABLE.variants.get(i.opcode, [row])]
    if c.version < min(versions):
        major, minor = min(versions)
        c.add("TOK-001", f" needs version {major}.{minor}, found {c.program.profile}", i)
    elif not c.is_library and not row.covers(c.stage, c.version):
        c.add("TOK-002", f" is for {row.stages}, found in {c.program.profile}", i)
    elif c.version < _SM5 and i.opcode in _COMPUTE_BEFORE_5_0 and not c.is_for("cs"):
        c.add("TOK-002", f" is for cs before version 5.0, found in {c.program.profile}", i)
    elif c.version < (4, 1) and i.opcode in _PIXEL_IN_4_0 and not c.is_for("ps"):
        c.add("TOK-002", f" is for ps before version 4.1, found in {c.program.profile}", i)


def _check_controls(c: Context, i: Instruction, row: Row) -> None:
    unknown = i.controls & ~control_mask(i.opcode)
    if unknown & SATURATE.mask and row.kind is not Kind.DECLARATION:
        c.add("TOK-004", "_sat: the result is no float that can be saturated", i)
        unknown &= ~SATURATE.mask
    if unknown & ~PRECISE.mask or (unknown and row.kind is Kind.DECLARATION):
        c.add("TOK-007", f": control bits {unknown:#x} mean nothing", i)
    if i.controls & PRECISE.mask and row.kind is not Kind.DECLARATION:
        _check_precise(c, i)
    if Controls.RESINFO_TYPE in row.controls:
        number = t.RESINFO_TYPE.get(i.controls)
        if number > max(ResinfoReturnType):
            c.add("TOK-013", f": return type {number} is not defined", i)
    if Controls.SYNC in row.controls:
        _check_sync(c, i)


def _check_precise(c: Context, i: Instruction) -> None:
    if c.version < _SM5:
        c.add("TOK-005", f": precise bits need version 5.0, found {c.program.profile}", i)
    elif not c.declared.all_flags & GlobalFlags.REFACTORING_ALLOWED:
        c.add("TOK-006", ": precise bits without refactoringAllowed in dcl_globalFlags", i)


def _check_sync(c: Context, i: Instruction) -> None:
    flags = SyncFlags(i.controls & int(~SyncFlags(0)))
    if not flags:
        c.add("TOK-012", " without flags, wanted a fence or barrier", i)
    elif flags & _UAV_FENCES == _UAV_FENCES:
        c.add("TOK-012", " with both _ugroup and _uglobal, wanted one", i)
    elif not c.is_for("cs") and flags & _GROUP_FENCES:
        c.add("TOK-012", f" with _t, _g or _ugroup in {c.stage}, wanted _uglobal alone", i)


def _check_extended(c: Context, i: Instruction, row: Row) -> None:
    kinds = Counter(ExtendedOpcodeType(t.EXTENDED_OPCODE_TYPE.get(e)) for e in i.extended)
    for kind, count in kinds.items():
        if kind is ExtendedOpcodeType.EMPTY:
            continue
        if not _takes_extended(c, row, kind):
            c.add("TOK-008", f": an extended token states {_EXTENDED_WORDS[kind]}", i)
        if count > 1:
            c.add("TOK-009", f": {count} extended tokens state {_EXTENDED_WORDS[kind]}", i)


def _takes_extended(c: Context, row: Row, kind: ExtendedOpcodeType) -> bool:
    if kind is ExtendedOpcodeType.SAMPLE_CONTROLS:
        return Controls.OFFSETS in row.controls
    letters = {spec.letter for spec in (*row.destinations, *row.sources)}
    return c.version >= _SM5 and row.kind is not Kind.DECLARATION and bool(letters & {"V", "U"})


def _is_known_padding(i: Instruction) -> bool:
    """Microsoft's compiler ends samplepos of a resource, and some feedback forms, with a dword."""
    if len(i.trailing) != 1:
        return False
    row = TABLE[i.opcode]
    is_position = i.opcode is Opcode.SAMPLE_POS and i.operands[1].type is OperandType.RESOURCE
    return is_position or Controls.FEEDBACK in row.controls


def _check_flags(c: Context, i: Instruction, row: Row) -> None:
    flags = c.declared.all_flags
    letters = {spec.letter for spec in (*row.destinations, *row.sources)}
    wants = (
        ("d" in letters, GlobalFlags.ENABLE_DOUBLE_PRECISION_FLOAT_OPS, "FLAG-001"),
        (row.extension is Extension.DOUBLES, GlobalFlags.ENABLE_DOUBLE_EXTENSIONS, "FLAG-002"),
        (row.extension is Extension.SHADERS, GlobalFlags.ENABLE_SHADER_EXTENSIONS, "FLAG-003"),
        (
            any(o.min_precision for o in i.operands),
            GlobalFlags.ENABLE_MINIMUM_PRECISION, "FLAG-004",
        ),
        (
            i.opcode in _RAW_AND_STRUCTURED and c.version < _SM5 and not c.is_for("cs"),
            GlobalFlags.ENABLE_RAW_AND_STRUCTURED_BUFFERS, "FLAG-005",
        ),
    )  # fmt: skip
    for wanted, flag, code in wants:
        if wanted and not flags & flag:
            c.add(code, f" needs the flag {flag.name} in dcl_globalFlags", i)


# The versions, from first to last, and stages that have a flag
_G = GlobalFlags
_FLAG_VERSIONS: dict[GlobalFlags, tuple[tuple[int, int], tuple[int, int], str]] = {
    _G.ENABLE_DOUBLE_PRECISION_FLOAT_OPS: (_SM5, (5, 1), ""),
    _G.FORCE_EARLY_DEPTH_STENCIL: (_SM5, (5, 1), "ps"),
    _G.ENABLE_RAW_AND_STRUCTURED_BUFFERS: ((4, 0), (4, 1), ""),
    _G.ENABLE_DOUBLE_EXTENSIONS: (_SM5, (5, 1), ""),
    _G.ENABLE_SHADER_EXTENSIONS: (_SM5, (5, 1), ""),
    _G.ALL_RESOURCES_BOUND: ((5, 1), (5, 1), ""),
}


def _check_known_flags(c: Context, i: Instruction) -> None:
    for flag, (first, last, stage) in _FLAG_VERSIONS.items():
        is_there = first <= c.version <= last and (not stage or c.is_for(stage))
        if i.controls & flag and not is_there:
            c.add("FLAG-006", f": {flag.name} does not exist in {c.program.profile}", i)


_ORDER = {
    PhaseKind.DECLARATIONS: 0,
    PhaseKind.CONTROL_POINT: 1,
    PhaseKind.FORK: 2,
    PhaseKind.JOIN: 3,
    PhaseKind.FUNCTIONS: 4,
}
_SINGLE = frozenset({PhaseKind.DECLARATIONS, PhaseKind.CONTROL_POINT})


def check_phase_order(program: Program, phases: list[Phase], report: Report) -> None:
    """Check that a hull shader's phases come in order, and that declarations come first."""
    if program.type in (ProgramType.HS, ProgramType.DS) and program.major < _SM5[0]:
        first = phases[0].start
        report.add("SM4-TOK-003", f"{program.profile} is not defined", first.location)
    if program.type is not ProgramType.HS:
        return
    if len(phases) >= MAX_PHASES:
        report.add("SM4-FLOW-021", f"{MAX_PHASES} phases or more", phases[-1].start.location)
    last, seen = -1, set[PhaseKind]()
    for phase in phases:
        order = _ORDER.get(phase.kind, -1)
        if order < 0 or (not seen and phase.kind is not PhaseKind.DECLARATIONS):
            message = f"a hull shader begins with hs_decls, found {phase.kind}"
        elif order < last:
            message = f"{phase.kind} comes after a later kind of phase"
        elif phase.kind in seen & _SINGLE:
            message = f"{phase.kind} is there twice"
        else:
            message = ""
        if message:
            report.add("SM4-FLOW-018", message, phase.start.location)
        last = max(last, order)
        seen.add(phase.kind)
