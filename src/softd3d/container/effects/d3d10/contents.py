"""What an effect declares: its buffers, objects, interfaces, groups, techniques and passes.

A view for looking: everything it says stands in the two areas of `Effect`, which are what is
written. Offsets count from the start of the unstructured area; 0 there means "none".

Spec: records as in Microsoft's Effects 11 (SBinary...); that records of annotations follow and
that shared ones have neither annotations nor initializers was measured on the compiler's output.
"""

from __future__ import annotations

from dataclasses import field

from softd3d.bits import ByteReader, Field
from softd3d.classes import dataclass
from softd3d.container.effects.d3d10.effect import Effect, EffectVersion
from softd3d.container.effects.d3d10.enums import (
    AssignmentType,
    EffectState,
    ObjectType,
    ScalarType,
    VarType,
)
from softd3d.container.reflection.enums import enumerated
from softd3d.errors import ContainerError

__all__ = [
    "EffectAnnotation",
    "EffectAssignment",
    "EffectBuffer",
    "EffectContents",
    "EffectGroup",
    "EffectInterface",
    "EffectObject",
    "EffectPass",
    "EffectTechnique",
    "EffectType",
    "EffectVariable",
    "effect_contents",
]

MAX_TEXT = 1 << 22
_NO_BIND_POINT = 0xFFFFFFFF
_TYPE_DWORDS = 6
_SCALAR = Field(7, 3)  # of the dword behind the type of a number
_STATE_BLOCKS = (
    ObjectType.BLEND,
    ObjectType.DEPTH_STENCIL,
    ObjectType.RASTERIZER,
    ObjectType.SAMPLER,
)
# Dwords that an element of the object is initialized with; the first is an offset.
_INITIALIZERS = {
    ObjectType.STRING: 1,
    ObjectType.PIXEL_SHADER: 1,
    ObjectType.VERTEX_SHADER: 1,
    ObjectType.GEOMETRY_SHADER: 1,
    ObjectType.GEOMETRY_SHADER_SO: 2,
    ObjectType.PIXEL_SHADER_5: 9,
    ObjectType.VERTEX_SHADER_5: 9,
    ObjectType.GEOMETRY_SHADER_5: 9,
    ObjectType.COMPUTE_SHADER_5: 9,
    ObjectType.HULL_SHADER_5: 9,
    ObjectType.DOMAIN_SHADER_5: 9,
}


@dataclass(frozen=True, slots=True)
class EffectType:
    """A type as HLSL calls it. elements: 0 if it is not an array; sizes in bytes.

    packed_size: of a value, whose numbers lie without gaps. object_type: of objects only; scalar:
    of numbers only.
    """

    name: str
    kind: VarType
    elements: int
    total_size: int
    stride: int
    packed_size: int
    object_type: ObjectType | None = None
    scalar: ScalarType | None = None

    @property
    def count(self) -> int:
        """Elements of an array, else 1."""
        return max(self.elements, 1)


@dataclass(frozen=True, slots=True)
class EffectAnnotation:
    """A value for the application; values: offsets of a number or of each element's string."""

    name: str
    type: EffectType
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EffectVariable:
    """A variable of a buffer; offset: bytes in it. default: offset of its value, 0 if none."""

    name: str
    type: EffectType
    semantic: str
    offset: int
    default: int
    flags: int
    annotations: tuple[EffectAnnotation, ...] = ()


@dataclass(frozen=True, slots=True)
class EffectBuffer:
    """A constant buffer, or a texture buffer if bit 0 of `flags` is set."""

    name: str
    size: int
    flags: int
    bind_point: int | None
    variables: tuple[EffectVariable, ...]
    annotations: tuple[EffectAnnotation, ...] = ()
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class EffectAssignment:
    """A state that a pass or state block sets; index: which of several, such as blend targets.

    value: offset of what is assigned. variable: its name, where it is one (type VARIABLE). record:
    where the assignment lies, in bytes from the start of the effect.
    """

    state: EffectState
    index: int
    type: AssignmentType
    value: int
    variable: str = ""
    record: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class EffectObject:
    """A texture, view, string, state or shader variable.

    states: a block for each element, of states and samplers. values: the dwords an element is
    initialized with, of strings and shaders; the first is the offset of the string or of the
    shader's size, 0 for a null shader.
    """

    name: str
    type: EffectType
    semantic: str
    bind_point: int | None
    states: tuple[tuple[EffectAssignment, ...], ...] = ()
    values: tuple[tuple[int, ...], ...] = ()
    annotations: tuple[EffectAnnotation, ...] = ()
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class EffectInterface:
    """An interface variable (fx_5_0). default: offset of its initializers, 0 if none."""

    name: str
    type: EffectType
    default: int
    flags: int
    annotations: tuple[EffectAnnotation, ...]


