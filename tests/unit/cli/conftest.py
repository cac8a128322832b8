"""The command line as tests run it, in the folder of the test."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.resources import as_file
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from softd3d.cli import main
from softd3d.samples import sample


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shipped samples in the current folder, which is the test's own."""
    folder = tmp_path / "library"
    with as_file(sample("")) as samples:
        shutil.copytree(samples, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def cli(library: Path) -> Callable[..., Result]:
    """Run `softd3d ARGUMENTS...`."""

    def run(*arguments: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(main, arguments, input=stdin)

    return run
