"""`softd3d run` of execution cases: verdicts, summaries, exit status."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import softd3d
from softd3d.cli.verbs import run_cases
from softd3d.errors import LoweringError

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


def test_what_is_not_supported_is_skipped_unless_strict(cli, library, monkeypatch):
    def refuse(*_: object, **__: object):
        raise LoweringError("rays are not supported yet")

    monkeypatch.setattr(run_cases, "run_case", refuse)
    result = cli("run", CASE)
    assert result.exit_code == 0
    first, summary = result.stdout.splitlines()
    assert first == "SKIP  cs_mandelbrot: rays are not supported yet"
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


def test_a_misspelt_kind_or_key_does_not_pass(cli, library):
    change(library, kind="compuet")
    result = cli("run", CASE)
    assert result.exit_code == 2
    assert "kind: found 'compuet', wanted compute or draw" in result.stderr
    change(library, kind="compute", Strict=True)
    result = cli("run", CASE)
    assert result.exit_code == 2
    assert "Strict: found no such key; close: strict" in result.stderr


def test_a_damaged_shader_in_a_case_is_named(cli, library):
    path = library / "cs_mandelbrot.cs_5_0.dxbc"
    path.write_bytes(path.read_bytes()[:100])
    result = cli("run", CASE)
    assert result.exit_code == 2
    assert result.stderr == (
        f"softd3d: {CASE}: [interpreter] container: header says 1460 bytes, found 100 (byte "
        "offset 0x18)\n"
    )


METHODS = Path(__file__).parents[2] / "execution/data/methods.cs_5_0.dxbc"


def make_case(library: Path, name: str, shader: bytes, **entries) -> str:
    """Write a case of 8 dwords in u0, all of them expected to be as they were."""
    (library / f"{name}.dxbc").write_bytes(shader)
    (library / "zeros.bin").write_bytes(bytes(32))
    uav = {"reg": "u0", "type": "struct", "stride": 4, "file": "zeros.bin"}
    output = {"reg": "u0", "expected": "zeros.bin", "tolerance_per_dword": [{"type": "bits32"}]}
    case = {
        "name": name, "kind": "compute", "shaders": {"cs": f"{name}.dxbc"}, "dispatch": [1, 1, 1],
        "bindings": [uav], "outputs": [output], **entries,
    }  # fmt: skip
    (library / f"{name}.json").write_text(json.dumps(case))
    return f"{name}.json"


def test_interfaces_of_a_case(cli, library):
    bound = {"o1": "a[0]", "1": "b", "m[1]": {"class": "A"}, "m[2]": {"class": "B", "vector": 1}}
    words = np.arange(8, dtype=np.uint32)
    # methods.hlsl, group 0: o1 is an A, m[0] a B, whose loop of v ^= i * 7 runs while i < v.
    mixed: list[int] = []
    for value in range(8):
        v, i = value, 0
        while i < v:
            v ^= i * 7
            i += 1
        mixed.append(99 if v == 5 else v * 5)
    expected = words + 3 + np.array(mixed, np.uint32) * 100
    expected[1::2] += 2 * 10000 + 2
    (library / "methods.out.bin").write_bytes(expected.tobytes())
    case = make_case(library, "methods", METHODS.read_bytes(), interfaces=bound)
    data = json.loads((library / case).read_text())
    data["outputs"][0]["expected"] = "methods.out.bin"
    (library / case).write_text(json.dumps(data))
    result = cli("run", case)
    assert result.stdout.splitlines()[0] == "PASS  methods", result.stdout + result.stderr
    case = make_case(library, "unlinked", METHODS.read_bytes(), interfaces={"o1": "none"})
    result = cli("run", case)
    assert result.exit_code == 2
    assert "unlinked.json: [interpreter] interface slot 0 (o1): found 'none'" in result.stderr


SAYS = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 2, 1, 1
printf "thread %u", vThreadID.x
ieq r0.x, vThreadID.x, l(1)
if_nz r0.x
  {}
endif
ret
"""


