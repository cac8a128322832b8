"""README's Python examples run as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

README = Path(__file__).parents[3] / "README.md"


def test_the_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)  # noqa: S102 - our own page
    counts, data, exact = names["counts"], names["data"], names["exact"]
    assert isinstance(counts, np.ndarray)
    assert counts.max() == 100  # it has drawn something
    assert isinstance(exact, str)
    assert data != b""
    assert "l(4.0)" in exact
    printed = capsys.readouterr().out
    assert printed.startswith("//")
    assert "dcl_thread_group 8, 8, 1" in printed
