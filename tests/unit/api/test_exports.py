"""What the package exports: one list, which type checkers read too; modules load when asked."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import softd3d

STUB = Path(softd3d.__file__).with_name("__init__.pyi")


def run_python(text: str) -> str:
    command = [sys.executable, "-c", textwrap.dedent(text)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603


def test_every_line_of_the_stub_is_an_export_or_a_constant() -> None:
    text = STUB.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and line[0] != "#"]
    imports = [line.split() for line in lines if line.startswith("from ")]
    assert {i[3] for i in imports} == {*softd3d.__all__} - {"__version__"}
    assert all(i[3] == i[5] for i in imports)
    assert [line for line in lines if not line.startswith("from ")] == [
        "__version__: str",
        "IMPORTED_NS: int",
    ]
    assert isinstance(softd3d.__version__, str)
    assert isinstance(softd3d.IMPORTED_NS, int)


def test_importing_the_package_imports_nothing_of_it_but_what_watches_forks() -> None:
    found = run_python(
        """
        import sys
        import softd3d
        print(sorted(name for name in sys.modules if name.startswith("softd3d.")))
        from softd3d import *
        assert load is softd3d.load
        """
    )
    assert found == "['softd3d.forking']\n"


@pytest.mark.slow
def test_type_checkers_see_the_types_from_outside(tmp_path: Path) -> None:
    """Pyright, strict, of a user's file: no unknown types, and what is wrong is found."""
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    (tmp_path / "use.py").write_text(
        textwrap.dedent(
            """
            import softd3d
            from softd3d import Shader, sm4

            shader = softd3d.load("x.dxbc")
            assert isinstance(shader, Shader)
            text: str = shader.listing
            first: sm4.Instruction = shader.instructions[0]
            outcome: softd3d.Outcome = softd3d.dispatch(shader, (1, 1, 1))
            wrong: int = shader.listing
            softd3d.unknown
            """
        )
    )
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)  # noqa: S603
    lines = [line.strip() for line in done.stdout.splitlines() if " - error: " in line]
    assert [line.partition("use.py:")[2].partition(":")[0] for line in lines] == ["10", "11", "11"]
    assert "(reportAssignmentType)" in done.stdout
    assert '"unknown" is not a known attribute of module "softd3d"' in done.stdout
