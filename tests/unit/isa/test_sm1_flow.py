"""Flow control of SM1-3: what loops count, what aL is where, indices, predicates, odd programs.

Expected values are worked out by hand; docs/numbers-d3d9.md says what is left open, and decided.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import softd3d
from softd3d.device.evaluation import evaluate
from softd3d.errors import DecodeError, ExecutionError, ShaderError
from softd3d.lower.watch import Watch

ENGINES = ("interpreter", "jit")
ONE = "def c0, 1, 2, 4, 8\n"


def run(text: str, inputs: dict[str, Any] | None = None, **more: Any) -> dict[str, np.ndarray]:
    """Run assembled text on both engines, which must agree."""
    program = softd3d.load9(softd3d.assemble(text)).program
    constants = more.pop("constants", {})
    found = [evaluate(program, inputs or {}, constants, engine=e, **more) for e in ENGINES]
    assert found[0].keys() == found[1].keys()
    for name, array in found[0].items():
        assert array.tobytes() == found[1][name].tobytes(), name
    return found[0]


@pytest.mark.parametrize(
    ("count", "wanted"),
    [(0, 0), (3, 3), (255, 255), (256, 255), (2**31 - 1, 255), (-1, 0), (-(2**31), 0)],
)
def test_counts_are_clamped_to_what_the_pages_allow(count: int, wanted: int) -> None:
    for version, begin, end in (
        ("vs_2_0", "rep i0", "endrep"),
        ("vs_3_0", "loop aL, i0", "endloop"),
    ):
        text = f"{version}\n{ONE}mov r0, c1\n{begin}\nadd r0, r0, c0.x\n{end}\n"
        assert run(text, constants={"i0": [count, 0, 1, 0]})["r0"][0, 0] == wanted


def test_what_the_program_defines_wins() -> None:
    text = f"ps_3_0\n{ONE}defi i0, 3, 0, 0, 0\ndefb b1, true\nmov r0, c1\n"
    text += "rep i0\nif b1\nadd r0, r0, c0.x\nendif\nif b0\nadd r0, r0, c0.w\nendif\nendrep\n"
    assert run(text, constants={"i0": [9, 0, 0, 0], "b0": [True, False]})["r0"][0, 0] == 27


def test_the_outer_al_is_seen_again_after_a_loop_and_in_subroutines() -> None:
    """c10 onwards hold their numbers."""
    numbers = np.arange(10, 40)[:, None].repeat(4, 1)
    text = """vs_3_0
        defi i0, 2, 10, 5, 0
        defi i1, 1, 30, 0, 0
        mov r0, c0
        mov r1, c0
        loop aL, i0
          loop aL, i1
            add r0, r0, c[aL]
          endloop
          call l0
        endloop
        mov r2, c[aL]
        ret
        label l0
        add r1, r1, c[aL]
        loop aL, i1
        endloop
        add r1, r1, c[aL]
        ret
    """
    found = run(text, constants={"c10": numbers})
    assert found["r0"][0, 0] == 60
    assert found["r1"][0, 0] == 2 * 10 + 2 * 15
    assert found["r2"][0, 0] == 0


def test_al_may_step_back_and_wrap_around() -> None:
    text = "vs_2_0\nmov r0, c0\nloop aL, i0\nadd r0, r0, c[aL + 3]\nendloop\n"
    numbers = np.arange(8)[:, None].repeat(4, 1)
    assert run(text, constants={"c0": numbers, "i0": [4, 0, -1, 0]})["r0"][0, 0] == 3 + 2 + 1
    wrapping = {"c0": numbers, "i0": [3, 2**31 - 1, 2**31 - 1, 0]}
    assert run(text, constants=wrapping)["r0"][0, 0] == 1  # aL is 2^31 - 1, -2, 2^31 - 3


def test_lanes_leave_loops_one_by_one() -> None:
    text = f"ps_3_0\n{ONE}dcl_texcoord0 v0\nmov r0, c1\nrep i0\nbreak_ge r0.x, v0.x\n"
    text += "add r0.x, r0.x, c0.x\nif_eq r0.x, v0.y\nbreak\nendif\nendrep\nadd r0.y, r0.x, c0.y\n"
    lanes = np.array([[0, 9], [3, 9], [7, 2], [100, 50]], np.float32)
    found = run(text, {"v0": lanes}, constants={"i0": [20, 0, 0, 0]})
    assert found["r0"][:, 0].tolist() == [0, 3, 2, 20]
    assert found["r0"][:, 1].tolist() == [2, 5, 4, 22]


def test_indexed_inputs_and_outputs_stay_inside_of_their_files() -> None:
    text = """vs_3_0
        dcl_position0 v0
        dcl_texcoord0 v1
        dcl_texcoord1 v2
        mov r0, v[aL + 1]
        mov o[aL + 2], v1
        (p0) mov o[aL + 3], v2
    """
    address = np.zeros((3, 4))
    address[:, 0] = (0, 1, 2**31 - 1)
    inputs = {
        "v1": [1, 2, 3, 4],
        "v2": [5, 6, 7, 8],
        "aL": address,
        "p0": [True, False, True, False],
    }
    found = run(text, inputs)
    assert found["r0"].tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [0, 0, 0, 0]]
    assert found["o2"].tolist() == [[1, 2, 3, 4], [0] * 4, [0] * 4]
    assert found["o3"].tolist() == [[5, 0, 7, 0], [1, 2, 3, 4], [0] * 4]
    assert found["o4"].tolist() == [[0] * 4, [5, 0, 7, 0], [0] * 4]


@pytest.mark.parametrize("address", [np.inf, -np.inf, np.nan, 3e38, -1.0, 256.0, 8191.0])
def test_huge_addresses_read_nothing(address: float) -> None:
    text = "vs_2_0\nmova a0, v0\nmov r0, c[a0.x + 7]\nm4x4 r1, v0, c[a0.y + 250]\n"
    constants = {"c0": np.full((256, 4), 5), "c7": [0] * 4}
    found = run(text, {"v0": [address, 4, 0, 0]}, constants=constants)
    assert found["r0"][0].tolist() == ([5.0] * 4 if address == -1.0 else [0.0] * 4)
    assert found["r1"][0, 2:].tolist() == [0, 0]  # c256 and c257


def test_a_predicate_masks_by_component_what_it_is_set_to_itself() -> None:
    text = "vs_2_x\ndef c0, 0, 0, 0, 0\nsetp_gt p0, v0, c0\n(p0.x) setp_lt p0, v0, c0\n"
    text += "mov r0, c0\n(!p0) mov r0, v0\n"
    found = run(text, {"v0": [[1, -1, 2, -2], [-1, 1, -2, 2]]})
    assert found["p0"].tolist() == [[False, True, False, True], [False, True, False, True]]
    assert found["r0"].tolist() == [[1, 0, 2, 0], [-1, 0, -2, 0]]


def test_colours_are_clamped_once_at_the_end() -> None:
    text = (
        "vs_2_0\ndef c0, 2, 0.5, 0, 0\nmov oD0, c0.x\nif b0\nmov oD0, c0.y\nendif\nmov oFog, c0.x\n"
    )
    for is_half in (False, True):
        found = run(text, constants={"b0": is_half})
        assert found["oD0"][0].tolist() == [0.5 if is_half else 1.0] * 4
        assert found["oFog"][0, 0] == 1


def test_a_phase_is_no_instruction() -> None:
    text = "ps_1_4\nmov r0, c0\nphase\nadd r0, r0, c0\n"
    assert run(text, constants={"c0": [0.5] * 4})["r0"][0].tolist() == [1.0] * 4


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("ps_2_x\nrep i0\n", DecodeError, "rep has no endrep"),
        ("ps_2_x\nendrep\n", DecodeError, "endrep is out of place"),
        ("ps_3_0\nloop aL, i0\nendrep\n", DecodeError, "endrep is out of place"),
        ("ps_2_x\nif b0\n", DecodeError, "if has no endif"),
        ("ps_2_x\nbreak\n", DecodeError, "break is outside of a loop"),
        ("ps_2_x\ncall l0\nret\n", DecodeError, "l0 is not defined"),
        ("ps_2_x\ncall l0\nret\nlabel l0\ncall l0\nret\n", DecodeError, "l0 calls itself"),
        ("ps_2_x\nret\nlabel l0\nret\nlabel l0\nret\n", DecodeError, "l0 is defined twice"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, error: type[ShaderError], message: str) -> None:
    for engine in ENGINES:
        with pytest.raises(error, match=message) as caught:
            evaluate(softd3d.load9(softd3d.assemble(text)).program, {}, engine=engine)
        assert caught.value.location is not None


def test_a_definition_of_another_file_is_refused() -> None:
    data = bytearray(softd3d.assemble("ps_3_0\ndefi i1, 1, 2, 3, 4\nmov oC0, c0\n"))
    data[8:12] = (0xE00F0800).to_bytes(4, "little")  # b0
    with pytest.raises(DecodeError, match=r"defi names no i# \(instruction 0"):
        evaluate(softd3d.load9(bytes(data)).program, {})


ENDLESS = "rep i0\n" * 8 + "add r0, r0, c0\n" + "endrep\n" * 8


def test_long_work_is_stopped() -> None:
    program = softd3d.load9(softd3d.assemble("vs_3_0\n" + ENDLESS)).program
    constants = {"i0": [255, 0, 0, 0]}
    for engine in ENGINES:
        with pytest.raises(ExecutionError, match="budget"):
            evaluate(program, {}, constants, engine=engine, budget=2_000)
        with pytest.raises(ExecutionError, match="time limit"):
            evaluate(program, {}, constants, engine=engine, watch=Watch(None, 0.2))
