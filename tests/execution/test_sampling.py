"""Sampling rule by rule, against values worked out by hand; each on both engines."""

from __future__ import annotations

import numpy as np
import pytest
from sampling_cases import permit_pixel_instructions, run_instruction

import softd3d
from softd3d.errors import DecodeError, ResourceError

S = softd3d.SamplerState
POINT, LINEAR = "MIN_MAG_MIP_POINT", "MIN_MAG_LINEAR_MIP_POINT"
ROW = softd3d.Texture2D(np.array([[1, 2, 4, 8]], np.float32), "R32_FLOAT")
_2D = "_indexable(texture2d)(float,float,float,float)"
SAMPLE_L = f"sample_l{_2D} r2.xyzw, r0.xyxx, t0.xyzw, s0, r0.z"


def sampled(sampler: S, *u: float, code: str = SAMPLE_L, texture: object = ROW) -> list[float]:
    """Return x of samples along the row of four texels 1 2 4 8."""
    inputs = [(x, 0.5, 0.0) for x in u]
    return run_instruction(code, texture, sampler, np.array(inputs))[:, 0].tolist()


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        ("WRAP", [8, 1, 8, 1, 2, 8]),
        ("MIRROR", [1, 1, 8, 8, 4, 8]),
        ("CLAMP", [1, 1, 8, 8, 8, 1]),
        ("BORDER", [0.5, 1, 8, 0.5, 0.5, 0.5]),
        ("MIRROR_ONCE", [1, 1, 8, 8, 8, 8]),
    ],
)
def test_address_modes(mode: str, wanted: list[float]) -> None:
    sampler = S(POINT, mode, mode, border_color=(0.5, 0, 0, 0))
    assert sampled(sampler, -0.01, 0.01, 0.99, 1.01, 1.4, -1.01) == wanted


def test_a_bilinear_weight_has_8_bits() -> None:
    # 0.375 is the middle of texel 1; 1.7 / 256 texels further the weight is 2 / 256.
    assert sampled(S(LINEAR), 0.375, 0.375 + 1.7 / 1024, 0.5) == [2, 2 + 2 * 2 / 256, 3]


def test_half_a_step_is_rounded_up() -> None:
    assert sampled(S(LINEAR), 0.375 + 0.5 / 1024, 0.375 + 0.49 / 1024) == [2 + 2 / 256, 2]


@pytest.mark.parametrize("mode", ["WRAP", "MIRROR", "CLAMP", "BORDER", "MIRROR_ONCE"])
def test_a_coordinate_that_is_nan_is_zero(mode: str) -> None:
    sampler = S(LINEAR, mode, mode)
    assert sampled(sampler, np.nan) == sampled(sampler, 0.0)
    assert np.isfinite(sampled(sampler, np.inf, -np.inf, 3e38, -3e38)).all()


def test_offsets_are_added_before_the_address_mode() -> None:
    code = SAMPLE_L.replace("sample_l_", "sample_l_aoffimmi_indexable(-7,0,0)_").replace(
        "_indexable(texture2d)", "(texture2d)"
    ).replace(")_(texture2d)", ")(texture2d)")  # fmt: skip
    assert sampled(S(POINT, "WRAP"), 0.1, 0.9, code=code) == [2, 1]
    assert sampled(S(POINT, "MIRROR"), 0.1, 0.9, code=code) == [2, 8]
    assert sampled(S(POINT, "CLAMP"), 0.1, 0.9, code=code) == [1, 1]


def mipmapped(count: int = 3) -> softd3d.Texture2D:
    """Return a texture whose levels are all 0, all 1, all 2 and so on."""
    return softd3d.Texture2D(
        [np.full((1 << count - 1 - n,) * 2, n, np.float32) for n in range(count)], "R32_FLOAT"
    )


def lods(sampler: S, *lod: float, texture: object = None) -> list[float]:
    inputs = np.array([(0.5, 0.5, x) for x in lod])
    return run_instruction(SAMPLE_L, texture or mipmapped(), sampler, inputs)[:, 0].tolist()


def test_levels() -> None:
    point, linear = S("MIN_MAG_MIP_POINT"), S("MIN_MAG_MIP_LINEAR")
    assert lods(point, -1, 0.49, 0.5, 1.5, 9, np.nan) == [0, 0, 1, 2, 2, 2]
    assert lods(linear, -1, 0.25, 1.5, 9, np.inf, -np.inf) == [0, 0.25, 1.5, 2, 2, 0]
    assert lods(linear, 0.5 / 256, 0.49 / 256) == [1 / 256, 0]


