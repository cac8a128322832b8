"""Stream output declarations: what Direct3D refuses, and which outputs go where."""

from __future__ import annotations

from typing import Any

import pytest

from softd3d.container.reflection.enums import MinPrecision, RegisterComponentType, SystemValue
from softd3d.container.reflection.signature import Signature, SignatureElement
from softd3d.errors import ResourceError
from softd3d.pipeline.state import SO_NO_RASTERIZED_STREAM, SODeclarationEntry, StreamOutput
from softd3d.pipeline.stream_layout import StreamedSlot, match_stream_output

E = SODeclarationEntry


def _output(
    name: str, index: int = 0, register: int = 0, mask: int = 15, stream: int = 0
) -> SignatureElement:  # fmt: skip
    return SignatureElement(
        stream, name, index, SystemValue.UNDEFINED, RegisterComponentType.FLOAT32, register, mask,
        0, MinPrecision.DEFAULT,
    )  # fmt: skip


def _signature(*elements: SignatureElement) -> Signature:
    return Signature(elements)


def test_defaults_are_strides_of_the_entries_and_stream_0() -> None:
    made = StreamOutput([E(0, "A"), E(0, None, 0, 0, 3), E(0, "B", 0, 1, 2, 2)])
    assert made.strides == (28, 0, 8, 0)
    assert made.rasterized_stream == 0
    assert StreamOutput([]).strides == (0, 0, 0, 0)


def test_no_stream_is_none_in_two_ways() -> None:
    for none in (None, SO_NO_RASTERIZED_STREAM):
        assert StreamOutput([], rasterized_stream=none).rasterized_stream is None


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((4, "A"), "entry A stream: found 4, wanted 0 to 3"),
        ((0, ""), "semantic_name: found '', wanted a name or None"),
        ((0, "A", -1), "entry 'A' semantic_index: found -1"),
        ((0, "A", 2, 4), "entry A2 start_component: found 4, wanted 0 to 3"),
        ((0, "A", 0, 2, 3), "entry A component_count: found 3, wanted 1 to 2"),
        ((0, "A", 0, 0, 0), "entry A component_count: found 0, wanted 1 to 4"),
        ((0, "A", 0, 0, 4, 4), "entry A output_slot: found 4, wanted 0 to 3"),
        ((0, None, 1), "entry gap: found semantic_index 1 and start_component 0, wanted 0"),
        ((0, None, 0, 1), "entry gap: found semantic_index 0 and start_component 1, wanted 0"),
    ],
)
def test_entries_that_direct3d_refuses(arguments: tuple[Any, ...], text: str) -> None:
    with pytest.raises(ResourceError, match=text):
        E(*arguments)


@pytest.mark.parametrize(
    ("entries", "given", "text"),
    [
        ([E(0, "A"), E(1, "B")], {}, "found stream 1 in slot 0, wanted stream 0"),
        ([E(0, "A"), E(0, "a", 0, 3, 1)], {}, "entry a: found component 3 twice, wanted it once"),
        ([E(0, None, 0, 0, 128), E(0, "A")], {}, "found more than 128 components of stream 0"),
        ([E(0, None, 0, 0, 127), E(0, "A", 0, 0, 2, 1)], {}, "more than 128 components of stream"),
        ([E(0, "A")], {"buffer_strides": [12]}, "stride of slot 0: found 12, wanted .* least 16"),
        ([E(0, "A")], {"buffer_strides": [18]}, "found 18, wanted a multiple of 4, at least 16"),
        ([E(0, "A")], {"buffer_strides": [2052]}, "stride of slot 0: found 2052, wanted 0 to 2048"),
        ([E(0, "A")], {"buffer_strides": [16] * 5}, "buffer_strides: found .*, wanted up to 4"),
        ([E(0, "A")], {"buffer_strides": []}, "stride of slot 0: found 0, wanted"),
        ([], {"rasterized_stream": 4}, "rasterized_stream: found 4, wanted 0 to 3"),
        (None, {}, "stream output entries: found None"),
    ],
)
def test_declarations_that_direct3d_refuses(
    entries: Any, given: dict[str, Any], text: str
) -> None:  # fmt: skip
    with pytest.raises(ResourceError, match=text):
        StreamOutput(entries, **given)


def test_what_is_no_entry() -> None:
    with pytest.raises(TypeError, match="stream output entries: found str, wanted SODecl"):
        StreamOutput(["SV_Position"])  # pyright: ignore[reportArgumentType]


def test_a_stream_may_go_to_several_buffers() -> None:
    made = StreamOutput([E(2, "A"), E(2, "B", 0, 0, 1, 3)])
    signature = _signature(_output("A", 0, 1, stream=2), _output("b", 0, 2, 8, stream=2))
    words = tuple(enumerate(("o1.x", "o1.y", "o1.z", "o1.w")))
    assert match_stream_output(made, signature, "geometry shader") == (
        StreamedSlot(0, 2, 16, words),
        StreamedSlot(3, 2, 4, ((0, "o2.w"),)),
    )


def test_components_are_counted_in_the_output_and_gaps_are_skipped() -> None:
    made = StreamOutput([E(0, "C", 1, 1, 1), E(0, None, 0, 0, 2), E(0, "P", 0, 0, 1)], [24])
    signature = _signature(_output("C", 1, 3, 12), _output("P"))
    (slot,) = match_stream_output(made, signature, "vertex shader")
    assert slot == StreamedSlot(0, 0, 24, ((0, "o3.w"), (3, "o0.x")))


def test_outputs_that_are_not_there() -> None:
    signature = _signature(_output("A"), _output("B", 1, 1, 3, stream=1))
    text = "found entry B1 of stream 0, wanted an output of the vertex shader: A$"
    with pytest.raises(ResourceError, match=text):
        match_stream_output(StreamOutput([E(0, "B", 1, 0, 1)]), signature, "vertex shader")
    text = "entry B1: found components 0 to 2, wanted some of the 2 that the geometry shader has"
    with pytest.raises(ResourceError, match=text):
        match_stream_output(StreamOutput([E(1, "B", 1, 0, 3)]), signature, "geometry shader")
    with pytest.raises(ResourceError, match="it has none in that stream"):
        match_stream_output(StreamOutput([E(0, "A")]), None, "domain shader")
