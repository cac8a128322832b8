"""`softd3d run SHADER`: arrays in, arrays out, and what is said when an argument is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from softd3d.cli.arguments import constants_of, given_view, group_counts, parse_key, split_key
from softd3d.cli.files import Failures
from softd3d.cli.verbs.run_report import Finished, compare
from softd3d.device.registers import RegisterKind, wanted_registers
from softd3d.errors import ResourceError
from softd3d.lower.outcome import Outcome
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble

ATOMIC = "cs_atomic_compare_store_typed.cs_5_0.dxbc"
CASE_FILES = "cases/cs_atomic_compare_store_typed"
PICTURE = "cs_mandelbrot.cs_5_0.dxbc"
VARIABLES = (
    "--constants", "P=origin=[-2.0, -1.0]", "--constants", "P=step=0.0625",
    "--constants", "P=maxIter=50",
)  # fmt: skip


def inputs(library) -> None:
    """Save the inputs of the shipped case as NumPy files."""
    for register, dtype in (("u0", np.uint32), ("u1", np.int32)):
        data = np.fromfile(library / f"{CASE_FILES}.{register}.in.bin", dtype)
        np.save(library / f"{register}.npy", data)


def expected(library, register, dtype):
    return np.fromfile(library / f"{CASE_FILES}.{register}.out.bin", dtype)


@pytest.mark.parametrize("engine", ["jit", "interpreter", "both"])
def test_uavs_are_saved_or_printed(cli, library, engine):
    inputs(library)
    result = cli(
        "run", ATOMIC, "--groups", "1", "--uav", "B=u0.npy", "--uav", "u1=u1.npy:R32_SINT",
        "--save", "0=out.npy", "--engine", engine,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert np.array_equal(np.load("out.npy"), expected(library, "u0", np.uint32))
    second = np.array2string(expected(library, "u1", np.int32), max_line_width=100)
    assert result.stdout.startswith("u1 (T) Texture1D(16")
    assert result.stdout.endswith(f":\n{second}\n")
    assert "u0 (B)" not in result.stdout
    assert ("the engines agree in every bit" in result.stderr) == (engine == "both")
    assert np.array_equal(
        np.load("u0.npy"),
        np.fromfile(f"{CASE_FILES}.u0.in.bin", np.uint32),
    )


def test_constants_by_variable_and_zeros(cli, library):
    result = cli("run", PICTURE, "--groups", "4,4", *VARIABLES, "--uav", "Dst=zeros:32x32:uint32",
                 "--save", "Dst=out.npy")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = np.load("out.npy")
    assert found.shape == (32, 32)
    assert found.max() == 50
    assert found[0, 0] == 1


def test_constants_from_files(cli, library):
    outputs = []
    raw = (library / "cases/cs_mandelbrot.b0.in.bin").read_bytes()
    np.save("b0.npy", np.frombuffer(raw, np.uint32))
    for value in ("b0.npy", "cases/cs_mandelbrot.b0.in.bin"):
        result = cli("run", PICTURE, "--groups", "4,4,1", "--constants", f"0={value}",
                     "--uav", "0=zeros:1024:uint32", "--save", "u0=out.npy")  # fmt: skip
        assert result.exit_code == 0, result.stderr
        outputs.append(np.load("out.npy"))
    wanted = np.fromfile("cases/cs_mandelbrot.u0.out.bin", np.uint32)
    assert all(np.array_equal(found, wanted) for found in outputs)


def test_a_shader_may_come_from_standard_input(cli, library):
    data = (library / PICTURE).read_bytes()
    result = cli(
        "run", "-", "--groups", "1", "--constants", "P=none", "--uav", "u0=none", stdin=data
    )
    assert (result.exit_code, result.stdout) == (0, "")


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
def test_a_run_that_does_not_end_is_status_1(cli, engine):
    result = cli("run", PICTURE, "--groups", "4,4", *VARIABLES[:-1], "P=maxIter=4294967295",
                 "--uav", "0=none", "--budget", "500", "--engine", engine)  # fmt: skip
    assert result.exit_code == 1
    assert "an endless loop?" in result.stderr


WRONG = [
    ([], "running a shader needs --groups X,Y,Z"),
    (["--groups", "1", "--groups-from", "x.npy"], "found both --groups and --groups-from"),
    (
        ["--groups", "1", "--uav", "0=none", "--uav", "u0=zeros:4:uint32"],
        "u0 (B): bound twice, by two keys",
    ),
    (
        ["--groups", "1", "--uav", "0=none", "--uav", "0=zeros:4:uint32"],
        "--uav 0=zeros:4:uint32: that key is given twice",
    ),
    (["--groups", "1", "--constants", "P=none"], "constants: the shader has no 'P'"),
    (["--groups", "1,2,3,4"], "--groups: found '1,2,3,4', wanted X,Y,Z"),
    (
        ["--groups", "70000", "--uav", "0=none", "--uav", "u1=none"],
        "groups: found (70000, 1, 1), each may be 0 to 65535",
    ),
    (["--groups", "1", "--uav", "0=none"], "u1 (T): give it with --uav u1=..., or =none"),
    (["--groups", "1", "--uav", "u9=none"], "uavs: the shader has no u9, it has u0 (B), u1 (T)"),
    (["--groups", "1", "--uav", "zeros"], "found 'zeros', wanted KEY=VALUE"),
    (
        ["--groups", "1", "--uav", "0=zeros:4:object"],
        "found 'zeros:4:object', wanted zeros:SHAPE:DTYPE like zeros:64x64:float32",
    ),
    (["--groups", "1", "--uav", "0=zeros:99999999999:uint8"], "zeros:99999999999:uint8: more than"),
    (["--groups", "1", "--uav", "0=zeros:9999999999:uint32"], "zeros:9999999999:uint32: more than"),
    (["--groups", "1", "--uav", f"0={ATOMIC}"], f"{ATOMIC}: not a NumPy .npy file of numbers"),
    (
        ["--groups", "1", "--uav", "0=zeros:4:float64"],
        "u0 (B): no format is like float64; use .astype(numpy.float32) for the values",
    ),
    (
        ["--groups", "1", "--uav", "0=zeros:4:uint32:R32_UNIT"],
        "u0 (B): ",
    ),
    (
        ["--groups", "1", "--uav", "0=zeros:4:float32"],
        "u0 (B): found format R32_FLOAT, the shader wants uint components",
    ),
    (["--groups", "1", "--counter", "0=x"], "--counter: found '0=x', wanted KEY=N"),
]


@pytest.mark.parametrize(("arguments", "text"), WRONG)
def test_wrong_arguments_are_status_2(cli, arguments, text):
    if [a for a in arguments if a.startswith(("0=z", "0=c", "0=x"))]:
        arguments = [*arguments, "--uav", "1=none"]
    if "--counter" in arguments:
        arguments += ["--uav", "0=none"]
    result = cli("run", ATOMIC, *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"softd3d: {ATOMIC}: {text}")
    assert result.stderr.count("\n") == 1


def test_an_array_that_cannot_be_read_is_named(cli):
    result = cli("run", ATOMIC, "--groups", "1", "--uav", "0=x.npy", "--uav", "1=none")
    assert (result.exit_code, result.stderr) == (2, "softd3d: x.npy: No such file or directory\n")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("0", 0),
        ("u12", "u12"),
        ("3,space1", (3, 1)),
        ("t3,space1", "t3,space1"),
        ("Dst", "Dst"),
        ("a[2]", "a[2]"),
        ("x0", "x0"),
    ],
)
def test_keys(text, key):
    assert parse_key(text) == key
    assert split_key(f"{text}=a=b") == (key, "a=b")


@pytest.mark.parametrize(
    ("text", "groups"), [("5", (5, 1, 1)), ("2,3", (2, 3, 1)), ("1,2,3", (1, 2, 3))]
)
def test_groups(text, groups):
    assert group_counts(text) == groups


@pytest.mark.parametrize("text", ["", "x", "1,,2", "-1", "1.5"])
def test_wrong_groups(text):
    with pytest.raises(ResourceError, match="wanted X,Y,Z"):
        group_counts(text)


def test_constants_are_collected_by_key():
    found = constants_of(("P=a=1", "P=b=[1.5, 2]", "Q=none"))
    assert found == {"P": {"a": 1, "b": [1.5, 2]}, "Q": None}
    with pytest.raises(ResourceError, match="wanted a number or a list"):
        constants_of(("P=a=[1",))
    with pytest.raises(ResourceError, match="given twice"):
        constants_of(("P=none", "P=none"))


@pytest.mark.parametrize("text", ["P=a=1", "P=none"])
def test_a_buffer_is_variables_or_a_whole(text):
    with pytest.raises(ResourceError, match="given twice"):
        constants_of((text, "P=none" if "a" in text else "P=a=1"))


def test_pickled_arrays_are_refused(tmp_path):
    np.save(tmp_path / "x.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(ResourceError, match=r"not a NumPy .npy file of numbers"):
        given_view(str(tmp_path / "x.npy"))
    np.savez(tmp_path / "x.npz", a=np.zeros(1))
    with pytest.raises(ResourceError, match=r"an archive of arrays \(.npz\), wanted a single"):
        given_view(str(tmp_path / "x.npz"))


MESSAGES = """cs_5_0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 2, 1, 1
printf "thread %u\\n", vThreadID.x
ieq r0.x, vThreadID.x, l(3)
if_nz r0.x
  abort
