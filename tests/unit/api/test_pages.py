"""What the pages of docs/ import is where they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
IMPORT = re.compile(
    r"^(?:>>> )?((?:from softd3d[\w.]* import .*|import softd3d[\w.]*))$", re.MULTILINE
)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_imports_of_a_page_are_there(page: Path) -> None:
    for statement in IMPORT.findall(page.read_text(encoding="utf-8")):
        exec(statement, {})  # noqa: S102 - our own page
