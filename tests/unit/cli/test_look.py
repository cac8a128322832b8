"""`softd3d info` and `softd3d dis`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from softd3d.container.dxbc import container as dxbc

NAME = "cs_mandelbrot.cs_5_0.dxbc"

INFO = """\
cs_mandelbrot.cs_5_0.dxbc: DXBC container, cs_5_0, 1460 bytes
  SHA-256   fd43ab2d29b4c86bfae8e427ee3631326541761b3570f387306b2848a397465a
  checksum  f738a7ac90fc25c56f2e75fcc6705e40 (ok)
  chunks    RDEF 580, ISGN 8, OSGN 8, SHEX 624, STAT 148 (bytes)
  compiler  Microsoft (R) HLSL Shader Compiler 10.1
  program   25 instructions (17 pure, 1 effect, 7 flow), 6 declarations
  slots     25 by the compiler's count
  group     8 x 8 x 1 threads, 2 temps, 0 bytes of group-shared memory
  register  name  is                holds         count
  -----------------------------------------------------
  u0        Dst   uav_rwstructured  4 bytes each  1
  cb0       P     cbuffer                         1
"""


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


def test_info_says_what_a_shader_is(cli):
    result = cli("info", NAME)
    assert (result.exit_code, result.stderr) == (0, "")
    assert lines(result.stdout) == lines(INFO)


def test_info_as_json(cli, library):
    result = cli("info", "--json", NAME, "-", stdin=(library / NAME).read_bytes())
    one, other = json.loads(result.stdout)
    assert (one.pop("file"), other.pop("file")) == (NAME, "-")
    assert one == other
    assert one["sha256"] == hashlib.sha256((library / NAME).read_bytes()).hexdigest()
    assert one["container"]["checksum_ok"] is True
    assert one["compute"] == {"thread_group": [8, 8, 1], "temps": 2, "shared_bytes": 0}
    assert [b["register"] for b in one["bindings"]] == ["u0", "cb0"]


def test_info_of_bare_tokens_takes_bindings_from_declarations(cli, library):
    tokens = dxbc.parse((library / NAME).read_bytes()).program_chunk.data
    (found,) = json.loads(cli("info", "--json", "-", stdin=tokens).stdout)
    assert found["kind"] == "token stream of shader model 4 or 5"
    assert [(b["register"], b["type"], b["holds"]) for b in found["bindings"]] == [
        ("cb0", "cbuffer", "16 bytes"),
        ("u0", "uav_rwstructured", "4 bytes each"),
    ]


def test_info_tells_a_wrong_checksum(cli, library):
    data = bytearray((library / NAME).read_bytes())
    data[4] ^= 1
    result = cli("info", "-", stdin=bytes(data))
    assert result.exit_code == 0
    assert "f638a7ac90fc25c56f2e75fcc6705e40 (WRONG, Direct3D refuses the file)\n"[1:] in (
        result.stdout
    )


def test_info_names_what_it_cannot_run(cli):
    result = cli("info", "-", stdin=bytes.fromhex("0003ffff") + bytes.fromhex("ffff0000"))
    assert result.exit_code == 0
    assert result.stdout.startswith("-: token stream of shader model 1 to 3, ps_3_0, 8 bytes\n")


def test_info_goes_on_after_what_is_no_shader(cli, library):
    (library / "text").write_text("hello")
    result = cli("info", "text", "none.dxbc", NAME)
    assert result.exit_code == 2
    assert result.stderr == (
        "softd3d: text: not a shader: the input starts with b'hell', wanted a compiled "
        "shader, an effect or a texture (byte offset 0x0)\n"
        "softd3d: none.dxbc: No such file or directory\n"
    )
    assert result.stdout.startswith(f"{NAME}: DXBC container")


def test_info_shows_the_container_of_a_damaged_program(cli, library):
    data = bytearray((library / NAME).read_bytes())
    data[dxbc.parse(bytes(data)).program_chunk.data_offset + 8 + 3] = 0
    result = cli("info", "-", stdin=bytes(data))
    assert result.exit_code == 2
    assert "chunks    RDEF 580" in result.stdout
    assert "dcl_global" in result.stderr
    assert "instruction 0, byte offset" in result.stderr


def test_dis_prints_the_listing(cli):
    result = cli("dis", NAME)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "\ndcl_thread_group 8, 8, 1\n" in result.stdout
    assert result.stdout.endswith("ret \n// Approximately 25 instruction slots used\n")


def test_dis_writes_files_and_reads_standard_input(cli, library):
    expected = cli("dis", NAME).stdout
    result = cli("dis", "-", "-o", "out.asm", stdin=(library / NAME).read_bytes())
    assert (result.exit_code, result.stdout) == (0, "")
    assert (library / "out.asm").read_text() == expected


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["dis", "none.dxbc"], "softd3d: none.dxbc: No such file or directory\n"),
        (["dis", NAME, "-o", "none/x"], "softd3d: none/x: No such file or directory\n"),
    ],
)
def test_dis_says_in_a_line_what_is_wrong(cli, arguments, text):
    result = cli(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", text)


@pytest.mark.parametrize("arguments", [[], ["frobnicate"], ["dis"], ["info", "--nothing", NAME]])
def test_wrong_usage_is_status_2(cli, arguments):
    assert cli(*arguments).exit_code == 2


def test_help_lists_the_verbs(cli):
    text = cli("--help").stdout
    assert all(f"\n  {verb} " in text for verb in ("info", "dis", "run", "demo"))
    assert cli("--version").stdout.startswith("softd3d 0.")


def test_info_tells_of_direct3d_9(cli):
    data = Path(__file__).parents[1] / "container/data"
    shader, effect = data / "sm1/defaults.ps_2_0.47.bin", data / "effect9/exprs.47.fxo"
    one, two = json.loads(cli("info", "--json", str(shader), str(effect)).stdout)
    assert one["profile"] == "ps_2_0"
    assert one["shader9"]["constants"] == ["arr", "f", "s", "v3"]
    assert [c["tag"] for c in one["shader9"]["comments"]] == ["CTAB"]
    assert two["effect9"]["parameters"] == 8
    text = cli("info", str(shader), str(effect)).stdout
    assert "constants arr, f, s, v3" in text
    assert "8 parameters, 1 techniques" in text


def test_info_tells_what_interfaces_want(cli):
    """data/members.hlsl: an array of four slots, and instances in a constant buffer."""
    file = str(Path(__file__).parents[2] / "execution/data/members.cs_5_0.dxbc")
    result = cli("info", file)
    assert result.exit_code == 0, result.stderr
    assert "  interface 3 (ops[3]): IOp of Nop, Mul, Add\n" in result.stdout
    assert "  instance  addb of Add\n" in result.stdout
    (found,) = json.loads(cli("info", file, "--json").stdout)
    assert [s["slot"] for s in found["linkage"]["slots"]] == [0, 1, 2, 3]
    assert [i["name"] for i in found["linkage"]["instances"]] == ["add", "mul", "addb"]
    assert found["problems"] == []