def test_bias_and_clamps() -> None:
    assert lods(S("MIN_MAG_MIP_LINEAR", mip_lod_bias=0.5), 0.25, 1) == [0.75, 1.5]
    assert lods(S("MIN_MAG_MIP_LINEAR", min_lod=0.5, max_lod=1.25), 0, 1, 2) == [0.5, 1, 1.25]
    assert lods(S("MIN_MAG_MIP_LINEAR", min_lod=1.5, max_lod=1), 0, 2) == [1.5, 1.5]
    assert lods(S("MIN_MAG_MIP_LINEAR", max_lod=1.25), np.nan) == [1.25]


def test_the_least_level_of_a_resource() -> None:
    assert lods(S("MIN_MAG_MIP_LINEAR"), 0, 2, texture=mipmapped().view(min_lod=1.25)) == [1.25, 2]
    # Counted from the texture's first level; beyond the last one there is nothing.
    assert lods(
        S("MIN_MAG_MIP_LINEAR"), 0, texture=mipmapped().view(most_detailed_mip=1, min_lod=1.25)
    ) == [1.25]
    texels = run_instruction(
        SAMPLE_L, mipmapped().view(min_lod=2.5), S("MIN_MAG_MIP_LINEAR"), np.zeros((1, 3))
    )
    assert texels.tolist() == [[0, 0, 0, 1]]


def test_magnification_and_minification_may_differ() -> None:
    texture = softd3d.Texture2D([ROW.array, ROW.array[:, ::2]], "R32_FLOAT")
    sampler = S("MIN_POINT_MAG_LINEAR_MIP_POINT")
    inputs = np.array([(0.5, 0.5, lod) for lod in (0.0, -1.0, 0.25)])
    assert run_instruction(SAMPLE_L, texture, sampler, inputs)[:, 0].tolist() == [3, 3, 4]


def test_minimum_and_maximum_leave_out_texels_without_weight() -> None:
    for name, wanted in (("MINIMUM", [2, 2, 1]), ("MAXIMUM", [4, 2, 2])):
        sampler = S(f"{name}_{LINEAR}")
        assert sampled(sampler, 0.5, 0.375, 0.25) == wanted


def test_infinities_are_weighted_and_dropped_without_weight() -> None:
    row = softd3d.Texture2D(np.array([[np.inf, 1, np.nan, 5]], np.float32), "R32_FLOAT")
    found = sampled(S(LINEAR), 0.125, 0.25, 0.375, 0.5, 0.875, texture=row)
    assert found[:3] == [np.inf, np.inf, 1]
    assert np.isnan(found[3])
    assert found[4] == 5


def test_normalised_texels_come_out_exactly() -> None:
    row = softd3d.Texture2D(np.array([[[7, 0, 255, 128], [9, 0, 255, 129]]], np.uint8),
                            "R8G8B8A8_UNORM")  # fmt: skip
    found = run_instruction(SAMPLE_L, row, S(LINEAR), np.array([(0.5, 0.5, 0), (0, 0.5, 0)]))
    wanted = np.array([[8, 0, 255, 128.5], [7, 0, 255, 128]]) / 255
    assert (found == wanted.astype(np.float32)).all()


def test_srgb_is_linear_before_it_is_filtered() -> None:
    row = softd3d.Texture2D(np.array([[[0] * 4, [255] * 4]], np.uint8), "R8G8B8A8_UNORM_SRGB")
    assert sampled(S(LINEAR), 0.5, texture=row) == [0.5]


def test_integers_are_point_sampled_only() -> None:
    row = softd3d.Texture2D(np.array([[1, 0x80000001]], np.uint32), "R32_UINT")
    code = SAMPLE_L.replace("float", "uint")
    inputs = np.array([(0.9, 0.5, 0)])
    found = run_instruction(code, row, S(POINT), inputs, type_="uint")
    assert found.view(np.uint32).tolist() == [[0x80000001, 0, 0, 1]]
    with pytest.raises(ResourceError, match=r"t0: format R32_UINT holds integers.*MIP_POINT"):
        run_instruction(code, row, S(LINEAR), inputs, type_="uint")


