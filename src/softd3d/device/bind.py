"""Bind resources to a shader: caller's dictionaries in, a checked `BoundProgram` out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from softd3d.container.reflection.enums import CbufferType
from softd3d.container.reflection.resources import ConstantBuffer, ResourceDefinitions
from softd3d.device.arrays import is_array, view_of_array
from softd3d.device.checks import check_overlaps, check_sampler, check_view, mismatch
from softd3d.device.registers import Key, Register, RegisterKind, registers_of, resolve
from softd3d.errors import ResourceError
from softd3d.isa.limits import MAX_CONSTANT_VECTORS
from softd3d.isa.machine import Memory, View, ViewKind
from softd3d.isa.sampling.state import SamplerState
from softd3d.isa.sm4.enums import ResourceDimension
from softd3d.lower.bound import BoundProgram, Source
from softd3d.lower.declared import BufferDeclaration, SamplerDeclaration, ViewDeclaration
from softd3d.lower.linkage import Linkage
from softd3d.resources.buffers.buffer import StructuredBuffer
from softd3d.resources.buffers.constants import constant_buffer_bytes
from softd3d.resources.views.descriptor import Descriptor, describe
from softd3d.resources.views.origin import Held
from softd3d.shaders.shader import Shader

__all__ = ["bind", "held_memory"]

_VECTOR_BYTES = 16
_NONE_MEANS = {
    **dict.fromkeys(RegisterKind, "to leave it unbound"),
    RegisterKind.SAMPLERS: "for the default state",
}


class _Views(NamedTuple):
    """Views by (memory, declared id, register); what they see, by slot; notes as in `Outcome`."""

    views: dict[tuple[Memory, int, int], View]
    descriptors: tuple[Descriptor, ...]
    notes: tuple[tuple[str, str], ...]


def bind(
    shader: Shader,
    *,
    constants: Mapping[Key, object] | None = None,
    srvs: Mapping[Key, object] | None = None,
    uavs: Mapping[Key, object] | None = None,
    samplers: Mapping[Key, object] | None = None,
    interfaces: Mapping[int | str, object] | None = None,
    strict: bool = False,
) -> BoundProgram:
    """Check bindings against a shader's declarations and put them in order.

    Every register that `device.registers` calls wanted must be a key; None binds nothing: loads
    give 0, stores are dropped, and a sampler has Direct3D's default state. Registers of large
    ranges that are not given are unbound, too.
    Constants are copied; the arrays of resources are not. interfaces: as for `link`. strict:
    whether views that Direct3D leaves undefined are errors, not notes; see `checks.mismatch`.

    Raises:
        ResourceError: a binding is missing, unknown, or of another kind, size, type or format.
    """
    declarations, definitions = shader.declarations, shader.reflection
    given = {
        kind: _dictionary(kind, values)
        for kind, values in zip(RegisterKind, (constants, srvs, uavs, samplers), strict=True)
    }
    wanted = registers_of(shader, given)
    values = {
        kind: _complete(kind, wanted[kind], given[kind], definitions) for kind in RegisterKind
    }
    buffers, contents = _bind_constants(values[RegisterKind.CONSTANTS], definitions)
    views, descriptors, notes = _bind_views(
        values[RegisterKind.SRVS], values[RegisterKind.UAVS], shader, strict=strict
    )
    states = _bind_samplers(values[RegisterKind.SAMPLERS])
    return BoundProgram(
        shader.program, declarations, views, descriptors, buffers, contents, states,
        Source(shader.program, shader.digest), _linkage(shader, interfaces), notes,
    )  # fmt: skip


def _linkage(shader: Shader, interfaces: Mapping[int | str, object] | None) -> Linkage:
    if interfaces is None and not shader.linkage.interfaces:
        return Linkage()
    from softd3d.shaders.linkage import link  # noqa: PLC0415 - few shaders have interfaces

    return link(shader, interfaces)


def held_memory(bound: BoundProgram, stage: str = "") -> list[Held]:
    """Return the memory of a program's resources, which must still be there at each run.

    stage: what errors begin with.
    """
    return [
        Held(origin, f"{stage}{view.register}", is_written=view.memory is Memory.UAV)
        for view in bound.memory_views
        if (origin := bound.descriptors[view.slot].origin) is not None
    ]


def _complete(
    kind: RegisterKind,
    wanted: list[Register],
    given: Mapping[Key, object],
    definitions: ResourceDefinitions | None,
) -> list[tuple[Register, object]]:
    """Return each wanted register with its value, in order."""
    found = resolve(kind, given, wanted, definitions)
    for register in wanted:
        if (register.number, register.space) not in found:
            raise ResourceError(
                f"{register}: not in {kind.argument}; bind it, or None {_NONE_MEANS[kind]}"
            )
    return [(r, found[r.number, r.space]) for r in wanted]


def _dictionary(kind: RegisterKind, given: Mapping[Key, object] | None) -> Mapping[Key, object]:
    values: Mapping[Key, object] = {} if given is None else given
    if not isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ResourceError(
            f"{kind.argument}: found {type(given).__name__}, wanted a dictionary of registers"
        )
    return values


def _in_order(values: list[tuple[Register, object]]) -> list[tuple[Register, object]]:
    """Sort as slots are: by declared range, then by register."""
    return sorted(values, key=lambda v: (v[0].declaration.id, v[0].number))


def _bind_constants(
    values: list[tuple[Register, object]], definitions: ResourceDefinitions | None
) -> tuple[dict[tuple[int, int], View], tuple[NDArray[np.uint32], ...]]:
    buffers: dict[tuple[int, int], View] = {}
    contents: list[NDArray[np.uint32]] = []
    for slot, (register, value) in enumerate(_in_order(values)):
        declaration = register.declaration
        buffers[declaration.id, register.number] = View(
            Memory.CONSTANT, f"cb{register.number}", slot, ViewKind.RAW,
            ResourceDimension.BUFFER, stride=_VECTOR_BYTES, is_bound=value is not None,
        )  # fmt: skip
        contents.append(_contents(register, value, _layout(register, definitions)))
    return buffers, tuple(contents)


def _contents(
    register: Register, value: object, layout: ConstantBuffer | None
) -> NDArray[np.uint32]:
    """Return a constant buffer's vectors as uint32, (4 * vectors,)."""
    if value is None:
        return np.zeros(0, np.uint32)
    assert isinstance(register.declaration, BufferDeclaration)  # noqa: S101 - by its kind
    vectors = min(register.declaration.size, MAX_CONSTANT_VECTORS)
    size = vectors * _VECTOR_BYTES
    try:
        return constant_buffer_bytes(value, layout, size)
    except ResourceError as error:
        raise ResourceError(f"{register}: {error.message}", error.location) from error


