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
        is_refused = f"{path.parent.name}/{path.name}" in REFUSED.values()
        if n % 40 == 0 and not is_refused:
            assert check_stream(path, program, PROFILE_NAMES[n // 40 % 3], n) == "", path


# Samples of what a validator refuses, and one with a comparison that does not exist
REFUSED = {
    "endif is out of place": "neg/flow_endif.bin", "endrep is out of place": "neg/flow_endloop.bin",
    "l3 is not defined": "neg/flow_no_label.bin", "if has no endif": "neg/flow_open_if.bin",
    "l0 calls itself": "neg/flow_recursion.bin",
    "CONSTBOOL with modifier NEG is no condition": "neg/mod_neg_bool.bin",
    "mov cannot write CONST": "neg/reg_write_const.bin",
    "mov cannot write INPUT": "neg/reg_write_input.bin",
    "mov cannot write SAMPLER": "neg/reg_write_sampler.bin",
    "comparison 0 is not defined": "tokens/ps_3_0_pred_rel.bin",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("profile", PROFILE_NAMES)
def test_all_streams_agree(shared, profile: str) -> None:
    """None is refused but those that break a rule of flow or registers."""
    found = list(shader_streams())
    assert len(found) > 1300
    said = {
        f"{path.parent.name}/{path.name}": check_stream(path, program, profile, n)
        for n, (path, program) in enumerate(found)
    }
    refused = {name: f"refused: DecodeError: {why}" for why, name in REFUSED.items()}
    assert {name: words for name, words in said.items() if words} == refused


def test_damaged_streams_end_well() -> None:
    ends = Counter(campaign(0, 60, every=6))
    assert sum(ends.values()) == 60


@pytest.mark.slow
def test_many_damaged_streams_end_well() -> None:
    ends = Counter(campaign(10_000_000, 4000))
    assert ends["done"] > 1000
