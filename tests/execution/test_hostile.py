"""Shaders that mean harm: nothing crashes, hangs, or touches what is not bound; engines agree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.device.dispatch import Dispatch, dispatch
from softd3d.errors import DecodeError, ExecutionError, ResourceError, ShaderError
from softd3d.interp import interpret
from softd3d.isa.machine import ViewKind
from softd3d.jit.engine import compile_kernel
from softd3d.lower.outcome import Outcome
from softd3d.resources.buffers.buffer import RawBuffer, StructuredBuffer
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble

sys.path.insert(0, str(Path(__file__).parents[1] / "unit/interp"))
sys.path.insert(0, str(Path(__file__).parent))
from hostile_access import KINDS, memory_rows
from program_builder import Unbound, build

FOLDER = Path(__file__).parent
# One of each way to reach memory; all kinds are run with -m slow.
QUICK = (
    "g raw",
    "u structured alloc",
    "u structured consume",
    "u texture2darray",
    "t raw None",
    "t texture2dmsarray(2)",
    "t texture3d mips",
    "t filtered texture2darray",
)
ENGINES = ("interpreter", 4, 16)


def run(engine: str | int, bound: Any, groups: tuple[int, int, int], **options: Any) -> Outcome:
    if isinstance(engine, str):
        return interpret(bound, groups, **options)
    return compile_kernel(bound, lanes=engine).run(bound, groups, **options)


# Memory, beside protected pages, in processes that may die


def _processed(kinds: list[str]) -> dict[str, dict[str, Any]]:
    """Return the reports of hostile_access.py on kinds of views."""
    command = [sys.executable, str(FOLDER / "hostile_access.py"), *kinds]
    path = os.pathsep.join([str(FOLDER), *sys.path])
    done = subprocess.run(  # noqa: S603 - our own script
        command, capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    last = next((line["begins"] for line in reversed(lines) if "begins" in line), "none")
    assert done.returncode == 0, f"status {done.returncode} at {last}: {done.stderr[-2000:]}"
    return {line["kind"]: line for line in lines if "kind" in line}


@pytest.fixture(scope="module")
def quick_reports() -> dict[str, dict[str, Any]]:
    return _processed(list(QUICK))


@pytest.mark.parametrize("kind", QUICK)
def test_hostile_addresses(kind: str, quick_reports: dict[str, dict[str, Any]]) -> None:
    assert quick_reports[kind]["rows"]
    assert quick_reports[kind]["problems"] == []


def test_every_memory_row_is_run(quick_reports: dict[str, dict[str, Any]]) -> None:
    """A new row that touches memory is included by itself; this fails if no kind of view has it."""
    run_rows = {row for report in quick_reports.values() for row in report["rows"]}
    assert run_rows == {row.mnemonic for row in memory_rows()}


@pytest.mark.slow
def test_hostile_addresses_on_all_kinds() -> None:
    others = [kind for kind in KINDS if kind not in QUICK]
    reports = _processed(others)
    assert {kind: report["problems"] for kind, report in reports.items()} == {
        kind: [] for kind in others
    }


def _finishes(script: str) -> None:
    """Run a script that ends the process if it touches a protected page."""
    path = os.pathsep.join([str(FOLDER), *sys.path])
    done = subprocess.run(  # noqa: S603 - our own script
        [sys.executable, str(FOLDER / script)], capture_output=True, text=True, timeout=600,
        check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-2000:]


def test_neighbouring_texels_at_the_ends_of_memory() -> None:
    """Filters read texels of a row together; at the end of the last row there is no other."""
    _finishes("sampling_guarded.py")


def test_vertices_and_registers_beyond_stage_memory() -> None:
    """What hull, domain and geometry shaders compute reads and writes inside of their arrays."""
    _finishes("stage_guarded.py")


@pytest.mark.parametrize("at_end", [True, False])
def test_the_guards_work(at_end: bool) -> None:
    """A process that touches the byte beside guarded memory dies: the tests above can fail."""
    offset = "array.size" if at_end else "-1"
    script = (
        "import ctypes; from guarded_memory import guarded\n"
        f"array = guarded(52, at_end={at_end}).array\n"
        f"print('before', flush=True); ctypes.c_ubyte.from_address(array.ctypes.data + {offset})"
        ".value"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=FOLDER
    )
    assert done.stdout == "before\n"
    assert done.returncode < 0


# Loops that do not end

ENDLESS = {
    "plain": "loop\nendloop",
    "with work": "loop\niadd r0.x, r0.x, l(1)\nstore_raw u0.x, l(0), r0.x\nendloop",
    "one lane": "ieq r0.x, vThreadID.x, l(5)\nloop\nbreakc_z r0.x\niadd r1.x, r1.x, l(1)\nendloop",
    "always continues": "loop\ncontinue\nendloop",
    "in a switch": "switch r0.x\ncase l(0)\nloop\nendloop\nbreak\nendswitch",
    "in a subroutine": "call label0\nret\nlabel label0\nloop\nnop\nendloop\nret",
    "around a call": "loop\ncall label0\nendloop\nret\nlabel label0\niadd r0.x, r0.x, l(1)\nret",
    "nested": "loop\nloop\niadd r0.x, r0.x, l(1)\nbreakc_nz r0.x\nendloop\nendloop",
    "around a barrier": "loop\nsync_g_t\nendloop",
    "around a barrier in a loop": "loop\nloop\nsync_g_t\nbreak\nendloop\nendloop",
    "wrapping": "loop\nieq r1.x, r0.x, l(1)\nbreakc_nz r1.x\niadd r0.x, r0.x, l(2)\nendloop",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ENDLESS)
def test_endless_loops_are_stopped(name: str, engine: str | int) -> None:
    out = np.zeros(4, np.uint32)
    bound = build(ENDLESS[name], group=(37, 1, 1), shared={0: (16,)}, uavs={0: RawBuffer(out)})
    with pytest.raises(ExecutionError, match="budget"):
        run(engine, bound, (3, 1, 1), budget=5000)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_default_budget_stops_an_endless_loop(engine: str | int) -> None:
    bound = build("loop\nendloop", group=(64, 1, 1))
    with pytest.raises(ExecutionError, match="budget"):
        run(engine, bound, (1, 1, 1))


# Barriers

DIVERGENT = {
    "if": "ult r0.x, vThreadID.x, l(5)\nif_nz r0.x\nsync_g_t\nendif",
    "after a return": "ult r0.x, vThreadIDInGroup.x, l(5)\nretc_nz r0.x\nsync_g_t",
    "both sides": "and r0.x, vThreadID.x, l(1)\nif_nz r0.x\nsync_g_t\nelse\nsync_g_t\nendif",
    "loop counts": "and r0.x, vThreadID.x, l(3)\nloop\nsync_g_t\nbreakc_z r0.x\n"
    "iadd r0.x, r0.x, l(-1)\nendloop",
    "subroutine": "and r0.x, vThreadID.x, l(1)\ncallc_nz r0.x, label0\nret\nlabel label0\n"
    "sync_g_t\nret",
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", DIVERGENT)
def test_divergent_barriers_are_errors(name: str, engine: str | int) -> None:
    bound = build(DIVERGENT[name], group=(64, 1, 1), shared={0: (16,)})
    with pytest.raises(ExecutionError, match="sync_t in divergent control flow"):
        run(engine, bound, (2, 1, 1))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_whole_group_may_miss_a_barrier(engine: str | int) -> None:
    text = """
        if_z vThreadGroupID.x
          sync_g_t
        endif
        ishl r0.x, vThreadID.x, l(2)
        store_raw u0.x, r0.x, l(7)
    """
    out = np.zeros(96, np.uint32)
    bound = build(text, group=(48, 1, 1), shared={0: (16,)}, uavs={0: RawBuffer(out)})
    run(engine, bound, (2, 1, 1))
    assert (out == 7).all()


# Sizes and depths


@pytest.mark.parametrize("engine", ENGINES)
def test_the_largest_group_with_all_group_shared_memory(engine: str | int) -> None:
    """1024 threads and 32768 bytes: every thread writes 32 of them, and reads another's."""
    text = """
        ishl r0.x, vThreadIDInGroupFlattened.x, l(5)
        iadd r0.y, r0.x, l(16)
        mov r1.xyzw, vThreadIDInGroupFlattened.xxxx
        store_raw g0.xyzw, r0.x, r1.xyzw
        store_raw g0.xyzw, r0.y, r1.xyzw
        sync_g_t
        iadd r2.x, l(32736), -r0.x
        ld_raw r3.xyzw, r2.x, g0.xyzw
        ishl r4.x, vThreadIDInGroupFlattened.x, l(4)
        store_raw u0.xyzw, r4.x, r3.xyzw
    """
    out = np.zeros((1024, 4), np.uint32)
    bound = build(text, group=(32, 8, 4), shared={0: (32768,)}, uavs={0: RawBuffer(out)})
    run(engine, bound, (2, 1, 1))
    assert (out == np.arange(1023, -1, -1)[:, None]).all()


