"""What SM1-3 opcodes and operands mean: every special value, every rule, in each profile.

Expected values are worked out by hand from the pages and sources that docs/numbers-d3d9.md names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d.device.evaluation import evaluate
from softd3d.errors import DecodeError, ResourceError
from softd3d.isa.row import Kind
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

MAX = float(np.finfo(np.float32).max)
TINY = 2.0**-149
_R, _M, _O = RegisterType, SourceModifier, Opcode
VS, PS = ProgramType.VS, ProgramType.PS
WORDS: dict[str, float] = {"max": MAX, "-max": -MAX, "tiny": TINY, "-tiny": -TINY}
ENGINES = ("interpreter", "jit")


def number(word: str) -> float:
    return WORDS[word] if word in WORDS else float(word)


def vector(text: str) -> list[float]:
    """Read "1,2,3,4", or one number for all components."""
    numbers = [number(word) for word in text.split(",")]
    return numbers * 4 if len(numbers) == 1 else numbers


def source(type_: RegisterType, at: int, text: str = "xyzw", **more: Any) -> SourceParameter:
    x, y, z, w = ("xyzw".index(letter) for letter in (text * 4 if len(text) == 1 else text))
    return SourceParameter(type_, at, (x, y, z, w), **more)


def r(at: int, text: str = "xyzw", **more: Any) -> SourceParameter:
    return source(_R.TEMP, at, text, **more)


def c(at: int, text: str = "xyzw", **more: Any) -> SourceParameter:
    return source(_R.CONST, at, text, **more)


def to(type_: RegisterType, at: int, mask: str = "xyzw", **more: Any) -> DestinationParameter:
    bits = sum(1 << "xyzw".index(letter) for letter in mask)
    return DestinationParameter(type_, at, bits, **more)


R5 = to(_R.TEMP, 5)


def program(stage: ProgramType, version: tuple[int, int], *instructions: Instruction) -> Program:
    return Program(stage, *version, instructions)


def result(
    code: Opcode, *operands: str, stage: ProgramType = VS, version: tuple[int, int] = (2, 1),
    profile: str = "driver", **more: Any,
) -> np.ndarray:  # fmt: skip
    """Return r5 after one instruction on r0, r1...; both engines agree."""
    sources = tuple(r(n) for n in range(len(operands)))
    i = Instruction(code, R5, sources, **more)
    inputs = {f"r{n}": np.array(vector(text), np.float32) for n, text in enumerate(operands)}
    found = [
        evaluate(program(stage, version, i), inputs, profile=profile, engine=engine)["r5"][0]
        for engine in ENGINES
    ]
    same(*found)
    return found[0]


def same(found: np.ndarray, wanted: np.ndarray) -> None:
    """Compare to the bit; any NaN equals any other."""
    a, b = (np.asarray(x, np.float32) for x in (found, wanted))
    assert (np.isnan(a) == np.isnan(b)).all(), (found, wanted)
    bits = [np.where(np.isnan(x), np.float32(0), x).view(np.uint32) for x in (a, b)]
    assert (bits[0] == bits[1]).all(), (found, wanted)


# mnemonic, operands (a number for all components, or four), "=", result; before ":" the profiles,
# or "all".
SPECIAL = """
all: mov nan = nan
all: mov -tiny = -tiny
all: abs -0 = 0
all: abs -inf = inf
all: abs nan = nan
all: add inf -inf = nan
all: add -0 -0 = -0
all: add -0 0 = 0
all: add tiny tiny = 0
all: sub inf inf = nan
all: sub 0 0 = 0
driver: mul 0 inf = 0
driver: mul -inf 0 = 0
driver: mul 0 nan = 0
driver: mul nan -0 = 0
driver: mul -0 -1 = 0
driver: mul -0 1 = 0
driver: mul tiny inf = 0
driver: mul inf -inf = -inf
driver: mul nan 1 = nan
documented ieee: mul 0 inf = nan
documented ieee: mul 0 nan = nan
documented ieee: mul -0 1 = -0
documented ieee: mul -0 -1 = 0
all: mul 1e-30 -1e-30 = -0
driver: mad 0 inf 3 = 3
documented ieee: mad 0 inf 3 = nan
driver: mad inf 0 -0 = 0
all: mad 1.00000011920929 1.00000011920929 -1.0000002384185791 = 0
all: lrp 0.25 8 4 = 5
driver: lrp 0 inf 4 = 4
documented ieee: lrp 0 inf 4 = nan
all: lrp 1 1e30 -1e30 = 1e30
all: lrp 1 1 1e30 = 0
driver documented: min nan 1 = 1
driver documented: min 1 nan = nan
driver documented: max nan 1 = 1
driver documented: max 1 nan = nan
driver documented: min 0 -0 = -0
driver documented: min -0 0 = 0
driver documented: max 0 -0 = 0
driver documented: max -0 0 = -0
ieee: min 1 nan = 1
ieee: max nan 1 = 1
ieee: min 0 -0 = -0
ieee: max -0 0 = 0
all: min nan nan = nan
all: min -inf 1 = -inf
all: max tiny -1 = 0
all: slt 1 2 = 1
all: slt 1 1 = 0
all: slt nan 1 = 0
all: slt -0 0 = 0
all: sge 1 1 = 1
all: sge -0 0 = 1
all: sge 1 nan = 0
all: sge nan nan = 0
all: sgn -0.5,0,0.5,-0 0 0 = -1,0,1,0
all: sgn nan 0 0 = 1
all: sgn -inf,inf,tiny,-tiny 0 0 = -1,1,0,0
all: frc 1.25,-1.25,-0,2 = 0.25,0.75,0,0
all: frc inf = nan
all: frc -1e-10 = 1
documented: rcp 0 = max
documented: rcp -0 = max
documented: rcp -tiny = max
driver ieee: rcp 0 = inf
driver ieee: rcp -0 = -inf
driver ieee: rcp tiny = inf
driver ieee: rcp -tiny = -inf
all: rcp 1 = 1
all: rcp -1 = -1
all: rcp inf = 0
all: rcp -inf = -0
all: rcp nan = nan
all: rcp -4 = -0.25
documented: rsq 0 = max
documented: rsq -0 = max
documented: rsq tiny = max
driver ieee: rsq 0 = inf
driver ieee: rsq -0 = inf
driver ieee: rsq -tiny = inf
all: rsq 1 = 1
all: rsq -4 = 0.5
all: rsq inf = 0
all: rsq -inf = 0
all: rsq nan = nan
driver documented: log 0 = -max
driver documented: log -0 = -max
driver documented: log tiny = -max
ieee: log 0 = -inf
all: log 1 = 0
all: log -8 = 3
all: log inf = inf
all: log -inf = inf
all: log nan = nan
driver documented: logp 0 = -max
ieee: logp 0 = -inf
all: logp -8 = 3
all: exp 0 = 1
all: exp -0 = 1
all: exp 10 = 1024
all: exp -inf = 0
all: exp inf = inf
all: exp 128 = inf
all: exp nan = nan
all: exp -126 = 1.1754943508222875e-38
all: exp -127 = 0
all: expp 3 = 8
all: pow 0 0 = 1
all: pow inf 0 = 1
all: pow nan 0 = 1
all: pow 1 nan = 1
all: pow 1 inf = 1
all: pow -1 3 = 1
all: pow -2 3 = 8
all: pow 0 1 = 0
all: pow 0 -1 = inf
all: pow 0 inf = 0
all: pow 2 -inf = 0
all: pow 0.5 inf = 0
all: pow inf 1 = inf
all: pow inf -1 = 0
all: pow nan 1 = nan
all: pow 2 nan = nan
all: dp3 1,2,3,100 4,5,6,100 = 32
all: dp4 1,2,3,4 5,6,7,8 = 70
driver: dp4 inf,nan,0,2 0,0,nan,3 = 6
documented ieee: dp4 inf,0,0,2 0,0,0,3 = nan
all: dp3 1e30,1,-1e30,0 1,1,1,0 = 0
all: crs 1,0,0,7 0,1,0,7 = 0,0,1,9
all: crs 0,1,0,7 1,0,0,7 = 0,0,-1,9
driver: crs inf,0,0,0 0,0,0,0 = 0,0,0,9
documented ieee: crs inf,0,0,0 0,0,0,0 = 0,nan,nan,9
driver: nrm 0 = 0
documented: nrm 0 = 0
ieee: nrm 0 = nan
driver documented: nrm 0,0,0,5 = 0,0,0,inf
driver: nrm 0,0,0,-1 = 0,0,0,-inf
documented: nrm 0,0,0,-1 = 0,0,0,-max
driver: nrm -0,0,0,0 = 0,0,0,0
documented: nrm -0,0,0,0 = -0,0,0,0
driver: nrm inf,0,0,1 = 0,0,0,0
documented ieee: nrm inf,0,0,1 = nan,0,0,0
all: nrm 2,0,0,0.5 = 1,0,0,0.25
all: nrm 3,4,0,10 = 0.6,0.8,0,2
driver: mul -inf 0 = 0
all: dst 7,2,3,7 8,5,8,4 = 1,10,3,4
driver: dst 0,inf,nan,0 0,0,0,inf = 1,0,nan,inf
documented ieee: dst 0,inf,0,0 0,0,0,1 = 1,nan,0,1
all: lit 2,4,9,0.5 = 1,2,2,1
all: lit 2,4,9,0 = 1,2,1,1
all: lit 0,4,9,2 = 1,0,0,1
all: lit -0,4,9,2 = 1,0,0,1
all: lit -1,4,9,2 = 1,0,0,1
all: lit 2,0,9,0 = 1,2,0,1
all: lit 2,-4,9,2 = 1,2,0,1
all: lit nan,4,9,2 = 1,0,0,1
all: lit 2,nan,9,2 = 1,2,0,1
all: lit 2,4,9,nan = 1,2,nan,1
all: lit inf,2,9,-inf = 1,inf,0,1
all: lit tiny,2,9,1 = 1,0,0,1
"""
LINES = list(SPECIAL.strip().splitlines())
OPCODES = {row.mnemonic: Opcode(code) for code, row in TABLE.rows.items()}


@pytest.mark.parametrize("line", LINES)
def test_special_value(line: str) -> None:
    profiles, _, rest = line.partition(": ")
    mnemonic, *operands = rest.partition(" =")[0].split()
    wanted = vector(rest.partition("= ")[2])
    names = PROFILES if profiles == "all" else profiles.split()
    for profile in names:
        found = with_nines(OPCODES[mnemonic], operands, profile)
        same(found, np.array(wanted, np.float32))


def with_nines(code: Opcode, operands: list[str], profile: str) -> np.ndarray:
    """Return r5 after one instruction; before it r5 is 9."""
    i = Instruction(code, R5, tuple(r(n) for n in range(len(operands))))
    inputs = {f"r{n}": np.array(vector(text), np.float32) for n, text in enumerate(operands)}
    inputs["r5"] = np.full(4, 9, np.float32)
    one = program(VS, (2, 1), i)
    found = [evaluate(one, inputs, profile=profile, engine=engine)["r5"][0] for engine in ENGINES]
    same(*found)
    return found[0]


def test_nop() -> None:
    assert evaluate(program(VS, (2, 1), Instruction(_O.NOP)), {}) == {}


def test_every_opcode_has_semantics() -> None:
    kinds = {row.kind for rows in TABLE.variants.values() for row in rows}
    assert kinds == {Kind.PURE, Kind.EFFECT, Kind.FLOW, Kind.DECLARATION}


# --- rows that the table above cannot write -----------------------------------------------------


@pytest.mark.parametrize(
    ("operands", "wanted"),
    [
        (("0", "1", "2"), 1), (("-0", "1", "2"), 1), (("-tiny", "1", "2"), 1),
        (("nan", "1", "2"), 2), (("-1", "1", "2"), 2), (("inf", "nan", "2"), np.nan),
        (("0", "tiny", "2"), 0),
    ],
)  # fmt: skip
def test_cmp(operands: tuple[str, ...], wanted: float) -> None:
    for version in ((1, 4), (2, 0), (3, 0)):
        found = result(_O.CMP, *operands, stage=PS, version=version)
        same(found, np.full(4, wanted, np.float32))


def test_cnd_compares_by_component_in_ps_1_4() -> None:
    found = result(_O.CND, "-0.5,0.5,0,0.6", "0", "1", stage=PS, version=(1, 4))
    same(found, np.array([1, 1, 1, 0], np.float32))
    found = result(_O.CND, "nan", "0", "1", stage=PS, version=(1, 4))
    same(found, np.ones(4, np.float32))


@pytest.mark.parametrize("version", [(1, 1), (1, 2), (1, 3)])
def test_cnd_compares_r0_a_before(version: tuple[int, int]) -> None:
    i = Instruction(_O.CND, to(_R.TEMP, 1), (r(0, "w"), c(1), c(2)))
    for w, wanted in ((0.6, 0.25), (0.5, 0.75), (np.nan, 0.75)):
        found = evaluate(
            program(PS, version, i), {"r0": [-0.5, 0.5, 0, w]}, {"c1": [0.25] * 4, "c2": [0.75] * 4}
        )["r1"]
        same(found[0], np.full(4, wanted, np.float32))


@pytest.mark.parametrize(
    ("profile", "mask", "wanted"),
    [
        ("driver", "xyz", 0.25), ("driver", "w", 0.75), ("driver", "xyzw", 0.25),
        ("documented", "xyz", 0.75), ("ieee", "xyz", 0.75),
    ],
)  # fmt: skip
def test_cnd_as_the_later_half_of_a_pair(profile: str, mask: str, wanted: float) -> None:
    first = Instruction(_O.MOV, to(_R.TEMP, 0, "w"), (c(0, "w"),))
    i = Instruction(_O.CND, to(_R.TEMP, 1, mask), (r(0, "w"), c(1), c(2)), is_coissued=True)
    found = evaluate(
        program(PS, (1, 1), first, i), {}, {"c1": [0.25] * 4, "c2": [0.75] * 4}, profile=profile
    )["r1"]
    assert found[0]["xyzw".index(mask[0])] == wanted


def test_dp2add() -> None:
    found = result(_O.DP2ADD, "2,3,9,9", "5,7,9,9", "9,9,9,100", stage=PS, version=(2, 0))
    same(found, np.full(4, 131, np.float32))
    found = result(
        _O.DP2ADD, "2,3,9,9", "5,7,9,9", "100,9,9,9", stage=PS, version=(2, 0),
        profile="documented",
    )  # fmt: skip
    same(found, np.full(4, 131, np.float32))


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        (_O.M4X4, (10, 20, 30, 40)), (_O.M4X3, (10, 20, 30, 9)), (_O.M3X4, (6, 12, 18, 24)),
        (_O.M3X3, (6, 12, 18, 9)), (_O.M3X2, (6, 12, 9, 9)),
    ],
)  # fmt: skip
def test_matrix_rows_are_consecutive_registers(code: Opcode, wanted: tuple[int, ...]) -> None:
    rows = np.outer([1, 2, 3, 4], np.ones(4)).astype(np.float32)
    inputs: dict[str, Any] = {"r0": [1, 2, 3, 4], "r5": [9, 9, 9, 9]}
    direct = Instruction(code, R5, (r(0), c(4)))
    indexed = Instruction(code, R5, (r(0), c(2, relative=source(_R.ADDR, 0, "y"))))
    for engine in ENGINES:
        found = evaluate(program(VS, (2, 0), direct), inputs, {"c4": rows}, engine=engine)["r5"]
        assert tuple(found[0]) == wanted
        found = evaluate(
            program(VS, (2, 0), indexed), {**inputs, "a0": [0, 2, 0, 0]}, {"c4": rows},
            engine=engine,
        )["r5"]  # fmt: skip
        assert tuple(found[0]) == wanted


def test_matrix_rows_beyond_the_file_are_zero() -> None:
    i = Instruction(_O.M4X4, R5, (r(0), c(254)))
    rows = np.ones((2, 4), np.float32)
    found = evaluate(program(VS, (2, 0), i), {"r0": [1, 2, 3, 4]}, {"c254": rows})["r5"]
    assert tuple(found[0]) == (10, 10, 0, 0)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("2.5", (4, 0.5, 5.656854152679443, 1)), ("-1.25", (0.25, 0.75, 0.4204482138156891, 1)),
        ("0", (1, 0, 1, 1)), ("inf", (np.inf, np.nan, np.inf, 1)), ("nan", (np.nan,) * 3 + (1,)),
    ],
)  # fmt: skip
def test_expp_of_vs_1_1_has_four_parts(value: str, wanted: tuple[float, ...]) -> None:
    found = result(_O.EXPP, value, version=(1, 1))
    np.testing.assert_allclose(found, np.array(wanted, np.float32), rtol=2e-7)


@pytest.mark.parametrize(
    ("profile", "value", "wanted"),
    [
        ("driver", "-2.75", (1, 1.375, 1.4594316482543945, 1)), ("driver", "0", (-MAX, 1, -MAX, 1)),
        ("driver", "tiny", (-MAX, 1, -MAX, 1)), ("ieee", "-0", (-np.inf, 1, -np.inf, 1)),
        ("driver", "8", (3, 1, 3, 1)), ("driver", "0.375", (-2, 1.5, -1.4150375127792358, 1)),
        ("driver", "inf", (np.inf, 1, np.inf, 1)), ("driver", "nan", (np.nan,) * 3 + (1,)),
        ("documented", "-8", (3, 3, 3, 3)), ("documented", "0", (-MAX,) * 4),
    ],
)  # fmt: skip
def test_logp_of_vs_1_1(profile: str, value: str, wanted: tuple[float, ...]) -> None:
    found = result(_O.LOGP, value, version=(1, 1), profile=profile)
    np.testing.assert_allclose(found, np.array(wanted, np.float32), rtol=2e-7)


@pytest.mark.parametrize("version", [(2, 0), (3, 0)])
def test_sincos_writes_cosine_and_sine_under_the_mask(version: tuple[int, int]) -> None:
    sources = (r(0, "x"),) if version == (3, 0) else (r(0, "x"), c(0), c(1))
    for mask, wanted in (("xy", (0.87758256, 0.47942554, 9, 9)), ("y", (9, 0.47942554, 9, 9))):
        i = Instruction(_O.SINCOS, to(_R.TEMP, 5, mask), sources)
        found = evaluate(program(VS, version, i), {"r0": [0.5] * 4, "r5": [9] * 4})["r5"]
        np.testing.assert_allclose(found[0], wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("comparison", "wanted"),
    [
        (Comparison.GT, "001000"), (Comparison.EQ, "010010"), (Comparison.GE, "011010"),
        (Comparison.LT, "100000"), (Comparison.NE, "101101"), (Comparison.LE, "110010"),
    ],
)  # fmt: skip
def test_setp(comparison: Comparison, wanted: str) -> None:
    pairs = np.array([(1, 2), (2, 2), (3, 2), (np.nan, 2), (0, -0.0), (np.nan, np.nan)], np.float32)
    i = Instruction(_O.SETP, to(_R.PREDICATE, 0), (r(0, "x"), r(0, "y")), controls=comparison)
    for engine in ENGINES:
        found = evaluate(program(PS, (3, 0), i), {"r0": pairs}, engine=engine)["p0"]
        assert found.dtype == np.bool_
        assert ["".join(str(int(b)) for b in found[:, n]) for n in range(4)] == [wanted] * 4


def test_bem_multiplies_with_the_destination_stages_matrix() -> None:
    i = Instruction(_O.BEM, to(_R.TEMP, 2, "xy"), (r(0), r(1)))
    found = evaluate(
        program(PS, (1, 4), i), {"r0": [0.5, 0.25, 0, 0], "r1": [2, 3, 0, 0]},
        {"bump2": [1, 10, 100, 1000]},
    )["r2"]  # fmt: skip
    assert tuple(found[0]) == (0.5 + 2 + 300, 0.25 + 20 + 3000, 0, 0)


# --- the address register ----------------------------------------------------------------------

VALUES = np.array([-2.4, -2.5, -0.4, 0.5, 1.5, 1.6, 2.5, -np.inf, np.inf, np.nan], np.float32)
FLOOR = [-3, -3, -1, 0, 1, 1, 2, -(1 << 31), (1 << 31) - 1, 0]
NEAREST = [-2, -2, 0, 0, 2, 2, 2, -(1 << 31), (1 << 31) - 1, 0]


@pytest.mark.parametrize(
    ("code", "version", "profile", "wanted"),
    [
        (_O.MOV, (1, 1), "driver", FLOOR), (_O.MOV, (1, 1), "documented", NEAREST),
        (_O.MOV, (1, 1), "ieee", NEAREST), (_O.MOV, (2, 0), "driver", NEAREST),
        (_O.MOVA, (2, 0), "driver", NEAREST), (_O.MOVA, (3, 0), "documented", NEAREST),
    ],
)  # fmt: skip
def test_addresses_round(
    code: Opcode, version: tuple[int, int], profile: str, wanted: list[int]
) -> None:
    i = Instruction(code, to(_R.ADDR, 0, "x"), (r(0),))
    inputs = {"r0": VALUES[:, None]}
    for engine in ENGINES:
        found = evaluate(program(VS, version, i), inputs, profile=profile, engine=engine)["a0"]
        assert found.dtype == np.int32
        assert found[:, 0].tolist() == wanted
        assert not found[:, 1:].any()


def test_relative_constants_and_what_lies_outside() -> None:
    sm1 = Instruction(_O.MOV, R5, (c(3, relative=IMPLICIT_ADDRESS),))
    sm2 = Instruction(_O.MOV, R5, (c(3, relative=source(_R.ADDR, 0, "z")),))
    loop = Instruction(_O.MOV, R5, (c(3, relative=source(_R.LOOP, 0)),))
    index = np.array([-4, -3, 0, 252, 253, 1 << 30, -(1 << 31)], np.int32)
    constants = {"c0": np.arange(1024).reshape(256, 4)}
    wanted = [0, 0, 12, 1020, 0, 0, 0]
    columns = np.zeros((7, 4), np.int32)
    columns[:, 0] = columns[:, 2] = index
    for engine in ENGINES:
        for code, version, name in ((sm1, (1, 1), "a0"), (sm2, (2, 0), "a0"), (loop, (3, 0), "aL")):
            found = evaluate(program(VS, version, code), {name: columns}, constants, engine=engine)[
                "r5"
            ]
            assert found[:, 0].tolist() == wanted
            assert found[2].tolist() == [12, 13, 14, 15]


# --- constants ----------------------------------------------------------------------------------


def definition(at: int, *values: float) -> Instruction:
    words = np.array(values, np.float32).view(np.uint32)
    return Instruction(_O.DEF, to(_R.CONST, at), immediates=tuple(int(w) for w in words))


def test_definitions_win_and_are_seen_by_relative_reads() -> None:
    index = source(_R.ADDR, 0, "x")
    code = program(
        VS, (2, 0), definition(4, 9, 9, 9, 9), definition(4, 1, 2, 3, -0.0),
        Instruction(_O.MOV, R5, (c(4),)),
        Instruction(_O.MOV, to(_R.TEMP, 6), (c(3, relative=index),)),
    )  # fmt: skip
    found = evaluate(code, {"a0": [1, 0, 0, 0]}, {"c3": np.full((2, 4), 7)})
    same(found["r5"][0], np.array([1, 2, 3, -0.0]))
    same(found["r6"][0], np.array([1, 2, 3, -0.0]))


def test_definitions_beyond_the_file_are_refused() -> None:
    with pytest.raises(DecodeError, match=r"def of a register beyond c0 to c31 .instruction"):
        evaluate(program(PS, (2, 0), definition(32, 1, 2, 3, 4)), {})


@pytest.mark.parametrize("profile", PROFILES)
def test_constants_of_ps_1_x_are_clamped_defined_ones_too(profile: str) -> None:
    move = Instruction(_O.MOV, to(_R.TEMP, 0), (c(0),))
    add = Instruction(_O.MOV, to(_R.TEMP, 1), (c(1),))
    for engine in ENGINES:
        code = program(PS, (1, 4), definition(1, -8, -1, 1, np.inf), move, add)
        found = evaluate(code, {}, {"c0": [3, -3, 0.5, np.nan]}, profile=profile, engine=engine)
        same(found["r0"][0], np.array([1, -1, 0.5, np.nan]))
        same(found["r1"][0], np.array([-1, -1, 1, 1]))
    found = evaluate(program(VS, (1, 1), move), {}, {"c0": [3, -3, 0.5, 0]})
    same(found["r0"][0], np.array([3, -3, 0.5, 0]))


# --- modifiers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("modifier", "wanted"),
    [
        (_M.NONE, (0.75, -0.0, np.inf, np.nan)), (_M.NEG, (-0.75, 0, -np.inf, np.nan)),
        (_M.BIAS, (0.25, -0.5, np.inf, np.nan)), (_M.BIASNEG, (-0.25, 0.5, -np.inf, np.nan)),
        (_M.SIGN, (0.5, -1, np.inf, np.nan)), (_M.SIGNNEG, (-0.5, 1, -np.inf, np.nan)),
        (_M.COMP, (0.25, 1, -np.inf, np.nan)), (_M.X2, (1.5, -0.0, np.inf, np.nan)),
        (_M.X2NEG, (-1.5, 0, -np.inf, np.nan)), (_M.ABS, (0.75, 0, np.inf, np.nan)),
        (_M.ABSNEG, (-0.75, -0.0, -np.inf, np.nan)),
    ],
)  # fmt: skip
def test_source_modifiers(modifier: SourceModifier, wanted: tuple[float, ...]) -> None:
    i = Instruction(_O.MOV, to(_R.TEMP, 1), (r(0, modifier=modifier),))
    for engine in ENGINES:
        found = evaluate(
            program(PS, (1, 4), i), {"r0": [0.75, -0.0, np.inf, np.nan]}, engine=engine
        )
        same(found["r1"][0], np.array(wanted, np.float32))


@pytest.mark.parametrize(
    ("modifier", "profile", "value", "wanted"),
    [
        (_M.DZ, "driver", (6, 8, 2, 4), (3, 4, 2, 4)),
        (_M.DW, "driver", (6, 8, 2, 4), (1.5, 2, 2, 4)),
        (_M.DW, "driver", (6, -8, 2, 0), (1, 1, 2, 0)),
        (_M.DZ, "documented", (6, 8, -0.0, 1), (1, 1, -0.0, 1)),
        (_M.DW, "ieee", (6, -8, 2, 0), (np.inf, -np.inf, 2, 0)),
    ],
)  # fmt: skip
def test_division_modifiers(
    modifier: SourceModifier, profile: str, value: tuple[float, ...], wanted: tuple[float, ...]
) -> None:
    code = program(PS, (1, 4), Instruction(_O.ADD, R5, (r(0, "yxzw", modifier=modifier), c(7))))
    for engine in ENGINES:
        found = evaluate(code, {"r0": value}, profile=profile, engine=engine)["r5"][0]
        x, y, z, w = (np.float32(v) + np.float32(0) for v in wanted)
        limit = {"documented": 8}.get(profile, np.inf)
        same(found, np.clip([y, x, z, w], -limit, limit))


def test_swizzle_comes_before_and_mask_after() -> None:
    i = Instruction(_O.ADD, to(_R.TEMP, 5, "xw"), (r(0, "wzyx"), r(1, "y", modifier=_M.NEG)))
    found = evaluate(
        program(VS, (2, 0), i), {"r0": [1, 2, 3, 4], "r1": [10, 20, 30, 40], "r5": [9, 9, 9, 9]}
    )
    assert found["r5"][0].tolist() == [-16, 9, 9, -19]


def test_scalar_sources_take_the_last_component_for_drivers() -> None:
    i = Instruction(_O.RCP, R5, (r(0),))
    for profile, wanted in (("driver", 0.125), ("documented", 1.0), ("ieee", 1.0)):
        found = evaluate(program(VS, (1, 1), i), {"r0": [1, 2, 4, 8]}, profile=profile)["r5"]
        assert found[0].tolist() == [wanted] * 4


@pytest.mark.parametrize(
    ("shift", "factor"), [(1, 2), (2, 4), (3, 8), (-1, 0.5), (-2, 0.25), (-3, 0.125)]
)
def test_shift_then_saturation(shift: int, factor: float) -> None:
    value = [0.3, -0.3, np.inf, np.nan]
    wanted = np.array([np.float32(0.3) * np.float32(factor), -np.float32(0.3) * np.float32(factor),
                       np.inf, np.nan], np.float32)  # fmt: skip
    for saturate in (ResultModifier.NONE, ResultModifier.SATURATE):
        d = to(_R.TEMP, 1, shift=shift, modifiers=saturate)
        code = program(PS, (1, 4), Instruction(_O.MOV, d, (r(0),)))
        if saturate:
            wanted = np.nan_to_num(np.clip(wanted, 0, 1), nan=0)
        for engine in ENGINES:
            same(evaluate(code, {"r0": value}, engine=engine)["r1"][0], wanted)


def test_partial_precision_is_full_precision() -> None:
    d = to(_R.TEMP, 5, modifiers=ResultModifier.PARTIALPRECISION)
    i = Instruction(_O.ADD, d, (r(0), r(0)))
    found = evaluate(program(PS, (2, 0), i), {"r0": [1e-7, 1e30, 0.1, 3]})["r5"]
    same(found[0], np.array([2e-7, 2e30, 0.2, 6], np.float32))


@pytest.mark.parametrize(
    ("profile", "version", "limit"),
    [
        ("driver", (1, 1), np.inf), ("driver", (1, 4), np.inf), ("ieee", (1, 1), np.inf),
        ("documented", (1, 1), 1), ("documented", (1, 3), 1), ("documented", (1, 4), 8),
        ("documented", (2, 0), np.inf),
    ],
)  # fmt: skip
def test_range_of_temporaries(profile: str, version: tuple[int, int], limit: float) -> None:
    i = Instruction(_O.ADD, to(_R.TEMP, 1), (r(0), r(0)))
    value = np.array([30, -30, 0.25, np.nan], np.float32)
    found = evaluate(program(PS, version, i), {"r0": value}, profile=profile)["r1"]
    same(found[0], np.clip(2 * value, -limit, limit))


# --- pairs, predicates, outputs -----------------------------------------------------------------


def test_a_pair_reads_before_it_writes() -> None:
    code = program(
        PS, (1, 1),
        Instruction(_O.MOV, to(_R.TEMP, 0, "xyz"), (r(0, "w"),)),
        Instruction(_O.MOV, to(_R.TEMP, 0, "w"), (r(0, "x"),), is_coissued=True),
    )  # fmt: skip
    for engine in ENGINES:
        found = evaluate(code, {"r0": [1, 2, 3, 4]}, engine=engine)["r0"]
        assert found[0].tolist() == [4, 4, 4, 1]


def test_an_instruction_reads_before_it_writes() -> None:
    code = program(VS, (2, 0), Instruction(_O.ADD, to(_R.TEMP, 0), (r(0, "yzwx"), r(0, "wxyz"))))
    assert evaluate(code, {"r0": [1, 2, 3, 4]})["r0"][0].tolist() == [6, 4, 6, 4]


def predicate(text: str = "xyzw", modifier: SourceModifier = _M.NONE) -> SourceParameter:
    return source(_R.PREDICATE, 0, text, modifier=modifier)


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        (predicate(), (1, 9, 1, 9)), (predicate(modifier=_M.NOT), (9, 1, 9, 9)),
        (predicate("x"), (1, 1, 1, 9)), (predicate("y"), (9, 9, 9, 9)),
        (predicate("y", _M.NOT), (1, 1, 1, 9)),
    ],
)  # fmt: skip
def test_predicates_choose_components(how: SourceParameter, wanted: tuple[float, ...]) -> None:
    code = program(
        PS, (3, 0),
        Instruction(_O.SETP, to(_R.PREDICATE, 0), (r(0), r(1)), controls=Comparison.GT),
        Instruction(_O.MOV, to(_R.TEMP, 5, "xyz"), (r(2),), predicate=how),
    )  # fmt: skip
    inputs = {"r0": [1, 0, 1, 0], "r1": [0.5] * 4, "r2": [1] * 4, "r5": [9] * 4}
    for engine in ENGINES:
        assert tuple(evaluate(code, inputs, engine=engine)["r5"][0]) == wanted


def test_predicated_setp_and_mova() -> None:
    gt, lt = Comparison.GT, Comparison.LT
    code = program(
        VS, (3, 0),
        Instruction(_O.SETP, to(_R.PREDICATE, 0), (r(0), r(1)), controls=gt),
        Instruction(_O.MOVA, to(_R.ADDR, 0), (r(2),), predicate=predicate()),
        Instruction(
            _O.SETP, to(_R.PREDICATE, 0), (r(0), r(1)), controls=lt, predicate=predicate("y")
        ),
    )  # fmt: skip
    inputs: dict[str, Any] = {"r0": [1, 0, 1, 0], "r1": [0.5] * 4, "r2": [3] * 4, "a0": [7] * 4}
    for engine in ENGINES:
        found = evaluate(code, inputs, engine=engine)
        assert found["a0"][0].tolist() == [3, 7, 3, 7]
        assert found["p0"][0].tolist() == [True, False, True, False]


def test_predicated_writes_flush_denormals() -> None:
    code = program(
        PS, (3, 0),
        Instruction(_O.SETP, to(_R.PREDICATE, 0), (r(0), r(1)), controls=Comparison.LT),
        Instruction(_O.MOV, to(_R.TEMP, 1), (r(0),), predicate=predicate()),
    )  # fmt: skip
    for engine in ENGINES:
        found = evaluate(code, {"r0": [0] * 4, "r1": [TINY, 1, -TINY, 2]}, engine=engine)["r1"]
        same(found[0], np.array([0, 0, -0.0, 0], np.float32))


def test_colours_and_fog_are_clamped_before_vs_3_0() -> None:
    value = (r(0),)
    outputs = (to(_R.ATTROUT, 1), to(_R.RASTOUT, 0), to(_R.RASTOUT, 1), to(_R.OUTPUT, 2))
    code = [Instruction(_O.MOV, d, value) for d in outputs]
    found = evaluate(program(VS, (2, 0), *code), {"r0": [2, -1, 0.5, np.nan]})
    assert found["oD1"][0].tolist() == [1, 0, 0.5, 0]
    assert found["oFog"][0].tolist() == [1, 0, 0.5, 0]
    same(found["oPos"][0], np.array([2, -1, 0.5, np.nan]))
    same(found["oT2"][0], np.array([2, -1, 0.5, np.nan]))
    found = evaluate(program(VS, (3, 0), code[3]), {"r0": [2, -1, 0.5, 0]})
    assert found["o2"][0].tolist() == [2, -1, 0.5, 0]


def test_masked_outputs_collect_components() -> None:
    code = program(
        PS, (3, 0), Instruction(_O.MOV, to(_R.COLOROUT, 0, "xz"), (r(0),)),
        Instruction(_O.MOV, to(_R.COLOROUT, 0, "y"), (r(0, "w"),)),
        Instruction(_O.MOV, to(_R.DEPTHOUT, 0), (r(0, "x"),)),
    )  # fmt: skip
    found = evaluate(code, {"r0": [1, 2, 3, 4]})
    assert found["oC0"][0].tolist() == [1, 4, 3, 0]
    assert found["oDepth"][0].tolist() == [1] * 4


def test_inputs_nobody_supplies() -> None:
    moves = [
        Instruction(_O.MOV, to(_R.TEMP, n), (source(type_, 1),))
        for n, type_ in enumerate((_R.INPUT, _R.TEXTURE, _R.CONST, _R.TEMP))
    ]
    found = evaluate(program(PS, (2, 0), *moves), {})
    assert [found[f"r{n}"][0].tolist() for n in range(3)] == [[0, 0, 0, 1], [0, 0, 0, 1], [0] * 4]
    found = evaluate(program(PS, (2, 0), *moves), {"v1": [[2, 3], [4, 5], [6, 7]]})
    assert found["r0"].tolist() == [[2, 3, 0, 1], [4, 5, 0, 1], [6, 7, 0, 1]]


@pytest.mark.parametrize("lanes", [1, 63, 64, 65, 1000])
def test_any_number_of_lanes(lanes: int) -> None:
    values = np.arange(lanes * 4, dtype=np.float32).reshape(lanes, 4)
    code = program(VS, (2, 0), Instruction(_O.ADD, R5, (r(0), c(0))))
    for width in (0, 4, 8, 16):
        found = evaluate(code, {"r0": values}, {"c0": [1, 2, 3, 4]}, lanes=width)["r5"]
        assert (found == values + np.array([1, 2, 3, 4])).all()


# --- errors -------------------------------------------------------------------------------------

MOV = Instruction(_O.MOV, R5, (r(0),), index=3, offset=40)


@pytest.mark.parametrize(
    ("inputs", "constants", "more", "message"),
    [
        ({"q0": [0]}, {}, {}, "q0: vs_2_0 has no such register"),
        ({"r12": [0]}, {}, {}, "r12: vs_2_0 has no such register"),
        ({"t0": [0]}, {}, {}, "t0: vs_2_0 has no such register"),
        ({"c0": [0]}, {}, {}, "c0: found among the inputs, wanted it among the constants"),
        ({"oPos": [0]}, {}, {}, "oPos: found among the inputs, but it has no first contents"),
        ({"s0": [0]}, {}, {}, "s0: vs_2_0 has no such register"),
        ({"r0": np.zeros((2, 5))}, {}, {}, r"r0: found shape \(2, 5\), wanted \(lanes, 4\) or"),
        ({"r0": np.zeros((0, 4))}, {}, {}, "r0: found 0 lanes"),
        ({"r0": "word"}, {}, {}, "r0: found no array of numbers"),
        ({"r0": np.zeros((2, 4)), "r1": np.zeros((3, 4))}, {}, {}, "r1: found 3 lanes, others"),
        ({}, {"r0": [0] * 4}, {}, "r0: found among the constants, wanted it among the inputs"),
        ({}, {"c0": [0] * 3}, {}, r"c0: found shape \(3,\)"),
        ({}, {"c255": np.zeros((2, 4))}, {}, "c255: found 2 registers from there"),
        ({}, {"bump8": [0] * 4}, {}, "bump8: vs_2_0 has no such register"),
        ({}, {"i15": np.zeros((2, 4))}, {}, "i15: found 2 registers from there"),
        ({}, {"i0": 1}, {}, r"i0: found shape \(\), wanted \(4,\) or"),
        ({}, {"b0": [[1, 0]]}, {}, r"b0: found shape \(1, 2\), wanted a number or"),
        ({"b0": [1]}, {}, {}, "b0: found among the inputs"),
        ({}, {}, {"profile": "fast"}, "profile: found 'fast', wanted documented, driver, ieee"),
        ({}, {}, {"engine": "gpu"}, "engine: found 'gpu'"),
        ({}, {}, {"lanes": 5}, "lanes: found 5"),
    ],
)  # fmt: skip
def test_wrong_arguments(
    inputs: dict[str, Any], constants: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    with pytest.raises(ResourceError, match=message):
        evaluate(program(VS, (2, 0), MOV), inputs, constants, **more)


def test_constants_of_flow_are_accepted() -> None:
    found = evaluate(program(VS, (2, 0), MOV), {"r0": [1]}, {"i0": [1, 2, 3, 0], "b3": True})
    assert found["r5"][0].tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("stage", "version", "instruction", "error", "message"),
    [
        (PS, (2, 1), Instruction(_O.REP, None, (source(_R.CONSTINT, 0),)), DecodeError,
         "rep has no endrep"),
        (PS, (2, 0), Instruction(_O.TEX, R5, (r(0), source(_R.SAMPLER, 0)), 3), DecodeError,
         "kind 3 of lookups is not defined"),
        (PS, (2, 0), Instruction(_O.TEX, R5, (r(0), r(1))), DecodeError, "TEMP is no sampler"),
        (PS, (1, 4), Instruction(_O.TEX, to(_R.TEMP, 8), (r(0),)), DecodeError,
         "there is no texture stage 8"),
        (VS, (2, 0), Instruction(_O.MOV, R5, (source(_R.INPUT, 0, relative=source(_R.LOOP, 0)),)),
         DecodeError, "INPUT cannot be indexed in vs_2_0"),
        (VS, (2, 0), Instruction(_O.MOV, to(_R.OUTPUT, 0, relative=source(_R.LOOP, 0)), (r(0),)),
         DecodeError, "TEXCRDOUT cannot be indexed in vs_2_0"),
        (VS, (2, 0), Instruction(_O.MOV, R5, (c(0, relative=r(0)),)), DecodeError,
         "TEMP cannot be an index"),
        (VS, (2, 0), Instruction(_O.MOV, R5, (source(_R.SAMPLER, 0),)), DecodeError,
         "arithmetic cannot read SAMPLER"),
        (VS, (2, 0), Instruction(_O.MOV, to(_R.CONST, 0), (r(0),)), DecodeError,
         "mov cannot write CONST"),
        (VS, (2, 1), Instruction(_O.MOV, to(_R.PREDICATE, 0), (r(0),)), DecodeError,
         "mov cannot write PREDICATE"),
        (VS, (2, 1), Instruction(_O.SETP, R5, (r(0), r(1)), controls=1), DecodeError,
         "setp cannot write TEMP"),
        (VS, (2, 1), Instruction(_O.SETP, to(_R.PREDICATE, 0), (r(0), r(1))), DecodeError,
         "comparison 0 is not defined"),
        (VS, (2, 0), Instruction(_O.MOVA, R5, (r(0),)), DecodeError, "TEMP holds no integers"),
        (VS, (2, 0), Instruction(_O.ADD, R5, (r(0),)), DecodeError,
         "add takes 2 sources, found 1"),
        (VS, (2, 0), Instruction(_O.MOV, R5, (r(0, modifier=_M.NOT),)), DecodeError,
         "the modifier ! is for predicates"),
        (VS, (2, 1), Instruction(_O.MOV, R5, (r(0),), predicate=r(0)), DecodeError,
         "TEMP with modifier NONE is no predicate"),
        (PS, (1, 4), Instruction(_O.BEM, to(_R.TEMP, 8), (r(0), r(1))), DecodeError,
         "there is no texture stage 8"),
    ],
)  # fmt: skip
def test_what_is_refused(
    stage: ProgramType, version: tuple[int, int], instruction: Instruction,
    error: type[Exception], message: str, engine: str,
) -> None:  # fmt: skip
    with pytest.raises(error, match=message + r" \(instruction 0, byte offset 0x0\)"):
        evaluate(program(stage, version, instruction), {}, engine=engine)


@pytest.mark.parametrize("version", ["vs_1_1", "vs_2_0", "vs_3_0", "ps_2_0", "ps_2_x", "ps_3_0"])
def test_the_reciprocal_of_a_reciprocal_in_driver(version: str) -> None:
    """`rcp(rcp(x))` is x for zeros and infinities, as on native Direct3D 9."""
    x = np.array([[0.0, -0.0, np.inf, -np.inf]], np.float32).T.repeat(4, 1)
    text = f"{version}\nrcp r0, r0.x\nrcp r1, r0.x\nrsq r2, r0.x\nmov r3, r1\n"
    program = softd3d.load9(softd3d.assemble(text)).program
    for engine in ("interpreter", "jit"):
        found = evaluate(program, {"r0": x}, engine=engine)
        for register, wanted in (("r0", [np.inf, -np.inf, 0.0, -0.0]),
                                 ("r1", [0.0, -0.0, np.inf, -np.inf]),
                                 ("r2", [0.0, 0.0, np.inf, np.inf])):  # fmt: skip
            bits = np.array(wanted, np.float32).view(np.uint32)
            assert found[register][:, 0].view(np.uint32).tolist() == bits.tolist()


@pytest.mark.parametrize(
    ("stage", "version", "last"),
    [
        (ProgramType.PS, (1, 1), 7), (ProgramType.PS, (1, 4), 7), (ProgramType.PS, (2, 0), 31),
        (ProgramType.PS, (3, 0), 223), (ProgramType.VS, (1, 1), 255), (ProgramType.VS, (3, 0), 255),
    ],
)  # fmt: skip
def test_a_definition_beyond_the_last_constant_names_it(
    stage: ProgramType, version: tuple[int, int], last: int
) -> None:
    for number in (last, last + 1):
        d = DestinationParameter(RegisterType.CONST, number)
        program = Program(stage, *version, (Instruction(Opcode.DEF, d, immediates=(0, 0, 0, 0)),))
        if number == last:
            evaluate(program, {})
            continue
        with pytest.raises(DecodeError) as raised:
            evaluate(program, {})
        assert raised.value.message == f"def of a register beyond c0 to c{last}"
