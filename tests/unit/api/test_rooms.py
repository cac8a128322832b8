"""The plan in docs/architecture.md is the tree and the contracts; nothing outgrows it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import softd3d

PACKAGE = Path(softd3d.__file__).parent
ROOT = PACKAGE.parents[1]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_MODULES = 25  # of a room
MOST_LINES = 500  # of a module
MOST_BODY_LINES = 40  # of a function, besides its parameters and its docstring

# Lines of the picture: names, two spaces or more, and what they are
ROOM = re.compile(r"^(  )?(\w+(?:(?:, | \| )\w+)*)(?:  .*)?$")


def picture() -> Iterator[tuple[bool, list[str]]]:
    """Yield the names of each line of the picture, and whether they are rooms in a room."""
    block = re.search(r"^## Rooms\n.*?```\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
    assert block is not None
    for line in block[1].splitlines():
        found = ROOM.match(line)
        assert found is not None, line
        yield found[1] is not None, re.split(r", | \| ", found[2])


def folders(path: Path) -> set[str]:
    return {p.name for p in path.iterdir() if (p / "__init__.py").exists()}


def test_the_picture_has_the_layers_of_the_contracts_in_their_order() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (c for c in settings["tool"]["importlinter"]["contracts"] if c["id"] == "layers")
    drawn = [name for is_inner, names in picture() if not is_inner for name in names]
    for layer in contract["layers"]:
        beside = layer.split(" | ")
        assert {*drawn[: len(beside)]} == {*beside}
        del drawn[: len(beside)]
    assert drawn == []


def test_the_picture_has_every_room() -> None:
    outer, wanted = "", {name: folders(PACKAGE / name) for name in folders(PACKAGE)}
    for is_inner, names in picture():
        if not is_inner:
            outer = names[0]
        for name in names if is_inner else []:
            assert name in wanted[outer], f"{outer}/{name}"
            wanted[outer].discard(name)
    assert {name: rooms for name, rooms in wanted.items() if rooms} == {}


def test_files_that_the_page_names_are_there() -> None:
    known = {path.name for path in MODULES}
    for name in re.findall(r"`([\w./]+\.py)`", PAGE):
        if "/" not in name:  # of the folder that the text has just named
            assert name in known, name
        else:
            assert (PACKAGE / name).exists() or (ROOT / name).exists(), name


def test_rooms_and_modules_are_small() -> None:
    for folder in {path.parent for path in MODULES}:
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= MOST_MODULES, folder
    for path in MODULES:
        assert path.read_text(encoding="utf-8").count("\n") <= MOST_LINES, path


def test_modules_of_tests_have_names_of_their_own() -> None:
    """Tests find helpers by their names alone; of two with one name, a full run has only one."""
    names = [path.name for path in (ROOT / "tests").rglob("*.py") if path.stem != "conftest"]
    assert {name for name in names if names.count(name) > 1} == set()


def test_functions_are_short() -> None:
    long = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and body_lines(node) > MOST_BODY_LINES
    ]
    assert long == []


def body_lines(function: ast.FunctionDef) -> int:
    first, *rest = function.body
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and rest:
        first = rest[0]
    return (function.end_lineno or 0) - first.lineno + 1
