"""Vertex shaders made for pixel shaders: what each kind of input gets, and in which registers."""

from __future__ import annotations

import numpy as np
import pytest

import softd3d
from softd3d.container.assembly.containers import assemble
from softd3d.device.render.feeds import Surface, feed_of
from softd3d.device.render.meshes import MESHES, camera_of, mesh_named
from softd3d.device.render.vertex_shader import fed_parameters, made_vertex_shader
from softd3d.errors import ResourceError
from softd3d.shaders.shader import load_shader


def pixel_shader(rows, declarations):
    """Return a pixel shader with such inputs, which writes 0."""
    table = [f"// {row}" for row in rows]
    output = "// SV_Target 0 xyzw 0 TARGET float xyzw"
    text = ["// Input signature:", *table, "//", "// Output signature:", output, "ps_5_0",
            *declarations, "dcl_output o0.xyzw", "mov o0.xyzw, l(0,0,0,0)", "ret"]  # fmt: skip
    return load_shader(assemble("\n".join(text)))


def surface(mesh="sphere", *, is_textured=False):
    found = mesh_named(mesh)
    return Surface(found, camera_of(found, 1.0), is_textured=is_textured)


def fed(row, mesh="sphere", **facts):
    """Return the floats of an input's register, by vertex."""
    mode = "constant" if "int" in row else "linear"
    mask = row.split()[2]
    shader = pixel_shader([row], [f"dcl_input_ps {mode} v1.{mask}"])
    made = made_vertex_shader(shader, surface(mesh, **facts))
    place = 1  # o0 is SV_Position
    return made.data[:, place].view(np.float32)


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ("POSITION 0 xyz 1 NONE float xyz", lambda m: m.positions),
        ("WORLDPOS 0 xyz 1 NONE float xyz", lambda m: m.positions),
        ("NORMAL 0 xyz 1 NONE float xyz", lambda m: m.normals),
        ("TANGENT 0 xyz 1 NONE float xyz", lambda m: m.tangents),
        ("BINORMAL 0 xyz 1 NONE float xyz", lambda m: m.binormals),
        ("TEXCOORD 0 xy 1 NONE float xy", lambda m: m.coordinates),
        ("TEXCOORD 3 xyzw 1 NONE float xy", lambda m: m.coordinates),
        ("TEXCOORD 5 xyz 1 NONE float xyz", lambda m: m.directions),
        ("COLOR 0 xyz 1 NONE float xyz", lambda m: m.positions / 2 + 0.5),
        ("COLOR 1 xyzw 1 NONE float xyz", lambda m: m.positions * 0),
        ("SV_ClipDistance 0 x 1 CLIPDST float x", lambda m: m.positions[:, :1] * 0 + 1),
        ("MATERIAL 0 x 1 NONE uint x", lambda m: m.positions[:, :1] * 0),
        ("ANYTHING 0 xy 1 NONE float xy", lambda m: m.coordinates),
    ],
)
def test_an_input_gets_what_its_semantic_says(row, wanted):
    values = wanted(mesh_named("sphere"))
    found = fed(row)[:, : values.shape[1]]
    assert np.array_equal(found, values.astype(np.float32))


def test_the_fourth_component_says_whether_it_is_a_point_or_a_direction():
    ends = [fed(f"{name} 0 xyzw 1 NONE float xyzw")[0, 3] for name in ("POSITION", "NORMAL")]
    assert ends == [1, 0]
    assert fed("TANGENT 0 xyzw 1 NONE float xyzw")[0, 3] == 1  # the binormal's sign


def test_colours_are_white_where_textures_are_read():
    assert (fed("COLOR 0 xyzw 1 NONE float xyzw", is_textured=True) == 1).all()


def test_a_parameter_in_the_middle_of_a_register_starts_there():
    u, v = mesh_named("sphere").coordinates.T.astype(np.float32)
    shader = pixel_shader(
        ["TEXCOORD 0 xy 1 NONE float xy", "TEXCOORD 1 zw 1 NONE float zw"],
        ["dcl_input_ps linear v1.xy", "dcl_input_ps linear v1.zw"],
    )
    data = made_vertex_shader(shader, surface()).data[:, 1].view(np.float32)
    assert np.array_equal(data, np.stack([u, v, u, v], 1))


