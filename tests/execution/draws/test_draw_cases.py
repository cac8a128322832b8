"""The draw cases of the samples: expected pictures, and the same bits from both engines."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

import softd3d.jit.draw.engine as native
from softd3d.device.verdict import CaseResult, disagreements, run_case
from softd3d.jit.draw.engine import compile_draw
from softd3d.resources.cases.file import Case, read_case

SAMPLES = Path(__file__).parents[4] / "shared/samples"


def is_draw(path: Path) -> bool:
    return json.loads(path.read_bytes())["kind"] == "draw"


CASES = [
    path
    for folder in ("pipeline", "sm4_5", "sanitiser")
    for path in sorted((SAMPLES / folder / "cases").glob("*.json"))
    if is_draw(path)
]
PIECES = ({}, {"tile": (16, 16), "chunk": 7}, {"tile": (6, 130), "chunk": 1})
NOT_AS_EXPECTED = {  # proved in test_wrong_cases.py
    "ps_coverage_sample_mask": "nothing is expected where oMask AND SampleMask leaves a sample",
    "large_ssao": "deriv_rtx is expected to be fine (Wine); pixel.md section 5 chooses coarse",
    "hs_ds_isoline_fractional_odd_mixed": "SV_PrimitiveID behind the tessellator is the patch's",
    "hs_ds_isoline_integer_mixed": "the same: Wine counts lines (11.7.9.1)",
    "interp_eval_msaa4": "the HLSL has AA.xy, what was compiled moves AA.zw to o0.xy",
}


def results(case: Case, engine: str, **options: int) -> CaseResult:
    return run_case(case, engine, **options)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_reference_engine_draws_what_is_expected(path):
    case = read_case(path)
    is_as_expected = results(case, "interpreter").differences == ()
    assert is_as_expected is (case.name not in NOT_AS_EXPECTED)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_engines_draw_the_same_bits(path, monkeypatch):
    """With one and two threads, all widths of waves, and several tiles and chunks, in turn."""
    number = CASES.index(path)
    monkeypatch.setattr(native, "compile_draw", partial(compile_draw, **PIECES[number // 3 % 3]))
    options = {"threads": 1 + number % 2, "lanes": (4, 8, 16)[number % 3]}
    case = read_case(path)
    compiled = results(case, "jit", **options)
    reference = results(case, "interpreter")
    assert disagreements(case, reference, compiled) == ()
    assert compiled.outcome == reference.outcome


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_engines_draw_the_same_bits_with_all_threads_and_lanes(path, threads, lanes):
    case = read_case(path)
    compiled = results(case, "jit", threads=threads, lanes=lanes)
    assert disagreements(case, results(case, "interpreter"), compiled) == ()


def test_all_cases_are_there(shared):
    assert shared.is_dir()
    assert len(CASES) == 161
