"""Texts to whole containers: signatures, program, statistics and required features, signed.

Signatures are read from the listing's comments or taken from a template container. Chunks that
only a compiler can make (reflection, debug information) come from a template or are not there.
An exact listing has all its chunks; those that follow from the program are computed if asked for.
"""

from __future__ import annotations

from softd3d.container.assembly.header import SignatureTables, read_signature_tables
from softd3d.container.dxbc.checksum import ChecksumKind
from softd3d.container.dxbc.container import Chunk, build, parse, stored_checksum_kind
from softd3d.container.listing.exact import encoded_listing, is_exact_listing, read_exact_listing
from softd3d.container.reflection.features import build_features
from softd3d.container.reflection.rdef import parse_rdef
from softd3d.container.reflection.required_features import compute_features
from softd3d.container.reflection.resources import ResourceDefinitions
from softd3d.container.reflection.signature import Signature, build_signature
from softd3d.container.reflection.stat import build_stat
from softd3d.container.reflection.statistics import compute_statistics
from softd3d.errors import AssemblyError, ContainerError, Location
from softd3d.isa.asm.diagnostic import Diagnostic, ListingError
from softd3d.isa.asm.lexer import source_lines
from softd3d.isa.asm.sm4.parser import ParsedListing, parse_listing
from softd3d.isa.roles import Declares, Flow
from softd3d.isa.sm4 import tokens as t
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.enums import CustomDataClass, GlobalFlags, OperandType, ProgramType
from softd3d.isa.sm4.program import Instruction, Program
from softd3d.isa.sm4.rows import TABLE

__all__ = ["assemble", "assemble_tokens"]

_LONG_PROGRAM, _SHORT_PROGRAM = "SHEX", "SHDR"
_T = OperandType
_INPUTS = frozenset({_T.INPUT, _T.INPUT_CONTROL_POINT, _T.INPUT_PRIMITIVEID})
_OUTPUTS = frozenset(
    {
        _T.OUTPUT, _T.OUTPUT_DEPTH, _T.OUTPUT_DEPTH_GREATER_EQUAL, _T.OUTPUT_DEPTH_LESS_EQUAL,
        _T.OUTPUT_COVERAGE_MASK, _T.OUTPUT_STENCIL_REF,
    }
)  # fmt: skip
_PATCH_CONSTANTS = frozenset({_T.INPUT_PATCH_CONSTANT})
_REGISTERS = frozenset({Declares.INPUT, Declares.OUTPUT})
_TESSELLATION = (ProgramType.HS, ProgramType.DS)
_DEBUG_ONLY = frozenset({Flow.ABORT, Flow.DEBUG_BREAK})
# Features that 4.x has as an extension only: with them the program is in the longer chunk
_EXTENSIONS_OF_4 = frozenset(
    code for code, row in TABLE.rows.items()
    if row.declares in {Declares.RAW_VIEW, Declares.STRUCTURED_VIEW} or row.declares_uav
)  # fmt: skip


def assemble(text: str, like: bytes | None = None, *, refresh: bool = False) -> bytes:
    """Return the container of a text: a listing with its comments, or an exact listing.

    like: a container that gives all chunks but the program; its statistics and features too, if its
    program is the same. refresh: compute statistics and features anew in any case.

    Raises:
        ListingError: the text is wrong, or it declares inputs or outputs but has no tables of them.
        AssemblyError: a template with an exact listing, which has all chunks.
        ContainerError: the template is malformed, or what is to be refreshed has no program.
        DecodeError: the program of an exact listing that is to be refreshed is malformed.
    """
    if is_exact_listing(text):
        if like is not None:
            raise AssemblyError("an exact listing has all its chunks, none come from a template")
        data = read_exact_listing(text)
        return _refreshed(data) if refresh else data
    listing = parse_listing(text)
    lines = source_lines(text)
    code = encoded_listing(listing, lines)
    if like is not None:
        return _like(like, listing.program, code, refresh=refresh)
    if listing.program.type is ProgramType.LIB:
        raise _error(lines, 1, "a library's function has no container of its own, only tokens")
    head = lines[: listing.lines[0]] if listing.lines else lines
    tables = read_signature_tables(head, listing.program.type)
    if tables.diagnostics:
        raise ListingError(tables.diagnostics)
    _check_tables(tables, listing, lines)
    return build(_chunks(tables, listing.program, code), _kind(listing.program))


def assemble_tokens(text: str) -> bytes:
    r"""Return the token stream of a text alone: the data of a SHDR or SHEX chunk.

    Raises:
        ListingError: the text is wrong. ContainerError: an exact listing has no program.

    >>> assemble_tokens("ps_5_0\nret").hex(" ", 4)
    '50000000 03000000 3e000001'
    """
    if is_exact_listing(text):
        return parse(read_exact_listing(text)).program_chunk.data
    return encoded_listing(parse_listing(text), source_lines(text))