def test_volumes_and_slices() -> None:
    cube = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    code = SAMPLE_L.replace("texture2d", "texture3d").replace("r0.xyxx", "r0.xyzx")
    code = code.replace("r0.z", "l(0)")
    volume = softd3d.Texture3D(cube, "R32_FLOAT")
    at = np.array([(0.5, 0.5, 0.5), (0.25, 0.75, 0.5)])
    found = run_instruction(code, volume, S(LINEAR), at, kind="texture3d")
    assert found[:, 0].tolist() == [3.5, 4]
    code = code.replace("texture3d", "texture2darray")
    slices = softd3d.Texture2DArray(np.arange(4, dtype=np.float32).reshape(4, 1, 1), "R32_FLOAT")
    numbers = [0.5, 1.5, 2.5, 9, -3, np.nan]
    found = run_instruction(code, slices, S(POINT), np.array([(0.5, 0.5, n) for n in numbers]),
                            kind="texture2darray")  # fmt: skip
    assert found[:, 0].tolist() == [0, 2, 2, 3, 0, 0]


def faces() -> softd3d.TextureCube:
    """Return a cube of 2 x 2 texels a face: tens are the face, ones the texel."""
    texels = 10 * np.arange(6)[:, None] + np.arange(4)
    return softd3d.TextureCube(texels.astype(np.float32).reshape(6, 2, 2), "R32_FLOAT")


CUBE = (
    "sample_l_indexable(texturecube)(float,float,float,float) r2.xyzw, r0.xyzx, t0.xyzw, s0, r0.w"
)


def test_faces_of_a_cube() -> None:
    inputs = np.array([
        (1, 0.5, 0.5, 0), (-1, 0.5, 0.5, 0), (0.5, 1, 0.5, 0), (0.5, -1, 0.5, 0), (0.5, 0.5, 1, 0),
        (0.5, 0.5, -1, 0), (1, 1, 1, 0), (1, 1, 0.5, 0),
    ])  # fmt: skip
    found = run_instruction(CUBE, faces(), S(POINT), inputs, kind="texturecube")[:, 0]
    # +X has -Z to the right, -X has +Z; ties go to Z, then Y.
    assert found.tolist() == [0, 11, 23, 31, 41, 50, 41, 23]


def test_a_direction_of_nan_meets_a_positive_face_whatever_its_sign() -> None:
    bits = np.array([[0x7FC00000] * 3, [0xFFC00000] * 3], np.uint32)
    found = run_instruction(CUBE, faces(), S(POINT), bits.view(np.float32), kind="texturecube")[
        :, 0
    ]
    assert found[0] == found[1]
    assert found[0] // 10 % 2 == 0


def test_cubes_are_seamless() -> None:
    # On the edge of +X and +Z: half of the column -Z.. of each. At the corner +X +Y +Z the missing
    # texel is the mean of the three others.
    inputs = np.array([(1, 0.5, 0.9999999, 0), (0.9999999, 0.9999998, 1, 0)])
    found = run_instruction(CUBE, faces(), S(LINEAR), inputs, kind="texturecube")[:, 0]
    assert found[0] == pytest.approx((0 + 41) / 2, abs=0.2)
    assert found[1] == pytest.approx((0 + 41 + 23) / 3, abs=0.2)


def test_gather_is_anticlockwise_from_the_lower_left() -> None:
    texture = softd3d.Texture2D(np.arange(8, dtype=np.float32).reshape(2, 2, 2), "R32G32_FLOAT")
    code = "gather4_indexable(texture2d)(float,float,float,float) r2.xyzw, r0.xyxx, t0.xyzw, s0.{}"
    at = np.array([(0.5, 0.5)])
    found = [run_instruction(code.format(c), texture, S(POINT), at)[0].tolist() for c in "xyzw"]
    assert found == [[4, 6, 2, 0], [5, 7, 3, 1], [0] * 4, [1] * 4]
    code = (
        code.format("x").replace("gather4_", "gather4_po_").replace("xyxx, t0", "xyxx, r1.xyxx, t0")
    )
    inputs = np.array([(0.5, 0.5, 0, 0)], np.float32)
    moved = np.concatenate([inputs, np.array([[65, 0, 0, 0]], np.int32).view(np.float32)], axis=1)
    assert run_instruction(code, texture, S(POINT, "WRAP"), moved)[0].tolist() == [6, 4, 0, 2]


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        ("NEVER", 0), ("LESS", 0.25), ("EQUAL", 0.25), ("LESS_EQUAL", 0.5), ("GREATER", 0.5),
        ("NOT_EQUAL", 0.75), ("GREATER_EQUAL", 0.75), ("ALWAYS", 1),
    ],
)  # fmt: skip
def test_comparisons_are_filtered(function: str, wanted: float) -> None:
    texture = softd3d.Texture2D(np.array([[1, 2], [3, 2.5]], np.float32), "R32_FLOAT")
    code = f"sample_c_lz{_2D} r2.xyzw, r0.xyxx, t0.xxxx, s0, r0.z"
    sampler = S("COMPARISON_MIN_MAG_MIP_LINEAR", comparison_func=function)
    found = run_instruction(code, texture, sampler, np.array([(0.5, 0.5, 2.5)]))
    assert found.tolist() == [[wanted] * 4]


