"""`softd3d run` of execution cases: verdicts, summaries, exit status."""

from __future__ import annotations

import json

import numpy as np
import pytest

CASE = "cases/cs_mandelbrot.json"


def spoil(library) -> None:
    """Make two dwords of an expected output wrong, one of them by much."""
    path = library / "cases/cs_mandelbrot.u0.out.bin"
    words = np.fromfile(path, np.uint32)
    words[3] += 1
    words[900] = 0xFFFFFFFF
    words.tofile(path)


def change(library, **entries) -> None:
    path = library / CASE
    path.write_text(json.dumps({**json.loads(path.read_text()), **entries}))


@pytest.mark.parametrize("engine", ["both", "jit", "interpreter"])
def test_a_library_of_cases_passes(cli, engine):
    result = cli("run", ".", "--engine", engine)
    assert (result.exit_code, result.stderr) == (0, "")
    *verdicts, summary = result.stdout.splitlines()
    assert verdicts == ["PASS  cs_atomic_compare_store_typed", "PASS  cs_mandelbrot"]
    assert summary.startswith("2 passed, 0 failed in ")


def test_a_failure_shows_where_and_what(cli, library):
    spoil(library)
    result = cli("run", CASE, "--engine", "interpreter")
    words = np.fromfile(library / "cases/cs_mandelbrot.u0.out.bin", np.uint32)
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert lines[:3] == [
        "FAIL  cs_mandelbrot",
        "      [interpreter] u0: 2 of 1024 dwords differ",
        f"        dword 3: expected {words[3]:#010x}, found {words[3] - 1:#010x} (bits32)",
    ]
    assert lines[-1].startswith("0 passed, 1 failed in ")


def test_floats_are_shown_as_numbers_with_their_distance(cli, library):
    spoil(library)
    outputs = json.loads((library / CASE).read_text())["outputs"]
    outputs[0]["tolerance_per_dword"] = [{"type": "float32", "ulp": 1}]
    change(library, outputs=outputs)
    text = cli("run", CASE, "--engine", "interpreter").stdout
    assert "[interpreter] u0: 1 of 1024 dwords differ\n" in text
    assert "dword 900: expected 0xffffffff = nan, found 0x" in text
    words = np.fromfile(library / "cases/cs_mandelbrot.u0.out.bin", np.uint32)
    words[900] = 0x3F800000
    words.tofile(library / "cases/cs_mandelbrot.u0.out.bin")
    text = cli("run", CASE, "--engine", "interpreter").stdout
    assert "dword 900: expected 0x3f800000 = 1, found 0x" in text
    assert " ULP apart)" in text


def test_both_engines_are_judged(cli, library):
    spoil(library)
    text = cli("run", CASE).stdout
    assert "[interpreter] u0: 2 of 1024 dwords differ" in text
    assert "[jit] u0: 2 of 1024 dwords differ" in text
    assert "[engines disagree]" not in text


def test_results_as_json(cli, library):
    spoil(library)
    result = cli("run", "cases", "--json", "--engine", "jit")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert [(v["case"], v["status"]) for v in found] == [
        ("cs_atomic_compare_store_typed", "pass"),
        ("cs_mandelbrot", "fail"),
    ]
    assert found[1]["notes"][0] == "[jit] u0: 2 of 1024 dwords differ"


def test_what_is_not_supported_is_skipped_unless_strict(cli, library):
    change(library, kind="draw")
    result = cli("run", CASE)
    assert result.exit_code == 0
    first, summary = result.stdout.splitlines()
    assert first == "SKIP  cs_mandelbrot: draw cases are not supported yet"
    assert summary.startswith("0 passed, 0 failed, 1 not supported yet in ")
    assert cli("run", CASE, "--strict").exit_code == 1


def test_unusable_cases_are_status_2(cli, library):
    (library / "cases/none.json").write_text("{")
    (library / "empty").mkdir()
    result = cli("run", "cases", "missing.json", "empty")
    assert result.exit_code == 2
    assert "2 passed, 0 failed, 2 unusable in " in result.stdout
    lines = result.stderr.splitlines()
    assert lines[0].startswith("softd3d: cases/none.json: ")
    assert lines[1].startswith("softd3d: missing.json: ")
    assert lines[2] == "softd3d: empty: no cases (*.json) in this folder"
    assert len(lines) == 3


def test_a_damaged_shader_in_a_case_is_named(cli, library):
    path = library / "cs_mandelbrot.cs_5_0.dxbc"
    path.write_bytes(path.read_bytes()[:100])
    result = cli("run", CASE)
    assert result.exit_code == 2
    assert result.stderr == (
        f"softd3d: {CASE}: [interpreter] container: header says 1460 bytes, found 100 (byte "
        "offset 0x18)\n"
    )


def test_options_of_a_shader_do_not_go_with_cases(cli):
    result = cli("run", CASE, "--groups", "1")
    assert result.exit_code == 2
    assert "--groups is for one shader, not for cases" in " ".join(result.stderr.split())


@pytest.mark.corpus
def test_the_sample_library_has_no_unusable_case(cli, shared):
    result = cli("run", str(shared / "samples/sm4_5"), "--json")
    found = json.loads(result.stdout)
    assert [v for v in found if v["status"] == "error"] == []
    # See tests/execution/test_engines.py: what the library expects there is not Direct3D's.
    failed = [v["case"] for v in found if v["status"] == "fail"]
    assert failed == ["cs_samplelevel_filters"]
    assert sum(v["status"] == "pass" for v in found) >= 40
