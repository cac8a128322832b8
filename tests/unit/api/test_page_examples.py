"""The examples of pages that are read as a Python session print what the page says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("reading-programs", 40),
        ("adding-an-opcode", 4),
        ("drawing", 30),
        ("tessellation", 10),
        ("direct3d9", 40),
        ("effects", 20),
    ],
)
def test_every_example_prints_what_the_page_says(page, least):
    path = str(DOCS / f"{page}.md")
    result = doctest.testfile(path, module_relative=False, parser=Parser())
    assert result.failed == 0
    assert result.attempted >= least


class Parser(doctest.DocTestParser):
    """Takes the ends of Markdown's blocks of code for blank lines."""

    def parse(self, string, name="<string>"):
        return super().parse(re.sub(r"\n *```\n", "\n\n", string), name)