endif
ret
"""
METHODS = Path(__file__).parents[2] / "execution/data/methods.cs_5_0.dxbc"


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
def test_messages_are_printed_and_an_abort_fails(cli, tmp_path, engine):
    file = tmp_path / "messages.dxbc"
    file.write_bytes(assemble(MESSAGES))
    command = ["run", str(file), "--groups", "3,1,1", "--engine", engine]
    result = cli(*command)
    assert result.exit_code == 1
    assert f"{engine}: printf: thread 1 (group (0, 0, 0), thread (1, 0, 0)" in result.stderr
    assert f"{engine}: abort: shader abort (group (1, 0, 0)" in result.stderr
    assert f"{engine}: aborted in group (1, 0, 0)" in result.stderr
    assert "thread 4" not in result.stderr
    result = cli(*command, "--max-messages", "1")
    assert "thread 1" not in result.stderr
    assert "messages more" in result.stderr


def test_interfaces_are_bound_by_options(cli):
    command = ["run", str(METHODS), "--groups", "1,1,1", "--uav", "0=zeros:8:uint32"]
    result = cli(*command, "--interface", "o1=a[0]")
    assert result.exit_code != 0
    assert "interface slot 1 (m[0]): not in interfaces" in result.stderr
    slots = ["o1=a[0]", "m[0]=b", "2=a[0]", "m[2]=b"]
    options = [word for slot in slots for word in ("--interface", slot)]
    result = cli(*command, *options)
    assert result.exit_code == 0, result.stderr
    assert "20506" in result.stdout  # thread 1: 4 + 500 + 20002
    result = cli(*command, *options[2:], "--interface", "o1=A:constant_buffer=1:vector=2")
    assert result.exit_code == 0, result.stderr
    assert "20506" in result.stdout
    result = cli(*command, *options[2:], "--interface", "o1=A:offset=1")
    assert "--interface: found 'offset', wanted one of constant_buffer, vector, " in result.stderr
    for bad in ("o1", "=b", "o1="):
        result = cli(*command, "--interface", bad)
        assert "wanted SLOT=INSTANCE" in result.stderr


def test_constants_that_are_missing_are_named_by_their_option(cli, library):
    result = cli("run", PICTURE, "--groups", "1", "--uav", "0=none")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "b0 (P): give it with --constants b0=..., or =none" in result.stderr


@pytest.mark.parametrize("engine", ["jit", "interpreter", "both"])
def test_a_run_as_json(cli, tmp_path, engine):
    """Its arrays are in files, its messages in the object, and nothing else is printed."""
    file = tmp_path / "messages.dxbc"
    file.write_bytes(assemble(MESSAGES.replace("dcl_temps 1", "dcl_uav_raw u0\ndcl_temps 1")))
    result = cli("run", str(file), "--groups", "1,1,1", "--uav", "u0=zeros:2:uint32", "--save",
                 "0=out.npy", "--json", "--max-messages", "1", "--engine", engine)  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["groups"] == [1, 1, 1]
    assert [run["engine"] for run in found["runs"]] == (
        ["jit", "interpreter"] if engine == "both" else [engine]
    )
    for run in found["runs"]:
        (message,) = run["messages"]
        assert (message["kind"], message["text"]) == ("printf", "thread 0\n")
        assert (message["group"], message["thread"]) == ([0, 0, 0], [0, 0, 0])
        assert (run["messages_dropped"], run["aborted"], run["undefined"]) == (1, None, [])
    assert found["uavs"] == [
        {"register": "u0", "name": "", "saved": "out.npy", "counter": None,
         "bytes_that_differ": 0 if engine == "both" else None}
    ]  # fmt: skip
    assert np.load("out.npy").shape == (2,)


def test_messages_of_which_none_is_kept_are_counted(cli, tmp_path):
    file = tmp_path / "messages.dxbc"
    file.write_bytes(assemble(MESSAGES))
    result = cli("run", str(file), "--groups", "1", "--max-messages", "0")
    assert "jit: 2 messages, none of them kept\n" in result.stderr


NANS = """cs_5_0
dcl_resource_raw t0
dcl_uav_raw u0
dcl_temps 1
dcl_thread_group 1, 1, 1
ld_raw r0.xy, l(0), t0.xyxx
add r0.x, r0.x, r0.y
store_raw u0.x, l(0), r0.x
ret
"""


def _compared(first, second):
    """Return what is said of two runs, and the exit status that they ask for."""
    failures = Failures.collected()
    compare([first, second], failures)
    return failures.reports, failures.status


def _finished(engine, buffer, **outcome):
    shader = load_shader(assemble(NANS))
    wanted = wanted_registers(shader.program, shader.declarations, shader.reflection)
    (register,) = wanted[RegisterKind.UAVS]
    return Finished(engine, (1, 1, 1), 0.0, Outcome(**outcome), {register: buffer})


def test_nans_are_alike_whatever_their_bits(cli, capsys):
    """Which NaN a NaN is, is free; among integers, bits are bits."""
    bits = [np.array([n, 1], np.uint32) for n in (0x7FC00001, 0xFFC00002)]
    one, other = (_finished("jit", RawBuffer(b.view(np.float32))) for b in bits)
    assert _compared(one, other) == ([], 0)
    assert "u0: the engines agree but for the bits of NaNs" in capsys.readouterr().err
    one, other = (_finished("jit", RawBuffer(b)) for b in bits)
    (report,), status = _compared(one, other)
    assert (report[0], status) == ("u0", 1)
    assert "disagree from byte 0 on, in 2 bytes" in report[1]


def test_counters_are_compared():
    one, other = (_finished("jit", StructuredBuffer(np.zeros(2), counter=n)) for n in (3, 4))
    (report,), status = _compared(one, other)
    assert (report[1], status) == ("the engines disagree in the counter: 3, 4", 1)


def test_after_an_abort_nothing_is_compared(capsys):
    one, other = (
        _finished("jit", RawBuffer(np.full(2, n, np.uint32)), aborted=(0, 0, 0)) for n in (0, 1)
    )
    assert _compared(one, other) == ([], 0)
    assert "u0: not compared, as groups after an abort may not run" in capsys.readouterr().err


def test_a_variable_comes_before_a_register_of_its_name(cli):
    """crossed.hlsl: t0 is in t1, t1 in t0, u1 in u0; so it is in Python."""
    file = Path(__file__).parents[1] / "device/data/crossed.cs_5_0.dxbc"
    np.save("ones.npy", np.arange(4, dtype=np.uint32))
    np.save("tens.npy", np.arange(4, dtype=np.uint32) + 5)
    result = cli("run", str(file), "--groups", "1", "--srv", "t0=tens.npy", "--srv",
                 "t1=ones.npy", "--uav", "u1=zeros:4:uint32", "--save", "u1=o.npy")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert np.load("o.npy").tolist() == [50, 61, 72, 83]
    result = cli("run", str(file), "--groups", "1", "--srv", "1=tens.npy", "--srv",
                 "0,space0=ones.npy", "--uav", "u0=zeros:4:uint32", "--save", "u0=o2.npy",
                 )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert np.load("o2.npy").tolist() == [50, 61, 72, 83]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("nowhere/out.npy", "No such file or directory"),
        ("u0.npy/out.npy", "Not a directory"),
        ("cases", "Is a directory"),
        ("o" * 300, "File name too long"),
        ("", "Is a directory"),
    ],
)
def test_where_nothing_can_be_saved_nothing_runs(cli, library, monkeypatch, place, text):
    def run(*_: object) -> None:
        raise AssertionError("it ran")

    monkeypatch.setattr("softd3d.cli.verbs.run_shader._Plan.run", run)
    inputs(library)
    result = cli("run", ATOMIC, "--groups", "1", "--uav", "0=u0.npy", "--uav",
                 "1=none", "--save", f"0={place}")  # fmt: skip
    assert (result.exit_code, result.stderr) == (2, f"softd3d: {place}: {text}\n")
