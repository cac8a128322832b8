"""Draws through the API: calls, stages' bindings, viewports, states, what is reported."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import draw_shaders as scene
import numpy as np
import pytest
from draw_shaders import (
    VERTEX,
    arguments,
    constant_pixel,
    full_screen,
    pixel_shader,
    quad,
    reading_pixel,
    shader,
    vertex_shader,
)

import softd3d
from softd3d.errors import ExecutionError, ResourceError

F4 = np.float32
RED = np.array([1, 0, 0, 1], F4)


@pytest.fixture(autouse=True, params=["interpreter", "jit"])
def engine(request, monkeypatch) -> str:
    monkeypatch.setattr(scene, "ENGINE", request.param)
    return request.param


def target(*shape: int) -> np.ndarray:
    return np.zeros(shape or (4, 4, 4), F4)


def triangles(*colors: Any) -> np.ndarray:
    """A quad for each colour, all over the target."""
    return np.concatenate([quad(color) for color in colors])


def test_a_draw_writes_the_callers_array():
    image = target()
    outcome = softd3d.draw(6, **arguments(render_targets=[image]))
    assert (image == (1.0, 0.5, 0.25, 1.0)).all()
    assert outcome.poisoned == ()
    assert outcome.samples_passed == 16
    assert outcome.statistics == softd3d.PipelineStatistics(
        ia_vertices=6, ia_primitives=2, vs_invocations=6, c_invocations=2, c_primitives=2,
        ps_invocations=16,
    )  # fmt: skip


def test_a_prepared_draw_sees_what_arrays_hold_now():
    image, vertices = target(), quad()
    job = softd3d.Draw(**arguments(render_targets=[image], vertex_buffers=[vertices]))
    assert not image.any()
    for color in (RED, RED / 2):
        vertices["COLOR"] = color
        job(6)
        assert (image == color).all()


def test_calls_take_direct3ds_arguments():
    colors = triangles((1, 0, 0, 0), (2, 0, 0, 0), (3, 0, 0, 0))
    image = target()
    job = softd3d.Draw(**arguments(
        render_targets=[image], vertex_buffers={0: colors},
        index_buffer=np.array([9, 9, 0, 1, 2, 3, 4, 5], np.uint16),
    ))  # fmt: skip

    def drawn(call: Any) -> float:
        image[...] = 0
        call()
        assert (image == image[0, 0]).all()
        return float(image[0, 0, 0])

    assert drawn(lambda: job(6)) == 1
    assert drawn(lambda: job(6, 6)) == 2
    assert drawn(lambda: job.instanced(6, 1, 12)) == 3
    assert drawn(lambda: job.indexed(6, 2)) == 1
    assert drawn(lambda: job.indexed(6, 2, 12)) == 3
    assert drawn(lambda: job.indexed_instanced(6, 1, 2, 6)) == 2
    assert drawn(lambda: job.indirect(np.array([0, 6, 1, 12, 0], np.uint32), 4)) == 3
    assert drawn(lambda: job.indexed_indirect(np.array([6, 1, 2, 6, 0], np.uint32))) == 2
    assert drawn(lambda: job.once(6, start_vertex_location=6)) == 2
    assert drawn(lambda: job.once(index_count=6, start_index_location=2)) == 1
    assert drawn(lambda: job(0)) == 0


def test_indices_may_count_back_from_the_base_vertex():
    image = target()
    softd3d.draw(
        index_count=6, base_vertex_location=-2,
        **arguments(render_targets=[image], index_buffer=np.arange(2, 8, dtype=np.uint32)),
    )  # fmt: skip
    assert image[..., 0].all()


def test_instances_step_through_their_buffer():
    """Each instance adds its number's colour: 1 + 2 + 2 (rate 2, from element 1 on)."""
    layout = [
        softd3d.InputElement("POSITION", 0, "R32G32B32A32_FLOAT"),
        softd3d.InputElement(
            "COLOR", 0, "R32G32B32A32_FLOAT", 1, input_slot_class="PER_INSTANCE_DATA",
            instance_data_step_rate=2,
        ),
    ]  # fmt: skip
    colors = np.array([[9, 9, 9, 9], [1, 0, 0, 0], [2, 0, 0, 0]], F4)
    positions = np.ascontiguousarray(quad()["POSITION"])
    add = softd3d.BlendState(render_target=softd3d.RenderTargetBlendDesc(True, dest_blend="ONE"))
    image = target()
    job = softd3d.Draw(**arguments(
        render_targets=[image], input_layout=layout, vertex_buffers=[positions, colors], blend=add
    ))  # fmt: skip
    job.instanced(6, 3, 0, 1)
    assert (image[..., 0] == 1 + 1 + 2).all()


