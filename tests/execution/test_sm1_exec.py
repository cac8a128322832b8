"""Execution cases of SM1-3 from ../shared: both engines give the expected values.

Where sources disagree a case holds every known answer; each profile is held to the ones it takes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.device.shader_cases import found_words
from softd3d.isa.row import Kind, Row
from softd3d.isa.sm1.decode import decode
from softd3d.isa.sm1.program import Instruction
from softd3d.isa.sm1.tokens import row_of
from softd3d.resources.cases.shader9 import read_shader_case

pytestmark = pytest.mark.corpus

FOLDER = Path(__file__).parents[3] / "shared/samples/sm1_3/exec"
CASES = sorted(FOLDER.glob("*.json")) if FOLDER.is_dir() else []
LOADED = {path: json.loads(path.read_text()) for path in CASES}


def rows(path: Path) -> list[Row]:
    program = decode(path.with_suffix(".bin").read_bytes())
    instructions = [i for i in program.instructions if isinstance(i, Instruction)]
    found = [row_of(i.opcode, program.type, program.version) for i in instructions]
    return [row for row in found if row is not None]


FLOWING = [
    path
    for path in CASES
    if any(row.kind in (Kind.FLOW, Kind.EFFECT) or row.mnemonic == "setp" for row in rows(path))
]


def floats(words: list[list[str]]) -> np.ndarray:
    return np.array([[int(w, 16) for w in row] for row in words], np.uint32).view(np.float32)


def run(path: Path, engine: str, profile: str, lanes: int = 0) -> np.ndarray:
    """Return what the case observes, (pixels * targets, 4)."""
    case = read_shader_case(path)
    return found_words(case, engine, lanes=lanes, profile=profile).view(np.float32)


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the distance in units in the last place."""
    bits = [x.view(np.int32).astype(np.int64) for x in (a, b)]
    ordered = [np.where(x < 0, -(x & 0x7FFFFFFF), x) for x in bits]
    return np.abs(ordered[0] - ordered[1])


def accepted(case: dict[str, Any], wanted: np.ndarray, found: np.ndarray) -> np.ndarray:
    tolerance = case["tolerance"]
    with np.errstate(all="ignore"):
        near = np.abs(wanted.astype(np.float64) - found) <= tolerance["abs"]
    is_near = (distance(wanted, found) <= tolerance["ulp"]) & (np.isinf(wanted) == np.isinf(found))
    return is_near | near | (np.isnan(wanted) & np.isnan(found)) | (wanted == found)


def answer(case: dict[str, Any], words: str) -> np.ndarray:
    """Return the candidate whose source begins with these words."""
    (candidate,) = [c for c in case["candidates"] if c["source"].startswith(words)]
    values = floats(case["expected"]).view(np.uint32).copy()
    for row, component, word in candidate["diffs"]:
        values[row, component] = int(word, 16)
    return values.view(np.float32)


# Denormals flush here (docs/numbers.md), in these cases not.
DENORMAL = ("ps_3_0_denorm",)
SHORT_VECTOR = ("ps_2_0_op_nrm", "vs_2_0_op_nrm", "vs_3_0_op_nrm")
SHORT_LANE = 19  # its squared length 1e-40 is a denormal: the vector counts as one of length 0


# What these cases state as expected rests on FLT_MAX for the reciprocal of 0. The profile `driver`
# has infinity, as AMD's and NVIDIA's drivers do (docs/numbers-d3d9.md); each case has it, too.
OF_INFINITY = {"op_rcp": "IEEE / NV, AMD hardware, Wine GLSL: signed inf",
               "op_rsq": "IEEE / NV, AMD hardware, Wine GLSL: +inf",
               "op_nrm": "rsq path: factor inf, legacy multiply"}  # fmt: skip


def expected(case: dict[str, Any]) -> np.ndarray:
    name = case["name"]
    if name in DENORMAL:
        return answer(case, "flushed to zero")
    words = OF_INFINITY.get(name[-6:])
    wanted = floats(case["expected"]) if words is None else answer(case, words)
    if name in SHORT_VECTOR:
        short = of_short_vector(case)
        wanted[SHORT_LANE] = np.where(np.isnan(short), np.float32(0), short)  # 0 times infinity
    return wanted


