"""Pictures of pixel shaders: what is drawn, what is bound by default, what is said and refused."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from softd3d.container.assembly.containers import assemble
from softd3d.container.reflection.enums import ShaderVariableClass as Class
from softd3d.container.reflection.enums import ShaderVariableType as Type
from softd3d.device.registers import RegisterKind
from softd3d.device.render import targets
from softd3d.device.render.constants import constants_of
from softd3d.device.render.defaults import default_bindings
from softd3d.device.render.matrices import camera_value, dotted_vectors
from softd3d.device.render.meshes import camera_of, mesh_named
from softd3d.device.render.scene import Scene
from softd3d.device.render.targets import codes_of, colors_text
from softd3d.errors import ExecutionError, ResourceError
from softd3d.isa.sampling.state import Filter, TextureAddressMode
from softd3d.lower.watch import Watch
from softd3d.samples import sample
from softd3d.shaders.shader import load_shader

PAGE = Path(__file__).parents[3] / "docs" / "rendering.md"
SIZE = (8, 6)
SCENE_PS = sample("draw_scene.ps_5_0.dxbc").read_bytes()


def pixel_shader(*code, inputs=(), target="float", declarations=()):
    """Return a pixel shader with o0, of this type, and texture coordinates v1.xy."""
    rows = "TEXCOORD 0 xy 1 NONE float xy", *inputs
    text = ["// Input signature:", *(f"// {r}" for r in rows), "//", "// Output signature:",
            f"// SV_Target 0 xyzw 0 TARGET {target} xyzw", "ps_5_0", *declarations,
            "dcl_input_ps linear v1.xy", "dcl_output o0.xyzw", "dcl_temps 1", *code,
            "ret"]  # fmt: skip
    return assemble("\n".join(text))


UV = pixel_shader("mov o0.xy, v1.xyxx", "mov o0.zw, l(0,0,0,1)")


def drawn(shader, **facts):
    return Scene(shader, size=SIZE, **facts).render(engine="interpreter")


def test_a_quad_fills_the_picture_with_its_texture_coordinates():
    width, height = SIZE
    colors = drawn(UV).colors
    u, v = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    assert np.allclose(colors[..., 0], u)
    assert np.allclose(colors[..., 1], v)


@pytest.mark.parametrize("mesh", ["sphere", "cube"])
def test_round_a_mesh_is_background(mesh):
    colors = Scene(UV, mesh=mesh, size=(24, 24)).render(engine="interpreter").colors
    assert (colors[0, 0] == (0.25, 0.25, 0.25, 1)).all()
    assert colors[12, 12, 2] == 0


def test_samples_smooth_edges_and_keep_the_rest():
    plain, smooth = (
        Scene(UV, mesh="cube", size=(16, 16), samples=n).render(engine="interpreter").colors
        for n in (1, 4)
    )
    same = (plain == smooth).all(-1)
    assert 0.2 < same.mean() < 1
    assert np.allclose(plain[8, 8], smooth[8, 8], atol=0.01)


def test_a_vertex_shader_gets_data_by_its_own_semantics():
    rows = ["POSITION 0 xyzw 0 NONE float xyzw", "TEXCOORD 0 xy 1 NONE float xy"]
    outputs = ["SV_Position 0 xyzw 0 POS float xyzw", "TEXCOORD 0 xy 1 NONE float xy"]
    text = ["// Input signature:", *(f"// {r}" for r in rows), "//", "// Output signature:",
            *(f"// {r}" for r in outputs), "vs_5_0", "dcl_input v0.xyzw", "dcl_input v1.xy",
            "dcl_output_siv o0.xyzw, position", "dcl_output o1.xy", "mov o0.xyzw, v0.xyzw",
            "mov o1.xy, v1.xyxx", "ret"]  # fmt: skip
    scene = Scene(UV, assemble("\n".join(text)), size=SIZE)
    assert scene.said() == ["POSITION0 gets the position", "TEXCOORD0 gets u, v, 0, 1"]
    assert np.array_equal(scene.render(engine="interpreter").colors, drawn(UV).colors)


TEXTURES = {
    "texture1d": "v1.xxxx", "texture1darray": "v1.xyxx", "texture2d": "v1.xyxx",
    "texture2darray": "v1.xyxx", "texture3d": "v1.xyxx", "texturecube": "v1.xyxx",
    "texturecubearray": "v1.xyxy",
}  # fmt: skip


@pytest.mark.parametrize("type_", ["float", "snorm"])
@pytest.mark.parametrize("kind", TEXTURES)
def test_textures_of_every_dimension_are_checkers(kind, type_):
    shader = pixel_shader(
        f"sample o0.xyzw, {TEXTURES[kind]}, t0.xyzw, s0",
        declarations=[f"dcl_resource_{kind} ({', '.join([type_] * 4)}) t0",
                      "dcl_sampler s0, mode_default"],
    )  # fmt: skip
    found = drawn(shader)
    assert not found.outcome.poisoned
    assert 0 < found.colors[..., :3].min() <= found.colors.max() <= 1
    texture = default_bindings(load_shader(shader))[RegisterKind.SRVS][0, 0]
    assert texture.layout.mips == texture.layout.extent(0)[0].bit_length()


@pytest.mark.parametrize("type_", ["uint", "sint"])
@pytest.mark.parametrize("kind", [k for k in TEXTURES if "cube" not in k])
def test_integer_textures_can_be_loaded(kind, type_):
    shader = pixel_shader(
        "ftou r0.xy, v1.xyxx", "mov r0.zw, l(0,0,0,0)", "ld o0.xyzw, r0.xyzw, t0.xyzw",
        target=type_.removeprefix("s"),
        declarations=[f"dcl_resource_{kind} ({', '.join([type_] * 4)}) t0"],
    )  # fmt: skip
    found = drawn(shader)
    assert not found.outcome.poisoned
    assert found.colors.dtype == {"uint": np.uint32, "sint": np.int32}[type_]
    assert found.colors.any()


@pytest.mark.parametrize("kind", ["texture2dms(4)", "texture2dmsarray(4)"])
def test_multisampled_textures_have_samples_of_one_colour(kind):
    declared = f"dcl_resource_{kind} (float, float, float, float) t0"
    code = "ftou r0.xy, v1.xyxx", "mov r0.zw, l(0,0,0,0)", "ldms o0.xyzw, r0.xyzw, t0.xyzw, l(3)"
    found = drawn(pixel_shader(*code, declarations=[declared]))
    assert not found.outcome.poisoned
    assert found.colors.all()


@pytest.mark.parametrize(
    ("declaration", "load"),
    [
        ("dcl_resource_raw t0", "ld_raw o0.xyzw, l(16), t0.xyzw"),
        ("dcl_resource_structured t0, 32", "ld_structured o0.xyzw, l(1), l(16), t0.xyzw"),
        ("dcl_resource_buffer (float, float, float, float) t0", "ld o0.xyzw, l(0,0,0,0), t0.xyzw"),
    ],
)
def test_buffers_are_there(declaration, load):
    found = drawn(pixel_shader(load, declarations=[declaration]))
    assert not found.outcome.poisoned
    assert not found.colors[..., 0].any()


def test_compared_textures_are_far_away_and_samplers_compare():
    shader = load_shader(
        pixel_shader(
            "sample_c_lz r0.x, v1.xyxx, t0.xxxx, s0, l(0.5)", "mov o0.xyzw, r0.xxxx",
            declarations=["dcl_resource_texture2d (float, float, float, float) t0",
                          "dcl_sampler s0, mode_comparison"],
        )
    )  # fmt: skip
    state = default_bindings(shader)[RegisterKind.SAMPLERS][0, 0]
    assert state.filter is Filter.COMPARISON_MIN_MAG_MIP_LINEAR
    assert (drawn(shader).colors == 1).all()


def test_samplers_wrap_by_default():
    state = default_bindings(load_shader(SCENE_PS))[RegisterKind.SAMPLERS][0, 0]
    assert (state.filter, state.address_u) == (Filter.MIN_MAG_MIP_LINEAR, TextureAddressMode.WRAP)


def test_a_texture_given_by_name_takes_the_place_of_the_checker():
    image = np.full((4, 4, 4), 255, np.uint8)
    scene = Scene(SCENE_PS, size=SIZE, textures={"tiles": image})
    assert scene.render(engine="interpreter").outcome.samples_passed == SIZE[0] * SIZE[1]
    with pytest.raises(ResourceError, match="srvs: the shader has no 'tile', it has t0"):
        Scene(SCENE_PS, size=SIZE, textures={"tile": image})


CAMERA = camera_of(mesh_named("sphere"), 1.0)


def scene_floats(given):
    """Return the constants of the sample's b0, (vectors, 4): eye is vector 4, fog is 6."""
    found = constants_of({"ps": load_shader(SCENE_PS)}, CAMERA, given)["ps"]
    return found.bound()[0, 0].view(np.float32).reshape(-1, 4)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, 0),
        ({"fog": [1, 2, 3]}, (1, 2, 3)),
        ({"Scene": {"fog": [1, 2, 3]}}, (1, 2, 3)),
        ({"ps": {"fog": [1, 2, 3]}}, (1, 2, 3)),
        ({"b0[6]": [1, 2, 3]}, (1, 2, 3)),
        ({"fog": [9, 9, 9], "b0[6]": [1, 2, 3]}, (1, 2, 3)),
    ],
)
def test_constants_are_named_by_variable_buffer_stage_or_register(given, wanted):
    assert (scene_floats(given)[6, :3] == wanted).all()


