"""Wild states of Direct3D 9 give a draw or a ShaderError, and the same bits on both engines."""

from __future__ import annotations

import pytest
from wild_states9 import run


@pytest.mark.filterwarnings("error")
def test_wild_states() -> None:
    for seed in range(60):
        run(seed)


@pytest.mark.parametrize("seed", range(1000, 1008))
def test_wild_states_are_alike_on_both_engines(seed: int) -> None:
    assert run(seed, "interpreter") == run(seed, "jit")


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_5_000_wild_states() -> None:
    for seed in range(10_000, 15_000):
        run(seed)