def test_an_unbound_slot_reads_zeros():
    layout = [
        softd3d.InputElement("POSITION", 0, "R32G32B32A32_FLOAT"),
        softd3d.InputElement("COLOR", 0, "R32G32B32_FLOAT", 1),
    ]
    image = np.ones((4, 4, 4), F4)
    positions = np.ascontiguousarray(quad()["POSITION"])
    softd3d.draw(6, **arguments(
        render_targets=[image], input_layout=layout, vertex_buffers={0: positions, 1: None}
    ))  # fmt: skip
    assert not image.any()


def test_buffers_of_softd3d_serve_as_vertices_and_indices():
    vertices = quad()
    for buffer in (
        softd3d.StructuredBuffer(vertices),
        softd3d.VertexBuffer(softd3d.RawBuffer(vertices), stride=32),
    ):
        image = target()
        layout = None
        if isinstance(buffer, softd3d.VertexBuffer):
            layout = [
                softd3d.InputElement(name, 0, "R32G32B32A32_FLOAT")
                for name in ("POSITION", "COLOR")
            ]
        indices = softd3d.TypedBuffer(np.arange(6, dtype=np.uint32), "R32_UINT")
        softd3d.draw(index_count=6, **arguments(
            render_targets=[image], vertex_buffers=[buffer], index_buffer=indices,
            input_layout=layout,
        ))  # fmt: skip
        assert image.all()


def test_vertices_begin_at_an_offset():
    image = target()
    data = np.concatenate([np.zeros(1, VERTEX), quad()])
    buffer = softd3d.VertexBuffer(data, offset=32)
    softd3d.draw(6, **arguments(render_targets=[image], vertex_buffers=[buffer]))
    assert image.all()


def test_one_dictionary_serves_where_keys_tell_the_stage():
    image = target()
    job = softd3d.Draw(
        vs=full_screen(),
        ps=constant_pixel(),
        constants={0: RED},
        render_targets=[image],
        engine=scene.ENGINE,
    )
    job(3)
    assert (image == RED).all()
    image[...] = 0
    named = {"ps": {"b0": 2 * RED}, "vs": None}
    softd3d.draw(3, vs=full_screen(), ps=constant_pixel(), constants=named, render_targets=[image],
                 engine=scene.ENGINE)  # fmt: skip
    assert (image == 2 * RED).all()


def _moved() -> softd3d.Shader:
    return shader(
        ("POSITION 0 xyzw 0 float",), ("SV_Position 0 xyzw 0 float",),
        "vs_5_0\ndcl_constantbuffer cb0[1], immediateIndexed\ndcl_input v0.xyzw\n"
        "dcl_output_siv o0.xyzw, position\nadd o0.xyzw, v0.xyzw, cb0[0].xyzw\nret\n",
    )  # fmt: skip


def test_a_key_of_both_stages_needs_their_names():
    given = arguments(vs=_moved(), ps=constant_pixel())
    with pytest.raises(ResourceError, match="constants: 0 is in vertex shader and pixel shader; "):
        softd3d.Draw(**given, constants={0: RED})
    given["render_targets"] = [image] = [target()]
    zeros = np.zeros(4, F4)
    softd3d.draw(6, **given, constants={"vs": {0: zeros}, "ps": {0: RED}})
    assert (image == RED).all()


