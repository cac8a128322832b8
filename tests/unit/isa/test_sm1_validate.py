"""Rules of SM1-3: broken programs have a code at an instruction, real ones have none.

data/sm1_broken.txt and data/sm1_sound.txt have programs of our own with the verdict of Microsoft's
validator; what no assembler writes is built here from tokens.
"""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softd3d.errors import DecodeError, Finding, Severity
from softd3d.isa.report import MAX_FINDINGS_PER_RULE
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.enums import Opcode, ProgramType, RegisterType, ResultModifier
from softd3d.isa.sm1.limits import limits, slots
from softd3d.isa.sm1.program import (
    FULL_MASK,
    DestinationParameter,
    Instruction,
    Program,
    SourceParameter,
)
from softd3d.isa.sm1.tokens import VERSIONS
from softd3d.isa.sm1.validate import SM1_RULES, validate_program

HERE = Path(__file__).parent
DATA = HERE / "data"
DOCS = HERE.parents[2] / "docs/validation-d3d9.md"
_T = RegisterType
C0 = SourceParameter(_T.CONST, 0)
R0 = DestinationParameter(_T.TEMP, 0)
OC0 = DestinationParameter(_T.COLOROUT, 0)
S0 = SourceParameter(_T.SAMPLER, 0)
P0 = SourceParameter(_T.PREDICATE, 0)
MOV = Instruction(Opcode.MOV, R0, (C0,))
OUTPUT = Instruction(Opcode.MOV, OC0, (C0,))


def lines(name: str) -> list[str]:
    text = (DATA / name).read_text()
    return [line for line in text.splitlines() if not line.startswith("#")]


BROKEN = [line.split(" ", 4) for line in lines("sm1_broken.txt")]
SOUND = [line.split(" ", 1) for line in lines("sm1_sound.txt")]


def errors(program: Program) -> list[Finding]:
    found = validate_program(program)
    return [finding for finding in found if finding.severity is Severity.ERROR]


@pytest.mark.parametrize(("code", "index", "native", "tokens", "text"), BROKEN)
def test_broken_program(code: str, index: str, native: str, tokens: str, text: str) -> None:
    found = errors(decode(bytes.fromhex(tokens)))
    first = found[0].location
    codes = [finding.code for finding in found if finding.location == first]
    assert first.instruction == int(index), (native, text)
    assert code in codes


@pytest.mark.parametrize(("tokens", "text"), SOUND)
def test_sound_program(tokens: str, text: str) -> None:
    assert errors(decode(bytes.fromhex(tokens))) == [], text


def test_the_first_error_is_one_that_microsofts_validator_names() -> None:
    """Where it names several at the place, ours may be another one of them."""
    agreeing = [
        code for code, _, native, _, _ in BROKEN
        if any(name in SM1_RULES[code].spec for name in native.split("+"))
    ]  # fmt: skip
    assert len(BROKEN) > 400
    assert len(agreeing) > 0.95 * len(BROKEN)


def ps_2_x(*items: Instruction) -> Program:
    numbered = [replace(i, index=n, offset=4 + 12 * n) for n, i in enumerate(items)]
    return Program(ProgramType.PS, 2, 1, tuple(numbered))


