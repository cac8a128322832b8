"""Listings of SM4.0-5.1 programs against those of Microsoft's disassembler."""

from __future__ import annotations

import difflib
import re
import struct
from pathlib import Path

import pytest
from token_streams import program_bytes

from softd3d.container.dxbc import container as dxbc
from softd3d.isa.asm.options import Dialect, ListingOptions
from softd3d.isa.asm.sm4.message import read_message
from softd3d.isa.asm.sm4.printer import format_instruction, listing
from softd3d.isa.sm4.decode import decode
from softd3d.isa.sm4.encode import encode
from softd3d.isa.sm4.enums import CustomDataClass, Opcode

# All samples but those with debug information, whose listings have source lines in between.
IDENTICAL = 226
DISASSEMBLED = Path(__file__).parent / "data/disassembled.txt"
VERSION_LINE = re.compile(r"^[a-z]s_[45]_[01]$")


def _code_part(text: str) -> list[str]:
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if VERSION_LINE.match(line))
    return lines[start:]


def _instruction_count(path: Path) -> int:
    statistics = dxbc.parse(path.read_bytes()).find("STAT")
    assert statistics is not None
    return int.from_bytes(statistics.data[:4], "little")


@pytest.mark.corpus
def test_code_parts_of_the_samples_are_identical(samples) -> None:
    differences: dict[str, str] = {}
    for path, chunk in samples:
        want = _code_part(path.with_suffix(".asm").read_text("latin-1"))
        got = listing(decode(chunk.data), _instruction_count(path)).splitlines()
        if got != want:
            lines = difflib.unified_diff(want, got, path.name, "ours", n=0, lineterm="")
            differences[path.name] = "\n".join(list(lines)[:8])
    unexpected = [text for name, text in differences.items() if "Zi" not in name]
    assert unexpected == []
    assert len(samples) - len(differences) >= IDENTICAL


def test_single_instructions_print_as_microsoft_prints_them() -> None:
    wrong: list[tuple[str, str]] = []
    lines = DISASSEMBLED.read_text().splitlines()[1:]
    for line in lines:
        tokens, want = line.split("\t")
        version, *words = (int(token, 16) for token in tokens.split())
        data = program_bytes(version, words)
        program = decode(data)
        assert encode(program) == data
        got = format_instruction(program.instructions[0], program)
        if got != want:
            wrong.append((want, got))
    assert wrong == []
    assert len(lines) > 900


def test_every_opcode_is_among_the_single_instructions() -> None:
    text = DISASSEMBLED.read_text().splitlines()[1:]
    seen = {int(line.split()[1], 16) & 0x7FF for line in text}
    assert [o.name for o in Opcode if o not in seen and o is not Opcode.CUSTOMDATA] == []


def test_blocks_are_indented() -> None:
    program = decode(
        program_bytes(
            0x00050050,
            [Opcode.LOOP],
            [Opcode.SWITCH, 0x0010000A, 1],
            [Opcode.CASE, 0x00004001, 1],
            [Opcode.BREAK],
            [Opcode.ENDSWITCH],
            [Opcode.IF | 1 << 18, 0x0010000A, 1],
            [Opcode.ELSE],
            [Opcode.ENDIF],
            [Opcode.ENDLOOP],
        )
    )
    assert listing(program, 7).splitlines() == [
        "cs_5_0",
        "loop ",
        "  switch r1.x",
        "    case l(1)",
        "    break ",
        "  endswitch ",
        "  if_nz r1.x",
        "  else ",
        "  endif ",
        "endloop ",
        "// Approximately 7 instruction slots used",
    ]


def _custom_data(kind: int, *payload: int) -> str:
    data = program_bytes(0x00050050, [53 | kind << 11, len(payload) + 2, *payload])
    program = decode(data)
    return format_instruction(program.instructions[0], program)


def test_immediate_constants_have_a_line_each() -> None:
    icb = CustomDataClass.DCL_IMMEDIATE_CONSTANT_BUFFER
    assert _custom_data(icb, 0x3F800000, 0, 0xFFFFFFFF, 0x12345678, 1, 2, 3, 4) == (
        "dcl_immediateConstantBuffer { { 1.000000, 0, -1, 0.000000},\n"
        "                              { 1, 2, 3, 4} }"
    )


MESSAGE = int.from_bytes(b"a\n%d", "little")


def test_messages() -> None:
    kind = CustomDataClass.SHADER_MESSAGE
    operand = [0x0010000A, 1]
    assert _custom_data(kind, 0x00200102, 1, 4, 1, 2, *operand, MESSAGE, 0) == (
        'printf "a\\n%d", r1.x'
    )
    assert _custom_data(kind, 0x00200103, 1, 4, 0, 0, MESSAGE, 0) == 'errorf "a\\n%d"'


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ((0x00200199, 1), '<unknown> "\\t\\"\\r"'.replace('\\"', '"')),
        ((0x00200102, 0), '<unknown> "\t"\r"'),
        ((0x00200102, 2), '<unknown> "\t"\r"'),
    ],
)
def test_messages_of_unknown_ids_and_formats(head: tuple[int, int], text: str) -> None:
    message = int.from_bytes(b'\t"\r\0', "little")
    assert _custom_data(CustomDataClass.SHADER_MESSAGE, *head, 3, 0, 0, message) == text


def test_points_stand_for_what_cannot_be_shown() -> None:
    words = struct.unpack("<2I", b"\x01\x1f\x7f\x80\xff\\\0\0")
    text = _custom_data(CustomDataClass.SHADER_MESSAGE, 0x00200102, 1, 6, 0, 0, *words)
    assert text == 'printf "..\x7f..\\\\"'


def test_message_ids_of_the_dialects() -> None:
    for dialect, names in ((Dialect.D3D9_30, ["printf", "<unknown>"]),
                           (Dialect.D3D9_29, ["<unknown>", "printf"])):  # fmt: skip
        options = ListingOptions(dialect)
        for message, name in zip((0x00200102, 0x00200104), names, strict=True):
            payload = [message, 1, 4, 0, 0, MESSAGE, 0]
            head = [53 | CustomDataClass.SHADER_MESSAGE << 11, len(payload) + 2]
            program = decode(program_bytes(0x00050050, [*head, *payload]))
            assert listing(program, None, options).splitlines()[1] == f'{name} "a\\n%d"'


@pytest.mark.parametrize(
    "payload",
    [
        (0x00200102,),
        (0x00200102, 0, 400, 0, 0, MESSAGE, 0),
        (0x00200102, 0, 4, 0, 0, MESSAGE),
        (0x00200102, 0, 4, 0, 2, 0x0010000A, 1, MESSAGE, 0),
        (0x00200102, 0, 4, 1, 900, MESSAGE, 0),
        (0x00200102, 0, 4, 2, 2, 0x0010000A, 1, MESSAGE, 0),
    ],
)
def test_broken_messages_are_undecipherable(payload: tuple[int, ...]) -> None:
    kind = CustomDataClass.SHADER_MESSAGE
    assert _custom_data(kind, *payload) == "undecipherable custom data"


def test_a_message_has_operands() -> None:
    payload = [0x00200102, 0, 4, 1, 2, 0x0010000A, 1, MESSAGE, 0]
    kind = CustomDataClass.SHADER_MESSAGE
    program = decode(program_bytes(0x00050050, [53 | kind << 11, len(payload) + 2, *payload]))
    message, text, operands = read_message(program.instructions[0], (5, 0))
    assert (message, text, len(operands)) == (0x00200102, "a\n%d", 1)
