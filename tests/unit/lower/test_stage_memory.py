"""What the arrays of hull, domain and geometry shaders look like, and hull shaders in phases."""

from __future__ import annotations

from pathlib import Path

import pytest

from softd3d.device.bind import bind
from softd3d.device.registers import RegisterKind, wanted_registers
from softd3d.errors import DecodeError
from softd3d.isa.sm4.enums import Domain, PrimitiveTopology
from softd3d.lower.bound import BoundProgram
from softd3d.lower.declarations import read_declarations
from softd3d.lower.hull import hull_phases
from softd3d.lower.primitive_stage import Phase
from softd3d.lower.stage_memory import StageArray, stage_arrays
from softd3d.shaders.shader import load_shader
from softd3d.tools.text.assembler import assemble_tokens

SHARED = Path(__file__).parents[4] / "shared"
HULL = """hs_5_0
hs_decls
dcl_input_control_point_count 4
dcl_output_control_point_count 3
dcl_tessellator_domain domain_tri
dcl_tessellator_partitioning partitioning_integer
dcl_tessellator_output_primitive output_triangle_cw
dcl_globalFlags refactoringAllowed
"""
POINTS = """hs_control_point_phase
dcl_input vOutputControlPointID
dcl_input v[4][1].xyz
dcl_output o2.x
dcl_temps 1
mov r0.x, vOutputControlPointID
mov o2.x, v[r0.x][1].x
ret
"""
FORK = """hs_fork_phase
dcl_hs_fork_phase_instance_count 2
dcl_input vForkInstanceID
dcl_input vicp[4][0].x
dcl_output o5.x
dcl_temps 3
mov o5.x, vicp[0][0].x
ret
"""
JOIN = "hs_join_phase\ndcl_input vpc5.x\ndcl_output o7.x\nmov o7.x, vpc5.x\nret\n"


def bound(text: str) -> BoundProgram:
    return bind(load_shader(assemble_tokens(text)))


def arrays(text: str) -> tuple[StageArray, ...]:
    return stage_arrays(bound(text).declarations)


def test_phases_share_their_arrays():
    phases = hull_phases(bound(HULL + POINTS + FORK + JOIN))
    assert [(p.kind, p.instances) for p in phases] == [
        (Phase.CONTROL_POINT, 1), (Phase.FORK, 2), (Phase.JOIN, 1),
    ]  # fmt: skip
    vertices = StageArray("vicp", 4, 2, 8), StageArray("vocp", 3, 3, 12)
    constants = StageArray("vpc", 0, 8, 32)
    assert [stage_arrays(p.bound.declarations) for p in phases] == [
        (StageArray("v", 4, 2, 8),), (*vertices, constants), (*vertices, constants),
    ]  # fmt: skip
    assert constants.shape, constants.size == ((32,), 32)
    assert vertices[1].shape, vertices[1].size == ((3, 12), 36)


def test_phases_have_the_declarations_of_the_whole_and_their_own():
    whole = bound(HULL + POINTS + FORK + JOIN)
    assert whole.declarations.primitives.phase is None
    assert stage_arrays(whole.declarations) == ()
    points, fork, join = (p.bound.declarations for p in hull_phases(whole))
    assert [r.name for r in points.outputs] == ["o2"]
    assert [r.name for r in join.inputs] == ["vpc5"]
    assert (points.temps, fork.temps, join.temps) == (1, 3, 0)
    assert all(d.primitives.domain is Domain.TRI for d in (points, fork, join))


def test_control_points_that_pass_through_have_one_layout():
    fork, _ = hull_phases(bound(HULL.replace("count 3", "count 4") + FORK + JOIN))
    found = stage_arrays(fork.bound.declarations)
    assert found[:2] == (StageArray("vicp", 4, 1, 4), StageArray("vocp", 4, 1, 4))


def test_subroutines_belong_to_all_phases():
    called = FORK.replace("mov o5.x, vicp[0][0].x\n", "call label1\n")
    called += "label label1\nmov r0.x, r1.x\nret\n"
    for phase in hull_phases(bound(HULL + called + JOIN)):
        names = [i.mnemonic for i in phase.bound.program.instructions]
        assert names.count("label") == 1
        assert names.index("label") > names.index("ret")


GEOMETRY = """gs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v[2][3].xy
dcl_input vPrim
dcl_inputprimitive line
dcl_stream m0
dcl_outputtopology pointlist
dcl_output o0.xyzw
dcl_stream m2
dcl_outputtopology pointlist
dcl_output o0.x
dcl_output o1.x
dcl_maxout 5
ret
"""


def test_a_geometry_shader_has_vertices_and_emits_some():
    d = bound(GEOMETRY).declarations
    assert stage_arrays(d) == (StageArray("v", 2, 4, 16), StageArray("emitted", 5, 2, 9))
    streams = d.primitives.streams
    assert list(streams) == [0, 2]
    assert streams[2].topology is PrimitiveTopology.POINTLIST
    assert [r.name for r in streams[2].outputs] == ["o0", "o1"]


@pytest.mark.parametrize(
    "text",
    [
        GEOMETRY.replace("maxout 5", "maxout 1025"),
        GEOMETRY.replace("dcl_maxout 5", "dcl_gsinstances 33"),
        GEOMETRY.replace("m2", "m4"),
        GEOMETRY.replace("dcl_maxout 5", "dcl_indexrange o0.x 33"),
    ],
)
def test_what_exceeds_a_limit_is_refused(text: str):
    with pytest.raises(DecodeError, match="at most"):
        bound(text)


def test_a_domain_shader_reads_control_points_and_patch_constants():
    text = """ds_5_0
dcl_input_control_point_count 3
dcl_tessellator_domain domain_tri
dcl_globalFlags refactoringAllowed
dcl_input_siv vpc4.x, finalTriInsideTessFactor
dcl_input vDomain.xyz
dcl_input vicp[3][1].xyw
dcl_output o0.x
mov o0.x, vpc4.x
ret
"""
    assert arrays(text) == (StageArray("vicp", 3, 2, 8), StageArray("vpc", 0, 5, 20))


@pytest.mark.corpus
def test_all_sample_hull_shaders_have_phases():
    files = sorted((SHARED / "samples").glob("*/*.hs_*.dxbc"))
    assert len(files) > 20
    for file in files:
        shader = load_shader(file)
        declared = read_declarations(shader.program)
        nothing = {kind: {} for kind in RegisterKind}
        wanted = wanted_registers(shader.program, declared, shader.reflection, nothing)
        unbound = {
            kind.argument: {(r.number, r.space): None for r in wanted[kind]}
            for kind in RegisterKind
        }
        phases = hull_phases(bind(shader, **unbound))
        assert phases[-1].kind is not Phase.CONTROL_POINT
        for phase in phases:
            assert phase.bound.declarations.primitives.phase is phase.kind
            stage_arrays(phase.bound.declarations)
