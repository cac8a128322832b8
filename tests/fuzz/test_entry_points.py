"""A short campaign over all entry points; tests/fuzz/entry_points.py runs long ones."""

from __future__ import annotations

from pathlib import Path

from entry_points import BINARY, EFFECTS10, campaign

DATA = Path(__file__).parents[1] / "unit/container/data"


def test_damaged_direct3d_9_files_too() -> None:
    paths = sorted((DATA / "effect9").glob("*.fxo")) + sorted((DATA / "sm1").rglob("*.bin"))
    assert len(paths) > 5
    outcomes = list(campaign([path.read_bytes() for path in paths], 0, 1500))
    assert "done" in {outcome for *_, outcome in outcomes}


def test_damaged_direct3d_10_effects_too() -> None:
    paths = [*(DATA / "effects10").glob("*.dxbc"), *(DATA / "effects10").glob("*.fxo")]
    outcomes = list(campaign([path.read_bytes() for path in sorted(paths)], 0, 700))
    assert {name for _, name, outcome in outcomes if outcome == "done"} == set(EFFECTS10)


def test_damaged_files_and_texts_end_in_a_result_or_a_shader_error() -> None:
    samples = [path.read_bytes() for path in sorted(DATA.glob("*.dxbc"))]
    outcomes = [(name, outcome) for _, name, outcome in campaign(samples, 0, 3000)]
    assert {name for name, _ in outcomes} == {*BINARY, "as"}
    assert {name for name, outcome in outcomes if outcome == "done"} == {*BINARY, "as"}
