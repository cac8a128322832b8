"""`softd3d run` of long or indirect dispatches: the bar, Ctrl-C, groups out of a file."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d.cli import progress
from softd3d.cli.arguments import arguments_buffer
from softd3d.device.dispatch import Dispatch
from softd3d.errors import ResourceError
from softd3d.lower.watch import Watch

COUNT = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_temps 1
dcl_thread_group 1, 1, 1
atomic_iadd u0, l(0), l(1)
"""


@pytest.fixture
def count(library) -> str:
    (library / "count.dxbc").write_bytes(softd3d.assemble(COUNT + "ret\n"))
    return "count.dxbc"


@pytest.mark.parametrize("place", ["args.npy@4", "args.bin@4", "three.npy"])
def test_groups_come_from_a_file(cli, count, place):
    arguments = np.array([9, 5, 2, 3], np.uint32)
    np.save("args.npy", arguments)
    np.save("three.npy", arguments[1:])
    arguments.tofile("args.bin")
    result = cli("run", count, "--groups-from", place, "--uav", "0=zeros:1:uint32")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.endswith(":\n[30]\n")
    assert "5x2x3 groups" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--groups-from", "a.npy@2"], "--groups-from: offset: found 2, wanted a multiple of 4"),
        (["--groups-from", "a.npy@8"], "bytes 8 to 19 are not all in the buffer, which has 12"),
        (["--groups-from", "a.npy@x"], "found 'a.npy@x', wanted FILE or FILE@OFFSET"),
        (["--groups-from", "wide.npy"], "found numbers of type int64, wanted uint32"),
        (["--groups-from", "none.npy"], "No such file"),
        (["--groups-from", "a.npy", "--groups", "1"], "found both --groups and --groups-from"),
        ([], "needs --groups X,Y,Z or --groups-from FILE"),
    ],
)
def test_wrong_groups(cli, count, arguments, message):
    np.save("a.npy", np.ones(3, np.uint32))
    np.save("wide.npy", np.ones(3, np.int64))
    result = cli("run", count, *arguments, "--uav", "0=zeros:1:uint32")
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_file_may_have_an_at_in_its_name(library):
    np.ones(3, np.uint32).tofile("a@4")
    assert arguments_buffer("a@4")[1] == 0
    assert arguments_buffer("a@4@8")[1] == 8
    with pytest.raises(ResourceError, match="wanted FILE or FILE@OFFSET"):
        arguments_buffer("b@")


def test_groups_from_is_for_shaders(cli):
    assert "--groups-from is for one shader" in cli("run", "cases", "--groups-from", "x").stderr


def test_a_bar_appears_in_a_terminal_after_a_moment(monkeypatch, capsys):
    with progress.progress_bar("jit") as show:
        assert show is None  # no terminal
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.progress_bar("jit") as show:
        assert show is not None
        show(1, 10)
    assert capsys.readouterr().err == ""  # it was over too soon
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0.0)
    with progress.progress_bar("jit") as show:
        assert show is not None
        show(3, 10)
        show(10, 10)
    assert "groups" in capsys.readouterr().err


def test_a_bar_appears_though_nothing_is_done_yet(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0.01)
    threads, said = set(threading.enumerate()), ""
    with progress.progress_bar("drawing", "parts"):
        for _ in range(500):
            said += capsys.readouterr().err
            if "parts" in said:
                break
            time.sleep(0.01)
    assert "drawing" in said
    for thread in set(threading.enumerate()) - threads:  # they end, too
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize("what", ["shader", "cases"])
def test_ctrl_c_ends_a_run_in_one_line(cli, library, monkeypatch, what, press_ctrl_c):
    """Ctrl-C comes once the threads run; test_stopping.py shows that they end."""
    loop = COUNT + "loop\niadd r0.x, r0.x, l(1)\nendloop\nret\n"
    (library / "loop.dxbc").write_bytes(softd3d.assemble(loop))
    started = Dispatch._run

    def run(job: Dispatch, groups: tuple[int, int, int], watch: Watch) -> Any:
        endless = Dispatch(softd3d.load("loop.dxbc"), (1, 1, 1), uavs={0: None})
        watch.should_stop = press_ctrl_c  # not while compiling: that may ask it, or not
        return started(endless, groups, watch)

    monkeypatch.setattr(Dispatch, "_run", run)
    if what == "shader":
        result = cli("run", "loop.dxbc", "--groups", "1", "--uav", "0=zeros:1:uint32",
                     "--save", "0=out.npy")  # fmt: skip
        assert result.stderr == "softd3d: loop.dxbc: interrupted\n"
    else:
        result = cli("run", "cases")
        assert result.stderr == "softd3d: cases: interrupted\n"
    assert (result.exit_code, result.stdout) == (130, "")
    assert not (library / "out.npy").exists()
