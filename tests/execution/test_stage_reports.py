"""Hull, domain and geometry shaders: effects, messages, loops without end, memory that is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from stage_runs import CONFIGURATIONS, arrays_of, bound, run, settings

import softd3d
from softd3d.errors import DecodeError, ExecutionError, LoweringError, ResourceError
from softd3d.interp import interpret_lanes
from softd3d.interp.draw.stage import Stage
from softd3d.interp.engine import Counter
from softd3d.jit.draw.between.stages import StageKernel
from softd3d.jit.engine import compile_kernel
from softd3d.jit.running.kernel import Budget
from softd3d.lower.bound import BoundProgram
from softd3d.lower.hull import hull_phases
from softd3d.lower.stage_memory import STARTS_STRIP
from softd3d.lower.watch import Watch
from softd3d.pipeline.primitives.reports import StageReport

Words = NDArray[np.uint32]
HEAD = "dcl_globalFlags refactoringAllowed\n"
COUNT = 37
LANE = np.arange(COUNT, dtype=np.uint32)


def geometry(body: str, declarations: str = "", most: int = 3) -> str:
    return (
        f"gs_5_0\n{HEAD}{declarations}dcl_input v[1][0].x\ndcl_input vPrim\ndcl_temps 2\n"
        "dcl_inputprimitive point\ndcl_stream m0\ndcl_outputtopology linestrip\n"
        f"dcl_output o0.x\ndcl_maxout {most}\n{body}"
    )


def inputs() -> dict[str, Words]:
    return {"primitive": LANE, "lane": LANE, "vPrim.x": LANE}


def memory(program: BoundProgram) -> list[Words]:
    return [np.zeros((COUNT, *a.shape), np.uint32) for a in arrays_of(program).values()]


def test_effects_are_in_the_order_of_lanes():
    """Lane n is the n-th that adds to a counter, with any number of threads."""
    text = geometry(
        "imm_atomic_iadd r0.x, u0, l(0), l(1)\nmov o0.x, r0.x\nemit_stream m0\nret\n",
        "dcl_uav_raw u0\n",
    )
    for configuration in CONFIGURATIONS:
        counter = np.array([5, 0, 0, 0], np.uint32)
        program = bound(text, uavs={0: softd3d.RawBuffer(counter)})
        ran = run(configuration, "gs", program, COUNT, inputs(), memory(program))
        assert counter[0] == 5 + COUNT
        assert (ran.memory[1][:, 0, 1] == LANE + 5).all()


def test_messages_and_aborts_name_the_places_of_lanes():
    body = """ult r0.x, vPrim, l(20)
if_z r0.x
  errorf "lane %u", vPrim
  abort
endif
ieq r0.x, vPrim, l(9)
if_nz r0.x
  printf "nine"
endif
emit_stream m0
ret
"""
    program = bound(geometry(body))
    ran = settings("gs", program, COUNT, inputs(), memory(program))
    said = [(m.text, m.group[0]) for m in ran.messages]
    assert said == [("nine", 9), ("lane 20", 20), ("shader abort", 20)]
    assert ran.aborted == (20, 0, 0)
    assert (ran.outputs["emitted"][:20] == 1).all()


def test_subroutines_and_switches_emit():
    """Each lane emits in a subroutine that loops and cases call, and leaves early."""
    body = """mov o0.x, vPrim
and r0.x, vPrim, l(3)
switch r0.x
case l(0)
  call label0
  break
case l(1)
  ret
case l(2)
  call label0
default
  call label0
  cut_stream m0
  call label0
  break
endswitch
ret
label label0
mov r0.y, l(0)
loop
  uge r0.z, r0.y, r0.x
  retc_nz r0.z
  emit_stream m0
  iadd o0.x, vPrim, l(100)
  iadd r0.y, r0.y, l(1)
