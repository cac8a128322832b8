"""Samplers on the command line."""

from __future__ import annotations

import numpy as np
import pytest

import softd3d
from softd3d.cli.arguments import sampler_of
from softd3d.errors import ResourceError

TEXT = """cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_uav_structured u0, 16
dcl_temps 1
dcl_thread_group 1, 1, 1
sample_l_indexable(texture2d)(float,float,float,float) r0.xyzw, l(1.125, 0.5, 0, 0), t0.xyzw, s0, l(0)
store_structured u0.xyzw, l(0), l(0), r0.xyzw
ret
"""  # noqa: E501


def test_texts() -> None:
    assert sampler_of("none") is None
    assert sampler_of("21") == softd3d.SamplerState(21)
    given = sampler_of("ANISOTROPIC:MIRROR:max_anisotropy=4:border_color=0,0.5,0,1:address_v=CLAMP")
    assert given == softd3d.SamplerState(
        "ANISOTROPIC", "MIRROR", "CLAMP", "MIRROR", max_anisotropy=4, border_color=(0, 0.5, 0, 1)
    )
    for text, message in (("SOFT", "filter: found 'SOFT'"), ("0:blur=1", "found 'blur'"),
                          ("0:min_lod=x", "min_lod: found 'x'")):  # fmt: skip
        with pytest.raises(ResourceError, match=message):
            sampler_of(text)


def test_a_shader_with_a_sampler(cli, tmp_path) -> None:
    (tmp_path / "s.dxbc").write_bytes(softd3d.assemble(TEXT))
    np.save(tmp_path / "t.npy", np.array([[1, 2, 4, 8]], np.float32))
    common = ["run", str(tmp_path / "s.dxbc"), "--groups", "1", "--engine", "both",
              "--srv", f"0={tmp_path / 't.npy'}", "--uav", "0=zeros:4:float32",
              "--save", f"0={tmp_path / 'u.npy'}"]  # fmt: skip
    for sampler, wanted in (("MIN_MAG_MIP_POINT:WRAP", 1), ("MIN_MAG_MIP_POINT", 8)):
        result = cli(*common, "--sampler", f"s0={sampler}")
        assert result.exit_code == 0, result.stderr
        assert np.load(tmp_path / "u.npy")[0] == wanted
    result = cli(*common)
    assert result.exit_code != 0
    assert "give it with --sampler s0=" in " ".join(result.stderr.split())
