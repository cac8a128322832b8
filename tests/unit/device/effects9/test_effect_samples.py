"""The effects of ../shared: what ID3DXEffect says of them, and pictures on both engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.device.effects9.effect import Effect
from softd3d.device.effects9.parameters import EffectParameter
from softd3d.device.effects9.scene import EffectScene

pytestmark = pytest.mark.corpus
NAMES = ("fx_cube_vol", "fx_full", "fx_min", "fx_prestate", "fx_shared")
SIZE = 16, 12


@pytest.fixture
def folder(shared: Path) -> Path:
    return shared / "samples/sm1_3/hlsl"


def check(parameter: EffectParameter, wanted: dict[str, Any]) -> None:
    """Compare a parameter with the tool's description of it."""
    found = {
        "class": int(parameter.class_),
        "type": int(parameter.type),
        "elements": parameter.elements,
        "members": len(parameter.members),
        "semantic": parameter.semantic or None,
    }
    assert found == {key: wanted[key] for key in found}
    if "value" in wanted and not parameter.members:
        dwords = np.frombuffer(bytes.fromhex(wanted["value"]), np.uint32)
        value = np.asarray(parameter.value)
        assert value.size == dwords.size
        assert np.array_equal(value.reshape(-1), dwords.view(value.dtype) if value.dtype != bool
                              else dwords != 0)  # fmt: skip
    if "string" in wanted:
        assert parameter.value == wanted["string"]
    for member in wanted.get("struct", []) if not parameter.elements else []:
        check(parameter[member["name"]], member)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_direct3d(folder: Path, name: str) -> None:
    effect = Effect(folder / f"{name}.47.fxo")
    wanted = json.loads((folder / f"{name}.47.fxtxt.json").read_text())
    assert list(effect.parameters) == [parameter["name"] for parameter in wanted["parameters"]]
    for description in wanted["parameters"]:
        parameter = effect.parameter(description["name"])
        check(parameter, description)
        notes = description.get("annotations", [])
        assert list(parameter.annotations) == [note["name"] for note in notes]
        for note in notes:
            if "string" in note:
                assert parameter.annotations[note["name"]] == note["string"]
    names = [technique["name"] or "" for technique in wanted["techniques"]]
    assert [technique.name for technique in effect.techniques] == names
    for technique, described in zip(effect.techniques, wanted["techniques"], strict=True):
        passes = [pass_["name"] or "" for pass_ in described["passes"]]
        assert [pass_.name for pass_ in technique] == passes


@pytest.mark.slow
def test_effects_of_all_compilers_are_drawn(folder: Path) -> None:
    files = sorted(folder.glob("fx_*.fxo"))
    assert len(files) >= 18
    pictures: dict[tuple[str, int], set[bytes]] = {}
    for path in files:
        for number in range(len(Effect(path).techniques)):
            both = [
                EffectScene(path, number, mesh="cube", size=SIZE, engine=engine).render().codes
                for engine in ("jit", "interpreter")
            ]
            assert np.array_equal(*both), path
            pictures.setdefault((path.name.split(".")[0], number), set()).add(both[0].tobytes())
    # Compilers order operations differently, but they draw the same to the eye
    for found in pictures.values():
        first, *others = [np.frombuffer(codes, np.uint8).astype(int) for codes in found]
        for other in others:
            assert np.abs(first - other).max() <= 1