@pytest.mark.parametrize(
    ("setup", "match"),
    [
        ({"group": (1025, 1, 1)}, "thread group"),
        ({"group": (0, 1, 1)}, "thread group"),
        ({"group": (65535, 65535, 65535)}, "thread group"),
        ({"group": (1, 1, 65)}, "thread group"),
        ({"shared": {0: (32772,)}}, "group-shared"),
        ({"shared": {0: (0xFFFFFFFC, 0xFFFFFFFF)}}, "group-shared"),
        ({"temps": 4097}, "temps"),
        ({"indexable": {0: 4097}}, r"x0\[4097\]"),
    ],
)
def test_what_exceeds_the_limits_is_refused(setup: dict[str, Any], match: str) -> None:
    with pytest.raises(DecodeError, match=match):
        build("ret", **setup)


@pytest.mark.parametrize("groups", [(65536, 1, 1), (-1, 1, 1), (1, 1, 1 << 40)])
def test_too_many_groups_are_refused(groups: tuple[int, int, int]) -> None:
    shader = load_shader(assemble("cs_5_0\ndcl_thread_group 1, 1, 1\nret\n"))
    with pytest.raises(ResourceError, match="groups"):
        Dispatch(shader, groups)


@pytest.mark.parametrize("lanes", [4, 16])
def test_the_largest_dispatch_takes_no_memory_and_can_be_stopped(lanes: int) -> None:
    """65535 groups each way: no array of them is made, and the budget ends it."""
    bound = build("loop\nendloop", group=(1, 1, 1))
    with pytest.raises(ExecutionError, match="budget"):
        run(lanes, bound, (65535, 65535, 65535), budget=5000)


