"""Signature chunks: ISGN, OSGN, PCSG and their longer forms OSG5, ISG1, OSG1, PSG1."""

from __future__ import annotations

from dataclasses import dataclass

from softd3d.bits import ByteReader
from softd3d.container.dxbc import Chunk
from softd3d.container.enums import (
    MinPrecision,
    RegisterComponentType,
    SystemValue,
    enumerated,
)
from softd3d.errors import ContainerError

__all__ = [
    "INPUT_SIGNATURES",
    "OUTPUT_SIGNATURES",
    "PATCH_CONSTANT_SIGNATURES",
    "Signature",
    "SignatureElement",
    "parse_signature",
]

INPUT_SIGNATURES = ("ISGN", "ISG1")
OUTPUT_SIGNATURES = ("OSGN", "OSG5", "OSG1")
PATCH_CONSTANT_SIGNATURES = ("PCSG", "PSG1")
MAX_ELEMENTS = 1024
_NO_REGISTER = 0xFFFFFFFF
_COMMON_SIZE = 24
# Dwords before and after the part that all forms share: stream; minimum precision.
_FORMS = {
    "ISGN": (0, 0),
    "OSGN": (0, 0),
    "PCSG": (0, 0),
    "OSG5": (1, 0),
    "ISG1": (1, 1),
    "OSG1": (1, 1),
    "PSG1": (1, 1),
}
# The compiler leaves pixel shader outputs undefined; their semantics say what they are.
_PIXEL_OUTPUTS = {
    "SV_TARGET": SystemValue.TARGET,
    "SV_DEPTH": SystemValue.DEPTH,
    "SV_COVERAGE": SystemValue.COVERAGE,
    "SV_DEPTHGREATEREQUAL": SystemValue.DEPTH_GREATER_EQUAL,
    "SV_DEPTHLESSEQUAL": SystemValue.DEPTH_LESS_EQUAL,
    "SV_STENCILREF": SystemValue.STENCIL_REF,
    "SV_INNERCOVERAGE": SystemValue.INNER_COVERAGE,
}


@dataclass(frozen=True, slots=True)
class SignatureElement:
    """One parameter of a signature (D3D11_SIGNATURE_PARAMETER_DESC).

    register: None where the value has no numbered register (depth, coverage...). mask: components
    it has, bit 0 is x. rw_mask: of inputs the components the shader reads; of outputs those it
    never writes; of patch constants the latter in a hull shader, the former in a domain shader.
    system_value: as stored, see `meaning`.
    """

    stream: int
    name: str
    semantic_index: int
    system_value: SystemValue
    component_type: RegisterComponentType
    register: int | None
    mask: int
    rw_mask: int
    min_precision: MinPrecision

    @property
    def meaning(self) -> SystemValue:
        """The system value, from the semantic's name where the compiler stored none."""
        if self.system_value is not SystemValue.UNDEFINED:
            return self.system_value
        return _PIXEL_OUTPUTS.get(self.name.upper(), SystemValue.UNDEFINED)


@dataclass(frozen=True, slots=True)
class Signature:
    """The elements of a signature, in the order of the chunk (that of the HLSL declaration)."""

    elements: tuple[SignatureElement, ...]


def parse_signature(chunk: Chunk) -> Signature:
    """Read a signature chunk of any form.

    Raises:
        ContainerError: the FourCC is none of a signature, elements or names leave the chunk, a
            value is not defined, or there are more than `MAX_ELEMENTS` elements.
    """
    reader = chunk.reader()
    form = _FORMS.get(chunk.fourcc)
    if form is None:
        raise ContainerError(f"{chunk.fourcc}: not a signature chunk", reader.location(0))
    count, start = reader.dwords(0, 2)
    stride = _COMMON_SIZE + 4 * sum(form)
    if count > MAX_ELEMENTS:
        raise ContainerError(
            f"{chunk.fourcc}: {count} elements, the limit is {MAX_ELEMENTS}", reader.location(0)
        )
    return Signature(
        tuple(_element(reader, start + stride * index, *form) for index in range(count))
    )


def _element(reader: ByteReader, at: int, streams: int, precisions: int) -> SignatureElement:
    where = reader.location(at)
    stream = reader.u32(at) if streams else 0
    common = at + 4 * streams
    name, semantic_index, system_value, component_type, register, masks = reader.dwords(common, 6)
    precision = reader.u32(common + _COMMON_SIZE) if precisions else 0
    what = reader.what
    return SignatureElement(
        stream,
        reader.string(name),
        semantic_index,
        enumerated(SystemValue, system_value, f"{what}: system value", where),
        enumerated(RegisterComponentType, component_type, f"{what}: component type", where),
        None if register == _NO_REGISTER else register,
        masks & 0xFF,
        masks >> 8 & 0xFF,
        enumerated(MinPrecision, precision, f"{what}: minimum precision", where),
    )
