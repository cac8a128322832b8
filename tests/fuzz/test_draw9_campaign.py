"""A short campaign of draws with damaged streams; tests/fuzz/draw9_campaign.py runs long ones."""

from __future__ import annotations

from draw9_campaign import campaign


def test_damaged_streams_end_in_a_picture_or_a_shader_error() -> None:
    outcomes = set(campaign(0, 200))
    assert {"drawn", "drawn by both", "DecodeError"} <= outcomes
