"""A short campaign of the mutation fuzzer; tests/fuzz/mutate.py runs long ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutate import campaign

from softd3d.samples import sample

SHIPPED = ["cs_mandelbrot.cs_5_0.dxbc", "cs_atomic_compare_store_typed.cs_5_0.dxbc"]


def test_mutated_shipped_samples_end_in_a_result_or_a_shader_error() -> None:
    samples = [Path(str(sample(name))).read_bytes() for name in SHIPPED]
    outcomes = [outcome for _, outcome in campaign(samples, 0, 1500, jit_every=50)]
    assert {"run", "DecodeError", "ContainerError"} <= set(outcomes)  # all depths are reached


@pytest.mark.slow
@pytest.mark.corpus
def test_mutated_shared_samples_end_in_a_result_or_a_shader_error(shared: Path) -> None:
    samples = [f.read_bytes() for f in sorted((shared / "samples/sm4_5").glob("*.dxbc"))]
    outcomes = [outcome for _, outcome in campaign(samples, 10**6, 20_000, jit_every=200)]
    assert len(outcomes) == 20_000
