"""Programs of SM1-3 in the syntax of Microsoft's disassembler (D3DDisassemble 10.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, repeat, takewhile
from operator import add

from softd3d.bits import sign_extend
from softd3d.classes import dataclass
from softd3d.isa.asm.numbers import hex_text
from softd3d.isa.asm.options import PLAIN, ListingOptions, Literals, line_prefix
from softd3d.isa.asm.sm1.numbers import float_text, integer_text
from softd3d.isa.asm.sm1.operand import destination_text, predicate_text, source_text
from softd3d.isa.asm.sm1.slots import is_marked_coissued, slots, slots_footer, slots_so_far
from softd3d.isa.asm.sm1.text_comment import text_comments
from softd3d.isa.record import Bounded
from softd3d.isa.roles import BLOCK_ENDS, BLOCK_STARTS, Flow
from softd3d.isa.sm1 import tokens as t
from softd3d.isa.sm1.enums import (
    Opcode,
    ProgramType,
    RegisterType,
    ResultModifier,
    SourceModifier,
    TexldControl,
    TextureType,
    Usage,
)
from softd3d.isa.sm1.parameters import source_parameter
from softd3d.isa.sm1.program import (
    IMPLICIT_ADDRESS,
    Comment,
    Declaration,
    DestinationParameter,
    Instruction,
    Program,
    Target,
)
from softd3d.isa.sm1.rows import TABLE

__all__ = [
    "COMPARES",
    "MARGIN",
    "RESULT_MODIFIERS",
    "SHIFTS",
    "TEXLD_ENDINGS",
    "TEXTURE_TYPES",
    "Note",
    "format_instruction",
    "identity",
    "listing",
    "margins",
]

_INDENT = "  "
MARGIN = "    "
_COISSUE = "  + "
_VERSION_BYTES = 4
_TEMP_BITS = 0x8FFFE7FF  # of a parameter token, without its register type
_NO_MODIFIER_BITS = 0xF0FFFFFF
_NO_REGISTER = "x"  # what the disassembler calls register types that are not defined
_DEEPEST = 64  # Direct3D allows 24; text must not grow with the square of the nesting
_OPENS = TABLE.opcodes({*BLOCK_STARTS, Flow.ELSE})
_CLOSES = TABLE.opcodes({*BLOCK_ENDS, Flow.ELSE})
COMPARES = frozenset({Opcode.IFC, Opcode.BREAKC, Opcode.SETP})
SHIFTS = {1: "_x2", 2: "_x4", 3: "_x8", -1: "_d2", -2: "_d4", -3: "_d8"}
RESULT_MODIFIERS = {
    ResultModifier.SATURATE: "_sat",
    ResultModifier.PARTIALPRECISION: "_pp",
    ResultModifier.MSAMPCENTROID: "_centroid",
}
TEXLD_ENDINGS: dict[int, str] = {TexldControl.PROJECT: "p", TexldControl.BIAS: "b"}
TEXTURE_TYPES: dict[int, str] = {
    TextureType.TEXTURE_2D: "2d",
    TextureType.CUBE: "cube",
    TextureType.VOLUME: "volume",
}


@dataclass(frozen=True, slots=True)
class Note:
    """What debug information adds: a line before an instruction, a comment behind it."""

    before: str = ""
    behind: str = ""


_NO_NOTE = Note()
_MNEMONICS: Bounded[tuple[object, ...], str] = Bounded(1 << 13)


def format_instruction(i: Instruction, target: Target, literals: Literals = Literals.PLAIN) -> str:
    """Return the text of one instruction, without indentation and co-issue mark.

    literals: in hex or plain; they matter to def only.
    """
    return _text(i, target, literals, _texts(target.type, target.major, target.minor, literals))


_Texts = Bounded[tuple[int, ...], tuple[Instruction, str]]


@lru_cache(maxsize=32)
def _texts(_type: ProgramType, _major: int, _minor: int, _literals: Literals) -> _Texts:
    """Return the texts of a target's instructions by `identity`, each with its instruction."""
    return Bounded(1 << 13)


def identity(i: Instruction) -> tuple[int, ...]:
    """Return a key that equal instructions of a target share if decoding made them.

    It is one as long as the instruction lives.
    """
    return (
        i.opcode, i.controls, i.is_coissued, i.reserved, id(i.destination), id(i.sources),
        id(i.predicate), id(i.declaration), id(i.immediates), id(i.trailing),
    )  # fmt: skip


def _text(i: Instruction, target: Target, literals: Literals, known: _Texts) -> str:
    key = identity(i)
    found = known.get(key)
    if found is None:
        found = known[key] = i, _new_text(i, target, literals)
    return found[1]


def _new_text(i: Instruction, target: Target, literals: Literals) -> str:
    texts: list[str] = []
    if i.destination is not None:
        texts.append(destination_text(i.destination, target))
    if i.opcode is Opcode.BREAKP:
        return _breakp(i, target)
    texts += [source_text(source, target) for source in i.sources]
    texts += _immediates(i, literals)
    if i.trailing:
        texts += _more_sources(i, target)
    head = predicate_text(i, target) + _mnemonic(i, target)
    return f"{head} {', '.join(texts)}" if texts else head