def test_stages_without_a_pixel_shader_write_depth_only():
    depth = np.ones((4, 4), F4)
    job = softd3d.Draw(
        vs=vertex_shader(),
        vertex_buffers=[quad(z=0.25)],
        depth_stencil_view=depth,
        engine=scene.ENGINE,
    )
    outcome = job(6)
    assert (depth == 0.25).all()
    assert outcome.samples_passed == 16
    assert outcome.statistics.ps_invocations == 0


@pytest.mark.parametrize("has_depth", [False, True])
def test_without_a_pixel_shader_samples_pass_even_if_there_is_nothing_to_test(has_depth):
    """The rasteriser is on, because a test is; but nothing is bound that it could look at."""
    depth = np.full((4, 4), 0.125, F4)
    views = {"depth_stencil_view": depth} if has_depth else {"render_targets": [target()]}
    state = softd3d.DepthStencilState(depth_enable=not has_depth, stencil_enable=has_depth)
    outcome = softd3d.draw(
        6,
        vs=vertex_shader(),
        vertex_buffers=[quad(z=0.25)],
        depth_stencil=state,
        engine=scene.ENGINE,
        **views,
    )
    assert outcome.samples_passed == 16
    assert outcome.statistics.ps_invocations == 0
    assert (depth == 0.125).all()


def test_back_faces_are_culled_by_default():
    image = target()
    vertices = quad()[[0, 2, 1]]
    assert softd3d.draw(3, **arguments(render_targets=[image], vertex_buffers=[vertices])) \
        .statistics.c_primitives == 0  # fmt: skip
    state = softd3d.RasterizerState(cull_mode="NONE")
    softd3d.draw(3, **arguments(render_targets=[image], vertex_buffers=[vertices],
                                rasterizer=state))  # fmt: skip
    assert image[0, 0].any()


def test_without_viewports_the_target_is_the_viewport_and_an_empty_list_draws_nothing():
    counts = [
        softd3d.draw(6, **arguments(viewports=viewports)).samples_passed
        for viewports in (None, [], softd3d.Viewport(1, 1, 2, 2), [softd3d.Viewport(0, 0, 4, 1)])
    ]
    assert counts == [16, 0, 4, 4]


def test_scissors_count_where_the_state_enables_them():
    on = softd3d.RasterizerState(scissor_enable=True)
    counts = [
        softd3d.draw(6, **arguments(rasterizer=state, scissors=scissors)).samples_passed
        for state, scissors in (
            (on, None), (on, []), (on, [softd3d.Rect(1, 1, 3, 2)]), (on, softd3d.Rect(2, 2, 1, 1)),
            (None, [softd3d.Rect(1, 1, 3, 2)]),
        )
    ]  # fmt: skip
    assert counts == [16, 0, 2, 0, 16]


def test_an_undefined_topology_draws_nothing():
    image = target()
    outcome = softd3d.draw(6, **arguments(topology="UNDEFINED", render_targets=[image]))
    assert outcome.samples_passed == 0
    assert not image.any()


@pytest.mark.parametrize(
    ("topology", "primitives"),
    [("POINTLIST", 6), ("LINELIST", 3), ("LINESTRIP", 5), (4, 2), ("TRIANGLESTRIP", 4),
     (softd3d.PrimitiveTopology.LINELIST_ADJ, 1), ("D3D11_PRIMITIVE_TOPOLOGY_TRIANGLELIST_ADJ", 1)],
)  # fmt: skip
def test_topologies_by_name_and_number(topology, primitives):
    assert softd3d.draw(6, **arguments(topology=topology)).statistics.ia_primitives == primitives


def test_targets_may_leave_slots_empty():
    image = target()
    second = shader(
        ("SV_Position 0 xyzw 0 float",), ("SV_Target 2 xyzw 2 float",),
        "ps_5_0\ndcl_output o2.xyzw\nmov o2.xyzw, l(1.0,2.0,3.0,4.0)\nret\n",
    )  # fmt: skip
    softd3d.draw(3, vs=full_screen(), ps=second, render_targets=[None, None, image, None],
                 engine=scene.ENGINE)  # fmt: skip
    assert (image == (1, 2, 3, 4)).all()


