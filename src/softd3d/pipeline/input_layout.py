"""Input layouts: elements matched against the input signature of a vertex shader.

They are matched by semantic, without regard to case; an element's format alone decides how its
bytes are converted, whatever type the shader declares. Spec: D3D11.3 sections 8.1.3 and 8.19.
"""

from __future__ import annotations

from collections.abc import Iterable

from softd3d.arguments import instance, items
from softd3d.classes import dataclass
from softd3d.container.reflection.enums import SystemValue
from softd3d.container.reflection.signature import Signature, SignatureElement
from softd3d.errors import ResourceError
from softd3d.formats.layout import Format
from softd3d.isa.limits import MAX_INPUT_ELEMENTS
from softd3d.pipeline.state.input_layout import (
    APPEND_ALIGNED_ELEMENT,
    InputElement,
)

__all__ = ["VertexInput", "is_generated", "match_layout", "placed"]

# What the input assembler makes by itself; everything else needs an element.
_GENERATED = (SystemValue.VERTEX_ID, SystemValue.INSTANCE_ID, SystemValue.PRIMITIVE_ID)
_GENERATED_NAMES = ("SV_VERTEXID", "SV_INSTANCEID", "SV_PRIMITIVEID")


@dataclass(frozen=True, slots=True)
class VertexInput:
    """One input of a vertex shader, and where its data lies in a vertex buffer.

    mask: components that the shader declares, bit 0 is x. used: those that it reads. offset: bytes.
    step_rate: of per-instance data: instances that share an element, 0 if all do. Of other data,
    in Direct3D 9, how many consecutive vertices do, where it is more than 1.
    """

    semantic: str
    register: int
    mask: int
    used: int
    slot: int
    offset: int
    format: Format
    per_instance: bool
    step_rate: int


def is_generated(parameter: SignatureElement) -> bool:
    """Whether a parameter of a vertex shader is an id, which no buffer has."""
    return parameter.system_value in _GENERATED or parameter.name.upper() in _GENERATED_NAMES


def placed(elements: Iterable[InputElement]) -> tuple[tuple[InputElement, int], ...]:
    """Return the elements of a layout, each with its byte offset, and check them together.

    Raises:
        TypeError: no iterable of InputElement.
        ResourceError: more than 32 elements, two of one semantic, or a slot's elements differ in
            class or step rate.
    """
    found = items(elements, MAX_INPUT_ELEMENTS)
    if found is None:
        raise TypeError(
            f"input layout: found {type(elements).__name__}, wanted a list of InputElement"
        )
    if len(found) > MAX_INPUT_ELEMENTS:
        raise ResourceError("input layout: found more than 32 elements, wanted up to 32")
    ends: dict[int, int] = {}
    firsts: dict[int, InputElement] = {}
    semantics: set[tuple[str, int]] = set()
    places: list[tuple[InputElement, int]] = []
    for item in found:
        element = instance(item, InputElement, "input layout")
        semantic = element.semantic_name.upper(), element.semantic_index
        if semantic in semantics:
            raise ResourceError(f"input layout: found two elements {element.label}, wanted one")
        semantics.add(semantic)
        _check_slot(element, firsts.setdefault(element.input_slot, element))
        offset = element.aligned_byte_offset
        if offset == APPEND_ALIGNED_ELEMENT:
            end = ends.get(element.input_slot, 0)
            offset = end + -end % element.alignment
        ends[element.input_slot] = offset + element.texel.bytes_per_texel
        places.append((element, offset))
    return tuple(places)


def match_layout(
    elements: Iterable[InputElement], signature: Signature | None
) -> tuple[VertexInput, ...]:
    """Return the inputs of a vertex shader that vertex buffers supply, in the signature's order.

    Elements that the shader has no input for are left out.

    Raises:
        TypeError, ResourceError: as `placed`, or an input that no element has.
    """
    places = placed(elements)
    found = {(e.semantic_name.upper(), e.semantic_index): (e, at) for e, at in places}
    inputs: list[VertexInput] = []
    for parameter in () if signature is None else signature.elements:
        if is_generated(parameter) or parameter.register is None:
            continue
        place = found.get((parameter.name.upper(), parameter.semantic_index))
        if place is None:
            label = f"{parameter.name}{parameter.semantic_index or ''}"
            names = ", ".join(e.label for e, _ in places) or "no elements"
            raise ResourceError(
                f"input layout: vertex shader input v{parameter.register} is {label}, "
                f"found {names}, wanted an element {label}"
            )
        element, offset = place
        inputs.append(
            VertexInput(
                element.label,
                parameter.register,
                parameter.mask & 15,
                parameter.rw_mask & parameter.mask & 15,
                element.input_slot,
                offset & 0xFFFFFFFF,
                element.texel,
                element.is_per_instance,
                element.instance_data_step_rate,
            )
        )
    return tuple(inputs)


def _check_slot(element: InputElement, first: InputElement) -> None:
    """Refuse an element that steps through its buffer in another way than the slot's first."""
    for name in ("input_slot_class", "instance_data_step_rate"):
        a, b = getattr(element, name), getattr(first, name)
        if a != b:
            shown = [getattr(value, "name", value) for value in (a, b)]
            raise ResourceError(
                f"input layout: {element.label} {name}: found {shown[0]}, wanted {shown[1]} "
                f"as {first.label} of the same slot {element.input_slot}"
            )
