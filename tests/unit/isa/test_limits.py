"""Limits are those of the specification, and stand in the modules named limits only."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import softd3d
from softd3d.isa import limits as device
from softd3d.isa.sm1 import limits as sm1
from softd3d.isa.sm1.enums import ProgramType as Sm1Type
from softd3d.isa.sm1.tokens import SOFTWARE
from softd3d.isa.sm4 import limits as sm4
from softd3d.isa.sm4.enums import OperandType, ProgramType

PACKAGE = Path(softd3d.__file__).parent

# D3D11.3 section 26, but for the prefix D3D11_
CONSTANTS: dict[str, tuple[float, float]] = {
    "1_UAV_SLOT_COUNT": (64, device.MAX_UAV_SLOTS),
    "CLIP_OR_CULL_DISTANCE_COUNT": (8, sm4.MAX_CLIP_AND_CULL_DISTANCES),
    "CLIP_OR_CULL_DISTANCE_ELEMENT_COUNT": (2, sm4.MAX_CLIP_AND_CULL_REGISTERS),
    "COMMONSHADER_CONSTANT_BUFFER_API_SLOT_COUNT": (14, device.MAX_CONSTANT_BUFFER_SLOTS),
    "COMMONSHADER_FLOWCONTROL_NESTING_LIMIT": (64, sm4.MAX_NESTING),
    "COMMONSHADER_INPUT_RESOURCE_SLOT_COUNT": (128, device.MAX_RESOURCE_SLOTS),
    "COMMONSHADER_SAMPLER_SLOT_COUNT": (16, device.MAX_SAMPLER_SLOTS),
    "COMMONSHADER_SUBROUTINE_NESTING_LIMIT": (32, sm4.MAX_CALL_DEPTH),
    "COMMONSHADER_TEMP_REGISTER_COUNT": (4096, sm4.MAX_TEMPS),
    "CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION": (65535, device.MAX_DISPATCH_GROUPS),
    "GS_MAX_INSTANCE_COUNT": (32, sm4.MAX_GS_INSTANCES),
    "GS_MAX_OUTPUT_VERTEX_COUNT_ACROSS_INSTANCES": (1024, sm4.MAX_GS_OUTPUT_VERTICES),
    "IA_PATCH_MAX_CONTROL_POINT_COUNT": (32, sm4.MAX_CONTROL_POINTS),
    "IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT": (32, device.MAX_VERTEX_BUFFERS),
    "IA_VERTEX_INPUT_STRUCTURE_ELEMENT_COUNT": (32, device.MAX_INPUT_ELEMENTS),
    "MAX_MAXANISOTROPY": (16, device.MAX_ANISOTROPY),
    "MAX_MULTISAMPLE_SAMPLE_COUNT": (32, device.SAMPLE_COUNTS[-1]),
    "MIP_LOD_BIAS_MAX": (15.99, device.MIP_LOD_BIAS[1]),
    "MIP_LOD_BIAS_MIN": (-16.0, device.MIP_LOD_BIAS[0]),
    "PS_CS_UAV_REGISTER_COUNT": (8, device.MAX_UAV_SLOTS_11_0),
    "REQ_CONSTANT_BUFFER_ELEMENT_COUNT": (4096, device.MAX_CONSTANT_VECTORS),
    "REQ_GS_INVOCATION_32BIT_OUTPUT_COMPONENT_LIMIT": (1024, sm4.MAX_GS_OUTPUT_SCALARS),
    "REQ_IMMEDIATE_CONSTANT_BUFFER_ELEMENT_COUNT": (4096, sm4.MAX_IMMEDIATE_VECTORS),
    "REQ_MIP_LEVELS": (15, device.MAX_MIP_LEVELS),
    "REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES": (2048, device.MAX_STRUCTURE_STRIDE),
    "REQ_TEXTURE1D_U_DIMENSION": (16384, device.MAX_TEXTURE_EXTENTS[1]),
    "REQ_TEXTURE2D_ARRAY_AXIS_DIMENSION": (2048, device.MAX_TEXTURE_SLICES),
    "REQ_TEXTURE2D_U_OR_V_DIMENSION": (16384, device.MAX_TEXTURE_EXTENTS[2]),
    "REQ_TEXTURE3D_U_V_OR_W_DIMENSION": (2048, device.MAX_TEXTURE_EXTENTS[3]),
    "SIMULTANEOUS_RENDER_TARGET_COUNT": (8, device.MAX_RENDER_TARGETS),
    "TESSELLATOR_MAX_TESSELLATION_FACTOR": (64, sm4.MAX_TESSELLATION_FACTOR),
    "VIEWPORT_AND_SCISSORRECT_OBJECT_COUNT_PER_PIPELINE": (16, device.MAX_VIEWPORTS),
    "VIEWPORT_BOUNDS_MAX": (32767, device.VIEWPORT_BOUNDS[1]),
    "VIEWPORT_BOUNDS_MIN": (-32768, device.VIEWPORT_BOUNDS[0]),
}
# stage, inputs, outputs by version; d3d10.h, d3d10_1.h, d3d11.h: <STAGE>_INPUT_REGISTER_COUNT ...
REGISTERS = """
    vs 4.0 16 16 | vs 4.1 32 32 | vs 5.0 32 32 | vs 5.1 32 32
    gs 4.0 16 32 | gs 4.1 32 32 | gs 5.0 32 32 | gs 5.1 32 32
    ps 4.0 32 8  | ps 4.1 32 8  | ps 5.0 32 8  | ps 5.1 32 8
    hs 5.0 32 32 | ds 5.0 32 32