def test_a_pixel_shader_may_write_uavs_without_any_target():
    out = np.zeros(1, np.uint32)
    pixel = shader(
        ("SV_Position 0 xyzw 0 float",), (),
        "ps_5_0\ndcl_uav_raw u0\natomic_iadd u0, l(0), l(1)\nret\n",
    )  # fmt: skip
    job = softd3d.Draw(vs=full_screen(), ps=pixel, uavs={"ps": {0: out}}, engine=scene.ENGINE,
                       viewports=[softd3d.Viewport(0, 0, 5, 3)])  # fmt: skip
    job(3)
    assert out[0] == 15


def test_textures_and_samplers_are_bound_by_stage():
    texels = np.arange(16, dtype=F4).reshape(4, 4)
    pixel = reading_pixel(
        "ftoi r0.xy, v0.xyxx\nmov r0.zw, l(0,0,0,0)\n"
        "ld_indexable(texture2d)(float,float,float,float) o0.xyzw, r0.xyzw, t0.xyzw\n",
        "dcl_resource_texture2d (float,float,float,float) t0\n"
        "dcl_input_ps_siv linear noperspective v0.xy, position\ndcl_temps 1\n",
    )
    image = target()
    softd3d.draw(3, vs=full_screen(), ps=pixel, srvs={"ps": {0: texels}}, render_targets=[image],
                 engine=scene.ENGINE)  # fmt: skip
    assert np.array_equal(image[..., 0], texels)


def test_a_read_only_depth_is_tested_read_and_not_written():
    depth = softd3d.Texture2D(np.full((4, 4), 0.75, F4).view(np.uint32), "R32_TYPELESS")
    view = softd3d.DepthStencilView(depth, "D32_FLOAT", read_only_depth=True)
    pixel = reading_pixel(
        "ld_indexable(texture2d)(float,float,float,float) o0.xyzw, l(0,0,0,0), t0.xyzw\n",
        "dcl_resource_texture2d (float,float,float,float) t0\n",
    )
    image = target()
    given = {
        "vs": full_screen(), "ps": pixel, "srvs": {0: depth.view(format="R32_FLOAT")},
        "render_targets": [image], "engine": scene.ENGINE,
    }  # fmt: skip
    assert softd3d.draw(3, **given, depth_stencil_view=view).samples_passed == 16
    assert (image[..., 0] == 0.75).all()
    assert (depth.array.view(F4) == 0.75).all()
    with pytest.raises(ResourceError, match="depth-stencil view: shares memory with pixel shader"):
        softd3d.Draw(**given, depth_stencil_view=softd3d.DepthStencilView(depth, "D32_FLOAT"))


def test_other_levels_of_a_target_may_be_read():
    levels = softd3d.Texture2D([np.ones((4, 4), F4), np.zeros((2, 2), F4)], "R32_FLOAT")
    pixel = reading_pixel(
        "ld_indexable(texture2d)(float,float,float,float) o0.xyzw, l(0,0,0,0), t0.xyzw\n",
        "dcl_resource_texture2d (float,float,float,float) t0\n",
    )
    softd3d.draw(
        3,
        vs=full_screen(),
        ps=pixel,
        srvs={0: levels.view(0, 1)},
        engine=scene.ENGINE,
        render_targets=[softd3d.RenderTargetView(levels, mip_slice=1)],
    )
    assert levels.mip(1).all()


def test_stencil_reference_and_blend_factor_are_arguments():
    image, depth = target(), np.zeros((4, 4), np.uint32)
    replace = softd3d.DepthStencilOpDesc("KEEP", "KEEP", "REPLACE")
    softd3d.draw(6, **arguments(
        render_targets=[image], depth_stencil_view=depth, stencil_ref=0x1FE,
        depth_stencil=softd3d.DepthStencilState(False, stencil_enable=True, front_face=replace),
        blend=softd3d.BlendState(render_target=softd3d.RenderTargetBlendDesc(
            True, src_blend="BLEND_FACTOR")),
        blend_factor=(0.5, 0.25, 1, 0),
    ))  # fmt: skip
    assert (depth >> 24 == 0xFE).all()
    assert (image == (0.5, 0.125, 0.25, 1)).all()