TOKENS = {
    "SM1-TOK-002": ps_2_x(
        Instruction(Opcode.SETP, DestinationParameter(_T.PREDICATE, 0), (C0, C0)), OUTPUT
    ),
    "SM1-TOK-003": ps_2_x(
        Instruction(Opcode.TEX, R0, (SourceParameter(_T.TEMP, 0), S0), 3),
        OUTPUT,
    ),
    "SM1-TOK-005": ps_2_x(replace(MOV, controls=1), OUTPUT),
    "SM1-TOK-006": ps_2_x(replace(MOV, trailing=(0,)), OUTPUT),
    "SM1-MASK-001": ps_2_x(replace(MOV, destination=replace(R0, write_mask=0)), OUTPUT),
    "SM1-MOD-005": ps_2_x(
        replace(MOV, destination=replace(R0, modifiers=ResultModifier.MSAMPCENTROID)), OUTPUT
    ),
    "SM1-PRED-002": ps_2_x(replace(MOV, predicate=replace(P0, type=_T.CONSTBOOL)), OUTPUT),
    "SM1-TOK-004": Program(ProgramType.VS, 1, 1, (replace(MOV, is_coissued=True),)),
    "SM1-DCL-011": decode(
        bytes.fromhex("0101feff 01000000 00000fc0 0000e490 01000000 00000fd0 0100e490 ffff0000")
    ),
    "SM1-DATA-006": decode(
        bytes.fromhex("0101ffff 01000000 01000f80 0000e4a0 01000000 00000f80 0100e486 ffff0000")
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", TOKENS)
def test_what_no_assembler_writes(code: str) -> None:
    found = [finding for finding in validate_program(TOKENS[code]) if finding.code == code]
    assert len(found) == 1
    assert found[0].severity is SM1_RULES[code].severity


def test_every_rule_has_a_broken_program() -> None:
    assert set(SM1_RULES) == {row[0] for row in BROKEN} | set(TOKENS)


def test_findings_say_what_and_where() -> None:
    program = decode(bytes.fromhex("0002ffff 02000003 00000f80 0000e4a0 0100e4a0 ffff0000"))
    place = "(instruction 0, byte offset 0x4)"
    assert [str(finding) for finding in validate_program(program)] == [
        f"SM1-PORT-001: add: it reads 2 different c#, 1 are allowed {place}",
        "SM1-OUT-008: oC0 is not written (instruction 1, byte offset 0x14)",
    ]


def test_a_rule_names_codes_of_microsofts_validator_once() -> None:
    """Several rules may name one: Microsoft's may look at something else first."""
    named = [re.findall(r"X\d{4}", rule.spec) for rule in SM1_RULES.values()]
    assert all(len(codes) == len(set(codes)) for codes in named)
    assert len({code for codes in named for code in codes}) > 450


def test_wrong_modifiers_name_the_code_of_each_version() -> None:
    rows = [row for row in BROKEN if row[0] in ("SM1-MOD-001", "SM1-MOD-003", "SM1-PRED-002")]
    assert {"X5097", "X5201", "X5322", "X5364", "X5697", "X5698"} <= {row[2] for row in rows}
    unnamed = [
        row for row in rows if not any(name in SM1_RULES[row[0]].spec for name in row[2].split("+"))
    ]
    assert unnamed == []


def test_the_page_lists_every_rule(golden: Callable[[Path, str], None]) -> None:
    head, rule, _ = DOCS.read_text().partition("| --- | --- | --- | --- |\n")
    rows = [
        f"| {rule.code} | {rule.severity} | {rule.text} | {rule.spec} |\n"
        for rule in SM1_RULES.values()
    ]
    golden(DOCS, "".join([head, rule, *rows]))


def test_every_version_has_limits_and_slots() -> None:
    for stage, versions in VERSIONS.items():
        for version in versions:
            assert limits(stage, version).branches == 24
            assert slots(Opcode.MOV, stage, version) == (0, 1)
    assert slots(Opcode.SINCOS, ProgramType.PS, (3, 0)) == (0, 8)
    assert slots(Opcode.TEXLDD, ProgramType.PS, (2, 1)) == (1, 2)


@pytest.mark.parametrize("path", sorted((DATA / "sm1").glob("*.bin")), ids=lambda path: path.stem)
def test_own_samples_are_sound(path: Path) -> None:
    assert errors(decode(path.read_bytes())) == []


# Robustness


def validate_whatever(data: bytes) -> list[Finding] | None:
    try:
        program = decode(data)
    except DecodeError:
        return None
    return validate_program(program)


PROGRAMS = [bytes.fromhex(row[3]) for row in BROKEN] + [bytes.fromhex(row[0]) for row in SOUND]


def test_damaged_programs_have_findings_only() -> None:
    choose = random.Random(1)
    results = []
    for _ in range(1500):
        data = bytearray(choose.choice(PROGRAMS))
        for _ in range(choose.randrange(1, 4)):
            data[choose.randrange(4, len(data) - 4)] ^= 1 << choose.randrange(8)
        results.append(validate_whatever(bytes(data)))
    assert sum(result is not None for result in results) > 500


@given(st.sampled_from(PROGRAMS), st.sampled_from(PROGRAMS), st.data())
def test_spliced_programs_have_findings_only(first: bytes, second: bytes, data) -> None:
    cut = data.draw(st.integers(1, len(first) // 4)) * 4
    rest = data.draw(st.integers(1, len(second) // 4 - 1)) * 4
    validate_whatever(first[:cut] + second[rest:])


@given(
    st.sampled_from(
        [(stage, version) for stage in VERSIONS for version in sorted(VERSIONS[stage])]
    ),
    st.lists(st.tuples(st.sampled_from(Opcode), st.integers(0, 2**32 - 1)), max_size=12),
)
def test_any_opcode_in_any_version_has_findings_only(version, items) -> None:
    (stage, (major, minor)), words = version, []
    for opcode, value in items:
        choose = random.Random(value)
        parameters = [0x80000000 | choose.getrandbits(31) & 0x7FFFDFFF for _ in range(5)]
        words += [opcode | (5 << 24 if major > 1 else 0), *parameters]
    head = stage << 16 | major << 8 | minor
    validate_whatever(struct.pack(f"<{len(words) + 2}I", head, *words, 0xFFFF))


def test_large_programs_take_work_in_proportion() -> None:
    """A rule that is broken at each of 20000 instructions is reported a hundred times."""
    block = Instruction(Opcode.IF, None, (SourceParameter(_T.CONSTBOOL, 0),))
    far = Instruction(Opcode.MOV, DestinationParameter(_T.TEMP, 99, FULL_MASK), (C0,))
    found = validate_program(ps_2_x(*[block] * 10_000, *[far] * 10_000))
    assert sum(finding.code == "SM1-REG-001" for finding in found) == MAX_FINDINGS_PER_RULE
    assert sum(finding.code == "SM1-FLOW-009" for finding in found) == MAX_FINDINGS_PER_RULE


# Against what lies beside the project

# Streams of the samples that no assembler writes and Microsoft's validator never saw
UNSOUND_TOKENS = {
    "ps_1_4_shift_neg", "ps_2_0_sampler1d", "ps_2_0_texkill_mask", "ps_3_0_pp_cent",
    "ps_3_0_pred_rel", "vs_2_0_mov_a0",
}  # fmt: skip


@pytest.mark.corpus
def test_real_programs_are_sound(shared: Path) -> None:
    found = [*(shared / "samples/sm1_3").glob("**/*.bin")]
    found += (shared / "corpus/binaries").glob("**/*.bin")
    paths = [path for path in found if path.parent.name != "neg"]
    programs = {path: path.read_bytes() for path in paths}
    decoded = {
        path: decode(data)
        for path, data in programs.items()
        if int.from_bytes(data[2:4], "little") in set(ProgramType) and data[1] <= 3
    }
    wrong = {path.stem for path, program in decoded.items() if errors(program)}
    assert wrong <= UNSOUND_TOKENS
    assert len(decoded) > 1000


@pytest.mark.corpus
def test_negative_samples_are_rejected_at_their_line(shared: Path) -> None:
    samples = shared / "samples/sm1_3"
    index = json.loads((samples / "index.json").read_text())
    items = next(value for value in index.values() if isinstance(value, list))
    checked = 0
    for item in items:
        paths = [samples / name for name in item.get("files", ())]
        if item["kind"] != "negative" or item["without_validation"] != "OK":
            continue
        text, binary = (next(p for p in paths if p.suffix == s) for s in (".asm", ".bin"))
        found = errors(decode(binary.read_bytes()))
        assert bool(found) == (item["verdict"] == "rejected"), item["name"]
        if found:
            wanted = min(error["line"] for error in item["errors"])
            assert statement_line(text, found[0]) == wanted, item["name"]
        checked += 1
    assert checked == 69


def statement_line(path: Path, finding: Finding) -> int:
    """Return the line of an instruction in a sample, which has one statement a line."""
    text = path.read_text().splitlines()
    numbers = [n for n, line in enumerate(text, 1) if line.strip() and not line.startswith("//")]
    index = finding.location.instruction
    assert index is not None
    return [*numbers[1:], len(text) + 1][index]