@dataclass(frozen=True, slots=True)
class EffectPass:
    """A pass: the states it sets."""

    name: str
    annotations: tuple[EffectAnnotation, ...]
    assignments: tuple[EffectAssignment, ...]


@dataclass(frozen=True, slots=True)
class EffectTechnique:
    """A technique: its passes."""

    name: str
    annotations: tuple[EffectAnnotation, ...]
    passes: tuple[EffectPass, ...]


@dataclass(frozen=True, slots=True)
class EffectGroup:
    """A group of techniques. Those outside of groups are in one without a name."""

    name: str
    annotations: tuple[EffectAnnotation, ...]
    techniques: tuple[EffectTechnique, ...]


@dataclass(frozen=True, slots=True)
class EffectContents:
    """What the effect declares, in the order of the records, local before shared."""

    buffers: tuple[EffectBuffer, ...]
    objects: tuple[EffectObject, ...]
    interfaces: tuple[EffectInterface, ...]
    groups: tuple[EffectGroup, ...]


def effect_contents(effect: Effect) -> EffectContents:
    """Read the records of the structured area.

    Raises:
        ContainerError: a record leaves its area, a value is not defined, records are left over, or
            names take more than `MAX_TEXT` characters. Offsets are those of an effect without a
            container.
    """
    return _Walker(effect).contents()


