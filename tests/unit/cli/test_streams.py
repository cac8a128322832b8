"""Streams that are full, closed or pipes, too little memory, Ctrl-C where none can be raised."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from softd3d.cli import files
from softd3d.errors import ExecutionError
from softd3d.jit.running import threads

SHADER = "cs_mandelbrot.cs_5_0.dxbc"
RUN = [
    "run", SHADER, "--groups", "1", "--engine", "interpreter", "--constants", "P=none",
    "--uav", "Dst=zeros:64:uint32",
]  # fmt: skip
PRINTING = [["info", SHADER], ["dis", "--json", SHADER], ["val", SHADER], RUN]


def started(arguments: list[str], **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", "softd3d", *arguments], text=True, check=False, **options
    )


@pytest.mark.parametrize("arguments", [*PRINTING, ["--help"]], ids=" ".join)
def test_full_standard_output(library, arguments):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = started(arguments, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == "softd3d: standard output: No space left on device"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", PRINTING[2:], ids=" ".join)
def test_standard_error_that_nobody_reads(library, arguments):
    """Closed, or full: what is asked for is printed all the same."""
    closed = started(arguments, stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2))
    whole = started(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (closed.returncode, closed.stdout) == (0, whole.stdout)
    if Path("/dev/full").exists():
        with open("/dev/full", "w") as full:  # noqa: PTH123
            assert started(["info", "none"], stderr=full).returncode == 2


@pytest.mark.parametrize("verb", ["val", "scan", "info", "hash", "reflect", "dis"])
def test_a_pipe_that_is_named_is_read(cli, library, verb):
    ends = os.pipe()
    os.write(ends[1], (library / SHADER).read_bytes())
    os.close(ends[1])
    result = cli(verb, f"/dev/fd/{ends[0]}")
    os.close(ends[0])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout


@pytest.mark.parametrize("arguments", [["dis", SHADER, "-o"], ["dxbc", "sign", SHADER, "-o"]])
def test_a_pipe_that_is_named_is_written(cli, library, arguments):
    """Links such as /dev/stdout lead to pipes by names that are no paths."""
    ends = os.pipe()
    result = cli(*arguments, f"/dev/fd/{ends[1]}")
    os.close(ends[1])
    with open(ends[0], "rb") as file:  # noqa: PTH123
        written = file.read()
    assert (result.exit_code, result.stderr) == (0, "")
    assert len(written) > 1000


def test_too_little_memory_is_told_in_a_line(cli, monkeypatch):
    def greedy(*_: object) -> bytes:
        raise MemoryError

    monkeypatch.setattr(files, "read_stream", greedy)
    result = cli("hash", SHADER)
    assert (result.exit_code, result.stderr) == (
        1, f"softd3d: {SHADER}: there is not enough memory\n",
    )  # fmt: skip


def test_threads_that_cannot_be_started(monkeypatch):
    def refuse() -> object:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "_new_worker", refuse)
    pool = threads._Pool(["idle"])
    with pytest.raises(ExecutionError, match=r"starts only 1 of 2 threads, each with \d+ MiB"):
        pool.take(2)
    assert pool.idle == ["idle"]


@pytest.mark.parametrize("text", ["", "null", "[]"])
def test_a_case_is_known_by_its_name_too(cli, library, text):
    (library / "odd.json").write_text(text)
    result = cli("run", "odd.json")
    assert result.exit_code == 2
    assert "--groups" not in result.stderr


def test_ctrl_c_where_nothing_can_be_raised(library):
    """Python drops what a weak reference's call raises: the interrupt comes again."""
    code = """
import time, weakref, softd3d.cli, softd3d.__main__

class Thing:
    pass

def interrupt(_):
    raise KeyboardInterrupt

def command(**_):
    thing = Thing()
    watch = weakref.ref(thing, interrupt)
    del thing
    while True:
        time.sleep(0.01)

softd3d.cli.main = command
softd3d.__main__.main()
"""
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (130, "softd3d: interrupted\n")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "found what is assembled already (DXBC container), wanted a listing"),
        (b"float4 main() : SV_Target { return 1; }", "found HLSL source, wanted a listing"),
    ],
)
def test_what_is_no_listing_is_named(cli, library, data, message):
    given = (library / SHADER).read_bytes() if data is None else data
    (library / "given").write_bytes(given)
    result = cli("as", "given", "-o", "out")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"softd3d: given: {message}")
