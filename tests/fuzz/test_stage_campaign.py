"""A short campaign of damaged hull, domain and geometry shaders; the script runs long ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from stage_campaign import campaign, stage_samples


@pytest.mark.corpus
def test_damaged_stages_end_in_a_result_or_a_shader_error(shared: Path) -> None:
    found = campaign(stage_samples(shared / "samples"), 0, 300, jit_every=20)
    assert {"run", "DecodeError", "ContainerError"} <= {end for _, end in found}


@pytest.mark.slow
@pytest.mark.corpus
def test_many_damaged_stages(shared: Path) -> None:
    found = campaign(stage_samples(shared / "samples"), 10**6, 10_000, jit_every=10)
    assert sum(1 for _ in found) == 10_000
