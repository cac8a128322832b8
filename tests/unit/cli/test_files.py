"""Writing files at once and complete, errors as one line, and how fast the program starts."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from softd3d.cli.files import Failures, write_output
from softd3d.errors import (
    ContainerError,
    ExecutionError,
    InternalError,
    Location,
    ResourceError,
)


def test_a_file_appears_complete_or_not_at_all(tmp_path):
    target = tmp_path / "out.txt"
    write_output(str(target), "one")
    write_output(str(target), b"two")
    assert target.read_bytes() == b"two"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


def test_a_written_file_has_the_usual_permissions(tmp_path):
    old = os.umask(0o027)
    try:
        write_output(str(tmp_path / "new"), "x")
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
        (tmp_path / "new").chmod(0o600)
        write_output(str(tmp_path / "new"), "y")
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(old)


def test_what_cannot_be_written_leaves_nothing(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="directory") as caught:
        write_output(str(tmp_path / "folder"), "x")
    assert caught.value.filename == str(tmp_path / "folder")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


ERRORS = [
    (
        ContainerError("bad chunk", Location(offset=16)),
        2,
        "softd3d: F: bad chunk (byte offset 0x10)",
    ),
    (ResourceError("bad case", Location(source="F")), 2, "softd3d: F: bad case"),
    (
        ResourceError("bad case", Location(source="F", line=3)),
        2,
        "softd3d: F: bad case (line 3)",
    ),
    (ResourceError("bad case", Location(source="G")), 2, "softd3d: F: bad case (G)"),
    (ExecutionError("stopped"), 1, "softd3d: F: stopped"),
    (InternalError("oh"), 1, "softd3d: F: internal error, please report it with the input: oh"),
    (FileNotFoundError(2, "No such file or directory"), 2, "softd3d: F: No such file or directory"),
    (PermissionError(13, "Permission denied", "G"), 2, "softd3d: G: Permission denied"),
    (PermissionError(13, "Permission denied", b"G"), 2, "softd3d: G: Permission denied"),
    (PermissionError(13, "Permission denied", 3), 2, "softd3d: F: Permission denied"),
]


@pytest.mark.parametrize(("error", "status", "text"), ERRORS)
def test_errors_are_one_line_and_a_status(capsys, error, status, text):
    failures = Failures()
    with failures.guard("F"):
        raise error
    assert capsys.readouterr().err == f"{text}\n"
    with pytest.raises(SystemExit) as caught:
        failures.finish()
    assert caught.value.code == status


def test_the_worst_status_stays():
    failures = Failures()
    for error in (ResourceError("a"), ExecutionError("b")):
        with failures.guard("F"):
            raise error
    assert failures.status == 2


LONG = "a" * 300
TAKES_A_FILE = [
    ["info"], ["dis"], ["dis", "x"], ["as", "-o", "out"], ["as", "-", "-o", "out", "--like"],
    ["reflect"], ["val"], ["run"], ["run", "x"], ["hash"], ["scan"], ["scan", "x", "--extract"],
    ["dxbc", "list"], ["dxbc", "extract", "STAT"], ["dxbc", "strip", "--debug", "-o", "out"],
    ["effect", "list"], ["dis", "cs_mandelbrot.cs_5_0.dxbc", "-o"],
    ["dxbc", "sign", "cs_mandelbrot.cs_5_0.dxbc", "-o"],
    ["as", "-", "-o"], ["scan", "cs_mandelbrot.cs_5_0.dxbc", "--extract"],
]  # fmt: skip


@pytest.mark.parametrize("name", [LONG, f"{LONG}/x", "file/x", "folder"])
@pytest.mark.parametrize("arguments", TAKES_A_FILE, ids=" ".join)
def test_names_that_no_file_can_have_end_in_a_line(cli, library, arguments, name):
    (library / "file").write_bytes(b"")
    (library / "folder").mkdir()
    place = 2 if arguments[:2] == ["dxbc", "extract"] else len(arguments)
    result = cli(*arguments[:place], name, *arguments[place:], stdin=b"ps_5_0\nret")
    assert isinstance(result.exception, SystemExit | None), result.exception
    assert result.exit_code == 0 or result.stderr


NO_ROOM = """
import resource, sys
from softd3d.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
main(prog_name="softd3d")
"""


@pytest.mark.parametrize("verb", ["hash", "info", "dis", "val", "reflect", "scan", "dxbc list"])
def test_standard_output_without_room_ends_in_a_line(library, verb):
    arguments = [sys.executable, "-c", NO_ROOM, *verb.split(), "cs_mandelbrot.cs_5_0.dxbc"]
    with (library / "out").open("wb") as out:
        run = subprocess.run(  # noqa: S603 - our own interpreter
            arguments, stdout=out, stderr=subprocess.PIPE, text=True, check=False
        )
    assert run.returncode == 2
    assert run.stderr.startswith("softd3d: ")
    assert run.stderr.endswith(": File too large\n")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize("group", [[], ["dxbc"], ["effect"]])
def test_the_help_of_no_command_is_cut(cli, group):
    lines = cli(*group, "--help").stdout.partition("Commands:\n")[2].splitlines()
    assert len(lines) >= 3
    for line in lines:
        assert re.fullmatch(r"  [a-z-]+ +\S.*[^.]\.?", line)  # one line for each, with an end


HEAVY = ("numpy", "llvmlite", "rich", "softd3d.isa", "softd3d.jit")


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import softd3d", (*HEAVY, "click")),
        ("import softd3d.cli", HEAVY),
        (
            (
                "from softd3d.samples import sample; import softd3d; "
                "str(softd3d.load(sample('cs_mandelbrot.cs_5_0.dxbc').read_bytes()))"
            ),
            ("numpy", "llvmlite", "rich", "softd3d.jit", "softd3d.interp"),
        ),
    ],
)
def test_what_is_not_needed_is_not_imported(statement, absent):
    code = f"{statement}\nimport sys\nprint([m for m in {absent!r} if m in sys.modules])"
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"


def test_the_package_is_imported_quickly():
    """Itself, what makes a fork wait for imports, and few modules of the standard library."""
    code = (
        "import sys, typing, importlib; old = set(sys.modules); import softd3d; "
        "new = set(sys.modules) - old; "
        "print(len(new), *sorted(m for m in new if m.startswith('softd3d')))"
    )
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    count, *ours = run.stdout.split()
    assert int(count) < 10
    assert ours == ["softd3d", "softd3d.forking"]


def test_links_and_pipes_stay_what_they_are(tmp_path):
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_text("old")
    link.symlink_to(target)
    write_output(str(link), "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_output(str(pipe), b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert pipe.is_fifo()
    with pytest.raises(IsADirectoryError, match="Is a directory"):
        write_output(str(tmp_path), "")
