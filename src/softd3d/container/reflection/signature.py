"""Signature chunks: ISGN, OSGN, PCSG and their longer forms OSG5, ISG1, OSG1, PSG1."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from softd3d.bits import ByteReader
from softd3d.classes import dataclass
from softd3d.container.dxbc.container import Chunk
from softd3d.container.dxbc.pool import ALIGNMENT, FILLER, DataPool, dwords, fitting
from softd3d.container.reflection.enums import (
    MinPrecision,
    RegisterComponentType,
    SystemValue,
    enumerated,
)
from softd3d.errors import ContainerError, Location
from softd3d.isa.record import Bounded

__all__ = [
    "INPUT_SIGNATURES",
    "OUTPUT_SIGNATURES",
    "PATCH_CONSTANT_SIGNATURES",
    "Signature",
    "SignatureElement",
    "SignaturePadding",
    "build_signature",
    "parse_signature",
]

INPUT_SIGNATURES = ("ISGN", "ISG1")
OUTPUT_SIGNATURES = ("OSGN", "OSG5", "OSG1")
PATCH_CONSTANT_SIGNATURES = ("PCSG", "PSG1")
MAX_ELEMENTS = 1024
_NO_REGISTER = 0xFFFFFFFF
_COMMON_SIZE = 24
_ELEMENTS_OFFSET = 8
_NOWHERE = Location()
_MOST_KEPT = 1024  # bytes
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
    system_value: as stored, see `meaning`. mask_rest: the upper 16 bits of the dword that has
    the masks, not 0 in a few files only.
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
    mask_rest: int = 0

    @property
    def meaning(self) -> SystemValue:
        """The system value, from the semantic's name where the compiler stored none."""
        if self.system_value is not SystemValue.UNDEFINED:
            return self.system_value
        return _PIXEL_OUTPUTS.get(self.name.upper(), SystemValue.UNDEFINED)


class SignaturePadding(Enum):
    """What follows the names up to a multiple of 4 bytes: each compiler has its way.

    FXC: Microsoft's compiler of shader models 4 and 5. ZEROS and NONE: those of shader model 6.
    """

    FXC = FILLER
    ZEROS = b"\0"
    NONE = b""


@dataclass(frozen=True, slots=True)
class Signature:
    """The elements of a signature, in the order of the chunk (that of the HLSL declaration)."""

    elements: tuple[SignatureElement, ...]
    padding: SignaturePadding = field(default=SignaturePadding.FXC, compare=False)


# By name and data of their chunks: shaders of one program have the same few
_SEEN: Bounded[tuple[str, bytes], Signature] = Bounded(1 << 10)


def parse_signature(chunk: Chunk) -> Signature:
    """Read a signature chunk of any form.

    Raises:
        ContainerError: the FourCC is none of a signature, elements or names leave the chunk, a
            value is not defined, or there are more than `MAX_ELEMENTS` elements.
    """
    key = chunk.fourcc, chunk.data
    found = _SEEN.get(key)
    if found is None:
        found = _parsed(chunk)
        if len(chunk.data) <= _MOST_KEPT:
            _SEEN[key] = found
    return found


def _parsed(chunk: Chunk) -> Signature:
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
        tuple(_element(reader, start + stride * index, *form) for index in range(count)),
        _padding(chunk.data),
    )


def build_signature(fourcc: str, signature: Signature) -> bytes:
    """Return the data of a signature chunk; `parse_signature` reads an equal signature from it.

    Raises:
        ContainerError: the FourCC is none of a signature, its form has no streams or precisions
            but an element does, a value does not fit, or there are more than `MAX_ELEMENTS`
            elements.

    >>> build_signature("ISGN", Signature(())).hex(" ", 4)
    '00000000 08000000'
    """
    elements = signature.elements
    key = fourcc, signature.padding, *map(id, elements)
    known = _BUILT.get(key)
    if known is None:
        known = elements, _built(fourcc, signature)
        if len(known[1]) <= _MOST_KEPT:
            _BUILT[key] = known
    return known[1]


# By the identity of the elements, each with these, which must live as long as their identity counts
_BUILT: Bounded[tuple[object, ...], tuple[tuple[SignatureElement, ...], bytes]] = Bounded(1 << 10)


def _built(fourcc: str, signature: Signature) -> bytes:
    form = _FORMS.get(fourcc)
    if form is None:
        raise ContainerError(f"{fourcc}: not a signature chunk")
    elements = signature.elements
    if len(elements) > MAX_ELEMENTS:
        raise ContainerError(f"{fourcc}: {len(elements)} elements, the limit is {MAX_ELEMENTS}")
    stride = _COMMON_SIZE + 4 * sum(form)
    pool = DataPool(fourcc)
    pool.reserve(_ELEMENTS_OFFSET + stride * len(elements))
    pool.write(0, dwords(fourcc, elements=len(elements), offset=_ELEMENTS_OFFSET))
    for index, element in enumerate(elements):
        pool.write(_ELEMENTS_OFFSET + stride * index, _record(pool, element, *form))
    pool.align(signature.padding.value)
    return bytes(pool.data)


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
        masks >> 16,
    )


def _padding(data: bytes) -> SignaturePadding:
    """Tell by the last bytes; any answer is right where these belong to a name."""
    if len(data) % ALIGNMENT:
        return SignaturePadding.NONE
    return SignaturePadding.ZEROS if data.endswith(b"\0\0") else SignaturePadding.FXC


def _record(pool: DataPool, element: SignatureElement, streams: int, precisions: int) -> bytes:
    owner = f"element {element.name[:40]!r}"
    what = f"{pool.what}: {owner}"
    if element.stream and not streams:
        raise ContainerError(f"{what}: stream {element.stream} needs a form with streams")
    if element.min_precision and not precisions:
        raise ContainerError(
            f"{what}: min_precision {element.min_precision} needs ISG1, OSG1 or PSG1"
        )
    if element.register == _NO_REGISTER:
        raise ContainerError(f"{what}: register {element.register} is what stands for none")
    enumerated(SystemValue, element.system_value, f"{what}: system value", _NOWHERE)
    enumerated(RegisterComponentType, element.component_type, f"{what}: component type", _NOWHERE)
    enumerated(MinPrecision, element.min_precision, f"{what}: minimum precision", _NOWHERE)
    common = dwords(
        what,
        name=pool.name(element.name, owner),
        semantic_index=element.semantic_index,
        system_value=element.system_value,
        component_type=element.component_type,
        register=_NO_REGISTER if element.register is None else element.register,
        masks=fitting(element.mask, 8, f"{what}: mask")
        | fitting(element.rw_mask, 8, f"{what}: rw_mask") << 8
        | fitting(element.mask_rest, 16, f"{what}: mask_rest") << 16,
    )
    before = dwords(what, stream=element.stream) if streams else b""
    after = dwords(what, min_precision=element.min_precision) if precisions else b""
    return before + common + after
