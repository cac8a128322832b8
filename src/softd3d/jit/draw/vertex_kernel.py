"""The vertex kernel: input assembler and vertex shader, one vertex a lane.

Outputs that anybody wants are left in rows of dwords, one row for each vertex.
"""

from __future__ import annotations

from softd3d.algebra.value import U32, Value
from softd3d.classes import dataclass
from softd3d.ir.graph import Check, Graph, no_check
from softd3d.isa.sm4.enums import SystemName
from softd3d.jit.draw.memory import BUFFER_WORDS, WORD, Parameter, raw_view
from softd3d.jit.draw.recording import DrawRecording
from softd3d.lower.declarations import Declarations
from softd3d.lower.stage import component_name
from softd3d.pipeline.prepared import PreparedDraw
from softd3d.pipeline.vertex_fetch import VertexBuffer, element_index, fetch_element

__all__ = ["INSTANCE", "VERTEX", "VertexViews", "record_vertices", "vertex_facts"]

VERTEX, INSTANCE = "vertex", "instance"
"""Inputs of the kernel: SV_VertexID and SV_InstanceID."""


@dataclass(frozen=True, slots=True)
class VertexViews:
    """Slots behind those of the shader: parameters, outputs, and a buffer for each used slot."""

    parameters: int
    outputs: int
    buffers: dict[int, int]

    @classmethod
    def of(cls, draw: PreparedDraw) -> VertexViews:
        first = len(draw.vertex.descriptors)
        used = sorted({e.slot for e in draw.inputs} & set(draw.vertex_buffers))
        return cls(first, first + 1, {slot: first + 2 + n for n, slot in enumerate(used)})


def vertex_facts(draw: PreparedDraw, outputs: tuple[str, ...]) -> object:
    """Return what the kernel depends on besides the shader."""
    alignments = [(slot, s.alignment) for slot, s in sorted(draw.vertex_buffers.items())]
    return "vertices", draw.inputs, alignments, outputs


def record_vertices(
    draw: PreparedDraw, outputs: tuple[str, ...], check: Check = no_check
) -> tuple[Graph, Declarations]:
    """Record the kernel. outputs: those of the shader that are wanted, in the order of a row."""
    r = DrawRecording(draw.vertex, check)
    views = VertexViews.of(draw)
    made = r.shader(_inputs(r, draw, views))
    if outputs:
        row = r.entry("flat") * (WORD * len(outputs))
        values = [made.get(name, r.k.const(U32, 0)) for name in outputs]
        target = raw_view("vertex outputs", views.outputs)
        r.put_row(target, row, values, r.k.value(r.everyone), len(outputs))
    return r.finished(), draw.vertex.declarations


def _inputs(r: DrawRecording, draw: PreparedDraw, views: VertexViews) -> dict[str, Value]:
    given: dict[str, Value] = {}
    words = raw_view("parameters", views.parameters)
    vertex, instance = r.entry(VERTEX), r.entry(INSTANCE)
    number = vertex + r.word(words, WORD * Parameter.VERTEX)
    start = r.word(words, WORD * Parameter.INSTANCE)
    for element in draw.inputs:
        slot, buffer = views.buffers.get(element.slot), None
        if slot is not None:
            at = Parameter.BUFFERS + BUFFER_WORDS * element.slot
            stride, offset = (r.word(words, WORD * (at + n)) for n in range(BUFFER_WORDS))
            known = draw.vertex_buffers[element.slot].alignment
            buffer = VertexBuffer(raw_view(f"vb{element.slot}", slot), stride, offset, known)
        index = element_index(element, number, instance, start)
        for component, value in enumerate(fetch_element(r, element, buffer, index)):
            given[component_name(f"v{element.register}", component)] = value
    ids = {SystemName.VERTEX_ID: vertex, SystemName.INSTANCE_ID: instance}
    for register in draw.vertex.declarations.inputs:
        if register.system_value in ids:
            for component in register.components:
                name = component_name(register.name, component)
                given[name] = ids[register.system_value]
    return given
