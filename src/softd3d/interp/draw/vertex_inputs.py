"""The input assembler: vertices fetched from buffers. Spec: D3D11.3 section 8."""

from __future__ import annotations

import numpy as np

from softd3d.isa.sm4.enums import SystemName
from softd3d.lower.stage import component_name
from softd3d.pipeline.prepared import DrawCall, PreparedDraw, VertexStream
from softd3d.pipeline.primitives.buffers import BufferReader, raw_view
from softd3d.pipeline.primitives.records import Numbers, lanes, spread
from softd3d.pipeline.vertex_fetch import VertexBuffer, element_index, fetch_element

__all__ = ["vertex_inputs"]


def vertex_inputs(
    draw: PreparedDraw, call: DrawCall, vertex: Numbers, instance: Numbers
) -> dict[str, Numbers]:
    """Return the inputs of vertex shader invocations by name, (vertices,) each.

    vertex, instance: SV_VertexID and SV_InstanceID of each.
    """
    found = {
        component_name(r.name, component): np.zeros(vertex.size, np.uint32)
        for r in draw.vertex.declarations.inputs
        for component in r.components
    }
    step = call.base_vertex if call.is_indexed else call.start
    number = lanes(vertex) + (step & 0xFFFFFFFF)
    reader = BufferReader({slot: s.data for slot, s in draw.vertex_buffers.items()})
    for element in draw.inputs:
        stream = draw.vertex_buffers.get(element.slot)
        start = call.start_instance & 0xFFFFFFFF
        index = element_index(element, number, lanes(instance), start)
        buffer = None if stream is None else _buffer(element.slot, stream)
        for component, value in enumerate(fetch_element(reader, element, buffer, index)):
            name = component_name(f"v{element.register}", component)
            if name in found:
                found[name] = np.array(spread(value, vertex.size))
    ids = {SystemName.VERTEX_ID: vertex, SystemName.INSTANCE_ID: instance}
    for r in draw.vertex.declarations.inputs:
        if r.system_value in ids:
            for component in r.components:
                found[component_name(r.name, component)] = ids[r.system_value]
    return found


def _buffer(slot: int, stream: VertexStream) -> VertexBuffer:
    places = stream.stride | stream.offset
    alignment = min(4, places & -places) if places else 4
    return VertexBuffer(raw_view(f"vb{slot}", slot), stream.stride, stream.offset, alignment)