def test_an_element_of_an_array_can_be_named():
    assert (scene_floats({"spheres[1]": [1, 2, 3, 4]})[8] == (1, 2, 3, 4)).all()


def test_the_eye_and_matrices_are_the_cameras():
    floats = scene_floats({})
    assert np.allclose(floats[4, :3], CAMERA.eye)
    # Row vectors and row_major, as the source says; the pixel shader itself does not use it.
    assert np.allclose(floats[:4], (CAMERA.view @ CAMERA.projection))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"fogg": 1}, r"constants: the shader has no 'fogg', it has fog"),
        ({"fog": [1, 2]}, r"fog: found shape \(2,\), wanted \(3,\)"),
        ({"b0[99]": [1]}, r"b0\[99\]: found numbers for vector 99, the register has 0 to 13"),
        ({"b9[0]": [1]}, r"the shader has no 'b9\[0\]', it has b0$"),
        ({"b0[6].x": 1}, r"no 'b0\[6\]\.x', it has b0; a vector is set as a whole"),
        ({"xyzzy": 1}, r"no 'xyzzy', it has viewProjection, eye, light and 2 more$"),
        ({"fog": "red"}, r"fog: found a string, wanted float"),
        ({"b0": "red"}, r"b0: found 'red', wanted numbers"),
    ],
)
def test_wrong_constants_are_refused(given, text):
    with pytest.raises(ResourceError, match=text):
        scene_floats(given)


