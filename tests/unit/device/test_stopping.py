"""Long dispatches: progress, cancelling, Ctrl-C, and where a run says that it was stopped."""

from __future__ import annotations

import multiprocessing
import os
import threading

import numpy as np
import pytest

import softd3d
from softd3d.errors import ExecutionError, ResourceError

ENGINES = ["jit", "interpreter"]
HUGE = (65535, 65535, 65535)
HEAD = """
cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_temps 4
dcl_thread_group {threads}, 1, 1
"""
TOUCH = "store_raw u0.x, l(0), l(7)\nret\n"
FOREVER = "store_raw u0.x, l(0), l(7)\nloop\n  iadd r0.x, r0.x, l(1)\nendloop\nret\n"


def job(body: str, groups: tuple[int, int, int], threads: int = 16, **options) -> softd3d.Dispatch:
    """A dispatch of a program in assembly, with its array as `job.data`."""
    shader = softd3d.load(softd3d.assemble(HEAD.format(threads=threads) + body))
    data = np.zeros(64, np.uint32)
    made = softd3d.Dispatch(shader, groups, uavs={0: softd3d.RawBuffer(data)}, **options)
    made.data = data  # type: ignore[attr-defined]
    return made


def after(polls: int):
    """A function that says stop when it has been asked a few times."""
    asked = iter(range(polls))
    return lambda: next(asked, None) is None


@pytest.mark.parametrize("engine", ENGINES)
def test_the_largest_grid_starts_goes_on_and_stops(engine):
    seen: list[tuple[int, int]] = []
    stop = threading.Event()

    def progress(done: int, total: int) -> None:
        seen.append((done, total))
        if done:
            stop.set()

    run = job(TOUCH, HUGE, engine=engine, progress=progress, cancel=stop)
    with pytest.raises(ExecutionError, match=r"^cancelled$"):
        run()
    assert seen[-1][1] == 65535**3
    assert 0 < seen[-1][0] < 65535**3
    assert run.data[0] == 7


