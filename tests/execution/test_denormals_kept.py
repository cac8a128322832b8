"""Arithmetic flushes denormals, however LLVM optimises it. Random programs found that it did not.

LLVM compares the bits of a loaded number with those of zero, although the function says that
denormals are flushed, and it leaves out a product with one, which would have flushed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from softd3d.device.dispatch import dispatch
from softd3d.interp import interpret
from softd3d.jit.compiling import compiler
from softd3d.jit.engine import compile_kernel
from softd3d.resources.buffers.buffer import RawBuffer
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble

sys.path.insert(0, str(Path(__file__).parents[1] / "unit/interp"))
from program_builder import build

VALUES = np.array([0, 1 << 31, 1, 0x80000001, 0x7FFFFF, 0x800000, 0x80800000, 0x7FC00000], "<u4")
ZEROS = [True] * 5 + [False] * 3
# Conditions that hold for zeros and nothing else, or for everything else (NaN is unordered).
TESTS = {
    "eq r1.x, r0.x, l(0.0)": ZEROS,
    "eq r1.x, l(0.0), r0.x": ZEROS,
    "eq r1.x, r0.x, r5.x": ZEROS,
    "eq r1.x, -r0.x, l(0.0)": ZEROS,
    "ne r1.x, l(0.0), -r0.x": [not z for z in ZEROS],
    "eq r1.x, -r0.x, x0[1].x": ZEROS,
    "ne r1.x, r0.x, l(0.0)": [not z for z in ZEROS],
    "ne r1.x, x0[1].y, r0.x": [not z for z in ZEROS],
}


@pytest.mark.parametrize("engine", ["interpreter", 4, 8, 16])
@pytest.mark.parametrize("line", TESTS)
def test_denormals_are_zeros(line: str, engine: str | int) -> None:
    text = f"""
        ishl r7.x, vThreadID.x, l(2)
        ld_raw r0.x, r7.x, t0.xxxx
        {line}
        store_raw u0.x, r7.x, r1.x
    """
    out = np.zeros(len(VALUES), np.uint32)
    bound = build(
        text, group=(len(VALUES), 1, 1), indexable={0: 2}, srvs={0: RawBuffer(VALUES)},
        uavs={0: RawBuffer(out)},
    )  # fmt: skip
    if isinstance(engine, str):
        interpret(bound, (1, 1, 1))
    else:
        compile_kernel(bound, lanes=engine).run(bound, (1, 1, 1))
    assert (out != 0).tolist() == TESTS[line]


# r2 is 1 in all threads, r3 is 0, r4 is -0, each by ways that only the optimiser sees through.
CONSTANTS = {
    "literals": "mov r2.x, l(1.0)\nmov r3.x, l(0)\nmov r4.x, l(0x80000000)",
    "icb": "mov r2.x, icb[0].x\nmov r3.x, icb[0].y\nmov r4.x, icb[0].z",
    "array": "mov x0[1].x, l(1.0)\nmov x0[1].z, l(0x80000000)\n"
    "mov r2.x, x0[1].x\nmov r3.x, x0[1].y\nmov r4.x, x0[1].z",
    "shared": "mov r2.x, l(1.0)\nld_raw r3.x, r7.x, g0.xxxx\nmov r4.x, l(0x80000000)",
    "select": "movc r2.x, t, l(1.0), r9.x\nmovc r3.x, t, l(0), r9.x\n"
    "movc r4.x, t, l(0x80000000), r9.x",
    "branch": "if_nz t\nmov r2.x, l(1.0)\nmov r3.x, l(0)\nmov r4.x, l(0x80000000)\nelse\n"
    "mov r2.x, r9.x\nmov r3.x, r9.x\nmov r4.x, r9.x\nendif",
    "loop": "mov r2.x, l(1.0)\nmov r4.x, l(0x80000000)\nloop\nieq r1.x, r6.x, t\nbreakc_nz r1.x\n"
    "mov r6.x, t\nendloop",
    "if only": "mov r2.x, l(1.0)\nmov r4.x, l(0x80000000)\nif_z t\nmov r2.x, r9.x\nmov r3.x, r9.x\n"
    "mov r4.x, r9.x\nendif",
}
OPERATIONS = (
    "mul r1.x, r0.x, r2.x", "mul r1.x, r2.x, r0.x", "mul r1.x, r0.x, -r2.x",
    "div r1.x, r0.x, r2.x", "div r1.x, r0.x, -r2.x", "add r1.x, r0.x, r4.x",
    "add r1.x, r4.x, r0.x", "add r1.x, r0.x, -r3.x", "add r1.x, -r0.x, r4.x",
    "mad r1.x, r0.x, r2.x, r4.x", "mad r1.x, r2.x, r0.x, r4.x", "add r1.x, r4.x, -r0.x",
)  # fmt: skip


@pytest.mark.parametrize("lanes", [0, 4, 16])
@pytest.mark.parametrize("how", CONSTANTS)
def test_operations_that_change_nothing_flush(how: str, lanes: int) -> None:
    """Products with 1, sums with -0 and the like, where the constant is plain to see or not."""
    count = len(VALUES)
    lines = [f"{line}\nstore_raw u0.x, r8.x, r1.x\niadd r8.x, r8.x, l({4 * count})"
             for line in OPERATIONS]  # fmt: skip
    text = "\n".join([
        "ishl r7.x, vThreadID.x, l(2)", "mov r8.x, r7.x", "ld_raw r0.x, r7.x, t0.xxxx",
        "ld_raw r9.x, r7.x, t1.xxxx", CONSTANTS[how].replace("t,", "cb0[0].x,"), *lines,
    ]).replace(" t\n", " cb0[0].x\n")  # fmt: skip
    out = np.zeros((len(OPERATIONS), count), np.uint32)
    bound = build(
        text, group=(count, 1, 1), temps=10, indexable={0: 2}, shared={0: (64,)},
        srvs={0: RawBuffer(VALUES), 1: RawBuffer(VALUES.copy())}, uavs={0: RawBuffer(out)},
        constants={0: np.ones(4, np.uint32)}, icb=(0x3F800000, 0, 0x80000000, 0),
    )  # fmt: skip
    if lanes:
        compile_kernel(bound, lanes=lanes).run(bound, (1, 1, 1))
    else:
        interpret(bound, (1, 1, 1))
    magnitude = out & 0x7FFFFFFF
    flushed = [0 if zero else int(v) & 0x7FFFFFFF for v, zero in zip(VALUES, ZEROS, strict=True)]
    for line, found in zip(OPERATIONS, magnitude.tolist(), strict=True):
        assert found == flushed, line


FOLDED = {
    "round_pi r1.x, {}": 0, "round_ni r1.x, -{}": 0x80000000, "sqrt r1.x, {}": 0,
    "mad r1.x, {}, l(1.5), {}": 0, "mad r1.x, {}, {}, {}": 0, "round_z r1.x, {}": 0,
    "mul r1.x, {}, l(4194304.0)": 0, "add r1.x, {}, {}": 0, "ftou r1.x, {}": 0,
}  # fmt: skip


@pytest.mark.parametrize("engine", ["interpreter", 4, 16])
@pytest.mark.parametrize("source", ["icb[0].x", "x0[1].x"])
def test_operations_on_constants_flush(source: str, engine: str | int) -> None:
    """LLVM computes them itself, and some as if denormals were not flushed."""
    lines = [
        f"{line.replace('{}', source)}\nstore_raw u0.x, l({4 * n}), r1.x"
        for n, line in enumerate(FOLDED)
    ]
    out = np.full(len(FOLDED), 0xDDDDDDDD, np.uint32)
    bound = build(
        "\n".join(["mov x0[1].x, l(0x007fffff)", *lines]), group=(1, 1, 1), indexable={0: 2},
        uavs={0: RawBuffer(out)}, icb=(0x007FFFFF, 0, 0, 0),
    )  # fmt: skip
    if isinstance(engine, str):
        interpret(bound, (1, 1, 1))
    else:
        compile_kernel(bound, lanes=engine).run(bound, (1, 1, 1))
    assert dict(zip(FOLDED, out.tolist(), strict=True)) == FOLDED


@pytest.mark.parametrize("engine", ["interpreter", 4, 16])
@pytest.mark.parametrize(
    "zero",
    ["imul r2.x, null, r0.x, l(0)", "umul r2.x, null, r0.x, l(0)", "ubfe r2.x, l(0), r0.x, r0.x"],
)
def test_constants_of_integer_operations_flush(zero: str, engine: str | int) -> None:
    """LLVM finds that the high half of x * 0 is 0, and then that all operands are constant."""
    text = f"""
        ishl r7.x, vThreadID.x, l(2)
        ld_raw r0.x, r7.x, t0.xxxx
        {zero}
        mad r1.x, r2.x, l(2.0), l(0x007fffff)
        store_raw u0.x, r7.x, r1.x
    """
    out = np.full(len(VALUES), 0xDDDDDDDD, np.uint32)
    bound = build(
        text, group=(len(VALUES), 1, 1), srvs={0: RawBuffer(VALUES)}, uavs={0: RawBuffer(out)}
    )
    if isinstance(engine, str):
        interpret(bound, (1, 1, 1))
    else:
        compile_kernel(bound, lanes=engine).run(bound, (1, 1, 1))
    assert not out.any()


# The literal of 8 units in the last place is a denormal, which counts as zero.
ABSOLUTE = {
    "ge r0.x, l(0), |r0.x|": ZEROS,
    "ne r0.x, l(0x00000008), -|r0.x|": [not z for z in ZEROS],
    "eq r0.x, -|r0.x|, l(0x80000008)": ZEROS,
}


@pytest.mark.parametrize("lanes", [4, 16])
@pytest.mark.parametrize("line", ABSOLUTE)
def test_absolute_values_of_denormals_are_zeros(line: str, lanes: int) -> None:
    text = f"""
        cs_5_0
        dcl_globalFlags refactoringAllowed
        dcl_resource_raw t0
        dcl_uav_raw u0
        dcl_input vThreadID.x
        dcl_temps 2
        dcl_thread_group {len(VALUES)}, 1, 1
        ishl r1.x, vThreadID.x, l(2)
        ld_raw r0.x, r1.x, t0.xxxx
        {line}
        store_raw u0.x, r1.x, r0.x
        ret
    """
    out = np.zeros(len(VALUES), np.uint32)
    shader = load_shader(assemble("\n".join(line.strip() for line in text.strip().splitlines())))
    dispatch(shader, (1, 1, 1), srvs={0: RawBuffer(VALUES)}, uavs={0: RawBuffer(out)}, lanes=lanes)
    assert (out != 0).tolist() == ABSOLUTE[line]


SIGNS = {
    "rsq r1.xy, -|r0.xyxx|": (0xFF800000, 0xFF800000),
    "rsq r1.xy, |r0.xyxx|": (0x7F800000, 0x7F800000),
    "ne r1.xy, -r0.xyxx, r0.xyxx": (0, 0),
    "ne r1.xy, |r0.xyxx|, r0.xyxx": (0, 0),
    "eq r1.xy, -|r0.xyxx|, r0.xyxx": (0xFFFFFFFF, 0xFFFFFFFF),
    "ge r1.xy, -r0.xyxx, r0.xyxx": (0xFFFFFFFF, 0xFFFFFFFF),
    "lt r1.xy, -|r0.xyxx|, l(0.0, 0.0, 0.0, 0.0)": (0, 0),
    "lt r1.xy, l(0.0, 0.0, 0.0, 0.0), |r0.xyxx|": (0, 0),
    "ge r1.xy, -|r0.xyxx|, l(0.0, 0.0, 0.0, 0.0)": (0xFFFFFFFF, 0xFFFFFFFF),
    "and r1.xy, r0.xyxx, l(0x7fffffff, 0x7fffffff, 0, 0)\n"
    "lt r1.xy, l(0.0, 0.0, 0.0, 0.0), r1.xyxx": (0, 0),
}


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("lines", SIGNS)
def test_signs_of_denormals_with_known_signs(lines: str, lanes: int) -> None:
    shader = load_shader(assemble(
        "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_resource_raw t0\ndcl_uav_raw u0\n"
        "dcl_input vThreadIDInGroupFlattened\ndcl_temps 2\ndcl_thread_group 16, 1, 1\n"
        "ishl r0.w, vThreadIDInGroupFlattened.x, l(3)\nld_raw r0.xy, r0.w, t0.xyxx\n"
        f"{lines}\nstore_raw u0.xy, r0.w, r1.xyxx\nret\n"
    ))  # fmt: skip
    out = np.zeros(32, np.uint32)
    given = np.tile(np.array([0x33, 0x80000033], np.uint32), 16)
    dispatch(shader, (1, 1, 1), srvs={0: RawBuffer(given)}, uavs={0: RawBuffer(out)}, lanes=lanes)
    assert {tuple(pair) for pair in out.reshape(-1, 2).tolist()} == {SIGNS[lines]}


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("large", [0, 1 << 30])
def test_fractions_of_small_integers_are_zero(
    lanes: int, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # LLVM knows that the bits of a thread's number are a denormal, and so its floor.
    monkeypatch.setattr(compiler, "LARGE_LINES", large)
    out = np.full(32, 7, np.uint32)
    text = "ishl r7.x, vThreadIDInGroupFlattened.x, l(2)\nfrc r1.x, vThreadIDInGroup.y\n"
    text += f"mov r2.x, l({large})\n"  # another program: the first one's code is kept
    bound = build(text + "store_raw u0.x, r7.x, r1.x", group=(4, 4, 2), uavs={0: RawBuffer(out)})
    compile_kernel(bound, lanes=lanes).run(bound, (1, 1, 1))
    assert not out.any()


# What threads leave in group-shared memory: a resource's dwords, outcomes, or their own numbers.
LEFT = {
    "dwords": "",
    "sums": "add r0.x, r0.x, l(0)",
    "numbers": "ishl r0.x, vThreadIDInGroupFlattened.x, l(6)",
    "bytes": "and r0.x, r0.x, l(0x807fffff)",
}


@pytest.mark.parametrize("lanes", [0, 4, 16, 64])
@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("sync", ["", "sync_g_t"])
def test_denormals_in_group_shared_memory_are_zeros(sync: str, left: str, lanes: int) -> None:
    """Where LLVM may know what is there, and where it cannot."""
    operations = (
        *OPERATIONS, "mad r1.x, r0.x, l(1.0), r0.x", "mad r1.x, r0.x, r5.x, l(0x80000000)",
        "mul r1.x, r0.x, r5.x", "mad r1.x, r5.x, r0.x, r9.x", "mul r1.x, r0.x, l(4194304.0)",
        "frc r1.x, r0.x", "round_pi r1.x, r0.x", "sqrt r1.x, r0.x", "add r1.x, r0.x, r0.x",
    )  # fmt: skip
    count = len(VALUES)
    lines = [f"{line}\nstore_raw u0.x, r8.x, r1.x\niadd r8.x, r8.x, l({4 * count})"
             for line in operations]  # fmt: skip
    text = "\n".join([
        "ishl r7.x, vThreadIDInGroupFlattened.x, l(2)", "mov r8.x, r7.x",
        "ld_raw r0.x, r7.x, t0.xxxx", LEFT[left], "store_raw g0.x, r7.x, r0.x", sync,
        "ld_raw r0.x, r7.x, g0.xxxx", "mov r5.x, l(1.0)", CONSTANTS["literals"],
        *lines,
    ])  # fmt: skip
    results: list[np.ndarray] = []
    for engine in (0, lanes):
        out = np.zeros((len(operations), count), np.uint32)
        bound = build(
            text, group=(count, 1, 1), temps=10, shared={0: (4 * count,)},
            srvs={0: RawBuffer(VALUES)}, uavs={0: RawBuffer(out)},
        )  # fmt: skip
        if engine:
            compile_kernel(bound, lanes=engine).run(bound, (1, 1, 1))
        else:
            interpret(bound, (1, 1, 1))
        is_nan = (out & 0x7FFFFFFF) > 0x7F800000
        results.append(np.where(is_nan, 0x7FC00000, out & 0x7FFFFFFF))
    assert np.array_equal(*results)
