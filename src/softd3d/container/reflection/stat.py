"""The STAT chunk: the compiler's statistics, under the names of D3D11_SHADER_DESC.

Advisory: some writers leave it zero, and what exactly is counted is known for some fields only.
"""

from __future__ import annotations

from dataclasses import fields

from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk
from softd3d.container.dxbc.pool import dwords
from softd3d.errors import ContainerError

__all__ = ["Statistics", "build_stat", "parse_stat"]

_FIRST_FIELDS = 28
_SM4_FIELDS = 29
_SM5_FIELDS = 37


@dataclass(frozen=True, slots=True)
class Statistics:
    """The dwords of the chunk in order; those from `gs_instance_count` on exist since 5.0.

    has_sm5_fields: whether the chunk has the latter. The program's version does not tell: early
    compilers of shader model 5 wrote the short form too.
    has_sample_frequency: whether the chunk has `is_sample_frequency_shader`. The first two
    compilers of shader model 4 (d3dcompiler_33 and 34) end before it.

    Primitive, topology, partitioning and domain are raw numbers of the D3D_PRIMITIVE,
    D3D_PRIMITIVE_TOPOLOGY and D3D_TESSELLATOR_* enumerations. `macro_instruction_count` and
    `bitwise_instruction_count` were zero wherever they were looked at.
    """

    instruction_count: int
    temp_register_count: int
    def_count: int
    dcl_count: int
    float_instruction_count: int
    int_instruction_count: int
    uint_instruction_count: int
    static_flow_control_count: int
    dynamic_flow_control_count: int
    macro_instruction_count: int
    temp_array_count: int
    array_instruction_count: int
    cut_instruction_count: int
    emit_instruction_count: int
    texture_normal_instructions: int
    texture_load_instructions: int
    texture_comp_instructions: int
    texture_bias_instructions: int
    texture_gradient_instructions: int
    mov_instruction_count: int
    movc_instruction_count: int
    conversion_instruction_count: int
    bitwise_instruction_count: int
    gs_input_primitive: int
    gs_output_topology: int
    gs_max_output_vertex_count: int
    gather_instructions: int
    lod_instructions: int
    is_sample_frequency_shader: int
    gs_instance_count: int = 0
    control_points: int = 0
    hs_output_primitive: int = 0
    hs_partitioning: int = 0
    tessellator_domain: int = 0
    barrier_instructions: int = 0
    interlocked_instructions: int = 0
    texture_store_instructions: int = 0
    has_sm5_fields: bool = False
    has_sample_frequency: bool = True


def parse_stat(chunk: Chunk) -> Statistics:
    """Read a STAT chunk of shader model 4.x (29 dwords, the oldest 28) or 5.x (37).

    Raises:
        ContainerError: it has another size, as that of a shader model 6 container has.
    """
    reader = chunk.reader()
    count, rest = divmod(len(reader), 4)
    if rest or count not in (_FIRST_FIELDS, _SM4_FIELDS, _SM5_FIELDS):
        raise ContainerError(
            f"{chunk.fourcc}: {len(reader)} bytes, wanted {4 * _FIRST_FIELDS} or "
            f"{4 * _SM4_FIELDS} (shader model 4) or {4 * _SM5_FIELDS} (5)",
            reader.location(0),
        )
    return Statistics(
        *reader.dwords(0, count),
        *[0] * (_SM4_FIELDS - count),
        has_sm5_fields=count == _SM5_FIELDS,
        has_sample_frequency=count > _FIRST_FIELDS,
    )


def build_stat(statistics: Statistics) -> bytes:
    """Return the data of a STAT chunk; `parse_stat` reads equal statistics from it.

    Raises:
        ContainerError: a value does not fit 32 bits, or one is not 0 although `has_sm5_fields` or
            `has_sample_frequency` says that the chunk has no field for it.
    """
    names = [field.name for field in fields(statistics)][:_SM5_FIELDS]
    values: dict[str, int] = {name: getattr(statistics, name) for name in names}
    data = dwords("STAT", **values)
    if statistics.has_sm5_fields:
        return data
    count = _SM4_FIELDS if statistics.has_sample_frequency else _FIRST_FIELDS
    for name in names[count:]:
        if values[name]:
            raise ContainerError(f"STAT: {name} {values[name]} needs a longer chunk")
    return data[: 4 * count]
