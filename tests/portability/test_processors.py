"""Both engines give the same bits on other processors: old ones of x86-64, and Arm by emulation.

Slow: minutes natively, an hour under emulation. `arm_python.py` says how to make the latter.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

DIGESTS = Path(__file__).with_name("digests.py")
MADE = Path(__file__).parents[2] / "build/arm/python"  # where arm_python.py makes it
KINDS = ("tiny", "sm4", "cases", "sm1")
LEAST = {"tiny": 8, "sm4": 80, "cases": 2, "sm1": 90}  # no list is short by accident
pytestmark = pytest.mark.slow


def digests(python: str, out: Path, *arguments: str) -> dict[str, list[str]]:
    environment = {**os.environ, "SOFTD3D_CACHE": "0"}
    command = [python, str(DIGESTS), str(out), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(out.read_text())


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[str]]]:
    """What this processor computes, by kind."""
    folder = tmp_path_factory.mktemp("native")
    found = {kind: digests(sys.executable, folder / f"{kind}.json", kind) for kind in KINDS}
    for kind, results in found.items():
        assert len(results) >= LEAST[kind]
        assert [name for name, (a, b) in results.items() if a != b] == []
    return found


def compare(native: dict[str, list[str]], other: dict[str, list[str]]) -> None:
    assert native.keys() == other.keys()
    assert [name for name in native if native[name] != other[name]] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v2", "x86-64-v3"])
def test_x86(native, tmp_path: Path, kind: str, cpu: str) -> None:
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("code for x86-64 runs on x86-64 only")
    if cpu == "x86-64-v3" and "+avx2" not in host_features():
        pytest.skip("this processor has no AVX2")
    compare(native[kind], digests(sys.executable, tmp_path / "old.json", "--cpu", cpu, kind))


def host_features() -> str:
    from softd3d.jit.compiling.target import host

    return host().features


@pytest.mark.parametrize("kind", KINDS)
def test_arm(native, tmp_path: Path, kind: str) -> None:
    python = os.environ.get("ARM_PYTHON", str(MADE))
    if not Path(python).exists():
        pytest.skip(f"no {python}: make it with tests/portability/arm_python.py, or set ARM_PYTHON")
    compare(native[kind], digests(python, tmp_path / "arm.json", kind))
