"""A short campaign of hostile draws, in a process that may die; draw_campaign.py runs long ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hostile_draws import hostile_draw, random_kind

SCRIPT = Path(__file__).parent / "draw_campaign.py"
EVERY = 17  # five or six draws of each kind


def report(tmp_path: Path, *options: str) -> dict[str, Any]:
    """Run a campaign; return its figures."""
    path = tmp_path / "figures.json"
    command = [sys.executable, str(SCRIPT), "--json", str(path), *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(  # noqa: S603 - our own script
        command, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(path.read_text())


def test_hostile_draws_end_the_same_on_both_engines(tmp_path: Path) -> None:
    figures = report(tmp_path, "--count", "140", "--every", str(EVERY), "--own-shaders")
    assert figures["draws"] == 140
    assert figures["failures"] == []
    assert figures["with_pixels"]
    assert set(figures["with_stages"]) == {"hs", "ds", "gs", "so"}


@pytest.mark.slow
def test_many_hostile_draws_end_the_same_on_both_engines(tmp_path: Path) -> None:
    figures = report(tmp_path, "--count", "2000", "--start", "1000000", "--keep-on")
    assert figures["failures"] == []
    assert set(figures["outcomes"]) >= {"done", "ResourceError", "stopped", "DecodeError"}


@pytest.mark.slow
def test_many_hostile_draws_with_stages_end_the_same_on_both_engines(tmp_path: Path) -> None:
    options = "--count", "10000", "--every", "10", "--start", "5000000", "--stages", "--keep-on"
    figures = report(tmp_path, *options)
    assert figures["failures"] == []
    assert set(figures["outcomes"]) >= {"done", "ResourceError", "stopped", "DecodeError"}


def test_a_number_gives_a_draw() -> None:
    one, same, other = (hostile_draw(random_kind(0), n) for n in (1, 1, 2))
    assert one.said == same.said
    assert one.arguments["blend_factor"] == same.arguments["blend_factor"]
    assert all((one.read[name] == same.read[name]).all() for name in one.read)
    assert one.said != other.said
