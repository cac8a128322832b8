"""What hull, domain and geometry shaders report, and how they are stopped, on both engines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from both import drawn_by_reference
from random_draws import bound
from stage_draws import HEAD, VERTEX, slot_of, stage_draw, with_buffers
from test_patches import ONE_POINT, domain, hull, same

from softd3d.errors import ExecutionError
from softd3d.interp.draw import engine as interpreter
from softd3d.interp.draw.engine import draw_interpreted
from softd3d.jit.draw.engine import compile_draw
from softd3d.lower.watch import Watch
from softd3d.pipeline.prepared import DrawCall, PreparedDraw
from softd3d.pipeline.primitives import geometry as geometry_stage
from softd3d.pipeline.primitives import patches as patch_stages
from softd3d.pipeline.state import PrimitiveTopology

POINTS = ONE_POINT.replace("mov r0.x,", 'printf "point %u", vOutputControlPointID\nmov r0.x,', 1)
FORKS = """hs_fork_phase
dcl_hs_fork_phase_instance_count 2
dcl_input vForkInstanceID
dcl_output o7.x
dcl_temps 1
printf "fork %u", vForkInstanceID.x
ret
"""
HULL = hull('printf "fork"\n' + same("l(1.0)"), points=POINTS + FORKS)
SAYS = 'printf "domain %u %f %f", vPrim, vDomain.x, vDomain.y\n'
DOMAIN = domain().replace("mov o0.xy,", f"{SAYS}mov o0.xy,", 1)
PASSED_ON = f"""gs_5_0
{HEAD}dcl_input_siv v[3][0].xyzw, position
dcl_input vPrim
dcl_input vGSInstanceID
dcl_gsinstances 2
dcl_temps 1
dcl_inputprimitive triangle
dcl_stream m0
dcl_outputtopology pointlist
dcl_output_siv o0.xyzw, position
dcl_maxout 1
printf "geometry %u %u", vPrim, vGSInstanceID.x
mov o0.xyzw, v[0][0].xyzw
emit_stream m0
ret
"""


def talking() -> PreparedDraw:
    draw = stage_draw(PrimitiveTopology.PATCHLIST_3, hull=HULL, domain=DOMAIN)
    return replace(draw, geometry=bound(PASSED_ON))


def test_messages_are_in_the_order_of_stages_primitives_and_phases() -> None:
    _, result = drawn_by_reference(talking(), DrawCall(6))
    hulls = [
        (text, (p, 0, n))
        for p in (0, 1)
        for text, n in (
            ("point 0", 0), ("point 1", 1), ("fork 0", 0), ("fork 1", 1), ("fork", 0)
        )
    ]  # fmt: skip
    domains = [
        (f"domain {p} {place}", (p, 0, n))
        for p in (0, 1)
        for n, place in enumerate(("0.000000 1.000000", "0.000000 0.000000", "1.000000 0.000000"))
    ]
    geometries = [(f"geometry {p} {n}", (p, 0, n)) for p in (0, 1) for n in (0, 1)]
    assert [(m.text, m.group) for m in result.messages] == hulls + domains + geometries
    assert {m.thread for m in result.messages} == {(0, 0, 0)}


@pytest.mark.parametrize("limit", [1000, 31, 7, 1, 0])
def test_engines_and_groups_say_the_same(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, call = talking(), DrawCall(12, 2)
    expected = draw_interpreted(draw, call, max_messages=limit)
    assert len(expected.messages) == min(limit, 2 * 4 * (5 + 3 + 2))
    for most in (1 << 24, 1):
        monkeypatch.setattr(patch_stages, "MOST_BYTES", most)
        monkeypatch.setattr(geometry_stage, "MOST_BYTES", most)
        monkeypatch.setattr(interpreter, "MOST_PRIMITIVES", 3 if most == 1 else 1 << 12)
        assert draw_interpreted(draw, call, max_messages=limit) == expected
        for lanes, chunk in ((4, 1), (16, 1 << 14)):
            compiled = compile_draw(draw, lanes=lanes, chunk=chunk)
            assert compiled.draw(call, threads=2, max_messages=limit) == expected


# Aborts


def _aborting(stage: str) -> tuple[PreparedDraw, tuple[int, int, int]]:
    """Return a draw whose shader of a stage aborts, and where it does first."""
    draw = talking()
    if stage == "vs":
        test = "ieq r0.x, v0.x, l(4)\nif_nz r0.x\nabort\nendif\n"
        text = VERTEX.replace("and r0.xy", f"{test}and r0.xy")
        return replace(draw, vertex=bound(text)), (4, 0, 0)
    if stage == "hs":
        text = HULL.replace('printf "fork"', "ieq r0.x, vPrim, l(2)\nif_nz r0.x\nabort\nendif")
        return replace(draw, hull=bound(text)), (2, 0, 0)
    if stage == "ds":
        test = "ieq r0.x, vPrim, l(1)\neq r0.y, vDomain.x, l(1.0)\nand r0.x, r0.x, r0.y\n"
        text = DOMAIN.replace("mov o0.xy,", f"{test}if_nz r0.x\nabort\nendif\nmov o0.xy,", 1)
        return replace(draw, domain=bound(text)), (1, 0, 2)
    test = "ieq r0.x, vPrim, l(1)\nand r0.x, r0.x, vGSInstanceID.x\n"
    text = PASSED_ON.replace("emit_stream", f"{test}if_nz r0.x\nabort\nendif\nemit_stream")
    return replace(draw, geometry=bound(text)), (1, 0, 1)


@pytest.mark.parametrize("stage", ["vs", "hs", "ds", "gs"])
def test_an_abort_ends_the_draw_behind_the_primitives_before_it(stage: str) -> None:
    draw, place = _aborting(stage)
    draw = with_buffers(draw, slot_of("o0.x"))
    memory, expected = drawn_by_reference(draw, DrawCall(12, 2))
    assert expected.aborted == place
    before = {"vs": 2, "hs": 4, "ds": 2, "gs": 3}[stage]  # points of the primitives before
    assert expected.so_statistics[0].num_primitives_written == before
    for lanes, chunk in ((4, 1 << 14), (8, 1), (16, 2)):
        compiled = compile_draw(draw, lanes=lanes, chunk=chunk)
        result = compiled.draw(DrawCall(12, 2), threads=2)
        if chunk > 24:  # stages before may have said more, if more went through them together
            assert result.messages == expected.messages
        assert result.aborted == expected.aborted
        assert result.so_statistics == expected.so_statistics
        assert draw.stream_output is not None
        buffer = draw.stream_output.buffers[0]
        assert (buffer.data == memory[-2]).all()
        buffer.data[:] = 7
        buffer.data.view("u4")[:] = 7
        buffer.filled[0] = 0


# Endless shaders

ENDLESS = "loop\niadd r0.w, r0.w, l(1)\nbreakc_z r0.w\nendloop\n"
LOOPS = {
    "control points": ("hull", HULL.replace("mov r0.x, vOutput", f"{ENDLESS}mov r0.x, vOutput")),
    "fork": ("hull", HULL.replace('printf "fork"\n', ENDLESS)),
    "ds": ("domain", DOMAIN.replace("mov o0.xy,", f"{ENDLESS}mov o0.xy,", 1)),
    "gs": ("geometry", PASSED_ON.replace("emit_stream m0", f"{ENDLESS}emit_stream m0")),
}


@pytest.mark.parametrize("where", LOOPS)
def test_endless_shaders_are_stopped(where: str) -> None:
    field, text = LOOPS[where]
    assert "loop\n" in text
    draw = replace(talking(), **{field: bound(text)})
    compiled = compile_draw(draw, lanes=8)
    for run in (draw_interpreted, lambda _, *args, **options: compiled.draw(*args, **options)):
        with pytest.raises(ExecutionError, match="budget") as raised:
            run(draw, DrawCall(6), budget=2000)
        assert raised.value.outcome is not None
        with pytest.raises(ExecutionError, match="time limit"):
            run(draw, DrawCall(6), watch=Watch(seconds=0.1))
        with pytest.raises(ExecutionError, match="cancelled"):
            run(draw, DrawCall(6), watch=Watch(lambda: True))


def test_a_budget_is_for_all_runs_together() -> None:
    count = "iadd r0.x, r0.x, l(1)\nige r0.y, r0.x, l(200000)\nbreakc_nz r0.y\n"
    text = PASSED_ON.replace("emit_stream", f"loop\n{count}endloop\nemit_stream")
    draw = replace(talking(), geometry=bound(text))
    compiled = compile_draw(draw, lanes=4)
    assert compiled.draw(DrawCall(6), budget=1_000_000).aborted is None
    with pytest.raises(ExecutionError, match="budget"):
        compiled.draw(DrawCall(6000), budget=1_000_000)


def test_progress_is_told_by_parts_of_the_input() -> None:
    seen: list[tuple[int, int]] = []
    told = lambda done, total: seen.append((done, total))  # noqa: E731
    draw_interpreted(talking(), DrawCall(6, 2), progress=told)
    assert seen == [(2, 2)]


def test_many_instances_of_a_phase_say_no_more_than_is_kept() -> None:
    """Each run of 128 may say seven; the first seven of all are those of the first patch."""
    forks = FORKS.replace("instance_count 2", "instance_count 128")
    text = hull(same("l(1.0)"), points=POINTS + forks)
    draw = replace(talking(), hull=bound(text))
    expected = draw_interpreted(draw, DrawCall(30), max_messages=7)
    wanted = ["point 0", "point 1", *(f"fork {n}" for n in range(5))]
    assert [m.text for m in expected.messages] == wanted
    assert {m.group[0] for m in expected.messages} == {0}
    assert expected.messages_dropped == 10 * (2 + 128 + 3 + 2) - 7
    assert compile_draw(draw, lanes=8).draw(DrawCall(30), max_messages=7) == expected


@pytest.mark.parametrize("stage", ["vs", "hs", "ds", "gs"])
def test_an_abort_of_the_first_invocation_leaves_nothing(stage: str) -> None:
    draw = with_buffers(talking(), slot_of("o0.x"))
    texts = {
        "vs": ("vertex", VERTEX.replace("and r0.xy", "abort\nand r0.xy")),
        "hs": ("hull", HULL.replace('printf "fork"', "abort")),
        "ds": ("domain", DOMAIN.replace("mov o0.xy,", "abort\nmov o0.xy,", 1)),
        "gs": ("geometry", PASSED_ON.replace("emit_stream", "abort\nemit_stream")),
    }
    field, text = texts[stage]
    draw = replace(draw, **{field: bound(text)})
    expected = draw_interpreted(draw, DrawCall(12, 2))
    assert expected.aborted == (0, 0, 0)
    assert expected.so_statistics[0].primitives_storage_needed == 0
    assert compile_draw(draw, lanes=8).draw(DrawCall(12, 2)) == expected