def test_references_are_rounded_to_the_format() -> None:
    texture = softd3d.Texture2D(np.array([[0xFFFF, 0x8000]], np.uint16), "R16_UNORM")
    code = f"gather4_c{_2D} r2.xyzw, r0.xyxx, t0.xyzw, s0.x, r0.z"
    sampler = S("COMPARISON_MIN_MAG_MIP_POINT", comparison_func="EQUAL")
    inputs = np.array([(0.5, 0.5, 7), (0.5, 0.5, 0x8000 / 0xFFFF + 1e-6)])
    assert run_instruction(code, texture, sampler, inputs).tolist() == [[1, 0, 0, 1], [0, 1, 1, 0]]


def test_derivatives_give_the_level() -> None:
    code = f"sample_d{_2D} r2.xyzw, r0.xyxx, t0.xyzw, s0, r0.zwzz, r1.xyxx"
    # Texels of 1 / 4: 2 texels to the right is level 1.
    inputs = np.array([(0.5, 0.5, 0.5, 0, 0, 0.25), (0.5, 0.5, 0, 0, 0, 0), (0.5, 0.5, 1, 0, 0, 1)])
    found = run_instruction(code, mipmapped(), S("MIN_MAG_MIP_LINEAR"), inputs)
    assert found[:, 0].tolist() == [1, 0, 2]


def test_anisotropic_filters_take_the_minor_axis_and_probes() -> None:
    sampler = S("ANISOTROPIC", "WRAP", "WRAP", max_anisotropy=4)
    code = f"sample_d{_2D} r2.xyzw, r0.xyxx, t0.xyzw, s0, r0.zwzz, r1.xyxx"
    # 4 texels long, 1 wide: level 0, four probes at texel centres, one of them bright.
    texels = np.zeros((4, 4), np.float32)
    texels[1, 2] = 8
    levels = [texels, np.full((2, 2), 99, np.float32), np.full((1, 1), 99, np.float32)]
    texture = softd3d.Texture2D(levels, "R32_FLOAT")
    inputs = np.array([(0.5, 0.375, 1, 0, 0, 0.25), (0.5, 0.375, 0, 0.25, 1, 0)])
    assert run_instruction(code, texture, sampler, inputs)[:, 0].tolist() == [2, 2]
    # With at most 2 the minor axis counts as 2 texels: level 1.
    two = S("ANISOTROPIC", "WRAP", "WRAP", max_anisotropy=2)
    assert run_instruction(code, texture, two, inputs)[:, 0].tolist() == [99, 99]


def test_quads(monkeypatch: pytest.MonkeyPatch) -> None:
    permit_pixel_instructions(monkeypatch)
    code = "deriv_rt{}_{} r2.xyzw, r0.xxxx"
    inputs = np.array([[1.0], [3.0], [8.0], [18.0], [0.0], [1.0], [0.0], [0.0]])
    wanted = {
        "x_coarse": [2, 2, 2, 2, 1, 1, 1, 1], "x_fine": [2, 2, 10, 10, 1, 1, 0, 0],
        "y_coarse": [7, 7, 7, 7, 0, 0, 0, 0], "y_fine": [7, 15, 7, 15, 0, -1, 0, -1],
    }  # fmt: skip
    for name, values in wanted.items():
        text = code.format(*name.split("_"))
        assert run_instruction(text, ROW, None, inputs)[:, 0].tolist() == values
    sat = "deriv_rtx_sat r2.xyzw, r0.xxxx"
    assert run_instruction(sat, ROW, None, inputs)[:, 0].tolist() == [1] * 8


