"""Constants of a shader by name: tables, preshaders, and a run with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from recording import RecordingDevice

from softd3d.device.effects9.effect import Effect
from softd3d.device.effects9.shader_parameters import ShaderParameters
from softd3d.device.evaluation import evaluate
from softd3d.errors import DecodeError, ResourceError
from softd3d.shaders.token_stream import load9

DATA = Path(__file__).parent / "data"
CONTAINERS = Path(__file__).parents[2] / "container/data/effect9"


def tokens(name: str, index: int = 0) -> bytes:
    folder = DATA if (DATA / f"{name}.fxo").exists() else CONTAINERS
    return Effect(folder / f"{name}.fxo").source.shaders[index].tokens


def test_a_preshader_is_run() -> None:
    parameters = ShaderParameters(tokens("preshaders.47"))
    assert sorted(parameters.parameters) == ["b", "k", "n", "q", "z"]
    parameters["q"], parameters["n"], parameters["k"] = 2.5, 3, (2, 3, 1, 1)
    parameters["z"] = [(0, 0, 0, 0), (1, 1, 2, 2), (0, 0, 0, 0)]
    registers = {
        int(name[1:]): row.tolist()
        for name, rows in parameters.constants().items()
        for row in rows[:1]
    }
    # n + n, q's test, k.x * k.y + 3, and z[1] * q * 2, then b, which the shader tests itself
    assert registers == {0: [6, 0, 0, 0], 4: [0, 0, 0, 0]}
    assert parameters.constants()["c0"].tolist() == [
        [6, 0, 0, 0], [-0.5, 0, 0, 0], [9, 0, 0, 0], [5, 5, 10, 10],
    ]  # fmt: skip


def test_the_shader_runs_with_them() -> None:
    program = load9(tokens("preshaders.47")).program
    parameters = ShaderParameters(tokens("preshaders.47"))
    parameters["n"], parameters["k"] = 1, (1, 1, 0, 0)
    u = np.array([[0.5, 0.25, 0, 0]], np.float32)
    result = evaluate(program, {"v0": u}, parameters.constants())
    # The loop runs twice, with i = 0 and 1; q is 0, b false; times k.x * k.y + 3
    assert result["oC0"].tolist() == [[2, 1, 2, 1]]


def test_registers_go_to_the_stage_of_the_shader() -> None:
    parameters = ShaderParameters(tokens("bools.47", 1))
    parameters["n"], parameters["k"] = 5, (1, 2, 3, 4)
    device = RecordingDevice()
    parameters.apply(device)
    assert {call.split()[0] for call in device.calls} == {"vsf", "vsi"}
    assert "vsi 0 1 00000005 00000000 00000001 00000000" in device.calls


def test_structures_and_defaults() -> None:
    parameters = ShaderParameters(tokens("structs.47"))
    assert parameters["h"]["b"].tolist() == [
        2,
        3,
        0,
    ]  # the last is not read, so that it has no register
    assert parameters.parameter("ga[1].y[0].m").shape == (3, 4)
    with pytest.raises(ResourceError, match="no parameter 'x', wanted one of"):
        parameters["x"] = 1
    assert "ps_3_0" in repr(parameters)


def test_something_else_is_refused() -> None:
    with pytest.raises(DecodeError):
        ShaderParameters((DATA / "fx_full.47.fxo").read_bytes())
