"""`softd3d run SHADER` with ranges of registers: elements by number and space, gaps."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from softd3d.tools.text.assembler import assemble_tokens

SHADER = """cs_5_1
dcl_resource_raw T0[4:*], space=2
dcl_uav_raw U0[0:*], space=0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 8, 1, 1
mov r0.x, vThreadID.x
ld_raw r0.y, l(4), T0[r0.x + 4].xxxx
ishl r0.z, r0.x, l(2)
store_raw U0[r0.x + 0].x, r0.z, r0.y
ret"""


def test_elements_of_an_endless_range(cli, library):
    Path("ranges.bin").write_bytes(assemble_tokens(SHADER))
    for n in (4, 7):
        np.save(f"t{n}.npy", np.array([0, 100 + n], np.uint32))
    result = cli(
        "run", "ranges.bin", "--groups", "1", "--engine", "both", "--srv", "t4,space2=t4.npy",
        "--srv", "t5,space2=none", "--srv", "t7,space2=t7.npy", "--uav", "u0=zeros:8:uint32",
        "--uav", "3=zeros:8:uint32", "--save", "u0=first.npy", "--save", "3=third.npy",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert np.load("first.npy").tolist() == [104, 0, 0, 0, 0, 0, 0, 0]
    assert np.load("third.npy").tolist() == [0, 0, 0, 107, 0, 0, 0, 0]
    assert result.stderr.count("the engines agree in every bit") == 2


def test_a_register_below_the_range_is_refused(cli, library):
    Path("ranges.bin").write_bytes(assemble_tokens(SHADER))
    result = cli("run", "ranges.bin", "--groups", "1", "--srv", "t3,space2=none")
    assert result.exit_code != 0
    assert "srvs: the shader has no t3,space2, it has no t# at all" in result.stderr


SAMPLING = """cs_5_1
dcl_sampler S0[1:*], mode_default, space=0
dcl_resource_texture2d (float,float,float,float) T0[0:0], space=0
dcl_uav_raw U0[0:0], space=0
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 4, 1, 1
mov r0.x, vThreadID.x
ishl r0.y, r0.x, l(2)
sample_l r1.x, l(1.375, 0.5, 0.0, 0.0), T0[0].xyzw, S0[r0.x + 1], l(0.0)
store_raw U0[0].x, r0.y, r1.x
ret"""


def test_samplers_of_an_endless_range(cli, library):
    """Four texels: 1.375 is texel 1 if wrapped, 2 if mirrored, 3 if clamped as by default."""
    Path("samplers.bin").write_bytes(assemble_tokens(SAMPLING))
    np.save("t.npy", np.arange(4, dtype=np.float32)[None])
    result = cli(
        "run", "samplers.bin", "--groups", "1", "--engine", "both", "--srv", "0=t.npy",
        "--sampler", "s1=MIN_MAG_MIP_POINT:WRAP", "--sampler", "s4=MIN_MAG_MIP_POINT:MIRROR",
        "--uav", "0=zeros:4:float32", "--save", "0=out.npy",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert np.load("out.npy").tolist() == [1, 3, 3, 2]
