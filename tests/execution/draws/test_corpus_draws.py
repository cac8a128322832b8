"""Graphics shaders of the shared corpus and samples, each in a draw made for its signatures."""

from __future__ import annotations

import pytest
from corpus_draws import SHARED, STAGES, Figures, attempt, graphics_shaders

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="no ../shared")


def drawn(stage: str, every: int) -> Figures:
    figures = Figures()
    for path, shader in graphics_shaders(every, stage):
        attempt(path, shader, figures)
    return figures


UNDECLARED = "has textures in t#, which the shader does not declare"  # a class of one shader
SOME = [("vs", 80), ("hs", 20), ("ds", 8), ("gs", 8), ("ps", 150)]


@pytest.mark.parametrize(("stage", "every"), SOME)
def test_some_shaders_draw_the_same_on_both_engines(stage: str, every: int) -> None:
    figures = drawn(stage, every)
    assert figures.failures == []
    assert not figures.refusals
    assert figures.outcomes[stage.upper()]["same"]


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_all_shaders_draw_the_same_on_both_engines(stage: str) -> None:
    figures = drawn(stage, 1)
    assert figures.failures == []
    assert set(figures.outcomes[stage]) <= {"same", "refused"}
    assert all(text.endswith(UNDECLARED) for text in figures.refusals)
