"""The calls that apply a pass to a device, in the order of its states; lights and material last."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softd3d.container.comments.ctab import ParameterType, RegisterSet
from softd3d.container.effects.d3d9.states import StateGroup
from softd3d.device.effects9.assignments import Assignment
from softd3d.device.effects9.calls import EffectDevice
from softd3d.device.effects9.programs import EffectProgram, Registers
from softd3d.device.effects9.registers import Lookup
from softd3d.device.effects9.slots import Slot
from softd3d.device.effects9.store import Store
from softd3d.errors import ResourceError
from softd3d.isa.sm1.enums import ProgramType

__all__ = ["Application", "SamplerOf", "ShaderOf", "set_constants"]

SamplerOf = Callable[[Slot, Store], Iterable[Assignment]]
"""Gives the states of a sampler."""
ShaderOf = Callable[[Assignment], EffectProgram | None]
"""Gives the shader that a state is set to."""
_Dwords = NDArray[np.uint32]

_FIRST_VERTEX_SAMPLER = 257
_COMPONENTS = 4
_MATRIX = 16
_WORLD = 256
_FIRST_TEXTURE_TRANSFORM = 16
_TRANSFORMS = {
    "ProjectionTransform": 3,
    "ViewTransform": 2,
    "WorldTransform": _WORLD,
    "TextureTransform": _FIRST_TEXTURE_TRANSFORM,
}
# Direct3D's members, by the names of states without Light or Material
_FIELDS = {
    "Type": ("type", 1),
    "Diffuse": ("diffuse", 4),
    "Specular": ("specular", 4),
    "Ambient": ("ambient", 4),
    "Emissive": ("emissive", 4),
    "Power": ("power", 1),
    "Position": ("position", 3),
    "Direction": ("direction", 3),
    "Range": ("range", 1),
    "Falloff": ("falloff", 1),
    "Attenuation0": ("attenuation0", 1),
    "Attenuation1": ("attenuation1", 1),
    "Attenuation2": ("attenuation2", 1),
    "Theta": ("theta", 1),
    "Phi": ("phi", 1),
}


class Application:
    """One application of a pass."""

    def __init__(
        self,
        device: EffectDevice,
        created: Callable[[EffectProgram], Any],
        sampler_of: SamplerOf,
        shader_of: ShaderOf,
    ) -> None:
        """Apply to a device; created: gives the device's shader."""
        self.device = device
        self.created = created
        self.sampler_of = sampler_of
        self.shader_of = shader_of
        self.lights: dict[int, dict[str, Any]] = {}
        self.material: dict[str, Any] = {}

    def run(self, assignments: Iterable[Assignment], lookup: Lookup) -> None:
        """Carry out the assignments.

        Raises:
            ShaderError: a value cannot be told, or the device refuses it.
        """
        self.lookup = lookup
        for assignment in assignments:
            _CALLS[assignment.info.group](self, assignment)
        for index, light in sorted(self.lights.items()):
            self.device.set_light(index, light)
        if self.material:
            self.device.set_material(self.material)

    def render(self, a: Assignment) -> None:
        self.device.set_render_state(a.info.target, _first(a))

    def texture_stage(self, a: Assignment) -> None:
        self.device.set_texture_stage_state(a.index, a.info.target, _first(a))

    def patch(self, a: Assignment) -> None:
        self.device.set_n_patch_mode(_float(_first(a)))

    def fvf(self, a: Assignment) -> None:
        self.device.set_fvf(_first(a))

    def transform(self, a: Assignment) -> None:
        dwords = a.dwords()
        if dwords.size < _MATRIX:
            raise ResourceError(f"{a.place}: {dwords.size} numbers, wanted {_MATRIX}")
        matrix = dwords[:_MATRIX].view(np.float32).reshape(_COMPONENTS, _COMPONENTS).copy()
        self.device.set_transform(_TRANSFORMS[a.info.name] + a.index, matrix)

    def light(self, a: Assignment) -> None:
        light = self.lights.setdefault(a.index, {})
        name, value = _field(a, "Light")
        light[name] = value

    def of_material(self, a: Assignment) -> None:
        name, value = _field(a, "Material")
        self.material[name] = value

    def light_enable(self, a: Assignment) -> None:
        self.device.light_enable(a.index, _first(a) != 0)

    def vertex_shader(self, a: Assignment) -> None:
        self.shader(a, ProgramType.VS)

    def pixel_shader(self, a: Assignment) -> None:
        self.shader(a, ProgramType.PS)

    def shader(self, a: Assignment, stage: ProgramType) -> None:
        """Set a shader, its constants and its samplers."""
        program = self.shader_of(a)
        is_vertex = stage is ProgramType.VS
        set_shader = self.device.set_vertex_shader if is_vertex else self.device.set_pixel_shader
        if program is None:
            set_shader(None)
            return
        if program.stage is not stage:
            raise ResourceError(
                f"{a.place}: found a shader for {program.stage.name}, wanted {stage.name}"
            )
        set_shader(self.created(program))
        for registers in program.registers():
            set_constants(self.device, stage, registers)
        first = _FIRST_VERTEX_SAMPLER if is_vertex else 0
        for constant in program.samplers:
            found = self.lookup(constant.name)
            if found is None:
                continue
            slot, store = found
            for number in range(min(constant.register_count, max(slot.elements, 1))):
                element = slot.element(number) if slot.elements else slot
                self.sampler_states(first + constant.register_index + number, element, store)

    def vertex_constant(self, a: Assignment) -> None:
        self.constant(a, ProgramType.VS)

    def pixel_constant(self, a: Assignment) -> None:
        self.constant(a, ProgramType.PS)

    def constant(self, a: Assignment, stage: ProgramType) -> None:
        """Set registers as Direct3D does: as many as the numbers fill, of which the first gets any.

        Raises:
            ResourceError: the numbers are not of the registers' type.
        """
        wanted = a.info.type
        if a.type is not wanted:
            raise ResourceError(
                f"{a.place}: found {a.type.name.lower()} numbers, wanted {wanted.name.lower()}"
            )
        dwords = a.dwords()
        if wanted is ParameterType.BOOL:
            bools = np.zeros(dwords.size, np.bool_)
            bools[:1] = dwords[:1] != 0
            set_constants(self.device, stage, Registers(RegisterSet.BOOL, a.index, bools))
            return
        count = (dwords.size + _COMPONENTS - 1) // _COMPONENTS
        rows = np.zeros((count, _COMPONENTS), np.uint32)
        first = dwords[: min(a.rows, _COMPONENTS)]
        rows[:1, : first.size] = first
        is_float = wanted is ParameterType.FLOAT
        kind = RegisterSet.FLOAT4 if is_float else RegisterSet.INT4
        values = rows.view(np.float32 if is_float else np.int32)
        set_constants(self.device, stage, Registers(kind, a.index, values))

    def texture(self, a: Assignment) -> None:
        self.set_texture(a, a.index)

    def sampler(self, a: Assignment) -> None:
        self.device.set_sampler_state(a.index, a.info.target, _first(a))

    def sampler_object(self, a: Assignment) -> None:
        found = a.unit()
        if found is not None:
            self.sampler_states(a.index, *found)

    def sampler_states(self, sampler: int, slot: Slot, store: Store) -> None:
        """Set the texture and the states of a sampler parameter for a sampler of the device."""
        for a in self.sampler_of(slot, store):
            if a.info.group is StateGroup.TEXTURE:
                self.set_texture(a, sampler)
            elif a.info.group is StateGroup.SAMPLER:
                self.device.set_sampler_state(sampler, a.info.target, _first(a))
            else:
                raise ResourceError(f"{a.place}: is no state of a sampler")

    def set_texture(self, a: Assignment, sampler: int) -> None:
        found = a.unit()
        texture = None if found is None else found[1].objects.get(found[0].start)
        self.device.set_texture(sampler, texture)


