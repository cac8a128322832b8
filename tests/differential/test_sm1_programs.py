"""Random programs of SM1-3, with flow: the interpreter and the JIT agree to the bit."""

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
LOOP = SourceParameter(RegisterType.LOOP, 0)
LABELS, DEPTH = 2, 3  # subroutines, and blocks in blocks
FLOWING = [place for place in VERSIONS if place[1] >= (2, 1)]


class Generator:
    """Programs of one version that both engines must take, whatever a validator would say."""

    def __init__(self, stage: ProgramType, version: tuple[int, int], seed: int) -> None:
        self.stage, self.version = stage, version
        self.random = random.Random(seed)
        self.rows = self._rows()
        self.left = 0  # how many more statements a program with flow may have

    def _rows(self) -> list[Row]:
        name = self.stage.name.lower()
        found = (TABLE.select(code, name, self.version) for code in TABLE.rows)
        return [row for row in found if row is not None and row.kind is Kind.PURE]

    def program(self) -> Program:
        return Program(self.stage, *self.version, tuple(self.one() for _ in range(LENGTH)))

    def has(self, code: Opcode) -> bool:
        return TABLE.select(code, self.stage.name.lower(), self.version) is not None

    def flowing(self) -> Program:
        """Return a program with blocks in blocks, and subroutines that call later ones."""
        self.left = 3 * LENGTH
        parts = self.block(0, 0)
        for label in range(LABELS):
            parts += [
                Instruction(Opcode.RET),
                Instruction(Opcode.LABEL, None, (SourceParameter(RegisterType.LABEL, label),)),
                *self.block(1, label + 1),
            ]
        return Program(self.stage, *self.version, tuple(parts))

    def block(self, depth: int, label: int, *, in_loop: bool = False) -> list[Instruction]:
        """Return instructions; label: of the first subroutine that they may call."""
        parts: list[Instruction] = []
        for _ in range(self.random.randrange(1, 6)):
            self.left -= 1
            kind = self.random.choice("oooofflbc")
            if kind == "f" and depth < DEPTH and self.left > 0:
                parts += [self.opener(), *self.block(depth + 1, label, in_loop=in_loop)]
                if self.random.random() < 0.5:
                    body = self.block(depth + 1, label, in_loop=in_loop)
                    parts += [Instruction(Opcode.ELSE), *body]
                parts.append(Instruction(Opcode.ENDIF))
            elif kind == "l" and depth < DEPTH and self.left > 0:
                begin, end = self.loop()
                parts += [begin, *self.block(depth + 1, label, in_loop=True), end]
            elif kind == "b" and in_loop:
                parts.append(self.leave())
            elif kind == "c" and label < LABELS:
                parts.append(self.call(label))
            else:
                parts.append(self.one())
        return parts

    def opener(self) -> Instruction:
        if self.random.random() < 0.5:
            return Instruction(Opcode.IF, None, (self.truth(),))
        return self.comparing(Opcode.IFC)

    def comparing(self, code: Opcode) -> Instruction:
        comparison = int(self.random.choice(list(Comparison)))
        return Instruction(code, None, (self.source(), self.source()), comparison)

    def truth(self) -> SourceParameter:
        modifier = self.random.choice((SourceModifier.NONE, SourceModifier.NOT))
        kind = self.random.choice((RegisterType.CONSTBOOL, PREDICATE))
        number = self.random.randrange(3) if kind is RegisterType.CONSTBOOL else 0
        return SourceParameter(kind, number, self.swizzle(), modifier)

    def loop(self) -> tuple[Instruction, Instruction]:
        counts = SourceParameter(RegisterType.CONSTINT, self.random.randrange(4))
        if self.has(Opcode.LOOP) and self.random.random() < 0.6:
            return Instruction(Opcode.LOOP, None, (LOOP, counts)), Instruction(Opcode.ENDLOOP)
        return Instruction(Opcode.REP, None, (counts,)), Instruction(Opcode.ENDREP)

    def leave(self) -> Instruction:
        kind = self.random.randrange(4)
        if kind == 0:
            return Instruction(Opcode.BREAK)
        if kind == 1:
            return Instruction(Opcode.BREAKP, None, (self.truth(),))
        return self.comparing(Opcode.BREAKC)

    def call(self, label: int) -> Instruction:
        name = SourceParameter(RegisterType.LABEL, self.random.randrange(label, LABELS))
        if self.random.random() < 0.5:
            return Instruction(Opcode.CALL, None, (name,))
        return Instruction(Opcode.CALLNZ, None, (name, self.truth()))

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
        kinds = "rrvcC" if self.stage is VS else "rrvc"
        kind = self.random.choice(kinds + "LV" * (self.version >= (3, 0)))
        if kind in "LV":
            type_ = RegisterType.CONST if kind == "L" and self.stage is VS else RegisterType.INPUT
            number = self.random.randrange(3)
            return SourceParameter(type_, number, self.swizzle(), modifier, LOOP)
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
        if self.stage is VS and self.version >= (3, 0) and self.random.random() < 0.2:
            relative = self.random.choice((LOOP, None))
            number = self.random.randrange(4)
            return DestinationParameter(RegisterType.OUTPUT, number, mask, relative=relative)
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


def check(program: Program, seed: int, profile: str) -> None:
    """Run both engines on the same numbers and compare what they give."""
    rng = np.random.default_rng(seed)
    inputs = {name: contents(rng, LANES) for name in ("r0", "r1", "v0", "v1")}
    constants = {"c0": contents(rng, 8), "bump0": contents(rng, 1), "bump1": contents(rng, 1)}
    if program.version >= (2, 1):
        inputs["p0"] = rng.random((LANES, 4)) < 0.5
        constants["i0"] = rng.integers(-1, 5, (4, 4))
        constants["b0"] = rng.random(3) < 0.5
    wanted, found = (
        evaluate(program, inputs, constants, profile=profile, engine=engine, lanes=lanes)
        for engine, lanes in (("interpreter", 0), ("jit", (4, 8, 16)[seed % 3]))
    )
    assert wanted.keys() == found.keys()
    assert wanted
    for name, array in wanted.items():
        same = array.view(np.uint8) if array.dtype == np.bool_ else array.view(np.uint32)
        good = same == found[name].view(same.dtype)
        if array.dtype == np.float32:
            good |= np.isnan(array) & np.isnan(found[name])
        assert good.all(), (name, profile, program.instructions)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("stage", "version"), VERSIONS, ids=[f"{s.name}{v}" for s, v in VERSIONS])
def test_engines_agree(stage: ProgramType, version: tuple[int, int], seed: int) -> None:
    generator = Generator(stage, version, seed)
    for profile in generator.random.sample(list(PROFILES), 2):
        check(generator.program(), seed, profile)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("stage", "version"), FLOWING, ids=[f"{s.name}{v}" for s, v in FLOWING])
def test_engines_agree_on_flow(stage: ProgramType, version: tuple[int, int], seed: int) -> None:
    generator = Generator(stage, version, seed)
    check(generator.flowing(), seed, sorted(PROFILES)[seed % 3])