def test_messages_of_shaders_are_reported(engine):
    pixel = shader(
        ("SV_Position 0 xyzw 0 float",), ("SV_Target 0 xyzw 0 float",),
        'ps_5_0\ndcl_output o0.xyzw\nerrorf "hello"\nmov o0.xyzw, l(0,0,0,0)\nret\n',
    )  # fmt: skip
    outcome = softd3d.draw(3, vs=full_screen(), ps=pixel, render_targets=[target(2, 2, 4)],
                           engine=scene.ENGINE, max_messages=3)  # fmt: skip
    assert [m.text for m in outcome.messages] == ["hello"] * 3
    assert outcome.messages_dropped == 1


def test_cancel_and_budget_stop_a_draw(engine):
    event = threading.Event()
    event.set()
    job = softd3d.Draw(**arguments(cancel=lambda: False))
    job(6)
    with pytest.raises(ExecutionError):
        softd3d.draw(6, **arguments(cancel=event))
    if engine == "interpreter":  # the JIT counts loop iterations only
        with pytest.raises(ExecutionError, match="budget"):
            softd3d.draw(6, **arguments(budget=1))


def test_progress_is_told():
    seen: list[tuple[int, int]] = []
    softd3d.draw(6, **arguments(progress=lambda done, total: seen.append((done, total))))
    assert seen
    assert seen[-1][0] == seen[-1][1]


def test_the_history_of_a_pixel_tells_every_fragment():
    image, depth = target(), np.ones((4, 4), F4)
    vertices = np.concatenate([quad((1, 0, 0, 1), 0.5), quad((2, 0, 0, 1), 0.75),
                               quad((3, 0, 0, 1), 0.25)])  # fmt: skip
    job = softd3d.Draw(**arguments(
        render_targets=[image], vertex_buffers=[vertices], depth_stencil_view=depth
    ))  # fmt: skip
    with pytest.raises(ResourceError, match="pixel_history: found no call, wanted vertex_count"):
        softd3d.pixel_history(job, 0, 0)
    found = softd3d.pixel_history(job, 0, 0, vertex_count=18)
    assert [(f.primitive, f.fate, f.depth) for f in found] == [
        (0, "written", 0.5), (2, "depth test", 0.75), (4, "written", 0.25),
    ]  # fmt: skip
    assert [f.colors["o0"][0] for f in found] == [1, 2, 3]
    assert not image.any()
    job(6)
    assert [f.primitive for f in softd3d.pixel_history(job, 0, 0)] == [0]
    with pytest.raises(ResourceError, match="x: found 4, wanted 0 to 3"):
        job.pixel_history(4, 0)
    with pytest.raises(ResourceError, match="sample: found 1, wanted 0 to 0"):
        job.pixel_history(0, 0, sample=1)


def test_a_draw_cannot_be_copied():
    job = softd3d.Draw(**arguments())
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a Draw cannot be pickled or copied"):
            attempt(job)


def test_shaders_may_be_given_as_bytes_and_paths(tmp_path):
    path = tmp_path / "vs.dxbc"
    path.write_bytes(vertex_shader().data)
    image = target()
    softd3d.draw(6, **arguments(vs=path, ps=pixel_shader().data, render_targets=[image]))
    assert image.any()


def test_the_history_of_a_pixel_reports_progress_and_names_what_is_no_argument():
    seen: list[tuple[int, int]] = []
    job = softd3d.Draw(**arguments(progress=lambda done, total: seen.append((done, total))))
    assert len(softd3d.pixel_history(job, 0, 0, vertex_count=6)) == 1
    assert seen[-1] == (1, 1)
    with pytest.raises(TypeError, match="pixel_history: found argument 'timeout', wanted those of"):
        softd3d.pixel_history(job, 0, 0, timeout=1)  # type: ignore[call-arg]