def test_group_numbers_beyond_32_bits_are_right():
    """The last groups of a grid of 2^33: only their numbers are looked at."""
    body = """
        uge r0.x, vThreadGroupID.z, l(1)
        ieq r0.y, vThreadGroupID.x, l(65534)
        ieq r0.z, vThreadGroupID.y, l(65534)
        and r0.x, r0.x, r0.y
        and r0.x, r0.x, r0.z
        if_nz r0.x
          store_raw u0.xyz, l(0), vThreadGroupID.xyzx
        endif
        ret
    """
    run = job("dcl_input vThreadGroupID.xyz\n" + body, (65535, 65535, 2), threads=1)
    kernel = run._kernel
    assert kernel is not None
    # Skip what nobody looks at: the counter starts near the end.
    from softd3d.jit.abi import STATE
    from softd3d.jit.running import bound as runs
    from softd3d.jit.running.memory import NO_LANES, RunMemory
    from softd3d.jit.running.threads import run_on_threads

    work = runs.Work((65535, 65535, 2), 65535**2 * 2)
    memory = RunMemory()
    begun = runs._Run(kernel, work, NO_LANES, memory, 2, 1 << 40, max_messages=0)
    begun.state[STATE["next"]] = work.claims - 1000

    run_on_threads(kernel.code.function, begun.threads, lambda: None, begun.cancel)
    assert begun.state[STATE["status"]] == 0
    assert run.data[:3].tolist() == [65534, 65534, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_endless_loop_is_cancelled(engine):
    run = job(FOREVER, (8, 1, 1), engine=engine, cancel=after(3))
    with pytest.raises(ExecutionError, match=r"^cancelled$"):
        run()
    assert run.data[0] == 7  # what was written stays


@pytest.mark.parametrize("engine", ENGINES)
def test_cancelled_before_it_starts(engine):
    stop = threading.Event()
    stop.set()
    run = job(FOREVER, (8, 1, 1), engine=engine, cancel=stop)
    with pytest.raises(ExecutionError, match=r"^cancelled$"):
        run()
    stop.clear()
    run = job(TOUCH, (8, 1, 1), engine=engine, cancel=stop)
    run()
    assert run.data[0] == 7


@pytest.mark.parametrize("engine", ENGINES)
def test_long_bodies_and_long_groups_are_cancelled_too(engine):
    """An iteration of two thousand instructions; all 64 waves of a group; barriers between."""
    body = "\n".join(["mad r1.xyzw, r1.yzwx, r1.zwxy, r1.xyzw"] * 2000)
    text = f"loop\n{body}\nsync_ugroup_t\nendloop\nret\n"
    with pytest.raises(ExecutionError, match=r"^cancelled$"):
        job(text, (2, 1, 1), threads=1024, engine=engine, cancel=after(2))()


@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_callback_raises_ends_the_run_and_comes_out(engine):
    def progress(_done: int, _total: int) -> None:
        raise LookupError("enough")

    groups = HUGE if engine == "interpreter" else (8, 1, 1)
    body = TOUCH if engine == "interpreter" else FOREVER
    with pytest.raises(LookupError, match="enough"):
        job(body, groups, engine=engine, progress=progress)()


@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_ends_the_run(engine, press_ctrl_c):
    run = job(FOREVER, (8, 1, 1), engine=engine, budget=1 << 60, cancel=press_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        run()
    assert run.data[0] == 7
    run = job(TOUCH, (8, 1, 1), engine=engine)  # and the next one is fine
    run()
    assert run.data[0] == 7


@pytest.mark.parametrize("engine", ENGINES)
def test_progress_ends_with_the_total(engine):
    seen: list[tuple[int, int]] = []
    job(TOUCH, (5, 7, 3), engine=engine, progress=lambda *step: seen.append(step))()
    assert seen[-1] == (105, 105)
    assert seen == sorted(seen)


def test_a_dispatch_may_be_started_while_another_runs():
    inner = job(TOUCH, (8, 1, 1))
    outer = job(FOREVER, (8, 1, 1), progress=lambda *_: inner(), cancel=after(3))
    with pytest.raises(ExecutionError, match=r"^cancelled$"):
        outer()
    assert inner.data[0] == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_starts_threads_of_its_own():
    run = job(TOUCH, (8, 1, 1), threads=2)
    run()
    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join()
    assert process.exitcode == 0


# Places


@pytest.mark.parametrize("engine", ENGINES)
def test_a_spent_budget_names_the_loop(engine):
    with pytest.raises(ExecutionError, match="budget") as caught:
        job("mov r0.x, l(1)\n" + FOREVER, (1, 1, 1), engine=engine, budget=1000)()
    place = caught.value.location
    assert place is not None
    loop = 6  # after four declarations and two instructions
    assert place.instruction is not None
    assert loop <= place.instruction <= loop + 2
    text = HEAD.format(threads=16) + "mov r0.x, l(1)\n" + FOREVER
    instructions = softd3d.load(softd3d.assemble(text)).program.instructions
    assert place.offset == instructions[place.instruction].offset


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("threads", [5, 32], ids=["inside a wave", "whole waves"])
def test_a_divergent_barrier_is_named(engine, threads):
    condition = f"ult r0.x, vThreadIDInGroup.x, l({threads})"
    text = f"dcl_input vThreadIDInGroup.x\n{condition}\nif_nz r0.x\n sync_ugroup_t\nendif\nret\n"
    with pytest.raises(ExecutionError, match="sync_t in divergent control flow") as caught:
        job(text, (4, 1, 1), threads=64, engine=engine)()
    assert caught.value.location is not None
    assert caught.value.location.instruction == 7


@pytest.mark.parametrize("engine", ENGINES)
def test_waves_that_wait_at_different_barriers_are_divergent(engine):
    text = """
        dcl_input vThreadIDInGroup.x
        ult r0.x, vThreadIDInGroup.x, l(32)
        if_nz r0.x
          sync_ugroup_t
        else
          sync_ugroup_t
        endif
        ret
    """
    with pytest.raises(ExecutionError, match="sync_t in divergent control flow") as caught:
        job(text, (4, 1, 1), threads=64, engine=engine)()
    assert caught.value.location is not None
    assert caught.value.location.instruction in (7, 9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"progress": 1}, "progress: found int, wanted a function"),
        ({"cancel": "now"}, "cancel: found str, wanted an event or a function"),
    ],
)
def test_callbacks_are_checked(options, message):
    with pytest.raises(ResourceError, match=message):
        job(TOUCH, (1, 1, 1), **options)