def test_outputs_have_the_registers_and_components_of_the_inputs():
    shader = pixel_shader(
        ["SV_Position 0 xyzw 0 POS float xy", "NORMAL 0 xyz 3 NONE float xyz",
         "TEXCOORD 2 xy 7 NONE float xy", "SV_IsFrontFace 0 x 8 FFACE uint x"],
        ["dcl_input_ps_siv linear noperspective v0.xy, position", "dcl_input_ps linear v3.xyz",
         "dcl_input_ps linear v7.xy", "dcl_input_ps_sgv constant v8.x, is_front_face"],
    )  # fmt: skip
    made = made_vertex_shader(shader, surface())
    outputs = [(r.name, r.components) for r in made.shader.declarations.outputs]
    assert outputs == [("o0", (0, 1, 2, 3)), ("o3", (0, 1, 2)), ("o7", (0, 1))]
    assert not softd3d.validate(made.shader.data)
    names = [p.name for p in made.shader.signatures.output.elements]
    assert names == ["SV_Position", "NORMAL", "TEXCOORD"]


def test_a_shader_without_position_leaves_it_the_first_free_register():
    shader = pixel_shader(["TEXCOORD 0 xy 0 NONE float xy"], ["dcl_input_ps linear v0.xy"])
    made = made_vertex_shader(shader, surface("quad"))
    clip = made.data[:, 1].view(np.float32)
    assert np.array_equal(clip, [[-1, 1, 0, 1], [1, 1, 0, 1], [-1, -1, 0, 1], [1, -1, 0, 1]])


def test_a_shader_without_signature_is_fed_by_its_declarations():
    whole = pixel_shader(["NORMAL 0 xyz 2 NONE float xyz"], ["dcl_input_ps linear v2.xyz"])
    bare = load_shader(whole.container.program_chunk.data)
    [parameter] = fed_parameters(bare)
    assert (parameter.name, parameter.register, parameter.mask) == ("TEXCOORD", 2, 7)
    assert feed_of(parameter, surface()).says == "the direction from the mesh's centre"


def test_inputs_in_all_registers_leave_none_for_the_position():
    numbers = range(32)
    shader = pixel_shader(
        [f"TEXCOORD {n} xyzw {n} NONE float xyzw" for n in numbers],
        [f"dcl_input_ps linear v{n}.xyzw" for n in numbers],
    )
    with pytest.raises(ResourceError, match="leaves none for SV_Position; give a vertex shader"):
        made_vertex_shader(shader, surface())


@pytest.mark.parametrize("name", MESHES)
def test_meshes_turn_their_front_outwards(name):
    mesh = mesh_named(name)
    a, b, c = (mesh.positions[mesh.indices[n::3]] for n in range(3))
    facing = np.cross(b - a, c - a)  # clockwise from outside, in left-handed axes
    normals = mesh.normals[mesh.indices[0::3]] + mesh.normals[mesh.indices[1::3]]
    assert ((facing * normals).sum(1) >= -1e-9).all()
    for u, v, w in ((mesh.normals, mesh.tangents, mesh.binormals),):
        assert np.allclose(np.cross(u, v), w)


@pytest.mark.parametrize(("name", "aspect"), [("sphere", 1), ("cube", 0.5), ("cube", 2)])
def test_the_camera_sees_all_of_a_mesh(name, aspect):
    mesh = mesh_named(name)
    camera = camera_of(mesh, aspect)
    points = np.concatenate([mesh.positions, np.ones((len(mesh.positions), 1))], 1)
    clip = points @ camera.view @ camera.projection
    assert (abs(clip[:, :2]) < clip[:, 3:]).all()
    assert (clip[:, 2] > 0).all()
    assert (clip[:, 2] < clip[:, 3]).all()


def test_a_mesh_of_another_name_is_refused():
    with pytest.raises(ResourceError, match="mesh: found 'torus', wanted quad, sphere or cube"):
        mesh_named("torus")
