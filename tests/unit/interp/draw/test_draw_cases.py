"""Draw cases of the samples: the golden results, with the three that are wrong proved so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from softd3d.errors import LoweringError
from softd3d.isa.sm4.enums import Opcode

from case_draws import CaseDraw  # isort: skip

SAMPLES = Path(__file__).parents[5] / "shared/samples"
LATER = {"hs": "hull shaders", "ds": "domain shaders", "gs": "geometry shaders"}
WRONG = {
    "large_ssao": "Wine's deriv_rtx is the fine one; the digest chooses coarse (pixel.md 5)",
    "ps_coverage_sample_mask": "nothing is expected where oMask AND SampleMask leaves sample 2",
    "interp_eval_msaa4": "the model's HLSL reads AA.xy, the compiled shader moves AA.zw to o0.xy",
}


def cases() -> list[Path]:
    found = [*SAMPLES.glob("pipeline/cases/*.json"), *SAMPLES.glob("sm4_5/cases/*.json")]
    return [p for p in sorted(found) if {"draw", "draws"} & json.loads(p.read_text()).keys()]


def later(path: Path) -> str | None:
    """Return what a case needs that is not there yet."""
    spec = json.loads(path.read_text())
    missing = [LATER[stage] for stage in spec["shaders"] if stage in LATER]
    if spec.get("stream_output"):
        missing.append("stream output")
    return ", ".join(missing) or None


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared is not there")
def test_there_are_cases():
    assert sum(later(path) is None for path in cases()) > 100


@pytest.mark.parametrize("path", cases(), ids=lambda p: p.stem)
def test_golden_results(path: Path):
    if reason := later(path):
        pytest.skip(f"needs {reason}")
    case = CaseDraw(path)
    if path.stem == "conservative_outer":
        case.spec["raster"] = {**case.spec.get("raster", {}), "conservative": 1}
        with pytest.raises(LoweringError, match="conservative rasterization is not supported yet"):
            case.mismatches()
        return
    assert bool(case.mismatches()) == (path.stem in WRONG), WRONG.get(path.stem)


def wrong(name: str) -> CaseDraw:
    found = [p for p in cases() if p.stem == name]
    if not found:
        pytest.skip("../shared is not there")
    return CaseDraw(found[0])


def test_the_ambient_occlusion_case_expects_fine_derivatives():
    case = wrong("large_ssao")
    assert case.pixel is not None
    fine = {Opcode.DERIV_RTX: Opcode.DERIV_RTX_FINE, Opcode.DERIV_RTY: Opcode.DERIV_RTY_FINE,
            Opcode.DERIV_RTX_COARSE: Opcode.DERIV_RTX_FINE,
            Opcode.DERIV_RTY_COARSE: Opcode.DERIV_RTY_FINE}  # fmt: skip
    for i in case.pixel.program.instructions:
        if i.opcode in fine:
            object.__setattr__(i, "opcode", fine[i.opcode])
    # Coarse ones differ in 33 of 256 pixels; in the last one a comparison is on its threshold.
    assert sum(len(found) for found in case.mismatches().values()) <= 1


def test_the_output_mask_case_leaves_out_a_sample_that_both_masks_have():
    case = wrong("ps_coverage_sample_mask")
    found = case.mismatches()
    (target,) = case.targets
    image = target.data.view(np.float32).reshape(-1, target.samples, 4)
    written = image.any(axis=2)
    mask = case.spec["sample_mask"]
    assert all(mask >> int(sample) & 1 for sample in np.flatnonzero(written.any(axis=0)))
    assert all(not m.expected for ms in found.values() for m in ms)


def test_the_pull_model_case_is_right_where_zw_are_xy():
    case = wrong("interp_eval_msaa4")
    data = case.vertex_data[0].view(np.float32).reshape(-1, 8)
    data[:, 6:] = data[:, 4:6]
    assert not case.mismatches()
