"""A short campaign of hostile calls of Direct3D 9; device9_campaign.py runs long ones."""

from __future__ import annotations

import pytest
from device9_campaign import run


def test_hostile_calls_end_with_results_or_shader_errors() -> None:
    sessions = [run(number, both=False) for number in range(8)]
    lines = [line for session in sessions for line in session.log]
    assert sum(line.startswith("draw: ") and line[6:].isdecimal() for line in lines) > 20
    assert any("Error" in line for line in lines)


@pytest.mark.slow
def test_both_engines_draw_the_same() -> None:
    for number in range(1000, 1012):
        run(number, both=True)


def test_a_number_gives_a_session() -> None:
    one, same, other = (run(number, both=False) for number in (1, 1, 2))
    assert one.log == same.log
    assert one.log != other.log
