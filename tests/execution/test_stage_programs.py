"""Hull, domain and geometry shaders, and computed registers: values worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from stage_runs import CONFIGURATIONS, arrays_of, bound, run, settings

from softd3d.errors import DecodeError
from softd3d.interp import interpret_lanes
from softd3d.jit.engine import compile_kernel
from softd3d.lower.hull import hull_phases
from softd3d.lower.stage_memory import STARTS_STRIP

Words = NDArray[np.uint32]
HEAD = "dcl_globalFlags refactoringAllowed\n"
COUNT = 37
PRIMITIVE = np.arange(COUNT, dtype=np.uint32)


def numbered(shape: tuple[int, ...]) -> Words:
    """Return an array whose words are 1000, 1001 and so on."""
    return np.arange(1000, 1000 + int(np.prod(shape)), dtype=np.uint32).reshape(shape)


def geometry(
    body: str, streams: str, most: int, rows: str = "dcl_input v[3][0].xyzw\n"
) -> tuple[dict[str, Words], Words, Words]:
    """Run a geometry shader; return its outputs, what it was given and what it emitted."""
    program = bound(
        f"gs_5_0\n{HEAD}{rows}dcl_input vPrim\ndcl_input vGSInstanceID\ndcl_temps 3\n"
        f"dcl_inputprimitive triangle\n{streams}dcl_maxout {most}\n{body}ret\n"
    )
    arrays = arrays_of(program)
    given = numbered((COUNT, *arrays["v"].shape))
    emitted = np.full((COUNT, *arrays["emitted"].shape), 7, np.uint32)
    inputs = {
        "primitive": PRIMITIVE, "lane": PRIMITIVE[::-1].copy(), "vPrim.x": PRIMITIVE + 5,
        "vGSInstanceID.x": PRIMITIVE % 3,
    }  # fmt: skip
    ran = settings("gs", program, COUNT, inputs, [given, emitted])
    assert (ran.memory[0] == given).all()
    return ran.outputs, given, ran.memory[1][::-1]


ONE = "dcl_stream m0\ndcl_outputtopology trianglestrip\ndcl_output o0.xyzw\n"


def test_vertices_are_emitted_with_the_registers_of_their_stream():
    streams = (
        f"{ONE}dcl_output o2.yz\ndcl_stream m3\ndcl_outputtopology pointlist\ndcl_output o2.x\n"
    )
    body = """mov o0.xyzw, v[2][0].wzyx
mov o2.xyz, l(1, 2, 3, 4)
emit_stream m0
emit_stream m3
"""
    outputs, given, emitted = geometry(body, streams, 5)
    assert list(outputs) == ["emitted"]
    assert (outputs["emitted"] == 2).all()
    first, second = emitted[:, 0], emitted[:, 1]
    assert (first[:, 0] == STARTS_STRIP).all()
    assert (first[:, 1:5] == given[:, 2, 3::-1]).all()
    assert (first[:, 9:13] == [7, 2, 3, 7]).all()  # o2.yz of stream 0
    assert (first[:, 5:9] == 7).all()
    assert (second == [STARTS_STRIP | 3, *[7] * 8, 1, 7, 7, 7]).all()
    assert (emitted[:, 2:] == 7).all()


def test_cuts_begin_strips_and_the_most_vertices_end_them():
    """Lane n emits n % 5 vertices after a first one, with a cut before each second one."""
    body = """udiv null, r0.x, vPrim, l(5)
mov o0.xyzw, vPrim.xxxx
emit_then_cut_stream m0
mov r0.y, l(0)
loop
  uge r0.z, r0.y, r0.x
  breakc_nz r0.z
  mov o0.y, r0.y
  emit_stream m0
  and r0.w, r0.y, l(1)
  if_nz r0.w
    cut_stream m0
  endif
  iadd r0.y, r0.y, l(1)
