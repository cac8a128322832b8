"""The script that makes mutants finds them, and tells those that a test notices from others."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import campaign as script
import pytest
from campaign import Options, campaign, mutants

SOURCE = '''\
"""1 + 1 of the docstring is nothing that runs."""

from typing import Protocol

LIMIT: int = 3


def small(n: int) -> bool:
    assert n >= 0
    return n < LIMIT or n == 7


def twice(n: int, times: int | None = 2) -> int | None:
    return n * times


class Counted(Protocol):
    def count(self, first: int = 0) -> int: ...


PAIRS = dict(zip("ab", "cd", strict=True))


def never(n: int) -> int:
    return n - 1
'''
TEST = """\
from toy.numbers import small, twice


def test_small():
    assert small(2)
    assert not small(4)


def test_twice():
    assert twice(2) == 4
"""


def test_mutants_of_a_text() -> None:
    found = {(m.lines.start, SOURCE[m.start : m.end], m.text) for m in mutants(SOURCE)}
    assert found == {
        (5, "3", "4"),
        (10, "<", "<="), (10, "or", "and"), (10, "==", "!="), (10, "7", "8"),
        (13, "2", "3"),
        (14, "*", "+"),
        (25, "-", "+"), (25, "1", "2"),
    }  # fmt: skip


def test_columns_behind_letters_of_several_bytes() -> None:
    (mutant,) = mutants('x = "é", y < z\n')
    assert (mutant.start, mutant.end, mutant.text) == (11, 12, "<=")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="the script needs fork"
)
def test_survivors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that no test looks at closely, not the listed one, not those that a test notices."""
    package = tmp_path / "src/toy"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "numbers.py").write_text(SOURCE)
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "test_toy.py").write_text(TEST)
    listed = tmp_path / "equivalent.txt"
    listed.write_text("src/toy/numbers.py\n# No reason.\n7 -> 8 in: return n < LIMIT or n == 7\n")
    monkeypatch.setattr(script, "EQUIVALENT", listed)
    found = campaign([package / "numbers.py"], ["test_toy.py"], Options(count=99), tmp_path)
    assert found == [
        "src/toy/numbers.py:5 survives: 3 -> 4 in: LIMIT: int = 3",
        "src/toy/numbers.py:10 survives: < -> <= in: return n < LIMIT or n == 7",
        "src/toy/numbers.py:14 survives: * -> + in: return n * times",
        "src/toy/numbers.py:25 is run by no test: - -> + in: return n - 1",
        "src/toy/numbers.py:25 is run by no test: 1 -> 2 in: return n - 1",
    ]
    assert (package / "numbers.py").read_text() == SOURCE
