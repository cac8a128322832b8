"""Stream output declarations matched against the output signature of a stage.

Entries are matched by stream and semantic, without regard to case. Spec: D3D11.3 section 14.1.
"""

from __future__ import annotations

from softd3d.classes import dataclass
from softd3d.container.reflection.signature import Signature, SignatureElement
from softd3d.errors import ResourceError
from softd3d.isa.sm4.enums import OperandType
from softd3d.lower.stage import component_name, register_name
from softd3d.pipeline.state.stream_output import SODeclarationEntry, StreamOutput

__all__ = ["StreamedSlot", "match_stream_output"]


@dataclass(frozen=True, slots=True)
class StreamedSlot:
    """What goes to one slot for each vertex of its stream.

    stride: bytes from a vertex to the next. words: (dword in the vertex, output such as `o1.x`);
    other dwords are gaps, or lie behind the entries: they are not touched.
    """

    slot: int
    stream: int
    stride: int
    words: tuple[tuple[int, str], ...]


def match_stream_output(
    declaration: StreamOutput, signature: Signature | None, stage: str
) -> tuple[StreamedSlot, ...]:
    """Return the slots that have entries, in ascending order.

    signature: the outputs of the last stage before stream output. stage: its name, for messages.

    Raises:
        ResourceError: the stage has no such output, or not the components that are wanted.
    """
    words: dict[int, list[tuple[int, str]]] = {}
    streams: dict[int, int] = {}
    ends: dict[int, int] = {}
    for entry in declaration.declared:
        slot = entry.output_slot
        streams[slot] = entry.stream
        at = ends.get(slot, 0)
        ends[slot] = at + entry.component_count
        mine = words.setdefault(slot, [])
        if not entry.is_gap:
            mine += enumerate(_sources(entry, _output(entry, signature, stage), stage), at)
    return tuple(
        StreamedSlot(slot, streams[slot], declaration.strides[slot], tuple(words[slot]))
        for slot in sorted(words)
    )


def _output(
    entry: SODeclarationEntry, signature: Signature | None, stage: str
) -> SignatureElement:  # fmt: skip
    elements = () if signature is None else signature.elements
    for element in elements:
        is_named = element.name.upper() == (entry.semantic_name or "").upper()
        if (
            is_named and element.semantic_index == entry.semantic_index
            and element.stream == entry.stream and element.register is not None
        ):  # fmt: skip
            return element
    names = [f"{e.name}{e.semantic_index or ''}" for e in elements if e.stream == entry.stream]
    raise ResourceError(
        f"stream output: found entry {entry.label} of stream {entry.stream}, wanted an output of "
        f"the {stage}: {', '.join(names) or 'it has none in that stream'}"
    )


def _sources(entry: SODeclarationEntry, element: SignatureElement, stage: str) -> list[str]:
    """Return the names of the components that an entry takes."""
    register = register_name(OperandType.OUTPUT, element.register or 0)
    names = [component_name(register, c) for c in range(4) if element.mask >> c & 1]
    wanted = entry.components
    if wanted.stop > len(names):
        raise ResourceError(
            f"stream output: entry {entry.label}: found components {wanted.start} to "
            f"{wanted.stop - 1}, wanted some of the {len(names)} that the {stage} has"
        )
    return names[wanted.start : wanted.stop]
