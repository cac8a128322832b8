"""Parameters of effects by name: values, shapes, members, annotations, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from softd3d.container.comments.ctab import ParameterClass, ParameterType
from softd3d.device.effects9.effect import Effect, EffectPool
from softd3d.errors import ContainerError, DecodeError, ResourceError

DATA = Path(__file__).parent / "data"
CONTAINERS = Path(__file__).parents[2] / "container/data/effect9"


def structs() -> Effect:
    return Effect(CONTAINERS / "structs.47.fxo")


def test_values_have_the_shapes_of_their_types() -> None:
    effect = structs()
    shapes = {name: effect.parameter(name).shape for name in effect.parameters}
    assert shapes == {
        "g": (), "ga": (2,), "h": (), "rm": (4, 3), "cm": (3, 2, 4), "f11": (1, 1), "f1": (1,),
        "i3": (3,), "b2": (2,), "arr": (5,), "va": (2, 4),
    }  # fmt: skip
    assert np.array_equal(effect["i3"], np.array([1, 2, 3], np.int32))
    assert effect["i3"].dtype == np.int32
    assert effect["b2"].tolist() == [True, False]
    assert effect["b2"].dtype == np.bool_
    assert np.array_equal(effect["va"], np.arange(1, 9, dtype=np.float32).reshape(2, 4))
    assert effect["arr[4]"] == np.float32(5)
    assert effect.parameter("cm").dtype == np.float32
    assert effect.parameter("g").dtype is None


def test_structures_are_dicts() -> None:
    effect = structs()
    assert effect["h"]["a"] == 1
    assert effect["h"]["b"].tolist() == [2, 3, 4]
    assert effect["h.m"].tolist() == np.arange(1, 13).reshape(3, 4).tolist()
    assert effect.parameter("g").members == ("x", "y", "f", "v")
    assert len(effect["ga"]) == 2
    effect["ga[1].y[0].b[2]"] = 7
    assert effect["ga"][1]["y"][0]["b"].tolist() == [0, 0, 7]
    assert effect["ga"][0]["y"][0]["b"].tolist() == [0, 0, 0]


def test_structures_can_be_set_by_members_and_records() -> None:
    effect = structs()
    effect["g"] = {"f": True, "x": {"a": 2.5}, "v": (1, 2, 3, 4)}
    assert (effect["g.f"], effect["g.x.a"]) == (True, 2.5)
    record = np.zeros((), [("a", "f4"), ("b", "i4", (3,))])
    record["b"] = 4, 5, 6
    effect["ga[0].x"] = record
    effect["g.y"] = [record, {"a": 9}]
    assert effect["ga"][0]["x"]["b"].tolist() == [4, 5, 6]
    assert effect["g"]["y"][1]["a"] == 9
    parameter = effect.parameter("ga")[0]["x"]
    assert (parameter.name, parameter.value["b"].tolist()) == ("ga[0].x", [4, 5, 6])


def test_numbers_are_converted() -> None:
    effect = structs()
    effect["f1"] = np.array([1e300])
    assert effect["f1"].tolist() == [np.inf]
    effect["i3"] = np.array([1, 0, 200], np.uint8)
    effect["b2"] = (5, 0)
    effect["rm"] = np.eye(4, 3)
    assert effect["i3"].tolist() == [1, 0, 200]
    assert effect["b2"].tolist() == [True, False]
    assert effect["rm"].dtype == np.float32
    copy = effect["rm"]
    copy[:] = 7
    assert effect["rm"][0, 0] == 1


REFUSED: dict[str, tuple[str, Any]] = {
    r"effect: rm: shape \(3, 4\), wanted \(4, 3\)": ("rm", np.zeros((3, 4))),
    r"effect: f11: shape \(\), wanted \(1, 1\)": ("f11", 1.0),
    r"effect: i3: found float64 numbers, wanted int32": ("i3", [1.0, 2, 3]),
    r"effect: i3: .* is out of the range of int32": ("i3", [1 << 31, 0, 0]),
    r"effect: f1: found complex128 numbers": ("f1", [1j]),
    r"effect: f1: found <U1 numbers": ("f1", ["a"]),
    r"effect: va: setting an array element": ("va", [[1], [1, 2]]),
    r"effect: g has no member 'z', wanted some of x, y, f, v": ("g", {"f": True, "z": 1}),
    r"effect: g: found 5, wanted a mapping": ("g", 5),
    r"effect: ga: found 1 elements, wanted 2 elements": ("ga", [{}]),
    r"effect: ga: found 3, wanted 2 elements": ("ga", 3),
    r"effect: ga: found array\(3\), wanted 2": ("ga", np.array(3)),
    r"effect: ga\[1\].x.b: shape \(2,\), wanted \(3,\)": ("ga[1]", {"x": {"b": [1, 2]}}),
}


@pytest.mark.parametrize("message", REFUSED)
def test_values_of_another_form_are_refused(message: str) -> None:
    effect = structs()
    before = repr([effect[name] for name in effect.parameters])
    with pytest.raises(ResourceError, match=message):
        effect[REFUSED[message][0]] = REFUSED[message][1]
    assert repr([effect[name] for name in effect.parameters]) == before


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nothing", "no parameter 'nothing', wanted one of g, ga, h, rm, cm, f11, f1, i3, ..."),
        ("g.q", "g has no member q .members x, y, f, v."),
        ("ga.x", "ga has no member x .*an array: name an element"),
        ("arr[5]", "element 5 of arr, which has 5"),
        ("g[0]", "element 0 of g, which has 0"),
        ("arr[", "'arr\\[' is no name"),
        ("arr[-1]", "is no name"),
        ("", "no parameter ''"),
    ],
)
def test_paths_to_nothing_are_refused(path: str, message: str) -> None:
    with pytest.raises(ResourceError, match=message):
        structs()[path]


def test_objects_are_strings_textures_and_shaders() -> None:
    effect = Effect(CONTAINERS / "annots.47.fxo")
    assert (effect["s1"], effect["sa"]) == ("hello", ["one", "two"])
    effect["s1"] = "other"
    effect["sa"] = ["a", "b"]
    assert (effect["s1"], effect["sa"], effect["sa[1]"]) == ("other", ["a", "b"], "b")
    with pytest.raises(ResourceError, match="s1: found 3, wanted a string"):
        effect["s1"] = 3
    samplers = Effect(CONTAINERS / "samplers.47.fxo")
    texture = object()
    samplers["t0"] = texture
    assert samplers["t0"] is texture
    assert samplers.parameter("t2").type is ParameterType.TEXTURECUBE
    assert samplers.parameter("t2").class_ is ParameterClass.OBJECT
    assert samplers.parameter("sarr").elements == 2
    with pytest.raises(ResourceError, match="t0: found ndarray, wanted a Texture9 or None"):
        samplers["t0"] = np.zeros((2, 2))
    with pytest.raises(ResourceError, match="s0 is a sampler, which cannot be set"):
        samplers["s0"] = texture
    shaders = Effect(CONTAINERS / "shaders.47.fxo")
    assert shaders["empty"] is None
    assert shaders["ps_a"][:4] == b"\x00\x02\xff\xff"
    with pytest.raises(ResourceError, match="ps_a: found 3, wanted a Shader9, its tokens"):
        shaders["ps_a"] = 3


def test_annotations_are_values() -> None:
    effect = Effect(CONTAINERS / "annots.47.fxo")
    notes = effect.parameter("a").annotations
    assert (notes["n"], notes["i"], bool(notes["b"])) == ("x", 3, True)
    assert notes["m"].tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    technique = effect.technique("T")
    assert (technique.annotations["tn"], technique.annotations["v"]) == ("tech", 2)
    assert technique.pass_("P").annotations["pn"] == "pass"
    assert technique.pass_(1).annotations == {"q": 1}
    with pytest.raises(TypeError):
        technique.annotations["v"] = 1  # type: ignore[index]


def test_semantics_and_names() -> None:
    effect = Effect(DATA / "fx_full.47.fxo")
    assert effect.by_semantic("worldviewprojection").name == "WVP"
    assert effect.parameter("WVP").semantic == "WORLDVIEWPROJECTION"
    assert [technique.name for technique in effect.techniques] == ["HighEnd", "LowEnd"]
    assert effect.technique(1) is effect.technique("LowEnd")
    with pytest.raises(ResourceError, match="no parameter has the semantic 'none'"):
        effect.by_semantic("none")
    with pytest.raises(ResourceError, match="no technique 'x', wanted one of HighEnd, LowEnd"):
        effect.technique("x")
    with pytest.raises(ResourceError, match="no pass 'x', wanted one of A"):
        effect.technique(0).pass_("x")
    assert "1 passes" in repr(effect.technique(0))


def test_a_pool_shares_parameters() -> None:
    pool = EffectPool()
    first = Effect(DATA / "fx_shared.47.fxo", pool=pool)
    second = Effect(DATA / "fx_shared.47.fxo", pool=pool)
    alone = Effect(DATA / "fx_shared.47.fxo")
    first["lightDir"] = 1, 2, 3, 4
    first["rm"] = np.ones((2, 3, 4))
    assert second["lightDir"].tolist() == [1, 2, 3, 4]
    assert not second["rm"].any()
    assert not alone["lightDir"].any()


def test_source_text_is_refused_with_advice() -> None:
    with pytest.raises(
        DecodeError, match=r"found HLSL source, .* compile it first, with `fxc /T fx"
    ):
        Effect(b"float4 v; technique T { pass P { } }")


def test_damage_is_refused() -> None:
    data = (DATA / "fx_full.47.fxo").read_bytes()
    with pytest.raises(ContainerError):
        Effect(data[:200])
