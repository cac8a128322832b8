"""The sample library's compute cases: real shaders with outputs that other implementations gave."""

from __future__ import annotations

from pathlib import Path

import pytest

from softd3d.device.dispatch import dispatch
from softd3d.errors import ResourceError
from softd3d.resources.cases.file import (
    bind,
    compare,
    found_bytes,
    read_bytes,
    read_case,
    samplers,
)
from softd3d.resources.cases.json import read_json
from softd3d.shaders.shader import load_shader

FOLDER = Path(__file__).parents[4] / "shared/samples/sm4_5/cases"
HAS_TIES = "cs_samplelevel_filters"  # see tests/execution/test_engines.py
CASES = [path for path in sorted(FOLDER.glob("cs_*.json")) if read_case(path).kind == "compute"]


@pytest.mark.corpus
@pytest.mark.skipif(not CASES, reason="no sample library beside the project")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path):
    case = read_case(path)
    constants, srvs, uavs = bind(case)
    dispatch(
        load_shader(case.shaders["cs"]), case.groups, constants=constants, srvs=srvs, uavs=uavs,
        samplers=samplers(case), engine="interpreter",
    )  # fmt: skip
    for output in case.outputs:
        differences = compare(output.expected.read_bytes(), found_bytes(output, uavs), output)
        if case.name == HAS_TIES:
            assert len(differences) == 16
            continue
        assert not differences, f"{output.register}: {differences[0]}"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device that never ends")
def test_a_case_of_a_device_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("softd3d.source.MAX_INPUT_BYTES", 1 << 20)
    with pytest.raises(ResourceError, match="goes on after 1048576 bytes"):
        read_json(Path("/dev/zero"))
    with pytest.raises(ResourceError, match="zero: it goes on after 1048576 bytes"):
        read_bytes(Path("/dev/zero"))