def _layout(register: Register, definitions: ResourceDefinitions | None) -> ConstantBuffer | None:
    if definitions is None or not register.name:
        return None
    name = register.name.partition("[")[0]
    return next(
        (
            b for b in definitions.constant_buffers
            if b.name in (name, register.name) and b.type is CbufferType.CBUFFER
        ),
        None,
    )  # fmt: skip


def _bind_samplers(
    values: list[tuple[Register, object]],
) -> dict[tuple[int, int], SamplerState]:
    states: dict[tuple[int, int], SamplerState] = {}
    for register, value in values:
        declaration = register.declaration
        assert isinstance(declaration, SamplerDeclaration)  # noqa: S101 - by its kind
        states[declaration.id, register.number] = check_sampler(register, declaration, value)
    return states


def _bind_views(
    srvs: list[tuple[Register, object]], uavs: list[tuple[Register, object]],
    shader: Shader, *, strict: bool,
) -> _Views:  # fmt: skip
    views: dict[tuple[Memory, int, int], View] = {}
    notes: list[tuple[str, str]] = []
    descriptors: list[Descriptor] = []
    bound: dict[RegisterKind, list[tuple[Register, Descriptor]]] = {k: [] for k in RegisterKind}
    for register, resource in (*_in_order(srvs), *_in_order(uavs)):
        declaration = register.declaration
        assert isinstance(declaration, ViewDeclaration)  # noqa: S101 - by its kind
        is_seen = resource is not None
        if not is_seen:
            descriptor = _unbound(declaration)
        else:
            descriptor = _describe(register, declaration, resource, shader)
            check_view(register, declaration, descriptor)
            note = mismatch(declaration, descriptor)
            if note is not None and strict:
                raise ResourceError(f"{register}: found {note.found}, wanted {note.wanted}")
            notes += [(register.register, str(note))] if note is not None else []
            is_seen = note is None or note.is_readable
            if is_seen:
                bound[register.kind].append((register, descriptor))
            else:
                descriptor = _unbound(declaration)
        key = declaration.memory, declaration.id, register.number
        views[key] = _view(register, declaration, descriptor, len(descriptors), is_seen=is_seen)
        descriptors.append(descriptor)
    check_overlaps(bound[RegisterKind.SRVS], bound[RegisterKind.UAVS])
    return _Views(views, tuple(descriptors), tuple(notes))


def _describe(
    register: Register, declaration: ViewDeclaration, resource: object,
    shader: Shader,
) -> Descriptor:  # fmt: skip
    try:
        if is_array(resource):
            array = cast("NDArray[Any] | list[NDArray[Any]]", resource)
            element = shader.dtypes.get(register.name.partition("[")[0])
            return view_of_array(declaration, array, element=element).describe()
        if isinstance(resource, StructuredBuffer) and declaration.kind is ViewKind.STRUCTURED:
            return resource.describe_for(declaration.stride)
        return describe(resource)
    except ResourceError as error:
        raise ResourceError(f"{register}: {error.message}", error.location) from error


def _view(
    register: Register, declaration: ViewDeclaration, descriptor: Descriptor, slot: int, *,
    is_seen: bool,
) -> View:  # fmt: skip
    stride = declaration.stride
    if declaration.kind is ViewKind.TYPED:
        stride = descriptor.stride
    return View(
        declaration.memory, register.register, slot, declaration.kind, declaration.dimension,
        stride=stride, format=descriptor.format, is_bound=is_seen,
        min_lod=descriptor.min_lod,
    )  # fmt: skip


def _unbound(declaration: ViewDeclaration) -> Descriptor:
    """Return the facts of a register without a resource: everything is 0."""
    return Descriptor(
        data=np.zeros(0, np.uint8), size=0, count=0, stride=declaration.stride, width=0, height=0,
        depth=0, array_size=0, mip_count=0, sample_count=0, standard_samples=0, array_pitch=0,
        mips=(), format=None, kind=declaration.kind, dimension=declaration.dimension, counter=None,
        writable=False,
    )  # fmt: skip
