"""What applying a pass sets, against ID3DXEffect.

The .json say what d3dx9_43 called on a device for each pass ("initial"), and again after the
parameters were set ("after"): words are hexadecimal, shaders are named by a hash of their tokens.
The .fx sources are our own, compiled by d3dcompiler_47 (.47) or d3dx9_24 (.d24).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recording import RecordingDevice, state_of

from softd3d.device.effects9.effect import Effect
from softd3d.errors import ShaderError

DATA = Path(__file__).parent / "data"
CONTAINERS = Path(__file__).parents[2] / "container/data/effect9"
GOLDENS = sorted(path.stem for path in DATA.glob("*.json"))
FAILS = "error"
# d3dx9_43 sets STENCILFAIL for CCW_StencilFail, and BLENDOP for BlendOpAlpha
FAULTS = {"values.47": [("rs", number) for number in ("53", "186", "171", "209")]}


def effect_of(name: str) -> Effect:
    own = DATA / f"{name}.fxo"
    return Effect(own if own.exists() else CONTAINERS / f"{name}.fxo")


def set_parameters(effect: Effect, settings: list[list[str]]) -> None:
    for kind, name, *values in settings:
        parameter = effect.parameters[name]
        if kind == "texture":
            parameter.value = 1000 + int(values[0])
        else:  # SetValue takes the words of all members as they are
            parameter.store.numbers[:] = [int(word, 16) for word in values]


def calls_of(effect: Effect, technique: int, pass_: int) -> list[str]:
    device = RecordingDevice()
    try:
        effect.technique(technique).pass_(pass_).apply(device)
    except ShaderError:
        device.calls.append(FAILS)
    return device.calls


@pytest.mark.parametrize("name", GOLDENS)
def test_passes_set_what_direct3d_sets(name: str) -> None:
    golden: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text())
    effect = effect_of(name)
    for run in ("initial", "after"):
        if run == "after":
            set_parameters(effect, golden["set"])
        for technique, pass_, wanted in golden[run]:
            calls = calls_of(effect, technique, pass_)
            place = f"{run} {technique} {pass_}"
            assert (FAILS in calls) == (FAILS in wanted), place
            if FAILS not in wanted:
                states = state_of(calls), state_of(wanted)
                for key in FAULTS.get(name, []):
                    for state in states:
                        state.pop(key, None)
                assert states[0] == states[1], place


def test_elements_of_an_array_are_registers() -> None:
    # d3dx9_43 moves each register on by one component, not four
    calls = calls_of(effect_of("arrays.47"), 0, 0)
    state = state_of(calls)
    words = {key[1]: [np.frombuffer(bytes.fromhex(w)[::-1], "f4")[0] for w in row]
             for key, row in state.items()}  # fmt: skip
    assert words == {
        "2": [1, 2, 3, 4], "3": [5, 6, 7, 8], "4": [9, 10, 11, 12], "16": [1, 0, 0, 0],
        "17": [2, 0, 0, 0],
    }  # fmt: skip


def test_a_shader_is_created_once_for_a_device() -> None:
    effect = effect_of("shaders.47")
    device = RecordingDevice()
    for _ in range(3):
        effect.technique("T").pass_("A").apply(device)
    assert device.created == 2
    other = RecordingDevice()
    effect.technique("T").pass_("A").apply(other)
    assert other.created == 2


def test_begin_puts_back_what_passes_set() -> None:
    effect = effect_of("fx_full.47")
    device = RecordingDevice()
    with effect.technique("LowEnd").begin(device) as passes:
        assert device.calls[0] == "begin_state_block"
        assert device.calls[-2:] == ["end_state_block", "sb_capture"]
        saved = device.calls[1:-2]
        device.calls.clear()
        passes[0].apply(device)
        assert device.calls == saved
    assert device.calls[-1] == "sb_apply"


def test_begin_may_save_nothing() -> None:
    device = RecordingDevice()
    with effect_of("fx_full.47").technique(1).begin(device, save_state=False) as passes:
        assert [pass_.name for pass_ in passes] == ["A"]
    assert device.calls == []


def test_states_are_put_back_after_an_error() -> None:
    device = RecordingDevice()
    technique = effect_of("fx_full.47").technique("LowEnd")
    with pytest.raises(KeyError), technique.begin(device):
        raise KeyError
    assert device.calls[-1] == "sb_apply"


def test_a_pass_that_fails_ends_the_recording() -> None:
    effect = effect_of("fx_prestate.47")
    effect["sel"] = 7
    device = RecordingDevice()
    with pytest.raises(ShaderError, match="element 7 is chosen of psa, which has 2"):
        effect.technique("T").begin(device).__enter__()
    assert device.calls[-1] == "end_state_block"


def test_a_shader_of_the_other_stage_is_refused() -> None:
    effect = effect_of("shaders.47")
    effect["vs_a"] = effect["ps_a"]
    with pytest.raises(ShaderError, match="pass A, VertexShader: found a shader for PS, wanted VS"):
        effect.technique("T").pass_("A").apply(RecordingDevice())


def test_shaders_can_be_set_and_taken_away() -> None:
    effect = effect_of("shaders.47")
    device = RecordingDevice()
    effect["ps_a"] = None
    effect["vs_a"] = effect["va"][1]
    effect.technique("T").pass_("A").apply(device)
    assert state_of(device.calls)["ps",] == ("00000000",)
    chosen = state_of(device.calls)["vs",]
    effect["sel"] = 1
    effect.technique("T").pass_("B").apply(device)
    assert state_of(device.calls)["vs",] == chosen
