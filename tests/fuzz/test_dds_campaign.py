"""A short campaign over DDS files; tests/fuzz/dds_campaign.py runs long ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from dds_campaign import campaign, own_samples


def test_mutated_dds_files_end_in_an_image_or_a_shader_error() -> None:
    outcomes = {outcome for _, outcome in campaign(own_samples(), 0, 4000, texels_every=4)}
    assert {"read", "truncated_data", "unsupported_format", "bad_header_size"} <= outcomes


@pytest.mark.slow
@pytest.mark.corpus
def test_mutated_shared_dds_files_end_in_an_image_or_a_shader_error(shared: Path) -> None:
    samples = [file.read_bytes() for file in sorted((shared / "dds").glob("*/*.dds"))]
    assert len(list(campaign(samples, 10**7, 30_000))) == 30_000