@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("is_dotted", [False, True])
def test_stored_vectors_are_columns_where_they_are_dotted(is_dotted, by_columns):
    class_ = Class.MATRIX_COLUMNS if by_columns else Class.MATRIX_ROWS
    type_ = SimpleNamespace(class_=class_, type=Type.FLOAT, rows=4, columns=4, elements=0)
    variable = SimpleNamespace(name="g_ViewProj", type=type_, offset=32)
    dotted = frozenset({(0, 2)} if is_dotted else ())
    value = camera_value(variable, 0, dotted, CAMERA)
    stored = value.T if by_columns else value
    wanted = CAMERA.view @ CAMERA.projection
    assert np.allclose(stored, wanted.T if is_dotted else wanted)


def test_the_vectors_of_dot_products_are_found():
    code = ["dcl_constantbuffer CB1[4], immediateIndexed", "dp4 r0.x, cb1[2].xyzw, cb1[3].xyzw",
            "mul o0.xyzw, r0.xxxx, cb1[1].xyzw"]  # fmt: skip
    shader = load_shader(pixel_shader(*code[1:], declarations=code[:1]))
    assert dotted_vectors(shader.program) == {(1, 2), (1, 3)}


def test_what_was_chosen_is_said():
    assert Scene(SCENE_PS, size=SIZE).said({"light": [0, 1, 0]}) == [
        "POSITION0 gets the position",
        "NORMAL0 gets the normal",
        "TEXCOORD0 gets u, v, 0, 1",
        "COLOR0 gets white",
        "t0 (tiles) gets a checker of 128 x 128",
        "s0 (tilesSampler) gets trilinear filtering, WRAP",
        "eye gets the eye's position",
        "constants that are 0: fog (3), spheres (7 x 4)",
    ]


