"""Elements of an input layout: D3D11_INPUT_ELEMENT_DESC. Spec: D3D11.3 section 8.19."""

from __future__ import annotations

from softd3d.arguments import instance, integer, named, shown
from softd3d.classes import dataclass
from softd3d.errors import ResourceError
from softd3d.formats.layout import Format
from softd3d.formats.pipeline_views import vertex_format
from softd3d.isa.limits import MAX_STRUCTURE_STRIDE, MAX_VERTEX_BUFFERS
from softd3d.pipeline.state.enums import InputClassification
from softd3d.pipeline.state.records import settle

__all__ = [
    "APPEND_ALIGNED_ELEMENT",
    "InputElement",
    "vertex_stride",
]

APPEND_ALIGNED_ELEMENT = 0xFFFFFFFF
"""Byte offset of an element that follows the one before it in its slot."""
_UINT32 = range(1 << 32)
_MOST_ALIGNED = 4


def vertex_stride(value: object, slot: int) -> int:
    """Return the bytes from a vertex to the next, as IASetVertexBuffers takes them.

    Raises:
        ResourceError: no whole number, or more than 2048.

    >>> vertex_stride(2049, 3)
    Traceback (most recent call last):
    softd3d.errors.ResourceError: vertex buffer 3 stride: found 2049, wanted 0 to 2048
    """
    return integer(value, f"vertex buffer {slot} stride", range(MAX_STRUCTURE_STRIDE + 1))


@dataclass(frozen=True, slots=True)
class InputElement:
    """D3D11_INPUT_ELEMENT_DESC: data of a vertex shader's input, and where it lies.

    Raises:
        ResourceError: a value that Direct3D does not allow; the text says which.

    >>> InputElement("POSITION", 0, "R32G32B32_FLOAT").format.bytes_per_texel
    12
    """

    semantic_name: str
    semantic_index: int
    format: Format | str | int
    input_slot: int = 0
    aligned_byte_offset: int = APPEND_ALIGNED_ELEMENT
    input_slot_class: InputClassification | str | int = InputClassification.PER_VERTEX_DATA
    instance_data_step_rate: int = 0

    def __post_init__(self) -> None:
        name = instance(self.semantic_name, str, "input element semantic_name")
        if not name:
            raise ResourceError("input element semantic_name: found '', wanted a name")
        index = integer(self.semantic_index, f"input element {shown(name)} semantic_index", _UINT32)
        settle(self, {"semantic_index": index})
        what = f"input element {self.label}"
        slots = range(MAX_VERTEX_BUFFERS)
        offset = integer(self.aligned_byte_offset, f"{what} aligned_byte_offset", _UINT32)
        values: dict[str, object] = {
            "format": vertex_format(self.format, what),
            "input_slot": integer(self.input_slot, f"{what} input_slot", slots),
            "aligned_byte_offset": offset,
            "input_slot_class": named(
                InputClassification, self.input_slot_class, f"{what} input_slot_class",
                "D3D11_INPUT_",
            ),
            "instance_data_step_rate": integer(
                self.instance_data_step_rate, f"{what} instance_data_step_rate", _UINT32
            ),
        }  # fmt: skip
        settle(self, values)
        self._check(what)

    @property
    def label(self) -> str:
        """The semantic as HLSL writes it: name and index, which is left out where it is 0."""
        return f"{shown(self.semantic_name)[1:-1]}{self.semantic_index or ''}"

    @property
    def texel(self) -> Format:
        """The format as such, which it is once the element is made."""
        if not isinstance(self.format, Format):
            raise TypeError(f"input element format: found {shown(self.format)}, wanted a Format")
        return self.format

    @property
    def alignment(self) -> int:
        """What the byte offset is a multiple of: 1, 2 or 4."""
        size = self.texel.bytes_per_texel
        return min(_MOST_ALIGNED, 1 << (size - 1).bit_length())

    @property
    def is_per_instance(self) -> bool:
        return self.input_slot_class is InputClassification.PER_INSTANCE_DATA

    def _check(self, what: str) -> None:
        offset = self.aligned_byte_offset
        if offset != APPEND_ALIGNED_ELEMENT and offset % self.alignment:
            raise ResourceError(
                f"{what} aligned_byte_offset: found {offset}, "
                f"wanted a multiple of {self.alignment} for {self.texel.name}"
            )
        if self.instance_data_step_rate and not self.is_per_instance:
            raise ResourceError(
                f"{what} instance_data_step_rate: found {self.instance_data_step_rate} for "
                "PER_VERTEX_DATA, wanted 0"
            )