@pytest.mark.parametrize("engine", ["both", "jit", "interpreter"])
def test_messages_of_a_case(cli, library, engine):
    case = make_case(library, "says", softd3d.assemble(SAYS.format("abort")), dispatch=[2, 1, 1])
    lines = cli("run", case, "--engine", engine).stdout.splitlines()
    assert lines[0] == "PASS  says"
    assert lines[1].startswith("      printf: thread 0 (group (0, 0, 0), thread (0, 0, 0), ")
    assert lines[3].startswith("      abort: shader abort (group (0, 0, 0), thread (1, 0, 0), ")
    assert lines[4] == "      aborted in group (0, 0, 0)"
    (found,) = json.loads(cli("run", case, "--json", "--engine", engine).stdout)
    assert [m["text"] for m in found["messages"]] == ["thread 0", "thread 1", "shader abort"]
    wanted = {"kind": "abort", "group": [0, 0, 0], "thread": [1, 0, 0], "text": "shader abort"}
    assert wanted.items() <= found["messages"][2].items()
    assert found["messages"][2]["instruction"] is not None
    assert (found["messages_dropped"], found["aborted"]) == (0, [0, 0, 0])


@pytest.mark.parametrize("engine", ["jit", "interpreter"])
def test_messages_of_a_run_that_fails(cli, library, engine):
    shader = softd3d.assemble(
        SAYS.replace("dcl_temps", "dcl_tgsm_raw g0, 4\ndcl_temps").format("sync_g_t")
    )
    case = make_case(library, "fails", shader)
    result = cli("run", case, "--engine", engine)
    assert result.exit_code == 1
    assert "0 passed, 0 failed, 1 stopped in " in result.stdout
    said, also, error = result.stderr.splitlines()
    assert said.startswith("fails.json: printf: thread 0 (")
    assert also.startswith("fails.json: printf: thread 1 (")
    assert "sync_t in divergent control flow" in error
    (found,) = json.loads(cli("run", case, "--json", "--engine", engine).stdout)
    assert (found["status"], len(found["messages"])) == ("stopped", 2)
    result = cli("run", "fails.dxbc", "--groups", "1", "--uav", "0=none", "--engine", engine)
    assert result.exit_code == 1
    assert f"{engine}: printf: thread 1 (" in result.stderr


def test_a_time_limit_gives_the_status_that_it_gives_to_a_shader(cli, library):
    result = cli("run", CASE, "--timeout", "1e-9")
    assert result.exit_code == 1
    assert "1 stopped in " in result.stdout
    shader = "cs_mandelbrot.cs_5_0.dxbc"
    options = ("--groups", "1", "--constants", "0=zeros.bin", "--uav", "0=zeros:64:uint32")
    (library / "zeros.bin").write_bytes(bytes(64))
    assert cli("run", shader, *options, "--timeout", "1e-9").exit_code == 1


def test_options_of_a_shader_do_not_go_with_cases(cli):
    result = cli("run", CASE, "--groups", "1")
    assert result.exit_code == 2
    assert "--groups is for one shader, not for cases" in " ".join(result.stderr.split())


def test_groups_with_blanks_are_told_apart_from_files(cli):
    result = cli("run", "cs_mandelbrot.cs_5_0.dxbc", "--groups", "4", "4", "1")
    assert result.exit_code == 2
    assert "4 is no file; wanted --groups 4,4,1" in " ".join(result.stderr.split())


@pytest.mark.corpus
def test_the_sample_library_has_no_unusable_case(cli, shared):
    result = cli("run", str(shared / "samples/sm4_5"), "--json")
    found = json.loads(result.stdout)
    assert [v for v in found if v["status"] in ("error", "stopped")] == []
    # What the library expects there is not Direct3D's, or one choice of several that it leaves: see
    # tests/execution/test_engines.py and tests/execution/draws/test_wrong_cases.py.
    failed = [v["case"] for v in found if v["status"] == "fail"]
    assert failed == [
        "cs_samplelevel_filters", "hs_ds_isoline_fractional_odd_mixed",
        "hs_ds_isoline_integer_mixed", "large_ssao", "ps_coverage_sample_mask",
    ]  # fmt: skip
    assert sum(v["status"] == "pass" for v in found) >= 60
