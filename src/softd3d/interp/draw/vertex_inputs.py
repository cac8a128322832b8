"""The input assembler: vertices fetched from buffers. Spec: D3D11.3 section 8."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from softd3d.algebra.value import U32, Algebra, Value
from softd3d.interp import memory
from softd3d.interp.draw.records import K, Numbers, lanes, spread
from softd3d.isa.machine import Info, Memory, View, ViewKind
from softd3d.isa.sm4.enums import ResourceDimension, SystemName
from softd3d.lower.stage import component_name
from softd3d.pipeline.prepared import DrawCall, PreparedDraw, VertexStream
from softd3d.pipeline.vertex_fetch import VertexBuffer, element_index, fetch_element

__all__ = ["BufferReader", "raw_view", "vertex_inputs"]


class BufferReader:
    """Reads buffers for the rules of fetching. buffers: by the slot of their view."""

    def __init__(self, buffers: Mapping[int, NDArray[np.uint8]]) -> None:
        self.buffers = buffers

    @property
    def k(self) -> Algebra:
        return K

    def info(self, view: View, field: Info) -> Value:
        assert field is Info.SIZE  # noqa: S101 - all that fetching asks for
        return K.const(U32, self.buffers[view.slot].size)

    def load(self, view: View, offset: Value, valid: Value, size: int = 4) -> Value:
        count = max(np.size(offset.raw), np.size(valid.raw))
        at = spread(offset, count).astype(np.int64)
        return lanes(memory.gather(self.buffers[view.slot], at, spread(valid, count), size))

    def load_pair(self, view: View, offset: Value, valid: Value) -> tuple[Value, Value]:
        return self.load(view, offset, valid), self.load(view, offset + 4, valid)


def raw_view(register: str, slot: int) -> View:
    """Return the view of a whole buffer."""
    dimension = ResourceDimension.RAW_BUFFER
    return View(Memory.RESOURCE, register, slot, ViewKind.RAW, dimension)


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
