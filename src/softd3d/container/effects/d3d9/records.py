"""What an effect of Direct3D 9 consists of: frozen records, which the writer turns back into bytes.

An effect file is a pool of types, values and names, then an index of records that refer to it by
offset, then objects: strings, shaders, and expressions. Records keep where in the pool their parts
lie (`place`, in bytes from the pool's start), so that any file can be written back as it was; a
place of None has the writer append the part.

Spec: there is no public header. Names follow ID3DXEffect (d3dx9effect.h); the layout was measured
on what Microsoft's compilers write.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import TypeAlias

from softd3d.classes import dataclass
from softd3d.container.comments.ctab import ParameterClass, ParameterType

__all__ = [
    "FX_2_0",
    "NO_INDEX",
    "Annotation",
    "Effect9",
    "EffectType",
    "Numbers",
    "ObjectIds",
    "Parameter",
    "ParameterFlags",
    "Pass",
    "PoolBytes",
    "PoolString",
    "Resource",
    "ResourceUsage",
    "SamplerStates",
    "State",
    "StoredObject",
    "Structures",
    "Technique",
    "Value",
    "Variable",
]

FX_2_0 = 0xFEFF0901
"""The version token of all effects of Direct3D 9."""
NO_INDEX = 0xFFFFFFFF
"""Where a resource belongs to no technique or element."""


class ParameterFlags(IntFlag):
    """D3DX_PARAMETER_..., of which files store SHARED alone."""

    NONE = 0
    SHARED = 1
    LITERAL = 2
    ANNOTATION = 4


class ResourceUsage(IntEnum):
    """What the data of a resource is.

    CODE: a shader, or an expression that gives the state's value. PARAMETER: the name of the
    parameter that does. ELEMENT: the name of an array parameter and an expression for its index.
    """

    CODE = 0
    PARAMETER = 1
    ELEMENT = 2


@dataclass(frozen=True, slots=True)
class PoolString:
    """A string: its bytes as stored, with a NUL; no bytes if there is no string at all."""

    data: bytes = b""
    place: int | None = None

    @property
    def text(self) -> str:
        return self.data.partition(b"\0")[0].decode("latin-1")


@dataclass(frozen=True, slots=True)
class EffectType:
    """A type, as D3DXPARAMETER_DESC describes it, with the name of what has it.

    elements: 0 if it is not an array. rows, columns: 0 for objects and structures. members: of a
    structure; they have names of their own.
    """

    class_: ParameterClass
    type: ParameterType
    name: PoolString = PoolString()
    semantic: PoolString = PoolString()
    elements: int = 0
    rows: int = 0
    columns: int = 0
    members: tuple[EffectType, ...] = ()


@dataclass(frozen=True, slots=True)
class Numbers:
    """The dwords of a numeric value, row by row, element by element."""

    dwords: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ObjectIds:
    """Which object a string, texture or shader is, one for each element."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SamplerStates:
    """The states of a sampler, for each element."""

    elements: tuple[tuple[State, ...], ...]


@dataclass(frozen=True, slots=True)
class Structures:
    """The values of a structure's members, for each element."""

    elements: tuple[tuple[Value, ...], ...]


Value: TypeAlias = Numbers | ObjectIds | SamplerStates | Structures


@dataclass(frozen=True, slots=True)
class Variable:
    """A type and a value of it, and where in the pool both lie."""

    type: EffectType
    value: Value
    type_place: int | None = None
    value_place: int | None = None


Annotation: TypeAlias = Variable


@dataclass(frozen=True, slots=True)
class State:
    """An assignment in a pass or a sampler.

    operation: the number of what is assigned to (`effect9_states.STATES`). index: of a stage,
    light, sampler or register; 0 if the state has none. variable: what is assigned. A resource can
    take its place at run time.
    """

    operation: int
    index: int
    variable: Variable


@dataclass(frozen=True, slots=True)
class Parameter:
    """A global variable of an effect."""

    variable: Variable
    flags: ParameterFlags = ParameterFlags.NONE
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Pass:
    """The states that one drawing of the geometry needs."""

    name: PoolString
    states: tuple[State, ...]
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class Technique:
    """One way of drawing."""

    name: PoolString
    passes: tuple[Pass, ...]
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredObject:
    """The data of an object that a parameter refers to: a string with its NUL, or a shader.

    padding: what follows up to a multiple of 4 bytes.
    """

    id: int
    data: bytes
    padding: bytes | None = None


@dataclass(frozen=True, slots=True)
class Resource:
    """The data of an object that a state refers to.

    technique: NO_INDEX for a state of a sampler. index: of the pass, or of the parameter that is
    the sampler. element: of the sampler in an array, NO_INDEX elsewhere. state: which of its
    states.
    """

    technique: int
    index: int
    element: int
    state: int
    usage: ResourceUsage
    data: bytes
    padding: bytes | None = None


@dataclass(frozen=True, slots=True)
class PoolBytes:
    """Bytes of the pool that no record refers to."""

    place: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Effect9:
    """An effect of Direct3D 9 (fx_2_0).

    prefix: what precedes it, such as the header of XNA 4. block_count: as stored; compilers count
    passes, the samplers and shaders of parameters, element by element, and the states that are
    shaders. object_count: as stored, one more than the highest id; 0 is no object. pool_size: in
    bytes. unreferenced: what of the pool no record refers to. trailing: what follows the last
    resource.
    """

    parameters: tuple[Parameter, ...]
    techniques: tuple[Technique, ...]
    objects: tuple[StoredObject, ...] = ()
    resources: tuple[Resource, ...] = ()
    block_count: int = 0
    object_count: int = 1
    prefix: bytes = b""
    pool_size: int = 0
    unreferenced: tuple[PoolBytes, ...] = ()
    trailing: bytes = b""
