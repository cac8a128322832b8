"""Several processes: the output of one, and none is left behind whatever ends the first."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from softd3d.cli.files import Failures
from softd3d.cli.many import InputFile, files_below, for_each
from softd3d.errors import ContainerError

# A work that says who does it, and waits for the file `go` beside it
WAITING = """
import os, sys, time
from pathlib import Path
from softd3d.cli.files import Failures
from softd3d.cli.many import InputFile, for_each, files_below

def work(file):
    file.path.with_suffix(f".{os.getpid()}").touch()
    while not file.path.with_name("go").exists():
        time.sleep(0.01)

if __name__ == "__main__":
    list(for_each(list(files_below(sys.argv[1:], [])), work, Failures(), 0, 2))
"""


@pytest.fixture
def tree(library):
    """Two folders of the same shaders, with files that are none and one that is broken."""
    for folder in ("some/a", "some/b"):
        (library / folder).mkdir(parents=True)
        for number, file in enumerate(sorted(library.glob("*.dxbc")) * 6):
            (library / folder / f"{number:02}.dxbc").write_bytes(file.read_bytes())
        (library / folder / "note.txt").write_text("no shader")
        (library / folder / "broken.dxbc").write_bytes(b"DXBC" + bytes(40))
    return library


@pytest.mark.parametrize("options", [["val"], ["val", "--json"], ["dis", "--json"]])
def test_output_is_that_of_one_process(cli, tree, options):
    del tree
    one, three = (cli(*options, "some", "--jobs", jobs) for jobs in ("1", "3"))
    assert three.exit_code == one.exit_code
    assert three.output == one.output


def test_files_are_those_of_one_process(cli, tree):
    one, three = (cli("dis", "some", "-o", f"out{jobs}", "--jobs", jobs) for jobs in ("1", "3"))
    assert three.output == one.output
    written = [
        {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.asm")}
        for folder in (tree / "out1", tree / "out3")
    ]
    assert len(written[0]) >= 24
    assert written[0] == written[1]


def test_exact_listings_of_a_folder_come_back(cli, tree):
    for name in ("a", "b"):  # as the exact listings have to, but for a file that is broken
        (tree / "some" / name / "broken.dxbc").unlink()
    assert cli("dis", "--exact", "some", "-o", "texts").exit_code == 0
    for jobs in ("1", "3"):
        assert cli("as", "texts", "-o", f"out{jobs}", "--jobs", jobs).exit_code == 0
        back = {str(p.relative_to(tree / f"out{jobs}")): p.read_bytes()
                for p in (tree / f"out{jobs}").rglob("*.*")}  # fmt: skip
        assert back == {
            str(p.relative_to(tree / "some")): p.read_bytes() for p in tree.rglob("some/*/*.dxbc")
        }


def test_mistakes_in_listings_of_a_folder_have_their_lines(cli, tree):
    (tree / "texts").mkdir()
    (tree / "texts" / "wrong.asm").write_text("ps_5_0\nmov r0.x, nonsense\nret\n")
    (tree / "texts" / "right.asm").write_text("ps_5_0\nret\n")
    (tree / "texts" / "old.asm").write_text("ps_2_0\nmov oC0, c0\n")
    (tree / "texts" / "wide.asm").write_text("ps_2_0\nmov oC0, c1\n", "utf-16")
    (tree / "texts" / "picture").write_bytes(bytes(range(256)))
    done = cli("as", "texts", "-o", "out", "--tokens")
    assert done.exit_code == 2
    assert "wrong.asm:2:11: error: " in done.stderr
    assert sorted(p.name for p in (tree / "out").iterdir()) == ["old.bin", "right.bin", "wide.bin"]


def test_files_of_one_name_do_not_replace_each_other(cli, tree):
    (tree / "some" / "b" / "only.dxbc").write_bytes((tree / "some/a/00.dxbc").read_bytes())
    for verb, paths in (
        ("dis", ["some/a", "some/b"]),
        ("dis", ["some/a/00.dxbc", "some/b/00.dxbc"]),
    ):
        done = cli(verb, *paths, "-o", f"out{len(paths[0])}")
        assert done.exit_code == 2
        assert (
            "softd3d: some/b/00.dxbc: it is left out: in the output folder it is named as "
            "some/a/00.dxbc is\n"
        ) in done.stderr
        assert "note.txt" not in done.stderr
        assert (tree / f"out{len(paths[0])}" / "00.dxbc.asm").exists()
    assert (tree / "out6" / "only.dxbc.asm").exists()
    assert cli("dis", "some/a/00.dxbc", "some/a/00.dxbc", "-o", "out").exit_code == 0


def square(file: InputFile) -> int:
    if file.path.name == "5":
        raise ContainerError("five")
    return int(file.path.name) ** 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_done_before_a_failure_counts(tmp_path: Path, jobs: int) -> None:
    for number in range(9):
        (tmp_path / str(number)).write_bytes(bytes(number))
    files = list(files_below([str(tmp_path)], []))
    done: list[int] = []
    failures = Failures.collected()
    for _, result in for_each(files, square, failures, 0, jobs):
        done.append(result)
    assert done == [0, 1, 4, 9, 16]
    assert failures.reports is not None
    assert "five" in failures.reports[0][1]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no groups of processes here")
@pytest.mark.parametrize(
    ("number", "to_all"),
    [("SIGINT", True), ("SIGINT", False), ("SIGTERM", False), ("SIGKILL", False)],
)
def test_no_process_is_left_behind(tmp_path: Path, number: str, to_all: bool) -> None:
    script = tmp_path / "waiting.py"
    script.write_text(WAITING)
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / name).write_bytes(b"x")
    start = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "os.execv(sys.executable, sys.argv[1:])"
    )
    process = subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", start, sys.executable, str(script), str(folder)],
        start_new_session=True, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    workers = wait_for(lambda: [int(p.suffix[1:]) for p in folder.glob("?.*")], 2)
    (os.killpg if to_all else os.kill)(process.pid, getattr(signal, number))
    process.wait(60)
    wait_for(lambda: [pid for pid in workers if not is_running(pid)], len(workers))


def wait_for(found, count: int) -> list[int]:
    """Wait until there are so many of something."""
    for _ in range(6000):
        if len(result := found()) >= count:
            return result
        time.sleep(0.01)
    raise AssertionError(found())


def is_running(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and is not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return Path("/proc").exists() is False