endloop
ret
"""
    program = bound(geometry(body, most=8))
    ran = settings("gs", program, COUNT, inputs(), memory(program))
    counts = np.array([0, 0, 6, 6], np.uint32)
    assert (ran.outputs["emitted"] == counts[LANE & 3]).all()
    headers = ran.memory[1][:, :, 0]
    assert (headers[2, :6] == [STARTS_STRIP, 0, 0, 0, STARTS_STRIP, 0]).all()
    assert (headers[3, :6] == [STARTS_STRIP, 0, 0, STARTS_STRIP, 0, 0]).all()
    assert (ran.memory[1][3, :6, 1] == [3, *[103] * 5]).all()


ENDLESS = geometry("loop\nemit_stream m0\nendloop\nret\n")


def test_loops_without_end_stop():
    program = bound(ENDLESS)
    report = StageReport("gs", program, 1)
    given, places = inputs(), (LANE, LANE, LANE)
    stage = Stage(program, report, Counter(1000, Watch()), Watch())
    with pytest.raises(ExecutionError, match="budget of 1000 instructions"):
        stage.run_with_memory(COUNT, given, memory(program), places)
    kernel, budget = StageKernel(program, 8), Budget(1000, 1000)
    with pytest.raises(ExecutionError, match="budget: 1000 iterations"):
        kernel.run(report, COUNT, given, memory(program), places, budget=budget)
    assert budget.left == 0


@pytest.mark.parametrize("configuration", CONFIGURATIONS[:2])
def test_memory_that_does_not_fit_is_refused(configuration: object):
    program = bound(geometry("emit_stream m0\nret\n"))
    right = memory(program)
    for wrong, text in (
        (right[:1], "found 1 arrays of stage memory, wanted v, emitted"),
        ([right[0][:-1], right[1]], "v: found 144 words, wanted 4 for each of 37"),
        ([right[0], right[1][1:]], "emitted: found 540 words, wanted 15 for each of 37"),
        ([right[0][:, :, ::2], right[1]], "v: found"),
    ):
        with pytest.raises(ResourceError, match=text):
            run(configuration, "gs", program, COUNT, inputs(), wrong)


HULL = f"""hs_5_0
hs_decls
dcl_input_control_point_count 1
dcl_output_control_point_count 1
{HEAD}hs_fork_phase
dcl_input vicp[1][0].x
dcl_output o0.x
mov o0.x, vicp[0][0].x
ret
"""


def test_stages_by_themselves_are_refused():
    """A hull shader as a whole runs nowhere; others, and its phases, run with memory only."""
    hull = bound(HULL)
    phase = hull_phases(hull)[0].bound
    for program in (hull, hull.with_stage_memory(), phase, bound(ENDLESS)):
        for engine in (lambda p: interpret_lanes(p, 1, {}), compile_kernel):
            with pytest.raises(LoweringError, match="5_0: such shaders can be run in draws only"):
                engine(program)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (geometry("emit_stream m1\nret\n"), "m1 is not declared"),
        (geometry("cut_stream m1\nret\n"), "m1 is not declared"),
        (geometry("mov o0.x, v0.x\nret\n"), "v0 is not declared"),
        (geometry("mov o0.x, vpc0.x\nret\n"), "vpc0 is not declared"),
        (geometry("mov o1.x, l(0)\nret\n"), "o1.x is not declared"),
        (geometry("mov r0.x, l(0)\nmov o[r0.x + 0].x, l(0)\nret\n"), "no dcl_indexrange has it"),
    ],
)
def test_what_is_not_declared_is_refused(text: str, message: str):
    program = bound(text)
    for configuration in CONFIGURATIONS:
        with pytest.raises(DecodeError, match=message):
            run(configuration, "gs", program, COUNT, inputs(), memory(program))


def test_vertices_of_other_stages_are_refused():
    program = bound(
        f"vs_5_0\n{HEAD}dcl_input v[2][0].x\ndcl_output o0.x\nmov o0.x, v[0][0].x\nret\n"
    )
    for engine in (lambda p: interpret_lanes(p, 1, {}), compile_kernel):
        with pytest.raises(DecodeError, match="INPUT of other invocations is read"):
            engine(program)
