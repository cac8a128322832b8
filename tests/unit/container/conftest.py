"""Where the containers lie: small ones beside the tests, the sample library and the corpus.

The latter two are next to the project and need not exist; what depends on them then skips.
"""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"
SHARED = Path(__file__).resolve().parents[4] / "shared"


def _existing(folder: Path, pattern: str) -> list[Path]:
    paths = sorted(folder.rglob(pattern))
    if not paths:
        pytest.skip(f"no {folder.relative_to(SHARED.parent)}")
    return paths


@pytest.fixture(scope="session")
def small_containers() -> list[Path]:
    """Containers of every kind that are always there, with `.refl.json` beside them."""
    paths = sorted(DATA.glob("*.dxbc"))
    assert len(paths) >= 12
    return paths


@pytest.fixture(scope="session")
def sample_containers() -> list[Path]:
    return _existing(SHARED / "samples" / "sm4_5", "*.dxbc")


@pytest.fixture(scope="session")
def corpus_containers() -> list[Path]:
    paths = _existing(SHARED / "corpus" / "binaries", "*.bin")
    return [path for path in paths if path.read_bytes()[:4] == b"DXBC"]
