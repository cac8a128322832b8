"""What makes validating quick changes no finding: what is known, and the walk with bits."""

from __future__ import annotations

import random

import pytest
from sm4_programs import (
    LINEAR,
    NZ,
    PRECISE,
    REFACTOR,
    RET,
    O,
    buffer,
    dcl,
    dst,
    flow,
    ins,
    lit,
    program,
    src,
    texture,
)

from softd3d.isa.sm1.decode import decode as decode9
from softd3d.isa.sm1.validate import validate_program as validate9
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.isa.sm4.program import Instruction
from softd3d.isa.sm4.validate import data, validate_program
from softd3d.isa.sm4.validate.effects import GRADIENTS
from softd3d.isa.sm4.validate.plain import is_plain

_PIXEL = [
    REFACTOR,
    buffer(0, 4),
    dcl(O.DCL_SAMPLER, "s0"),
    texture(0, ResourceDimension.TEXTURE2D),
    dcl(O.DCL_INPUT_PS, "v0.xyzw", controls=LINEAR),
    dcl(O.DCL_OUTPUT, "o0.xyzw"),
    dcl(O.DCL_TEMPS, None, 3),
    dcl(O.DCL_INDEXABLE_TEMP, None, 0, 4, 4),
]
_PLAIN = [
    ins(O.MOV, "r0.xy", "v0.xyxx"),
    ins(O.MOV, "r0.zw", "cb[0][0].xxxy"),
    ins(O.MOV, "r1.x", "r0.x"),
    ins(O.MOV, "r1.xyzw", "r0.xyzw"),
    ins(O.ADD, "r2.xy", "r0.zwzz", "r1.xxxx"),
    ins(O.DP3, "r2.w", "r2.xyzx", "r1.xyzx"),
    ins(O.MOV, "x[0][r0.x].xyzw", "v0.xyzw"),
    ins(O.MOV, "r2.z", "x[0][r1.y + 1].x"),
    ins(O.SAMPLE, "r1.xyzw", "r0.xyxx", "t0.xyzw", "s0"),
    ins(O.SAMPLE, "r2.xyzw", "v0.xyxx", "t0.xyzw", "s0"),
    ins(O.DERIV_RTX, "r0.x", "r2.w"),
    ins(O.MOV, "o0.xyzw", "r1.xyzw"),
    ins(O.MOV, "o0.xy", "r2.zwzz"),
]
_UNWATCHED = [i for i in _PLAIN if i.opcode not in GRADIENTS]
_WRITING = [ins(O.MOV, f"r{number}.xyzw", "v0.xyzw") for number in range(3)]
_LEAVING = [
    flow(O.BREAK),
    flow(O.BREAKC, "r1.x", controls=NZ),
    flow(O.CONTINUE),
    flow(O.CONTINUEC, "r0.y"),
    flow(O.RETC, "cb[0][1].x"),
    flow(O.RETC, "r0.z"),
    RET,
]
_CONDITIONS = ("r0.x", "cb[0][0].x", "v0.x")


def _code(random_: random.Random, depth: int = 0) -> list[Instruction]:
    """Return some instructions whose blocks nest."""
    found: list[Instruction] = []
    for _ in range(random_.randrange(1, 5)):
        kind = random_.randrange(12 if depth < 3 else 7)
        if kind < 7:
            is_any = not depth or random_.random() < 0.05
            found.append(random_.choice(_PLAIN if is_any else _UNWATCHED))
        elif kind == 7:
            found.append(random_.choice(_LEAVING))
        elif kind < 10:
            found += [flow(O.IF, random_.choice(_CONDITIONS)), *_code(random_, depth + 1)]
            if random_.random() < 0.5:
                found += [flow(O.ELSE), *_code(random_, depth + 1)]
            found.append(flow(O.ENDIF))
        elif kind == 10:
            found += [flow(O.LOOP), *_code(random_, depth + 1), flow(O.ENDLOOP)]
        else:
            found += [flow(O.SWITCH, random_.choice(_CONDITIONS))]
            for case in (flow(O.CASE, lit(1)), flow(O.CASE, lit(2)), flow(O.DEFAULT)):
                if random_.random() < 0.7:
                    found += [case, *_code(random_, depth + 1)]
            found.append(flow(O.ENDSWITCH))
    return found


