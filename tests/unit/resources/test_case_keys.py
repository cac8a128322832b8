"""The known keys of cases are those that the page lists."""

from __future__ import annotations

import re
from pathlib import Path

from softd3d.resources.cases import keys

PAGE = Path(__file__).parents[3] / "docs/cases.md"


def test_the_page_names_every_known_key() -> None:
    named = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]+)`", PAGE.read_text()))))
    known = set().union(*keys._KNOWN.values())
    assert known - named == set()
