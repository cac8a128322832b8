"""Some draw cases expect something else than their shaders and the specification say: proofs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from softd3d.device.draws import case as draw_case
from softd3d.device.verdict import CaseResult, run_case
from softd3d.isa.sm4.enums import Opcode
from softd3d.resources.cases.file import Case, compare, read_case

SAMPLES = Path(__file__).parents[4] / "shared/samples"
FINE = {
    Opcode.DERIV_RTX: Opcode.DERIV_RTX_FINE, Opcode.DERIV_RTY: Opcode.DERIV_RTY_FINE,
    Opcode.DERIV_RTX_COARSE: Opcode.DERIV_RTX_FINE, Opcode.DERIV_RTY_COARSE: Opcode.DERIV_RTY_FINE,
}  # fmt: skip


def case_named(folder: str, name: str) -> Case:
    path = SAMPLES / folder / "cases" / f"{name}.json"
    if not path.is_file():
        pytest.skip("../shared is not there")
    return read_case(path)


def wrong(result: CaseResult) -> int:
    return sum(len(d.mismatches) for d in result.differences)


def test_ambient_occlusion_is_as_expected_with_fine_derivatives(monkeypatch: pytest.MonkeyPatch):
    """Wine's deriv_rtx is the fine one. The digest chooses coarse (pixel.md, section 5)."""
    case, load = case_named("sm4_5", "large_ssao"), draw_case.load_shader
    assert wrong(run_case(case, "interpreter")) == 33

    def with_fine(path: Path):
        shader = load(path)
        for i in shader.program.instructions:
            if i.opcode in FINE:
                object.__setattr__(i, "opcode", FINE[i.opcode])
        return shader

    monkeypatch.setattr(draw_case, "load_shader", with_fine)
    # In one pixel an occlusion test (ge) is on its threshold.
    assert wrong(run_case(case, "interpreter")) <= 1


def test_the_output_mask_case_expects_nothing_of_a_sample_that_both_masks_have():
    """Coverage AND SampleMask AND oMask is written (pixel.md, section 6; D3D11.3 16.9.4)."""
    case = case_named("sm4_5", "ps_coverage_sample_mask")
    result = run_case(case, "interpreter")
    mask, samples = case.entry.data["sample_mask"], case.entry.data["viewport"]["samples"]
    image = np.frombuffer(result.outputs["rt0"], np.float32).reshape(8, 8, samples, 4)
    for x in range(8):
        left = mask & (5 << (x & 1))  # what the shader makes of SV_Coverage, 0b0110
        wanted = [bool(left >> sample & 1) for sample in range(samples)]
        assert any(wanted)
        assert (image[:, x].any(axis=2) == wanted).all()
    assert all(m.expected == 0 for d in result.differences for m in d.mismatches)


def test_the_pull_model_case_is_as_expected_where_zw_are_xy(monkeypatch: pytest.MonkeyPatch):
    """The HLSL has AA.xy at the snapped place; what was compiled moves r0.zw, AA.zw, to o0.xy."""
    case, buffers = case_named("pipeline", "interp_eval_msaa4"), draw_case._vertex_buffers
    assert wrong(run_case(case, "interpreter")) == 776

    def with_zw_as_xy(entry: object):
        found = buffers(entry)  # type: ignore[arg-type]
        data = np.array(found[0].buffer).view(np.uint8).view(np.float32).reshape(-1, 8)
        data[:, 6:] = data[:, 4:6]
        return {0: replace(found[0], buffer=data.reshape(-1).view(np.uint8))}

    monkeypatch.setattr(draw_case, "_vertex_buffers", with_zw_as_xy)
    assert wrong(run_case(case, "interpreter")) == 0


@pytest.mark.parametrize("partitioning", ["integer", "fractional_odd"])
def test_isolines_are_as_expected_where_their_primitives_are_counted(partitioning: str):
    """The geometry shader stores SV_PrimitiveID in z of the first vertex, in w of the second.

    Wine counts lines; all lines of a patch have the number of the patch, here 0 (D3D11.3 11.7.9.1).
    """
    case = case_named("sm4_5", f"hs_ds_isoline_{partitioning}_mixed")
    (output,) = case.outputs
    result = run_case(case, "interpreter")
    found = np.frombuffer(result.outputs["so"], np.float32).reshape(-1, 2, 8).copy()
    lines = 15
    assert wrong(result) == 2 * (lines - 1)  # line 0 has that number both ways
    assert (found[:lines, 0, 6] == 0).all()
    found[:lines, 0, 6] = found[:lines, 1, 7] = np.arange(lines)
    assert compare(output.expected.read_bytes(), found.tobytes(), output) == []
