"""Whole listings of containers against those of Microsoft's disassembler."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from softd3d.container.dxbc.container import Chunk, build, parse
from softd3d.container.listing.container import container_listing
from softd3d.errors import ShaderError

pytestmark = pytest.mark.corpus
SAMPLES = Path(__file__).parents[4] / "shared/samples/sm4_5"


@pytest.fixture(scope="module")
def samples() -> list[Path]:
    found = sorted(SAMPLES.glob("*.dxbc"))
    if not found:
        pytest.skip("no sample library beside the project")
    return found


def test_listings_of_the_samples_are_identical(samples: list[Path]) -> None:
    different = [
        path.name
        for path in samples
        if container_listing(parse(path.read_bytes()))
        != path.with_suffix(".asm").read_bytes().decode("latin-1")
    ]
    assert different == []
    assert len(samples) > 200


def test_code_alone_without_signatures(samples: list[Path]) -> None:
    container = parse(samples[0].read_bytes())
    chunk = container.program_chunk
    text = container_listing(parse(build([Chunk(chunk.fourcc, chunk.data)])))
    assert text.splitlines()[0].startswith("cs_")
    assert "//" not in text


def test_1000_mutations_raise_only_shader_errors(samples: list[Path]) -> None:
    rng = random.Random(9)
    listed = 0
    for _ in range(1000):
        data = bytearray(rng.choice(samples).read_bytes())
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 255, rng.randrange(256)))
        try:
            container_listing(parse(bytes(data)))
        except ShaderError:
            continue
        listed += 1
    assert listed > 300
