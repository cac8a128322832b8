"""A short campaign over damaged effects; tests/fuzz/effect_campaign.py runs long ones."""

from __future__ import annotations

from effect_campaign import campaign, samples


def test_damaged_effects_end_in_a_result_or_a_shader_error() -> None:
    effects = samples()
    assert len(effects) > 15
    outcomes = list(campaign(effects, 0, 400, drawn_every=16))
    outcomes += campaign(effects, 702060, 1, drawn_every=1)  # reads a sampler s17
    assert {"applied", "drawn", "refused", "ResourceError", "ContainerError"} <= set(outcomes)
