"""How much a program of each version of SM4-5.1 may have: registers, nesting, threads, memory.

Spec: D3D11.3 sections 7.12 (nesting), 18.7.2 (compute shaders of version 4), 26 (constants, named
D3D11_...); of version 4.0 also the constants of d3d10.h.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from softd3d.classes import dataclass
from softd3d.isa.limits import (
    MAX_RENDER_TARGETS,
    MAX_RESOURCE_SLOTS,
    MAX_SAMPLER_SLOTS,
    MAX_STREAMS,
    MAX_UAV_SLOTS,
)
from softd3d.isa.sm4.enums import OperandType, ProgramType

__all__ = [
    "MAX_CALL_DEPTH",
    "MAX_CLIP_AND_CULL_DISTANCES",
    "MAX_CLIP_AND_CULL_REGISTERS",
    "MAX_CONTROL_POINTS",
    "MAX_GS_INSTANCES",
    "MAX_GS_OUTPUT_SCALARS",
    "MAX_GS_OUTPUT_VERTICES",
    "MAX_IMMEDIATE_VECTORS",
    "MAX_NESTING",
    "MAX_PHASE_INSTANCES",
    "MAX_SHARED_BYTES",
    "MAX_STAGE_REGISTERS",
    "MAX_TEMPS",
    "MAX_TESSELLATION_FACTOR",
    "Limits",
    "limits",
]

# In all versions

MAX_NESTING = 64  # blocks in blocks, of a subroutine; COMMONSHADER_FLOWCONTROL_NESTING_LIMIT
MAX_CALL_DEPTH = 32  # deeper calls are skipped; COMMONSHADER_SUBROUTINE_NESTING_LIMIT
MAX_TEMPS = 4096  # r# and vectors of x# together; COMMONSHADER_TEMP_REGISTER_COUNT
MAX_IMMEDIATE_VECTORS = 4096  # REQ_IMMEDIATE_CONSTANT_BUFFER_ELEMENT_COUNT
MAX_STAGE_REGISTERS = 32  # inputs or outputs of any stage; e.g. GS_INPUT_REGISTER_COUNT
MAX_CLIP_AND_CULL_DISTANCES = 8  # together; CLIP_OR_CULL_DISTANCE_COUNT
MAX_CLIP_AND_CULL_REGISTERS = 2  # CLIP_OR_CULL_DISTANCE_ELEMENT_COUNT
MAX_GS_OUTPUT_VERTICES = 1024  # of all instances; GS_MAX_OUTPUT_VERTEX_COUNT_ACROSS_INSTANCES
MAX_GS_OUTPUT_SCALARS = 1024  # of an invocation; REQ_GS_INVOCATION_32BIT_OUTPUT_COMPONENT_LIMIT
MAX_GS_INSTANCES = 32  # GS_MAX_INSTANCE_COUNT
MAX_CONTROL_POINTS = 32  # of a patch; IA_PATCH_MAX_CONTROL_POINT_COUNT
MAX_PHASE_INSTANCES = 128  # of a fork or join phase; section 10.8.4 (other constants: any number)
MAX_TESSELLATION_FACTOR = 64.0  # TESSELLATOR_MAX_TESSELLATION_FACTOR
MAX_SHARED_BYTES = 32768  # of shader model 5 (section 18.6.6); 4 has half

_RANGED: Mapping[OperandType, int] = {
    OperandType.CONSTANT_BUFFER: 15,  # one more than slots: COMMONSHADER_..._HW_SLOT_COUNT
    OperandType.SAMPLER: MAX_SAMPLER_SLOTS,
    OperandType.RESOURCE: MAX_RESOURCE_SLOTS,
    OperandType.UNORDERED_ACCESS_VIEW: MAX_UAV_SLOTS,  # of 11.1; a feature bit tells of more than 8
}
_UNRANGED: Mapping[OperandType, int] = {
    OperandType.THREAD_GROUP_SHARED_MEMORY: 8192,  # CS_TGSM_REGISTER_COUNT
    OperandType.STREAM: MAX_STREAMS,
}
_ALL = {**_RANGED, **_UNRANGED}


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a program of a stage and version may have.

    declared: registers of each kind that a declaration can name; of kinds that are not there, any.
    inputs, outputs: registers. group_size: threads along x, y and z; group_threads: altogether.
    shared_bytes: of group-shared memory.
    """

    declared: Mapping[OperandType, int]
    inputs: int = MAX_STAGE_REGISTERS
    outputs: int = MAX_STAGE_REGISTERS
    group_size: tuple[int, int, int] = (1024, 1024, 64)  # CS_THREAD_GROUP_MAX_X, _Y, _Z
    group_threads: int = 1024  # CS_THREAD_GROUP_MAX_THREADS_PER_GROUP
    shared_bytes: int = MAX_SHARED_BYTES


@cache
def limits(stage: ProgramType, version: tuple[int, int]) -> Limits:
    """Return what a version allows.

    >>> limits(ProgramType.CS, (4, 1)).group_threads
    768
    """
    outputs = MAX_RENDER_TARGETS if stage is ProgramType.PS else MAX_STAGE_REGISTERS
    if version >= (5, 1):  # ranges in register spaces have any number
        return Limits(_UNRANGED, outputs=outputs)
    if version >= (5, 0):
        return Limits(_ALL, outputs=outputs)
    inputs = MAX_STAGE_REGISTERS
    if version == (4, 0):  # D3D10_VS_INPUT_REGISTER_COUNT and so on; 4.1 has twice as many
        inputs = 16 if stage in (ProgramType.VS, ProgramType.GS) else inputs
        outputs = 16 if stage is ProgramType.VS else outputs
    return Limits(
        _ALL, inputs, outputs,
        group_size=(768, 768, 64),  # CS_4_X_THREAD_GROUP_MAX_X, _Y; section 18.7.2.6
        group_threads=768,  # CS_4_X_THREAD_GROUP_MAX_THREADS_PER_GROUP
        shared_bytes=MAX_SHARED_BYTES // 2,  # section 18.7.2.7
    )  # fmt: skip