@pytest.mark.parametrize("engine", ENGINES)
def test_all_temps(engine: str | int) -> None:
    last = 4095
    text = f"""
        ishl r0.x, vThreadID.x, l(2)
        iadd r{last}.w, vThreadID.x, l(3)
        store_raw u0.x, r0.x, r{last}.w
    """
    out = np.zeros(20, np.uint32)
    bound = build(text, group=(20, 1, 1), temps=4096, uavs={0: RawBuffer(out)})
    run(engine, bound, (1, 1, 1))
    assert out.tolist() == list(range(3, 23))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("opener", ["if_z r1.x", "loop", "switch r1.x"])
def test_nesting_64_deep(opener: str, engine: str | int) -> None:
    heads = {"if_z r1.x": ("", "endif"), "loop": ("", "break\nendloop"),
             "switch r1.x": ("\ncase l(0)", "break\nendswitch")}  # fmt: skip
    after, end = heads[opener]
    text = f"{opener}{after}\n" * 64 + "iadd r0.x, r0.x, l(1)\n" + f"{end}\n" * 64
    text += "store_raw u0.x, l(0), r0.x"
    out = np.zeros(1, np.uint32)
    run(engine, build(text, group=(1, 1, 1), uavs={0: RawBuffer(out)}), (1, 1, 1))
    assert out[0] == 1
    deeper = text.replace(opener, f"{opener}{after}\n{opener}", 1).replace(end, f"{end}\n{end}", 1)
    with pytest.raises(DecodeError, match="nested more than 64 deep"):
        run(engine, build(deeper, group=(1, 1, 1), uavs={0: RawBuffer(out)}), (1, 1, 1))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", [
    "call label0\nret\nlabel label0\ncall label0\nret",
    "call label0\nret\nlabel label0\ncallc_nz r0.x, label1\nret\nlabel label1\ncall label0\nret",
    "ret\nlabel label0\ncall label0\nret",
])  # fmt: skip
def test_recursion_is_refused(text: str, engine: str | int) -> None:
    with pytest.raises(DecodeError, match="calls itself"):
        run(engine, build(text), (1, 1, 1))