def test_colours_are_said_as_they_are():
    shader = pixel_shader("mov o0.xyzw, v2.xyzw", inputs=["COLOR 0 xyzw 2 NONE float xyzw"],
                          declarations=["dcl_input_ps linear v2.xyzw"])  # fmt: skip
    assert Scene(shader, size=SIZE).said()[1] == "COLOR0 gets a colour by position"


STRIPPED = pixel_shader(
    "mov r0.xyzw, cb0[9].xyzw", *(f"add r0.xyzw, r0.xyzw, cb0[{n}].xyzw" for n in (1, 2, 3, 5)),
    "mov o0.xyzw, r0.xyzw", declarations=["dcl_constantbuffer CB0[11], immediateIndexed"],
)  # fmt: skip
COMPUTED = pixel_shader(
    "ftou r0.x, v1.x", "mov o0.xyzw, cb0[r0.x + 1].xyzw",
    declarations=["dcl_constantbuffer CB0[11], dynamicIndexed"],
)  # fmt: skip


@pytest.mark.parametrize(
    ("shader", "given", "wanted"),
    [
        (STRIPPED, {}, ["b0[1] to b0[3]", "b0[5]", "b0[9]"]),
        (STRIPPED, {"b0[2]": [1, 1, 1, 1]}, ["b0[1]", "b0[3]", "b0[5]", "b0[9]"]),
        (STRIPPED, {"b0[1]": [1] * 17, "b0[9]": [1]}, []),
        (COMPUTED, {}, ["b0[0] to b0[10]"]),
        (COMPUTED, {"b0[0]": [0] * 40}, ["b0[10]"]),
        (SCENE_PS, {"b0[6]": [1, 1, 1]}, ["light (3)", "spheres (7 x 4)"]),
    ],
)
def test_constants_that_are_0_become_fewer_as_they_are_set(shader, given, wanted):
    assert Scene(shader, size=SIZE).zeros(given) == wanted


def test_all_constants_that_are_0_are_named_on_request():
    source = [f"cb0[{2 * n}].xyzw" for n in range(8)]
    shader = pixel_shader(
        "mov r0.xyzw, l(0,0,0,0)", *(f"add r0.xyzw, r0.xyzw, {s}" for s in source),
        "mov o0.xyzw, r0.xyzw", declarations=["dcl_constantbuffer CB0[16], immediateIndexed"],
    )  # fmt: skip
    scene = Scene(shader, size=SIZE)
    assert scene.said()[-1].endswith("b0[10] and 2 more")
    assert scene.said(all_names=True)[-1].endswith("b0[12], b0[14]")


@pytest.mark.parametrize(
    ("colors", "text"),
    [
        (np.float32([[[0, 0.5, 1, 1]]]), "every pixel is 0, 0.5, 1, 1"),
        (np.float32([[[0, 0, 0, 9]]]), "every pixel is 0, 0, 0, 9, clamped to 0 to 1"),
        (np.uint32([[[7, 0, 0, 1]]]), "every pixel is 7, 0, 0, 1, shown as parts of the largest"),
        (np.float32([[[0, 0.5, 1, 1], [0, 0, 0, 0.5]]]), "numbers from 0 to 1"),
        (np.float32([[[0, 0, 0, 4]], [[0, 0, 0, 1]]]), "numbers from 0 to 4, clamped to 0 to 1"),
        (np.float32([[[np.nan, 1, 1, 1]]]),
         "numbers from 1 to 1; 1 are infinite or NaN"),
        (np.uint32([[[0, 3, 9, 1]], [[1, 1, 1, 1]]]),
         "integers from 0 to 9, shown as parts of the largest"),
    ],
)  # fmt: skip
def test_what_a_picture_does_not_show_is_said(colors, text):
    assert colors_text(colors) == text


def test_codes_are_rounded_and_clamped():
    colors = np.float32([[[-1, 0.5, 2, 0.25], [np.nan, np.inf, -np.inf, 1]]])
    assert codes_of(colors).tolist() == [[[0, 128, 255], [0, 255, 0]]]
    assert codes_of(colors, has_alpha=True)[0, 0].tolist() == [0, 128, 255, 64]
    assert codes_of(np.uint32([[[0, 5, 10, 0]]])).tolist() == [[[0, 128, 255]]]