def _programs() -> list[list[Instruction]]:
    """Return the bodies of many programs, some with instructions that are gone or elsewhere."""
    random_ = random.Random(5)
    found: list[list[Instruction]] = []
    for _ in range(600):
        begun = random_.sample(_WRITING, random_.choice((0, 1, 2, 3, 3, 3, 3)))
        body = [*begun, *_code(random_), RET]
        for _ in range(random_.choice((0, 0, 1, 2))):
            moved = body.pop(random_.randrange(len(body)))
            if random_.random() < 0.7:
                body.insert(random_.randrange(len(body) + 1), moved)
        found.append(body)
    return found


def test_the_walk_with_bits_changes_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[bool] = []

    def noted(*arguments: object) -> bool:
        answers.append(is_plain(*arguments))  # pyright: ignore[reportArgumentType]
        return answers[-1]

    programs = [program("ps_5_0", [*_PIXEL, *body]) for body in _programs()]
    monkeypatch.setattr(data, "is_plain", noted)
    quick = [validate_program(one) for one in programs]
    monkeypatch.setattr(data, "is_plain", lambda *_: False)
    for one, found in zip(programs, quick, strict=True):
        assert validate_program(one) == found, one.instructions
    assert 100 < sum(answers) < len(answers) - 100


def test_what_is_known_of_an_instruction_is_nothing_about_declarations() -> None:
    def codes(profile: str, *instructions: Instruction) -> set[str]:
        return {finding.code for finding in validate_program(program(profile, instructions))}

    body = [ins(O.MOV, dst("r1.xyzw"), src("cb[0][3].xyzw")), RET]
    temps, vectors = dcl(O.DCL_TEMPS, None, 2), buffer(0, 4)
    for _ in range(2):
        assert codes("cs_5_0", REFACTOR, vectors, temps, *body) == {"SM4-DCL-003"}
        found = codes("cs_5_0", REFACTOR, vectors, dcl(O.DCL_TEMPS, None, 1), *body)
        assert found == {"SM4-DCL-003", "SM4-REG-001"}
        assert "SM4-REG-010" in codes("cs_5_0", REFACTOR, buffer(0, 3), temps, *body)
        assert "SM4-REG-009" in codes("cs_5_0", REFACTOR, temps, *body)


def test_what_is_known_of_an_instruction_is_of_its_flags_and_controls() -> None:
    operands = dst("r0.xyzw"), src("r0.xyzw")
    plain, precise = (ins(O.MOV, *operands, controls=bits) for bits in (0, PRECISE))
    temps = dcl(O.DCL_TEMPS, None, 1)
    for _ in range(2):
        for flags, one, is_wrong in (
            ([REFACTOR], plain, False), ([], plain, False),
            ([REFACTOR], precise, False), ([], precise, True),
        ):  # fmt: skip
            findings = validate_program(program("vs_5_0", [*flags, temps, one, RET]))
            assert ("SM4-TOK-006" in {finding.code for finding in findings}) == is_wrong


def test_what_is_known_in_sm1_is_nothing_about_declarations() -> None:
    load = "03000042 800f0000 b0e40000 a0e40800"  # texld r0, t0, s0
    end = "02000001 800f0800 80e40000 0000ffff"  # mov oC0, r0
    coordinates, sampler = "0200001f 80000000 b0030000", "0200001f 90000000 a00f0800"
    for _ in range(2):
        for declared, wanted in (
            ((coordinates, sampler), []),
            ((sampler,), ["SM1-DATA-002"]),
            ((coordinates,), ["SM1-DATA-003"]),
        ):
            words = " ".join(("ffff0200", *declared, load, end)).split()
            tokens = b"".join(int(word, 16).to_bytes(4, "little") for word in words)
            assert [finding.code for finding in validate9(decode9(tokens))] == wanted
