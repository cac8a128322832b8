"""What all tests share: Hypothesis profiles, golden files, the samples beside the project."""

from __future__ import annotations

import difflib
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

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"

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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless",
        action="store_true",
        help="rewrite golden files of our own making (tests/README.md) with what is found now; "
        "then read the difference, and explain it in the commit",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare a text with a file of our own making; with --bless, rewrite the file.

    Never for what Microsoft's tools or a specification say: a difference there is our mistake.
    """

    def compare(path: Path, text: str) -> None:
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if text == old:
            return
        if request.config.getoption("--bless"):
            path.write_text(text, encoding="utf-8", newline="\n")
            pytest.skip(f"wrote {path.relative_to(ROOT)}")
        lines = difflib.unified_diff(
            old.splitlines(), text.splitlines(), path.name, "found", n=1, lineterm=""
        )
        pytest.fail("\n".join([*lines, "pytest --bless writes what is found"]), pytrace=False)

    return compare


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
