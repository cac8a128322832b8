"""Ctrl-C, SIGTERM and closed pipes: one line or none, no traceback, no half-written file."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest

SHADER = "cs_mandelbrot.cs_5_0.dxbc"
# A command, and what it reads
COMMANDS = [
    (["info", SHADER], SHADER),
    (["dis", SHADER], SHADER),
    (["dis", SHADER, "-o", "out"], SHADER),
    (["dis", "one", "-o", "out"], SHADER),
    (["as", "in.asm", "-o", "out"], "in.asm"),
    (["reflect", SHADER], SHADER),
    (["val", SHADER], SHADER),
    (["run", SHADER, "--groups", "1"], SHADER),
    (["run", "cases/cs_mandelbrot.json"], "cs_mandelbrot.json"),
    (["hash", SHADER], SHADER),
    (["scan", SHADER], SHADER),
    (["dxbc", "list", SHADER], SHADER),
    (["dxbc", "strip", SHADER, "--debug", "-o", "out"], SHADER),
    (["convert", "in.npy", "out.dds"], "in.npy"),
    (["effect", "list", SHADER], SHADER),
    (["blt", "in.npy", "in.npy", "--from", "D32_FLOAT", "--to", "D32_FLOAT", "-o", "out"],
     "in.npy"),
    (["view-image", "in.npy", "--format", "D32_FLOAT", "-o", "out.png"], "in.npy"),
    (["demo", "--image", "out.png"], "draw_scene.vs_5_0.dxbc"),
    (["render", "draw_scene.ps_5_0.dxbc", "-o", "out.png"], "draw_scene.ps_5_0.dxbc"),
]  # fmt: skip
# Runs the command line and sends a signal to itself at an audit event: what is imported or opened.
SCRIPT = """
import os, signal, sys
event, name, number, *arguments = sys.argv[1:]
sys.argv[1:] = arguments

def hook(found, details):
    global number
    if number and found == event and name in str(details[0]):
        send, number = int(number), 0
        os.kill(os.getpid(), send)

from softd3d.__main__ import main
sys.addaudithook(hook)
main()
"""


@pytest.fixture
def folder(library):
    """The samples, with an array, a listing and a folder of one shader."""
    np.save("in.npy", np.zeros((4, 4), np.float32))
    (library / "in.asm").write_text("cs_5_0\ndcl_thread_group 1, 1, 1\nret\n")
    (library / "one").mkdir()
    (library / "one" / SHADER).write_bytes((library / SHADER).read_bytes())
    return library


def signalled(number: int, event: str, name: str, arguments: list[str]):
    """Run a command that gets a signal at an event; SIGINT is not ignored, whatever it is here."""
    start = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
        "os.execv(sys.executable, sys.argv[1:])"
    )
    command = [sys.executable, "-c", SCRIPT, event, name, str(int(number)), *arguments]
    return subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", start, *command], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        *(pytest.param(words, file, id=f"{' '.join(words)} reads") for words, file in COMMANDS),
        pytest.param(["val", SHADER], "val.", id="val is imported"),
        pytest.param(["convert", "in.npy", "out.dds"], "convert_image.", id="convert is imported"),
    ],
)
def test_ctrl_c_ends_every_command_in_a_line(folder, arguments, name):
    before = sorted(folder.rglob("*"))
    done = signalled(signal.SIGINT, "open", name, arguments)
    assert done.returncode == 130, done.stderr
    assert done.stderr.endswith("interrupted\n")
    assert done.stderr.startswith("softd3d: ")
    assert done.stderr.count("\n") == 1
    assert [path for path in sorted(folder.rglob("*")) if path.is_file()] == [
        path for path in before if path.is_file()
    ]


def test_ctrl_c_while_the_command_line_is_imported(folder):
    done = signalled(signal.SIGINT, "import", "softd3d.cli", ["hash", SHADER])
    assert (done.returncode, done.stderr) == (130, "softd3d: interrupted\n")


def test_where_ctrl_c_is_ignored_it_stays_ignored(folder):
    start = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    start += "os.execv(sys.executable, sys.argv[1:])"
    command = [sys.executable, "-c", SCRIPT, "open", SHADER, str(int(signal.SIGINT))]
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", start, *command, "hash", SHADER],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_amid_writing_leaves_no_file(folder, name):
    """The signal comes when the temporary file is opened."""
    if not hasattr(signal, name):
        pytest.skip(f"no {name} here")
    number = getattr(signal, name)
    (folder / "out").mkdir()
    done = signalled(number, "os.chmod", "", ["dis", SHADER, "-o", "out/x.asm"])
    assert done.returncode == -number
    assert list((folder / "out").iterdir()) == []


@pytest.mark.parametrize("verb", ["info", "dis", "reflect", "hash", "val", "dxbc list"])
def test_a_closed_pipe_is_no_error(folder, verb):
    command = [sys.executable, "-m", "softd3d", *verb.split(), SHADER]
    with subprocess.Popen(  # noqa: S603 - our own interpreter
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        assert run.stderr.read() == ""
