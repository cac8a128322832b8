"""Random straight-line programs of SM1-3: the interpreter and the JIT agree to the bit."""

from __future__ import annotations

import random

import numpy as np
import pytest
from test_rows import SPECIAL

from softd3d.device.evaluation import evaluate
from softd3d.isa.row import Controls, Kind, Row
from softd3d.isa.sm1.enums import (
    Comparison,
    Opcode,
    ProgramType,
    RegisterType,
    ResultModifier,
    SourceModifier,
)
from softd3d.isa.sm1.profile import PROFILES
from softd3d.isa.sm1.program import (
    IMPLICIT_ADDRESS,
    DestinationParameter,
    Instruction,
    Program,
    SourceParameter,
)
from softd3d.isa.sm1.rows import TABLE

VS, PS = ProgramType.VS, ProgramType.PS
VERSIONS = ((VS, (1, 1)), (VS, (2, 1)), (VS, (3, 0)), (PS, (1, 1)), (PS, (1, 4)), (PS, (3, 0)))
LANES, LENGTH = 96, 14
MODIFIERS = [m for m in SourceModifier if m is not SourceModifier.NOT]
PREDICATE = RegisterType.PREDICATE


class Generator:
    """Programs of one version that both engines must take, whatever a validator would say."""

    def __init__(self, stage: ProgramType, version: tuple[int, int], seed: int) -> None:
        self.stage, self.version = stage, version
        self.random = random.Random(seed)
        self.rows = self._rows()

    def _rows(self) -> list[Row]:
        name = self.stage.name.lower()
        found = (TABLE.select(code, name, self.version) for code in TABLE.rows)
        return [row for row in found if row is not None and row.kind is Kind.PURE]

    def program(self) -> Program:
        return Program(self.stage, *self.version, tuple(self.one() for _ in range(LENGTH)))

    def one(self) -> Instruction:
        row = self.random.choice(self.rows)
        if not row.destinations:
            return Instruction(Opcode(row.opcode))
        is_pair = self.stage is PS and self.version < (2, 0) and self.random.random() < 0.3
        controls = (
            self.random.choice(list(Comparison)) if Controls.COMPARISON in row.controls else 0
        )
        return Instruction(
            Opcode(row.opcode), self.destination(row), tuple(self.source() for _ in row.sources),
            int(controls), is_pair, self.predicate(),
        )  # fmt: skip

    def swizzle(self) -> tuple[int, int, int, int]:
        if self.random.random() < 0.3:
            one = self.random.randrange(4)
            return one, one, one, one
        x, y, z, w = (self.random.randrange(4) for _ in range(4))
        return x, y, z, w

    def source(self) -> SourceParameter:
        modifier = self.random.choice(MODIFIERS) if self.random.random() < 0.4 else MODIFIERS[0]
        kind = self.random.choice("rrvcC" if self.stage is VS else "rrvc")
        if kind == "C":
            address = SourceParameter(RegisterType.ADDR, 0, self.swizzle())
            relative = IMPLICIT_ADDRESS if self.version < (2, 0) else address
            return SourceParameter(RegisterType.CONST, 3, self.swizzle(), modifier, relative)
        types = {"r": RegisterType.TEMP, "v": RegisterType.INPUT, "c": RegisterType.CONST}
        number = self.random.randrange(2)
        return SourceParameter(types[kind], number, self.swizzle(), modifier)

    def destination(self, row: Row) -> DestinationParameter:
        mask = self.random.randrange(1, 16)
        letter = row.destinations[0].letter
        if letter == "m":
            return DestinationParameter(PREDICATE, 0, mask)
        if letter == "i" or (row.mnemonic == "mov" and self.stage is VS and mask < 4):
            return DestinationParameter(RegisterType.ADDR, 0, mask)
        shift = self.random.randrange(-3, 4) if self.random.random() < 0.2 else 0
        modifiers = ResultModifier(self.random.choice((0, 0, 0, 1, 2)))
        return DestinationParameter(
            RegisterType.TEMP, self.random.randrange(2), mask, modifiers, shift
        )

    def predicate(self) -> SourceParameter | None:
        if self.version < (2, 1) or self.random.random() < 0.7:
            return None
        modifier = self.random.choice((SourceModifier.NONE, SourceModifier.NOT))
        return SourceParameter(PREDICATE, 0, self.swizzle(), modifier)


def contents(rng: np.random.Generator, lanes: int) -> np.ndarray:
    """Return numbers of moderate size, with special values among them."""
    values = rng.normal(0, 4, (lanes, 4)).astype(np.float32)
    special = rng.choice(SPECIAL, (lanes, 4)).view(np.float32)
    return np.where(rng.random((lanes, 4)) < 0.25, special, values)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("stage", "version"), VERSIONS, ids=[f"{s.name}{v}" for s, v in VERSIONS])
def test_engines_agree(stage: ProgramType, version: tuple[int, int], seed: int) -> None:
    generator = Generator(stage, version, seed)
    rng = np.random.default_rng(seed)
    for _, profile in zip(range(2), rng.permutation(list(PROFILES)), strict=False):
        program = generator.program()
        inputs = {name: contents(rng, LANES) for name in ("r0", "r1", "v0", "v1")}
        constants = {"c0": contents(rng, 8), "bump0": contents(rng, 1), "bump1": contents(rng, 1)}
        wanted, found = (
            evaluate(program, inputs, constants, profile=str(profile), engine=engine, lanes=lanes)
            for engine, lanes in (("interpreter", 0), ("jit", (0, 4, 8)[seed]))
        )
        assert wanted.keys() == found.keys()
        assert wanted
        for name, array in wanted.items():
            same = array.view(np.uint8) if array.dtype == np.bool_ else array.view(np.uint32)
            good = same == found[name].view(same.dtype)
            if array.dtype == np.float32:
                good |= np.isnan(array) & np.isnan(found[name])
            assert good.all(), (name, profile, program)
