"""Stage memory between protected pages, indexed by numbers that mean harm; print what differs.

It may die: run it apart. Vertices and registers are computed from words at the edges of everything:
of the arrays, of what times 16 still fits 32 bits, of signed numbers.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from guarded_memory import Guarded, guarded
from numpy.typing import NDArray
from stage_runs import CONFIGURATIONS, Ran, bound, run, same

from softd3d.lower.bound import BoundProgram
from softd3d.lower.hull import hull_phases
from softd3d.lower.stage_memory import stage_arrays

Words = NDArray[np.uint32]
EDGES = [
    0, 1, 2, 3, 4, 5, 7, 8, 31, 32, 0x0FFFFFFF, 0x10000000, 0x10000001, 0x04000000, 0x7FFFFFFF,
    0x80000000, 0xFFFFFFFE, 0xFFFFFFFF,
]  # fmt: skip
PAIRS = np.array(list(product(EDGES, EDGES)), np.uint32)
COUNT = len(PAIRS)
HEAD = "dcl_globalFlags refactoringAllowed\n"
HULL = (
    f"hs_5_0\nhs_decls\ndcl_input_control_point_count 3\ndcl_output_control_point_count 2\n{HEAD}"
)
POINTS = """hs_control_point_phase
dcl_input vOutputControlPointID
dcl_input vPrim
dcl_input v[3][0].xyzw
dcl_input v[3][1].xyzw
dcl_output o0.xyzw
dcl_output o1.xyzw
dcl_output o2.xyzw
dcl_temps 2
dcl_indexrange v[3][0].xyzw 2
dcl_indexrange o0.xyzw 3
mov r0.x, vOutputControlPointID
mov r0.y, vPrim
mov o[r0.x + 2].xyzw, v[r0.x + 1][r0.y + 1].xyzw
mov o[r0.y + 0].xyzw, v[r0.y + 2][r0.x + 0].xyzw
ret
"""
CONSTANTS = """hs_PHASE_phase
dcl_input vOutputControlPointID
dcl_input vPrim
dcl_input vicp[3][1].xyzw
dcl_input vocp[2][2].xyzw
dcl_input vpc0.xyzw
dcl_input vpc5.xyzw
dcl_output o3.xyzw
dcl_output o4.xyzw
dcl_output o5.xyzw
dcl_temps 3
dcl_indexrange vpc0.xyzw 5
dcl_indexrange o3.xyzw 3
mov r0.x, vOutputControlPointID
mov r0.y, vPrim
add r1.xyzw, vicp[r0.x + 0][r0.y + 0].xyzw, vocp[r0.y + 1][r0.x + 0].xyzw
mov r2.xyzw, vpc[r0.y + 4].wzyx
mov o[r0.x + 3].xyzw, r1.xyzw
mov o[r0.y + 5].xyz, r2.xyzw
ret
"""
DOMAIN = f"""ds_5_0
dcl_input_control_point_count 3
dcl_tessellator_domain domain_quad
{HEAD}dcl_input vpc3.xyzw
dcl_input vDomain.xy
dcl_input vicp[3][1].xyzw
dcl_output o0.xyzw
dcl_output o1.xyzw
dcl_temps 1
dcl_indexrange vpc0.xyzw 4
mov r0.xy, vDomain.xyxx
mov o0.xyzw, vicp[r0.x + 1][r0.y + 0].xyzw
mov o1.xyzw, vpc[r0.x + 1].xyzw
ret
"""
GEOMETRY = f"""gs_5_0
{HEAD}dcl_input v[3][2].xyzw
dcl_input vPrim
dcl_input vGSInstanceID
dcl_temps 2
dcl_inputprimitive triangle
dcl_stream m0
dcl_outputtopology pointlist
dcl_output o0.xyzw
dcl_output o1.xyzw
dcl_stream m1
dcl_outputtopology pointlist
dcl_output o3.w
dcl_indexrange o0.xyzw 2
dcl_maxout 3
mov r0.x, vPrim
mov r0.y, vGSInstanceID
mov o[r0.x + 1].xyzw, v[r0.x + 2][r0.y + 0].xyzw
mov o3.w, r0.x
emit_stream m0
mov r0.z, l(0)
loop
  ult r0.w, r0.z, r0.x
  breakc_z r0.w
  ilt r0.w, l(8), r0.z
  breakc_nz r0.w
  emit_then_cut_stream m1
  iadd r0.z, r0.z, l(1)
endloop
mov o[r0.y + 0].xyzw, v[1][r0.x + 1].xyzw
emit_stream m0
ret
"""


def programs() -> list[tuple[str, BoundProgram]]:
    text = HULL + POINTS + CONSTANTS.replace("PHASE", "fork") + CONSTANTS.replace("PHASE", "join")
    phases = [("hs", phase.bound) for phase in hull_phases(bound(text))]
    return [*phases, ("ds", bound(DOMAIN)), ("gs", bound(GEOMETRY))]


def inputs() -> dict[str, Words]:
    lane = np.arange(COUNT, dtype=np.uint32)
    x, y = (np.ascontiguousarray(PAIRS[:, n]) for n in range(2))
    found = {"primitive": lane, "lane": lane, "vPrim.x": y, "vDomain.y": y}
    return found | dict.fromkeys(("vOutputControlPointID.x", "vDomain.x", "vGSInstanceID.x"), x)


def within(words: Words, *, at_end: bool) -> Guarded:
    """Return a copy of an array between protected pages."""
    memory = guarded(words.nbytes, at_end=at_end)
    memory.array[...] = words.reshape(-1).view(np.uint8)
    return memory


def ran(
    configuration: object, stage: str, program: BoundProgram, memory: list[Words], *, at_end: bool
) -> Ran:
    kept = [within(array, at_end=at_end) for array in memory]
    views = [g.array.view(np.uint32) for g in kept]
    found = run(configuration, stage, program, COUNT, inputs(), views, copies=False)
    if not all(g.is_intact for g in kept):
        print("touched:", stage, configuration)
    return found


def main() -> None:
    random = np.random.default_rng(3)
    for stage, program in programs():
        layouts = stage_arrays(program.declarations)
        memory = [random.integers(0, 1 << 30, (COUNT, *a.shape), np.uint32) for a in layouts]
        wanted = run(CONFIGURATIONS[0], stage, program, COUNT, inputs(), memory)
        for configuration, at_end in product(CONFIGURATIONS, (False, True)):
            found = ran(configuration, stage, program, memory, at_end=at_end)
            pairs = [(wanted.outputs[n], a) for n, a in found.outputs.items()]
            pairs += [(a.reshape(-1), b) for a, b in zip(wanted.memory, found.memory, strict=True)]
            if not all(same(a, b) for a, b in pairs):
                print("differs:", stage, configuration)
    print("done")


if __name__ == "__main__":
    main()
