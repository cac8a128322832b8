"""Streams of SM1-3 with textures: real ones on both engines, and damaged ones."""

from __future__ import annotations

from collections import Counter

import pytest
from stream9_campaign import campaign
from streams9 import check_stream, shader_streams

from softd3d.isa.sm1.profile import PROFILES

PROFILE_NAMES = sorted(PROFILES)


@pytest.mark.corpus
def test_some_streams_agree(shared) -> None:
    for n, (path, program) in enumerate(shader_streams()):
        if n % 40 == 0:
            assert check_stream(path, program, PROFILE_NAMES[n // 40 % 3], n) == "", path


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_all_streams_agree(shared, profile: str) -> None:
    found = list(shader_streams())
    assert len(found) > 1300
    bad = [(path.name, said) for n, (path, program) in enumerate(found)
           if (said := check_stream(path, program, profile, n))]  # fmt: skip
    assert bad == []


def test_damaged_streams_end_well() -> None:
    ends = Counter(campaign(0, 60, every=6))
    assert sum(ends.values()) == 60


@pytest.mark.slow
def test_many_damaged_streams_end_well() -> None:
    ends = Counter(campaign(10_000_000, 4000))
    assert ends["done"] > 1000