def test_the_first_target_that_is_written_is_shown():
    text = ["// Input signature:", "// no Input", "//", "// Output signature:",
            "// SV_Target 2 xyzw 2 TARGET float xyzw", "ps_5_0", "dcl_output o2.xyzw",
            "mov o2.xyzw, l(0.5,0.5,0.5,0.5)", "ret"]  # fmt: skip
    scene = Scene(assemble("\n".join(text)), size=SIZE)
    assert scene.said() == ["SV_Target2 is shown, the first that is written"]
    assert (scene.render(engine="interpreter").colors == 0.5).all()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"ps": sample("draw_scene.vs_5_0.dxbc").read_bytes()}, "ps: found a vertex shader"),
        ({"ps": UV, "vs": UV}, "vs: found a pixel shader"),
        ({"ps": UV, "samples": 3}, "samples: found 3, wanted 1, 2, 4, 8 or 16"),
        ({"ps": UV, "size": (0, 4)}, "size: found 0x4, wanted 1 to 16384 for width and height"),
        ({"ps": UV, "mesh": "torus"}, "mesh: found 'torus'"),
    ],
)
def test_what_cannot_be_rendered_says_why(arguments, text):
    with pytest.raises(ResourceError, match=text):
        Scene(arguments.pop("ps"), arguments.pop("vs", None), **arguments)


@pytest.mark.parametrize(
    ("size", "samples", "text"),
    [
        ((16384, 16384), 1, "size: found 16384x16384 with samples 1, which needs 4 GiB, wanted at"),
        ((4096, 4096), 16, "size: found 4096x4096 with samples 16, which needs 4 GiB, wanted at"),
        ((16385, 1), 1, "size: found 16385x1, wanted 1 to 16384 for width and height"),
    ],
)
def test_pictures_that_are_too_large_are_refused_at_once(monkeypatch, size, samples, text):
    monkeypatch.setattr(np, "zeros", None)  # no memory is asked for
    with pytest.raises(ResourceError, match=text):
        Scene(UV, size=size, samples=samples)


def test_the_time_limit_counts_the_clear_of_targets():
    with pytest.raises(ExecutionError, match=r"1e-09 s has passed while clearing \(timeout"):
        Scene(UV, size=SIZE).render(engine="interpreter", timeout=1e-9)


@pytest.mark.parametrize("samples", [1, 4])
def test_work_on_targets_stops_between_bands_and_is_the_same_without(monkeypatch, samples):
    scene = Scene(UV, size=SIZE, samples=samples, mesh="sphere")
    wanted = scene.render(engine="interpreter")
    asked = []
    monkeypatch.setattr(targets, "_BAND_BYTES", 1)  # a row at a time
    monkeypatch.setattr(Watch, "check", lambda *words: asked.append(words[1:]))
    found = scene.render(engine="interpreter")
    assert np.array_equal(found.colors, wanted.colors)
    assert np.array_equal(found.image(), wanted.image())
    assert asked.count((" while clearing",)) == 2 * SIZE[1]  # colour and depth
    assert bool(asked.count((" while resolving",))) == (samples > 1)


def test_a_shader_without_colours_is_refused():
    text = ["// Input signature:", "// no Input", "//", "// Output signature:",
            "// SV_Depth 0 N/A oDepth DEPTH float YES", "ps_5_0", "dcl_output oDepth",
            "mov oDepth, l(0)", "ret"]  # fmt: skip
    with pytest.raises(ResourceError, match="writes no SV_Target, wanted one to show"):
        Scene(assemble("\n".join(text)))


def test_the_example_of_the_page_runs(capsys):
    [block] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(block, names)  # noqa: S102 - our own page
    assert capsys.readouterr().out.startswith("POSITION0 gets the position\n")
    assert names["picture"].image().shape == (240, 320, 3)
    assert names["picture"].colors.dtype == np.float32


@pytest.mark.parametrize("shader", [UV, SCENE_PS])
def test_both_engines_draw_the_same(shader):
    scene = Scene(shader, mesh="cube", size=(24, 16), samples=4)
    given = {} if shader is UV else {"light": [0.5, 0.7, -0.5], "fog": [0.5, 0.6, 0.8],
                                     "spheres": [[0, 0, 9, 1]] * 7}  # fmt: skip
    pictures = [scene.render(given, engine=engine).colors for engine in ("jit", "interpreter")]
    assert np.array_equal(*pictures)
