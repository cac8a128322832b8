"""Sample containers of the shared library, where the tests find it; they skip where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from softd3d.container.dxbc import container as dxbc
from softd3d.errors import ContainerError

SHARED = Path(__file__).parents[4] / "shared"
SAMPLES = SHARED / "samples/sm4_5"


def program_chunks() -> Iterator[tuple[Path, dxbc.Chunk]]:
    """Yield every SM4-5.1 program of samples and corpus, each with its file."""
    for path in sorted([*SAMPLES.glob("*.dxbc"), *SHARED.glob("corpus/**/*.bin")]):
        data = path.read_bytes()
        if dxbc.is_container(data):
            try:
                yield path, dxbc.parse(data).program_chunk
            except ContainerError:  # shader model 6, or a root signature alone
                continue


@pytest.fixture(scope="session")
def chunks() -> list[tuple[Path, dxbc.Chunk]]:
    found = list(program_chunks())
    if not found:
        pytest.skip("no sample library beside the project")
    return found


@pytest.fixture(scope="session")
def samples(chunks: list[tuple[Path, dxbc.Chunk]]) -> list[tuple[Path, dxbc.Chunk]]:
    return [(path, chunk) for path, chunk in chunks if path.suffix == ".dxbc"]