endloop
"""
    outputs, _, emitted = geometry(body, ONE, 4)
    for lane in range(COUNT):
        number = lane + 5
        wanted = [(STARTS_STRIP, number), (STARTS_STRIP, 0), (0, 1), (STARTS_STRIP, 2), (0, 3)]
        count = min(1 + number % 5, 4)
        assert outputs["emitted"][lane] == count
        found = [(int(v[0]), int(v[2])) for v in emitted[lane, :count]]
        assert found == wanted[:count]
        assert (emitted[lane, :count, 1] == number).all()
        assert (emitted[lane, count:] == 7).all()


def test_shader_model_4_emits_stream_0():
    program = bound(
        f"gs_4_0\n{HEAD}dcl_input v[1][0].x\ndcl_inputprimitive point\n"
        "dcl_outputtopology linestrip\ndcl_output o1.x\ndcl_maxout 2\n"
        "mov o1.x, v[0][0].x\nemit\ncut\nemit_then_cut\nret\n"
    )
    given = numbered((COUNT, 1, 4))
    inputs = {"primitive": PRIMITIVE, "lane": PRIMITIVE}
    ran = settings("gs", program, COUNT, inputs, [given, np.zeros((COUNT, 2, 9), np.uint32)])
    assert (ran.memory[1][:, :, 0] == STARTS_STRIP).all()
    assert (ran.memory[1][:, :, 5] == given[:, 0, :1]).all()


def test_computed_vertices_and_registers_beyond_the_array_are_0():
    rows = "dcl_input v[3][0].xyzw\ndcl_input v[3][1].xy\ndcl_indexrange v[3][0].xy 2\n"
    body = """iadd r0.x, vPrim, l(-7)
