"""softd3d reflect, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from softd3d.cli import main

DATA = Path(__file__).parents[1] / "container/data"
SHADER = str(DATA / "hs_ds_tri.hs_5_0.hmain.PARTinteger.dxbc")
PACKING = str(DATA / "packing.cs_5_0.dxbc")


def test_json_has_an_object_for_each_file() -> None:
    result = CliRunner().invoke(main, ["reflect", "--json", SHADER, PACKING])
    assert result.exit_code == 0
    first, second = json.loads(result.output)
    assert (first["file"], first["profile"]) == (SHADER, "hs_5_0")
    assert second["schema"] == "softd3d.reflection"
    assert second["thread_group_size"] != [0, 0, 0]


def test_tables_name_everything() -> None:
    result = CliRunner().invoke(main, ["reflect", PACKING])
    assert result.exit_code == 0
    document = json.loads(CliRunner().invoke(main, ["reflect", "--json", PACKING]).output)[0]
    for buffer in document["definitions"]["constant_buffers"]:
        assert f"{buffer['name']}, {buffer['size']} bytes" in result.output
        for variable in buffer["variables"]:
            assert f" {variable['name']} " in result.output


def test_bad_input_is_named_and_the_rest_is_told(tmp_path: Path) -> None:
    bad = tmp_path / "bad.dxbc"
    bad.write_bytes(b"DXBC" + bytes(10))
    result = CliRunner().invoke(main, ["reflect", str(bad), SHADER])
    assert result.exit_code == 2
    assert "bad.dxbc: container" in result.stderr
    assert "hs_5_0" in result.stdout


def test_direct3d_9_shaders_have_their_constant_table() -> None:
    shader = str(DATA / "sm1/defaults.ps_2_0.47.bin")
    (document,) = json.loads(CliRunner().invoke(main, ["reflect", "--json", shader]).output)
    assert (document["schema"], document["profile"]) == ("softd3d.reflection9", "ps_2_0")
    constants = {c["name"]: c for c in document["constant_table"]["constants"]}
    assert constants["arr"]["register_count"] == 2
    assert constants["arr"]["type"]["elements"] == 3
    assert len(constants["arr"]["default"]) == 4 * 2
    text = CliRunner().invoke(main, ["reflect", shader]).output
    assert " float[3] " in text
    assert " float3 " in text
