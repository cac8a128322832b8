"""Processes that are forked while other threads compile and run."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

import softd3d

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")

TEXT = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
iadd r0.x, vThreadID.x, l({number})
store_raw u0.x, l(0), r0.x
ret
"""


def run(number: int) -> bool:
    """Compile a program that nobody has compiled, on several threads, and run it."""
    data = np.zeros(64, np.uint32)
    shader = softd3d.load(softd3d.assemble(TEXT.format(number=number)))
    softd3d.dispatch(shader, (1, 1, 1), uavs={0: softd3d.RawBuffer(data)}, threads=2)
    return number <= data[0] < number + 64


def ended(child: int, seconds: float) -> int | None:
    """Return a child's status, None if it had to be killed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status
        time.sleep(0.02)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return None


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_children_of_a_compiling_process_compile_and_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOFTD3D_CACHE", "0")
    stop = threading.Event()

    def busy(first: int) -> None:
        number = first
        while not stop.is_set():
            run(number)
            number += 1

    threads = [threading.Thread(target=busy, args=(first,)) for first in (0, 1 << 20)]
    for thread in threads:
        thread.start()
    found: list[int | None] = []
    try:
        for number in range(6):
            time.sleep(0.02 * number)
            child = os.fork()
            if child == 0:
                os._exit(0 if run((1 << 24) + number) else 1)
            found.append(ended(child, 60))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert found == [0] * 6