class _Walker:
    """Reads records in order: each takes bytes of the area, which bounds what counts can ask for.

    Names may overlap, so that they could be many times larger than the effect; `text_left` bounds
    that.
    """

    def __init__(self, effect: Effect) -> None:
        start = effect.header_size
        self.effect = effect
        self.area = ByteReader(effect.unstructured, start, "effect")
        self.records = ByteReader(effect.structured, start + len(effect.unstructured), "effect")
        self.at = 0
        self.text_left = MAX_TEXT
        self.types: dict[int, EffectType] = {}

    def contents(self) -> EffectContents:
        counts = self.effect.counts
        buffers = [self.buffer() for _ in range(counts.constant_buffers)]
        objects = [self.object() for _ in range(counts.object_variables)]
        buffers += [self.shared_buffer() for _ in range(counts.shared_constant_buffers)]
        objects += [self.shared_object() for _ in range(counts.shared_object_variables)]
        interfaces = [self.interface() for _ in range(counts.interface_variables)]
        if self.effect.version is EffectVersion.FX_5_0:
            groups = [self.group() for _ in range(counts.groups)]
        else:
            groups = [EffectGroup("", (), self.techniques(counts.techniques))]
        if self.at != len(self.records):
            raise ContainerError(
                f"effect: {len(self.records) - self.at} bytes follow the last record",
                self.records.location(self.at),
            )
        return EffectContents(tuple(buffers), tuple(objects), tuple(interfaces), tuple(groups))

    def take(self, count: int) -> tuple[int, ...]:
        """Return the next dwords of the structured area."""
        dwords = self.records.dwords(self.at, count)
        self.at += 4 * count
        return dwords

    def text(self, offset: int) -> str:
        """Return the string at `offset`, empty for 0."""
        found = self.area.string(offset) if offset else ""
        self.text_left -= len(found)
        if self.text_left < 0:
            raise ContainerError(
                f"effect: names take more than {MAX_TEXT} characters", self.area.location(offset)
            )
        return found

    def type(self, offset: int) -> EffectType:
        known = self.types.get(offset)
        if known is None:
            known = self.types[offset] = self.new_type(offset)
        return known

    def new_type(self, offset: int) -> EffectType:
        where = self.area.location(offset)
        name, kind, elements, total, stride, packed = self.area.dwords(offset, _TYPE_DWORDS)
        var_type = enumerated(VarType, kind, "effect: type", where)
        object_type = scalar = None
        if var_type in (VarType.OBJECT, VarType.NUMERIC):
            number = self.area.u32(offset + 4 * _TYPE_DWORDS)
            if var_type is VarType.OBJECT:
                object_type = enumerated(ObjectType, number, "effect: object type", where)
            else:
                scalar = enumerated(ScalarType, _SCALAR.get(number), "effect: scalar type", where)
        return EffectType(
            self.text(name), var_type, elements, total, stride, packed, object_type, scalar
        )

    def annotations(self) -> tuple[EffectAnnotation, ...]:
        return tuple(self.annotation() for _ in range(*self.take(1)))

    def annotation(self) -> EffectAnnotation:
        name, type_at = self.take(2)
        type_ = self.type(type_at)
        count = type_.count if type_.object_type is ObjectType.STRING else 1
        return EffectAnnotation(self.text(name), type_, self.take(count))

    def buffer(self) -> EffectBuffer:
        name, size, flags, count, bind_point = self.take(5)
        annotations = self.annotations()
        variables = tuple(self.variable(is_shared=False) for _ in range(count))
        return EffectBuffer(
            self.text(name), size, flags, _bind_point(bind_point), variables, annotations
        )

    def shared_buffer(self) -> EffectBuffer:
        name, size, flags, count, bind_point = self.take(5)
        variables = tuple(self.variable(is_shared=True) for _ in range(count))
        return EffectBuffer(
            self.text(name), size, flags, _bind_point(bind_point), variables, is_shared=True
        )

    def variable(self, *, is_shared: bool) -> EffectVariable:
        name, type_at, semantic, offset, default, flags = self.take(6)
        return EffectVariable(
            self.text(name),
            self.type(type_at),
            self.text(semantic),
            offset,
            default,
            flags,
            () if is_shared else self.annotations(),
        )

    def object(self) -> EffectObject:
        name, type_at, semantic, bind_point = self.take(4)
        type_ = self.type(type_at)
        kind = type_.object_type
        blocks = type_.count if kind in _STATE_BLOCKS else 0
        states = tuple(self.assignments(*self.take(1)) for _ in range(blocks))
        dwords = _INITIALIZERS.get(kind, 0) if kind is not None else 0
        values = tuple(self.take(dwords) for _ in range(type_.count if dwords else 0))
        return EffectObject(
            self.text(name),
            type_,
            self.text(semantic),
            _bind_point(bind_point),
            states,
            values,
            self.annotations(),
        )

    def shared_object(self) -> EffectObject:
        name, type_at, semantic, bind_point = self.take(4)
        return EffectObject(
            self.text(name),
            self.type(type_at),
            self.text(semantic),
            _bind_point(bind_point),
            is_shared=True,
        )

    def interface(self) -> EffectInterface:
        name, type_at, default, flags = self.take(4)
        return EffectInterface(
            self.text(name), self.type(type_at), default, flags, self.annotations()
        )

    def group(self) -> EffectGroup:
        name, count = self.take(2)
        return EffectGroup(self.text(name), self.annotations(), self.techniques(count))

    def techniques(self, count: int) -> tuple[EffectTechnique, ...]:
        return tuple(self.technique() for _ in range(count))

    def technique(self) -> EffectTechnique:
        name, count = self.take(2)
        annotations = self.annotations()
        return EffectTechnique(
            self.text(name), annotations, tuple(self.pass_() for _ in range(count))
        )

    def pass_(self) -> EffectPass:
        name, count = self.take(2)
        return EffectPass(self.text(name), self.annotations(), self.assignments(count))

    def assignments(self, count: int) -> tuple[EffectAssignment, ...]:
        return tuple(self.assignment() for _ in range(count))

    def assignment(self) -> EffectAssignment:
        where = self.records.location(self.at)
        state, index, kind, value = self.take(4)
        type_ = enumerated(AssignmentType, kind, "effect: assignment type", where)
        return EffectAssignment(
            enumerated(EffectState, state, "effect: state", where),
            index,
            type_,
            value,
            self.text(value) if type_ is AssignmentType.VARIABLE else "",
            where.offset or 0,
        )


def _bind_point(number: int) -> int | None:
    return None if number == _NO_BIND_POINT else number
