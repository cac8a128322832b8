"""What all tests share: the Hypothesis profiles, and the sample library beside the project."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests compile anew and leave nothing behind: the cache of native code is a folder of their own.
CACHE = tempfile.TemporaryDirectory(prefix="softd3d-tests-")
os.environ["SOFTD3D_CACHE"] = CACHE.name

SHARED = Path(__file__).parents[2] / "shared"

# A machine that runs other things too makes any deadline a coin toss.
settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile(
    "ci",
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if os.environ.get("CI") else "dev")  # or --hypothesis-profile=NAME


@pytest.fixture
def press_ctrl_c() -> Iterator[Callable[[], None]]:
    """A function that interrupts the main thread, once however often it is called.

    Background jobs of a script start with SIGINT ignored; here it has its default meaning.
    """
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    wanted = threading.Event()
    over = threading.Event()

    def press() -> None:
        wanted.wait()
        if not over.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    finger = threading.Thread(target=press)
    finger.start()
    try:
        yield wanted.set
    finally:
        over.set()
        wanted.set()
        finger.join()
        signal.signal(signal.SIGINT, old)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of samples that lies beside the project; tests that ask for it skip without."""
    if not SHARED.is_dir():
        pytest.skip("no ../shared beside the project")
    return SHARED