def set_constants(device: EffectDevice, stage: ProgramType, registers: Registers) -> None:
    """Set constant registers of a stage."""
    d = device
    is_vertex = stage is ProgramType.VS
    match registers.register_set:
        case RegisterSet.FLOAT4:
            call = d.set_vertex_shader_constant_f if is_vertex else d.set_pixel_shader_constant_f
        case RegisterSet.INT4:
            call = d.set_vertex_shader_constant_i if is_vertex else d.set_pixel_shader_constant_i
        case _:
            call = d.set_vertex_shader_constant_b if is_vertex else d.set_pixel_shader_constant_b
    call(registers.start, registers.values)


def _first(a: Assignment) -> int:
    dwords = a.dwords()
    if not dwords.size:
        raise ResourceError(f"{a.place}: is set to nothing, wanted a number")
    return int(dwords[0])


def _float(dword: int) -> float:
    return struct.unpack("<f", struct.pack("<I", dword))[0]


def _field(a: Assignment, prefix: str) -> tuple[str, Any]:
    """Return a member of a light or material and its value: a number, or a tuple of them."""
    name, count = _FIELDS[a.info.name.removeprefix(prefix)]
    dwords = a.dwords()
    if dwords.size < count:
        raise ResourceError(f"{a.place}: {dwords.size} numbers, wanted {count}")
    if a.info.type is ParameterType.INT:
        return name, int(dwords[0])
    floats = tuple(dwords[:count].view(np.float32).tolist())
    return name, floats if count > 1 else floats[0]


_CALLS: dict[StateGroup, Callable[[Application, Assignment], None]] = {
    StateGroup.RENDER: Application.render,
    StateGroup.TEXTURE_STAGE: Application.texture_stage,
    StateGroup.PATCH: Application.patch,
    StateGroup.FVF: Application.fvf,
    StateGroup.TRANSFORM: Application.transform,
    StateGroup.MATERIAL: Application.of_material,
    StateGroup.LIGHT: Application.light,
    StateGroup.LIGHT_ENABLE: Application.light_enable,
    StateGroup.VERTEX_SHADER: Application.vertex_shader,
    StateGroup.PIXEL_SHADER: Application.pixel_shader,
    StateGroup.VERTEX_CONSTANT: Application.vertex_constant,
    StateGroup.PIXEL_CONSTANT: Application.pixel_constant,
    StateGroup.TEXTURE: Application.texture,
    StateGroup.SAMPLER: Application.sampler,
    StateGroup.SAMPLER_OBJECT: Application.sampler_object,
}
