"""docs/performance.md shows what its scripts measure: every chart, a place for every table."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
SCRIPTS = ROOT / "benchmarks"


def test_every_chart_is_shown_and_there() -> None:
    shown = re.findall(r"\]\(charts/([\w-]+\.svg)\)", PAGE)
    names = re.findall(r'Series\("([\w ]+)"', (SCRIPTS / "draw_scenes.py").read_text("utf-8"))
    assert sorted(shown) == sorted(f"{name.replace(' ', '-')}.svg" for name in names)
    assert sorted(shown) == sorted(p.name for p in (ROOT / "docs/charts").iterdir())


def test_every_table_has_its_place() -> None:
    tables = re.findall(
        r'^    "(\w+)": \("\w+", \w+\),$', (SCRIPTS / "page.py").read_text("utf-8"), re.MULTILINE
    )
    assert len(tables) >= 6
    for name in tables:
        assert len(re.findall(rf"<!-- {name} -->\n.+?\n<!-- /{name} -->", PAGE, re.DOTALL)) == 1, (
            name
        )


def test_scripts_and_limits_that_the_page_names_are_there() -> None:
    for name in re.findall(r"`(?:python )?(benchmarks/[\w/]+(?:\.py)?)\b", PAGE):
        assert (ROOT / name).exists(), name
    for text in (SCRIPTS / "limits").glob("*.ll"):
        assert f"**{text.stem}**" in PAGE
        assert text.with_suffix(".py").exists()