iadd r0.y, vGSInstanceID, l(0)
mov o0.x, v[r0.x + 0][1].y
mov o0.y, v[r0.y + 1][0].z
mov o0.z, v[1][r0.x + 0].x
mov o0.w, v[9][0].x
emit_stream m0
"""
    _, given, emitted = geometry(body, ONE, 1, rows)
    for lane in range(COUNT):
        vertex, instance = (lane + 5 - 7) % (1 << 32), lane % 3
        wanted = [
            given[lane, vertex, 4 + 1] if vertex < 3 else 0,
            given[lane, instance + 1, 2] if instance < 2 else 0,
            given[lane, 1, 4 * vertex] if vertex < 2 else 0,
            0,
        ]
        assert emitted[lane, 0, 1:].tolist() == wanted


HULL = f"""hs_5_0
hs_decls
dcl_input_control_point_count 4
dcl_output_control_point_count 3
dcl_tessellator_domain domain_tri
dcl_tessellator_partitioning partitioning_integer
dcl_tessellator_output_primitive output_triangle_cw
{HEAD}hs_control_point_phase
dcl_input vOutputControlPointID
dcl_input vPrim
dcl_input v[4][0].xy
dcl_output o0.xy
dcl_output o1.x
dcl_temps 1
mov r0.x, vOutputControlPointID
mov o0.x, v[r0.x + 1][0].y
mov o0.y, vPrim
mov o1.x, vOutputControlPointID
ret
hs_fork_phase
dcl_hs_fork_phase_instance_count 4
dcl_input vForkInstanceID
dcl_input vicp[4][0].xy
dcl_input vocp[3][1].x
dcl_output o2.x
dcl_output o3.x
dcl_output o4.x
dcl_output o5.y
dcl_temps 1
dcl_indexrange o2.x 3
mov r0.x, vForkInstanceID.x
iadd r0.y, vicp[r0.x + 0][0].x, vocp[r0.x + 0][1].x
mov o[r0.x + 2].x, r0.y
mov o5.y, vForkInstanceID.x
ret
hs_join_phase
dcl_hs_join_phase_instance_count 2
dcl_input vJoinInstanceID
dcl_input vpc2.x
dcl_input vpc3.x
dcl_input vpc4.x
dcl_output o6.x
dcl_output o7.x
dcl_temps 1
dcl_indexrange vpc2.x 3
dcl_indexrange o6.x 2
mov r0.x, vJoinInstanceID.x
iadd r0.y, vpc[r0.x + 2].x, vpc[r0.x + 3].x
mov o[r0.x + 6].x, r0.y
ret
"""


def test_control_points_read_all_vertices_of_their_patch():
    points, *_ = hull_phases(bound(HULL))
    given = numbered((COUNT, 4, 4))
    patch = np.repeat(PRIMITIVE, 3)
    number = np.tile(np.arange(3, dtype=np.uint32), COUNT)
    inputs = {"primitive": patch, "vOutputControlPointID.x": number, "vPrim.x": patch + 9}
    outputs = settings("hs", points.bound, patch.size, inputs, [given]).outputs
    assert sorted(outputs) == ["o0.x", "o0.y", "o1.x"]
    assert (outputs["o0.x"] == given[patch, number + 1, 1]).all()
    assert (outputs["o0.y"] == patch + 9).all()
    assert (outputs["o1.x"] == number).all()


def test_forks_write_what_joins_read():
    """The fourth instance of the fork is beyond the range of o#, and writes o5 alone."""
    _, fork, join = hull_phases(bound(HULL))
    points, outgoing = numbered((COUNT, 4, 4)), numbered((COUNT, 3, 8)) * 3
    constants = np.full((COUNT, 32), 5, np.uint32)
    instances = [("vForkInstanceID.x", n, fork) for n in range(4)]
    instances += [("vJoinInstanceID.x", n, join) for n in range(2)]
    for name, instance, phase in instances:
        inputs = {"primitive": PRIMITIVE, name: np.full(COUNT, instance, np.uint32)}
        ran = settings("hs", phase.bound, COUNT, inputs, [points, outgoing, constants])
        assert ran.outputs == {}
        assert (ran.memory[0] == points).all()
        assert (ran.memory[1] == outgoing).all()
        constants = ran.memory[2]
    wanted = np.full((COUNT, 8, 4), 5, np.uint32)
    for n in range(3):
        wanted[:, 2 + n, 0] = points[:, n, 0] + outgoing[:, n, 4]
    wanted[:, 5, 1] = 3
    for n in range(2):
        wanted[:, 6 + n, 0] = wanted[:, 2 + n, 0] + wanted[:, 3 + n, 0]
    assert (constants.reshape(COUNT, 8, 4) == wanted).all()


def test_domain_points_read_their_patch():
    program = bound(
        f"""ds_5_0
dcl_input_control_point_count 2
dcl_tessellator_domain domain_tri
{HEAD}dcl_input_siv vpc0.x, finalTriUeq0EdgeTessFactor
dcl_input vpc1.xy
dcl_input vDomain.xyz
dcl_input vPrim
dcl_input vicp[2][1].xyw
dcl_output o0.xyzw
dcl_output o1.xyz
dcl_temps 1
dcl_indexrange vpc0.x 2
and r0.x, vDomain.x, l(1)
mov o0.x, vicp[r0.x + 0][1].w
mov o0.y, vpc[r0.x + 0].x
mov o0.z, vpc1.y
mov o0.w, vPrim
mov o1.xyz, vDomain.zyxx
ret
"""
    )
    points, constants = numbered((5, 2, 8)), numbered((5, 8)) * 7
    patch = PRIMITIVE % 5
    domain = {f"vDomain.{c}": PRIMITIVE + 3 * n for n, c in enumerate("xyz")}
    inputs = {"primitive": patch, "vPrim.x": patch + 2, **domain}
    outputs = settings("ds", program, COUNT, inputs, [points, constants]).outputs
    chosen = PRIMITIVE & 1
    assert (outputs["o0.x"] == points[patch, chosen, 7]).all()
    assert (outputs["o0.y"] == constants[patch, 4 * chosen]).all()
    assert (outputs["o0.z"] == constants[patch, 5]).all()
    assert (outputs["o0.w"] == patch + 2).all()
    assert (outputs["o1.x"] == domain["vDomain.z"]).all()