def _chunks(tables: SignatureTables, program: Program, code: bytes) -> list[Chunk]:
    """Return the chunks in the order in which Microsoft's compiler writes them."""
    has_precisions = program.global_flags & GlobalFlags.ENABLE_MINIMUM_PRECISION
    form = "1" if has_precisions else "N"
    output_form = "5" if program.type is ProgramType.GS and program.major >= 5 else form
    empty = Signature(())
    inputs = _signature(f"ISG{form}", tables.inputs or empty)
    outputs = _signature(f"OSG{form if has_precisions else output_form}", tables.outputs or empty)
    chunks = [inputs, outputs]
    if program.type in _TESSELLATION:
        fourcc = "PSG1" if has_precisions else "PCSG"
        constants = _signature(fourcc, tables.patch_constants or empty)
        chunks.insert(1 if program.type is ProgramType.DS else 2, constants)
    return [*chunks, Chunk(_program_fourcc(program), code), *_computed(program).values()]


def _signature(fourcc: str, signature: Signature) -> Chunk:
    return Chunk(fourcc, build_signature(fourcc, signature))


def _computed(
    program: Program, definitions: ResourceDefinitions | None = None, *, has_level_9: bool = False
) -> dict[str, Chunk]:
    """Return the chunks that follow from the program, by their FourCCs, in their order."""
    features = compute_features(program, definitions, has_level_9=has_level_9)
    chunks = [Chunk("SFI0", build_features(features))] if features else []
    chunks.append(Chunk("STAT", build_stat(compute_statistics(program))))
    return {chunk.fourcc: chunk for chunk in chunks}


def _program_fourcc(program: Program) -> str:
    if program.major >= 5 or program.type is ProgramType.CS:
        return _LONG_PROGRAM
    is_extended = any(i.opcode in _EXTENSIONS_OF_4 for i in program.instructions)
    return _LONG_PROGRAM if is_extended else _SHORT_PROGRAM


def _kind(program: Program) -> ChecksumKind:
    """Return the kind of checksum: messages and aborts need Direct3D's debug layer."""
    for i in program.instructions:
        if TABLE[i.opcode].flow in _DEBUG_ONLY or i.custom_class == CustomDataClass.SHADER_MESSAGE:
            return ChecksumKind.DEBUG
    return ChecksumKind.RETAIL


def _refreshed(data: bytes) -> bytes:
    """Return a container with its computed chunks anew, signed; bytes behind it stay."""
    container = parse(data)
    chunk = container.program_chunk
    program = decode(chunk.data, chunk.data_offset)
    return _like(data, program, chunk.data, refresh=True) + data[container.size :]


def _like(template: bytes, program: Program, code: bytes, *, refresh: bool) -> bytes:
    """Replace the program of a container, and what is computed from it if that is another one."""
    container = parse(template)
    old = container.program_chunk
    stage = t.VERSION_TYPE.get(old.reader().u32(0))
    if stage != program.type:
        found = f"{ProgramType(stage).name.lower()}" if stage in list(ProgramType) else f"{stage}"
        raise ContainerError(
            f"template: its program is of stage {found}, the text's is {program.profile}",
            Location(offset=old.data_offset),
        )
    computed: dict[str, Chunk] = {}
    if refresh or code != old.data:
        rdef = container.find("RDEF")
        definitions = parse_rdef(rdef) if rdef is not None else None
        has_level_9 = container.find("Aon9") is not None
        computed = _computed(program, definitions, has_level_9=has_level_9)
    if code != old.data:
        computed[old.fourcc] = Chunk(_program_fourcc(program), code)
    chunks: list[Chunk] = []
    for chunk in container.chunks:
        if chunk.fourcc == "SFI0" and computed and "SFI0" not in computed:
            continue
        chunks.append(computed.get(chunk.fourcc, chunk))
        if chunk is old and container.find("SFI0") is None and "SFI0" in computed:
            chunks.append(computed["SFI0"])
    return build(chunks, stored_checksum_kind(template) or _kind(program))


def _check_tables(tables: SignatureTables, listing: ParsedListing, lines: list[str]) -> None:
    """Refuse declared inputs and outputs that no table describes."""
    missing = [
        (kinds, what)
        for table, kinds, what in (
            (tables.inputs, _INPUTS, "an input"),
            (tables.outputs, _OUTPUTS, "an output"),
            (tables.patch_constants, _PATCH_CONSTANTS, "a patch constant"),
        )
        if table is None
    ]
    for instruction, line in zip(listing.program.instructions, listing.lines, strict=True):
        for kinds, what in missing:
            if _declares(instruction, kinds):
                raise _error(
                    lines,
                    line,
                    f"{what} is declared, but the comments have no signature table of it; give "
                    "the listing with its comments, or a template container",
                )


def _error(lines: list[str], line: int, message: str) -> ListingError:
    """Return an error at a line (1-based)."""
    text = lines[line - 1]
    column = len(text) - len(text.lstrip()) + 1
    return ListingError([Diagnostic(message, line, column, text)])


def _declares(instruction: Instruction, kinds: frozenset[OperandType]) -> bool:
    if TABLE[instruction.opcode].declares not in _REGISTERS:
        return False
    return any(operand.type in kinds for operand in instruction.operands)
