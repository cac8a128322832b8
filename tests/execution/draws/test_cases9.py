"""The draw cases of Direct3D 9 from ../shared: both engines give the expected pixels."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from softd3d.device.d3d9.cases.case import Case9, read_case9, run_case9
from softd3d.device.d3d9.cases.verdict import candidates9, differences9, disagreements9
from softd3d.jit.draw import engine

pytestmark = pytest.mark.corpus

FOLDER = Path(__file__).parents[4] / "shared/samples/pipeline9"
PATHS = [p for p in sorted(FOLDER.glob("*.json")) if p.stem != "index"] if FOLDER.is_dir() else []
CASES = {path: read_case9(path) for path in PATHS}
# One of each kind; a kernel is compiled for every draw, so all of them take a while.
QUICK = ("om_mrt_two_targets", "vtx_instancing", "ff_two_textures", "pipe_scissor")
COMPILED = [
    pytest.param(p, marks=() if p.stem in QUICK else pytest.mark.slow, id=p.stem) for p in PATHS
]


def lines(case: Case9, **options: object) -> list[str]:
    return [str(one) for one in differences9(case, run_case9(case, **options))]


def test_there_are_cases(shared: Path) -> None:
    assert len(PATHS) == 96


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_interpreter(path: Path) -> None:
    assert lines(CASES[path], engine="interpreter") == []


@pytest.mark.parametrize("path", COMPILED)
def test_jit_gives_the_same_bits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[path]
    wanted = run_case9(case, engine="interpreter")

    def check(**options: int) -> None:
        found = run_case9(case, engine="jit", **options)
        assert differences9(case, found) == ()
        assert disagreements9(wanted, found) == ()

    check(threads=1)
    check(threads=2, lanes=4)
    small = partial(engine.compile_draw, tile=(4, 2), chunk=1)
    monkeypatch.setattr(engine, "compile_draw", small)
    check(threads=2)


@pytest.mark.parametrize(
    ("name", "profile"), [("om_alphatest_quantised", "ieee"), ("vtx_decl_missing", "ieee")]
)
def test_other_known_answers_are_those_of_another_profile(name: str, profile: str) -> None:
    (case,) = (c for p, c in CASES.items() if p.stem == name)
    driver = run_case9(case, engine="interpreter")
    other = run_case9(case, profile=profile, engine="interpreter")
    assert candidates9(case, driver) == ()
    assert len(candidates9(case, other)) == 1
