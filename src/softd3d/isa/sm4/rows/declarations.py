"""Declarations: registers, memory, limits and phases; `tokens.DWORDS` has their further dwords.

Mnemonics are the listing's words without what the controls add. Spec: D3D11.3 section 22.3.
"""

from __future__ import annotations

from softd3d.isa.roles import Declares
from softd3d.isa.sm4.enums import Opcode
from softd3d.isa.sm4.rows.table import TABLE

__all__: list[str] = []

_SM5 = (5, 0)


def _declare(
    code: Opcode, mnemonic: str, signature: str, doc: str,
    since: tuple[int, int] = (4, 0), stages: str = "all", role: Declares | None = None,
) -> None:  # fmt: skip
    TABLE.declare(
        code, mnemonic, signature, spec=f"inst_{code.name}", doc=doc, role=role, since=since,
        stages=stages,
    )  # fmt: skip


_declare(Opcode.CUSTOMDATA, "customdata", "=", "Data: immediate constants, messages, comments.")
_declare(
    Opcode.DCL_GLOBAL_FLAGS, "dcl_globalFlags", "=", "What the whole program may or does do.",
    role=Declares.GLOBAL_FLAGS,
)  # fmt: skip

_declare(Opcode.DCL_TEMPS, "dcl_temps", "=", "How many r# there are.", role=Declares.TEMPS)
_declare(
    Opcode.DCL_INDEXABLE_TEMP, "dcl_indexableTemp", "=", "An array x# of 1 to 4 components.",
    role=Declares.INDEXABLE_TEMP,
)  # fmt: skip
_declare(
    Opcode.DCL_INDEX_RANGE, "dcl_indexrange", "=b",
    "A range of inputs or outputs that relative indices may reach.", role=Declares.INDEX_RANGE,
)  # fmt: skip

_declare(
    Opcode.DCL_CONSTANT_BUFFER, "dcl_constantbuffer", "=b", "A constant buffer, in vectors.",
    role=Declares.CONSTANT_BUFFER,
)  # fmt: skip
_declare(Opcode.DCL_SAMPLER, "dcl_sampler", "=S", "A sampler and its mode.", role=Declares.SAMPLER)
_declare(
    Opcode.DCL_RESOURCE, "dcl_resource", "=V", "A typed t#: dimension, samples, types.",
    role=Declares.TYPED_VIEW,
)  # fmt: skip
_declare(
    Opcode.DCL_RESOURCE_RAW, "dcl_resource_raw", "=V", "A t# addressed in bytes.",
    role=Declares.RAW_VIEW,
)  # fmt: skip
_declare(
    Opcode.DCL_RESOURCE_STRUCTURED, "dcl_resource_structured", "=V",
    "A t# of structures of a stride.", role=Declares.STRUCTURED_VIEW,
)  # fmt: skip
_declare(
    Opcode.DCL_UNORDERED_ACCESS_VIEW_TYPED, "dcl_uav_typed", "=U",
    "A typed u#: dimension, types, coherence.", _SM5, role=Declares.TYPED_VIEW,
)  # fmt: skip
_declare(
    Opcode.DCL_UNORDERED_ACCESS_VIEW_RAW, "dcl_uav_raw", "=U", "A u# addressed in bytes.",
    role=Declares.RAW_VIEW,
)  # fmt: skip
_declare(
    Opcode.DCL_UNORDERED_ACCESS_VIEW_STRUCTURED, "dcl_uav_structured", "=U",
    "A u# of structures of a stride, perhaps with a counter.", role=Declares.STRUCTURED_VIEW,
)  # fmt: skip
_declare(
    Opcode.DCL_THREAD_GROUP_SHARED_MEMORY_RAW, "dcl_tgsm_raw", "=U",
    "A g# of so many bytes.", _SM5, "cs", role=Declares.RAW_SHARED_MEMORY,
)  # fmt: skip
_declare(
    Opcode.DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED, "dcl_tgsm_structured", "=U",
    "A g# of structures of a stride.", stages="cs", role=Declares.STRUCTURED_SHARED_MEMORY,
)  # fmt: skip
_declare(
    Opcode.DCL_THREAD_GROUP, "dcl_thread_group", "=", "The group's size.", stages="cs",
    role=Declares.THREAD_GROUP,
)  # fmt: skip

_declare(Opcode.DCL_INPUT, "dcl_input", "=b", "An input.", role=Declares.INPUT)
_declare(
    Opcode.DCL_INPUT_SGV, "dcl_input_sgv", "=b", "An input that the system generates.",
    role=Declares.INPUT,
)  # fmt: skip
_declare(
    Opcode.DCL_INPUT_SIV, "dcl_input_siv", "=b", "An input that the system interprets.",
    role=Declares.INPUT,
)  # fmt: skip
_declare(
    Opcode.DCL_INPUT_PS, "dcl_input_ps", "=b", "An interpolated input.", stages="ps",
    role=Declares.INPUT,
)  # fmt: skip
_declare(
    Opcode.DCL_INPUT_PS_SGV, "dcl_input_ps_sgv", "=b",
    "A pixel shader's input that the system generates.", stages="ps", role=Declares.INPUT,
)  # fmt: skip
_declare(
    Opcode.DCL_INPUT_PS_SIV, "dcl_input_ps_siv", "=b",
    "A pixel shader's input that the system interprets.", stages="ps", role=Declares.INPUT,
)  # fmt: skip
_declare(Opcode.DCL_OUTPUT, "dcl_output", "=b", "An output.", role=Declares.OUTPUT)
_declare(
    Opcode.DCL_OUTPUT_SGV, "dcl_output_sgv", "=b", "An output that the system generates.",
    role=Declares.OUTPUT,
)  # fmt: skip
_declare(
    Opcode.DCL_OUTPUT_SIV, "dcl_output_siv", "=b", "An output that the system interprets.",
    role=Declares.OUTPUT,
)  # fmt: skip

