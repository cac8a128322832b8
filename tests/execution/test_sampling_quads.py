"""Pixel shaders' instructions over quads: derivatives, and the levels of detail that they give.

They run in compute shaders, whose every four invocations in a row make a quad, with the check of
stages put aside. Spec: D3D11.3 sections 22.4.15, 22.4.16, 22.4.19, 22.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sampling_runs import COORDINATES, Setup, check, inputs
from sampling_shaders import Probe
from sampling_state import BORDER, CLAMP, MIRROR, WRAP, Sampler

import softd3d

Array = np.ndarray[Any, Any]
TRILINEAR = {"min": True, "mag": True, "mip": True}
STEPS = 2.0**-12  # coordinates and derivatives are multiples, so that differences are exact
DERIVATIVES = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_structured t0, 16
dcl_uav_structured u0, 16
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 32, 1, 1
ld_structured_indexable(structured_buffer, stride=16)(mixed,mixed,mixed,mixed) r0.xyzw, vThreadID.x, l(0), t0.xyzw
{} r1.xyzw, r0.xyzw
store_structured u0.xyzw, vThreadID.x, l(0), r1.xyzw
ret
"""  # noqa: E501


@pytest.fixture
def any_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let compute shaders have the instructions of pixel shaders."""
    monkeypatch.setattr("softd3d.lower.declarations._check_stage", lambda *_: None)


def quads(setup: Setup, count: int, random: np.random.Generator) -> Array:
    """Return records whose coordinates differ by the derivatives within each quad."""
    given = inputs(setup, count, random)
    corners = given[::4].copy()
    axes = COORDINATES[setup.probe.kind]
    corners[:, :axes] = random.uniform(-1.5, 1.5, (len(corners), axes))
    exact = (*range(axes), 8, 9, 10, 12, 13, 14)
    corners[:, exact] = np.round(corners[:, exact] / STEPS) * STEPS
    given[...] = np.repeat(corners, 4, axis=0)
    for lane in range(4):
        along, down = lane & 1, lane >> 1
        here = given[lane::4]
        here[:, :axes] += along * here[:, 8 : 8 + axes] + down * here[:, 12 : 12 + axes]
    return given


SETUPS = {
    "sample": Setup(Probe("sample", offset=(1, -2, 0)), Sampler(**TRILINEAR), extent=(40, 24)),
    "sample_cl_s": Setup(
        Probe("sample", "3d", clamp=True), Sampler(**TRILINEAR, address=(CLAMP, MIRROR, BORDER)),
        "R16G16_FLOAT", (12, 20, 7),
    ),
    "sample-cube": Setup(Probe("sample", "cube"), Sampler(**TRILINEAR), extent=(24,)),
    "sample-anisotropic": Setup(
        Probe("sample"), Sampler(anisotropic=True, max_anisotropy=4), extent=(50, 60)
    ),
    "sample_b": Setup(
        Probe("sample_b", array=True), Sampler(**TRILINEAR, bias=-0.25), extent=(33, 9), slices=2
    ),
    "sample_c": Setup(
        Probe("sample_c", "1d"),
        Sampler(min=True, reduction="compare", comparison=5, address=(WRAP,) * 3),
        "R32_FLOAT", (30,), grid=3,
    ),
    "lod": Setup(
        Probe("lod"), Sampler(**TRILINEAR, bias=0.5, min_lod=0.25, max_lod=3.5), extent=(64, 32)
    ),
    "lod-cube": Setup(Probe("lod", "cube"), Sampler(**TRILINEAR), extent=(32,)),
}  # fmt: skip


@pytest.mark.usefixtures("any_stage")
@pytest.mark.parametrize("name", SETUPS)
def test_levels_of_quads_follow_the_model(name: str) -> None:
    check(SETUPS[name], seed=len(name), count=64, draw=quads)


@pytest.mark.slow
@pytest.mark.usefixtures("any_stage")
@pytest.mark.parametrize("name", SETUPS)
def test_many_quads(name: str) -> None:
    check(SETUPS[name], seed=1, count=2048, lanes=(4, 8, 16), draw=quads)


@pytest.mark.usefixtures("any_stage")
@pytest.mark.parametrize("which", ["rtx_coarse", "rty_coarse", "rtx_fine", "rty_fine"])
def test_derivatives(which: str) -> None:
    """Coarse ones are those of the top row and the left column."""
    values = np.random.default_rng(1).normal(size=(64, 4)).astype(np.float32)
    quad = values.reshape(16, 2, 2, 4)
    wanted = np.empty_like(quad)
    if "rtx" in which:
        wanted[...] = (quad[:, :, 1] - quad[:, :, 0])[:, :, None]
    else:
        wanted[...] = (quad[:, 1] - quad[:, 0])[:, None]
    if "coarse" in which:
        wanted[...] = wanted[:, :1, :1]
    shader = softd3d.load(softd3d.assemble(DERIVATIVES.format(f"deriv_{which}")))
    for engine in ("interpreter", "jit"):
        found = np.zeros_like(values)
        softd3d.dispatch(
            shader, (2, 1, 1), srvs={0: softd3d.StructuredBuffer(values)},
            uavs={0: softd3d.StructuredBuffer(found)}, engine=engine,
        )  # fmt: skip
        np.testing.assert_array_equal(found.reshape(wanted.shape), wanted)


def test_other_stages_instructions_are_refused() -> None:
    shader = softd3d.load(softd3d.assemble(DERIVATIVES.format("deriv_rtx_fine")))
    with pytest.raises(softd3d.DecodeError, match="deriv_rtx_fine is no instruction of cs_5_0"):
        softd3d.dispatch(shader, (1, 1, 1), srvs={}, uavs={})