def of_short_vector(case: dict[str, Any]) -> np.ndarray:
    """Return the short vector times the reciprocal length of a vector of length 0, infinity."""
    (words,) = case["inputs"].values()
    x = floats(words)[SHORT_LANE]
    with np.errstate(all="ignore"):
        return np.where(x == 0, np.float32(0), x) * np.float32(np.inf)


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path, engine: str) -> None:
    case = LOADED[path]
    found = run(path, engine, "driver")
    wanted = expected(case)
    good = accepted(case, wanted, found)
    assert good.all(), [
        (int(r), int(c), wanted[r, c].view(np.uint32), found[r, c].view(np.uint32))
        for r, c in zip(*np.nonzero(~good), strict=True)
    ]


# The answers that the other profiles take, by the first words of the candidate's source.
_PRODUCTS = ("lrp", "mad", "mul", "crs", "dp2add", "dp3", "dp4", "dst")
ANSWERS: dict[str, dict[str, str]] = {
    "documented": {
        **{f"op_{name}": "IEEE multiply" for name in _PRODUCTS},
        **{f"op_{name}": "MS p" for name in ("rcp", "rsq", "log", "min", "max")},
        "vs_1_1_mov_a0": "round to nearest even",
        "vs_1_1_logp_4part": "scalar form, log(0) = -FLT_MAX",
        "ps_1_1_overflow": "clamp +-1",
        "cnd_coissue": "condition honoured",
        "op_pow": "|s0|^s1 IEEE pow",
    },
    "ieee": {
        **{f"op_{name}": "IEEE multiply" for name in _PRODUCTS},
        "op_rcp": "IEEE / NV, AMD hardware, Wine GLSL: signed inf",
        "op_rsq": "IEEE / NV, AMD hardware, Wine GLSL: +inf",
        "op_log": "NV driver, plain GLSL: -inf",
        "op_min": "IEEE minNum",
        "op_max": "IEEE maxNum",
        "op_nrm": "factor inf, IEEE multiply",
        "vs_1_1_mov_a0": "round to nearest even",
        "ps_1_1_overflow": "no clamp",
        "cnd_coissue": "condition honoured",
        "op_pow": "|s0|^s1 IEEE pow",
    },
}
DISPUTED = [
    (path, profile, words)
    for path in CASES
    for profile, answers in ANSWERS.items()
    for name, words in answers.items()
    if path.stem.endswith(name) or (name == "cnd_coissue" and name in path.stem)
]


@pytest.mark.parametrize("engine", ["interpreter", "jit"])
@pytest.mark.parametrize(
    ("path", "profile", "words"), DISPUTED, ids=[f"{p.stem}-{n}" for p, n, _ in DISPUTED]
)
def test_disputed_case(path: Path, profile: str, words: str, engine: str) -> None:
    case = LOADED[path]
    wanted = answer(case, words)
    if case["name"] in SHORT_VECTOR:
        wanted[SHORT_LANE] = of_short_vector(case)
    found = run(path, engine, profile)
    assert accepted(case, wanted, found).all()


@pytest.mark.parametrize(("profile", "lanes"), [("driver", 4), ("documented", 8), ("ieee", 16)])
@pytest.mark.parametrize("path", FLOWING, ids=lambda path: path.stem)
def test_flow_is_the_same_in_both_engines_and_every_profile(
    path: Path, profile: str, lanes: int
) -> None:
    wanted = run(path, "interpreter", profile)
    found = run(path, "jit", profile, lanes)
    assert (wanted.view(np.uint32) == found.view(np.uint32)).all()
    is_clamped = profile == "documented" and path.stem.startswith("ps_1")  # which cases are not
    if "candidates" not in LOADED[path] and not is_clamped:
        assert accepted(LOADED[path], floats(LOADED[path]["expected"]), found).all()


def test_there_are_cases(shared: Path) -> None:
    assert len(CASES) == 224
    assert len(FLOWING) >= 90
    assert len(DISPUTED) >= 80
