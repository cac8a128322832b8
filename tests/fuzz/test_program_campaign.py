"""A short run of the program campaign, and what its generator promises."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import program_campaign
import pytest
from program_campaign import Disagreement, campaign, check, functions, mnemonics
from random_programs import random_program

from softd3d.interp import interpret
from softd3d.isa.row import Kind
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows import TABLE
from softd3d.lower.bound import BoundProgram
from softd3d.lower.outcome import Outcome

QUICK = 40
# Executable rows of compute shaders that no random program has.
MISSING: set[str] = set()
LISTED = 5000


def test_programs_agree() -> None:
    outcomes = Counter(outcome for _, outcome in campaign(0, QUICK))
    assert outcomes["done"] > QUICK * 0.9


def test_programs_with_functions_agree() -> None:
    with functions():
        outcomes = Counter(outcome for _, outcome in campaign(3000, QUICK))
    assert outcomes["done"] > QUICK * 0.9


@pytest.mark.slow
def test_many_programs_agree() -> None:
    outcomes = Counter(outcome for _, outcome in campaign(1_000_000, 2000))
    assert outcomes["ExecutionError"] > 5


def test_a_seed_gives_a_program() -> None:
    assert random_program(7) == random_program(7)
    assert random_program(7).text != random_program(8).text


def test_an_invalid_program_is_not_run() -> None:
    program = random_program(0)
    broken = replace(program, text=program.text.replace("dcl_resource_raw t0\n", ""))
    with pytest.raises(Disagreement, match="the validator says"):
        check(broken, validated=True)


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that adds one too many to a register is caught, and the seed told."""
    row = TABLE[Opcode.IMAD]

    def wrong(k: BoundProgram, *arguments: Any, **options: Any) -> Outcome:
        with monkeypatch.context() as patch:
            semantics = row.semantics
            assert semantics is not None
            broken = replace(row, semantics=lambda a, b, c: semantics(a, b, c) + 1)
            patch.setitem(TABLE.rows, Opcode.IMAD, broken)
            return interpret(k, *arguments, **options)

    monkeypatch.setattr(program_campaign, "interpret", wrong)
    with pytest.raises(Disagreement, match=r"^seed 0: u0: dword"):
        list(campaign(0, 1))


def test_every_executable_row_occurs() -> None:
    """A new row of compute shaders must get a place in the generator, or in MISSING."""
    used = set[str]()
    for seed in range(LISTED):
        used |= mnemonics(random_program(seed).text)
    plain = {name.removesuffix("_sat") for name in used}
    endings = ("_z", "_nz", "_uint", "_rcpFloat")
    plain |= {name.removesuffix(end) for name in used for end in endings}
    plain |= {"sync"} if any(name.startswith("sync_") for name in used) else set()
    executable = {
        row.mnemonic
        for row in TABLE.rows.values()
        if row.kind in (Kind.PURE, Kind.EFFECT, Kind.FLOW) and row.covers("cs", (5, 0))
    }
    assert executable - plain == MISSING