"""
# The same of vertex shaders, but for the prefix; what ranges of 5.1 have no limit of is None
DECLARED: dict[OperandType, tuple[str, int, int | None]] = {
    OperandType.CONSTANT_BUFFER: ("COMMONSHADER_CONSTANT_BUFFER_HW_SLOT_COUNT", 15, None),
    OperandType.SAMPLER: ("COMMONSHADER_SAMPLER_REGISTER_COUNT", 16, None),
    OperandType.RESOURCE: ("COMMONSHADER_INPUT_RESOURCE_REGISTER_COUNT", 128, None),
    OperandType.UNORDERED_ACCESS_VIEW: ("1_UAV_SLOT_COUNT", 64, None),
    OperandType.THREAD_GROUP_SHARED_MEMORY: ("CS_TGSM_REGISTER_COUNT", 8192, 8192),
    OperandType.STREAM: ("SO_STREAM_COUNT", 4, 4),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_a_limit_is_the_constant_of_the_specification(name) -> None:
    wanted, found = CONSTANTS[name]
    assert found == wanted


@pytest.mark.parametrize("row", [row.strip() for row in REGISTERS.replace("|", "\n").split("\n")
                                 if row.strip()])  # fmt: skip
def test_a_stage_has_as_many_registers_as_its_version_says(row) -> None:
    stage, version, inputs, outputs = row.split()
    major, minor = map(int, version.split("."))
    found = sm4.limits(ProgramType[stage.upper()], (major, minor))
    assert (found.inputs, found.outputs) == (int(inputs), int(outputs))


@pytest.mark.parametrize("kind", DECLARED)
def test_only_ranges_have_more_registers_than_slots(kind) -> None:
    _, before, since_5_1 = DECLARED[kind]
    for version, wanted in (((4, 0), before), ((5, 0), before), ((5, 1), since_5_1)):
        assert sm4.limits(ProgramType.CS, version).declared.get(kind) == wanted


@pytest.mark.parametrize(
    ("version", "size", "threads", "shared"),
    [  # CS_THREAD_GROUP_MAX_..., CS_4_X_THREAD_GROUP_MAX_..., sections 18.6.6, 18.7.2.6, 18.7.2.7
        ((4, 0), (768, 768, 64), 768, 16384),
        ((4, 1), (768, 768, 64), 768, 16384),
        ((5, 0), (1024, 1024, 64), 1024, 32768),
        ((5, 1), (1024, 1024, 64), 1024, 32768),
    ],
)
def test_thread_groups_are_smaller_in_version_4(version, size, threads, shared) -> None:
    found = sm4.limits(ProgramType.CS, version)
    assert (found.group_size, found.group_threads, found.shared_bytes) == (size, threads, shared)


@pytest.mark.parametrize(
    ("stage", "version", "constants", "switches"),
    [  # "Registers" of each version: c#, and i# or b#
        ("VS", (1, 1), 256, 16), ("VS", (2, 0), 256, 16), ("VS", (3, 0), 256, 16),
        ("VS", (3, SOFTWARE), 8192, 2048), ("PS", (1, 1), 8, 16), ("PS", (1, 4), 8, 16),
        ("PS", (2, 0), 32, 16), ("PS", (2, 1), 32, 16), ("PS", (3, 0), 224, 16),
        ("PS", (2, SOFTWARE), 8192, 2048),
    ],
)  # fmt: skip
def test_a_version_of_direct3d_9_has_so_many_constants(stage, version, constants, switches):
    found = sm1.limits(Sm1Type[stage], version)
    assert (found.float_constants, found.switches) == (constants, switches)


# What limits are of; a module's constant of such a name with a limit's number is a copy
COPY = re.compile(
    "_?(MAX|MOST)_.*(ANISOTROPY|BIAS|CALL|CONTROL|DISTANCE|EMITTED|EXTENT|FACTOR|GROUP|INSTANCE|"
    "LEVEL|NESTING|POINT|SAMPLE|SHARED|SLICE|SLOT|STRIDE|TARGET|TEMP|THREAD|VECTOR)"
)
NOT_OF_DIRECT3D = {"jit/abi.py MAX_THREADS"}  # of the CPU
# Numbers that nothing but limits is compared with
TELLING = frozenset({768, 2048, 4096, 8192, 16384, 32768})


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """Return every module but the limits', by its path in the package."""
    return tuple(
        (path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text("utf-8")))
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "limits.py"
    )


def numbers(node: ast.AST) -> set[float]:
    """Return the literals in an expression."""
    found = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
    return {value for value in found if type(value) in (int, float)}


def test_no_other_module_has_a_constant_that_is_a_limit() -> None:
    limits = TELLING | {wanted for wanted, _ in CONSTANTS.values()}
    copies = {
        f"{place} {name.id}"
        for place, module in modules()
        for node in module.body
        if isinstance(node, ast.Assign) and numbers(node.value) & limits
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and COPY.match(name.id) and isinstance(name.ctx, ast.Store)
    }
    assert copies <= NOT_OF_DIRECT3D


def test_no_other_module_compares_with_the_number_of_a_limit() -> None:
    copies = [
        f"{place}:{node.lineno}"
        for place, module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Compare) and numbers(node) & TELLING
    ]
    assert copies == []
