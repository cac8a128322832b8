"""The examples of docs/reading-programs.md print what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs/reading-programs.md"


def test_every_example_prints_what_the_page_says():
    result = doctest.testfile(str(PAGE), module_relative=False, parser=Parser())
    assert result.failed == 0
    assert result.attempted > 40


class Parser(doctest.DocTestParser):
    """Takes the ends of Markdown's blocks of code for blank lines."""

    def parse(self, string, name="<string>"):
        return super().parse(string.replace("\n```\n", "\n\n"), name)
