"""Runs that certainly end soon are run by the caller's own thread, others by threads of ours."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import softd3d
from softd3d.jit.compiling.stack import stack_bytes
from softd3d.jit.facts import Facts
from softd3d.jit.running import bound as runs
from softd3d.jit.running.threads import can_run_here

PLAIN = "ret\n"
LOOP = "loop\n  ige r0.x, l(1), l(0)\n  breakc_nz r0.x\nendloop\nret\n"


def job(body: str, **options: object) -> softd3d.Dispatch:
    text = (
        "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_raw u0\ndcl_temps 1\n"
        "dcl_thread_group 4, 1, 1\nstore_raw u0.x, l(0), l(7)\n" + body
    )
    return softd3d.Dispatch(softd3d.assemble(text), 1, uavs={0: np.zeros(4, np.uint32)}, **options)  # type: ignore[arg-type]


def threads_started(monkeypatch: pytest.MonkeyPatch, work: softd3d.Dispatch) -> int:
    """Return for how many threads a run asks."""
    asked: list[int] = []
    run = runs.run_on_threads

    def counted(code: object, memories: list[object], *rest: object) -> None:
        asked.append(len(memories))
        run(code, memories, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "run_on_threads", counted)
    work()
    return sum(asked)


def test_what_is_short_runs_on_the_callers_thread(monkeypatch: pytest.MonkeyPatch):
    assert threads_started(monkeypatch, job(PLAIN)) == 0


def test_what_loops_can_be_stopped(monkeypatch: pytest.MonkeyPatch):
    assert threads_started(monkeypatch, job(LOOP)) == 1


def test_as_many_threads_as_asked_for(monkeypatch: pytest.MonkeyPatch):
    work = job(PLAIN, threads=2)
    work.groups = (8, 1, 1)
    assert threads_started(monkeypatch, work) == 2


def test_a_small_stack_is_left_alone():
    assert can_run_here(1 << 12)
    assert not can_run_here(1 << 20)
    before = threading.stack_size(256 << 10)
    try:
        assert not can_run_here(1 << 12)
    finally:
        threading.stack_size(before)


@pytest.mark.parametrize(
    ("claims", "work", "repeats", "rounds", "short"),
    [
        (1, 100, False, 0, True),
        (1 << 20, 100, False, 0, False),
        (1, 0, False, 0, False),  # it may last
        (1, 100, True, 0, False),  # nobody knows how often
        (1, 100, True, 100, True),
        (1, 100, True, 100_000, False),
    ],
)
def test_what_is_short(claims: int, work: int, repeats: bool, rounds: int, short: bool):
    facts = Facts(1, 0, 0, work=work, repeats=repeats)
    assert runs.Work((claims, 1, 1), claims, rounds=rounds).is_short(facts) is short


def test_facts_of_code_say_what_it_does():
    plain, loop = (job(body)._kernel for body in (PLAIN, LOOP))
    assert plain is not None
    assert loop is not None
    assert 0 < plain.facts.work < 100
    assert not plain.facts.repeats
    assert loop.facts.work == 0
    assert loop.facts.repeats
    assert 0 < plain.facts.stack_bytes < 1 << 14


def test_frames_are_read_from_instructions():
    none = stack_bytes(b"\x90" * 8, "x86_64")
    # sub rsp, 0x18; sub rsp, 0x1000
    code = b"\x48\x83\xec\x18\x90\x48\x81\xec\x00\x10\x00\x00"
    assert stack_bytes(code, "x86_64") - none == 0x1018
    # sub sp, sp, #32; sub sp, sp, #2, lsl #12; add x0, x1, #1
    words = (0xD10083FF, 0xD1400BFF, 0x91000420)
    arm = b"".join(word.to_bytes(4, "little") for word in words)
    assert stack_bytes(arm + b"\x00", "aarch64") - none == 32 + 0x2000


def test_a_dispatch_may_run_on_several_threads_at_once():
    work = job(PLAIN)
    found: list[object] = []
    callers = [threading.Thread(target=lambda: found.append(work())) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(found) == 8