def test_implicit_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    permit_pixel_instructions(monkeypatch)
    # A quad 2 texels wide and half a texel high.
    quad = [(0.0, 0.0), (0.5, 0.0), (0.0, 0.125), (0.5, 0.125)]
    inputs = np.array([(u, v, 0.5, 1.5) for u, v in quad])
    linear = S("MIN_MAG_MIP_LINEAR", mip_lod_bias=0.25)
    for code, wanted in (
        (f"sample{_2D} r2.xyzw, r0.xyxx, t0.xyzw, s0", [1.25, 1.25]),
        (f"sample_b{_2D} r2.xyzw, r0.xyxx, t0.xyzw, s0, r0.z", [1.75, 1.75]),
        ("lod r2.xyzw, r0.xyxx, t0.xyzw, s0", [1.25, 1.25]),
        (f"sample_cl_s{_2D} r2.xyzw, r3.x, r0.xyxx, t0.xyzw, s0, r0.w", [1.5, 1.5]),
    ):
        found = run_instruction(code, mipmapped(), linear, inputs)
        assert found[:, 0].tolist() == [wanted[0]] * 4, code


def test_compute_shaders_have_no_implicit_levels() -> None:
    with pytest.raises(DecodeError, match="sample is no instruction of cs_5_0"):
        run_instruction(f"sample{_2D} r2.xyzw, r0.xyxx, t0.xyzw, s0", ROW, S(), np.zeros((1, 2)))


def test_status_says_mapped() -> None:
    status = "check_access_fully_mapped r2.w, r3.x"
    code = f"sample_l_s{_2D} r2.xyzw, r3.x, r0.xyxx, t0.xyzw, s0, r0.z\n{status}"
    found = run_instruction(code, ROW, S(POINT), np.array([(0.9, 0.5, 0)]))
    assert found[0, 0] == 8
    assert found.view(np.uint32)[0, 3] == 0xFFFFFFFF


def test_nothing_bound_is_zero() -> None:
    assert run_instruction(SAMPLE_L, None, S(), np.ones((1, 3))).tolist() == [[0] * 4]


def test_states_are_checked() -> None:
    for arguments, message in (
        ({"filter": "BLURRY"}, "filter: found 'BLURRY'"), ({"filter": 3}, "filter: found 3"),
        ({"address_u": 9}, "address_u: found 9"),
        ({"comparison_func": 0}, "comparison_func: found 0"),
        ({"max_anisotropy": 17}, "max_anisotropy: found 17"),
        ({"mip_lod_bias": 16}, "mip_lod_bias: found 16"),
        ({"mip_lod_bias": np.inf}, "mip_lod_bias: found inf, wanted -16.0 to 15.99"),
        ({"min_lod": np.nan}, "min_lod"),
        ({"border_color": (1, 2)}, "border_color"),
    ):  # fmt: skip
        with pytest.raises(ResourceError, match=message):
            S(**arguments)
    assert S(0x55, "wrap", comparison_func=2) == S("ANISOTROPIC", 1, comparison_func="LESS")
    newer = S("MAXIMUM_MIN_MAG_ANISOTROPIC_MIP_POINT")  # Direct3D 12 has it only
    assert (newer.is_anisotropic, newer.mip_is_linear, newer.reduction) == (True, False, 3)


def test_comparing_samplers_go_with_comparing_filters() -> None:
    shader = softd3d.load(softd3d.assemble(
        "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_sampler s0, mode_comparison\n"
        "dcl_thread_group 1, 1, 1\nret\n"
    ))  # fmt: skip
    with pytest.raises(ResourceError, match=r"s0: found the filter MIN_MAG_MIP_LINEAR.*COMPARISON"):
        softd3d.Dispatch(shader, (1, 1, 1), samplers={0: S()})
    with pytest.raises(ResourceError, match="s0: not in samplers"):
        softd3d.Dispatch(shader, (1, 1, 1))
    with pytest.raises(ResourceError, match="found int, wanted a SamplerState"):
        softd3d.Dispatch(shader, (1, 1, 1), samplers={0: 21})


@pytest.mark.parametrize(
    ("mode", "texel"), [("WRAP", 2), ("MIRROR", 2), ("CLAMP", 0), ("BORDER", 2), ("MIRROR_ONCE", 2)]
)
def test_a_nan_is_texel_0_before_offsets_but_with_clamp(mode: str, texel: int):
    """docs/numbers.md, Sampling: all modes but CLAMP make 0 of it, CLAMP -10."""
    texture = softd3d.Texture2D(np.arange(16, dtype=np.float32).reshape(4, 4), "R32_FLOAT")
    state = softd3d.SamplerState("MIN_MAG_MIP_POINT", mode, mode, mode)
    code = (
        "sample_l_aoffimmi_indexable(2,0,0)(texture2d)(float,float,float,float) "
        "r2.xyzw, r0.xyzw, t0.xyzw, s0, l(0)"
    )
    found = run_instruction(code, texture, state, np.array([[np.nan, 0]], np.float32))
    assert found[0, 0] == texel
