"""What an RDEF chunk says, as plain data: buffers, variables, types, bindings.

Names follow the D3D11_SHADER_*_DESC structures of d3d11shader.h.
"""

from __future__ import annotations

from dataclasses import field

from softd3d.classes import dataclass
from softd3d.container.reflection.enums import (
    CbufferType,
    ResourceReturnType,
    ShaderCbufferFlags,
    ShaderInputFlags,
    ShaderInputType,
    ShaderVariableClass,
    ShaderVariableFlags,
    ShaderVariableType,
    SrvDimension,
)

__all__ = [
    "STAGES",
    "Binding",
    "ConstantBuffer",
    "Member",
    "ResourceDefinitions",
    "Variable",
    "VariableType",
]

STAGES = {
    0xFFFF: "ps",
    0xFFFE: "vs",
    0x4753: "gs",
    0x4853: "hs",
    0x4453: "ds",
    0x4353: "cs",
    0x4C46: "lib",
    0xFEFF: "fx",
}
"""Profile prefixes by the upper half of the target dword."""


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a structure; offset: bytes from the start of the structure."""

    name: str
    type: VariableType
    offset: int


@dataclass(frozen=True, slots=True)
class VariableType:
    """A type as HLSL has it. class_: scalar, vector, matrix, structure, object or interface.

    elements: 0 if it is not an array. rows and columns of a structure count its components, as
    the compiler stored them. name: what HLSL calls it, empty in shader model 4.x. subtype,
    base_class and interfaces: of classes and interface pointers (shader model 5).

    Types that a chunk stores once are one object, wherever they are used; equal ones that it
    stores several times are several objects. Writing keeps that (see `rdef_writer`).
    """

    class_: ShaderVariableClass
    type: ShaderVariableType
    rows: int
    columns: int
    elements: int
    members: tuple[Member, ...] = ()
    name: str = ""
    subtype: VariableType | None = None
    base_class: VariableType | None = None
    interfaces: tuple[VariableType, ...] = ()


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a constant buffer; offset and size in bytes, within the buffer.

    default: `size` bytes, None if the shader gives none. Texture and sampler slots are those of
    objects inside classes: None and 0 where there are none, always so in shader model 4.x.
    record_offset: where its record lies, in bytes from the start of the container.
    """

    name: str
    offset: int
    size: int
    flags: ShaderVariableFlags
    type: VariableType
    default: bytes | None = None
    start_texture: int | None = None
    texture_count: int = 0
    start_sampler: int | None = None
    sampler_count: int = 0
    record_offset: int = field(default=0, compare=False)

    @property
    def is_used(self) -> bool:
        return ShaderVariableFlags.USED in self.flags


@dataclass(frozen=True, slots=True)
class ConstantBuffer:
    """A constant or texture buffer, the interface pointers, or the element of a structured buffer.

    size: bytes. record_offset: as in `Variable`.
    """

    name: str
    variables: tuple[Variable, ...]
    size: int
    flags: ShaderCbufferFlags
    type: CbufferType
    record_offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Binding:
    """A resource the shader binds.

    sample_count: the stride in bytes of a structured buffer; None where it says "not known".
    bind_count: number of registers, 0 for an unbounded range (5.1). space and id are 0 before 5.1.
    """

    name: str
    type: ShaderInputType
    return_type: ResourceReturnType
    dimension: SrvDimension
    sample_count: int | None
    bind_point: int
    bind_count: int
    flags: ShaderInputFlags
    space: int = 0
    id: int = 0

    @property
    def component_count(self) -> int:
        """Components of a texel, 1 to 4; meaningful for textures and typed UAVs."""
        return (self.flags >> 2 & 3) + 1


@dataclass(frozen=True, slots=True)
class ResourceDefinitions:
    """A parsed RDEF chunk. target: the version dword, e.g. 0xFFFF0500; flags: D3DCOMPILE_*.

    has_slots: False for what compiler 9.24, a beta of shader model 5.0, wrote: records of variables
    without ranges of textures and samplers.
    """

    target: int
    flags: int
    creator: str
    constant_buffers: tuple[ConstantBuffer, ...]
    bindings: tuple[Binding, ...]
    interface_slots: int = 0
    has_slots: bool = True

    @property
    def shader_model(self) -> tuple[int, int]:
        return self.target >> 8 & 0xFF, self.target & 0xFF

    @property
    def profile(self) -> str:
        """The compiler's name of the target, e.g. "ps_5_0"."""
        major, minor = self.shader_model
        return f"{STAGES[self.target >> 16]}_{major}_{minor}"