# Registers that are memory

ARRAY_INDICES = (0, 5, 6, 7, 4095, 1 << 28, (1 << 28) + 1, 1 << 31, 0xFFFFFFFF, 0xFFFFFFFA)


@pytest.mark.parametrize("engine", ENGINES)
def test_indices_of_arrays(engine: str | int) -> None:
    """x6, cb and icb of 6 vectors: an index outside reads 0, and a store there does nothing."""
    text = """
        ishl r0.x, vThreadID.x, l(2)
        ld_raw r0.y, r0.x, t0.xxxx
        mov x0[5].x, l(0x55)
        mov x1[0].x, l(0x77)
        mov x0[r0.y].x, l(0x66)
        mov x0[r0.y+6].y, l(0x11)
        mov r1.x, x0[r0.y].x
        mov r1.y, cb0[r0.y].x
        mov r1.z, icb[r0.y].x
        mov r1.w, x1[0].x
        ishl r0.x, vThreadID.x, l(5)
        store_raw u0.xyzw, r0.x, r1.xyzw
        iadd r0.x, r0.x, l(16)
        mov r2.x, x0[5].x
        mov r2.y, x0[0].y
        store_raw u0.xy, r0.x, r2.xyxx
    """
    indices = np.array(ARRAY_INDICES, np.uint32)
    out = np.zeros((indices.size, 8), np.uint32)
    vectors = np.arange(24, dtype=np.uint32) + 100
    bound = build(
        text, group=(indices.size, 1, 1), indexable={0: 6, 1: 2}, uavs={0: RawBuffer(out)},
        srvs={0: RawBuffer(indices)}, constants={0: vectors}, icb=tuple(range(200, 224)),
    )  # fmt: skip
    run(engine, bound, (1, 1, 1))
    inside = indices < 6
    assert (out[:, 0] == np.where(inside, 0x66, 0)).all()
    assert (out[:, 1] == np.where(inside, 100 + 4 * indices, 0)).all()
    assert (out[:, 2] == np.where(inside, 200 + 4 * indices, 0)).all()
    assert (out[:, 3] == 0x77).all()
    assert (out[:, 4] == np.where(indices == 5, 0x66, 0x55)).all()
    assert (out[:, 5] == np.where(indices == 0xFFFFFFFA, 0x11, 0)).all()  # the sum wraps to 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("row", "step"), [("alloc", 1), ("consume", -1)])
def test_hidden_counters_wrap(row: str, step: int, engine: str | int) -> None:
    start = 0xFFFFFFF0 if step > 0 else 3
    buffer = StructuredBuffer(np.zeros(4, np.uint32), 4, counter=start)
    bound = build(f"imm_atomic_{row} r0.x, u0", group=(40, 1, 1), uavs={0: buffer})
    run(engine, bound, (2, 1, 1))
    assert buffer.counter == (start + 80 * step) & 0xFFFFFFFF


@pytest.mark.parametrize("engine", ENGINES)
def test_a_counter_that_is_not_bound(engine: str | int) -> None:
    out = np.full(64, 9, np.uint32)
    text = "imm_atomic_alloc r1.x, u1\nishl r0.x, vThreadID.x, l(2)\nstore_raw u0.x, r0.x, r1.x"
    bound = build(text, uavs={0: RawBuffer(out), 1: Unbound(ViewKind.STRUCTURED)})
    run(engine, bound, (1, 1, 1))
    assert not out.any()