_declare(
    Opcode.DCL_GS_INPUT_PRIMITIVE, "dcl_inputprimitive", "=", "What primitive comes in.",
    stages="gs", role=Declares.INPUT_PRIMITIVE,
)  # fmt: skip
_declare(
    Opcode.DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY, "dcl_outputtopology", "=",
    "What strips or points go out.", stages="gs", role=Declares.OUTPUT_TOPOLOGY,
)  # fmt: skip
_declare(
    Opcode.DCL_MAX_OUTPUT_VERTEX_COUNT, "dcl_maxout", "=", "How many vertices go out at most.",
    stages="gs", role=Declares.OUTPUT_VERTICES,
)  # fmt: skip
_declare(
    Opcode.DCL_GS_INSTANCE_COUNT, "dcl_gsinstances", "=", "How often each primitive is shaded.",
    _SM5, "gs", role=Declares.INSTANCES,
)  # fmt: skip
_declare(
    Opcode.DCL_STREAM, "dcl_stream", "=#", "A stream that vertices go to.", _SM5, "gs",
    role=Declares.STREAM,
)  # fmt: skip

_declare(Opcode.DCL_FUNCTION_BODY, "dcl_function_body", "=", "A method's body.", _SM5)
_declare(
    Opcode.DCL_FUNCTION_TABLE, "dcl_function_table", "=", "A class's bodies.", _SM5,
    role=Declares.FUNCTION_TABLE,
)  # fmt: skip
_declare(
    Opcode.DCL_INTERFACE, "dcl_interface", "=", "An interface's function tables.", _SM5,
    role=Declares.INTERFACE,
)  # fmt: skip

_declare(Opcode.HS_DECLS, "hs_decls", "=", "Begin the common declarations.", _SM5, "hs")
_declare(
    Opcode.HS_CONTROL_POINT_PHASE, "hs_control_point_phase", "=",
    "Begin the phase that runs for each output control point.", _SM5, "hs",
    role=Declares.CONTROL_POINT_PHASE,
)  # fmt: skip
_declare(
    Opcode.HS_FORK_PHASE, "hs_fork_phase", "=",
    "Begin a phase for patch constants that does not see other phases' patch constants.", _SM5,
    "hs", role=Declares.FORK_PHASE,
)  # fmt: skip
_declare(
    Opcode.HS_JOIN_PHASE, "hs_join_phase", "=",
    "Begin a phase for patch constants that sees those of the fork phases.", _SM5, "hs",
    role=Declares.JOIN_PHASE,
)  # fmt: skip
_declare(
    Opcode.DCL_INPUT_CONTROL_POINT_COUNT, "dcl_input_control_point_count", "=",
    "How many control points come in.", _SM5, "hs ds", role=Declares.INPUT_CONTROL_POINTS,
)  # fmt: skip
_declare(
    Opcode.DCL_OUTPUT_CONTROL_POINT_COUNT, "dcl_output_control_point_count", "=",
    "How many control points go out.", _SM5, "hs", role=Declares.OUTPUT_CONTROL_POINTS,
)  # fmt: skip
_declare(
    Opcode.DCL_TESS_DOMAIN, "dcl_tessellator_domain", "=", "What is tessellated.", _SM5, "hs ds",
    role=Declares.DOMAIN,
)  # fmt: skip
_declare(
    Opcode.DCL_TESS_PARTITIONING, "dcl_tessellator_partitioning", "=", "How edges are split.",
    _SM5, "hs", role=Declares.PARTITIONING,
)  # fmt: skip
_declare(
    Opcode.DCL_TESS_OUTPUT_PRIMITIVE, "dcl_tessellator_output_primitive", "=",
    "What the tessellator emits.", _SM5, "hs", role=Declares.OUTPUT_PRIMITIVE,
)  # fmt: skip
_declare(
    Opcode.DCL_HS_MAX_TESSFACTOR, "dcl_hs_max_tessfactor", "=",
    "An upper limit of the tessellation factors, a float.", _SM5, "hs",
)  # fmt: skip
_declare(
    Opcode.DCL_HS_FORK_PHASE_INSTANCE_COUNT, "dcl_hs_fork_phase_instance_count", "=",
    "How often a fork phase runs.", _SM5, "hs", role=Declares.INSTANCES,
)  # fmt: skip
_declare(
    Opcode.DCL_HS_JOIN_PHASE_INSTANCE_COUNT, "dcl_hs_join_phase_instance_count", "=",
    "How often a join phase runs.", _SM5, "hs", role=Declares.INSTANCES,
)  # fmt: skip