def listing(program: Program, notes: Sequence[Note] = (), options: ListingOptions = PLAIN) -> str:
    """Return the code part of a listing: version, instructions, and the count of slots.

    notes: one for each instruction, comments not counted; may be fewer.
    """
    lines = [MARGIN + program.profile]
    texts = text_comments(program)
    shown = [
        item
        for number, item in enumerate(program.instructions)
        if isinstance(item, Instruction) or number in texts
    ]
    every_text = iter(texts.values())
    every_note = chain(notes, repeat(_NO_NOTE))
    literals = options.literals
    known = _texts(program.type, program.major, program.minor, literals)
    starts = map(add, _prefixes(program, shown, options), margins(shown))
    for item, start in zip(shown, starts, strict=True):
        if isinstance(item, Comment):
            lines.append(f"{start}// {next(every_text)}")
            continue
        note = next(every_note)
        lines += ["", note.before] if note.before else []
        text = start + _text(item, program, literals, known)
        lines.append(f"{text}  // {note.behind}" if note.behind else text)
    return "\n".join([*lines, "", slots_footer(program)]) + "\n"


def _prefixes(
    program: Program, shown: Sequence[Instruction | Comment], options: ListingOptions
) -> Iterator[str]:
    """Yield the prefix of each instruction, which comments do not have.

    Its number is that of the arithmetic slots before it.
    """
    if not options.numbers and not options.offsets:
        yield from repeat("", len(shown))
        return
    start = program.instructions[0].offset - _VERSION_BYTES if program.instructions else 0
    before = 0
    every_slot = slots_so_far(program)
    for item in shown:
        if isinstance(item, Comment):
            yield ""
            continue
        _, after = next(every_slot)
        number = before if _is_numbered(item, program) else None
        yield line_prefix(number, item.offset - start, options)
        before = after


def _is_numbered(i: Instruction, program: Program) -> bool:
    return not is_marked_coissued(i) and (any(slots(i, program)) or i.opcode is Opcode.PHASE)


def margins(items: Iterable[Instruction | Comment]) -> Iterator[str]:
    """Yield what stands before each instruction: indentation, and the mark of co-issue."""
    depth = 0
    for item in items:
        if item.opcode in _CLOSES:
            depth = max(depth - 1, 0)
        is_marked = isinstance(item, Instruction) and is_marked_coissued(item)
        start = _COISSUE if is_marked else MARGIN
        yield _INDENT * min(depth, _DEEPEST) + start if depth else start
        if item.opcode in _OPENS:
            depth += 1


def _breakp(i: Instruction, target: Target) -> str:
    """Return what Microsoft's disassembler makes of breakp: a break with a destination.

    It takes the source's swizzle and modifier for a mask and result modifiers.
    """
    source = i.sources[0]
    x, y, z, w = source.swizzle
    taken = DestinationParameter(
        source.type,
        source.number,
        x | y << 2,
        ResultModifier(z | w << 2),
        sign_extend(source.modifier, 4),
        source.relative,
    )
    return f"break{_result_modifiers(taken)} {destination_text(taken, target)}"


def _mnemonic(i: Instruction, target: Target) -> str:
    """Return the opcode with all that is added to it; kept, as there are few."""
    d = i.destination
    shown = None if d is None else (int(d.modifiers), d.shift)
    key = i.opcode, i.controls, i.declaration, shown, target.type, target.major, target.minor
    text = _MNEMONICS.get(key)
    if text is None:
        text = _MNEMONICS[key] = _new_mnemonic(i, target)
    return text


def _new_mnemonic(i: Instruction, target: Target) -> str:
    row = t.row_of(i.opcode, target.type, target.version)
    text = row.mnemonic if row is not None else ""
    if i.declaration is not None:
        text += _declared(i.declaration, target)
    if i.opcode in COMPARES and i.comparison is not None:
        text += f"_{i.comparison.name.lower()}"
    if i.opcode is Opcode.TEX and target.version >= (2, 0):
        text += TEXLD_ENDINGS.get(i.controls, "")
    return text if i.destination is None else text + _result_modifiers(i.destination)


def _result_modifiers(p: DestinationParameter) -> str:
    text = SHIFTS.get(p.shift, "")
    return text + "".join(ending for bit, ending in RESULT_MODIFIERS.items() if bit in p.modifiers)


def _declared(d: Declaration, target: Target) -> str:
    """Return what dcl says a register is for: a texture type, a semantic, or nothing."""
    if d.texture_type != TextureType.UNKNOWN:
        return "_" + TEXTURE_TYPES.get(d.texture_type, "unknown")
    if target.type is ProgramType.PS and not d.usage and not d.usage_index:
        return ""
    usage = d.usage.name.lower() if isinstance(d.usage, Usage) else "unknown"
    return f"_{usage}{d.usage_index or ''}"


def _more_sources(i: Instruction, target: Target) -> Iterator[str]:
    """Yield what follows an instruction's operands, which the disassembler takes for more."""
    has_addresses = t.instruction_fields(target.version).has_length
    words = iter(i.trailing)
    for token in takewhile(t.PARAMETER.get, words):
        relative = IMPLICIT_ADDRESS if t.RELATIVE.get(token) else None
        if relative is not None and has_addresses:
            address = next(words, 0)
            is_register = t.REGISTER_TYPE.get(address) <= max(RegisterType)
            relative = source_parameter(address if is_register else address & _TEMP_BITS, None)
        if t.SOURCE_MODIFIER.get(token) > max(SourceModifier):
            token &= _NO_MODIFIER_BITS  # noqa: PLW2901 - the disassembler shows none
        if t.REGISTER_TYPE.get(token) <= max(RegisterType):
            yield source_text(source_parameter(token, relative), target)
        else:
            temp = source_text(source_parameter(token & _TEMP_BITS, relative), target)
            yield temp.replace("r", _NO_REGISTER, 1)


def _immediates(i: Instruction, literals: Literals) -> list[str]:
    if i.opcode is Opcode.DEF:
        write = hex_text if literals is Literals.HEX else float_text
        return [write(bits) for bits in i.immediates]
    if i.opcode is Opcode.DEFB:
        return ["true" if any(i.immediates) else "false"]
    return [integer_text(bits) for bits in i.immediates]