def test_arrays_that_cannot_be_written_are_not() -> None:

    text = "cs_5_0\ndcl_uav_raw u0\ndcl_thread_group 1, 1, 1\nstore_raw u0.x, l(0), l(1)\nret\n"
    array = np.zeros(4, np.uint32)
    array.flags.writeable = False
    for engine in ("interpreter", "jit"):
        with pytest.raises(ResourceError, match="writable"):
            dispatch(
                load_shader(assemble(text)), (1, 1, 1), uavs={0: RawBuffer(array)}, engine=engine
            )
    assert not array.any()


# Threads of Python

COUNTING = """
    atomic_iadd u0, l(0), l(1)
    ishl r0.x, vThreadID.x, l(2)
    loop
      uge r1.x, r0.y, l(100)
      breakc_nz r1.x
      iadd r0.y, r0.y, l(1)
    endloop
    iadd r0.x, r0.x, l(4)
    store_raw u0.x, r0.x, r0.y
"""


def _at_once(work: Callable[[int], None], count: int) -> None:
    failures: list[BaseException] = []

    def guarded_work(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - raised again below
            failures.append(error)

    threads = [threading.Thread(target=guarded_work, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_dispatches_from_several_threads(engine: str | int) -> None:
    """Different kernels on different arrays do not know of each other."""
    arrays = [np.zeros(1 + 64 * 8, np.uint32) for _ in range(6)]

    def work(number: int) -> None:
        text = COUNTING.replace("l(100)", f"l({100 + number})")
        bound = build(text, uavs={0: RawBuffer(arrays[number])})
        run(engine, bound, (8, 1, 1))

    _at_once(work, len(arrays))
    for number, array in enumerate(arrays):
        assert array[0] == 512
        assert (array[1:] == 100 + number).all()


@pytest.mark.parametrize("lanes", [4, 16])
def test_one_kernel_from_several_threads(lanes: int) -> None:
    """Runs of one kernel on the same arrays: atomics lose nothing."""
    array = np.zeros(1 + 64 * 8, np.uint32)
    bound = build(COUNTING, uavs={0: RawBuffer(array)})
    kernel = compile_kernel(bound, lanes=lanes)
    _at_once(lambda _: [kernel.run(bound, (8, 1, 1)) for _ in range(5)] and None, 4)
    assert array[0] == 512 * 20
    assert (array[1:] == 100).all()


@pytest.mark.parametrize("lanes", [4, 16])
def test_an_endless_loop_leaves_other_threads_alone(lanes: int) -> None:
    array = np.zeros(1 + 64 * 8, np.uint32)
    good = build(COUNTING, uavs={0: RawBuffer(array)})
    bad = build("loop\nendloop")

    def work(number: int) -> None:
        if number % 2:
            with pytest.raises(ShaderError):
                run(lanes, bad, (8, 1, 1), budget=5000)
        else:
            run(lanes, good, (8, 1, 1))

    _at_once(work, 4)
    assert array[0] == 1024


@pytest.mark.parametrize("engine", ENGINES)
def test_the_largest_array(engine: str | int) -> None:
    """All of it is zeros at first; clearing it as one value took LLVM minutes."""
    text = """
        mov x0[r0.x + 3999].xyzw, vThreadID.xxxx
        iadd r1.x, vThreadID.x, l(3996)
        ishl r0.y, vThreadID.x, l(2)
        mov r1.y, x0[r1.x].z
        store_raw u0.x, r0.y, r1.y
    """
    out = np.full(8, 9, np.uint32)
    bound = build(text, group=(8, 1, 1), indexable={0: 4000}, uavs={0: RawBuffer(out)})
    run(engine, bound, (1, 1, 1))
    assert out.tolist() == [0, 0, 0, 3, 0, 0, 0, 0]