def test_array_registers_that_nobody_declares_are_refused():
    program = bound(HULL.replace("v[r0.x + 1][0].y", "v[r0.x + 1][3].y"))
    inputs = {"primitive": PRIMITIVE, "vOutputControlPointID.x": PRIMITIVE}
    phase = hull_phases(program)[0].bound
    for configuration in CONFIGURATIONS:
        with pytest.raises(DecodeError, match=r"v\[\]\[3\] is not declared"):
            run(configuration, "hs", phase, COUNT, inputs, [numbered((COUNT, 4, 4))])


VERTEX = f"""vs_5_0
{HEAD}dcl_input v0.x
dcl_input v1.xyz
dcl_input v2.xyzw
dcl_input v3.xy
dcl_output o0.xyzw
dcl_output o1.xy
dcl_output o2.xy
dcl_output o3.xy
dcl_temps 1
dcl_indexrange v1.xyzw 3
dcl_indexrange o1.xy 3
mov r0.x, v0.x
mov o1.xy, l(1, 1, 1, 1)
mov o2.xy, l(2, 2, 2, 2)
mov o3.xy, l(3, 3, 3, 3)
mov o0.xyzw, v[r0.x + 1].xyzw
mov o[r0.x + 1].y, v2.x
loop
  uge r0.y, r0.x, l(2)
  breakc_nz r0.y
  iadd r0.x, r0.x, l(1)
  mov o[r0.x + 1].x, r0.x
endloop
ret
"""


def test_computed_inputs_and_outputs_of_the_invocation_itself():
    """Numbers beyond the range read 0 and write nothing; so do components that are not declared."""
    program = bound(VERTEX)
    inputs = {"v0.x": PRIMITIVE % 5 - 1}  # -1 as well
    for register, components in ((1, "xyz"), (2, "xyzw"), (3, "xy")):
        for n, c in enumerate(components):
            inputs[f"v{register}.{c}"] = PRIMITIVE * 100 + register * 10 + n
    wanted, outputs = interpret_lanes(program, COUNT, inputs)
    for lanes, threads in ((4, 1), (8, 2), (16, 1)):
        kernel = compile_kernel(program, lanes=lanes)
        outcome, found = kernel.run_lanes(program, COUNT, inputs, threads=threads)
        assert outcome == wanted
        assert all((outputs[name] == found[name]).all() for name in outputs)
    for lane in range(COUNT):
        number = (int(inputs["v0.x"][lane]) + 1) % (1 << 32)
        for c in "xyzw":
            given = inputs.get(f"v{number}.{c}")
            wants = int(given[lane]) if given is not None and number in (1, 2, 3) else 0
            assert outputs[f"o0.{c}"][lane] == wants
        y = [int(outputs[f"o{n}.y"][lane]) for n in (1, 2, 3)]
        assert y == [inputs["v2.x"][lane] if number == n else n for n in (1, 2, 3)]
        x = [int(outputs[f"o{n}.x"][lane]) for n in (1, 2, 3)]
        started = number - 1 if number else 2  # the loop is not entered from 0xFFFFFFFF on
        assert x == [1, *(n - 1 if started < n - 1 else n for n in (2, 3))]


def test_computed_numbers_without_a_range_are_refused():
    for range_ in ("dcl_indexrange v1.xyzw 3\n", "dcl_indexrange o1.xy 3\n"):
        program = bound(VERTEX.replace(range_, ""))
        inputs = {f"v{n}.{c}": PRIMITIVE for n in range(4) for c in "xyzw"}
        for engine in (lambda p, i=inputs: interpret_lanes(p, COUNT, i), compile_kernel):
            with pytest.raises(DecodeError, match=r"# is computed, and no dcl_indexrange has it"):
                engine(program)
